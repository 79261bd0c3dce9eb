"""Ours: own strength, netted against returns, plus κ times the other users' mean strength; one rule for every data set.

The prior for a user is learnt from all other users' visible histories, each read at the instant of its own hidden
basket, the user's own part taken out. κ comes from the same users (``fernvault.graph.worth``), or from the rule's fixed
number of events, or is 0.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from evals import twin
from evals.data.histories import Floats, Histories, Ints
from evals.methods.method import Method, Scorer, Setting
from fernvault.graph.worth import LEAST_TASTE, MARGIN
from fernvault.rule import ADAPTIVE

LEARNT, FIXED, NONE = 0.0, 1.0, 2.0


@lru_cache(maxsize=1)
def _edges(histories: Histories) -> twin.Edges:
    return twin.edges(histories, ADAPTIVE)


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: where κ comes from."""
    found = _edges(histories)
    total = np.asarray(found.likes.sum(axis=0)).ravel()
    squares = np.asarray(found.likes.multiply(found.likes).sum(axis=1)).ravel()
    by_chance = np.asarray(found.chance.sum(axis=1)).ravel()
    others = max(histories.shape[0] - 1, 1)

    def score(users: Ints) -> Floats:
        likes = np.asarray(found.likes[users].toarray())
        own = likes - np.asarray(found.dislikes[users].toarray())
        if setting[0] == NONE:
            return own
        means = (total - likes) / others
        if setting[0] == FIXED:
            kappa = ADAPTIVE.prior_events * ADAPTIVE.alpha / np.maximum(means.max(axis=1), 1e-300)
        else:
            spread = squares.sum() - squares[users] - others * (means * means).sum(axis=1)
            kappa = learnt(by_chance.sum() - by_chance[users], spread)
        scores: Floats = own + kappa[:, None] * means
        return scores

    return score


def learnt(by_chance: Floats, spread: Floats) -> Floats:
    """``fernvault.graph.worth.learnt_kappa`` for many users at once."""
    taste = np.clip(1.0 - by_chance / np.maximum(spread, 1e-300), LEAST_TASTE, 1.0)
    return np.where(spread > 0.0, MARGIN * (1.0 - taste) / taste, 0.0)


METHODS = (
    Method("fernvault", (), [(LEARNT,)], fit),
    Method("fernvault, prior of 2 events", (), [(FIXED,)], fit),
    Method("fernvault, no prior", (), [(NONE,)], fit),
)
