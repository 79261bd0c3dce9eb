"""Edges as rows: packed, loaded, saved, and made again from the journal when an entry arrived out of order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from struct import pack, unpack
from typing import Any, Final, NamedTuple

from fernvault.edge import Edge, EdgeEvent
from fernvault.event import Act
from fernvault.graph.fading import gone_at
from fernvault.graph.replay import replay
from fernvault.rule import Rule

_COLUMNS: Final = "attribute_id, traces, at, hits, fresh, first, times, pinned, owner, stale"
_UPSERT: Final = (
    "INSERT INTO edge (attribute_id, surface_id, traces, at, hits, fresh, first, times, pinned, owner, gone, stale)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (attribute_id) DO UPDATE SET traces = excluded.traces,"
    " at = excluded.at, hits = excluded.hits, fresh = excluded.fresh, first = excluded.first, times = excluded.times,"
    " pinned = excluded.pinned, owner = excluded.owner, gone = excluded.gone, stale = excluded.stale"
)
_ACTS: Final = tuple(Act)


class Stored(NamedTuple):
    """An edge as it stands in the file. A stale one must be made again from its entries before it is read."""

    edge: Edge
    stale: bool


def load(connection: Any, attribute_ids: Sequence[int]) -> dict[int, Stored]:
    """The edges of these attributes; those that have none are absent."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM edge WHERE attribute_id IN (SELECT value FROM json_each(?))",  # noqa: S608
        (json.dumps(list(attribute_ids)),),
    )
    return {row[0]: _unpack(row) for row in rows}


def load_surface(connection: Any, surface_id: int) -> Iterator[tuple[str, int, Stored]]:
    """Every edge of a surface with its attribute and the attribute's number."""
    rows = connection.execute(
        f"SELECT {_COLUMNS}, slug FROM edge JOIN attribute ON attribute.id = attribute_id WHERE edge.surface_id = ?",  # noqa: S608
        (surface_id,),
    )
    for row in rows:
        yield row[10], row[0], _unpack(row)


def save(connection: Any, surface_id: int, edges: Iterable[tuple[int, Stored]], rule: Rule) -> None:
    """Write these edges in the place of what was there."""
    connection.executemany(_UPSERT, [_pack(surface_id, number, stored, rule) for number, stored in edges])


def entries(connection: Any, attribute_id: int, *, until: int | None = None) -> Iterator[EdgeEvent]:
    """The journal entries of one edge in order of (at, seq), up to and including the instant ``until``."""
    bound = (1 << 62) if until is None else until
    rows = connection.execute(
        "SELECT at, seq, act, amount FROM edge_event WHERE attribute_id = ? AND at <= ? ORDER BY at, seq",
        (attribute_id, bound),
    )
    for at, seq, act, amount in rows:
        yield EdgeEvent(at, seq, _ACTS[act], amount)


def replayed(connection: Any, attribute_ids: Iterable[int], rule: Rule, *, until: int) -> Iterator[tuple[int, Edge]]:
    """These attributes' edges as their entries up to the instant ``until`` make them, those left without one out."""
    rows = connection.execute(
        "SELECT attribute_id, at, seq, act, amount FROM json_each(?) CROSS JOIN edge_event ON attribute_id = value"
        " WHERE at <= ? ORDER BY attribute_id, at, seq",
        (json.dumps(sorted(attribute_ids)), until),
    )
    for number, group in groupby(rows, key=itemgetter(0)):
        edge = replay((EdgeEvent(at, seq, _ACTS[act], amount) for _, at, seq, act, amount in group), rule)
        if edge is not None:
            yield number, edge


def latest(connection: Any, attribute_id: int) -> int | None:
    """The instant of an edge's latest journal entry, or None when it has none."""
    row = connection.execute("SELECT max(at) FROM edge_event WHERE attribute_id = ?", (attribute_id,)).fetchone()
    return None if row[0] is None else int(row[0])


def latest_of_surface(connection: Any, surface_id: int) -> int | None:
    """The instant of the latest event or set strength among the entries of a surface's edges, or None.

    Asked of the entries, since a swept or forgotten edge has no row.
    """
    row = connection.execute(
        "SELECT max((SELECT at FROM edge_event WHERE attribute_id = attribute.id AND act IN (?, ?)"
        " ORDER BY at DESC, seq DESC LIMIT 1)) FROM attribute WHERE surface_id = ?",
        (int(Act.LEARN), int(Act.SET), surface_id),
    ).fetchone()
    return None if row[0] is None else int(row[0])


def make_again(connection: Any, surface_id: int, attribute_ids: Iterable[int], rule: Rule) -> None:
    """Replay these edges from their entries; one that comes out empty is removed."""
    for number in attribute_ids:
        edge = replay(entries(connection, number), rule)
        if edge is None:
            connection.execute("DELETE FROM edge WHERE attribute_id = ?", (number,))
        else:
            save(connection, surface_id, [(number, Stored(edge, stale=False))], rule)


def stale(connection: Any, surface_id: int) -> list[int]:
    """The numbers of the attributes whose edges must be made again."""
    rows = connection.execute("SELECT attribute_id FROM edge WHERE surface_id = ? AND stale", (surface_id,))
    return [row[0] for row in rows]


def have_entries(connection: Any, attribute_ids: Sequence[int]) -> set[int]:
    """Those of these attributes that have any journal entry."""
    rows = connection.execute(
        "SELECT value FROM json_each(?) AS wanted"
        " WHERE EXISTS (SELECT 1 FROM edge_event WHERE attribute_id = wanted.value)",
        (json.dumps(list(attribute_ids)),),
    )
    return {row[0] for row in rows}


def absent(connection: Any, surface_id: int) -> list[tuple[str, int]]:
    """The attributes of a surface that have no edge now, each with its number: forgotten, swept, taken back."""
    rows = connection.execute(
        "SELECT slug, id FROM attribute WHERE surface_id = ?"
        " AND NOT EXISTS (SELECT 1 FROM edge WHERE attribute_id = attribute.id)",
        (surface_id,),
    )
    return [(row[0], row[1]) for row in rows]


def sweep(connection: Any, surface_id: int, now: int) -> int:
    """Delete the edges that have faded below the floor of every trace; how many. Their journal entries stay."""
    # Not at the very microsecond of ``gone``, which may be one too early.
    cursor = connection.execute(
        "DELETE FROM edge WHERE gone IS NOT NULL AND gone < ? AND surface_id = ? AND NOT stale", (now, surface_id)
    )
    return int(cursor.rowcount)


def _pack(surface_id: int, number: int, stored: Stored, rule: Rule) -> tuple[Any, ...]:
    edge, is_stale = stored
    return (
        number,
        surface_id,
        pack(f"<{len(edge.traces)}d", *edge.traces),
        edge.at,
        edge.hits,
        edge.fresh,
        edge.first,
        pack(f"<{len(edge.times)}q", *edge.times),
        edge.pinned,
        edge.owner,
        gone_at(edge, rule),
        is_stale,
    )


def _unpack(row: Sequence[Any]) -> Stored:
    _, traces, at, hits, fresh, first, times, pinned, owner, is_stale = row[:10]
    return Stored(
        Edge(
            unpack(f"<{len(traces) // 8}d", traces),
            at,
            hits,
            fresh,
            first,
            unpack(f"<{len(times) // 8}q", times),
            bool(pinned),
            bool(owner),
        ),
        bool(is_stale),
    )
