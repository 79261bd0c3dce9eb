"""Base level (ACT-R): how available an edge is, from the times of its use; breaks ties, is never added to strength.

Times are spans in days before the reading, each clamped to at least one hour, which changes no order but keeps a use of
this minute finite. A change of unit adds a constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Final

from fernvault.instant import DAY

DECAY: Final = 0.5
"""d of B = ln Σ t^(-d): ACT-R's default."""

SHORTEST: Final = 1.0 / 24.0
"""Days; a use closer than this counts as this far away."""


def exact(times: Sequence[int], at: int, decay: float = DECAY) -> float:
    """B = ln Σ t_j^(-d) over all uses (Anderson & Lebiere 1998). ``times`` and ``at`` are instants, times not empty."""
    return log(sum(_age(time, at) ** -decay for time in times))


def hybrid(latest: Sequence[int], count: int, first: int, at: int, decay: float = DECAY) -> float:
    """B from the k latest times, the count of all n, and the first one (Petrov 2006); exact when n = k.

    B ≈ ln[ Σ_{i≤k} t_i^(-d) + (n - k)·(t_n^(1-d) - t_k^(1-d)) / ((1 - d)·(t_n - t_k)) ], t_k the k-th latest, t_n the
    first; the older uses are taken as spread evenly between the two. ``latest`` is latest first. Raises ValueError for
    d = 1, or without any time.
    """
    if decay == 1.0 or not latest:
        raise ValueError("the hybrid needs a time, and d other than 1")
    ages = [_age(time, at) for time in latest]
    total = sum(age**-decay for age in ages)
    older = count - len(ages)
    oldest, kth = _age(first, at), ages[-1]
    if older > 0 and oldest > kth:
        spread = (oldest ** (1.0 - decay) - kth ** (1.0 - decay)) / ((1.0 - decay) * (oldest - kth))
        total += older * spread
    elif older > 0:
        total += older * oldest**-decay
    return log(total)


def _age(time: int, at: int) -> float:
    return max((at - time) / DAY, SHORTEST)
