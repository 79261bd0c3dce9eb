"""Instants and their spellings."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault import instant
from fernvault.errors import InputError
from tests.strategies import START

YEAR_1, YEAR_9999 = -719_162 * instant.DAY, 2_932_897 * instant.DAY - 1
"""Days from 0001-01-01 to 1970-01-01, and from there to 10000-01-01, in the proleptic Gregorian calendar."""

every_instant = st.integers(YEAR_1, YEAR_9999)


def test_known_instants() -> None:
    assert instant.from_text("1970-01-01T00:00:00Z") == 0
    # `date -u -d @1000000000` is the well-known 2001-09-09T01:46:40Z.
    assert instant.to_text(1_000_000_000 * instant.SECOND) == "2001-09-09T01:46:40Z"
    assert instant.to_text(START) == "2026-01-01T00:00:00Z"
    assert instant.to_text(1) == "1970-01-01T00:00:00.000001Z"
    assert instant.to_text(-1) == "1969-12-31T23:59:59.999999Z"
    assert instant.to_text(YEAR_1) == "0001-01-01T00:00:00Z"
    assert instant.to_text(YEAR_9999) == "9999-12-31T23:59:59.999999Z"


def test_a_zone_moves_the_instant() -> None:
    assert instant.from_text("2026-01-01T02:30:00+02:30") == START
    assert instant.from_text("2025-12-31T19:00:00-05:00") == START


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00", "2026-01-01", "", "yesterday", "2026-13-01T00:00Z"])
def test_what_is_not_an_instant_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        instant.from_text(text)


def test_a_naive_datetime_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        instant.from_datetime(datetime(2026, 1, 1))  # noqa: DTZ001 - the naive one is what is tested


@given(every_instant)
def test_text_and_back_is_the_same_instant(at: int) -> None:
    text = instant.to_text(at)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z", text)
    assert instant.from_text(text) == at


@given(every_instant, st.integers(-14 * 60, 14 * 60))
def test_the_zone_of_a_datetime_does_not_matter(at: int, minutes: int) -> None:
    moment = instant.to_datetime(at)
    assert moment.utcoffset() == timedelta(0)
    try:
        elsewhere = moment.astimezone(timezone(timedelta(minutes=minutes)))
    except OverflowError:  # within a day of the calendar's ends
        return
    assert instant.from_datetime(elsewhere) == at


@given(every_instant, every_instant)
def test_later_is_larger_and_sorts_later(one: int, other: int) -> None:
    assert (one < other) == (instant.to_datetime(one) < instant.to_datetime(other))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+30d", "2026-01-31T00:00:00Z"),
        ("-2w", "2025-12-18T00:00:00Z"),
        ("+1y", "2027-01-01T00:00:00Z"),
        ("+3y", "2028-12-31T00:00:00Z"),  # 2028 has 366 days; a year here has 365
        ("-90m", "2025-12-31T22:30:00Z"),
        ("+36h", "2026-01-02T12:00:00Z"),
        ("+0d", "2026-01-01T00:00:00Z"),
        ("2026-12-01", "2026-12-01T00:00:00Z"),
        ("2026-12-01T09:30Z", "2026-12-01T09:30:00Z"),
        ("2026-12-01T09:30:00.25+01:00", "2026-12-01T08:30:00.250000Z"),
        ("2026-12-01T09:30", "2026-12-01T09:30:00Z"),  # no zone stated: UTC, as for a bare date
    ],
)
def test_resolve(text: str, expected: str) -> None:
    assert instant.to_text(instant.resolve(text, START)) == expected


@pytest.mark.parametrize(
    "text",
    ["", "30d", "+d", "+30", "+30s", "+-3d", "+1.5d", "+123456d", "++3d", "+3d ", " +3d", "soon", "2026-02-30", "+3D"],
)
def test_resolve_says_what_is_not_a_time(text: str) -> None:
    with pytest.raises(InputError, match="not a time") as raised:
        instant.resolve(text, START)
    assert "+30d" in raised.value.next_step


@pytest.mark.parametrize(
    "text", ["+99999y", "-99999y", "9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "+8000y"]
)
def test_resolve_never_gives_what_cannot_be_written(text: str) -> None:
    with pytest.raises(InputError, match="years 1 to 9999"):
        instant.resolve(text, START)


@given(st.text(max_size=30))
def test_resolve_raises_nothing_but_input_error(text: str) -> None:
    try:
        found = instant.resolve(text, START)
    except InputError as error:
        assert "\n" not in error.message
    else:
        instant.to_text(found)


@given(st.integers(0, 9_999), st.sampled_from("mhdw"))
def test_there_and_back_again(amount: int, unit: str) -> None:
    there = instant.resolve(f"+{amount}{unit}", START)
    assert instant.resolve(f"-{amount}{unit}", there) == START
    seconds = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}[unit]
    assert there - START == amount * seconds * 1_000_000


@given(every_instant)
def test_resolving_a_written_instant_ignores_now(at: int) -> None:
    assert instant.resolve(instant.to_text(at), now=0) == at
    assert instant.to_datetime(at).tzinfo is UTC
