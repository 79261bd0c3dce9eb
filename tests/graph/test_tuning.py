"""Tuning on held-out days: what is foreseen by hand, and a taste that only short half-lives follow."""

from __future__ import annotations

import pytest

from fernvault.graph.tuning import GRID, LEAST_DAYS, Beside, Happened, foreseen, tune
from fernvault.instant import DAY, HOUR
from fernvault.prior import Prior
from fernvault.rule import ADAPTIVE, PAPER, tuned

START = 19_000 * DAY
OTHERS = Beside(Prior("shop.example", 9, {"pref:c": 1.0}))


def daily(*items: str) -> list[Happened]:
    """One item a day."""
    return [Happened(START + day * DAY, (f"pref:{item}",)) for day, item in enumerate(items)]


def test_the_share_foreseen_by_hand() -> None:
    # A card of one entry, the last two days. Before day 3 it holds a, bought twice; day 3 brings a and b: 1 of
    # min(1, 2). Before day 4 it still holds a, and c comes: 0.
    events = [*daily("a", "a", "b"), Happened(START + 3 * DAY, ("pref:a", "ctx:morning", "!pref:z"))]
    events += [Happened(START + 3 * DAY + HOUR, ("pref:b",)), Happened(START + 4 * DAY, ("pref:c",))]
    assert foreseen(events, ADAPTIVE, 2, 1) == [1.0, 0.0]
    # With two entries, a and b on day 3, both of them; the prior's c, worth more than b, is foreseen on day 4.
    assert foreseen(events, ADAPTIVE, 2, 2) == [1.0, 0.0]
    assert foreseen(events, ADAPTIVE._replace(prior_events=9.0), 2, 2, OTHERS) == [0.5, 1.0]


def test_nothing_is_foreseen_from_what_comes_later_that_day() -> None:
    events = [Happened(START, ("pref:a",)), Happened(START + HOUR, ("pref:b",)), *daily("x", "b")[1:]]
    assert foreseen(events, ADAPTIVE, 1, 8) == [1.0]
    assert foreseen(events[:2], ADAPTIVE, 1, 8) == [0.0]


def test_a_day_in_its_context() -> None:
    morning, evening = ("ctx:morning",), ("ctx:evening",)
    events = [Happened(START + n * DAY, ("pref:tea", *morning)) for n in range(4)]
    events += [Happened(START + (4 + n) * DAY, ("pref:wine", *evening)) for n in range(5)]
    events += [Happened(START + 9 * DAY, ("pref:tea", *morning))]
    assert foreseen(events, ADAPTIVE, 1, 1) == [1.0]


def test_too_little_history_is_left_alone() -> None:
    assert tune(daily(*"ab" * 20), ADAPTIVE, 1) is None
    assert tune([], ADAPTIVE, 8) is None


def test_who_moves_on_every_ten_days_gets_shorter_half_lives() -> None:
    # Each favourite lasts ten days and one of the first comes back now and then; one entry on the card.
    items = [f"i{day // 10}" for day in range(120)]
    found = tune(daily(*items), ADAPTIVE, 1)
    assert found is not None
    assert found.days == 24
    assert found.changes["half_lives"] == (2.0, 14.0, 60.0)
    assert found.after > found.before
    assert found.before == pytest.approx(sum(foreseen(daily(*items), ADAPTIVE, 24, 1)) / 24)
    assert found.after == pytest.approx(sum(foreseen(daily(*items), tuned(ADAPTIVE, found.changes), 24, 1)) / 24)


def test_a_steady_taste_keeps_what_there_is() -> None:
    found = tune(daily(*"ab" * 40), ADAPTIVE, 2)
    assert found is not None
    assert (found.changes, found.before, found.after) == ({}, 1.0, 1.0)
    assert found.days >= LEAST_DAYS


def test_a_rule_of_one_trace_keeps_its_half_life() -> None:
    found = tune(daily(*"abc" * 40), PAPER, 1)
    assert found is not None
    assert "half_lives" not in found.changes


def test_every_value_tried_makes_a_rule() -> None:
    for name, values in GRID.items():
        assert all(tuned(ADAPTIVE, {name: value}) for value in values)


def test_a_publishers_kappa_is_read_and_never_tuned() -> None:
    # Under the rule's own κ nothing would be foreseen of c; its publisher's puts it before b on day 4.
    events = [*daily("a", "a", "b", "a"), Happened(START + 4 * DAY, ("pref:c",))]
    worth = Beside(OTHERS.prior._replace(kappa=5.0) if OTHERS.prior else None)
    assert foreseen(events, ADAPTIVE._replace(prior_events=0.0), 1, 2, OTHERS) == [0.0]
    assert foreseen(events, ADAPTIVE._replace(prior_events=0.0), 1, 2, worth) == [1.0]
    # New things every day, of which the prior knows: more of it foresees more, but only where the rule decides.
    means = {f"pref:n{day}": 0.1 for day in range(90, 120)}
    news = [Happened(START + day * DAY, ("pref:old",)) for day in range(60)]
    news += [Happened(START + day * DAY, (f"pref:n{day}",)) for day in range(60, 120)]
    free, fixed = (tune(news, ADAPTIVE, 40, Beside(Prior("s", 9, means, kappa))) for kappa in (None, 1e-6))
    assert free is not None and fixed is not None
    assert "prior_events" not in fixed.changes


def test_rivals_are_pushed_down_while_tuning_as_on_the_card() -> None:
    # l is bought twice after three m; beside m it falls under s, bought once: 1.16 - 0.4·(1.68 - 1.16) > 0.6 still, so
    # with a card of two m and l stand; declared rivals with more of m (ten), l keeps a fifth and s comes before it.
    events = [*daily(*"m" * 10, "l", "s"), Happened(START + 12 * DAY, ("pref:s",))]
    rivals = Beside(exclusive=[frozenset({"pref:m", "pref:l"})])
    events[10] = events[10]._replace(size=2.0)
    assert foreseen(events, ADAPTIVE, 1, 2) == [0.0]
    assert foreseen(events, ADAPTIVE, 1, 2, rivals) == [1.0]
