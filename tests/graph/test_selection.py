"""What may stand on the card, and in which order."""

from __future__ import annotations

import random
from fractions import Fraction
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.attribute import namespace, opposite
from fernvault.edge import Edge
from fernvault.graph.selection import WEAK, Candidate, Surroundings, available, candidates, strongest
from fernvault.instant import HOUR
from fernvault.rule import ADAPTIVE
from tests.strategies import START, attributes, checked, edges


def edge_of(strong: float) -> Edge:
    return Edge((strong,) * 3, START, hits=4, fresh=4.0, first=START, times=(START,))


def net_of(**strong: float) -> dict[str, float]:
    """Candidates of edges written as like_x=…, not_x=…, ctx_x=…."""
    spelling = {"like": "pref:", "not": "!pref:", "ctx": "ctx:"}
    held = {
        spelling[kind] + rest: edge_of(value)
        for (kind, rest), value in ((name.split("_"), value) for name, value in strong.items())
    }
    return {found.attribute: found.strength for found in candidates(held, ADAPTIVE)}


def test_without_an_opposite_strength_stands_as_it_is() -> None:
    assert net_of(like_oat=4.0, not_upsells=2.0) == {"pref:oat": 4.0, "!pref:upsells": 2.0}


def test_the_stronger_of_a_pair_stands_with_what_is_left() -> None:
    assert net_of(like_oat=4.0, not_oat=1.5) == {"pref:oat": 2.5}
    assert net_of(like_oat=1.5, not_oat=4.0) == {"!pref:oat": 2.5}


def test_an_exact_tie_stands_for_neither() -> None:
    assert net_of(like_oat=4.0, not_oat=4.0) == {}


def test_context_is_not_a_preference() -> None:
    assert net_of(ctx_morning=9.0, like_oat=1.0) == {"pref:oat": 1.0}
    held = {"!ctx:morning": edge_of(9.0), "ctx-2:morning": edge_of(3.0)}
    assert [found.attribute for found in candidates(held, ADAPTIVE)] == ["ctx-2:morning"]


def test_no_strength_no_place() -> None:
    assert net_of(like_oat=0.0) == {}


def test_what_is_weak_is_not_said() -> None:
    assert WEAK == 0.1
    assert net_of(like_oat=0.1, like_tea=0.0999) == {"pref:oat": 0.1}
    assert net_of(not_oat=0.1, not_tea=0.0999) == {"!pref:oat": 0.1}
    # What is left after the opposite counts, exactly 0.125 here, not what either is alone.
    assert net_of(like_oat=4.125, not_oat=4.0, like_tea=4.0625, not_tea=4.0) == {"pref:oat": 0.125}


def test_strongest_first_and_equal_ones_by_spelling() -> None:
    found = [
        Candidate(name, strong, strong, strong, edge_of(strong))
        for name, strong in (("b:x", 2.0), ("a:x", 2.0), ("c:x", 3.0))
    ]
    assert [each.attribute for each in strongest(found, 8, START)] == ["c:x", "a:x", "b:x"]
    assert [each.attribute for each in strongest(found, 2, START)] == ["c:x", "a:x"]
    assert strongest(found, 0, START) == []


def test_of_equal_ones_the_more_available_comes_first() -> None:
    # Used an hour ago against two days ago; a guess was never used.
    recent = edge_of(2.0)._replace(times=(START + 47 * HOUR,), hits=1)
    old = edge_of(2.0)._replace(times=(START,), hits=1)
    found = [Candidate(name, 2.0, 2.0, 2.0, edge) for name, edge in (("a:x", None), ("b:x", old), ("c:x", recent))]
    assert [each.attribute for each in strongest(found, 8, START + 48 * HOUR)] == ["c:x", "b:x", "a:x"]


def test_the_prior_is_added_and_its_guesses_have_no_edge() -> None:
    # oat: 2 + 2·0.5; tea: 2·1.5; below 2·0.05 nothing is said; own dislike stands alone, however popular.
    held = {"pref:oat": edge_of(2.0), "!pref:milk": edge_of(1.0)}
    means = {"pref:oat": 0.5, "pref:tea": 1.5, "pref:rye": 0.04, "pref:milk": 9.0, "ctx:morning": 9.0}
    found = {each.attribute: each for each in candidates(held, ADAPTIVE, Surroundings(means, 2.0))}
    assert {name: each.score for name, each in found.items()} == {"pref:oat": 3.0, "pref:tea": 3.0, "!pref:milk": 1.0}
    assert found["pref:oat"].strength == 2.0
    assert (found["pref:tea"].strength, found["pref:tea"].edge) == (0.0, None)


def test_a_population_that_avoids_something_is_a_guess_of_the_opposite() -> None:
    found = candidates({}, ADAPTIVE, Surroundings({"pref:upsells": 0.5, "!pref:upsells": 2.0}, 1.0))
    assert [(each.attribute, each.score) for each in found] == [("!pref:upsells", 1.5)]


def test_context_lifts_and_rivals_push_down() -> None:
    held = {"pref:tea": edge_of(2.0), "pref:rye": edge_of(3.0)}
    around = Surroundings(lifts={"pref:tea": log(2)}, exclusive=[frozenset({"pref:tea", "pref:rye", "pref:none"})])
    found = {each.attribute: each for each in candidates(held, ADAPTIVE, around)}
    # Twice the evidence of 2 under the ceiling of 9: 9·(1 - (7/9)²) = 32/9; rye loses 0.4 of the lead.
    assert found["pref:tea"].score == pytest.approx(32 / 9)
    assert found["pref:rye"].score == pytest.approx(3 - 0.4 * (32 / 9 - 3))
    assert (found["pref:rye"].strength, found["pref:rye"].standing) == (3.0, 3.0)


some = st.sampled_from(["pref:a", "!pref:a", "pref:b", "!pref:b", "ctx:a", "!ctx:a", "tea:a"])
held_edges = st.dictionaries(some | attributes, edges(ADAPTIVE), max_size=6)


@checked
@given(held_edges)
def test_against_netting_by_hand(held: dict[str, Edge]) -> None:
    def exact(attribute: str) -> Fraction:
        if attribute not in held:
            return Fraction(0)
        fast, medium, slow = map(Fraction, held[attribute].traces)
        return (fast / 2 + medium + slow) / Fraction(5, 2)

    found = {each.attribute: each for each in candidates(held, ADAPTIVE)}
    for attribute, edge in held.items():
        left = exact(attribute) - exact(opposite(attribute))
        if namespace(attribute) == "ctx" or left <= WEAK - 1e-12:
            assert attribute not in found
        elif left >= WEAK + 1e-12:
            assert found[attribute].strength == pytest.approx(float(left), abs=1e-12)
            assert found[attribute].edge == edge
    assert not any(opposite(attribute) in found for attribute in found)
    assert found.keys() <= held.keys()


@checked
@given(held_edges, st.integers(0, 10), st.randoms(use_true_random=False))
def test_reading_repeats_whatever_the_order_of_the_edges(
    held: dict[str, Edge], count: int, shuffler: random.Random
) -> None:
    first = strongest(candidates(held, ADAPTIVE), count, START)
    shuffled = list(held.items())
    shuffler.shuffle(shuffled)
    assert strongest(candidates(dict(shuffled), ADAPTIVE), count, START) == first
    every = sorted(
        candidates(held, ADAPTIVE), key=lambda each: (-each.score, -available(each.edge, START), each.attribute)
    )
    assert first == every[:count]
