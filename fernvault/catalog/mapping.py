"""The mapping file of ``fern import csv --map``: which column means what."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, model_validator

from fernvault.catalog.sections import DEFAULT_KIND, File, Name, Names, Section, Zone, kind_name, load, one_or_many
from fernvault.event import OWNER_KINDS

EPOCHS: Final = {"epoch": 1_000_000, "epoch_ms": 1_000}
"""Time formats that are a count since 1970, and the microseconds of one."""

NEXT_STEP: Final = "fern import csv --help"

_SAMPLE: Final = datetime(2001, 12, 23, 14, 5, 6, tzinfo=UTC)


def directives(pattern: str) -> frozenset[str]:
    """The letters after the percent signs of a strptime format."""
    return frozenset(re.findall(r"%(.)", pattern))


def _format(pattern: str) -> str:
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


def _delimiter(text: str) -> str:
    if text == "tab":
        return "\t"
    if len(text) != 1 or text in '"\r\n':
        raise ValueError('must be one character, or "tab"')
    return text


def _encoding(name: str) -> str:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=name)
    except (LookupError, ValueError):
        raise ValueError(f"no such text encoding: {name!r} (write it like utf-8 or cp1252)") from None
    return name


def _file_kind(text: str) -> str:
    name = kind_name(text)
    if name is None or name in OWNER_KINDS:
        raise ValueError(f"{text!r} cannot be a kind of event")
    return name


class Columns(Section):
    """``[columns]``: the names in the header that hold the parts of an event; only ``time`` is needed."""

    time: Name
    item: Name | None = None
    kind: Name | None = None
    quantity: Name | None = None
    id: Names | None = None
    value: Name | None = None


class Time(Section):
    """``[time]``: ``format`` is absent for ISO 8601, else ``epoch``, ``epoch_ms``, or strptime formats tried in order;
    ``zone`` is where a time without an offset was written (the owner's own when absent)."""

    format: Annotated[tuple[Annotated[str, AfterValidator(_format)], ...], BeforeValidator(one_or_many)] = ()
    zone: Zone | None = None


class Table(Section):
    """``[file]``: how the text is stored, and the kind of its rows when no column says. What is absent is found out:
    the delimiter in the header, the encoding in the byte order mark (else UTF-8)."""

    delimiter: Annotated[str, AfterValidator(_delimiter)] | None = None
    encoding: Annotated[str, AfterValidator(_encoding)] | None = None
    kind: Annotated[str, AfterValidator(_file_kind)] | None = None
    decimal: Literal[".", ","] = "."


class Mapping(File):
    """A whole mapping file."""

    columns: Columns
    time: Time = Time()
    file: Table = Table()

    @model_validator(mode="after")
    def _items_have_a_name(self) -> Mapping:
        if self.items is not None and self.columns.item is None:
            raise ValueError("[items] needs [columns] item, to look the items up by")
        return self

    @property
    def default_kind(self) -> str:
        """The kind of a row when no column says."""
        return self.file.kind or DEFAULT_KIND


def load_mapping(path: Path) -> Mapping:
    """Read a mapping file; ``items.file`` comes back as a path beside it. Raises InputError: file, key, mistake."""
    return load(path, Mapping, NEXT_STEP)
