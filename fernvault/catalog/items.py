"""Item tables: one row per item in a csv file, whose columns say which attributes the item has."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Final, cast

from fernvault import attribute
from fernvault.catalog.sections import Items, Joined
from fernvault.errors import InputError

DELIMITERS: Final = (",", ";", "\t", "|")
GZIP: Final = b"\x1f\x8b"
XZ: Final = b"\xfd7zXZ\x00"
UNREADABLE: Final = (OSError, EOFError, zlib.error, lzma.LZMAError, UnicodeError)
"""What reading a damaged, cut off or wrongly decoded file can raise."""

LONG_VALUE: Final = 200
"""A cell longer than this many characters is prose; it is spelt like any other, but not worth remembering."""

_LINE: Final = 1 << 20
_NEXT_STEP: Final = "look at the file and at [items] in the mapping or catalog"

_spell = lru_cache(maxsize=32_768)(attribute.from_value)


def decompressed(raw: io.BufferedReader[Any]) -> io.BufferedReader[Any]:
    """The content of a file, whether plain, gzip or xz: its first bytes decide, not its name.

    Use ``read1`` and ``peek`` on it: a longer ``read`` loses what precedes the damage in a damaged file.
    """
    start = raw.peek(len(XZ))
    if start.startswith(GZIP):
        return cast("io.BufferedReader[Any]", gzip.GzipFile(fileobj=raw, mode="rb"))
    if start.startswith(XZ):
        return cast("io.BufferedReader[Any]", lzma.LZMAFile(raw))
    return raw


def find_delimiter(header: str) -> str:
    """Which of comma, semicolon, tab and bar cuts a header line into the most names; a comma when none does."""

    def names(delimiter: str) -> int:
        try:
            return len(next(csv.reader([header], delimiter=delimiter), ()))
        except csv.Error:
            return 0

    return max(DELIMITERS, key=names)


def attributes_of(space: str, cell: str, separator: str | None) -> tuple[str, ...]:
    """The attributes that one cell gives in a namespace; more than one only with a separator."""
    if separator is not None and separator in cell:
        return tuple(spelt for part in cell.split(separator) for spelt in attributes_of(space, part, None))
    spelt = _spell(space, cell) if len(cell) <= LONG_VALUE else attribute.from_value(space, cell)
    return () if spelt is None else (spelt,)


def iter_items(wanted: Joined, *, own_columns: Sequence[str] = ()) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each row of the item table as (item, its attributes in order), one row in memory at a time.

    ``own_columns`` are the columns of the event file: an attribute column found there is read there, unless
    ``[items] columns`` names it. An item may come more than once: it has the attributes of all its rows. Raises
    InputError for a missing table, key or column, or a row that cannot be read, with its line.
    """
    if wanted.items is None:
        return
    path = Path(wanted.items.file)
    line = 0
    try:
        with path.open("rb") as raw, io.TextIOWrapper(decompressed(raw), encoding="utf-8-sig", newline="") as text:
            first = text.readline(_LINE)
            reader = csv.reader(_lines(first, text), delimiter=find_delimiter(first), strict=True)
            header = [name.strip() for name in next(reader, ())]
            key, plan = _plan(wanted, wanted.items, header, own_columns)
            for row in reader:
                if not row:
                    continue
                line = reader.line_num
                if len(row) != len(header):
                    raise InputError(
                        f"{path.name} line {line}: {len(row)} columns, not {len(header)}", next_step=_NEXT_STEP
                    )
                item = row[key].strip()
                if item:
                    found = (one for space, index, cut in plan for one in attributes_of(space, row[index], cut))
                    yield item, tuple(dict.fromkeys(found))
    except FileNotFoundError:
        raise InputError(f"there is no item table {path}", next_step=_NEXT_STEP) from None
    except (csv.Error, *UNREADABLE) as error:
        raise InputError(f"{path.name} cannot be read after line {line}: {error}", next_step=_NEXT_STEP) from None


def read_items(wanted: Joined, *, own_columns: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """The whole item table in memory; arguments and errors as for :func:`iter_items`."""
    table: dict[str, tuple[str, ...]] = {}
    for item, attributes in iter_items(wanted, own_columns=own_columns):
        known = table.get(item)
        table[item] = attributes if known is None else tuple(dict.fromkeys(known + attributes))
    return table


def _plan(
    wanted: Joined, table: Items, header: list[str], own: Sequence[str]
) -> tuple[int, list[tuple[str, int, str | None]]]:
    names = {name: name for name in header if name not in own} if table.columns is None else table.columns
    columns = [(space, column) for space, columns in wanted.attributes.items() for column in columns]
    read_here = [(space, column) for space, column in columns if column in names]
    lost = [column for _, column in columns if column not in names and column not in own]
    lost += [column for column in (table.key, *names.values()) if column not in header]
    if lost:
        raise InputError(
            f"{Path(table.file).name}: no column {lost[0]!r} to read; it has: {', '.join(header)}", next_step=_NEXT_STEP
        )
    plan = [(space, header.index(names[column]), wanted.split.get(column)) for space, column in read_here]
    return header.index(table.key), plan


def _lines(first: str, text: io.TextIOWrapper) -> Iterator[str]:
    yield first
    for line in iter(partial(text.readline, _LINE), ""):
        if len(line) >= _LINE:
            raise csv.Error(f"a line is longer than {_LINE} characters")
        yield line
