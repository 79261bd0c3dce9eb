"""What a surface's rows are known to hold, so that the next write need not read them again."""

from __future__ import annotations

from typing import Final

from fernvault.vault.edges import Stored

MOST: Final = 8192
"""Edges kept at a time; a hundred attributes fire often, and the rest are read when they do."""


class Shared:
    """What all surfaces of a vault share: source numbers, and the number of the latest journal entry."""

    __slots__ = ("last_seq", "sources")

    def __init__(self) -> None:
        self.sources: dict[str, int] = {}
        self.last_seq: int | None = None

    def clear(self) -> None:
        """Know nothing any more."""
        self.sources.clear()
        self.last_seq = None


class Warm:
    """Attribute numbers, and edges as the last committed write left them. Empty is always right.

    Whoever changes these rows otherwise than through ``journal.write``, or rolls a write back, calls ``clear``.
    """

    __slots__ = ("edges", "numbers", "shared")

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self.numbers: dict[str, int] = {}
        self.edges: dict[int, Stored | None] = {}

    def clear(self) -> None:
        """Know nothing any more."""
        self.shared.clear()
        self.numbers.clear()
        self.edges.clear()

    def make_room(self, count: int) -> None:
        """Let go of all edges rather than hold more than MOST with ``count`` further ones."""
        if len(self.edges) + count > MOST:
            self.edges.clear()
