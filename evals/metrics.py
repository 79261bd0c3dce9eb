"""Recall and NDCG of a ranking, and 95 % intervals over users by bootstrap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evals.data.histories import Floats, Ints

TIE = 1e-9
"""Scores closer than this share of a row's largest count as tied, and popularity decides."""


def best(scores: Floats, popularity: Floats, count: int) -> Ints:
    """Each row's ``count`` best items, best first; ties go to the more popular item, then to the lower number."""
    items = scores.shape[1]
    count = min(count, items)
    order = np.lexsort((np.arange(items), -popularity))
    place = np.empty(items)
    place[order] = np.arange(items)
    largest = np.maximum(np.abs(scores).max(axis=1, keepdims=True), 1e-300)
    ranked = scores / largest - TIE * (place / items)
    top = np.argpartition(-ranked, count - 1, axis=1)[:, :count] if count < items else np.tile(order, (len(scores), 1))
    inside = np.argsort(-np.take_along_axis(ranked, top, axis=1), axis=1, kind="stable")
    found: Ints = np.take_along_axis(top, inside, axis=1).astype(np.int64)
    return found


def hits(top: Ints, truth: Sequence[Ints]) -> NDArray[np.bool_]:
    """Which of each row's items are true."""
    return np.array([np.isin(row, true) for row, true in zip(top, truth, strict=True)])


def recall(hit: NDArray[np.bool_], sizes: Ints, count: int) -> Floats:
    """Per user: true items among the first ``count``, over all true items."""
    found: Floats = hit[:, :count].sum(axis=1) / sizes
    return found


def ndcg(hit: NDArray[np.bool_], sizes: Ints, count: int) -> Floats:
    """Per user: Σ 1/log2(place+1) of the hits among the first ``count``, over that sum for ALL true items in front."""
    gains = 1.0 / np.log2(np.arange(2, max(int(sizes.max()), count) + 2))
    ideal = np.cumsum(gains)[sizes - 1]
    first = hit[:, :count]
    found: Floats = (first * gains[: first.shape[1]]).sum(axis=1) / ideal
    return found


def interval(values: Floats, seed: int, rounds: int = 1000) -> tuple[float, float]:
    """The 95 % interval of the mean over users: percentiles of bootstrap means, the same draws for the same seed."""
    generator = np.random.default_rng(seed)
    means = [float(values[generator.integers(0, len(values), len(values))].mean()) for _ in range(rounds)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def ratio_interval(parts: Floats, wholes: Floats, seed: int, rounds: int = 1000) -> tuple[float, float]:
    """The 95 % interval over users of Σ parts / Σ wholes; users are drawn, each with its part and its whole."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(rounds):
        drawn = generator.integers(0, len(parts), len(parts))
        found.append(float(parts[drawn].sum() / wholes[drawn].sum()))
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)
