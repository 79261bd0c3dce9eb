"""Tuning: which parameters would have foreseen the owner's own latest days best; nothing is fitted to anybody else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from fernvault.attribute import CONTEXT, is_negative, namespace
from fernvault.graph.person import Person
from fernvault.instant import DAY
from fernvault.prior import Prior
from fernvault.rule import Rule, tuned

HISTORY: Final = 2_000
"""Events, the latest ones, that are looked at: a few seconds' work for all that is tried."""

TEST_DAYS: Final = 40
LEAST_DAYS: Final = 10
"""Days that are foreseen: the latest fifth, so many at most; with fewer than the least nothing is tuned."""

GRID: Final[Mapping[str, Sequence[Any]]] = {
    "half_lives": ((2.0, 14.0, 60.0), (7.0, 45.0, 365.0), (14.0, 90.0, 365.0), (30.0, 120.0, 730.0)),
    "alpha": (0.3, 0.6, 1.2),
    "shrinkage": (0.25, 1.0, 3.0),
    "prior_events": (0.0, 1.0, 2.0, 4.0),
}


class Happened(NamedTuple):
    """One event: its instant, the attributes that fired, context and opposites included, size (> 0) and quantity."""

    at: int
    fired: tuple[str, ...]
    size: float = 1.0
    quantity: float | None = None


class Tuning(NamedTuple):
    """What was found: the parameters that differ, and the mean share foreseen before and after, over ``days`` days."""

    changes: dict[str, Any]
    before: float
    after: float
    days: int


class Beside(NamedTuple):
    """What a reading has beside the owner's events, and tuning leaves as it is."""

    prior: Prior | None = None
    exclusive: Sequence[frozenset[str]] = ()


NOTHING: Final = Beside()


def foreseen(events: Sequence[Happened], rule: Rule, days: int, entries: int, beside: Beside = NOTHING) -> list[float]:
    """For each of the last ``days`` days with events: the share of what fired that day that a card would have held.

    The card is read at the day's first event, in that event's context, knowing only what came before; the share is of
    min(``entries``, attributes that fired). ``events`` are in order of time.
    """
    dates = sorted({event.at // DAY for event in events if _liked(event.fired)})
    wanted = set(dates[-days:])
    person = Person(rule, beside.exclusive)
    means, kappa = (None, None) if beside.prior is None else (beside.prior.means, beside.prior.kappa)
    shares: list[float] = []
    index = 0
    while index < len(events):
        date = events[index].at // DAY
        end = index
        while end < len(events) and events[end].at // DAY == date:
            end += 1
        today = events[index:end]
        if date in wanted:
            fired = {name for event in today for name in _liked(event.fired)}
            seeds = [name for name in today[0].fired if namespace(name) == CONTEXT]
            card = {one.attribute for one in person.read(today[0].at, seeds=seeds, prior=means, worth=kappa)[:entries]}
            shares.append(len(card & fired) / min(entries, len(fired)))
        for event in today:
            person.learn(event.at, event.fired, event.size, event.quantity)
        index = end
    return shares


def tune(events: Sequence[Happened], rule: Rule, entries: int, beside: Beside = NOTHING) -> Tuning | None:
    """The best parameters, one after the other (GRID), or None with too little history.

    One is only changed where it foresees more on the odd test days and on the even ones, so that a lucky week decides
    nothing. Ties keep what there is. The prior's worth is only tried where its publisher leaves it to the rule.
    """
    latest = events[-HISTORY:]
    dates = {event.at // DAY for event in latest if _liked(event.fired)}
    days = min(TEST_DAYS, len(dates) // 5)
    if days < LEAST_DAYS:
        return None
    start = best = foreseen(latest, rule, days, entries, beside)
    changes: dict[str, Any] = {}
    for name, values in GRID.items():
        if not _applies(name, values, rule, beside.prior):
            continue
        for value in values:
            tried = {**changes, name: value}
            shares = foreseen(latest, tuned(rule, tried), days, entries, beside)
            if all(sum(shares[half::2]) > sum(best[half::2]) for half in (0, 1)):
                best, changes = shares, tried
    return Tuning(changes, sum(start) / days, sum(best) / days, days)


def _applies(name: str, values: Sequence[Any], rule: Rule, prior: Prior | None) -> bool:
    if name == "prior_events":
        return prior is not None and prior.kappa is None
    return name != "half_lives" or len(values[0]) == len(rule.half_lives)


def _liked(fired: Sequence[str]) -> list[str]:
    return [name for name in fired if namespace(name) != CONTEXT and not is_negative(name)]
