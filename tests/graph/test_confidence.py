"""Confidence and the mark: how many fresh occasions make an edge known."""

from __future__ import annotations

from math import expm1, isclose

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fernvault.edge import Edge
from fernvault.graph.confidence import confidence, hits_needed, is_known
from fernvault.graph.fading import fade
from fernvault.graph.learning import learn
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE, PAPER, Rule
from tests.strategies import START, checked, rules


def daily(events: int, rule: Rule) -> Edge:
    edge: Edge | None = None
    for day in range(events):
        edge = learn(edge, START + day * DAY, 1.0, rule)
    assert edge is not None
    return edge


@pytest.mark.parametrize(
    ("hits", "published", "known"),
    # 1 - e^(-0.4·n): 0.3297, 0.5507, 0.6988 (just under 0.7), 0.7981, 0.8647
    [(0, 0.0, False), (1, 0.3297, False), (2, 0.5507, False), (3, 0.6988, False), (4, 0.7981, True), (5, 0.8647, True)],
)
def test_the_default_knows_after_four(hits: int, published: float, known: bool) -> None:
    assert confidence(hits, ADAPTIVE) == pytest.approx(published, abs=0.00005)
    assert is_known(hits, ADAPTIVE) == known


@pytest.mark.parametrize(("hits", "published", "known"), [(0, 0.0, False), (1, 0.4512, False), (2, 0.6988, True)])
def test_the_published_rule_knows_after_two(hits: int, published: float, known: bool) -> None:
    # 1 - e^(-0.6·n), known at 0.6 or more
    assert confidence(hits, PAPER) == pytest.approx(published, abs=0.00005)
    assert is_known(hits, PAPER) == known


def test_hits_needed() -> None:
    # ln(1/0.3)/0.4 = 1.20397/0.4; ln(1/0.4)/0.6 = 0.91629/0.6
    assert hits_needed(ADAPTIVE) == pytest.approx(3.00993, abs=0.00001)
    assert hits_needed(PAPER) == pytest.approx(1.52715, abs=0.00001)


def test_three_days_are_guessed_and_four_known() -> None:
    assert not is_known(daily(3, ADAPTIVE).fresh, ADAPTIVE)
    assert is_known(daily(4, ADAPTIVE).fresh, ADAPTIVE)
    assert not is_known(daily(1, PAPER).fresh, PAPER)
    assert is_known(daily(2, PAPER).fresh, PAPER)


def test_what_is_not_repeated_becomes_a_guess_again() -> None:
    # Four hits are known until 4·2^(-t/365) = 3.00993, at t = 365·log2(1.32894) = 149.7 days.
    edge = learn(None, START, 1.0, ADAPTIVE)._replace(hits=4, fresh=4.0)
    assert is_known(fade(edge, START + 149 * DAY, ADAPTIVE).fresh, ADAPTIVE)
    assert not is_known(fade(edge, START + 150 * DAY, ADAPTIVE).fresh, ADAPTIVE)


def test_a_yearly_occasion_is_never_known() -> None:
    # 1 + 1/2 + 1/4 + ... < 2 fresh hits, however many years it goes on.
    edge: Edge | None = None
    for year in range(40):
        edge = learn(edge, START + year * 365 * DAY, 15.0, ADAPTIVE)
    assert edge is not None
    assert edge.hits == 40
    assert edge.fresh == pytest.approx(2.0, abs=1e-9)
    assert not is_known(edge.fresh, ADAPTIVE)


@checked
@given(rules, st.floats(0.0, 1_000.0))
def test_the_mark_is_confidence_against_known(rule: Rule, fresh: float) -> None:
    exact = -expm1(-rule.gamma * fresh)
    assert confidence(fresh, rule) == pytest.approx(exact, abs=1e-15)
    assume(not isclose(exact, rule.known, rel_tol=1e-9))
    assert is_known(fresh, rule) == (exact > rule.known)


@checked
@given(rules, st.floats(0.0, 1_000.0), st.floats(0.0, 1_000.0))
def test_more_occasions_are_never_less_sure(rule: Rule, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= confidence(low, rule) <= confidence(high, rule) <= 1.0
    assert is_known(low, rule) <= is_known(high, rule)
