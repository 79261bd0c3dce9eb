"""Complete Journey: the households' baskets as product types or product categories.

The local times carry no zone and are read as UTC: an hour more or less in a year of shopping moves nothing here.
"""

from __future__ import annotations

import csv
import gzip
import lzma
from datetime import UTC, datetime
from pathlib import Path

from evals.data.histories import Basket, Histories

LEAST = 10


def load(folder: Path, level: str) -> Histories:
    """Households with at least ten baskets; ``level`` is ``product_type`` or ``product_category``."""
    return Histories(f"Complete Journey, {level.replace('_', ' ')}", baskets(folder, level), LEAST)


def baskets(folder: Path, level: str) -> dict[str, list[Basket]]:
    """Every household's baskets, in order of time."""
    with gzip.open(folder / "items.csv.gz", "rt", encoding="utf-8", newline="") as file:
        labels = {row["item"]: row[level] for row in csv.DictReader(file)}
    found: dict[str, dict[str, tuple[int, list[str]]]] = {}
    with lzma.open(folder / "events.csv.xz", "rt", encoding="utf-8", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)
        user, ts, basket, item = (header.index(name) for name in ("user", "ts", "basket", "item"))
        for line in lines:
            label = labels.get(line[item], "")
            if label:
                of_user = found.setdefault(line[user], {})
                if line[basket] not in of_user:
                    at = datetime.fromisoformat(line[ts]).replace(tzinfo=UTC)
                    of_user[line[basket]] = (int(at.timestamp()) * 1_000_000, [])
                of_user[line[basket]][1].append(label)
    return {
        name: sorted((Basket(at, items) for at, items in of_user.values()), key=lambda basket: basket.at)
        for name, of_user in found.items()
    }
