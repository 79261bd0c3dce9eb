"""`fern import csv` as a person runs it: one whole household, and every household of Complete Journey."""

from __future__ import annotations

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from evals.history import NOW, households, items, journey
from evals.table import Row, Table
from fernvault.vault.creation import create_vault
from fernvault.vault.kdf import FLOOR
from fernvault.vault.layout import VaultFolder
from fernvault_sync.admin import AdminClient
from fernvault_sync.starting import start_agent

PASSPHRASE = "benchmark passphrase, thrown away"
MAPPING = """
[columns]
time = "ts"
item = "item"
quantity = "quantity"
value = "sales_value"
[time]
zone = "America/New_York"
[attributes]
pref = ["product_type"]
[items]
file = "items.csv"
key = "item"
[context]
time_of_day = true
weekend = true
"""


def run(seed: int, data: Path) -> Table:
    """The table: rows per second of the command, whole processes, agent running.

    Each household has its own file, and an item table of what it bought, as an export of one person has.
    """
    folder = journey(data)
    if folder is None:
        raise SystemExit(f"complete_journey is not in {data}: name its parent folder with --data")
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="fern-bench-") as name:
        scratch = Path(name)
        place = VaultFolder(scratch / "vault")
        create_vault(place, PASSPHRASE, zone="America/New_York", now=NOW, kdf=FLOOR)
        mapping = scratch / "mapping.toml"
        mapping.write_text(MAPPING, encoding="utf-8")
        start_agent(place, PASSPHRASE)
        client = AdminClient(str(place.path))
        try:
            rows = _all(folder, place, client, mapping, scratch, rng)
        finally:
            client.call("lock", {})
    return Table("bench import", "complete_journey, one surface a household", seed, rows)


def _all(  # noqa: PLR0917 - one call, one place
    folder: Path, place: VaultFolder, client: AdminClient, mapping: Path, scratch: Path, rng: random.Random
) -> tuple[Row, ...]:
    counts: list[tuple[int, float]] = []
    table = items(folder)
    written = 0
    started = perf_counter()
    for user, rows in households(folder):
        file = scratch / f"{user}.csv"
        with file.open("w", encoding="utf-8", newline="") as target:
            writer = csv.DictWriter(target, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        with (scratch / "items.csv").open("w", encoding="utf-8", newline="") as target:
            writer = csv.DictWriter(target, next(iter(table.values())))
            writer.writeheader()
            writer.writerows(table[item] for item in dict.fromkeys(row["item"] for row in rows) if item in table)
        surface = f"household-{user}"
        client.call("surface.add", {"surface": surface, "preset_name": "adaptive", "catalog": None})
        begun = perf_counter()
        document = _import(file, surface, mapping, place)
        counts.append((document["rows"], perf_counter() - begun))
        written += document["events"]
        file.unlink()
    took = perf_counter() - started
    total = sum(count for count, _ in counts)
    rates = sorted(count / seconds for count, seconds in counts)
    drawn = sorted(_resampled(counts, rng) for _ in range(1000))
    doctor = client.call("doctor", {})
    assert not doctor["findings"], doctor["findings"][:3]
    size = sum(path.stat().st_size for path in place.path.iterdir())
    return (
        Row("one household", "rows a second, whole process", rates[len(rates) // 2], rates[0], rates[-1], len(rates)),
        Row(
            "all households",
            "rows a second, whole processes",
            total / sum(s for _, s in counts),
            drawn[25],
            drawn[975],
            len(counts),
        ),
        Row("all households", "rows", total, total, total, len(counts)),
        Row("all households", "events written", written, written, written, len(counts)),
        Row("all households", "seconds in all", took, took, took, 1),
        Row("all households", "bytes of the vault an event", size / written, size / written, size / written, 1),
    )


def _resampled(counts: list[tuple[int, float]], rng: random.Random) -> float:
    drawn = rng.choices(counts, k=len(counts))
    return sum(count for count, _ in drawn) / sum(seconds for _, seconds in drawn)


def _import(file: Path, surface: str, mapping: Path, place: VaultFolder) -> dict[str, int]:
    words = ["import", "csv", str(file), "--surface", surface, "--map", str(mapping), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "fernvault_cli.main", *words],
        env={**os.environ, "FERN_VAULT": str(place.path)},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    document: dict[str, int] = json.loads(done.stdout)
    return document
