"""How long a verb takes as a whole process on a warm agent, as a multiple of an interpreter that does nothing.

Not measured: `init`, `passphrase`, `recover`, `demo`, and `unlock` or `agent start` of a locked vault, which derive a
key with Argon2id and are slow so that guessing is; `lock` and `agent stop`, which end the agent that is measured;
`tune`, which tries many parameters on the whole history; `prior adopt` and `prior drop`, whose time is that of the
file; and `surface remove`, which is `delete` by another name.
"""

from __future__ import annotations

import compileall
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from evals.history import NOW, packaged
from evals.table import Table, median_row
from fernvault.clock import wall_clock
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.vault.creation import create_vault
from fernvault.vault.kdf import FLOOR
from fernvault.vault.layout import VaultFolder
from fernvault_sync.admin import AdminClient
from fernvault_sync.starting import start_agent

ROUNDS = 41
PASSPHRASE = "benchmark passphrase, thrown away"
SURFACE = "bench.example"

VERBS: dict[str, tuple[list[str], str]] = {
    "card": (["card", SURFACE], "≤ 3"),
    # What has changed since then is made again from the journal.
    "card of a month ago": (["card", SURFACE, "--at", "-30d"], "≤ 3"),
    "ls": (["ls", SURFACE], "≤ 6"),
    "why": (["why", SURFACE, "pref:kids-cereal"], "≤ 6"),
    "preview": (["preview", SURFACE, "--days", "90"], "≤ 6"),
    "status": (["status"], "≤ 6"),
    "surface list": (["surface", "list"], "≤ 6"),
    "set": (["set", SURFACE, "pref:oat-milk", "7"], "≤ 6"),
    "pin": (["pin", SURFACE, "pref:oat-milk"], "≤ 6"),
    "unpin": (["unpin", SURFACE, "pref:oat-milk"], "≤ 6"),
    "undo": (["undo"], "≤ 6"),
    "redo": (["redo"], "≤ 6"),
    "forget": (["forget", SURFACE, "pref:oat-milk"], "≤ 6"),
    "surface show": (["surface", "show", SURFACE], "≤ 6"),
    "surface add": (["surface", "add", "{n}.example"], "≤ 6"),
    "unlock, when it is": (["unlock"], "≤ 6"),
    "agent status": (["agent", "status"], "≤ 6"),
    "prior status": (["prior", "status"], "≤ 6"),
    "import, one row": (["import", "csv", "{folder}/{n}.csv", "--surface", SURFACE], "≤ 6"),
    "import, one row, mapped": (
        ["import", "csv", "{folder}/{n}-mapped.csv", "--surface", SURFACE, "--map", "{folder}/map.toml"],
        "≤ 6",
    ),
    "import, one JSON line": (["import", "jsonl", "{folder}/{n}.jsonl", "--surface", SURFACE], "≤ 6"),
    "record": (["record", "--surface", SURFACE], "≤ 6"),
    "export": (["export", "--to", "{folder}/{n}"], "≤ 6"),
    "delete": (["delete", "--surface", "{n}.example", "--yes"], "≤ 6"),
    "doctor": (["doctor"], "≤ 6"),
    "--help": (["--help"], "≤ 6"),
}


def run(seed: int) -> Table:
    """The table: each verb's median multiple of ``python -c pass``, in turn with it."""
    rng = random.Random(seed)
    _compile()
    data, events = packaged()
    # Moved so that the history ends yesterday: what has faded is no longer read, and nobody's memory ends years ago.
    later = wall_clock() - DAY - max(event.at for event in events)
    events = [event._replace(at=event.at + later) for event in events]
    with tempfile.TemporaryDirectory(prefix="fern-bench-") as name:
        folder = VaultFolder(Path(name) / "vault")
        create_vault(folder, PASSPHRASE, zone="UTC", now=NOW, kdf=FLOOR)
        with Vault.open(folder.path, PASSPHRASE) as vault:
            vault.add_surface(SURFACE).record(events, source="bench")
        _write_imports(Path(name))
        start_agent(folder, PASSPHRASE)
        try:
            rows = []
            for verb, (words, bar) in VERBS.items():
                floor, took = _paired(words, folder, Path(name))
                rows.append(median_row(verb, "milliseconds", [1000 * one for one in took], rng))
                multiples = [one / nothing for one, nothing in zip(took, floor, strict=True)]
                rows.append(median_row(verb, "times an empty interpreter", multiples, rng, bar=bar))
        finally:
            AdminClient(str(folder.path)).call("lock", {})
    return Table(
        "bench start", f"{data}, its last day moved to yesterday; python -c pass beside each run", seed, tuple(rows)
    )


def _paired(words: list[str], folder: VaultFolder, scratch: Path) -> tuple[list[float], list[float]]:
    environment = {**os.environ, "FERN_VAULT": str(folder.path)}
    floor, took = [], []
    for number in range(ROUNDS):
        made = [word.format(n=f"r{number}", folder=scratch) for word in words]
        if words[0] == "redo":
            # Only what was taken back can be put back.
            _timed([_fern(), "undo"], environment)
        floor.append(_timed([sys.executable, "-c", "pass"], environment))
        took.append(_timed([_fern(), *made], environment))
        if words[0] == "forget":
            # What is forgotten cannot be forgotten again.
            _timed([_fern(), "undo"], environment)
    return floor, took


def _write_imports(folder: Path) -> None:
    """A file of one event for each round and each form, since the same event again would only be looked up."""
    (folder / "map.toml").write_text(
        '[columns]\ntime = "time"\nitem = "item"\n[time]\nformat = "%Y-%m-%d %H:%M"\n[attributes]\npref = ["item"]\n',
        encoding="utf-8",
    )
    for number in range(ROUNDS):
        at = f"2026-01-01 09:{number:02d}"
        (folder / f"r{number}.csv").write_text(f"time,item\n{at},green tea\n", encoding="utf-8")
        (folder / f"r{number}-mapped.csv").write_text(f"time,item\n{at},black tea\n", encoding="utf-8")
        event = {"at": at.replace(" ", "T") + ":00Z", "item": "mint tea", "attributes": ["pref:mint-tea"]}
        (folder / f"r{number}.jsonl").write_text(json.dumps(event) + "\n", encoding="utf-8")


def _timed(command: list[str], environment: dict[str, str]) -> float:
    started = perf_counter()
    done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    took = perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed: {done.stderr.decode()}")
    return took


def _fern() -> str:
    script = Path(sys.executable).with_name("fern")
    if not script.exists():
        raise SystemExit("install the project into this interpreter first: the installed command is what is measured")
    return str(script)


def _compile() -> None:
    """Byte code as an install leaves it; without it every start would compile our modules again."""
    root = Path(__file__).resolve().parents[2]
    for name in ("fernvault", "sync", "cli"):
        compileall.compile_dir(root / name, quiet=1)
