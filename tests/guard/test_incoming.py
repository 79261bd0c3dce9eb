"""Events from outside: what is well formed comes through as it is, everything else is one line of refusal."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.attribute import is_attribute
from fernvault.errors import InputError
from fernvault.event import Event
from fernvault.guard.incoming import event_from
from fernvault.guard.limits import MAX_ATTRIBUTES
from fernvault.instant import DAY, SECOND
from tests.strategies import START, attributes, checked

NOW = START
MINIMAL: dict[str, Any] = {"id": "order-1", "at": "2025-12-31T12:00:00Z", "item": "Oat milk 1 l"}


def refused(document: Any, about: str) -> None:
    """Check that the document is refused in one printable line that begins with ``about``."""
    with pytest.raises(InputError) as raised:
        event_from(document, now=NOW)
    message = raised.value.message
    assert message.startswith(about), message
    assert message.isprintable()
    assert len(message) < 300


def test_a_minimal_document() -> None:
    assert event_from(MINIMAL, now=NOW) == Event(
        id="order-1", at=NOW - DAY // 2, kind="buy", item="Oat milk 1 l", attributes=(), magnitude=1.0
    )


def test_a_full_document() -> None:
    document = {
        "id": "o:2/e",
        "at": NOW,
        "kind": "return",
        "item": "4011",
        "attributes": ["pref:organic", "!pref:plastic", "pref:organic"],
        "magnitude": -0.5,
        "quantity": 2,
        "value": 3.75,
    }
    assert event_from(document, now=NOW) == Event(
        "o:2/e", NOW, "return", "4011", ("pref:organic", "!pref:plastic"), -0.5, 2.0, 3.75
    )


def test_attributes_alone_are_enough() -> None:
    document = {"id": "1", "at": 0, "attributes": ["ctx:morning"]}
    assert event_from(document, now=NOW).attributes == ("ctx:morning",)


@pytest.mark.parametrize(
    ("kind", "magnitude"),
    [
        ("buy", 1.0),
        ("cart", 0.6),
        ("click", 0.3),
        ("view", 0.2),
        ("return", -1.0),
        ("skip", -0.3),
        ("refund", -1.0),
        ("unheard-of", 1.0),
    ],
)
def test_the_kind_gives_the_magnitude(kind: str, magnitude: float) -> None:
    assert event_from({**MINIMAL, "kind": kind}, now=NOW).magnitude == magnitude


def test_the_surfaces_own_magnitude_comes_before_ours_and_the_documents_before_both() -> None:
    kinds = {"click": 0.9}
    assert event_from({**MINIMAL, "kind": "click"}, now=NOW, kinds=kinds).magnitude == 0.9
    assert event_from({**MINIMAL, "kind": "view"}, now=NOW, kinds=kinds).magnitude == 0.2
    assert event_from({**MINIMAL, "kind": "click", "magnitude": 2}, now=NOW, kinds=kinds).magnitude == 2.0


@pytest.mark.parametrize("at", [NOW + DAY, 0, "1970-01-01T00:00:00Z", "2026-01-02T01:00:00+01:00"])
def test_the_ends_of_time_are_in(at: str | int) -> None:
    assert 0 <= event_from({**MINIMAL, "at": at}, now=NOW).at <= NOW + DAY


@pytest.mark.parametrize(
    ("change", "about"),
    [
        # fields that are not ours, shown short and escaped
        ({"colour": "red"}, "'colour'"),
        ({"ID": "x"}, "'ID'"),
        ({"a\nb\x1b[31m": 1}, r"'a\nb\x1b[31m'"),
        ({"x" * 10_000: 1}, "'xxxx"),
        ({"\u202e": 1}, r"'\u202e'"),
        # the id
        ({"id": ""}, "id:"),
        ({"id": "a b"}, "id:"),
        ({"id": "a\n"}, "id:"),
        ({"id": "é"}, "id:"),
        ({"id": "x" * 129}, "id:"),
        ({"id": 7}, "id:"),
        ({"id": None}, "id:"),
        ({"id": True}, "id:"),
        # the time
        ({"at": "2026-01-01T00:00:00"}, "at:"),
        ({"at": "2026-01-01"}, "at:"),
        ({"at": "yesterday"}, "at:"),
        ({"at": "2026-01-01T00:00:00Z\n"}, "at:"),
        ({"at": ""}, "at:"),
        ({"at": "9" * 41}, "at:"),
        ({"at": "2026-01-02T00:00:01Z"}, "at:"),
        ({"at": NOW + DAY + 1}, "at:"),
        ({"at": "1969-12-31T23:59:59Z"}, "at:"),
        ({"at": -1}, "at:"),
        ({"at": 2**63}, "at:"),
        ({"at": 10**400}, "at:"),
        ({"at": 10**5_000}, "at:"),
        ({"at": 1.5}, "at:"),
        ({"at": float("nan")}, "at:"),
        ({"at": True}, "at:"),
        ({"at": None}, "at:"),
        ({"at": [NOW]}, "at:"),
        # the kind
        ({"kind": "Buy"}, "kind:"),
        ({"kind": ""}, "kind:"),
        ({"kind": "buy\n"}, "kind:"),
        ({"kind": "x" * 33}, "kind:"),
        ({"kind": None}, "kind:"),
        *(({"kind": kind}, f"kind: '{kind}'") for kind in ("set", "pin", "unpin", "forget", "undo")),
        # the item
        ({"item": ""}, "item:"),
        ({"item": "x" * 201}, "item:"),
        ({"item": 4011}, "item:"),
        ({"item": ["a"]}, "item:"),
        ({"item": "\ud800"}, "item:"),
        ({"item": "a\x1b[2J"}, "item: must not have control characters"),
        ({"item": "a\nb"}, "item:"),
        ({"item": "a\x9bb"}, "item:"),
        # the attributes
        ({"attributes": ["Pref:oat"]}, "attributes.0:"),
        ({"attributes": ["pref:oat", "pref:oat milk"]}, "attributes.1:"),
        ({"attributes": ["pref:oat\n"]}, "attributes.0:"),
        ({"attributes": ["!!pref:oat"]}, "attributes.0:"),
        ({"attributes": ["pref:\u043eat"]}, "attributes.0:"),
        ({"attributes": ["pref:oat\u200b"]}, "attributes.0:"),
        ({"attributes": ["x" * 17 + ":y"]}, "attributes.0:"),
        ({"attributes": ["x:" + "y" * 49]}, "attributes.0:"),
        ({"attributes": [True]}, "attributes.0:"),
        ({"attributes": [None]}, "attributes.0:"),
        ({"attributes": "pref:oat"}, "attributes:"),
        ({"attributes": {"pref:oat": 1}}, "attributes:"),
        ({"attributes": None}, "attributes:"),
        ({"attributes": [f"pref:{number}" for number in range(MAX_ATTRIBUTES + 1)]}, "attributes:"),
        # the numbers
        *(
            ({field: value}, f"{field}:")
            for field in ("magnitude", "quantity", "value")
            for value in (math.nan, math.inf, -math.inf, True, "1", [1], {}, 10**400, 10**5_000, 1e10, -1e10)
        ),
        ({"magnitude": 0}, "magnitude:"),
        ({"magnitude": 0.049}, "magnitude:"),
        ({"magnitude": -0.0}, "magnitude:"),
        ({"magnitude": 15.1}, "magnitude:"),
        ({"magnitude": -15.1}, "magnitude:"),
    ],
    ids=lambda found: None if isinstance(found, str) else "",
)
def test_refused(change: dict[str, Any], about: str) -> None:
    refused({**MINIMAL, **change}, about)


@pytest.mark.parametrize("missing", ["id", "at"])
def test_what_must_be_there(missing: str) -> None:
    refused({field: value for field, value in MINIMAL.items() if field != missing}, f"{missing}: Field required")


@pytest.mark.parametrize("empty", [{}, {"attributes": []}, {"item": None}])
def test_an_event_is_about_something(empty: dict[str, Any]) -> None:
    refused({"id": "1", "at": NOW, **empty}, "an event names an item or attributes")


@pytest.mark.parametrize("document", [None, [], [MINIMAL], "buy", 1, 1.5, True, b"{}", (), {1: 2}, {None: 1}])
def test_what_is_no_event_at_all(document: Any) -> None:
    refused(document, "")


def test_as_many_attributes_as_allowed() -> None:
    several = [f"pref:{number}" for number in range(MAX_ATTRIBUTES)]
    assert event_from({**MINIMAL, "attributes": several}, now=NOW).attributes == tuple(several)


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(10**400), 10**400),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(("pref:oat-milk", "2025-12-31T12:00:00Z", "set", "buy", "order-1", "__class__", "\ud800")),
)
fields = st.sampled_from((*Event._fields, "colour")) | st.text(max_size=8)
documents = st.recursive(
    scalars,
    lambda inside: st.lists(inside, max_size=4) | st.dictionaries(fields, inside, max_size=6),
    max_leaves=12,
)
"""JSON of any shape, as a Python program may hold it: also NaN, lone surrogates, numbers beyond any float."""

near_misses = st.builds(lambda changes: {**MINIMAL, **changes}, st.dictionaries(fields, documents, max_size=2))


@checked
@given(documents | near_misses)
def test_any_document_is_an_event_or_one_line(document: Any) -> None:
    try:
        found = event_from(document, now=NOW)
    except InputError as error:
        assert error.message
        assert error.message.isprintable()
        assert len(error.message) < 300
        return
    assert 0 <= found.at <= NOW + DAY
    assert math.isfinite(found.magnitude)
    assert 0.05 <= abs(found.magnitude) <= 15
    assert all(is_attribute(attribute) for attribute in found.attributes)
    assert len(found.attributes) <= MAX_ATTRIBUTES
    assert found.kind not in {"set", "pin", "unpin", "forget", "undo", "redo"}
    assert found.item or found.attributes


good_documents = st.fixed_dictionaries(
    {
        "id": st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=128),
        "at": st.integers(0, NOW + DAY),
        "attributes": st.lists(attributes, min_size=1, max_size=MAX_ATTRIBUTES),
    },
    optional={
        "item": st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=200),
        "kind": st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True).map(lambda kind: "x" + kind),
        "magnitude": st.floats(0.05, 15.0) | st.floats(-15.0, -0.05) | st.integers(1, 15),
        "quantity": st.floats(-1e9, 1e9),
        "value": st.floats(-1e9, 1e9),
    },
)


@checked
@given(good_documents)
def test_what_is_well_formed_comes_through_unchanged(document: dict[str, Any]) -> None:
    found = event_from(json.loads(json.dumps(document)), now=NOW)
    assert (found.id, found.at) == (document["id"], document["at"])
    assert found.kind == document.get("kind", "buy")
    assert found.item == document.get("item")
    taken_back = document.get("quantity", 0.0) < 0.0
    assert found.magnitude == document.get("magnitude", -1.0 if taken_back else 1.0)
    assert (found.quantity, found.value) == (document.get("quantity"), document.get("value"))
    assert set(found.attributes) == set(document["attributes"])
    assert len(set(found.attributes)) == len(found.attributes)


@checked
@given(st.integers(0, (NOW + DAY) // SECOND))
def test_both_spellings_of_a_time_are_the_same_event(seconds: int) -> None:
    from datetime import UTC, datetime

    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    in_words = event_from({**MINIMAL, "at": text}, now=NOW)
    assert in_words == event_from({**MINIMAL, "at": seconds * SECOND}, now=NOW)
