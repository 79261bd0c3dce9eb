"""The drift tables: opponents, new favourites, latency and stale entries by hand; the simulated lives; real files."""

from __future__ import annotations

from collections import Counter
from math import nan
from pathlib import Path

import numpy as np
import pytest

from evals.data import complete_journey
from evals.drift import households, run, simulated, worlds
from evals.drift.methods import METHODS, Count, Decayed, Event, Memory, Method, Ours, Recency, Window, ranked
from fernvault.instant import DAY

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
COUNT, RECENCY = METHODS[0], METHODS[3]


def fed(memory: Memory, *events: Event) -> dict[str, float]:
    """The memory's scores after these events."""
    for event in events:
        memory.learn(event)
    return dict(memory.scores(events[-1].at))


def test_opponents_by_hand() -> None:
    events = [Event(0, ["a", "b"]), Event(5 * DAY, ["a"]), Event(10 * DAY, ["c"]), Event(10 * DAY, ["b"], -1)]
    assert fed(Count(), *events) == {"a": 2, "b": 0, "c": 1}
    # A half-life of five days, as weights since the first event: 1, 2 and 4.
    assert fed(Decayed((5.0,)), *events) == {"a": 3, "b": 1 - 4, "c": 4}
    assert fed(Window((3.0,)), *events) == {"a": 1, "c": 1, "b": -1}
    assert fed(Recency(), *events) == {"a": 2, "b": -4, "c": 3}


def test_ours_is_the_products_strength_and_leaves_out_what_is_avoided() -> None:
    declined = Event(0, ["pref:b"], -1)
    assert fed(Ours(), Event(0, ["pref:a"]), Event(0, ["pref:a"]), declined) == {"pref:a": pytest.approx(0.6 + 0.56)}


def test_ties_go_to_what_fired_more_often_and_then_to_spelling() -> None:
    scores = {"a": 1.0, "b": 1.0, "c": 1.0, "d": 2.0, "e": 0.0}
    assert ranked(scores, Counter(c=5), 3) == ["d", "c", "a"]
    assert ranked(scores, Counter(), 9) == ["d", "a", "b", "c"]


def household() -> list[Event]:
    """A basket every five days for a year: s1 to s7 always, s8 in every second one up to day 90, x in all after it."""
    events = []
    for number in range(74):
        names = [f"s{one}" for one in range(1, 8)]
        if number > 18:
            names.append("x")
        elif number % 2 == 0:
            names.append("s8")
        events.append(Event(number * 5 * DAY, names))
    return events


def test_a_new_favourite_is_new_and_among_the_eight_from_then_on() -> None:
    assert households.favourites(household()) == {"x": 19}
    # Three baskets are no favourite, and what was bought on day 90 is not new.
    assert households.favourites(household()[:22]) == {}
    assert households.favourites([household()[0]._replace(names=["x"]), *household()[1:]]) == {}


def test_latency_stale_and_hits_by_hand() -> None:
    found = households.followed(COUNT, (), household())
    hits, baskets, days, stale, late = found.values
    # s8 was bought ten times, so x is named with its eleventh purchase: ten baskets and fifty days after the first.
    assert (baskets, days) == (10.0, 50.0)
    # On day 120 x was bought six times, s8 is still named and not bought again; on days 180, 240 and 300 all eight are.
    assert stale == pytest.approx(1 / 8 / 4)
    # The baskets of days 95 to 210: eleven foreseen without x, thirteen with it. Later all are foreseen whole.
    assert found.early == pytest.approx((11 * 7 / 8 + 13) / 24)
    assert late == 1.0
    assert hits == pytest.approx((11 * 7 / 8 + 13 + 31) / 55)
    # Recency names x with its first purchase: s8 is older.
    assert households.followed(RECENCY, (), household()).values[1:4].tolist() == [0.0, 0.0, 0.0]


def test_what_is_never_named_counts_as_the_most() -> None:
    class Fixed(Count):
        """Names the staples whatever happens."""

        def scores(self, _: int) -> dict[str, float]:
            return {f"s{one}": 1.0 for one in range(1, 9)}

    found = households.followed(Method("fixed", [()], Fixed), (), household()).values
    assert found[1:3].tolist() == [30.0, 90.0]


def test_nothing_new_is_not_a_number() -> None:
    found = households.followed(COUNT, (), [event._replace(names=["s1"]) for event in household()])
    assert found.values.tolist() == pytest.approx([1.0, nan, nan, 0.0, 1.0], nan_ok=True)


def test_lives_change_when_they_say() -> None:
    for name, series in worlds.SERIES.items():
        life = series(worlds.Chooser(name))
        assert life == series(worlds.Chooser(name))
        assert [event.at for event in life.events] == [worlds.START + day * DAY for day in range(len(life.events))]
        assert all(len(look.best) == 5 and not look.best & look.former for look in life.looks)
    declined = [event for event in worlds.reversal(worlds.Chooser("r")).events if event.sign < 0]
    assert [(event.at - worlds.START) // DAY for event in declined] == [60, 63, 66, 69, 72]
    assert [look.after for look in worlds.oscillation(worlds.Chooser("o")).looks] == [35, 49, 63, 77]
    paused = worlds.pause(worlds.Chooser("p"))
    assert not any(paused.favourite in event.names for event in paused.events[60:105])
    assert any(paused.favourite in event.names for event in paused.events[105:])


def test_a_life_is_judged_by_hand() -> None:
    best = frozenset({"pref:a", "pref:b", "pref:c", "pref:d", "pref:e"})
    events = [Event(worlds.START, ["pref:a", "pref:z"]), Event(worlds.START + DAY, ["pref:a", "pref:b"])]
    life = worlds.Life(
        events, [worlds.Look(1, best, frozenset({"pref:z"})), worlds.Look(2, best, frozenset())], "pref:b"
    )
    # Named are a and z, then a, b and z, of five places: 1/5 and 2/5 right, 1/5 and 0 former.
    assert simulated.judged(COUNT, (), life) == pytest.approx((1.5 / 5, 0.5 / 5))
    assert simulated.back(COUNT, (), life) == [0.0, 1.0]


def test_the_simulated_tables_repeat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated, "QUICK", 2)
    made = simulated.tables(3, quick=True)
    assert made == simulated.tables(3, quick=True)
    # The counter never forgets seven tags of sixty days in 25; something unrelated fades as it would anyway.
    assert [row.value for row in made[3].rows] == [pytest.approx(1.0)]
    assert all(0.0 <= row.value <= 1.0 for table in made[:3] for row in table.rows)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(run(1, tmp_path, "households"))


@pytest.mark.slow
def test_the_real_households_are_read() -> None:
    if not (DATA / "complete_journey").is_dir():
        pytest.skip("no data set complete_journey here")
    # Counted in the two files by their columns alone.
    found = households.lasting(complete_journey.baskets(DATA / "complete_journey", "product_type"))
    assert len(found) == 1427
    assert np.mean([len(events) for events in found]) > 70
