"""The tables of vault.db, and the migrations that lead to them. Forward only; a released migration never changes.

Instants are whole microseconds (fernvault.instant). ``event`` is the journal and the only truth: ``edge``,
``edge_event``, ``association`` and ``tally`` can be made again from it, which is what `fern doctor` compares.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from fernvault.errors import VaultTooNewError
from fernvault.vault import associations, journal, surfaces

_V1: Final = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE surface (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    added INTEGER NOT NULL,
    preset TEXT NOT NULL,
    catalog TEXT
) STRICT;

CREATE TABLE catalog_item (
    surface_id INTEGER NOT NULL REFERENCES surface (id) ON DELETE CASCADE,
    item TEXT NOT NULL,
    attributes TEXT NOT NULL,
    PRIMARY KEY (surface_id, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE attribute (
    id INTEGER PRIMARY KEY,
    surface_id INTEGER NOT NULL REFERENCES surface (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    tokens INTEGER,
    UNIQUE (surface_id, slug)
) STRICT;

CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    surface_id INTEGER NOT NULL REFERENCES surface (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    item TEXT,
    attributes TEXT NOT NULL,
    magnitude REAL NOT NULL,
    quantity REAL,
    value REAL,
    source_id INTEGER NOT NULL REFERENCES source (id),
    recorded INTEGER NOT NULL,
    undone INTEGER,
    UNIQUE (surface_id, id)
) STRICT;

CREATE INDEX event_correction ON event (surface_id, seq)
    WHERE kind IN ('set', 'pin', 'unpin', 'forget', 'undo');

CREATE TABLE edge (
    attribute_id INTEGER PRIMARY KEY REFERENCES attribute (id) ON DELETE CASCADE,
    surface_id INTEGER NOT NULL REFERENCES surface (id) ON DELETE CASCADE,
    traces BLOB NOT NULL,
    at INTEGER NOT NULL,
    hits INTEGER NOT NULL,
    fresh REAL NOT NULL,
    first INTEGER NOT NULL,
    times BLOB NOT NULL,
    pinned INTEGER NOT NULL,
    owner INTEGER NOT NULL,
    gone INTEGER,
    stale INTEGER NOT NULL
) STRICT;

CREATE INDEX edge_surface ON edge (surface_id);
CREATE INDEX edge_gone ON edge (gone) WHERE gone IS NOT NULL;
CREATE INDEX edge_stale ON edge (surface_id) WHERE stale;

CREATE TABLE edge_event (
    attribute_id INTEGER NOT NULL REFERENCES attribute (id) ON DELETE CASCADE,
    at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    act INTEGER NOT NULL,
    amount REAL NOT NULL,
    PRIMARY KEY (attribute_id, at, seq)
) STRICT, WITHOUT ROWID;
"""

_V2: Final = """
CREATE TABLE association (
    one INTEGER NOT NULL REFERENCES attribute (id) ON DELETE CASCADE,
    other INTEGER NOT NULL REFERENCES attribute (id) ON DELETE CASCADE,
    events INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;

CREATE INDEX association_other ON association (other);

CREATE TABLE tally (
    surface_id INTEGER PRIMARY KEY REFERENCES surface (id) ON DELETE CASCADE,
    events INTEGER NOT NULL,
    weight REAL NOT NULL
) STRICT;

CREATE TABLE prior (
    surface_id INTEGER PRIMARY KEY REFERENCES surface (id) ON DELETE CASCADE,
    users INTEGER NOT NULL,
    kappa REAL,
    means TEXT NOT NULL,
    adopted INTEGER NOT NULL
) STRICT;

ALTER TABLE surface ADD COLUMN tuning TEXT;

DROP INDEX event_correction;

CREATE INDEX event_owner ON event (surface_id, seq)
    WHERE kind IN ('set', 'pin', 'unpin', 'forget', 'undo', 'redo', 'tune');
"""


def _count_together(connection: Any) -> None:
    for surface in surfaces.every(connection):
        associations.replace(connection, surface.id, journal.counts(connection, surface))


class Migration(NamedTuple):
    """One step to the next version: statements, then what no statement can do."""

    script: str
    then: Callable[[Any], None] | None = None


MIGRATIONS: Final[tuple[Migration, ...]] = (Migration(_V1), Migration(_V2, _count_together))
VERSION: Final = len(MIGRATIONS)


def migrate(connection: Any, *, found: int) -> int:
    """Bring an open database from version ``found`` to VERSION in one transaction; the version it has afterwards.

    ``connection`` is in autocommit mode. Raises VaultTooNewError, having written nothing, for a newer version.
    """
    if found > VERSION:
        raise VaultTooNewError(
            f"this vault has schema {found}, and this fernvault knows up to {VERSION}: it was written by a newer one"
        )
    if found == VERSION:
        return found
    connection.execute("BEGIN IMMEDIATE")
    try:
        for migration in MIGRATIONS[found:]:
            for statement in migration.script.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            if migration.then is not None:
                migration.then(connection)
        connection.execute(
            "INSERT INTO meta (key, value) VALUES ('schema', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (str(VERSION),),
        )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    return VERSION
