"""The export: whole or not at all, readable by its owner only, and enough to make every number again."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fernvault.catalog.catalog import catalog_of
from fernvault.errors import DiskFullError, ExistsError
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.portable.export import write_export
from fernvault.rule import PAPER
from tests.strategies import START
from tests.vaults import HOUR, PASSPHRASE, SOURCE, Clock, buy

ROOT = Path(__file__).parents[2]
NAMES = {"README.txt", "manifest.json", "surfaces.jsonl", "priors.jsonl", "events.jsonl", "edges.jsonl", "cards.jsonl"}


@pytest.fixture
def lived(folder: Path, clock: Clock) -> Iterator[Vault]:
    """Two surfaces under two rules, with late events, returns, corrections, undos, a sweep, an event dated ahead."""
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        catalog = catalog_of({"rules": {"Hafer – 1 l 🥛": ["pref:oat"]}})
        shop = vault.add_surface("shop.example", catalog=catalog)
        travel = vault.add_surface("travel.example", rule=PAPER)
        clock.now = START
        for n in range(60):
            clock.now += 5 * DAY + n
            for surface in (shop, travel):
                late = clock.now - (n * 37 % 100) * DAY
                events = [
                    buy(f"{n}", clock.now, f"pref:n{n % 6}", "ctx:night", item="Hafer – 1 l 🥛", quantity=float(n % 4)),
                    buy(f"{n}-late", late, f"pref:n{n % 4}", magnitude=0.3 if n % 3 else -2.0, kind="view"),
                ]
                surface.record(events, source=SOURCE)
            if n % 10 == 9:
                shop.correct("set", f"pref:n{n % 6}", 1.0 + n / 10)
                travel.correct("pin", "ctx:night")
            if n % 15 == 14:
                shop.correct("forget", "pref:n1")
                vault.undo(surface="travel.example")
        vault.undo(surface="shop.example", since=clock.now)
        shop.record([buy("gone", START - 4_000 * DAY, "pref:gone")], source=SOURCE)
        shop.record([buy("ahead", clock.now + 5 * HOUR, "pref:ahead"), buy("x", START, "pref:x")], source=SOURCE)
        shop.correct("forget", "pref:ahead")
        clock.now += HOUR
        shop.sweep()
        assert vault.doctor() == []
        yield vault


def lines(path: Path) -> list[dict[str, Any]]:
    """A JSON Lines file."""
    text = path.read_bytes().decode()
    assert text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


def instant(text: str) -> int:
    """Microseconds of an RFC 3339 time that ends in Z."""
    assert text.endswith("Z")
    delta = datetime.fromisoformat(text) - datetime(1970, 1, 1, tzinfo=UTC)
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def test_the_manifest_vouches_for_every_file(lived: Vault, tmp_path: Path, clock: Clock) -> None:
    to = tmp_path / "deep" / "export"
    manifest = lived.export(to)
    assert {file.name for file in to.iterdir()} == NAMES
    assert json.loads((to / "manifest.json").read_text("utf-8")) == manifest
    assert {key: manifest[key] for key in ("format", "version", "vault", "zone", "schema")} == {
        "format": "fernvault-export",
        "version": 1,
        "vault": lived.id,
        "zone": "Europe/Berlin",
        "schema": lived.schema(),
    }
    assert (instant(manifest["exported"]), instant(manifest["created"])) == (clock.now, START)
    assert set(manifest["files"]) == {name for name in NAMES if name.endswith(".jsonl")}
    for name, found in manifest["files"].items():
        content = (to / name).read_bytes()
        assert found == {"rows": content.count(b"\n"), "sha256": hashlib.sha256(content).hexdigest()}
    counts = {name: found["rows"] for name, found in manifest["files"].items()}
    # The journal: what counts as an event, and beside it the corrections and what was taken back.
    assert counts["events.jsonl"] == sum(len(list(surface.journal())) for surface in lived.surfaces())
    assert counts["events.jsonl"] > lived.event_count()
    assert counts["surfaces.jsonl"] == counts["cards.jsonl"] == 2
    assert counts["edges.jsonl"] == sum(len(surface.views()) for surface in lived.surfaces())
    assert "not encrypted" in (to / "README.txt").read_text("utf-8")
    assert [path.name for path in to.parent.iterdir()] == ["export"]


def test_only_the_owner_may_read_it_whatever_the_umask(lived: Vault, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        lived.export(tmp_path / "export")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "export").stat().st_mode) == 0o700
    for file in (tmp_path / "export").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_journal_is_whole_and_says_what_took_what_back(lived: Vault, tmp_path: Path) -> None:
    lived.export(tmp_path / "export")
    rows = lines(tmp_path / "export" / "events.jsonl")
    for row in rows:
        assert instant(row["recorded"]) >= START
        assert instant(row["at"]) is not None
    undos = {(row["surface"], row["id"]): row for row in rows if row["kind"] == "undo"}
    taken = [row for row in rows if row["undone_by"] is not None]
    assert len(taken) > 4
    for row in taken:
        undo = undos[row["surface"], row["undone_by"]]
        assert instant(undo["recorded"]) >= instant(row["recorded"])
        assert undo["item"] in (row["id"], "since")
    assert {(row["surface"], row["undone_by"]) for row in taken} == set(undos)
    for surface in lived.surfaces():
        mine = [row for row in rows if row["surface"] == surface.name]
        assert [row["id"] for row in mine] == [row.id for row in surface.journal()]
    assert {row["item"] for row in rows} >= {"Hafer – 1 l 🥛"}


# The arithmetic once more, from the words of DESIGN.md section 4 and the numbers in surfaces.jsonl alone.


def made_again(events: list[dict[str, Any]], rule: dict[str, Any], now: int) -> float:
    """The strength at an instant of one attribute with these journal entries."""
    traces: list[float] | None = None
    pinned, last = False, 0

    def fade(to: int) -> None:
        nonlocal traces, last
        if traces is None:
            return
        days = max(0, to - last) / 86_400e6
        if not pinned:
            traces = [w * 2 ** (-days / h) for w, h in zip(traces, rule["half_lives"], strict=True)]
            if max(traces) < rule["floor"]:
                traces = None
        last = max(last, to)

    for event in events:
        at = instant(event["at"])
        fade(at)
        if traces is None:
            pinned = False
        if event["kind"] == "forget":
            traces = None
        elif event["kind"] == "set":
            traces, last = [event["value"]] * len(rule["half_lives"]), at
        elif event["kind"] in ("pin", "unpin"):
            pinned = event["kind"] == "pin" and traces is not None
        else:
            size = abs(event["magnitude"])
            if rule["quantity"]:
                units = 1.0 if event["quantity"] is None else event["quantity"]
                size = min(1.0, 0.5 + units / (units + 2))
            gain = min(9.0, rule["alpha"] * size)
            traces = [gain] * len(rule["half_lives"]) if traces is None else [w + gain * (1 - w / 9) for w in traces]
            last = max(last, at)
    fade(now)
    if traces is None:
        return 0.0
    return float(sum(q * w for q, w in zip(rule["weights"], traces, strict=True)) / sum(rule["weights"]))


def test_the_edges_can_be_made_again_from_the_journal(lived: Vault, tmp_path: Path) -> None:
    manifest = lived.export(tmp_path / "export")
    now = instant(manifest["exported"])
    rules = {row["surface"]: row["rule"] for row in lines(tmp_path / "export" / "surfaces.jsonl")}
    journal: defaultdict[tuple[str, str], list[tuple[int, int, dict[str, Any]]]] = defaultdict(list)
    for number, row in enumerate(lines(tmp_path / "export" / "events.jsonl")):
        if row["undone_by"] is None:
            for attribute in row["attributes"]:
                journal[row["surface"], attribute].append((instant(row["at"]), number, row))
    found = {
        key: made_again([row for _, _, row in sorted(entries, key=lambda e: e[:2])], rules[key[0]], now)
        for key, entries in journal.items()
    }
    edges = {(row["surface"], row["attribute"]): row for row in lines(tmp_path / "export" / "edges.jsonl")}
    assert {key: strength for key, strength in found.items() if strength} == {
        key: pytest.approx(row["strength"], abs=1e-9) for key, row in edges.items()
    }
    assert ("shop.example", "pref:gone") in found
    assert ("shop.example", "pref:gone") not in edges
    assert ("shop.example", "pref:ahead") not in edges
    assert len(edges) > 12
    cards = {row["surface"]: row for row in lines(tmp_path / "export" / "cards.jsonl")}
    for name, card in cards.items():
        assert card["at"] == manifest["exported"]
        for entry in card["entries"]:
            rival = edges.get((name, "!" + entry["attribute"]), {"strength": 0.0})
            own = edges[name, entry["attribute"]]["strength"]
            if not entry["attribute"].startswith("!"):
                assert entry["strength"] == pytest.approx(own - rival["strength"], abs=1e-9)


def test_an_empty_vault_has_an_export_too(vault: Vault, tmp_path: Path) -> None:
    manifest = vault.export(tmp_path / "export")
    assert {found["rows"] for found in manifest["files"].values()} == {0}


# Refusals and failures.


def tree(path: Path) -> dict[str, bytes | None]:
    """Every file and folder below, with content."""
    return {str(p.relative_to(path)): p.read_bytes() if p.is_file() else None for p in sorted(path.rglob("*"))}


def test_what_is_there_is_never_touched(lived: Vault, tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "full").mkdir(parents=True)
    (place / "full" / "mine.txt").write_text("mine")
    (place / "file").write_text("mine")
    before = tree(place)
    for to in (place / "full", place / "file", place / "file" / "below", place / "file" / "far" / "below"):
        with pytest.raises(ExistsError) as raised:
            lived.export(to)
        assert "\n" not in raised.value.message
        assert tree(place) == before
    (place / "empty").mkdir(mode=0o755)
    lived.export(place / "empty")
    assert {file.name for file in (place / "empty").iterdir()} == NAMES
    assert stat.S_IMODE((place / "empty").stat().st_mode) == 0o700


def failing(error: Exception) -> Iterator[dict[str, Any]]:
    """Two rows, then a failure."""
    yield {"a": 1}
    yield {"a": 2}
    raise error


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (failing(OSError(28, "no space")), DiskFullError),
        (failing(KeyError("x")), KeyError),
        (iter([{"a": float("nan")}]), ValueError),
        (iter([{"a": "\ud800"}]), UnicodeError),
    ],
)
def test_a_failure_half_way_leaves_nothing(
    tmp_path: Path, rows: Iterator[dict[str, Any]], error: type[Exception]
) -> None:
    with pytest.raises(error):
        write_export(tmp_path / "export", {}, {"first.jsonl": [{"b": 1}], "second.jsonl": rows})
    assert tree(tmp_path) == {}
    write_export(tmp_path / "export", {}, {"first.jsonl": [{"b": 1}]})
    assert {path.name for path in tmp_path.iterdir()} == {"export"}


# A file of more than 16 KiB cannot be written; the process sets that limit for itself.
LIMITED = """
import resource, signal, sys
from pathlib import Path
from fernvault.memory import Vault

with Vault.open(Path(sys.argv[1]), sys.argv[2]) as vault:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16_384, resource.RLIM_INFINITY))
    try:
        vault.export(Path(sys.argv[3]))
    except OSError as error:
        print("failed:", error.strerror)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


def test_a_file_that_cannot_grow_leaves_nothing(folder: Path, clock: Clock, tmp_path: Path) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        events = [buy(f"{n}", START + n, "pref:oat", item="x" * 100) for n in range(200)]
        vault.add_surface("shop.example").record(events, source=SOURCE)
    place = tmp_path / "place"
    place.mkdir()
    command: list[Any] = [sys.executable, "-c", LIMITED, folder, PASSPHRASE, place / "export"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout.startswith("failed:"), done.stderr
    assert tree(place) == {}


@pytest.mark.skipif(os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_named(lived: Vault, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir(mode=0o500)
    with pytest.raises(DiskFullError, match="no permission"):
        lived.export(place / "export")
    assert tree(place) == {}
