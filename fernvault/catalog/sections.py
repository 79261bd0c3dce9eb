"""The tables that mapping files and catalog files share."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from fernvault import attribute
from fernvault.catalog.tables import Reader, boolean, many, name, number, section, table, text
from fernvault.event import KIND_MAGNITUDE, OWNER_KINDS

DEFAULT_KIND: Final = "buy"
SMALLEST_MAGNITUDE: Final = 0.05
LARGEST_MAGNITUDE: Final = 15.0
KIND_LENGTH: Final = 32
NOTHING: Final[AnyMapping[str, Any]] = MappingProxyType({})


class Items(NamedTuple):
    """``[items]``: a table with one row per item. ``key`` is its column of item names; ``columns`` picks the columns
    to read, as the name used in ``[attributes]`` to the name in the item table (the same where the file has a list)."""

    file: str
    key: str = "item"
    columns: AnyMapping[str, str] | None = None


class Context(NamedTuple):
    """``[context]``: what is noted beside an event. ``columns``: their values become ``ctx:`` attributes. ``zone``:
    reads the clock there instead of in the owner's zone."""

    time_of_day: bool = False
    weekend: bool = False
    columns: tuple[str, ...] = ()
    zone: str | None = None


class Joined(Protocol):
    """What says how an item's row becomes attributes: ``attributes`` is namespace to columns; ``split`` is column to
    the separator between the values of one cell, and a column not in it holds one value."""

    @property
    def attributes(self) -> AnyMapping[str, tuple[str, ...]]:
        """Namespace to the columns whose values become its attributes."""

    @property
    def items(self) -> Items | None:
        """The item table."""

    @property
    def split(self) -> AnyMapping[str, str]:
        """Column to separator."""


def kind_name(text: str) -> str | None:
    """The kind as events carry it (``Add to cart`` becomes ``add-to-cart``), or None when it cannot be one."""
    spelt = attribute.from_value("kind", text[: KIND_LENGTH + 1])
    name = "" if spelt is None else attribute.name(spelt)
    return name if name[:1].isalpha() and len(name) <= KIND_LENGTH else None


def magnitude(kinds: AnyMapping[str, float], kind: str) -> float:
    """Signed magnitude of a kind: a file's own, else the usual one, else 1."""
    return kinds.get(kind, KIND_MAGNITUDE.get(kind, 1.0))


def require_use_of_split(
    attributes: AnyMapping[str, tuple[str, ...]], context: Context, split: AnyMapping[str, str]
) -> None:
    """Raise ValueError for a column of ``[split]`` that nothing reads."""
    used = {column for columns in attributes.values() for column in columns} | set(context.columns)
    for column in split:
        if column not in used:
            raise ValueError(f"[split] {column!r} is in no list of [attributes] or [context]")


def beside(items: Items | None, path: Path) -> Items | None:
    """The item table with its file as a path, seen from the folder of the file at ``path`` that names it."""
    return None if items is None else items._replace(file=str(path.parent / Path(items.file).expanduser()))


def said(section: NamedTuple) -> dict[str, Any]:
    """What a section says beyond its defaults, by key."""
    defaults = section._field_defaults
    return {key: value for key, value in section._asdict().items() if key not in defaults or value != defaults[key]}


def zone(value: Any) -> str:
    """The name of a time zone that this machine knows."""
    named = text(value)
    try:
        ZoneInfo(named)
    except (OSError, ValueError, LookupError):
        raise ValueError(f"no such time zone: {named!r} (write it like Europe/Paris)") from None
    return named


def names(value: Any) -> tuple[str, ...]:
    """One or more columns, none twice."""
    found = many(name)(value)
    if not found:
        raise ValueError("must name at least one column")
    if len(set(found)) < len(found):
        raise ValueError("names the same column twice")
    return found


def _kinds(value: Any) -> dict[str, float]:
    """Kind, as :func:`kind_name` spells it, to signed magnitude."""
    named: dict[str, float] = {}
    for kind, size in table(number)(value).items():
        spelt = kind_name(kind)
        if spelt is None:
            raise ValueError(f"{kind!r} cannot be a kind: it must start with a letter and have at most 32")
        if spelt in OWNER_KINDS:
            raise ValueError(f"{kind!r} is kept for the owner's own corrections")
        if not (isfinite(size) and SMALLEST_MAGNITUDE <= abs(size) <= LARGEST_MAGNITUDE):
            raise ValueError(f"{kind!r} must be from 0.05 to 15, or from -15 to -0.05, not {size:g}")
        if named.setdefault(spelt, size) != size:
            raise ValueError(f"{kind!r} and another spelling of it have different magnitudes")
    return named


def _attributes(value: Any) -> dict[str, tuple[str, ...]]:
    spaces = table(names)(value)
    for space in spaces:
        if not attribute.is_namespace(space):
            raise ValueError(f"{space!r} cannot be a namespace: small letters, digits and hyphens, at most 16")
        if space == attribute.CONTEXT:
            raise ValueError("'ctx' is kept for context: name these columns in [context] columns")
    return spaces


def _renames(value: Any) -> dict[str, str]:
    return {one: one for one in many(name)(value)} if isinstance(value, list) else table(name)(value)


SECTIONS: Final[AnyMapping[str, Reader[Any]]] = MappingProxyType(
    {
        "kinds": _kinds,
        "attributes": _attributes,
        "items": section(Items, {"file": name, "key": name, "columns": _renames}, "file"),
        "context": section(Context, {"time_of_day": boolean, "weekend": boolean, "columns": many(name), "zone": zone}),
        "split": table(name),
    }
)
"""How the tables that both kinds of file have are read."""
