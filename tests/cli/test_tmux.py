"""One person at one terminal, from nothing to a card and back to locked, read off the screen."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.support import DEMO, FERN, World

STRONG = "violet tractor 41 hums softly"

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")


class Screen:
    """A tmux session of its own, with a shell in it."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._base = ["tmux", "-f", "/dev/null", "-S", str(world.root / "tmux")]
        env = {name: value for name, value in world.env.items() if name != "FERN_PASSPHRASE_COMMAND"}
        env["PATH"] = f"{Path(FERN).parent}:{env['PATH']}"
        (world.root / "rc").write_text("PS1='ready> '\n")
        subprocess.run(
            [
                *self._base,
                "new-session",
                "-d",
                "-x",
                "120",
                "-y",
                "50",
                "-c",
                str(world.work),
                f"exec bash --rcfile {world.root}/rc",
            ],
            env=env,
            check=True,
            timeout=30,
        )

    def tmux(self, *words: str) -> str:
        return subprocess.run(
            [*self._base, *words], capture_output=True, text=True, check=True, timeout=30, env=self._world.env
        ).stdout

    def type(self, text: str) -> None:
        self.tmux("send-keys", "-l", text)
        self.tmux("send-keys", "Enter")

    def clear(self) -> None:
        self.tmux("send-keys", "C-l")
        self.tmux("clear-history")

    def text(self) -> str:
        return self.tmux("capture-pane", "-p").rstrip()

    def wait(self, pattern: str, limit: float = 60.0) -> str:
        """The screen once it shows the pattern."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            shown = self.text()
            if re.search(pattern, shown):
                return shown
        raise AssertionError(f"the screen never showed {pattern!r}:\n{self.text()}")

    def run(self, command: str) -> str:
        """Type a command and read what it says up to the next prompt."""
        self.clear()
        self.type(f"{command}; echo code $?")
        shown = self.wait(r"code \d+\s+ready>$")
        assert "Traceback" not in shown
        return shown


@pytest.fixture
def screen(world: World) -> Iterator[Screen]:
    made = Screen(world)
    try:
        made.wait("ready>$")
        yield made
    finally:
        made.tmux("kill-server")


def test_a_first_day(world: World, screen: Screen) -> None:
    screen.type("fern init")
    for question in ("New passphrase", "The same again"):
        screen.wait(rf"{question}.*: ?$")
        screen.type(STRONG)
    shown = screen.wait(r"Word \d+: ?$")
    words = dict(re.findall(r"(\d+)\. ([a-z]+)", shown))
    assert len(words) == 24
    answered: set[str] = set()
    while len(answered) < 3:
        asked = re.findall(r"Word (\d+):", screen.wait(r"Word \d+: ?$"))[-1]
        if asked not in answered:
            answered.add(asked)
            screen.type(words[asked])
            if len(answered) < 3:
                screen.wait(rf"Word (?!{asked}:)\d+: ?$")
    screen.wait(r"created the vault[\s\S]+ready>$")

    screen.clear()
    screen.type("fern surface add grocer.example")
    screen.wait(r"Passphrase: ?$")
    screen.type(STRONG)
    screen.wait(r"added grocer.example[\s\S]+ready>$")

    shown = screen.run(f"fern import csv {DEMO}/household.csv --surface grocer.example --map {DEMO}/mapping.toml")
    assert "800 rows, 800 events" in shown
    shown = screen.run("fern card grocer.example --at 2018-01-01")
    liked = re.search(r"likes (\S+),", shown)
    assert liked is not None
    attribute = f"pref:{liked[1]}"

    shown = screen.run(f"fern why grocer.example {attribute} --at 2018-01-01 | tail -3")
    assert re.search(r"entries add up to its strength +\d\.\d{4}", shown)
    shown = screen.run(f"fern set grocer.example {attribute} 6")
    assert "→ 6.00" in shown
    assert "code 0" in screen.run(f"fern forget grocer.example {attribute}")
    assert liked[1] not in screen.run("fern card grocer.example").replace("fern card grocer.example", "")
    assert "took back forget" in screen.run("fern undo")
    assert liked[1] in screen.run("fern card grocer.example")
    assert "locked" in screen.run("fern lock")
    assert re.search(r"state +locked", screen.run("fern status"))
    screen.clear()
    screen.type("fern card grocer.example")
    screen.wait(r"Passphrase: ?$")
    screen.tmux("send-keys", "C-c")
    screen.wait(r"ready>$")
    assert world.fern("status", "--json").json()["state"] == "locked"
