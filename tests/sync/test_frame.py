"""Frames: what goes in comes out, and what is no frame is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault_sync import frame

NUMBERS = st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=20,
)


@given(DOCUMENTS)
def test_a_document_survives_the_way(document: Any) -> None:
    sent = frame.encode(document)
    size = frame.length(sent[: frame.HEADER])
    assert size == len(sent) - frame.HEADER
    assert frame.decode(sent[frame.HEADER :]) == document


@given(st.binary(max_size=200))
def test_bytes_are_a_document_or_refused_by_name(body: bytes) -> None:
    try:
        frame.decode(body)
    except frame.FrameError as error:
        assert str(error)


@given(st.binary(max_size=8))
def test_a_header_is_a_length_in_the_limit_or_refused(header: bytes) -> None:
    if len(header) == frame.HEADER and int.from_bytes(header, "big") <= frame.MAX_FRAME:
        assert frame.length(header) == int.from_bytes(header, "big")
    else:
        with pytest.raises(frame.FrameError):
            frame.length(header)


def test_the_limit_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frame, "MAX_FRAME", 100)
    assert len(frame.encode("x" * 98)) == 104
    with pytest.raises(frame.FrameError, match="over the limit"):
        frame.encode("x" * 99)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 10_000, b'"\x00"'])
def test_what_json_chokes_on_is_no_frame(body: bytes) -> None:
    with pytest.raises(frame.FrameError):
        frame.decode(body)


def test_a_number_that_json_has_no_word_for_is_not_sent() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        frame.encode(float("nan"))
