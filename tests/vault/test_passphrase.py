"""Weak passphrases are refused with advice; strong ones, of any length and script, pass."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fernvault.errors import InputError
from fernvault.vault.passphrase import check_strength
from fernvault.vault.recovery import suggest_passphrase


@pytest.mark.parametrize(
    "weak", ["", " ", "\t\n", "dragon", "Dr4gon!", "qwertyuiop", "fernvault", "1987-05-12", "a" * 72, "a" * 5000]
)
def test_a_weak_one_is_refused_in_one_line_that_does_not_repeat_it(weak: str) -> None:
    with pytest.raises(InputError) as caught:
        check_strength(weak)
    assert "\n" not in caught.value.message
    assert len(weak.strip()) < 2 or weak.strip() not in caught.value.message


def test_the_advice_is_zxcvbns() -> None:
    with pytest.raises(InputError, match="top-100 common password"):
        check_strength("qwertyuiop")


@pytest.mark.parametrize(
    "strong",
    [
        "correct horse battery staple",
        "stapler Quokka 7 lemonade",
        "шесть зелёных черепах",
        "x" * 100 + "stapler Quokka 7 lemonade",
        "stapler Quokka 7 lemonade" + "x" * 5000,
    ],
)
def test_a_strong_one_passes(strong: str) -> None:
    check_strength(strong)


def test_what_is_suggested_is_strong_enough() -> None:
    rng = random.Random(3)
    for _ in range(20):
        check_strength(suggest_passphrase(rng))


@given(st.text(max_size=90))
@settings(max_examples=40, deadline=None)
def test_any_text_passes_or_is_refused(text: str) -> None:
    try:
        check_strength(text)
    except InputError as error:
        assert "\n" not in error.message
