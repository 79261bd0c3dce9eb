"""The fold that defines an edge: its journal entries, in order of time, one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from fernvault.edge import Edge, EdgeEvent
from fernvault.event import Act
from fernvault.graph.correction import pin, set_strength, unpin
from fernvault.graph.learning import learn
from fernvault.rule import Rule


def step(edge: Edge | None, entry: EdgeEvent, rule: Rule) -> Edge | None:
    """The edge after one journal entry; None when there is none afterwards."""
    at, _, act, amount = entry
    if act == Act.LEARN:
        return learn(edge, at, amount, rule)
    if act == Act.SET:
        return set_strength(edge, at, amount, rule)
    if act == Act.PIN:
        return pin(edge, at, rule)
    if act == Act.UNPIN:
        return unpin(edge, at, rule)
    return None


def replay(entries: Iterable[EdgeEvent], rule: Rule) -> Edge | None:
    """The edge that these entries make, given in order of (at, seq)."""
    edge: Edge | None = None
    for entry in entries:
        edge = step(edge, entry, rule)
    return edge
