"""The mapping file of ``fern import csv --map``: which column means what."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping as AnyMapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from fernvault.catalog.sections import (
    DEFAULT_KIND,
    NOTHING,
    SECTIONS,
    Context,
    Items,
    beside,
    kind_name,
    magnitude,
    names,
    require_use_of_split,
    zone,
)
from fernvault.catalog.tables import load, many, name, section, text
from fernvault.event import OWNER_KINDS

EPOCHS: Final = {"epoch": 1_000_000, "epoch_ms": 1_000}
"""Time formats that are a count since 1970, and the microseconds of one."""

NEXT_STEP: Final = "fern import csv --help"

_SAMPLE: Final = datetime(2001, 12, 23, 14, 5, 6, tzinfo=UTC)


def directives(pattern: str) -> frozenset[str]:
    """The letters after the percent signs of a strptime format."""
    return frozenset(re.findall(r"%(.)", pattern))


class Columns(NamedTuple):
    """``[columns]``: the names in the header that hold the parts of an event; only ``time`` is needed."""

    time: str
    item: str | None = None
    kind: str | None = None
    quantity: str | None = None
    id: tuple[str, ...] | None = None
    value: str | None = None


class Time(NamedTuple):
    """``[time]``: ``format`` is empty for ISO 8601, else ``epoch``, ``epoch_ms``, or strptime formats tried in order;
    ``zone`` is where a time without an offset was written (the owner's own when absent)."""

    format: tuple[str, ...] = ()
    zone: str | None = None


class Table(NamedTuple):
    """``[file]``: how the text is stored, and the kind of its rows when no column says. What is absent is found out:
    the delimiter in the header, the encoding in the byte order mark (else UTF-8)."""

    delimiter: str | None = None
    encoding: str | None = None
    kind: str | None = None
    decimal: str = "."


class Mapping(NamedTuple):
    """A whole mapping file. ``kinds``: kind to signed magnitude. ``attributes``: namespace to columns. ``split``:
    column to the separator of its values."""

    columns: Columns
    time: Time = Time()
    file: Table = Table()
    kinds: AnyMapping[str, float] = NOTHING
    attributes: AnyMapping[str, tuple[str, ...]] = NOTHING
    items: Items | None = None
    context: Context = Context()
    split: AnyMapping[str, str] = NOTHING

    @property
    def default_kind(self) -> str:
        """The kind of a row when no column says."""
        return self.file.kind or DEFAULT_KIND

    def magnitude(self, kind: str) -> float:
        """Signed magnitude of a kind: this file's, else the usual one, else 1."""
        return magnitude(self.kinds, kind)


def load_mapping(path: Path) -> Mapping:
    """Read a mapping file; ``items.file`` comes back as a path beside it. Raises InputError: file, key, mistake."""
    read = load(path, mapping_of, NEXT_STEP)
    return read._replace(items=beside(read.items, path))


def mapping_of(content: dict[str, Any]) -> Mapping:
    """The mapping that the content of a mapping file says. Raises ValueError: key and mistake."""
    return _MAPPING(content)


def _consistent(**tables: Any) -> Mapping:
    made = Mapping(**tables)
    require_use_of_split(made.attributes, made.context, made.split)
    if made.items is not None and made.columns.item is None:
        raise ValueError("[items] needs [columns] item, to look the items up by")
    return made


def _format(value: Any) -> str:
    pattern = text(value)
    if pattern in EPOCHS:
        return pattern
    found = directives(pattern)
    if "Z" in found:
        raise ValueError("%Z reads a zone's name and drops it: write the name as plain text, and [time] zone")
    if not found & {"Y", "y", "G"}:
        raise ValueError(f"{pattern!r} has no year (%Y), and is neither epoch nor epoch_ms")
    try:
        datetime.strptime(_SAMPLE.strftime(pattern), pattern)  # noqa: DTZ007
    except ValueError:
        raise ValueError(f"{pattern!r} is not a time format (strptime)") from None
    return pattern


def _delimiter(value: Any) -> str:
    character = text(value)
    if character == "tab":
        return "\t"
    if len(character) != 1 or character in '"\r\n':
        raise ValueError('must be one character, or "tab"')
    return character


def _encoding(value: Any) -> str:
    encoding = text(value)
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError):
        raise ValueError(f"no such text encoding: {encoding!r} (write it like utf-8 or cp1252)") from None
    return encoding


def _kind(value: Any) -> str:
    kind = kind_name(text(value))
    if kind is None or kind in OWNER_KINDS:
        raise ValueError(f"{value!r} cannot be a kind of event")
    return kind


def _decimal(value: Any) -> str:
    if value not in (".", ","):
        raise ValueError("must be '.' or ','")
    return text(value)


_MAPPING: Final = section(
    _consistent,
    {
        **SECTIONS,
        "columns": section(
            Columns,
            {"time": name, "item": name, "kind": name, "quantity": name, "id": names, "value": name},
            "time",
        ),
        "time": section(Time, {"format": many(_format), "zone": zone}),
        "file": section(Table, {"delimiter": _delimiter, "encoding": _encoding, "kind": _kind, "decimal": _decimal}),
    },
    "columns",
)
