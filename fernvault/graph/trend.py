"""Trend: whether the recent rate of events is above or below the lasting one."""

from __future__ import annotations

from math import log
from typing import Final, Literal

from fernvault.edge import CEILING, Edge
from fernvault.rule import Rule

Trend = Literal["rising", "steady", "fading"]

RISING: Final = 1.5
FADING: Final = 0.5


def implied_rate(trace: float, half_life: float, alpha: float) -> float:
    """Events a day at which a trace would stay where it is.

    From dw/dt = alpha·r·(1 - w/9) - w·ln2/h = 0: r = (ln2/h)·w / (alpha·(1 - w/9)).
    """
    return log(2) / half_life * trace / (alpha * max(1.0 - trace / CEILING, 1e-9))


def trend(edge: Edge, rule: Rule) -> Trend:
    """Rising or fading when every faster trace implies a rate over 1.5 or under 0.5 times the slowest one's.

    All of them must agree: the fastest alone swings with every event of a monthly habit. Fade the edge first.
    """
    if len(edge.traces) < 2 or edge.pinned:
        return "steady"
    rates = [
        implied_rate(trace, half_life, rule.alpha)
        for trace, half_life in zip(edge.traces, rule.half_lives, strict=True)
    ]
    lasting = rates[-1]
    if all(rate > RISING * lasting for rate in rates[:-1]):
        return "rising"
    if all(rate < FADING * lasting for rate in rates[:-1]):
        return "fading"
    return "steady"
