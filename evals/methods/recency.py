"""Recency: the latest basket that held the item decides; within one basket popularity does."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from evals.data.histories import Histories
from evals.methods.method import Method, Scorer, Setting
from evals.methods.weighted import rows


def fit(histories: Histories, _: Setting) -> Scorer:
    """The number of the latest basket, counted from 1."""
    latest = histories.matrix(np.zeros(0)) if not len(histories.user) else _latest(histories)
    return rows(latest)


def _latest(histories: Histories) -> csr_matrix:
    kept = histories.bought
    keys = histories.user[kept] * histories.shape[1] + histories.item[kept]
    found, group = np.unique(keys, return_inverse=True)
    last = np.zeros(len(found))
    np.maximum.at(last, group, histories.basket[kept] + 1.0)
    return csr_matrix((last, (found // histories.shape[1], found % histories.shape[1])), shape=histories.shape)


METHOD = Method("recency", (), [()], fit)
