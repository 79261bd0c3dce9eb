"""Groceries: the file without a personal signal, as negative control. A member's day is one basket."""

from __future__ import annotations

import csv
import gzip
from datetime import UTC, datetime
from pathlib import Path

from evals.data.histories import Basket, Histories

LEAST = 2


def load(folder: Path) -> Histories:
    """Members with at least two days."""
    found: dict[str, dict[str, list[str]]] = {}
    with gzip.open(folder / "events.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["user"], {}).setdefault(row["ts"], []).append(row["item"])
    users = {name: [Basket(_instant(day), items) for day, items in of_user.items()] for name, of_user in found.items()}
    return Histories("Groceries", users, LEAST)


def _instant(day: str) -> int:
    return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()) * 1_000_000
