"""Surfaces as rows: their names, their item tables, the numbers of their attributes, and their removal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import ExistsError, InputError, NotFoundError
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE, PAPER
from fernvault.surface import Surface
from fernvault.vault import schema, surfaces
from fernvault.vault.surfaces import SurfaceRow
from tests.strategies import START
from tests.vaults import SOURCE, buy, stored, table


@pytest.fixture
def plain() -> Iterator[sqlcipher.Connection]:
    """The tables in memory, without a key."""
    connection = sqlcipher.connect(":memory:", isolation_level=None)
    connection.execute("PRAGMA foreign_keys=ON")
    schema.migrate(connection, found=0)
    yield connection
    connection.close()


@pytest.mark.parametrize("name", ["a", "7", "shop.example", "a-b_c.d", "x" * 64, "a..b", "0" + "-" * 62 + "0"])
def test_good_names(name: str) -> None:
    assert surfaces.require_name(name) == name


@pytest.mark.parametrize(
    "name",
    ["", "x" * 65, "A", "shop example", "-a", "a-", ".a", "a.", "_a", "a/b", "..", "a\n", "\n", "é", "a\x00", "a:b"],
)
def test_bad_names(name: str, plain: sqlcipher.Connection) -> None:
    with pytest.raises(InputError) as raised:
        surfaces.add(plain, name, rule=ADAPTIVE, catalog=None, now=1)
    assert raised.value.message.isprintable()
    assert surfaces.every(plain) == []


def test_surfaces_come_back_by_name(plain: sqlcipher.Connection) -> None:
    b = surfaces.add(plain, "b", rule=PAPER, catalog='{"rules":{}}', now=7)
    a = surfaces.add(plain, "a", rule=ADAPTIVE, catalog=None, now=START)
    assert surfaces.every(plain) == [a, b]
    assert surfaces.get(plain, "b") == b == SurfaceRow(b.id, "b", 7, PAPER, '{"rules":{}}')
    with pytest.raises(ExistsError, match="a already"):
        surfaces.add(plain, "a", rule=PAPER, catalog=None, now=1)
    with pytest.raises(NotFoundError):
        surfaces.get(plain, "c")
    assert surfaces.every(plain) == [a, b]


def test_an_item_table_replaces_the_one_before_and_keeps_to_its_surface(plain: sqlcipher.Connection) -> None:
    one = surfaces.add(plain, "one", rule=ADAPTIVE, catalog=None, now=1).id
    two = surfaces.add(plain, "two", rule=ADAPTIVE, catalog=None, now=1).id
    rows = [("Oat", ["pref:oat"]), ("Tea 🍵 'x'", ["pref:tea", "pref:hot"]), ("Oat", ["pref:milk"]), ("nothing", [])]
    assert surfaces.replace_catalog(plain, one, rows) == 3
    assert surfaces.replace_catalog(plain, two, [("Oat", ("pref:other",))]) == 1
    found = surfaces.item_attributes(plain, one, ["Oat", "Tea 🍵 'x'", "nothing", "unknown", "oat", "%"])
    assert found == {"Oat": ("pref:milk",), "Tea 🍵 'x'": ("pref:tea", "pref:hot"), "nothing": ()}
    assert surfaces.replace_catalog(plain, one, []) == 0
    assert surfaces.item_attributes(plain, one, ["Oat"]) == {}
    assert surfaces.item_count(plain, two) == 1


def test_attributes_have_numbers_of_their_surface(plain: sqlcipher.Connection) -> None:
    one = surfaces.add(plain, "one", rule=ADAPTIVE, catalog=None, now=1).id
    two = surfaces.add(plain, "two", rule=ADAPTIVE, catalog=None, now=1).id
    first = surfaces.add_attributes(plain, one, ["pref:a", "!pref:a"])
    second = surfaces.add_attributes(plain, two, ["pref:a"])
    assert len({*first.values(), *second.values()}) == 3
    assert surfaces.attribute_ids(plain, one, ["pref:a", "!pref:a", "pref:b"]) == first
    assert dict(surfaces.slugs(plain, two)) == {second["pref:a"]: "pref:a"}
    assert (surfaces.attribute_count(plain, one), surfaces.attribute_count(plain, two)) == (2, 1)


def test_a_bad_item_table_leaves_no_surface(vault: Vault) -> None:
    def broken() -> Iterator[tuple[str, list[str]]]:
        yield "Oat", ["pref:oat"]
        raise InputError("line 2 cannot be read")

    with pytest.raises(InputError):
        vault.add_surface("shop.example", items=broken())
    assert vault.surfaces() == []
    vault.add_surface("shop.example", items=[("Oat", ["pref:oat"])])
    assert vault.item_count("shop.example") == 1


def test_removing_a_surface_leaves_the_others_as_they_were(vault: Vault, shop: Surface) -> None:
    travel = vault.add_surface("travel.example", rule=PAPER, items=[("Inn", ["pref:inn"])])
    for day in range(20):
        for surface, source in ((shop, SOURCE), (travel, "booking")):
            surface.record([buy(f"{day}", START + day * DAY, f"pref:n{day % 4}", "ctx:morning")], source=source)
        shop.record([buy(f"s{day}", START + day * DAY, "pref:both")], source="both")
        travel.record([buy(f"t{day}", START + day * DAY, "pref:both")], source="both")
    shop.correct("forget", "pref:n1")
    travel.correct("set", "pref:n1", 7.0)
    vault.undo(surface="travel.example")
    names = ("event", "edge", "attribute", "catalog_item")
    number = travel.row.id
    column = {"event": 1, "edge": 1, "attribute": 1, "catalog_item": 0}

    def of_travel() -> list[object]:
        return [[row for row in table(vault, name) if row[column[name]] == number] for name in names]

    before, edges, events = of_travel(), stored(vault, travel), vault.event_count("travel.example")
    entries = vault._connection.execute(
        "SELECT * FROM edge_event WHERE attribute_id IN (SELECT id FROM attribute WHERE surface_id = ?)"
        " ORDER BY 1, 2, 3",
        (number,),
    ).fetchall()
    assert vault.remove_surface("shop.example") == 20 + 20
    assert of_travel() == before == [table(vault, name) for name in names]
    assert stored(vault, travel) == edges
    assert vault.event_count() == events == vault.event_count("travel.example")
    assert vault._connection.execute("SELECT * FROM edge_event ORDER BY 1, 2, 3").fetchall() == entries
    assert {row[1] for row in table(vault, "source")} == {"booking", "both", "owner"}
    assert [surface.name for surface in vault.surfaces()] == ["travel.example"]
    with pytest.raises(NotFoundError):
        vault.surface("shop.example")
    with pytest.raises(NotFoundError):
        vault.remove_surface("shop.example")
    assert vault.doctor() == []
    # The name is free again, and starts with nothing.
    again = vault.add_surface("shop.example")
    assert again.views() == []
    assert again.record([buy("0", START, "pref:n0")], source=SOURCE)[0].new
    assert vault.doctor() == []
