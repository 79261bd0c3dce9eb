"""Surfaces, exports and deletion."""

from __future__ import annotations

import hashlib
import json
import stat
from pathlib import Path

import pexpect
import pytest

from tests.cli.support import SURFACE, World, wait_gone, without_capabilities

CATALOG = '[items]\nfile = "items.csv"\nkey = "item"\n\n[attributes]\npref = ["kind"]\n'


def _confirm(world: World, words: list[str], answer: str) -> tuple[int, str]:
    child = world.terminal(*words)
    child.expect("to go on: ")
    child.sendline(answer)
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in (child.before or "")
    return child.exitstatus or 0, child.before or ""


def test_adding_listing_and_showing(warm: World) -> None:
    said = warm.fern("surface", "add", "music.example", "--preset", "paper")
    assert said.out == "added music.example\n"
    assert "fern import csv FILE --surface music.example" in said.err
    rows = warm.fern("surface", "list", "--json").lines()
    assert [row["surface"] for row in rows] == ["music.example", SURFACE]
    assert [row["events"] for row in rows] == [0, 60]
    assert warm.fern("surface", "list").out.splitlines()[1].split() == [SURFACE, "60", "events", "3", "attributes"]
    shown = warm.fern("surface", "show", "music.example", "--json").json()
    assert shown["rule"]["name"] == "paper"
    assert "paper" in warm.fern("surface", "show", "music.example").out
    assert "nothing is known on music.example yet" in warm.fern("card", "music.example").err


def test_a_catalog_gives_attributes_to_what_is_recorded(warm: World) -> None:
    warm.file("items.csv", "item,kind\ntea,Hot Drinks\nrusk,Baby Food\n")
    warm.file("catalog.toml", CATALOG)
    made = warm.fern("surface", "add", "tea.example", "--catalog", "catalog.toml", "--json").json()
    assert made["items"] == 2
    acked = warm.fern("record", "--surface", "tea.example", stdin=b'{"item": "tea"}\n').lines()
    assert acked[0]["attributes"] == ["pref:hot-drinks"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["add", SURFACE], 8),
        (["add", "Not A Name"], 2),
        (["add", "x.example", "--preset", "fast"], 2),
        (["add", "x.example", "--catalog", "missing.toml"], 2),
        (["add", "x.example", "--catalog", "broken.toml"], 2),
        (["show", "nowhere.example"], 6),
        (["remove", "nowhere.example", "--yes"], 6),
        (["remove", SURFACE], 2),
        (["lst"], 2),
    ],
)
def test_what_goes_wrong_changes_nothing(shared: World, words: list[str], code: int) -> None:
    shared.file("broken.toml", "[attributes\n")
    shared.error("surface", *words, code=code)
    assert [row["surface"] for row in shared.fern("surface", "list", "--json").lines()] == [SURFACE]


@pytest.mark.parametrize("words", [["surface", "remove", SURFACE], ["delete", "--surface", SURFACE]])
def test_removing_asks_for_the_name(warm: World, words: list[str]) -> None:
    code, said = _confirm(warm, words, "yes")
    assert code == 2
    assert "nothing was changed" in said
    assert warm.fern("surface", "show", SURFACE, "--json").json()["events"] == 60
    code, said = _confirm(warm, words, SURFACE)
    assert code == 0
    assert f"deleted {SURFACE}: 60 events" in said
    assert "backups, exports and snapshots" in said
    assert warm.fern("surface", "list", "--json").out == ""
    assert warm.error("card", SURFACE, code=6)["code"] == "not-found"


def test_an_export_is_readable_whole_and_private(warm: World) -> None:
    warm.fern("forget", SURFACE, "fit:size-l")
    said = warm.fern("export", "--to", "out")
    assert said.out.startswith("exported ")
    assert "not encrypted" in said.err
    out = warm.work / "out"
    manifest = json.loads((out / "manifest.json").read_text())
    for name, found in manifest["files"].items():
        content = (out / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == found["sha256"]
        assert content.count(b"\n") == found["rows"]
        assert stat.S_IMODE((out / name).stat().st_mode) == 0o600
    assert manifest["files"]["events.jsonl"]["rows"] == 61
    again = warm.fern("export", "--to", "out2", "--json").json()
    assert again["files"]["events.jsonl"] == manifest["files"]["events.jsonl"]
    assert warm.error("export", "--to", "out", code=8)["code"] == "exists"
    assert warm.error("export", code=2)["code"] == "usage"


def test_an_export_to_where_nobody_may_write(filled: World) -> None:
    sealed = filled.work / "sealed"
    sealed.mkdir(mode=0o500)
    error = filled.error("export", "--to", "sealed/out", "--no-agent", code=9, preexec_fn=without_capabilities)
    assert error["code"] == "read-only"


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
def test_deleting_the_whole_vault(filled: World, way: list[str]) -> None:
    if not way:
        filled.start_agent()
        pid = filled.agent_pid()
    code, said = (
        _confirm(filled, ["delete", "--all"], "delete")
        if not way
        else (
            filled.fern("delete", "--all", "--yes", *way).code,
            "deleted the vault",
        )
    )
    assert code == 0
    assert "deleted the vault" in said
    assert not filled.vault.exists()
    if not way:
        wait_gone(pid)
    assert filled.error("status", code=6)["code"] == "vault-missing"


def test_deleting_leaves_what_is_not_the_vaults(filled: World) -> None:
    (filled.vault / "notes.txt").write_text("mine")
    assert filled.fern("delete", "--all", "--yes", "--json").json()["deleted"] == 60
    assert [path.name for path in filled.vault.iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("words", [[], ["--all", "--surface", SURFACE]])
def test_delete_needs_one_target(shared: World, words: list[str]) -> None:
    assert shared.error("delete", *words, "--yes", code=2)["code"] == "usage"


def test_delete_without_a_terminal_needs_yes(shared: World) -> None:
    error = shared.error("delete", "--all", code=2)
    assert error["next"] == "add --yes"
    assert Path(shared.vault / "vault.db").exists()
