"""Surfaces and their attributes as rows: who is there, by which rule, and the number of each attribute."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from fernvault.errors import ExistsError, InputError, NotFoundError
from fernvault.rule import Rule, preset, tuned

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")


_ROW: Final = "SELECT id, name, added, preset, catalog, tuning FROM surface"


class SurfaceRow(NamedTuple):
    """One surface: its number, its name, when it was added (instant), its rule, its catalog as JSON or None.

    The rule is the preset's with what was tuned for this surface, which ``tuning`` holds as JSON.
    """

    id: int
    name: str
    added: int
    rule: Rule
    catalog: str | None
    tuning: str | None = None


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
    row = connection.execute(f"{_ROW} WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise NotFoundError(f"no surface {name[:80]!r} in this vault")
    return _row(row)


def every(connection: Any) -> list[SurfaceRow]:
    """All surfaces, by name."""
    return [_row(row) for row in connection.execute(f"{_ROW} ORDER BY name").fetchall()]


def _row(row: Sequence[Any]) -> SurfaceRow:
    id_, name, added, preset_name, catalog, tuning = row
    return SurfaceRow(id_, name, added, tuned(preset(preset_name), json.loads(tuning or "{}")), catalog, tuning)


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


def token_counts(connection: Any, surface_id: int, slugs: Sequence[str]) -> dict[str, int]:
    """The stored token counts of these attributes; those that have none are absent."""
    rows = connection.execute(
        "SELECT slug, tokens FROM attribute WHERE surface_id = ? AND tokens IS NOT NULL"
        " AND slug IN (SELECT value FROM json_each(?))",
        (surface_id, json.dumps(list(slugs))),
    )
    return dict(rows.fetchall())


def without_tokens(connection: Any, surface_id: int) -> list[tuple[int, str]]:
    """The attributes of a surface whose tokens nobody has counted, each with its number."""
    rows = connection.execute("SELECT id, slug FROM attribute WHERE surface_id = ? AND tokens IS NULL", (surface_id,))
    return [(row[0], row[1]) for row in rows]


def put_tokens(connection: Any, counts: Iterable[tuple[int, int]]) -> None:
    """Keep these token counts: attribute number, tokens of its name after a space."""
    connection.executemany("UPDATE attribute SET tokens = ? WHERE id = ?", [(tokens, id_) for id_, tokens in counts])


def set_tuning(connection: Any, surface_id: int, tuning: str | None) -> None:
    """Keep these parameters, as JSON, in the place of the preset's."""
    connection.execute("UPDATE surface SET tuning = ? WHERE id = ?", (tuning, surface_id))


def remove(connection: Any, surface_id: int) -> None:
    """Delete a surface and, by cascade, everything that hangs on it; then the sources that nothing names any more."""
    connection.execute("DELETE FROM surface WHERE id = ?", (surface_id,))
    connection.execute("DELETE FROM source WHERE id NOT IN (SELECT DISTINCT source_id FROM event)")
