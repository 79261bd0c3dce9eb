"""What it costs to have SQLCipher lock and wipe each allocation, which the vault therefore does not ask for."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import sqlcipher3

from evals.table import Row, Table, median_row
from fernvault.vault import schema

BATCHES = 12
INSERT = (
    "INSERT INTO event (seq, surface_id, id, at, kind, item, attributes, magnitude, source_id, recorded)"
    " VALUES (?, 1, ?, ?, 'buy', ?, '[1, 2, 3]', 1.0, 1, 5)"
)


def run(seed: int) -> Table:
    """The table: rows a second with and without, each in a process of its own, since the switch is the process's."""
    rng = random.Random(seed)
    rows: list[Row] = []
    seconds: dict[str, list[float]] = {}
    for switch in ("OFF", "ON"):
        command = [sys.executable, "-m", "evals.bench.wiping", switch]
        done = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).resolve().parents[2])
        seconds[switch] = json.loads(done.stdout)
        rates = [1000 / took for took in seconds[switch]]
        rows.append(median_row(f"cipher_memory_security {switch}", "journal rows a second", rates, rng))
    times = [on / off for on, off in zip(seconds["ON"], seconds["OFF"], strict=True)]
    rows.append(median_row("ON against OFF", "times as long", times, rng))
    return Table("bench wiping", "1,000 generated journal rows a transaction", seed, tuple(rows))


def _write(switch: str) -> list[float]:
    took = []
    with tempfile.TemporaryDirectory(prefix="fern-bench-") as folder:
        connection = sqlcipher3.connect(f"{folder}/x.db", isolation_level=None)
        connection.execute("PRAGMA cipher_log_level=NONE")
        connection.execute(f"PRAGMA cipher_memory_security={switch}")
        connection.set_key(bytearray(b"x'" + b"ab" * 32 + b"'"))
        for pragma in ("foreign_keys=ON", "journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        schema.migrate(connection, found=0)
        connection.execute("INSERT INTO surface (name, added, preset) VALUES ('a', 1, 'adaptive')")
        connection.execute("INSERT INTO source (name) VALUES ('a')")
        for batch in range(BATCHES):
            rows = [(batch * 1000 + n + 1, f"{batch * 1000 + n:x}-0123456789ab", n, str(n)) for n in range(1000)]
            started = perf_counter()
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(INSERT, rows)
            connection.execute("COMMIT")
            took.append(perf_counter() - started)
        connection.close()
    return took


if __name__ == "__main__":
    print(json.dumps(_write(sys.argv[1])))
