"""What a card says in a context, with a prior, among rivals, and of habits: each by hand, from a real vault."""

from __future__ import annotations

from math import exp, log
from pathlib import Path

import pytest

from fernvault.catalog.catalog import catalog_of
from fernvault.errors import InputError, NotFoundError
from fernvault.instant import DAY, HOUR
from fernvault.memory import Vault
from fernvault.portable.prior_file import read_prior
from fernvault.prior import Prior
from fernvault.surface import Surface
from fernvault.tokens import count, is_exact
from tests.strategies import START
from tests.vaults import PASSPHRASE, SOURCE, Clock, buy

NAME = "shop.example"


def names(surface: Surface, *context: str) -> list[str]:
    """The card's attributes, in order."""
    return [entry.attribute for entry in surface.card(seeds=surface.seeds(context)).entries]


def test_a_context_lifts_what_goes_with_it_and_lowers_what_does_not(shop: Surface, clock: Clock) -> None:
    # At one instant, so that no count has faded: ten mornings with oat, ten evenings with wine.
    events = [buy(f"m{n}", START, "pref:oat", "ctx:morning") for n in range(10)]
    events += [buy(f"e{n}", START, "pref:wine", "ctx:evening") for n in range(10)]
    shop.record(events, source=SOURCE)
    assert names(shop) == ["pref:oat", "pref:wine"]
    assert names(shop, "evening") == ["pref:wine", "pref:oat"]
    # Of the ten evenings chance would give each five: (10 + 1/2)/(5 + 1/2) and (0 + 1/2)/(5 + 1/2), under e^-2.
    lifts = shop.at().lifts(["ctx:evening"])
    assert lifts["pref:wine"] == pytest.approx(log(21 / 11))
    assert lifts["pref:oat"] == -2.0
    # The strength is own evidence whatever the context.
    assert len({entry.strength for entry in shop.card(seeds=("ctx:evening",)).entries}) == 1


def test_counts_fade_together(shop: Surface, clock: Clock) -> None:
    # A year later everything counts half: n_ij = 2, n_j = 2, n_i = 3, N = 4 of 4, 4, 6, 8.
    shop.record([buy(f"m{n}", START, "pref:oat", "ctx:morning") for n in range(4)], source=SOURCE)
    shop.record([buy(f"o{n}", START, "pref:oat", "pref:rye") for n in range(2)], source=SOURCE)
    shop.record([buy(f"r{n}", START, "pref:rye") for n in range(2)], source=SOURCE)
    clock.now = START + 365 * DAY
    assert shop.at().lifts(["ctx:morning"])["pref:oat"] == pytest.approx(log((2 + 0.5) / (3 * 2 / 4 + 0.5)))


def test_what_was_taken_back_goes_with_nothing(vault: Vault, shop: Surface, clock: Clock) -> None:
    shop.record([buy("1", START, "pref:oat", "ctx:morning")], source=SOURCE)
    before = shop.at().lifts(["ctx:morning"])
    clock.now += HOUR
    shop.record([buy("2", START, "pref:tea", "ctx:morning"), buy("3", START, "pref:tea")], source=SOURCE)
    assert shop.at().lifts(["ctx:morning"]) != before
    vault.undo(surface=NAME, since=clock.now)
    assert shop.at().lifts(["ctx:morning"]) == pytest.approx(before)
    assert vault.doctor() == []
    vault.redo()
    assert "pref:tea" in shop.at().lifts(["ctx:morning"])
    assert vault.doctor() == []


def test_a_context_in_words(shop: Surface, clock: Clock) -> None:
    # START is a Thursday, 01:00 in the vault's zone.
    assert shop.seeds(["morning", "ctx:weekend", "pref:oat", "morning"]) == ("ctx:morning", "ctx:weekend", "pref:oat")
    assert shop.seeds(["now"]) == ("ctx:night", "ctx:weekday")
    assert shop.seeds(["now"], START + 9 * HOUR) == ("ctx:morning", "ctx:weekday")
    with pytest.raises(InputError):
        shop.seeds(["Not a word"])


def test_a_seed_that_never_was_changes_nothing(shop: Surface) -> None:
    shop.record([buy("1", START, "pref:oat", "ctx:morning")], source=SOURCE)
    assert shop.card(seeds=("ctx:moon",)).entries == shop.card().entries


def test_a_prior_fills_the_card_with_guesses_and_moves_no_strength(vault: Vault, shop: Surface) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    own = shop.views()
    # Two events' worth, 2·0.6, at the most popular: κ = 1.2/2. Rye stands at 1.2, oat at 0.6 + 0.6·1, tea at 0.6·0.5.
    shop.adopt(Prior(NAME, 100, {"pref:rye": 2.0, "pref:oat": 1.0, "pref:tea": 0.5, "pref:rare": 0.1}))
    found = {entry.attribute: entry for entry in shop.card().entries}
    assert {name: entry.standing for name, entry in found.items()} == {
        "pref:oat": pytest.approx(1.2),
        "pref:rye": pytest.approx(1.2),
        "pref:tea": pytest.approx(0.3),
    }
    assert {name: (entry.strength, entry.mark) for name, entry in found.items()} == {
        "pref:oat": (pytest.approx(0.6), "guessed"),
        "pref:rye": (0.0, "guessed"),
        "pref:tea": (0.0, "guessed"),
    }
    assert found["pref:rye"].reason == "what others here are like"
    assert [view._replace(standing=0.0) for view in shop.views()] == [view._replace(standing=0.0) for view in own]
    guesses = [view for view in shop.views(guesses=True) if view.first is None]
    assert [view.attribute for view in guesses] == ["pref:rye", "pref:tea", "pref:rare"]
    why = shop.why("pref:rye")
    assert (why.strength, why.prior, why.reasons) == (0.0, pytest.approx(1.2), ())
    assert shop.drop_prior()
    assert names(shop) == ["pref:oat"]
    with pytest.raises(NotFoundError):
        shop.why("pref:rye")
    assert not shop.drop_prior()


def test_a_publishers_kappa_counts_instead_of_the_rules(shop: Surface) -> None:
    shop.adopt(Prior(NAME, 100, {"pref:rye": 2.0}, kappa=0.25))
    (entry,) = shop.card().entries
    assert entry.standing == pytest.approx(0.5)


def test_another_surfaces_prior_is_refused(shop: Surface) -> None:
    with pytest.raises(InputError):
        shop.adopt(Prior("other.example", 100, {"pref:rye": 2.0}))


def test_a_prior_survives_closing_and_goes_with_its_surface(folder: Path, clock: Clock) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        vault.add_surface(NAME).adopt(Prior(NAME, 100, {"pref:rye": 2.0}))
    with Vault.open(folder, PASSPHRASE, clock=clock) as again:
        assert names(again.surface(NAME)) == ["pref:rye"]
        again.remove_surface(NAME)
        assert again.add_surface(NAME).prior is None


def test_declared_rivals_push_each_other_down(vault: Vault) -> None:
    catalog = catalog_of({"exclusive": {"size": ["size:*"], "milk": ["pref:oat", "pref:cow"]}})
    shop = vault.add_surface("b.example", catalog=catalog)
    events = [buy(f"m{n}", START, "size:m") for n in range(5)] + [buy("l", START, "size:l", "pref:cow")]
    shop.record(events, source=SOURCE)
    # size:m stands at s5, size:l at 0.6, less 0.4·(s5 - 0.6), a fifth at least; cow has no rival that stands.
    s5 = 9 * (1 - (1 - 0.6 / 9) ** 5)
    held = shop.at().ranked(8, {}, START)
    assert {one.attribute: one.score for one in held} == {
        "size:m": pytest.approx(s5),
        "size:l": pytest.approx(max(0.2 * 0.6, 0.6 - 0.4 * (s5 - 0.6))),
        "pref:cow": pytest.approx(0.6),
    }


def test_a_weekly_habit_is_due(shop: Surface, clock: Clock) -> None:
    shop.record([buy(f"{week}", START + 7 * week * DAY, "pref:oat") for week in range(5)], source=SOURCE)
    clock.now = START + 30 * DAY
    assert shop.card().text() == "likes oat"
    clock.now = START + 35 * DAY
    card = shop.card()
    assert card.text() == "due oat"
    assert card.entries[0].reason == "5 occasions, due"


def test_tokens_are_counted_once_and_kept(vault: Vault, shop: Surface) -> None:
    if not is_exact():
        pytest.skip("no tokenizer is installed")
    shop.record([buy(f"{n}", START + n * DAY, "pref:oat-milk", "!pref:upsells") for n in range(5)], source=SOURCE)
    card = shop.card()
    assert shop.cost(card) == count(card.text())
    rows = dict(vault._connection.execute("SELECT slug, tokens FROM attribute").fetchall())
    assert rows == {"pref:oat-milk": count(" oat-milk").tokens, "!pref:upsells": count(" upsells").tokens}
    # What is kept is what is added from then on.
    vault._connection.execute("UPDATE attribute SET tokens = 100 WHERE slug = 'pref:oat-milk'")
    others = count("likes").tokens + count("; avoids upsells").tokens
    assert shop.cost(card).tokens == 100 + others
    assert shop.count_tokens() == 0


def test_lift_multiplies_the_evidence_under_the_ceiling(shop: Surface) -> None:
    events = [buy(f"a{n}", START, "pref:oat", "ctx:morning") for n in range(3)]
    shop.record([*events, buy("b", START, "pref:tea", "ctx:morning"), buy("c", START, "pref:tea")], source=SOURCE)
    reading = shop.at()
    lifts = reading.lifts(["ctx:morning"])
    held = {one.attribute: one for one in reading.ranked(8, lifts, START)}
    # Three events leave 9·(1 - r³), so e^L times as many leave 9·(1 - r^(3·e^L)), r = 1 - 0.6/9.
    factor = exp(lifts["pref:oat"])
    assert factor == pytest.approx((3 + 0.5) / (3 * 4 / 5 + 0.5))
    assert held["pref:oat"].score == pytest.approx(9 * (1 - (1 - 0.6 / 9) ** (3 * factor)))


def test_a_mere_guess_cannot_be_corrected_but_denied(shop: Surface) -> None:
    shop.adopt(Prior(NAME, 100, {"pref:rye": 2.0}))
    with pytest.raises(NotFoundError) as raised:
        shop.correct("forget", "pref:rye")
    assert raised.value.next_step == "fern set shop.example '!pref:rye' 5"
    shop.correct("set", "!pref:rye", 5.0)
    assert shop.card().text() == "avoids rye"


def test_an_exported_prior_can_be_adopted_again(vault: Vault, shop: Surface, tmp_path: Path) -> None:
    prior = Prior(NAME, 100, {"pref:rye": 2.0, "!pref:spam": 0.5}, 0.7)
    shop.adopt(prior)
    vault.export(tmp_path / "out")
    (line,) = (tmp_path / "out" / "priors.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "prior.json").write_text(line, encoding="utf-8")
    assert read_prior(tmp_path / "prior.json") == prior


def test_card_list_and_reasons_agree_on_what_the_prior_adds(shop: Surface) -> None:
    # oat: own 0.6 net of 0.3 and a prior of 1 net of 0.25; milk: own dislike, so no prior for it; rye: liked by others
    # less than disliked.
    shop.record([buy("1", START, "pref:oat"), buy("2", START, "!pref:oat", magnitude=0.5)], source=SOURCE)
    shop.record([buy("3", START, "pref:milk", magnitude=-1.0)], source=SOURCE)
    means = {"pref:oat": 1.0, "!pref:oat": 0.25, "pref:milk": 5.0, "pref:rye": 0.5, "!pref:rye": 1.0}
    shop.adopt(Prior(NAME, 100, means, kappa=1.0))
    shares = {
        "pref:oat": 0.75,
        "!pref:oat": 0.0,
        "pref:milk": 0.0,
        "!pref:milk": 0.0,
        "pref:rye": 0.0,
        "!pref:rye": 0.5,
    }
    views = {view.attribute: view for view in shop.views(guesses=True)}
    assert {name: view.standing - view.strength for name, view in views.items()} == pytest.approx(shares)
    assert {name: shop.why(name).prior for name in shares} == pytest.approx(shares)
    card = {entry.attribute: entry.standing - entry.strength for entry in shop.card().entries}
    assert card == pytest.approx({"pref:oat": 0.75, "!pref:milk": 0.0, "!pref:rye": 0.5})


def test_the_count_of_a_dislike_is_added_too(vault: Vault, shop: Surface) -> None:
    if not is_exact():
        pytest.skip("no tokenizer is installed")
    shop.record([buy(f"{n}", START + n * DAY, "!pref:upsells") for n in range(5)], source=SOURCE)
    assert shop.cost(shop.card()) == count("avoids upsells")
    vault._connection.execute("UPDATE attribute SET tokens = 100")
    assert shop.cost(shop.card()).tokens == 100 + count("avoids").tokens
