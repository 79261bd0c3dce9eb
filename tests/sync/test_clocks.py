"""The two lock clocks, on a clock of the test's own."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from fernvault_sync.clocks import IDLE, MAXIMUM, LockClock, boot_seconds

SPANS = st.floats(0.01, 1e6)
STEPS = st.lists(st.tuples(st.floats(0.0, 1e5), st.booleans()), max_size=30)


def test_the_usual_spans_are_a_quarter_of_an_hour_and_a_working_day() -> None:
    clock = LockClock(100.0)
    assert (IDLE, MAXIMUM) == (900.0, 28_800.0)
    assert clock.left(100.0) == (900.0, 28_800.0)
    assert not clock.is_over(999.9)
    assert clock.is_over(1000.0)


def test_touching_winds_the_idle_clock_only() -> None:
    clock = LockClock(0.0, idle=10.0, maximum=25.0)
    for now in (9.0, 18.0, 24.0):
        assert not clock.is_over(now)
        clock.touch(now)
    assert clock.left(24.0) == (10.0, 1.0)
    assert clock.is_over(25.0), "however busy it was"


@given(start=st.floats(0.0, 1e8), idle=SPANS, maximum=SPANS, steps=STEPS)
def test_it_is_over_exactly_when_a_span_has_passed(
    start: float, idle: float, maximum: float, steps: list[tuple[float, bool]]
) -> None:
    clock = LockClock(start, idle=idle, maximum=maximum)
    now = last = start
    for step, touched in steps:
        now += step
        expected = now >= last + idle or now >= start + maximum
        assert clock.is_over(now) == expected
        left = clock.left(now)
        assert min(left) >= 0.0
        assert (min(left) == 0.0) == expected
        if touched:
            clock.touch(now)
            last = now


def test_the_machines_clock_counts_sleep_and_never_goes_back() -> None:
    """On Linux the one that runs on while the machine is suspended."""
    first, second = boot_seconds(), boot_seconds()
    assert second >= first
    if hasattr(time, "CLOCK_BOOTTIME"):
        assert abs(time.clock_gettime(time.CLOCK_BOOTTIME) - second) < 1.0
