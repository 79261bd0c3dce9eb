"""MovieLens, small: films that a user rated 4 or more, as the genres they have; one film is one event."""

from __future__ import annotations

import csv
import gzip
from datetime import datetime
from pathlib import Path

from evals.data.histories import Basket

LIKED = 4.0
NONE = "(no genres listed)"


def load(folder: Path) -> dict[str, list[Basket]]:
    """Each user's liked films in order of time."""
    with gzip.open(folder / "items.csv.gz", "rt", encoding="utf-8", newline="") as file:
        genres = {row["item"]: row["genres"].split("|") for row in csv.DictReader(file)}
    found: dict[str, list[Basket]] = {}
    with gzip.open(folder / "events.csv.gz", "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            named = [genre for genre in genres.get(row["item"], []) if genre != NONE]
            if float(row["rating"]) >= LIKED and named:
                at = int(datetime.fromisoformat(row["ts"]).timestamp()) * 1_000_000
                found.setdefault(row["user"], []).append(Basket(at, named))
    return {user: sorted(baskets, key=lambda basket: basket.at) for user, baskets in found.items()}
