"""Personalised PageRank over the graph of users and items: HippoRAG's retrieval without its language model.

The walk restarts at the items of the user's history, in proportion to their counts, with probability 1 - d, and steps
along purchases, each as often as it was made. ROUNDS steps of the power iteration.
"""

from __future__ import annotations

import numpy as np

from evals.data.histories import Floats, Histories, Ints
from evals.methods.method import Method, Scorer, Setting

ROUNDS = 8


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: d, the share of steps that follow an edge."""
    follow = setting[0]
    counts = histories.matrix(np.ones(len(histories.user))).astype(np.float32)
    to_items = counts.copy()
    of_user = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1.0)
    to_items.data /= np.repeat(of_user, np.diff(counts.indptr))
    to_users = counts.T.tocsr()
    of_item = np.maximum(np.asarray(to_users.sum(axis=1)).ravel(), 1.0)
    to_users.data /= np.repeat(of_item, np.diff(to_users.indptr))
    from_items, from_users = to_users.T.tocsr(), to_items.T.tocsr()

    def score(users: Ints) -> Floats:
        restart = to_items[users].T.toarray()
        at_items = restart.copy()
        at_users = np.zeros((counts.shape[0], len(users)), np.float32)
        for _ in range(ROUNDS):
            at_items, at_users = (
                (1.0 - follow) * restart + follow * (from_users @ at_users),
                follow * (from_items @ at_items),
            )
        return np.asarray(at_items.T, np.float64)

    return score


METHOD = Method("personalised PageRank", ("d",), [(d,) for d in (0.3, 0.5, 0.7, 0.85)], fit)
