"""``python -m evals drift``: what a memory names when taste changes, in simulated lives and in real baskets.

Opponents take the best setting of their grid on one half of the users, for each column; the tables are the other half.
Ours has the product's defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from evals.drift import households, simulated
from evals.table import Table

SOURCES: dict[str, Callable[[int, Path, bool], list[Table]]] = {
    "simulated": lambda seed, _, quick: simulated.tables(seed, quick=quick),
    "households": lambda seed, data, quick: households.tables(seed, data, quick=quick),
}


def run(seed: int, data: Path, which: str | None = None, quick: bool = False) -> Iterator[Table]:
    """The tables of one source or of all. Raises FileNotFoundError where a folder is missing."""
    for name in [which] if which else SOURCES:
        yield from SOURCES[name](seed, data, quick)
