"""``python -m evals NAME [WHICH] [--json] [--seed N] [--data DIR] [--quick]``: print tables."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

from evals.table import Table

BENCHES = {
    "writes": "evals.bench.writes",
    "start": "evals.bench.start",
    "import": "evals.bench.imports",
    "wiping": "evals.bench.wiping",
}


TABLES = {
    "baskets": "evals.baskets",
    "coldstart": "evals.coldstart",
    "context": "evals.context",
    "drift": "evals.drift",
}


def main() -> int:
    """Run one evaluation, or with ``bench`` alone all benchmarks; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals", description="Print measured tables.")
    parser.add_argument("name", choices=["bench", *TABLES])
    parser.add_argument("which", nargs="?", help="one benchmark or data set; all of them if absent")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="fewer users")
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    options = parser.parse_args()
    if options.name == "bench":
        known: Iterable[str] = BENCHES
    else:
        known = importlib.import_module(TABLES[options.name]).SOURCES
    if options.which and options.which not in known:
        parser.error(f"{options.name} knows {', '.join(known)}, not {options.which}")
    try:
        for table in _tables(options):
            text = table.text() if options.name == "bench" else table.wide()
            print(table.json() if options.json else text + "\n", flush=True)
    except FileNotFoundError as error:
        print(f"no data at {error}: give the folder that holds the data sets with --data DIR", file=sys.stderr)
        return 2
    return 0


def _tables(options: argparse.Namespace) -> Iterable[Table]:
    if options.name != "bench":
        yield from importlib.import_module(TABLES[options.name]).run(
            options.seed, options.data, options.which, options.quick
        )
        return
    for name in [options.which] if options.which else BENCHES:
        module = importlib.import_module(BENCHES[name])
        yield module.run(options.seed, options.data) if name == "import" else module.run(options.seed)


if __name__ == "__main__":
    sys.exit(main())
