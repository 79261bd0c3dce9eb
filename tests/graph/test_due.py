"""When a habit is due again, by hand."""

from __future__ import annotations

import pytest

from fernvault.graph.due import is_due, occasions, usual_gap
from fernvault.instant import DAY, HOUR, MINUTE

START = 1_700_000_000_000_000
HALF_AN_HOUR = 30 * MINUTE


def latest_first(*days: float) -> list[int]:
    return [START + int(day * DAY) for day in sorted(days, reverse=True)]


def test_what_happens_within_half_an_hour_is_one_occasion() -> None:
    times = [START + HOUR, START + 50 * MINUTE, START + 5 * MINUTE, START]
    assert occasions(times, HALF_AN_HOUR) == [START + HOUR, START + 5 * MINUTE]
    assert occasions([START, START], 0) == [START]
    assert occasions([], HALF_AN_HOUR) == []


def test_the_usual_gap_is_the_median_of_three_or_more() -> None:
    assert usual_gap(latest_first(0, 7, 14), HALF_AN_HOUR) is None
    assert usual_gap(latest_first(0, 7, 15, 22), HALF_AN_HOUR) == 7 * DAY
    # Gaps 1, 10, 30: the median 10 deviates by 9, 0, 20, in the middle 9, more than half of 10.
    assert usual_gap(latest_first(0, 1, 11, 41), HALF_AN_HOUR) is None


@pytest.mark.parametrize(
    ("days", "due"), [(6.2, False), (6.3, True), (7.0, True), (14.0, True), (14.1, False), (-1.0, False)]
)
def test_a_weekly_habit_is_due_from_nine_tenths_of_a_week_to_two(days: float, due: bool) -> None:
    assert is_due(latest_first(0, 7, 14, 21), START + int((21 + days) * DAY), HALF_AN_HOUR) is due


def test_without_regular_times_nothing_is_due() -> None:
    assert not is_due([], START, HALF_AN_HOUR)
    assert not is_due(latest_first(0), START + 7 * DAY, HALF_AN_HOUR)
