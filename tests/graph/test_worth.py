"""What the prior is worth: by hand, and by simulation where the right answer is known."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.edge import EdgeEvent
from fernvault.event import Act
from fernvault.graph.unrolling import contributions
from fernvault.graph.worth import LEAST_TASTE, MARGIN, chance, learnt_kappa, spread
from fernvault.rule import ADAPTIVE
from tests.strategies import START


def test_by_hand() -> None:
    # Two fresh events: the second adds 0.6, the first 0.6·(1 - 0.6/9) = 0.56 of it is left.
    entries = [EdgeEvent(START, 1, Act.LEARN, 1.0), EdgeEvent(START, 2, Act.LEARN, 1.0)]
    added = contributions(entries, START, ADAPTIVE)
    assert chance(added, 0.0) == pytest.approx(0.56**2 + 0.6**2, rel=1e-12)
    assert chance(added, 0.25) == pytest.approx(0.75 * (0.56**2 + 0.6**2), rel=1e-12)
    assert chance(added, 1.0) == 0.0
    # Four users with strengths 2, 2, 0, 0: mean 1, so Σ (w - 1)² = 4.
    assert spread(4.0, 8.0, 4) == pytest.approx(4.0)
    # A quarter of the spread is chance: κ = 1.5 · 0.25/0.75.
    assert learnt_kappa(1.0, 4.0) == pytest.approx(MARGIN / 3.0)


def test_the_ends() -> None:
    most = MARGIN * (1.0 - LEAST_TASTE) / LEAST_TASTE
    assert learnt_kappa(4.0, 4.0) == pytest.approx(most)
    assert learnt_kappa(9.0, 4.0) == pytest.approx(most)
    assert learnt_kappa(0.0, 4.0) == 0.0
    assert learnt_kappa(0.0, 0.0) == 0.0
    # Everyone alike: the spread is 0, and the prior says all there is to say.
    assert learnt_kappa(1.0, 0.0) == pytest.approx(most)
    assert spread(0.0, 0.0, 0) == 0.0


@given(st.floats(0.0, 100.0), st.floats(0.0, 100.0), st.floats(0.01, 100.0))
def test_more_chance_never_makes_the_prior_worth_less(one: float, other: float, spread_out: float) -> None:
    low, high = sorted((one, other))
    assert learnt_kappa(low, spread_out) <= learnt_kappa(high, spread_out)


def test_it_finds_the_ratio_of_a_gamma_poisson_world() -> None:
    # Counts with rates of Gamma(shape 2, scale 0.5): mean 1, variance of taste 0.5 and of chance 1, so the ratio is 2.
    generator = random.Random(3)
    counts = [_poisson(generator.gammavariate(2.0, 0.5), generator) for _ in range(20_000)]
    squares = float(sum(count * count for count in counts))
    by_chance = sum(chance([1.0] * count, 0.0) for count in counts)
    assert learnt_kappa(by_chance, spread(float(sum(counts)), squares, len(counts))) == pytest.approx(
        MARGIN * 2.0, rel=0.1
    )


def _poisson(rate: float, generator: random.Random) -> int:
    count, elapsed = -1, 0.0
    while elapsed < rate:
        elapsed += generator.expovariate(1.0)
        count += 1
    return count
