"""Associations: what fires together, as decayed counts, and the shrunk lift that a context seed gives (mechanisms 2.5).

All counts of a surface fade with one half-life, so that their ratios stay what they were. A count is kept as a sum of
landmark weights: each event adds 2^(t/h), which nothing ever needs to fade, so events may come in any order and be
taken out again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log
from typing import Final

from fernvault.attribute import CONTEXT, namespace
from fernvault.instant import DAY

HALF_LIFE: Final = 365.0
"""Days; long, since a habit of the mornings is a habit for years."""

SHRINKAGE: Final = 0.5
"""Events' worth added to what was seen together and to what chance alone would give."""

CLIP: Final = 2.0
"""Nats; what never fired together would otherwise be minus infinity."""

TOGETHER: Final = 16
"""Attributes of one event, at most, that are counted as firing together: 120 pairs."""

_LANDMARK: Final = 10_957 * DAY
"""2000-01-01: until the year 2900 no weight leaves the range in which a float keeps all its digits."""


def weight(at: int, half_life: float = HALF_LIFE) -> float:
    """The landmark weight of an event at the instant ``at``: 2^(t/h), t in days since the landmark."""
    grown: float = 2.0 ** ((at - _LANDMARK) / (half_life * DAY))
    return grown


def decayed(total: float, now: int, half_life: float = HALF_LIFE) -> float:
    """The decayed count at the instant ``now`` of a sum of landmark weights: Σ 2^(-(now - t_i)/h)."""
    return total / weight(now, half_life)


def together(attributes: Sequence[str]) -> Sequence[str]:
    """Those of an event's attributes (no repeats) that are counted: TOGETHER at most, its context before others."""
    if len(attributes) <= TOGETHER:
        return attributes
    return sorted(attributes, key=lambda name: namespace(name) != CONTEXT)[:TOGETHER]


def pairs(counted: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each pair of an event's counted attributes once, the smaller number first; an attribute with itself too."""
    for index, one in enumerate(counted):
        for other in counted[index:]:
            yield (one, other) if one <= other else (other, one)


def lift(joint: float, seed: float, own: float, total: float, shrinkage: float = SHRINKAGE) -> float:
    """The log lift of an attribute i under a seed j, shrunk to independence and clipped to ±2 nats.

    ln[ (n_ij + s) / (n_i·n_j/N + s) ], from decayed counts at one instant: ``joint`` n_ij, ``seed`` n_j, ``own`` n_i,
    ``total`` N; 0 where nothing is known of the attribute or the seed. The same count s above and below shrinks a
    Poisson rate to its expectation (DuMouchel 1999; s = 1/2 as in Norén et al. 2013). Added to n_j alone, as mechanisms
    2.5 has it, s would be s·p_i events of a rare i, and one coincidence in ten would lift it by two nats.
    """
    if total <= 0.0 or own <= 0.0 or seed <= 0.0:
        return 0.0
    raw = log((joint + shrinkage) / (own * seed / total + shrinkage))
    return max(-CLIP, min(CLIP, raw))
