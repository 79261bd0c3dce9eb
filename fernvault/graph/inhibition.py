"""Lateral inhibition: rivals of a declared exclusive set push each other down, by subtraction (mechanisms 2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FORCE: Final = 0.4
"""Share of the lead that each stronger rival takes off."""

LEAST: Final = 0.2
"""Share of its own value that an attribute keeps at least, so that the weaker one stays visible."""


def inhibit(values: Mapping[str, float], force: float = FORCE, least: float = LEAST) -> dict[str, float]:
    """One exclusive set's values after inhibition: u - force·Σ over stronger rivals k of (u_k - u), kept >= least·u.

    All new values come from the old ones, so the order of the members does not matter, and the strongest is unchanged.
    Raises ValueError for a negative value: scaling one would turn its meaning round.
    """
    if any(value < 0.0 for value in values.values()):
        raise ValueError("inhibition works on values of 0 and more")
    return {
        name: max(least * own, own - force * sum(rival - own for rival in values.values() if rival > own))
        for name, own in values.items()
    }
