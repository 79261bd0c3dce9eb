"""Guessed mappings, and the file text a guess is saved as."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fernvault.catalog.guess import guess_mapping, to_toml
from fernvault.catalog.mapping import load_mapping, mapping_of


def test_a_shop_export() -> None:
    guessed = guess_mapping(["Order Date", "Title", "Category", "Quantity", "Brand", "Price"])
    assert guessed is not None
    assert guessed.columns.time == "Order Date"
    assert guessed.columns.item == "Title"
    assert guessed.columns.quantity == "Quantity"
    assert guessed.attributes == {"pref": ("Category",), "brand": ("Brand",)}


def test_without_categories_the_item_is_the_attribute() -> None:
    guessed = guess_mapping(["user", "ts", "item", "price"])
    assert guessed is not None
    assert guessed.attributes == {"pref": ("item",)}


def test_a_column_of_seconds() -> None:
    guessed = guess_mapping(["uts", "utc_time", "artist", "artist_mbid", "album", "album_mbid", "track", "track_mbid"])
    assert guessed is not None
    assert (guessed.columns.time, guessed.time.format) == ("uts", ("epoch",))
    assert guessed.columns.item == "track"
    assert guessed.attributes == {"artist": ("artist",)}


@pytest.mark.parametrize("header", [[], ["item", "price"], ["time", "price"], ["Zeit", "Artikel"]])
def test_no_guess_without_a_time_and_something_that_happened(header: list[str]) -> None:
    assert guess_mapping(header) is None


def test_only_an_id_of_events_is_guessed() -> None:
    """Row numbers and order numbers are called id too, and would make different events one."""
    guessed = guess_mapping(["id", "transaction_id", "time", "item"])
    assert guessed is not None
    assert guessed.columns.id is None
    guessed = guess_mapping(["Event ID", "time", "item"])
    assert guessed is not None
    assert guessed.columns.id == ("Event ID",)


names = st.text(min_size=1, max_size=12).filter(lambda text: text.strip() and text.isprintable())


@settings(max_examples=60)
@given(time=names, item=names, columns=st.lists(names, min_size=1, max_size=3, unique=True), cut=names)
def test_saved_text_reads_back_as_the_same_mapping(
    tmp_path_factory: pytest.TempPathFactory, time: str, item: str, columns: list[str], cut: str
) -> None:
    mapping = mapping_of(
        {
            "columns": {"time": time, "item": item, "id": [time, item] if time != item else [time]},
            "attributes": {"pref": columns},
            "kinds": {"buy": 0.5, "return": -2},
            "split": {columns[0]: cut},
            "context": {"weekend": True, "columns": [item]},
            "time": {"format": ["epoch_ms", "%Y"], "zone": "Asia/Kolkata"},
        }
    )
    path = tmp_path_factory.mktemp("guess") / "m.toml"
    path.write_text(to_toml(mapping), encoding="utf-8")
    assert load_mapping(path) == mapping


def test_saved_text_is_short(tmp_path: Path) -> None:
    guessed = guess_mapping(["date", "title", "tags"])
    assert guessed is not None
    assert to_toml(guessed) == '[attributes]\npref = ["tags"]\n\n[columns]\ntime = "date"\nitem = "title"\n'
    renamed = mapping_of(
        {"columns": {"time": "t", "item": "i"}, "items": {"file": "/i.csv", "columns": {"a b": "c\x7f"}}}
    )
    (tmp_path / "m.toml").write_text(to_toml(renamed), encoding="utf-8")
    assert load_mapping(tmp_path / "m.toml") == renamed
