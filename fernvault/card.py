"""The card: the few entries an agent reads, in a fixed template of slugs; data, never instructions."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, NamedTuple

from fernvault.attribute import is_negative, name

ENTRIES: Final = 8
"""How many entries a card holds unless asked otherwise."""

Mark = Literal["known", "guessed"]


class Entry(NamedTuple):
    """An attribute, its net strength (0-9), how sure, which way it goes, and why, in words."""

    attribute: str
    strength: float
    confidence: float
    mark: Mark
    trend: str
    reason: str


class Card(NamedTuple):
    """The entries of one surface at one instant, strongest first."""

    surface: str
    at: int
    entries: tuple[Entry, ...]

    def text(self) -> str:
        """The card as an agent reads it: one line, order is strength, no digits of ours; empty when nothing is known.

        Known likes, known dislikes, then guesses, a guessed dislike with its ``!``. A namespace shows only where two
        entries share a name.
        """
        shared = Counter(name(entry.attribute) for entry in self.entries)

        def spell(entry: Entry) -> str:
            plain = entry.attribute.removeprefix("!")
            return plain if shared[name(plain)] > 1 else name(plain)

        likes = [spell(e) for e in self.entries if e.mark == "known" and not is_negative(e.attribute)]
        avoids = [spell(e) for e in self.entries if e.mark == "known" and is_negative(e.attribute)]
        maybe = [("!" if is_negative(e.attribute) else "") + spell(e) for e in self.entries if e.mark == "guessed"]
        parts = [("likes", likes), ("avoids", avoids), ("maybe", maybe)]
        return "; ".join(f"{word} {', '.join(slugs)}" for word, slugs in parts if slugs)

    def markdown(self) -> str:
        """A table for people, one entry a row."""
        rows = ["| attribute | strength | mark | trend | why |", "|---|---:|---|---|---|"]
        rows += [f"| {e.attribute} | {e.strength:.1f} | {e.mark} | {e.trend} | {e.reason} |" for e in self.entries]
        return "\n".join(rows)
