"""How much one event counts: the sign and size of its kind, and under the published rule its quantity."""

from __future__ import annotations

from math import inf, nextafter

from fernvault.edge import CEILING
from fernvault.rule import Rule


def amount(magnitude: float, quantity: float | None, rule: Rule) -> float:
    """The magnitude > 0 that an edge learns from, never so large that alpha times it exceeds the ceiling.

    Under the published rule only the sign of the kind counts and the size is min(1, 0.5 + q/(q+2)) for quantity q
    (mechanisms 1.2); q is 1 where none was reported. Raises ValueError for a magnitude of 0 or none that is finite.
    """
    if not 0.0 < abs(magnitude) < inf:
        raise ValueError(f"a magnitude is finite and not 0, unlike {magnitude}")
    if not rule.quantity:
        most = CEILING / rule.alpha
        return min(abs(magnitude), most if rule.alpha * most <= CEILING else nextafter(most, 0.0))
    units = 1.0 if quantity is None else abs(quantity)
    return min(1.0, 0.5 + units / (units + 2.0))
