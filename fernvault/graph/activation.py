"""Activation: how a context lifts or lowers what stands, and a second hop for seeds that were never counted.

Only seeds are sources; the owner's own edges are targets (mechanisms 1.5, 2.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Final

HOP: Final = 0.4
"""Share of a neighbour's lift that passes on in the second hop."""


VOTES: Final = 2.0
"""Seeds' worth of lift, at most, however many seeds there are: weekday, weekend and hour tell much of the same."""


def pooled(lifts: Sequence[float]) -> float:
    """Σ lift · min(1, VOTES/n) over the n seeds that were ever counted: more than two share two votes."""
    return sum(lifts) * min(1.0, VOTES / len(lifts)) if lifts else 0.0


def score(standing: float, lift: float) -> float:
    """standing · e^lift, lift in nats, each seed's already shrunk and clipped; standing is 0 or more."""
    return standing * exp(lift)


def second_hop(neighbours: Mapping[str, float], lifts: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Lifts for a seed without counts of its own, from its neighbours' lifts.

    ``neighbours``: the seed's neighbours with their association weight; ``lifts``: each neighbour's own lifts. A
    neighbour passes on a share HOP of its lift, weighted by its part of all weights and divided by its fan (how many
    attributes it lifts), so that a hub says little.
    """
    whole = sum(weight for weight in neighbours.values() if weight > 0.0)
    if whole <= 0.0:
        return {}
    found: dict[str, float] = {}
    for neighbour, weight in neighbours.items():
        own = lifts.get(neighbour, {})
        fan = len(own)
        for attribute, lift in own.items():
            found[attribute] = found.get(attribute, 0.0) + HOP * weight / whole * lift / fan
    return found
