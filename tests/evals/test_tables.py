"""The tables: the same seed gives the same bytes, a missing folder is one line, the loaders read what is there."""

from __future__ import annotations

import gzip
import lzma
import random
import sys
from pathlib import Path

import pytest

from evals import __main__ as command
from evals import baskets, coldstart
from evals.data import complete_journey, groceries, movielens, online_retail, tafeng
from fernvault.instant import DAY


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Small made-up files in the shape of Groceries and Ta-Feng."""
    generator = random.Random(1)
    (tmp_path / "groceries").mkdir()
    with gzip.open(tmp_path / "groceries" / "events.csv.gz", "wt") as file:
        file.write("user,ts,item\n")
        for user in range(30):
            for day in range(1, 6):
                for item in set(generator.choices("abcdefghijklmnopqrstuvwxyz", k=3)):
                    file.write(f"{user},2014-01-{day:02},{item}\n")
    (tmp_path / "tafeng").mkdir()
    with gzip.open(tmp_path / "tafeng" / "baskets.csv.gz", "wt") as file:
        file.write("user,basket,item\n1,0,5\n1,0,6\n1,1,5\n1,2,7\n")
    return tmp_path


def test_the_same_seed_gives_the_same_bytes(data: Path) -> None:
    first, second = (next(baskets.run(3, data, "groceries")).json() for _ in range(2))
    assert first == second
    assert first != next(baskets.run(4, data, "groceries")).json()


def test_the_halves_share_nobody() -> None:
    tuning, reported = baskets.halves(11, 1)
    assert sorted([*tuning, *reported]) == list(range(11))
    assert len(tuning) == 5


def test_a_missing_folder_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["evals", "baskets", "tafeng", "--data", str(tmp_path)])
    assert command.main() == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert (
        printed.err == f"no data at {tmp_path / 'tafeng'}: give the folder that holds the data sets with --data DIR\n"
    )


def test_tafeng_counts_a_step_as_a_week(data: Path) -> None:
    histories = tafeng.load(data / "tafeng")
    assert histories.age.tolist() == [14.0, 14.0, 7.0]
    assert histories.truth[0].tolist() == [2]


def test_a_day_of_a_member_is_a_basket(data: Path) -> None:
    histories = groceries.load(data / "groceries")
    assert histories.shape[0] == 30
    assert histories.baskets.tolist() == [4] * 30


def test_complete_journey(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "items.csv.gz", "wt") as file:
        file.write("item,product_category,product_type\n1,MILK,WHOLE\n2,MILK,SKIM\n3,,\n")
    with lzma.open(tmp_path / "events.csv.xz", "wt") as file:
        file.write(
            "user,ts,basket,item\n7,2017-01-02T10:00:00,b,2\n7,2017-01-01T10:00:00,a,1\n7,2017-01-01T10:00:00,a,2\n"
        )
        file.write("7,2017-01-01T10:00:00,a,3\n")
    first, second = complete_journey.baskets(tmp_path, "product_type")["7"]
    assert first.items == ["WHOLE", "SKIM"]
    assert second.at - first.at == DAY
    assert complete_journey.baskets(tmp_path, "product_category")["7"][0].items == ["MILK", "MILK"]


def test_online_retail_marks_returns(tmp_path: Path) -> None:
    with lzma.open(tmp_path / "events.csv.xz", "wt") as file:
        file.write("user,ts,invoice,kind,item\n")
        for day in range(1, 7):
            file.write(f"9,2011-01-{day:02}T10:00,{day},buy,22\n")
        file.write("9,2011-01-02T11:00,C1,return,22\n")
    histories = online_retail.load(tmp_path)
    assert histories.sign.tolist() == [1, 1, -1, 1, 1, 1]


def test_movielens_keeps_liked_films_with_genres(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "items.csv.gz", "wt") as file:
        file.write("item,title,genres\n1,A,Drama|War\n2,B,(no genres listed)\n")
    with gzip.open(tmp_path / "events.csv.gz", "wt") as file:
        file.write("user,ts,item,rating\n5,2015-01-01T00:00:00Z,1,4.0\n5,2015-01-02T00:00:00Z,1,3.5\n")
        file.write("5,2015-01-03T00:00:00Z,2,5.0\n")
    (only,) = movielens.load(tmp_path)["5"]
    assert only.items == ["Drama", "War"]


def test_the_simulated_world_repeats_and_newcomers_are_read_after_their_events() -> None:
    one, other = coldstart.simulated(0.6, 5), coldstart.simulated(0.6, 5)
    assert one == other
    assert len(one.training) == coldstart.TRAINING
    found = coldstart.precision(one, 0)
    # Before any event there is nothing of one's own: everyone gets the same five.
    assert found["fernvault"].tolist() == found["fernvault, own + 1.0 mean"].tolist()
