"""Real errors of the database and the system, in the words of the error tree."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import (
    AlreadyRunningError,
    DiskFullError,
    FernError,
    ReadOnlyError,
    VaultDamagedError,
)
from fernvault.vault import faults


def _connect(path: Path, query: str = "mode=rwc", key: bytes = b"ab") -> Any:
    connection = sqlcipher.connect(f"{path.as_uri()}?{query}", uri=True, isolation_level=None, timeout=0)
    connection.execute("PRAGMA cipher_log_level=NONE")
    connection.set_key(bytearray(b"x'" + key * 32 + b"'"))
    return connection


@pytest.fixture
def db(tmp_path: Path) -> Path:
    connection = _connect(tmp_path / "vault.db")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    connection.close()
    return tmp_path / "vault.db"


def test_a_file_that_may_not_grow_is_a_full_disk(db: Path) -> None:
    connection = _connect(db)
    connection.execute("PRAGMA max_page_count=40").fetchall()
    with pytest.raises(DiskFullError) as caught, faults.named(db):
        connection.execute("INSERT INTO t VALUES (zeroblob(1000000))")
    assert type(caught.value) is DiskFullError
    assert caught.value.exit_code == 9
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
    connection.close()


def test_a_connection_that_may_not_write_is_read_only(db: Path) -> None:
    connection = _connect(db, "mode=ro")
    with pytest.raises(ReadOnlyError), faults.named(db):
        connection.execute("INSERT INTO t VALUES (1)")
    connection.close()


def test_a_file_that_cannot_be_opened_is_read_only(tmp_path: Path) -> None:
    with pytest.raises(ReadOnlyError), faults.named("vault.db"):
        sqlcipher.connect(f"{(tmp_path / 'none.db').as_uri()}?mode=rw", uri=True).execute("SELECT 1 FROM t")


def test_another_key_is_damage(db: Path) -> None:
    connection = _connect(db, key=b"cd")
    with pytest.raises(VaultDamagedError, match="file is not a database"), faults.named(db):
        connection.execute("SELECT * FROM t")
    connection.close()


def test_a_damaged_page_is_damage(db: Path) -> None:
    content = bytearray(db.read_bytes())
    content[3 * 4096 + 7] ^= 1
    db.write_bytes(content)
    connection = _connect(db)
    with pytest.raises(VaultDamagedError), faults.named(db):
        connection.execute("SELECT length(a), substr(a, 99000) FROM t").fetchall()
    connection.close()


def test_a_second_writer_is_already_running(db: Path) -> None:
    first, second = _connect(db), _connect(db)
    first.execute("BEGIN IMMEDIATE")
    with pytest.raises(AlreadyRunningError), faults.named(db):
        second.execute("BEGIN IMMEDIATE")
    first.close()
    second.close()


def test_errors_of_the_program_pass_unchanged(db: Path) -> None:
    connection = _connect(db)
    with pytest.raises(sqlcipher.OperationalError, match="no such table"), faults.named(db):
        connection.execute("SELECT * FROM other")
    with pytest.raises(sqlcipher.ProgrammingError), faults.named(db):
        connection.execute("SELECT ?", ())
    connection.close()


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (errno.ENOSPC, DiskFullError),
        (errno.EDQUOT, DiskFullError),
        (errno.EROFS, ReadOnlyError),
        (errno.EACCES, ReadOnlyError),
        (errno.EPERM, ReadOnlyError),
    ],
)
def test_errors_of_the_system(number: int, kind: type[FernError]) -> None:
    error = OSError(number, "said so", "/v/vault.keys")
    known = faults.translate(error, "/v/vault.keys")
    assert type(known) is kind
    assert "/v/vault.keys" in known.message


def test_a_full_device_is_a_full_disk() -> None:
    device = Path("/dev/full")
    if not device.exists():
        pytest.skip("no /dev/full here")
    with pytest.raises(DiskFullError), faults.named(device):
        device.write_bytes(b"x")


def test_other_errors_are_not_translated() -> None:
    assert faults.translate(FileNotFoundError(errno.ENOENT, "no"), "x") is None
    assert faults.translate(ValueError("x"), "x") is None
    with pytest.raises(KeyError), faults.named("x"):
        raise KeyError("x")
