"""The person's graph and the opponents, all fed the same dated events; each ranks attributes at any time.

Ties go to what fired more often in all, then to spelling, for every method.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple, Protocol

from fernvault.graph.person import Person
from fernvault.instant import DAY

Setting = tuple[float, ...]


class Event(NamedTuple):
    """What fired at an instant (µs); ``sign`` -1 for a decline."""

    at: int
    names: Sequence[str]
    sign: int = 1


class Memory(Protocol):
    """What a method keeps of one user."""

    def learn(self, event: Event) -> None:
        """One event, in order of time."""

    def scores(self, at: int) -> Mapping[str, float]:
        """Score per attribute at the instant ``at``; only their order counts."""


class Ours:
    """The product's arithmetic with its defaults, without a prior and without context."""

    def __init__(self, _: Setting = ()) -> None:
        self.person = Person()

    def learn(self, event: Event) -> None:
        """Magnitude 1 for each attribute, -1 for a decline."""
        self.person.learn(event.at, event.names, float(event.sign))

    def scores(self, at: int) -> Mapping[str, float]:
        """Standings; what is rather avoided is not among them."""
        return {name: value for name, value in self.person.scores(at).items() if not name.startswith("!")}


class Count:
    """The all-time counter."""

    def __init__(self, _: Setting = ()) -> None:
        self.counts: defaultdict[str, float] = defaultdict(float)

    def learn(self, event: Event) -> None:
        """One more for each, or one less."""
        for name in event.names:
            self.counts[name] += event.sign

    def scores(self, _: int) -> Mapping[str, float]:
        """The counts."""
        return self.counts


class Decayed:
    """The decayed counter: Σ ±2^(-age/h), h in days, kept as sums of 2^(t/h) since the first event."""

    def __init__(self, setting: Setting) -> None:
        (self.half_life,) = setting
        self.start: int | None = None
        self.counts: defaultdict[str, float] = defaultdict(float)

    def learn(self, event: Event) -> None:
        """Adds the weight of its day."""
        if self.start is None:
            self.start = event.at
        weight = 2.0 ** ((event.at - self.start) / (self.half_life * DAY))
        for name in event.names:
            self.counts[name] += event.sign * weight

    def scores(self, _: int) -> Mapping[str, float]:
        """The sums: a common factor orders nothing."""
        return self.counts


class Window:
    """The counter over the last n events."""

    def __init__(self, setting: Setting) -> None:
        self.events: deque[Event] = deque(maxlen=int(setting[0]))

    def learn(self, event: Event) -> None:
        """Pushes out the oldest."""
        self.events.append(event)

    def scores(self, _: int) -> Mapping[str, float]:
        """The counts in the window."""
        found: defaultdict[str, float] = defaultdict(float)
        for event in self.events:
            for name in event.names:
                found[name] += event.sign
        return found


class Recency:
    """The latest event decides; a declined attribute goes to the end."""

    def __init__(self, _: Setting = ()) -> None:
        self.last: dict[str, float] = {}
        self.number = 0

    def learn(self, event: Event) -> None:
        """Its attributes become the most recent ones."""
        self.number += 1
        for name in event.names:
            self.last[name] = float(self.number * event.sign)

    def scores(self, _: int) -> Mapping[str, float]:
        """The number of the latest event."""
        return self.last


class Method(NamedTuple):
    """A name, the settings it may choose from, and the memory it starts with."""

    name: str
    grid: Sequence[Setting]
    start: Callable[[Setting], Memory]


OURS = Method("fernvault", [()], Ours)
DECAYED = Method(
    "decayed counter", [(h,) for h in (3.0, 5.0, 7.0, 10.0, 14.0, 20.0, 30.0, 60.0, 120.0, 365.0)], Decayed
)
METHODS = (
    Method("all-time counter", [()], Count),
    DECAYED,
    Method("window", [(n,) for n in (3.0, 5.0, 10.0, 15.0, 25.0, 40.0, 60.0)], Window),
    Method("recency", [()], Recency),
    OURS,
)


def ranked(scores: Mapping[str, float], often: Counter[str], count: int) -> list[str]:
    """The ``count`` best with a score over 0."""
    likely = (name for name, score in scores.items() if score > 0.0)
    return nsmallest(count, likely, key=lambda name: (-scores[name], -often[name], name))
