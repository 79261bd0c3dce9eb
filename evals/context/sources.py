"""The data sets: app use (Frappe), a coffee machine, ratings in a context (films, tracks, sights), and a simulation."""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from evals.context.rows import Case, Choice, fifth_at_random, last_fifth
from fernvault.attribute import from_value
from fernvault.catalog.context import time_attributes

FRAPPE = ("daytime", "weekday", "isweekend", "homework", "cost", "weather", "country", "city")
FILMS = ("time", "location", "companion")
TRACKS = (
    "DrivingStyle",
    "landscape",
    "mood",
    "naturalphenomena",
    "RoadType",
    "sleepiness",
    "trafficConditions",
    "weather",
)
SIGHTS = (
    "distance",
    "timeAvailable",
    "temperature",
    "crowdedness",
    "knowledgeOfSurroundings",
    "season",
    "budget",
    "daytime",
    "weather",
    "companion",
    "mood",
    "weekday",
    "travelGoal",
    "transport",
)
UNDATED = 1_600_000_000_000_000
"""Sets without dates happen at one instant, in the order of the file, so that nothing fades."""

LIKED = 4.0


def _rows(folder: Path) -> Iterator[dict[str, str]]:
    with gzip.open(folder / "events.csv.gz", "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _named(row: dict[str, str], columns: tuple[str, ...], unknown: str) -> tuple[str, ...]:
    named = (from_value("ctx", f"{column} {row[column]}") for column in columns if row[column] != unknown)
    return tuple(name for name in named if name is not None)


def frappe(folder: Path, seed: int) -> list[Case]:
    """App use: users with at least 20 rows, a random fifth hidden. A row is an app in a context, once."""
    users: dict[str, list[Choice]] = {}
    for row in _rows(folder):
        users.setdefault(row["user"], []).append(Choice(UNDATED, row["item"], _named(row, FRAPPE, "unknown")))
    return fifth_at_random(users, 20, seed)


def coffee(folder: Path, seed: int) -> list[Case]:
    """Cups from one machine: cards with at least five, the latest fifth hidden; context is the hour and the weekend."""
    zone = ZoneInfo("UTC")
    users: dict[str, list[Choice]] = {}
    for row in _rows(folder):
        at = int(datetime.fromisoformat(row["ts"]).replace(tzinfo=UTC).timestamp()) * 1_000_000
        context = time_attributes(at, zone, time_of_day=True, weekend=True)
        users.setdefault(row["user"], []).append(Choice(at, row["item"], context))
    return last_fifth(users, 5)


def films(folder: Path, seed: int) -> list[Case]:
    """DePaulMovie: films."""
    return _liked(folder, FILMS, "NA", seed)


def tracks(folder: Path, seed: int) -> list[Case]:
    """InCarMusic: tracks to drive by; a rating names one condition at most."""
    return _liked(folder, TRACKS, "", seed)


def sights(folder: Path, seed: int) -> list[Case]:
    """South Tyrol Suggests: sights; a third of the rows has no date, so that none is used."""
    return _liked(folder, SIGHTS, "", seed)


def _liked(folder: Path, columns: tuple[str, ...], unknown: str, seed: int) -> list[Case]:
    """What was rated 4 or more (of 5) in a stated context: users with at least five such, a random fifth hidden."""
    users: dict[str, list[Choice]] = {}
    for row in _rows(folder):
        context = _named(row, columns, unknown)
        if float(row["rating"]) >= LIKED and context:
            users.setdefault(row["user"], []).append(Choice(UNDATED, row["item"], context))
    return fifth_at_random(users, 5, seed)


WORLDS = {
    "as published": (40, 40, 0.0, 0),
    "30 % noise": (40, 40, 0.3, 0),
    "other context 4x, 20 % noise": (40, 160, 0.2, 0),
    "6 events each, 20 % noise": (6, 6, 0.2, 0),
    "2 tags shared, 20 % noise": (40, 40, 0.2, 2),
}
"""Events on weekdays, on weekends, share of random tags, tags that both contexts have (mechanisms 1.5)."""


def world(name: str, seed: int, users: int) -> list[tuple[Case, frozenset[str]]]:
    """Simulated users, each event two tags of the five that its context has, with the five of weekdays."""
    weekdays, weekends, noise, shared = WORLDS[name]
    made = []
    for user in range(users):
        rng = random.Random(f"{seed}/{user}")
        tags = [f"t{index}" for index in range(10 - shared)]
        rng.shuffle(tags)
        own = {"ctx:weekday": tags[:5], "ctx:weekend": tags[5 - shared :]}
        kinds = ["ctx:weekday"] * weekdays + ["ctx:weekend"] * weekends
        rng.shuffle(kinds)
        seen = [
            Choice(UNDATED, tag, (kind,))
            for kind in kinds
            for tag in rng.sample(tags if rng.random() < noise else own[kind], 2)
        ]
        made.append((Case(f"u{user}", seen, []), frozenset(own["ctx:weekday"])))
    return made
