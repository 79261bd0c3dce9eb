"""Catalog files."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from fernvault.catalog.catalog import Catalog, catalog_of, load_catalog
from fernvault.errors import InputError
from fernvault.instant import from_text

TEXT = """
[kinds]
buy = 2
[attributes]
pref = ["type"]
[items]
file = "items.csv"
key = "sku"
[context]
time_of_day = true
[rules]
"oat-1" = ["pref:oat-milk", "diet:vegan"]
"oat-*" = "diet:plants"
"*-[12]" = ["size:small", "diet:vegan"]
"a.b" = "pref:dot"
"""


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    (tmp_path / "c.toml").write_text(TEXT)
    (tmp_path / "items.csv").write_text("sku,type\nx,Tea\n")
    return load_catalog(tmp_path / "c.toml")


def test_own_rule_first_then_patterns(catalog: Catalog) -> None:
    assert catalog.rule_attributes("oat-1") == ("pref:oat-milk", "diet:vegan", "diet:plants", "size:small")
    assert catalog.rule_attributes("oat-9") == ("diet:plants",)
    assert catalog.rule_attributes("OAT-9") == ()
    assert catalog.rule_attributes("aXb") == ()


def test_items_beside_the_catalog_or_elsewhere(catalog: Catalog, tmp_path: Path) -> None:
    assert list(catalog.iter_items()) == [("x", ("pref:tea",))]
    (tmp_path / "other.csv").write_text("sku,type\ny,Coffee\n")
    assert list(catalog.iter_items(tmp_path / "other.csv")) == [("y", ("pref:coffee",))]


def test_context_in_the_owners_zone(catalog: Catalog) -> None:
    at = from_text("2026-01-01T23:00Z")
    assert catalog.context_attributes(at, ZoneInfo("Asia/Tokyo")) == ("ctx:morning",)
    here = catalog_of({"context": {"time_of_day": True, "zone": "UTC"}})
    assert here.context_attributes(at, ZoneInfo("Asia/Tokyo")) == ("ctx:night",)


def test_the_vault_keeps_kinds_context_and_rules(catalog: Catalog) -> None:
    back = Catalog.from_json(catalog.to_json())
    assert (back.kinds, back.context, back.rules) == (catalog.kinds, catalog.context, catalog.rules)
    assert back.items is None
    assert back.to_json() == catalog.to_json()
    assert back.rule_attributes("oat-1") == catalog.rule_attributes("oat-1")
    assert back.magnitude("buy") == 2
    assert back.magnitude("return") == -1
    assert Catalog.from_json(Catalog().to_json()) == Catalog()
    with pytest.raises(InputError, match="the stored catalog"):
        Catalog.from_json('{"rules": 3}')
    with pytest.raises(InputError, match="the stored catalog"):
        Catalog.from_json("not json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[rules]\na = []", "[rules] a gives no attribute"),
        ("[rules]\na = ['!pref:x']", "'!pref:x' is not an attribute"),
        ("[rules]\na = ['Oat Milk']", "'Oat Milk' is not an attribute"),
        ("[rules]\n' ' = ['pref:x']", "[rules]   [key] must not be empty"),
        ("[columns]\ntime = 't'", "[columns] is not known here"),
        ("[items]\nkey = 'k'", "[items] file is missing"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "c.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        load_catalog(path)
    assert said in caught.value.message
    assert caught.value.message.startswith("c.toml: ")


def test_patterns_full_of_stars_stay_fast() -> None:
    catalog = catalog_of({"rules": {"*a" * 30 + "b": ["pref:x"]}})
    assert catalog.rule_attributes("a" * 200) == ()


def test_exclusive_sets_are_kept_and_namespaces_filled_in(tmp_path: Path) -> None:
    file = tmp_path / "catalog.toml"
    file.write_text('[exclusive]\nsize = "size:*"\nmilk = ["pref:oat", "pref:cow"]\n')
    catalog = Catalog.from_json(load_catalog(file).to_json())
    assert catalog.exclusive_sets(["size:m", "size:l", "!size:s", "size-2:x", "pref:oat"]) == [
        {"size:m", "size:l"},
        {"pref:oat", "pref:cow"},
    ]


@pytest.mark.parametrize(
    "given", ['["pref:oat"]', "[]", '["pref:oat", "Oat"]', '"!size:*"', '"size:m*"', '["!pref:a", "pref:b"]']
)
def test_an_exclusive_set_that_makes_no_sense_is_refused(tmp_path: Path, given: str) -> None:
    file = tmp_path / "catalog.toml"
    file.write_text(f"[exclusive]\nmilk = {given}\n")
    with pytest.raises(InputError, match=r"\[exclusive\] milk"):
        load_catalog(file)
