"""Real vaults for tests: cheap keys, a clock that the test sets, events, and a plain model to compare with."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from fernvault.edge import Edge, EdgeEvent
from fernvault.event import Act, Event
from fernvault.graph.fading import settle
from fernvault.graph.magnitude import amount
from fernvault.graph.replay import replay
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE, Rule
from fernvault.surface import Surface
from fernvault.vault import creation, journal
from fernvault.vault.kdf import Kdf
from fernvault.vault.layout import VaultFolder
from tests.strategies import START

PASSPHRASE: Final = "stapler Quokka 7 lemonade"
SOURCE: Final = "till"
HOUR: Final = 3_600_000_000
CHEAP: Final = Kdf(64, 1, 1)


class Clock:
    """A clock that stands still until the test moves it."""

    def __init__(self, now: int = START) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


def create(path: Path, *, zone: str = "Europe/Berlin", passphrase: str = PASSPHRASE) -> VaultFolder:
    """A new vault in a folder, closed."""
    folder = VaultFolder(path)
    creation.create_vault(folder, passphrase, kdf=CHEAP, allow_weak_kdf=True, zone=zone, now=START)
    return folder


def copy(folder: Path, to: Path) -> Path:
    """A copy that opens, whatever modes the version control left."""
    shutil.copytree(folder, to)
    to.chmod(0o700)
    for file in to.iterdir():
        file.chmod(0o600)
    return to


def buy(
    id: str,
    at: int,
    *attributes: str,
    magnitude: float = 1.0,
    kind: str = "buy",
    item: str | None = None,
    quantity: float | None = None,
) -> Event:
    """An event; a purchase unless said otherwise."""
    return Event(id, at, kind, item, attributes, magnitude, quantity, None)


def stored(vault: Vault, surface: Surface) -> dict[str, tuple[Any, ...]]:
    """A surface's edge rows as bytes and numbers, by attribute; stale ones made again first."""
    surface.views()
    rows = vault._connection.execute(
        "SELECT slug, traces, at, hits, fresh, first, times, pinned, owner, gone, stale FROM edge"
        " JOIN attribute ON attribute.id = attribute_id WHERE edge.surface_id = ?",
        (surface.row.id,),
    )
    return {row[0]: tuple(row[1:]) for row in rows}


def table(vault: Vault, name: str) -> list[tuple[Any, ...]]:
    """All rows of a table of the vault."""
    return sorted(vault._connection.execute(f"SELECT * FROM {name}").fetchall(), key=repr)  # noqa: S608


def edge_of(row: Sequence[Any]) -> Edge:
    """The edge in a row of ``stored``, unpacked here once more."""
    traces, at, hits, fresh, first, times, pinned, owner, *_ = row
    return Edge(
        tuple(memoryview(traces).cast("d")), at, hits, fresh, first, tuple(memoryview(times).cast("q")), pinned, owner
    )


class Entry(NamedTuple):
    """One journal entry as the model keeps it."""

    seq: int
    event: Event
    recorded: int


class Model:
    """What a surface must show: a list of live entries, folded anew at every question."""

    def __init__(self, rule: Rule = ADAPTIVE) -> None:
        self.rule = rule
        self.live: dict[int, Entry] = {}
        self.ids: set[str] = set()

    def record(self, first_seq: int, events: Iterable[Event], now: int) -> list[bool]:
        """Keep those whose id is new; for each, whether it was. Their numbers run on from ``first_seq``."""
        fresh = []
        seq = first_seq
        for event in events:
            fresh.append(event.id not in self.ids)
            if event.id not in self.ids:
                self.ids.add(event.id)
                self.live[seq] = Entry(seq, event, now)
                seq += 1
        return fresh

    def entries(self, until: int | None = None) -> dict[str, list[EdgeEvent]]:
        """Each attribute's entries in order of (at, seq)."""
        found: defaultdict[str, list[EdgeEvent]] = defaultdict(list)
        for seq, event, _ in self.live.values():
            if until is None or event.at <= until:
                act = {"set": Act.SET, "pin": Act.PIN, "unpin": Act.UNPIN, "forget": Act.FORGET}.get(
                    event.kind, Act.LEARN
                )
                size = (
                    amount(event.magnitude, event.quantity, self.rule)
                    if act is Act.LEARN
                    else float(event.value if event.value is not None else 0.0)
                )
                for attribute in journal.fired(event):
                    found[attribute].append(EdgeEvent(event.at, seq, act, size))
        return {attribute: sorted(entries) for attribute, entries in found.items()}

    def edges(self, until: int | None = None) -> dict[str, Edge]:
        """What each attribute's entries fold into, not faded."""
        made = {attribute: replay(entries, self.rule) for attribute, entries in self.entries(until).items()}
        return {attribute: edge for attribute, edge in made.items() if edge is not None}

    def faded(self, at: int, until: int | None = None) -> dict[str, Edge]:
        """The edges that are left at an instant."""
        left = {attribute: settle(edge, at, self.rule) for attribute, edge in self.edges(until).items()}
        return {attribute: edge for attribute, edge in left.items() if edge is not None}
