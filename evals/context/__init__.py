"""``python -m evals context``: what is chosen next, foreseen from the person's history and the context it happens in.

Opponents take the setting of their grid with the best hit rates on one half of the users; the table is the other half.
Ours has one setting for every data set, the product's defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evals import metrics
from evals.baskets import halves
from evals.context import sources
from evals.context.methods import DATED, METHODS, OURS, Crowd, Method, Setting, crowd, learned, spelt
from evals.context.rows import Case
from evals.data.histories import Floats
from evals.table import Row, Table

ASKED = ("own count, popularity ties", "plain lift, half strength", "fernvault")
"""Shown for all users too where a bar is set: what the bar was set from, and ours."""

WORLD_USERS = 720
QUICK = 60

Loader = Callable[[Path, int], list[Case]]


class Source(NamedTuple):
    """A data set: its folder, how it is read, k of hit@k, whether its choices are dated, and the bar over choices."""

    folder: str
    load: Loader
    depth: int
    dated: bool = False
    bar: float | None = None


SOURCES: dict[str, Source | None] = {
    "frappe": Source("frappe", sources.frappe, 5, bar=0.565),
    "coffee": Source("coffee_vending", sources.coffee, 1, dated=True),
    "depaulmovie": Source("depaulmovie", sources.films, 10),
    "incarmusic": Source("incarmusic", sources.tracks, 10),
    "sts": Source("sts_travel", sources.sights, 10),
    "simulated": None,
}


def run(seed: int, data: Path, which: str | None = None, quick: bool = False) -> Iterator[Table]:
    """One table per data set, and one of the simulated worlds. Raises FileNotFoundError where a folder is missing."""
    for name in [which] if which else SOURCES:
        source = SOURCES[name]
        if source is None:
            yield simulated(seed, QUICK if quick else WORLD_USERS)
            continue
        if not (data / source.folder).is_dir():
            raise FileNotFoundError(data / source.folder)
        yield measure(name, source, source.load(data / source.folder, seed), seed, quick=quick)


def measure(name: str, source: Source, cases: Sequence[Case], seed: int, *, quick: bool = False) -> Table:
    """The table of one data set: hit@depth, as the mean over users of their shares, and over all hidden choices."""
    depth, bar = source.depth, source.bar
    everyone = crowd(cases)
    tuning, reported = ([cases[index] for index in half] for half in halves(len(cases), seed))
    if quick:
        tuning, reported = tuning[:QUICK], reported[:QUICK]
    rows: list[Row] = []
    found: dict[str, Hits] = {}
    for method in (*METHODS, *(DATED if source.dated else ())):
        setting = _chosen(method, tuning, everyone, depth)
        label = f"{method.name} ({setting[0]:g})" if len(method.grid) > 1 else method.name
        found[label] = hits(method, setting, reported, everyone, depth)
        rows += _rows(label, depth, found[label], seed)
        if bar is not None and not quick and method.name in ASKED:
            both = found[label].joined(hits(method, setting, tuning, everyone, depth))
            rows += _rows(f"all users: {label}", depth, both, seed, f">= {bar:g}" if method is OURS else "")
    own = found[OURS.name]
    best = max((label for label in found if not label.startswith("fernvault")), key=lambda one: sum(found[one].means()))
    less = Hits(own.caught - found[best].caught, own.of)
    rows += _rows(f"fernvault minus {best}", depth, less, seed)
    hidden = sum(len(case.hidden) for case in cases)
    return Table("context", f"{name}: {len(cases)} users, {hidden} choices to foresee", seed, tuple(rows))


class Hits(NamedTuple):
    """Per user, how many hidden choices were among the best, and of how many."""

    caught: Floats
    of: Floats

    def joined(self, other: Hits) -> Hits:
        """These users and those."""
        return Hits(np.concatenate([self.caught, other.caught]), np.concatenate([self.of, other.of]))

    def means(self) -> tuple[float, float]:
        """Over users, and over choices."""
        return float((self.caught / self.of).mean()), float(self.caught.sum() / self.of.sum())


def hits(method: Method, setting: Setting, cases: Sequence[Case], everyone: Crowd, depth: int) -> Hits:
    """Hidden choices among each one's best ``depth``; equal scores go in order of spelling."""
    caught = []
    for case in cases:
        score = method.fit(case, everyone, setting)
        caught.append(float(sum(spelt(choice.item) in _top(score(choice), depth) for choice in case.hidden)))
    return Hits(np.array(caught), np.array([float(len(case.hidden)) for case in cases]))


def _top(scores: Mapping[str, float], depth: int) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))[:depth]


def _chosen(method: Method, cases: Sequence[Case], everyone: Crowd, depth: int) -> Setting:
    if len(method.grid) == 1:
        return method.grid[0]
    sums = [sum(hits(method, setting, cases, everyone, depth).means()) for setting in method.grid]
    return method.grid[int(np.argmax(sums))]


def simulated(seed: int, users: int) -> Table:
    """Precision@3 of the weekday tags, asked for in the context of a weekday."""
    rows = []
    for name in sources.WORLDS:
        ours, conditional = [], []
        for case, truth in sources.world(name, seed, users):
            person = learned(case, context=True)
            scores = person.scores(sources.UNDATED, seeds=("ctx:weekday",))
            ours.append(sum(one.removeprefix("item:") in truth for one in _top(scores, 3)) / 3)
            counts: dict[str, float] = {}
            for choice in case.seen:
                counts[choice.item] = counts.get(choice.item, 0.0) + float(choice.context == ("ctx:weekday",))
            conditional.append(sum(one in truth for one in _top(counts, 3)) / 3)
        bar = f">= {np.mean(conditional) - 0.02:.3f}"
        rows.append(_row("fernvault", name, np.array(ours), seed, bar))
        rows.append(_row("counter of the same context", name, np.array(conditional), seed))
    return Table(
        "context", f"SIMULATION, two contexts of five tags each: precision@3, {users} users", seed, tuple(rows)
    )


def _rows(label: str, depth: int, found: Hits, seed: int, bar: str = "") -> list[Row]:
    """The mean over users, and over choices with its interval over users, beside which the bar stands."""
    low, high = metrics.ratio_interval(found.caught, found.of, seed)
    return [
        _row(label, f"hit@{depth}, users", found.caught / found.of, seed),
        Row(label, f"hit@{depth}, choices", found.means()[1], low, high, len(found.of), bar),
    ]


def _row(label: str, metric: str, values: Floats, seed: int, bar: str = "") -> Row:
    low, high = metrics.interval(values, seed)
    return Row(label, metric, float(values.mean()), low, high, len(values), bar)
