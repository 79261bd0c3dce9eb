"""What goes on the card: `x` netted against `!x`, the prior added, context's lift, rivals pushed down, the best few."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from math import inf
from typing import Final, NamedTuple

from fernvault.attribute import CONTEXT, namespace, opposite
from fernvault.edge import Edge
from fernvault.graph.activation import score
from fernvault.graph.base_level import hybrid
from fernvault.graph.inhibition import inhibit
from fernvault.graph.standing import standing
from fernvault.graph.strength import net, strength
from fernvault.rule import Rule

WEAK: Final = 0.1
"""Net strength or standing under which nothing is said of an attribute, on the card or in a list."""


class Surroundings(NamedTuple):
    """What a reading adds to the owner's own edges.

    ``means``: the prior per attribute, worth ``kappa`` of strength each; ``lifts``: per attribute, the pooled log lift
    of the context's seeds, in nats; ``exclusive``: declared sets of rivals.
    """

    means: Mapping[str, float] = {}
    kappa: float = 0.0
    lifts: Mapping[str, float] = {}
    exclusive: Sequence[frozenset[str]] = ()


ALONE: Final = Surroundings()


class Candidate(NamedTuple):
    """An attribute that may stand on the card.

    ``strength``: what is left of the own one after its opposite's, 0 to 9; ``standing``: with the prior's share;
    ``score``: standing in this context and among its rivals, which ranks; ``edge``: faded, None for a mere guess.
    """

    attribute: str
    strength: float
    standing: float
    score: float
    edge: Edge | None


def candidates(edges: Mapping[str, Edge], rule: Rule, around: Surroundings = ALONE) -> list[Candidate]:
    """Every attribute that stands at WEAK or more; ``edges`` are faded to the moment of reading.

    Of `x` and `!x` only the stronger one stands, with what is left of it; an exact tie stands for neither. Where own
    evidence and the prior disagree in sign, own evidence stands alone.
    """
    found = {}
    for attribute in [*edges, *(name for name in around.means if name not in edges)]:
        if namespace(attribute) == CONTEXT:
            continue
        own = own_net(attribute, edges, rule)
        mean = mean_for(attribute, own, around.means)
        if own < 0.0:
            continue
        stands = standing(own, mean, around.kappa)
        if stands >= WEAK:
            lift = around.lifts.get(attribute, 0.0)
            lifted = score(own, stands - own, lift) if lift else stands
            found[attribute] = Candidate(attribute, own, stands, lifted, edges.get(attribute))
    for rivals in around.exclusive:
        values = {name: found[name].score for name in rivals if name in found}
        if len(values) > 1:
            for name, left in inhibit(values).items():
                found[name] = found[name]._replace(score=left)
    return list(found.values())


def strongest(found: Iterable[Candidate], count: int, at: int) -> list[Candidate]:
    """The ``count`` best, best first; of equal ones the more available, then in order of spelling."""
    return nsmallest(count, found, key=lambda one: (-one.score, -available(one.edge, at), one.attribute))


def available(edge: Edge | None, at: int) -> float:
    """The base level of an edge at the instant ``at``; minus infinity for a guess, or where no event was seen."""
    if edge is None or not edge.times:
        return -inf
    return hybrid(edge.times, edge.hits, edge.first, at)


def own_net(attribute: str, edges: Mapping[str, Edge], rule: Rule) -> float:
    """What own evidence leaves of an attribute against its opposite; below 0 where the opposite is stronger."""
    return net(_strength(edges, attribute, rule), _strength(edges, opposite(attribute), rule))


def mean_for(attribute: str, own: float, means: Mapping[str, float]) -> float:
    """What the prior says for an attribute against its opposite; 0 where it, or the own net strength, is against."""
    if not means or own < 0.0:
        return 0.0
    return max(0.0, net(means.get(attribute, 0.0), means.get(opposite(attribute), 0.0)))


def _strength(edges: Mapping[str, Edge], attribute: str, rule: Rule) -> float:
    edge = edges.get(attribute)
    return 0.0 if edge is None else strength(edge, rule)
