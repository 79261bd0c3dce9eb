"""The presets against the numbers of DESIGN section 4 and of mechanisms 1.2."""

from __future__ import annotations

from math import exp, log

import pytest

from fernvault.errors import InputError
from fernvault.instant import MINUTE
from fernvault.rule import ADAPTIVE, PAPER, PRESETS, preset


def test_the_default_has_the_designs_numbers() -> None:
    assert (ADAPTIVE.alpha, ADAPTIVE.half_lives, ADAPTIVE.weights) == (0.6, (7.0, 45.0, 365.0), (0.5, 1.0, 1.0))
    assert (ADAPTIVE.gamma, ADAPTIVE.known) == (0.4, 0.7)
    assert ADAPTIVE.hits_half_life == max(ADAPTIVE.half_lives)  # hits fade with the slow half-life
    assert ADAPTIVE.occasion == 30 * MINUTE
    assert not ADAPTIVE.quantity


def test_the_paper_has_the_published_numbers() -> None:
    assert (PAPER.alpha, PAPER.gamma, PAPER.known, PAPER.floor) == (1.5, 0.6, 0.6, 1.0)
    assert PAPER.weights == (1.0,)
    assert log(2) / PAPER.half_lives[0] == pytest.approx(0.02, rel=1e-15)  # lambda, a day
    assert PAPER.half_lives[0] == pytest.approx(34.7, abs=0.05)
    assert (PAPER.occasion, PAPER.hits_half_life) == (0, None)
    assert PAPER.quantity


@pytest.mark.parametrize("rule", PRESETS.values())
def test_a_preset_is_a_rule_that_can_run(rule: object) -> None:
    assert rule in (ADAPTIVE, PAPER)
    for each in (ADAPTIVE, PAPER):
        assert len(each.half_lives) == len(each.weights)
        assert list(each.half_lives) == sorted(each.half_lives)  # fastest first
        assert min(each.weights) > 0
        assert 0 < each.floor < each.alpha  # one full event is not gone at once
        # The owner's own word is known by itself.
        assert 1 - exp(-each.gamma * each.owner_hits) >= each.known


def test_the_smallest_magnitude_a_surface_may_send_lives_a_while() -> None:
    assert ADAPTIVE.alpha * 0.05 > ADAPTIVE.floor


def test_preset_by_name() -> None:
    assert preset("adaptive") is ADAPTIVE
    assert preset("paper") is PAPER
    with pytest.raises(InputError, match="no preset 'Paper'") as raised:
        preset("Paper")
    assert "adaptive" in raised.value.next_step
    assert "paper" in raised.value.next_step
