"""The tables of simulated persons: precision and stale rate per series, a favourite that pauses, an unrelated edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evals import metrics
from evals.data.histories import Floats
from evals.drift import worlds
from evals.drift.methods import METHODS, Event, Memory, Method, Ours, Setting, ranked
from evals.table import Row, Table

PERSONS, QUICK = 200, 40
NAMED = 5
BACK = list(worlds.RETURNS).index("5 days back")


def tables(seed: int, *, quick: bool) -> list[Table]:
    """Three tables of series and pauses, one of an unrelated edge.

    Opponents take their best setting on as many other persons: for each column, and once for all columns together.
    """
    persons = QUICK if quick else PERSONS
    tuning, reported = ([f"{seed}/{half}/{index}" for index in range(persons)] for half in ("tuning", "reported"))
    shape = f"SIMULATION, {persons} persons"
    right = {name: _lives(series, name, tuning, reported) for name, series in worlds.SERIES.items()}
    paused = {"5 days back": _lives(worlds.pause, "pause", tuning, reported)}
    found: list[list[Row]] = [[], [], []]
    for method in METHODS:
        for label, settings in _chosen(method, {**right, **paused}).items():
            for name, (_, lives) in right.items():
                values = np.array([judged(method, settings[name], life) for life in lives])
                note = _note(method, settings[name])
                found[0].append(_row(label, name, values[:, 0], seed, note))
                found[1].append(_row(label, name, values[:, 1], seed, note))
            ((name, (_, lives)),) = paused.items()
            values = np.array([back(method, settings[name], life) for life in lives])
            for column, days in enumerate(worlds.RETURNS):
                found[2].append(_row(label, days, values[:, column], seed, _note(method, settings[name])))
    titles = (
        "precision@5 of what is liked now",
        "stale rate, former favourites among the five",
        "share whose paused favourite is among the five",
    )
    made = [Table("drift", f"{shape}: {title}", seed, tuple(rows)) for title, rows in zip(titles, found, strict=True)]
    return [*made, _beside(seed, reported)]


Lives = tuple[Sequence[worlds.Life], Sequence[worlds.Life]]
"""Of the persons to tune on, and of those reported."""


def _lives(series: Callable[[worlds.Chooser], worlds.Life], name: str, *halves: Sequence[str]) -> Lives:
    tuning, reported = ([series(worlds.Chooser(f"{name}/{one}")) for one in half] for half in halves)
    return tuning, reported


def _chosen(method: Method, columns: Mapping[str, Lives]) -> dict[str, dict[str, Setting]]:
    """Per row to print, the setting for each column."""
    if not method.grid[1:]:
        return {method.name: dict.fromkeys(columns, method.grid[0])}
    means = np.array(
        [
            [
                np.mean(
                    [
                        back(method, setting, life)[BACK] if life.favourite else judged(method, setting, life)[0]
                        for life in lives
                    ]
                )
                for setting in method.grid
            ]
            for lives, _ in columns.values()
        ]
    )
    best = {name: method.grid[int(np.argmax(row))] for name, row in zip(columns, means, strict=True)}
    single = method.grid[int(np.argmax(means.mean(axis=0)))]
    return {f"{method.name}, best per column": best, f"{method.name}, one for all": dict.fromkeys(columns, single)}


def readings(memory: Memory, events: Sequence[Event], after: Sequence[int]) -> list[list[str]]:
    """The five best after so many events, read at the last of them."""
    often: Counter[str] = Counter()
    found = []
    for number, event in enumerate(events, start=1):
        memory.learn(event)
        if event.sign > 0:
            often.update(event.names)
        if number in after:
            found.append(ranked(memory.scores(event.at), often, NAMED))
    return found


def judged(method: Method, setting: Setting, life: worlds.Life) -> tuple[float, float]:
    """Precision@5 and the share of the five named that are former favourites, means over the readings."""
    named = readings(method.start(setting), life.events, [look.after for look in life.looks])
    right = [len(look.best.intersection(names)) / NAMED for look, names in zip(life.looks, named, strict=True)]
    stale = [len(look.former.intersection(names)) / NAMED for look, names in zip(life.looks, named, strict=True)]
    return sum(right) / len(right), sum(stale) / len(stale)


def back(method: Method, setting: Setting, life: worlds.Life) -> list[float]:
    """Whether the favourite is among the five at each of worlds.RETURNS."""
    named = readings(method.start(setting), life.events, [look.after for look in life.looks])
    return [float(life.favourite in names) for names in named]


def _beside(seed: int, persons: Sequence[str]) -> Table:
    kept = []
    for one in persons:
        changed, unchanged, apart = worlds.beside(worlds.Chooser(f"beside/{one}"))
        strengths = []
        for events in (changed, unchanged):
            memory = Ours()
            for event in events:
                memory.learn(event)
            strengths.append(memory.scores(events[-1].at)[apart])
        kept.append(strengths[0] / strengths[1])
    row = _row("fernvault", "strength with / without", np.array(kept), seed, ">= 1")
    data = f"SIMULATION, {len(persons)} persons: a weekly edge beside a change of taste, as a share of it without one"
    return Table("drift", data, seed, (row,))


def _note(method: Method, setting: Setting) -> str:
    return f"({setting[0]:g})" if method.grid[1:] else ""


def _row(label: str, metric: str, values: Floats, seed: int, note: str = "") -> Row:
    low, high = metrics.interval(values, seed)
    return Row(label, metric, float(values.mean()), low, high, len(values), note)
