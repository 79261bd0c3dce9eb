"""Where a vault lies: its files, its socket, and whether the place is safe."""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
import warnings as python_warnings
from pathlib import Path
from typing import Final, NamedTuple

import platformdirs

from fernvault.errors import UnsafeFolderError

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
# macOS allows 104 bytes with the closing zero, Linux 108; asyncio and uvicorn add nothing of their own.
_SOCKET_PATH_LIMIT: Final = 100
_MOUNTINFO: Final = Path("/proc/self/mountinfo")
_SYNCED: Final = (
    ("Dropbox", re.compile(r"dropbox\b.*", re.IGNORECASE)),
    ("OneDrive", re.compile(r"onedrive\b.*", re.IGNORECASE)),
    ("Google Drive", re.compile(r"google ?drive\b.*", re.IGNORECASE)),
    ("iCloud", re.compile(r"icloud ?drive|icloud~.*|com~apple~clouddocs|mobile documents", re.IGNORECASE)),
    ("Nextcloud", re.compile(r"nextcloud\b.*", re.IGNORECASE)),
)
_NETWORK: Final = re.compile(
    r"nfs\d?|cifs|smb\w*|9p|afs|ceph|glusterfs|lustre|gpfs|beegfs|ncpfs|davfs\d?"
    r"|fuse\.(sshfs|rclone|glusterfs|s3fs|davfs\d?|ceph|gvfsd-fuse|smbnetfs|curlftpfs)"
)


class VaultFolder(NamedTuple):
    """One vault's folder and the files in it; nothing here says that they exist."""

    path: Path

    @property
    def db(self) -> Path:
        """The encrypted database."""
        return self.path / "vault.db"

    @property
    def keys(self) -> Path:
        """The key slots."""
        return self.path / "vault.keys"

    @property
    def lock(self) -> Path:
        """The file whose lock the one process that owns the vault holds."""
        return self.path / "vault.lock"

    @property
    def agent(self) -> Path:
        """Who holds the lock: ``{"pid": int, "socket": str | null}``."""
        return self.path / "agent.json"


def default_folder() -> VaultFolder:
    """The platform's data folder for this user."""
    return VaultFolder(Path(platformdirs.user_data_dir("fernvault")))


def exists(folder: VaultFolder) -> bool:
    """Whether anything of a vault is there: its database, what belongs to it, or its keys."""
    return any(os.path.lexists(path) for path in (folder.db, folder.keys, folder.path / "vault.db-wal"))


def check(folder: VaultFolder) -> None:
    """Raise UnsafeFolderError when somebody else owns, or may write to, the folder or one of the vault's files."""
    if not folder.path.exists():
        return
    _check_one(folder.path)
    for entry in sorted(folder.path.iterdir()):
        if entry.name.startswith("vault.") or entry == folder.agent:
            _check_one(entry)


def _check_one(path: Path) -> None:
    try:
        link, target = path.lstat(), path.stat()
    except FileNotFoundError:
        return
    if (stranger := next((s.st_uid for s in (link, target) if s.st_uid != os.geteuid()), None)) is not None:
        raise UnsafeFolderError(f"{path} belongs to another user (uid {stranger})")
    if target.st_mode & _OTHERS_WRITE:
        raise UnsafeFolderError(f"{path} can be changed by other users (mode {stat.S_IMODE(target.st_mode):04o})")


def socket_path(folder: VaultFolder) -> Path:
    """The vault's socket: under 100 bytes, in a folder of mode 0700 that is made here when it is not there.

    The name is a hash of the vault's real path, so two vaults never meet. Raises UnsafeFolderError when neither the
    runtime folder nor the temporary one can be trusted.
    """
    name = hashlib.sha256(os.fsencode(folder.path.resolve())).hexdigest()[:16] + ".sock"
    for parent in (_runtime_folder(), Path(tempfile.gettempdir()) / f"fern-{os.geteuid()}"):
        if parent is None or len(os.fsencode(parent / name)) >= _SOCKET_PATH_LIMIT or not _private(parent):
            continue
        return parent / name
    raise UnsafeFolderError(
        "no private folder with a short path for the socket: neither the runtime nor the temporary folder will do",
        next_step="set XDG_RUNTIME_DIR to a folder of your own with mode 0700",
    )


def _runtime_folder() -> Path | None:
    with python_warnings.catch_warnings():
        # It warns on stderr when XDG_RUNTIME_DIR is not set, as on any headless box; the folder is checked here anyway.
        python_warnings.simplefilter("ignore")
        try:
            return Path(platformdirs.user_runtime_dir("fern"))
        except OSError:
            return None


def _private(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and stat.S_IMODE(found.st_mode) == 0o700


def warnings(folder: VaultFolder, *, mountinfo: Path = _MOUNTINFO) -> list[str]:
    """What may go wrong with this place though nothing is wrong yet, one line each.

    A synced folder tears a live database apart, and a network file system may not keep its locks. ``mountinfo`` has
    the form of Linux's /proc/self/mountinfo; where there is none (macOS), file systems are not judged.
    """
    real = folder.path.resolve()
    found = [
        f"{path} can be read by other users: chmod 600 it"
        for path in (folder.db, folder.keys)
        if path.exists() and path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH)
    ]
    found += [
        f"{real} lies in a folder that {service} syncs: a synced copy of an open vault is a damaged vault"
        for service, pattern in _SYNCED
        if any(pattern.fullmatch(part) for part in real.parts)
    ]
    if any(os.path.lexists(parent / ".stfolder") for parent in (real, *real.parents)):
        found.append(f"{real} lies in a folder that Syncthing syncs: a synced copy of an open vault is a damaged vault")
    if (kind := _file_system(real, mountinfo)) and _NETWORK.fullmatch(kind):
        found.append(f"{real} lies on a network file system ({kind}), whose locks and writes may not be kept")
    return found


def _file_system(real: Path, mountinfo: Path) -> str | None:
    try:
        lines = mountinfo.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    best: tuple[int, str] | None = None
    for line in lines:
        left, _, right = line.partition(" - ")
        fields, rest = left.split(" "), right.split(" ")
        if len(fields) < 5 or not right:
            continue
        mount = Path(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4]))
        # A later line over the same place covers the earlier one.
        if real.is_relative_to(mount) and (best is None or len(mount.parts) >= best[0]):
            best = len(mount.parts), rest[0]
    return None if best is None else best[1]
