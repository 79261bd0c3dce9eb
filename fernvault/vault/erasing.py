"""Making deleted rows gone from the file: written anew from what is left, then the write-ahead log is emptied."""

from __future__ import annotations

from typing import Any

from fernvault.errors import FernError
from fernvault.vault.opening import unguarded


def settle_file(connection: Any) -> None:
    """Write the file anew, fold the write-ahead log into it and cut that to nothing. Outside a transaction.

    ``secure_delete`` alone is not enough: it zeroes a deleted row, but not the copies that SQLite leaves in the slack
    of a page when it moves rows to another. Raises FernError when a reader held the log open, so that nobody is told
    "gone" too early.
    """
    with unguarded(connection):
        connection.execute("VACUUM")
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise FernError("deleted, but the write-ahead log could not be emptied", next_step="fern lock")
