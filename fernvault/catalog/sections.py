"""The tables that mapping files and catalog files share, and what is said to a person when one is wrong."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping as AnyMapping
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from fernvault import attribute
from fernvault.errors import InputError
from fernvault.event import KIND_MAGNITUDE, OWNER_KINDS

DEFAULT_KIND: Final = "buy"
SMALLEST_MAGNITUDE: Final = 0.05
LARGEST_MAGNITUDE: Final = 15.0
KIND_LENGTH: Final = 32

_SAID: Final = {
    "missing": "is missing",
    "string_type": "must be text in quotes",
    "bool_type": "must be true or false",
    "float_type": "must be a number",
    "dict_type": "must be a table",
    "model_type": "must be a table",
    "model_attributes_type": "must be a table",
    "tuple_type": "must be a list of texts",
}


def kind_name(text: str) -> str | None:
    """The kind as events carry it (``Add to cart`` becomes ``add-to-cart``), or None when it cannot be one."""
    spelt = attribute.from_value("kind", text[: KIND_LENGTH + 1])
    name = "" if spelt is None else attribute.name(spelt)
    return name if name[:1].isalpha() and len(name) <= KIND_LENGTH else None


def _name(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def one_or_many(value: object) -> object:
    """A single text as a list of one, before validation."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


def _as_renames(value: object) -> object:
    return {name: name for name in value} if isinstance(value, list) else value


def _some(names: tuple[str, ...]) -> tuple[str, ...]:
    if not names:
        raise ValueError("must name at least one column")
    if len(set(names)) < len(names):
        raise ValueError("names the same column twice")
    return names


def _zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (OSError, ValueError, LookupError):
        raise ValueError(f"no such time zone: {name!r} (write it like Europe/Paris)") from None
    return name


def _kinds(kinds: dict[str, float]) -> dict[str, float]:
    named: dict[str, float] = {}
    for kind, magnitude in kinds.items():
        name = kind_name(kind)
        if name is None:
            raise ValueError(f"{kind!r} cannot be a kind: it must start with a letter and have at most 32")
        if name in OWNER_KINDS:
            raise ValueError(f"{kind!r} is kept for the owner's own corrections")
        if not (isfinite(magnitude) and SMALLEST_MAGNITUDE <= abs(magnitude) <= LARGEST_MAGNITUDE):
            raise ValueError(f"{kind!r} must be from 0.05 to 15, or from -15 to -0.05, not {magnitude:g}")
        if named.setdefault(name, magnitude) != magnitude:
            raise ValueError(f"{kind!r} and another spelling of it have different magnitudes")
    return named


def _namespaces(spaces: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    for space in spaces:
        if not attribute.is_namespace(space):
            raise ValueError(f"{space!r} cannot be a namespace: small letters, digits and hyphens, at most 16")
        if space == attribute.CONTEXT:
            raise ValueError("'ctx' is kept for context: name these columns in [context] columns")
    return spaces


def _splits(splits: dict[str, str]) -> dict[str, str]:
    if "" in splits.values():
        raise ValueError("the separator must not be empty")
    return splits


Name = Annotated[str, AfterValidator(_name)]
Names = Annotated[tuple[Name, ...], BeforeValidator(one_or_many), AfterValidator(_some)]
Zone = Annotated[str, AfterValidator(_zone)]
Kinds = Annotated[dict[str, float], AfterValidator(_kinds)]
"""Kind, as :func:`kind_name` spells it, to signed magnitude."""
Attributes = Annotated[dict[str, Names], AfterValidator(_namespaces)]
"""Namespace to the columns whose values become its attributes."""
Splits = Annotated[dict[str, Name], AfterValidator(_splits)]
"""Column to the separator between the values of one cell; a column not named here holds one value."""


class Section(BaseModel):
    """A table of a mapping or catalog file: unknown keys are mistakes, and nothing changes after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Items(Section):
    """``[items]``: a table with one row per item. ``key`` is its column of item names; ``columns`` picks the columns
    to read, either a list, or a table of the name used in ``[attributes]`` to the name in the item table."""

    file: Name
    key: Name = "item"
    columns: Annotated[dict[str, Name] | None, BeforeValidator(_as_renames)] = None


class Context(Section):
    """``[context]``: what is noted beside an event. ``columns``: their values become ``ctx:`` attributes. ``zone``:
    reads the clock there instead of in the owner's zone."""

    time_of_day: bool = False
    weekend: bool = False
    columns: Annotated[tuple[Name, ...], BeforeValidator(one_or_many)] = ()
    zone: Zone | None = None


class File(BaseModel):
    """What mapping and catalog have in common: kinds, attributes, items, context, split."""

    model_config = Section.model_config

    kinds: Kinds = Field(default_factory=dict)
    attributes: Attributes = Field(default_factory=dict)
    items: Items | None = None
    context: Context = Context()
    split: Splits = Field(default_factory=dict)

    @model_validator(mode="after")
    def _split_is_used(self) -> File:
        used = {column for columns in self.attributes.values() for column in columns} | set(self.context.columns)
        for column in self.split:
            if column not in used:
                raise ValueError(f"[split] {column!r} is in no list of [attributes] or [context]")
        return self

    def magnitude(self, kind: str) -> float:
        """Signed magnitude of a kind: this file's, else the usual one, else 1."""
        return self.kinds.get(kind, KIND_MAGNITUDE.get(kind, 1.0))


_F = TypeVar("_F", bound=File)


def load(path: Path, model: type[_F], next_step: str) -> _F:
    """Read a TOML file into its model; ``[items] file`` becomes a path beside it. Raises InputError, one line."""
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step=next_step) from None
    except UnicodeDecodeError:
        raise InputError(f"{path.name}: is not UTF-8 text", next_step=next_step) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path.name}: not valid TOML: {error}", next_step=next_step) from None
    except RecursionError:
        raise InputError(f"{path.name}: nested too deeply", next_step=next_step) from None
    try:
        read = model.model_validate(table)
    except ValidationError as error:
        raise InputError(f"{path.name}: {explain(error)}", next_step=next_step) from None
    if read.items is None:
        return read
    beside = str(path.parent / Path(read.items.file).expanduser())
    return read.model_copy(update={"items": read.items.model_copy(update={"file": beside})})


def explain(error: ValidationError) -> str:
    """The first mistake as ``[table] key: what is wrong``, and how many more there are."""
    first, *more = error.errors()
    reason = _SAID.get(first["type"], first["msg"])
    if first["type"] == "value_error":
        reason = str(_detail(first).get("error", reason))
    elif first["type"] == "extra_forbidden":
        reason = "is not known here"
    where = [str(part) for part in first["loc"]]
    shown = "" if not where else f"[{where[0]}] " + " ".join(where[1:])
    return f"{shown.strip()}{' ' if shown else ''}{reason}" + (f" (and {len(more)} more)" if more else "")


def _detail(error: AnyMapping[str, Any]) -> AnyMapping[str, Any]:
    found: AnyMapping[str, Any] = error.get("ctx", {})
    return found
