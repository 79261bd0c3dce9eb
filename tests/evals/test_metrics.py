"""Metrics by hand, ties, and intervals that repeat."""

from __future__ import annotations

from math import log2

import numpy as np
import pytest

from evals import metrics


def test_recall_and_ndcg_by_hand() -> None:
    # Ranked 3, 1, 0; true are 1, 0 and 2: hits at places 2 and 3.
    top = np.array([[3, 1, 0]])
    truth = [np.array([0, 1, 2])]
    hit, sizes = metrics.hits(top, truth), np.array([3])
    assert metrics.recall(hit, sizes, 2)[0] == pytest.approx(1 / 3)
    assert metrics.recall(hit, sizes, 3)[0] == pytest.approx(2 / 3)
    gained = 1 / log2(3) + 1 / log2(4)
    assert metrics.ndcg(hit, sizes, 3)[0] == pytest.approx(gained / (1 + gained))
    # At 2 the ideal over all true items still has three, over at most two it has two.
    assert metrics.ndcg(hit, sizes, 2)[0] == pytest.approx(1 / log2(3) / (1 + gained))
    assert metrics.ndcg(hit, np.minimum(sizes, 2), 2)[0] == pytest.approx(1 / log2(3) / (1 + 1 / log2(3)))


def test_ties_go_to_the_more_popular_and_then_to_the_lower_number() -> None:
    popularity = np.array([1.0, 5.0, 5.0, 9.0])
    assert metrics.best(np.array([[2.0, 2.0, 2.0, 1.0]]), popularity, 4).tolist() == [[1, 2, 0, 3]]
    assert metrics.best(np.zeros((1, 4)), popularity, 2).tolist() == [[3, 1]]
    assert metrics.best(np.array([[-1.0, -3.0, 0.0, 0.0]]), popularity, 3).tolist() == [[3, 2, 0]]


def test_best_is_a_stable_sort() -> None:
    generator = np.random.default_rng(5)
    scores = generator.integers(0, 4, (20, 50)).astype(float)
    popularity = generator.integers(0, 6, 50).astype(float)
    for row, found in zip(scores, metrics.best(scores, popularity, 20), strict=True):
        assert found.tolist() == sorted(range(50), key=lambda item: (-row[item], -popularity[item], item))[:20]


def test_the_interval_holds_the_mean_and_repeats() -> None:
    values = np.random.default_rng(2).random(200)
    low, high = metrics.interval(values, 1)
    assert low < values.mean() < high
    assert (low, high) == metrics.interval(values, 1)
