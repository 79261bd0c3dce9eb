"""Rows: every line becomes part of a row or of a reject, or is blank; nothing else."""

import csv
import io
import itertools
import tracemalloc
from collections.abc import Iterable, Iterator
from time import perf_counter
from typing import BinaryIO, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fernvault.errors import InputError
from fernvault.portable.csv_rows import CsvRows, Row
from fernvault.portable.rejects import Reject
from fernvault.portable.text_file import TextFile


def read(data: bytes, delimiter: str | None = None, encoding: str | None = None) -> list[Row | Reject]:
    with TextFile("f.csv", io.BytesIO(data), encoding=encoding) as text:
        return list(CsvRows(text, delimiter))


def rows(found: Iterable[Row | Reject]) -> list[tuple[int, list[str]]]:
    return [(row.line, row.fields) for row in found if isinstance(row, Row)]


def rejects(found: Iterable[Row | Reject]) -> list[tuple[int, str]]:
    return [(row.line, row.reason) for row in found if isinstance(row, Reject)]


class Stream(io.RawIOBase):
    """Bytes that are made while they are read."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while len(self._rest) < size and (chunk := next(self._chunks, b"")):
            self._rest += chunk
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken


def test_plain_rows_with_every_line_end() -> None:
    assert rows(read(b"a,b\n1,2\r\n3,4\r5,6")) == [(2, ["1", "2"]), (3, ["3", "4"]), (4, ["5", "6"])]


def test_blank_lines_are_skipped_and_counted() -> None:
    found = read(b"\n\r\na,b\n\n1,2\n   \n3,4\n\n")
    assert found == [Row(5, ["1", "2"]), Row(7, ["3", "4"])]


def test_quoted_line_ends_delimiters_and_quotes() -> None:
    found = read(b'a,b\n"x\r\ny, ""z""",2\n3,"4\n\n5"\n6,7\n')
    assert rows(found) == [(2, ['x\r\ny, "z"', "2"]), (4, ["3", "4\n\n5"]), (7, ["6", "7"])]


def test_a_header_over_two_lines_and_a_mark() -> None:
    with TextFile("f", io.BytesIO(b'\xef\xbb\xbf"first\nname", b \n1,2\n')) as text:
        read_rows = CsvRows(text)
        assert read_rows.header == ("first\nname", "b")
        assert list(read_rows) == [Row(3, ["1", "2"])]


@pytest.mark.parametrize("delimiter", list(",;\t|"))
def test_the_header_shows_the_delimiter(delimiter: str) -> None:
    assert rows(read(f"a{delimiter}b{delimiter}c\n1{delimiter}2{delimiter}3".encode())) == [(2, ["1", "2", "3"])]


def test_a_delimiter_that_is_given_is_kept() -> None:
    assert rows(read(b"a,b:c\n1,2:3\n", ":")) == [(2, ["1,2", "3"])]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"a,b,a\n", "two columns are named 'a'"),
        (b"a,,b\n", "column 2 of the header has no name"),
        (b"a,\xe9\n", "the header has bad encoding"),
        (b"a,\x00\n", "the header has a NUL byte"),
        (b'a,"b\n1,2\n', "the header has a quote that is not closed"),
    ],
)
def test_headers_that_cannot_be_used(data: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(data)


def test_a_wrong_number_of_columns_costs_that_row() -> None:
    found = read(b"a,b\n1,2\n1\n1,2,3\n4,5\n")
    assert rows(found) == [(2, ["1", "2"]), (5, ["4", "5"])]
    assert rejects(found) == [(3, "1 columns instead of 2"), (4, "3 columns instead of 2")]


def test_an_unbalanced_quote_costs_its_own_row() -> None:
    body = [b"%d,x%d\n" % (number, number) for number in range(1_000)]
    body[500] = b'500,"oops\n'
    found = read(b"a,b\n" + b"".join(body))
    assert rejects(found) == [(502, "a quote that is not closed")]
    assert len(rows(found)) == 999


def test_an_unbalanced_quote_that_a_later_one_closes() -> None:
    found = read(b'a,b\n1,"oops\n2,fine\n3,"quoted, fine"\n4,"also ""fine"""\n5,x\n')
    assert rejects(found) == [(2, "a quote that is not closed")]
    assert [fields[0] for _, fields in rows(found)] == ["2", "3", "4", "5"]


def test_an_unbalanced_quote_at_the_end() -> None:
    found = read(b'a,b\n1,2\n3,"4')
    assert rejects(found) == [(3, "a quote that is not closed")]


def test_rows_over_several_lines_survive_an_unbalanced_quote_before_them() -> None:
    found = read(b'a,b\n1,"oops\n2,"x\ny"\n3,z\n')
    assert rejects(found) == [(2, "a quote that is not closed")]
    assert rows(found) == [(3, ["2", "x\ny"]), (5, ["3", "z"])]


def test_quotes_that_are_not_doubled() -> None:
    found = read(b'a,b\n1,"The "Best" Of"\n2,5" pipe\n')
    assert rejects(found) == [(2, "a quote inside a quoted field that is not doubled")]
    assert rows(found) == [(3, ["2", '5" pipe'])]


def test_bad_bytes_and_nul_cost_their_rows() -> None:
    found = read(b"a,b\n1,caf\xe9\n2,caf\xc3\xa9\n3,n\x00l\n4,x\n")
    assert rejects(found) == [(2, "bad encoding"), (4, "a NUL byte")]
    assert rows(found) == [(3, ["2", "café"]), (5, ["4", "x"])]
    assert [row.row for row in found if isinstance(row, Reject)] == ["1,caf\\xe9", "3,n\0l"]
    assert len(rows(read(b"a,b\n1,caf\xe9\n", encoding="latin-1"))) == 1


def test_fields_and_lines_that_are_too_long() -> None:
    found = read(b"a,b\n1," + b"x" * 200_000 + b"\n2," + b"y," * 2_000_000 + b"\n3,4\n")
    assert rejects(found) == [(2, "a field that is too long"), (3, "a line that is too long")]
    assert rows(found) == [(4, ["3", "4"])]
    assert all(len(row.row) <= 4_000 for row in found if isinstance(row, Reject))


@given(
    table=st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=3, max_size=3)),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n", "\r"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_whatever_a_csv_writer_wrote_comes_back(
    table: list[list[str]], delimiter: str, end: str, encoding: str, quoting: int
) -> None:
    if any("\r" in cell or "\n" in cell for row in table for cell in row):
        quoting = csv.QUOTE_ALL  # before Python 3.13 the writer leaves a line end bare that is not its own
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    writer.writerow(["a", "b", "c"])
    writer.writerows(table)
    found = read(written.getvalue().encode(encoding))
    assert [row.fields for row in found if isinstance(row, Row)] == table
    assert rejects(found) == []


tokens = st.sampled_from([b'"', b",", b"\n", b"\r\n", b"\r", b"a", b'""', b"\x00", b"\xe9", b"1,2\n", b'3,"4\n5"\n'])


@settings(max_examples=400)
@given(data=st.one_of(st.binary(max_size=80), st.lists(tokens, max_size=40).map(b"".join)))
def test_no_line_is_lost_and_none_is_read_twice(data: bytes) -> None:
    """The text of rows and rejects and the blank lines, in order, is the text of the file."""
    with TextFile("f", io.BytesIO(b"a,b\n" + data)) as text:
        every = list(text.lines())
    with TextFile("f", io.BytesIO(b"a,b\n" + data)) as text:
        source = CsvRows(text)
        at = 1
        for row in source:
            assert source.line == row.line
            start = row.line - 1
            assert all(not line.strip() for line in every[at:start])
            spans = 1 + _breaks(row.row if isinstance(row, Reject) else source.row_text())
            at = start + spans
        assert all(not line.strip() for line in every[at:])


def _breaks(text: str) -> int:
    return len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n")) - 1


def test_a_damaged_file_says_where_it_stops() -> None:
    import gzip

    data = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (n, n) for n in range(100_000)))
    *before, last = read(data[:-1_000])
    assert isinstance(last, Reject)
    assert last.reason.startswith("the file is damaged or cut off here")
    assert last.line == len(before) + 2
    assert rejects(before) == []


def peak_of(chunks: Iterator[bytes]) -> tuple[int, int, int]:
    """Rows, rejects, and the peak of memory in bytes."""
    good = bad = 0
    tracemalloc.start()
    with TextFile("f", cast(BinaryIO, Stream(chunks))) as text:
        for row in CsvRows(text):
            good, bad = (good + 1, bad) if isinstance(row, Row) else (good, bad + 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return good, bad, peak


MEBIBYTE = 1 << 20


@pytest.mark.slow
def test_a_million_rows_in_a_few_megabytes() -> None:
    chunk = b"1234567,some item,8.90\n" * 1_000
    good, bad, peak = peak_of(itertools.chain([b"a,b,c\n"], itertools.repeat(chunk, 1_000)))
    assert (good, bad) == (1_000_000, 0)
    assert peak < 4 * MEBIBYTE


@pytest.mark.slow
def test_200_megabytes_after_a_quote_that_is_never_closed() -> None:
    chunk = b"1234567,some item that is a little longer than the others of its kind\n" * 1_000
    good, bad, peak = peak_of(itertools.chain([b'a,b\n1,"x\n'], itertools.repeat(chunk, 2_900)))
    assert (good, bad) == (2_900_000, 1)
    assert peak < 8 * MEBIBYTE


def test_one_line_of_50_megabytes() -> None:
    good, bad, peak = peak_of(itertools.chain([b'a,b\n1,"'], itertools.repeat(b"x" * 50_000, 1_000), [b"\n2,3\n"]))
    assert (good, bad) == (1, 1)
    assert peak < 24 * MEBIBYTE


@pytest.mark.parametrize("line", [b'a"b,"\n', b'"\n', b'x,"y\n', b'"""\n', b'",\n'])
def test_nothing_but_unbalanced_quotes_takes_linear_time(line: bytes) -> None:
    def seconds(count: int) -> float:
        start = perf_counter()
        found = read(b"a,b\n" + line * count)
        assert len({row.line for row in found}) == len(found)
        return perf_counter() - start

    seconds(1_000)
    assert seconds(40_000) < 20 * max(seconds(8_000), 0.02)
