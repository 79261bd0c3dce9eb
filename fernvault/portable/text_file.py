"""Text files as they come: plain or packed, in several encodings, with bad bytes marked instead of fatal."""

from __future__ import annotations

import codecs
import io
import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from fernvault.catalog.items import UNREADABLE, decompressed
from fernvault.errors import InputError

STDIN: Final = "-"
LINE_LIMIT: Final = 1 << 20
"""Characters of a line that are read; the rest of a longer line is skipped."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_START: Final = 8
_BAD: Final = re.compile("[\ud800-\udfff]")
_NEXT_STEP: Final = "check the path, then: fern import --help"


def _mark(error: UnicodeError) -> tuple[str, int]:
    # What "surrogateescape" does, also for the bytes under 0x80 that UTF-16 and others can fail on.
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error("fernvault-mark", _mark)


def has_bad_bytes(text: str) -> bool:
    """Whether the text holds bytes that its encoding has no letter for."""
    return not text.isascii() and _BAD.search(text) is not None


def printable(text: str) -> str:
    """The text with each bad byte written out, as ``\\xe9``, so that it can be stored as UTF-8."""

    def written(found: re.Match[str]) -> str:
        code = ord(found[0])
        return f"\\x{code - 0xDC00:02x}" if 0xDC00 <= code <= 0xDCFF else f"\\u{code:04x}"

    return _BAD.sub(written, text)


class TextFile:
    """An open text file. ``encoding``: found or given. ``size``: bytes as stored, None for a pipe. ``damage``: after
    the last line, what made reading stop before the end, else None. Use it as a context manager."""

    def __init__(self, name: str, raw: BinaryIO, *, encoding: str | None = None, size: int | None = None) -> None:
        self.name = name
        self.size = size
        self.damage: str | None = None
        self._counter = _Counter(raw)
        with ExitStack() as closing:
            packed = closing.enter_context(io.BufferedReader(self._counter, 1 << 16))
            plain = decompressed(packed)
            try:
                start = plain.peek(4)[:4]
            except UNREADABLE as error:
                raise InputError(f"{name}: cannot be read: {error}", next_step=_NEXT_STEP) from None
            self.encoding = encoding or _encoding(start)
            errors = "surrogateescape" if codecs.lookup(self.encoding).name == "utf-8" else "fernvault-mark"
            text = io.TextIOWrapper(plain, encoding=self.encoding, errors=errors, newline="")
            self._text = closing.enter_context(text)
            self._closing = closing.pop_all()

    @property
    def position(self) -> int:
        """How many bytes were taken from the file as stored, for a progress bar against ``size``."""
        return self._counter.count

    def lines(self) -> Iterator[str]:
        """The physical lines with their own line ends (``\\n``, ``\\r\\n`` or ``\\r``), without a byte order mark.

        A line of LINE_LIMIT characters is a longer one cut off there. Trouble ends the lines and sets ``damage``.
        """
        readline = partial(self._text.readline, LINE_LIMIT)
        try:
            first = readline().removeprefix("\ufeff")
            if first:
                yield self._whole(first)
            for line in iter(readline, ""):
                yield line if len(line) < LINE_LIMIT else self._whole(line)
        except UNREADABLE as error:
            self.damage = f"the file is damaged or cut off here: {error}"

    def _whole(self, line: str) -> str:
        rest = line
        while len(rest) >= LINE_LIMIT and not rest.endswith(("\n", "\r")):
            rest = self._text.readline(LINE_LIMIT)
        return line

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_text(source: Path | str, *, encoding: str | None = None) -> TextFile:
    """Open a path, or standard input for ``-``. Raises InputError when it cannot be opened or unpacked."""
    if str(source) == STDIN:
        return TextFile("standard input", open(sys.stdin.fileno(), "rb", 0, closefd=False), encoding=encoding)
    path = Path(source)
    try:
        raw = path.open("rb", buffering=0)
        size = path.stat().st_size if path.is_file() else None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", next_step=_NEXT_STEP) from None
    return TextFile(path.name, raw, encoding=encoding, size=size)


def _encoding(start: bytes) -> str:
    for mark, encoding in _MARKS:
        if start.startswith(mark):
            return encoding
    # A header starts in ASCII, so every second byte empty is UTF-16 without a mark.
    match [byte != 0 for byte in start]:
        case [True, False, True, False]:
            return "utf-16-le"
        case [False, True, False, True]:
            return "utf-16-be"
    return "utf-8"


class _Counter(io.RawIOBase):
    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self.count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._raw.read(len(buffer))
        while data and self.count + len(data) < _START and (more := self._raw.read(_START)):
            data += more  # a slow pipe hands out single bytes, and the first few decide how to read the rest
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()
