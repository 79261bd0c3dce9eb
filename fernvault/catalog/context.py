"""Context from the clock: part of the day, and weekend or weekday, where the owner lives."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from fernvault.instant import MINUTE, to_datetime

_SLOT: Final = 15 * MINUTE
_QUARTER: Final = timedelta(minutes=15)
_NO_TIME: Final = timedelta(0)
_SATURDAY: Final = 5


def time_attributes(at: int, zone: ZoneInfo, *, time_of_day: bool, weekend: bool) -> tuple[str, ...]:
    """The ``ctx:`` attributes of an instant (µs) on the clocks of a zone, part of the day first.

    Morning is 05-12, afternoon 12-17, evening 17-22, night 22-05; the weekend is Saturday and Sunday until midnight.
    """
    if not (time_of_day or weekend):
        return ()
    slot = _slot(at // _SLOT, zone)
    part, day = _read(to_datetime(at).astimezone(zone)) if slot is None else slot
    if not weekend:
        return (part,)
    return (part, day) if time_of_day else (day,)


def day_attributes(day: date, *, weekend: bool) -> tuple[str, ...]:
    """The ``ctx:`` attributes of a calendar day whose hour nobody noted: never a part of the day."""
    return (_day(day),) if weekend else ()


@lru_cache(maxsize=4096)
def _slot(slot: int, zone: ZoneInfo) -> tuple[str, str] | None:
    # Whole quarters of an hour read the same when the offset is one of quarters and does not change inside:
    # true of every zone today, not of Monrovia before 1972 (-00:44:30).
    start = datetime.fromtimestamp(slot * 900, UTC)
    first, last = start.astimezone(zone), (start + _QUARTER - timedelta(microseconds=1)).astimezone(zone)
    offset = first.utcoffset()
    if offset is None or offset != last.utcoffset() or offset % _QUARTER != _NO_TIME:
        return None
    return _read(first)


def _read(local: datetime) -> tuple[str, str]:
    hour = local.hour
    if 5 <= hour < 12:
        part = "ctx:morning"
    elif 12 <= hour < 17:
        part = "ctx:afternoon"
    elif 17 <= hour < 22:
        part = "ctx:evening"
    else:
        part = "ctx:night"
    return part, _day(local)


def _day(day: date) -> str:
    return "ctx:weekend" if day.weekday() >= _SATURDAY else "ctx:weekday"
