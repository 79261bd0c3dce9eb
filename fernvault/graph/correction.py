"""The owner's corrections: each is one step of the same fold as the events, so it can be replayed and taken back."""

from __future__ import annotations

from fernvault.edge import CEILING, Edge
from fernvault.graph.fading import settle
from fernvault.rule import Rule


def set_strength(edge: Edge | None, at: int, strength: float, rule: Rule) -> Edge:
    """Every trace becomes ``strength``, whatever was before; the owner's word counts as ``rule.owner_hits`` occasions.

    Raises ValueError unless 0 <= strength <= 9.
    """
    if not 0.0 <= strength <= CEILING:
        raise ValueError(f"a strength runs from 0 to 9, not {strength}")
    now = settle(edge, at, rule)
    traces = (float(strength),) * len(rule.half_lives)
    if now is None:
        return Edge(traces, at, hits=0, fresh=rule.owner_hits, first=at, times=(), owner=True)
    return now._replace(traces=traces, fresh=max(now.fresh, rule.owner_hits), owner=True)


def pin(edge: Edge | None, at: int, rule: Rule) -> Edge | None:
    """From ``at`` on the edge does not fade; None when there is nothing to pin."""
    now = settle(edge, at, rule)
    return None if now is None else now._replace(pinned=True, fresh=max(now.fresh, rule.owner_hits))


def unpin(edge: Edge | None, at: int, rule: Rule) -> Edge | None:
    """From ``at`` on the edge fades again."""
    now = settle(edge, at, rule)
    return None if now is None else now._replace(pinned=False)
