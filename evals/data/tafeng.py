"""Ta-Feng: grocery baskets in order, without dates; every step from one basket to the next counts as STEP_DAYS days."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

from evals.data.histories import Basket, Histories

STEP_DAYS = 7
"""A weekly shop: the file holds four months in order only, so the rhythm has to be stated from outside."""


def load(folder: Path) -> Histories:
    """All users; the file's own last basket of each is the one to foresee."""
    step = STEP_DAYS * 86_400_000_000
    found: dict[str, dict[int, list[str]]] = {}
    with gzip.open(folder / "baskets.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["user"], {}).setdefault(int(row["basket"]), []).append(row["item"])
    users = {
        name: [Basket(number * step, items) for number, items in of_user.items()] for name, of_user in found.items()
    }
    return Histories("Ta-Feng", users, 2, step)
