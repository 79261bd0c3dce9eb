"""The doctor: every row that does not follow from the journal is a finding, and a rebuild heals it."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.surface import Surface
from tests.strategies import START
from tests.vaults import PASSPHRASE, SOURCE, Clock, buy, stored


@pytest.fixture
def lived(folder: Path, clock: Clock) -> Iterator[Vault]:
    """A vault with two surfaces, some history, corrections and an undo."""
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        for name in ("shop.example", "travel.example"):
            surface = vault.add_surface(name)
            events = [buy(str(n), START - n * DAY, "pref:oat", f"pref:n{n % 3}") for n in range(12, 0, -1)]
            surface.record(events, source=SOURCE)
            surface.correct("set", "pref:n0", 4.0)
            surface.correct("pin", "pref:n1")
            surface.correct("forget", "pref:n2")
            surface.correct("set", "pref:oat", 9.0)
            vault.undo(surface=name)
        yield vault


PLACES = {
    "ONE": "(SELECT id FROM attribute WHERE slug = 'pref:oat' AND surface_id = 1)",
    "TRACES": "x'" + struct.pack("<3d", 1.0, 1.0, 1.0).hex() + "'",
}

TAMPERED = {
    "traces": ("UPDATE edge SET traces = TRACES WHERE attribute_id = ONE", "edge"),
    "traces swapped": ("UPDATE edge SET traces = (SELECT traces FROM edge WHERE attribute_id = 2)", "edge"),
    "no traces": ("UPDATE edge SET traces = x'' WHERE attribute_id = ONE", "edge"),
    "hits": ("UPDATE edge SET hits = hits + 1 WHERE attribute_id = ONE", "edge"),
    "fresh": ("UPDATE edge SET fresh = fresh + 1e-6 WHERE attribute_id = ONE", "edge"),
    "at": ("UPDATE edge SET at = at + 1 WHERE attribute_id = ONE", "edge"),
    "first": ("UPDATE edge SET first = first - 1 WHERE attribute_id = ONE", "edge"),
    "times": ("UPDATE edge SET times = x'' WHERE attribute_id = ONE", "edge"),
    "pinned": ("UPDATE edge SET pinned = 1 WHERE attribute_id = ONE", "edge"),
    "owner": ("UPDATE edge SET owner = 1 WHERE attribute_id = ONE", "edge"),
    "a lost edge": ("DELETE FROM edge WHERE attribute_id = ONE", "edge"),
    "an edge on the wrong surface": ("UPDATE edge SET surface_id = 2 WHERE attribute_id = ONE", "edge"),
    "a forgotten edge that is back": (
        "INSERT INTO edge SELECT id, 1, x'', 0, 0, 0.0, 0, x'', 0, 0, NULL, 0 FROM attribute"
        " WHERE slug = 'pref:n2' AND surface_id = 1",
        "edge",
    ),
    "an extra entry": ("INSERT INTO edge_event VALUES (ONE, 5, 1, 0, 0.5)", "entries"),
    "a lost entry": ("DELETE FROM edge_event WHERE attribute_id = ONE AND seq = 3", "entries"),
    "an entry's amount": ("UPDATE edge_event SET amount = 0.9 WHERE attribute_id = ONE AND seq = 3", "entries"),
    "an entry's act": ("UPDATE edge_event SET act = 2 WHERE attribute_id = ONE AND seq = 3", "entries"),
    "an event's magnitude": ("UPDATE event SET magnitude = 0.9 WHERE seq = 3", "entries"),
    "an event's sign": ("UPDATE event SET kind = 'forget' WHERE seq = 3", "entries"),
    "an event's time": ("UPDATE event SET at = at + 1 WHERE seq = 3", "entries"),
    "an event's attributes": ("UPDATE event SET attributes = '[1]' WHERE seq = 3", "entries"),
    "a correction's value": ("UPDATE event SET value = 4.5 WHERE kind = 'set' AND undone IS NULL", "entries"),
    "a lost event": ("DELETE FROM event WHERE seq = 3", "entries"),
    "an event taken back": ("UPDATE event SET undone = 1 WHERE seq = 3", "entries"),
    "an undo taken back": ("UPDATE event SET undone = NULL WHERE undone IS NOT NULL AND surface_id = 1", "entries"),
}


def test_a_vault_that_lived_is_whole(lived: Vault) -> None:
    assert lived.doctor() == []


@pytest.mark.parametrize("what", TAMPERED)
def test_each_change_behind_the_journals_back_is_a_finding(lived: Vault, what: str) -> None:
    statement, kind = TAMPERED[what]
    for name, place in PLACES.items():
        statement = statement.replace(name, place)
    cursor = lived._connection.execute(statement)
    assert cursor.rowcount > 0
    findings = lived.doctor()
    assert kind in {finding.kind for finding in findings}
    assert all(finding.detail.isprintable() for finding in findings)
    assert any("shop.example" in finding.detail for finding in findings)
    lived.rebuild()
    assert lived.doctor() == []


def test_a_rebuild_gives_back_what_was_there(lived: Vault) -> None:
    shops = [lived.surface(name) for name in ("shop.example", "travel.example")]
    before = [stored(lived, shop) for shop in shops]
    lived._connection.execute("DELETE FROM edge")
    lived._connection.execute("DELETE FROM edge_event WHERE seq % 2")
    lived.rebuild()
    assert [stored(lived, shop) for shop in shops] == before


def test_a_stale_edge_is_no_finding(vault: Vault, shop: Surface) -> None:
    shop.record([buy("2", START, "pref:oat")], source=SOURCE)
    shop.record([buy("1", START - DAY, "pref:oat")], source=SOURCE)
    assert vault._connection.execute("SELECT stale FROM edge").fetchall() == [(1,)]
    assert vault.doctor() == []


def test_a_faded_edge_may_be_there_or_not(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    clock.now = START + 4_000 * DAY
    assert vault.doctor() == []
    shop.sweep()
    assert vault.doctor() == []


def test_what_a_sweep_took_under_a_clock_that_ran_ahead_is_missed_and_comes_back(
    vault: Vault, shop: Surface, clock: Clock
) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    before = stored(vault, shop)
    clock.now = START + 4_000 * DAY
    shop.sweep()
    clock.now = START
    assert [finding.kind for finding in vault.doctor()] == ["edge"]
    vault.rebuild()
    assert stored(vault, shop) == before
    assert vault.doctor() == []
