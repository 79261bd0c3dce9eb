"""Scores that are a sum of weights over the user's own entries; ties and empty places go to popularity."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from evals.methods.method import Scorer


def rows(matrix: csr_matrix) -> Scorer:
    """The scorer that reads a user's row."""
    return lambda users: np.asarray(matrix[users].toarray(), np.float64)
