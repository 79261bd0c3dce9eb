"""Who is at the other end of a Unix socket, by the kernel's word."""

from __future__ import annotations

import socket
import struct
import sys
from typing import Final

_MAC_LOCAL_PEERCRED: Final = 1
_MAC_LOCAL_PEERPID: Final = 2
_MAC_XUCRED: Final = "=IIh16I"


def pid(connection: socket.socket) -> int | None:
    """The peer's process id, or None where the system does not tell."""
    if sys.platform == "linux":
        packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", packed)[0])
    if sys.platform == "darwin":
        return int(connection.getsockopt(0, _MAC_LOCAL_PEERPID))
    return None


def uid(connection: socket.socket) -> int | None:
    """The peer's user id, or None where the system does not tell."""
    if sys.platform == "linux":
        packed = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", packed)[1])
    if sys.platform == "darwin":
        packed = connection.getsockopt(0, _MAC_LOCAL_PEERCRED, struct.calcsize(_MAC_XUCRED))
        return int(struct.unpack(_MAC_XUCRED, packed)[1])
    return None
