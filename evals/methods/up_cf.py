"""UP-CF@r (Faggioli et al. 2020): neighbours' recent shares, weighted by similarity to the power of q.

share(v, i) = baskets with i among v's last min(r, B_v) / min(r, B_v); s(u, v) = common items / (n_u^a · n_v^(1-a)).
The user is a neighbour too, with similarity 1. s is divided by the row's largest before the power, which changes no
order; weights under 1e-9 of the largest are dropped. r = 0 stands for all baskets.
"""

from __future__ import annotations

import numpy as np

from evals.data.histories import Floats, Histories, Ints
from evals.methods.method import Method, Scorer, Setting


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: r, q, a."""
    recent, power, alpha = setting
    window = np.minimum(histories.baskets, recent) if recent else histories.baskets
    entry = (histories.lag < window[histories.user]) / np.maximum(window, 1)[histories.user]
    shares = histories.matrix(entry)
    held = histories.matrix(np.ones(len(histories.user)))
    held.data[:] = 1.0
    sizes = np.maximum(np.asarray(held.sum(axis=1)).ravel(), 1.0)
    other = sizes ** (1.0 - alpha)

    def score(users: Ints) -> Floats:
        common = np.asarray((held[users] @ held.T).toarray())
        similar = common / other
        similar /= np.maximum(similar.max(axis=1, keepdims=True), 1e-300)
        similar **= power
        similar[similar < 1e-9] = 0.0
        return np.asarray((shares.T @ similar.T).T)

    return score


GRID = [(r, q, a) for r in (1.0, 5.0, 10.0, 25.0, 0.0) for q in (1.0, 10.0, 100.0) for a in (0.25, 0.5, 0.75, 1.0)]
METHOD = Method("UP-CF", ("r", "q", "a"), GRID, fit)
