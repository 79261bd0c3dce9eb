"""One surface of an open vault: events in; edges, card, reasons, preview out; corrections by the owner."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from fernvault.attribute import CONTEXT, name, opposite, require
from fernvault.card import ENTRIES, Card
from fernvault.catalog.catalog import Catalog
from fernvault.catalog.context import time_attributes
from fernvault.edge import CEILING
from fernvault.errors import DiskFullError, InputError, NotFoundError, ReadOnlyError
from fernvault.event import REDO, TUNE, UNDO, Event
from fernvault.graph.tuning import HISTORY, Beside, Happened, Tuning, tune
from fernvault.prior import Prior
from fernvault.reading import Change, Reading, View, Why
from fernvault.rule import tuned
from fernvault.tokens import Count, count, is_exact, of_pieces
from fernvault.vault import edges as edge_rows
from fernvault.vault import history, journal, priors
from fernvault.vault import surfaces as surface_rows
from fernvault.vault.priors import Adopted
from fernvault.vault.surfaces import SurfaceRow
from fernvault.vault.warm import Shared, Warm

Correction = Literal["set", "pin", "unpin", "forget"]
OWNER_SOURCE: Final = "owner"

NOW: Final = "now"
"""The word of a context for what the clock says."""


_UNREAD: Final = Adopted(Prior("", 0, {}), 0)


class Recorded(NamedTuple):
    """What became of one event: whether it was new, and the attributes whose edges it strengthens."""

    new: bool
    attributes: tuple[str, ...]


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
        shared: Shared,
    ) -> None:
        self._connection = connection
        self._row = row
        self._zone = zone
        self._transaction = transaction
        self._clock = clock
        self._warm = Warm(shared)
        self._adopted: Adopted | None = _UNREAD

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

    def at(self, at: int | None = None) -> Reading:
        """The surface as it is read at an instant, what is dated later left out; None is now, with all there is."""
        self.settle()
        moment = self._clock() if at is None else at
        adopted = self.prior
        prior = None if adopted is None else adopted.prior
        return Reading(self._connection, self._row, self.catalog, prior, at=moment, until=at)

    def views(self, at: int | None = None, *, guesses: bool = False) -> list[View]:
        """Every edge at an instant, strongest first; see ``Reading.views``."""
        return self.at(at).views(guesses=guesses)

    def card(self, at: int | None = None, *, entries: int = ENTRIES, seeds: Sequence[str] = ()) -> Card:
        """The card at an instant in the context of these seeds: at most ``entries`` attributes, best first."""
        return self.at(at).card(entries, seeds)

    def why(self, attribute: str, at: int | None = None) -> Why:
        """The journal entries of an edge and what each adds to its strength. Raises NotFoundError."""
        reading = self.at(at)
        number = surface_rows.attribute_ids(self._connection, self._row.id, [require(attribute)]).get(attribute)
        if number is None and (reading.prior is None or attribute not in reading.prior.means):
            raise NotFoundError(f"{self.name} knows no {attribute}", next_step=f"fern ls {self.name} --all")
        return reading.why(attribute, number)

    def seeds(self, context: Sequence[str], at: int | None = None) -> tuple[str, ...]:
        """The attributes that a context names: ``morning`` is ``ctx:morning``, ``now`` what the clock says.

        The clock is read in the catalog's zone where it has one. Raises InputError.
        """
        found: dict[str, None] = {}
        for word in context:
            if word == NOW:
                found.update(dict.fromkeys(self._clock_context(self._clock() if at is None else at)))
            else:
                found[require(word if ":" in word else f"{CONTEXT}:{word}")] = None
        return tuple(found)

    def _clock_context(self, at: int) -> tuple[str, ...]:
        if self.catalog is not None and (own := self.catalog.context_attributes(at, self._zone)):
            return own
        return time_attributes(at, self._zone, time_of_day=True, weekend=True)

    def cost(self, card: Card) -> Count:
        """What the card's text costs, from the counts that are stored per attribute.

        An attribute that has none yet is counted with the tokenizer, and kept where the vault can be written. What only
        the prior knows has no row to keep a count in.
        """
        known = self._token_counts(card)
        if len(known) < len({name(entry.attribute) for entry in card.entries}) and is_exact():
            with suppress(ReadOnlyError, DiskFullError):
                if self.count_tokens():
                    known = self._token_counts(card)
        return of_pieces(card.pieces(), known)

    def _token_counts(self, card: Card) -> dict[str, int]:
        """The stored counts of the card's names, each after a space, as `x` or as `!x` had them counted."""
        wanted = [slug for entry in card.entries for slug in (entry.attribute, opposite(entry.attribute))]
        stored = surface_rows.token_counts(self._connection, self._row.id, wanted)
        return {f" {name(slug)}": tokens for slug, tokens in stored.items()}

    def count_tokens(self) -> int:
        """Count the attributes that have no token count yet, if a tokenizer is installed; how many."""
        if not is_exact():
            return 0
        missing = surface_rows.without_tokens(self._connection, self._row.id)
        if missing:
            with self._transaction():
                counted = [(number, count(f" {name(slug)}").tokens) for number, slug in missing]
                surface_rows.put_tokens(self._connection, counted)
        return len(missing)

    @property
    def prior(self) -> Adopted | None:
        """The prior that the owner has adopted, and when."""
        if self._adopted is _UNREAD:
            self._adopted = priors.get(self._connection, self._row.id, self.name)
        return self._adopted

    def adopt(self, prior: Prior) -> None:
        """Take this prior in the place of any before. Raises InputError when it is another surface's."""
        if prior.surface != self.name:
            raise InputError(
                f"this is the prior of {prior.surface}, not of {self.name}",
                next_step=f"fern prior adopt {prior.surface} FILE",
            )
        with self._transaction():
            priors.put(self._connection, self._row.id, prior, self._clock())
        self._adopted = _UNREAD

    def drop_prior(self) -> bool:
        """Give the prior up; whether there was one."""
        with self._transaction():
            dropped = priors.drop(self._connection, self._row.id)
        self._adopted = _UNREAD
        return dropped

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
        else:
            reading = self.at()
            if attribute not in reading.faded():
                if reading.prior is not None and attribute in reading.prior.means:
                    raise NotFoundError(
                        f"{self.name} knows no {attribute} of you: only the prior guesses it",
                        next_step=f"fern set {self.name} '{opposite(attribute)}' 5",
                    )
                raise NotFoundError(f"{self.name} knows no {attribute} now", next_step=f"fern ls {self.name} --all")
        known = surface_rows.attribute_ids(self._connection, self._row.id, [attribute])
        latest = edge_rows.latest(self._connection, known[attribute]) if known else None
        # An event may lie a little ahead of the clock; the owner's word comes after all that is there.
        at = self._clock() if latest is None else max(self._clock(), latest)
        self._write([self._own_event(correction, at, (attribute,), value=value)], OWNER_SOURCE)
        return self.why(attribute)

    def find_tuning(self, entries: int = ENTRIES) -> Tuning | None:
        """The parameters that would have foreseen the latest days best, or None with too little history; see ``graph``.

        Nothing is changed.
        """
        slugs = dict(surface_rows.slugs(self._connection, self._row.id))
        happened = [
            Happened(at, tuple(slugs[number] for number in numbers), abs(magnitude), quantity)
            for at, numbers, magnitude, quantity in history.latest_events(self._connection, self._row.id, HISTORY)
        ]
        happened.reverse()
        adopted, catalog = self.prior, self.catalog
        exclusive = [] if catalog is None else catalog.exclusive_sets(slugs.values())
        beside = Beside(None if adopted is None else adopted.prior, exclusive)
        return tune(happened, self._row.rule, entries, beside)

    def tune(self, changes: Mapping[str, Any]) -> None:
        """Use these parameters from now on: every edge is made again under them. Can be undone. Raises InputError."""
        parameters = json.dumps({**json.loads(self._row.tuning or "{}"), **changes})
        tuned(self._row.rule, changes)
        with self._rewriting():
            self._write_in([self._own_event(TUNE, self._clock(), (), item=parameters)], OWNER_SOURCE)
            self._retune()

    def _retune(self) -> None:
        """Take the parameters that the journal says hold, and make every edge again where they are others."""
        holds = history.last_tuning(self._connection, self._row.id)
        if holds != self._row.tuning:
            self._use(holds)

    def _use(self, tuning: str | None) -> None:
        surface_rows.set_tuning(self._connection, self._row.id, tuning)
        self._row = surface_rows.get(self._connection, self.name)
        journal.rebuild(self._connection, self._row)

    def undo(self, seqs: Sequence[int], *, note: str) -> int:
        """Take journal entries back, keeping them on record as undone; how many were."""
        with self._rewriting():
            event = self._own_event(UNDO, self._clock(), (), item=note)
            last = journal.last_seq(self._connection)
            taken = journal.withdraw(self._connection, self._row, seqs, undone_by=last + 1)
            if taken:
                self._write_in([event], OWNER_SOURCE)
                self._retune()
        return taken

    def redo(self, undo_seq: int) -> int:
        """Put back what an undo entry took; how many journal entries."""
        with self._rewriting():
            event = self._own_event(REDO, self._clock(), ())
            restored = journal.restore(self._connection, self._row, undone_by=undo_seq)
            last = journal.last_seq(self._connection)
            self._write_in([event], OWNER_SOURCE)
            journal.close_undo(self._connection, undo_seq, by=last + 1)
            self._retune()
        return restored

    def preview(
        self, days: int, at: int | None = None, *, entries: int = ENTRIES, seeds: Sequence[str] = ()
    ) -> tuple[Card, Card, list[Change]]:
        """The card now, the card ``days`` later if nothing more happens, and each day on which it changes."""
        return self.at(at).preview(days, entries, seeds)

    def latest(self) -> int | None:
        """The instant of the latest event, or strength set by the owner, that any edge rests on or rested on."""
        return edge_rows.latest_of_surface(self._connection, self._row.id)

    def settle(self) -> int:
        """Make the edges again whose entries came out of order; how many. Reading does it too, if it was not done."""
        late = edge_rows.stale(self._connection, self._row.id)
        if late:
            with self._rewriting():
                edge_rows.make_again(self._connection, self._row.id, late, self._row.rule)
        return len(late)

    def sweep(self) -> int:
        """Delete the edges that have faded below the floor; how many. Reading does not depend on it."""
        with self._rewriting():
            return edge_rows.sweep(self._connection, self._row.id, self._clock())

    def rebuild(self) -> None:
        """Make every edge, the entries it rests on, the counts and the parameters again from the journal."""
        with self._rewriting():
            self._use(history.last_tuning(self._connection, self._row.id))

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
        try:
            with self._transaction():
                return self._write_in(events, source, again=again)
        except BaseException:
            self._warm.clear()
            raise

    def _write_in(self, events: Sequence[Event], source: str, *, again: bool = False) -> list[bool]:
        return journal.write(
            self._connection, self._row, events, source=source, now=self._clock(), warm=self._warm, again=again
        )

    @contextmanager
    def _rewriting(self) -> Iterator[None]:
        """A transaction that changes rows otherwise than by writing events."""
        self._warm.clear()
        before = self._row
        try:
            with self._transaction():
                yield
        except BaseException:
            self._row = before
            raise
        finally:
            self._warm.clear()

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
