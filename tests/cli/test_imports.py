"""What a start costs is what it imports: the everyday verbs must not pull in the machinery of the others."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import cache

import pytest

from tests.cli.support import SURFACE, World, filled_world

HEAVY = frozenset(
    """
    typer click rich pydantic pydantic_core platformdirs dataclasses importlib.metadata inspect sqlcipher3 cryptography
    filelock mnemonic zxcvbn tzlocal slugify asyncio socket http ssl subprocess pathlib argparse logging typing
    datetime zoneinfo tempfile random hashlib fernvault.memory fernvault.surface fernvault.vault fernvault.errors
    fernvault_sync.agent fernvault_sync.operations fernvault_cli.app fernvault_cli.session
    """.split()  # noqa: SIM905 - a list of them would be forty lines
)
A_FILE_NEEDS = frozenset({"pathlib", "typing", "datetime", "zoneinfo", "fernvault.errors"})
SOME_FILES_NEED = frozenset({"tomllib", "decimal"})
PROBE = """
import sys
from fernvault_cli.main import main
code = main()
sys.stdout.flush()
sys.stderr.write("\\n".join(sys.modules))
sys.exit(code)
"""


@pytest.fixture(scope="module")
def held() -> Iterator[World]:
    with filled_world() as world:
        world.start_agent()
        yield world


@cache
def _bare() -> frozenset[str]:
    """What the interpreter has loaded before our first line (a coverage or editable hook may be among it)."""
    listed = subprocess.run(
        [sys.executable, "-c", "import sys; print('\\n'.join(sys.modules))"], capture_output=True, text=True, check=True
    )
    return frozenset(listed.stdout.split())


def _loaded(world: World, *words: str) -> frozenset[str]:
    """The modules that a run of the command loads."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *words],
        capture_output=True,
        text=True,
        env=world.env,
        cwd=world.work,
        start_new_session=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done
    names = frozenset(done.stderr.split("\n")) - _bare()
    assert "fernvault_cli.main" in names
    return names


def test_the_entry_point_imports_nothing_but_sys_and_os() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys, os, fernvault_cli.main; print('\\n'.join(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = {"__future__", "fernvault_cli", "fernvault_cli.main", "fernvault_cli.options"}
    assert frozenset(done.stdout.split()) - _bare() == ours


@pytest.mark.parametrize(
    "line",
    [
        f"card {SURFACE}",
        f"card {SURFACE} --json",
        f"card {SURFACE} --at 2026-01-01 --format markdown",
        f"ls {SURFACE} --all --sort last",
        f"ls {SURFACE} --json",
        f"why {SURFACE} pref:oat-milk",
        "status",
        "status --json",
        "unlock",
        f"preview {SURFACE} --days 90",
        "surface list",
        f"surface show {SURFACE} --json",
        f"set {SURFACE} pref:tea 7",
        f"pin {SURFACE} pref:tea",
        f"unpin {SURFACE} pref:tea",
        f"forget {SURFACE} pref:tea",
        "undo",
        "redo",
    ],
)
def test_an_everyday_verb_loads_nothing_heavy_while_the_agent_runs(held: World, line: str) -> None:
    # So that there is something to forget, to take back and to put back, whichever of these ran before.
    held.fern("set", SURFACE, "pref:tea", "5")
    if line == "redo":
        held.fern("undo")
    assert _loaded(held, *line.split()) & HEAVY == set()


@pytest.mark.parametrize(
    ("line", "also"),
    [
        (f"import csv one.csv --surface {SURFACE}", ""),
        (f"import csv one.csv --surface {SURFACE} --json", ""),
        (f"import csv one.csv --surface {SURFACE} --map map.toml", "tomllib"),
        (f"import jsonl one.jsonl --surface {SURFACE}", ""),
    ],
)
def test_an_import_loads_what_a_file_needs_and_no_more(held: World, line: str, also: str) -> None:
    held.file("one.csv", "time,item\n2026-01-01,oat milk\n")
    held.file("map.toml", '[columns]\ntime = "time"\n[attributes]\npref = "item"\n[split]\nitem = "|"\n')
    held.file("one.jsonl", '{"at": "2026-01-01T00:00:00Z", "item": "tea", "attributes": ["pref:tea"]}\n')
    loaded = _loaded(held, *line.split())
    assert loaded & (HEAVY - A_FILE_NEEDS) == set()
    assert loaded & SOME_FILES_NEED == set(also.split())


def test_a_pattern_costs_one_small_module(held: World) -> None:
    assert _loaded(held, "ls", SURFACE, "--match", "pref:*") & (HEAVY - {"typing"}) == set()


@pytest.mark.parametrize("line", ["--help", "--version"])
def test_help_and_version_load_no_vault_and_no_verb(held: World, line: str) -> None:
    loaded = _loaded(held, line)
    assert loaded & {"sqlcipher3", "cryptography", "pydantic", "rich", "fernvault.memory", "fernvault.vault"} == set()
    assert [name for name in loaded if name.startswith("fernvault_cli.verbs.")] == []


@pytest.mark.parametrize("verb", ["card", "why", "import", "init", "delete", "doctor", "surface", "agent"])
def test_help_of_a_verb_opens_no_database(held: World, verb: str) -> None:
    assert _loaded(held, verb, "--help") & {"sqlcipher3", "cryptography", "rich", "fernvault.memory"} == set()


def test_the_probe_sees_what_is_loaded(held: World) -> None:
    """Guards the tests above: the long path does load what they forbid."""
    assert {"typer", "pathlib", "typing"} <= _loaded(held, "card", SURFACE, "--help")
