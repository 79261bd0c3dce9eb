"""The demo: one command, under a minute, and nothing stays unless it was wanted."""

from __future__ import annotations

import re
import signal
import time

from tests.cli.support import PASSPHRASE, World, agents_of


def test_the_demo_shows_the_chain_and_leaves_nothing(world: World) -> None:
    started = time.monotonic()
    said = world.fern("demo", env={"FERN_PASSPHRASE_COMMAND": None})
    assert time.monotonic() - started < 60
    for command in ("surface add", "import csv", "card", "ls", "why", "forget", "set", "undo", "preview"):
        assert f"$ fern {command}" in said.out
    assert "800 rows, 800 events" in said.out
    assert re.search(r"^likes \S+", said.out, re.MULTILINE)
    assert "the vault is deleted again" in said.out
    assert sorted(path.name for path in world.root.iterdir()) == ["home", "plain", "run", "secret", "work"]
    assert list(world.data.iterdir()) == list(world.work.iterdir()) == []
    assert agents_of(world.root) == []


def test_a_kept_demo_is_a_vault_like_any_other(world: World) -> None:
    said = world.fern("demo", "--keep", "household")
    kept = str(world.work / "household")
    assert "fernvault recovery sheet" in said.out
    card = world.fern("--vault", kept, "card", "grocer.example", "--at", "2018-01-01", "--no-agent").out
    assert card in said.out
    assert world.error("demo", "--keep", "household", code=8)["code"] == "exists"
    assert PASSPHRASE not in said.out


def test_ctrl_c_during_the_demo_leaves_nothing(world: World) -> None:
    process = world.popen("demo")
    assert process.stdout is not None
    assert process.stdout.readline() == b"\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    assert sorted(path.name for path in world.root.iterdir()) == ["home", "plain", "run", "secret", "work"]
