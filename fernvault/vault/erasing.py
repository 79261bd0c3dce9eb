"""Making deleted rows gone from the file: the freed bytes are overwritten, then the write-ahead log is emptied."""

from __future__ import annotations

from typing import Any

from fernvault.errors import FernError


def settle_file(connection: Any) -> None:
    """Fold the write-ahead log into the file and cut it to nothing; ``secure_delete`` has zeroed what was freed.

    Raises FernError when a reader held the log open, so that nobody is told "gone" too early.
    """
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        raise FernError("deleted, but the write-ahead log could not be emptied", next_step="fern lock")
