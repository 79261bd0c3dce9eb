"""TIFU-KNN (Hu et al. 2020): baskets decayed in groups, blended with the k nearest users' vectors.

As in the authors' code, m is the NUMBER of groups, and r_b counts baskets back over the whole sequence, not within the
group: an entry weighs r_b^lag · r_g^(groups after its own) / (baskets in its group · groups). With fewer baskets than m
each is a group. Where the groups cannot be of equal size the later ones hold one basket more.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from evals.data.histories import Floats, Histories
from evals.methods.method import Method, Scorer, Setting
from evals.methods.neighbours import Vectors


def weights(histories: Histories, within: float, across: float, groups: int) -> Floats:
    """One weight per entry."""
    baskets = histories.baskets[histories.user]
    number = np.minimum(groups, baskets)
    size = baskets // number
    plain = number - baskets % number
    edge = plain * size
    late = histories.basket >= edge
    group = np.where(late, plain + (histories.basket - edge) // (size + 1), histories.basket // size)
    found: Floats = within**histories.lag * across ** (number - 1.0 - group) / ((size + late) * number)
    return found


@lru_cache(maxsize=1)
def _vectors(histories: Histories, within: float, across: float, groups: float) -> Vectors:
    return Vectors(histories.matrix(weights(histories, within, across, int(groups))))


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: r_b, r_g, m, k, a."""
    within, across, groups, count, alpha = setting
    vectors = _vectors(histories, within, across, groups)
    return lambda users: vectors.blend(users, int(count), alpha)


SHAPES = [(0.9, 0.7, 7), (0.9, 0.6, 3), (0.9, 0.7, 3), (1.0, 0.6, 7), (1.0, 0.8, 7), (1.0, 1.0, 10), (0.95, 0.9, 10)]
"""(r_b, r_g, m): the four sets of the authors and of the Reality Check, then slower ones."""
GRID = [(*shape, k, a) for shape in SHAPES for k in (100.0, 300.0, 900.0) for a in (0.2, 0.5, 0.7, 0.9)]
METHOD = Method("TIFU-KNN", ("r_b", "r_g", "m", "k", "a"), GRID, fit)
