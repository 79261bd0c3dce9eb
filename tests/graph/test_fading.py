"""Fading: half-lives, the semigroup, the floor, and the instant at which an edge is gone."""

from __future__ import annotations

from math import exp, log2

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fernvault.edge import Edge
from fernvault.graph.fading import factor, factors, fade, gone_at, is_gone, settle
from fernvault.graph.learning import learn
from fernvault.graph.strength import strength
from fernvault.instant import DAY, SECOND
from fernvault.rule import ADAPTIVE, PAPER, Rule
from tests.strategies import START, checked, edges, instants, rules, spans


def edge_of(*traces: float, pinned: bool = False) -> Edge:
    return Edge(traces, START, hits=4, fresh=4.0, first=START, times=(START,), pinned=pinned)


def close(one: Edge | None, other: Edge | None) -> bool:
    """Whether two edges agree to twelve digits in what fades (denormal floats have fewer), exactly in all else."""
    if one is None or other is None:
        return one is other
    return (
        one._replace(traces=(), fresh=0.0) == other._replace(traces=(), fresh=0.0)
        and one.traces == pytest.approx(other.traces, rel=1e-12, abs=1e-290)
        and one.fresh == pytest.approx(other.fresh, rel=1e-12, abs=1e-290)
    )


def test_a_half_life_halves() -> None:
    assert factor(7 * DAY, 7.0) == 0.5
    assert factor(14 * DAY, 7.0) == 0.25
    assert factor(365 * DAY, 365.0) == 0.5
    assert factor(0, 7.0) == 1.0
    assert factor(-30 * DAY, 7.0) == 1.0
    assert fade(edge_of(8.0, 8.0, 8.0), START + 315 * DAY, ADAPTIVE).traces[:2] == (8 * 2.0**-45, 8 * 2.0**-7)


@given(st.floats(0.0, 400.0))
def test_the_published_rate(days: float) -> None:
    # w·exp(-0.02·days)
    at = START + int(days * DAY)
    assert fade(edge_of(9.0), at, PAPER).traces[0] == pytest.approx(9 * exp(-0.02 * (at - START) / DAY), rel=1e-12)


def test_one_published_purchase_is_gone_after_eleven_days() -> None:
    # mechanisms 1.6: 1.25·e^(-0.02·t) = 1 at t = ln(1.25)/0.02 = 11.157 days.
    edge = learn(None, START, 5 / 6, PAPER)
    assert settle(edge, START + 11 * DAY, PAPER) is not None
    assert settle(edge, START + 12 * DAY, PAPER) is None
    gone = gone_at(edge, PAPER)
    assert gone is not None
    assert (gone - START) / DAY == pytest.approx(11.157, abs=0.001)


def test_a_default_event_lasts_almost_five_years() -> None:
    # 0.6·2^(-t/365) = 0.02 at t = 365·log2(30) = 365·4.9069 = 1791.0 days.
    gone = gone_at(learn(None, START, 1.0, ADAPTIVE), ADAPTIVE)
    assert gone is not None
    assert (gone - START) / DAY == pytest.approx(1791.0, abs=0.05)


def test_fresh_hits_fade_with_their_own_half_life() -> None:
    edge = edge_of(9.0, 9.0, 9.0)
    assert fade(edge, START + 365 * DAY, ADAPTIVE).fresh == 2.0
    assert fade(edge_of(9.0), START + 365 * DAY, PAPER).fresh == 4.0


@checked
@given(st.data(), rules, spans, spans)
def test_fading_is_a_semigroup(data: st.DataObject, rule: Rule, first: int, second: int) -> None:
    edge = data.draw(edges(rule, least=1e-3, pinned=None))
    at = edge.at
    assert close(fade(fade(edge, at + first, rule), at + first + second, rule), fade(edge, at + first + second, rule))


@checked
@given(st.data(), rules, instants)
def test_reading_never_raises_anything(data: st.DataObject, rule: Rule, at: int) -> None:
    edge = data.draw(edges(rule, pinned=None))
    faded = fade(edge, at, rule)
    assert all(0.0 <= after <= before for before, after in zip(edge.traces, faded.traces, strict=True))
    assert strength(faded, rule) <= strength(edge, rule)
    assert faded.fresh <= edge.fresh
    assert faded.at == max(edge.at, at)
    assert faded._replace(traces=edge.traces, at=edge.at, fresh=edge.fresh) == edge


@checked
@given(st.data(), rules, spans)
def test_an_earlier_or_equal_instant_changes_nothing(data: st.DataObject, rule: Rule, back: int) -> None:
    edge = data.draw(edges(rule, pinned=None))
    assert fade(edge, edge.at - back, rule) == edge
    assert factors(edge, edge.at - back, rule) == (1.0,) * len(rule.half_lives)


@checked
@given(st.data(), rules, spans)
def test_a_pinned_edge_does_not_fade(data: st.DataObject, rule: Rule, later: int) -> None:
    edge = data.draw(edges(rule, pinned=True))
    assert fade(edge, edge.at + later, rule) == edge._replace(at=edge.at + later)
    assert factors(edge, edge.at + later, rule) == (1.0,) * len(rule.half_lives)
    assert settle(edge, edge.at + later, rule) is not None
    assert gone_at(edge, rule) is None


@checked
@given(st.data(), rules, st.integers(0, 400), st.floats(0.001, 3.0))
def test_touched_every_day_or_once_is_the_same(data: st.DataObject, rule: Rule, days: int, step: float) -> None:
    edge = data.draw(edges(rule, least=rule.floor, pinned=None))
    touched: Edge | None = edge
    at = edge.at
    for _ in range(days):
        at += int(step * DAY)
        touched = settle(touched, at, rule)
    once = settle(edge, at, rule)
    if touched is None or once is None:  # gone; to a rounding of the floor, both or neither
        assert max(fade(edge, at, rule).traces) < rule.floor * (1 + 1e-12)
    else:
        assert close(touched, once)


@checked
@given(st.data(), rules, st.integers(0, 1_000 * DAY))
def test_between_writes_log2_of_a_trace_plus_time_over_half_life_is_constant(
    data: st.DataObject, rule: Rule, later: int
) -> None:
    edge = data.draw(edges(rule, least=1e-3))
    faded = fade(edge, edge.at + later, rule)
    for before, after, half_life in zip(edge.traces, faded.traces, rule.half_lives, strict=True):
        assume(after > 1e-300)  # half a day's half-life underflows in years
        assert log2(after) + later / (half_life * DAY) == pytest.approx(log2(before), abs=1e-9)


@checked
@given(st.data(), rules, spans, st.integers(0, 300 * DAY))
def test_within_a_trace_the_order_of_edges_never_changes(
    data: st.DataObject, rule: Rule, apart: int, later: int
) -> None:
    one = data.draw(edges(rule, least=1e-3))
    other = data.draw(edges(rule, least=1e-3))._replace(at=one.at + apart)
    soon = max(one.at, other.at)
    for first, second, first_later, second_later in zip(
        fade(one, soon, rule).traces,
        fade(other, soon, rule).traces,
        fade(one, soon + later, rule).traces,
        fade(other, soon + later, rule).traces,
        strict=True,
    ):
        if first > second * (1 + 1e-9):
            assert first_later > second_later or first_later < 1e-290
        elif second > first * (1 + 1e-9):
            assert second_later > first_later or second_later < 1e-290


@checked
@given(st.data(), rules, spans)
def test_gone_is_below_the_floor_in_every_trace(data: st.DataObject, rule: Rule, later: int) -> None:
    edge = data.draw(edges(rule))
    at = edge.at + later
    by_hand = [
        trace * 0.5 ** (later / (half_life * DAY))
        for trace, half_life in zip(edge.traces, rule.half_lives, strict=True)
    ]
    assume(all(abs(left / rule.floor - 1) > 1e-9 for left in by_hand))
    assert (settle(edge, at, rule) is None) == all(left < rule.floor for left in by_hand)


def test_one_trace_at_the_floor_keeps_an_edge() -> None:
    assert settle(edge_of(0.0, 0.0, 0.02), START, ADAPTIVE) is not None
    assert settle(edge_of(0.02, 0.0, 0.0), START, ADAPTIVE) is not None
    assert settle(edge_of(0.0199, 0.0199, 0.0199), START, ADAPTIVE) is None
    assert settle(edge_of(0.0, 0.0, 0.0), START, ADAPTIVE) is None
    assert settle(edge_of(0.0, 0.0, 0.0, pinned=True), START, ADAPTIVE) is not None
    assert settle(None, START, ADAPTIVE) is None


@checked
@given(st.data(), rules)
def test_gone_at_is_the_second_at_which_it_goes(data: st.DataObject, rule: Rule) -> None:
    edge = data.draw(edges(rule))
    gone = gone_at(edge, rule)
    assert gone is not None
    assert gone > edge.at
    assert settle(edge, gone + SECOND, rule) is None
    if max(edge.traces) >= rule.floor and gone - SECOND >= edge.at:
        assert settle(edge, gone - SECOND, rule) is not None
    if max(edge.traces) < rule.floor:
        assert gone == edge.at + 1


@checked
@given(st.data(), rules, st.floats(0.0, 0.999))
def test_gone_at_does_not_depend_on_when_one_looks(data: st.DataObject, rule: Rule, part: float) -> None:
    edge = data.draw(edges(rule, least=rule.floor))
    gone = gone_at(edge, rule)
    assert gone is not None
    looked = fade(edge, edge.at + int((gone - edge.at) * part), rule)
    assume(not is_gone(looked, rule))
    again = gone_at(looked, rule)
    assert again is not None
    assert abs(again - gone) <= SECOND
