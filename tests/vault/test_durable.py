"""A replaced file is the old one or the new one, and only the owner's."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from fernvault.vault import durable


def test_the_new_content_is_there_and_private(tmp_path: Path) -> None:
    path = tmp_path / "vault.keys"
    path.write_bytes(b"old")
    path.chmod(0o666)
    durable.replace(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["vault.keys"]


def test_a_failure_leaves_the_old_content_and_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "vault.keys"
    path.mkdir()
    (path / "inside").write_bytes(b"old")
    with pytest.raises(OSError, match="directory"):
        durable.replace(path, b"new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["vault.keys"]
    assert (path / "inside").read_bytes() == b"old"
