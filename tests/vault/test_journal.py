"""The journal: each event once, in any order and any batching the same edges, and nothing half-written."""

from __future__ import annotations

import random
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fernvault.errors import DiskFullError
from fernvault.event import Event
from fernvault.instant import DAY, MINUTE
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE, PAPER, Rule
from fernvault.surface import Surface
from tests.strategies import START, costly
from tests.vaults import HOUR, PASSPHRASE, SOURCE, Clock, Model, buy, copy, edge_of, stored, table

NAMES = ("pref:oat", "pref:tea", "!pref:oat", "ctx:morning", "fact:vegan")
_magnitudes = st.floats(0.05, 15.0) | st.floats(-15.0, -0.05) | st.sampled_from((1.0, -1.0, 0.3, 15.0, -15.0))
_times = st.one_of(
    st.sampled_from((START, START + DAY, START + 1)),
    st.integers(START, START + HOUR),
    st.integers(START, START + 3_000 * DAY),
    st.integers(START - 5_000 * DAY, START),
)


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Events with all kinds of ties: equal ids (then possibly of other content), equal times, shared attributes."""
    ids = st.integers(0, 20).map(str)
    event = st.builds(
        lambda id, at, attributes, magnitude, quantity: Event(
            id, at, "buy", None, tuple(attributes), magnitude, quantity
        ),
        ids,
        _times,
        st.lists(st.sampled_from(NAMES), unique=True, max_size=4),
        _magnitudes,
        st.none() | st.floats(0.0, 100.0),
    )
    return draw(st.lists(event, max_size=14))


def batches(events: list[Event], rng: random.Random) -> list[list[Event]]:
    """The events cut into batches at random, some of them empty."""
    found: list[list[Event]] = [[]]
    for event in events:
        while rng.random() < 0.4:
            found.append([])
        found[-1].append(event)
    return found


_surface_numbers = count()


@settings(costly, max_examples=20)
@given(histories(), st.randoms(use_true_random=False), st.sampled_from((ADAPTIVE, PAPER)))
def test_any_order_and_any_batching_gives_the_replay_bit_for_bit(
    one_vault: Vault, events: list[Event], rng: random.Random, rule: Rule
) -> None:
    # Of events that share an id the first one written counts, so the order may vary only where ids differ.
    unique = list({event.id: event for event in reversed(events)}.values())
    for _ in range(2):
        rng.shuffle(unique)
        surface = one_vault.add_surface(f"s{next(_surface_numbers)}", rule=rule)
        model = Model(rule)
        doubled = unique + rng.choices(unique, k=3) if unique else []
        for batch in batches(doubled, rng):
            last = one_vault._connection.execute("SELECT coalesce(max(seq), 0) FROM event").fetchone()[0]
            found = surface.record(batch, source=SOURCE)
            assert [result.new for result in found] == model.record(last + 1, batch, one_vault.now())
            if rng.random() < 0.3:  # reading in between makes stale edges again, and changes nothing
                surface.views()
        rows = stored(one_vault, surface)
        assert {name: edge_of(row) for name, row in rows.items()} == model.edges()
        assert one_vault.doctor() == []
        one_vault.rebuild()
        assert stored(one_vault, surface) == rows
        assert one_vault.doctor() == []


@costly
@given(histories(), st.randoms(use_true_random=False))
def test_order_changes_no_edge_where_times_differ(one_vault: Vault, events: list[Event], rng: random.Random) -> None:
    # At equal times the journal's order decides between two magnitudes; with distinct times nothing does.
    unique = [event._replace(id=str(n), at=event.at + n) for n, event in enumerate(events)]
    unique = list({event.at: event for event in unique}.values())
    shown: list[Any] = []
    for _ in range(3):
        surface = one_vault.add_surface(f"s{next(_surface_numbers)}")
        for batch in batches(unique, rng):
            surface.record(batch, source=SOURCE)
        shown.append(stored(one_vault, surface))
        rng.shuffle(unique)
    assert shown[0] == shown[1] == shown[2]


@pytest.fixture(scope="module")
def one_vault(empty_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One vault for all examples of a property; each example has surfaces of its own."""
    folder = copy(empty_vault, tmp_path_factory.mktemp("journal") / "vault")
    with Vault.open(folder, PASSPHRASE, clock=Clock(START + 3_000 * DAY)) as vault:
        yield vault


def test_the_same_id_twice_is_one_event(folder: Path, clock: Clock) -> None:
    first, other = buy("1", START, "pref:oat"), buy("1", START + DAY, "pref:tea", magnitude=-1.0)
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        shop = vault.add_surface("shop.example")
        in_one_batch = shop.record([first, first, other], source=SOURCE)
        assert [result.new for result in in_one_batch] == [True, False, False]
        before = stored(vault, shop), table(vault, "event"), table(vault, "edge_event")
        assert [result.new for result in shop.record([other, first], source="another")] == [False, False]
        assert (stored(vault, shop), table(vault, "event"), table(vault, "edge_event")) == before
    with Vault.open(folder, PASSPHRASE, clock=clock) as again:
        surface = again.surface("shop.example")
        assert [result.new for result in surface.record([other], source="third")] == [False]
        assert (stored(again, surface), table(again, "event"), table(again, "edge_event")) == before
        assert again.event_count() == 1
        assert again.doctor() == []


def test_the_same_id_on_two_surfaces_is_two_events(vault: Vault, shop: Surface) -> None:
    travel = vault.add_surface("travel.example")
    event = buy("1", START, "pref:oat")
    assert shop.record([event], source=SOURCE)[0].new
    assert travel.record([event], source=SOURCE)[0].new
    assert vault.event_count() == 2
    assert stored(vault, shop) == stored(vault, travel)
    assert vault.doctor() == []


def test_the_order_of_writing_decides_between_equal_times(vault: Vault, shop: Surface) -> None:
    # 0.6·5 = 3, then 3 + 0.6·(1 - 3/9) = 3.4; the other way round 0.6 + 3·(1 - 0.6/9) = 3.4 as well, but by other
    # steps: each must be the steps of its own order.
    shop.record([buy("a", START, "pref:oat", magnitude=5.0), buy("b", START, "pref:oat")], source=SOURCE)
    (row,) = stored(vault, shop).values()
    assert edge_of(row).traces == (3.0 + 0.6 * (1.0 - 3.0 / 9.0),) * 3
    assert edge_of(row).traces == pytest.approx((3.4,) * 3, rel=1e-15)


def test_clicks_within_half_an_hour_are_one_occasion(vault: Vault, shop: Surface) -> None:
    minutes = (0, 1, 29, 59, 89)  # 29 is one with 0 and 1; 59 and 89 are 30 minutes after the one before
    shop.record([buy(str(m), START + m * MINUTE, "pref:oat", magnitude=0.3) for m in minutes], source=SOURCE)
    (row,) = stored(vault, shop).values()
    assert edge_of(row).hits == 3
    assert edge_of(row).times == tuple(START + m * MINUTE for m in reversed(minutes))


def test_a_negative_event_strengthens_the_opposite_and_leaves_the_other_alone(vault: Vault, shop: Surface) -> None:
    shop.record([buy("1", START, "pref:oat", "!pref:tea")], source=SOURCE)
    before = stored(vault, shop)
    (found,) = shop.record([buy("2", START, "pref:oat", "!pref:tea", magnitude=-0.5)], source=SOURCE)
    assert found.attributes == ("!pref:oat", "pref:tea")
    after = stored(vault, shop)
    assert {name: after[name] for name in before} == before
    assert edge_of(after["!pref:oat"]).traces == edge_of(after["pref:tea"]).traces == (0.3,) * 3


def test_a_file_in_any_order_is_replayed_once_per_edge_and_not_per_batch(vault: Vault, shop: Surface) -> None:
    for day in range(30, 0, -1):
        shop.record([buy(str(day), START + day * DAY, "pref:oat")], source=SOURCE)
    rows = vault._connection.execute("SELECT stale FROM edge").fetchall()
    assert rows == [(1,)]
    assert vault.doctor() == []
    shop.views()
    assert vault._connection.execute("SELECT stale FROM edge").fetchall() == [(0,)]


# What fails in the middle of a transaction leaves nothing.

GOOD = [buy(f"g{n}", START + n * HOUR, f"pref:n{n}", "pref:oat") for n in range(5)]


def whole(vault: Vault) -> list[Any]:
    return [table(vault, name) for name in ("event", "edge", "edge_event", "attribute", "source")]


POISON = [
    pytest.param(buy("p", START, "pref:new", magnitude=0.0), ValueError, id="no magnitude"),
    pytest.param(buy("p", START, "pref:oat", magnitude=0.0), ValueError, id="no magnitude, an edge that is there"),
    pytest.param(buy("p", START - DAY, "pref:oat", magnitude=0.0), ValueError, id="no magnitude, late"),
    pytest.param(buy("p", START, "pref:new", magnitude=float("nan")), ValueError, id="no number"),
    pytest.param(buy("p", START, "pref:new", magnitude=float("inf")), ValueError, id="no end"),
    pytest.param(buy("p", START - DAY, "pref:oat", magnitude=float("-inf")), ValueError, id="no end, late"),
    pytest.param(buy("p", 1 << 70, "pref:new"), OverflowError, id="a time that no file holds"),
    pytest.param(buy("p", START, "pref:new", "pref:new"), Exception, id="an attribute twice"),
    pytest.param(buy("p", START, "pref:new", kind="\ud800"), UnicodeError, id="no Unicode"),
]


@pytest.mark.parametrize(("poison", "error"), POISON)
def test_one_poisoned_event_undoes_its_whole_batch(
    vault: Vault, shop: Surface, poison: Event, error: type[Exception]
) -> None:
    shop.record(GOOD[:1], source=SOURCE)
    before = whole(vault)
    with pytest.raises(error):
        shop.record([*GOOD[1:], buy("x", START, "pref:only-here"), poison], source="a new source")
    assert whole(vault) == before
    assert not vault._connection.in_transaction
    # The numbers that the failed batch gave to attributes are given out anew, to others.
    shop.record([buy("y", START, "pref:someone-else")], source=SOURCE)
    assert [result.new for result in shop.record(GOOD, source=SOURCE)] == [False, True, True, True, True]
    shop.record([buy("z", START, "pref:only-here", "pref:new")], source=SOURCE)
    model = Model()
    model.record(1, [GOOD[0], buy("y", START, "pref:someone-else"), *GOOD[1:]], START)
    model.record(7, [buy("z", START, "pref:only-here", "pref:new")], START)
    assert {name: edge_of(row) for name, row in stored(vault, shop).items()} == model.edges()
    assert vault.doctor() == []


@pytest.mark.parametrize("place", ["event", "edge", "edge_event", "attribute", "source"])
def test_a_database_that_refuses_midway_undoes_the_whole_batch(vault: Vault, shop: Surface, place: str) -> None:
    shop.record(GOOD[:2], source=SOURCE)
    before = whole(vault)
    vault._connection.execute(
        f"CREATE TEMP TRIGGER stop BEFORE INSERT ON main.{place} BEGIN SELECT raise(ABORT, 'no more'); END"
    )
    with pytest.raises(Exception, match="no more"):
        shop.record(GOOD, source="a new source")
    assert whole(vault) == before
    vault._connection.execute("DROP TRIGGER stop")
    shop.record(GOOD, source=SOURCE)
    model = Model()
    model.record(1, GOOD, START)
    assert {name: edge_of(row) for name, row in stored(vault, shop).items()} == model.edges()
    assert vault.doctor() == []


def test_a_full_disk_has_a_name_and_loses_nothing_acknowledged(vault: Vault, shop: Surface) -> None:
    connection = vault._connection
    connection.set_authorizer(None)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 12}").fetchall()
    acknowledged: list[Event] = []
    with pytest.raises(DiskFullError, match="no room left"):
        for batch in range(1_000):
            events = [buy(f"{batch}-{n}", START + batch * DAY + n, f"pref:n{n}") for n in range(20)]
            shop.record(events, source=SOURCE)
            acknowledged += events
    assert acknowledged
    assert not connection.in_transaction
    model = Model()
    model.record(1, acknowledged, START)
    assert vault.event_count() == len(acknowledged)
    assert {name: edge_of(row) for name, row in stored(vault, shop).items()} == model.edges()
    assert vault.doctor() == []
    connection.execute("PRAGMA max_page_count = 100000").fetchall()
    assert shop.record([buy("after", START, "pref:room-again")], source=SOURCE)[0].new
    assert vault.doctor() == []
