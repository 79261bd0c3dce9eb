"""One owner at a time, --no-agent, and what a crash or a stranger leaves in the agent's place."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fernvault_cli.main import main
from tests.cli.support import DEMO, SURFACE, World, agents_of, csv_of, many_rows

# Each of them pays for real keys, real terminals or real deaths.
pytestmark = pytest.mark.slow

VERBS = [
    ["card", SURFACE],
    ["ls", SURFACE],
    ["why", SURFACE, "pref:oat-milk"],
    ["preview", SURFACE],
    ["set", SURFACE, "pref:oat-milk", "3"],
    ["undo"],
    ["surface", "list"],
    ["surface", "show", SURFACE],
    ["surface", "add", "b.example"],
    ["surface", "remove", "b.example", "--yes"],
    ["import", "csv", str(DEMO / "household.csv"), "--surface", SURFACE, "--map", str(DEMO / "mapping.toml")],
    ["record", "--surface", SURFACE],
    ["export", "--to", "out"],
    ["doctor"],
    ["delete", "--all", "--yes"],
]


def test_no_agent_works_for_every_verb_and_leaves_nothing_running(filled: World) -> None:
    for words in VERBS:
        filled.fern(*words, "--no-agent", stdin=b'{"item": "tea"}\n')
        assert not (filled.vault / "agent.json").exists()
    assert agents_of(filled.root) == []


def test_no_agent_refuses_while_the_agent_holds_the_vault(
    shared: World, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pid = shared.agent_pid()
    for name, value in shared.env.items():
        monkeypatch.setenv(name, value)
    for words in VERBS:
        # In this process, since fifteen of their own take their time; one of its own follows.
        monkeypatch.setattr("sys.argv", ["fern", "--json", *words, "--no-agent"])
        assert main() == 8
        error = json.loads(capsys.readouterr().out)["error"]
        assert error["code"] == "already-running"
        assert str(pid) in error["message"]
    assert str(pid) in shared.error("card", SURFACE, "--no-agent", code=8)["message"]
    assert shared.fern("status", "--no-agent", "--json").json()["pid"] == pid


def test_a_second_agent_refuses(warm: World) -> None:
    second = warm.start_agent()
    assert second.wait(30) == 8
    error = warm.said["error"]
    assert error["code"] == "already-running"
    assert str(warm.agent_pid()) in error["message"]


def test_a_verb_names_the_no_agent_process_that_holds_the_vault(filled: World) -> None:
    busy = filled.popen("record", "--surface", SURFACE, "--no-agent")
    assert busy.stdin is not None
    assert busy.stdout is not None
    busy.stdin.write(b'{"item": "tea"}\n')
    busy.stdin.flush()
    assert b"recorded" in busy.stdout.readline()
    error = filled.error("card", SURFACE, code=8)
    assert str(busy.pid) in error["message"]
    assert filled.fern("status", "--json").json()["state"] == "locked"
    busy.communicate(timeout=30)
    assert filled.fern("card", SURFACE).out.startswith("likes")


def test_after_a_killed_agent_the_next_verb_just_works(filled: World) -> None:
    agent = filled.start_agent()
    filled.fern("set", SURFACE, "pref:tea", "5")
    note = json.loads((filled.vault / "agent.json").read_text())
    agent.kill()
    agent.wait(30)
    assert Path(note["socket"]).exists()
    assert filled.fern("status", "--json").json()["state"] == "locked"
    assert "tea" in filled.fern("card", SURFACE).out
    assert filled.agent_pid() != agent.pid
    assert filled.fern("doctor").out.startswith("all is well")


def test_after_a_kill_no_agent_just_works_too(filled: World) -> None:
    agent = filled.start_agent()
    agent.kill()
    agent.wait(30)
    assert filled.fern("card", SURFACE, "--no-agent").out.startswith("likes")


def test_a_number_that_another_process_has_now_is_nobody(filled: World) -> None:
    """agent.json of a dead agent whose process id was given to somebody else."""
    note = {"pid": os.getpid(), "socket": str(filled.runtime / "gone.sock")}
    (filled.vault / "agent.json").write_text(json.dumps(note))
    assert filled.fern("card", SURFACE).out.startswith("likes")


def _fifo(path: Path) -> None:
    os.mkfifo(path, 0o600)


def _note(text: str | bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        path.chmod(0o600)

    return write


NOTES: dict[str, Callable[[Path], None]] = {
    "empty": _note(""),
    "garbage": _note(b"\xff\x00\xfe"),
    "huge": _note('{"pid": 1, "socket": "' + "x" * 1_000_000),
    "deep": _note("[" * 4_096),
    "list": _note("[1, 2]"),
    "number": _note("7"),
    "null": _note("null"),
    "pid is text": _note('{"pid": "1", "socket": "/tmp/x"}'),
    "pid is huge": _note('{"pid": 1' + "0" * 400 + ', "socket": "/tmp/x"}'),
    "socket is a number": _note('{"pid": 1, "socket": 5}'),
    "socket is null": _note('{"pid": 4194305, "socket": null}'),
    "socket holds a zero": _note('{"pid": 1, "socket": "a\\u0000b"}'),
    "socket is no text": _note('{"pid": 1, "socket": "\\ud800"}'),
    "socket is far too long": _note(json.dumps({"pid": 1, "socket": "/" + "s" * 3_000})),
    "socket is a folder": _note('{"pid": 1, "socket": "/tmp"}'),
    "socket is another's": _note('{"pid": 1, "socket": "/dev/null"}'),
    "nothing is missing but the socket": _note('{"pid": 1}'),
    "fifo": _fifo,
}


@pytest.mark.parametrize("name", NOTES)
def test_a_strange_note_is_no_agent(filled: World, name: str) -> None:
    NOTES[name](filled.vault / "agent.json")
    assert filled.fern("card", SURFACE).out.startswith("likes")


def test_a_linked_note_is_never_followed(filled: World) -> None:
    target = filled.root / "note"
    target.write_text(json.dumps({"pid": os.getpid(), "socket": str(filled.root / "s")}))
    (filled.vault / "agent.json").symlink_to(target)
    before = target.read_text()
    assert filled.fern("card", SURFACE).out.startswith("likes")
    assert target.read_text() == before
    assert not (filled.vault / "agent.json").is_symlink()


def test_a_folder_in_the_notes_place_is_one_line(filled: World) -> None:
    (filled.vault / "agent.json").mkdir(mode=0o700)
    assert filled.error("card", SURFACE, "--no-agent", code=1)["next"]
    assert filled.error("card", SURFACE, code=1)["next"]


GARBAGE = [
    b"",
    b"hello, who are you?",
    b"\x00\x00",
    b"\xff\xff\xff\xff",
    b"\x00\x00\x00\x00",
    b"\x00\x00\x00\x02[]",
    b"\x00\x00\x00\x015",
    b"\x00\x00\x00\x02{}",
    b'\x00\x00\x00\x0b{"error": 1}',
    b'\x00\x00\x00\x0d{"error": {}}',
    b"\x00\x00\x00\x05[[[[[",
    b"\x00\x01\x00\x00" + b"[" * 65_536,
    b'\x00\x00\x00\x20{"ok":',
]


@contextmanager
def _squatter(world: World, answer: bytes, pid: int = 1) -> Iterator[None]:
    """Something of our own user that sits on a socket and does not speak the protocol."""
    place = str(world.runtime / "squat.sock")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen()

    def serve() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.recv(1 << 16)
                connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    (world.vault / "agent.json").write_text(json.dumps({"pid": pid, "socket": place}))
    try:
        yield
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        thread.join()
        (world.vault / "agent.json").unlink()


@pytest.mark.parametrize("answer", GARBAGE, ids=range(len(GARBAGE)))
def test_an_agent_that_speaks_garbage_is_one_line(filled: World, answer: bytes) -> None:
    with _squatter(filled, answer):
        assert filled.error("card", SURFACE, code=1)["code"] == "agent-gone"


@pytest.mark.slow  # it is given its twenty seconds
def test_an_agent_that_was_stopped_is_ended_by_lock(filled: World) -> None:
    agent = filled.start_agent()
    filled.fern("set", SURFACE, "pref:tea", "5")
    agent.send_signal(signal.SIGSTOP)
    assert filled.fern("lock", "--json").json() == {"state": "locked"}
    assert agent.wait(30) == -signal.SIGKILL
    assert "tea" in filled.fern("card", SURFACE).out


def test_lock_ends_nobody_but_the_agent(filled: World) -> None:
    """A process that a stale note names, and that is not the one on the socket, is left alone."""
    bystander = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    with _squatter(filled, b"nonsense", pid=bystander.pid):
        assert filled.error("lock", code=1)["code"] == "agent-gone"
    assert bystander.poll() is None
    bystander.communicate(timeout=60)
    assert bystander.returncode == 0


@pytest.mark.parametrize("answer", [b"", b"\x00\x00\x00\x02[]"])
def test_the_long_path_says_the_same_of_it(filled: World, answer: bytes) -> None:
    with _squatter(filled, answer):
        error = filled.error("import", "csv", str(DEMO / "household.csv"), "--surface", SURFACE, code=1)
        assert error["code"] == "agent-gone"


def test_an_agent_killed_in_the_middle_is_one_line_and_nothing_acknowledged_is_lost(filled: World) -> None:
    filled.file("big.csv", csv_of(many_rows(8_000)))
    agent = filled.start_agent()
    process = filled.popen("import", "csv", "big.csv", "--surface", SURFACE)
    client = filled.client()
    while (known := client.call("status", {})["events"]) < 2_000:
        pass
    client.close()
    agent.send_signal(signal.SIGKILL)
    agent.wait(30)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == b""
    assert b"the agent went away" in err
    assert b"Traceback" not in err
    assert filled.fern("status", "--json", "--no-agent").json()["state"] == "locked"
    assert filled.fern("doctor", "--json").json()["events"] >= known
    done = filled.fern("import", "csv", "big.csv", "--surface", SURFACE, "--json").json()
    assert done["events"] + done["duplicates"] == 8_000
