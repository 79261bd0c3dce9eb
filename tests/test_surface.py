"""One surface: what comes in with an event, what is read of it now and then, and the owner's word on it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.catalog.catalog import catalog_of
from fernvault.errors import InputError, NotFoundError
from fernvault.instant import DAY, from_text
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE, PAPER, Rule
from fernvault.surface import Change, Surface
from tests.strategies import START, costly
from tests.vaults import HOUR, PASSPHRASE, SOURCE, Clock, buy, copy, edge_of, stored

_numbers = count()


@pytest.fixture(scope="module")
def long_lived(empty_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One vault for all examples of a property; each example has surfaces of its own."""
    with Vault.open(copy(empty_vault, tmp_path_factory.mktemp("surface") / "v"), PASSPHRASE, clock=Clock()) as vault:
        yield vault


def new_surface(vault: Vault, rule: Rule = ADAPTIVE) -> Surface:
    """A surface that no other example uses."""
    return vault.add_surface(f"s{next(_numbers)}", rule=rule)


def strengths(surface: Surface, at: int | None = None) -> dict[str, float]:
    """Each edge's strength."""
    return {view.attribute: view.strength for view in surface.views(at)}


# Strength by hand: 0.6 in each trace after one purchase; faded t days, (0.5·2^(-t/7) + 2^(-t/45) + 2^(-t/365))·0.6/2.5.


def faded(start: float, days: float) -> float:
    """What is left of a strength that all three traces share."""
    return start * (0.5 * 2 ** (-days / 7) + 2 ** (-days / 45) + 2 ** (-days / 365)) / 2.5


def test_one_purchase_by_hand(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    clock.now = START + 45 * DAY
    (view,) = shop.views()
    # 0.6·(0.5·0.0116092 + 0.5 + 0.9180935)/2.5 = 0.3417355, as in tests/vault/test_schema.py
    assert view.strength == pytest.approx(0.3417355, abs=1e-7)
    assert (view.hits, view.first, view.last, view.known) == (1, START, START, False)
    assert (view.pinned, view.owner) == (False, False)
    # confidence 1 - e^(-0.4·f) with f = 2^(-45/365) = 0.9180935 hits left: 1 - e^(-0.3672374) = 0.3073546
    assert view.confidence == pytest.approx(0.3073546, abs=1e-7)
    assert shop.why("pref:oat").reasons[0].adds == pytest.approx(view.strength, abs=1e-12)


# What the catalog adds.

CATALOG = catalog_of(
    {
        "kinds": {"reorder": 1.5, "buy": 0.8},
        "context": {"time_of_day": True, "weekend": True},
        "rules": {"oat *": ["pref:oat-milk", "pref:milk"], "Tea": ["pref:tea"]},
    }
)
ITEMS = [("oat 1l", ["brand:meadow", "pref:milk"]), ("Cheese", ["pref:cheese"])]
SATURDAY_MORNING = from_text("2026-01-03T07:30:00Z")  # 08:30 in Berlin
MONDAY_NIGHT = from_text("2026-01-04T23:30:00Z")  # Monday 00:30 in Berlin


def test_an_event_is_completed_from_item_table_rules_and_time(vault: Vault) -> None:
    surface = vault.add_surface("shop.example", catalog=CATALOG, items=ITEMS)
    events = [
        buy("1", SATURDAY_MORNING, "fact:given", item="oat 1l"),
        buy("2", MONDAY_NIGHT, item="Cheese"),
        buy("3", MONDAY_NIGHT, item="Tea"),
        buy("4", SATURDAY_MORNING, item="unheard of"),
        buy("5", SATURDAY_MORNING, "ctx:morning", "pref:milk", item="oat 2l"),
    ]
    found = [result.attributes for result in surface.record(events, source=SOURCE)]
    assert found == [
        ("fact:given", "brand:meadow", "pref:milk", "pref:oat-milk", "ctx:morning", "ctx:weekend"),
        ("pref:cheese", "ctx:night", "ctx:weekday"),
        ("pref:tea", "ctx:night", "ctx:weekday"),
        ("ctx:morning", "ctx:weekend"),
        ("ctx:morning", "pref:milk", "pref:oat-milk", "ctx:weekend"),
    ]
    assert {row.id: row.attributes for row in surface.journal()} == dict(zip("12345", found, strict=True))
    assert vault.doctor() == []


def test_the_catalog_is_there_again_after_opening(folder: Path, clock: Clock) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        vault.add_surface("shop.example", catalog=CATALOG, items=ITEMS)
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        surface = vault.surface("shop.example")
        assert surface.catalog == CATALOG
        (found,) = surface.record([buy("1", SATURDAY_MORNING, item="Cheese")], source=SOURCE)
        assert found.attributes == ("pref:cheese", "ctx:morning", "ctx:weekend")


def test_a_surface_without_catalog_adds_nothing(shop: Surface) -> None:
    assert shop.catalog is None
    (found,) = shop.record([buy("1", START, item="oat 1l")], source=SOURCE)
    assert found.attributes == ()
    assert shop.views() == []


def test_a_negative_event_fires_the_opposite_of_what_the_catalog_gives_but_context_stays(vault: Vault) -> None:
    surface = vault.add_surface("shop.example", catalog=CATALOG, items=ITEMS)
    (found,) = surface.record([buy("1", MONDAY_NIGHT, kind="return", magnitude=-1.0, item="Cheese")], source=SOURCE)
    assert found.attributes == ("!pref:cheese", "ctx:night", "ctx:weekday")


# The card.


def test_the_card_nets_and_leaves_context_out(shop: Surface, clock: Clock) -> None:
    shop.record(
        [
            buy("1", START, "pref:oat", "ctx:morning", magnitude=5.0),
            buy("2", START, "pref:oat", magnitude=-2.0),
            buy("3", START, "pref:tea", magnitude=0.5),
            buy("4", START, "pref:tea", magnitude=-4.0),
            buy("5", START, "pref:tie"),
            buy("6", START, "pref:tie", magnitude=-1.0),
            buy("7", START, "ctx:night", magnitude=-15.0),
        ],
        source=SOURCE,
    )
    found = [(entry.attribute, entry.strength) for entry in shop.card().entries]
    # 0.6·4 - 0.6·0.5 = 2.1 against tea; 0.6·5 - 0.6·2 = 1.8 for oat milk; a tie stands for neither.
    assert found == [("!pref:tea", pytest.approx(2.1)), ("pref:oat", pytest.approx(1.8))]
    assert {entry.mark for entry in shop.card().entries} == {"guessed"}
    # Netting is for reading: both stories stay.
    assert strengths(shop)["pref:tie"] == strengths(shop)["!pref:tie"] == pytest.approx(0.6)


def test_the_card_holds_eight_strongest_first_and_repeats(shop: Surface, clock: Clock) -> None:
    shop.record([buy(f"{n}", START, f"pref:n{n:02}", magnitude=1.0 + n % 3) for n in range(12)], source=SOURCE)
    card = shop.card()
    expected = [f"pref:n{n:02}" for n in (2, 5, 8, 11, 1, 4, 7, 10)]
    assert [entry.attribute for entry in card.entries] == expected
    assert card == shop.card() == shop.card(START)
    assert [entry.attribute for entry in shop.card(entries=3).entries] == expected[:3]
    assert len(shop.card(entries=100).entries) == 12
    assert (card.surface, card.at) == ("shop.example", START)


def test_four_occasions_make_it_known_and_the_reason_says_so(shop: Surface, clock: Clock) -> None:
    shop.record([buy(f"{n}", START + n * HOUR, "pref:oat") for n in range(3)], source=SOURCE)
    clock.now = START + 4 * HOUR
    assert [(e.mark, e.reason) for e in shop.card().entries] == [("guessed", "3 occasions")]
    # The fourth makes 1 - e^(-1.6) = 0.798, less the fading of a few hours: known from 0.7.
    shop.record([buy("3", START + 4 * HOUR, "pref:oat")], source=SOURCE)
    assert [(e.mark, e.reason) for e in shop.card().entries] == [("known", "4 occasions")]
    shop.correct("set", "fact:vegan", 8.0)
    shop.correct("pin", "fact:vegan")
    assert shop.card().entries[0].reason == "set by you, pinned"
    assert shop.card().entries[0].mark == "known"


def test_an_empty_card(shop: Surface, clock: Clock) -> None:
    assert shop.card().entries == ()
    assert shop.card().text() == ""
    assert shop.latest() is None
    shop.record([buy("1", START, "ctx:morning")], source=SOURCE)
    assert shop.card().entries == ()
    assert shop.latest() == START
    clock.now += 5_000 * DAY
    assert shop.views() == []
    assert shop.latest() == START


# The owner's word.


def test_late_history_does_not_change_what_was_set_or_forgotten(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat", "pref:tea", "pref:pinned")], source=SOURCE)
    clock.now = START + DAY
    shop.correct("set", "pref:oat", 5.0)
    shop.correct("forget", "pref:tea")
    before = stored(vault, shop)
    assert "pref:tea" not in before
    for at in (START - 100 * DAY, START, START + DAY):
        shop.record([buy(f"late-{at}", at, "pref:oat", "pref:tea")], source=SOURCE)
    # At the very instant of the correction the later written one counts; before it, nothing does.
    after = stored(vault, shop)
    assert edge_of(after["pref:oat"]).traces == (5.0 + 0.6 * (1 - 5 / 9),) * 3
    assert edge_of(after["pref:tea"]).traces == (0.6,) * 3
    vault.undo(surface="shop.example", since=clock.now)
    assert stored(vault, shop) == before
    for at in (START - 100 * DAY, START, START + DAY - 1):
        shop.record([buy(f"really-late-{at}", at, "pref:oat", "pref:tea")], source=SOURCE)
    after = stored(vault, shop)
    assert edge_of(after["pref:oat"]).traces == (5.0,) * 3
    assert "pref:tea" not in after
    assert vault.doctor() == []


def test_after_forget_new_evidence_starts_afresh(shop: Surface, clock: Clock) -> None:
    shop.record([buy(f"{n}", START + n * DAY, "pref:oat") for n in range(10)], source=SOURCE)
    clock.now = START + 10 * DAY
    found = shop.correct("forget", "pref:oat")
    assert found.strength == 0.0
    assert sum(reason.adds for reason in found.reasons) == 0.0
    assert shop.views() == []
    clock.now += DAY
    shop.record([buy("new", clock.now, "pref:oat")], source=SOURCE)
    (view,) = shop.views()
    assert (view.strength, view.hits, view.first) == (pytest.approx(0.6), 1, clock.now)
    adds = [reason.adds for reason in shop.why("pref:oat").reasons]
    assert adds == [0.0] * 11 + [pytest.approx(0.6)]


def test_undoing_a_forget_gives_back_the_very_edges(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy(f"{n}", START + n * DAY, "pref:oat", f"pref:n{n % 3}") for n in range(10)], source=SOURCE)
    clock.now = START + 20 * DAY
    before = stored(vault, shop)
    for attribute in ("pref:oat", "pref:n1"):
        shop.correct("forget", attribute)
    assert len(stored(vault, shop)) == len(before) - 2
    clock.now += 30 * DAY
    assert vault.undo().what == "forget pref:n1"
    assert vault.undo().what == "forget pref:oat"
    assert stored(vault, shop) == before
    assert vault.doctor() == []
    with pytest.raises(NotFoundError):
        vault.undo()


def test_undo_since_takes_what_was_recorded_since_whenever_it_happened(
    vault: Vault, shop: Surface, clock: Clock
) -> None:
    shop.record([buy("early", START, "pref:oat")], source=SOURCE)
    before = stored(vault, shop)
    clock.now = START + 10 * DAY
    shop.record([buy("old", START - 50 * DAY, "pref:oat"), buy("new", START + 9 * DAY, "pref:oat")], source=SOURCE)
    shop.correct("set", "pref:mine", 3.0)
    found = vault.undo(surface="shop.example", since=START + DAY)
    assert (found.surface, found.entries, found.what) == ("shop.example", 2, "events")
    after = stored(vault, shop)
    assert after.pop("pref:mine")
    assert after == before
    assert [row.undone_by is not None for row in shop.journal()] == [False, True, True, False, False]
    with pytest.raises(NotFoundError):
        vault.undo(surface="shop.example", since=START + DAY)
    # Taken back is not forgotten: the ids stay known, so that the same file does not come in again.
    assert not shop.record([buy("new", START + 9 * DAY, "pref:oat")], source=SOURCE)[0].new
    assert vault.doctor() == []


def test_an_undo_with_nothing_to_take(vault: Vault, shop: Surface) -> None:
    journal: Callable[[], int] = vault.event_count
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    for attempt in (
        vault.undo,
        lambda: vault.undo(surface="shop.example"),
        lambda: vault.undo(surface="shop.example", since=START + 1),
        lambda: vault.undo(surface="nowhere.example"),
    ):
        with pytest.raises(NotFoundError):
            attempt()
    with pytest.raises(InputError, match="needs a surface"):
        vault.undo(since=START)
    assert journal() == 1
    assert shop.undo([99], note="nothing") == 0
    assert journal() == 1


@pytest.mark.parametrize("ahead", [1, HOUR, DAY])
def test_the_owners_word_wins_over_an_event_dated_ahead(vault: Vault, shop: Surface, clock: Clock, ahead: int) -> None:
    names = [f"pref:{word}" for word in ("set", "forgotten", "pinned", "other")]
    shop.record([buy("0", START - DAY, *names), buy("1", START + ahead, *names, magnitude=9.0)], source=SOURCE)
    # What the journal holds is shown at once, not only when the clock gets there; and never grows by waiting.
    # 0.6 a day old, then 0.6·9 = 5.4 more of the room that is left.
    assert all(5.4 < strength < 6.0 for strength in strengths(shop).values())
    assert shop.correct("set", "pref:set", 2.0).strength == 2.0
    assert shop.correct("forget", "pref:forgotten").strength == 0.0
    pinned = shop.correct("pin", "pref:pinned").strength
    now = strengths(shop)
    assert now == {"pref:set": 2.0, "pref:pinned": pinned, "pref:other": pinned}
    for attribute, strength in now.items():
        why = shop.why(attribute)
        assert why.strength == strength
        assert sum(reason.adds for reason in why.reasons) == pytest.approx(strength, abs=1e-9)
    clock.now = START + ahead
    assert strengths(shop) == now
    # An instant that is named counts only what is dated up to it.
    assert strengths(shop, START) == dict.fromkeys(names, pytest.approx(faded(0.6, 1)))
    assert vault.doctor() == []


@pytest.mark.parametrize("value", [None, 0.0, 0.0199, -1.0, 9.000001, float("nan"), float("inf")])
def test_a_strength_lies_between_the_floor_and_9(vault: Vault, shop: Surface, value: float | None) -> None:
    with pytest.raises(InputError):
        shop.correct("set", "pref:oat", value)
    assert vault.event_count() == 0
    assert vault.attribute_count("shop.example") == 0


def test_corrections_need_an_edge_and_an_attribute(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    clock.now += 5_000 * DAY
    for correction in ("pin", "unpin", "forget"):
        for attribute in ("pref:unknown", "pref:oat"):
            with pytest.raises(NotFoundError):
                shop.correct(correction, attribute)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        shop.correct("set", "Oat milk", 3.0)
    with pytest.raises(InputError):
        shop.why("Oat milk")
    with pytest.raises(NotFoundError):
        shop.why("pref:unknown")
    assert vault.event_count() == 1


def test_a_pinned_edge_does_not_fade_until_unpinned(shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    shop.correct("pin", "pref:oat")
    clock.now = START + 10_000 * DAY
    assert strengths(shop) == {"pref:oat": pytest.approx(0.6)}
    shop.correct("unpin", "pref:oat")
    clock.now += 45 * DAY
    assert strengths(shop) == {"pref:oat": pytest.approx(0.3417355, abs=1e-7)}


# Any instant of the past.


@st.composite
def lives(draw: st.DrawFn) -> list[tuple[int, str, str, float]]:
    """(time, kind, attribute, size) in order of time, corrections among them."""
    found, at = [], START
    for _ in range(draw(st.integers(1, 12))):
        at += draw(st.sampled_from((1, HOUR, 3 * DAY, 60 * DAY, 900 * DAY)))
        kind = draw(st.sampled_from(("buy", "buy", "buy", "return", "set", "pin", "unpin", "forget")))
        attribute = draw(st.sampled_from(("pref:a", "pref:b", "!pref:a")))
        found.append((at, kind, attribute, draw(st.sampled_from((0.3, 1.0, 4.0)))))
    return found


def live(surface: Surface, clock: Clock, life: list[tuple[int, str, str, float]]) -> None:
    """Let all of it happen, each at its own time; a correction of what is not there does not."""
    for number, (at, kind, attribute, size) in enumerate(life):
        clock.now = at
        if kind in ("buy", "return"):
            sign = 1.0 if kind == "buy" else -1.0
            surface.record([buy(f"{number}", at, attribute, kind=kind, magnitude=sign * size)], source=SOURCE)
        elif kind == "set":
            surface.correct("set", attribute, max(size, surface.row.rule.floor))
        elif attribute in strengths(surface):
            surface.correct(kind, attribute)  # type: ignore[arg-type]


@costly
@given(lives(), st.integers(0, 12), st.integers(0, 100 * DAY), st.sampled_from((ADAPTIVE, PAPER)))
def test_the_past_is_what_a_vault_shows_that_never_saw_the_rest(
    long_lived: Vault, life: list[tuple[int, str, str, float]], cut: int, later: int, rule: Rule
) -> None:
    clock: Any = long_lived._clock
    seen = life[:cut]
    moment = (seen[-1][0] if seen else START - 1) + later
    if cut < len(life):
        moment = min(moment, life[cut][0] - 1)
    whole, part = new_surface(long_lived, rule), new_surface(long_lived, rule)
    live(part, clock, seen)
    live(whole, clock, life)
    clock.now += 2_000 * DAY
    whole.sweep()
    assert whole.views(moment) == part.views(moment)
    assert whole.card(moment)._replace(surface="") == part.card(moment)._replace(surface="")
    for view in part.views(moment):
        one, other = whole.why(view.attribute, moment), part.why(view.attribute, moment)
        assert [(r.act, r.adds, r.entry.at) for r in one.reasons] == [
            (r.act, r.adds, r.entry.at) for r in other.reasons
        ]
        assert one.strength == other.strength == view.strength
        assert sum(reason.adds for reason in one.reasons) == pytest.approx(view.strength, abs=1e-9)
    assert whole.preview(400, moment)[2] == part.preview(400, moment)[2]


def test_the_card_of_then_is_there_after_everything_was_forgotten(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    then = shop.card(START)
    clock.now = START + DAY
    shop.correct("forget", "pref:oat")
    assert shop.card().entries == ()
    assert shop.card(START) == then
    assert shop.why("pref:oat", START).strength == then.entries[0].strength
    clock.now = START + 5_000 * DAY
    shop.record([buy("2", clock.now, "pref:oat")], source=SOURCE)
    assert shop.card(START) == then


# The preview.


def day_by_day(surface: Surface, days: int, start: int) -> list[Change]:
    """The changes of the card's members, by looking at every day's card."""
    found = []
    before = {entry.attribute for entry in surface.card(start).entries}
    for day in range(1, days + 1):
        after = {entry.attribute for entry in surface.card(start + day * DAY).entries}
        if after != before:
            found.append(Change(day, tuple(sorted(before - after)), tuple(sorted(after - before))))
        before = after
    return found


@costly
@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 400), st.sampled_from((-1.0, 0.3, 1.0, 3.0))), max_size=20),
    st.integers(1, 400),
)
def test_a_preview_is_the_card_of_every_day(
    long_lived: Vault, purchases: list[tuple[int, int, float]], days: int
) -> None:
    surface = new_surface(long_lived)
    long_lived._clock.now = START  # type: ignore[attr-defined]
    surface.record(
        [
            buy(f"{n}", START - age * DAY, f"pref:n{which:02}", magnitude=size)
            for n, (which, age, size) in enumerate(purchases)
        ],
        source=SOURCE,
    )
    now, then, changes = surface.preview(days)
    assert now == surface.card()
    assert then == surface.card(START + days * DAY)
    assert changes == day_by_day(surface, days, START)


def test_a_preview_by_hand(shop: Surface, clock: Clock) -> None:
    # Ten purchases of magnitudes 1.0, 1.1 … 1.9 on one day: all fade alike, so the order stands, and each leaves when
    # its strength passes 0.1. By then the slow trace is all there is, 0.6·m·2^(-t/365)/2.5 = 0.1: after 365·log2(2.4·m)
    # days and a little for the medium one, from the last on the card (m = 1.2) to the first.
    shop.record([buy(f"{n}", START, f"pref:n{n}", magnitude=1.0 + n / 10) for n in range(10)], source=SOURCE)
    now, then, changes = shop.preview(2_500)
    assert [entry.attribute for entry in now.entries] == [f"pref:n{n}" for n in range(9, 1, -1)]
    assert then.entries == ()
    # 365·log2(2.4·1.2) = 557.0, 365·log2(2.4·1.9) = 799.0 (day 799 is just not enough), of the others between; n0 and
    # n1 go unseen before.
    assert changes[0] == Change(558, ("pref:n2",), ())
    assert changes[-1] == Change(800, ("pref:n9",), ())
    assert [change.leaves for change in changes] == [(f"pref:n{n}",) for n in range(2, 10)]
    assert all(change.enters == () for change in changes)


def test_what_is_pinned_stays_while_the_others_leave(shop: Surface, clock: Clock) -> None:
    shop.record([buy(f"{n}", START, f"pref:n{n}") for n in range(9)], source=SOURCE)
    shop.correct("pin", "pref:n8")
    now, then, changes = shop.preview(3_000)
    # All are equally strong, and spelling decides: n8 does not fit. It enters the next day, when the others have faded.
    assert [entry.attribute for entry in now.entries] == [f"pref:n{n}" for n in range(8)]
    assert changes[0] == Change(1, ("pref:n7",), ("pref:n8",))
    # 365·log2(2.4) = 461.0, and a day for what the medium trace still holds: 2^(-461/45) is 0.2 % of the slow one's.
    assert changes[1] == Change(463, tuple(f"pref:n{n}" for n in range(7)), ())
    assert [entry.attribute for entry in then.entries] == ["pref:n8"]
    assert then.entries[0].strength == pytest.approx(0.6)


def test_a_preview_from_the_past_knows_nothing_of_what_came_after(shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    clock.now = START + 100 * DAY
    shop.record([buy("2", START + 50 * DAY, "pref:tea"), buy("3", START + 50 * DAY, "pref:oat")], source=SOURCE)
    now, then, changes = shop.preview(90, START)
    assert [entry.attribute for entry in now.entries] == ["pref:oat"]
    assert [(entry.attribute, entry.strength) for entry in then.entries] == [
        ("pref:oat", pytest.approx(faded(0.6, 90)))
    ]
    assert changes == []
