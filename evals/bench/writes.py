"""Recording events against its floor: the same row writes, statement for statement, in one SQLCipher transaction."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from evals.history import NOW, packaged, repeated
from evals.table import Row, Table, median_row
from fernvault.event import Event
from fernvault.memory import Vault
from fernvault.surface import Surface
from fernvault.vault import slots
from fernvault.vault.creation import create_vault
from fernvault.vault.kdf import FLOOR
from fernvault.vault.layout import VaultFolder
from fernvault.vault.opening import open_database

BATCH = 1_000
BATCHES = 40
SINGLES = 400
PASSPHRASE = "benchmark passphrase, thrown away"

Statements = list[tuple[str, list[Any]]]


class Tap:
    """A connection that notes every row it writes, so that the floor can write the very same ones."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.noted: Statements = []

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """Note one statement if it writes."""
        if sql.startswith(("INSERT", "UPDATE", "DELETE")):
            self.noted.append((sql, [tuple(parameters)]))
        return self._connection.execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> Any:
        """Note the rows."""
        kept = [tuple(row) for row in rows]
        if kept:
            self.noted.append((sql, kept))
        return self._connection.executemany(sql, kept)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class Place:
    """A throw-away vault: as a surface, as a tapped surface, or as a bare connection."""

    def __init__(self, folder: Path) -> None:
        self.folder = VaultFolder(folder)
        create_vault(self.folder, PASSPHRASE, zone="UTC", now=NOW, kdf=FLOOR)
        self._secret = bytes(slots.unlock_with_passphrase(self.folder, PASSPHRASE))

    def connection(self) -> Any:
        """The open database, exactly as the vault opens it."""
        return open_database(self.folder, bytearray(self._secret))


def run(seed: int) -> Table:
    """The table: batches of 1,000 and single durable events, each as a share of its floor's speed."""
    rng = random.Random(seed)
    data, household = packaged()
    events = repeated(household, BATCH * BATCHES + SINGLES)
    with tempfile.TemporaryDirectory(prefix="fern-bench-") as folder:
        batched = _paired(Path(folder), [events[at : at + BATCH] for at in range(0, BATCH * BATCHES, BATCH)])
    with tempfile.TemporaryDirectory(prefix="fern-bench-") as folder:
        single = _paired(Path(folder), [[event] for event in events[:SINGLES]])
    rows: list[Row] = []
    for name, size, times, bar in (
        ("batches of 1,000", BATCH, batched, "≥ 0.5"),
        ("single events", 1, single, "≥ 0.8"),
    ):
        ours, floor, written = times
        rows.append(median_row(name, "events a second", [size / took for took in ours], rng))
        rows.append(median_row(name, "floor: events a second", [size / took for took in floor], rng))
        rows.append(median_row(name, "rows written an event", [count / size for count in written], rng))
        ratios = [below / took for took, below in zip(ours, floor, strict=True)]
        rows.append(median_row(name, "share of the floor's speed", ratios, rng, bar=bar))
    return Table("bench writes", f"{data}, repeated", seed, tuple(rows))


def _paired(folder: Path, batches: Sequence[Sequence[Event]]) -> tuple[list[float], list[float], list[float]]:
    """Seconds of ours, seconds of the floor, rows written; one of each per batch, in turn."""
    ours, tapped, floor = (Place(folder / name) for name in ("ours", "tapped", "floor"))
    tap = Tap(tapped.connection())
    vault = Vault(ours.folder, ours.connection(), clock=lambda: NOW * 10)
    shadow = Vault(tapped.folder, tap, clock=lambda: NOW * 10)
    below = floor.connection()
    surface, mirror = vault.add_surface("bench"), shadow.add_surface("bench")
    _replay(below, tap.noted)
    ours_took: list[float] = []
    floor_took: list[float] = []
    written: list[float] = []
    for batch in batches:
        tap.noted.clear()
        mirror.record(batch, source="bench")
        written.append(float(sum(len(rows) for _, rows in tap.noted)))
        floor_took.append(_replay(below, tap.noted))
        ours_took.append(_record(surface, batch))
    vault.close()
    shadow.close()
    below.close()
    return ours_took, floor_took, written


def _record(surface: Surface, batch: Sequence[Event]) -> float:
    started = perf_counter()
    surface.record(batch, source="bench")
    return perf_counter() - started


def _replay(connection: Any, noted: Statements) -> float:
    started = perf_counter()
    connection.execute("BEGIN IMMEDIATE")
    for sql, rows in noted:
        if "RETURNING" in sql:
            for row in rows:
                connection.execute(sql, row).fetchall()
        else:
            connection.executemany(sql, rows)
    connection.execute("COMMIT")
    return perf_counter() - started
