"""Reading a table key by key: each value becomes what its key takes, or a mistake with its place.

`fern import` of a small file reads a mapping in a fraction of the time that loading a validation library takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Any, TypeVar

from fernvault.errors import InputError

T = TypeVar("T")

Reader = Callable[[Any], T]
"""A value from outside to what it means. Raises ValueError with what is wrong, MistakesError for a value with parts."""

Part = tuple[str, Reader[Any], Any]
"""A key, what reads its value, and the value."""


class MistakesError(ValueError):
    """Everything wrong in a value: for each mistake the keys that lead to it, and what is wrong there."""

    def __init__(self, found: list[tuple[tuple[str, ...], str]]) -> None:
        super().__init__(found)
        self.found = found

    def __str__(self) -> str:
        """The first mistake as ``[table] key: what is wrong``, and how many more there are."""
        (where, reason), *more = self.found
        shown = [f"[{where[0]}]", *where[1:], reason] if where else [reason]
        return " ".join(shown) + (f" (and {len(more)} more)" if more else "")


class WrongTypeError(ValueError):
    """A value of another type than its key takes."""


def text(value: Any) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise WrongTypeError("must be text in quotes")
    return value


def name(value: Any) -> str:
    """A text that is not blank."""
    if not text(value).strip():
        raise ValueError("must not be empty")
    return text(value)


def boolean(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise WrongTypeError("must be true or false")
    return value


def number(value: Any) -> float:
    """A whole or a decimal number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise WrongTypeError("must be a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError("must be a number") from None


def many(read: Reader[T]) -> Reader[tuple[T, ...]]:
    """A list of texts, each read in the same way; a single text is a list of one."""

    def whole(value: Any) -> tuple[T, ...]:
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            raise WrongTypeError("must be a list of texts")
        return tuple(_all((str(place), read, one) for place, one in enumerate(value)))

    return whole


def table(read: Reader[T], key: Reader[str] = text) -> Reader[dict[str, T]]:
    """A table whose keys the file chooses, with values that are all read in the same way."""

    def whole(value: Any) -> dict[str, T]:
        given = _table(value)
        parts: list[Part] = []
        for one, content in given.items():
            parts += [(f"{one} [key]", key, one), (one, read, content)]
        return dict(zip(given, _all(parts)[1::2], strict=True))

    return whole


def section(make: Callable[..., T], keys: AnyMapping[str, Reader[Any]], *needed: str) -> Reader[T]:
    """A table with these keys and no others, handed to ``make`` by name; a key that is not needed may be absent."""

    def whole(value: Any) -> T:
        given = _table(value)
        known = [key for key in keys if key in given]
        parts: list[Part] = []
        for key, read in keys.items():
            if key in given:
                parts.append((key, read, given[key]))
            elif key in needed:
                parts.append((key, _missing, None))
        parts += [(key, _unknown, None) for key in given if key not in keys]
        return make(**dict(zip(known, _all(parts), strict=True)))

    return whole


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WrongTypeError("must be a table")
    return value


def _missing(_: Any) -> None:
    raise ValueError("is missing")


def _unknown(_: Any) -> None:
    raise ValueError("is not known here")


def _all(parts: Iterable[Part]) -> list[Any]:
    """Every part read. Raises MistakesError with those of all of them."""
    made: list[Any] = []
    wrong: list[tuple[tuple[str, ...], str]] = []
    for key, read, value in parts:
        try:
            made.append(read(value))
        except MistakesError as inside:
            wrong += [((key, *where), reason) for where, reason in inside.found]
        except ValueError as error:
            wrong.append(((key,), str(error)))
    if wrong:
        raise MistakesError(wrong)
    return made


def load(path: Path, read: Reader[T], next_step: str) -> T:
    """Read a TOML file. Raises InputError: one line with the file's name, the key and the mistake."""
    import tomllib  # noqa: PLC0415 - an import without a mapping file, whose columns are guessed, does without

    try:
        return read(tomllib.loads(path.read_bytes().decode("utf-8-sig")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step=next_step) from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: is not UTF-8 text", next_step=next_step) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path.name}: not valid TOML: {error}", next_step=next_step) from None
    except RecursionError:
        raise InputError(f"{path.name}: nested too deeply", next_step=next_step) from None
    except ValueError as error:
        raise InputError(f"{path.name}: {error}", next_step=next_step) from None
