"""Why: what each entry adds, against the unrolled product in decimals and against one done by hand."""

from __future__ import annotations

from decimal import Decimal, localcontext
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fernvault.edge import EdgeEvent
from fernvault.event import Act
from fernvault.graph.fading import is_gone, settle
from fernvault.graph.replay import replay
from fernvault.graph.strength import strength
from fernvault.graph.unrolling import contributions
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE, PAPER, Rule
from tests.strategies import START, checked, histories, rules

cases = rules.flatmap(lambda rule: st.tuples(st.just(rule), histories(rule)))


def read(entries: list[EdgeEvent], at: int, rule: Rule) -> float:
    edge = settle(replay(entries, rule), at, rule)
    return 0.0 if edge is None else strength(edge, rule)


@checked
@given(cases, st.integers(0, 2_000 * DAY))
def test_they_add_up_to_the_strength(case: tuple[Rule, list[EdgeEvent]], later: int) -> None:
    rule, entries = case
    at = (entries[-1].at if entries else START) + later
    added = contributions(entries, at, rule)
    assert len(added) == len(entries)
    assert sum(added) == pytest.approx(read(entries, at, rule), abs=1e-9)
    assert all(share >= 0.0 for share in added)
    for entry, share in zip(entries, added, strict=True):
        if entry.act not in (Act.LEARN, Act.SET):
            assert share == 0.0


@checked
@given(cases, st.integers(0, 500 * DAY))
def test_what_was_forgotten_or_overridden_adds_nothing(case: tuple[Rule, list[EdgeEvent]], later: int) -> None:
    rule, entries = case
    at = (entries[-1].at if entries else START) + later
    added = contributions(entries, at, rule)
    cuts = [place for place, entry in enumerate(entries) if entry.act in (Act.SET, Act.FORGET)]
    assume(cuts)
    assert added[: cuts[-1]] == [0.0] * cuts[-1]
    if entries[cuts[-1]].act == Act.FORGET:
        assert added[cuts[-1]] == 0.0


@checked
@given(cases)
def test_what_faded_away_adds_nothing(case: tuple[Rule, list[EdgeEvent]]) -> None:
    rule, entries = case
    assume(entries)
    added = contributions(entries, entries[-1].at, rule)
    for place, (before, after) in enumerate(pairwise(entries), 1):
        if settle(replay(entries[:place], rule), after.at, rule) is None:
            assert added[:place] == [0.0] * place, before


def unrolled(entries: list[EdgeEvent], at: int, rule: Rule) -> list[Decimal]:
    """alpha·m_i · prod over later j of (1 - alpha·m_j/9) · 2^(-(at - t_i)/h), the mean over the traces.

    The formula of mechanisms 2.1 as it is written there, one product for each pair, with no state carried along.
    """
    added = []
    for place, entry in enumerate(entries):
        share = Decimal(0)
        for weight, half_life in zip(rule.weights, rule.half_lives, strict=True):
            term = Decimal(rule.alpha) * Decimal(entry.amount)
            for later in entries[place + 1 :]:
                term *= 1 - Decimal(rule.alpha) * Decimal(later.amount) / 9
            days = Decimal(at - entry.at) / Decimal(86_400_000_000)
            share += Decimal(weight) * term * Decimal(2) ** (-days / Decimal(half_life))
        added.append(share / sum(map(Decimal, rule.weights)))
    return added


@checked
@given(
    rules.flatmap(
        lambda rule: st.tuples(
            st.just(rule._replace(floor=1e-280)), histories(rule, acts=(Act.LEARN,), most=12).map(tuple)
        )
    ),
    st.integers(0, 500 * DAY),
)
def test_against_the_formula_as_published(case: tuple[Rule, tuple[EdgeEvent, ...]], later: int) -> None:
    rule, entries = case[0], list(case[1])
    assume(entries)
    at = entries[-1].at + later
    assume(len(entries) == 1 or at - entries[0].at < 400 * min(rule.half_lives) * DAY)  # none gone, even here
    with localcontext(prec=50):
        expected = [float(share) for share in unrolled(entries, at, rule)]
    assert contributions(entries, at, rule) == pytest.approx(expected, rel=1e-12, abs=1e-250)
    assert read(entries, at, rule) == pytest.approx(sum(expected), rel=1e-12, abs=1e-250)


def test_three_events_by_hand() -> None:
    # One trace of half-life 10 days; alpha 1.8, so one event of magnitude 1 leaves 1 - 1.8/9 = 4/5 of what was before.
    #   event 1, day 0,  m 1.0: adds 1.8, then × 4/5 (event 2) × 9/10 (event 3) × 1/8 (30 days) = 1.8 · 0.09   = 0.162
    #   event 2, day 10, m 1.0: adds 1.8, then            × 9/10 (event 3) × 1/4 (20 days)     = 1.8 · 0.225  = 0.405
    #   event 3, day 20, m 0.5: adds 0.9, then                               × 1/2 (10 days)     = 0.9 · 0.5    = 0.45
    # The fold: 1.8; 0.9·4/5 + 1.8 = 2.52; 1.26·9/10 + 0.9 = 2.034; at day 30: 1.017 = 0.162 + 0.405 + 0.45.
    rule = PAPER._replace(alpha=1.8, half_lives=(10.0,), floor=0.01)
    entries = [
        EdgeEvent(START, 1, Act.LEARN, 1.0),
        EdgeEvent(START + 10 * DAY, 2, Act.LEARN, 1.0),
        EdgeEvent(START + 20 * DAY, 3, Act.LEARN, 0.5),
    ]
    at = START + 30 * DAY
    assert contributions(entries, at, rule) == pytest.approx([0.162, 0.405, 0.45], rel=1e-14)
    assert read(entries, at, rule) == pytest.approx(1.017, rel=1e-14)


def test_three_traces_are_averaged_by_their_weights() -> None:
    # One default event, 315 days on (7·45): 0.6·(0.5·2^-45 + 2^-7 + 2^-(315/365)) / 2.5.
    entries = [EdgeEvent(START, 1, Act.LEARN, 1.0)]
    expected = 0.6 * (0.5 * 2**-45 + 2**-7 + 2 ** -(315 / 365)) / 2.5
    assert contributions(entries, START + 315 * DAY, ADAPTIVE) == pytest.approx([expected], rel=1e-13)


def test_the_days_under_a_pin_do_not_count() -> None:
    rule = PAPER._replace(alpha=1.8, half_lives=(10.0,), floor=0.01)
    entries = [
        EdgeEvent(START, 1, Act.LEARN, 1.0),  # 1.8
        EdgeEvent(START + 10 * DAY, 2, Act.PIN, 0.0),  # 0.9, held for a thousand days
        EdgeEvent(START + 1_010 * DAY, 3, Act.UNPIN, 0.0),
        EdgeEvent(START + 1_020 * DAY, 4, Act.LEARN, 1.0),  # 0.45·4/5 = 0.36, and 1.8
    ]
    assert contributions(entries, START + 1_020 * DAY, rule) == pytest.approx([0.36, 0.0, 0.0, 1.8], rel=1e-13)


def test_a_set_is_a_reason_of_its_own() -> None:
    entries = [
        EdgeEvent(START, 1, Act.LEARN, 1.0),
        EdgeEvent(START, 2, Act.SET, 4.0),
        EdgeEvent(START, 3, Act.LEARN, 1.0),  # leaves 4·(1 - 0.6/9) = 56/15 of the owner's 4
    ]
    assert contributions(entries, START, ADAPTIVE) == pytest.approx([0.0, 56 / 15, 0.6], rel=1e-14)


@checked
@given(cases, st.integers(0, 24), st.integers(0, 300 * DAY))
def test_taking_an_event_back_is_dividing_it_out(case: tuple[Rule, list[EdgeEvent]], choice: int, later: int) -> None:
    # mechanisms 2.1: drop its term and divide the earlier ones by (1 - alpha·m/9); true while nothing is gone between.
    rule, entries = case[0]._replace(floor=1e-280), case[1]
    entries = [entry for entry in entries if entry.act == Act.LEARN]
    assume(len(entries) > 1)
    choice %= len(entries)
    at = entries[-1].at + later
    assume(at - entries[0].at < 400 * min(rule.half_lives) * DAY)
    keep = 1 - rule.alpha * entries[choice].amount / 9
    assume(keep > 0.01)
    full = contributions(entries, at, rule)
    divided = [share / keep for share in full[:choice]] + full[choice + 1 :]
    without = entries[:choice] + entries[choice + 1 :]
    edge = replay(without, rule)
    assert edge is not None
    assert not is_gone(edge, rule)
    assert contributions(without, at, rule) == pytest.approx(divided, rel=1e-11, abs=1e-250)


def test_no_entries_add_nothing() -> None:
    assert contributions([], START, ADAPTIVE) == []
