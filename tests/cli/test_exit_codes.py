"""Every exit code of docs/exit-codes.md is reached, and the table says what the code says."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fernvault import errors
from fernvault.errors import FernError
from fernvault.vault import opening, slots
from tests.cli.support import FERN, PASSPHRASE, SURFACE, World, csv_of, without_capabilities

TABLE = Path(__file__).parents[2] / "docs" / "exit-codes.md"


def _rows() -> Iterator[tuple[int, str, str]]:
    """(exit code, name in JSON, class) of each row of the table."""
    for line in TABLE.read_text().splitlines():
        if found := re.fullmatch(r"\| (\d+) \| [^|]+ \| (?:`([a-z-]+)`)? ?\| (?:`(\w+)`)? ?\|", line):
            yield int(found[1]), found[2] or "", found[3] or ""


def _classes(root: type[FernError]) -> list[type[FernError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _classes(child))]


def test_the_table_lists_every_error_and_no_other() -> None:
    listed = {row for row in _rows() if row[2]}
    assert listed == {
        (kind.exit_code, kind.code, kind.__name__) for kind in _classes(FernError) if kind.__module__ == errors.__name__
    }
    assert len(listed) == len([row for row in _rows() if row[2]])


def test_every_error_says_what_to_do_next() -> None:
    for kind in _classes(FernError):
        assert kind.default_next
        assert kind.__doc__
        assert "\n" not in kind.default_next
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", kind.code)
    codes = [kind.code for kind in _classes(FernError)]
    assert len(set(codes)) == len(codes)


def _done(world: World) -> int:
    assert world.fern("status", "--json").json()["state"] == "locked"
    return 0


def _error(
    code: int, name: str, *words: str, before: Callable[[World], object] | None = None, **more: object
) -> object:
    def reach(world: World) -> int:
        if before is not None:
            before(world)
        assert world.error(*words, code=code, **more)["code"] == name  # type: ignore[arg-type]
        return code

    return reach


def _newer(world: World) -> None:
    connection = opening.open_database(world.folder, slots.unlock_with_passphrase(world.folder, PASSPHRASE))
    connection.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    opening.close_database(connection)


def _rejected(world: World) -> int:
    world.file("bad.csv", csv_of([("never", "tea", "x"), ("2026-01-01", "tea", "x")]))
    said = world.fern("import", "csv", "bad.csv", "--surface", SURFACE, "--json", "--no-agent", code=10)
    assert said.json()["events"] == said.json()["rejected"] == 1
    return 10


def _interrupted(world: World) -> int:
    process = world.popen("record", "--surface", SURFACE, "--no-agent", "--json")
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b'{"id": "kept", "item": "tea"}\n')
    process.stdin.flush()
    assert b"recorded" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out == err == b""
    assert process.returncode == 130
    assert world.fern("import", "jsonl", "-", "--surface", SURFACE, "--no-agent", "--json", stdin=b"").json()
    return 130


WAYS = {
    0: _done,
    1: _error(
        1, "failed", "card", SURFACE, "--no-agent", before=lambda world: (world.vault / "agent.json").mkdir(0o700)
    ),
    2: _error(2, "usage", "card"),
    3: _error(3, "locked", "card", SURFACE, env={"FERN_PASSPHRASE_COMMAND": None}),
    4: _error(4, "wrong-passphrase", "card", SURFACE, env={"FERN_PASSPHRASE_COMMAND": "echo no"}),
    5: _error(5, "vault-empty", "card", SURFACE, before=lambda world: world.folder.db.write_bytes(b"")),
    6: _error(6, "not-found", "card", "nowhere.example", "--no-agent"),
    7: _error(7, "unsafe-folder", "card", SURFACE, before=lambda world: world.vault.chmod(0o777)),
    8: _error(8, "exists", "init"),
    9: _error(
        9, "read-only", "card", SURFACE, before=lambda world: world.vault.chmod(0o500), preexec_fn=without_capabilities
    ),
    10: _rejected,
    11: _error(11, "vault-too-new", "card", SURFACE, before=_newer),
    130: _interrupted,
}


@pytest.mark.parametrize("code", WAYS)
def test_each_code_is_reached(filled: World, code: int) -> None:
    assert WAYS[code](filled) == code  # type: ignore[operator]


def test_no_code_of_the_table_is_left_out() -> None:
    assert {code for code, _, _ in _rows()} == set(WAYS)


@pytest.mark.slow
def test_a_full_disk_keeps_what_was_acknowledged(filled: World) -> None:
    """On a disk of its own that has no room left: code 9, and afterwards everything that was counted is there."""
    script = f"""
    mount -t tmpfs -o size=3m,mode=700 none {filled.root}/disk || exit 77
    cp -a {filled.vault} {filled.root}/disk/vault
    head -c 1000000 /dev/zero > {filled.root}/disk/ballast
    {{ echo '[columns]'; echo 'time = "date"'; echo 'item = "item"'; }} > {filled.root}/map.toml
    fern --vault {filled.root}/disk/vault --no-agent --json import csv {filled.root}/big.csv --surface {SURFACE} \
        --map {filled.root}/map.toml
    echo "code $?"
    rm {filled.root}/disk/ballast
    fern --vault {filled.root}/disk/vault --no-agent doctor
    echo "code $?"
    """
    (filled.root / "disk").mkdir()
    rows = [(f"2026-11-{1 + n % 28:02}T00:{n // 60 % 60:02}:{n % 60:02}Z", f"item-{n}", "x") for n in range(20_000)]
    (filled.root / "big.csv").write_text(csv_of(rows))
    path = f"{Path(FERN).parent}:{filled.env['PATH']}"
    try:
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", script],
            env=filled.env | {"PATH": path, "TMPDIR": "/tmp"},  # noqa: S108
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            start_new_session=True,
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("only root can mount a disk")
    assert "Traceback" not in done.stderr
    first, code, *rest = done.stdout.splitlines()
    assert code == "code 9", done
    assert '"disk-full"' in first
    assert rest[-1] == "code 0", done
    assert rest[-2].startswith("all is well")


@pytest.mark.parametrize(
    ("group", "verbs"),
    [("surface", "add, list, show, remove"), ("agent", "start, stop, status"), ("prior", "status, adopt, drop")],
)
def test_a_group_without_a_verb_is_one_line(filled: World, group: str, verbs: str) -> None:
    said = filled.fern(group, code=2)
    assert said.err == f"fern: fern {group} needs a verb: {verbs}. Next: fern {group} --help\n"
    assert said.out == ""
