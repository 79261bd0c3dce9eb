"""Frames on the admin socket: four bytes of length, big-endian, then that many bytes of UTF-8 JSON."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from typing import Any, Final

VERSION: Final = 1
"""The admin protocol's number; an agent refuses another one, so that an old agent never half-understands."""

MAX_FRAME: Final = 16 * 1024 * 1024
HEADER: Final = 4


class FrameError(Exception):
    """The peer did not speak the protocol, or hung up in the middle of a frame."""


def encode(document: Any) -> bytes:
    """One frame. Raises FrameError when it would be over MAX_FRAME."""
    body = json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
    if len(body) > MAX_FRAME:
        raise FrameError(f"a message of {len(body)} bytes is over the limit of {MAX_FRAME}")
    return len(body).to_bytes(HEADER, "big") + body


def length(header: bytes) -> int:
    """The length that a header announces. Raises FrameError."""
    size = int.from_bytes(header, "big")
    if len(header) != HEADER or size > MAX_FRAME:
        raise FrameError("not a frame")
    return size


def decode(body: bytes) -> Any:
    """The document of a frame's body. Raises FrameError."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise FrameError("not a frame") from None
