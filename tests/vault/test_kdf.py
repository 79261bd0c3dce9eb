"""Argon2id against published values, Unicode spellings, and the calibration's bounds."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from hypothesis import given
from hypothesis import strategies as st

from fernvault.errors import InputError
from fernvault.vault.kdf import CAP, FLOOR, Kdf, calibrate, scaled

CHEAP = Kdf(64, 1, 1)
SALT = b"0123456789abcdef"


def test_the_library_gives_the_tag_of_rfc_9106() -> None:
    kdf = Argon2id(salt=b"\2" * 16, length=32, iterations=3, lanes=4, memory_cost=32, secret=b"\3" * 8, ad=b"\4" * 12)
    assert kdf.derive(b"\1" * 32).hex() == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"


@pytest.mark.parametrize(
    ("kdf", "tag"),
    [
        (Kdf(2**16, 2, 1), "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"),
        (Kdf(2**8, 2, 1), "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
        (Kdf(2**8, 2, 2), "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
    ],
)
def test_derive_gives_the_tags_of_the_reference_implementation(kdf: Kdf, tag: str) -> None:
    assert kdf.derive("password", b"somesalt").hex() == tag


def test_unicode_spellings_of_one_passphrase_give_one_key() -> None:
    keys = {CHEAP.derive(spelling, SALT) for spelling in ("caf\u00e9 1", "cafe\u0301 1", "caf\u00e9 \uff11")}
    assert len(keys) == 1
    assert keys != {CHEAP.derive("cafe 1", SALT)}


def test_bytes_that_are_no_text_are_refused_without_showing_them() -> None:
    with pytest.raises(InputError) as caught:
        CHEAP.derive("hunter\udcff", SALT)
    assert "hunter" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("cost", [(7, 1, 1), (64, 0, 1), (64, 1, 0), (31, 1, 4), (-1, 3, 4)])
def test_a_cost_that_argon2_does_not_know_cannot_be_made(cost: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no such Argon2id cost"):
        Kdf(*cost)


def test_the_floor_is_the_second_choice_of_rfc_9106() -> None:
    assert Kdf(65536, 3, 4) == FLOOR
    assert not FLOOR.weak
    assert Kdf(65535, 3, 4).weak
    assert Kdf(65536, 2, 4).weak
    assert Kdf(65536, 3, 3).weak


@pytest.mark.parametrize(
    ("seconds", "mebibytes"),
    [(0.4, 128), (0.2, 256), (0.3, 160), (0.8, 64), (30.0, 64), (0.01, 512), (0.0, 512), (-1.0, 512)],
)
def test_the_memory_grows_with_the_speed_of_the_computer(seconds: float, mebibytes: int) -> None:
    assert scaled(FLOOR, seconds, 0.8) == Kdf(mebibytes * 1024, 3, 4)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(FLOOR.memory_kib, CAP.memory_kib))
def test_no_measurement_leaves_the_bounds(seconds: float, memory: int) -> None:
    found = scaled(Kdf(memory, 3, 4), seconds, 0.8)
    assert FLOOR.memory_kib <= found.memory_kib <= CAP.memory_kib
    assert not found.weak


def test_a_slow_computer_gets_the_floor_after_one_measurement() -> None:
    readings = iter([0.0, 5.0])
    assert calibrate(lambda: next(readings)) == FLOOR
