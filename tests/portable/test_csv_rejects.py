"""The file of rejected rows."""

import json
import os
import stat
from pathlib import Path

import pytest

from fernvault.errors import ReadOnlyError
from fernvault.portable.rejects import Reject, RejectsFile


def test_one_object_a_line_for_the_owner_only(tmp_path: Path) -> None:
    with RejectsFile(tmp_path / "h.csv") as rejects:
        rejects.add(Reject(3, "no time", ',"Käse"\nx'))
        rejects.add(Reject(9, "bad encoding", "caf\\xe9"))
        assert not (tmp_path / "h.csv.rejects.jsonl").exists()
    assert rejects.path == tmp_path / "h.csv.rejects.jsonl"
    assert rejects.count == 2
    assert stat.S_IMODE(rejects.path.stat().st_mode) == 0o600
    lines = [json.loads(line) for line in rejects.path.read_text(encoding="utf-8").splitlines()]
    assert lines == [
        {"line": 3, "reason": "no time", "row": ',"Käse"\nx'},
        {"line": 9, "reason": "bad encoding", "row": "caf\\xe9"},
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["h.csv.rejects.jsonl"]


def test_nothing_is_created_without_a_reject(tmp_path: Path) -> None:
    with RejectsFile(tmp_path / "h.csv") as rejects:
        pass
    assert rejects.path is None
    assert list(tmp_path.iterdir()) == []


def test_an_import_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    old = tmp_path / "h.csv.rejects.jsonl"
    old.write_text("old")
    with pytest.raises(KeyError), RejectsFile(tmp_path / "h.csv") as rejects:
        rejects.add(Reject(2, "no time", ""))
        raise KeyError
    assert old.read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]
    with RejectsFile(tmp_path / "h.csv") as rejects:
        rejects.add(Reject(2, "no time", ""))
    assert json.loads(old.read_text())["line"] == 2
    assert stat.S_IMODE(old.stat().st_mode) == 0o600


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anywhere, so the folder here is one that does not exist: the same branch, the same answer."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with RejectsFile(tmp_path / "gone" / "h.csv") as rejects:
        rejects.add(Reject(2, "no time", ""))
    assert rejects.path == here / "h.csv.rejects.jsonl"
    with RejectsFile("-") as rejects:
        rejects.add(Reject(2, "no time", ""))
    assert rejects.path == here / "stdin.rejects.jsonl"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_folder_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o500)
    with pytest.raises(ReadOnlyError), RejectsFile(tmp_path / "h.csv") as rejects:
        rejects.add(Reject(2, "no time", ""))
    tmp_path.chmod(0o700)
