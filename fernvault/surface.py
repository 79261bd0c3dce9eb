"""One surface of an open vault: events in; edges, card, reasons, preview out; corrections by the owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import Any, Literal, NamedTuple
from zoneinfo import ZoneInfo

from fernvault.attribute import require
from fernvault.card import ENTRIES, Card, Entry
from fernvault.catalog.catalog import Catalog
from fernvault.edge import CEILING, Edge, EdgeEvent
from fernvault.errors import InputError, NotFoundError
from fernvault.event import REDO, UNDO, Act, Event
from fernvault.graph.confidence import confidence, is_known
from fernvault.graph.fading import settle
from fernvault.graph.foresight import changes
from fernvault.graph.replay import replay
from fernvault.graph.selection import Candidate, candidates, strongest
from fernvault.graph.strength import strength
from fernvault.graph.trend import Trend, trend
from fernvault.graph.unrolling import contributions
from fernvault.instant import DAY
from fernvault.vault import edges as edge_rows
from fernvault.vault import history, journal
from fernvault.vault import surfaces as surface_rows
from fernvault.vault.surfaces import SurfaceRow

Correction = Literal["set", "pin", "unpin", "forget"]
OWNER_SOURCE = "owner"


class Recorded(NamedTuple):
    """What became of one event: whether it was new, and the attributes whose edges it strengthens."""

    new: bool
    attributes: tuple[str, ...]


class View(NamedTuple):
    """One edge as it is read at one instant: strength 0-9, confidence 0-1, times as instants."""

    attribute: str
    strength: float
    confidence: float
    known: bool
    hits: int
    first: int
    last: int
    trend: Trend
    pinned: bool
    owner: bool


class Reason(NamedTuple):
    """One journal entry of an edge and what it adds to the strength shown."""

    entry: history.JournalRow
    act: Act
    adds: float


class Why(NamedTuple):
    """An edge's strength and the journal entries that add up to it."""

    attribute: str
    strength: float
    reasons: tuple[Reason, ...]


class Change(NamedTuple):
    """One day of a preview on which the card differs from the day before, with who leaves and who comes."""

    day: int
    leaves: tuple[str, ...]
    enters: tuple[str, ...]


class Surface:
    """What one surface knows of the owner. Belongs to the thread that opened the vault."""

    def __init__(
        self,
        connection: Any,
        row: SurfaceRow,
        *,
        zone: ZoneInfo,
        transaction: Callable[[], AbstractContextManager[None]],
        clock: Callable[[], int],
    ) -> None:
        self._connection = connection
        self._row = row
        self._zone = zone
        self._transaction = transaction
        self._clock = clock
        self._numbers: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The surface's name in this vault."""
        return self._row.name

    @property
    def row(self) -> SurfaceRow:
        """The surface as it is stored."""
        return self._row

    @cached_property
    def catalog(self) -> Catalog | None:
        """The surface's rules from event to attributes, without its item table."""
        return None if self._row.catalog is None else Catalog.from_json(self._row.catalog)

    def record(self, events: Sequence[Event], *, source: str, again: bool = False) -> list[Recorded]:
        """Write events in one durable transaction; for each, what became of it. Those the vault has change nothing.

        Attributes of the catalog (item table, rules, time) are added here. ``source`` names where they came from. With
        ``again``, which is the owner's to give, an event that was taken back counts as new. Raises DiskFullError and
        the like with nothing written.
        """
        full = self._with_catalog(events)
        fresh = self._write(full, source, again=again)
        return [Recorded(new, journal.fired(event)) for new, event in zip(fresh, full, strict=True)]

    def views(self, at: int | None = None) -> list[View]:
        """Every edge that has not faded away now, or had not by the instant ``at``, strongest first.

        Now counts all that the journal holds; a given instant, here and below, only what is dated up to it.
        """
        found = [self._view(attribute, edge) for attribute, edge in self._faded(self._edges(at), at).items()]
        return sorted(found, key=lambda view: (-view.strength, view.attribute))

    def card(self, at: int | None = None, *, entries: int = ENTRIES) -> Card:
        """The card at an instant: at most ``entries`` attributes, strongest first."""
        return self._card(self._edges(at), self._clock() if at is None else at, entries)

    def why(self, attribute: str, at: int | None = None) -> Why:
        """The journal entries of an edge and what each adds to its strength. Raises NotFoundError."""
        moment = self._clock() if at is None else at
        number = self._number(attribute)
        entries = list(edge_rows.entries(self._connection, number, until=at))
        edge = settle(replay(entries, self._row.rule), moment, self._row.rule)
        adds = contributions(entries, moment, self._row.rule)
        slugs = dict(surface_rows.slugs(self._connection, self._row.id))
        rows = history.by_seq(self._connection, [entry.seq for entry in entries], slugs)
        reasons = tuple(Reason(rows[entry.seq], entry.act, added) for entry, added in zip(entries, adds, strict=True))
        return Why(attribute, 0.0 if edge is None else strength(edge, self._row.rule), reasons)

    def correct(self, correction: Correction, attribute: str, value: float | None = None) -> Why:
        """Write the owner's word on an attribute to the journal; the edge as it is afterwards.

        ``set`` takes a strength from the floor to 9 and may name a new attribute; the others need one that has an edge
        now. Raises InputError, NotFoundError.
        """
        require(attribute)
        if correction == "set":
            floor = self._row.rule.floor
            if value is None or not floor <= value <= CEILING:
                raise InputError(
                    f"a strength lies between {floor:g}, below which an edge is gone, and 9",
                    next_step=f"fern forget {self.name} {attribute}",
                )
        elif attribute not in self._faded(self._edges(None), None):
            raise NotFoundError(f"{self.name} knows no {attribute} now", next_step=f"fern ls {self.name} --all")
        known = surface_rows.attribute_ids(self._connection, self._row.id, [attribute])
        latest = edge_rows.latest(self._connection, known[attribute]) if known else None
        # An event may lie a little ahead of the clock; the owner's word comes after all that is there.
        at = self._clock() if latest is None else max(self._clock(), latest)
        self._write([self._own_event(correction, at, (attribute,), value=value)], OWNER_SOURCE)
        return self.why(attribute)

    def undo(self, seqs: Sequence[int], *, note: str) -> int:
        """Take journal entries back, keeping them on record as undone; how many were."""
        with self._transaction():
            event = self._own_event(UNDO, self._clock(), (), item=note)
            source = journal.source_id(self._connection, OWNER_SOURCE)
            last = journal.last_seq(self._connection)
            taken = journal.withdraw(self._connection, self._row, seqs, undone_by=last + 1)
            if taken:
                journal.write(
                    self._connection, self._row, [event], source=source, now=self._clock(), numbers=self._numbers
                )
        return taken

    def redo(self, undo_seq: int) -> int:
        """Put back what an undo entry took; how many journal entries."""
        with self._transaction():
            event = self._own_event(REDO, self._clock(), ())
            source = journal.source_id(self._connection, OWNER_SOURCE)
            restored = journal.restore(self._connection, self._row, undone_by=undo_seq)
            last = journal.last_seq(self._connection)
            journal.write(self._connection, self._row, [event], source=source, now=self._clock(), numbers=self._numbers)
            journal.close_undo(self._connection, undo_seq, by=last + 1)
        return restored

    def preview(self, days: int, at: int | None = None, *, entries: int = ENTRIES) -> tuple[Card, Card, list[Change]]:
        """The card now, the card ``days`` later if nothing more happens, and each day on which it changes."""
        start = self._clock() if at is None else at
        edges = self._edges(at)

        def members(day: int) -> frozenset[str]:
            return frozenset(candidate.attribute for candidate in self._chosen(edges, start + day * DAY, entries))

        steps: list[Change] = []
        before = members(0)
        for day, after in changes(members, 0, days):
            steps.append(Change(day, tuple(sorted(before - after)), tuple(sorted(after - before))))
            before = after
        return self._card(edges, start, entries), self._card(edges, start + days * DAY, entries), steps

    def latest(self) -> int | None:
        """The instant of the latest event, or strength set by the owner, that any edge rests on or rested on."""
        return edge_rows.latest_of_surface(self._connection, self._row.id)

    def settle(self) -> int:
        """Make the edges again whose entries came out of order; how many. Reading does it too, if it was not done."""
        late = edge_rows.stale(self._connection, self._row.id)
        if late:
            with self._transaction():
                edge_rows.make_again(self._connection, self._row.id, late, self._row.rule)
        return len(late)

    def sweep(self) -> int:
        """Delete the edges that have faded below the floor; how many. Reading does not depend on it."""
        with self._transaction():
            return edge_rows.sweep(self._connection, self._row.id, self._clock())

    def journal(self) -> Iterator[history.JournalRow]:
        """Every journal entry of this surface in the order in which it was written."""
        slugs = dict(surface_rows.slugs(self._connection, self._row.id))
        yield from history.whole(self._connection, self._row.id, slugs)

    def _own_event(
        self, kind: str, at: int, attributes: tuple[str, ...], *, item: str | None = None, value: float | None = None
    ) -> Event:
        number = journal.last_seq(self._connection) + 1
        return Event(f"owner-{at:x}-{number}", at, kind, item, attributes, 1.0, None, value)

    def _write(self, events: Sequence[Event], source: str, *, again: bool = False) -> list[bool]:
        now = self._clock()
        try:
            with self._transaction():
                number = journal.source_id(self._connection, source)
                return journal.write(
                    self._connection, self._row, events, source=number, now=now, numbers=self._numbers, again=again
                )
        except BaseException:
            self._numbers.clear()
            raise

    def _with_catalog(self, events: Sequence[Event]) -> Sequence[Event]:
        catalog = self.catalog
        if catalog is None:
            return events
        items = {event.item for event in events if event.item is not None}
        table = surface_rows.item_attributes(self._connection, self._row.id, sorted(items))
        return [self._completed(event, catalog, table) for event in events]

    def _completed(self, event: Event, catalog: Catalog, table: dict[str, tuple[str, ...]]) -> Event:
        found = dict.fromkeys(event.attributes)
        if event.item is not None:
            found.update(dict.fromkeys(table.get(event.item, ())))
            found.update(dict.fromkeys(catalog.rule_attributes(event.item)))
        found.update(dict.fromkeys(catalog.context_attributes(event.at, self._zone)))
        return event._replace(attributes=tuple(found))

    def _card(self, edges: dict[str, Edge], at: int, entries: int) -> Card:
        return Card(self.name, at, tuple(self._entry(candidate) for candidate in self._chosen(edges, at, entries)))

    def _chosen(self, edges: dict[str, Edge], at: int, entries: int) -> list[Candidate]:
        return strongest(candidates(self._faded(edges, at), self._row.rule), entries, at)

    def _faded(self, edges: dict[str, Edge], at: int | None) -> dict[str, Edge]:
        """The edges at the instant ``at``, or now, those gone left out."""
        moment, rule = self._clock() if at is None else at, self._row.rule
        return {name: left for name, edge in edges.items() if (left := settle(edge, moment, rule)) is not None}

    def _edges(self, until: int | None) -> dict[str, Edge]:
        """Every edge as its entries left it, not faded: all of them, or those dated up to the instant ``until``.

        Where later ones have changed or removed it since, or a sweep has, it is made from its journal entries.
        """
        rule = self._row.rule
        self.settle()
        found: dict[str, Edge] = {}
        past: list[tuple[str, int]] = []
        for attribute, number, stored in edge_rows.load_surface(self._connection, self._row.id):
            if until is not None and stored.edge.at > until:
                past.append((attribute, number))
            else:
                found[attribute] = stored.edge
        if until is not None:
            past += edge_rows.absent(self._connection, self._row.id)
        for attribute, number in past:
            entries: Iterator[EdgeEvent] = edge_rows.entries(self._connection, number, until=until)
            if (edge := replay(entries, rule)) is not None:
                found[attribute] = edge
        return found

    def _number(self, attribute: str) -> int:
        found = surface_rows.attribute_ids(self._connection, self._row.id, [require(attribute)])
        if not found:
            raise NotFoundError(f"{self.name} knows no {attribute}", next_step=f"fern ls {self.name} --all")
        return found[attribute]

    def _view(self, attribute: str, edge: Edge) -> View:
        rule = self._row.rule
        return View(
            attribute,
            strength(edge, rule),
            confidence(edge.fresh, rule),
            is_known(edge.fresh, rule),
            edge.hits,
            edge.first,
            edge.times[0] if edge.times else edge.first,
            trend(edge, rule),
            edge.pinned,
            edge.owner,
        )

    def _entry(self, candidate: Candidate) -> Entry:
        view = self._view(candidate.attribute, candidate.edge)
        return Entry(
            candidate.attribute,
            candidate.strength,
            view.confidence,
            "known" if view.known else "guessed",
            view.trend,
            _reason(view),
        )


def _reason(view: View) -> str:
    seen = f"{view.hits} occasion{'' if view.hits == 1 else 's'}"
    parts = [seen] if view.hits else []
    if view.owner:
        parts.append("set by you")
    if view.pinned:
        parts.append("pinned")
    return ", ".join(parts)
