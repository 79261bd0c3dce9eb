"""What goes on the card: `x` netted against `!x`, context attributes left out, the strongest few."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nsmallest
from typing import Final, NamedTuple

from fernvault.attribute import CONTEXT, namespace, opposite
from fernvault.edge import Edge
from fernvault.graph.strength import net, strength
from fernvault.rule import Rule

WEAK: Final = 0.1
"""Net strength under which nothing is said of an attribute, on the card or in a list."""


class Candidate(NamedTuple):
    """An attribute that may stand on the card, with its strength after netting and its faded edge."""

    attribute: str
    strength: float
    edge: Edge


def candidates(edges: dict[str, Edge], rule: Rule) -> list[Candidate]:
    """Every attribute of at least WEAK strength after its opposite's; ``edges`` are faded to the moment of reading.

    Of `x` and `!x` only the stronger one stands, with what is left of it; an exact tie stands for neither.
    """
    found = []
    for attribute, edge in edges.items():
        if namespace(attribute) == CONTEXT:
            continue
        rival = edges.get(opposite(attribute))
        left = net(strength(edge, rule), 0.0 if rival is None else strength(rival, rule))
        if left >= WEAK:
            found.append(Candidate(attribute, left, edge))
    return found


def strongest(found: Iterable[Candidate], count: int) -> list[Candidate]:
    """The ``count`` strongest, strongest first; equal ones in order of their spelling, so that reading repeats."""
    return nsmallest(count, found, key=lambda candidate: (-candidate.strength, candidate.attribute))
