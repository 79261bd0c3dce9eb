"""This machine's clock, in the one place that reads it; everything else is given the time."""

from __future__ import annotations

import time


def wall_clock() -> int:
    """Microseconds since 1970-01-01T00:00Z."""
    return time.time_ns() // 1_000
