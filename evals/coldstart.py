"""``python -m evals coldstart``: precision@5 after the first few events, with a prior learnt from other users.

The simulated worlds are simulations and say so; the real rows are Complete Journey's product types (an event is a
basket) and MovieLens genres (an event is a film rated 4 or more). Nothing is tuned on the
real ones; that chance is binomial in ``graph/worth.py`` was chosen after seeing the simulated ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evals import metrics
from evals.baskets import halves
from evals.data import complete_journey, movielens
from evals.data.histories import Basket, Floats, Histories
from evals.methods import decayed, own_count, popularity, recency
from evals.methods.method import Method
from evals.methods.ours import ALONE, FEW, FILLED, MEAN, METHOD
from evals.table import Row, Table
from fernvault.instant import DAY

TURNS = (0, 1, 2, 3, 5, 10)
TOP = 5
WORLDS, NEWCOMERS, TRAINING, EVENTS = 20, 30, 60, 40
TAGS, ITEMS, SEEN = 15, 200, 8
RANDOM = 0.12
ASKED = 0.66

METHODS: tuple[Method, ...] = (
    popularity.METHOD,
    own_count.METHOD,
    recency.METHOD,
    decayed.METHOD._replace(name="decayed counter, 30 days", parameters=(), grid=[(30.0, 0.0)]),
    METHOD,
    FEW,
    MEAN,
    FILLED,
    ALONE,
)


class World(NamedTuple):
    """Users whom the prior is learnt from, newcomers with all their events, and what each newcomer truly likes."""

    training: Mapping[str, Sequence[Basket]]
    newcomers: Mapping[str, Sequence[Basket]]
    truth: Mapping[str, Sequence[str]]


def simulated(shared: float, seed: int) -> World:
    """A world of 15 tags and 200 items of two to four tags, one event a day.

    A user's taste for a tag is shared·(the population's) + (1 - shared)·(an own one), both uniform in [0, 1]. An event
    is the best by mean taste of eight random items, or in 12 % any of them. True are the five tags of highest taste.
    """
    generator = np.random.default_rng(seed)
    items = [generator.choice(TAGS, generator.integers(2, 5), replace=False) for _ in range(ITEMS)]
    common = generator.random(TAGS)
    made: list[dict[str, list[Basket]]] = [{}, {}]
    truth = {}
    for index in range(TRAINING + NEWCOMERS):
        taste = shared * common + (1.0 - shared) * generator.random(TAGS)
        name, baskets = f"u{index}", []
        for day in range(EVENTS):
            seen = generator.choice(ITEMS, SEEN, replace=False)
            best = max(seen, key=lambda item: float(taste[items[item]].mean()))
            item = seen[0] if generator.random() < RANDOM else best
            baskets.append(Basket(day * DAY, [f"t{tag}" for tag in items[item]]))
        made[index >= TRAINING][name] = baskets
        truth[name] = [f"t{tag}" for tag in np.argsort(-taste)[:TOP]]
    return World(made[0], made[1], truth)


def real(users: Mapping[str, Sequence[Basket]], seed: int) -> World:
    """One half as training, the other as newcomers; true are the five items most often in what follows event ten.

    Only users with at least ten events after that are newcomers; equal counts go in order of spelling.
    """
    names = sorted(users)
    training, fresh = halves(len(names), seed)
    newcomers = {names[index]: users[names[index]] for index in fresh if len(users[names[index]]) >= 2 * max(TURNS)}
    truth = {}
    for name, baskets in newcomers.items():
        counts: dict[str, int] = {}
        for basket in baskets[max(TURNS) :]:
            for item in set(basket.items):
                counts[item] = counts.get(item, 0) + 1
        truth[name] = sorted(counts, key=lambda item: (-counts[item], item))[:TOP]
    return World({names[index]: users[names[index]] for index in training}, newcomers, truth)


def precision(world: World, turn: int) -> dict[str, Floats]:
    """Per method, each newcomer's precision@5 after ``turn`` events, read at the moment of the next one."""
    users: dict[str, list[Basket]] = {}
    for name, baskets in world.training.items():
        users[name] = [*baskets, Basket(baskets[-1].at + 1, [])]
    for name, baskets in world.newcomers.items():
        users[name] = [
            *baskets[:turn],
            Basket(max(baskets[turn].at, baskets[max(turn - 1, 0)].at + 1), world.truth[name]),
        ]
    histories = Histories("cold start", users, 1, newcomers=frozenset(world.newcomers))
    fresh = np.flatnonzero(~histories.learners).astype(np.int64)
    truth = [histories.truth[user] for user in fresh]
    found = {}
    for method in METHODS:
        top = metrics.best(method.fit(histories, method.grid[0])(fresh), histories.popularity, TOP)
        found[method.name] = metrics.hits(top, truth).sum(axis=1) / TOP
    return found


def _worlds(shared: float) -> Callable[[int, Path, bool], list[World]]:
    return lambda seed, _, quick: [simulated(shared, seed + 1000 * one) for one in range(4 if quick else WORLDS)]


def _journey(seed: int, data: Path, _: bool) -> list[World]:
    return [real(complete_journey.baskets(_folder(data / "complete_journey"), "product_type"), seed)]


def _films(seed: int, data: Path, _: bool) -> list[World]:
    return [real(movielens.load(_folder(data / "ml_latest_small")), seed)]


def _folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    return folder


SOURCES: dict[str, tuple[str, Callable[[int, Path, bool], list[World]]]] = {
    "shared-60": ("SIMULATION, 60 % shared taste", _worlds(0.6)),
    "shared-30": ("SIMULATION, 30 % shared taste", _worlds(0.3)),
    "product-type": ("Complete Journey, product type", _journey),
    "genres": ("MovieLens small, genres of films rated 4 or more", _films),
}


def run(seed: int, data: Path, which: str | None = None, quick: bool = False) -> Iterator[Table]:
    """One table per world. Raises FileNotFoundError where a folder is missing."""
    for name in [which] if which else SOURCES:
        title, worlds = SOURCES[name]
        yield measure(title, worlds(seed, data, quick), seed, ASKED if name == "shared-60" else None)


def measure(title: str, worlds: Sequence[World], seed: int, asked: float | None) -> Table:
    """The table of one kind of world: every newcomer of every world is one user."""
    found: dict[tuple[str, int], list[Floats]] = {}
    for world in worlds:
        for turn in TURNS:
            for name, values in precision(world, turn).items():
                found.setdefault((name, turn), []).append(values)
    rows = []
    for method in METHODS:
        for turn in TURNS:
            values = np.concatenate(found[method.name, turn])
            low, high = metrics.interval(values, seed)
            bar = f">= {asked:g}" if asked and method is METHOD and turn in (1, 2, 3) else ""
            rows.append(Row(method.name, f"after {turn}", float(values.mean()), low, high, len(values), bar))
    training = sum(len(world.training) for world in worlds)
    data = f"{title}: precision@5, {training} users to learn from" + (f" in {len(worlds)} worlds" if worlds[1:] else "")
    return Table("coldstart", data, seed, tuple(rows))
