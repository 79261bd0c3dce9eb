"""Decayed counter: Σ 2^(-age/h) over the user's own entries, in days."""

from __future__ import annotations

from evals.data.histories import Histories
from evals.methods.method import Method, Scorer, Setting
from evals.methods.weighted import rows


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: the half-life, and how much of a purchase a return takes off."""
    half_life, returns = setting
    return rows(histories.matrix(2.0 ** (-histories.age / half_life), returns))


GRID = [(days, returns) for returns in (0.0, 1.0) for days in (7.0, 14.0, 30.0, 60.0, 90.0, 120.0, 180.0, 365.0, 730.0)]
METHOD = Method("decayed counter", ("half-life", "returns"), GRID, fit)
