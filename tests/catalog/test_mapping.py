"""Mapping files: what they may say, and what a person reads when one is wrong."""

from pathlib import Path

import pytest

from fernvault.catalog.mapping import Mapping, load_mapping, mapping_of
from fernvault.errors import InputError

WHOLE = """
[columns]
time = "ts"
item = "sku"
kind = "what"
quantity = "qty"
id = ["order", "line"]
value = "paid"
[time]
format = ["%d/%m/%Y", "%d/%m/%Y %H:%M"]
zone = "Europe/London"
[attributes]
pref = ["department", "type"]
brand = "maker"
[kinds]
Bought = 1
"Sent back" = -0.5
[items]
file = "things.csv"
key = "sku"
columns = { type = "product_type", department = "dept" }
[context]
time_of_day = true
weekend = true
columns = ["weather"]
zone = "Asia/Tokyo"
[split]
type = "|"
[file]
delimiter = "tab"
encoding = "cp1252"
kind = "click"
"""


def read(folder: Path, text: str) -> Mapping:
    path = folder / "m.toml"
    path.write_text(text, encoding="utf-8")
    return load_mapping(path)


def test_everything_a_mapping_can_say(tmp_path: Path) -> None:
    mapping = read(tmp_path, WHOLE)
    assert mapping.columns.time == "ts"
    assert mapping.columns.id == ("order", "line")
    assert mapping.time.format == ("%d/%m/%Y", "%d/%m/%Y %H:%M")
    assert mapping.attributes == {"pref": ("department", "type"), "brand": ("maker",)}
    assert mapping.kinds == {"bought": 1.0, "sent-back": -0.5}
    assert mapping.items is not None
    assert mapping.items.file == str(tmp_path / "things.csv")
    assert mapping.items.columns == {"type": "product_type", "department": "dept"}
    assert mapping.context.columns == ("weather",)
    assert mapping.file.delimiter == "\t"
    assert mapping.default_kind == "click"


def test_the_least_a_mapping_can_say(tmp_path: Path) -> None:
    mapping = read(tmp_path, '[columns]\ntime = "when"\n')
    assert mapping.default_kind == "buy"
    assert mapping.time.format == ()
    assert [mapping.magnitude(kind) for kind in ("buy", "return", "juggle")] == [1.0, -1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "[columns] is missing"),
        ("[columns]\nitem = 'a'", "[columns] time is missing"),
        ("[columns]\ntime = 3", "[columns] time must be text in quotes"),
        ("[columns]\ntime = ' '", "[columns] time must not be empty"),
        ("[columns]\ntime = 't'\nprice = 'p'", "[columns] price is not known here"),
        ("[columns]\ntime = 't'\nid = []", "[columns] id must name at least one column"),
        ("[columns]\ntime = 't'\n[colour]\na = 1", "[colour] is not known here"),
        ("[columns]\ntime = 't'\n[time]\nzone = 'Paris'", "[time] zone no such time zone: 'Paris'"),
        ("[columns]\ntime = 't'\n[time]\nzone = '../x'", "no such time zone"),
        ("[columns]\ntime = 't'\n[time]\nformat = '%d.%m.'", "has no year"),
        ("[columns]\ntime = 't'\n[time]\nformat = '%Y %Q'", "is not a time format"),
        ("[columns]\ntime = 't'\n[time]\nformat = '%Y-%m-%d %Z'", "%Z reads a zone's name and drops it"),
        ("[columns]\ntime = 't'\n[attributes]\nPref = ['a']", "'Pref' cannot be a namespace"),
        ("[columns]\ntime = 't'\n[attributes]\nctx = ['a']", "'ctx' is kept for context"),
        ("[columns]\ntime = 't'\n[attributes]\npref = ['a', 'a']", "names the same column twice"),
        ("[columns]\ntime = 't'\n[kinds]\nbuy = 0", "'buy' must be from 0.05 to 15"),
        ("[columns]\ntime = 't'\n[kinds]\nbuy = 15.01", "'buy' must be from 0.05 to 15"),
        ("[columns]\ntime = 't'\n[kinds]\nbuy = nan", "'buy' must be from 0.05 to 15"),
        ("[columns]\ntime = 't'\n[kinds]\nforget = 1", "kept for the owner's own corrections"),
        ("[columns]\ntime = 't'\n[kinds]\nbuy = 1\nBUY = 2", "another spelling of it"),
        ("[columns]\ntime = 't'\n[kinds]\nbuy = 'much'", "[kinds] buy must be a number"),
        ("[columns]\ntime = 't'\n[context]\nweekend = 'yes'", "[context] weekend must be true or false"),
        ("[columns]\ntime = 't'\n[items]\nfile = 'i.csv'", "[items] needs [columns] item"),
        ("[columns]\ntime = 't'\n[split]\ng = '|'", "[split] 'g' is in no list"),
        ("[columns]\ntime = 't'\n[file]\ndelimiter = ';;'", "[file] delimiter must be one character"),
        ("[columns]\ntime = 't'\n[file]\nencoding = 'utf-9'", "no such text encoding: 'utf-9'"),
        ("[columns]\ntime = 't'\n[file]\nencoding = 'base64'", "no such text encoding"),
        ("[columns]\ntime = 't'\n[file]\nkind = 'set'", "cannot be a kind"),
        ("[columns]\ntime = 't'\n[file]\ndecimal = '-'", "[file] decimal must be '.' or ','"),
        ("columns = 3", "[columns] must be a table"),
        ("[columns]\ntime = 't'\n[attributes]\npref = ['a', 3]", "[attributes] pref 1 must be text in quotes"),
        ("[columns]\ntime = 't'\n[attributes]\npref = 3", "[attributes] pref must be a list of texts"),
        ("[columns]\ntime = 't'\n[items]\nfile = 'f'\ncolumns = [['a']]", "[items] columns 0 must be text"),
        ("[columns]\ntime = 't'\n[kinds]\nbuy = true", "[kinds] buy must be a number"),
        ("[columns]\ntime = \n", "not valid TOML: Invalid value (at line 2"),
    ],
)
def test_a_mistake_is_one_line_with_file_and_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert said in caught.value.message
    assert caught.value.message.startswith("m.toml: ")
    assert "\n" not in caught.value.message
    assert caught.value.next_step.startswith("fern import")


def test_more_mistakes_are_counted(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\(and 1 more\)"):
        read(tmp_path, "[columns]\na = 1\ntime = 't'\nb = 2")


def test_files_that_are_no_mapping_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        load_mapping(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot read"):
        load_mapping(tmp_path)
    (tmp_path / "m.toml").write_bytes(b"[columns]\ntime = '\xe9'")
    with pytest.raises(InputError, match="is not UTF-8"):
        load_mapping(tmp_path / "m.toml")
    with pytest.raises(InputError):
        read(tmp_path, "a = " + "[" * 100_000)


def test_a_mapping_does_not_change() -> None:
    mapping = mapping_of({"columns": {"time": "t"}})
    with pytest.raises(AttributeError):
        mapping.columns.time = "u"  # type: ignore[misc]
