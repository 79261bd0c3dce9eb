"""The tables of real households: Complete Journey's baskets as product types, nothing simulated.

A household's *new favourite* is a product type first bought more than DAYS days after its first basket, in at least
LEAST baskets, and among the eight bought in most baskets from then on. Latency counts from its first purchase to the
first reading, after that basket or a later one, that names it among the eight; what is not named by then counts as
MOST_BASKETS baskets or MOST_DAYS days, whichever comes first. *Stale* is the share of the eight that is not bought in
the AHEAD days after a reading, at the first basket after each of LOOKS days, if so many of the household's days are
left. *Hits* are the eight's in the next basket, over its size or eight.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evals import metrics
from evals.baskets import halves
from evals.data import complete_journey
from evals.data.histories import Basket, Floats
from evals.drift.methods import DECAYED, METHODS, OURS, Event, Method, Setting, ranked
from evals.table import Row, Table
from fernvault.instant import DAY

NAMED = 8
DAYS, LATE = 90, 210
"""Days after the first basket from which is measured, and from which the second table is."""

LEAST = 4
AHEAD = 60
LOOKS = (120, 180, 240, 300)
MOST_BASKETS, MOST_DAYS = 30.0, 90.0
CENSORED = (MOST_BASKETS, MOST_DAYS)
SHORT = 14.0
"""Days; the half-life up to which a household counts as one of short memory."""

QUICK = 60
TUNING = 150
NAMES = ("hits in the next basket", "baskets to a new favourite", "days to a new favourite", "stale", "hits, late")


class Found(NamedTuple):
    """One household under one method: NAMES' values, not a number where there was nothing to measure."""

    values: Floats
    early: float


def tables(seed: int, data: Path, *, quick: bool) -> list[Table]:
    """All households, then those of short memory. Raises FileNotFoundError where the folder is missing."""
    folder = data / "complete_journey"
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    households = lasting(complete_journey.baskets(folder, "product_type"))
    tuning, reported = ([households[index] for index in half] for half in halves(len(households), seed))
    tuning, reported = tuning[:TUNING], reported[: QUICK if quick else None]
    return measure(tuning[: QUICK if quick else None], reported, seed)


def lasting(households: Mapping[str, Sequence[Basket]]) -> list[list[Event]]:
    """Households with at least ten baskets, the last of them LATE + AHEAD days or more after the first."""
    found = []
    for name in sorted(households):
        baskets = households[name]
        if len(baskets) >= 10 and baskets[-1].at - baskets[0].at >= (LATE + AHEAD) * DAY:
            found.append([Event(basket.at, sorted(set(basket.items))) for basket in baskets])
    return found


def favourites(events: Sequence[Event]) -> dict[str, int]:
    """Each new favourite and the number of the basket that first holds it."""
    start = events[0].at + DAYS * DAY
    late: Counter[str] = Counter(name for event in events if event.at > start for name in event.names)
    most = sorted(late, key=lambda name: (-late[name], name))[:NAMED]
    first: dict[str, int] = {}
    for number, event in enumerate(events):
        for name in event.names:
            first.setdefault(name, number)
    return {name: first[name] for name in most if events[first[name]].at > start and late[name] >= LEAST}


def followed(method: Method, setting: Setting, events: Sequence[Event]) -> Found:
    """One household's values; ``early`` are the hits from day DAYS to LATE, which a half-life is chosen by."""
    start = events[0].at
    memory = method.start(setting)
    often: Counter[str] = Counter()
    waiting = favourites(events)
    looks = [day for day in LOOKS if start + (day + AHEAD) * DAY <= events[-1].at]
    latency: list[tuple[float, float]] = []
    hits: dict[bool, list[float]] = {False: [], True: []}
    stale: list[float] = []
    for number, event in enumerate(events[:-1]):
        memory.learn(event)
        often.update(event.names)
        due = bool(looks) and event.at >= start + looks[0] * DAY
        after = events[number + 1]
        if after.at <= start + DAYS * DAY:
            continue
        named = ranked(memory.scores(event.at), often, NAMED)
        hit = len(set(named).intersection(after.names)) / min(NAMED, len(after.names))
        hits[after.at > start + LATE * DAY].append(hit)
        if due:
            looks.pop(0)
            until = event.at + AHEAD * DAY
            bought = {name for later in events[number + 1 :] if later.at <= until for name in later.names}
            stale.append(1.0 - len(bought.intersection(named)) / len(named))
        for name, first in list(waiting.items()):
            baskets, days = float(number - first), (event.at - events[first].at) / DAY
            if first <= number and (name in named or baskets >= MOST_BASKETS or days >= MOST_DAYS):
                latency.append((min(baskets, MOST_BASKETS), min(days, MOST_DAYS)) if name in named else CENSORED)
                del waiting[name]
    latency += [CENSORED] * len(waiting)
    both = [*hits[False], *hits[True]]
    columns = (both, [one[0] for one in latency], [one[1] for one in latency], stale, hits[True])
    return Found(np.array([_mean(column) for column in columns]), _mean(hits[False]))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else float("nan")


def measure(tuning: Sequence[Sequence[Event]], reported: Sequence[Sequence[Event]], seed: int) -> list[Table]:
    """Both tables. A setting, and a household's half-life, is chosen by hits in the next basket."""
    rows: list[Row] = []
    found: dict[str, Floats] = {}
    for method in METHODS:
        means = [
            np.nanmean([followed(method, setting, events).values[0] for events in tuning]) if method.grid[1:] else 0.0
            for setting in method.grid
        ]
        setting = method.grid[int(np.argmax(means))]
        label = f"{method.name} ({setting[0]:g})" if method.grid[1:] else method.name
        found[label] = np.array([followed(method, setting, events).values for events in reported])
        rows += _rows(label, NAMES[:4], found[label], seed)
    own = [[followed(DECAYED, setting, events) for setting in DECAYED.grid] for events in reported]
    best = [int(np.argmax(np.nan_to_num([one.early for one in each], nan=-1.0))) for each in own]
    short = [index for index, chosen in enumerate(best) if DECAYED.grid[chosen][0] <= SHORT]
    found["decayed counter, each household's own best"] = np.array(
        [each[chosen].values for each, chosen in zip(own, best, strict=True)]
    )
    changing = [row for label, values in found.items() for row in _rows(label, NAMES[4:], values[short], seed)]
    rival = max((label for label in found if label != OURS.name), key=lambda one: float(np.nanmean(found[one][:, 0])))
    rows += _rows(f"fernvault minus {rival}", NAMES[:4], found[OURS.name] - found[rival], seed)
    shape = f"Complete Journey, product type, {len(reported)} households"
    late = f"the {len(short)} whose best half-life before day {LATE} is {SHORT:g} days or less, baskets after it"
    return [
        Table("drift", f"{shape}: the eight named, from day {DAYS}", seed, tuple(rows)),
        Table("drift", f"{shape}: {late}", seed, tuple(changing)),
    ]


def _rows(label: str, names: Sequence[str], values: Floats, seed: int) -> list[Row]:
    rows = []
    columns = values[:, NAMES.index(names[0]) :][:, : len(names)]
    for name, column in zip(names, columns.T, strict=True):
        kept = column[~np.isnan(column)]
        low, high = metrics.interval(kept, seed)
        rows.append(Row(label, name, float(kept.mean()), low, high, len(kept)))
    return rows
