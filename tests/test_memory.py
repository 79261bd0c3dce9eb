"""A vault that lives: anything in any order, beside a plain model in memory that must agree at every step."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from fernvault.errors import ExistsError, FernError, InputError, NotFoundError, VaultDamagedError, WrongPassphraseError
from fernvault.event import Event
from fernvault.instant import DAY, to_text
from fernvault.memory import Undone, Vault
from fernvault.rule import ADAPTIVE, PAPER
from fernvault.surface import Surface
from fernvault_sync.operations import perform
from tests.strategies import START
from tests.vaults import HOUR, PASSPHRASE, SOURCE, Clock, Entry, Model, buy, copy, create, edge_of, stored

ATTRIBUTES = ("pref:a", "!pref:a", "pref:b", "ctx:night")
_sizes = st.floats(0.05, 15.0) | st.floats(-15.0, -0.05) | st.just(1.0)
_ages = st.integers(-DAY, DAY) | st.integers(0, 1_500 * DAY) | st.sampled_from((0, 1, HOUR, 30 * DAY))
_events = st.tuples(
    st.integers(0, 60), _ages, st.lists(st.sampled_from(ATTRIBUTES), unique=True, max_size=3), _sizes
)  # fmt: skip


class Life(RuleBasedStateMachine):
    """One surface of a real vault file, and the model of it."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp(prefix="fern-life-"))
        self.clock = Clock()
        self.swept = 0
        self.seq = 0
        self.corrections: list[tuple[int, dict[str, Any] | None]] = []
        self.undone: list[dict[int, Entry]] = []
        """What each undo took that no redo has put back, the latest last."""

    @initialize(arithmetic=st.sampled_from((ADAPTIVE, PAPER)))
    def create(self, arithmetic: Any) -> None:
        self.vault = Vault.open(copy(EMPTY[0], self.place / "v"), PASSPHRASE, clock=self.clock)
        self.surface = self.vault.add_surface("shop.example", rule=arithmetic)
        # A neighbour, to whom nothing may ever happen.
        self.neighbour = self.vault.add_surface("other.example")
        self.neighbour.record([buy("1", START, "pref:a", "pref:b")], source=SOURCE)
        self.untouched = stored(self.vault, self.neighbour)
        self.seq = 1
        self.model = Model(arithmetic)

    def teardown(self) -> None:
        try:
            if hasattr(self, "vault"):
                with self.vault:
                    assert self.vault.doctor() == []
                    assert stored(self.vault, self.neighbour) == self.untouched
                    self.vault.rebuild()
                    self.agrees()
        finally:
            shutil.rmtree(self.place)

    def standing(self) -> dict[str, Any]:
        """The edge rows that have not faded away: those below the floor may be there or not."""
        left = self.model.faded(self.clock.now)
        return {name: row for name, row in stored(self.vault, self.surface).items() if name in left}

    def no_longer_comparable(self) -> None:
        self.corrections = [(seq, None) for seq, _ in self.corrections]

    @rule(drawn=st.lists(_events, max_size=8))
    def record(self, drawn: list[tuple[int, int, list[str], float]]) -> None:
        events = [
            Event(f"e{id}", self.clock.now - age, "buy", None, tuple(attributes), size)
            for id, age, attributes, size in drawn
        ]
        found = self.surface.record(events, source=SOURCE)
        fresh = self.model.record(self.seq + 1, events, self.clock.now)
        assert [result.new for result in found] == fresh
        self.seq += sum(fresh)
        if any(fresh):
            self.no_longer_comparable()

    @rule(drawn=st.lists(_events, max_size=4), back=st.integers(1, 4))
    def import_again(self, drawn: list[tuple[int, int, list[str], float]], back: int) -> None:
        taken = [entry.event for entries in self.undone for entry in entries.values() if entry.event.kind == "buy"]
        events = taken[:back] + [
            Event(f"e{id}", self.clock.now - age, "buy", None, tuple(attributes), size)
            for id, age, attributes, size in drawn
        ]
        # An id that was taken back is free again, and no redo brings the old entry back beside the new one.
        ids = {event.id for event in events}
        for entries in self.undone:
            for seq in [seq for seq, entry in entries.items() if entry.event.id in ids]:
                self.model.ids.discard(entries.pop(seq).event.id)
        found = self.surface.record(events, source=SOURCE, again=True)
        fresh = self.model.record(self.seq + 1, events, self.clock.now)
        assert [result.new for result in found] == fresh
        self.seq += sum(fresh)
        if any(fresh):
            self.no_longer_comparable()

    @rule(
        kind=st.sampled_from(("set", "pin", "unpin", "forget")),
        attribute=st.sampled_from(ATTRIBUTES),
        value=st.floats(0.01, 9.0),
    )
    def correct(self, kind: Any, attribute: str, value: float) -> None:
        if kind == "set" and value < self.model.rule.floor:
            with pytest.raises(InputError):
                self.surface.correct(kind, attribute, value)
            return
        if kind != "set" and attribute not in self.model.faded(self.clock.now):
            with pytest.raises(NotFoundError):
                self.surface.correct(kind, attribute)
            return
        before = self.standing()
        mine = self.model.entries().get(attribute, [])
        at = max([self.clock.now, *(entry.at for entry in mine)])
        strength = value if kind == "set" else None
        shown = self.surface.correct(kind, attribute, strength)
        self.seq += 1
        event = Event("", at, kind, None, (attribute,), 1.0, None, strength)
        self.model.live[self.seq] = Entry(self.seq, event, self.clock.now)
        self.corrections.append((self.seq, before))
        # The owner's word holds at once, whatever is dated ahead of the clock.
        if kind == "set":
            assert shown.strength == pytest.approx(value, abs=1e-12)
        elif kind == "forget":
            assert shown.strength == 0.0
            assert attribute not in {view.attribute for view in self.surface.views()}

    @precondition(lambda self: self.corrections)
    @rule(named=st.booleans())
    def undo(self, named: bool) -> None:
        seq, before = self.corrections.pop()
        taken = self.vault.undo(surface="shop.example" if named else None)
        entry = self.model.live.pop(seq)
        self.undone.append({seq: entry})
        event = entry.event
        assert (taken.surface, taken.entries) == ("shop.example", 1)
        assert taken.what == f"{event.kind} {event.attributes[0]}"
        self.seq += 1
        if before is not None:
            left = self.model.faded(self.clock.now)
            assert self.standing() == {name: row for name, row in before.items() if name in left}

    @precondition(lambda self: not self.corrections)
    @rule()
    def undo_nothing(self) -> None:
        with pytest.raises(NotFoundError):
            self.vault.undo(surface="shop.example")

    @rule(back=st.integers(0, 40 * DAY))
    def undo_since(self, back: int) -> None:
        since = self.clock.now - back
        learnt = [
            seq
            for seq, event, recorded in self.model.live.values()
            if recorded >= since and event.kind == "buy"
        ]  # fmt: skip
        if not learnt:
            with pytest.raises(NotFoundError):
                self.vault.undo(surface="shop.example", since=since)
            return
        assert self.vault.undo(surface="shop.example", since=since).entries == len(learnt)
        self.undone.append({seq: self.model.live.pop(seq) for seq in learnt})
        self.seq += 1
        self.no_longer_comparable()

    @precondition(lambda self: self.undone)
    @rule(named=st.booleans())
    def redo(self, named: bool) -> None:
        put = self.undone.pop()
        found = self.vault.redo(surface="shop.example" if named else None)
        assert found == Undone("shop.example", len(put), "entries")
        self.model.live.update(put)
        self.seq += 1
        self.no_longer_comparable()
        again = [(seq, None) for seq, entry in put.items() if entry.event.kind != "buy"]
        self.corrections = sorted([*self.corrections, *again], key=lambda correction: correction[0])

    @precondition(lambda self: not self.undone)
    @rule()
    def redo_nothing(self) -> None:
        with pytest.raises(NotFoundError):
            self.vault.redo(surface="shop.example")

    @rule()
    def sweep(self) -> None:
        self.clock.now += 3  # the sweep may come two microseconds late, never early
        before = self.surface.views()  # which also makes stale edges again
        rows = set(stored(self.vault, self.surface))
        left = set(self.model.faded(self.clock.now))
        assert self.surface.sweep() == len(rows - left)
        assert set(stored(self.vault, self.surface)) == left
        assert self.surface.views() == before
        self.swept = self.clock.now

    @rule(step=st.sampled_from((1, HOUR, DAY, 45 * DAY, 1_000 * DAY)))
    def wait(self, step: int) -> None:
        self.clock.now += step

    @precondition(lambda self: self.clock.now - HOUR > self.swept)
    @rule()
    def clock_set_back(self) -> None:
        self.clock.now -= HOUR

    @rule()
    def reopen(self) -> None:
        self.vault.close()
        self.vault = Vault.open(self.place / "v", PASSPHRASE, clock=self.clock)
        self.surface = self.vault.surface("shop.example")
        self.neighbour = self.vault.surface("other.example")

    @rule()
    def rebuild(self) -> None:
        self.vault.rebuild()
        assert self.vault.doctor() == []

    @rule()
    def see_the_doctor(self) -> None:
        assert self.vault.doctor() == []

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "vault"):
            return
        arithmetic = self.model.rule
        left = self.model.faded(self.clock.now)
        views = {view.attribute: view for view in self.surface.views()}
        assert set(views) == set(left)
        for attribute, edge in left.items():
            view = views[attribute]
            mean = sum(q * w for q, w in zip(arithmetic.weights, edge.traces, strict=True)) / sum(arithmetic.weights)
            assert view.strength == pytest.approx(mean, abs=1e-12)
            assert (view.hits, view.first, view.pinned, view.owner) == (edge.hits, edge.first, edge.pinned, edge.owner)
            why = self.surface.why(attribute)
            assert why.strength == view.strength
            assert sum(reason.adds for reason in why.reasons) == pytest.approx(view.strength, abs=1e-9)
            assert len(why.reasons) == len(self.model.entries()[attribute])
        rows = stored(self.vault, self.surface)
        unfaded = self.model.edges()
        assert {name: edge_of(row) for name, row in rows.items()} == {name: unfaded[name] for name in rows}

    @invariant()
    def no_id_twice(self) -> None:
        if hasattr(self, "vault"):
            ids = [row.id for row in self.surface.journal()]
            assert len(ids) == len(set(ids)) == self.seq - 1
            assert self.model.ids <= set(ids)
            live = [entry for entry in self.model.live.values() if entry.event.kind == "buy"]
            assert self.vault.event_count("shop.example") == len(live)
            assert self.vault.event_count() == len(live) + 1


EMPTY: list[Path] = []
"""The folder of the empty vault that each life begins with; a state machine takes no fixtures."""


def test_a_life(empty_vault: Path) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    EMPTY[:] = [empty_vault]
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        Life, settings=settings(max_examples=30, stateful_step_count=25, deadline=None)
    )


# Opening and closing.


def test_a_vault_knows_who_it_is(folder: Path, vault: Vault, clock: Clock) -> None:
    assert vault.folder.path == folder
    assert len(vault.id) == 32
    assert (vault.zone.key, vault.created, vault.now()) == ("Europe/Berlin", START, START)
    clock.now += 5
    assert vault.now() == START + 5
    assert vault.surfaces() == []


def test_a_wrong_passphrase_opens_nothing(folder: Path) -> None:
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(WrongPassphraseError):
        Vault.open(folder, "another")
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before


def test_what_was_written_is_there_after_closing_in_one_file(folder: Path, clock: Clock) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        shop = vault.add_surface("shop.example", rule=PAPER)
        shop.record([buy("1", START, "pref:oat")], source=SOURCE)
        before = stored(vault, shop)
    assert sorted(file.name for file in folder.iterdir()) == ["vault.db", "vault.keys"]
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        shop = vault.surface("shop.example")
        assert shop.row.rule == PAPER
        assert stored(vault, shop) == before


def test_surfaces_are_found_by_name(vault: Vault, shop: Surface) -> None:
    other = vault.add_surface("a.example")
    assert vault.surfaces() == [other, shop]
    assert vault.surface("shop.example") is shop
    with pytest.raises(ExistsError):
        vault.add_surface("shop.example", rule=PAPER)
    assert vault.surface("shop.example").row.rule == ADAPTIVE
    with pytest.raises(NotFoundError):
        vault.surface("' OR 1=1 --")


def test_a_failed_transaction_leaves_nothing_and_the_next_one_works(vault: Vault) -> None:
    with pytest.raises(KeyboardInterrupt), vault.transaction():
        vault._connection.execute("INSERT INTO source (name) VALUES ('half')")
        raise KeyboardInterrupt
    assert not vault._connection.in_transaction
    assert vault._connection.execute("SELECT count(*) FROM source").fetchone() == (0,)
    with vault.transaction():
        vault._connection.execute("INSERT INTO source (name) VALUES ('whole')")
    assert vault._connection.execute("SELECT count(*) FROM source").fetchone() == (1,)


ONE = {"id": "n", "at": to_text(START), "attributes": ["pref:n1"]}


def test_a_damaged_page_is_named_when_it_is_read(tmp_path: Path, clock: Clock) -> None:
    folder = create(tmp_path / "v")
    with Vault.open(folder.path, PASSPHRASE, clock=clock) as vault:
        shop = vault.add_surface("shop.example")
        for n in range(20):
            shop.record([buy(f"{n}-{m}", START + m, f"pref:n{m}", item="x" * 150) for m in range(40)], source=SOURCE)
        # All pages but those that say which vault and which surfaces these are.
        spared = {1} | {
            row[0]
            for row in vault._connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE tbl_name IN ('meta', 'surface')"
            )
        }
    damaged = bytearray(folder.db.read_bytes())
    for page in range(1, len(damaged) // 4096 + 1):
        if page not in spared:
            damaged[(page - 1) * 4096 + 2_000] ^= 1
    folder.db.write_bytes(damaged)
    with Vault.open(folder.path, PASSPHRASE, clock=clock) as vault:
        for op, args in (
            ("card", {"surface": "shop.example"}),
            ("why", {"surface": "shop.example", "attribute": "pref:n1"}),
            ("record", {"surface": "shop.example", "events": [ONE], "source": "x"}),
            ("status", {}),
        ):
            with pytest.raises(FernError) as raised:
                perform(vault, op, args)
            assert isinstance(raised.value, VaultDamagedError)
            assert "\n" not in raised.value.message
        assert {finding.kind for finding in vault.doctor()} >= {"page"}


def test_an_interrupt_amid_a_reading_is_told_and_not_what_closing_meets(folder: Path, clock: Clock) -> None:
    # Its traceback keeps the reading alive, so that the log cannot be folded in.
    with pytest.raises(KeyboardInterrupt), Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        shop = vault.add_surface("shop.example")
        shop.record([buy(f"{n}", START, f"pref:n{n}") for n in range(9)], source=SOURCE)
        reading = shop.journal()
        next(reading)
        raise KeyboardInterrupt
    with Vault.open(folder, PASSPHRASE, clock=clock) as again:
        assert again.doctor() == []
        assert again.event_count() == 9
