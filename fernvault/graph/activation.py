"""Activation: how a context lifts or lowers what stands, and a second hop for seeds that were never counted.

Only seeds are sources; the owner's own edges are targets (mechanisms 1.5, 2.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp
from typing import Final

from fernvault.edge import CEILING

HOP: Final = 0.4
"""Share of a neighbour's lift that passes on in the second hop."""

VOTES: Final = 2.0
"""Seeds' worth of lift, at most, however many seeds there are: weekday, weekend and hour tell much of the same."""


def pooled(lifts: Sequence[tuple[float, float]]) -> float:
    """Σ v·lift · min(1, VOTES/Σ v) over the seeds that were ever counted, as pairs (merit, lift).

    The vote v is the seed's merit as a share of the best one's (``merit``); what has none has no say. More than two
    votes share two.
    """
    most = max((merit for merit, _ in lifts), default=0.0)
    if most <= 0.0:
        return 0.0
    votes = sum(merit for merit, _ in lifts) / most
    return sum(merit / most * lift for merit, lift in lifts) * min(1.0, VOTES / votes)


def score(strength: float, prior: float, lift: float) -> float:
    """9·(1 - (1 - w/9)^(e^L)) + e^L·κp: w is ``strength`` (0 to 9), κp ``prior`` (0 or more), L ``lift`` in nats.

    n events leave w = 9·(1 - r^n) (mechanisms 2.1), so this is the strength that e^L times the evidence would leave.
    Without a lift it is the standing w + κp, and for small w it is e^L times that. Multiplied itself, a strength near
    its ceiling would lose to a weaker one with a slightly better lift: 100 events and 40 are 9.0 and 8.4.
    """
    factor = exp(lift)
    left: float = max(0.0, 1.0 - strength / CEILING) ** factor
    return CEILING * (1.0 - left) + factor * prior


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
