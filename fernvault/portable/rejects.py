"""Rows that could not be used, and the file beside the imported one where the person finds them."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, Self

from fernvault.errors import DiskFullError, ReadOnlyError

SUFFIX: Final = ".rejects.jsonl"


class Reject(NamedTuple):
    """A row that gave no event: ``line`` is its first line in the file (the header's is 1), ``row`` its text."""

    line: int
    reason: str
    row: str


class RejectsFile:
    """Writes ``FILE.rejects.jsonl``: one object a line with ``line``, ``reason``, ``row``. Use it as a context manager.

    Nothing is created before the first reject; the file appears whole when the block ends without an exception, and
    only its owner can read it (rows are a person's history, and this file lies outside the vault).
    """

    def __init__(self, source: Path | str) -> None:
        path = Path("stdin" if str(source) == "-" else source)
        self._folders = [Path.cwd()] if str(source) == "-" else [path.absolute().parent, Path.cwd()]
        self._name = path.name + SUFFIX
        self._draft: IO[str] | None = None
        self.path: Path | None = None
        self.count = 0

    def add(self, reject: Reject) -> None:
        """Write one reject. Raises ReadOnlyError when neither the file's folder nor the current one can be written."""
        if self._draft is None:
            self._draft = self._create()
        self.count += 1
        try:
            self._draft.write(json.dumps(reject._asdict(), ensure_ascii=False) + "\n")
        except OSError as error:
            raise self._failed(error) from None

    def _create(self) -> IO[str]:
        import tempfile  # noqa: PLC0415 - most files have no reject, and it is long to load

        reason = OSError(errno.EROFS, os.strerror(errno.EROFS))
        for folder in self._folders:
            try:
                # mkstemp lets only the owner read, whatever the umask.
                handle, name = tempfile.mkstemp(prefix=f".{self._name}.", dir=folder)
            except OSError as error:
                reason = error
                continue
            self.path = folder / self._name
            self._temporary = Path(name)
            return os.fdopen(handle, "w", encoding="utf-8", newline="\n")
        raise self._failed(reason)

    def _failed(self, error: OSError) -> DiskFullError:
        kind = DiskFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else ReadOnlyError
        return kind(f"cannot write {self._name}: {error.strerror}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._draft is None or self.path is None:
            return
        try:
            self._draft.close()
            if kind is None:
                self._temporary.replace(self.path)
        except OSError as problem:
            raise self._failed(problem) from None
        finally:
            self._temporary.unlink(missing_ok=True)
