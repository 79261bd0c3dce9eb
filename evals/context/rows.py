"""Choices in a context: what the data sets of this table are read into."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Choice(NamedTuple):
    """One item chosen at an instant (µs), in a context of ``ctx:`` attributes."""

    at: int
    item: str
    context: tuple[str, ...]


class Case(NamedTuple):
    """One user: the choices to learn from, in order, and those to foresee."""

    user: str
    seen: Sequence[Choice]
    hidden: Sequence[Choice]


def fifth_at_random(users: Mapping[str, Sequence[Choice]], least: int, seed: int) -> list[Case]:
    """Users with at least ``least`` choices, a random fifth of them hidden; the rest keeps its order."""
    rng = random.Random(seed)
    cases = []
    for user in sorted(users):
        choices = users[user]
        if len(choices) >= least:
            hidden = set(rng.sample(range(len(choices)), len(choices) // 5))
            seen = [choice for index, choice in enumerate(choices) if index not in hidden]
            cases.append(Case(user, seen, [choices[index] for index in sorted(hidden)]))
    return cases


def last_fifth(users: Mapping[str, Sequence[Choice]], least: int) -> list[Case]:
    """Users with at least ``least`` choices, the latest fifth of them hidden."""
    cases = []
    for user in sorted(users):
        choices = sorted(users[user], key=lambda choice: choice.at)
        if len(choices) >= least:
            cut = len(choices) - max(1, len(choices) // 5)
            cases.append(Case(user, choices[:cut], choices[cut:]))
    return cases
