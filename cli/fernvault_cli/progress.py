"""The progress bar of a long verb: on stderr, on a terminal only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self

from fernvault_cli.options import Options


class Progress:
    """Position in a file, rows a second, time left. Does nothing without a terminal, or with --quiet."""

    def __init__(self, name: str, size: int | None, options: Options) -> None:
        self._bar: Any = None
        self._started = time.monotonic()
        if options.quiet or not sys.stderr.isatty():
            return
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True, no_color=not options.color)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%  {task.fields[rows]:,} rows  {task.fields[rate]:,.0f}/s"),
            TimeRemainingColumn(),
        )
        self._bar = Bar(*columns, console=console, transient=True)
        self._task = self._bar.add_task(name, total=size, rows=0, rate=0.0)

    def update(self, position: int, rows: int) -> None:
        """Say how many bytes and rows are done."""
        if self._bar is not None:
            rate = rows / max(time.monotonic() - self._started, 1e-9)
            self._bar.update(self._task, completed=position, rows=rows, rate=rate)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
