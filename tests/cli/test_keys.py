"""Unlocking, locking, looking, and changing the keys."""

from __future__ import annotations

import os
import signal
import subprocess
from typing import Any

import pexpect
import pytest

from fernvault.errors import WrongPassphraseError
from fernvault.vault import slots
from fernvault.vault.kdf import Kdf
from tests.cli.support import PASSPHRASE, SURFACE, World, agents_of, make_vault, tree, wait_gone

# Each of them pays for real keys, real terminals or real deaths.
pytestmark = pytest.mark.slow

NEW = "amber Walrus 93 sings at noon"


def _descriptor(text: str) -> int:
    reading, writing = os.pipe()
    os.write(writing, text.encode() + b"\n")
    os.close(writing)
    return reading


def _finish(child: pexpect.spawn[str]) -> tuple[int, str]:
    child.expect(pexpect.EOF)
    child.close()
    assert "Traceback" not in (child.before or "")
    return child.exitstatus or 0, (child.before or "").replace("\r\n", "\n")


def test_unlock_status_lock_with_json(filled: World) -> None:
    locked = filled.fern("status", "--json", env={"FERN_PASSPHRASE_COMMAND": "exit 9"}).json()
    assert locked["state"] == "locked"
    assert locked["vault"] == str(filled.vault)
    assert locked["locks_in"] is locked["events"] is locked["surfaces"] is locked["schema"] is None
    opened = filled.fern("unlock", "--json", "--idle", "2", "--max", "90").json()
    assert opened["state"] == "unlocked"
    assert opened["events"] == 60
    assert opened["surfaces"] == 1
    assert opened["schema"] >= 1
    assert 115 <= opened["locks_in"]["idle"] <= 120
    assert 5390 <= opened["locks_in"]["max"] <= 5400
    again = filled.fern("unlock", "--json")
    assert again.json()["pid"] == opened["pid"]
    assert "already" in again.err
    assert filled.fern("lock", "--json").json() == {"state": "locked"}
    wait_gone(opened["pid"])
    assert filled.fern("lock", "--json").json() == {"state": "locked"}
    assert filled.fern("status", "--json").json() == locked


def test_status_for_people_names_both_clocks(warm: World) -> None:
    said = warm.fern("status").out
    assert "15 min (idle) / 8 h 0 min (max)" in said
    assert "unlocked" in said
    assert warm.fern("agent", "status").out.split()[:2] == said.split()[:2]


def test_agent_start_and_stop_are_unlock_and_lock(filled: World) -> None:
    started = filled.fern("agent", "start", "--idle=30", "--json").json()
    assert 1790 <= started["locks_in"]["idle"] <= 1800
    assert filled.fern("agent", "status", "--json").json()["pid"] == started["pid"]
    filled.fern("agent", "stop")
    wait_gone(started["pid"])
    assert filled.fern("agent", "status", "--json").json()["state"] == "locked"


@pytest.mark.parametrize("words", [["--idle", "0"], ["--max", "-1"], ["--idle", "soon"], ["--idle", "nan"], ["now"]])
def test_impossible_clocks_are_usage(filled: World, words: list[str]) -> None:
    assert filled.error("unlock", *words, code=2)["code"] == "usage"
    assert agents_of(filled.root) == []


def test_the_passphrase_is_asked_on_the_terminal_without_echo(filled: World) -> None:
    child = filled.terminal("card", SURFACE)
    child.expect("Passphrase: ")
    child.sendline(PASSPHRASE)
    code, said = _finish(child)
    assert code == 0
    assert "likes oat-milk" in said
    assert PASSPHRASE not in said
    child = filled.terminal("card", SURFACE)
    code, said = _finish(child)
    assert said.startswith("likes oat-milk"), "the agent runs, so nothing is asked again"


@pytest.mark.parametrize("key", ["c", "d"])
def test_leaving_the_prompt_is_130_and_starts_nothing(filled: World, key: str) -> None:
    child = filled.terminal("card", SURFACE)
    child.expect("Passphrase: ")
    child.sendcontrol(key)
    assert _finish(child)[0] == 130
    assert agents_of(filled.root) == []


@pytest.mark.parametrize("typed", ["wrong", "", "\udcff\udcfe", "x" * 3000])
def test_any_wrong_passphrase_is_one_line(filled: World, typed: str) -> None:
    before = tree(filled.vault)
    child = filled.terminal("unlock")
    child.expect("Passphrase: ")
    child.write_to_stdout = lambda data: None
    os.write(child.child_fd, os.fsencode(typed) + b"\n")
    code, said = _finish(child)
    assert code in (2, 4), said
    assert "Next: " in said
    assert "something went wrong" not in said
    assert tree(filled.vault) == before
    assert agents_of(filled.root) == []


def test_ctrl_c_while_the_agent_opens_the_vault_leaves_no_agent(world: World) -> None:
    make_vault(world.vault)
    secret = slots.unlock_with_passphrase(world.folder, PASSPHRASE)
    # Slow enough that the signal comes in the middle of it.
    slots.replace_passphrase(world.folder, secret, PASSPHRASE, kdf=Kdf(1 << 17, 8, 1), allow_weak=True)
    process = world.popen("unlock")
    while not (agents := agents_of(world.root)):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in out + err
    wait_gone(agents[0])
    assert world.fern("status", "--json").json()["state"] == "locked"


def test_the_passphrase_changes_and_the_words_stay(world: World) -> None:
    words = make_vault(world.vault)
    old, new = _descriptor(PASSPHRASE), _descriptor(NEW)
    changed = world.fern(
        "passphrase", "--json", "--passphrase-fd", str(old), "--new-passphrase-fd", str(new), pass_fds=(old, new)
    )
    os.close(old)
    os.close(new)
    assert changed.json() == {"state": "changed"}
    assert world.error("unlock", code=4)["code"] == "wrong-passphrase"
    world.secret.write_text(NEW + "\n")
    world.fern("doctor", "--no-agent")
    slots.wipe(slots.unlock_with_words(world.folder, words))


def test_the_passphrase_changes_on_the_terminal_while_the_agent_runs(warm: World) -> None:
    pid = warm.agent_pid()
    child = warm.terminal("passphrase")
    child.expect("Current passphrase: ")
    child.sendline(PASSPHRASE)
    child.expect("New passphrase .*: ")
    child.sendline(NEW)
    child.expect("again: ")
    child.sendline(NEW)
    code, said = _finish(child)
    assert code == 0
    assert "the passphrase is changed" in said
    assert warm.agent_pid() == pid
    with pytest.raises(WrongPassphraseError):
        slots.unlock_with_passphrase(warm.folder, PASSPHRASE)


def test_a_wrong_or_weak_one_changes_nothing(filled: World) -> None:
    before = tree(filled.vault)
    for given, new, code in (("wrong", NEW, 4), (PASSPHRASE, "password1", 2), (PASSPHRASE, "", 2)):
        old, fresh = _descriptor(given), _descriptor(new)
        words = ("passphrase", "--passphrase-fd", str(old), "--new-passphrase-fd", str(fresh))
        filled.error(*words, code=code, pass_fds=(old, fresh))
        os.close(old)
        os.close(fresh)
    assert filled.error("passphrase", code=3)["code"] == "locked"
    assert tree(filled.vault) == before


def test_recovering_from_a_script(world: World) -> None:
    words = make_vault(world.vault)
    given, new = _descriptor(words), _descriptor(NEW)
    said = world.fern(
        "recover", "--json", "--words-fd", str(given), "--new-passphrase-fd", str(new), pass_fds=(given, new)
    )
    os.close(given)
    os.close(new)
    # It has opened the vault with the new passphrase by then.
    assert said.json() == {"state": "recovered"}


def test_recovering_on_the_terminal_and_with_a_broken_passphrase_slot(world: World) -> None:
    words = make_vault(world.vault)
    keys = world.folder.keys.read_bytes()
    world.folder.keys.write_bytes(keys.replace(b'"passphrase"', b'"passphrbse"'))
    assert world.error("unlock", code=5)["code"] == "slot-tampered"
    child = world.terminal("recover")
    child.expect(r"The 24 recovery words .*: ")
    child.sendline(words)
    child.expect("New passphrase .*: ")
    child.sendline(NEW)
    child.expect("again: ")
    child.sendline(NEW)
    code, said = _finish(child)
    assert code == 0, said
    world.secret.write_text(NEW + "\n")
    world.fern("doctor", "--no-agent")


def test_wrong_words_change_nothing(world: World) -> None:
    make_vault(world.vault)
    other = make_vault(world.root / "other")
    before = tree(world.vault)
    for text, code in ((other, 4), ("one two three", 2), ("abandon " * 24, 2)):
        given, new = _descriptor(text), _descriptor(NEW)
        error = world.error(
            "recover", "--words-fd", str(given), "--new-passphrase-fd", str(new), code=code, pass_fds=(given, new)
        )
        os.close(given)
        os.close(new)
        assert text.split()[1] not in error["message"].split()
    assert tree(world.vault) == before
    assert world.error("recover", code=3)["code"] == "locked"


def test_two_at_once_start_one_agent(filled: World) -> None:
    """Whoever comes second waits for the vault to be open, however long the first one's passphrase takes."""
    secret = slots.unlock_with_passphrase(filled.folder, PASSPHRASE)
    slots.replace_passphrase(filled.folder, secret, PASSPHRASE, kdf=Kdf(1 << 16, 4, 1), allow_weak=True)
    lines: list[list[str]] = [["card", SURFACE], ["status"], ["ls", SURFACE], ["unlock"]]
    started: list[subprocess.Popen[bytes]] = [filled.popen(*words) for words in lines if words != ["status"]]
    for process in started:
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert out
    assert agents_of(filled.root) == [filled.agent_pid()]


def test_the_second_ones_wrong_passphrase_does_not_matter_once_it_is_open(filled: World) -> None:
    """The agent answers its owner, whatever passphrase a later command would have had."""
    filled.start_agent()
    filled.secret.write_text("wrong\n")
    assert filled.fern("card", SURFACE).out.startswith("likes")


def test_when_the_first_one_fails_the_second_starts_its_own(filled: World) -> None:
    secret = slots.unlock_with_passphrase(filled.folder, PASSPHRASE)
    slots.replace_passphrase(filled.folder, secret, PASSPHRASE, kdf=Kdf(1 << 16, 4, 1), allow_weak=True)
    wrong = filled.popen("card", SURFACE, env={"FERN_PASSPHRASE_COMMAND": "echo wrong"})
    while not agents_of(filled.root):
        assert wrong.poll() is None
    assert filled.fern("card", SURFACE).out.startswith("likes")
    _, err = wrong.communicate(timeout=60)
    assert wrong.returncode in (0, 4), err


def test_a_vault_elsewhere_by_option_and_by_variable(filled: World) -> None:
    other = filled.root / "other"
    make_vault(other)
    named: Any = {"FERN_VAULT": str(other)}
    assert filled.fern("status", "--json", env=named).json()["vault"] == str(other)
    assert filled.fern("--vault", str(other), "status", "--json").json()["vault"] == str(other)
    relative = filled.fern("--vault", "../other", "unlock", "--json").json()
    assert other.samefile(relative["vault"])
    assert relative["events"] == 0
    assert filled.fern("--vault", str(other), "lock", "--json").json()["state"] == "locked"
    wait_gone(relative["pid"])
