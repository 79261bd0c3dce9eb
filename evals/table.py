"""A table of measurements: rows with an interval, printed for a person or as one JSON document."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Row(NamedTuple):
    """One measured value with its 95 % interval over ``n`` rounds; ``bar`` says what was asked for, if anything."""

    method: str
    metric: str
    value: float
    low: float
    high: float
    n: int
    bar: str = ""


class Table(NamedTuple):
    """A named table: on which data it was measured, with which seed."""

    table: str
    data: str
    seed: int
    rows: tuple[Row, ...]

    def json(self) -> str:
        """The shape that scripts rely on."""
        rows = [row._asdict() for row in self.rows]
        return json.dumps({"table": self.table, "data": self.data, "seed": self.seed, "rows": rows})

    def text(self) -> str:
        """Aligned lines."""
        cells = [["method", "metric", "value", "95 %", "n", "asked"]]
        cells += [
            [row.method, row.metric, _short(row.value), f"{_short(row.low)} to {_short(row.high)}", str(row.n), row.bar]
            for row in self.rows
        ]
        return "\n".join([f"{self.table}: {self.data} (seed {self.seed})", *_aligned(cells)])

    def wide(self) -> str:
        """One line per method, one column per metric: value, interval, and what was asked for."""
        metrics = list(dict.fromkeys(row.metric for row in self.rows))
        lines: dict[str, dict[str, Row]] = {}
        for row in self.rows:
            lines.setdefault(row.method, {})[row.metric] = row
        cells = [["method", *metrics, "n"]]
        for method, found in lines.items():
            shown = [_cell(found[metric]) if metric in found else "" for metric in metrics]
            cells.append([method, *shown, str(max(row.n for row in found.values()))])
        return "\n".join([f"{self.table}: {self.data} (seed {self.seed})", *_aligned(cells)])


def median_row(
    method: str, metric: str, values: Sequence[float], rng: random.Random, *, bar: str = "", rounds: int = 1000
) -> Row:
    """The median of paired measurements with a bootstrap interval."""
    drawn = sorted(median(rng.choices(values, k=len(values))) for _ in range(rounds))
    low, high = drawn[int(0.025 * rounds)], drawn[int(0.975 * rounds)]
    return Row(method, metric, median(values), low, high, len(values), bar)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _cell(row: Row) -> str:
    shown = f"{row.value:.4f} [{row.low:.3f}, {row.high:.3f}]"
    return f"{shown} {row.bar}" if row.bar else shown


def _aligned(cells: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(line[index]) for line in cells) for index in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
