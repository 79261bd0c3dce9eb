"""Context from the clock, against plain zoneinfo."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fernvault.catalog.context import day_attributes, time_attributes
from fernvault.instant import from_datetime, from_text, to_datetime

ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC", "America/New_York", "Europe/London", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
        "Africa/Monrovia", "Pacific/Apia", "America/St_Johns", "Asia/Tehran",
    )
]  # fmt: skip


def both(at: int, zone: ZoneInfo) -> tuple[str, ...]:
    return time_attributes(at, zone, time_of_day=True, weekend=True)


def plain(at: int, zone: ZoneInfo) -> tuple[str, str]:
    local = datetime.fromtimestamp(at // 1_000_000, UTC).astimezone(zone)
    part = next(name for end, name in ((5, "night"), (12, "morning"), (17, "afternoon"), (22, "evening"), (24, "night"))
                if local.hour < end)  # fmt: skip
    return f"ctx:{part}", "ctx:weekend" if local.isoweekday() > 5 else "ctx:weekday"


@given(at=st.integers(0, 4_102_444_800_000_000), zone=st.sampled_from(ZONES))
@example(at=40_000_000_000_000, zone=ZONES[6])
def test_as_plain_zoneinfo_says(at: int, zone: ZoneInfo) -> None:
    assert both(at, zone) == plain(at, zone)


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_every_second_around_the_changes_of_an_offset(zone: ZoneInfo) -> None:
    """Two days around each change of 1970-72, 2011 (Apia lost a day) and 2017, at odd steps."""
    for year in (1970, 1972, 2011, 2017):
        start = from_datetime(datetime(year, 1, 1, tzinfo=UTC)) // 1_000_000
        offsets = [to_datetime(s * 1_000_000).astimezone(zone).utcoffset() for s in range(start, start + 366 * 86_400, 86_400)]  # fmt: skip # noqa: E501
        for day in [day for day in range(1, 366) if offsets[day] != offsets[day - 1]]:
            for second in range(start + (day - 1) * 86_400, start + (day + 1) * 86_400, 397):
                assert both(second * 1_000_000, zone) == plain(second * 1_000_000, zone)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2017-01-07T04:59:59.999999-05:00", "America/New_York", ("ctx:night", "ctx:weekend")),
        ("2017-01-07T05:00:00-05:00", "America/New_York", ("ctx:morning", "ctx:weekend")),
        ("2017-01-09T12:00:00-05:00", "America/New_York", ("ctx:afternoon", "ctx:weekday")),
        ("2017-01-09T17:00:00-05:00", "America/New_York", ("ctx:evening", "ctx:weekday")),
        ("2017-01-09T22:00:00-05:00", "America/New_York", ("ctx:night", "ctx:weekday")),
        ("2017-01-06T20:00:00Z", "Asia/Kolkata", ("ctx:night", "ctx:weekend")),  # 01:30 on Saturday
        ("2017-01-08T23:30:00Z", "Asia/Kathmandu", ("ctx:morning", "ctx:weekday")),  # 05:15 on Monday
    ],
)
def test_edges_of_the_parts_of_a_day(text: str, zone: str, expected: tuple[str, str]) -> None:
    assert both(from_text(text), ZoneInfo(zone)) == expected


def test_only_what_is_wanted() -> None:
    at, zone = from_text("2017-01-07T09:00Z"), ZoneInfo("UTC")
    assert time_attributes(at, zone, time_of_day=True, weekend=False) == ("ctx:morning",)
    assert time_attributes(at, zone, time_of_day=False, weekend=True) == ("ctx:weekend",)
    assert time_attributes(at, zone, time_of_day=False, weekend=False) == ()
    assert day_attributes(date(2017, 1, 7), weekend=True) == ("ctx:weekend",)
    assert day_attributes(date(2017, 1, 7), weekend=False) == ()
