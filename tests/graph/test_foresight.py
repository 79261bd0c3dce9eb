"""Foresight: the days on which something changes, against looking at every day."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from math import ceil, log2

from hypothesis import given
from hypothesis import strategies as st

from fernvault.edge import Edge
from fernvault.graph.fading import settle
from fernvault.graph.foresight import changes
from fernvault.graph.selection import candidates, strongest
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE
from tests.strategies import START, checked, costly, edges

steps = st.lists(st.integers(-50, 500), max_size=12).map(sorted)


@checked
@given(steps, st.integers(-60, 400), st.integers(-60, 400))
def test_every_day_of_a_monotone_state_is_found(days: list[int], first: int, last: int) -> None:
    def state(day: int) -> int:
        return bisect_right(days, day)  # how many steps lie on or before the day

    every_day = [(day, state(day)) for before, day in pairwise(range(first, last + 1)) if state(before) != state(day)]
    assert list(changes(state, first, last)) == every_day
    assert [day for day, _ in every_day] == sorted({day for day in days if first < day <= last})


@checked
@given(steps, st.integers(1, 400))
def test_few_days_are_looked_at(days: list[int], last: int) -> None:
    looked: list[int] = []

    def state(day: int) -> int:
        looked.append(day)
        return bisect_right(days, day)

    found = len(list(changes(state, 0, last)))
    assert len(looked) == len(set(looked))
    assert len(looked) <= 2 + found * ceil(log2(last + 1))
    assert all(0 <= day <= last for day in looked)


def test_one_change_by_hand() -> None:
    assert list(changes(lambda day: day >= 37, 0, 365)) == [(37, True)]
    assert list(changes(lambda day: day >= 1, 0, 365)) == [(1, True)]
    assert list(changes(lambda day: day >= 365, 0, 365)) == [(365, True)]
    assert list(changes(lambda day: day >= 366, 0, 365)) == []
    assert list(changes(lambda day: day >= 0, 0, 365)) == []  # the first day has no day before
    assert list(changes(lambda day: day, 0, 0)) == []


def test_there_and_back_inside_a_span_is_passed_over_as_stated() -> None:
    assert list(changes(lambda day: 10 <= day < 20, 0, 100)) == []


def card_members(held: dict[str, Edge], day: int) -> frozenset[str]:
    faded = {name: left for name, edge in held.items() if (left := settle(edge, START + day * DAY, ADAPTIVE))}
    return frozenset(found.attribute for found in strongest(candidates(faded, ADAPTIVE), 3, START + day * DAY))


held_edges = st.dictionaries(
    st.sampled_from(["pref:a", "!pref:a", "pref:b", "pref:c", "pref:d", "!pref:d", "pref:e"]),
    edges(ADAPTIVE, least=0.02).map(lambda edge: edge._replace(at=START)),
    max_size=7,
)


@costly
@given(held_edges)
def test_of_a_fading_card_every_day_named_is_one_and_the_last_state_is_right(held: dict[str, Edge]) -> None:
    last = 250
    each_day = [card_members(held, day) for day in range(last + 1)]
    every_day = {day: each_day[day] for before, day in pairwise(range(last + 1)) if each_day[before] != each_day[day]}
    named = list(changes(lambda day: card_members(held, day), 0, last))
    assert all(every_day.get(day) == found for day, found in named)
    assert (named[-1][1] if named else each_day[0]) == each_day[last]
