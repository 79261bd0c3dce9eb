"""The two lock clocks: idle, and since unlocking; both run on while the machine sleeps."""

from __future__ import annotations

import time
from typing import Final

IDLE: Final = 15 * 60.0
MAXIMUM: Final = 8 * 3600.0


def boot_seconds() -> float:
    """Seconds on a clock that never goes back and counts suspended time, where the system has one."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(clock)


class LockClock:
    """When an unlocked vault must lock. All times are seconds on one monotonic clock."""

    def __init__(self, now: float, *, idle: float = IDLE, maximum: float = MAXIMUM) -> None:
        self._idle = idle
        self._idle_end = now + idle
        self._end = now + maximum

    def touch(self, now: float) -> None:
        """The owner did something: the idle clock starts again, the other one does not."""
        self._idle_end = now + self._idle

    def left(self, now: float) -> tuple[float, float]:
        """Seconds until the idle clock and until the absolute one lock the vault; never below 0."""
        return max(0.0, self._idle_end - now), max(0.0, self._end - now)

    def is_over(self, now: float) -> bool:
        """Whether the vault must be locked by now."""
        return min(self.left(now)) <= 0.0
