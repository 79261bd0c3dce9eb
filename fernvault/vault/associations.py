"""What fires together as rows: per pair of a surface's attributes, how many events and their sum of landmark weights.

A pair of an attribute with itself holds its own count, and ``tally`` that of all the surface's events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from fernvault.graph.association import decayed, lift, pairs, weight
from fernvault.graph.merit import merit

_ADD_PAIR: Final = (
    "INSERT INTO association (one, other, events, weight) VALUES (?, ?, ?, ?) ON CONFLICT (one, other)"
    " DO UPDATE SET events = events + excluded.events, weight = weight + excluded.weight"
)
_ADD_TALLY: Final = (
    "INSERT INTO tally (surface_id, events, weight) VALUES (?, ?, ?) ON CONFLICT (surface_id)"
    " DO UPDATE SET events = events + excluded.events, weight = weight + excluded.weight"
)

Pair = tuple[int, int]


class Lifted(NamedTuple):
    """What one seed says: its merit (``graph.merit``) and each attribute's log lift."""

    merit: float
    lifts: Mapping[str, float]


class Count(NamedTuple):
    """How many events, and their sum of landmark weights."""

    events: int
    weight: float


class Deltas:
    """What a batch of events adds to a surface's counts, gathered so that each row is written once."""

    __slots__ = ("_sets",)

    def __init__(self) -> None:
        # Events of one kind of thing mostly carry the very same attributes; their pairs are made once, at the end.
        self._sets: dict[tuple[int, ...], tuple[int, float]] = {}

    def add(self, at: int, counted: Sequence[int], amount: float) -> None:
        """One event at the instant ``at`` whose counted attributes are these; what weighs under 1 counts for less.

        One without attributes says nothing of what goes with what, and is not counted.
        """
        if not counted:
            return
        key = tuple(counted)
        events, total = self._sets.get(key, _NONE)
        share = weight(at)
        self._sets[key] = (events + 1, total + (share if amount >= 1.0 else share * amount))

    def total(self) -> Count:
        """All the events."""
        counts = self._sets.values()
        return Count(sum(events for events, _ in counts), sum(total for _, total in counts))

    def pairs(self) -> dict[Pair, Count]:
        """Each pair of attributes that fired together, an attribute with itself too."""
        found: dict[Pair, Count] = {}
        for counted, (events, total) in self._sets.items():
            for pair in pairs(counted):
                before, held = found.get(pair, _NONE)
                found[pair] = Count(before + events, held + total)
        return found


_NONE: Final = (0, 0.0)


def add(connection: Any, surface_id: int, deltas: Deltas) -> None:
    """Add these to the surface's counts."""
    total = deltas.total()
    if total.events:
        connection.executemany(_ADD_PAIR, [(*pair, *count) for pair, count in deltas.pairs().items()])
        connection.execute(_ADD_TALLY, (surface_id, *total))


def subtract(connection: Any, surface_id: int, deltas: Deltas) -> None:
    """Take these from the surface's counts, and the pairs away that no event is left of."""
    total = deltas.total()
    if not total.events:
        return
    gone = deltas.pairs()
    connection.executemany(
        "UPDATE association SET events = events - ?, weight = weight - ? WHERE one = ? AND other = ?",
        [(*count, *pair) for pair, count in gone.items()],
    )
    connection.executemany("DELETE FROM association WHERE one = ? AND other = ? AND events < 1", gone)
    connection.execute(
        "UPDATE tally SET events = events - ?, weight = weight - ? WHERE surface_id = ?",
        (*total, surface_id),
    )
    connection.execute("DELETE FROM tally WHERE surface_id = ? AND events < 1", (surface_id,))


def replace(connection: Any, surface_id: int, deltas: Deltas) -> None:
    """Put these in the place of all the surface's counts."""
    connection.execute(
        "DELETE FROM association WHERE one IN (SELECT id FROM attribute WHERE surface_id = ?)", (surface_id,)
    )
    connection.execute("DELETE FROM tally WHERE surface_id = ?", (surface_id,))
    add(connection, surface_id, deltas)


def tally(connection: Any, surface_id: int) -> Count:
    """All the surface's events."""
    row = connection.execute("SELECT events, weight FROM tally WHERE surface_id = ?", (surface_id,)).fetchone()
    return Count(0, 0.0) if row is None else Count(row[0], row[1])


def every(connection: Any, surface_id: int) -> dict[Pair, Count]:
    """All pairs of a surface."""
    rows = connection.execute(
        "SELECT one, other, events, weight FROM association JOIN attribute ON attribute.id = one WHERE surface_id = ?",
        (surface_id,),
    )
    return {(row[0], row[1]): Count(row[2], row[3]) for row in rows}


def lifts(connection: Any, surface_id: int, seeds: Iterable[str], at: int, *, shrinkage: float) -> dict[str, Lifted]:
    """Per seed that was counted, its merit and the log lift of each attribute that was (``graph.association.lift``).

    What never fired with the seed is lowered, so every attribute has one.
    """
    wanted = dict.fromkeys(seeds)
    if not wanted:
        return {}
    total = decayed(tally(connection, surface_id).weight, at)
    slugs: dict[int, str] = {}
    own: dict[str, float] = {}
    for number, slug, held in connection.execute(
        "SELECT one, slug, weight FROM association JOIN attribute ON attribute.id = one"
        " WHERE surface_id = ? AND other = one",
        (surface_id,),
    ):
        slugs[number] = slug
        own[slug] = decayed(held, at)
    numbers = {slug: number for number, slug in slugs.items()}
    found = {}
    for seed in wanted:
        if seed in own:
            number, held = numbers[seed], own[seed]
            joint = {
                slugs[other]: decayed(both, at)
                for other, both in _joint(connection, number).items()
                if other != number and other in slugs
            }
            found[seed] = Lifted(
                merit(joint, held, own, total, shrinkage),
                {
                    slug: lift(joint.get(slug, 0.0), held, count, total, shrinkage)
                    for slug, count in own.items()
                    if slug != seed
                },
            )
    return found


def _joint(connection: Any, number: int) -> Mapping[int, float]:
    rows = connection.execute(
        "SELECT other, weight FROM association WHERE one = ?1"
        " UNION ALL SELECT one, weight FROM association WHERE other = ?1",
        (number,),
    )
    return dict(rows.fetchall())
