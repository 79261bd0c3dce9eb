"""Fading: each trace halves in its own half-life, lazily, from the edge's own last time (mechanisms 2.2)."""

from __future__ import annotations

from math import log2

from fernvault.edge import Edge
from fernvault.instant import DAY
from fernvault.rule import Rule


def factor(elapsed: int, half_life: float) -> float:
    """What is left of 1 after ``elapsed`` microseconds: 2^(-elapsed/half_life), half-life in days.

    A negative ``elapsed`` counts as 0, so that nothing ever grows by being read.
    """
    return 2.0 ** (-elapsed / (half_life * DAY)) if elapsed > 0 else 1.0


def factors(edge: Edge, at: int, rule: Rule) -> tuple[float, ...]:
    """What is left of each trace at the instant ``at``; all 1 for a pinned edge."""
    elapsed = at - edge.at
    if elapsed <= 0 or edge.pinned:
        return (1.0,) * len(edge.traces)
    return tuple([2.0 ** (-elapsed / (half_life * DAY)) for half_life in rule.half_lives])


def faded_traces(edge: Edge, at: int, rule: Rule) -> tuple[float, ...]:
    """The traces as they are at the instant ``at``."""
    elapsed = at - edge.at
    if elapsed <= 0 or edge.pinned:
        return edge.traces
    return tuple([w * 2.0 ** (-elapsed / (h * DAY)) for w, h in zip(edge.traces, rule.half_lives, strict=True)])


def faded_hits(edge: Edge, at: int, rule: Rule) -> float:
    """The fresh hits as they are at the instant ``at``."""
    if rule.hits_half_life is None or edge.pinned:
        return edge.fresh
    return edge.fresh * factor(at - edge.at, rule.hits_half_life)


def fade(edge: Edge, at: int, rule: Rule) -> Edge:
    """The edge as it is at the instant ``at``; the same edge for an earlier or equal one."""
    if at <= edge.at:
        return edge
    _, _, hits, _, first, times, pinned, owner = edge
    return Edge(faded_traces(edge, at, rule), at, hits, faded_hits(edge, at, rule), first, times, pinned, owner)


def is_gone(edge: Edge, rule: Rule) -> bool:
    """Whether every trace of an unpinned edge is below the floor."""
    return not edge.pinned and max(edge.traces) < rule.floor


def settle(edge: Edge | None, at: int, rule: Rule) -> Edge | None:
    """The edge at the instant ``at``, or None when by then it is gone (or never was).

    Reads and writes both go through here, so an edge below the floor is gone whether or not a sweep has removed it.
    """
    if edge is None:
        return None
    faded = fade(edge, at, rule)
    return None if is_gone(faded, rule) else faded


def gone_at(edge: Edge, rule: Rule) -> int | None:
    """The instant at which the edge has faded below the floor in every trace; None for a pinned edge.

    From w·2^(-t/h) = floor: t = h·log2(w/floor), rounded up to a microsecond, and as exact as the logarithm: with a
    half-life of a year it may be a microsecond off either way. ``settle`` decides; this is the sweep's key.
    """
    if edge.pinned:
        return None
    days = 0.0
    for trace, half_life in zip(edge.traces, rule.half_lives, strict=True):
        if trace > rule.floor:
            days = max(days, half_life * log2(trace / rule.floor))
    return edge.at + int(days * DAY) + 1
