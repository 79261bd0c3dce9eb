"""Whether every page of an open vault is the one that was written, and the tables on them hold together.

An old copy of a page, or of the whole file, passes all of this: only the audit anchor and `fern doctor --deep` see it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import VaultDamagedError
from fernvault.vault import faults


class Finding(NamedTuple):
    """One thing that is wrong: ``kind`` is checkpoint, page, structure or reference here; doctor adds its own."""

    kind: str
    detail: str


def check(connection: sqlcipher.Connection) -> list[Finding]:
    """All that the cipher, SQLite and the foreign keys complain about; empty when the vault is whole.

    Reads the whole file (about 0.2 s for 20 MB). Runs on the owner thread, outside a transaction. Damage is a finding,
    never an exception; raises what faults.named makes of a full disk or a second process.
    """
    # The cipher's check reads the main file only: with pages left in the WAL it would call a good file bad.
    unfinished = _run(connection, "checkpoint", "wal_checkpoint(TRUNCATE)", _unfinished)
    if unfinished:
        return unfinished
    return [
        *_run(connection, "page", "cipher_integrity_check", lambda row: str(row[0])),
        *_run(connection, "structure", "integrity_check", lambda row: None if row[0] == "ok" else str(row[0])),
        *_run(connection, "reference", "foreign_key_check", _lost),
    ]


def _unfinished(row: tuple[Any, ...]) -> str | None:
    return "another connection keeps the write-ahead log in use" if row[0] else None


def _lost(row: tuple[Any, ...]) -> str:
    table, number, parent, _ = row
    return f"row {number} of {table} names a {parent} that is not there"


def _run(
    connection: sqlcipher.Connection, kind: str, pragma: str, describe: Callable[[tuple[Any, ...]], str | None]
) -> list[Finding]:
    try:
        rows = connection.execute(f"PRAGMA {pragma}").fetchall()
    except sqlcipher.Error as error:
        known = faults.translate(error, "vault.db")
        if known is None:
            raise
        if not isinstance(known, VaultDamagedError):
            raise known from error
        return [Finding(kind, known.message)]
    return [Finding(kind, detail) for row in rows if (detail := describe(row))]
