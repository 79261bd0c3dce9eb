"""A hundred times kill -9: nothing acknowledged is ever lost, and the end is what it would have been."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from fernvault.memory import Vault
from fernvault_sync.frame import FrameError
from tests.cli.support import PASSPHRASE, SURFACE, World, csv_of, filled_world, many_rows, state

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

KILLS = 50
SEED = 20_261_201


def _documents(count: int) -> list[dict[str, Any]]:
    """Events in order of time, some of them against an attribute, the same on every call with the same clock."""
    rng = random.Random(SEED)
    start = int(time.time()) * 1_000_000 - 90 * 86_400 * 1_000_000
    return [
        {
            "id": f"k-{number}",
            "at": start + number * 60_000_000,
            "kind": rng.choice(("buy", "view", "return")),
            "item": f"item-{rng.randrange(200)}",
            "attributes": [f"pref:a{rng.randrange(60)}", "pref:all"],
        }
        for number in range(count)
    ]


def _look(world: World) -> set[str]:
    """The ids that the vault holds, after finding it whole."""
    with Vault.open(world.vault, PASSPHRASE) as vault:
        assert vault.doctor() == []
        ids = {row.id for row in vault.surface(SURFACE).journal()}
        assert len(ids) == vault.event_count(SURFACE)
    return ids


class Writer:
    """A client that writes the events in batches and notes in a file of its own what was acknowledged."""

    def __init__(self, world: World, documents: list[dict[str, Any]], notes: Path) -> None:
        self._world = world
        self._documents = documents
        self._notes = notes
        self._file = notes.open("a")
        self.next = 0
        self._rng = random.Random(SEED + 1)

    def write_until_it_ends(self) -> None:
        """Go on from the first event not acknowledged, until the agent goes away or all are written."""
        client = self._world.client()
        try:
            while self.next < len(self._documents):
                batch = self._documents[self.next : self.next + self._rng.randint(1, 12)]
                answers = client.call("record", {"surface": SURFACE, "events": batch, "source": "kills"})
                assert {answer["status"] for answer in answers} <= {"recorded", "duplicate"}
                self._file.write("".join(answer["id"] + "\n" for answer in answers))
                self._file.flush()
                self.next += len(batch)
        except FrameError:
            pass
        finally:
            client.close()

    def noted(self) -> set[str]:
        return set(self._notes.read_text().split())

    def close(self) -> None:
        self._file.close()


def test_killing_the_agent_while_a_client_writes() -> None:
    rng = random.Random(SEED)
    documents = _documents(20_000)
    kills = 0
    with filled_world() as world:
        writer = Writer(world, documents, world.work / "notes")
        while kills < KILLS:
            agent = world.start_agent()
            killer = threading.Timer(rng.uniform(0.0, 0.25), agent.kill)
            killer.start()
            try:
                writer.write_until_it_ends()
            finally:
                killer.join()
            assert agent.wait(30) == -9
            kills += 1
            assert writer.next < len(documents), "there must be something left to write"
            noted = writer.noted()
            assert noted == {document["id"] for document in documents[: writer.next]}
            assert noted <= _look(world)
        assert writer.next > KILLS, "the kills came before the work, and proved little"
        # What is left goes in undisturbed, and so does all of it in another vault.
        kept = documents[: writer.next + 500]
        _record_all(world, kept[writer.next :])
        with filled_world() as undisturbed:
            _record_all(undisturbed, kept)
            assert state(undisturbed.vault) == state(world.vault)
        writer.close()


def _record_all(world: World, documents: list[dict[str, Any]]) -> None:
    world.start_agent()
    client = world.client()
    for first in range(0, len(documents), 250):
        client.call("record", {"surface": SURFACE, "events": documents[first : first + 250], "source": "kills"})
    client.close()
    world.lock()


def test_killing_an_import_and_continuing_it() -> None:
    rng = random.Random(SEED + 2)
    text = csv_of(many_rows(25_000, seed=SEED))
    words = ("import", "csv", "big.csv", "--surface", SURFACE, "--no-agent", "--quiet")
    with filled_world() as undisturbed:
        undisturbed.file("big.csv", text)
        undisturbed.fern(*words)
        expected = state(undisturbed.vault)
    kills = halfway = 0
    while kills < KILLS:
        with filled_world() as world:
            world.file("big.csv", text)
            seen: set[str] = set()
            done = False
            while not done and kills < KILLS:
                process = world.popen(*words)
                try:
                    process.wait(rng.uniform(0.3, 1.5))
                    done = True
                except subprocess.TimeoutExpired:
                    process.kill()
                    kills += 1
                process.wait(30)
                found = _look(world)
                assert seen <= found, "what one look has seen, no kill takes away"
                halfway += 60 < len(found) < 25_060
                seen = found
            world.fern(*words)
            assert state(world.vault) == expected
            assert list(world.work.glob(".*.rejects*")) == []
    assert halfway > KILLS // 10, "the kills came before or after the work, and proved little"
