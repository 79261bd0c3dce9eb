"""What may stand on the card, and in which order."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.attribute import namespace, opposite
from fernvault.edge import Edge
from fernvault.graph.selection import WEAK, Candidate, candidates, strongest
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


def test_strongest_first_and_equal_ones_by_spelling() -> None:
    found = [Candidate(name, strong, edge_of(strong)) for name, strong in (("b:x", 2.0), ("a:x", 2.0), ("c:x", 3.0))]
    assert [each.attribute for each in strongest(found, 8)] == ["c:x", "a:x", "b:x"]
    assert [each.attribute for each in strongest(found, 2)] == ["c:x", "a:x"]
    assert strongest(found, 0) == []


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
    first = strongest(candidates(held, ADAPTIVE), count)
    shuffled = list(held.items())
    shuffler.shuffle(shuffled)
    assert strongest(candidates(dict(shuffled), ADAPTIVE), count) == first
    every = sorted(candidates(held, ADAPTIVE), key=lambda each: (-each.strength, each.attribute))
    assert first == every[:count]
