"""The export: a folder of JSON Lines that a person and a program can read, with a manifest that vouches for it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from fernvault.errors import ExistsError
from fernvault.vault.faults import named

FORMAT: Final = "fernvault-export"
VERSION: Final = 1

_README: Final = """\
This folder is one person's memory, exported from fernvault. It is not encrypted.

manifest.json   what is here: format version, counts, and the SHA-256 of each file
surfaces.jsonl  one app or site a line, with the rule by which its edges learn and fade
priors.jsonl    the priors you have adopted: each line is a file that fern prior adopt takes
events.jsonl    the journal, one entry a line, in the order in which it was written; kinds set, pin, unpin, forget,
                tune, undo and redo are your own corrections, and "undone_by" names the entry that took this one back
edges.jsonl     what the journal adds up to at the time of the export: strength from 0 to 9, confidence from 0 to 1
cards.jsonl     the card of each surface, as an agent would have read it at that time

Times are RFC 3339 in UTC.
"""

_ENCODE: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def write_export(to: Path, header: Mapping[str, Any], files: Mapping[str, Iterable[dict[str, Any]]]) -> dict[str, Any]:
    """Write one JSON Lines file per entry of ``files``, a README and a manifest; the manifest.

    The folder appears whole or not at all, readable by its owner only. Raises ExistsError when ``to`` is there and not
    empty, DiskFullError and ReadOnlyError with nothing left behind.
    """
    staging = to.parent / f".{to.name}.part"
    with named(to):
        if to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise ExistsError(f"{to} is there already", next_step="choose a new folder for --to")
        shutil.rmtree(staging, ignore_errors=True)
        try:
            staging.mkdir(parents=True, mode=0o700)
        except (NotADirectoryError, FileExistsError):
            raise ExistsError(f"{to.parent} is a file", next_step="choose a new folder for --to") from None
        try:
            listed = {name: _write_lines(staging / name, rows) for name, rows in files.items()}
            manifest = {"format": FORMAT, "version": VERSION, **header, "files": listed}
            _write_text(staging / "README.txt", _README)
            _write_text(staging / "manifest.json", json.dumps(manifest, indent=2) + "\n")
            staging.rename(to)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
    return manifest


def _write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    digest = hashlib.sha256()
    count = 0
    with open(path, "xb", opener=_private) as file:
        for row in rows:
            line = _ENCODE(row).encode() + b"\n"
            digest.update(line)
            file.write(line)
            count += 1
        file.flush()
        os.fsync(file.fileno())
    return {"rows": count, "sha256": digest.hexdigest()}


def _write_text(path: Path, text: str) -> None:
    with open(path, "x", encoding="utf-8", opener=_private) as file:
        file.write(text)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
