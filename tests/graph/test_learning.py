"""The saturating write against the published figures, an exact second computation, and its bounds."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fernvault.edge import Edge
from fernvault.graph.fading import fade, gone_at, is_gone
from fernvault.graph.learning import bump, learn
from fernvault.graph.magnitude import amount
from fernvault.graph.strength import strength
from fernvault.instant import DAY, MINUTE, SECOND
from fernvault.rule import ADAPTIVE, PAPER, Rule
from tests.strategies import START, checked, edges, instants, rules, strengths

BARE = PAPER._replace(alpha=1.0, floor=1e-9)
"""One trace, so that strength is the trace; a magnitude is its gain; nothing falls below the floor."""


def after(events: int, gain: float) -> float:
    """The strength of so many equal events at one and the same instant: nothing fades between them."""
    edge: Edge | None = None
    for _ in range(events):
        edge = learn(edge, START, gain, BARE)
    assert edge is not None
    return strength(edge, BARE)


@pytest.mark.parametrize(
    ("gain", "events", "published"),
    [
        *zip([0.6] * 6, (1, 2, 3, 5, 10, 20), (0.60, 1.16, 1.68, 2.63, 4.49, 6.74), strict=True),
        *zip([1.5] * 6, (1, 2, 3, 5, 10, 20), (1.50, 2.75, 3.79, 5.38, 7.55, 8.77), strict=True),
    ],
)
def test_the_published_table(gain: float, events: int, published: float) -> None:
    assert after(events, gain) == pytest.approx(published, abs=0.005)


def test_elena_is_three_and_seven_undecayed_purchases() -> None:
    # mechanisms 1.3: 9(1 - 0.8611^3) = 3.253, 9(1 - 0.8611^7) = 5.840, with alpha 1.5 and m = 5/6 for a quantity of 1.
    gain = PAPER.alpha * amount(1.0, 1.0, PAPER)
    assert gain == pytest.approx(1.25, rel=1e-15)
    assert after(3, gain) == pytest.approx(3.253, abs=0.0005)
    assert after(7, gain) == pytest.approx(5.840, abs=0.0005)


def test_the_published_worked_example() -> None:
    # organic 4.0 -> 4.6: 4.0 + gain·(1 - 4/9) = 4.0 + gain·5/9 = 4.6 needs a gain of 0.6·9/5 = 1.08 exactly.
    assert Fraction(4) + Fraction("1.08") * (1 - Fraction(4, 9)) == Fraction("4.6")
    assert bump(4.0, 1.08) == pytest.approx(4.6, rel=1e-15)
    # What the default (0.6·1) and one published purchase (1.5·5/6) make of it: 4 + 1/3 and 4 + 6.25/9.
    assert bump(4.0, 0.6) == pytest.approx(13 / 3, rel=1e-15)
    assert bump(4.0, 1.25) == pytest.approx(4.694, abs=0.0005)


def test_half_of_the_ceiling() -> None:
    # ln 2 / -ln r events (mechanisms 2.1): 10.0 for 0.6 and 3.8 for 1.5, so the whole number above passes it.
    assert after(10, 0.6) < 4.5 < after(11, 0.6)
    assert after(3, 1.5) < 4.5 < after(4, 1.5)


@checked
@given(st.integers(1, 60), st.floats(0.01, 9.0))
def test_the_closed_form(events: int, gain: float) -> None:
    expected = 9 * (1 - (1 - Fraction(gain) / 9) ** events)
    assert after(events, gain) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("days", "peaks"),
    [(1, (3.9, 7.4, 8.8)), (7, (1.1, 3.7, 7.6)), (30, (0.6, 1.5, 5.1))],
    ids=("daily", "weekly", "monthly"),
)
def test_the_peaks_of_a_habit(days: int, peaks: tuple[float, ...]) -> None:
    # mechanisms 2.1: w* = a / (1 - f·r) with f = 2^(-T/h); h 7, 45, 365.
    edge: Edge | None = None
    for turn in range(12 * 365 // days):
        edge = learn(edge, START + turn * days * DAY, 1.0, ADAPTIVE)
    assert edge is not None
    assert edge.traces == pytest.approx(peaks, abs=0.05)
    closed = [0.6 / (1 - 2 ** (-days / half_life) * (1 - 0.6 / 9)) for half_life in (7, 45, 365)]
    assert edge.traces == pytest.approx(closed, rel=1e-4)


def test_the_first_event() -> None:
    assert learn(None, START, 1.0, ADAPTIVE) == Edge(
        (0.6, 0.6, 0.6), START, hits=1, fresh=1.0, first=START, times=(START,)
    )


def test_fade_first_then_bump() -> None:
    # A week after one event the fast trace is 0.3: 0.3 + 0.6·(1 - 0.3/9) = 0.88. The other order would give 0.58.
    edge = learn(learn(None, START, 1.0, ADAPTIVE), START + 7 * DAY, 1.0, ADAPTIVE)
    assert edge.traces[0] == pytest.approx(0.88, rel=1e-14)


def test_a_magnitude_scales_the_gain() -> None:
    assert learn(None, START, 0.3, ADAPTIVE).traces == pytest.approx((0.18,) * 3, rel=1e-15)


@checked
@given(strengths, st.floats(0.0, 9.0))
@example(2.978598247392937e-06, 9.0)  # plain arithmetic gives 9.000000000000002
def test_a_bump_stays_within_bounds_and_never_lowers(trace: float, gain: float) -> None:
    assert trace <= bump(trace, gain) <= 9.0
    exact = Fraction(trace) + Fraction(gain) * (1 - Fraction(trace) / 9)
    assert bump(trace, gain) == pytest.approx(float(exact), abs=4e-15)


@checked
@given(st.data(), rules, st.booleans())
def test_an_event_stays_within_bounds_and_never_lowers(data: st.DataObject, rule: Rule, pinned: bool) -> None:
    edge = data.draw(edges(rule, pinned=pinned))
    at = data.draw(instants)
    magnitude = data.draw(st.floats(0.01, 9.0)) / rule.alpha
    assume(0 < rule.alpha * magnitude <= 9)
    found = learn(edge, at, magnitude, rule)
    assert all(0.0 <= trace <= 9.0 for trace in found.traces)
    assert 0.0 <= strength(found, rule) <= 9.0
    assert strength(found, rule) >= strength(fade(edge, at, rule), rule) or is_gone(fade(edge, at, rule), rule)
    assert found.at == max(edge.at, at) or found.first == at


@checked
@given(rules, instants, st.floats(0.01, 8.9), st.floats(0.01, 8.9))
def test_more_magnitude_is_never_less_strength(rule: Rule, at: int, one: float, other: float) -> None:
    low, high = sorted((one / rule.alpha, other / rule.alpha))
    edge = learn(None, at, 0.1 / rule.alpha, rule)
    assert strength(learn(edge, at + DAY, low, rule), rule) <= strength(learn(edge, at + DAY, high, rule), rule)


@pytest.mark.parametrize("magnitude", [0.0, -0.0, -1.0, 15.1, float("inf"), float("nan")])
@pytest.mark.parametrize("edge", [None, learn(None, START, 1.0, ADAPTIVE)])
def test_a_magnitude_out_of_bounds_is_refused(edge: Edge | None, magnitude: float) -> None:
    with pytest.raises(ValueError, match="alpha times magnitude"):
        learn(edge, START, magnitude, ADAPTIVE)


def test_the_largest_magnitude_is_taken() -> None:
    assert learn(None, START, 15.0, ADAPTIVE).traces == (9.0, 9.0, 9.0)
    # Plain arithmetic would make 9.000000000000002 of the almost faded trace.
    edge = learn(None, START, 1.0, ADAPTIVE)._replace(traces=(2.978598247392937e-06, 1.0, 9.0))
    assert learn(edge, START, 15.0, ADAPTIVE).traces == (9.0, 9.0, 9.0)


def test_five_clicks_in_a_minute_are_one_hit_and_five_bumps() -> None:
    edge: Edge | None = None
    for click in range(5):
        edge = learn(edge, START + click * 12 * SECOND, 1.0, ADAPTIVE)
    assert edge is not None
    assert edge.hits == 1
    assert edge.fresh == pytest.approx(2 ** (-48 / (365 * 86_400)), rel=1e-12)
    assert strength(edge, ADAPTIVE) == pytest.approx(2.63, abs=0.005)  # the table's five events
    assert edge.times == tuple(START + click * 12 * SECOND for click in (4, 3, 2, 1, 0))


def test_below_the_published_floor_nothing_adds_up() -> None:
    # A gain of 0.75 (a quantity of 0) lies below the floor of 1: each event starts afresh.
    gain = PAPER.alpha * amount(1.0, 0.0, PAPER)
    assert gain == 0.75
    edge = learn(learn(None, START, 0.5, PAPER), START, 0.5, PAPER)
    assert (edge.traces, edge.hits) == ((0.75,), 1)


def test_the_published_rule_counts_each_event() -> None:
    edge: Edge | None = None
    for _ in range(5):
        edge = learn(edge, START, 1.0, PAPER)
    assert edge is not None
    assert (edge.hits, edge.fresh) == (5, 5.0)


@pytest.mark.parametrize(("gap", "hits"), [(0, 1), (30 * MINUTE - 1, 1), (30 * MINUTE, 2), (DAY, 2)])
def test_when_an_occasion_ends(gap: int, hits: int) -> None:
    assert learn(learn(None, START, 1.0, ADAPTIVE), START + gap, 1.0, ADAPTIVE).hits == hits


def test_an_occasion_lasts_while_its_events_follow_each_other() -> None:
    # Twenty minutes apart all day long: each is close to the one before.
    edge: Edge | None = None
    for turn in range(72):
        edge = learn(edge, START + turn * 20 * MINUTE, 1.0, ADAPTIVE)
    assert edge is not None
    assert edge.hits == 1


def test_the_latest_eight_times_are_kept_latest_first() -> None:
    edge: Edge | None = None
    for day in range(20):
        edge = learn(edge, START + day * DAY, 1.0, ADAPTIVE)
    assert edge is not None
    assert edge.times == tuple(START + day * DAY for day in range(19, 11, -1))
    assert (edge.first, edge.hits) == (START, 20)


@checked
@given(st.data(), rules)
def test_a_gone_edge_starts_afresh(data: st.DataObject, rule: Rule) -> None:
    edge = data.draw(edges(rule))
    gone = gone_at(edge, rule)
    assert gone is not None
    at = gone + 1 + data.draw(st.integers(0, 10_000 * DAY))
    assert is_gone(fade(edge, at, rule), rule)
    assert learn(edge, at, 0.5 / rule.alpha, rule) == learn(None, at, 0.5 / rule.alpha, rule)


def test_a_late_event_counts_without_fading_and_makes_no_time_go_back() -> None:
    edge = learn(None, START, 1.0, ADAPTIVE)
    late = learn(edge, START - DAY, 1.0, ADAPTIVE)
    assert late.at == START
    assert late.traces == pytest.approx((1.16,) * 3, rel=1e-14)
