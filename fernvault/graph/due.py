"""Due: whether something that comes at regular intervals is about to come again, from an edge's latest times alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Final

GAPS: Final = 3
"""Intervals seen, at least, before anything is called regular."""

LOOSE: Final = 0.5
"""Median deviation of the intervals from their median, as a share of it, beyond which they are not regular."""

EARLY: Final = 0.9
LATE: Final = 2.0
"""Due from this share of the usual interval until this multiple of it; later than that it has been given up."""


def occasions(times: Sequence[int], occasion: int) -> list[int]:
    """The instants of separate occasions, from times latest first; closer ones than ``occasion`` are one."""
    found: list[int] = []
    for time in times:
        if not found or found[-1] - time >= max(occasion, 1):
            found.append(time)
    return found


def usual_gap(times: Sequence[int], occasion: int) -> float | None:
    """The median interval between occasions in microseconds, or None where there are too few or they vary too much."""
    gaps = [later - earlier for later, earlier in pairwise(occasions(times, occasion))]
    if len(gaps) < GAPS:
        return None
    middle = median(gaps)
    return middle if median(abs(gap - middle) for gap in gaps) <= LOOSE * middle else None


def is_due(times: Sequence[int], at: int, occasion: int) -> bool:
    """Whether the next occasion is expected about the instant ``at``."""
    gap = usual_gap(times, occasion)
    return gap is not None and EARLY * gap <= at - times[0] <= LATE * gap
