"""Reading the journal: what was written, in its order, and what an undo has to find."""

from __future__ import annotations

from fernvault.event import Event
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.surface import Surface
from fernvault.vault import history
from fernvault.vault.history import JournalRow
from tests.strategies import START
from tests.vaults import HOUR, SOURCE, Clock, buy


def test_the_journal_is_read_in_the_order_of_writing(vault: Vault, shop: Surface, clock: Clock) -> None:
    late = Event("b", START - DAY, "return", "Oat milk 🥛", ("pref:oat", "!pref:tea"), -0.5, 2.0, 3.75)
    shop.record([buy("a", START, "pref:oat")], source=SOURCE)
    clock.now += HOUR
    shop.record([late], source="csv")
    vault.add_surface("other").record([buy("z", START, "pref:oat")], source=SOURCE)
    assert list(shop.journal()) == [
        JournalRow(1, "a", START, "buy", None, ("pref:oat",), 1.0, None, None, SOURCE, START, None),
        JournalRow(
            2, "b", START - DAY, "return", "Oat milk 🥛", ("!pref:oat", "pref:tea"), -0.5, 2.0, 3.75, "csv",
            START + HOUR, None,
        ),
    ]  # fmt: skip


def test_an_undone_entry_names_the_undo(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("a", START, "pref:oat")], source=SOURCE)
    shop.correct("set", "pref:oat", 5.0)
    clock.now += HOUR
    vault.undo()
    event, correction, undo = shop.journal()
    assert (event.undone_by, undo.undone_by) == (None, None)
    assert correction.undone_by == undo.id
    assert (correction.kind, correction.value, correction.attributes) == ("set", 5.0, ("pref:oat",))
    assert (undo.kind, undo.item, undo.attributes) == ("undo", correction.id, ())
    assert (undo.source, undo.at, undo.recorded) == ("owner", START + HOUR, START + HOUR)


def test_since_counts_the_time_of_recording_and_leaves_corrections_out(
    vault: Vault, shop: Surface, clock: Clock
) -> None:
    shop.record([buy("old, recorded early", START - DAY, "pref:a")], source=SOURCE)
    clock.now = START + DAY
    shop.record([buy("old, recorded late", START - DAY, "pref:b"), buy("new", START, "pref:c")], source=SOURCE)
    for correction, value in (("set", 3.0), ("pin", None), ("unpin", None), ("forget", None)):
        shop.correct(correction, "pref:a", value)  # type: ignore[arg-type]
    vault.add_surface("other").record([buy("z", START, "pref:oat")], source=SOURCE)
    connection, number = vault._connection, shop.row.id
    ids = {row.seq: row.id for row in shop.journal()}

    def since(instant: int) -> list[str]:
        return [ids[seq] for seq in sorted(history.recorded_since(connection, number, instant))]

    assert since(START + DAY) == ["old, recorded late", "new"]
    assert since(START + DAY + 1) == []
    assert len(since(START)) == 3
    vault.undo(surface="shop.example", since=START + 1)
    assert since(START + 1) == []


def test_the_latest_correction_of_one_surface_or_of_any(vault: Vault, shop: Surface) -> None:
    other = vault.add_surface("other")
    connection = vault._connection
    assert history.last_correction(connection, None) is None
    for surface in (shop, other):
        surface.record([buy("1", START, "pref:oat")], source=SOURCE)
    assert history.last_correction(connection, None) is None
    shop.correct("pin", "pref:oat")  # seq 3
    other.correct("forget", "pref:oat")  # seq 4
    shop.record([buy("2", START, "pref:oat")], source=SOURCE)
    assert history.last_correction(connection, None) == (other.row.id, 4)
    assert history.last_correction(connection, shop.row.id) == (shop.row.id, 3)
    vault.undo()
    assert history.last_correction(connection, None) == (shop.row.id, 3)
    assert history.last_correction(connection, other.row.id) is None
    vault.undo()
    assert history.last_correction(connection, None) is None


def test_entries_by_number_and_counts(vault: Vault, shop: Surface) -> None:
    shop.record([buy(str(n), START, "pref:oat") for n in range(4)], source=SOURCE)
    vault.add_surface("other").record([buy("z", START, "pref:oat")], source=SOURCE)
    slugs = {1: "pref:oat", 2: "pref:oat"}
    found = history.by_seq(vault._connection, [2, 4, 99], slugs)
    assert {seq: row.id for seq, row in found.items()} == {2: "1", 4: "3"}
    assert history.count(vault._connection) == 5
    assert history.count(vault._connection, shop.row.id) == 4
    assert history.count(vault._connection, 99) == 0
