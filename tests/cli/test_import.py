"""`fern import`: a whole history in, the same file twice, bad rows, dry runs, and a stop in the middle."""

from __future__ import annotations

import gzip
import json
import os
import signal
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from fernvault_sync.admin import AdminClient, NoAgentError
from tests.cli.support import DEMO, SURFACE, World, csv_of, filled_world, many_rows, state, tree

HOUSEHOLD = ("import", "csv", str(DEMO / "household.csv"), "--map", str(DEMO / "mapping.toml"))


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
def test_a_household_goes_in_once_and_only_once(filled: World, way: list[str]) -> None:
    filled.fern("surface", "add", "grocer.example", *way)
    words = (*HOUSEHOLD, "--surface", "grocer.example", "--json", *way)
    first, second = filled.fern(*words), filled.fern(*words)
    counts = first.json()
    assert first.err == second.err == ""
    assert {key: value for key, value in counts.items() if key != "seconds"} == {
        "format": "csv",
        "rows": 800,
        "events": 800,
        "duplicates": 0,
        "rejected": 0,
        "attributes": 245,
        "unmapped": 0,
    }
    again = {"events": 0, "duplicates": 800, "attributes": 0, "seconds": 0}
    assert second.json() | {"seconds": 0} == counts | again
    card = filled.fern("card", "grocer.example", "--at", "2018-01-01", "--json", *way).json()
    assert 3 <= len(card["entries"]) <= 8
    assert card["tokens"] < 80
    if not way:
        filled.lock()
    assert len(state(filled.vault)["events"]) == 860


def test_the_agent_and_this_process_write_the_same(filled: World) -> None:
    with filled_world() as other:
        for world, way in ((filled, []), (other, ["--no-agent"])):
            world.fern("surface", "add", "grocer.example", *way)
            world.fern(*HOUSEHOLD, "--surface", "grocer.example", *way)
            world.lock()
        assert state(filled.vault) == state(other.vault)


def test_a_person_reads_counts_and_a_quiet_one_less(warm: World) -> None:
    words = (*HOUSEHOLD, "--surface", SURFACE)
    said = warm.fern(*words)
    assert said.out.startswith("800 rows, 800 events, 245 attributes in ")
    assert said.err == ""
    assert "0 events, 800 already there" in warm.fern(*words, "--quiet").out


def test_bad_rows_are_named_kept_aside_and_told_by_the_exit_code(warm: World) -> None:
    good = csv_of(many_rows(3))
    lines = [*good.splitlines(), "yesterday,tea,pref", "2026-01-01T00:00:00Z,x", '2026-01-01T00:00:00Z,"open,tea']
    file = warm.file("orders.csv", "\n".join(lines) + "\n")
    said = warm.fern("import", "csv", "orders.csv", "--surface", SURFACE, "--json", code=10)
    assert said.json()["rows"] == 6
    assert said.json()["events"] == 3
    assert said.json()["rejected"] == 3
    for line in (5, 6, 7):
        assert f"orders.csv:{line}: " in said.err
    rejects = file.with_name("orders.csv.rejects.jsonl")
    assert str(rejects) in said.err
    assert stat.S_IMODE(rejects.stat().st_mode) == 0o600
    kept = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [reject["line"] for reject in kept] == [5, 6, 7]
    assert kept[0]["row"] == "yesterday,tea,pref"
    assert all(reject["reason"] for reject in kept)
    # A corrected file goes on from there, and says nothing of rejects.
    lines[4] = "2026-01-02T00:00:00Z,tea,pref"
    warm.file("orders.csv", "\n".join(lines[:5]) + "\n")
    assert warm.fern("import", "csv", "orders.csv", "--surface", SURFACE, "--json").json()["events"] == 1


def test_many_bad_rows_do_not_flood_the_screen(warm: World) -> None:
    warm.file("bad.csv", csv_of([("never", "tea", "x")] * 2_500))
    said = warm.fern("import", "csv", "bad.csv", "--surface", SURFACE, code=10)
    assert len(said.err.splitlines()) < 20
    assert "2500 rows set aside" in said.err
    assert "2,500 set aside" in said.out


def test_a_dry_run_counts_everything_and_writes_nothing(filled: World) -> None:
    before = tree(filled.vault)
    words = (*HOUSEHOLD, "--surface", SURFACE, "--dry-run")
    said = filled.fern(*words, env={"FERN_PASSPHRASE_COMMAND": None})
    assert "800 events would be written" in said.out
    assert filled.fern(*words, "--json").json()["events"] == 800
    filled.file("bad.csv", csv_of([("never", "tea", "x"), ("2026-01-01", "tea", "x")]))
    assert filled.fern("import", "csv", "bad.csv", "--surface", SURFACE, "--dry-run", code=10).out.startswith("2 rows")
    assert tree(filled.vault) == before
    assert filled.fern("status", "--json").json()["state"] == "locked"


def test_without_a_map_the_guess_is_shown(warm: World) -> None:
    warm.file("orders.csv", csv_of(many_rows(20)))
    said = warm.fern("import", "csv", "orders.csv", "--surface", SURFACE)
    assert said.out.startswith("20 rows, 20 events")
    assert "[columns]" in said.err
    assert 'time = "date"' in said.err
    assert "[columns]" not in warm.fern("import", "csv", "orders.csv", "--surface", SURFACE, "--quiet").err


def test_from_standard_input_from_gzip_and_several_files(warm: World) -> None:
    text = csv_of(many_rows(30, seed=1)).encode()
    piped = warm.fern("import", "csv", "-", "--surface", SURFACE, "--json", stdin=text)
    assert piped.json()["events"] == 30
    warm.file("a.csv.gz", gzip.compress(text))
    warm.file("b.csv", csv_of(many_rows(10, seed=2)))
    both = warm.fern("import", "csv", "a.csv.gz", "b.csv", "--surface", SURFACE, "--json").json()
    assert both["rows"] == 40
    assert both["duplicates"] >= 30
    assert both["events"] + both["duplicates"] == 40


def test_a_bad_row_from_standard_input_is_kept_in_the_current_folder(warm: World) -> None:
    said = warm.fern("import", "csv", "-", "--surface", SURFACE, code=10, stdin=b"date,item\nnever,tea\n")
    assert (warm.work / "stdin.rejects.jsonl").exists()
    assert "stdin.rejects.jsonl" in said.err


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("missing.csv", None, "missing.csv"),
        ("folder", "/", "folder"),
        ("empty.csv", "", "empty"),
        ("blank.csv", "\n\n", "empty"),
        ("only.csv", "colour,size\nred,1\n", "which column is the time"),
        ("twice.csv", "date,date\n", "two columns"),
        ("half.csv.gz", gzip.compress(b"date,item\n" * 99, mtime=0)[:-20], None),
        ("noise.csv", bytes(range(256)) * 40, None),
    ],
    ids=["missing", "folder", "empty", "blank", "no time", "twice", "cut off", "noise"],
)
def test_a_file_that_is_no_history_is_one_line(
    shared: World, name: str, content: str | bytes | None, told: str
) -> None:
    if content == "/":
        (shared.work / name).mkdir()
    elif content is not None:
        shared.file(name, content)
    words = ("import", "csv", name, "--surface", SURFACE, "--quiet")
    if told is None:
        assert shared.popen(*words).wait(60) in (2, 10)
        return
    error = shared.error(*words, code=2)
    assert error["code"] == "usage"
    assert told in error["message"]


def test_a_mapping_that_does_not_fit_is_one_line(filled: World) -> None:
    filled.file("orders.csv", csv_of(many_rows(3)))
    filled.file("bad.toml", '[columns]\ntime = "when"\nitem = "item"\n')
    filled.file("broken.toml", "[columns\n")
    for mapping, told in (("bad.toml", "when"), ("broken.toml", "broken.toml"), ("none.toml", "none.toml")):
        error = filled.error("import", "csv", "orders.csv", "--surface", SURFACE, "--map", mapping, code=2)
        assert told in error["message"]


def test_usage_and_unknown_surface(filled: World) -> None:
    filled.file("orders.csv", csv_of(many_rows(3)))
    for words in (["csv"], ["csv", "orders.csv"], ["xml", "orders.csv", "--surface", SURFACE], []):
        assert filled.error("import", *words, code=2)["code"] == "usage"
    error = filled.error("import", "csv", "orders.csv", "--surface", "nowhere.example", code=6)
    assert error["code"] == "not-found"
    assert list(filled.work.glob("*.rejects*")) == []


def test_json_lines(warm: World) -> None:
    big = json.dumps({"at": "2026-11-01T00:00:00Z", "item": "tea", "note": "x" * 300_000})
    lines = [
        '{"id": "a", "at": "2026-11-01T10:00:00Z", "item": "tea", "attributes": ["pref:tea"]}',
        '{"at": "2026-11-01T10:00:00+02:00", "item": "tea", "kind": "view"}',
        "",
        "not json",
        '{"at": "2026-11-01T10:00:00Z", "item": "tea", "kind": "forget"}',
        '{"item": "tea", "item": "coffee"}',
        '{"item": "tea", "magnitude": NaN}',
        '["tea"]',
        '{"id": "\\ud800", "item": "tea"}',
        big,
    ]
    warm.file("e.jsonl", "\n".join(lines) + "\n")
    said = warm.fern("import", "jsonl", "e.jsonl", "--surface", SURFACE, "--json", code=10)
    assert said.json()["events"] == 2
    assert said.json()["rejected"] == 7
    kept = [json.loads(line) for line in (warm.work / "e.jsonl.rejects.jsonl").read_text().splitlines()]
    assert sorted(reject["line"] for reject in kept) == [4, 5, 6, 7, 8, 9, 10]
    again = warm.fern("import", "jsonl", "e.jsonl", "--surface", SURFACE, "--json", code=10).json()
    assert (again["events"], again["duplicates"]) == (0, 2)


def test_json_lines_with_long_texts_fit_the_agents_frames(warm: World) -> None:
    """A thousand events with 30 kB of something each are more than one frame holds."""
    event = '{"at": "2026-11-01T10:00:%02d.%03dZ", "item": "tea", "extra": "%s"}\n'
    good = '{"at": "2026-11-01T11:00:%02d.%03dZ", "item": "tea"}\n'
    text = "".join(event % (n // 1000, n % 1000, "é" * 30_000) + good % (n // 1000, n % 1000) for n in range(700))
    warm.file("long.jsonl", text)
    said = warm.fern("import", "jsonl", "long.jsonl", "--surface", SURFACE, "--json", "--quiet", code=10)
    assert said.json()["events"] == 700
    assert said.json()["rejected"] == 700


@pytest.mark.parametrize("way", [[], ["--no-agent"]])
def test_ctrl_c_keeps_what_is_in_and_the_same_command_completes_it(filled: World, way: list[str]) -> None:
    rows = many_rows(8_000)
    filled.file("big.csv", csv_of(rows))
    words = ("import", "csv", "big.csv", "--surface", SURFACE, "--json", *way)
    # The file reaches the command through a pipe, so that the test decides how far it has come.
    pipe = filled.work / "pipe"
    os.mkfifo(pipe)
    process = filled.popen("import", "csv", "pipe", "--surface", SURFACE, "--json", *way)
    with pipe.open("w") as feeding:
        feeding.write(csv_of(rows[:4_000]))
        feeding.flush()
        if not way:
            _wait_for_events(filled, 2_000)
        process.send_signal(signal.SIGINT)
        with suppress(BrokenPipeError):
            feeding.write(csv_of(rows[4_000:])[len("date,item,category\n") :])
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert b"Traceback" not in err
    assert b"the same command goes on from there" in err
    counted = json.loads(out)
    assert counted["events"] < 8_000
    kept = filled.fern("status", "--json", "--no-agent") if way else filled.fern("status", "--json")
    if not way:
        assert kept.json()["events"] == 60 + counted["events"]
    rest = filled.fern(*words).json()
    assert rest["events"] == 8_000 - counted["events"]
    assert rest["duplicates"] == counted["events"]
    filled.lock()
    with filled_world() as undisturbed:
        undisturbed.file("big.csv", csv_of(rows))
        undisturbed.fern(*words, "--no-agent")
        assert state(undisturbed.vault) == state(filled.vault)


def _wait_for_events(world: World, least: int) -> None:
    """Watch the journal grow, through the agent that is writing it."""
    while not (world.vault / "agent.json").exists():
        pass
    client: AdminClient | None = None
    while client is None:
        try:
            client = world.client()
        except NoAgentError:  # it is just starting
            client = None
    while client.call("status", {})["events"] < least:
        pass
    client.close()


def test_ctrl_c_while_an_answer_is_awaited_counts_it(filled: World) -> None:
    """The usual moment of a Ctrl-C is between a batch and its answer, and that batch is in."""
    filled.file("big.csv", csv_of(many_rows(10_000)))
    filled.start_agent()
    process = filled.popen("import", "csv", "big.csv", "--surface", SURFACE, "--json")
    _wait_for_events(filled, 2_000)
    # Stopped, the agent answers nothing: the command now waits in the middle of a call.
    agent = filled.agent_pid()
    os.kill(agent, signal.SIGSTOP)
    _wait_until_asleep(process.pid)
    process.send_signal(signal.SIGINT)
    os.kill(agent, signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert json.loads(out)["events"] == filled.fern("status", "--json").json()["events"] - 60


def test_a_second_ctrl_c_does_not_wait_for_an_agent_that_hangs(filled: World) -> None:
    filled.file("big.csv", csv_of(many_rows(10_000)))
    filled.start_agent()
    process = filled.popen("import", "csv", "big.csv", "--surface", SURFACE, "--json")
    _wait_for_events(filled, 2_000)
    agent = filled.agent_pid()
    os.kill(agent, signal.SIGSTOP)
    _wait_until_asleep(process.pid)
    for _ in range(3):
        process.send_signal(signal.SIGINT)
        _wait_until_asleep(process.pid)
        if process.poll() is not None:
            break
    process.wait(60)
    os.kill(agent, signal.SIGCONT)
    assert process.returncode == 130
    assert b"Traceback" not in process.communicate()[1]


def _wait_until_asleep(pid: int) -> None:
    """Until a process waits for something, or is gone."""
    quiet = 0
    while quiet < 50:
        try:
            now = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return
        quiet = quiet + 1 if now in "SZ" else 0


def test_the_bar_is_for_terminals_only(warm: World) -> None:
    warm.file("big.csv", csv_of(many_rows(4_000)))
    child = warm.terminal("import", "csv", "big.csv", "--surface", SURFACE)
    child.expect("4,000 rows, 4,000 events")
    assert "big.csv" in (child.before or "")
    child.expect("attributes in")
    child.wait()
    assert "%" not in warm.fern("import", "csv", "big.csv", "--surface", SURFACE).err
