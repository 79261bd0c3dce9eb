"""The fold that defines an edge, against a second fold written on its own with fifty decimal digits."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fernvault.edge import EdgeEvent
from fernvault.event import Act
from fernvault.graph.fading import settle
from fernvault.graph.replay import replay, step
from fernvault.graph.strength import strength
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE, PAPER, Rule
from tests.strategies import START, checked, histories, rules

cases = rules.flatmap(lambda rule: st.tuples(st.just(rule), histories(rule)))


class OnPaper:
    """DESIGN section 4 done by hand, step after step, in decimals; None for a trace list means there is no edge."""

    def __init__(self, rule: Rule) -> None:
        self.half_lives = [Decimal(h) * 86_400_000_000 for h in rule.half_lives]
        self.weights = [Decimal(q) for q in rule.weights]
        self.alpha, self.floor = Decimal(rule.alpha), Decimal(rule.floor)
        self.traces: list[Decimal] | None = None
        self.at = 0
        self.pinned = False
        self.doubtful = False
        """A trace came so near the floor that rounding may decide; no fair comparison any more."""

    def wait(self, at: int) -> None:
        if self.traces is not None and not self.pinned:
            self.traces = [
                w * Decimal(2) ** (-Decimal(at - self.at) / h)
                for w, h in zip(self.traces, self.half_lives, strict=True)
            ]
            highest = max(self.traces)
            self.doubtful |= abs(highest / self.floor - 1) < Decimal("1e-9")
            if highest < self.floor:
                self.traces = None
        self.at = at

    def take(self, entry: EdgeEvent) -> None:
        self.wait(entry.at)
        if self.traces is None:
            self.pinned = False
        if entry.act is Act.FORGET:
            self.traces, self.pinned = None, False
        elif entry.act is Act.SET:
            self.traces = [Decimal(entry.amount) for _ in self.half_lives]
        elif entry.act is Act.LEARN:
            gain = self.alpha * Decimal(entry.amount)
            self.traces = [w + gain * (1 - w / 9) for w in self.traces or [Decimal(0)] * len(self.half_lives)]
        elif self.traces is not None:
            self.pinned = entry.act is Act.PIN

    def strength(self) -> Decimal:
        if self.traces is None:
            return Decimal(0)
        return sum(q * w for q, w in zip(self.weights, self.traces, strict=True)) / sum(self.weights)


@checked
@given(cases, st.integers(0, 900 * DAY))
def test_against_the_same_on_paper(case: tuple[Rule, list[EdgeEvent]], later: int) -> None:
    rule, entries = case
    with localcontext(prec=50):
        paper = OnPaper(rule)
        for entry in entries:
            paper.take(entry)
        end = (entries[-1].at if entries else START) + later
        paper.wait(end)
        expected, doubtful = float(paper.strength()), paper.doubtful
    assume(not doubtful)
    edge = settle(replay(entries, rule), end, rule)
    assert (edge is None) == (paper.traces is None)
    assert (0.0 if edge is None else strength(edge, rule)) == pytest.approx(expected, rel=1e-12, abs=1e-300)
    if edge is not None:
        assert edge.pinned == paper.pinned


@checked
@given(cases, st.randoms(use_true_random=False))
def test_the_order_in_which_entries_come_to_hand_does_not_matter(
    case: tuple[Rule, list[EdgeEvent]], shuffler: random.Random
) -> None:
    rule, entries = case
    shuffled = entries[:]
    shuffler.shuffle(shuffled)
    assert replay(sorted(shuffled, key=lambda entry: (entry.at, entry.seq)), rule) == replay(entries, rule)


@checked
@given(cases, st.integers(0, 12))
def test_a_fold_can_stop_and_go_on(case: tuple[Rule, list[EdgeEvent]], cut: int) -> None:
    rule, entries = case
    edge = replay(entries[:cut], rule)
    for entry in entries[cut:]:
        edge = step(edge, entry, rule)
    assert edge == replay(entries, rule)


@checked
@given(cases)
def test_times_never_run_backwards(case: tuple[Rule, list[EdgeEvent]]) -> None:
    rule, entries = case
    edge = replay(entries, rule)
    if edge is None:
        return
    assert list(edge.times) == sorted(edge.times, reverse=True)
    assert len(edge.times) <= 8
    assert edge.hits <= sum(entry.act is Act.LEARN for entry in entries)
    assert edge.at <= entries[-1].at
    assert entries[0].at <= edge.first <= edge.at
    assert bool(edge.hits) == bool(edge.times)


def test_no_entries_no_edge() -> None:
    assert replay([], ADAPTIVE) is None
    assert replay([EdgeEvent(START, 1, act, 0.0) for act in (Act.PIN, Act.UNPIN, Act.FORGET)], ADAPTIVE) is None


def test_three_events_a_pin_and_a_set_by_hand() -> None:
    # One trace of half-life 10 days, alpha 1.8 so that alpha/9 = 1/5, magnitudes 1.
    rule = PAPER._replace(alpha=1.8, half_lives=(10.0,), floor=0.01)
    history = [
        EdgeEvent(START, 1, Act.LEARN, 1.0),  # 1.8
        EdgeEvent(START + 10 * DAY, 2, Act.LEARN, 1.0),  # 0.9, then 0.9·0.8 + 1.8 = 2.52
        EdgeEvent(START + 20 * DAY, 3, Act.PIN, 0.0),  # 1.26, held
        EdgeEvent(START + 50 * DAY, 4, Act.LEARN, 1.0),  # 1.26·0.8 + 1.8 = 2.808
        EdgeEvent(START + 60 * DAY, 5, Act.UNPIN, 0.0),  # 2.808
        EdgeEvent(START + 80 * DAY, 6, Act.LEARN, 1.0),  # 0.702·0.8 + 1.8 = 2.3616
        EdgeEvent(START + 80 * DAY, 7, Act.SET, 5.0),  # 5
        EdgeEvent(START + 90 * DAY, 8, Act.LEARN, 0.5),  # 2.5·0.9 + 0.9 = 3.15
    ]
    expected = (1.8, 2.52, 1.26, 2.808, 2.808, 2.3616, 5.0, 3.15)
    for count, strong in enumerate(expected, 1):
        edge = replay(history[:count], rule)
        assert edge is not None
        assert strength(edge, rule) == pytest.approx(strong, rel=1e-14)


def test_the_numbers_of_the_acts_are_those_in_every_vault() -> None:
    assert {act.name: int(act) for act in Act} == {"LEARN": 0, "SET": 1, "PIN": 2, "UNPIN": 3, "FORGET": 4}
