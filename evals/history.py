"""Real shopping events for the benchmarks: Complete Journey where it is, the packaged household otherwise."""

from __future__ import annotations

import csv
import gzip
import lzma
from collections.abc import Iterator
from importlib.resources import as_file, files
from itertools import cycle, islice
from pathlib import Path
from zoneinfo import ZoneInfo

from fernvault.catalog.mapping import Mapping, load_mapping
from fernvault.event import Event
from fernvault.portable.csv_import import read_events
from fernvault.portable.text_file import open_text

NOW = 1_600_000_000_000_000
"""The clock of the benchmarks: 2020-09-13, after all the data."""


def packaged() -> tuple[str, list[Event]]:
    """The demo's household as events, with what it is."""
    with as_file(files("fernvault_cli") / "demo") as folder:
        mapping = load_mapping(folder / "mapping.toml")
        with open_text(folder / "household.csv") as text:
            found = [event for event in _events(text, mapping) if isinstance(event, Event)]
    return "packaged household", found


def _events(text: object, mapping: Mapping) -> Iterator[object]:
    yield from read_events(text, mapping, owner_zone=ZoneInfo("UTC"), now=NOW)  # type: ignore[arg-type]


def repeated(events: list[Event], count: int) -> list[Event]:
    """``count`` events: these ones over and over, a year later each time, with ids of their own."""
    year = 365 * 86_400_000_000
    made = []
    for index, event in enumerate(islice(cycle(events), count)):
        lap = index // len(events)
        made.append(event._replace(id=f"{event.id}-{lap}", at=event.at + lap * year) if lap else event)
    return made


def journey(data: Path) -> Path | None:
    """The folder of Complete Journey, or None when it is not there."""
    folder = data / "complete_journey"
    return folder if (folder / "events.csv.xz").exists() else None


def households(folder: Path) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Each household of Complete Journey with its rows; the file holds one after the other."""
    with lzma.open(folder / "events.csv.xz", "rt", encoding="utf-8", newline="") as file:
        rows: list[dict[str, str]] = []
        for row in csv.DictReader(file):
            if rows and row["user"] != rows[0]["user"]:
                yield rows[0]["user"], rows
                rows = []
            rows.append(row)
        if rows:
            yield rows[0]["user"], rows


def items(folder: Path) -> dict[str, dict[str, str]]:
    """The item table of Complete Journey."""
    with gzip.open(folder / "items.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return {row["item"]: row for row in csv.DictReader(file)}
