"""The verbs of issue 3 as a script uses them: a context, a prior from a file, tuning."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.cli.support import SURFACE, World

NOW = datetime.now(UTC)


def moved_on(surface_days: int = 120) -> bytes:
    """Eight new favourites every ten days, up to yesterday, as JSON Lines."""
    lines = []
    for day in range(surface_days):
        at = (NOW - timedelta(days=surface_days - day)).strftime("%Y-%m-%dT12:00:00Z")
        names = [f"pref:i{day // 10}-{n}" for n in range(8)]
        lines.append(json.dumps({"id": f"d{day}", "at": at, "attributes": names}))
    return ("\n".join(lines) + "\n").encode()


def test_a_card_in_a_context(warm: World) -> None:
    warm.fern("surface", "add", "tea.example")
    for name, part in (("tea", "morning"), ("wine", "evening")):
        lines = [json.dumps({"id": f"{name}{n}", "attributes": [f"pref:{name}", f"ctx:{part}"]}) for n in range(9)]
        warm.fern("record", "--surface", "tea.example", stdin="\n".join(lines).encode())
    document = warm.fern("card", "tea.example", "--context", "evening", "--json").json()
    assert document["context"] == ["ctx:evening"]
    assert [entry["attribute"] for entry in document["entries"]] == ["pref:wine", "pref:tea"]
    morning = warm.fern("card", "tea.example", "--context", "ctx:morning", "--json").json()
    assert [entry["attribute"] for entry in morning["entries"]] == ["pref:tea", "pref:wine"]
    assert len(warm.fern("card", "tea.example", "--context", "now", "--json").json()["context"]) == 2
    refused = warm.fern("card", "tea.example", "--context", "Not A Word", code=2)
    assert refused.err.count("\n") == 1


def test_a_prior_from_a_file(warm: World, tmp_path: Path) -> None:
    file = tmp_path / "prior.json"
    means = {"pref:from-others": 2.0}
    file.write_text(
        json.dumps({"format": "fernvault-prior", "version": 1, "surface": SURFACE, "users": 12, "means": means})
    )
    before = warm.fern("card", SURFACE).out
    assert "12 people over 1 attributes" in warm.fern("prior", "adopt", SURFACE, str(file)).out
    assert "from-others" in warm.fern("card", SURFACE).out
    rows = warm.fern("ls", SURFACE, "--all", "--json").lines()
    (guess,) = [row for row in rows if row["source"] == "prior"]
    assert (guess["attribute"], guess["strength"], guess["first"], guess["standing"]) == (
        "pref:from-others", 0.0, None, 1.2,
    )  # fmt: skip
    why = warm.fern("why", SURFACE, "pref:from-others", "--json").json()
    assert (why["strength"], why["prior"], why["standing"], why["events"]) == (0.0, 1.2, 1.2, [])
    warm.fern("prior", "drop", SURFACE)
    assert warm.fern("card", SURFACE).out == before
    assert "no prior" in warm.fern("prior", "status").out


def test_tuning_shows_and_changes_only_on_yes(warm: World) -> None:
    warm.fern("surface", "add", "moves.example")
    assert "too little history" in warm.fern("tune", "moves.example").err
    warm.fern("record", "--surface", "moves.example", stdin=moved_on())
    shown = warm.fern("tune", "moves.example")
    assert "half_lives: 7, 45, 365 → 2, 14, 60" in shown.out
    assert "nothing is changed: --yes uses them" in shown.err
    assert warm.fern("surface", "show", "moves.example", "--json").json()["rule"]["half_lives"] == [7, 45, 365]
    assert "uses them from now on" in warm.fern("tune", "moves.example", "--yes").out
    assert warm.fern("surface", "show", "moves.example", "--json").json()["rule"]["half_lives"] == [2, 14, 60]
    assert warm.fern("undo").out == "took back tune of moves.example\n"
    assert warm.fern("surface", "show", "moves.example", "--json").json()["rule"]["half_lives"] == [7, 45, 365]
    assert "no surface 'nowhere.example'" in warm.fern("tune", "nowhere.example", code=6).err
