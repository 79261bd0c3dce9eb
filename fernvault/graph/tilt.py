"""The tilt: traces that have lately predicted this surface's events well count for more in strength (DESIGN section 4).

q_k ∝ q⁰_k · e^(η·L_k), L_k the discounted mean log-likelihood of the events under trace k alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from operator import sub
from typing import Final, NamedTuple

from fernvault.graph.fading import factor
from fernvault.rule import Rule

Traces = tuple[float, ...]

ETA: Final = 0.5
DISCOUNT: Final = 0.98
"""What is left of an event's say after each further one: about the last fifty count."""

SMOOTHING: Final = 0.1
"""Strength that every attribute is taken to have, so that a first event is unlikely and not impossible."""


class Gauge(NamedTuple):
    """How well each trace has predicted so far: Σ w over a surface's edges per trace, as of ``at``, and each L_k.

    ``attributes`` is how many have had an edge.
    """

    at: int
    totals: Traces
    means: Traces
    attributes: int


def start(at: int, rule: Rule) -> Gauge:
    """Nothing seen yet."""
    none = (0.0,) * len(rule.half_lives)
    return Gauge(at, none, none, 0)


def observe(gauge: Gauge, at: int, moves: Sequence[tuple[Traces | None, Traces]], rule: Rule) -> Gauge:
    """The gauge after one event at ``at``; ``moves``: each fired attribute's traces just before it, and after.

    None stands for an attribute without an edge. The event's likelihood is the mean over its attributes, each judged by
    the totals before the event. What fades away below the floor stays in the totals until it has faded from them too.
    """
    totals = tuple(
        total * factor(at - gauge.at, half_life) for total, half_life in zip(gauge.totals, rule.half_lives, strict=True)
    )
    size = gauge.attributes + sum(1 for before, _ in moves if before is None)
    none = (0.0,) * len(totals)
    means = []
    sums = []
    for k, total in enumerate(totals):
        seen = sum(likelihood((before or none)[k], total, size) for before, _ in moves) / len(moves)
        means.append(discounted(gauge.means[k], seen))
        sums.append(total + sum(sub(after[k], (before or none)[k]) for before, after in moves))
    return Gauge(max(at, gauge.at), tuple(sums), tuple(means), size)


def likelihood(own: float, total: float, attributes: int) -> float:
    """ln of the share that a trace gave the attribute that fired: (w_i + c)/(Σw + c·n), c = SMOOTHING."""
    return log((own + SMOOTHING) / (total + SMOOTHING * max(attributes, 1)))


def discounted(mean: float, latest: float, discount: float = DISCOUNT) -> float:
    """The running mean after one more event."""
    return discount * mean + (1.0 - discount) * latest


def tilted(weights: Sequence[float], means: Sequence[float], eta: float = ETA) -> tuple[float, ...]:
    """The traces' weights after the tilt; their sum is that of ``weights``. Equal means change nothing."""
    best = max(means)
    raw = [weight * exp(eta * (mean - best)) for weight, mean in zip(weights, means, strict=True)]
    scale = sum(weights) / sum(raw)
    return tuple(one * scale for one in raw)
