"""What a surface's rows are known to hold, so that the next write need not read them again."""

from __future__ import annotations

from typing import Final

from fernvault.vault.edges import Stored

MOST: Final = 8192
"""Edges kept at a time; a hundred attributes fire often, and the rest are read when they do."""


class Warm:
    """Attribute and source numbers, and edges as the last committed write left them. Empty is always right.

    Whoever changes these rows otherwise than through ``journal.write``, or rolls a write back, calls ``clear``.
    """

    __slots__ = ("edges", "numbers", "sources")

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.sources: dict[str, int] = {}
        self.edges: dict[int, Stored | None] = {}

    def clear(self) -> None:
        """Know nothing any more."""
        self.numbers.clear()
        self.sources.clear()
        self.edges.clear()

    def make_room(self, count: int) -> None:
        """Let go of all edges rather than hold more than MOST with ``count`` further ones."""
        if len(self.edges) + count > MOST:
            self.edges.clear()
