"""The owner's corrections: set, pin, unpin, forget, and what comes after them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.edge import Edge, EdgeEvent
from fernvault.event import Act
from fernvault.graph.confidence import is_known
from fernvault.graph.correction import pin, set_strength, unpin
from fernvault.graph.fading import fade, settle
from fernvault.graph.learning import learn
from fernvault.graph.replay import replay
from fernvault.graph.strength import strength
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE, PAPER, PRESETS, Rule
from tests.strategies import START, checked, edges, histories, rules, strengths


def some_edge() -> Edge:
    return learn(learn(None, START, 1.0, ADAPTIVE), START + DAY, 1.0, ADAPTIVE)


def test_set_makes_an_edge_out_of_nothing() -> None:
    found = set_strength(None, START, 4, ADAPTIVE)
    assert found == Edge((4.0,) * 3, START, hits=0, fresh=8.0, first=START, times=(), owner=True)
    assert strength(found, ADAPTIVE) == 4.0


def test_set_keeps_what_is_not_strength() -> None:
    before = some_edge()
    found = set_strength(before, START + DAY, 0.5, ADAPTIVE)
    assert (found.hits, found.first, found.times) == (before.hits, before.first, before.times)
    assert (found.traces, found.owner, found.pinned) == ((0.5,) * 3, True, False)


@checked
@given(rules.flatmap(lambda rule: st.tuples(st.just(rule), histories(rule), histories(rule))), strengths)
def test_set_overrides_whatever_was_before(case: tuple[Rule, list[EdgeEvent], list[EdgeEvent]], value: float) -> None:
    rule, one, other = case
    at = max([entry.at for entry in (*one, *other)], default=START)
    word = EdgeEvent(at, 1_000, Act.SET, value)
    first, second = replay([*one, word], rule), replay([*other, word], rule)
    assert first is not None
    assert second is not None
    assert first.traces == second.traces == (value,) * len(rule.half_lives)
    if first.pinned == second.pinned:
        later = at + 100 * DAY
        assert fade(first, later, rule).traces == fade(second, later, rule).traces


@pytest.mark.parametrize("value", [-0.001, 9.001, 10**400, float("inf"), float("-inf"), float("nan")])
@pytest.mark.parametrize("edge", [None, some_edge()])
def test_a_strength_out_of_bounds_is_refused(edge: Edge | None, value: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 9"):
        set_strength(edge, START, value, ADAPTIVE)


@pytest.mark.parametrize("value", [0.0, 9.0])
def test_the_ends_are_in(value: float) -> None:
    assert set_strength(None, START, value, ADAPTIVE).traces == (value,) * 3


def test_set_to_nothing_is_gone_unless_pinned() -> None:
    nothing = set_strength(some_edge(), START + DAY, 0.0, ADAPTIVE)
    assert settle(nothing, START + DAY, ADAPTIVE) is None
    pinned = pin(some_edge(), START + DAY, ADAPTIVE)
    kept = settle(set_strength(pinned, START + DAY, 0.0, ADAPTIVE), START + 999 * DAY, ADAPTIVE)
    assert kept is not None
    assert strength(kept, ADAPTIVE) == 0.0


@pytest.mark.parametrize("rule", PRESETS.values(), ids=lambda rule: rule.name)
def test_the_owners_word_counts_as_many_occasions(rule: Rule) -> None:
    once = learn(None, START, 1.0, rule)
    assert not is_known(once.fresh, rule)
    for corrected in (
        set_strength(once, START, 5.0, rule),
        set_strength(None, START, 5.0, rule),
        pin(once, START, rule),
    ):
        assert corrected is not None
        assert corrected.fresh == rule.owner_hits
        assert is_known(corrected.fresh, rule)
    assert set_strength(once, START, 5.0, rule).hits == 1  # the word is no event


@checked
@given(st.data(), rules, strengths)
def test_the_owners_word_never_lowers_what_is_sure(data: st.DataObject, rule: Rule, value: float) -> None:
    edge = data.draw(edges(rule, least=rule.floor, pinned=None))
    expected = max(edge.fresh, rule.owner_hits)
    assert set_strength(edge, edge.at, value, rule).fresh == expected
    pinned = pin(edge, edge.at, rule)
    assert pinned is not None
    assert pinned.fresh == expected


@checked
@given(st.data(), rules, st.integers(0, 5_000 * DAY))
def test_pin_stops_the_fading_from_then_on(data: st.DataObject, rule: Rule, later: int) -> None:
    edge = data.draw(edges(rule, least=2 * rule.floor if rule.floor < 1 else 1.5))
    at = edge.at + DAY // 100
    faded = settle(edge, at, rule)
    pinned = pin(edge, at, rule)
    assert faded is not None
    assert pinned is not None
    assert pinned == faded._replace(pinned=True, fresh=pinned.fresh)
    assert fade(pinned, at + later, rule) == pinned._replace(at=at + later)


@checked
@given(st.data(), rules, st.integers(0, 5_000 * DAY), st.integers(0, 500 * DAY))
def test_unpin_resumes_from_then(data: st.DataObject, rule: Rule, held: int, later: int) -> None:
    edge = data.draw(edges(rule, least=rule.floor))
    pinned = pin(edge, edge.at, rule)
    loose = unpin(pinned, edge.at + held, rule)
    assert loose is not None
    assert loose.traces == edge.traces
    assert not loose.pinned
    # From there it fades as the edge would have from its own time: the years under the pin do not count.
    assert fade(loose, edge.at + held + later, rule).traces == fade(edge, edge.at + later, rule).traces


@pytest.mark.parametrize("correct", [pin, unpin])
def test_nothing_to_pin(correct: object) -> None:
    for act in (pin, unpin):
        assert act(None, START, ADAPTIVE) is None
        assert act(learn(None, START, 5 / 6, PAPER), START + 12 * DAY, PAPER) is None  # gone after 11.2 days
    assert correct in (pin, unpin)


@checked
@given(
    rules.flatmap(lambda rule: st.tuples(st.just(rule), histories(rule), histories(rule))), st.integers(0, 999 * DAY)
)
def test_after_forget_new_evidence_starts_afresh(case: tuple[Rule, list[EdgeEvent], list[EdgeEvent]], gap: int) -> None:
    rule, before, after = case
    at = max((entry.at for entry in before), default=START)
    shift = at + gap - after[0].at if after else 0
    after = [entry._replace(at=entry.at + shift, seq=entry.seq + 2_000) for entry in after]
    assert replay([*before, EdgeEvent(at, 1_000, Act.FORGET, 0.0), *after], rule) == replay(after, rule)


def test_evidence_after_a_set_adds_to_it() -> None:
    # 4 set, then one event at once: 4 + 0.6·5/9 = 13/3; it is the first occasion of its own.
    found = learn(set_strength(None, START, 4.0, ADAPTIVE), START, 1.0, ADAPTIVE)
    assert found.traces == pytest.approx((13 / 3,) * 3, rel=1e-15)
    assert (found.hits, found.fresh, found.owner) == (1, 9.0, True)
