"""Window: the count in the user's last n baskets."""

from __future__ import annotations

from evals.data.histories import Histories
from evals.methods.method import Method, Scorer, Setting
from evals.methods.weighted import rows


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: n."""
    return rows(histories.matrix((histories.lag < setting[0]).astype(float)))


METHOD = Method("window", ("baskets",), [(n,) for n in (1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0)], fit)
