"""Each opponent on a history small enough to do by hand."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from evals.data.histories import Basket, Histories
from evals.methods import (
    bm25,
    decayed,
    own_count,
    pagerank,
    popularity,
    recency,
    tifu_knn,
    time_aware,
    up_cf,
    window,
)
from evals.methods.method import Method
from fernvault.instant import DAY


def histories(**users: list[Basket]) -> Histories:
    return Histories("by hand", users, 2)


@pytest.fixture
def three() -> Histories:
    """Items a, b, c, d are numbers 0 to 3; each user's last basket is hidden, ten days after day 0."""
    return histories(
        u=[Basket(0, "a"), Basket(5 * DAY, "ab"), Basket(10 * DAY, "c")],
        v=[Basket(0, "ac"), Basket(10 * DAY, "a")],
        w=[Basket(0, "d"), Basket(10 * DAY, "d")],
    )


def row(method: Method, given: Histories, setting: tuple[float, ...], user: int = 0) -> list[float]:
    return list(method.fit(given, setting)(np.array([user]))[0])


def test_the_last_basket_is_hidden(three: Histories) -> None:
    assert three.items == ("a", "b", "c", "d")
    assert three.shape == (3, 4)
    assert [true.tolist() for true in three.truth] == [[2], [0], [3]]
    assert three.baskets.tolist() == [2, 1, 1]
    assert three.lag.tolist() == [1, 0, 0, 0, 0, 0]
    assert three.age.tolist() == [10.0, 5.0, 5.0, 10.0, 10.0, 10.0]


def test_returns_keep_the_number_of_the_basket_before_and_what_follows_the_last_purchase_is_unseen() -> None:
    given = histories(
        u=[
            Basket(0, "ab"),
            Basket(DAY, "a", True),
            Basket(2 * DAY, "a"),
            Basket(3 * DAY, "b"),
            Basket(4 * DAY, "b", True),
        ]
    )
    assert given.sign.tolist() == [1, 1, -1, 1]
    assert given.basket.tolist() == [0, 0, 0, 1]
    assert given.popularity.tolist() == [2.0, 1.0]
    assert row(own_count.METHOD, given, (0.0,)) == [2.0, 1.0]
    assert row(own_count.METHOD, given, (1.0,)) == [1.0, 1.0]


def test_counts(three: Histories) -> None:
    assert row(popularity.METHOD, three, ()) == [3.0, 1.0, 1.0, 1.0]
    assert row(own_count.METHOD, three, (0.0,)) == [2.0, 1.0, 0.0, 0.0]
    assert row(recency.METHOD, three, ()) == [2.0, 2.0, 0.0, 0.0]
    assert row(window.METHOD, three, (1.0,)) == [1.0, 1.0, 0.0, 0.0]
    # Half-life five days: 2^-2 + 2^-1, then 2^-1.
    assert row(decayed.METHOD, three, (5.0, 0.0)) == pytest.approx([0.75, 0.5, 0.0, 0.0])


def test_up_cf(three: Histories) -> None:
    # s(u, u) = 2/(2^a·2^(1-a)) = 1, s(u, v) = 1/2, s(u, w) = 0. Shares of all baskets: u 1 and 1/2, v 1 and 1.
    assert row(up_cf.METHOD, three, (0.0, 1.0, 0.5)) == pytest.approx([1.0 + 0.5, 0.5, 0.5, 0.0])
    # q = 2 squares the similarity; r = 1 takes u's last basket only.
    assert row(up_cf.METHOD, three, (1.0, 2.0, 0.5)) == pytest.approx([1.0 + 0.25, 1.0, 0.25, 0.0])


def test_up_cf_similarity_is_asymmetric() -> None:
    given = histories(u=[Basket(0, "ab"), Basket(1, "a")], v=[Basket(0, "acde"), Basket(1, "a")])
    # n_u^a is the same for the whole row; against v, n_v = 4: common 1 over 2^a·4^(1-a); against u itself 1.
    for alpha in (0.25, 0.75):
        similar = 1 / (2**alpha * 4 ** (1 - alpha))
        found = row(up_cf.METHOD, given, (0.0, 1.0, alpha))
        assert found == pytest.approx([1 + similar, 1.0, similar, similar, similar])


def test_tifu_knn_m_is_the_number_of_groups_and_r_b_runs_over_the_whole_sequence() -> None:
    given = histories(u=[Basket(day, item) for day, item in enumerate("abcdef")], v=[Basket(0, "a"), Basket(1, "a")])
    # Five baskets in m = 2 groups: of two and of three; not groups of two baskets.
    found = tifu_knn.weights(given, 0.5, 0.1, 2)[:5]
    expected = [0.5**4 * 0.1 / 2, 0.5**3 * 0.1 / 2, 0.5**2 / 3, 0.5 / 3, 1 / 3]
    assert found.tolist() == pytest.approx([one / 2 for one in expected])
    # With fewer baskets than groups each is a group.
    found = tifu_knn.weights(given, 1.0, 0.5, 7)[:5]
    assert found.tolist() == pytest.approx([0.5 ** (4 - index) / 5 for index in range(5)])


def test_the_blend_with_the_nearest(three: Histories) -> None:
    # No decay, one group: u = (1, 1/2, 0, 0), v = (1, 0, 1, 0), w = (0, 0, 0, 1); v is nearer to u than w.
    assert row(tifu_knn.METHOD, three, (1.0, 1.0, 1, 1, 0.75)) == pytest.approx([1.0, 0.375, 0.25, 0.0])
    assert row(tifu_knn.METHOD, three, (1.0, 1.0, 1, 2, 0.5)) == pytest.approx([0.75, 0.25, 0.25, 0.25])
    # With real time and a half-life of five days: u = (3/8, 1/4, 0, 0), v = (1/4, 0, 1/4, 0).
    assert row(time_aware.METHOD, three, (5.0, 1, 0.5)) == pytest.approx([0.3125, 0.125, 0.125, 0.0])


def test_pagerank_against_the_linear_system(three: Histories) -> None:
    counts = np.array([[2.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    to_items = counts / counts.sum(axis=1, keepdims=True)
    to_users = (counts / counts.sum(axis=0)).T
    step, restart = to_users @ to_items, to_items[0]
    follow = 0.3
    # At the items every second step: x = (1 - d)·restart + d²·(through the users)·x.
    exact = np.linalg.solve(np.eye(4) - follow**2 * step.T, (1 - follow) * restart)
    assert row(pagerank.METHOD, three, (follow,)) == pytest.approx(exact.tolist(), abs=2e-5)


def test_bm25(three: Histories) -> None:
    # Documents u (a twice, b), v (a, c), w (d): lengths 3, 2, 1, mean 2.
    idf_a, idf_b = log(1 + (3 - 2 + 0.5) / 2.5), log(1 + (3 - 1 + 0.5) / 1.5)
    own = idf_a * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 1.5)) + idf_b * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1.5))
    other = idf_a * 2.2 / (1 + 1.2)
    assert row(bm25.METHOD, three, (3.0,)) == pytest.approx([own * 2 / 3 + other / 2, own / 3, other / 2, 0.0])
    assert row(bm25.METHOD, three, (1.0,)) == pytest.approx([own * 2 / 3, own / 3, 0.0, 0.0])
