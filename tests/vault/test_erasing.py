"""What was deleted is in no byte of the decrypted file, and what was written is in no byte of the encrypted one."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Final

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.catalog.catalog import catalog_of
from fernvault.errors import FernError, LockedError
from fernvault.event import Event
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE
from fernvault.vault import erasing, journal, opening, schema, slots, surfaces
from fernvault.vault.layout import VaultFolder
from fernvault.vault.lock import VaultLock
from fernvault.vault.surfaces import SurfaceRow
from fernvault.vault.warm import Shared, Warm
from tests.strategies import START
from tests.vaults import PASSPHRASE, Clock, buy, table


def _plain(path: Path) -> sqlcipher.Connection:
    """A vault's tables and pragmas in an ordinary file, so that its bytes can be searched."""
    connection = sqlcipher.connect(str(path), isolation_level=None)
    opening.harden(connection)
    with opening.unguarded(connection):  # it changes no byte of what is written
        connection.execute("PRAGMA synchronous=OFF").fetchall()
    schema.migrate(connection, found=0)
    return connection


def _surface(connection: sqlcipher.Connection, name: str) -> SurfaceRow:
    connection.execute("BEGIN IMMEDIATE")
    rules = f'{{"rules":{{"zq-{name}-rule":["pref:zq-{name}-ruled"]}}}}'
    row = surfaces.add(connection, f"zq-{name}", rule=ADAPTIVE, catalog=rules, now=START)
    items = [(f"zq-{name}-item-{n}", [f"pref:zq-{name}-{n % 40}"]) for n in range(300)]
    surfaces.replace_catalog(connection, row.id, items)
    connection.execute("COMMIT")
    return row


def _fill(connection: sqlcipher.Connection, rows: dict[str, SurfaceRow], rng: random.Random) -> None:
    """Sixty interleaved batches, of rows of many lengths: pages split and rows move, as in years of use."""
    shared = Shared()
    warm = {name: Warm(shared) for name in rows}
    for _ in range(60):
        for name, row in rows.items():
            connection.execute("BEGIN IMMEDIATE")
            source = f"zq-{name}-source"
            events = [
                Event(
                    f"zq-{name}-{rng.random()}",
                    START + rng.randint(0, 100) * DAY,
                    "buy",
                    f"zq-{name}-item-{rng.randint(0, 299)}" + "x" * rng.choice((0, 10, 150)),
                    tuple({f"pref:zq-{name}-{rng.randint(0, 60)}": None for _ in range(3)}),
                    1.0,
                )
                for _ in range(rng.randint(1, 40))
            ]
            journal.write(connection, row, events, source=source, now=START, warm=warm[name])
            connection.execute("COMMIT")


# With seed 2, before the file was written anew, the slack of one page kept an event's id.
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_deleted_surface_is_in_no_byte_of_the_decrypted_file(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "plain.db"
    connection = _plain(path)
    rows = {name: _surface(connection, name) for name in ("keep", "gone")}
    _fill(connection, rows, random.Random(seed))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    before = path.read_bytes()
    assert before.count(b"zq-gone") > 1_000
    kept = connection.execute("SELECT count(*), sum(magnitude) FROM event WHERE surface_id = 1").fetchone()
    connection.execute("BEGIN IMMEDIATE")
    surfaces.remove(connection, rows["gone"].id)
    connection.execute("COMMIT")
    erasing.settle_file(connection)
    for file in tmp_path.iterdir():
        assert b"zq-gone" not in file.read_bytes(), file.name
    assert path.with_name("plain.db-wal").stat().st_size == 0
    assert path.stat().st_size < len(before)
    assert connection.execute("SELECT count(*), sum(magnitude) FROM event").fetchone() == kept
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    # The connection is guarded again afterwards.
    with pytest.raises(sqlcipher.DatabaseError, match="authoriz"):
        connection.execute("ATTACH ':memory:' AS other")
    connection.close()


def test_nobody_is_told_gone_while_a_reader_holds_the_log(vault: Vault, folder: Path) -> None:
    vault.add_surface("shop.example").record([buy("1", START, "pref:oat")], source="x")
    place = VaultFolder(folder)
    reader = opening.connect(place.db, slots.unlock_with_passphrase(place, PASSPHRASE))
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM event").fetchone()
    vault._connection.set_authorizer(None)
    vault._connection.execute("PRAGMA busy_timeout = 10").fetchall()
    with pytest.raises(FernError, match="log could not be emptied") as raised:
        vault.remove_surface("shop.example")
    assert not isinstance(raised.value, LockedError)
    assert vault.surfaces() == []
    reader.close()
    erasing.settle_file(vault._connection)
    assert vault.doctor() == []


MARKERS: Final = {
    "surface": "zqsurface.example",
    "attribute": "pref:zqattribute",
    "corrected": "pref:zqcorrected",
    "item": "zqitem oat milk",
    "table item": "zqtableitem",
    "table attribute": "pref:zqtabled",
    "rule": "zqrule*",
    "ruled": "pref:zqruled",
    "id": "zqid-1",
    "source": "zqsource",
    "kind": "zqkind",
}
MARK: Final = re.compile(rb"zq(?:surface|attribute|corrected|item|table|rule|source|kind|id-1)|stapler|lemonade")


def _leaks(folder: Path) -> dict[str, list[bytes]]:
    return {file.name: found for file in folder.iterdir() if (found := MARK.findall(file.read_bytes()))}


def test_nothing_that_was_written_is_readable_in_the_folder(folder: Path, clock: Clock) -> None:
    catalog = catalog_of({"rules": {MARKERS["rule"]: [MARKERS["ruled"]]}, "kinds": {MARKERS["kind"]: 2.0}})
    with (
        VaultLock(VaultFolder(folder), socket=Path("/run/some.sock")),
        Vault.open(folder, PASSPHRASE, clock=clock) as vault,
    ):
        surface = vault.add_surface(
            MARKERS["surface"], catalog=catalog, items=[(MARKERS["table item"], [MARKERS["table attribute"]])]
        )
        for n in range(50):
            item = MARKERS["table item"] if n % 2 else MARKERS["item"]
            event = buy(f"{MARKERS['id']}{n}", START + n, MARKERS["attribute"], kind=MARKERS["kind"], item=item)
            surface.record([event], source=MARKERS["source"])
        surface.correct("set", MARKERS["corrected"], 4.0)
        vault.undo()
        assert {file.name for file in folder.iterdir()} == {
            "vault.db", "vault.db-wal", "vault.db-shm", "vault.keys", "vault.lock", "agent.json",
        }  # fmt: skip
        assert (folder / "vault.db-wal").stat().st_size > 100_000
        assert _leaks(folder) == {}
        vault.rebuild()
        assert vault.doctor() == []
        assert _leaks(folder) == {}
        # That the search would find them, had they been there:
        assert len(list(surface.journal())) == 52
        vault.export(folder.parent / "export")
        found = b"".join(file.read_bytes() for file in (folder.parent / "export").iterdir())
        assert all(marker.encode() in found for marker in MARKERS.values())
    assert _leaks(folder) == {}


def test_a_deleted_surface_is_gone_through_every_door(folder: Path, clock: Clock) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        keep, gone = vault.add_surface("keep"), vault.add_surface("gone", items=[("gone-item", ["pref:gone"])])
        for n in range(60):
            for surface in (keep, gone):
                surface.record([buy(f"{surface.name}-{n}", START + n, f"pref:{surface.name}")], source=surface.name)
        assert vault.doctor() == []  # which folds the log into the file
        size = (folder / "vault.db").stat().st_size
        assert vault.remove_surface("gone") == 60
        names = [row[0] for row in vault._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            assert "gone" not in repr(table(vault, name)), name
        assert (folder / "vault.db-wal").stat().st_size == 0
        assert (folder / "vault.db").stat().st_size < size
        assert vault.doctor() == []
        assert len(keep.views()) == 1
