"""The card: the few entries an agent reads, in a fixed template of slugs; data, never instructions."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, NamedTuple

from fernvault.attribute import is_negative, name

ENTRIES: Final = 8
"""How many entries a card holds unless asked otherwise."""

Mark = Literal["known", "guessed"]


class Entry(NamedTuple):
    """An attribute, its net strength (0-9), how sure, which way it goes, and why, in words.

    ``standing`` is the strength with the prior's share; ``due``: its next occasion is expected about now.
    """

    attribute: str
    strength: float
    confidence: float
    mark: Mark
    trend: str
    reason: str
    standing: float = 0.0
    due: bool = False


class Card(NamedTuple):
    """The entries of one surface at one instant, best first, in the context of these seeds."""

    surface: str
    at: int
    entries: tuple[Entry, ...]
    context: tuple[str, ...] = ()

    def text(self) -> str:
        """The card as an agent reads it: one line, order is strength, no digits of ours; empty when nothing is known.

        Known likes, known dislikes, then guesses, a guessed dislike with its ``!``, then the likes that are due. A
        namespace shows only where two entries share a name.
        """
        return "; ".join(f"{word} {', '.join(slugs)}" for word, slugs in self._parts())

    def pieces(self) -> list[str]:
        """The text cut where no tokenizer joins: the words, each slug with the space before it, commas, semicolons."""
        found: list[str] = []
        for word, slugs in self._parts():
            found += [";", f" {word}"] if found else [word]
            found += [piece for slug in slugs for piece in (",", f" {slug}")][1:]
        return found

    def _parts(self) -> list[tuple[str, list[str]]]:
        shared = Counter(name(entry.attribute) for entry in self.entries)

        def spell(entry: Entry) -> str:
            plain = entry.attribute.removeprefix("!")
            return plain if shared[name(plain)] > 1 else name(plain)

        groups: dict[str, list[str]] = {"likes": [], "avoids": [], "maybe": [], "due": []}
        for entry in self.entries:
            negative = is_negative(entry.attribute)
            if entry.mark == "guessed":
                groups["maybe"].append(("!" if negative else "") + spell(entry))
            elif negative:
                groups["avoids"].append(spell(entry))
            else:
                groups["due" if entry.due else "likes"].append(spell(entry))
        return [(word, slugs) for word, slugs in groups.items() if slugs]

    def markdown(self) -> str:
        """A table for people, one entry a row."""
        rows = ["| attribute | strength | mark | trend | why |", "|---|---:|---|---|---|"]
        rows += [f"| {e.attribute} | {e.strength:.1f} | {e.mark} | {e.trend} | {e.reason} |" for e in self.entries]
        return "\n".join(rows)
