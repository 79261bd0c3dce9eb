"""The doctor: pages, structure, and every edge and count against a replay of the journal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isclose
from typing import Any, Final

from fernvault.edge import Edge
from fernvault.graph.association import weight
from fernvault.graph.fading import settle
from fernvault.graph.replay import replay
from fernvault.vault import associations, edges, history, integrity, journal, surfaces
from fernvault.vault.integrity import Finding
from fernvault.vault.surfaces import SurfaceRow

TOLERANCE: Final = 1e-9


def examine(connection: Any, now: int) -> list[Finding]:
    """Everything that is wrong with an open vault; empty when it is whole. ``now`` is an instant.

    An edge must equal the fold of its entries, whose steps are the same in the same order; what fades may differ in the
    tenth digit, since another machine's power function rounds otherwise. One that is absent must have been forgotten,
    or have faded away by now.
    """
    findings = list(integrity.check(connection))
    if findings:
        return findings
    for surface in surfaces.every(connection):
        findings += _tuning(connection, surface)
        findings += _entries(connection, surface)
        findings += _edges(connection, surface, now)
        findings += _counts(connection, surface, now)
    return findings


def _tuning(connection: Any, surface: SurfaceRow) -> list[Finding]:
    if surface.tuning == history.last_tuning(connection, surface.id):
        return []
    return [Finding("tuning", f"{surface.name}: its parameters are not those that the journal holds")]


def _entries(connection: Any, surface: SurfaceRow) -> list[Finding]:
    kept = connection.execute(
        "SELECT attribute_id, at, seq, act, amount FROM edge_event"
        " WHERE attribute_id IN (SELECT id FROM attribute WHERE surface_id = ?)",
        (surface.id,),
    )
    implied_count, implied = _digest(journal.links_of(connection, surface.id, surface.rule))
    kept_count, found = _digest(kept)
    if (implied_count, implied) == (kept_count, found):
        return []
    return [Finding("entries", f"{surface.name}: the journal implies {implied_count} entries, {kept_count} are there")]


def _digest(rows: Iterable[Sequence[Any]]) -> tuple[int, int]:
    """Count and order-free sum of hashes, so that millions of rows compare in constant memory."""
    count = total = 0
    for row in rows:
        count += 1
        total += hash(tuple(row))
    return count, total


def _edges(connection: Any, surface: SurfaceRow, now: int) -> list[Finding]:
    stored = {number: kept for _, number, kept in edges.load_surface(connection, surface.id)}
    findings = []
    for number, slug in list(surfaces.slugs(connection, surface.id)):
        kept = stored.get(number)
        if kept is not None and kept.stale:
            continue
        made = replay(edges.entries(connection, number), surface.rule)
        if kept is None:
            if settle(made, now, surface.rule) is not None:
                findings.append(Finding("edge", f"{surface.name}: {slug} is missing"))
        elif not _agree(kept.edge, made):
            findings.append(Finding("edge", f"{surface.name}: {slug} differs from its journal"))
    return findings


def _counts(connection: Any, surface: SurfaceRow, now: int) -> list[Finding]:
    deltas = journal.counts(connection, surface)
    made = deltas.pairs()
    kept = associations.every(connection, surface.id)
    least = TOLERANCE * weight(now)
    compared = [(associations.tally(connection, surface.id), deltas.total())]
    if kept.keys() == made.keys() and all(
        one.events == other.events and isclose(one.weight, other.weight, rel_tol=TOLERANCE, abs_tol=least)
        for one, other in [*compared, *((count, made[pair]) for pair, count in kept.items())]
    ):
        return []
    return [Finding("counts", f"{surface.name}: what fires together differs from the journal")]


def _agree(kept: Edge, made: Edge | None) -> bool:
    if made is None or len(kept.traces) != len(made.traces):
        return False
    exact = kept._replace(traces=(), fresh=0.0) == made._replace(traces=(), fresh=0.0)
    faded = zip((*kept.traces, kept.fresh), (*made.traces, made.fresh), strict=True)
    return exact and all(isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE) for one, other in faded)
