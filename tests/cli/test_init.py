"""`fern init`, as a person meets it: on a terminal, and from a script."""

from __future__ import annotations

import os
import re
import signal
import stat

import pexpect
import pytest

from fernvault.vault import recovery, slots
from tests.cli.support import FERN, World, make_vault, tree, without_capabilities

# Each of them pays for real keys, real terminals or real deaths.
pytestmark = pytest.mark.slow

STRONG = "violet tractor 41 hums softly"
ASKED = r"Word (\d+): "
NEW = "New passphrase .*: "


def _words_of(text: str) -> list[str]:
    """The words of the sheet on the screen, in order."""
    found = re.findall(r"(\d+)\. ([a-z]+)", text)
    assert [int(number) for number, _ in found] == list(range(1, 25))
    return [word for _, word in found]


def _rehearse(child: pexpect.spawn[str], words: list[str], *, wrong_first: bool = False) -> None:
    for turn in range(3):
        child.expect(ASKED)
        place = int(child.match[1])  # type: ignore[index]
        if wrong_first and turn == 0:
            child.sendline("nonsense")
            child.expect("That is not the word")
            child.expect(ASKED)
            assert int(child.match[1]) == place  # type: ignore[index]
        child.sendline(words[place - 1].upper() if turn == 1 else words[place - 1])


def _end(child: pexpect.spawn[str]) -> tuple[int, str]:
    child.expect(pexpect.EOF)
    child.close()
    said = (child.before or "").replace("\r\n", "\n")
    assert "Traceback" not in said
    code = child.exitstatus if child.exitstatus is not None else -1
    return code, said


def _opens(world: World, passphrase: str | None, words: list[str]) -> None:
    """The vault opens with the words, and through the command with the passphrase, which takes its time."""
    assert slots.unlock_with_words(world.folder, " ".join(words))
    if passphrase is not None:
        world.secret.write_text(passphrase + "\n")
        assert world.fern("doctor", "--no-agent").out.startswith("all is well")


def test_choosing_a_passphrase_and_rehearsing_the_words_makes_a_vault(world: World) -> None:
    child = world.terminal("init", "--zone", "Europe/Berlin")
    child.expect(NEW)
    child.sendline(STRONG)
    child.expect("The same again: ")
    child.sendline("not the same")
    child.expect("That is not the same")
    child.expect("The same again: ")
    child.sendline(STRONG)
    child.expect("Three of them are asked for")
    words = _words_of(child.before or "")
    _rehearse(child, words, wrong_first=True)
    code, said = _end(child)
    assert code == 0
    assert f"created the vault in {world.vault}" in said
    assert "fern surface add" in said
    assert STRONG not in said
    _opens(world, STRONG, words)
    assert stat.S_IMODE(world.vault.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in world.vault.iterdir()} == {0o600}


def test_enter_alone_makes_six_random_words_and_json_stays_clean(world: World) -> None:
    """Secrets and questions go to the terminal alone, even where both streams go to files."""
    out, err = world.work / "out", world.work / "err"
    child = pexpect.spawn(
        "/bin/sh",
        [
            "-c",
            f"exec {FERN} init --json >{out} 2>{err}",
        ],
        env={name: value for name, value in world.env.items() if name != "FERN_PASSPHRASE_COMMAND"},
        encoding="utf-8",
        timeout=60,
        dimensions=(40, 120),
    )
    child.delaybeforesend = None
    child.expect(NEW)
    child.sendline("")
    child.expect(r"Your passphrase: ([a-z]+(-[a-z]+){5})\r\n")
    passphrase = child.match[1]  # type: ignore[index]
    child.expect("The same again: ")
    child.sendline(passphrase)
    child.expect("Three of them are asked for")
    words = _words_of(child.before or "")
    _rehearse(child, words)
    assert _end(child)[0] == 0
    document = out.read_text()
    assert document.count("\n") == 1
    assert passphrase not in document + err.read_text()
    assert words[0] + " " not in document
    assert err.read_text() == ""
    _opens(world, passphrase, words)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ([(NEW, "password1"), (NEW, "12345678"), (NEW, "qwerty")], "too easy to guess"),
        ([(NEW, "password1"), (NEW, STRONG), *[("again: ", text) for text in "abc"]], "did not match"),
    ],
    ids=["weak", "mistyped"],
)
def test_a_weak_or_mistyped_passphrase_makes_no_vault(world: World, asked: list[tuple[str, str]], told: str) -> None:
    child = world.terminal("init")
    for question, text in asked:
        child.expect(question)
        child.sendline(text)
    code, said = _end(child)
    assert code == 2
    assert told in said
    assert "Next: " in said
    assert not world.vault.exists()


@pytest.mark.parametrize("end", ["ctrl-c", "ctrl-d", "hang up"])
def test_leaving_the_rehearsal_leaves_no_vault(world: World, end: str) -> None:
    child = world.terminal("init")
    child.expect(NEW)
    child.sendline(STRONG)
    child.expect("again: ")
    child.sendline(STRONG)
    child.expect(ASKED)
    if end == "hang up":
        child.kill(signal.SIGHUP)
        child.expect(pexpect.EOF)
        child.close()
    else:
        child.sendcontrol(end[-1])
        assert _end(child)[0] == 130
    assert list(world.data.iterdir()) == []


@pytest.mark.parametrize("words", [["init"], ["init", "--import-recovery"], ["init", "--yes", "--recovery-file", "x"]])
def test_an_existing_vault_is_never_touched(world: World, words: list[str]) -> None:
    make_vault(world.vault)
    before = tree(world.vault)
    assert world.error(*words, code=8)["code"] == "exists"
    for left in ("vault.keys", "vault.db") if words == ["init"] else ():
        (world.vault / left).rename(world.root / left)
        assert world.error(*words, code=8)["code"] == "exists"
        (world.root / left).rename(world.vault / left)
    assert tree(world.vault) == before
    assert not (world.work / "x").exists()


def test_a_folder_with_other_things_in_it_is_not_taken(world: World) -> None:
    world.vault.mkdir()
    (world.vault / "thesis.txt").write_text("mine")
    error = world.error("init", "--yes", "--recovery-file", "sheet", code=8)
    assert "thesis.txt" in error["message"]
    assert not (world.work / "sheet").exists()
    assert [path.name for path in world.vault.iterdir()] == ["thesis.txt"]


def test_a_script_gives_the_passphrase_by_descriptor_and_gets_the_words(world: World) -> None:
    reading, writing = os.pipe()
    os.write(writing, STRONG.encode() + b"\n")
    os.close(writing)
    made = world.fern(
        "init", "--yes", "--json", f"--passphrase-fd={reading}", env={"FERN_PASSPHRASE_COMMAND": None},
        pass_fds=(reading,),
    )  # fmt: skip
    os.close(reading)
    document = made.json()
    assert made.err == ""
    assert document["vault"] == str(world.vault)
    assert document["zone"] == "UTC"
    assert len(document["recovery_words"].split()) == recovery.WORDS
    _opens(world, STRONG, document["recovery_words"].split())


def test_the_sheet_goes_to_a_new_private_file(world: World) -> None:
    made = world.fern("init", "--yes", "--recovery-file", "sheet.txt")
    sheet = world.work / "sheet.txt"
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o600
    words = _words_of(sheet.read_text())
    assert words[0] not in made.out.split()
    _opens(world, None, words)


def test_without_json_the_words_are_the_answer_of_a_script(world: World) -> None:
    made = world.fern("init", "--yes")
    _opens(world, None, _words_of(made.out))
    assert "fern surface add" in made.err


@pytest.mark.parametrize("place", ["there", "missing/sheet", "."])
def test_a_sheet_that_cannot_be_written_means_no_vault(world: World, place: str) -> None:
    world.file("there", "older sheet")
    assert world.error("init", "--yes", "--recovery-file", place, code=2)["code"] == "usage"
    assert list(world.data.iterdir()) == []
    assert (world.work / "there").read_text() == "older sheet"


def test_a_folder_that_cannot_be_written_is_told_and_leaves_no_sheet(world: World) -> None:
    world.data.chmod(0o500)
    error = world.error("init", "--yes", "--recovery-file", "sheet", code=9, preexec_fn=without_capabilities)
    assert error["code"] == "read-only"
    assert not (world.work / "sheet").exists()


def test_own_words_are_taken_and_bad_ones_refused(world: World) -> None:
    words = recovery.new_words()
    for typed, code in (("abandon " * 24, 2), (words, 0)):
        child = world.terminal("init", "--import-recovery")
        child.expect(NEW)
        child.sendline(STRONG)
        child.expect("again: ")
        child.sendline(STRONG)
        child.expect(r"The 24 recovery words .*: ")
        child.sendline(typed)
        found, said = _end(child)
        assert found == code, said
        assert world.vault.exists() == (code == 0)
    _opens(world, None, words.split())


@pytest.mark.parametrize(
    ("words", "env", "code"),
    [
        (["init"], {}, 2),
        (["init", "--yes"], {"FERN_PASSPHRASE_COMMAND": None}, 3),
        (["init", "--yes"], {"FERN_PASSPHRASE_COMMAND": "echo password1"}, 2),
        (["init", "--yes"], {"FERN_PASSPHRASE_COMMAND": "echo"}, 2),
        (["init", "--yes"], {"FERN_PASSPHRASE_COMMAND": "exit 3"}, 2),
        (["init", "--yes"], {"FERN_PASSPHRASE_COMMAND": r"printf '\377\376 many bytes'"}, 2),
        (["init", "--yes", "--passphrase-fd", "77"], {}, 2),
        (["init", "--yes", "--passphrase-fd", "x"], {}, 2),
        (["init", "--yes", "--zone", "Mars/Olympus"], {}, 2),
        (["init", "--yes", "--import-recovery"], {}, 3),
    ],
)
def test_what_a_script_gets_wrong_is_one_line_and_no_vault(
    world: World, words: list[str], env: dict[str, str | None], code: int
) -> None:
    error = world.error(*words, code=code, env=env)
    assert error["code"] == {2: "usage", 3: "locked"}[code]
    assert list(world.data.iterdir()) == []
