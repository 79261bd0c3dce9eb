"""TIFU-KNN with real time gaps (Romanov et al. 2023, their TIFU-KNN-TA): the vector decays with days, not with baskets.

It stands for time-aware item weighting; the learnt weighting TAIW of the same paper is not built here. A user's vector
is Σ 2^(-age/h) over entries, over the number of baskets.
"""

from __future__ import annotations

from functools import lru_cache

from evals.data.histories import Histories
from evals.methods.method import Method, Scorer, Setting
from evals.methods.neighbours import Vectors


@lru_cache(maxsize=1)
def _vectors(histories: Histories, half_life: float) -> Vectors:
    return Vectors(histories.matrix(2.0 ** (-histories.age / half_life) / histories.baskets[histories.user]))


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: half-life in days, k, a."""
    half_life, count, alpha = setting
    vectors = _vectors(histories, half_life)
    return lambda users: vectors.blend(users, int(count), alpha)


GRID = [
    (h, k, a) for h in (15.0, 30.0, 60.0, 120.0, 365.0) for k in (100.0, 300.0, 900.0) for a in (0.2, 0.5, 0.7, 0.9)
]
METHOD = Method("TIFU-KNN, real time", ("half-life", "k", "a"), GRID, fit)
