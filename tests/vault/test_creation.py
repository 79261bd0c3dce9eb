"""A vault is made whole or not at all, and never over anything."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from fernvault.errors import AlreadyRunningError, ExistsError, InputError
from fernvault.vault import creation, layout, opening, recovery, schema, slots
from fernvault.vault.kdf import Kdf
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import VaultLock
from fernvault.vault.recovery import RecoverySheet

ROOT = Path(__file__).parents[2]
PASSPHRASE = "stapler Quokka 7 lemonade"
CHEAP = Kdf(64, 1, 1)


def _create(folder: VaultFolder, passphrase: str = PASSPHRASE, words: str | None = None) -> RecoverySheet:
    return creation.create_vault(
        folder, passphrase, words=words, kdf=CHEAP, allow_weak_kdf=True, zone="Europe/Berlin", now=1_700_000_000_000_000
    )


def _tree(path: Path) -> dict[str, bytes | None]:
    return {str(p.relative_to(path)): p.read_bytes() if p.is_file() else None for p in path.rglob("*")}


@pytest.mark.parametrize("there", [False, True])
def test_a_new_vault_opens_with_both_keys(tmp_path: Path, there: bool) -> None:
    folder = VaultFolder(tmp_path / "deep" / "vault")
    if there:
        folder.path.mkdir(parents=True)
    sheet = _create(folder)
    first = slots.unlock_with_passphrase(folder, PASSPHRASE)
    assert slots.unlock_with_words(folder, sheet.words) == first
    connection = opening.open_database(folder, first)
    assert dict(connection.execute("SELECT key, value FROM meta")) == {
        "vault_id": sheet.vault_id,
        "schema": str(schema.VERSION),
        "created": "1700000000000000",
        "zone": "Europe/Berlin",
    }
    opening.close_database(connection)
    assert int(sheet.vault_id, 16) > 0
    assert len(sheet.vault_id) == 32
    assert [entry.name for entry in folder.path.parent.iterdir()] == ["vault"]


def test_only_the_owner_may_look_whatever_the_umask(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "a" / "vault")
    before = os.umask(0)
    try:
        _create(folder)
        assert os.umask(0) == 0
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert stat.S_IMODE(folder.path.parent.stat().st_mode) == 0o700
    assert {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in folder.path.iterdir()} == {
        "vault.db": 0o600,
        "vault.keys": 0o600,
    }
    layout.check(folder)


def test_given_words_are_used(tmp_path: Path) -> None:
    words = recovery.new_words()
    folder = VaultFolder(tmp_path / "v")
    assert _create(folder, words=words).words == words
    assert slots.unlock_with_words(folder, words)


def test_two_vaults_have_two_ids(tmp_path: Path) -> None:
    assert _create(VaultFolder(tmp_path / "a")).vault_id != _create(VaultFolder(tmp_path / "b")).vault_id


@pytest.mark.parametrize("name", ["vault.db", "vault.keys", "vault.db-wal", "holiday.jpg"])
def test_nothing_is_ever_overwritten(tmp_path: Path, name: str) -> None:
    folder = VaultFolder(tmp_path / "v")
    folder.path.mkdir()
    (folder.path / name).write_bytes(b"mine")
    before = _tree(tmp_path)
    with pytest.raises(ExistsError) as caught:
        _create(folder)
    assert "\n" not in caught.value.message
    assert _tree(tmp_path) == before


def test_a_file_in_the_folders_place_stays(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(b"mine")
    with pytest.raises(ExistsError):
        _create(VaultFolder(tmp_path / "v"))
    assert _tree(tmp_path) == {"v": b"mine"}


def test_a_vault_is_made_once(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "v")
    _create(folder)
    before = _tree(tmp_path)
    with pytest.raises(ExistsError, match="never overwritten"):
        _create(folder, "another")
    assert _tree(tmp_path) == before


@pytest.mark.parametrize(("passphrase", "words"), [("", None), (PASSPHRASE, "zoo zoo"), ("x\udcff", None)])
def test_unusable_keys_leave_nothing(tmp_path: Path, passphrase: str, words: str | None) -> None:
    with pytest.raises(InputError):
        _create(VaultFolder(tmp_path / "v"), passphrase, words)
    assert _tree(tmp_path) == {}


def test_a_weak_cost_is_refused_outside_tests(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="at least"):
        creation.create_vault(VaultFolder(tmp_path / "v"), PASSPHRASE, kdf=CHEAP, zone="UTC", now=0)
    assert _tree(tmp_path) == {}


def test_a_link_to_an_empty_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    _create(VaultFolder(tmp_path / "link"))
    assert (tmp_path / "real" / "vault.db").is_file()
    assert (tmp_path / "link").is_symlink()


def test_the_lock_of_an_erased_vault_is_in_nobodys_way_unless_held(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "v")
    folder.path.mkdir()
    with VaultLock(folder):
        before = _tree(tmp_path)
        with pytest.raises(AlreadyRunningError):
            _create(folder)
        assert _tree(tmp_path) == before
    folder.agent.write_text('{"pid": 1, "socket": null}')
    _create(folder)
    assert sorted(entry.name for entry in folder.path.iterdir()) == ["vault.db", "vault.keys"]


def test_what_a_dead_attempt_left_is_cleared_and_a_living_one_is_not(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    dead, alive = tmp_path / f".v.init-{process.pid}-00ff", tmp_path / f".v.init-{os.getpid()}-00ff"
    other = tmp_path / ".v.initials"
    for path in (dead, alive, other):
        path.mkdir()
        (path / "vault.keys").touch()
    _create(VaultFolder(tmp_path / "v"))
    assert not dead.exists()
    assert alive.exists()
    assert other.exists()


# Kills itself at the n-th call that the vault's own code makes or receives; the parent looks at what is left.
CRASH = """
import os, signal, sys
from pathlib import Path
from fernvault.vault import creation, layout, opening, slots
from fernvault.vault.kdf import Kdf
from fernvault.vault.layout import VaultFolder

root, step = Path(sys.argv[1]), int(sys.argv[2])

def create(folder):
    return creation.create_vault(folder, "pass", kdf=Kdf(64, 1, 1), allow_weak_kdf=True, zone="UTC", now=0)

def whole(folder):
    connection = opening.open_database(folder, slots.unlock_with_passphrase(folder, "pass"))
    rows = dict(connection.execute("SELECT key, value FROM meta"))
    opening.close_database(connection)
    return len(rows) == 4

create(VaultFolder(root / "warm"))
none = made = 0
stop = 1
while True:
    folder = VaultFolder(root / str(stop) / "v")
    child = os.fork()
    if child == 0:
        left = stop
        def count(frame, event, argument):
            global left
            if "fernvault/vault" in frame.f_code.co_filename:
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.setprofile(count)
        create(folder)
        os._exit(0)
    finished = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    if layout.exists(folder):
        made += 1
        assert whole(folder), stop
    else:
        none += 1
        assert not finished
        create(folder)
        assert whole(folder), stop
        assert [entry.name for entry in folder.path.parent.iterdir()] == ["v"], stop
    if finished:
        break
    stop += step
print(none, made)
"""


def test_kill_9_at_any_moment_leaves_no_vault_or_a_whole_one(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CRASH, str(tmp_path), "61"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    none, made = map(int, done.stdout.split())
    assert none > 10
    assert made >= 1
