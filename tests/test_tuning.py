"""Tuning a surface: shown first, applied on the owner's word, taken back by undo, and always true to the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from fernvault.errors import InputError
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.rule import ADAPTIVE
from fernvault.surface import Surface
from fernvault_sync.operations import perform
from tests.strategies import START
from tests.vaults import PASSPHRASE, SOURCE, Clock, buy

NAME = "shop.example"


def live(shop: Surface) -> None:
    """Eight new favourites every ten days, so that a card of eight only follows with short half-lives."""
    for day in range(120):
        names = [f"pref:i{day // 10}-{n}" for n in range(8)]
        shop.record([buy(f"d{day}", START + day * DAY, *names)], source=SOURCE)


def test_found_applied_and_taken_back(vault: Vault, shop: Surface, clock: Clock) -> None:
    live(shop)
    clock.now = START + 120 * DAY
    before = shop.views()
    found = perform(vault, "tune.find", {"surface": NAME})
    assert found["changes"]["half_lives"] == (2.0, 14.0, 60.0)
    assert found["now"]["half_lives"] == (7.0, 45.0, 365.0)
    assert found["after"] > found["before"]
    assert shop.views() == before
    assert shop.row.rule == ADAPTIVE

    perform(vault, "tune.apply", {"surface": NAME, "changes": {"half_lives": [2.0, 14.0, 60.0]}})
    assert shop.row.rule == ADAPTIVE._replace(half_lives=(2.0, 14.0, 60.0))
    # The last favourite by hand: ten daily events of 0.6 under each half-life, a day before the reading.
    traces = []
    for half_life in (2.0, 14.0, 60.0):
        trace = 0.0
        for _ in range(10):
            trace = trace * 2 ** (-1 / half_life)
            trace += 0.6 * (1 - trace / 9)
        traces.append(trace * 2 ** (-1 / half_life))
    strengths = {view.attribute: view.strength for view in shop.views()}
    assert strengths["pref:i11-0"] == pytest.approx((0.5 * traces[0] + traces[1] + traces[2]) / 2.5)
    assert vault.doctor() == []

    assert vault.undo().what == "tune"
    assert shop.row.rule == ADAPTIVE
    assert shop.views() == before
    assert vault.doctor() == []
    vault.redo()
    assert shop.row.rule.half_lives == (2.0, 14.0, 60.0)
    assert vault.doctor() == []


def test_it_survives_closing_and_a_second_one_adds_to_it(folder: Path, clock: Clock) -> None:
    with Vault.open(folder, PASSPHRASE, clock=clock) as vault:
        shop = vault.add_surface(NAME)
        shop.record([buy("1", START, "pref:oat")], source=SOURCE)
        shop.tune({"alpha": 1.2})
        shop.tune({"shrinkage": 3.0})
    with Vault.open(folder, PASSPHRASE, clock=clock) as again:
        shop = again.surface(NAME)
        assert (shop.row.rule.alpha, shop.row.rule.shrinkage) == (1.2, 3.0)
        assert shop.views()[0].strength == pytest.approx(1.2)
        again.undo()
        assert (shop.row.rule.alpha, shop.row.rule.shrinkage) == (1.2, 0.5)
        again.undo()
        assert shop.row.rule == ADAPTIVE
        assert shop.views()[0].strength == pytest.approx(0.6)


@pytest.mark.parametrize(
    "changes",
    [{"alpha": 0.0}, {"alpha": 10.0}, {"half_lives": [7.0, 45.0]}, {"half_lives": [45.0, 7.0, 365.0]},
     {"half_lives": [0.0, 1.0, 2.0]}, {"prior_events": -1.0}, {"shrinkage": 0.0}, {"floor": 1.0}, {"alpha": "x"}],
)  # fmt: skip
def test_what_makes_no_rule_is_refused_and_changes_nothing(vault: Vault, shop: Surface, changes: object) -> None:
    with pytest.raises(InputError) as raised:
        perform(vault, "tune.apply", {"surface": NAME, "changes": changes})
    assert "\n" not in raised.value.message
    assert shop.row.rule == ADAPTIVE
    assert list(shop.journal()) == []


def test_too_little_history_says_so(vault: Vault, shop: Surface) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    found = perform(vault, "tune.find", {"surface": NAME})
    assert (found["days"], found["changes"], found["before"]) == (0, {}, None)


def test_a_surface_cannot_report_a_tuning(vault: Vault, shop: Surface) -> None:
    event = {"id": "1", "at": START, "kind": "tune", "item": '{"alpha": 9}', "attributes": []}
    (answer,) = perform(vault, "record", {"surface": NAME, "events": [event], "source": "x"})
    assert answer["status"] == "refused"


def test_the_doctor_sees_parameters_that_nobody_chose(vault: Vault, shop: Surface) -> None:
    shop.record([buy("1", START, "pref:oat")], source=SOURCE)
    shop.tune({"alpha": 1.2})
    before = shop.views()
    vault._connection.execute("UPDATE surface SET tuning = '{\"alpha\": 3.0}'")
    assert "tuning" in {finding.kind for finding in vault.doctor()}
    vault.rebuild()
    assert vault.doctor() == []
    assert shop.row.rule.alpha == 1.2
    assert shop.views() == before
