"""What a context does to a standing: decayed counts, lift, second hop, inhibition, salience, tilt; each by hand."""

from __future__ import annotations

from itertools import pairwise
from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.graph.activation import pooled, score, second_hop
from fernvault.graph.association import decayed, lift, pairs, together, weight
from fernvault.graph.inhibition import inhibit
from fernvault.graph.merit import merit
from fernvault.graph.salience import salience, slowed
from fernvault.graph.standing import explained, kappa, standing, worth_asking
from fernvault.graph.tilt import discounted, likelihood, observe, start, tilted
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE

START = 1_700_000_000_000_000
weights = st.lists(st.floats(0.1, 10.0), min_size=1, max_size=5)


def test_a_count_halves_in_its_half_life() -> None:
    # Eight events at the start and one a year later: 8/2 + 1.
    later = START + 365 * DAY
    assert decayed(8 * weight(START) + weight(later), later) == pytest.approx(5.0)
    assert weight(946_684_800_000_000) == 1.0


def test_what_is_counted_together() -> None:
    assert list(pairs([3, 1, 2])) == [(3, 3), (1, 3), (2, 3), (1, 1), (1, 2), (2, 2)]
    many = [f"pref:a{n}" for n in range(20)]
    assert together([*many, "ctx:morning"]) == ["ctx:morning", *many[:15]]
    assert together(many[:16]) == many[:16]


def test_lift_by_hand() -> None:
    # 20 of 100 events, so 2 of the 10 mornings by chance. 7 were seen: (7 + 1/2)/(2 + 1/2) = 3.
    assert lift(7.0, 10.0, 20.0, 100.0) == pytest.approx(log(3))
    assert lift(2.0, 10.0, 20.0, 100.0) == pytest.approx(0.0)
    assert lift(8.0, 10.0, 20.0, 100.0, shrinkage=4.0) == pytest.approx(log(2))
    # One coincidence of a rare attribute: 1.5/0.6, not one of ten mornings against one of a hundred events.
    assert lift(1.0, 10.0, 1.0, 100.0) == pytest.approx(log(2.5))
    assert lift(0.0, 1000.0, 200.0, 1000.0) == -2.0
    assert lift(1000.0, 1000.0, 1000.0, 1_000_000.0) == 2.0
    assert lift(3.0, 0.0, 3.0, 10.0) == lift(0.0, 3.0, 0.0, 10.0) == 0.0


def test_more_than_two_votes_share_two() -> None:
    assert pooled([]) == 0.0
    assert pooled([(0.2, 1.5)]) == 1.5
    assert pooled([(0.2, 1.5), (0.2, -0.5)]) == 1.0
    assert pooled([(0.2, 1.0), (0.2, 0.5), (0.2, 0.0), (0.2, 0.5)]) == pytest.approx(1.0)
    # A seed of half the merit has half a vote, one without merit none.
    assert pooled([(0.2, 1.0), (0.1, 1.0), (0.0, -2.0)]) == pytest.approx(1.5)
    assert pooled([(0.0, 1.0), (0.0, -2.0)]) == 0.0


def test_merit_by_hand() -> None:
    # Ten of twenty events at a seed: tea ten times, always there. Without one of them: 9 seen, 9·9/19 by chance.
    counts = {"pref:tea": 10.0, "pref:rye": 10.0, "ctx:morning": 10.0}
    gained = 10 * log((9 + 1) / (9 * 9 / 19 + 1))
    assert merit({"pref:tea": 10.0}, 10.0, counts, 20.0, 1.0) == pytest.approx((3 + gained) / 20)
    # Context that goes with it is given anyway.
    assert merit({"pref:tea": 10.0, "ctx:day": 10.0}, 10.0, counts, 20.0, 1.0) == pytest.approx((3 + gained) / 20)
    # Five each is chance: 4 seen, 9·9/19 expected, so a little under the credit of 3/20.
    chance = 2 * 5 * log((4 + 1) / (9 * 9 / 19 + 1))
    assert merit({"pref:tea": 5.0, "pref:rye": 5.0}, 10.0, counts, 20.0, 1.0) == pytest.approx((3 + chance) / 20)


@given(st.dictionaries(st.sampled_from("abcd"), st.floats(0.0, 50.0)), st.floats(0.1, 60.0), st.floats(0.0, 60.0))
def test_merit_is_never_negative_and_counts_below_one_say_nothing(
    joint: dict[str, float], seed: float, others: float
) -> None:
    names = {f"pref:{name}": both for name, both in joint.items()}
    own = {name: both + others for name, both in names.items()}
    assert 0.0 <= merit(names, seed, own, seed + others, 0.5) < 3.0 * (1 + sum(names.values()))
    assert merit(names, min(seed, 1.0), own, seed + others, 0.5) == pytest.approx(3.0 / (10.0 + min(seed, 1.0)))


def test_coincidences_do_not_vouch_for_themselves() -> None:
    # Forty attributes, each seen twice, once with the seed: left out, none was ever seen with it.
    counts = {f"pref:a{n}": 2.0 for n in range(40)}
    assert merit(dict.fromkeys(counts, 1.0), 40.0, counts, 80.0, 1.0) == 0.0
    # A single event says nothing either way, and the credit stands.
    assert merit({"pref:a": 1.0}, 1.0, {"pref:a": 1.0}, 1.0, 1.0) == pytest.approx(3 / 11)


def test_a_score_is_the_strength_that_lifted_evidence_leaves() -> None:
    # Ten events of 0.6; twice the evidence leaves what twenty do, half of it what five do. The prior's share doubles.
    def left(events: int) -> float:
        return 9 * (1 - (1 - 0.6 / 9) ** events)

    assert score(left(10), 0.0, log(2)) == pytest.approx(left(20))
    assert score(left(10), 0.5, log(2)) == pytest.approx(left(20) + 1.0)
    assert score(left(10), 0.5, -log(2)) == pytest.approx(left(5) + 0.25)
    # A hundred events stay ahead of forty whose context doubles them; as factors of 9.0 and 8.4 they would not.
    assert score(left(100), 0.0, 0.0) > score(left(40), 0.0, log(2))
    assert score(9.0, 0.0, -2.0) == score(9.000000000000002, 0.0, 1.0) == 9.0


@given(st.floats(0.0, 9.0), st.floats(0.0, 3.0), st.floats(-4.0, 4.0))
def test_a_lift_of_nothing_leaves_the_standing_and_a_better_one_is_never_worse(
    own: float, prior: float, by: float
) -> None:
    assert score(own, prior, 0.0) == pytest.approx(own + prior)
    assert score(own, prior, by) <= score(own, prior, by + 0.1) + 1e-12
    assert score(own * 1e-6, prior, by) == pytest.approx((own * 1e-6 + prior) * exp(by), rel=1e-3, abs=1e-12)


def test_second_hop_by_hand() -> None:
    # Weights 3 and 1; a lifts two attributes, so each passes on 0.4·(3/4)·1/2 = 0.15 of a lift of 1; b 0.4·(1/4)·2.
    found = second_hop({"a": 3.0, "b": 1.0}, {"a": {"x": 1.0, "y": -1.0}, "b": {"x": 2.0}})
    assert found == {"x": pytest.approx(0.15 + 0.2), "y": pytest.approx(-0.15)}
    assert second_hop({}, {}) == {}


def test_inhibition_by_hand() -> None:
    # b loses 0.4·(5 - 4) = 0.4; c loses 0.4·(4 + 3) = 2.8 of 1, and keeps a fifth.
    assert inhibit({"a": 5.0, "b": 4.0, "c": 1.0}) == {
        "a": 5.0,
        "b": pytest.approx(3.6),
        "c": pytest.approx(0.2),
    }
    with pytest.raises(ValueError, match="0 and more"):
        inhibit({"a": -0.5})


@given(st.dictionaries(st.text(max_size=3), st.floats(0.0, 9.0), max_size=6))
def test_inhibition_keeps_the_order_and_a_fifth(values: dict[str, float]) -> None:
    found = inhibit(values)
    assert all(0.2 * values[name] <= found[name] <= values[name] for name in values)
    ranked = sorted(values, key=values.__getitem__)
    assert all(found[low] <= found[high] + 1e-12 for low, high in pairwise(ranked))


def test_salience() -> None:
    assert [salience(name) for name in ("pref:tea", "!pref:tea", "fact:vegan", "!fact:vegan")] == [0.0, 0.5, 0.8, 0.8]
    assert slowed(45.0, 0.5, 0.4) == pytest.approx(56.25)
    assert slowed(45.0, 0.8, 0.0) == 45.0


def test_standing_by_hand() -> None:
    # Two events' worth at the most popular attribute: κ·3 = 2·0.6.
    weight = kappa({"a": 3.0, "b": 1.5}, ADAPTIVE)
    assert weight == pytest.approx(0.4)
    assert standing(1.0, 1.5, weight) == pytest.approx(1.6)
    assert kappa({}, ADAPTIVE) == kappa({"a": 0.0}, ADAPTIVE) == 0.0
    assert explained(1.1, 3.0, weight, 0.2)
    assert not explained(1.5, 3.0, weight, 0.2)
    assert worth_asking(2.0, 1.0) == 0.0
    assert worth_asking(2.0, exp(-4.0)) == pytest.approx(4.0)


def test_tilt_by_hand() -> None:
    # Three attributes, strengths 0.8 of 1.7: (0.8 + 0.1)/(1.7 + 0.3).
    assert likelihood(0.8, 1.7, 3) == pytest.approx(log(0.45))
    assert discounted(-2.0, -1.0, 0.75) == pytest.approx(-1.75)
    # One mean a unit of ln 4 / 0.5 better: four times the weight, the sum as before.
    assert tilted([1.0, 1.0], [2 * log(4.0), 0.0]) == (pytest.approx(1.6), pytest.approx(0.4))


@given(weights, st.floats(-5.0, 0.0))
def test_equal_means_tilt_nothing(some: list[float], mean: float) -> None:
    assert tilted(some, [mean] * len(some)) == pytest.approx(some)


def test_the_gauge_by_hand() -> None:
    # The first event: nothing is known, so every trace gives its two attributes a share of 0.1/(0 + 0.1·2) = 1/2.
    first = observe(start(START, ADAPTIVE), START, [(None, (0.6,) * 3), (None, (0.6,) * 3)], ADAPTIVE)
    assert first.means == pytest.approx((0.02 * log(0.5),) * 3)
    assert (first.totals, first.attributes) == ((1.2, 1.2, 1.2), 2)
    # A week later one of them fires: the fast trace has faded to 0.3 of 0.6, the others to what their half-lives leave.
    faded = tuple(0.6 * 2 ** (-7 / half_life) for half_life in (7, 45, 365))
    second = observe(first, START + 7 * DAY, [(faded, tuple(one + 0.5 for one in faded))], ADAPTIVE)
    for k, left in enumerate(faded):
        seen = log((left + 0.1) / (2 * left + 0.2))
        assert second.means[k] == pytest.approx(0.98 * first.means[k] + 0.02 * seen)
        assert second.totals[k] == pytest.approx(2 * left + 0.5)
    assert (second.at, second.attributes) == (START + 7 * DAY, 2)
