"""Strength: the weighted mean of the traces."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.edge import Edge
from fernvault.graph.replay import replay
from fernvault.graph.strength import net, strength
from fernvault.rule import ADAPTIVE, PAPER, Rule
from tests.strategies import START, checked, edges, histories, rules, strengths


def edge_of(*traces: float) -> Edge:
    return Edge(traces, START, hits=1, fresh=1.0, first=START, times=(START,))


def test_the_weighted_mean() -> None:
    # (0.5·1 + 1·2 + 1·4) / 2.5 = 6.5 / 2.5
    assert strength(edge_of(1.0, 2.0, 4.0), ADAPTIVE) == pytest.approx(2.6, rel=1e-15)
    assert strength(edge_of(9.0, 9.0, 9.0), ADAPTIVE) == 9.0
    assert strength(edge_of(0.0, 0.0, 0.0), ADAPTIVE) == 0.0
    assert strength(edge_of(3.25), PAPER) == 3.25


@checked
@given(st.data(), rules)
def test_against_exact_fractions(data: st.DataObject, rule: Rule) -> None:
    edge = data.draw(edges(rule))
    weighted = sum(Fraction(q) * Fraction(w) for q, w in zip(rule.weights, edge.traces, strict=True))
    exact = weighted / sum(map(Fraction, rule.weights))
    assert strength(edge, rule) == pytest.approx(float(exact), rel=1e-14)
    assert min(edge.traces) * (1 - 1e-15) <= strength(edge, rule) <= max(edge.traces) * (1 + 1e-15)


@checked
@given(st.sampled_from((ADAPTIVE, PAPER)).flatmap(lambda rule: st.tuples(st.just(rule), histories(rule))))
def test_it_stays_between_0_and_9_whatever_happens(case: tuple[Rule, list]) -> None:  # type: ignore[type-arg]
    rule, entries = case
    for length in range(len(entries) + 1):
        edge = replay(entries[:length], rule)
        if edge is not None:
            assert all(0.0 <= trace <= 9.0 for trace in edge.traces)
            assert 0.0 <= strength(edge, rule) <= 9.0


@given(strengths, strengths)
def test_netting_is_a_difference(positive: float, negative: float) -> None:
    assert net(positive, negative) == -net(negative, positive)
    assert (net(positive, negative) > 0) == (positive > negative)
    assert net(positive, positive) == 0
