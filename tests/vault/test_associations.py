"""Counts of what fires together: whatever happens to a surface, they are those of its live journal."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.graph.association import TOGETHER, weight
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.surface import Surface
from fernvault.vault import associations
from tests.strategies import START, checked
from tests.vaults import SOURCE, Clock, buy


def counted(vault: Vault, surface: Surface) -> dict[tuple[str, ...], associations.Count]:
    """The pairs by name; one name for an attribute's own count."""
    slugs = dict(vault._connection.execute("SELECT id, slug FROM attribute").fetchall())
    rows = associations.every(vault._connection, surface.row.id)
    return {tuple(sorted({slugs[one], slugs[other]})): count for (one, other), count in rows.items()}


def test_by_hand(vault: Vault, shop: Surface) -> None:
    shop.record(
        [
            buy("1", START, "pref:oat", "ctx:morning"),
            buy("2", START + DAY, "pref:oat", magnitude=0.25),
            buy("3", START, "pref:oat", "ctx:morning", magnitude=-1.0),
            buy("4", START),
        ],
        source=SOURCE,
    )
    one = weight(START)
    assert counted(vault, shop) == {
        ("pref:oat",): (2, pytest.approx(one + 0.25 * weight(START + DAY))),
        ("ctx:morning",): (2, pytest.approx(2 * one)),
        ("!pref:oat",): (1, pytest.approx(one)),
        ("ctx:morning", "pref:oat"): (1, pytest.approx(one)),
        ("!pref:oat", "ctx:morning"): (1, pytest.approx(one)),
    }
    # An event without attributes says nothing of what goes with what.
    total = associations.tally(vault._connection, shop.row.id)
    assert total == (3, pytest.approx(2 * one + 0.25 * weight(START + DAY)))


def test_an_event_of_many_attributes_counts_sixteen_of_them_its_context_among_them(vault: Vault, shop: Surface) -> None:
    shop.record([buy("1", START, *(f"pref:a{n}" for n in range(30)), "ctx:morning")], source=SOURCE)
    found = counted(vault, shop)
    assert len(found) == TOGETHER * (TOGETHER + 1) / 2
    assert ("ctx:morning",) in found
    assert vault.doctor() == []


def test_corrections_are_no_events(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat", "pref:tea")], source=SOURCE)
    before = counted(vault, shop)
    shop.correct("set", "pref:oat", 5.0)
    shop.correct("pin", "pref:oat")
    vault.undo()
    assert counted(vault, shop) == before


batches = st.lists(
    st.lists(st.tuples(st.integers(0, 40), st.sets(st.sampled_from("abcd"), max_size=3)), min_size=1, max_size=4),
    min_size=1,
    max_size=6,
)
numbers = iter(range(1_000_000))


@pytest.fixture(scope="module")
def lasting(empty_vault: object, tmp_path_factory: pytest.TempPathFactory) -> object:
    """One vault for all examples."""
    from pathlib import Path

    from tests.vaults import PASSPHRASE, copy

    assert isinstance(empty_vault, Path)
    with Vault.open(copy(empty_vault, tmp_path_factory.mktemp("a") / "v"), PASSPHRASE, clock=Clock()) as vault:
        yield vault


@checked
@given(batches, st.data())
def test_counts_are_those_of_the_live_events(
    lasting: Vault, given_batches: list[list[tuple[int, set[str]]]], data: st.DataObject
) -> None:
    shop = lasting.add_surface(f"s{next(numbers)}")
    live = []
    for index, batch in enumerate(given_batches):
        events = [
            buy(f"{index}-{n}", START + day * DAY, *(f"pref:{one}" for one in sorted(chosen)))
            for n, (day, chosen) in enumerate(batch)
        ]
        shop.record(events, source=SOURCE)
        seqs = [row.seq for row in shop.journal() if row.id in {event.id for event in events}]
        if data.draw(st.booleans()):
            shop.undo(seqs, note="since")
            if data.draw(st.booleans()):
                last = max(row.seq for row in shop.journal() if row.kind == "undo")
                shop.redo(last)
                live += events
        else:
            live += events
    expected: Counter[tuple[str, ...]] = Counter()
    weights: Counter[tuple[str, ...]] = Counter()
    for event in live:
        for one in event.attributes:
            for other in event.attributes:
                if one <= other:
                    key = tuple(sorted({one, other}))
                    expected[key] += 1
                    weights[key] += weight(event.at)  # type: ignore[assignment]
    found = counted(lasting, shop)
    assert {key: count.events for key, count in found.items()} == dict(expected)
    assert {key: count.weight for key, count in found.items()} == pytest.approx(dict(weights), rel=1e-9)
    before = found
    shop.rebuild()
    assert {key: count.events for key, count in counted(lasting, shop).items()} == {
        key: count.events for key, count in before.items()
    }


def test_the_doctor_sees_a_count_that_is_off(vault: Vault, shop: Surface) -> None:
    shop.record([buy("1", START, "pref:oat", "ctx:morning")], source=SOURCE)
    for damage in (
        "UPDATE association SET weight = weight * 1.001 WHERE one = other",
        "UPDATE tally SET events = events + 1",
        "DELETE FROM association WHERE one <> other",
    ):
        vault._connection.execute(damage)
        assert [finding.kind for finding in vault.doctor()] == ["counts"]
        vault.rebuild()
    assert vault.doctor() == []
