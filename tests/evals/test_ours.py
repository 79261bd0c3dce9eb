"""The vectorised twin equals ``fernvault.graph`` within 1e-9, and the ranking equals the plain formula."""

from __future__ import annotations

import random

import numpy as np
import pytest

from evals import twin
from evals.data.histories import Basket, Histories
from evals.methods import ours
from fernvault.edge import Edge, EdgeEvent
from fernvault.event import Act
from fernvault.graph.fading import settle
from fernvault.graph.replay import replay
from fernvault.graph.standing import kappa, standing
from fernvault.graph.strength import strength
from fernvault.graph.unrolling import contributions
from fernvault.graph.worth import chance, learnt_kappa, spread
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE, Rule


def random_histories(seed: int) -> Histories:
    """Bursts, gaps of years in which edges are gone, several events of one instant, returns."""
    generator = random.Random(seed)
    users = {}
    for name in range(generator.randint(4, 7)):
        at, baskets = 0, []
        for _ in range(generator.randint(2, 30)):
            at += generator.choice((0, 1, DAY // 24, DAY, 9 * DAY, 60 * DAY, 900 * DAY, 5000 * DAY))
            items = generator.sample("abcdef", generator.randint(1, 4))
            baskets.append(Basket(at, items, bool(baskets) and generator.random() < 0.2))
        users[str(name)] = [*baskets, Basket(at + generator.choice((0, DAY, 400 * DAY)), "a")]
    return Histories("random", users, 2)


def slow(histories: Histories, user: int, item: int, sign: int) -> tuple[float, list[float]]:
    """Strength and contributions by ``fernvault.graph``."""
    chosen = (histories.user == user) & (histories.item == item) & (histories.sign == sign)
    entries = [EdgeEvent(int(at), seq, Act.LEARN, 1.0) for seq, at in enumerate(histories.at[chosen])]
    now = int(histories.now[user])
    edge: Edge | None = settle(replay(entries, ADAPTIVE), now, ADAPTIVE)
    return 0.0 if edge is None else strength(edge, ADAPTIVE), contributions(entries, now, ADAPTIVE)


@pytest.mark.parametrize("seed", range(12))
def test_the_twin_equals_the_graph(seed: int) -> None:
    histories = random_histories(seed)
    found = twin.edges(histories, ADAPTIVE)
    for user in range(histories.shape[0]):
        for item in range(histories.shape[1]):
            likes, added = slow(histories, user, item, 1)
            assert found.likes[user, item] == pytest.approx(likes, abs=1e-9)
            assert found.chance[user, item] == pytest.approx(chance(added, 0.0), abs=1e-9)
            assert found.dislikes[user, item] == pytest.approx(slow(histories, user, item, -1)[0], abs=1e-9)


def test_the_twin_under_another_rule() -> None:
    rule: Rule = ADAPTIVE._replace(alpha=2.0, half_lives=(3.0, 30.0), weights=(1.0, 3.0))
    group, at = np.array([0, 1, 0]), np.array([0, 5 * DAY, 2 * DAY])
    made = twin.fold(group, at, np.array([9 * DAY, 9 * DAY]), rule)
    for index, times in enumerate(([0, 2 * DAY], [5 * DAY])):
        edge = replay([EdgeEvent(time, time, Act.LEARN, 1.0) for time in times], rule)
        faded = settle(edge, 9 * DAY, rule)
        assert faded is not None
        assert twin.strength(made, rule)[index] == pytest.approx(strength(faded, rule), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_the_ranking_is_own_strength_plus_kappa_times_the_others_mean(seed: int) -> None:
    histories = random_histories(seed)
    users, items = histories.shape
    edges = [[slow(histories, user, item, 1) for item in range(items)] for user in range(users)]
    for user in range(users):
        others = [other for other in range(users) if other != user]
        means = {str(item): sum(edges[other][item][0] for other in others) / len(others) for item in range(items)}
        occasions = sum(int(histories.baskets[other]) for other in others)
        by_chance = spread_out = 0.0
        for item in range(items):
            strengths = [edges[other][item][0] for other in others]
            fired = sum(
                int(((histories.item == item) & histories.bought & (histories.user == other)).sum()) for other in others
            )
            by_chance += sum(chance(edges[other][item][1], fired / occasions) for other in others)
            spread_out += spread(sum(strengths), sum(one * one for one in strengths), len(others))
        for method, weight in ((ours.METHOD, learnt_kappa(by_chance, spread_out)), (ours.FEW, kappa(means, ADAPTIVE))):
            scores = method.fit(histories, method.grid[0])(np.array([user]))[0]
            for item in range(items):
                own = edges[user][item][0] - slow(histories, user, item, -1)[0]
                # As on the card: what own evidence speaks against, no prior speaks for.
                expected = own if own < 0.0 else standing(own, means[str(item)], weight)
                assert scores[item] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_newcomers_teach_nothing() -> None:
    users = {"u": [Basket(0, "a"), Basket(1, "a")], "v": [Basket(0, "b"), Basket(1, "b")]}
    histories = Histories("two", users, 2, newcomers=frozenset("v"))
    assert histories.popularity.tolist() == [1.0, 0.0]
    scores = ours.MEAN.fit(histories, ours.MEAN.grid[0])(np.array([1]))[0]
    assert scores == pytest.approx([0.6, 0.6])
