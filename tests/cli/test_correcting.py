"""set, pin, unpin, forget and undo."""

from __future__ import annotations

import re

import pytest

from tests.cli.support import SURFACE, World, state

A = "pref:oat-milk"


def _row(world: World, attribute: str = A) -> dict[str, object] | None:
    rows = world.fern("ls", SURFACE, "--all", "--json").lines()
    return next((row for row in rows if row["attribute"] == attribute), None)


def test_each_correction_does_what_it_says_and_undo_takes_it_back(warm: World) -> None:
    before = _row(warm)
    assert before is not None

    said = warm.fern("set", SURFACE, A, "8.5")
    assert re.match(rf"set {A}  \d\.\d\d → 8\.50\n", said.out)
    assert "fern undo takes it back" in said.err
    changed = _row(warm)
    assert changed is not None
    assert changed["source"] == "owner"
    assert changed["strength"] == pytest.approx(8.5, abs=0.01)
    assert warm.fern("undo").out == f"took back set {A} of {SURFACE}\n"

    assert warm.fern("pin", SURFACE, A).out.startswith(f"pinned {A}")
    assert _row(warm)["pinned"] is True  # type: ignore[index]
    assert warm.fern("unpin", SURFACE, A).out.startswith(f"unpinned {A}")
    assert _row(warm)["pinned"] is False  # type: ignore[index]
    warm.fern("undo")
    assert _row(warm)["pinned"] is True  # type: ignore[index]
    warm.fern("undo")

    assert warm.fern("forget", SURFACE, A).out.startswith(f"forgot {A}")
    assert _row(warm) is None
    assert "oat-milk" not in warm.fern("card", SURFACE).out
    assert warm.fern("undo", "--surface", SURFACE, "--json").json()["undone"] == 1
    after = _row(warm)
    assert after is not None
    moving = {"strength": 0, "standing": 0, "confidence": 0}
    assert after | moving == before | moving
    assert after["strength"] == pytest.approx(before["strength"], abs=1e-3)


def test_json_and_quiet(warm: World) -> None:
    document = warm.fern("set", SURFACE, "pref:new-thing", "3", "--json").json()
    assert document == {
        "surface": SURFACE,
        "attribute": "pref:new-thing",
        "correction": "set",
        "before": 0.0,
        "strength": pytest.approx(3.0, abs=0.01),
    }
    assert warm.fern("forget", SURFACE, "pref:new-thing", "--quiet").err == ""
    assert warm.fern("undo", "--json").json()["what"] == "forget pref:new-thing"


def test_a_source_that_lied_is_taken_back(warm: World) -> None:
    before = _row(warm, "pref:spam")
    lies = "".join(f'{{"id": "l{n}", "item": "spam", "attributes": ["pref:spam"]}}\n' for n in range(20))
    warm.fern("set", SURFACE, A, "2")
    warm.fern("record", "--surface", SURFACE, stdin=lies.encode())
    assert warm.fern("undo", "--surface", SURFACE, "--since", "-1m", "--json").json()["undone"] >= 20
    assert _row(warm, "pref:spam") == before is None
    assert _row(warm)["source"] == "owner"  # type: ignore[index]
    assert warm.error("undo", "--since", "-1d", code=2)["code"] == "usage"


def test_nothing_to_undo_and_nothing_to_correct(warm: World) -> None:
    assert warm.error("undo", code=6)["code"] == "not-found"
    for words in (["pin"], ["unpin"], ["forget"]):
        assert warm.error(*words, SURFACE, "pref:unknown", code=6)["code"] == "not-found"
    for strength in ("0", "-1", "9.5", "nan", "much"):
        assert warm.error("set", SURFACE, A, strength, code=2)["code"] == "usage"
    assert warm.error("undo", "--surface", "nowhere.example", code=6)["code"] == "not-found"


def test_no_agent_corrects_the_same(filled: World) -> None:
    for words in (["set", SURFACE, A, "4"], ["pin", SURFACE, A], ["unpin", SURFACE, A], ["forget", SURFACE, A]):
        filled.fern(*words, "--no-agent")
    filled.fern("undo", "--no-agent")
    assert [event[3] for event in state(filled.vault)["events"] if event[3] != "buy"] == [
        "set", "pin", "unpin", "forget", "undo",
    ]  # fmt: skip
