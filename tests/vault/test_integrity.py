"""What the checks find, and what they do not invent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import VaultDamagedError
from fernvault.vault import creation, faults, integrity, opening, slots
from fernvault.vault.kdf import Kdf
from fernvault.vault.layout import VaultFolder


@pytest.fixture
def folder(tmp_path: Path) -> VaultFolder:
    found = VaultFolder(tmp_path / "v")
    creation.create_vault(found, "x", kdf=Kdf(64, 1, 1), allow_weak_kdf=True, zone="UTC", now=0)
    connection = _open(found)
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO source (name) VALUES (?)", [(f"{n}" + "x" * 500,) for n in range(200)])
    connection.execute("COMMIT")
    opening.close_database(connection)
    return found


def _open(folder: VaultFolder) -> Any:
    return opening.open_database(folder, slots.unlock_with_passphrase(folder, "x"))


def test_a_good_vault_has_no_findings_though_its_wal_is_full(folder: VaultFolder) -> None:
    connection = _open(folder)
    connection.execute("DELETE FROM source WHERE id % 3 = 0")
    assert (folder.path / "vault.db-wal").stat().st_size > 0
    assert integrity.check(connection) == []
    opening.close_database(connection)


def test_every_damaged_page_is_named(folder: VaultFolder) -> None:
    content = bytearray(folder.db.read_bytes())
    last = len(content) // 4096
    for page in (last - 3, last - 1, last):
        content[(page - 1) * 4096 + 50] ^= 255
    folder.db.write_bytes(content)
    connection = _open(folder)
    findings = integrity.check(connection)
    pages = [finding.detail for finding in findings if finding.kind == "page"]
    for page in (last - 3, last - 1, last):
        assert any(f"page {page}" in detail for detail in pages)
    assert len(pages) == 3
    with pytest.raises(VaultDamagedError), faults.named(folder.db):
        connection.execute("SELECT sum(length(name)) FROM source NOT INDEXED").fetchall()
    connection.close()


def test_a_lost_reference_is_named(folder: VaultFolder) -> None:
    connection = _open(folder)
    connection.set_authorizer(None)
    connection.execute("PRAGMA foreign_keys=OFF")
    connection.execute("INSERT INTO attribute (surface_id, slug) VALUES (7, 'pref:x')")
    (finding,) = integrity.check(connection)
    assert finding == ("reference", "row 1 of attribute names a surface that is not there")
    connection.close()


def test_a_reader_in_the_way_is_said_and_is_no_damage(folder: VaultFolder) -> None:
    connection = _open(folder)
    secret = slots.unlock_with_passphrase(folder, "x")
    other = opening.connect(folder.db, secret)
    other.execute("BEGIN")
    other.execute("SELECT * FROM source").fetchone()
    connection.execute("DELETE FROM source WHERE id % 2 = 0")
    sqlcipher.Connection.set_busy_timeout(connection, 0.0)
    (finding,) = integrity.check(connection)
    assert finding.kind == "checkpoint"
    other.close()
    assert integrity.check(connection) == []
    opening.close_database(connection)
