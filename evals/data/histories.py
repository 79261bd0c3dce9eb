"""Histories: every user's baskets in order of time, the last one hidden, as flat arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Basket(NamedTuple):
    """What one user bought at the instant ``at`` (microseconds), or gave back."""

    at: int
    items: Sequence[str]
    returned: bool = False


class Histories:
    """The history that every method sees, and what each user bought next, which only the metrics see.

    One entry per user, basket and item, in order of user and time: ``user``, ``item``, ``at``, ``basket`` (0 is the
    user's first), ``sign`` (-1 for a return, which takes the number of the basket before it). Per user: ``baskets``,
    ``now`` (the instant of the hidden basket), ``truth`` (its items). ``step`` is what the data set has instead of a
    date, in microseconds from one basket to the next, or 0 where it has dates. ``learners`` marks the users whom
    popularity and prior are learnt from: all, unless some are named as ``newcomers``.
    """

    def __init__(
        self,
        name: str,
        users: Mapping[str, Iterable[Basket]],
        least: int,
        step: int = 0,
        newcomers: frozenset[str] = frozenset(),
    ) -> None:
        """Users with at least ``least`` baskets that were bought; their last one is hidden, and what comes after it."""
        self.name = name
        self.step = step
        self.names: list[str] = []
        self.truth: list[Ints] = []
        codes: dict[str, int] = {}
        rows: list[tuple[int, int, int, int, int]] = []
        baskets: list[int] = []
        now: list[int] = []
        for user, given in users.items():
            ordered = sorted(given, key=lambda basket: basket.at)
            bought = [index for index, basket in enumerate(ordered) if not basket.returned]
            if len(bought) < least:
                continue
            number = -1
            for basket in ordered[: bought[-1]]:
                number += not basket.returned
                if number >= 0:
                    for item in sorted(set(basket.items)):
                        code = codes.setdefault(item, len(codes))
                        rows.append((len(self.names), code, basket.at, number, -1 if basket.returned else 1))
            hidden = ordered[bought[-1]]
            self.truth.append(np.array(sorted({codes.setdefault(i, len(codes)) for i in hidden.items}), np.int64))
            baskets.append(number + 1)
            now.append(hidden.at)
            self.names.append(user)
        columns = np.array(rows, np.int64).reshape(-1, 5).T
        self.user, self.item, self.at, self.basket, self.sign = columns
        self.items = tuple(codes)
        self.baskets = np.array(baskets, np.int64)
        self.now = np.array(now, np.int64)
        self.bought = self.sign > 0
        self.learners = np.array([name not in newcomers for name in self.names], np.bool_)
        learnt = self.bought & self.learners[self.user]
        self.popularity: Floats = np.bincount(self.item[learnt], minlength=len(codes)).astype(np.float64)

    @property
    def shape(self) -> tuple[int, int]:
        """Users and items."""
        return len(self.names), len(self.items)

    @property
    def lag(self) -> Ints:
        """How many baskets back each entry lies: 0 for the latest one."""
        return self.baskets[self.user] - 1 - self.basket

    @property
    def age(self) -> Floats:
        """How many days before the hidden basket each entry lies."""
        return (self.now[self.user] - self.at) / 86_400e6

    def matrix(self, weights: NDArray[Any], returns: float = 0.0) -> csr_matrix:
        """Users by items: the sum of the entries' weights, a return counting ``-returns`` times its own."""
        signed = np.where(self.bought, weights, -returns * weights).astype(np.float64)
        kept = signed != 0
        return csr_matrix((signed[kept], (self.user[kept], self.item[kept])), shape=self.shape)
