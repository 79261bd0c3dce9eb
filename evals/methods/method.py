"""What a method is: a name, the settings it may choose from, and a fit that gives a scorer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from evals.data.histories import Floats, Histories, Ints

Setting = tuple[float, ...]
Scorer = Callable[[Ints], Floats]
"""Users' numbers to one row of scores per user, over all items; higher is better."""


class Method(NamedTuple):
    """``grid`` holds at least one setting, named by ``parameters``."""

    name: str
    parameters: tuple[str, ...]
    grid: Sequence[Setting]
    fit: Callable[[Histories, Setting], Scorer]
