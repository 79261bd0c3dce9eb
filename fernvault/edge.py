"""Edges: what the vault holds of one person and one attribute, and the journal entries that it is made of."""

from __future__ import annotations

from typing import Final, NamedTuple

from fernvault.event import Act

CEILING: Final = 9.0
"""Strength runs from 0 to this."""

TIMES_KEPT: Final = 8


class Edge(NamedTuple):
    """The state of an edge at the instant ``at`` (microseconds); the user's own evidence only.

    ``traces`` hold one strength per half-life of the rule, each in [0, 9]; ``hits`` counts independent occasions,
    ``fresh`` the same count, fading; ``times`` are the latest eight event times, latest first.
    """

    traces: tuple[float, ...]
    at: int
    hits: int
    fresh: float
    first: int
    times: tuple[int, ...]
    pinned: bool = False
    owner: bool = False


class EdgeEvent(NamedTuple):
    """One journal entry as one edge meets it: ``amount`` is the magnitude (> 0) of a LEARN, the strength of a SET."""

    at: int
    seq: int
    act: Act
    amount: float
