"""Simulated persons whose taste changes in a known way. A SIMULATION: it shows what arithmetic does, not people.

One event a day. A person is shown eight random items of two to four of fifteen tags and takes the best by mean taste,
or in 12 % any of them (the published drift world, mechanisms 1.3, without its sizes). Tastes are uniform in [0, 1] over
the tags that are liked at the time, 0 for the others. Phase one likes seven tags, phase two the other eight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from evals.drift.methods import Event
from fernvault.instant import DAY

TAGS, ITEMS, SEEN, FIRST = 15, 200, 8, 7
RANDOM = 0.12
TOP = 5
START = 1_600_000_000_000_000

Tastes = dict[str, float]


class Look(NamedTuple):
    """One reading: after how many events, the five tags best liked then, and those liked before and no longer."""

    after: int
    best: frozenset[str]
    former: frozenset[str]


class Life(NamedTuple):
    """One person's events and readings; ``favourite`` is the tag that pauses, if one does."""

    events: Sequence[Event]
    looks: Sequence[Look]
    favourite: str = ""


class Chooser:
    """Draws one person's items, tastes and choices."""

    def __init__(self, seed: str) -> None:
        self.random = np.random.default_rng([ord(letter) for letter in seed])
        tags = [f"pref:t{index}" for index in self.random.permutation(TAGS)]
        self.items = [
            [tags[tag] for tag in self.random.choice(TAGS, self.random.integers(2, 5), replace=False)]
            for _ in range(ITEMS)
        ]
        self.one, self.two = self.tastes(tags[:FIRST]), self.tastes(tags[FIRST:])

    def tastes(self, tags: Sequence[str]) -> Tastes:
        """Uniform in [0, 1]."""
        return {tag: float(self.random.random()) for tag in tags}

    def takes(self, day: int, taste: Tastes, without: str = "") -> Event:
        """The day's choice, among items that do not have the tag ``without``."""
        items = [item for item in self.items if without not in item]
        shown = [items[index] for index in self.random.choice(len(items), SEEN, replace=False)]
        best = max(shown, key=lambda item: sum(taste.get(tag, 0.0) for tag in item) / len(item))
        return Event(START + day * DAY, shown[0] if self.random.random() < RANDOM else best)


def best_of(taste: Tastes) -> frozenset[str]:
    """The five tags of highest taste."""
    return frozenset(sorted(taste, key=lambda tag: (-taste[tag], tag))[:TOP])


def abrupt(person: Chooser) -> Life:
    """Sixty days of phase one, then 25 of phase two."""
    events = [person.takes(day, person.one if day < 60 else person.two) for day in range(85)]
    return Life(events, [Look(85, best_of(person.two), frozenset(person.one))])


def gradual(person: Chooser) -> Life:
    """From day 20 to 70 a day belongs to phase two with a chance that rises from 0 to 1; read on day 85."""
    events = []
    for day in range(85):
        late = person.random.random() < (day - 20) / 50
        events.append(person.takes(day, person.two if late else person.one))
    return Life(events, [Look(85, best_of(person.two), frozenset(person.one))])


def reversal(person: Chooser) -> Life:
    """After sixty days the favourite is turned down every third day and never chosen again; read on day 75."""
    favourite = max(person.one, key=person.one.__getitem__)
    rest = {tag: taste for tag, taste in person.one.items() if tag != favourite}
    events = [person.takes(day, person.one) for day in range(60)]
    for day in range(60, 75):
        declined = Event(START + day * DAY, [favourite], -1)
        events.append(declined if day % 3 == 0 else person.takes(day, rest, favourite))
    return Life(events, [Look(75, best_of(rest), frozenset({favourite}))])


def oscillation(person: Chooser) -> Life:
    """The phases take turns of 14 days; read on the seventh day of the third to sixth turn."""
    events, looks = [], []
    for day in range(84):
        now, other = (person.one, person.two) if day // 14 % 2 == 0 else (person.two, person.one)
        events.append(person.takes(day, now))
        if day >= 28 and day % 14 == 6:
            looks.append(Look(day + 1, best_of(now), frozenset(other)))
    return Life(events, looks)


SERIES: dict[str, Callable[[Chooser], Life]] = {
    "abrupt": abrupt,
    "gradual": gradual,
    "reversal": reversal,
    "oscillation": oscillation,
}


RETURNS = {"before the pause": 60, "at its end": 105, "2 days back": 107, "5 days back": 110, "10 days back": 115}
"""After how many days a favourite that paused is looked for among the five best."""


def pause(person: Chooser) -> Life:
    """A favourite of sixty days that pauses for 45 and is back for ten.

    Read before the pause, at its end, and after two, five and ten days back.
    """
    favourite = max(person.one, key=person.one.__getitem__)
    events = [person.takes(day, person.one, favourite if 60 <= day < 105 else "") for day in range(115)]
    looks = [Look(after, best_of(person.one), frozenset()) for after in RETURNS.values()]
    return Life(events, looks, favourite)


def beside(person: Chooser) -> tuple[list[Event], list[Event], str]:
    """Something unrelated once a week beside 85 days of choices, with a change of taste on day 60 and without one."""
    apart = "home:plants"
    steady = [person.takes(day, person.one) for day in range(60)]
    changed = [person.takes(day, person.two) for day in range(60, 85)]
    unchanged = [person.takes(day, person.one) for day in range(60, 85)]
    weekly = [Event(START + day * DAY + DAY // 2, [apart]) for day in range(0, 85, 7)]
    with_change = sorted([*steady, *changed, *weekly], key=lambda event: event.at)
    without = sorted([*steady, *unchanged, *weekly], key=lambda event: event.at)
    return with_change, without, apart
