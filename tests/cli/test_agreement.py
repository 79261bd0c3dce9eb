"""The short path and Typer say the same: the same bytes on both streams and the same exit code, for every form."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import NamedTuple

import platformdirs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.vault.layout import default_folder
from fernvault_cli import app, main, quick
from fernvault_cli.options import Options
from fernvault_sync.admin import RemoteError
from tests.cli.support import SURFACE, World, filled_world

S, A = SURFACE, "pref:oat-milk"
AT = "--at 2026-11-01"
PRIOR = f'{{"format": "fernvault-prior", "version": 1, "surface": "{S}", "users": 9, "means": {{"pref:rye": 1.5}}}}'
# Forms that the short path must take itself, per verb.
OURS = {
    "card": [
        f"card {S} {AT}", f"--json card {S} {AT}", f"card --json {S} {AT}", f"card {S} --json {AT}",
        f"card {S} --at=2026-11-01T09:30Z", f"card {S} --at 2026-11-01T09:30:00+02:00", f"card {S} --at +30d",
        f"card {S} --at -2w", f"card {S}", f"card {S} --budget 12 {AT}", f"card {S} --budget=3 {AT}",
        f"card --budget 10000 {S}", f"card {S} --format markdown {AT}", f"card {S} --format=json {AT}",
        f"card {S} --format text --json {AT}", f"card {S} --quiet {AT}", f"--no-color card {S} {AT}",
        f"card {S} --budget 5 --budget 9 {AT}", "card nowhere.example", "card nowhere.example --json",
        f"card {S} --at tomorrow", f"card {S} --at 2026-13-01 --json", f"card {S} --at +99999y", f"card {S} --at=",
        f"card {S} --at 2005-01-01", f"card {S} --at 2005-01-01 --json", f"card {'x' * 300}", f"card {'x' * 150}",
        f"card {S} --yes {AT}", f"card {S} --budget 1_0 {AT}", f"card {S} --context morning {AT}",
        f"card {S} --context=now,{A} --json {AT}", f"card {S} --context BAD", f"card {S} --context , --json",
    ],
    "prior status": ["prior status", "prior status --json"],
    "prior adopt": [f"prior adopt {S} prior.json", f"prior adopt {S} prior.json --json",
                    f"prior adopt {S} broken.json", "prior adopt nowhere.example prior.json --json"],
    "prior drop": [f"prior drop {S}", f"prior drop {S} --json", "prior drop nowhere.example"],
    "ls": [
        f"ls {S} {AT}", f"ls {S} --json {AT}", f"ls {S} --all {AT}", f"ls --all {S} --json {AT}",
        f"ls {S} --all --all {AT}", f"ls {S} --limit 1 {AT}", f"ls {S} --limit=2 --json {AT}",
        f"ls {S} --match pref:* {AT}", f"ls {S} --match=*milk* --json {AT}", f"ls {S} --match nothing {AT}",
        f"ls {S} --match= {AT}", f"ls {S} --match -x {AT}", "ls nowhere.example", "ls nowhere.example --json",
        *(f"ls {S} --sort {order} {AT}" for order in quick.SORTS), f"ls {S} --sort=name --limit 2 --all --json {AT}",
        f"ls {S} --at 2005-01-01", f"ls {S} --at 2005-01-01 --json", f"ls {S} --quiet --limit 1 {AT}",
    ],
    "why": [
        f"why {S} {A} {AT}", f"why {S} {A} --json {AT}", f"why {S} {A} --at -1d", f"why {S} pref:unknown",
        f"why {S} pref:unknown --json", f"why {S} NOT-AN-ATTRIBUTE", f"why nowhere.example {A}",
        f"why {S} {A} --at 2005-01-01", f"why {S} {'y' * 201}",
    ],
    "preview": [
        f"preview {S} {AT}", f"preview {S} --json {AT}", f"preview {S} --days 90 {AT}", f"preview {S} --days=1 {AT}",
        f"preview {S} --days 3650 --json {AT}", "preview nowhere.example --json", f"preview {S} --at nonsense",
    ],
    "set": [
        f"set {S} {A} 7", f"set {S} {A} 7 --json", f"set {S} pref:new-thing 0.5", f"set {S} pref:new-thing 9 --quiet",
        f"set {S} {A} 1e0", f"set {S} Not:Good 3", f"set nowhere.example {A} 3 --json", f"--json set {S} x 3",
    ],
    "pin": [f"pin {S} {A}", f"pin {S} {A} --json", f"pin {S} pref:unknown", f"pin nowhere.example {A} --json"],
    "unpin": [f"unpin {S} {A}", f"unpin {S} {A} --json", f"unpin {S} pref:unknown --json"],
    "forget": [f"forget {S} {A}", f"forget {S} {A} --json", f"forget {S} pref:unknown", f"forget {S} !{A} --json"],
    "undo": [
        "undo", "undo --json", f"undo --surface {S}", f"undo --surface={S} --json", "undo --surface nowhere.example",
        f"undo --surface {S} --since nonsense", f"undo --surface {S} --since +1d --json", "undo --surface -x",
    ],
    "redo": ["redo", "redo --json", f"redo --surface {S}", "redo --surface nowhere.example --json"],
    "status": ["status", "status --json", "--json status --no-color", "status --quiet"],
    "unlock": ["unlock", "unlock --json", "--json unlock --quiet", "unlock --quiet", "unlock --yes"],
    "agent start": ["agent start", "agent start --json"],
    "agent status": ["agent status", "agent status --json"],
    "doctor": ["doctor", "doctor --json", "doctor --rebuild", "--json doctor --rebuild"],
    "surface list": ["surface list", "surface list --json", "surface --json list"],
    "surface show": [f"surface show {S}", f"surface show {S} --json", "surface show nowhere.example --json"],
    "surface add": [
        "surface add b.example", "surface add b.example --json", "surface add b.example --preset paper",
        f"surface add {S}", f"surface add {S} --json", "surface add BAD", "surface add b.example --preset=adaptive",
    ],
    "surface remove": ["surface remove gone.example --yes", "--yes --json surface remove gone.example",
                       "surface remove nowhere.example --yes --json"],
    "delete": ["delete --surface gone.example --yes", "--yes --json delete --surface=gone.example",
               "delete --surface nowhere.example --yes --json"],
    "export": ["export --to out", "export --to=out --json", "export --to out --format jsonl", "export --to full"],
    "import": [
        "import csv good.csv --surface gone.example", "import csv good.csv --surface=gone.example --json",
        "import --surface gone.example csv good.csv --quiet", "import csv good.csv --surface nowhere.example",
        "import csv good.csv --surface gone.example --map good.toml",
        "import csv good.csv --map=good.toml --surface gone.example --json --quiet",
        "import csv good.csv --surface gone.example --map unfit.toml",
        "import csv good.csv --surface gone.example --map wrong.toml --json",
        "import csv good.csv --surface gone.example --map good.csv", "import csv bad.csv --surface gone.example",
        "import csv bad.csv --surface gone.example --json --quiet", "import csv empty.csv --surface gone.example",
        "import csv timeless.csv --surface gone.example --json", "import csv good.jsonl --surface gone.example",
        "import jsonl good.jsonl --surface gone.example", "import jsonl good.jsonl --surface gone.example --json",
        "import jsonl good.csv --surface gone.example",
    ],
}  # fmt: skip
FILES = {
    "good.csv": "time,item,kind\n2026-01-01,tea,buy\n2026-01-02T09:30,Café crème,juggle\n2026-01-03,tea,return\n",
    "bad.csv": 'time,item\nnever,tea\n2026-01-01,tea,x\n2026-01-01,"tea\n2026-01-02,tea\n',
    "empty.csv": "",
    "timeless.csv": "colour,size\nred,1\n",
    "good.toml": '[columns]\ntime = "time"\nitem = "item"\n[attributes]\npref = "item"\n[context]\nweekend = true\n',
    "unfit.toml": '[columns]\ntime = "when"\n',
    "wrong.toml": '[columns]\ntime = 3\nprice = "p"\n',
    "good.jsonl": '{"at": "2026-11-01T10:00:00Z", "item": "tea", "attributes": ["pref:tea"]}\nno\n{"item": "tea"}\n',
}
# Forms that are Typer's: whatever is wrong or unusual about the words.
THEIRS = [
    "card", f"card {S} extra", f"card {S} --budget 0", f"card {S} --budget 10001", f"card {S} --budget many",
    f"card {S} --budget", f"card {S} --format yaml", f"card {S} --unknown", f"card -- {S}", f"card -b 3 {S}",
    "card --json", f"card {S} --budget -5 --json", "ls", f"ls {S} --limit 0", f"ls {S} --limit x --json",
    f"ls {S} --sort size", f"ls {S} --all=yes", f"ls {S} --match", f"why {S}", "why --json", f"preview {S} --days 0",
    f"preview {S} --days 4000", f"preview {S} --days 1.5", f"set {S} {A}", f"set {S} {A} lots", f"set {S} {A} 0",
    f"set {S} {A} 10", f"set {S} {A} -3", f"set {S} {A} nan --json", f"set {S} {A} inf", f"pin {S}", "forget",
    "undo --since -1d", "undo now", "status now", "surface", "surface show", "surface lst", "surface list more",
    "surface add", "surface add a b", "surface add b.example --preset fast", "agent", "agent stat", "doctor --deep",
    "unlock --idle 30", "unlock --idle 0", "unlock --max nan", "unlock now",
    "export", "export --to out --format html", "card --help", "surface show -h", "crad", "", "--", "card --at",
    "import", "import csv", "import csv good.csv", f"import xml good.csv --surface {S}",
    f"import csv none.csv --surface {S}", f"import csv full --surface {S}", f"import good.csv csv --surface {S}",
    f"import csv good.csv --surface {S} --map none.toml", f"import csv good.csv --surface {S} --map",
    f"import csv good.csv empty.csv --surface {S} --dry-run", f"import csv good.csv --surface {S} --dry-run",
]  # fmt: skip


@pytest.fixture(scope="module")
def here() -> Iterator[World]:
    """A warm world that this very process lives in."""
    with filled_world() as world, pytest.MonkeyPatch.context() as patch:
        for name in ("FERN_VAULT", "NO_COLOR", "FERN_PASSPHRASE_COMMAND"):
            patch.delenv(name, raising=False)
        for name, value in world.env.items():
            patch.setenv(name, value)
        patch.setenv("FERN_PASSPHRASE_COMMAND", "exit 1")
        patch.chdir(world.work)
        (world.work / "full").mkdir()
        (world.work / "full" / "thing").touch()
        for name, content in FILES.items():
            world.file(name, content)
        (world.work / "prior.json").write_text(PRIOR)
        (world.work / "broken.json").write_text("{")
        world.start_agent()
        yield world


class Said(NamedTuple):
    """What came out of one way."""

    code: int
    out: str
    err: str


def _run(words: list[str], *, short: bool) -> Said:
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["fern", *words])
        if short:
            patch.setattr(app, "run", _not_mine)
        else:
            patch.setattr(quick, "attempt", lambda words, options: None)
        code = main.main()
    return Said(code, _steady(out.getvalue()), _steady(err.getvalue()))


class _NotMineError(BaseException):
    """The short path left the words to Typer. No Exception, which the command would catch."""


def _not_mine(words: list[str], options: Options) -> int:
    raise _NotMineError


def _steady(text: str) -> str:
    """The text without what differs from one moment to the next: instants, clocks, the last digits of a strength."""
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "(time)", text)
    text = re.sub(r'in \d+\.\d s \([\d,]+ rows/s\)|"seconds": \d+\.\d+', "(time)", text)
    text = re.sub(r'"(idle|max)": \d+|"sha256": "\w+"', '"(other)"', text)
    return re.sub(r"\d+\.\d{5,}(e-\d+)?", lambda found: f"{float(found[0]):.4f}", text)


def _before(world: World, verb: str, words: list[str]) -> None:
    client = world.client()
    if verb == "undo" and "--since" not in words:
        args = {"surface": S, "attribute": A, "correction": "pin"}
        client.call("correct", args)
    if verb == "redo":
        client.call("correct", {"surface": S, "attribute": A, "correction": "pin"})
        client.call("undo", {})
    if verb == "prior drop":
        client.call("prior.adopt", {"surface": S, "file": str(world.work / "prior.json")})
    if verb == "import" or "gone.example" in " ".join(words):
        client.call("surface.add", {"surface": "gone.example", "preset_name": "paper", "catalog": None})
    client.close()


def _after(world: World, verb: str, code: int) -> None:
    client = world.client()
    if verb in ("set", "pin", "unpin", "forget", "redo") and code == 0:
        client.call("undo", {})
    if verb == "undo" and code != 0:
        with suppress(RemoteError):  # there may be nothing to take back
            client.call("undo", {})
    if verb == "surface add" and code == 0:
        client.call("surface.remove", {"surface": "b.example"})
    if verb == "import":
        client.call("surface.remove", {"surface": "gone.example"})
    client.close()
    for path in (world.work / "out",):
        if path.exists():
            for inside in path.iterdir():
                inside.unlink()
            path.rmdir()


@pytest.mark.parametrize(("verb", "line"), [(verb, line) for verb, lines in OURS.items() for line in lines])
def test_a_plain_form_is_answered_the_same_both_ways(here: World, verb: str, line: str) -> None:
    words = line.split()
    said = []
    for short in (True, False):
        _before(here, verb, words)
        said.append(_run(words, short=short))
        _after(here, verb, said[-1].code)
    assert said[0] == said[1]
    assert said[0].out or said[0].err or "2005-01-01" in words
    assert "something went wrong" not in said[0].out + said[0].err


@pytest.mark.parametrize("line", THEIRS)
def test_an_unusual_form_is_left_to_typer_or_answered_the_same(here: World, line: str) -> None:
    words = line.split(" ") if line else [""]
    long = _run(words, short=False)
    assert long.code in (0, 2)
    with suppress(_NotMineError):
        assert _run(words, short=True) == long


def test_every_verb_of_the_short_path_is_compared() -> None:
    apart = {"lock", "agent stop", "record"}  # they end the agent, or read standard input: see below
    assert set(OURS) | apart == set(quick.SHAPES)


@pytest.mark.parametrize("line", ["lock", "lock --json", "agent stop", "agent stop --json", "--quiet lock"])
def test_locking_is_answered_the_same_both_ways(line: str) -> None:
    said = []
    with filled_world() as world:
        for code in (LONG, SHORT):
            process = world.start_agent()
            done = _subprocess(world, code, line.split(), b"")
            assert process.wait(20) == 0
            said.append(done)
    assert said[0] == said[1]
    assert said[0].code == 0


LONG = """
import sys
from fernvault_cli.app import run
from fernvault_cli.options import take
options, words = take(sys.argv[1:])
sys.exit(run(words, options))
"""
SHORT = """
import sys
import fernvault_cli.main
code = fernvault_cli.main.main()
assert "typer" not in sys.modules
sys.exit(code)
"""


def _subprocess(world: World, code: str, words: list[str], stdin: bytes) -> Said:
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        input=stdin,
        capture_output=True,
        env=world.env,
        cwd=world.work,
        start_new_session=True,
        check=False,
        timeout=60,
    )
    return Said(done.returncode, _steady(done.stdout.decode()), _steady(done.stderr.decode()))


EVENTS = (
    b'{"id": "one", "at": "2026-11-01T10:00:00Z", "item": "tea", "attributes": ["pref:tea"]}\n'
    b"not json\n\n"
    b'{"id": "one", "at": "2026-11-01T10:00:00Z", "item": "tea", "attributes": ["pref:tea"]}\n'
    b'{"id": "two", "at": "2026-11-01T10:00:00Z", "attributes": ["Bad"]}\n'
)


@pytest.mark.parametrize(
    ("line", "stdin"),
    [
        (f"card {S} {AT} --json", b""),
        (f"ls {S} --all {AT}", b""),
        (f"why {S} {A} {AT}", b""),
        ("status --json", b""),
        ("card nowhere.example --json", b""),
        (f"record --surface {S}", EVENTS),
        (f"record --surface={S} --json --quiet", EVENTS),
        (f"record --surface {S}", b""),
        ("record --surface nowhere.example", EVENTS),
        ("record --surface nowhere.example --json", EVENTS),
    ],
)
def test_real_processes_agree_too(line: str, stdin: bytes) -> None:
    said = []
    for code in (SHORT, LONG):
        with filled_world() as world:
            world.start_agent()
            done = _subprocess(world, code, line.split(), stdin)
            said.append(Said(done.code, *(text.replace(str(world.root), "ROOT") for text in done[1:])))
    assert re.sub(r'"id": "[0-9a-f]{32}"|"created": "\(time\)"|"pid": \d+', "", said[0].out) == re.sub(
        r'"id": "[0-9a-f]{32}"|"created": "\(time\)"|"pid": \d+', "", said[1].out
    )
    assert said[0][::2] == said[1][::2]


_PATHS = st.one_of(
    st.none(), st.sampled_from(["", " ", "\t", "relative/data", "/srv/data", "/srv/data/", " /srv ", "~/x"])
)


@given(data_home=_PATHS, home=st.sampled_from(["/home/me", "/home/me/", ""]))
def test_the_short_paths_default_folder_is_the_platforms(data_home: str | None, home: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", home)
        if data_home is None:
            patch.delenv("XDG_DATA_HOME", raising=False)
        else:
            patch.setenv("XDG_DATA_HOME", data_home)
        short = quick._folder(Options())
        assert short is None or Path(short) == default_folder().path == Path(platformdirs.user_data_dir("fernvault"))
    assert quick._folder(Options(vault="somewhere")) == "somewhere"


def test_a_folder_named_by_option_or_variable_is_found_both_ways(here: World) -> None:
    relative = os.path.relpath(here.vault, here.work)
    for words in (["--vault", str(here.vault)], [f"--vault={relative}"]):
        assert _run([*words, "status"], short=True) == _run([*words, "status"], short=False)
