"""The owner's client of the agent: one call, one answer, over the admin socket in the owner's own runtime folder.

Nothing but the interpreter's own small modules is imported here: `fern card` takes this way in a few milliseconds.
"""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    # The C half of `socket`; its Python half costs as much time as all the rest of a call.
    from _socket import AF_UNIX, SOCK_STREAM
    from _socket import socket as Socket  # noqa: N812
except ImportError:  # pragma: no cover - an interpreter without it has the other
    from socket import AF_UNIX, SOCK_STREAM
    from socket import socket as Socket  # type: ignore[assignment]  # noqa: N812

from fernvault_sync.frame import HEADER, VERSION, FrameError, decode, encode, length

AGENT_FILE = "agent.json"
PATIENCE = 20.0
"""Seconds that an answer may take when nothing long was asked for; an agent that was stopped never answers."""

LONG = frozenset(
    {"undo", "redo", "record.batch", "settle", "export", "doctor", "surface.add", "surface.remove"}
    | {"tune.find", "tune.apply"}
)
"""Operations whose time depends on how much there is."""


class NoAgentError(Exception):
    """No agent answers for this vault."""


class RemoteError(Exception):
    """The agent answered with an error: its ``document`` has code, message, next and exit."""

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__(document["message"])
        self.document = document


class AdminClient:
    """A connection to the agent of one vault folder. Raises NoAgentError when there is none."""

    def __init__(self, folder: str) -> None:
        self.pid, path = _whereabouts(folder)
        self._socket = Socket(AF_UNIX, SOCK_STREAM)
        self._socket.settimeout(PATIENCE)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise NoAgentError from None

    def call(self, op: str, args: dict[str, Any]) -> Any:
        """One operation's result. Raises RemoteError for its errors, FrameError when the agent went away."""
        self.send(op, args)
        return self.receive()

    def send(self, op: str, args: dict[str, Any]) -> None:
        """Send without waiting; answers come in order of the calls. Raises FrameError."""
        self._socket.settimeout(None if op in LONG else PATIENCE)
        try:
            self._socket.sendall(encode({"v": VERSION, "op": op, "args": args}))
        except OSError:
            raise FrameError("the agent went away") from None

    def receive(self) -> Any:
        """The next answer."""
        match decode(self._exactly(length(self._exactly(HEADER)))):
            case {"error": {"code": str(), "message": str(), "next": str(), "exit": int()} as error}:
                raise RemoteError(error)
            case {"ok": result}:
                return result
        raise FrameError("this is no answer of an agent")

    def end(self) -> bool:
        """Kill the agent at the other end, one that was stopped or hangs; whether it was the one of ``pid``.

        By the kernel's word, since a note can be stale. What it acknowledged is durable, so ending it loses nothing.
        """
        import signal
        from contextlib import suppress

        from fernvault_sync import peer

        if peer.pid(self._socket) != self.pid:  # type: ignore[arg-type]
            return False
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        return True

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size:
            try:
                part = self._socket.recv(min(size, 1 << 20))
            except OSError:
                part = b""
            if not part:
                raise FrameError("the agent went away")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def _whereabouts(folder: str) -> tuple[int, str]:
    """(pid, socket path) that the holder of the vault has left in its folder, if the file is really the owner's."""
    try:
        # Without O_NONBLOCK a named pipe in the file's place would hold us here.
        descriptor = os.open(f"{folder}/{AGENT_FILE}", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if os.fstat(descriptor).st_uid != os.getuid():
                raise NoAgentError
            document = json.loads(os.read(descriptor, 4096))
        finally:
            os.close(descriptor)
        path = document["socket"]
        pid = document["pid"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise NoAgentError from None
    if not isinstance(path, str) or not isinstance(pid, int):
        raise NoAgentError
    try:
        mine = os.stat(path).st_uid == os.getuid()
    except (OSError, ValueError):
        mine = False
    if not mine:
        raise NoAgentError
    return pid, path
