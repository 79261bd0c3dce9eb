"""What the owner can ask: the JSON shapes that scripts rely on, and one line for whatever is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.errors import ExistsError, FernError, InputError, NotFoundError, VaultDamagedError
from fernvault.instant import DAY, to_text
from fernvault.memory import Vault
from fernvault_sync.operations import OPERATIONS, error_document, perform
from tests.strategies import START, checked
from tests.vaults import HOUR, PASSPHRASE, Clock, copy

SHOP: dict[str, Any] = {"surface": "shop.example"}
CATALOG = """
[kinds]
reorder = 1.5
buy = 0.8
[context]
weekend = true
[items]
file = "items.csv"
key = "name"
[attributes]
brand = "brand"
[rules]
"oat *" = "pref:oat"
"""


@pytest.fixture
def shop(vault: Vault, tmp_path: Path, clock: Clock) -> Vault:  # type: ignore[override]
    """The vault with a surface that has a catalog, and three events."""
    (tmp_path / "catalog.toml").write_text(CATALOG)
    (tmp_path / "items.csv").write_text("name,brand\noat 1l,Meadow\ntea,Leaf\n")
    path = str(tmp_path / "catalog.toml")
    perform(vault, "surface.add", {**SHOP, "preset_name": "adaptive", "catalog": path})
    clock.now = START + 2 * DAY
    events = [
        {"id": "1", "at": "2026-01-01T10:00:00Z", "kind": "reorder", "item": "oat 1l"},
        {"id": "2", "at": "2026-01-02T10:00:00+01:00", "item": "oat 2l"},
        {"id": "3", "at": START + DAY, "kind": "return", "item": "tea"},
    ]
    perform(vault, "record", {**SHOP, "events": events, "source": "till"})
    return vault


def ask(vault: Vault, op: str, **args: Any) -> Any:
    """An operation's answer as the wire carries it."""
    return json.loads(json.dumps(perform(vault, op, {**SHOP, **args}), allow_nan=False))


def test_record_answers_each_event_in_order(shop: Vault) -> None:
    events: list[Any] = [
        {"id": "4", "at": "2026-01-02T12:00:00Z", "item": "oat 1l"},
        {"id": "4", "at": "2026-01-02T12:00:00Z", "item": "oat 1l"},
        {"id": "1", "at": "2026-01-02T12:00:00Z", "item": "tea"},
        {"id": "5", "at": "2026-01-02T12:00:00Z", "kind": "forget", "item": "tea"},
        "no event",
        {"id": 6},
        {"id": "7", "at": "2026-01-02T12:00:00Z", "kind": "dislike", "attributes": ["pref:plastic"]},
        {"id": "8", "at": "2026-01-02T12:00:00Z", "item": "unheard of"},
    ]
    answers = ask(shop, "record", events=events, source="till")
    assert [(answer["id"], answer["status"]) for answer in answers] == [
        ("4", "recorded"), ("4", "duplicate"), ("1", "duplicate"), ("5", "refused"), (None, "refused"),
        (None, "refused"), ("7", "recorded"), ("8", "recorded"),
    ]  # fmt: skip
    assert answers[0] == {
        "id": "4",
        "status": "recorded",
        "attributes": ["brand:meadow", "pref:oat", "ctx:weekday"],
    }
    assert answers[6]["attributes"] == ["!pref:plastic", "ctx:weekday"]
    assert answers[7]["attributes"] == ["ctx:weekday"]
    # Nothing was written for a duplicate, so it names nothing that was.
    assert answers[1] == {"id": "4", "status": "duplicate", "attributes": []}
    assert answers[2] == {"id": "1", "status": "duplicate", "attributes": []}
    for answer in (answers[3], answers[4], answers[5]):
        assert answer["attributes"] == []
        assert answer["reason"].isprintable()
        assert answer["reason"]
    assert shop.event_count() == 6
    assert shop.doctor() == []


def test_a_batch_has_one_answer(shop: Vault) -> None:
    events: list[Any] = [
        {"id": "4", "at": START, "item": "oat 1l"},
        {"id": "4", "at": START, "item": "oat 1l"},
        {"id": "5"},
        {"id": "6", "at": START, "attributes": ["pref:x"]},
        {"id": "1", "at": START, "item": "tea"},
    ]
    assert ask(shop, "record.batch", events=events, source="csv") == {
        "recorded": 2,
        "duplicates": 2,
        "unmapped": 0,
        "attributes": ["brand:meadow", "ctx:weekday", "pref:oat", "pref:x"],
        "refused": [{"index": 2, "reason": "at: Field required"}],
    }


def test_a_batch_counts_what_is_unmapped_once(vault: Vault, shop: Vault) -> None:
    perform(vault, "surface.add", {"surface": "plain", "preset_name": "adaptive", "catalog": None})
    events = [{"id": str(n), "at": START, "item": "x"} for n in (1, 1, 2)]
    empty: dict[str, Any] = {"attributes": [], "refused": []}
    first, second = (ask(vault, "record.batch", surface="plain", events=events, source="csv") for _ in range(2))
    assert first == {"recorded": 2, "duplicates": 1, "unmapped": 2, **empty}
    assert second == {"recorded": 0, "duplicates": 3, "unmapped": 0, **empty}


def test_an_import_brings_back_what_was_taken_back_and_a_surface_does_not(shop: Vault) -> None:
    before = ask(shop, "ls")
    assert ask(shop, "undo", since="2020-01-01")["undone"] == 3
    assert (ask(shop, "ls"), shop.event_count()) == ([], 0)
    events = [{"id": "1", "at": "2026-01-01T10:00:00Z", "kind": "reorder", "item": "oat 1l"}]
    assert ask(shop, "record", events=events, source="till") == [{"id": "1", "status": "duplicate", "attributes": []}]
    assert (ask(shop, "ls"), shop.event_count()) == ([], 0)
    events += [
        {"id": "2", "at": "2026-01-02T10:00:00+01:00", "item": "oat 2l"},
        {"id": "3", "at": START + DAY, "kind": "return", "item": "tea"},
    ]
    answer = ask(shop, "record.batch", events=events, source="csv")
    assert (answer["recorded"], answer["duplicates"]) == (3, 0)
    assert ask(shop, "ls") == before
    answer = ask(shop, "record.batch", events=events, source="csv")
    assert (answer["recorded"], answer["duplicates"], answer["attributes"]) == (0, 3, [])
    assert ask(shop, "ls") == before
    assert (shop.event_count(), shop.doctor()) == (3, [])
    # What was taken back stays on record under another name: entries 1 to 3, the undo, and the import's three.
    journal = list(shop.surface("shop.example").journal())
    assert [row.id for row in journal if row.kind != "undo"] == ["1 1", "2 2", "3 3", "1", "2", "3"]
    (undo,) = (row.id for row in journal if row.kind == "undo")
    assert [row.undone_by for row in journal] == [undo, undo, undo, None, None, None, None]


def test_the_catalogs_magnitudes_count(shop: Vault) -> None:
    events = {event["id"]: event for edge in ask(shop, "ls") for event in _why(shop, edge["attribute"])["events"]}
    # reorder and buy have their own in the catalog; return has the usual one.
    assert {id: event["magnitude"] for id, event in events.items()} == {"1": 1.5, "2": 0.8, "3": -1.0}
    assert {edge["attribute"] for edge in ask(shop, "ls")} == {
        "pref:oat", "brand:meadow", "ctx:weekday", "!brand:leaf",
    }  # fmt: skip


def _why(vault: Vault, attribute: str) -> dict[str, Any]:
    found = ask(vault, "why", attribute=attribute)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("op", ["record", "record.batch"])
def test_a_batch_holds_a_thousand(shop: Vault, op: str) -> None:
    events = [{"id": f"n{n}", "at": START + n, "attributes": ["pref:n"]} for n in range(1_001)]
    with pytest.raises(InputError, match=r"1,?000"):
        perform(shop, op, {**SHOP, "events": events, "source": "x"})
    assert shop.event_count() == 3
    perform(shop, op, {**SHOP, "events": events[:1_000], "source": "x"})
    assert shop.event_count() == 1_003


def test_an_event_may_not_take_the_owners_next_id(shop: Vault) -> None:
    # The owner's entry is numbered after the last one and dated with an event that lies ahead of the clock: a surface
    # could work its id out, and a duplicate changes nothing.
    ahead = START + 2 * DAY + HOUR
    trap = {"id": f"owner-{ahead:x}-6", "at": ahead, "attributes": ["pref:trap"]}
    first = {"id": "4", "at": ahead, "attributes": ["pref:trap"]}
    answers = ask(shop, "record", events=[first, trap, {"id": "owner-of-a-dog", "at": START, "item": "x"}], source="x")
    assert [answer["status"] for answer in answers] == ["recorded", "refused", "recorded"]
    assert "owner" in answers[1]["reason"]
    assert ask(shop, "correct", attribute="pref:trap", correction="forget")["strength"] == 0.0
    assert [row.kind for row in shop.surface("shop.example").journal()][-1] == "forget"


# The shapes of design/cli.md.

CARD = {"surface", "at", "context", "entries", "text", "tokens"}
ENTRY = {"attribute", "strength", "confidence", "mark", "trend", "reason"}
EDGE = {"attribute", "strength", "confidence", "mark", "hits", "first", "last", "trend", "pinned", "source", "weak"}
WHY = {"attribute", "strength", "standing", "events", "owner", "folded", "sum", "prior"}
REASON = {"id", "at", "surface", "kind", "item", "magnitude", "adds"}


def test_the_shape_of_a_card(shop: Vault) -> None:
    card = ask(shop, "card")
    assert set(card) >= CARD
    assert all(set(entry) >= ENTRY for entry in card["entries"])
    assert (card["surface"], card["at"], card["context"]) == ("shop.example", "2026-01-03T00:00:00Z", [])
    assert [entry["attribute"] for entry in card["entries"]] == ["pref:oat", "brand:meadow", "!brand:leaf"]
    assert {entry["mark"] for entry in card["entries"]} == {"guessed"}
    assert card["text"] == "maybe oat, meadow, !leaf"
    assert "print" not in card
    assert "latest" not in card
    assert "empty" not in card
    assert ask(shop, "card", at="2026-01-03") == card
    table = ask(shop, "card", format="markdown")["print"]
    assert len(table.splitlines()) == 2 + 3


def test_a_budget_drops_the_weakest(shop: Vault) -> None:
    whole = ask(shop, "card")
    found = [ask(shop, "card", budget=budget) for budget in range(1, whole["tokens"] + 1)]
    assert found[-1] == whole
    for budget, card in enumerate(found, 1):
        assert card["tokens"] <= budget
        assert card["entries"] == whole["entries"][: len(card["entries"])]
    assert [len(card["entries"]) for card in found] == sorted(len(card["entries"]) for card in found)
    for card in found:
        assert card.get("empty") == (None if card["entries"] else "budget")
        assert card.get("latest") == (None if card["entries"] else "2026-01-02T09:00:00Z")
    assert found[0]["entries"] == []


def test_an_empty_card_says_what_was_last(shop: Vault, clock: Clock) -> None:
    latest = "2026-01-02T09:00:00Z"
    card = ask(shop, "card", at="2020-01-01")
    assert (card["latest"], card["empty"]) == (latest, "before")
    assert ask(shop, "card", at="2020-01-01", budget=1)["empty"] == "before"
    clock.now += 5_000 * DAY
    card = ask(shop, "card")
    assert (card["entries"], card["text"], card["latest"], card["empty"]) == ([], "", latest, "faded")
    assert ask(shop, "card", at="+1d")["empty"] == ask(shop, "card", budget=1)["empty"] == "faded"
    assert shop.surface("shop.example").sweep() == 4
    assert ask(shop, "card") == card
    perform(shop, "surface.add", {"surface": "new", "preset_name": "paper", "catalog": None})
    card = ask(shop, "card", surface="new")
    assert (card["latest"], card["empty"]) == (None, "nothing")
    assert ask(shop, "card", surface="new", at="2020-01-01", budget=1)["empty"] == "nothing"


def test_the_shape_of_an_edge(shop: Vault) -> None:
    edges = ask(shop, "ls")
    assert all(set(edge) >= EDGE for edge in edges)
    assert all(type(edge["pinned"]) is bool for edge in edges)
    assert {edge["attribute"] for edge in edges if edge["weak"]} == {"ctx:weekday"}
    assert [edge["strength"] for edge in edges] == sorted((edge["strength"] for edge in edges), reverse=True)
    oat = next(edge for edge in edges if edge["attribute"] == "pref:oat")
    assert (oat["hits"], oat["first"], oat["last"]) == (2, "2026-01-01T10:00:00Z", "2026-01-02T09:00:00Z")
    assert (oat["source"], oat["mark"], oat["pinned"]) == ("own", "guessed", False)
    assert ask(shop, "ls", at="2026-01-01T09:59:59Z") == []


def test_the_shape_of_why_and_that_it_adds_up(shop: Vault) -> None:
    perform(shop, "correct", {**SHOP, "attribute": "pref:oat", "correction": "set", "value": 2})
    later = {"id": "9", "at": "2026-01-03T00:00:00Z", "item": "oat 1l"}
    perform(shop, "record", {**SHOP, "events": [later], "source": "till"})
    for at in (None, "+400d", "2026-01-02T00:00:00Z"):
        for edge in ask(shop, "ls", at=at):
            why = ask(shop, "why", attribute=edge["attribute"], at=at)
            assert set(why) >= WHY
            assert all(set(event) >= REASON for event in why["events"])
            assert why["strength"] == edge["strength"]
            assert why["sum"] == pytest.approx(why["strength"], abs=1e-9)
            assert why["sum"] == pytest.approx(
                sum(event["adds"] for event in why["events"]) + why["owner"] + why["folded"], abs=1e-9
            )
            assert why["standing"] == pytest.approx(why["strength"] + why["prior"], abs=1e-9)
    # set to 2, then 0.6·0.8 = 0.48 with 1 - 2/9 of room: 2 + 0.48·7/9, of which the owner's part is 2·(1 - 0.48/9).
    why = _why(shop, "pref:oat")
    assert why["strength"] == pytest.approx(2 + 0.48 * 7 / 9)
    assert why["owner"] == pytest.approx(2 * (1 - 0.48 / 9))
    assert [event["adds"] for event in why["events"]] == pytest.approx([0.0, 0.0, 0.48])


def test_the_shapes_of_corrections_and_undos(shop: Vault) -> None:
    before = next(edge["strength"] for edge in ask(shop, "ls") if edge["attribute"] == "pref:oat")
    assert ask(shop, "correct", attribute="pref:oat", correction="set", value=9) == {
        "surface": "shop.example",
        "attribute": "pref:oat",
        "correction": "set",
        "before": before,
        "strength": 9.0,
    }
    assert ask(shop, "correct", attribute="fact:new", correction="set", value=1.5)["before"] == 0.0
    assert ask(shop, "correct", attribute="pref:oat", correction="forget")["strength"] == 0.0
    assert perform(shop, "undo", {}) == {"surface": "shop.example", "undone": 1, "what": "forget pref:oat"}
    assert ask(shop, "undo", since="-1h") == {"surface": "shop.example", "undone": 3, "what": "events"}
    assert {edge["attribute"] for edge in ask(shop, "ls")} == {"pref:oat", "fact:new"}
    with pytest.raises(NotFoundError):
        ask(shop, "undo", since="-1h")
    with pytest.raises(InputError):
        perform(shop, "undo", {"since": "-1h"})


def test_the_shape_of_a_redo(shop: Vault) -> None:
    with pytest.raises(NotFoundError):
        perform(shop, "redo", {})
    before = ask(shop, "ls")
    ask(shop, "undo", since="2020-01-01")
    perform(shop, "surface.add", {"surface": "other", "preset_name": "paper", "catalog": None})
    with pytest.raises(NotFoundError):
        perform(shop, "redo", {"surface": "other"})
    with pytest.raises(NotFoundError):
        perform(shop, "redo", {"surface": "nowhere"})
    assert perform(shop, "status", {})["events"] == 0
    assert perform(shop, "redo", {}) == {"surface": "shop.example", "redone": 3}
    assert ask(shop, "ls") == before
    ask(shop, "correct", attribute="pref:oat", correction="pin")
    ask(shop, "undo")
    assert ask(shop, "redo") == {"surface": "shop.example", "redone": 1}
    with pytest.raises(NotFoundError):
        ask(shop, "redo")
    # Corrections, undos and redos are no events.
    assert perform(shop, "status", {})["events"] == perform(shop, "doctor", {})["events"] == 3
    assert perform(shop, "surface.show", SHOP)["events"] == 3
    assert perform(shop, "surface.remove", SHOP) == {**SHOP, "deleted": 3}


def test_the_shape_of_a_preview(shop: Vault) -> None:
    found = ask(shop, "preview", days=3_650)
    assert set(found) == {"surface", "days", "entries", "now", "then", "changes"}
    assert set(found["now"]) >= CARD
    assert (found["entries"], found["days"], found["then"]["entries"]) == (8, 3_650, [])
    assert found["now"]["entries"] == ask(shop, "card")["entries"]
    assert all(set(change) == {"day", "leaves", "enters"} for change in found["changes"])
    assert {name for change in found["changes"] for name in change["leaves"]} == {
        "pref:oat", "brand:meadow", "!brand:leaf",
    }  # fmt: skip


def test_status_and_surfaces(shop: Vault, folder: Path) -> None:
    status = perform(shop, "status", {})
    assert set(status) >= {"vault", "state", "surfaces", "events", "schema"}
    assert (status["vault"], status["state"], status["surfaces"], status["events"]) == (str(folder), "unlocked", 1, 3)
    (listed,) = perform(shop, "surface.list", {})
    assert listed == perform(shop, "surface.show", SHOP)
    assert (listed["events"], listed["attributes"], listed["items"]) == (3, 4, 2)
    assert listed["catalog"]["kinds"] == {"reorder": 1.5, "buy": 0.8}
    with pytest.raises(ExistsError):
        perform(shop, "surface.add", {**SHOP, "preset_name": "paper", "catalog": None})
    assert perform(shop, "surface.remove", SHOP) == {**SHOP, "deleted": 3}
    assert perform(shop, "surface.list", {}) == []
    with pytest.raises(NotFoundError):
        perform(shop, "surface.remove", SHOP)


def test_export_and_doctor(shop: Vault, tmp_path: Path) -> None:
    manifest = perform(shop, "export", {"to": str(tmp_path / "export")})
    assert manifest["files"]["events.jsonl"]["rows"] == 3
    shop._connection.execute("UPDATE edge SET hits = 77")
    found = perform(shop, "doctor", {})
    assert {finding["kind"] for finding in found["findings"]} == {"edge"}
    assert found["events"] == 3
    assert perform(shop, "doctor", {"rebuild": True})["findings"] == []


def test_errors_as_documents() -> None:
    assert error_document(NotFoundError("no surface 'x'")) == {
        "code": "not-found",
        "message": "no surface 'x'",
        "next": "fern surface list",
        "exit": 6,
    }
    # The doctor cannot mend a page; a copy can.
    assert error_document(VaultDamagedError("vault.db is damaged")) == {
        "code": "vault-damaged",
        "message": "vault.db is damaged",
        "next": "keep this folder as it is, and put back a copy of it made earlier",
        "exit": 5,
    }


# What is wrong is one line, and changes nothing.

WRONG: list[tuple[str, dict[str, Any]]] = [
    ("cards", {}),
    ("", {}),
    ("card\n\x1b[31m", {}),
    ("x" * 100_000, {}),
    ("__init__", {}),
    ("perform", {}),
    ("card", {}),
    ("card", {"surface": 7}),
    ("card", {"surface": None}),
    ("card", {"surface": ["shop.example"]}),
    ("card", {"surface": "x" * 201}),
    ("card", {**SHOP, "colour": "red"}),
    ("card", {**SHOP, "a\nb\x1b[31m": 1}),
    ("card", {**SHOP, "x" * 100_000: 1}),
    ("card", {**SHOP, "vault": "/etc"}),
    ("card", {**SHOP, "at": 5}),
    ("card", {**SHOP, "at": "yesterday"}),
    ("card", {**SHOP, "at": "x" * 41}),
    ("card", {**SHOP, "at": "+99999y"}),
    ("card", {**SHOP, "budget": 0}),
    ("card", {**SHOP, "budget": "9"}),
    ("card", {**SHOP, "budget": True}),
    ("card", {**SHOP, "format": "html"}),
    ("ls", {**SHOP, "at": "2026-13-01"}),
    ("why", {**SHOP}),
    ("why", {**SHOP, "attribute": "Oat Milk"}),
    ("why", {**SHOP, "attribute": "pref:oat\n"}),
    ("correct", {**SHOP, "attribute": "pref:oat", "correction": "undo"}),
    ("correct", {**SHOP, "attribute": "pref:oat", "correction": "set"}),
    ("correct", {**SHOP, "attribute": "pref:oat", "correction": "set", "value": "5"}),
    ("correct", {**SHOP, "attribute": "pref:oat", "correction": "set", "value": True}),
    ("correct", {**SHOP, "attribute": "pref:oat", "correction": "set", "value": float("nan")}),
    ("correct", {**SHOP, "attribute": "pref:oat", "correction": "set", "value": 9.5}),
    ("correct", {**SHOP, "attribute": "pref oat", "correction": "set", "value": 5}),
    ("undo", {"since": "-1d"}),
    ("undo", {**SHOP, "since": "soon"}),
    ("redo", {**SHOP, "since": "-1d"}),
    ("redo", {"surface": 7}),
    ("preview", {**SHOP}),
    ("preview", {**SHOP, "days": 0}),
    ("preview", {**SHOP, "days": 3_651}),
    ("preview", {**SHOP, "days": 1.5}),
    ("record", {**SHOP, "events": {}, "source": "x"}),
    ("record", {**SHOP, "events": "[]", "source": "x"}),
    ("record", {**SHOP, "events": []}),
    ("record", {**SHOP, "events": [], "source": 1}),
    ("record", {**SHOP, "events": [], "source": "x" * 201}),
    ("surface.add", {"surface": "A b", "preset_name": "adaptive", "catalog": None}),
    ("surface.add", {"surface": "new", "preset_name": "fancy", "catalog": None}),
    ("surface.add", {"surface": "new", "preset_name": "adaptive", "catalog": "/nowhere/catalog.toml"}),
    ("surface.add", {"surface": "new", "preset_name": "adaptive", "catalog": 5}),
    ("export", {}),
    ("export", {"to": 5}),
    ("doctor", {"rebuild": "yes"}),
]


@pytest.mark.parametrize(("op", "args"), WRONG, ids=lambda value: repr(value)[:50])
def test_what_cannot_be_used_is_one_line(shop: Vault, op: str, args: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        perform(shop, op, args)
    assert raised.value.message.isprintable()
    assert len(raised.value.message) < 300
    assert shop.event_count() == 3
    assert len(shop.surfaces()) == 1


@pytest.mark.parametrize("op", ["card", "ls", "surface.show", "surface.remove"])
def test_a_surface_that_is_not_there(shop: Vault, op: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        perform(shop, op, {"surface": "no\nwhere"})
    assert raised.value.message.isprintable()


@pytest.fixture(scope="module")
def hardened(empty_vault: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One vault for all examples of a property."""
    with Vault.open(copy(empty_vault, tmp_path_factory.mktemp("operations") / "v"), PASSPHRASE, clock=Clock()) as vault:
        vault.add_surface("shop.example")
        yield vault


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(("shop.example", "pref:oat", "set", "+1d", "2026-01-01", to_text(START), "\ud800", "a\x00b")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(
    ("surface", "attribute", "at", "days", "since", "correction", "value", "events", "source", "budget", "format",
     "preset_name", "catalog", "rebuild", "vault", "self")
) | st.text(max_size=6)  # fmt: skip


@checked
@given(st.sampled_from(sorted(set(OPERATIONS) - {"export"})), st.dictionaries(names, values, max_size=5), st.booleans())
def test_any_call_is_answered_or_one_line(hardened: Vault, op: str, args: dict[str, Any], known: bool) -> None:
    try:
        perform(hardened, op, args | SHOP if known else args)
    except FernError as error:
        assert error.message.isprintable()
        assert len(error.message) < 400
    if op == "surface.remove" and not hardened.surfaces():
        hardened.add_surface("shop.example")
    assert not hardened._connection.in_transaction
