"""The one way to connect to vault.db. Nothing here ever makes a vault, and a refused one keeps every byte."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import (
    PlaintextVaultError,
    VaultDamagedError,
    VaultEmptyError,
    VaultMismatchError,
    VaultMissingError,
    VaultTooNewError,
)
from fernvault.vault import faults, layout, schema, slots
from fernvault.vault.layout import VaultFolder

_PAGE_BYTES: Final = 4096
_PLAINTEXT: Final = b"SQLite format 3\x00"
_HEX: Final = b"0123456789abcdef"
_PRAGMAS: Final = (
    "foreign_keys=ON",
    "journal_mode=WAL",
    "synchronous=FULL",
    "secure_delete=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
    "mmap_size=0",
    "wal_autocheckpoint=200",
    # In KiB when negative: 32 MiB of pages keep a usual vault in memory.
    "cache_size=-32768",
)
ALLOWED_PRAGMAS: Final = frozenset(
    {"wal_checkpoint", "integrity_check", "cipher_integrity_check", "quick_check", "foreign_key_check"}
)


def open_database(folder: VaultFolder, secret: bytearray) -> sqlcipher.Connection:
    """Connect with the vault's master secret (32 bytes; stays the caller's, who wipes it), migrated and hardened.

    The caller holds the VaultLock. The connection is in autocommit mode, belongs to this thread, and refuses ATTACH,
    DETACH and all but five PRAGMAs. Raises VaultMissingError, KeysMissingError, VaultEmptyError, PlaintextVaultError,
    VaultDamagedError, VaultMismatchError, VaultTooNewError or UnsafeFolderError, having written nothing, and what
    faults.named makes of a full or read-only disk.
    """
    layout.check(folder)
    _check_file(folder)
    vault_id = slots.read_keys(folder).vault
    _rehearse(folder.db, secret, vault_id)
    with faults.named(folder.db), _closed_on_failure(connect(folder.db, secret)) as connection:
        found = _check_identity(connection, vault_id)
        harden(connection)
        if found != schema.VERSION:
            schema.migrate(connection, found=found)
            # From here on an older fernvault sees in the main file alone that this vault is too new for it.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return connection


def close_database(connection: sqlcipher.Connection) -> None:
    """Write everything into vault.db and close. Must run in the connection's own thread, outside a transaction."""
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        connection.close()


def connect(db: Path, secret: bytearray, *, query: str = "mode=rw") -> sqlcipher.Connection:
    """A keyed connection to an existing file, not yet read from: for this module and creation only.

    Raises the database's own errors.
    """
    key = _key_literal(secret)
    try:
        connection = sqlcipher.connect(
            f"{db.absolute().as_uri()}?{query}", uri=True, isolation_level=None, cached_statements=256
        )
        with _closed_on_failure(connection):
            # Before the key: a damaged page makes SQLCipher print to stderr, over a screen or into --json.
            connection.execute("PRAGMA cipher_log_level=NONE")
            # Locking and wiping every allocation makes writing many times as slow (docs/threat-model.md).
            connection.execute("PRAGMA cipher_memory_security=OFF")
            connection.set_key(key)
            connection.execute("PRAGMA cipher_compatibility=4")
        return connection
    finally:
        slots.wipe(key)


def harden(connection: sqlcipher.Connection) -> None:
    """Set the pragmas of a vault, then refuse to change them, to attach another file, or to lead the key out."""
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.set_authorizer(_authorizer())


@contextmanager
def unguarded(connection: sqlcipher.Connection) -> Iterator[None]:
    """Lift what ``harden`` refuses, for a VACUUM of ours: it attaches a private copy of its own."""
    connection.set_authorizer(None)
    try:
        yield
    finally:
        connection.set_authorizer(_authorizer())


def _authorizer() -> Callable[..., int]:
    attach, detach, pragma = sqlcipher.SQLITE_ATTACH, sqlcipher.SQLITE_DETACH, sqlcipher.SQLITE_PRAGMA
    allow: int = sqlcipher.SQLITE_OK
    deny: int = sqlcipher.SQLITE_DENY

    def judge(action: int, name: str | None, *_: str | None) -> int:
        if action in (attach, detach):
            return deny
        if action == pragma and (name or "").lower() not in ALLOWED_PRAGMAS:
            return deny
        return allow

    return judge


def _key_literal(secret: bytearray) -> bytearray:
    if len(secret) != slots.SECRET_BYTES or not any(secret):
        raise ValueError("the master secret is not 32 bytes, or was wiped")
    key = slots.database_key(secret)
    # Written digit by digit: bytes.hex() would leave a copy of the key that nobody can wipe.
    literal = bytearray(b"x'" + bytes(2 * len(key)) + b"'")
    for place, byte in enumerate(key):
        literal[2 + 2 * place], literal[3 + 2 * place] = _HEX[byte >> 4], _HEX[byte & 15]
    slots.wipe(key)
    # Anything but this length SQLCipher takes for a passphrase, without a word.
    if len(literal) != 67:
        raise AssertionError("a raw key has 67 characters")
    return literal


def _check_file(folder: VaultFolder) -> None:
    db = folder.db
    try:
        with faults.named(db), db.open("rb") as file:
            start = file.read(_PAGE_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        if folder.keys.exists():
            raise VaultMissingError(
                f"vault.db is gone from {folder.path}, though its keys are there",
                next_step="put back a copy of vault.db; the keys still open it",
            ) from None
        raise VaultMissingError(f"there is no vault in {folder.path}") from None
    except IsADirectoryError:
        raise VaultDamagedError(f"{db} is a folder") from None
    if not start:
        raise VaultEmptyError(f"{db} is empty: a copy failed, or a disk was full")
    if start.startswith(_PLAINTEXT):
        raise PlaintextVaultError(f"{db} is an ordinary, unencrypted database, and no vault")
    if len(start) < _PAGE_BYTES:
        raise VaultDamagedError(f"{db} is cut off: {len(start)} bytes are left")


def _rehearse(db: Path, secret: bytearray, vault_id: str) -> None:
    """Look at the vault in a way that cannot write: a mere connection to the file would replay and remove its WAL."""
    wal = db.with_name(db.name + "-wal")
    if not (wal.exists() and wal.stat().st_size):
        _look(db, secret, vault_id, query="mode=ro&immutable=1", shown=db)
        return
    # After a crash the truth is file and WAL together; both are ciphertext, so a copy may lie in the temporary folder.
    with tempfile.TemporaryDirectory(prefix="fern-") as temporary:
        copy = Path(temporary) / db.name
        try:
            shutil.copyfile(db, copy)
            shutil.copyfile(wal, copy.with_name(wal.name))
        except OSError:
            # No room for a look is no reason to keep the owner out of the vault.
            return
        _look(copy, secret, vault_id, query="mode=rw", shown=db)


def _look(file: Path, secret: bytearray, vault_id: str, *, query: str, shown: Path) -> None:
    with faults.named(shown):
        connection = connect(file, secret, query=query)
        try:
            _check_identity(connection, vault_id)
        finally:
            connection.close()


def _check_identity(connection: sqlcipher.Connection, vault_id: str) -> int:
    try:
        rows = connection.execute("SELECT key, value FROM meta WHERE key IN ('vault_id', 'schema')").fetchall()
    except sqlcipher.DatabaseError as error:
        if error.sqlite_errorname == "SQLITE_ERROR":
            raise VaultDamagedError("vault.db opens, and holds no vault") from None
        if error.sqlite_errorname == "SQLITE_NOTADB":
            raise VaultDamagedError(
                "vault.db does not open with its key: its first page is damaged, or it belongs to another vault.keys"
            ) from None
        raise
    meta: dict[str, Any] = dict(rows)
    if meta.get("vault_id") != vault_id:
        raise VaultMismatchError("vault.db and vault.keys belong to different vaults")
    try:
        found = int(meta["schema"])
    except (KeyError, ValueError):
        raise VaultDamagedError("vault.db does not say which schema it has") from None
    if found > schema.VERSION:
        raise VaultTooNewError(
            f"this vault has schema {found}, and this fernvault knows up to {schema.VERSION}: a newer one wrote it"
        )
    if found < 1:
        raise VaultDamagedError(f"there is no schema {found}")
    return found


@contextmanager
def _closed_on_failure(connection: sqlcipher.Connection) -> Iterator[sqlcipher.Connection]:
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
