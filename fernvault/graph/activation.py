"""Activation: how a context lifts or lowers what stands, and a second hop for seeds that were never counted.

Only seeds are sources; the owner's own edges are targets (mechanisms 1.5, 2.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import exp
from typing import Final

HOP: Final = 0.4
"""Share of a neighbour's lift that passes on in the second hop."""


def score(standing: float, lifts: Iterable[float]) -> float:
    """standing · e^(Σ lift), lifts in nats, each already shrunk and clipped; standing is 0 or more."""
    return standing * exp(sum(lifts))


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
