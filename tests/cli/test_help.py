"""Help, typing mistakes, the overview, and the shell's Tab key."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from fernvault import __version__
from fernvault_cli.app import VERBS
from tests.cli.support import FERN, SURFACE, World, make_vault

GROUPS = {"surface": ["add", "list", "show", "remove"], "agent": ["start", "stop", "status"]}
LINES = [[verb] for verb in VERBS] + [[group, verb] for group, verbs in GROUPS.items() for verb in verbs]


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Somebody without a vault and without a home to speak of."""
    return World(tmp_path_factory.mktemp("bare"))


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_every_verb_has_help_with_an_example(bare: World, words: list[str]) -> None:
    said = bare.fern(*words, "--help")
    assert said.err == ""
    assert re.search(r"Usage: fern " + " ".join(words), said.out)
    assert "Example: " in said.out
    assert "fern " + " ".join(words) in " ".join(said.out.partition("Example: ")[2].split())
    assert max(map(len, said.out.splitlines())) <= 120


@pytest.mark.parametrize("words", [["card"], ["surface", "add"], ["agent"]], ids=" ".join)
def test_the_short_flag_is_the_same(bare: World, words: list[str]) -> None:
    assert bare.fern(*words, "-h") == bare.fern(*words, "--help")


def test_the_help_of_all(bare: World) -> None:
    for flag in ("--help", "-h"):
        said = bare.fern(flag)
        for verb, (_, line) in VERBS.items():
            assert re.search(rf"^  {verb} +{re.escape(line[:30])}", said.out, re.MULTILINE)
        for option in ("--vault", "--json", "--passphrase-fd", "--no-agent", "--at", "--yes"):
            assert option in said.out
        assert "FERN_PASSPHRASE_COMMAND" in said.out


def test_groups_alone_show_their_verbs(bare: World) -> None:
    for group, verbs in GROUPS.items():
        done = subprocess.run([FERN, group], env=bare.env, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode in (0, 2)
        assert all(verb in done.stdout + done.stderr for verb in verbs)
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("crad", "fern card"), ("imprt", "fern import"), ("stats", "fern status"), ("delte", "fern delete"),
     ("zzzzzz", "fern --help"), ("", "fern --help")],
)  # fmt: skip
def test_a_typing_mistake_names_the_nearest_verb(bare: World, typed: str, meant: str) -> None:
    error = bare.error(typed, "shop.example", code=2)
    assert error["next"] == meant
    assert error["code"] == "usage"
    assert bare.fern(typed, code=2).err.endswith(f"Next: {meant}\n")


def test_a_typing_mistake_inside_a_verb_names_its_help(bare: World) -> None:
    assert bare.error("card", "shop.example", "--budgte", "3", code=2)["next"] == "fern card --help"
    assert bare.error("surface", "lst", code=2)["next"] == "fern surface --help"
    assert "--vault" in bare.error("card", "--vault", code=2)["message"]


def test_version(bare: World) -> None:
    assert bare.fern("--version").out == f"{__version__}\n"


def test_the_overview_without_and_with_a_vault(world: World) -> None:
    said = world.fern()
    assert "fern init" in said.out
    assert "fern demo" in said.out
    assert "there is no vault" in said.err
    assert world.error(code=6)["code"] == "vault-missing"
    make_vault(world.vault)
    said = world.fern()
    assert "locked" in said.out
    assert said.err == ""
    assert world.fern("--json").json()["state"] == "locked"
    world.start_agent()
    assert "unlocked" in world.fern().out
    assert world.fern("--json").json()["events"] == 0


def _complete(world: World, line: str, **env: str | None) -> list[str]:
    """What bash offers for the last word of a line, by the protocol of the script that `fern` gives it."""
    words = line.split(" ")
    changes = {"_FERN_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), **env}
    said = world.fern(env=changes)
    assert said.err == ""
    return said.out.split()


def test_tab_completes_verbs_and_options(shared: World) -> None:
    assert set(_complete(shared, "fern ")) == set(VERBS)
    assert _complete(shared, "fern pre") == ["preview"]
    assert set(_complete(shared, "fern surface ")) == set(GROUPS["surface"])
    assert "--budget" in _complete(shared, "fern card --bu")


def test_tab_completes_surfaces_and_attributes_from_the_agent(shared: World) -> None:
    assert _complete(shared, "fern card ") == [SURFACE]
    assert _complete(shared, "fern ls sh") == [SURFACE]
    assert _complete(shared, "fern why shop.example pref") == ["pref:oat-milk", "pref:rye-bread"]
    assert _complete(shared, "fern undo --surface ") == [SURFACE]
    assert _complete(shared, "fern why nowhere.example p") == []


def test_tab_asks_the_vault_of_the_variable(shared: World) -> None:
    elsewhere = {"XDG_DATA_HOME": str(shared.root / "nothing")}
    assert _complete(shared, "fern card ", **elsewhere) == []
    assert _complete(shared, "fern card ", **elsewhere, FERN_VAULT=str(shared.vault)) == [SURFACE]


def test_tab_never_asks_for_a_passphrase(filled: World) -> None:
    asked = filled.work / "asked"
    command = f"touch {asked}; cat {filled.secret}"
    assert _complete(filled, "fern card ", FERN_PASSPHRASE_COMMAND=command) == []
    assert _complete(filled, "fern why shop.example ", FERN_PASSPHRASE_COMMAND=command) == []
    assert not asked.exists()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_the_shell(bare: World, shell: str) -> None:
    said = bare.fern("--show-completion", shell)
    assert "_FERN_COMPLETE" in said.out
    assert "fern" in said.out


def test_bash_itself_completes(shared: World) -> None:
    """The script that --show-completion prints works in a real bash."""
    script = shared.fern("--show-completion", "bash").out
    line = (
        f"PATH={Path(FERN).parent}:$PATH\n{script}\n"
        'COMP_WORDS=(fern card sh); COMP_CWORD=2; COMP_LINE="fern card sh"; COMP_POINT=12\n'
        "_fern_completion fern; printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", line], env=shared.env, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stdout.split() == [SURFACE], done
