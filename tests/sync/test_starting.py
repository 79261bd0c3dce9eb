"""Starting the agent: ready when it says so, or the very error that stopped it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from fernvault import errors
from fernvault.errors import (
    AlreadyRunningError,
    FernError,
    InputError,
    LockedError,
    UnsafeFolderError,
    VaultEmptyError,
    VaultMissingError,
    WrongPassphraseError,
)
from fernvault_sync import starting
from tests.cli.support import PASSPHRASE, World, agents_of, filled_world


@pytest.fixture
def here() -> Iterator[World]:
    """A locked vault in a world that this very process lives in."""
    with filled_world() as world, pytest.MonkeyPatch.context() as patch:
        for name, value in world.env.items():
            patch.setenv(name, value)
        yield world


def test_it_is_ready_and_stands_on_its_own(here: World) -> None:
    pid = starting.start_agent(here.folder, PASSPHRASE, idle=100, maximum=200)
    assert here.agent_pid() == pid
    assert agents_of(here.root) == [pid]
    assert os.getsid(pid) == pid, "it lives on when the terminal goes"
    assert Path(f"/proc/{pid}/cwd").readlink() == Path("/"), "and holds no folder"
    client = here.client()
    assert client.call("status", {})["locks_in"] == {
        "idle": pytest.approx(100, abs=2),
        "max": pytest.approx(200, abs=2),
    }
    client.close()
    # Answering, it has hung up on whoever started it.
    assert {Path(f"/proc/{pid}/fd/{number}").readlink() for number in (0, 1, 2)} == {Path("/dev/null")}


def test_what_lies_in_the_current_folder_is_not_run_with_the_key(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "asyncio", "fernvault", "sqlcipher3", "resource"):
        (here.work / f"{name}.py").write_text(f"open({str(here.root / 'ran')!r}, 'w')\nraise SystemExit\n")
    monkeypatch.chdir(here.work)
    starting.start_agent(here.folder, PASSPHRASE)
    assert not (here.root / "ran").exists()


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (lambda world: None, WrongPassphraseError),
        (lambda world: world.folder.db.write_bytes(b""), VaultEmptyError),
        (lambda world: world.vault.chmod(0o777), UnsafeFolderError),
        (lambda world: [path.unlink() for path in world.vault.iterdir()], VaultMissingError),
    ],
)
def test_what_stopped_it_is_raised_here(here: World, damage: object, kind: type[FernError]) -> None:
    damage(here)  # type: ignore[operator]
    with pytest.raises(kind) as raised:
        starting.start_agent(here.folder, "wrong" if kind is WrongPassphraseError else PASSPHRASE)
    assert type(raised.value) is kind
    assert raised.value.message
    assert raised.value.next_step
    assert agents_of(here.root) == []


def test_a_second_one_is_refused(here: World) -> None:
    starting.start_agent(here.folder, PASSPHRASE)
    with pytest.raises(AlreadyRunningError, match=str(here.agent_pid())):
        starting.start_agent(here.folder, PASSPHRASE)


def test_an_agent_that_dies_at_once_is_one_line(here: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for executable in ("/bin/false", "/bin/true"):
        monkeypatch.setattr("sys.executable", executable)
        with pytest.raises(FernError, match="ended before it was ready"):
            starting.start_agent(here.folder, PASSPHRASE)


def _kinds(root: type[FernError]) -> list[type[FernError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _kinds(child))]


@pytest.mark.parametrize("kind", [kind for kind in _kinds(FernError) if kind.__module__ == errors.__name__])
def test_every_error_comes_back_as_itself(kind: type[FernError]) -> None:
    document = {"code": kind.code, "message": "what", "next": "then", "exit": kind.exit_code}
    rebuilt = starting._rebuilt(document)
    assert type(rebuilt) is kind
    assert (rebuilt.message, rebuilt.next_step) == ("what", "then")


def test_an_unknown_error_is_still_an_error() -> None:
    assert type(starting._rebuilt({"code": "new", "message": "m", "next": "n"})) is FernError
    assert isinstance(LockedError("x"), FernError)


def test_a_passphrase_that_is_no_text_leaves_no_process(here: World) -> None:
    with pytest.raises(InputError, match="not valid Unicode"):
        starting.start_agent(here.folder, "\udcff")
    assert agents_of(here.root) == []
    assert Path(here.vault).exists()
