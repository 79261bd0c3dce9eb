"""Rows of a delimited text file, one at a time, in bounded memory: what cannot be a row costs only itself."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from fernvault.catalog.items import find_delimiter
from fernvault.errors import InputError
from fernvault.portable.rejects import Reject
from fernvault.portable.text_file import LINE_LIMIT, TextFile, has_bad_bytes, printable

ROW_LINES: Final = 256
"""Physical lines that one quoted row may span; a longer one is an unbalanced quote."""
ROW_CHARACTERS: Final = 1 << 20
SHOWN: Final = 4_000
"""Characters of a rejected row that are kept."""

_UNCLOSED: Final = "a quote that is not closed"
_NEXT_STEP: Final = "correct the first line of the file, or name delimiter and encoding in the mapping's [file]"


class Row(NamedTuple):
    """One row as text: ``line`` is its first physical line, the header's being 1."""

    line: int
    fields: list[str]


class _TooLongError(Exception):
    """A quoted row went on for too long."""


class CsvRows:
    """Row and Reject, once, over a text file. ``header``: its column names. ``delimiter``: given, or found.

    Quoted fields follow RFC 4180, strictly. A quote that is never closed, or that swallows lines until they make no
    row, rejects its own line; the swallowed lines are read again. Raises InputError for an unusable header.
    """

    def __init__(self, text: TextFile, delimiter: str | None = None) -> None:
        self._text = text
        self._lines = text.lines()
        self._again: deque[str] = deque()
        self._taken: list[str] = []
        self._line = 1
        self._row_lines = ROW_LINES
        self._row_characters = ROW_CHARACTERS
        self._header_line(delimiter)

    @property
    def line(self) -> int:
        """The first physical line of the row or reject given last."""
        return self._line - len(self._taken)

    def row_text(self) -> str:
        """The text of the row or reject given last, as a reject keeps it."""
        return _shown("".join(self._taken))

    def _header_line(self, delimiter: str | None) -> None:
        for first in self._lines:
            if first.strip():
                break
            self._line += 1
        else:
            raise InputError(f"{self._text.name}: {self._text.damage or 'the file is empty'}", next_step=_NEXT_STEP)
        self._again.append(first)
        self.delimiter = delimiter or find_delimiter(first)
        self.width = 0
        try:
            names = next(csv.reader(self._feed(), delimiter=self.delimiter, strict=True))
        except (csv.Error, _TooLongError) as error:
            raise InputError(f"{self._text.name}: the header has {_why(error, 1)}", next_step=_NEXT_STEP) from None
        if problem := _problem("".join(self._taken)):
            raise InputError(f"{self._text.name}: the header has {problem}", next_step=_NEXT_STEP)
        self.header = tuple(name.strip() for name in names)
        for place, name in enumerate(self.header, 1):
            if not name:
                raise InputError(f"{self._text.name}: column {place} of the header has no name", next_step=_NEXT_STEP)
            if name in self.header[: place - 1]:
                raise InputError(f"{self._text.name}: two columns are named {name!r}", next_step=_NEXT_STEP)
        self._line += len(self._taken)
        self.width = len(self.header)

    def __iter__(self) -> Iterator[Row | Reject]:
        taken, width = self._taken, self.width
        reader = csv.reader(self._feed(), delimiter=self.delimiter, strict=True)
        while True:
            taken.clear()
            try:
                fields = next(reader, None)
            except (csv.Error, _TooLongError) as error:
                reason = _why(error, len(taken))
            else:
                if fields is None:
                    break
                line = self._line
                if len(fields) == width:
                    text = taken[0] if len(taken) == 1 else "".join(taken)
                    self._line += len(taken)
                    if (text.isascii() and "\0" not in text and len(text) < LINE_LIMIT) or not (
                        problem := _problem(text)
                    ):
                        yield Row(line, fields)
                    else:
                        yield Reject(line, problem, _shown(text))
                    if self._row_lines < ROW_LINES and not self._again:
                        self._row_lines, self._row_characters = ROW_LINES, ROW_CHARACTERS
                    continue
                if len(taken) == 1 and not taken[0].strip():
                    self._line += 1
                    continue
                reason = f"{len(fields)} columns instead of {width}"
                if len(taken) > 1:
                    reason += f", or {_UNCLOSED}"
            yield self._give_up_first(reason)
            reader = csv.reader(self._feed(), delimiter=self.delimiter, strict=True)
        if self._text.damage:
            yield Reject(self._line, self._text.damage, "")

    def _give_up_first(self, reason: str) -> Reject:
        first, *swallowed = self._taken
        if swallowed:
            # Halving keeps the whole effort linear: a file of nothing but unbalanced quotes is read about three times.
            self._again.extendleft(reversed(swallowed))
            del self._taken[1:]
            self._row_lines = max(1, self._row_lines // 2)
            self._row_characters //= 2
        elif not self._again:
            self._row_lines, self._row_characters = ROW_LINES, ROW_CHARACTERS
        line = self._line
        self._line += 1
        return Reject(line, _problem(first) or reason, _shown(first))

    def _feed(self) -> Iterator[str]:
        again, lines, taken = self._again, self._lines, self._taken
        size = 0
        while True:
            if again:
                line = again.popleft()
            else:
                found = next(lines, None)
                if found is None:
                    return
                line = found
            if taken:
                size += len(line)
                if len(taken) >= self._row_lines or size > self._row_characters:
                    again.appendleft(line)
                    raise _TooLongError
            else:
                size = len(line)
            taken.append(line)
            yield line


def _problem(text: str) -> str | None:
    if len(text) >= LINE_LIMIT:
        return "a line that is too long"
    if has_bad_bytes(text):
        return "bad encoding"
    return "a NUL byte" if "\0" in text else None


def _why(error: Exception, lines: int) -> str:
    if lines > 1 or isinstance(error, _TooLongError) or "unexpected end" in str(error):
        return _UNCLOSED
    if "field larger" in str(error):
        return "a field that is too long"
    return "a quote inside a quoted field that is not doubled"


def _shown(text: str) -> str:
    return printable(text[:SHOWN].rstrip("\r\n"))
