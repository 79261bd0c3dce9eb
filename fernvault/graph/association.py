"""Associations: what fires together, as decayed counts, and the shrunk lift that a context seed gives (mechanisms 2.5).

All counts of a surface fade with one half-life, so that their ratios stay what they were.
"""

from __future__ import annotations

from math import log
from typing import Final

from fernvault.graph.fading import factor

HALF_LIFE: Final = 365.0
"""Days; long, since a habit of the mornings is a habit for years."""

SHRINKAGE: Final = 2.0
"""Events' worth of independence that a pair starts from (2 to 5)."""

CLIP: Final = 2.0
"""Nats; what never fired together would otherwise be minus infinity."""


def add(count: float, at: int, now: int, amount: float, half_life: float = HALF_LIFE) -> tuple[float, int]:
    """(the count at ``now`` with ``amount`` added, its instant). One that comes late is added faded.

    So the count is the same whatever the order in which its events come.
    """
    if now >= at:
        return count * factor(now - at, half_life) + amount, now
    return count + amount * factor(at - now, half_life), at


def lift(joint: float, seed: float, own: float, total: float, shrinkage: float = SHRINKAGE) -> float:
    """The log lift of an attribute i under a seed j, shrunk to independence and clipped to ±2 nats.

    ln[ ((n_ij + s·p_i)/(n_j + s)) / p_i ] with p_i = n_i/N, from decayed counts at one instant: ``joint`` n_ij,
    ``seed`` n_j, ``own`` n_i, ``total`` N. 0 where nothing is known of the attribute or the seed.
    """
    if total <= 0.0 or own <= 0.0 or seed <= 0.0:
        return 0.0
    share = min(own / total, 1.0)
    raw = log((joint + shrinkage * share) / (seed + shrinkage) / share)
    return max(-CLIP, min(CLIP, raw))
