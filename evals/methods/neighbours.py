"""The k nearest users by Euclidean distance between their vectors, and the mean of their vectors."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix

from evals.data.histories import Floats, Ints

MOST = 900


class Vectors:
    """One vector per user; keeps the nearest users of the blocks asked for last."""

    def __init__(self, matrix: csr_matrix) -> None:
        """``matrix``: users by items."""
        self.matrix = matrix
        self._squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
        self._nearest: Callable[[bytes], Ints] = lru_cache(maxsize=64)(self._find)

    def _find(self, block: bytes) -> Ints:
        users = np.frombuffer(block, np.int64)
        product = np.asarray((self.matrix[users] @ self.matrix.T).toarray())
        far = self._squares[None, :] - 2.0 * product
        far[np.arange(len(users)), users] = np.inf
        count = min(MOST, far.shape[1] - 1)
        found = np.argpartition(far, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(far, found, axis=1), axis=1, kind="stable")
        nearest: Ints = np.take_along_axis(found, order, axis=1).astype(np.int64)
        return nearest

    def blend(self, users: Ints, count: int, alpha: float) -> Floats:
        """a · own vector + (1 - a) · mean of the ``count`` nearest others' vectors."""
        own = np.asarray(self.matrix[users].toarray())
        nearest = self._nearest(users.astype(np.int64).tobytes())[:, :count]
        if not nearest.shape[1]:
            return own
        rows = np.repeat(np.arange(len(users)), nearest.shape[1])
        pick = csr_matrix((np.ones(nearest.size), (rows, nearest.ravel())), shape=(len(users), self.matrix.shape[0]))
        mean = np.asarray((pick @ self.matrix).toarray()) / nearest.shape[1]
        blended: Floats = alpha * own + (1.0 - alpha) * mean
        return blended
