"""What a surface says at one instant: edges, card, reasons, preview. Nothing here writes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from fernvault.attribute import is_negative
from fernvault.card import Card, Entry
from fernvault.catalog.catalog import Catalog
from fernvault.edge import Edge
from fernvault.event import Act
from fernvault.graph.activation import pooled
from fernvault.graph.confidence import confidence, is_known
from fernvault.graph.due import is_due
from fernvault.graph.fading import settle
from fernvault.graph.foresight import changes
from fernvault.graph.replay import replay
from fernvault.graph.selection import Candidate, Surroundings, candidates, mean_for, own_net, strongest
from fernvault.graph.standing import worth
from fernvault.graph.strength import strength
from fernvault.graph.trend import Trend, trend
from fernvault.graph.unrolling import contributions
from fernvault.instant import DAY
from fernvault.prior import Prior
from fernvault.rule import Rule
from fernvault.vault import associations, history
from fernvault.vault import edges as edge_rows
from fernvault.vault import surfaces as surface_rows
from fernvault.vault.surfaces import SurfaceRow


class View(NamedTuple):
    """One edge as it is read at one instant: strength 0-9, confidence 0-1, times as instants.

    ``standing`` is the strength with the prior's share, which is nothing where own evidence is against it. A mere guess
    has no times, no hits and no strength.
    """

    attribute: str
    strength: float
    standing: float
    confidence: float
    known: bool
    hits: int
    first: int | None
    last: int | None
    trend: Trend
    pinned: bool
    owner: bool


class Reason(NamedTuple):
    """One journal entry of an edge and what it adds to the strength shown."""

    entry: history.JournalRow
    act: Act
    adds: float


class Why(NamedTuple):
    """An edge's strength and the journal entries that add up to it; ``prior`` is what standing adds to it."""

    attribute: str
    strength: float
    prior: float
    reasons: tuple[Reason, ...]


class Change(NamedTuple):
    """One day of a preview on which the card differs from the day before, with who leaves and who comes."""

    day: int
    leaves: tuple[str, ...]
    enters: tuple[str, ...]


class Reading:
    """A surface at the instant ``at``; ``until`` leaves out what is dated later, None leaves out nothing.

    Late entries must have been settled.
    """

    def __init__(
        self,
        connection: Any,
        row: SurfaceRow,
        catalog: Catalog | None,
        prior: Prior | None,
        *,
        at: int,
        until: int | None,
    ) -> None:
        self._connection = connection
        self._row = row
        self._catalog = catalog
        self._until = until
        self.prior = prior
        self.at = at

    @property
    def rule(self) -> Rule:
        """The surface's rule."""
        return self._row.rule

    @cached_property
    def worth(self) -> float:
        """κ of the prior that the owner has adopted: its publisher's, or the rule's; 0 without a prior."""
        return 0.0 if self.prior is None else worth(self.prior, self.rule)

    @property
    def _means(self) -> Mapping[str, float]:
        return {} if self.prior is None else self.prior.means

    @cached_property
    def edges(self) -> dict[str, Edge]:
        """Every edge as its entries left it, not faded.

        Where later entries have changed or removed it since, or a sweep has, it is made from those up to ``until``.
        """
        found: dict[str, Edge] = {}
        past: dict[int, str] = {}
        until = self._until
        for attribute, number, stored in edge_rows.load_surface(self._connection, self._row.id):
            if until is not None and stored.edge.at > until:
                past[number] = attribute
            else:
                found[attribute] = stored.edge
        if until is not None:
            past.update({number: attribute for attribute, number in edge_rows.absent(self._connection, self._row.id)})
            for number, edge in edge_rows.replayed(self._connection, past, self.rule, until=until):
                found[past[number]] = edge
        return found

    def faded(self, at: int | None = None) -> dict[str, Edge]:
        """The edges at the reading's instant, or at another, those gone left out."""
        moment = self.at if at is None else at
        return {name: left for name, edge in self.edges.items() if (left := settle(edge, moment, self.rule))}

    def views(self, *, guesses: bool = False) -> list[View]:
        """Every edge that has not faded away, strongest first; with ``guesses`` also what only the prior says."""
        held = self.faded()
        listed = [*held, *(name for name in self._means if name not in held)] if guesses else [*held]
        found = [self._view(attribute, held) for attribute in listed]
        return sorted(found, key=lambda view: (-view.strength, -view.standing, view.attribute))

    def card(self, entries: int, seeds: Sequence[str] = (), at: int | None = None) -> Card:
        """The card at the reading's instant, or at another: at most ``entries`` attributes, best first."""
        moment = self.at if at is None else at
        chosen = self.ranked(entries, self.lifts(seeds), moment)
        return Card(self._row.name, moment, tuple(self._entry(one, moment) for one in chosen), tuple(seeds))

    def preview(self, days: int, entries: int, seeds: Sequence[str] = ()) -> tuple[Card, Card, list[Change]]:
        """The card now, the card ``days`` later if nothing more happens, and each day on which it changes."""
        lifts = self.lifts(seeds)

        def members(day: int) -> frozenset[str]:
            return frozenset(one.attribute for one in self.ranked(entries, lifts, self.at + day * DAY))

        steps: list[Change] = []
        before = members(0)
        for day, after in changes(members, 0, days):
            steps.append(Change(day, tuple(sorted(before - after)), tuple(sorted(after - before))))
            before = after
        return self.card(entries, seeds), self.card(entries, seeds, self.at + days * DAY), steps

    def why(self, attribute: str, number: int | None) -> Why:
        """The journal entries of an edge and what each adds to its strength; ``number`` is the attribute's, if any."""
        entries = [] if number is None else list(edge_rows.entries(self._connection, number, until=self._until))
        edge = settle(replay(entries, self.rule), self.at, self.rule)
        adds = contributions(entries, self.at, self.rule)
        slugs = dict(surface_rows.slugs(self._connection, self._row.id))
        rows = history.by_seq(self._connection, [entry.seq for entry in entries], slugs)
        reasons = tuple(Reason(rows[entry.seq], entry.act, added) for entry, added in zip(entries, adds, strict=True))
        own = 0.0 if edge is None else strength(edge, self.rule)
        share = 0.0 if self.prior is None else self._share(attribute, self.faded())
        return Why(attribute, own, share, reasons)

    def _share(self, attribute: str, held: Mapping[str, Edge]) -> float:
        """What the prior adds to the attribute's standing, as on the card: nothing against own evidence."""
        return self.worth * mean_for(attribute, own_net(attribute, held, self.rule), self._means)

    def lifts(self, seeds: Sequence[str]) -> dict[str, float]:
        """Per attribute that was ever counted, the pooled log lift of these seeds, in nats."""
        found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
        for earned, lifted in associations.lifts(
            self._connection, self._row.id, seeds, self.at, shrinkage=self.rule.shrinkage
        ).values():
            for name, lift in lifted.items():
                found[name].append((earned, lift))
        return {name: pooled(each) for name, each in found.items()}

    def ranked(self, count: int, lifts: Mapping[str, float], at: int) -> list[Candidate]:
        """The best of what stands at an instant, best first."""
        held = self.faded(at)
        exclusive = () if self._catalog is None else self._catalog.exclusive_sets([*held, *self._means])
        around = Surroundings(self._means, self.worth, lifts, exclusive)
        return strongest(candidates(held, self.rule, around), count, at)

    def _view(self, attribute: str, held: Mapping[str, Edge]) -> View:
        rule = self.rule
        share = self._share(attribute, held)
        edge = held.get(attribute)
        if edge is None:
            return View(attribute, 0.0, share, 0.0, False, 0, None, None, "steady", False, False)
        own = strength(edge, rule)
        return View(
            attribute,
            own,
            own + share,
            confidence(edge.fresh, rule),
            is_known(edge.fresh, rule),
            edge.hits,
            edge.first,
            edge.times[0] if edge.times else edge.first,
            trend(edge, rule),
            edge.pinned,
            edge.owner,
        )

    def _entry(self, candidate: Candidate, at: int) -> Entry:
        edge, rule = candidate.edge, self.rule
        if edge is None:
            return Entry(
                candidate.attribute, 0.0, 0.0, "guessed", "steady", "what others here are like", candidate.standing
            )
        due = not is_negative(candidate.attribute) and is_due(edge.times, at, rule.occasion)
        return Entry(
            candidate.attribute,
            candidate.strength,
            confidence(edge.fresh, rule),
            "known" if is_known(edge.fresh, rule) else "guessed",
            trend(edge, rule),
            _reason(edge, due=due),
            candidate.standing,
            due,
        )


def _reason(edge: Edge, *, due: bool) -> str:
    seen = f"{edge.hits} occasion{'' if edge.hits == 1 else 's'}"
    parts = [seen] if edge.hits else []
    if edge.owner:
        parts.append("set by you")
    if edge.pinned:
        parts.append("pinned")
    if due:
        parts.append("due")
    return ", ".join(parts)
