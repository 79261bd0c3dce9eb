"""Own count with popularity ties (GP-TopFreq); with ``returns`` 1 a return takes one purchase off."""

from __future__ import annotations

import numpy as np

from evals.data.histories import Histories
from evals.methods.method import Method, Scorer, Setting
from evals.methods.weighted import rows


def fit(histories: Histories, setting: Setting) -> Scorer:
    """How many of the user's baskets held the item."""
    return rows(histories.matrix(np.ones(len(histories.user)), setting[0]))


METHOD = Method("own count", ("returns",), [(0.0,), (1.0,)], fit)
