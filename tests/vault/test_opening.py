"""Opening a vault: what opens, what is refused by name, and that a refusal changes not one byte."""

from __future__ import annotations

import hmac
import json
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import (
    FernError,
    KeysMissingError,
    PlaintextVaultError,
    UnsafeFolderError,
    VaultDamagedError,
    VaultEmptyError,
    VaultMismatchError,
    VaultMissingError,
    VaultTooNewError,
    WrongPassphraseError,
)
from fernvault.vault import creation, integrity, opening, schema, slots
from fernvault.vault.kdf import Kdf
from fernvault.vault.layout import VaultFolder
from fernvault.vault.schema import Migration

ROOT = Path(__file__).parents[2]
PASSPHRASE = "stapler Quokka 7 lemonade"
MARKER = "pref:zanzibar-saffron-mk1"


def _create(path: Path) -> VaultFolder:
    folder = VaultFolder(path)
    creation.create_vault(folder, PASSPHRASE, kdf=Kdf(64, 1, 1), allow_weak_kdf=True, zone="Europe/Berlin", now=1)
    return folder


def _open(folder: VaultFolder) -> Any:
    return opening.open_database(folder, slots.unlock_with_passphrase(folder, PASSPHRASE))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vault with 300 rows, closed."""
    folder = _create(tmp_path_factory.mktemp("opening") / "v")
    connection = _open(folder)
    connection.execute("BEGIN")
    for number in range(300):
        connection.execute("INSERT INTO source (name) VALUES (?)", (f"{MARKER}-{number}-" + "x" * 200,))
    connection.execute("COMMIT")
    opening.close_database(connection)
    return folder.path


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> VaultFolder:
    shutil.copytree(template, tmp_path / "a % vault?#1")
    return VaultFolder(tmp_path / "a % vault?#1")


def _bytes(folder: VaultFolder) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.path.iterdir()}


def _crashed(folder: VaultFolder, target: Path, change: str) -> VaultFolder:
    """A copy of the vault as kill -9 right after ``change`` leaves it: the change is in the WAL only."""
    connection = _open(folder)
    connection.execute(change)
    shutil.copytree(folder.path, target)
    opening.close_database(connection)
    found = VaultFolder(target)
    (target / "vault.db-shm").unlink()
    assert (target / "vault.db-wal").stat().st_size > 0
    return found


def test_an_opened_vault_is_as_it_was_left(folder: VaultFolder) -> None:
    connection = _open(folder)
    assert connection.execute("SELECT count(*) FROM source").fetchone() == (300,)
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    assert meta["vault_id"] == json.loads(folder.keys.read_bytes())["vault"]
    assert (meta["zone"], meta["created"], meta["schema"]) == ("Europe/Berlin", "1", str(schema.VERSION))
    opening.close_database(connection)
    assert sorted(_bytes(folder)) == ["vault.db", "vault.keys"]


def test_the_pragmas_are_those_of_the_design(folder: VaultFolder) -> None:
    connection = _open(folder)
    connection.set_authorizer(None)
    expected = {
        "foreign_keys": 1,
        "journal_mode": "wal",
        "synchronous": 2,
        "secure_delete": 1,
        "trusted_schema": 0,
        "cell_size_check": 1,
        "wal_autocheckpoint": 200,
        "cache_size": -32768,
        "page_size": "4096",
        "cipher_memory_security": "0",
    }
    found = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in expected}
    assert found == expected
    assert connection.isolation_level is None
    connection.close()


def test_the_key_is_hkdf_of_the_master_secret_and_no_passphrase(folder: VaultFolder) -> None:
    secret = slots.unlock_with_passphrase(folder, PASSPHRASE)
    key = hmac.digest(hmac.digest(bytes(32), bytes(secret), "sha256"), b"fern/db\1", "sha256")
    plain = sqlcipher.connect(str(folder.db))
    plain.execute(f"PRAGMA key = \"x'{key.hex()}'\"")
    assert plain.execute("SELECT count(*) FROM source").fetchone() == (300,)
    plain.close()


def test_the_callers_secret_is_left_alone(folder: VaultFolder) -> None:
    secret = slots.unlock_with_passphrase(folder, PASSPHRASE)
    before = bytes(secret)
    opening.close_database(opening.open_database(folder, secret))
    assert secret == before


@pytest.mark.parametrize("secret", [bytearray(32), bytearray(b"\1" * 31), bytearray(b"x'" + b"a" * 64 + b"'")])
def test_a_wiped_or_malformed_secret_is_a_mistake_of_the_program(folder: VaultFolder, secret: bytearray) -> None:
    with pytest.raises(ValueError, match="32 bytes, or was wiped"):
        opening.open_database(folder, secret)


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "PRAGMA key = 'x'",
        "PRAGMA rekey = 'x'",
        "PRAGMA ReKey = 'x'",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA synchronous = OFF",
        "PRAGMA secure_delete = OFF",
        "PRAGMA writable_schema = ON",
        "PRAGMA cipher_log_level = ERROR",
        "SELECT * FROM pragma_table_info('meta')",
        "VACUUM INTO 'copy.db'",
    ],
)
def test_what_could_lead_data_out_is_refused(folder: VaultFolder, statement: str) -> None:
    connection = _open(folder)
    with pytest.raises(sqlcipher.DatabaseError, match=r"not authorized|authorization denied"):
        connection.execute(statement)
    assert connection.execute("SELECT count(*) FROM source").fetchone() == (300,)
    opening.close_database(connection)


def test_checks_and_checkpoints_are_allowed(folder: VaultFolder) -> None:
    connection = _open(folder)
    for pragma in [*opening.ALLOWED_PRAGMAS, "WAL_Checkpoint"]:
        connection.execute(f"PRAGMA {pragma}").fetchall()
    opening.close_database(connection)


def test_another_thread_cannot_use_the_connection(folder: VaultFolder) -> None:
    connection = _open(folder)
    caught: list[Exception] = []

    def use() -> None:
        try:
            connection.execute("SELECT 1")
        except sqlcipher.ProgrammingError as error:
            caught.append(error)

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(caught) == 1
    opening.close_database(connection)


def test_nothing_is_readable_at_rest(folder: VaultFolder) -> None:
    connection = _open(folder)
    connection.execute("INSERT INTO source (name) VALUES ('pref:only-in-the-wal-mk2')")
    assert (folder.path / "vault.db-wal").stat().st_size > 0
    for content in _bytes(folder).values():
        for marker in (MARKER.encode(), b"only-in-the-wal", b"CREATE TABLE", b"SQLite format", b"Europe/Berlin"):
            assert marker not in content
    opening.close_database(connection)
    other = sqlite3.connect(folder.db)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        other.execute("SELECT * FROM sqlite_master")
    other.close()


HOLD_OPEN = """
import sys
from pathlib import Path
from fernvault.vault import opening, slots
from fernvault.vault.layout import VaultFolder
secret = slots.unlock_with_passphrase(VaultFolder(Path(sys.argv[1])), sys.argv[2])
connection = opening.open_database(VaultFolder(Path(sys.argv[1])), secret)
slots.wipe(secret)
print("open", flush=True)
sys.stdin.readline()
opening.close_database(connection)
print("closed", flush=True)
sys.stdin.readline()
"""


def _memory(pid: int) -> Iterator[bytes]:
    with Path(f"/proc/{pid}/maps").open() as maps, Path(f"/proc/{pid}/mem").open("rb", buffering=0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(bound, 16) for bound in span.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                memory.seek(start)
                yield memory.read(end - start)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_no_key_lies_in_memory_while_open_or_closed(folder: VaultFolder) -> None:
    secret = bytes(slots.unlock_with_passphrase(folder, PASSPHRASE))
    key = bytes(slots.database_key(bytearray(secret)))
    command = [sys.executable, "-c", HOLD_OPEN, str(folder.path), PASSPHRASE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for state in ("open", "closed"):
            assert process.stdout.readline().strip() == state
            seen = list(_memory(process.pid))
            # The scan sees the heap at all: the passphrase came in as an argument and is somewhere.
            assert sum(part.count(PASSPHRASE.encode()) for part in seen) > 0
            for hidden in (secret, key, key.hex().encode()):
                assert sum(part.count(hidden) for part in seen) == 0
            process.stdin.write("\n")
            process.stdin.flush()


def _cut(length: int) -> Callable[[VaultFolder], None]:
    return lambda folder: folder.db.write_bytes(folder.db.read_bytes()[:length])


def _flip(place: int) -> Callable[[VaultFolder], None]:
    def change(folder: VaultFolder) -> None:
        content = bytearray(folder.db.read_bytes())
        content[place] ^= 4
        folder.db.write_bytes(content)

    return change


def _plaintext(folder: VaultFolder) -> None:
    folder.db.unlink()
    connection = sqlite3.connect(folder.db)
    connection.execute("CREATE TABLE meta (key, value)")
    connection.commit()
    connection.close()


def _remove(name: str) -> Callable[[VaultFolder], None]:
    return lambda folder: (folder.path / name).unlink()


def _empty_folder(folder: VaultFolder) -> None:
    shutil.rmtree(folder.path)
    folder.path.mkdir(mode=0o700)


def _statement(*statements: str) -> Callable[[VaultFolder], None]:
    def change(folder: VaultFolder) -> None:
        connection = _open(folder)
        for statement in statements:
            connection.execute(statement)
        opening.close_database(connection)

    return change


def _replaced_by_a_folder(folder: VaultFolder) -> None:
    folder.db.unlink()
    folder.db.mkdir()


def _noise(folder: VaultFolder) -> None:
    folder.db.write_bytes(random.Random(4).randbytes(20_000))


REFUSED: dict[str, tuple[Callable[[VaultFolder], None], type[FernError], str]] = {
    "no database": (_remove("vault.db"), VaultMissingError, "though its keys are there"),
    "no keys": (_remove("vault.keys"), KeysMissingError, r"vault\.keys is gone"),
    "nothing": (_empty_folder, VaultMissingError, "there is no vault in"),
    "no folder": (lambda folder: shutil.rmtree(folder.path), VaultMissingError, "there is no vault in"),
    "empty file": (_cut(0), VaultEmptyError, "is empty"),
    "one byte": (_cut(1), VaultDamagedError, "cut off: 1 bytes"),
    "under a page": (_cut(4095), VaultDamagedError, "cut off: 4095 bytes"),
    "plaintext": (_plaintext, PlaintextVaultError, "unencrypted"),
    "salt": (_flip(3), VaultDamagedError, "does not open with its key"),
    "first page": (_flip(2000), VaultDamagedError, "does not open with its key"),
    "first tag": (_flip(4090), VaultDamagedError, "does not open with its key"),
    "noise": (_noise, VaultDamagedError, "does not open with its key"),
    "a folder": (_replaced_by_a_folder, VaultDamagedError, "is a folder"),
    "newer": (_statement("UPDATE meta SET value = '9999' WHERE key = 'schema'"), VaultTooNewError, "9999"),
    "other id": (
        _statement("UPDATE meta SET value = 'f' WHERE key = 'vault_id'"),
        VaultMismatchError,
        "different vaults",
    ),
    "no id": (_statement("DELETE FROM meta WHERE key = 'vault_id'"), VaultMismatchError, "different vaults"),
    "no schema": (_statement("DELETE FROM meta WHERE key = 'schema'"), VaultDamagedError, "which schema"),
    "bad schema": (_statement("UPDATE meta SET value = 'x' WHERE key = 'schema'"), VaultDamagedError, "which schema"),
    "schema 0": (_statement("UPDATE meta SET value = '0' WHERE key = 'schema'"), VaultDamagedError, "no schema 0"),
    "no meta": (_statement("DROP TABLE meta"), VaultDamagedError, "holds no vault"),
    "writable by others": (lambda folder: folder.db.chmod(0o666), UnsafeFolderError, "can be changed"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_refusal_has_a_name_and_changes_no_byte(
    folder: VaultFolder, case: str, capfd: pytest.CaptureFixture[str]
) -> None:
    change, kind, message = REFUSED[case]
    secret = slots.unlock_with_passphrase(folder, PASSPHRASE)
    change(folder)
    exists = folder.path.exists()
    before = _bytes(folder) if exists and case != "a folder" else {}
    with pytest.raises(kind, match=message) as caught:
        opening.open_database(folder, secret)
    assert type(caught.value) is kind
    assert "\n" not in caught.value.message
    assert folder.path.exists() == exists
    if before:
        assert _bytes(folder) == before
    assert capfd.readouterr() == ("", "")


def test_the_database_of_another_vault_is_refused(folder: VaultFolder, tmp_path: Path) -> None:
    other = _create(tmp_path / "other")
    folder.db.write_bytes(other.db.read_bytes())
    before = _bytes(folder)
    with pytest.raises(VaultDamagedError, match=r"belongs to another vault\.keys"):
        _open(folder)
    assert _bytes(folder) == before


def test_the_keys_of_another_vault_are_refused(folder: VaultFolder, tmp_path: Path) -> None:
    other = _create(tmp_path / "other")
    folder.keys.write_bytes(other.keys.read_bytes())
    before = _bytes(folder)
    with pytest.raises(VaultDamagedError, match=r"belongs to another vault\.keys"):
        _open(folder)
    with pytest.raises(WrongPassphraseError):
        slots.unlock_with_passphrase(folder, "wrong")
    assert _bytes(folder) == before


def test_what_a_crash_left_in_the_wal_is_there_again(folder: VaultFolder, tmp_path: Path) -> None:
    crashed = _crashed(folder, tmp_path / "crashed", "INSERT INTO source (name) VALUES ('late')")
    connection = _open(crashed)
    assert connection.execute("SELECT count(*) FROM source WHERE name = 'late'").fetchone() == (1,)
    opening.close_database(connection)
    assert sorted(_bytes(crashed)) == ["vault.db", "vault.keys"]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ("UPDATE meta SET value = '9999' WHERE key = 'schema'", VaultTooNewError),
        ("UPDATE meta SET value = 'f' WHERE key = 'vault_id'", VaultMismatchError),
    ],
)
def test_a_refusal_leaves_even_the_wal_of_a_crash(
    folder: VaultFolder, tmp_path: Path, change: str, kind: type[FernError]
) -> None:
    crashed = _crashed(folder, tmp_path / "crashed", change)
    before = _bytes(crashed)
    with pytest.raises(kind):
        _open(crashed)
    assert _bytes(crashed) == before


def test_a_database_put_beside_the_wal_of_another_is_not_mixed_with_it(folder: VaultFolder, tmp_path: Path) -> None:
    crashed = _crashed(folder, tmp_path / "crashed", "INSERT INTO source (name) VALUES ('late')")
    crashed.db.write_bytes(_create(tmp_path / "other").db.read_bytes())
    before = _bytes(crashed)
    with pytest.raises(VaultDamagedError):
        _open(crashed)
    assert _bytes(crashed) == before


def test_no_flipped_bit_goes_unseen(folder: VaultFolder, capfd: pytest.CaptureFixture[str]) -> None:
    content = folder.db.read_bytes()
    secret = slots.unlock_with_passphrase(folder, PASSPHRASE)
    rng = random.Random(5)
    kept = 0
    for _ in range(80):
        place, bit = rng.randrange(len(content)), rng.randrange(8)
        changed = bytearray(content)
        changed[place] ^= 1 << bit
        folder.db.write_bytes(changed)
        try:
            connection = opening.open_database(folder, secret)
        except VaultDamagedError:
            kept += folder.db.read_bytes() == changed
            continue
        findings = integrity.check(connection)
        connection.close()
        assert any(finding.kind == "page" for finding in findings), (place, bit)
        kept += folder.db.read_bytes() == changed
    assert kept == 80
    assert capfd.readouterr() == ("", "")


def test_a_file_cut_between_pages_is_seen(folder: VaultFolder) -> None:
    secret = slots.unlock_with_passphrase(folder, PASSPHRASE)
    size = folder.db.stat().st_size
    assert size % 4096 == 0
    _cut(size - 4096)(folder)
    try:
        connection = opening.open_database(folder, secret)
    except VaultDamagedError:
        return
    assert integrity.check(connection)
    connection.close()


def test_a_damaged_file_prints_nothing_in_a_fresh_process(folder: VaultFolder) -> None:
    _flip(9 * 4096 + 100)(folder)
    program = """
import sys
from pathlib import Path
from fernvault.errors import VaultDamagedError
from fernvault.vault import integrity, opening, slots
from fernvault.vault.layout import VaultFolder
folder = VaultFolder(Path(sys.argv[1]))
connection = opening.open_database(folder, slots.unlock_with_passphrase(folder, sys.argv[2]))
print(len(integrity.check(connection)))
connection.close()
"""
    command = [sys.executable, "-c", program, str(folder.path), PASSPHRASE]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    assert int(done.stdout) > 0
    assert done.stderr == ""


def test_an_older_schema_is_brought_up_to_date(folder: VaultFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    newer = schema.VERSION + 1
    monkeypatch.setattr(
        schema, "MIGRATIONS", (*schema.MIGRATIONS, Migration("ALTER TABLE source ADD COLUMN note TEXT;\n"))
    )
    monkeypatch.setattr(schema, "VERSION", newer)
    connection = _open(folder)
    assert connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone() == (str(newer),)
    assert connection.execute("SELECT note FROM source LIMIT 1").fetchone() == (None,)
    # Already in the main file, for an older fernvault to see.
    assert (folder.path / "vault.db-wal").stat().st_size == 0
    with pytest.raises(sqlcipher.DatabaseError):
        connection.execute("PRAGMA journal_mode = DELETE")
    opening.close_database(connection)
    monkeypatch.undo()
    with pytest.raises(VaultTooNewError):
        _open(folder)


def test_a_migration_that_fails_leaves_the_old_vault(folder: VaultFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = "ALTER TABLE source ADD COLUMN note TEXT;\nALTER TABLE nowhere ADD COLUMN x TEXT;\n"
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, Migration(bad)))
        patch.setattr(schema, "VERSION", schema.VERSION + 1)
        with pytest.raises(sqlcipher.OperationalError):
            _open(folder)
    connection = _open(folder)
    with pytest.raises(sqlcipher.OperationalError, match="no such column"):
        connection.execute("SELECT note FROM source")
    opening.close_database(connection)
