"""Opening text files: packed or not, in any encoding, whole or damaged."""

import gzip
import io
import lzma
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.errors import InputError
from fernvault.portable.text_file import LINE_LIMIT, TextFile, has_bad_bytes, open_text, printable

ROOT = Path(__file__).parents[2]


def lines(data: bytes, encoding: str | None = None) -> list[str]:
    with TextFile("f", io.BytesIO(data), encoding=encoding) as text:
        return list(text.lines())


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress, lzma.compress])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_packing_and_encoding_are_found(tmp_path: Path, pack: Any, encoding: str) -> None:
    path = tmp_path / "f.txt"  # the name says nothing about what is in it
    path.write_bytes(pack("ts,item\r\n1,Käse ☕\n2,\U0001f95b".encode(encoding)))
    with open_text(path) as text:
        assert list(text.lines()) == ["ts,item\r\n", "1,Käse ☕\n", "2,\U0001f95b"]
        assert text.size == text.position == path.stat().st_size
        assert text.damage is None


def test_line_ends_stay_as_they_are() -> None:
    assert lines(b"a\r\nb\rc\nd\x0b\x0c\xe2\x80\xa8e") == ["a\r\n", "b\r", "c\n", "d\x0b\x0c\u2028e"]


def test_bad_bytes_are_marked_where_they_are() -> None:
    good, bad, after = lines(b"Caf\xc3\xa9\nCaf\xe9,x\nz")
    assert [has_bad_bytes(line) for line in (good, bad, after)] == [False, True, False]
    assert printable(bad) == "Caf\\xe9,x\n"
    assert lines(b"Caf\xe9", "latin-1") == ["Café"]
    assert printable(lines(b"a\x00b\x00c", "utf-16-le")[0]) == "ab\\x63"


@given(data=st.binary(max_size=200), encoding=st.sampled_from([None, "utf-8", "utf-16", "utf-32", "cp1252", "utf-7", "shift_jis", "idna"]))  # fmt: skip # noqa: E501
def test_any_bytes_can_be_read_and_written_down(data: bytes, encoding: str | None) -> None:
    try:
        found = lines(data, encoding)
    except InputError:
        assert data[:1] in (b"\x1f", b"\xfd")
        return
    printable("".join(found)).encode()


def test_a_long_line_is_cut_and_the_next_is_whole() -> None:
    first, second = lines(b"x" * (3 * LINE_LIMIT) + b"\ny\n")
    assert len(first) == LINE_LIMIT
    assert second == "y\n"


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress])
def test_a_file_cut_off_keeps_what_came_before(pack: Any) -> None:
    data = pack(b"".join(b"%d\n" % number for number in range(200_000)))
    with TextFile("f", io.BytesIO(data[: len(data) // 2])) as text:
        kept = list(text.lines())
        assert text.damage is not None
    assert kept == [f"{number}\n" for number in range(len(kept))]
    assert len(kept) > 10_000


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        open_text(tmp_path / "none")
    with pytest.raises(InputError, match="cannot read"):
        open_text(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        lines(b"\x1f\x8bnot really")


def test_a_pipe_that_hands_out_single_bytes() -> None:
    class Slow(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.rest = io.BytesIO(data)

        def read(self, size: int = -1) -> bytes:
            return self.rest.read(1)

    for data in ("\ufeffa\nb".encode("utf-16-le"), lzma.compress(b"a\nb"), b"\xef\xbb\xbfa\nb"):
        with TextFile("f", cast(BinaryIO, Slow(data))) as text:
            assert list(text.lines()) == ["a\n", "b"]


def test_standard_input() -> None:
    script = (
        "from fernvault.portable.text_file import open_text\nwith open_text('-') as t: print(list(t.lines()), t.size)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], input=gzip.compress(b"a\nb"), capture_output=True, cwd=ROOT, check=True
    )
    assert done.stdout.decode().strip() == "['a\\n', 'b'] None"
