"""Surfaces and their attributes as rows: who is there, by which rule, and the number of each attribute."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from fernvault.errors import ExistsError, InputError, NotFoundError
from fernvault.rule import Rule, preset

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")


class SurfaceRow(NamedTuple):
    """One surface: its number, its name, when it was added (instant), its rule, its catalog as JSON or None."""

    id: int
    name: str
    added: int
    rule: Rule
    catalog: str | None


def require_name(name: str) -> str:
    """The name itself. Raises InputError when it cannot name a surface."""
    if _NAME.fullmatch(name) is None:
        raise InputError(
            f"not a surface name: {name[:60]!r}",
            next_step="use up to 64 small letters, digits, dots, hyphens and underscores, e.g. shop.example",
        )
    return name


def add(connection: Any, name: str, *, rule: Rule, catalog: str | None, now: int) -> SurfaceRow:
    """Insert a surface. Raises InputError for a bad name, ExistsError for a taken one."""
    require_name(name)
    if connection.execute("SELECT 1 FROM surface WHERE name = ?", (name,)).fetchone():
        raise ExistsError(f"there is a surface {name} already", next_step=f"fern surface show {name}")
    row = connection.execute(
        "INSERT INTO surface (name, added, preset, catalog) VALUES (?, ?, ?, ?) RETURNING id",
        (name, now, rule.name, catalog),
    ).fetchone()
    return SurfaceRow(row[0], name, now, rule, catalog)


def get(connection: Any, name: str) -> SurfaceRow:
    """The surface of that name. Raises NotFoundError."""
    row = connection.execute("SELECT id, name, added, preset, catalog FROM surface WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise NotFoundError(f"no surface {name[:80]!r} in this vault")
    return SurfaceRow(row[0], row[1], row[2], preset(row[3]), row[4])


def every(connection: Any) -> list[SurfaceRow]:
    """All surfaces, by name."""
    rows = connection.execute("SELECT id, name, added, preset, catalog FROM surface ORDER BY name").fetchall()
    return [SurfaceRow(row[0], row[1], row[2], preset(row[3]), row[4]) for row in rows]


def replace_catalog(connection: Any, surface_id: int, items: Iterable[tuple[str, Sequence[str]]]) -> int:
    """Put this item table in the place of the surface's old one; how many items it has."""
    connection.execute("DELETE FROM catalog_item WHERE surface_id = ?", (surface_id,))
    connection.executemany(
        "INSERT INTO catalog_item (surface_id, item, attributes) VALUES (?, ?, ?)"
        " ON CONFLICT (surface_id, item) DO UPDATE SET attributes = excluded.attributes",
        ((surface_id, item, json.dumps(list(attributes))) for item, attributes in items),
    )
    return item_count(connection, surface_id)


def item_count(connection: Any, surface_id: int) -> int:
    """How many items a surface's item table holds."""
    row = connection.execute("SELECT count(*) FROM catalog_item WHERE surface_id = ?", (surface_id,)).fetchone()
    return int(row[0])


def attribute_count(connection: Any, surface_id: int) -> int:
    """How many attributes a surface has."""
    row = connection.execute("SELECT count(*) FROM attribute WHERE surface_id = ?", (surface_id,)).fetchone()
    return int(row[0])


def item_attributes(connection: Any, surface_id: int, items: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """What the surface's item table says of these items; unknown ones are absent."""
    rows = connection.execute(
        "SELECT item, attributes FROM catalog_item WHERE surface_id = ? AND item IN (SELECT value FROM json_each(?))",
        (surface_id, json.dumps(list(items))),
    )
    return {item: tuple(json.loads(attributes)) for item, attributes in rows}


def attribute_ids(connection: Any, surface_id: int, slugs: Sequence[str]) -> dict[str, int]:
    """The numbers of those attributes that the surface has."""
    rows = connection.execute(
        "SELECT slug, id FROM attribute WHERE surface_id = ? AND slug IN (SELECT value FROM json_each(?))",
        (surface_id, json.dumps(list(slugs))),
    )
    return dict(rows.fetchall())


def add_attributes(connection: Any, surface_id: int, slugs: Iterable[str]) -> dict[str, int]:
    """Insert new attributes; their numbers."""
    return {
        slug: connection.execute(
            "INSERT INTO attribute (surface_id, slug) VALUES (?, ?) RETURNING id", (surface_id, slug)
        ).fetchone()[0]
        for slug in slugs
    }


def slugs(connection: Any, surface_id: int) -> Iterator[tuple[int, str]]:
    """All attributes of a surface with their numbers."""
    yield from connection.execute("SELECT id, slug FROM attribute WHERE surface_id = ?", (surface_id,))


def remove(connection: Any, surface_id: int) -> None:
    """Delete a surface and, by cascade, everything that hangs on it; then the sources that nothing names any more."""
    connection.execute("DELETE FROM surface WHERE id = ?", (surface_id,))
    connection.execute("DELETE FROM source WHERE id NOT IN (SELECT DISTINCT source_id FROM event)")
