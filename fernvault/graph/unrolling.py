"""What each journal entry adds to today's strength: the fold is linear, so it unrolls exactly (mechanisms 2.1)."""

from __future__ import annotations

from collections.abc import Sequence

from fernvault.edge import CEILING, Edge, EdgeEvent
from fernvault.event import Act
from fernvault.graph.fading import factors, settle
from fernvault.graph.replay import step
from fernvault.rule import Rule


def contributions(entries: Sequence[EdgeEvent], at: int, rule: Rule) -> list[float]:
    """One number per entry, in the same order; their sum is the edge's strength at the instant ``at``.

    Event i adds alpha·m_i · prod over later j of (1 - alpha·m_j/9) · 2^(-elapsed/h), averaged over the traces by their
    weights. What was forgotten, overridden by the owner, or had faded below the floor adds 0.
    """
    edge: Edge | None = None
    kept: list[tuple[float, ...] | None] = []
    for entry in entries:
        kept.append(_left(edge, entry.at, rule))
        edge = step(edge, entry, rule)
    last = _left(edge, at, rule)
    if last is None:
        return [0.0] * len(entries)
    total = sum(rule.weights)
    carry = [weight / total * left for weight, left in zip(rule.weights, last, strict=True)]
    added = [0.0] * len(entries)
    for index in range(len(entries) - 1, -1, -1):
        entry, left = entries[index], kept[index]
        scale, gain = _affine(entry, rule)
        added[index] = sum(carry) * gain
        if left is None:
            break
        carry = [share * scale * part for share, part in zip(carry, left, strict=True)]
    return added


def _left(edge: Edge | None, at: int, rule: Rule) -> tuple[float, ...] | None:
    return None if edge is None or settle(edge, at, rule) is None else factors(edge, at, rule)


def _affine(entry: EdgeEvent, rule: Rule) -> tuple[float, float]:
    """The entry as w -> scale·w + gain."""
    if entry.act == Act.LEARN:
        gain = rule.alpha * entry.amount
        return 1.0 - gain / CEILING, gain
    if entry.act == Act.SET:
        return 0.0, entry.amount
    return (0.0 if entry.act == Act.FORGET else 1.0), 0.0
