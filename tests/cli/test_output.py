"""Where words go: the answer alone on stdout, no codes of a terminal where there is none, and quiet pipes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.cli.support import DEMO, FERN, SURFACE, World, check_manners


def _on_terminal(world: World, words: list[str], **env: str | None) -> str:
    child = world.terminal(*words, env=env)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    return child.before or ""


def test_a_terminal_gets_colour_only_if_it_wants_it(shared: World) -> None:
    assert "\x1b[" in _on_terminal(shared, ["status"])
    for words, env in (
        (["status", "--no-color"], {}),
        (["status"], {"NO_COLOR": "1"}),
        (["status"], {"TERM": "dumb"}),
        (["status", "--json"], {}),
    ):
        assert "\x1b" not in _on_terminal(shared, words, **env)
    assert "\x1b[" in _on_terminal(shared, ["status"], NO_COLOR="")


def test_every_answer_stands_alone_on_stdout(warm: World) -> None:
    """Notes are on stderr: with it closed, or with --quiet, stdout is the same."""
    lines = [
        ["ls", SURFACE, "--limit", "1"],
        ["set", SURFACE, "pref:tea", "4"],
        ["undo"],
        ["surface", "list"],
        ["export", "--to", "out"],
    ]
    for words in lines:
        loud = warm.fern(*words)
        if words[0] in ("set", "undo", "export"):
            assert loud.out.count("\n") == 1
            continue
        assert warm.fern(*words, "--quiet").out == loud.out
        assert warm.fern(*words, "--quiet").err == ""


def test_json_is_the_same_in_a_terminal_and_in_a_pipe(shared: World) -> None:
    for words in (["surface", "list", "--json"], ["ls", SURFACE, "--json", "--at", "2026-11-01"]):
        assert _on_terminal(shared, words).replace("\r\n", "\n") == shared.fern(*words).out


@pytest.mark.parametrize("way", ["short", "long"])
def test_a_reader_that_hangs_up_is_no_failure(warm: World, way: str) -> None:
    warm.fern("import", "csv", str(DEMO / "household.csv"), "--surface", SURFACE, "--map", str(DEMO / "mapping.toml"))
    if way == "long":
        warm.lock()
    more = "" if way == "short" else " --no-agent"
    for _ in range(3):
        done = subprocess.run(
            [
                "bash",
                "-c",
                f"{FERN} why {SURFACE} ctx:weekend --json{more} | head -c 10 >/dev/null; echo ${{PIPESTATUS[0]}}",
            ],
            env=warm.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.stderr == ""
        assert done.stdout == "0\n"


@pytest.mark.parametrize("words", [["ls", SURFACE, "--all"], ["surface", "--help"], ["status", "--no-agent"]])
def test_an_answer_that_cannot_be_written(shared: World, words: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [FERN, *words], env=shared.env, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    check_manners("", done.stderr)
    assert done.returncode == 9
    assert done.stderr.count("\n") == 1


def test_closed_streams(shared: World) -> None:
    for streams in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        done = subprocess.run(
            ["sh", "-c", f"exec {FERN} ls {SURFACE} --limit 1 {streams}"],
            env=shared.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, (streams, done)
        check_manners(done.stdout, done.stderr)


def test_a_terminal_without_our_letters_gets_escapes(shared: World) -> None:
    for encoding in ("ascii", "latin-1"):
        said = shared.fern("ls", SURFACE, env={"PYTHONIOENCODING": encoding})
        assert "\\u2588" in said.out
    assert shared.fern("ls", SURFACE, env={"PYTHONIOENCODING": "ascii"}).out.isascii()


def test_odd_names_on_the_command_line(shared: World) -> None:
    for word in ("käse", "日本", "\udcff\udcfe", "a\nb", "%s", "x" * 5_000, "-", "'; drop"):
        error = shared.error("card", "--", word, code=2 if len(word) > 200 or "\udcff" in word else 6)
        assert "\n" not in error["message"]
        said = subprocess.run([FERN, "card", "--", word], env=shared.env, capture_output=True, check=False, timeout=60)
        assert said.stderr.count(b"\n") == 1


def test_a_folder_with_odd_letters(shared: World) -> None:
    odd = Path(os.fsdecode(bytes(shared.root / "work") + b"/fold\xffer \xe2\x9c\x93"))
    error = shared.error("--vault", str(odd), "status", code=6)
    assert error["code"] == "vault-missing"
