"""Schemas: old vaults open and show what they always did; newer ones and failed migrations change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import exp
from pathlib import Path
from typing import Any

import pytest
from sqlcipher3 import dbapi2 as sqlcipher

from fernvault.errors import VaultTooNewError
from fernvault.instant import from_text
from fernvault.memory import Vault
from fernvault.vault import opening, schema, slots
from fernvault.vault.layout import VaultFolder
from fernvault_sync.operations import perform
from tests.vaults import PASSPHRASE, Clock, buy, copy, stored, table

DATA = Path(__file__).parents[1] / "data"
V1: dict[str, Any] = json.loads((DATA / "vault-v1.json").read_text(encoding="utf-8"))
READ = from_text(V1["at"])
SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"


@pytest.fixture
def v1(tmp_path: Path) -> Iterator[Vault]:
    """A copy of the vault that schema 1's fernvault wrote, open at the instant its values were noted."""
    with Vault.open(copy(DATA / "vault-v1", tmp_path / "v1"), PASSPHRASE, clock=Clock(READ)) as vault:
        yield vault


def close_to(expected: Any) -> Any:
    """The same document with numbers compared to 1e-9: other machines have other exponential functions."""
    if isinstance(expected, dict):
        return {key: close_to(value) for key, value in expected.items()}
    if isinstance(expected, list):
        return [close_to(value) for value in expected]
    return pytest.approx(expected, rel=1e-9, abs=1e-9) if isinstance(expected, float) else expected


def cut(found: Any, expected: Any) -> Any:
    """What was found, without the keys that came later."""
    if isinstance(expected, dict):
        return {key: cut(found[key], value) for key, value in expected.items()}
    if isinstance(expected, list) and len(found) == len(expected):
        return [cut(one, other) for one, other in zip(found, expected, strict=True)]
    return found


# The one thing that reads otherwise than then: oat milk, bought every week, is now said to be due.
@pytest.mark.parametrize("surface", list(V1["surfaces"]))
def test_an_old_vault_shows_what_it_always_did(v1: Vault, surface: str) -> None:
    expected = V1["surfaces"][surface]
    assert cut(perform(v1, "card", {"surface": surface}), expected["card"]) == close_to(expected["card"])
    assert cut(perform(v1, "ls", {"surface": surface}), expected["ls"]) == close_to(expected["ls"])
    for why in expected["why"]:
        found = perform(v1, "why", {"surface": surface, "attribute": why["attribute"]})
        assert cut(found, why) == close_to(why)


V2: dict[str, Any] = json.loads((DATA / "vault-v2.json").read_text(encoding="utf-8"))


@pytest.fixture
def v2(tmp_path: Path) -> Iterator[Vault]:
    """A copy of the vault that schema 2's fernvault wrote, open at the instant its values were noted."""
    opened = Vault.open(copy(DATA / "vault-v2", tmp_path / "v2"), PASSPHRASE, clock=Clock(from_text(V2["at"])))
    with opened as vault:
        yield vault


@pytest.mark.parametrize("surface", list(V2["cards"]))
def test_a_vault_of_schema_2_shows_what_it_always_did(v2: Vault, surface: str) -> None:
    for noted in V2["cards"][surface]:
        card = perform(v2, "card", {"surface": surface, **noted["asked"]})
        assert cut(card["entries"], noted["entries"]) == close_to(noted["entries"])


def test_what_schema_2_added_is_right_by_hand(v2: Vault) -> None:
    (plain, _, organic) = (noted["entries"] for noted in V2["cards"]["shop.example"])
    by_name = {entry["attribute"]: entry for entry in plain}
    # Two events' worth, 2 * 0.6, at the most popular mean of 2: 0.6 of each mean.
    assert by_name["pref:rye-bread"]["standing"] == pytest.approx(1.2)
    oat = by_name["pref:oat-milk"]
    assert oat["standing"] - oat["strength"] == pytest.approx(0.6 * 0.5)
    # fact:vegan came with pref:organic once, so that context lifts it over what stands higher without.
    order = [entry["attribute"] for entry in organic]
    assert order.index("fact:vegan") < order.index("!pref:plastic")
    assert by_name["fact:vegan"]["standing"] < by_name["!pref:plastic"]["standing"]
    # The published rule with a rate of 3 in place of 1.5: the two bookings of window-seat as above, gains of 2.5.
    seat = {entry["attribute"]: entry for entry in V2["cards"]["travel.example"][0]["entries"]}["pref:window-seat"]
    once = 2.5 * exp(-0.2)
    assert seat["strength"] == pytest.approx((once + 2.5 * (1 - once / 9)) * exp(-0.2))
    v2.rebuild()
    assert v2.doctor() == []


def of(surface: str, attribute: str) -> dict[str, Any]:
    """The noted `why` of an edge."""
    (found,) = [why for why in V1["surfaces"][surface]["why"] if why["attribute"] == attribute]
    assert isinstance(found, dict)
    return found


def test_the_noted_values_are_right_by_hand() -> None:
    # pref:tea under the default rule: bought once, 45 days before, so 0.6 in each trace, faded for 45 days:
    #   fast   0.6 * 2^(-45/7)   = 0.6 * 0.0116092 = 0.0069655
    #   medium 0.6 * 2^(-45/45)  = 0.6 * 0.5       = 0.3000000
    #   slow   0.6 * 2^(-45/365) = 0.6 * 0.9180935 = 0.5508561
    # weighted (0.5 * 0.0069655 + 0.3 + 0.5508561) / 2.5 = 0.8543388 / 2.5 = 0.3417355
    tea = of("shop.example", "pref:tea")
    assert tea["strength"] == pytest.approx(0.3417355, abs=1e-7)
    assert [event["adds"] for event in tea["events"]] == pytest.approx([0.3417355], abs=1e-7)
    # pref:window-seat under the published rule: two bookings of one, 20 and 10 days before. Magnitude 0.5 + 1/3,
    # gain 1.5 * 5/6 = 1.25, fading e^(-0.02 * days) = 0.8187308 over ten days.
    #   after the first 1.25; ten days later 1.25 * 0.8187308 = 1.0234135
    #   after the second 1.0234135 + 1.25 * (1 - 1.0234135/9) = 1.0234135 + 1.1078592 = 2.1312728
    #   read ten days later 2.1312728 * 0.8187308 = 1.7449385
    # The second adds 1.25 * 0.8187308 = 1.0234135, the first 1.25 * 0.8187308^2 * (1 - 1.25/9) = 0.7215250.
    seat = of("travel.example", "pref:window-seat")
    assert seat["strength"] == pytest.approx(1.7449385, abs=1e-7)
    assert [event["adds"] for event in seat["events"]] == pytest.approx([0.7215250, 1.0234135], abs=1e-7)
    assert 1.25 * exp(-0.2) == pytest.approx(1.0234135, abs=1e-7)
    # fact:gluten-free was set to 7.5 at the very instant of reading: 7.5, the owner's word counting 8 occasions.
    gluten_free = of("shop.example", "fact:gluten-free")
    assert (gluten_free["strength"], gluten_free["owner"], gluten_free["events"]) == (7.5, 7.5, [])
    # brand:meadow was forgotten; pref:tea as well, but that was taken back.
    shown = {edge["attribute"] for edge in V1["surfaces"]["shop.example"]["ls"]}
    assert "brand:meadow" not in shown
    assert "pref:tea" in shown


def test_an_old_vault_is_whole_and_goes_on(v1: Vault) -> None:
    assert v1.event_count() == 30
    assert v1.schema() == schema.VERSION
    v1.rebuild()  # so that the comparison to the bit holds on any machine
    assert v1.doctor() == []
    shop = v1.surface("shop.example")
    before = {row.id for row in shop.journal()}
    (answer,) = shop.record([buy("new", READ, item="oat 2l")], source="now")
    assert answer.attributes == ("pref:oat-milk", "ctx:night", "ctx:weekend")
    assert {row.id for row in shop.journal()} == before | {"new"}
    assert v1.doctor() == []
    assert v1.undo().what == "forget brand:meadow"
    assert "brand:meadow" in stored(v1, shop)


@pytest.fixture
def plain() -> Iterator[sqlcipher.Connection]:
    """An empty database in memory."""
    connection = sqlcipher.connect(":memory:", isolation_level=None)
    yield connection
    connection.close()


def test_migrating_from_nothing_and_from_an_old_vault_end_in_the_same_schema(
    v1: Vault, vault: Vault, plain: sqlcipher.Connection
) -> None:
    assert schema.migrate(plain, found=0) == schema.VERSION
    fresh = plain.execute(SCHEMA).fetchall()
    assert len(fresh) > 8
    assert v1._connection.execute(SCHEMA).fetchall() == fresh
    assert vault._connection.execute(SCHEMA).fetchall() == fresh
    assert ("schema", str(schema.VERSION)) in table(v1, "meta")


def test_migrating_again_writes_nothing(plain: sqlcipher.Connection) -> None:
    schema.migrate(plain, found=0)
    before = plain.total_changes
    assert schema.migrate(plain, found=schema.VERSION) == schema.VERSION
    assert plain.total_changes == before


@pytest.mark.parametrize("obstacle", ["edge_event", "meta", "event_correction"])
def test_a_failing_migration_leaves_what_was_there(plain: sqlcipher.Connection, obstacle: str) -> None:
    plain.execute(f"CREATE TABLE {obstacle} (mine TEXT)")
    plain.execute(f"INSERT INTO {obstacle} VALUES ('kept')")  # noqa: S608
    before = plain.execute(SCHEMA).fetchall()
    with pytest.raises(sqlcipher.OperationalError, match="already"):
        schema.migrate(plain, found=0)
    assert not plain.in_transaction
    assert plain.execute(SCHEMA).fetchall() == before
    assert plain.execute(f"SELECT mine FROM {obstacle}").fetchall() == [("kept",)]  # noqa: S608
    plain.execute(f"DROP TABLE {obstacle}")
    assert schema.migrate(plain, found=0) == schema.VERSION


def test_a_newer_schema_is_refused_and_keeps_every_byte(folder: Path, plain: sqlcipher.Connection) -> None:
    place = VaultFolder(folder)
    connection = opening.open_database(place, slots.unlock_with_passphrase(place, PASSPHRASE))
    connection.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (str(schema.VERSION + 1),))
    opening.close_database(connection)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    with pytest.raises(VaultTooNewError):
        Vault.open(folder, PASSPHRASE)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    with pytest.raises(VaultTooNewError):
        schema.migrate(plain, found=schema.VERSION + 1)
    assert plain.execute(SCHEMA).fetchall() == []


def test_every_table_is_strict(plain: sqlcipher.Connection) -> None:
    schema.migrate(plain, found=0)
    kinds = {row[1]: row[5] for row in plain.execute("PRAGMA table_list") if not row[1].startswith("sqlite_")}
    assert kinds
    assert set(kinds.values()) == {1}
