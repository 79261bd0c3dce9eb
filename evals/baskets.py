"""``python -m evals baskets``: each user's last basket, foreseen from the ones before.

Users are halved at random. Each opponent takes the setting of its grid with the best recall@10 + NDCG@10 on the tuning
half (on at most TUNING users of it); the table is the other half. Ours has one setting for every data set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

from evals import metrics
from evals.data import complete_journey, groceries, online_retail, tafeng
from evals.data.histories import Floats, Histories, Ints
from evals.methods import bm25, decayed, own_count, pagerank, popularity, recency, tifu_knn, time_aware, up_cf, window
from evals.methods.method import Method, Scorer, Setting
from evals.methods.ours import ALONE, FEW, KEPT, METHOD
from evals.table import Row, Table

BLOCK = 256
TUNING = 500
QUICK = 600
DEEP = 20

OPPONENTS = (
    popularity.METHOD,
    own_count.METHOD,
    recency.METHOD,
    window.METHOD,
    decayed.METHOD,
    up_cf.METHOD,
    tifu_knn.METHOD,
    time_aware.METHOD,
    pagerank.METHOD,
    bm25.METHOD,
)

NAMES = ("recall@10", "recall@20", "NDCG@10 all", "NDCG@10 min")
"""NDCG "all" divides by the ideal over all true items, "min" over at most ten of them."""


class Source:
    """A data set: the folder it lies in, how it is read, and the bars set for all its users."""

    def __init__(self, folder: str, load: Callable[[Path], Histories], bars: Mapping[str, float]) -> None:
        """``bars``: metric to the least value asked for."""
        self.folder, self.load, self.bars = folder, load, bars


SOURCES = {
    "product-type": Source(
        "complete_journey",
        lambda folder: complete_journey.load(folder, "product_type"),
        {"recall@10": 0.243, "recall@20": 0.324, "NDCG@10 min": 0.269},
    ),
    "category": Source("complete_journey", lambda folder: complete_journey.load(folder, "product_category"), {}),
    "online-retail": Source(
        "online_retail", online_retail.load, {"recall@10": 0.222, "recall@20": 0.322, "NDCG@10 min": 0.328}
    ),
    "tafeng": Source("tafeng", tafeng.load, {"recall@10": 0.150, "NDCG@10 all": 0.131}),
    "groceries": Source("groceries", groceries.load, {}),
}


def run(seed: int, data: Path, which: str | None = None, quick: bool = False) -> Iterator[Table]:
    """One table per data set. Raises FileNotFoundError where a folder is missing."""
    for name in [which] if which else SOURCES:
        source = SOURCES[name]
        if not (data / source.folder).is_dir():
            raise FileNotFoundError(data / source.folder)
        yield measure(source.load(data / source.folder), source.bars, seed, quick)


def halves(users: int, seed: int) -> tuple[Ints, Ints]:
    """The users to tune on and the users to report, at random, each in order."""
    mixed = np.random.default_rng(seed).permutation(users).astype(np.int64)
    return np.sort(mixed[: users // 2]), np.sort(mixed[users // 2 :])


def scores(histories: Histories, users: Ints, scorer: Scorer) -> Floats:
    """One row per user, one column per metric of NAMES."""
    tops = [
        metrics.best(scorer(users[start : start + BLOCK]), histories.popularity, DEEP)
        for start in range(0, len(users), BLOCK)
    ]
    truth = [histories.truth[user] for user in users]
    sizes = np.array([len(true) for true in truth])
    hit = metrics.hits(np.vstack(tops), truth)
    columns = (
        metrics.recall(hit, sizes, 10),
        metrics.recall(hit, sizes, 20),
        metrics.ndcg(hit, sizes, 10),
        metrics.ndcg(hit, np.minimum(sizes, 10), 10),
    )
    return np.stack(columns, axis=1)


def chosen(method: Method, histories: Histories, users: Ints) -> Setting:
    """The method's best setting on these users; the first of equals."""
    if len(method.grid) == 1:
        return method.grid[0]
    sums = []
    for setting in method.grid:
        mean = scores(histories, users, method.fit(histories, setting)).mean(axis=0)
        sums.append(float(mean[0] + mean[2]))
    return method.grid[int(np.argmax(sums))]


def measure(histories: Histories, bars: Mapping[str, float], seed: int, quick: bool) -> Table:
    """The table of one data set: the reported half, then all users beside the bars."""
    tuning, reported = halves(histories.shape[0], seed)
    everyone = np.arange(histories.shape[0], dtype=np.int64)
    if quick:
        reported = reported[:QUICK]
        everyone = everyone[:QUICK]
    found: dict[str, Floats] = {}
    whole: dict[str, Floats] = {}
    ours = (METHOD, FEW, ALONE) if histories.bought.all() else (METHOD, KEPT, FEW, ALONE)
    for method in (*OPPONENTS, *ours):
        setting = chosen(method, histories, tuning[:: max(1, -(-len(tuning) // TUNING))])
        label = method.name
        if method.parameters:
            pairs = (f"{name} {value:g}" for name, value in zip(method.parameters, setting, strict=True))
            label = f"{method.name} ({', '.join(pairs)})"
        scorer = method.fit(histories, setting)
        found[label] = scores(histories, reported, scorer)
        if bars and method in (tifu_knn.METHOD, METHOD, KEPT):
            whole[f"all users: {label}"] = scores(histories, everyone, scorer)
    own = found[METHOD.name]
    against = {label: values for label, values in found.items() if not label.startswith("fernvault")}
    best = max(against, key=lambda label: float(against[label][:, 0].mean() + against[label][:, 2].mean()))
    rows = [row for label, values in found.items() for row in _rows(label, values, seed)]
    rows += _rows(f"fernvault minus {best}", own - found[best], seed)
    if not bars:
        popular = next(label for label in found if label.startswith(popularity.METHOD.name))
        if best != popular:
            rows += _rows("fernvault minus popularity", own - found[popular], seed)
    for label, values in whole.items():
        rows += _rows(label, values, seed, bars if METHOD.name in label else {})
    users, items = histories.shape
    shape = f"{histories.name}: {users} users, {items} items, {histories.baskets.mean():.1f} baskets before the last"
    step = f"; a step between baskets counts as {histories.step // 86_400_000_000} days" if histories.step else ""
    return Table("baskets", shape + step + (", quick" if quick else ""), seed, tuple(rows))


def _rows(label: str, values: Floats, seed: int, bars: Mapping[str, float] | None = None) -> list[Row]:
    rows = []
    for column, name in enumerate(NAMES):
        low, high = metrics.interval(values[:, column], seed)
        bar = f">= {bars[name]:g}" if bars and name in bars else ""
        rows.append(Row(label, name, float(values[:, column].mean()), low, high, len(values), bar))
    return rows
