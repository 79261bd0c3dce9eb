"""Taking an undo back: exactly what it took, each once, and never twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from fernvault.errors import NotFoundError
from fernvault.instant import DAY
from fernvault.memory import Undone, Vault
from tests.strategies import START
from tests.vaults import PASSPHRASE, SOURCE, Clock, buy, stored, table


def test_redo_puts_back_exactly_what_the_undo_took(vault: Vault) -> None:
    shop = vault.add_surface("shop.example")
    shop.record([buy("1", START, "pref:oat"), buy("2", START + DAY, "pref:oat")], source="test")
    shop.correct("set", "pref:oat", 7.0)
    before = shop.views(START + 90 * DAY)
    vault.undo()
    assert shop.views(START + 90 * DAY) != before
    assert vault.redo() == Undone("shop.example", 1, "entries")
    assert shop.views(START + 90 * DAY) == before
    assert vault.doctor() == []
    with pytest.raises(NotFoundError, match="no undo"):
        vault.redo()
    # The correction is there again, so it can be taken back again.
    assert vault.undo() == Undone("shop.example", 1, "set pref:oat")


def test_what_was_taken_back_can_be_imported_again_and_never_counts_twice(vault: Vault) -> None:
    shop = vault.add_surface("shop.example")
    events = [buy("1", START, "pref:oat"), buy("2", START + DAY, "pref:tea")]
    shop.record(events, source="test")
    before = shop.views(START + 2 * DAY)
    assert vault.undo(surface="shop.example", since=0).entries == 2
    # The surface itself is not heard again; the owner's import is.
    assert [answer.new for answer in shop.record(events, source="test")] == [False, False]
    assert shop.views(START + 2 * DAY) == []
    assert [answer.new for answer in shop.record(events, source="test", again=True)] == [True, True]
    assert shop.views(START + 2 * DAY) == before
    assert vault.redo().entries == 0
    assert shop.views(START + 2 * DAY) == before
    assert (vault.event_count(), vault.doctor()) == (2, [])


def test_redo_gives_the_edges_back_to_the_bit(vault: Vault, clock: Clock) -> None:
    shop = vault.add_surface("shop.example")
    clock.now = START + 40 * DAY
    shop.record([buy(str(n), START + n * DAY, "pref:oat", f"pref:n{n % 3}") for n in range(30)], source=SOURCE)
    shop.correct("set", "pref:n0", 4.0)
    shop.correct("pin", "pref:n1")
    shop.correct("forget", "pref:n2")
    edges, links = stored(vault, shop), table(vault, "edge_event")
    assert vault.undo(surface="shop.example", since=0).entries == 30
    assert vault.event_count() == 0
    assert set(stored(vault, shop)) == {"pref:n0"}
    assert vault.redo() == Undone("shop.example", 30, "entries")
    assert (stored(vault, shop), table(vault, "edge_event")) == (edges, links)
    assert (vault.event_count(), vault.event_count("shop.example"), vault.doctor()) == (30, 30, [])


def test_redo_takes_the_latest_undo_first_and_each_once(vault: Vault) -> None:
    shop, travel = vault.add_surface("shop.example"), vault.add_surface("travel.example")
    shop.correct("set", "pref:a", 1.0)
    travel.correct("set", "pref:b", 2.0)
    shop.correct("set", "pref:c", 3.0)
    for _ in range(3):
        vault.undo()
    assert (shop.views(), travel.views()) == ([], [])
    # Undone were c, b, a: a comes back first, and of one surface alone the latest of its own.
    assert vault.redo() == Undone("shop.example", 1, "entries")
    assert [view.attribute for view in shop.views()] == ["pref:a"]
    assert vault.redo(surface="shop.example") == Undone("shop.example", 1, "entries")
    assert [view.attribute for view in shop.views()] == ["pref:c", "pref:a"]
    with pytest.raises(NotFoundError):
        vault.redo(surface="shop.example")
    assert travel.views() == []
    assert vault.redo() == Undone("travel.example", 1, "entries")
    (view,) = travel.views()
    assert (view.attribute, view.strength) == ("pref:b", pytest.approx(2.0))
    with pytest.raises(NotFoundError):
        vault.redo()
    with pytest.raises(NotFoundError):
        vault.redo(surface="nowhere.example")
    assert (vault.event_count(), vault.doctor()) == (0, [])


def test_an_undo_that_was_taken_back_says_so(vault: Vault) -> None:
    shop = vault.add_surface("shop.example")
    shop.correct("set", "pref:oat", 7.0)
    vault.undo()
    vault.redo()
    rows = list(shop.journal())
    assert [row.kind for row in rows] == ["set", "undo", "redo"]
    assert [row.undone_by for row in rows] == [None, rows[2].id, None]


def test_undo_redo_undo_redo(vault: Vault) -> None:
    shop = vault.add_surface("shop.example")
    shop.record([buy("1", START, "pref:oat"), buy("2", START, "pref:tea")], source=SOURCE)
    whole = stored(vault, shop)
    for _ in range(3):
        assert vault.undo(surface="shop.example", since=0).entries == 2
        assert (stored(vault, shop), vault.event_count()) == ({}, 0)
        assert vault.redo().entries == 2
        assert (stored(vault, shop), vault.event_count()) == (whole, 2)
    assert vault.doctor() == []


def test_redo_leaves_out_what_came_in_anew(vault: Vault, clock: Clock) -> None:
    shop = vault.add_surface("shop.example")
    events = [buy(str(n), START + n, "pref:oat", f"pref:n{n}") for n in range(3)]
    shop.record(events, source=SOURCE)
    whole = stored(vault, shop)
    vault.undo(surface="shop.example", since=0)
    assert [answer.new for answer in shop.record(events[1:2], source="csv", again=True)] == [True]
    assert vault.event_count() == 1
    assert vault.redo() == Undone("shop.example", 2, "entries")
    assert stored(vault, shop) == whole
    assert (vault.event_count(), vault.doctor()) == (3, [])
    assert sorted(row.id for row in shop.journal() if row.source != "owner") == ["0", "1", "1 2", "2"]
    # All three are live: each is a duplicate again, whoever brings it.
    for again in (False, True):
        assert not any(answer.new for answer in shop.record(events, source="csv", again=again))
    vault.rebuild()
    assert stored(vault, shop) == whole


def test_what_came_in_anew_can_be_taken_back_and_put_back_too(vault: Vault) -> None:
    shop = vault.add_surface("shop.example")
    events = [buy("1", START, "pref:oat")]
    shop.record(events, source=SOURCE)
    whole = stored(vault, shop)
    vault.undo(surface="shop.example", since=0)
    shop.record(events, source="csv", again=True)
    vault.undo(surface="shop.example", since=0)
    assert stored(vault, shop) == {}
    assert [vault.redo().entries, vault.redo().entries] == [1, 0]
    assert (stored(vault, shop), vault.event_count(), vault.doctor()) == (whole, 1, [])
    with pytest.raises(NotFoundError):
        vault.redo()


def test_a_redo_survives_closing(folder: Path, clock: Clock) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        shop = vault.add_surface("shop.example")
        shop.record([buy("1", START, "pref:oat")], source=SOURCE)
        whole = stored(vault, shop)
        vault.undo(surface="shop.example", since=0)
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        assert vault.redo().entries == 1
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        assert stored(vault, vault.surface("shop.example")) == whole
        with pytest.raises(NotFoundError):
            vault.redo()
        assert vault.doctor() == []


def test_only_live_events_are_counted(vault: Vault) -> None:
    shop, travel = vault.add_surface("shop.example"), vault.add_surface("travel.example")
    shop.record([buy(str(n), START, "pref:oat") for n in range(5)], source=SOURCE)
    travel.record([buy("1", START, "pref:rail")], source=SOURCE)
    travel.correct("set", "pref:rail", 5.0)
    for correction in ("pin", "unpin", "forget"):
        shop.correct(correction, "pref:oat")
    assert (vault.event_count("shop.example"), vault.event_count("travel.example"), vault.event_count()) == (5, 1, 6)
    vault.undo(surface="shop.example")
    assert vault.event_count() == 6
    vault.undo(surface="travel.example", since=0)
    assert (vault.event_count("shop.example"), vault.event_count("travel.example"), vault.event_count()) == (5, 0, 5)
    assert vault.remove_surface("travel.example") == 0
    assert vault.remove_surface("shop.example") == 5
    assert vault.event_count() == 0


def test_ids_that_look_like_ours_lose_nothing(vault: Vault) -> None:
    shop = vault.add_surface("shop.example")
    events = [buy(name, START + n * DAY, "pref:oat") for n, name in enumerate(("o~1", "o", "o~2", "o~3"))]
    shop.record(events, source="test")
    before = shop.views(START + 9 * DAY)
    assert vault.undo(surface="shop.example", since=0).entries == 4
    assert vault.redo().entries == 4
    assert shop.views(START + 9 * DAY) == before
    vault.undo(surface="shop.example", since=0)
    assert [answer.new for answer in shop.record(events, source="test", again=True)] == [True] * 4
    assert (shop.views(START + 9 * DAY), vault.doctor()) == (before, [])
