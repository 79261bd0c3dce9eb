"""card, ls, why and preview: what a person sees, and the shapes that scripts rely on."""

from __future__ import annotations

import re

import pytest

from tests.cli.support import SURFACE, World

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


@pytest.fixture(scope="module")
def past(shared: World) -> list[str]:
    """Words that make a read as of a fixed moment."""
    return ["--at", "2026-12-01T00:00:00Z"]


def test_a_card_as_json(shared: World) -> None:
    document = shared.fern("card", SURFACE, "--json").json()
    assert {"surface", "at", "context", "entries", "text", "tokens"} <= set(document)
    assert document["surface"] == SURFACE
    assert document["context"] == []
    assert TIME.fullmatch(document["at"])
    assert document["tokens"] > 0
    assert document["text"] == shared.fern("card", SURFACE).out.strip()
    strengths = [entry["strength"] for entry in document["entries"]]
    assert strengths == sorted(strengths, reverse=True)
    for entry in document["entries"]:
        assert set(entry) >= {"attribute", "strength", "confidence", "mark", "trend", "reason"}
        assert 0 < entry["strength"] <= 9
        assert entry["mark"] in ("known", "guessed")
        assert entry["trend"] in ("rising", "steady", "fading")
    assert shared.fern("card", SURFACE, "--format", "json").json()["text"] == document["text"]


def test_a_card_as_markdown_and_within_a_budget(shared: World) -> None:
    whole = shared.fern("card", SURFACE, "--json").json()
    markdown = shared.fern("card", SURFACE, "--format", "markdown").out
    assert "pref:oat-milk" in markdown or "oat-milk" in markdown
    assert markdown.count("\n") > 1
    small = shared.fern("card", SURFACE, "--budget", "5", "--json").json()
    assert small["tokens"] <= 5
    assert 0 < len(small["entries"]) < len(whole["entries"])
    assert shared.fern("card", SURFACE, "--budget", "1").out == ""


def test_an_empty_card_says_why(shared: World) -> None:
    said = shared.fern("card", SURFACE, "--at", "2005-01-01")
    assert said.out == ""
    assert "nothing was known of shop.example on 2005-01-01" in said.err
    far = shared.fern("card", SURFACE, "--at", "+40y")
    assert "has faded" in far.err
    assert shared.fern("card", SURFACE, "--at", "+40y", "--quiet").err == ""
    assert shared.fern("card", SURFACE, "--at", "+40y", "--json").json()["entries"] == []


def test_an_edge_a_line(shared: World) -> None:
    lines = shared.fern("ls", SURFACE).out.splitlines()
    assert lines[0].startswith(("pref:oat-milk", "pref:rye-bread"))
    assert all(re.search(r"[█▉▊▋▌▍▎▏·]{9}  \d\.\d\d  [●○] (known|guessed)", line) for line in lines)
    rows = shared.fern("ls", SURFACE, "--all", "--json").lines()
    assert len(rows) == 3
    for row in rows:
        assert set(row) >= {
            "attribute", "strength", "confidence", "mark", "hits", "first", "last", "trend", "pinned", "source",
        }  # fmt: skip
        assert TIME.fullmatch(row["first"])
        assert row["source"] in ("own", "prior", "link", "owner")
    assert sum(row["hits"] for row in rows) <= 60


@pytest.mark.parametrize("order", ["name", "last", "first", "hits", "confidence", "strength"])
def test_sorting(shared: World, order: str) -> None:
    rows = shared.fern("ls", SURFACE, "--all", "--json", "--sort", order).lines()
    keys = [row["attribute" if order == "name" else order] for row in rows]
    assert keys == sorted(keys, reverse=order != "name")


def test_matching_and_limiting(shared: World) -> None:
    assert [row["attribute"] for row in shared.fern("ls", SURFACE, "--match", "fit:*", "--json").lines()] == [
        "fit:size-l"
    ]
    assert len(shared.fern("ls", SURFACE, "--limit", "1", "--json").lines()) == 1
    assert shared.fern("ls", SURFACE, "--match", "zz*").err.strip()
    assert shared.fern("ls", SURFACE, "--match", "zz*", "--json").out == ""
    assert "more" in shared.fern("ls", SURFACE, "--limit", "1").err


def test_why_adds_up(shared: World) -> None:
    for at in ("+0d", "-10d", "+90d"):
        document = shared.fern("why", SURFACE, "pref:oat-milk", "--json", "--at", at).json()
        assert set(document) >= {"attribute", "strength", "standing", "events", "owner", "folded", "sum", "prior"}
        assert document["sum"] == pytest.approx(document["strength"], abs=1e-9)
        assert sum(event["adds"] for event in document["events"]) == pytest.approx(document["sum"], abs=1e-9)
        for event in document["events"]:
            assert set(event) >= {"id", "at", "surface", "kind", "item", "magnitude", "adds"}
    said = shared.fern("why", SURFACE, "pref:oat-milk").out
    last = said.splitlines()[-1] if "(" not in said.splitlines()[-1] else said.splitlines()[-2]
    total = float(last.split()[-1])
    adds = [float(line.rpartition("+")[2]) for line in said.splitlines() if re.search(r"\+\d\.\d{4}$", line)]
    assert total == pytest.approx(sum(adds), abs=0.001 * len(adds))


def test_an_unknown_attribute_is_not_found(shared: World) -> None:
    assert shared.error("why", SURFACE, "pref:unknown", code=6)["next"] == f"fern ls {SURFACE} --all"
    assert shared.error("why", SURFACE, "Not An Attribute", code=2)["code"] == "usage"


def test_a_preview_names_who_leaves(shared: World) -> None:
    document = shared.fern("preview", SURFACE, "--days", "400", "--json").json()
    assert document["days"] == 400
    assert document["now"]["entries"]
    left = {name for change in document["changes"] for name in change["leaves"]}
    assert left | {entry["attribute"] for entry in document["then"]["entries"]} >= {
        entry["attribute"] for entry in document["now"]["entries"]
    }
    said = shared.fern("preview", SURFACE, "--days", "400").out
    assert "in 400 days" in said
    assert all(f"{name} leaves" in said for name in left)
    assert shared.fern("preview", SURFACE, "--days", "1").out.count("\n") >= 2


def test_at_belongs_to_reading_verbs(shared: World) -> None:
    """A correction "as of last year" would be a lie: it counts from now."""
    for words in (["set", SURFACE, "pref:tea", "3"], ["forget", SURFACE, "pref:tea"], ["undo"], ["lock"], ["status"]):
        error = shared.error(*words, "--at", "2026-01-01", code=2)
        assert "--at" in error["message"]
    assert shared.fern("status", "--json").json()["state"] == "unlocked"


def test_no_agent_reads_the_same(filled: World) -> None:
    at = ("--at", "2026-11-20T00:00:00Z", "--json")
    lines = [["card", SURFACE], ["ls", SURFACE, "--all"], ["why", SURFACE, "pref:oat-milk"], ["preview", SURFACE]]
    alone = [filled.fern(*words, *at, "--no-agent").out for words in lines]
    assert filled.fern("status", "--json").json()["state"] == "locked"
    filled.start_agent()
    assert [filled.fern(*words, *at).out for words in lines] == alone
