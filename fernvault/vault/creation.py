"""Making a vault: all of it, tried with both keys, or nothing.

It grows in a folder beside the target, and one rename puts it in place. A crash before that leaves no vault, and what
it leaves is cleared away by the next attempt.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from fernvault.errors import ExistsError, InputError
from fernvault.vault import durable, faults, layout, opening, recovery, schema, slots
from fernvault.vault.kdf import Kdf, calibrate
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import VaultLock, is_alive
from fernvault.vault.recovery import RecoverySheet

# What a process that held an earlier vault may have left in a folder that holds no vault any more.
_HARMLESS: Final = frozenset({"vault.lock", "agent.json"})


def create_vault(
    folder: VaultFolder,
    passphrase: str,
    *,
    zone: str,
    now: int,
    words: str | None = None,
    kdf: Kdf | None = None,
    allow_weak_kdf: bool = False,
    timer: Callable[[], float] = time.perf_counter,
) -> RecoverySheet:
    """Make a vault and return its recovery sheet, after opening it once with the passphrase and once with the words.

    ``zone`` is the owner's IANA time zone, ``now`` the instant in microseconds. Without ``words`` they are drawn;
    without ``kdf`` it is measured with ``timer`` (seconds). Whether the passphrase is strong enough is asked before,
    with passphrase.check_strength. The caller does not hold the folder's VaultLock.

    Raises ExistsError when the folder is neither missing nor empty, InputError for an empty passphrase or unusable
    words, and what faults.named makes of a full or read-only disk.
    """
    folder = VaultFolder(folder.path.resolve())
    _refuse_existing(folder)
    cost = kdf or calibrate(timer)
    sheet = RecoverySheet(secrets.token_hex(16), words or recovery.new_words())
    with _private_files(), faults.named(folder.path):
        folder.path.parent.mkdir(parents=True, exist_ok=True)
        _clear_stale(folder)
        staging = VaultFolder(folder.path.with_name(f"{_prefix(folder)}{os.getpid()}-{secrets.token_hex(4)}"))
        staging.path.mkdir(mode=0o700)
        try:
            _build(staging, sheet, passphrase, cost, allow_weak=allow_weak_kdf, zone=zone, now=now)
            _put_in_place(staging, folder)
        except BaseException:
            shutil.rmtree(staging.path, ignore_errors=True)
            raise
    return sheet


def _refuse_existing(folder: VaultFolder) -> None:
    if layout.exists(folder):
        raise ExistsError(f"there is a vault in {folder.path} already, and it is never overwritten")
    if not folder.path.exists():
        return
    if not folder.path.is_dir():
        raise ExistsError(f"{folder.path} is a file")
    with faults.named(folder.path):
        others = sorted(entry.name for entry in folder.path.iterdir() if entry.name not in _HARMLESS)
    if others:
        raise ExistsError(f"{folder.path} holds other things ({others[0]}): a vault has a folder of its own")


def _build(
    staging: VaultFolder, sheet: RecoverySheet, passphrase: str, kdf: Kdf, *, allow_weak: bool, zone: str, now: int
) -> None:
    secret = slots.create_keys(
        staging, passphrase, sheet.words, kdf=kdf, vault_id=sheet.vault_id, allow_weak=allow_weak
    )
    try:
        _write_database(staging, secret, {"vault_id": sheet.vault_id, "created": str(now), "zone": zone})
    finally:
        slots.wipe(secret)
    _try_out(staging, slots.unlock_with_passphrase(staging, passphrase))
    _try_out(staging, slots.unlock_with_words(staging, sheet.words))
    durable.sync_folder(staging.path)


def _write_database(staging: VaultFolder, secret: bytearray, meta: dict[str, str]) -> None:
    os.close(os.open(staging.db, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    connection = opening.connect(staging.db, secret)
    try:
        opening.harden(connection)
        schema.migrate(connection, found=0)
        connection.executemany("INSERT INTO meta (key, value) VALUES (?, ?)", list(meta.items()))
    finally:
        opening.close_database(connection)


def _try_out(staging: VaultFolder, secret: bytearray) -> None:
    try:
        opening.close_database(opening.open_database(staging, secret))
    finally:
        slots.wipe(secret)


def _put_in_place(staging: VaultFolder, folder: VaultFolder) -> None:
    if folder.lock.exists() or folder.agent.exists():
        with VaultLock(folder):
            folder.lock.unlink(missing_ok=True)
            folder.agent.unlink(missing_ok=True)
    try:
        staging.path.rename(folder.path)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise ExistsError(f"something was put in {folder.path} meanwhile; nothing was overwritten") from error
        if error.errno == errno.EBUSY:
            raise InputError(
                f"{folder.path} is where a disk is mounted", next_step="choose a folder inside it"
            ) from error
        raise
    durable.sync_folder(folder.path.parent)


def _prefix(folder: VaultFolder) -> str:
    return f".{folder.path.name}.init-"


def _clear_stale(folder: VaultFolder) -> None:
    for entry in folder.path.parent.iterdir():
        pid = entry.name.removeprefix(_prefix(folder)).partition("-")[0]
        if entry.name.startswith(_prefix(folder)) and pid.isdecimal() and not is_alive(int(pid)):
            shutil.rmtree(entry, ignore_errors=True)


@contextmanager
def _private_files() -> Iterator[None]:
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)
