"""The prior of a surface: the population's mean strength per attribute, over all users, those without it counting 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Prior(NamedTuple):
    """Mean strengths (0-9) per attribute of one surface, and how many users they are the mean of.

    ``kappa`` is what its publisher found the means to be worth (``graph.worth``); None leaves it to the rule.
    """

    surface: str
    users: int
    means: Mapping[str, float]
    kappa: float | None = None
