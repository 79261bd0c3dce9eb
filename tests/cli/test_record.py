"""`fern record`: a line in, an acknowledgement out, as soon as it is durable."""

from __future__ import annotations

import json
import select
import subprocess
from typing import Any

import pexpect
import pytest

from tests.cli.support import SURFACE, World

WORDS = ("record", "--surface", SURFACE)


def _event(name: str, **more: Any) -> bytes:
    return json.dumps({"id": name, "item": "tea", "attributes": ["pref:tea"], **more}).encode() + b"\n"


def _answer(process: subprocess.Popen[bytes]) -> Any:
    """The next acknowledgement, while the pipe into the command stays open."""
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 60)
    assert ready, "no acknowledgement came"
    return json.loads(process.stdout.readline())


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
def test_each_line_is_acknowledged_while_the_pipe_stays_open(filled: World, way: list[str]) -> None:
    if not way:
        filled.start_agent()
    process = filled.popen(*WORDS, *way)
    assert process.stdin is not None
    for number in range(3):
        process.stdin.write(_event(f"e{number}"))
        process.stdin.flush()
        shape = {"id": f"e{number}", "status": "recorded", "attributes": ["pref:tea"], "line": number + 1}
        assert _answer(process) == shape
        if not way:
            assert filled.fern("status", "--json").json()["events"] == 61 + number
    process.stdin.write(_event("e0"))
    process.stdin.flush()
    assert _answer(process)["status"] == "duplicate"
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0
    assert err == b""


def test_half_a_line_waits_for_its_end(warm: World) -> None:
    process = warm.popen(*WORDS)
    assert process.stdin is not None
    line = _event("e")
    process.stdin.write(line[:20])
    process.stdin.flush()
    assert process.stdout is not None
    assert select.select([process.stdout], [], [], 0.3)[0] == []
    process.stdin.write(line[20:])
    process.stdin.flush()
    assert _answer(process)["id"] == "e"
    process.communicate(timeout=60)


def test_bad_lines_are_refused_one_by_one(warm: World) -> None:
    lines = [
        _event("good"),
        b"garbage\n",
        b"\n",
        b"[1]\n",
        b'{"id": "x", "item": "tea", "colour": "red"}\n',
        b'{"id": "x2", "attributes": ["No Grammar"]}\n',
        b'{"id": "x3"}\n',
        b'{"id": "x4", "item": "tea", "at": "tomorrow"}\n',
        b'{"id": "x5", "item": "tea", "kind": "undo"}\n',
        b'{"id": "x6", "item": "tea", "magnitude": 1e400}\n',
        b'{"id": "x7", "item": "tea", "item": "tea"}\n',
        b'{"id": "\\ud83d", "item": "tea"}\n',
        b'{"id": "x8", "item": "\\ud83d"}\n',
        b"\xff\xfe\x00\n",
        b"[" * 100_000 + b"\n",
        b'{"id": "x9", "item": "' + b"y" * 400_000 + b'"}\n',
        b'{"n": ' + b"1" * 10_000 + b"}\n",
        _event("last")[:-1],
    ]
    said = warm.fern(*WORDS, stdin=b"".join(lines), code=10)
    answers = said.lines()
    assert [answer["status"] for answer in answers] == ["recorded", *["refused"] * 15, "recorded"]
    assert all(answer["reason"] for answer in answers[1:-1])
    assert [answer["line"] for answer in answers] == [1, 2, *range(4, 19)]
    assert answers[3]["id"] == "x"
    assert "15 refused" in said.err
    assert warm.fern("status", "--json").json()["events"] == 62


def test_an_event_without_an_id_or_a_time(warm: World) -> None:
    timed = b'{"at": "2026-11-01T10:00:00Z", "item": "tea"}\n'
    plain = b'{"item": "tea"}\n'
    first = warm.fern(*WORDS, stdin=timed + timed + plain + plain).lines()
    assert [answer["status"] for answer in first] == ["recorded", "duplicate", "recorded", "recorded"]
    assert first[0]["id"] == first[1]["id"]
    assert first[2]["id"] != first[3]["id"]
    assert warm.fern(*WORDS, stdin=timed).lines()[0]["status"] == "duplicate"


def test_thousands_of_lines_keep_their_order(warm: World) -> None:
    said = warm.fern(*WORDS, stdin=b"".join(_event(f"n{number}") for number in range(5_000)))
    assert [answer["id"] for answer in said.lines()] == [f"n{number}" for number in range(5_000)]


def test_nothing_and_an_unknown_surface(warm: World) -> None:
    assert warm.fern(*WORDS).out == ""
    assert warm.error("record", "--surface", "nowhere.example", code=6, stdin=_event("e"))["code"] == "not-found"
    assert warm.error("record", code=2)["code"] == "usage"


def test_on_a_terminal_it_says_what_it_waits_for(warm: World) -> None:
    child = warm.terminal(*WORDS)
    child.expect("Ctrl-D ends")
    child.sendline('{"id": "typed", "item": "tea"}')
    child.expect('"status": "recorded"')
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_the_agents_end_is_told_in_one_line(warm: World) -> None:
    process = warm.popen(*WORDS)
    assert process.stdin is not None
    process.stdin.write(_event("before"))
    process.stdin.flush()
    _answer(process)
    warm.lock()
    out, err = process.communicate(_event("after"), timeout=60)
    assert process.returncode == 1
    assert out == b""
    assert err.startswith(b"fern: the agent went away")
    assert err.count(b"\n") == 1
