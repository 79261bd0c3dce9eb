"""Vaults that are missing, damaged, foreign or too new: the right word, the right code, and not a byte changed."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from fernvault.vault import opening, slots
from tests.cli.support import PASSPHRASE, SURFACE, World, agents_of, make_vault, tree, without_capabilities

# Each of them pays for real keys, real terminals or real deaths.
pytestmark = pytest.mark.slow

Damage = Callable[[World], None]


def _nothing(world: World) -> None:
    shutil.rmtree(world.vault)


def _no_database(world: World) -> None:
    world.folder.db.unlink()


def _no_keys(world: World) -> None:
    world.folder.keys.unlink()


def _empty(world: World) -> None:
    world.folder.db.write_bytes(b"")


def _plain(world: World) -> None:
    world.folder.db.unlink()
    with sqlite3.connect(world.folder.db) as plain:
        plain.execute("CREATE TABLE meta (key, value)")
    plain.close()
    world.folder.db.chmod(0o600)


def _short(world: World) -> None:
    world.folder.db.write_bytes(world.folder.db.read_bytes()[:1000])


def _flipped(offset: int) -> Damage:
    def flip(world: World) -> None:
        content = bytearray(world.folder.db.read_bytes())
        content[offset % len(content)] ^= 1
        world.folder.db.write_bytes(content)

    return flip


def _foreign_keys(world: World) -> None:
    make_vault(world.root / "other")
    shutil.copy(world.root / "other" / "vault.keys", world.folder.keys)


def _keys(change: Callable[[str], str]) -> Damage:
    def tamper(world: World) -> None:
        text = world.folder.keys.read_text()
        changed = change(text)
        assert changed != text
        world.folder.keys.write_text(changed)

    return tamper


def _newer(world: World) -> None:
    connection = opening.open_database(world.folder, slots.unlock_with_passphrase(world.folder, PASSPHRASE))
    connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    opening.close_database(connection)


def _open_to_all(world: World) -> None:
    world.vault.chmod(0o777)


def _linked(world: World) -> None:
    target = world.root / "elsewhere.db"
    world.folder.db.rename(target)
    target.chmod(0o666)
    world.folder.db.symlink_to(target)


CASES: dict[str, tuple[Damage, int, str]] = {
    "no folder": (_nothing, 6, "vault-missing"),
    "no database": (_no_database, 6, "vault-missing"),
    "no keys": (_no_keys, 6, "keys-missing"),
    "empty": (_empty, 5, "vault-empty"),
    "plaintext": (_plain, 5, "vault-plaintext"),
    "cut off": (_short, 5, "vault-damaged"),
    "first page": (_flipped(100), 5, "vault-damaged"),
    "keys of another vault": (_foreign_keys, 5, "vault-damaged"),
    "keys not JSON": (_keys(lambda text: text[:-10]), 5, "slot-tampered"),
    "slot text changed": (_keys(lambda text: text.replace('"passes": 1', '"passes": 2')), 5, "slot-tampered"),
    "keys too new": (_keys(lambda text: text.replace('"version": 1', '"version": 9', 1)), 11, "vault-too-new"),
    "schema too new": (_newer, 11, "vault-too-new"),
    "others may write": (_open_to_all, 7, "unsafe-folder"),
    "a file that others may write": (_linked, 7, "unsafe-folder"),
}


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
@pytest.mark.parametrize("case", CASES)
def test_a_vault_that_does_not_open_is_named_and_left_alone(filled: World, case: str, way: list[str]) -> None:
    damage, code, name = CASES[case]
    damage(filled)
    before = tree(filled.root)
    if way:
        assert filled.error("card", SURFACE, *way, code=code)["code"] == name
    else:
        said = filled.fern("card", SURFACE, code=code)
        assert said.out == ""
        assert re.fullmatch(r"fern: [^\n]+\. Next: [^\n]+\n", said.err)
    assert tree(filled.root) == before
    assert agents_of(filled.root) == []


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
def test_a_wrong_passphrase_changes_nothing(filled: World, way: list[str]) -> None:
    before = tree(filled.vault)
    for words in (["doctor"], ["export", "--to", "out"], ["delete", "--all", "--yes"]):
        assert filled.error(*words, *way, code=4, env={"FERN_PASSPHRASE_COMMAND": "echo no"})["code"] == (
            "wrong-passphrase"
        )
    assert tree(filled.vault) == before
    assert list(filled.work.iterdir()) == []


def test_no_way_to_ask_is_code_3(filled: World) -> None:
    error = filled.error("card", SURFACE, code=3, env={"FERN_PASSPHRASE_COMMAND": None})
    assert error["code"] == "locked"
    assert "--passphrase-fd" in error["next"]


def test_nobody_is_asked_for_a_passphrase_that_opens_nothing(world: World) -> None:
    env: dict[str, str | None] = {"FERN_PASSPHRASE_COMMAND": "touch asked; echo x"}
    for words in (["card", SURFACE], ["unlock"], ["passphrase"], ["delete", "--all", "--yes"]):
        assert world.error(*words, code=6, env=env)["next"] == "fern init"
    assert not (world.work / "asked").exists()


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
def test_the_doctor_finds_a_damaged_page(filled: World, way: list[str]) -> None:
    content = bytearray(filled.folder.db.read_bytes())
    # Some page of the middle: the vault opens, and only reading all of it shows the damage.
    for page in range(2, len(content) // 4096):
        content[page * 4096 + 99] ^= 1
    filled.folder.db.write_bytes(content)
    said = filled.fern("doctor", *way, code=5)
    assert "SQL" not in said.err
    assert said.out + said.err
    words = filled.fern("--json", "doctor", *way, code=5)
    assert words.err == ""
    document = words.json()
    assert document.get("findings") or document["error"]["code"] == "vault-damaged"
    filled.lock()


def test_the_doctor_finds_an_edge_that_its_journal_does_not_know(filled: World) -> None:
    connection = opening.open_database(filled.folder, slots.unlock_with_passphrase(filled.folder, PASSPHRASE))
    connection.execute("UPDATE edge SET hits = hits + 1")
    opening.close_database(connection)
    said = filled.fern("doctor", "--json", "--no-agent", code=5)
    assert {finding["kind"] for finding in said.json()["findings"]} == {"edge"}
    assert "differs from its journal" in filled.fern("doctor", "--no-agent", code=5).out
    assert filled.fern("doctor", "--rebuild", "--no-agent").out.startswith("all is well: 60 events")
    assert filled.fern("doctor", "--no-agent").out.startswith("all is well")


def test_the_doctor_finds_a_broken_recovery_slot(warm: World) -> None:
    document = json.loads(warm.folder.keys.read_text())
    document["slots"] = [slot for slot in document["slots"] if slot["type"] == "passphrase"]
    warm.folder.keys.write_text(json.dumps(document))
    said = warm.fern("doctor", code=5)
    assert "recovery" in said.out
    assert warm.fern("doctor", "--json", code=5).json()["findings"][0]["kind"] == "slot"


def test_a_healthy_vault(warm: World) -> None:
    assert warm.fern("doctor").out == "all is well: 60 events, every edge equals its journal\n"
    document = warm.fern("doctor", "--json").json()
    assert document["findings"] == []
    assert document["events"] == 60


def test_a_folder_that_cannot_be_written_is_read_only(filled: World) -> None:
    filled.vault.chmod(0o500)
    for words in (["card", SURFACE, "--no-agent"], ["unlock"]):
        error = filled.error(*words, code=9, preexec_fn=without_capabilities)
        assert error["code"] == "read-only"
    filled.vault.chmod(0o700)


def test_a_vaults_place_that_is_a_file(world: World) -> None:
    world.vault.write_text("not a folder")
    assert world.error("card", SURFACE, code=6)["code"] == "vault-missing"
    assert world.error("init", "--yes", code=8)["code"] == "exists"
    assert Path(world.vault).read_text() == "not a folder"
