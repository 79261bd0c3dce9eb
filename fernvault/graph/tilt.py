"""The tilt: traces that have lately predicted this surface's events well count for more in strength (DESIGN section 4).

q_k ∝ q⁰_k · e^(η·L_k), L_k the discounted mean log-likelihood of the events under trace k alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final

ETA: Final = 0.5
DISCOUNT: Final = 0.98
"""What is left of an event's say after each further one: about the last fifty count."""

SMOOTHING: Final = 0.1
"""Strength that every attribute is taken to have, so that a first event is unlikely and not impossible."""


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
