"""The JSON documents: exactly the keys that scripts rely on, and numbers that add up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fernvault import documents, tokens
from fernvault.catalog.catalog import catalog_of
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.surface import Surface
from tests.strategies import START
from tests.vaults import SOURCE, Clock, buy


@pytest.fixture
def lived(shop: Surface, clock: Clock) -> Surface:
    """Two purchases, a return, and the owner's word."""
    shop.record(
        [
            buy("1", START, "pref:oat", item="Oat milk", quantity=2.0),
            buy("2", START + DAY, "pref:oat", "pref:tea"),
            buy("3", START + DAY, "pref:tea", kind="return", magnitude=-1.0),
        ],
        source=SOURCE,
    )
    clock.now = START + 2 * DAY
    shop.correct("set", "pref:oat", 4.0)
    shop.correct("pin", "pref:oat")
    return shop


def as_json(document: Any) -> Any:
    """The document after a round trip; fails on what JSON does not have."""
    return json.loads(json.dumps(document, allow_nan=False))


def test_a_card(lived: Surface) -> None:
    card = lived.card()
    document = documents.card_document(card, lived.cost(card))
    counted = tokens.count("likes oat")
    assert as_json(document) == {
        "surface": "shop.example",
        "at": "2026-01-03T00:00:00Z",
        "context": [],
        "entries": [
            {
                "attribute": "pref:oat",
                "strength": 4.0,
                "standing": 4.0,
                "confidence": pytest.approx(1 - 2.718281828459045 ** (-0.4 * 8)),
                "mark": "known",
                "trend": "steady",
                "reason": "2 occasions, set by you, pinned",
                "due": False,
            }
        ],
        "text": "likes oat",
        "tokens": counted.tokens,
        "tokenizer": counted.tokenizer,
    }


def test_an_edge(lived: Surface) -> None:
    by_name = {document["attribute"]: document for document in map(documents.view_document, lived.views())}
    assert as_json(by_name["pref:oat"]) == {
        "attribute": "pref:oat",
        "strength": 4.0,
        "standing": 4.0,
        "confidence": pytest.approx(1 - 2.718281828459045 ** (-0.4 * 8)),
        "mark": "known",
        "hits": 2,
        "first": "2026-01-01T00:00:00Z",
        "last": "2026-01-02T00:00:00Z",
        "trend": "steady",
        "pinned": True,
        "source": "owner",
        "weak": False,
    }
    assert (by_name["!pref:tea"]["source"], by_name["!pref:tea"]["pinned"]) == ("own", False)


def test_why(lived: Surface) -> None:
    document = as_json(documents.why_document(lived.why("pref:oat"), "shop.example"))
    owner = document["corrections"][0]["id"]
    row = {"surface": "shop.example", "kind": "buy", "item": None, "magnitude": 1.0, "adds": 0.0, "source": SOURCE}
    word = {"at": "2026-01-03T00:00:00Z", "surface": "shop.example", "item": None, "magnitude": 1.0, "source": "owner"}
    assert document == {
        "attribute": "pref:oat",
        "strength": 4.0,
        "standing": 4.0,
        # What the owner set overrides both, so that they add nothing.
        "events": [
            {**row, "id": "1", "at": "2026-01-01T00:00:00Z", "item": "Oat milk"},
            {**row, "id": "2", "at": "2026-01-02T00:00:00Z"},
        ],
        "corrections": [
            {**word, "id": owner, "kind": "set", "adds": 4.0, "value": 4.0},
            {**word, "id": document["corrections"][1]["id"], "kind": "pin", "adds": 0.0, "value": None},
        ],
        "owner": 4.0,
        "folded": 0.0,
        "sum": 4.0,
        "prior": 0.0,
    }


def test_why_adds_up_for_every_edge(lived: Surface, clock: Clock) -> None:
    lived.record(
        [buy(f"m{n}", START + 3 * DAY + n, "pref:oat", "pref:tea", magnitude=0.3) for n in range(40)], source=SOURCE
    )
    clock.now += 90 * DAY
    for view in lived.views():
        document = documents.why_document(lived.why(view.attribute), "shop.example")
        assert document["strength"] == view.strength
        assert document["sum"] == pytest.approx(view.strength, abs=1e-9)
        assert document["sum"] == pytest.approx(
            sum(event["adds"] for event in document["events"]) + document["owner"], abs=1e-12
        )
        assert document["owner"] == pytest.approx(sum(c["adds"] for c in document["corrections"]), abs=1e-12)


def test_a_surface(vault: Vault, shop: Surface) -> None:
    document = as_json(documents.surface_document(shop))
    assert document == {
        "surface": "shop.example",
        "added": "2026-01-01T00:00:00Z",
        "rule": {
            "name": "adaptive",
            "alpha": 0.6,
            "half_lives": [7.0, 45.0, 365.0],
            "weights": [0.5, 1.0, 1.0],
            "floor": 0.02,
            "gamma": 0.4,
            "known": 0.7,
            "occasion": 30 * 60 * 1_000_000,
            "hits_half_life": 365.0,
            "owner_hits": 8.0,
            "quantity": False,
            "prior_events": 2.0,
            "shrinkage": 0.5,
        },
        "catalog": None,
    }
    catalog = catalog_of({"rules": {"oat *": ["pref:oat"]}, "kinds": {"buy": 2.0}})
    other = vault.add_surface("other", catalog=catalog)
    assert documents.surface_document(other)["catalog"] == {
        "kinds": {"buy": 2.0},
        "rules": {"oat *": ["pref:oat"]},
    }


def test_a_journal_entry(vault: Vault, lived: Surface) -> None:
    vault.undo()
    rows = [as_json(documents.journal_document(row)) for row in lived.journal()]
    assert rows[0] == {
        "id": "1",
        "at": "2026-01-01T00:00:00Z",
        "kind": "buy",
        "item": "Oat milk",
        "attributes": ["pref:oat"],
        "magnitude": 1.0,
        "quantity": 2.0,
        "value": None,
        "source": SOURCE,
        "recorded": "2026-01-01T00:00:00Z",
        "undone_by": None,
    }
    assert rows[2]["attributes"] == ["!pref:tea"]
    assert rows[2]["magnitude"] == -1.0
    assert rows[4]["kind"] == "pin"
    assert rows[4]["undone_by"] == rows[5]["id"]
    assert (rows[5]["kind"], rows[5]["attributes"], rows[5]["item"]) == ("undo", [], rows[4]["id"])


def test_what_stays_off_the_card_is_weak(shop: Surface, clock: Clock) -> None:
    # Under the default rule one event of magnitude m has a strength of 0.6·m: 0.102 and 0.096 here.
    shop.record(
        [
            buy("1", START, "pref:enough", "ctx:night", magnitude=0.17),
            buy("2", START, "pref:less", magnitude=0.16),
            buy("3", START, "ctx-2:night", "!ctx:morning"),
        ],
        source=SOURCE,
    )
    found = {document["attribute"]: document["weak"] for document in map(documents.view_document, shop.views())}
    assert found == {
        "pref:enough": False,
        "ctx:night": True,
        "pref:less": True,
        "ctx-2:night": False,
        "!ctx:morning": True,
    }
    assert {entry.attribute for entry in shop.card().entries} == {name for name, weak in found.items() if not weak}
    # At strength 9 context is still context, and a pin does not make more of what is little.
    shop.correct("set", "ctx:night", 9.0)
    shop.correct("pin", "pref:less")
    found = {document["attribute"]: document["weak"] for document in map(documents.view_document, shop.views())}
    assert (found["ctx:night"], found["pref:less"]) == (True, True)
