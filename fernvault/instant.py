"""Instants: whole microseconds since 1970-01-01T00:00Z, and the spellings people and files use for them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from fernvault.errors import InputError

MICROSECOND: Final = 1
SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_OFFSET: Final = re.compile(r"([+-])(\d{1,5})([mhdwy])")
_UNIT: Final = {"m": MINUTE, "h": HOUR, "d": DAY, "w": 7 * DAY, "y": 365 * DAY}
_SPELLINGS: Final = "write it like 2026-12-01, 2026-12-01T09:30Z or +30d"
_FIRST: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def from_datetime(moment: datetime) -> int:
    """The instant of an aware datetime. Raises ValueError for a naive one, whose zone nobody stated."""
    if moment.tzinfo is None:
        raise ValueError("a time without a zone is not an instant")
    return (moment - _EPOCH) // timedelta(microseconds=1)


def to_datetime(instant: int) -> datetime:
    """The UTC datetime of an instant."""
    return _EPOCH + timedelta(microseconds=instant)


@lru_cache(maxsize=4096)  # a batch has one time of recording, and a basket one of buying
def to_text(instant: int) -> str:
    """RFC 3339 in UTC with a ``Z``; fractions of a second only where there are any."""
    return to_datetime(instant).isoformat().removesuffix("+00:00") + "Z"


def from_text(text: str) -> int:
    """Parse an RFC 3339 time with a zone. Raises ValueError."""
    return from_datetime(datetime.fromisoformat(text))


def resolve(text: str, now: int) -> int:
    """The instant that ``--at`` or ``--since`` names: RFC 3339, a date (midnight in UTC), ``+30d`` or ``-2w``.

    Units of an offset: m(inutes), h(ours), d(ays), w(eeks), y(ears of 365 days). Raises InputError.
    """
    if offset := _OFFSET.fullmatch(text):
        sign, amount, unit = offset.groups()
        delta = int(amount) * _UNIT[unit]
        found = now + delta if sign == "+" else now - delta
    else:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            raise InputError(f"not a time: {text!r}", next_step=_SPELLINGS) from None
        found = from_datetime(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    if not _FIRST <= found <= _LAST:
        raise InputError(f"not within the years 1 to 9999: {text!r}", next_step=_SPELLINGS)
    return found
