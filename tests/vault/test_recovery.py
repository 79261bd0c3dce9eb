"""The recovery words against the published BIP-39 vectors, and as people type them."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.errors import InputError
from fernvault.vault import recovery

# https://github.com/trezor/python-mnemonic/blob/master/vectors.json, the English ones of 256 bits.
VECTORS = [
    ("00" * 32, "abandon " * 23 + "art"),
    (
        "7f" * 32,
        "legal winner thank year wave sausage worth useful " * 2 + "legal winner thank year wave sausage worth title",
    ),
    (
        "80" * 32,
        "letter advice cage absurd amount doctor acoustic avoid " * 2
        + "letter advice cage absurd amount doctor acoustic bless",
    ),
    ("ff" * 32, "zoo " * 23 + "vote"),
    (
        "68a79eaca2324873eacc50cb9c6eca8cc68ea5d936f98787c60c7ebc74e6ce7c",
        "hamster diagram private dutch cause delay private meat slide toddler razor book "
        "happy fancy gospel tennis maple dilemma loan word shrug inflict delay length",
    ),
    (
        "f585c11aec520db57dd353c69554b21a89b20fb0650966fa0a9d6f74fd989d8f",
        "void come effort suffer camp survey warrior heavy shoot primary clutch crush "
        "open amazing screen patrol group space point ten exist slush involve unfold",
    ),
]


@pytest.mark.parametrize(("entropy", "words"), VECTORS)
def test_words_stand_for_the_published_bytes(entropy: str, words: str) -> None:
    assert recovery.secret_from_words(words).hex() == entropy


def test_new_words_are_24_of_the_list_and_differ() -> None:
    first, second = recovery.new_words(), recovery.new_words()
    assert first != second
    assert len(first.split()) == 24
    assert len(recovery.secret_from_words(first)) == 32


@given(st.integers(0, len(VECTORS) - 1), st.randoms(use_true_random=False))
def test_case_space_and_form_do_not_matter(which: int, rng: random.Random) -> None:
    entropy, words = VECTORS[which]
    wide = {ord(c): ord(c) + 0xFEE0 for c in "abcdefghijklmnopqrstuvwxyz"}
    spellings = [str.upper, str.title, str.lower, lambda word: word.translate(wide)]
    typed = "".join(rng.choice(["", " ", "\n", "\u3000"]) + " " + rng.choice(spellings)(w) for w in words.split())
    assert recovery.secret_from_words(typed).hex() == entropy


def test_the_printed_sheet_can_be_pasted_back() -> None:
    words = VECTORS[5][1]
    sheet = recovery.RecoverySheet("0f" * 16, words)
    body = "\n".join(line for line in sheet.text().splitlines() if line[:3].strip(" .").isdigit())
    assert recovery.secret_from_words(body) == recovery.secret_from_words(words)


def test_an_unknown_word_is_named_by_its_place_only() -> None:
    words = VECTORS[5][1].split()
    words[6] = "hunter2x"
    with pytest.raises(InputError) as caught:
        recovery.secret_from_words(" ".join(words))
    assert "word 7 is not on the list" in caught.value.message
    assert not any(word in caught.value.message.split() for word in words)


@pytest.mark.parametrize("words", ["", "abandon", "abandon " * 11 + "about", VECTORS[3][1] + " zoo"])
def test_another_number_of_words_is_refused(words: str) -> None:
    with pytest.raises(InputError, match=f"24 words, and here are {len(words.split())}"):
        recovery.secret_from_words(words)


def test_a_wrong_or_swapped_word_is_refused_by_the_checksum() -> None:
    words = VECTORS[5][1].split()
    swapped = [words[1], words[0], *words[2:]]
    for wrong in (["zoo", *words[1:]], swapped):
        with pytest.raises(InputError, match="do not belong together") as caught:
            recovery.secret_from_words(" ".join(wrong))
        assert "unfold" not in caught.value.message


def test_a_sheet_shows_its_words_in_print_only() -> None:
    sheet = recovery.RecoverySheet("0f" * 16, VECTORS[5][1])
    assert "unfold" not in repr(sheet)
    assert "unfold" not in str(sheet)
    assert " 1. void " in sheet.text()
    assert "24. unfold" in sheet.text()
    assert "0f" * 16 in sheet.text()


@given(st.randoms(use_true_random=False))
def test_the_rehearsal_asks_for_three_places_of_the_sheet(rng: random.Random) -> None:
    words = VECTORS[5][1].split()
    asked = recovery.rehearsal(" ".join(words), rng)
    assert len({place for place, _ in asked}) == 3
    assert list(asked) == sorted(asked)
    assert all(words[place - 1] == word for place, word in asked)


def test_every_place_is_rehearsed_sometimes() -> None:
    rng = random.Random(1)
    seen = {place for _ in range(400) for place, _ in recovery.rehearsal(VECTORS[5][1], rng)}
    assert seen == set(range(1, 25))


def test_a_suggested_passphrase_is_six_words_of_2048() -> None:
    rng = random.Random(2)
    suggested = [recovery.suggest_passphrase(rng).split("-") for _ in range(3000)]
    assert {len(words) for words in suggested} == {6}
    assert len({word for words in suggested for word in words}) > 2000
