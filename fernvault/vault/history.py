"""Reading the journal: single events for `why`, corrections for `undo`, all of it for an export."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple


class JournalRow(NamedTuple):
    """One journal entry as it is kept; ``attributes`` are those that fired, so negative ones show their ``!``."""

    seq: int
    id: str
    at: int
    kind: str
    item: str | None
    attributes: tuple[str, ...]
    magnitude: float
    quantity: float | None
    value: float | None
    source: str
    recorded: int
    undone_by: str | None


_SELECT = (
    "SELECT event.seq, event.id, at, kind, item, attributes, magnitude, quantity, value, source.name, recorded,"
    " (SELECT taker.id FROM event AS taker WHERE taker.seq = event.undone)"
    " FROM event JOIN source ON source.id = event.source_id"
)


def by_seq(connection: Any, seqs: Sequence[int], slugs: dict[int, str]) -> dict[int, JournalRow]:
    """The journal entries with these numbers."""
    rows = connection.execute(
        f"{_SELECT} WHERE event.seq IN (SELECT value FROM json_each(?))",  # noqa: S608
        (json.dumps(list(seqs)),),
    )
    return {row[0]: _row(row, slugs) for row in rows}


def whole(connection: Any, surface_id: int, slugs: dict[int, str]) -> Iterator[JournalRow]:
    """A surface's journal in the order in which it was written."""
    for row in connection.execute(f"{_SELECT} WHERE surface_id = ? ORDER BY event.seq", (surface_id,)):
        yield _row(row, slugs)


def last_correction(connection: Any, surface_id: int | None) -> tuple[int, int] | None:
    """(surface number, seq) of the latest correction not yet taken back, of one surface or of any."""
    row = connection.execute(
        "SELECT surface_id, seq FROM event WHERE kind IN ('set', 'pin', 'unpin', 'forget', 'tune') AND undone IS NULL"
        " AND (?1 IS NULL OR surface_id = ?1) ORDER BY seq DESC LIMIT 1",
        (surface_id,),
    ).fetchone()
    return None if row is None else (row[0], row[1])


def last_undo(connection: Any, surface_id: int | None) -> tuple[int, int] | None:
    """(surface number, seq) of the latest undo that still holds, of one surface or of any."""
    row = connection.execute(
        "SELECT surface_id, seq FROM event WHERE kind = 'undo' AND undone IS NULL"
        " AND (?1 IS NULL OR surface_id = ?1) ORDER BY seq DESC LIMIT 1",
        (surface_id,),
    ).fetchone()
    return None if row is None else (row[0], row[1])


def recorded_since(connection: Any, surface_id: int, since: int) -> list[int]:
    """The numbers of the events, without corrections, that a surface's journal took in at or after an instant."""
    rows = connection.execute(
        "SELECT seq FROM event WHERE surface_id = ? AND recorded >= ? AND undone IS NULL"
        " AND kind NOT IN ('set', 'pin', 'unpin', 'forget', 'undo', 'redo', 'tune')",
        (surface_id, since),
    )
    return [row[0] for row in rows]


def count(connection: Any, surface_id: int | None = None) -> int:
    """How many events have been recorded and not taken back, in all or on one surface; corrections do not count."""
    (total,) = connection.execute(
        "SELECT count(*) FROM event WHERE (?1 IS NULL OR surface_id = ?1) AND undone IS NULL"
        " AND kind NOT IN ('set', 'pin', 'unpin', 'forget', 'undo', 'redo', 'tune')",
        (surface_id,),
    ).fetchone()
    return int(total)


def latest_events(connection: Any, surface_id: int, count: int) -> Iterator[tuple[int, list[int], float, float | None]]:
    """The latest events by their own time, latest first: instant, attribute numbers, magnitude, quantity."""
    rows = connection.execute(
        "SELECT at, attributes, magnitude, quantity FROM event WHERE surface_id = ? AND undone IS NULL"
        " AND kind NOT IN ('set', 'pin', 'unpin', 'forget', 'undo', 'redo', 'tune') ORDER BY at DESC, seq DESC LIMIT ?",
        (surface_id, count),
    )
    for at, attributes, magnitude, quantity in rows:
        yield at, json.loads(attributes), magnitude, quantity


def last_tuning(connection: Any, surface_id: int) -> str | None:
    """The parameters of the latest tuning that holds, as JSON, or None."""
    row = connection.execute(
        "SELECT item FROM event WHERE surface_id = ? AND kind = 'tune' AND undone IS NULL ORDER BY seq DESC LIMIT 1",
        (surface_id,),
    ).fetchone()
    return None if row is None else str(row[0])


def _row(row: Sequence[Any], slugs: dict[int, str]) -> JournalRow:
    seq, id_, at, kind, item, numbers, *rest = row
    return JournalRow(seq, id_, at, kind, item, tuple(slugs[number] for number in json.loads(numbers)), *rest)
