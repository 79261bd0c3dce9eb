"""Events from csv files: hand-checked rows, and what holds for every file."""

import io
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fernvault.attribute import is_attribute
from fernvault.catalog.guess import guess_mapping
from fernvault.catalog.mapping import Mapping, mapping_of
from fernvault.errors import InputError
from fernvault.event import Event
from fernvault.instant import from_text, to_text
from fernvault.portable.csv_import import read_events
from fernvault.portable.csv_rows import CsvRows
from fernvault.portable.rejects import Reject
from fernvault.portable.text_file import TextFile

NOW = from_text("2026-12-01T00:00Z")
NEW_YORK = ZoneInfo("America/New_York")


def mapping(columns: dict[str, Any], **tables: Any) -> Mapping:
    return mapping_of({"columns": {"time": "t"} | columns, **tables})


def read(data: str | bytes, wanted: Mapping, zone: ZoneInfo = NEW_YORK, **given: Any) -> list[Event | Reject]:
    raw = data.encode() if isinstance(data, str) else data
    with TextFile("f.csv", io.BytesIO(raw)) as text:
        return list(read_events(text, wanted, owner_zone=zone, now=NOW, **given))


def events(found: Sequence[Event | Reject]) -> list[Event]:
    assert [one for one in found if isinstance(one, Reject)] == []
    return [one for one in found if isinstance(one, Event)]


def one_time(text: str, **tables: Any) -> str:
    """The instant of a time cell, or the reason why there is none."""
    (found,) = read(f't\n"{text}"\n', mapping({}, **tables))
    return to_text(found.at) if isinstance(found, Event) else found.reason


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2017-01-07T13:55:24Z", "2017-01-07T13:55:24Z"),
        ("2017-01-07T13:55:24.25+05:30", "2017-01-07T08:25:24.250000Z"),
        ("2017-01-07 13:55", "2017-01-07T18:55:00Z"),
        ("2017-07-07T13:55", "2017-07-07T17:55:00Z"),
        (" 2017-01-07 ", "2017-01-07T05:00:00Z"),
        ("20170107", "2017-01-07T05:00:00Z"),
        ("2017-11-05T01:30", "2017-11-05T05:30:00Z"),  # twice on the clock: the first time
        ("2017-03-12T02:30", "2017-03-12T07:30:00Z"),  # never on the clock: as if it had not been put forward
        ("1985-05-05", "1985-05-05T04:00:00Z"),
        ("1970-01-01T00:00Z", "1970-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59Z", "a time before 1970"),
        ("0001-01-01T00:00+14:00", "a time before 1970"),
        ("9999-12-31T23:59-14:00", "a time in the future"),
        ("2026-12-02T00:00Z", "2026-12-02T00:00:00Z"),
        ("2026-12-02T00:00:01Z", "a time in the future"),
        ("", "no time"),
        ("  ", "no time"),
        ("yesterday", "not a time in the mapping's format"),
        ("2017-02-29", "not a time in the mapping's format"),
        ("1483797324", "not a time in the mapping's format"),
        ("07/01/2017", "not a time in the mapping's format"),
        ("x" * 101, "a time that is too long"),
    ],
)
def test_iso_times(cell: str, expected: str) -> None:
    assert one_time(cell) == expected


@pytest.mark.parametrize(
    ("cell", "time", "expected"),
    [
        ("07/01/2017", {"format": "%d/%m/%Y", "zone": "Europe/London"}, "2017-01-07T00:00:00Z"),
        ("05 Apr 2010, 11:59", {"format": "%d %b %Y, %H:%M", "zone": "UTC"}, "2010-04-05T11:59:00Z"),
        ("01/07/17", {"format": ["%d.%m.%Y", "%m/%d/%y"], "zone": "UTC"}, "2017-01-07T00:00:00Z"),
        ("31.01.2018 04:58:59 +02:00", {"format": "%d.%m.%Y %H:%M:%S %z"}, "2018-01-31T02:58:59Z"),
        ("1483797324", {"format": "epoch"}, "2017-01-07T13:55:24Z"),
        ("1483797324.5", {"format": "epoch"}, "2017-01-07T13:55:24.500000Z"),
        ("1483797324000", {"format": "epoch_ms"}, "2017-01-07T13:55:24Z"),
        ("1483797324000", {"format": "epoch"}, "a time in the future"),
        ("-1", {"format": "epoch"}, "a time before 1970"),
        ("1e9", {"format": "epoch"}, "not a time in the mapping's format"),
        ("nan", {"format": "epoch"}, "not a time in the mapping's format"),
        ("2017-01-07", {"format": "%d/%m/%Y"}, "not a time in the mapping's format"),
        ("2017-01-07T12:00", {"zone": "Asia/Kolkata"}, "2017-01-07T06:30:00Z"),
    ],
)
def test_times_in_the_mappings_own_format(cell: str, time: dict[str, Any], expected: str) -> None:
    assert one_time(cell, time=time) == expected


def test_a_whole_event() -> None:
    wanted = mapping(
        {"item": "what", "kind": "did", "quantity": "n", "value": "paid"},
        attributes={"pref": ["type", "genre"], "brand": ["maker"]},
        split={"genre": "|"},
        kinds={"Bought": 2},
        context={"time_of_day": True, "weekend": True, "columns": ["weather"]},
    )
    data = "t,what,did,n,paid,type,genre,maker,weather\n"
    data += "2017-01-07T09:00-05:00, Oat Milk ,BOUGHT,2,3.5,Milks,Oat|Oat|Vegan,Çava & Co,Snow\n"
    (event,) = events(read(data, wanted))
    assert event == Event(
        id=event.id,
        at=from_text("2017-01-07T14:00Z"),
        kind="bought",
        item="Oat Milk",
        attributes=("pref:milks", "pref:oat", "pref:vegan", "brand:cava-co", "ctx:snow", "ctx:morning", "ctx:weekend"),
        magnitude=2.0,
        quantity=2.0,
        value=3.5,
    )


def test_kinds() -> None:
    kinds = ("buy", "Return", "juggle", "", "forget", "☕", "7up")
    data = "t,k\n" + "".join(f"2017-01-01,{kind}\n" for kind in kinds)
    found = read(data, mapping({"kind": "k"}))
    assert [(e.kind, e.magnitude) for e in found if isinstance(e, Event)] == [
        ("buy", 1.0), ("return", -1.0), ("juggle", 1.0)
    ]  # fmt: skip
    assert [(r.line, r.reason, r.row) for r in found if isinstance(r, Reject)] == [
        (5, "no kind", "2017-01-01,"),
        (6, "'forget' is kept for the owner's own corrections", "2017-01-01,forget"),
        (7, "not a kind of event", "2017-01-01,☕"),
        (8, "not a kind of event", "2017-01-01,7up"),
    ]
    stated = read("t,k\n2017-01-01,\n", mapping({"kind": "k"}, file={"kind": "click"}))
    assert [(e.kind, e.magnitude) for e in events(stated)] == [("click", 0.3)]
    assert [e.kind for e in events(read("t\n2017-01-01\n", mapping({})))] == ["buy"]


def test_a_negative_quantity_is_a_return() -> None:
    data = "t,k,q\n2017-01-01,buy,-2\n2017-01-01,return,-2\n2017-01-01,return,2\n2017-01-01,buy,0\n2017-01-01,buy,\n"
    found = events(read(data, mapping({"kind": "k", "quantity": "q"})))
    assert [(e.magnitude, e.quantity) for e in found] == [(-1, -2), (-1, -2), (-1, 2), (1, 0), (1, None)]


@pytest.mark.parametrize(
    "cell", ["1,234.50", "$3", "3 kg", "nan", "inf", "-Infinity", "0x10", "1_000", "٣", "--1", "."]
)
def test_numbers_are_plain_or_rejected(cell: str) -> None:
    (found,) = read(f't,q\n2017-01-01,"{cell}"\n', mapping({"quantity": "q"}))
    assert isinstance(found, Reject)
    assert found.reason == "q: not a plain number"


@pytest.mark.parametrize(("cell", "number"), [("+1.50", 1.5), ("-.5", -0.5), (" 7. ", 7), ("1e3", 1000), ("1e9", 1e9)])
def test_plain_numbers(cell: str, number: float) -> None:
    (found,) = events(read(f't,v\n2017-01-01,"{cell}"\n', mapping({"value": "v"})))
    assert found.value == number


@pytest.mark.parametrize("cell", ["1000000001", "-1e10", "1e999", "9" * 400])
def test_numbers_beyond_all_sense(cell: str) -> None:
    (found,) = read(f"t,q\n2017-01-01,{cell}\n", mapping({"quantity": "q"}))
    assert isinstance(found, Reject)
    assert found.reason == "q: a number beyond 1e9"


def test_items() -> None:
    data = 't,i\n2017-01-01,"two\nlines"\n2017-01-01,\n2017-01-01,\x1b[31mred\n2017-01-01,' + "x" * 201 + "\n"
    found = read(data, mapping({"item": "i"}))
    assert [e.item for e in found if isinstance(e, Event)] == ["two lines", None]
    assert [(r.line, r.reason) for r in found if isinstance(r, Reject)] == [
        (5, "a control character in the item"),
        (6, "an item longer than 200 characters"),
    ]


def test_the_item_table_is_joined(tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text("item,type,colour\nm1,Oat Milk,white\nm1,Barista,white\nm2,Tea,green\n")
    wanted = mapping(
        {"item": "i"},
        attributes={"pref": ["type"], "look": ["colour"]},
        items={"file": str(tmp_path / "i.csv")},
    )
    found = events(read("t,i,colour\n2017-01-01,m1,Blue\n2017-01-01, m2 ,\n2017-01-01,m3,red\n", wanted))
    assert [e.attributes for e in found] == [
        ("look:blue", "pref:oat-milk", "pref:barista"),
        ("pref:tea",),
        ("look:red",),
    ]
    given = events(read("t,i,colour\n2017-01-01,m1,\n", wanted, items={"m1": ("pref:x",)}))
    assert [e.attributes for e in given] == [("pref:x",)]


def test_a_day_without_an_hour_says_nothing_about_the_hour() -> None:
    wanted = mapping({}, context={"time_of_day": True, "weekend": True}, time={"zone": "UTC"})
    found = events(read("t\n2017-01-07\n2017-01-09\n2017-01-07T00:00\n", wanted))
    # Midnight of Saturday in UTC is still Friday evening in New York: a day is the day that was written.
    assert [e.attributes for e in found] == [("ctx:weekend",), ("ctx:weekday",), ("ctx:evening", "ctx:weekday")]
    formats = mapping({}, context={"time_of_day": True}, time={"format": ["%d/%m/%Y", "%d/%m/%Y %H:%M"]})
    found = events(read("t\n07/01/2017\n07/01/2017 09:00\n", formats))
    assert [e.attributes for e in found] == [(), ("ctx:morning",)]


def test_context_of_another_zone() -> None:
    wanted = mapping({}, context={"time_of_day": True, "zone": "Asia/Tokyo"})
    assert events(read("t\n2017-01-07T00:00Z\n", wanted))[0].attributes == ("ctx:morning",)


def test_mixed_zones_in_one_file() -> None:
    data = "t\n2017-01-07T12:00Z\n2017-01-07T07:00-05:00\n2017-01-07T17:30+05:30\n2017-01-07T07:00\n"
    assert len({e.at for e in events(read(data, mapping({})))}) == 1


def test_derived_ids_know_the_whole_row_and_nothing_else() -> None:
    plain = mapping({"item": "i", "quantity": "q"})
    time = "2017-01-01T00:00Z"
    data = f"t,i,q,extra\n{time},a,1,x\n{time},a,1,x\n{time},b,1,x\n{time},a,1,y\n"
    first = [e.id for e in events(read(data, plain))]
    assert first[0] == first[1]
    assert len(set(first)) == 3
    assert first[0].split("-")[0] == f"{from_text('2017-01-01T00:00Z'):x}"
    # Other attributes, magnitudes and context, columns moved about, another encoding: the same rows.
    changed = mapping(
        {"item": "i", "quantity": "q"}, attributes={"pref": ["extra"]}, kinds={"buy": 3}, context={"weekend": True}
    )
    other = "q;extra;i;t\r\n1;x;b;2017-01-01T00:00Z\r\n1; x ;a;2017-01-01T00:00Z\r\n"
    assert [e.id for e in events(read(other.encode("utf-16"), changed))] == [first[2], first[0]]
    # Fixed for ever: vaults hold such ids, and a second import of a file must find them. The digest is BLAKE2b of the
    # columns' names in order, joined by U+001F, U+001E, and the cells in the same order.
    content = "\x1f".join(["extra", "i", "q", "t"]) + "\x1e" + "\x1f".join(["x", "a", "1", "2017-01-01T00:00Z"])
    assert first[0] == "544fd1dbea000-" + blake2b(content.encode(), digest_size=8).hexdigest()
    assert first[0] == "544fd1dbea000-6189fedeecb8e20e"  # as b2sum -l 64 has it


def test_rows_that_differ_in_any_column_are_different_events() -> None:
    wanted = mapping({"item": "i"}, attributes={"pref": ["g"]})
    ids = [e.id for e in events(read("t,i,g,w\n2017-01-01,a,x,1\n2017-01-01,a,y,1\n2017-01-01,a,x,2\n", wanted))]
    assert len(set(ids)) == 3


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("q\n1", "q\n 1 ", True),
        ("q\n1", "q\n1.0", False),  # one number, but two spellings
        ("q\nA", "q\na", False),
        ("q\n1", "Q\n1", False),  # the columns' names count
        ("q,w\n1,", "q,w\n,1", False),
        ("q,w\n12,3", "q,w\n1,23", False),
        ("q,w\n1,", "q\n1", False),
    ],
)
def test_what_makes_two_rows_one(first: str, second: str, same: bool) -> None:
    def id_of(table: str) -> str:
        header, row = table.split("\n")
        (event,) = events(read(f"t,{header}\n2017-01-01,{row}\n", mapping({})))
        return event.id

    assert (id_of(first) == id_of(second)) is same


def test_the_column_of_a_bad_number_is_named() -> None:
    wanted = mapping({"quantity": "How many", "value": "paid"})
    found = read("t,How many,paid\n2017-01-01,two,1\n2017-01-01,2,1e10\n2017-01-01,2,x\n2017-01-01,2,1\n", wanted)
    assert [(one.line, one.reason) for one in found if isinstance(one, Reject)] == [
        (2, "How many: not a plain number"),
        (3, "paid: a number beyond 1e9"),
        (4, "paid: not a plain number"),
    ]
    assert [(one.quantity, one.value) for one in found if isinstance(one, Event)] == [(2.0, 1.0)]


@pytest.mark.parametrize(("cell", "number"), [("3,98", 3.98), ("-2", -2.0), ("1,5e1", 15.0)])
def test_a_decimal_comma(cell: str, number: float) -> None:
    (found,) = events(read(f't,v\n2017-01-01,"{cell}"\n', mapping({"value": "v"}, file={"decimal": ","})))
    assert found.value == number


@pytest.mark.parametrize("cell", ["1.234,5", "1,234,5", "1.234", "3.98", "3,98 kg", ","])
def test_a_decimal_comma_is_no_thousands_sign(cell: str) -> None:
    (found,) = read(f't,v\n2017-01-01,"{cell}"\n', mapping({"value": "v"}, file={"decimal": ","}))
    assert isinstance(found, Reject)
    assert found.reason == "v: not a plain number"


def test_a_comma_is_a_decimal_sign_only_where_that_is_said() -> None:
    data = 't,q,v\n2017-01-01,"-1,5","3,98"\n'
    (found,) = events(read(data, mapping({"quantity": "q", "value": "v"}, file={"decimal": ","})))
    assert (found.quantity, found.value, found.magnitude) == (-1.5, 3.98, -1.0)
    for file in ({}, {"decimal": "."}):
        (refused,) = read(data, mapping({"value": "v"}, file=file))
        assert isinstance(refused, Reject)
        assert refused.reason == "v: not a plain number"
    with pytest.raises(ValueError, match="decimal"):
        mapping({}, file={"decimal": ";"})


def test_ids_that_the_file_gives() -> None:
    wanted = mapping({"item": "i", "id": ["order", "line"]})
    data = (
        "t,i,order,line\n2017-01-01,a,112-33,1\n2017-01-01,a,,\n2017-01-01,a,no 5,é\n2017-01-01,a," + "9" * 300 + ",1\n"
    )
    ids = [e.id for e in events(read(data, wanted))]
    assert ids[0] == "112-33/1"
    derived = events(read("t,i,order,line\n2017-01-01,a,,\n", mapping({"item": "i"})))[0].id
    assert ids[1] == derived
    assert ids[2].startswith("id-")
    assert len(set(ids)) == 4
    assert all(len(one) <= 128 and one.isascii() for one in ids)


def test_more_attributes_than_an_event_may_have() -> None:
    wanted = mapping({}, attributes={"tag": ["g"]}, split={"g": "|"})
    data = "t,g\n2017-01-01," + "|".join(map(str, range(32))) + "\n2017-01-01," + "|".join(map(str, range(33))) + "\n"
    good, bad = read(data, wanted)
    assert isinstance(good, Event)
    assert len(good.attributes) == 32
    assert isinstance(bad, Reject)
    assert bad.reason == "more than 32 attributes"


@pytest.mark.parametrize(
    "wanted",
    [
        mapping({"item": "zz"}),
        mapping({"id": ["a", "zz"]}),
        mapping({}, attributes={"pref": ["zz"]}),
        mapping({}, context={"columns": ["zz"]}),
        mapping_of({"columns": {"time": "zz"}}),
    ],
)
def test_a_mapped_column_that_is_not_there_is_said_at_once(wanted: Mapping) -> None:
    with TextFile("f", io.BytesIO(b"t,a\n")) as text, pytest.raises(InputError) as caught:
        read_events(text, wanted, owner_zone=NEW_YORK, now=NOW)
    assert caught.value.message == "there is no column 'zz'; there are: t, a"


def test_the_header_can_be_looked_at_first() -> None:
    with TextFile("f", io.BytesIO(b"date,title,tags\n2017-01-01,x,Folk\n")) as text:
        rows = CsvRows(text)
        guessed = guess_mapping(rows.header)
        assert guessed is not None
        (event,) = events(list(read_events(rows, guessed, owner_zone=NEW_YORK, now=NOW)))
    assert (event.item, event.attributes) == ("x", ("pref:folk",))


cells = st.one_of(
    st.sampled_from(["2017-01-01", "2017-01-01T10:00Z", "1", "-2", "buy", "a", "", '"', "1e400", "set"]),
    st.text(max_size=12),
)


@settings(max_examples=300)
@given(table=st.lists(st.lists(cells, max_size=7), max_size=12), noise=st.binary(max_size=20))
def test_every_row_is_a_good_event_or_a_reject(table: list[list[str]], noise: bytes) -> None:
    wanted = mapping(
        {"item": "i", "kind": "k", "quantity": "q", "value": "v"},
        attributes={"pref": ["p"]},
        context={"time_of_day": True, "weekend": True},
    )
    body = "\n".join(",".join(row) for row in table).encode("utf-8", "surrogatepass") + noise
    data = b"t,i,k,q,v,p\n" + body
    found = read(data, wanted)
    for event in (one for one in found if isinstance(one, Event)):
        assert 0 <= event.at <= NOW + 86_400_000_000
        assert all(is_attribute(name) for name in event.attributes)
        assert len(set(event.attributes)) == len(event.attributes)
        assert event.item is None or 0 < len(event.item) <= 200
    assert found == read(data, wanted)
    with TextFile("f", io.BytesIO(data)) as text:
        assert len(found) == len(list(CsvRows(text)))


@settings(max_examples=60)
@given(order=st.permutations(["t", "i", "k", "q"]), rows=st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from("abc"), st.sampled_from(["buy", "return"]), st.integers(-3, 3)), max_size=9))  # fmt: skip # noqa: E501
def test_ids_do_not_depend_on_the_files_layout(order: list[str], rows: list[tuple[int, str, str, int]]) -> None:
    wanted = mapping({"item": "i", "kind": "k", "quantity": "q"}, time={"format": "epoch"})

    def ids(columns: list[str], delimiter: str) -> list[str]:
        lines = [delimiter.join(columns)]
        lines += [delimiter.join(str(row["tikq".index(column)]) for column in columns) for row in rows]
        return [e.id for e in events(read("\r\n".join(lines), wanted))]

    plain = ids(["t", "i", "k", "q"], ",")
    assert ids(order, ";") == plain
    assert len(set(plain)) == len(set(rows))
