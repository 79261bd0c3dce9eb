"""Item tables."""

import gzip
import lzma
from pathlib import Path
from typing import Any

import pytest

from fernvault.catalog.items import find_delimiter, iter_items, read_items
from fernvault.catalog.mapping import Mapping, mapping_of
from fernvault.errors import InputError

TABLE = "sku,dept,kind of thing,genres\n1,Dairy,Oat Milk,a|b\n2,Dairy,,b\n1,Vegan,Oat Milk,\n"


def mapping(path: Path, **items: Any) -> Mapping:
    return mapping_of(
        {
            "columns": {"time": "t", "item": "i"},
            "attributes": {"cat": ["dept"], "pref": ["kind of thing", "genres"]},
            "split": {"genres": "|"},
            "items": {"file": str(path), "key": "sku", **items},
        }
    )


@pytest.mark.parametrize("pack", [lambda data: data, gzip.compress, lzma.compress])
def test_rows_of_one_item_add_up(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(pack(TABLE.encode()))
    assert read_items(mapping(path)) == {
        "1": ("cat:dairy", "pref:oat-milk", "pref:a", "pref:b", "cat:vegan"),
        "2": ("cat:dairy", "pref:b"),
    }
    assert len(list(iter_items(mapping(path)))) == 3


def test_renamed_columns_and_the_events_own_columns(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("sku;Abteilung;genres\n1;Käse;rock\n", encoding="utf-8-sig")
    own = ("t", "i", "dept", "kind of thing", "genres")
    wanted = mapping(path, columns={"dept": "Abteilung"})
    assert read_items(wanted, own_columns=own) == {"1": ("cat:kase",)}
    assert read_items(mapping(path), own_columns=own) == {"1": ()}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"id,dept\n1,a\n", "no column 'kind of thing' to read; it has: id, dept"),
        (b"id,dept,kind of thing,genres\n", "no column 'sku' to read; it has: id, dept, kind of thing, genres"),
        (b"", "no column"),
        (TABLE.encode() + b"3,x\n", "line 5: 2 columns, not 4"),
        (TABLE.encode() + b'3,"x,y,z\n', "cannot be read after line 4"),
        (TABLE.encode() + b"3,\xff,y,z\n", "cannot be read after line"),
        (TABLE.encode() + b"3," + b"y" * 2_000_000, "cannot be read after line 4"),
        (gzip.compress(TABLE.encode(), mtime=0)[:-10], "cannot be read after line"),
        (b"\x1f\x8bnot gzip", "cannot be read after line 0"),
    ],
)
def test_a_table_that_cannot_be_used_says_why(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "items.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_items(mapping(path))
    assert said in caught.value.message


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no item table"):
        read_items(mapping(tmp_path / "none.csv"))
    with pytest.raises(InputError, match="cannot be read"):
        read_items(mapping(tmp_path))


def test_delimiters() -> None:
    assert [find_delimiter(text) for text in ("a;b,c;d", "a\tb", "a|b", "a,b", "a", '"a;b",c')] == list(";\t|,,,")
