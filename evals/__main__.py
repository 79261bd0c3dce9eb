"""``python -m evals NAME [--json] [--seed N] [--data DIR]``: print one table."""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

BENCHES = {
    "writes": "evals.bench.writes",
    "start": "evals.bench.start",
    "import": "evals.bench.imports",
    "wiping": "evals.bench.wiping",
}


def main() -> int:
    """Run one evaluation, or with ``bench`` alone all benchmarks; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m evals", description="Print measured tables.")
    parser.add_argument("name", choices=["bench"])
    parser.add_argument("which", nargs="?", choices=[*BENCHES], help="one benchmark; all of them if absent")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    options = parser.parse_args()
    for name in [options.which] if options.which else BENCHES:
        module = importlib.import_module(BENCHES[name])
        table = module.run(options.seed, options.data) if name == "import" else module.run(options.seed)
        print(table.json() if options.json else table.text() + "\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
