"""What the disk and the database complain about, in the words of the error tree.

sqlcipher3's exceptions are none of the standard library's; they carry ``sqlite_errorname``, which is read here, so
that this module imports no database.
"""

from __future__ import annotations

import errno
from pathlib import Path
from types import TracebackType
from typing import Final

from fernvault.errors import (
    AlreadyRunningError,
    DiskFullError,
    FernError,
    LockedError,
    ReadOnlyError,
    VaultDamagedError,
)

_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_READ_ONLY: Final = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})
# By the start of the name, since the extended names refine it; the first that fits counts.
_DATABASE: Final[tuple[tuple[tuple[str, ...], type[FernError], str], ...]] = (
    (("SQLITE_INTERRUPT",), LockedError, "{where} was locked meanwhile"),
    (("SQLITE_CORRUPT", "SQLITE_NOTADB"), VaultDamagedError, "{where} is damaged: {error}"),
    (
        ("SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ", "SQLITE_IOERR_CORRUPTFS", "SQLITE_IOERR_DATA"),
        VaultDamagedError,
        "{where} cannot be read from the disk: {error}",
    ),
    (("SQLITE_FULL",), DiskFullError, "no room left on the disk for {where}"),
    (("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"), ReadOnlyError, "{where} cannot be written: {error}"),
    # With no free byte at all, SQLite cannot make its shared-memory file, and says IOERR instead of FULL.
    (("SQLITE_IOERR",), DiskFullError, "the disk of {where} is full or failing: {error}"),
    (("SQLITE_BUSY", "SQLITE_LOCKED"), AlreadyRunningError, "another process is using {where}"),
)


def translate(error: BaseException, where: Path | str) -> FernError | None:
    """The error for a person of an OSError or a database error met at ``where``; None when it is no such fault."""
    if isinstance(error, OSError):
        return _from_system(error, where)
    name = getattr(error, "sqlite_errorname", None)
    return _from_database(name, error, where) if isinstance(name, str) else None


class named:  # noqa: N801 - reads as a phrase after ``with``; a class, since every write goes through it twice
    """Raise faults of the disk and the database met inside as FernErrors; everything else passes unchanged."""

    __slots__ = ("_where",)

    def __init__(self, where: Path | str) -> None:
        self._where = where

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Translate."""
        if isinstance(error, Exception) and (known := translate(error, self._where)) is not None:
            raise known from error


def _from_system(error: OSError, where: Path | str) -> FernError | None:
    if error.errno in _FULL:
        return DiskFullError(f"no room left on the disk for {where}")
    if error.errno == errno.EROFS:
        return ReadOnlyError(f"{where} lies on a disk that is read-only")
    if error.errno in _READ_ONLY:
        return ReadOnlyError(f"no permission to use {where}")
    return None


def _from_database(name: str, error: BaseException, where: Path | str) -> FernError | None:
    for starts, kind, message in _DATABASE:
        if name.startswith(starts):
            return kind(message.format(where=where, error=error))
    return None
