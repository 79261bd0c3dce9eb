"""Who owns the vault: one process at a time, and the note that says which."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from filelock import FileLock, Timeout

from fernvault.errors import AlreadyRunningError
from fernvault.vault import durable, faults
from fernvault.vault.layout import VaultFolder


class Holder(NamedTuple):
    """The process that holds a vault, and the socket it answers on, when it has one."""

    pid: int
    socket: Path | None


def holder(folder: VaultFolder) -> Holder | None:
    """Who says, in agent.json, to hold the vault, when that process is alive; None when nobody does."""
    try:
        note: Any = json.loads(folder.agent.read_bytes())
        pid, socket = note["pid"], note["socket"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    if type(pid) is not int or not (socket is None or isinstance(socket, str)) or not is_alive(pid):
        return None
    return Holder(pid, None if socket is None else Path(socket))


def is_alive(pid: int) -> bool:
    """Whether there is a process of this number, of whatever user."""
    # Not positive, it would mean a whole group of processes.
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:
        return True
    except (ProcessLookupError, OverflowError):
        return False
    return True


class VaultLock:
    """The right to open vault.db. The kernel takes it back when the process ends, however it ends.

    A context manager; may be released by another thread than the one that took it. The folder must exist.
    """

    def __init__(self, folder: VaultFolder, *, socket: Path | None = None) -> None:
        self._folder = folder
        self._socket = socket
        self._lock = FileLock(folder.lock, timeout=0, mode=0o600, thread_local=False)

    def acquire(self) -> None:
        """Take the lock at once and write agent.json.

        Raises AlreadyRunningError, with the pid when it is known, and what faults.named makes of a read-only folder.
        """
        with faults.named(self._folder.lock):
            try:
                self._lock.acquire(blocking=False)
            except Timeout:
                raise self._refused() from None
        try:
            self.announce(self._socket)
        except BaseException:
            self._lock.release()
            raise

    def announce(self, socket: Path | None) -> None:
        """Say in agent.json which socket this process answers on. Only while the lock is held."""
        self._socket = socket
        note = {"pid": os.getpid(), "socket": None if socket is None else str(socket)}
        with faults.named(self._folder.agent):
            durable.replace(self._folder.agent, json.dumps(note).encode() + b"\n")

    def release(self) -> None:
        """Remove agent.json and give the lock back; does nothing when it is not held."""
        if not self._lock.is_locked:
            return
        # In this order, so that the note of the next holder is never the one removed.
        try:
            self._folder.agent.unlink(missing_ok=True)
        finally:
            self._lock.release(force=True)

    def _refused(self) -> AlreadyRunningError:
        known = holder(self._folder)
        if known is None:
            return AlreadyRunningError(f"another process holds the vault in {self._folder.path}")
        return AlreadyRunningError(f"process {known.pid} holds the vault in {self._folder.path}", pid=known.pid)

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()
