"""Events from a csv file, as its mapping says: one event or one reject per row."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Mapping as AnyMapping
from functools import lru_cache
from math import isfinite
from typing import Final
from zoneinfo import ZoneInfo

from fernvault import attribute
from fernvault.catalog.items import attributes_of, read_items
from fernvault.catalog.mapping import NEXT_STEP, Mapping
from fernvault.catalog.sections import kind_name
from fernvault.digest import blake2b
from fernvault.errors import InputError
from fernvault.event import OWNER_KINDS, Event
from fernvault.guard.limits import MAX_ATTRIBUTES
from fernvault.portable.csv_rows import CsvRows, Row
from fernvault.portable.csv_times import Times, UnusableError
from fernvault.portable.rejects import Reject
from fernvault.portable.text_file import TextFile

ITEM_LENGTH: Final = 200
LARGEST_NUMBER: Final = 1e9

_SWAPPED: Final = str.maketrans(".,", ",.")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_OWN_ID: Final = re.compile(r"[\x21-\x7e]{1,128}")


def read_events(
    source: TextFile | CsvRows,
    mapping: Mapping,
    *,
    owner_zone: ZoneInfo,
    now: int,
    items: AnyMapping[str, tuple[str, ...]] | None = None,
) -> Iterator[Event | Reject]:
    """One Event or one Reject per row, lazily. ``now``: µs. ``items``: the item table, read from the mapping's if None.

    An id that the file does not give is derived from all cells of the row by their columns' names, so that the same row
    is the same event in every file and under every mapping.
    A negative quantity turns a positive kind into a negative event. A row may give no attributes. Raises InputError at
    once for an unusable header, a mapped column that is not there, or an unusable item table.
    """
    rows = source if isinstance(source, CsvRows) else CsvRows(source, mapping.file.delimiter)
    if items is None:
        items = read_items(mapping, own_columns=rows.header)
    reading = _Reading(mapping, rows.header, items, Times(mapping, owner_zone, now))
    return _events(rows, reading)


def _events(rows: CsvRows, reading: _Reading) -> Iterator[Event | Reject]:
    event = reading.event
    for row in rows:
        if isinstance(row, Row):
            try:
                result: Event | Reject = event(row.fields)
            except UnusableError as problem:
                result = Reject(row.line, str(problem), rows.row_text())
            yield result
        else:
            yield row


class _Reading:
    """A mapping bound to the columns of one header."""

    def __init__(
        self, mapping: Mapping, header: Sequence[str], items: AnyMapping[str, tuple[str, ...]], times: Times
    ) -> None:
        def place(column: str | None) -> int | None:
            if column is None:
                return None
            if column not in header:
                raise InputError(f"there is no column {column!r}; there are: {', '.join(header)}", next_step=NEXT_STEP)
            return header.index(column)

        columns = mapping.columns
        time = place(columns.time)
        assert time is not None  # noqa: S101 - a mapping without a time does not load
        self._time, self._times = time, times
        self._header, self._decimal = header, mapping.file.decimal
        self._item, self._items = place(columns.item), items
        self._kind, self._kinds = place(columns.kind), _kinds(mapping)
        self._default = mapping.default_kind, mapping.magnitude(mapping.default_kind)
        self._quantity, self._value = place(columns.quantity), place(columns.value)
        self._id = tuple(header.index(name) for name in columns.id or () if place(name) is not None)
        joined = () if mapping.items is None else mapping.items.columns
        own = [
            (space, place(column), mapping.split.get(column))
            for space, names in mapping.attributes.items()
            for column in names
            if mapping.items is None or (column in header and column not in (joined or ()))
        ]
        # In order of the names, so that the same row is itself in a file with its columns moved about.
        self._places = sorted(range(len(header)), key=header.__getitem__)
        self._names = "\x1f".join([header[place] for place in self._places]) + "\x1e"
        self._own = [(space, index, cut) for space, index, cut in own if index is not None]
        self._noted = [
            (attribute.CONTEXT, header.index(column), mapping.split.get(column))
            for column in mapping.context.columns
            if place(column) is not None
        ]

    def event(self, cells: list[str]) -> Event:
        """The event of one row. Raises UnusableError."""
        at, clock, prefix = self._times(cells[self._time])
        item = None if self._item is None else _item(cells[self._item])
        kind, magnitude = self._default if self._kind is None else self._kinds(cells[self._kind])
        quantity = None if self._quantity is None else self._number(cells, self._quantity)
        value = None if self._value is None else self._number(cells, self._value)
        if quantity is not None and quantity < 0 < magnitude:
            magnitude = -magnitude
        found: tuple[str, ...] = ()
        for space, index, cut in self._own:
            found += attributes_of(space, cells[index], cut)
        if item is not None and (joined := self._items.get(item)) is not None:
            found = found + joined if found else joined
        own_id = self._own_id(cells) if self._id else None
        for space, index, cut in self._noted:
            found += attributes_of(space, cells[index], cut)
        if clock:
            found += clock
        attributes = tuple(dict.fromkeys(found)) if len(found) > 1 else found
        if len(attributes) > MAX_ATTRIBUTES:
            raise UnusableError(f"more than {MAX_ATTRIBUTES} attributes")
        if own_id is None:
            content = self._names + "\x1f".join([cells[place].strip() for place in self._places])
            own_id = prefix + blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        return Event(own_id, at, kind, item, attributes, magnitude, quantity, value)

    def _number(self, cells: list[str], place: int) -> float | None:
        cell = cells[place]
        try:
            # Each becomes the other, so that a point, a thousands sign there, is never taken for a decimal one.
            return _number(cell if self._decimal == "." else cell.translate(_SWAPPED))
        except UnusableError as problem:
            raise UnusableError(f"{self._header[place]}: {problem}") from None

    def _own_id(self, cells: list[str]) -> str | None:
        parts = [cells[index].strip() for index in self._id]
        if not any(parts):
            return None
        text = "/".join(parts)
        if _OWN_ID.fullmatch(text):
            return text
        return "id-" + blake2b(text.encode(), digest_size=16).hexdigest()


def _kinds(mapping: Mapping) -> Callable[[str], tuple[str, float]]:
    @lru_cache(maxsize=1024)
    def read(cell: str) -> tuple[str, float]:
        text = cell.strip()
        kind = mapping.file.kind if not text else kind_name(text)
        if kind is None:
            raise UnusableError("not a kind of event" if text else "no kind")
        if kind in OWNER_KINDS:
            raise UnusableError(f"{kind!r} is kept for the owner's own corrections")
        return kind, mapping.magnitude(kind)

    return lambda cell: read(cell[: 4 * ITEM_LENGTH])


def _item(cell: str) -> str | None:
    item = cell.strip()
    if not item.isprintable():
        item = " ".join(item.split())
        if _CONTROL.search(item):
            raise UnusableError("a control character in the item")
    if len(item) > ITEM_LENGTH:
        raise UnusableError(f"an item longer than {ITEM_LENGTH} characters")
    return item or None


def _number(cell: str) -> float | None:
    return _read_number(cell) if len(cell) <= 32 else _read_number.__wrapped__(cell)


@lru_cache(maxsize=16_384)
def _read_number(cell: str) -> float | None:
    text = cell.strip()
    if not text:
        return None
    if not _NUMBER.fullmatch(text):
        raise UnusableError("not a plain number")
    number = float(text)
    if not isfinite(number) or abs(number) > LARGEST_NUMBER:
        raise UnusableError("a number beyond 1e9")
    return number
