"""The importer on real files: the demo, and the data sets beside the repository where they are."""

import csv
from collections import Counter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from fernvault.catalog.guess import guess_mapping
from fernvault.catalog.items import read_items
from fernvault.catalog.mapping import Mapping, load_mapping, mapping_of
from fernvault.event import Event
from fernvault.instant import from_text, to_text
from fernvault.portable.csv_import import read_events
from fernvault.portable.csv_rows import CsvRows
from fernvault.portable.rejects import Reject
from fernvault.portable.text_file import open_text

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "cli" / "fernvault_cli" / "demo"
DATA = ROOT.parent / "shared" / "data"
NOW = from_text("2026-12-01T00:00Z")
UTC = ZoneInfo("UTC")

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the real data sets are not beside the repository")


def read(path: Path, wanted: Mapping) -> list[Event | Reject]:
    with open_text(path, encoding=wanted.file.encoding) as text:
        return list(read_events(text, wanted, owner_zone=UTC, now=NOW))


def split(found: list[Event | Reject]) -> tuple[list[Event], Counter[str]]:
    events = [one for one in found if isinstance(one, Event)]
    return events, Counter(one.reason for one in found if isinstance(one, Reject))


def test_the_demo_household() -> None:
    events, rejects = split(read(DEMO / "household.csv", load_mapping(DEMO / "mapping.toml")))
    assert (len(events), rejects) == (800, Counter())
    assert len({event.id for event in events}) == 800
    assert all({"pref", "ctx"} == {name.partition(":")[0] for name in e.attributes} for e in events)
    assert events[0].attributes[-2:] == ("ctx:afternoon", "ctx:weekday")
    months: dict[str, set[int]] = {"pref:cottage-cheese": set(), "pref:soy-rice-milk": set()}
    for event in events:
        for name in months.keys() & set(event.attributes):
            months[name].add(int(to_text(event.at)[5:7]))
    assert max(months["pref:cottage-cheese"]) < min(months["pref:soy-rice-milk"])
    assert sum(path.stat().st_size for path in DEMO.iterdir()) < 120_000


def test_the_demo_items_are_the_ones_that_were_bought() -> None:
    table = read_items(load_mapping(DEMO / "mapping.toml"))
    with (DEMO / "household.csv").open(newline="") as text:
        assert {row["item"] for row in csv.DictReader(text)} == table.keys()


@needs_data
def test_online_retail_returns() -> None:
    wanted = mapping_of(
        {
            "columns": {"time": "ts", "item": "item", "kind": "kind", "quantity": "quantity", "value": "unit_price"},
            "time": {"zone": "Europe/London"},
            "attributes": {"pref": ["description"]},
            "items": {"file": str(DATA / "online_retail" / "items.csv.gz")},
        }
    )
    events, rejects = split(read(DATA / "online_retail" / "events.csv.xz", wanted))
    assert (len(events), rejects) == (290_495, Counter())
    with open_text(DATA / "online_retail" / "events.csv.xz") as text:
        kinds = Counter(row[3] for row in csv.reader(text.lines()))
    assert sum(event.magnitude < 0 for event in events) == kinds["return"]
    assert to_text(min(event.at for event in events)) == "2010-12-01T08:26:00Z"


@needs_data
@pytest.mark.slow
def test_complete_journey_as_a_whole() -> None:
    wanted = load_mapping(DEMO / "mapping.toml")
    assert wanted.items is not None
    items = wanted.items._replace(file=str(DATA / "complete_journey" / "items.csv.gz"))
    wanted = wanted._replace(items=items)
    rows = 0
    with open_text(DATA / "complete_journey" / "events.csv.xz") as text:
        for one in read_events(text, wanted, owner_zone=UTC, now=NOW):
            assert isinstance(one, Event)
            rows += 1
        assert text.position == text.size
    assert rows == 1_025_571


@needs_data
@pytest.mark.parametrize(
    ("name", "time", "good", "undated"),
    [
        ("amazon/OrderHistoryReport_2018.csv", {"format": "%m/%d/%y"}, 80, 0),
        ("amazon/prime_video_watch_history.csv", {"format": "epoch_ms"}, 7, 0),
        ("letterboxd/diary.csv", {}, 12, 0),
        ("letterboxd/watched.csv", {}, 11, 0),
        ("lastfm/ghan_scrobbles.csv", {"format": "epoch"}, 1, 0),
        ("imdb/list_export.csv", {}, 1, 4),
    ],
)
def test_vendor_files_with_a_guessed_mapping(name: str, time: dict[str, Any], good: int, undated: int) -> None:
    """Guessed columns, the stated time format: every line is an event or a reject."""
    path = DATA / "vendor_exports" / name
    if not path.exists():
        pytest.skip(f"{name} is not among the vendor files here")
    with open_text(path) as text:
        rows = CsvRows(text)
        guessed = guess_mapping(rows.header)
        assert guessed is not None, rows.header
        wanted = guessed._replace(time=mapping_of({"columns": {"time": "t"}, "time": time}).time)
        found = list(read_events(rows, wanted, owner_zone=UTC, now=NOW))
    events, reasons = split(found)
    assert len(events) == good
    assert reasons == Counter({"no time": undated} if undated else {})
