"""BM25 with the history as the query: every user's history is a document, and the best documents vote for their items.

Terms are items, the query holds each item of the history once; an item's score is Σ over the best n documents of BM25
times the item's share of the document. The user's own history is among the documents, as it would be in a memory.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from evals.data.histories import Floats, Histories, Ints
from evals.methods.method import Method, Scorer, Setting

K1, B = 1.2, 0.75


def terms(counts: csr_matrix) -> csr_matrix:
    """Documents by terms: idf · tf·(k1 + 1)/(tf + k1·(1 - b + b·length/mean length))."""
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    norm = K1 * (1.0 - B + B * lengths / max(float(lengths.mean()), 1e-300))
    held = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(1.0 + (counts.shape[0] - held + 0.5) / (held + 0.5))
    found = counts.copy()
    per_row = np.repeat(norm, np.diff(counts.indptr))
    found.data = idf[counts.indices] * counts.data * (K1 + 1.0) / (counts.data + per_row)
    return found


def fit(histories: Histories, setting: Setting) -> Scorer:
    """``setting``: n, how many documents vote."""
    counts = histories.matrix(np.ones(len(histories.user)))
    counts.sum_duplicates()
    index = terms(counts)
    shares = counts.copy()
    shares.data = counts.data / np.repeat(np.asarray(counts.sum(axis=1)).ravel(), np.diff(counts.indptr))
    held = counts.copy()
    held.data[:] = 1.0
    votes = min(int(setting[0]), counts.shape[0])

    def score(users: Ints) -> Floats:
        match = np.asarray((held[users] @ index.T).toarray())
        if votes < match.shape[1]:
            least = -np.partition(-match, votes - 1, axis=1)[:, votes - 1 : votes]
            match[match < least] = 0.0
        return np.asarray((csr_matrix(match) @ shares).toarray())

    return score


METHOD = Method("BM25", ("documents",), [(n,) for n in (5.0, 20.0, 100.0, 300.0)], fit)
