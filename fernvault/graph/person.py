"""One person's graph in memory: the same arithmetic event by event, without a vault, to try other rules and to measure.

A test holds it to the vault: the same events give the same scores.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from fernvault.attribute import CONTEXT, namespace, opposite
from fernvault.edge import Edge
from fernvault.graph.activation import pooled
from fernvault.graph.association import lift, together, weight
from fernvault.graph.fading import settle
from fernvault.graph.learning import learn
from fernvault.graph.magnitude import amount
from fernvault.graph.merit import merit
from fernvault.graph.selection import Candidate, Surroundings, candidates, strongest
from fernvault.graph.standing import kappa
from fernvault.rule import ADAPTIVE, Rule


class Person:
    """Edges and decayed counts, fed in order of time."""

    def __init__(self, rule: Rule = ADAPTIVE, exclusive: Sequence[frozenset[str]] = ()) -> None:
        self.rule = rule
        self.exclusive = exclusive
        self.edges: dict[str, Edge] = {}
        self.total = 0.0
        self.counts: defaultdict[str, float] = defaultdict(float)
        self.joint: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))

    def learn(self, at: int, attributes: Iterable[str], magnitude: float = 1.0, quantity: float | None = None) -> None:
        """One event at the instant ``at``; a negative magnitude strengthens the opposites, context apart."""
        names = list(dict.fromkeys(attributes))
        if magnitude < 0:
            names = [name if namespace(name) == CONTEXT else opposite(name) for name in names]
        size = amount(magnitude, quantity, self.rule)
        for name in names:
            self.edges[name] = learn(self.edges.get(name), at, size, self.rule)
        counted = together(names)
        share = weight(at) * min(1.0, size)
        self.total += share
        for name in counted:
            self.counts[name] += share
            for other in counted:
                if other != name:
                    self.joint[name][other] += share

    def lifts(self, seeds: Iterable[str], at: int) -> dict[str, float]:
        """Per attribute, the pooled log lift of the seeds that were ever counted."""
        scale = weight(at)
        total = self.total / scale
        counts = {name: own / scale for name, own in self.counts.items()}
        found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for seed in dict.fromkeys(seeds):
            if seed not in counts:
                continue
            held, joint = counts[seed], {name: both / scale for name, both in self.joint[seed].items()}
            earned = merit(joint, held, counts, total, self.rule.shrinkage)
            for name, own in counts.items():
                if name != seed:
                    found[name].append((earned, lift(joint.get(name, 0.0), held, own, total, self.rule.shrinkage)))
        return {name: pooled(each) for name, each in found.items()}

    def read(
        self,
        at: int,
        *,
        seeds: Iterable[str] = (),
        prior: Mapping[str, float] | None = None,
        worth: float | None = None,
    ) -> list[Candidate]:
        """Everything that stands at the instant ``at``, best first; ``worth`` is κ, the rule's own if None."""
        means = prior or {}
        around = Surroundings(
            means, kappa(means, self.rule) if worth is None else worth, self.lifts(seeds, at), self.exclusive
        )
        faded = {name: left for name, edge in self.edges.items() if (left := settle(edge, at, self.rule)) is not None}
        found = candidates(faded, self.rule, around)
        return strongest(found, len(found), at)

    def scores(
        self,
        at: int,
        *,
        seeds: Iterable[str] = (),
        prior: Mapping[str, float] | None = None,
        worth: float | None = None,
    ) -> dict[str, float]:
        """Score per attribute that stands."""
        return {one.attribute: one.score for one in self.read(at, seeds=seeds, prior=prior, worth=worth)}
