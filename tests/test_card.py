"""The card's text: a fixed template of slugs, whatever the vault holds."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.attribute import is_negative, name
from fernvault.card import ENTRIES, Card, Entry
from fernvault.tokens import FIXED, TOKENIZER, count, is_exact, of_pieces
from tests.strategies import START, attributes, checked, strengths

SLUG = r"(?:[a-z](?:[a-z0-9-]{0,14}[a-z0-9])?:)?[a-z0-9](?:[a-z0-9-]{0,46}[a-z0-9])?"
LIST = rf"{SLUG}(?:, {SLUG})*"
GUESSES = rf"!?{SLUG}(?:, !?{SLUG})*"
PARTS = (rf"likes {LIST}", rf"avoids {LIST}", rf"maybe {GUESSES}", rf"due {LIST}")
TEXT = re.compile(
    "|".join(
        "; ".join(part for bit, part in enumerate(PARTS) if chosen >> bit & 1) for chosen in range(1, 2 ** len(PARTS))
    )
)
"""Every text that a card may have, but the empty one."""


def entry(attribute: str, mark: str = "known", strength: float = 5.0, *, due: bool = False) -> Entry:
    return Entry(attribute, strength, 0.9, mark, "steady", "4 occasions", strength, due)  # type: ignore[arg-type]


def card(*entries: Entry) -> Card:
    return Card("shop.example", START, entries)


# A small pool, so that names are shared between namespaces and signs.
few = st.builds(
    lambda sign, space, slug: f"{sign}{space}:{slug}",
    st.sampled_from(("", "!")),
    st.sampled_from(("pref", "tea", "tea-2")),
    st.sampled_from(("mint", "likes", "42", "oat-milk")),
)
entries = st.builds(
    Entry,
    attribute=few | few | attributes,
    strength=strengths,
    confidence=st.floats(0.0, 1.0),
    mark=st.sampled_from(("known", "guessed")),
    trend=st.sampled_from(("rising", "steady", "fading")),
    reason=st.text(max_size=40),
)
cards = st.lists(entries, max_size=8, unique_by=lambda found: found.attribute).map(lambda found: card(*found))


def test_nothing_known_is_an_empty_line() -> None:
    assert card().text() == ""


@pytest.mark.parametrize(
    ("given_entries", "text"),
    [
        ([entry("pref:oat-milk")], "likes oat-milk"),
        ([entry("!pref:upsells")], "avoids upsells"),
        ([entry("size:medium", "guessed")], "maybe medium"),
        ([entry("!diet:gluten", "guessed")], "maybe !gluten"),
        (
            [
                entry("pref:organic"),
                entry("!pref:upsells"),
                entry("size:medium", "guessed"),
                entry("tea:earl-grey"),
                entry("!diet:gluten", "guessed"),
                entry("!pref:plastic"),
            ],
            "likes organic, earl-grey; avoids upsells, plastic; maybe medium, !gluten",
        ),
        ([entry("!pref:upsells"), entry("pref:local", "guessed")], "avoids upsells; maybe local"),
        # Two entries share a name: both, and only they, carry their namespace.
        (
            [entry("tea:mint"), entry("soap:mint"), entry("pref:organic")],
            "likes tea:mint, soap:mint, organic",
        ),
        ([entry("tea:mint"), entry("!soap:mint")], "likes tea:mint; avoids soap:mint"),
        ([entry("tea:mint", "guessed"), entry("!soap:mint", "guessed")], "maybe tea:mint, !soap:mint"),
        ([entry("size:42")], "likes 42"),
        # Only what is known and liked can be due.
        ([entry("pref:oat", due=True), entry("pref:tea")], "likes tea; due oat"),
        ([entry("pref:oat", "guessed", due=True), entry("!pref:tea", due=True)], "avoids tea; maybe oat"),
    ],
)
def test_the_template(given_entries: list[Entry], text: str) -> None:
    assert card(*given_entries).text() == text


def test_the_measured_card_of_eight_entries() -> None:
    # mechanisms 1.4: "likes organic, oat-milk, earl-grey, ...; avoids upsells; maybe medium, local"; chars/4 about 25.
    liked = ["pref:organic", "pref:oat-milk", "tea:earl-grey", "pref:vegan", "tea:jasmine"]
    text = card(
        *(entry(attribute) for attribute in liked),
        entry("!pref:upsells"),
        entry("size:medium", "guessed"),
        entry("pref:local", "guessed"),
    ).text()
    assert text == "likes organic, oat-milk, earl-grey, vegan, jasmine; avoids upsells; maybe medium, local"
    assert ENTRIES == 8
    assert len(text) <= 100


@checked
@given(cards)
def test_whatever_the_attributes_the_text_is_template_and_slugs(found: Card) -> None:
    text = found.text()
    if not found.entries:
        assert text == ""
        return
    assert TEXT.fullmatch(text)
    assert text.isascii()


@checked
@given(cards)
def test_every_digit_is_one_of_a_slug(found: Card) -> None:
    attributes_digits = Counter(re.findall(r"\d", " ".join(each.attribute for each in found.entries)))
    names_digits = Counter(re.findall(r"\d", " ".join(name(each.attribute) for each in found.entries)))
    assert names_digits <= Counter(re.findall(r"\d", found.text())) <= attributes_digits


@checked
@given(cards)
def test_each_entry_stands_once_in_its_place(found: Card) -> None:
    parts = dict(part.split(" ", 1) for part in found.text().split("; ")) if found.entries else {}
    got = {word: slugs.split(", ") for word, slugs in parts.items()}
    for word, negative, due in (("likes", False, False), ("avoids", True, None), ("due", False, True)):
        wanted = [
            name(each.attribute)
            for each in found.entries
            if each.mark == "known" and is_negative(each.attribute) == negative and due in (None, each.due)
        ]
        assert [slug.rpartition(":")[2] for slug in got.get(word, [])] == wanted
    guesses = [each for each in found.entries if each.mark == "guessed"]
    assert [slug.lstrip("!").rpartition(":")[2] for slug in got.get("maybe", [])] == [
        name(each.attribute) for each in guesses
    ]
    assert [slug.startswith("!") for slug in got.get("maybe", [])] == [is_negative(each.attribute) for each in guesses]


@checked
@given(cards, st.floats(0.0, 9.0), st.text(max_size=20))
def test_only_attribute_mark_and_order_show(found: Card, strength: float, reason: str) -> None:
    other = Card(
        "elsewhere",
        0,
        tuple(
            each._replace(strength=strength, confidence=0.5, trend="rising", reason=reason) for each in found.entries
        ),
    )
    assert other.text() == found.text() == found.text()


@checked
@given(cards)
def test_different_attributes_are_spelt_apart(found: Card) -> None:
    spelt = [slug for part in found.text().split("; ") if part for slug in part.split(" ", 1)[1].split(", ")]
    marked = [(each.attribute.removeprefix("!"), each.mark, is_negative(each.attribute)) for each in found.entries]
    if len({attribute for attribute, _, _ in marked}) == len(marked):
        assert len(set(spelt)) == len(spelt)


def test_the_table_for_people() -> None:
    lines = card(entry("pref:oat-milk", strength=4.6), entry("!pref:upsells", "guessed", 0.649)).markdown().split("\n")
    assert lines == [
        "| attribute | strength | mark | trend | why |",
        "|---|---:|---|---|---|",
        "| pref:oat-milk | 4.6 | known | steady | 4 occasions |",
        "| !pref:upsells | 0.6 | guessed | steady | 4 occasions |",
    ]


@checked
@given(cards)
def test_the_pieces_make_the_text_and_cost_what_it_costs(found: Card) -> None:
    assert "".join(found.pieces()) == found.text()
    if is_exact():
        assert of_pieces(found.pieces(), {}) == count(found.text())


def test_the_words_of_the_template_cost_what_is_noted() -> None:
    if not is_exact():
        pytest.skip("no tokenizer is installed")
    assert {piece: count(piece).tokens for piece in FIXED} == FIXED


def test_stored_counts_are_added_without_a_tokenizer() -> None:
    # likes, oat as noted, a semicolon, avoids, tea as noted: 1 + 20 + 1 + 1 + 300.
    pieces = card(entry("pref:oat"), entry("!pref:tea")).pieces()
    assert of_pieces(pieces, {" oat": 20, " tea": 300}) == (323, TOKENIZER)
