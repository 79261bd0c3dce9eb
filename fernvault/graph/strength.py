"""Strength: the traces' weighted mean, own evidence only, from 0 to 9."""

from __future__ import annotations

from operator import mul

from fernvault.edge import Edge
from fernvault.rule import Rule


def strength(edge: Edge, rule: Rule) -> float:
    """Σ q_k·w_k / Σ q_k over the traces as they stand; fade the edge first."""
    weighted: float = sum(map(mul, rule.weights, edge.traces))
    return weighted / sum(rule.weights)


def net(positive: float, negative: float) -> float:
    """What is left of ``x`` against ``!x``: above 0 the owner likes it, below 0 avoids it."""
    return positive - negative
