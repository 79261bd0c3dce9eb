"""The time column of a csv file: text to an instant, and to what the clock says about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from fernvault import instant
from fernvault.catalog.context import day_attributes, time_attributes
from fernvault.catalog.mapping import EPOCHS, Mapping, directives
from fernvault.guard.limits import FUTURE

_CACHED: Final = 16_384
_LONGEST: Final = 100
_COUNT: Final = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,9})?")
_LONGEST_DATE: Final = 10
"""Every ISO 8601 spelling of a day is at most this long, every one of a day and a time longer."""


class UnusableError(Exception):
    """A cell that cannot be used; the message is the reject's reason."""


class Moment(NamedTuple):
    """``at``: µs since 1970. ``context``: its ``ctx:`` attributes. ``prefix``: the instant as event ids start."""

    at: int
    context: tuple[str, ...]
    prefix: str


class Times:
    """Reads time cells as a mapping says. ``owner_zone`` is where a time without any zone was written, and where the
    part of the day is read; ``now`` (µs) bounds the future. Summer time's repeated hour is read as its first pass."""

    def __init__(self, mapping: Mapping, owner_zone: ZoneInfo, now: int) -> None:
        named, context = mapping.time.zone, mapping.context
        self._zone = owner_zone if named is None else ZoneInfo(named)
        self._here = owner_zone if context.zone is None else ZoneInfo(context.zone)
        self._context = context
        self._latest = now + FUTURE
        self._readers = [_reader(pattern) for pattern in mapping.time.format] or [_iso]
        self._seen: dict[str, Moment] = {}

    def __call__(self, text: str) -> Moment:
        """The moment of a cell. Raises UnusableError."""
        try:
            return self._seen[text]
        except KeyError:
            pass
        moment = self._read(text)
        if len(self._seen) >= _CACHED:
            self._seen.clear()
        self._seen[text] = moment
        return moment

    def _read(self, text: str) -> Moment:
        cell = text.strip()
        if not cell:
            raise UnusableError("no time")
        if len(text) > _LONGEST:
            raise UnusableError("a time that is too long")
        for reader in self._readers:
            try:
                read, whole_day = reader(cell)
                at = read if isinstance(read, int) else instant.from_datetime(self._placed(read))
            except (ValueError, OverflowError):
                continue
            break
        else:
            raise UnusableError("not a time in the mapping's format")
        if at < 0:
            raise UnusableError("a time before 1970")
        if at > self._latest:
            raise UnusableError("a time in the future")
        return Moment(at, self._attributes(at, read, whole_day), f"{at:x}-")

    def _placed(self, read: datetime) -> datetime:
        return read.replace(tzinfo=self._zone) if read.tzinfo is None else read

    def _attributes(self, at: int, read: datetime | int, whole_day: bool) -> tuple[str, ...]:
        wanted = self._context
        if whole_day and isinstance(read, datetime):
            return day_attributes(read, weekend=wanted.weekend)
        return time_attributes(at, self._here, time_of_day=wanted.time_of_day, weekend=wanted.weekend)


def _reader(pattern: str) -> Callable[[str], tuple[datetime | int, bool]]:
    if pattern in EPOCHS:
        return _epoch(EPOCHS[pattern])
    whole_day = not directives(pattern) & {"H", "I", "c", "X"}
    return lambda cell: (datetime.strptime(cell, pattern), whole_day)  # noqa: DTZ007 - the zone is added later


def _iso(cell: str) -> tuple[datetime, bool]:
    return datetime.fromisoformat(cell), len(cell) <= _LONGEST_DATE


def _epoch(unit: int) -> Callable[[str], tuple[int, bool]]:
    from decimal import Decimal  # noqa: PLC0415 - most files have dates

    def read(cell: str) -> tuple[int, bool]:
        if not _COUNT.fullmatch(cell):
            raise ValueError(cell)
        return int(Decimal(cell) * unit), False

    return read
