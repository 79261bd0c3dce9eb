"""Where a vault lies, whom it belongs to, and what its place may do to it."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from fernvault.errors import UnsafeFolderError
from fernvault.vault import layout
from fernvault.vault.layout import VaultFolder

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:30 / /mnt/nas rw,relatime shared:2 - nfs4 server:/export rw,vers=4.2
31 22 0:31 / /mnt/my\\040disk rw,relatime - fuse.sshfs me@host: rw
32 30 8:2 / /mnt/nas/local rw,relatime - btrfs /dev/sdb1 rw
33 22 0:33 / /mnt/twice rw - ext4 /dev/sdc1 rw
34 33 0:34 / /mnt/twice rw - cifs //host/share rw
"""


@pytest.fixture
def folder(tmp_path: Path) -> VaultFolder:
    found = VaultFolder(tmp_path / "vault")
    found.path.mkdir(mode=0o700)
    for path in (found.db, found.keys):
        path.touch(mode=0o600)
    return found


def test_the_files_of_a_vault(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path)
    names = [path.name for path in (folder.db, folder.keys, folder.lock, folder.agent)]
    assert names == ["vault.db", "vault.keys", "vault.lock", "agent.json"]
    assert layout.default_folder().path.name == "fernvault"


@pytest.mark.parametrize("name", ["vault.db", "vault.keys", "vault.db-wal"])
def test_anything_of_a_vault_counts_as_one(tmp_path: Path, name: str) -> None:
    folder = VaultFolder(tmp_path)
    assert not layout.exists(folder)
    (tmp_path / name).symlink_to("/nowhere/at/all")
    assert layout.exists(folder)


def test_a_private_folder_is_safe_and_a_missing_one_is_no_matter(folder: VaultFolder, tmp_path: Path) -> None:
    layout.check(folder)
    layout.check(VaultFolder(tmp_path / "none"))
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
@pytest.mark.parametrize("name", ["vault.db", "vault.keys", "vault.db-wal", "agent.json"])
def test_a_file_that_others_may_write_is_refused_by_name(folder: VaultFolder, name: str, mode: int) -> None:
    path = folder.path / name
    path.touch()
    path.chmod(mode)
    with pytest.raises(UnsafeFolderError, match=f"{name} can be changed by other users"):
        layout.check(folder)


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_a_folder_that_others_may_write_is_refused(folder: VaultFolder, mode: int) -> None:
    folder.path.chmod(mode)
    with pytest.raises(UnsafeFolderError, match="vault can be changed"):
        layout.check(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("name", ["", "vault.keys"])
def test_what_belongs_to_another_user_is_refused(folder: VaultFolder, name: str) -> None:
    os.chown(folder.path / name, 12345, -1)
    with pytest.raises(UnsafeFolderError, match="another user \\(uid 12345\\)"):
        layout.check(folder)


def test_a_link_to_a_file_that_others_may_write_is_refused(folder: VaultFolder, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere"
    target.touch()
    target.chmod(0o666)
    folder.db.unlink()
    folder.db.symlink_to(target)
    with pytest.raises(UnsafeFolderError, match=r"vault\.db"):
        layout.check(folder)


def test_the_socket_has_a_short_path_in_a_private_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    first = layout.socket_path(VaultFolder(tmp_path / "a"))
    assert len(os.fsencode(first)) < 100
    assert stat.S_IMODE(first.parent.stat().st_mode) == 0o700
    assert first != layout.socket_path(VaultFolder(tmp_path / "b"))
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    assert first == layout.socket_path(VaultFolder(tmp_path / "link"))


def test_a_runtime_folder_that_is_open_or_too_deep_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # pytest's own folders have paths too long for a socket.
    temporary = Path(tempfile.mkdtemp())
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    try:
        deep = tmp_path / ("d" * 90)
        deep.mkdir(mode=0o700)
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
        found = layout.socket_path(VaultFolder(tmp_path))
        assert found.parent == temporary / f"fern-{os.geteuid()}"
        assert stat.S_IMODE(found.parent.stat().st_mode) == 0o700
        found.parent.chmod(0o770)
        with pytest.raises(UnsafeFolderError, match="no private folder"):
            layout.socket_path(VaultFolder(tmp_path))
        found.parent.rmdir()
    finally:
        temporary.rmdir()


@pytest.mark.parametrize(
    ("place", "service"),
    [
        ("Dropbox/vault", "Dropbox"),
        ("Dropbox (Personal)/vault", "Dropbox"),
        ("OneDrive - Contoso/vault", "OneDrive"),
        ("Library/CloudStorage/GoogleDrive-me@example.org/vault", "Google Drive"),
        ("Library/Mobile Documents/com~apple~CloudDocs", "iCloud"),
        ("Nextcloud/vault", "Nextcloud"),
    ],
)
def test_a_synced_folder_is_named(tmp_path: Path, place: str, service: str) -> None:
    lines = layout.warnings(VaultFolder(tmp_path / place), mountinfo=tmp_path / "none")
    assert len(lines) == 1
    assert service in lines[0]


def test_a_syncthing_folder_is_known_by_its_marker(tmp_path: Path) -> None:
    (tmp_path / ".stfolder").mkdir()
    (line,) = layout.warnings(VaultFolder(tmp_path / "a" / "b"), mountinfo=tmp_path / "none")
    assert "Syncthing" in line


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("/mnt/nas/vault", "nfs4"),
        ("/mnt/my disk/vault", "fuse.sshfs"),
        ("/mnt/twice/v", "cifs"),
        ("/mnt/nas/local/vault", None),
        ("/mnt/nasty/vault", None),
        ("/home/me/vault", None),
    ],
)
def test_a_network_file_system_is_named(tmp_path: Path, place: str, kind: str | None) -> None:
    table = tmp_path / "mountinfo"
    table.write_text(MOUNTS)
    lines = layout.warnings(VaultFolder(Path(place)), mountinfo=table)
    assert [kind in line for line in lines] == ([True] if kind else [])


def test_an_ordinary_place_has_no_warnings(tmp_path: Path) -> None:
    (tmp_path / "mountinfo").write_text("nonsense\n\n - - \n")
    assert layout.warnings(VaultFolder(tmp_path / "dropboxes-of-mine"), mountinfo=tmp_path / "mountinfo") == []


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644])
@pytest.mark.parametrize("name", ["vault.db", "vault.keys"])
def test_a_file_that_others_can_read_is_named(folder: VaultFolder, name: str, mode: int) -> None:
    assert layout.warnings(folder, mountinfo=folder.path / "none") == []
    path = folder.path / name
    path.chmod(mode)
    found = layout.warnings(folder, mountinfo=folder.path / "none")
    assert found == [f"{path} can be read by other users: chmod 600 it"]
    path.chmod(0o600)
    assert layout.warnings(folder, mountinfo=folder.path / "none") == []


def test_both_files_and_the_place_are_named(tmp_path: Path) -> None:
    folder = VaultFolder(tmp_path / "Dropbox" / "vault")
    folder.path.mkdir(parents=True)
    for path in (folder.db, folder.keys):
        path.touch()
        path.chmod(0o644)
    first, second, third = layout.warnings(folder, mountinfo=tmp_path / "none")
    assert (str(folder.db) in first, str(folder.keys) in second, "Dropbox" in third) == (True, True, True)
