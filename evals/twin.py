"""The product's own arithmetic for many users at once; tests/evals holds it to ``fernvault.graph`` within 1e-9."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from evals.data.histories import Floats, Histories, Ints
from fernvault.edge import CEILING
from fernvault.instant import DAY
from fernvault.rule import Rule


class Made(NamedTuple):
    """Groups' traces, and per pair of traces the sum over events of the product of what each added (``chance``)."""

    traces: Floats
    products: Floats


def fold(group: Ints, at: Ints, until: Ints, rule: Rule) -> Made:
    """Each group's state at its instant ``until``; ``group`` (0, 1, …) and ``at`` are the events, in any order.

    The same steps as ``learn`` and ``settle``: fade, start afresh below the floor, bump; all groups' first events,
    then all their second ones, and so on. Every magnitude is 1; no pins and no corrections.
    """
    lives = np.array(rule.half_lives) * DAY
    order = np.lexsort((at, group))
    at = at[order]
    counts = np.bincount(group, minlength=len(until))
    starts = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64)
    state = np.zeros((len(until), len(lives)))
    products = np.zeros((len(until), len(lives), len(lives)))
    last = np.zeros(len(until), np.int64)
    alive = np.flatnonzero(counts)
    kept = 1.0 - rule.alpha / CEILING
    turn = 0
    while len(alive):
        now = at[starts[alive] + turn]
        faded, left = _settled(state[alive], products[alive], now - last[alive], lives, rule)
        state[alive] = np.minimum(CEILING, faded + rule.alpha * (1.0 - faded / CEILING))
        products[alive] = left * kept * kept + rule.alpha * rule.alpha
        last[alive] = now
        turn += 1
        alive = alive[counts[alive] > turn]
    return Made(*_settled(state, products, until - last, lives, rule))


def _settled(state: Floats, products: Floats, elapsed: Ints, lives: Floats, rule: Rule) -> tuple[Floats, Floats]:
    share = 2.0 ** (-np.maximum(elapsed, 0)[:, None] / lives)
    faded, left = state * share, products * share[:, :, None] * share[:, None, :]
    gone = faded.max(axis=1) < rule.floor
    faded[gone] = 0.0
    left[gone] = 0.0
    return faded, left


def strength(made: Made, rule: Rule) -> Floats:
    """The traces' weighted mean."""
    weights = np.array(rule.weights) / sum(rule.weights)
    found: Floats = made.traces @ weights
    return found


def chance(made: Made, rule: Rule) -> Floats:
    """Σ c² over the contributions to the strength: ``fernvault.graph.worth.chance`` at a share of 0."""
    weights = np.array(rule.weights) / sum(rule.weights)
    found: Floats = np.einsum("nkl,k,l->n", made.products, weights, weights)
    return found


class Edges(NamedTuple):
    """Users by items at each user's now: strengths of `x` (purchases) and `!x` (returns), and the chance in `x`."""

    likes: csr_matrix
    dislikes: csr_matrix
    chance: csr_matrix


def edges(histories: Histories, rule: Rule) -> Edges:
    """Everyone's edges."""
    users, items = histories.shape
    found = []
    for kept in (histories.bought, ~histories.bought):
        keys, group = np.unique(histories.user[kept] * items + histories.item[kept], return_inverse=True)
        owner, item = keys // max(items, 1), keys % max(items, 1)
        made = fold(group, histories.at[kept], histories.now[owner], rule)
        for values in (strength(made, rule), chance(made, rule)):
            found.append(csr_matrix((values, (owner, item)), shape=(users, items)))
    return Edges(found[0], found[2], found[1])
