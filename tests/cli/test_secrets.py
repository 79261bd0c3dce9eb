"""What must never be found: anything of the memory, or the passphrase, outside the vault's encryption."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.support import FERN, PASSPHRASE, World, filled_world, without_capabilities

MARKS = ("zanzibar.example", "pref:xylophone-polish", "xylophone polish deluxe", "event-quetzal-1")


def _session(world: World) -> None:
    """Everything a person does in a day."""
    surface, attribute, item, name = MARKS
    world.fern("surface", "add", surface)
    event = {"id": name, "item": item, "attributes": [attribute]}
    world.fern("record", "--surface", surface, stdin=json.dumps(event).encode())
    world.file("h.jsonl", json.dumps(event | {"id": name + "2", "at": "2026-11-30T10:00:00Z"}) + "\n")
    world.fern("import", "jsonl", "h.jsonl", "--surface", surface)
    (world.work / "h.jsonl").unlink()
    for words in (
        ["card", surface],
        ["ls", surface, "--all"],
        ["why", surface, attribute],
        ["preview", surface],
        ["set", surface, attribute, "7"],
        ["pin", surface, attribute],
        ["forget", surface, attribute],
        ["undo"],
        ["doctor"],
        ["status"],
    ):
        world.fern(*words)


def _found(root: Path, marks: tuple[str, ...]) -> list[tuple[str, str]]:
    hits = []
    for path in root.rglob("*"):
        for mark in marks:
            if mark in path.name:
                hits.append((mark, f"the name {path}"))
            if path.is_file() and not path.is_symlink() and mark.encode() in path.read_bytes():
                hits.append((mark, str(path)))
    return hits


@pytest.mark.parametrize("way", ["running", "locked", "killed"])
def test_nothing_of_the_memory_is_on_the_disk_in_the_clear(filled: World, way: str) -> None:
    agent = filled.start_agent()
    _session(filled)
    if way == "killed":
        agent.kill()
        agent.wait(30)
    elif way == "locked":
        filled.lock()
    marks = (*MARKS, MARKS[1].removeprefix("pref:"), PASSPHRASE)
    for folder in (filled.home, filled.runtime, filled.work):
        assert _found(folder, marks) == []
    assert filled.secret.read_text().strip() == PASSPHRASE, "the test's own file, outside those folders"
    assert _found(filled.root, (PASSPHRASE,)) == [(PASSPHRASE, str(filled.secret))]


def test_the_search_would_find_it() -> None:
    """Guards the test above."""
    with filled_world() as world:
        world.start_agent()
        _session(world)
        world.fern("export", "--to", "out")
        assert {mark for mark, _ in _found(world.work, MARKS)} == set(MARKS)


def test_the_passphrase_is_in_no_argument_and_no_environment(filled: World) -> None:
    filled.fern("unlock")
    process = Path(f"/proc/{filled.agent_pid()}")
    assert PASSPHRASE.encode() not in (process / "cmdline").read_bytes()
    assert b"FERN_PASSPHRASE_COMMAND" in (process / "environ").read_bytes()
    assert PASSPHRASE.encode() not in (process / "environ").read_bytes()


@pytest.mark.skipif(os.geteuid() != 0, reason="as another user than root the kernel tells this by the owner alone")
def test_another_process_of_the_same_user_cannot_look_into_the_agent(warm: World) -> None:
    import subprocess

    pid = warm.agent_pid()
    for name in ("environ", "maps", "mem", "fd/0"):
        looked = subprocess.run(
            ["head", "-c", "1", f"/proc/{pid}/{name}"],
            preexec_fn=without_capabilities,
            capture_output=True,
            text=True,
            check=False,
        )
        assert looked.returncode != 0
        assert "ermission denied" in looked.stderr
    own = subprocess.run(
        ["head", "-c", "1", "/proc/self/environ"],
        preexec_fn=without_capabilities,
        capture_output=True,
        check=False,
    )
    assert own.returncode == 0, "so it is the agent that is closed, not /proc"


def test_no_core_file_and_private_places(warm: World) -> None:
    limits = Path(f"/proc/{warm.agent_pid()}/limits").read_text()
    core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
    note = json.loads((warm.vault / "agent.json").read_text())
    place = Path(note["socket"])
    assert place.stat().st_mode & 0o777 == 0o600
    assert place.parent.stat().st_mode & 0o777 == 0o700
    assert Path(FERN).exists()


def test_a_message_never_carries_an_event(filled: World) -> None:
    """A damaged vault in use: what is printed names files and verbs, and nothing of what is in it."""
    agent = filled.start_agent()
    _session(filled)
    filled.lock()
    assert agent.wait(30) == 0
    content = bytearray(filled.folder.db.read_bytes())
    for page in range(3, len(content) // 4096):
        content[page * 4096 + 7] ^= 0xFF
    filled.folder.db.write_bytes(content)
    for way in ([], ["--no-agent"]):
        for words in (["card", MARKS[0]], ["ls", MARKS[0]], ["why", MARKS[0], MARKS[1]], ["doctor"]):
            said = filled.fern(*words, *way, code=5)
            assert "xylophone" not in said.err.replace(MARKS[1], "")
            assert "sqlcipher" not in said.err.lower()
            assert said.err.count("\n") <= 1
        filled.lock()
