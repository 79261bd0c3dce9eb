"""How much one event counts under the published rule and under the default."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fernvault.graph.learning import learn
from fernvault.graph.magnitude import amount
from fernvault.rule import ADAPTIVE, PAPER
from tests.strategies import START, checked


@pytest.mark.parametrize(
    ("quantity", "published"),
    # min(1, 0.5 + q/(q+2)): q=1 is 0.5 + 1/3, q=0.5 is 0.5 + 0.2, q=2 is 0.5 + 0.5; mechanisms 1.2
    [(1, 5 / 6), (2, 1.0), (3, 1.0), (100, 1.0), (0.5, 0.7), (0, 0.5), (None, 5 / 6), (-1, 5 / 6)],
)
def test_the_published_magnitude(quantity: float | None, published: float) -> None:
    assert amount(1.0, quantity, PAPER) == pytest.approx(published, rel=1e-15)


def test_the_published_figure() -> None:
    assert amount(1.0, 1, PAPER) == pytest.approx(0.833, abs=0.0005)


@checked
@given(st.floats(0.0, 1e9), st.floats(0.05, 15.0), st.booleans())
def test_under_the_published_rule_only_quantity_sets_the_size(quantity: float, size: float, negative: bool) -> None:
    exact = min(Fraction(1), Fraction(1, 2) + Fraction(quantity) / (Fraction(quantity) + 2))
    found = amount(-size if negative else size, quantity, PAPER)
    assert found == pytest.approx(float(exact), rel=1e-15)


@checked
@given(st.floats(0.05, 15.0), st.none() | st.floats(-1e9, 1e9), st.booleans())
def test_the_default_takes_the_size_and_ignores_quantity(size: float, quantity: float | None, negative: bool) -> None:
    assert amount(-size if negative else size, quantity, ADAPTIVE) == size


@checked
@given(st.floats(0.01, 9.0), st.floats(0.05, 1e9))
@example(4.41500686252386, 15.0)  # 9/alpha·alpha comes out above 9 in floating point
def test_an_edge_can_always_learn_from_it(alpha: float, size: float) -> None:
    rule = ADAPTIVE._replace(alpha=alpha)
    found = amount(size, None, rule)
    assert 0.0 < found <= size
    assert alpha * found <= 9.0
    if alpha * size > 9.0:
        assert alpha * found == pytest.approx(9.0, rel=1e-15)
    assert learn(None, START, found, rule).traces[0] <= 9.0
