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
from fernvault.catalog.mapping import load_mapping
from fernvault.vault.creation import create_vault
from fernvault.vault.kdf import FLOOR
from fernvault.vault.layout import VaultFolder
from fernvault_cli.importing import Importer, Totals, WriteTo
from fernvault_cli.options import Options
from fernvault_sync.admin import AdminClient
from fernvault_sync.starting import start_agent

SHARE_ALONE = 0.03
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
    """The table: rows a second of `fern import csv` into a running agent.

    Every household goes through the command's own importer, one surface each, in one process; a drawn sample of them
    also as whole processes. Each has its own file, and an item table of what it bought, as one person's export has.
    """
    folder = journey(data)
    if folder is None:
        raise SystemExit(f"complete_journey is not in {data}: name its parent folder with --data")
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="fern-bench-") as name:
        scratch = Path(name)
        place = VaultFolder(scratch / "vault")
        create_vault(place, PASSPHRASE, zone="America/New_York", now=NOW, kdf=FLOOR)
        (scratch / "mapping.toml").write_text(MAPPING, encoding="utf-8")
        start_agent(place, PASSPHRASE)
        client = AdminClient(str(place.path))
        try:
            rows = _measured(folder, place, client, scratch, rng)
        finally:
            client.call("lock", {})
    return Table("bench import", "complete_journey, one surface a household", seed, rows)


def _measured(
    folder: Path, place: VaultFolder, client: AdminClient, scratch: Path, rng: random.Random
) -> tuple[Row, ...]:
    whole: list[tuple[int, float]] = []
    alone: list[tuple[int, float]] = []
    table = items(folder)
    written = 0
    for user, rows in households(folder):
        file = _exported(scratch, user, rows, table)
        if rng.random() < SHARE_ALONE:
            surface = _added(client, f"alone-{user}")
            begun = perf_counter()
            written += _command(file, surface, scratch, place)
            alone.append((len(rows), perf_counter() - begun))
        surface = _added(client, f"household-{user}")
        begun = perf_counter()
        written += _importer(file, surface, scratch, client)
        whole.append((len(rows), perf_counter() - begun))
        file.unlink()
    findings = client.call("doctor", {})["findings"]
    assert not findings, findings[:3]
    size = sum(path.stat().st_size for path in place.path.iterdir())
    total = sum(count for count, _ in whole)
    return (
        _rate("all households, one process", whole, rng),
        Row("all households, one process", "rows", total, total, total, len(whole)),
        _rate("sampled households, a process each", alone, rng),
        Row("vault", "events", written, written, written, 1),
        Row("vault", "bytes an event", size / written, size / written, size / written, 1),
    )


def _rate(method: str, counts: list[tuple[int, float]], rng: random.Random) -> Row:
    value = sum(count for count, _ in counts) / sum(seconds for _, seconds in counts)
    drawn = sorted(_resampled(counts, rng) for _ in range(1000))
    return Row(method, "rows a second", value, drawn[25], drawn[975], len(counts))


def _added(client: AdminClient, surface: str) -> str:
    client.call("surface.add", {"surface": surface, "preset_name": "adaptive", "catalog": None})
    return surface


def _exported(scratch: Path, user: str, rows: list[dict[str, str]], table: dict[str, dict[str, str]]) -> Path:
    bought = [table[item] for item in dict.fromkeys(row["item"] for row in rows) if item in table]
    for path, lines in ((scratch / f"{user}.csv", rows), (scratch / "items.csv", bought)):
        with path.open("w", encoding="utf-8", newline="") as target:
            writer = csv.DictWriter(target, lines[0])
            writer.writeheader()
            writer.writerows(lines)
    return scratch / f"{user}.csv"


def _importer(file: Path, surface: str, scratch: Path, client: AdminClient) -> int:
    totals = Totals("csv")
    mapping = load_mapping(scratch / "mapping.toml")
    Importer("csv", mapping, Options(quiet=True), WriteTo(client, surface), totals).run([file])
    assert not totals.rejected
    return totals.events


def _resampled(counts: list[tuple[int, float]], rng: random.Random) -> float:
    drawn = rng.choices(counts, k=len(counts))
    return sum(count for count, _ in drawn) / sum(seconds for _, seconds in drawn)


def _command(file: Path, surface: str, scratch: Path, place: VaultFolder) -> int:
    words = ["import", "csv", str(file), "--surface", surface, "--map", str(scratch / "mapping.toml"), "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "fernvault_cli.main", *words],
        env={**os.environ, "FERN_VAULT": str(place.path)},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout.decode() + done.stderr.decode())
    return int(json.loads(done.stdout)["events"])
