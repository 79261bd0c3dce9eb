"""The journal: events in, once each, and with them in the same transaction the edges that they change."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from fernvault.attribute import CONTEXT, namespace, opposite
from fernvault.edge import EdgeEvent
from fernvault.event import CORRECTIONS, OWNER_KINDS, Act, Event
from fernvault.graph.association import TOGETHER, together
from fernvault.graph.magnitude import amount
from fernvault.graph.replay import replay, step
from fernvault.rule import Rule
from fernvault.vault import associations, edges, surfaces
from fernvault.vault.associations import Deltas
from fernvault.vault.surfaces import SurfaceRow
from fernvault.vault.warm import Warm

_INSERT_EVENT: Final = (
    "INSERT INTO event (seq, surface_id, id, at, kind, item, attributes, magnitude, quantity, value, source_id,"
    " recorded) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_INSERT_IF_NEW: Final = f"{_INSERT_EVENT} ON CONFLICT (surface_id, id) DO NOTHING"
_LINK_COLUMNS: Final = "seq, at, kind, attributes, magnitude, quantity, value"
_INSERT_EDGE_EVENT: Final = "INSERT INTO edge_event (attribute_id, at, seq, act, amount) VALUES (?, ?, ?, ?, ?)"


def source_id(connection: Any, name: str, warm: Warm) -> int:
    """The number of a source (where events came from), made if it is new."""
    known = warm.shared.sources
    if name not in known:
        row = connection.execute("SELECT id FROM source WHERE name = ?", (name,)).fetchone()
        if row is None:
            row = connection.execute("INSERT INTO source (name) VALUES (?) RETURNING id", (name,)).fetchone()
        known[name] = int(row[0])
    return known[name]


def last_seq(connection: Any) -> int:
    """The number of the latest journal entry; 0 in an empty journal."""
    return int(connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0])


def known_ids(connection: Any, surface_id: int, ids: Sequence[str]) -> set[str]:
    """Those of these event ids that the surface's journal holds."""
    rows = connection.execute(
        "SELECT id FROM event WHERE surface_id = ? AND id IN (SELECT value FROM json_each(?))",
        (surface_id, json.dumps(ids)),
    )
    return {row[0] for row in rows}


def _free_ids(connection: Any, surface_id: int, ids: Iterable[str]) -> None:
    """Give those of these ids free whose entries were taken back; the entries stay on record under another id.

    That id has a space, which none from outside can have, so the two never meet.
    """
    connection.execute(
        "UPDATE event SET id = id || ' ' || seq WHERE surface_id = ? AND undone IS NOT NULL"
        " AND id IN (SELECT value FROM json_each(?))",
        (surface_id, json.dumps(list(ids))),
    )


def fired(event: Event) -> tuple[str, ...]:
    """The attributes whose edges an event strengthens: the opposite ones for a negative magnitude.

    Context stays as it is: what was returned in the morning says nothing against the morning.
    """
    if event.magnitude >= 0:
        return event.attributes
    return tuple([name if namespace(name) == CONTEXT else opposite(name) for name in event.attributes])


def write(
    connection: Any,
    surface: SurfaceRow,
    events: Sequence[Event],
    *,
    source: str,
    now: int,
    warm: Warm,
    again: bool = False,
) -> list[bool]:
    """Add events to the journal and fold them into their edges; for each, whether it was new.

    An id that the surface has already, or that stands twice in ``events``, is a duplicate and changes nothing.
    Corrections (kinds of ``event.CORRECTIONS``) carry a SET's strength in ``value``. ``warm`` belongs to this
    surface; clear it when the transaction fails. With ``again`` an id whose entry was taken back counts as new. The
    caller holds the transaction.
    """
    if again:
        _free_ids(connection, surface.id, [event.id for event in events])
    # One event that brings nothing else new is asked about by writing it, which is one look-up less.
    asking = len(events) == 1 and source in warm.shared.sources and warm.numbers.keys() >= set(fired(events[0]))
    seen = set() if asking else known_ids(connection, surface.id, [event.id for event in events])
    fresh: list[bool] = []
    new: list[tuple[Event, tuple[str, ...]]] = []
    for event in events:
        is_new = event.id not in seen
        fresh.append(is_new)
        if is_new:
            seen.add(event.id)
            new.append((event, fired(event)))
    if not new:
        return fresh

    created = _number_attributes(connection, surface.id, new, warm.numbers)
    known_seq = warm.shared.last_seq
    batch = _Batch(surface, source_id(connection, source, warm), now)
    batch.enter(new, warm.numbers, last_seq(connection) if known_seq is None else known_seq)
    if asking:
        if not connection.execute(_INSERT_IF_NEW, batch.rows[0]).rowcount:
            return [False]
    else:
        connection.executemany(_INSERT_EVENT, batch.rows)
    warm.shared.last_seq = batch.rows[-1][0]
    _fold(connection, surface, batch.entries, created, warm)
    connection.executemany(_INSERT_EDGE_EVENT, batch.links)
    associations.add(connection, surface.id, batch.deltas)
    return fresh


class _Batch:
    """New events as the rows that they become: of the journal, of its links, each edge's entries, and the counts."""

    __slots__ = ("_now", "_source", "_surface", "deltas", "entries", "links", "rows")

    def __init__(self, surface: SurfaceRow, source: int, now: int) -> None:
        self._surface = surface
        self._source = source
        self._now = now
        self.rows: list[tuple[Any, ...]] = []
        self.links: list[tuple[Any, ...]] = []
        self.entries: defaultdict[int, list[EdgeEvent]] = defaultdict(list)
        self.deltas = Deltas()

    def enter(self, new: Iterable[tuple[Event, tuple[str, ...]]], numbers: dict[str, int], seq: int) -> None:
        """Add these events with the attributes that they fire, numbered on from ``seq``."""
        rows, links, entries, deltas = self.rows, self.links, self.entries, self.deltas
        surface_id, rule, source, now = self._surface.id, self._surface.rule, self._source, self._now
        for event, slugs in new:
            seq += 1
            id_, at, kind, item, _, magnitude, quantity, value = event
            ids = [numbers[slug] for slug in slugs]
            rows.append((seq, surface_id, id_, at, kind, item, str(ids), magnitude, quantity, value, source, now))
            act = CORRECTIONS.get(kind, Act.LEARN)
            size = amount(magnitude, quantity, rule) if act is Act.LEARN else float(value or 0.0)
            entry = EdgeEvent(at, seq, act, size)
            act_number = int(act)
            for number in ids:
                entries[number].append(entry)
                links.append((number, at, seq, act_number, size))
            if act is Act.LEARN:
                deltas.add(at, ids if len(ids) <= TOGETHER else [numbers[slug] for slug in together(slugs)], size)


def _number_attributes(
    connection: Any, surface_id: int, events: Iterable[tuple[Event, tuple[str, ...]]], numbers: dict[str, int]
) -> set[int]:
    """Complete ``numbers`` for these events; the numbers of the attributes that are new to the surface."""
    missing = {slug: None for _, slugs in events for slug in slugs if slug not in numbers}
    if not missing:
        return set()
    numbers.update(surfaces.attribute_ids(connection, surface_id, list(missing)))
    added = surfaces.add_attributes(connection, surface_id, [slug for slug in missing if slug not in numbers])
    numbers.update(added)
    return set(added.values())


def _fold(
    connection: Any, surface: SurfaceRow, entries: dict[int, list[EdgeEvent]], created: set[int], warm: Warm
) -> None:
    """Step each edge through its new entries.

    An edge is the fold of its entries in order of time. Where a new one lies before the latest, or the edge is not
    there although it has entries (swept, or forgotten), it is only marked stale: made again when it is next read, so
    that a file in any order costs one replay and not one per batch.
    """
    stored = _held(connection, list(entries), created, warm)
    absent = [number for number in entries if stored[number] is None and number not in created]
    with_past = edges.have_entries(connection, absent) if absent else set()
    changed: list[tuple[int, edges.Stored]] = []
    emptied: list[int] = []
    for number, batch in entries.items():
        if len(batch) > 1:
            batch.sort()
        before = stored[number]
        edge = before.edge if before else None
        if (before and before.stale) or number in with_past or (edge and batch[0].at < edge.at):
            placeholder = edge or replay([entry._replace(act=Act.SET, amount=0.0) for entry in batch], surface.rule)
            if placeholder is not None:
                changed.append((number, edges.Stored(placeholder, stale=True)))
            continue
        for entry in batch:
            edge = step(edge, entry, surface.rule)
        if edge is not None:
            changed.append((number, edges.Stored(edge, stale=False)))
        elif before:
            emptied.append(number)
    edges.save(connection, surface.id, changed, surface.rule)
    warm.edges.update(changed)
    if emptied:
        connection.executemany("DELETE FROM edge WHERE attribute_id = ?", [(number,) for number in emptied])
        warm.edges.update(dict.fromkeys(emptied))


def _held(connection: Any, numbers: Sequence[int], created: set[int], warm: Warm) -> dict[int, edges.Stored | None]:
    """The edges of these attributes, None for one that is not there."""
    warm.make_room(len(numbers))
    known = warm.edges
    known.update(dict.fromkeys(created))
    unread = [number for number in numbers if number not in known]
    if unread:
        known.update(dict.fromkeys(unread))
        known.update(edges.load(connection, unread))
    return known


def withdraw(connection: Any, surface: SurfaceRow, seqs: Sequence[int], *, undone_by: int) -> int:
    """Take these journal entries back: they stay in the journal, marked, and no edge knows them; how many it took.

    Those already taken back, and undo entries themselves, are passed over.
    """
    chosen = connection.execute(
        f"SELECT {_LINK_COLUMNS} FROM event WHERE surface_id = ? AND undone IS NULL AND kind NOT IN ('undo', 'redo')"  # noqa: S608
        " AND seq IN (SELECT value FROM json_each(?))",
        (surface.id, json.dumps(list(seqs))),
    ).fetchall()
    touched: dict[int, None] = {}
    for seq, at, _, attributes, *_ in chosen:
        numbers = json.loads(attributes)
        connection.execute("UPDATE event SET undone = ? WHERE seq = ?", (undone_by, seq))
        for number in numbers:
            touched[number] = None
            connection.execute(
                "DELETE FROM edge_event WHERE attribute_id = ? AND at = ? AND seq = ?", (number, at, seq)
            )
    edges.make_again(connection, surface.id, touched, surface.rule)
    associations.subtract(connection, surface.id, _deltas(connection, surface, chosen))
    return len(chosen)


def restore(connection: Any, surface: SurfaceRow, *, undone_by: int) -> int:
    """Put back what the undo entry with this number took; how many entries.

    One that has come in anew since then stays as it is, or it would count twice.
    """
    chosen = connection.execute(
        f"SELECT {_LINK_COLUMNS} FROM event WHERE surface_id = ? AND undone = ? AND id NOT LIKE '% ' || seq",  # noqa: S608
        (surface.id, undone_by),
    ).fetchall()
    links = list(_links(chosen, surface.rule))
    connection.executemany("UPDATE event SET undone = NULL WHERE seq = ?", [(row[0],) for row in chosen])
    connection.executemany(_INSERT_EDGE_EVENT, links)
    edges.make_again(connection, surface.id, dict.fromkeys(link[0] for link in links), surface.rule)
    associations.add(connection, surface.id, _deltas(connection, surface, chosen))
    return len(chosen)


def close_undo(connection: Any, seq: int, *, by: int) -> None:
    """Mark an undo entry as taken back itself."""
    connection.execute("UPDATE event SET undone = ? WHERE seq = ?", (by, seq))


def rebuild(connection: Any, surface: SurfaceRow) -> None:
    """Make every edge of a surface, the entries they rest on, and its counts again from the journal alone."""
    connection.execute(
        "DELETE FROM edge_event WHERE attribute_id IN (SELECT id FROM attribute WHERE surface_id = ?)", (surface.id,)
    )
    connection.execute(
        "DELETE FROM edge WHERE surface_id = ?1 OR attribute_id IN (SELECT id FROM attribute WHERE surface_id = ?1)",
        (surface.id,),
    )
    connection.executemany(_INSERT_EDGE_EVENT, links_of(connection, surface.id, surface.rule))
    numbers = [row[0] for row in connection.execute("SELECT id FROM attribute WHERE surface_id = ?", (surface.id,))]
    edges.make_again(connection, surface.id, numbers, surface.rule)
    associations.replace(connection, surface.id, counts(connection, surface))


def counts(connection: Any, surface: SurfaceRow) -> Deltas:
    """What the live part of a surface's journal says of what fires together."""
    rows = connection.execute(
        f"SELECT {_LINK_COLUMNS} FROM event WHERE surface_id = ? AND undone IS NULL ORDER BY seq",  # noqa: S608
        (surface.id,),
    )
    return _deltas(connection, surface, rows)


def _deltas(connection: Any, surface: SurfaceRow, rows: Iterable[Sequence[Any]]) -> Deltas:
    found = Deltas()
    slugs: dict[int, str] = {}
    for _, at, kind, attributes, magnitude, quantity, _ in rows:
        if kind in OWNER_KINDS:
            continue
        ids = json.loads(attributes)
        if len(ids) > TOGETHER:
            slugs = slugs or dict(surfaces.slugs(connection, surface.id))
            chosen = together([slugs[number] for number in ids])
            ids = [number for number in ids if slugs[number] in chosen]
        found.add(at, ids, amount(magnitude, quantity, surface.rule))
    return found


def links_of(connection: Any, surface_id: int, rule: Rule) -> Iterable[tuple[int, int, int, int, float]]:
    """The (attribute number, at, seq, act, amount) rows that the live part of a surface's journal implies."""
    rows = connection.execute(
        f"SELECT {_LINK_COLUMNS} FROM event WHERE surface_id = ? AND undone IS NULL ORDER BY seq",  # noqa: S608
        (surface_id,),
    )
    yield from _links(rows, rule)


def _links(rows: Iterable[Sequence[Any]], rule: Rule) -> Iterable[tuple[int, int, int, int, float]]:
    for seq, at, kind, attributes, magnitude, quantity, value in rows:
        act = CORRECTIONS.get(kind, Act.LEARN)
        size = amount(magnitude, quantity, rule) if act is Act.LEARN else float(value or 0.0)
        for number in json.loads(attributes):
            yield number, at, seq, int(act), size
