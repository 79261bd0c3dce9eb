"""What the prior is worth on a surface: the less people differ beyond chance, the more it counts (empirical Bayes).

A strength is what a person's events happened to add. Were everyone alike, with the same chance of each attribute at
each occasion, the strengths would still vary between people, by about (1 - share)·Σ c² per edge over its contributions
c. What they vary by beyond that is taste. The best guess from an own strength w and the population's mean p is then in
proportion to w + (chance / taste)·p, so κ is that ratio: small where people differ much, large where own history tells
nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MARGIN: Final = 1.5
"""People also differ in how busy they are, which the spread holds and which is not taste; so the ratio is too small."""

LEAST_TASTE: Final = 0.05
"""Share of the spread that is taken to be taste at least, so that own evidence always counts for something."""


def chance(contributions: Iterable[float], share: float) -> float:
    """A strength's variance by chance alone: (1 - share)·Σ c² over what each event added (``unrolling``).

    ``share``: of all the users' occasions, those at which the attribute fired, 0 to 1. What fires every time is never
    left to chance.
    """
    return (1.0 - share) * sum(one * one for one in contributions)


def spread(total: float, squares: float, users: int) -> float:
    """Σ (w - p)² of one attribute over ``users`` users, from Σ w and Σ w²; those without the edge count 0."""
    return squares - total * total / users if users > 0 else 0.0


def learnt_kappa(by_chance: float, spread_out: float) -> float:
    """κ from Σ ``chance`` and Σ ``spread`` over a surface's attributes and users.

    MARGIN · chance/(spread - chance), the taste never taken to be under LEAST_TASTE of the spread. 0 where nothing is
    left to chance.
    """
    if by_chance <= 0.0:
        return 0.0
    taste = max(LEAST_TASTE, 1.0 - by_chance / spread_out) if spread_out > 0.0 else LEAST_TASTE
    return MARGIN * (1.0 - taste) / taste
