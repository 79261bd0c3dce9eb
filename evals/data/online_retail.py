"""Online Retail: invoices of one gift shop, with returns; postage and other codes that are no product are kept."""

from __future__ import annotations

import csv
import lzma
from datetime import UTC, datetime
from pathlib import Path

from evals.data.histories import Basket, Histories

LEAST = 5


def load(folder: Path) -> Histories:
    """Customers with at least five purchases."""
    found: dict[str, dict[str, tuple[int, bool, list[str]]]] = {}
    with lzma.open(folder / "events.csv.xz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            of_user = found.setdefault(row["user"], {})
            if row["invoice"] not in of_user:
                at = datetime.fromisoformat(row["ts"]).replace(tzinfo=UTC)
                of_user[row["invoice"]] = (int(at.timestamp()) * 1_000_000, row["kind"] == "return", [])
            of_user[row["invoice"]][2].append(row["item"])
    users = {
        name: [Basket(at, items, returned) for at, returned, items in of_user.values()]
        for name, of_user in found.items()
    }
    return Histories("Online Retail", users, LEAST)
