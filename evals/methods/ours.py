"""Ours: own strength, netted against returns, plus κ times the other users' mean strength; one rule for every data set.

The prior for a user is learnt from all other users' visible histories, each read at the instant of its own hidden
basket, the user's own part taken out. κ comes from the same users (``fernvault.graph.worth``), or from the rule's fixed
number of events, or is 0. With ``returns`` 0 the edges of `!x` are left out: what was returned is not held against x.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from evals import twin
from evals.data.histories import Floats, Histories, Ints
from evals.methods.method import Method, Scorer, Setting
from fernvault.graph.worth import LEAST_TASTE, MARGIN
from fernvault.rule import ADAPTIVE

LEARNT, FIXED, NONE, PLAIN, AFTER = 0.0, 1.0, 2.0, 3.0, 4.0
"""κ learnt; worth the rule's events; no prior; κ = 1; and guesses only in places that own edges leave empty."""


@lru_cache(maxsize=1)
def _edges(histories: Histories) -> twin.Edges:
    return twin.edges(histories, ADAPTIVE)


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: where κ comes from, and how much of `!x` is netted against `x`."""
    source, returns = setting
    found = _edges(histories)
    learner = histories.learners.astype(np.float64)
    known = found.likes[histories.learners]
    total = np.asarray(known.sum(axis=0)).ravel()
    squares = np.asarray(found.likes.multiply(found.likes).sum(axis=1)).ravel() * learner
    by_chance = np.asarray(found.chance[histories.learners].sum(axis=0)).ravel()
    counts = histories.matrix(np.ones(len(histories.user)))
    occasions = float(histories.baskets @ learner)

    def score(users: Ints) -> Floats:
        likes = np.asarray(found.likes[users].toarray())
        own = likes - returns * np.asarray(found.dislikes[users].toarray())
        if source == NONE:
            return own
        others = np.maximum(learner.sum() - learner[users], 1.0)[:, None]
        means = (total - learner[users, None] * likes) / others
        if source == PLAIN:
            return np.asarray(own + means)
        if source == AFTER:
            return np.where(own > 0.0, 10.0 + own, means)
        if source == FIXED:
            kappa = ADAPTIVE.prior_events * ADAPTIVE.alpha / np.maximum(means.max(axis=1), 1e-300)
        else:
            spread = squares.sum() - squares[users] - others[:, 0] * (means * means).sum(axis=1)
            mine = learner[users, None]
            rest = np.maximum(occasions - mine * histories.baskets[users, None], 1.0)
            shares = (histories.popularity - mine * np.asarray(counts[users].toarray())) / rest
            chances = by_chance - mine * np.asarray(found.chance[users].toarray())
            kappa = learnt((chances * (1.0 - shares)).sum(axis=1), spread)
        # As in ``graph.selection.mean_for``: what own evidence speaks against, no prior speaks for.
        scores: Floats = np.where(own < 0.0, own, own + kappa[:, None] * means)
        return scores

    return score


def learnt(by_chance: Floats, spread: Floats) -> Floats:
    """``fernvault.graph.worth.learnt_kappa`` for many users at once."""
    ratio = np.where(spread > 0.0, by_chance / np.maximum(spread, 1e-300), 1.0)
    taste = np.maximum(1.0 - ratio, LEAST_TASTE)
    return np.where(by_chance > 0.0, MARGIN * (1.0 - taste) / taste, 0.0)


METHOD = Method("fernvault", (), [(LEARNT, 1.0)], fit)
KEPT = Method("fernvault, returns not held against", (), [(LEARNT, 0.0)], fit)
FEW = Method("fernvault, prior of 2 events", (), [(FIXED, 1.0)], fit)
ALONE = Method("fernvault, no prior", (), [(NONE, 1.0)], fit)
MEAN = Method("fernvault, own + 1.0 mean", (), [(PLAIN, 1.0)], fit)
FILLED = Method("fernvault, own first, then the mean", (), [(AFTER, 1.0)], fit)
