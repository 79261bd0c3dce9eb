"""Edges as rows: what goes in comes out bit for bit, and the sweep takes exactly what has gone."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.edge import Edge, EdgeEvent
from fernvault.event import Act
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE, PAPER, Rule
from fernvault.surface import Surface
from fernvault.vault import edges, schema, surfaces
from fernvault.vault.edges import Stored
from tests import strategies
from tests.strategies import START, checked
from tests.vaults import SOURCE, Clock, Model, buy, edge_of, stored, table


@pytest.fixture(scope="module")
def plain() -> Iterator[sqlcipher.Connection]:
    """The tables in memory, without a key, with one surface and three attributes (numbers 1, 2, 3)."""
    connection = sqlcipher.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    schema.migrate(connection, found=0)
    row = surfaces.add(connection, "shop.example", rule=ADAPTIVE, catalog=None, now=START)
    surfaces.add_attributes(connection, row.id, ["pref:a", "pref:b", "pref:c"])
    yield connection
    connection.close()


@checked
@given(st.data(), st.sampled_from((ADAPTIVE, PAPER)), st.booleans())
def test_an_edge_comes_out_as_it_went_in(
    plain: sqlcipher.Connection, data: st.DataObject, rule: Rule, stale: bool
) -> None:
    edge = data.draw(strategies.edges(rule, pinned=None))._replace(owner=data.draw(st.booleans()))
    edges.save(plain, 1, [(2, Stored(edge, stale))], rule)
    assert edges.load(plain, [1, 2, 3]) == {2: Stored(edge, stale)}
    assert list(edges.load_surface(plain, 1)) == [("pref:b", 2, Stored(edge, stale))]
    assert edges.stale(plain, 1) == ([2] if stale else [])
    assert edges.absent(plain, 1) == [("pref:a", 1), ("pref:c", 3)]
    found = next(iter(edges.load(plain, [2]).values())).edge
    assert type(found.pinned) is bool
    assert type(found.owner) is bool


def test_entries_come_in_order_of_time_then_of_writing_and_end_at_the_instant(plain: sqlcipher.Connection) -> None:
    rows = [(START + 5, 1, 0, 0.5), (START, 9, 4, 0.0), (START, 2, 1, 3.0), (START + 9, 3, 2, 0.0), (-5, 4, 3, 0.0)]
    plain.executemany("INSERT INTO edge_event (attribute_id, at, seq, act, amount) VALUES (1, ?, ?, ?, ?)", rows)
    expected = [
        EdgeEvent(-5, 4, Act.UNPIN, 0.0),
        EdgeEvent(START, 2, Act.SET, 3.0),
        EdgeEvent(START, 9, Act.FORGET, 0.0),
        EdgeEvent(START + 5, 1, Act.LEARN, 0.5),
        EdgeEvent(START + 9, 3, Act.PIN, 0.0),
    ]
    assert list(edges.entries(plain, 1)) == expected
    assert list(edges.entries(plain, 1, until=START)) == expected[:3]
    assert list(edges.entries(plain, 1, until=START - 1)) == expected[:1]
    assert list(edges.entries(plain, 2)) == []
    assert edges.latest(plain, 1) == START + 9
    assert edges.latest(plain, 2) is None
    assert edges.have_entries(plain, [1, 2, 3]) == {1}
    # A pin is no event: the latest one that says anything of a strength is the LEARN.
    assert edges.latest_of_surface(plain, 1) == START + 5
    plain.execute("DELETE FROM edge_event")
    assert edges.latest_of_surface(plain, 1) is None


# A purchase of magnitude 1 leaves 0.6 in each trace; the slowest, of 365 days, is the last to pass the floor of 0.02:
# after 365·log2(0.6/0.02) = 365·log2(30) = 365·4.906890… = 1,791.0 days.
GONE_AFTER = 365 * DAY * log2(30)


def test_the_sweep_takes_what_has_gone_and_nothing_else(vault: Vault, shop: Surface, clock: Clock) -> None:
    old = [buy(f"old{n}", START + n * DAY, f"pref:old{n}") for n in range(5)]
    shop.record([*old, buy("p", START, "pref:pinned"), buy("s", START, "pref:strong", magnitude=15.0)], source=SOURCE)
    shop.correct("pin", "pref:pinned")
    clock.now = int(START + GONE_AFTER) - 2
    assert shop.sweep() == 0
    assert len(shop.views()) == 7
    clock.now = int(START + 2 * DAY + GONE_AFTER) + 3
    shown, journal, entries = shop.views(), table(vault, "event"), table(vault, "edge_event")
    assert {view.attribute for view in shown} == {"pref:old3", "pref:old4", "pref:pinned", "pref:strong"}
    assert shop.sweep() == 3
    assert set(stored(vault, shop)) == {view.attribute for view in shown}
    assert (shop.views(), table(vault, "event"), table(vault, "edge_event")) == (shown, journal, entries)
    assert shop.sweep() == 0
    assert vault.doctor() == []


@checked
@given(st.integers(-3, 3), st.floats(0.05, 15.0), st.sampled_from((ADAPTIVE, PAPER)))
@example(0, 10.951, ADAPTIVE)  # its ``gone`` is a microsecond too early
def test_the_sweep_is_never_too_early(plain: sqlcipher.Connection, off: int, magnitude: float, rule: Rule) -> None:
    gain = min(9.0, rule.alpha * magnitude)
    edge = Edge((gain,) * len(rule.half_lives), START, 1, 1.0, START, (START,))
    edges.save(plain, 1, [(2, Stored(edge, stale=False))], rule)
    (gone,) = plain.execute("SELECT gone FROM edge WHERE attribute_id = 2").fetchone()
    now = gone + off
    left = max(
        trace * 2.0 ** (-(now - START) / (h * DAY)) for trace, h in zip(edge.traces, rule.half_lives, strict=True)
    )
    swept = edges.sweep(plain, 1, now)
    assert swept in (0, 1)
    if left >= rule.floor:
        assert swept == 0
    if off > 0:
        assert swept == 1


def test_new_evidence_on_a_swept_edge_equals_the_replay(vault: Vault, shop: Surface, clock: Clock) -> None:
    model = Model()
    first = [buy("1", START, "pref:oat"), buy("2", START + DAY, "pref:oat")]
    shop.record(first, source=SOURCE)
    model.record(1, first, START)
    clock.now = START + 3_000 * DAY
    assert shop.sweep() == 1
    assert shop.views() == []
    late = [buy("3", START + 2 * DAY, "pref:oat")]
    shop.record(late, source=SOURCE)
    model.record(3, late, clock.now)
    assert shop.views() == []
    clock.now += DAY
    shop.sweep()
    new = [buy("4", clock.now, "pref:oat", magnitude=0.3)]
    shop.record(new, source=SOURCE)
    model.record(4, new, clock.now)
    assert {name: edge_of(row) for name, row in stored(vault, shop).items()} == model.edges()
    (view,) = shop.views()
    # It starts afresh: what had faded below the floor left nothing behind, 0.6·0.3 = 0.18.
    assert (view.strength, view.hits, view.first) == (0.18, 1, clock.now)
    assert vault.doctor() == []


def test_a_sweep_leaves_stale_edges_and_other_surfaces_alone(vault: Vault, shop: Surface, clock: Clock) -> None:
    travel = vault.add_surface("travel.example")
    for surface in (shop, travel):
        surface.record([buy("1", START + DAY, "pref:oat")], source=SOURCE)
    travel.record([buy("0", START, "pref:oat")], source=SOURCE)
    clock.now = START + 5_000 * DAY
    assert travel.sweep() == 0
    assert travel.views() == []
    assert travel.sweep() == 1
    assert len(stored(vault, shop)) == 1
    assert vault.doctor() == []


def test_the_latest_event_is_remembered_when_its_edge_is_gone(vault: Vault, shop: Surface, clock: Clock) -> None:
    assert shop.latest() is None
    shop.record([buy("1", START, "pref:oat"), buy("2", START - DAY, "pref:tea")], source=SOURCE)
    assert shop.latest() == START
    clock.now = START + 5_000 * DAY
    assert shop.latest() == START
    assert shop.sweep() == 2
    assert shop.latest() == START
    shop.record([buy("3", START - 2 * DAY, "pref:oat")], source=SOURCE)
    assert shop.latest() == START
