"""Trend: habits are steady, new ones rising, those given up fading."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.edge import Edge
from fernvault.graph.fading import fade
from fernvault.graph.learning import learn
from fernvault.graph.trend import implied_rate, trend
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE, PAPER
from tests.strategies import START, checked


def habit(days: float, magnitude: float = 1.0) -> Edge:
    """An edge right after an event of an endless habit, from the closed form a/(1 - f·r) of mechanisms 2.1."""
    gain = ADAPTIVE.alpha * magnitude
    traces = tuple(gain / (1 - 2 ** (-days / half_life) * (1 - gain / 9)) for half_life in ADAPTIVE.half_lives)
    return Edge(traces, START, hits=99, fresh=9.0, first=START - 4_000 * DAY, times=(START,))


def trends_between(edge: Edge, days: float) -> set[str]:
    """Every trend read at a thousand moments from one event to the next."""
    return {trend(fade(edge, START + int(days * DAY * part / 1_000), ADAPTIVE), ADAPTIVE) for part in range(1_001)}


@pytest.mark.parametrize("magnitude", [0.2, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("days", [1 / 24, 0.25, 1, 2, 7, 14, 30, 31, 45, 60])
def test_a_habit_is_steady_at_any_moment(days: float, magnitude: float) -> None:
    assert trends_between(habit(days, magnitude), days) == {"steady"}


def test_of_a_rarer_habit_than_every_two_months_each_event_is_news() -> None:
    # Where the promise ends: every quarter, the traces of 7 and 45 days both swing past 1.5 times the slow one's rate.
    assert trends_between(habit(90), 90) == {"rising", "steady"}
    assert trends_between(habit(180), 180) == {"rising", "steady", "fading"}


def test_the_fastest_trace_alone_would_swing() -> None:
    # Why all the faster ones must agree: a monthly habit right after its event, 0.630 in the trace of 7 days.
    fast, medium, slow = (
        implied_rate(trace, half_life, ADAPTIVE.alpha)
        for trace, half_life in zip(habit(30).traces, ADAPTIVE.half_lives, strict=True)
    )
    assert fast > 1.5 * slow
    assert 0.5 * slow < medium < 1.5 * slow


@pytest.mark.parametrize("days", [1, 7, 30])
def test_the_closed_form_is_where_a_long_habit_ends(days: int) -> None:
    edge: Edge | None = None
    for turn in range(15 * 365 // days):
        edge = learn(edge, START + turn * days * DAY, 1.0, ADAPTIVE)
    assert edge is not None
    assert edge.traces == pytest.approx(habit(days).traces, rel=1e-5)
    assert trend(edge, ADAPTIVE) == "steady"


@pytest.mark.parametrize("events", [1, 3, 10, 20])
def test_a_new_favourite_is_rising(events: int) -> None:
    edge: Edge | None = None
    for day in range(events):
        edge = learn(edge, START + day * DAY, 1.0, ADAPTIVE)
    assert edge is not None
    assert trend(edge, ADAPTIVE) == "rising"


def test_an_old_acquaintance_taken_up_again_is_rising() -> None:
    edge = fade(habit(60), START + 200 * DAY, ADAPTIVE)
    for day in range(200, 221):
        edge = learn(edge, START + day * DAY, 1.0, ADAPTIVE)
    assert trend(edge, ADAPTIVE) == "rising"


@pytest.mark.parametrize("days", [1, 7, 30])
def test_a_habit_given_up_for_a_year_is_fading(days: int) -> None:
    edge = habit(days)
    assert trend(fade(edge, START + days * DAY, ADAPTIVE), ADAPTIVE) == "steady"
    for pause in (120, 180, 365, 500):
        assert trend(fade(edge, START + pause * DAY, ADAPTIVE), ADAPTIVE) == "fading"


def test_what_was_set_by_the_owner_fades_as_the_rest_does() -> None:
    edge = Edge((5.0,) * 3, START, hits=0, fresh=8.0, first=START, times=(), owner=True)
    assert trend(fade(edge, START + 365 * DAY, ADAPTIVE), ADAPTIVE) == "fading"


def test_one_trace_or_a_pin_says_nothing() -> None:
    assert trend(learn(None, START, 1.0, PAPER), PAPER) == "steady"
    assert trend(learn(None, START, 1.0, ADAPTIVE)._replace(pinned=True), ADAPTIVE) == "steady"


def test_the_ceiling_itself_has_a_trend() -> None:
    full = Edge((9.0,) * 3, START, hits=9, fresh=9.0, first=START, times=(START,))
    assert trend(full, ADAPTIVE) in {"rising", "steady", "fading"}


@checked
@given(st.floats(0.001, 50.0), st.floats(1.0, 1_000.0), st.floats(0.05, 3.0))
def test_the_implied_rate_inverts_the_equilibrium(rate: float, half_life: float, alpha: float) -> None:
    # dw/dt = alpha·r·(1 - w/9) - w·ln2/h = 0 gives w = alpha·r / (alpha·r/9 + ln2/h).
    settled = alpha * rate / (alpha * rate / 9 + log(2) / half_life)
    assert implied_rate(settled, half_life, alpha) == pytest.approx(rate, rel=1e-6)


def test_the_implied_rate_by_hand() -> None:
    # Half full, 4.5: r = (ln2/h)·4.5/(0.6·0.5) = 15·ln2/h; for h = 45 that is ln2/3 a day.
    assert implied_rate(4.5, 45.0, 0.6) == pytest.approx(log(2) / 3, rel=1e-15)
    assert implied_rate(0.0, 45.0, 0.6) == 0.0


@pytest.mark.parametrize("half_life", ADAPTIVE.half_lives)
def test_the_implied_rate_of_a_frequent_habit_is_about_its_rate(half_life: float) -> None:
    # Six times a day, the steps are small against the traces, so the smooth rate and the true one agree.
    place = ADAPTIVE.half_lives.index(half_life)
    assert implied_rate(habit(1 / 6).traces[place], half_life, 0.6) == pytest.approx(6.0, rel=0.1)
