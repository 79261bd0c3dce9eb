"""The agent: the process that owns the unlocked vault and answers the owner on the admin socket until it locks.

It is started with the passphrase on standard input, says on standard output whether it is ready, and from then on
speaks only through its socket. Locking ends the process, and with it every copy of what it knew.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

from fernvault.errors import FernError, InputError, LockedError
from fernvault.memory import Vault
from fernvault.vault import layout
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import VaultLock
from fernvault.vault.owner import OwnerThread
from fernvault_sync import frame, hardening, peer
from fernvault_sync.clocks import IDLE, MAXIMUM, LockClock, boot_seconds
from fernvault_sync.operations import error_document, perform

MAX_CONNECTIONS: Final = 32
"""Fewer than the owner thread's queue holds, so that the event loop never waits on a full one."""

FAREWELL: Final = 2.0
"""Seconds that those who asked for the lock are given to read the answer."""


class Agent:
    """One unlocked vault behind one admin socket."""

    def __init__(self, owner: OwnerThread[Vault], lock: VaultLock, clock: LockClock) -> None:
        self._owner = owner
        self._lock = lock
        self._clock = clock
        self._locking = asyncio.Event()
        self._locked = asyncio.Event()
        self._asked_to_lock: set[asyncio.Task[Any]] = set()
        self._connections = 0

    async def serve(self, path: Path) -> None:
        """Answer until the vault must lock, then close it, give up the lock, and tell those who asked for it."""
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        server = await asyncio.start_unix_server(self._connected, path=path)
        path.chmod(0o600)
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            loop.add_signal_handler(name, self._locking.set)
        _say({"ok": {"pid": os.getpid()}})
        # Once an unlocking is often enough, since nothing that is read depends on it.
        self._owner.submit(Vault.sweep)
        watch = asyncio.create_task(self._watch())
        await self._locking.wait()
        watch.cancel()
        server.close()
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
        await asyncio.to_thread(self._owner.stop)
        self._lock.release()
        self._locked.set()
        if self._asked_to_lock:
            await asyncio.wait(self._asked_to_lock, timeout=FAREWELL)

    async def _watch(self) -> None:
        while not self._clock.is_over(now := boot_seconds()):
            # The timer itself stands still while the machine sleeps, so it never runs longer than a minute.
            await asyncio.sleep(min(60.0, *self._clock.left(now)))
        self._locking.set()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._connections >= MAX_CONNECTIONS or peer.uid(writer.get_extra_info("socket")) not in (os.getuid(), None):
            writer.close()
            return
        self._connections += 1
        try:
            while not self._locked.is_set():
                size = frame.length(await reader.readexactly(frame.HEADER))
                request = frame.decode(await reader.readexactly(size))
                writer.write(_encoded(await self._answer(request)))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError, frame.FrameError):
            pass
        finally:
            self._connections -= 1
            writer.close()

    async def _answer(self, request: Any) -> dict[str, Any]:
        try:
            return {"ok": await self._result(request)}
        except FernError as error:
            return {"error": error_document(error)}
        except Exception as error:  # noqa: BLE001 - the owner gets one line, and the agent goes on
            # Only the kind of fault is told: its text could carry what the owner wrote.
            return {
                "error": error_document(FernError(f"something went wrong inside the agent ({type(error).__name__})"))
            }

    async def _result(self, request: Any) -> Any:
        if not isinstance(request, dict) or request.get("v") != frame.VERSION:
            raise InputError("this agent speaks another version", next_step="fern agent stop")
        op, args = request.get("op"), request.get("args")
        if not isinstance(op, str) or not isinstance(args, dict):
            raise InputError("not a call", next_step="fern --help")
        now = boot_seconds()
        if self._clock.is_over(now):
            self._locking.set()
        if op == "lock":
            return await self._lock_and_wait()
        if self._locking.is_set():
            raise LockedError("the vault is locked")
        if op != "status":
            # Looking at the clocks must not wind them up, or a status line would keep the vault open for ever.
            self._clock.touch(now)
        result = await asyncio.wrap_future(self._owner.submit(lambda vault: perform(vault, op, args)))
        if op == "status":
            idle, maximum = self._clock.left(boot_seconds())
            result["locks_in"] = {"idle": round(idle), "max": round(maximum)}
            result["pid"] = os.getpid()
        return result

    async def _lock_and_wait(self) -> dict[str, Any]:
        task = asyncio.current_task()
        if task is not None:
            self._asked_to_lock.add(task)
        self._locking.set()
        await self._locked.wait()
        return {"state": "locked"}


def _encoded(answer: dict[str, Any]) -> bytes:
    try:
        return frame.encode(answer)
    except frame.FrameError:
        error = FernError(
            f"the answer is longer than the {frame.MAX_FRAME >> 20} MiB that an agent can send",
            next_step="fern lock, then the same command with --no-agent",
        )
        return frame.encode({"error": error_document(error)})


def run(folder: VaultFolder, passphrase: str, *, idle: float, maximum: float) -> None:
    """Open the vault and serve it until it locks. Raises FernError before it is ready, nothing afterwards."""
    layout.check(folder)
    path = layout.socket_path(folder)
    # The socket is named before it is there: whoever is second at starting an agent knows what to wait for.
    with VaultLock(folder, socket=path) as lock:
        owner = OwnerThread(lambda: Vault.open(folder.path, passphrase), Vault.close, Vault.interrupt)
        owner.start()
        try:
            clock = LockClock(boot_seconds(), idle=idle, maximum=maximum)
            asyncio.run(Agent(owner, lock, clock).serve(path))
        finally:
            owner.stop()


def main() -> int:
    """Entry point of ``python -m fernvault_sync.agent``; the exit code."""
    hardening.harden()
    parser = argparse.ArgumentParser(prog="fernvault-agent")
    parser.add_argument("--vault", required=True, type=Path)
    parser.add_argument("--idle", type=float, default=IDLE)
    parser.add_argument("--max", type=float, default=MAXIMUM)
    options = parser.parse_args()
    passphrase = sys.stdin.buffer.readline().decode("utf-8", "replace").removesuffix("\n")
    try:
        run(VaultFolder(options.vault), passphrase, idle=options.idle, maximum=options.max)
    except FernError as error:
        _say({"error": error_document(error)})
        return error.exit_code
    return 0


def _say(document: dict[str, Any]) -> None:
    """One line to whoever started us, who then stops listening."""
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(document) + "\n")
        sys.stdout.flush()
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
