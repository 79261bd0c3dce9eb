"""An import as the command runs it: files in, batches out, two on the way at a time, and a count of everything."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol
from zoneinfo import ZoneInfo

from fernvault.catalog.mapping import Mapping
from fernvault.clock import wall_clock
from fernvault.errors import InputError
from fernvault.event import KIND_MAGNITUDE, Event
from fernvault.guard.limits import MAX_BATCH
from fernvault.portable.rejects import Reject, RejectsFile
from fernvault.portable.text_file import TextFile, open_text
from fernvault_cli import output
from fernvault_cli.options import Options
from fernvault_cli.progress import Progress
from fernvault_cli.stream import prepared

if TYPE_CHECKING:
    # The session brings Typer with it, which the short path does not wait for.
    from fernvault_cli.session import Session

IN_FLIGHT: Final = 2
BATCH_CHARACTERS: Final = 1 << 20
"""Text of one batch of JSON Lines: at twelve bytes for the widest letter it stays under a frame of the agent."""

SHOWN: Final = 5
INTERRUPTED: Final = 130


class Row(NamedTuple):
    """One event on its way, with the line it came from and, where lines can be long, how long it was."""

    line: int
    document: dict[str, Any]
    characters: int = 0


class Sink(Protocol):
    """Where batches go."""

    zone: ZoneInfo

    def put(self, rows: Sequence[Row], source: str) -> None:
        """Send a batch."""

    def take(self) -> tuple[Sequence[Row], dict[str, Any]]:
        """The oldest batch not yet answered, and its answer."""

    def finish(self) -> None:
        """All is sent and answered."""


class Totals:
    """The counts of one import, over all its files."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.rows = self.events = self.duplicates = self.rejected = self.unmapped = 0
        self.attributes: set[str] = set()
        self.started = time.perf_counter()

    def add(self, answer: dict[str, Any]) -> None:
        """Count an answered batch."""
        self.events += answer["recorded"]
        self.duplicates += answer["duplicates"]
        self.unmapped += answer["unmapped"]
        self.attributes.update(answer["attributes"])

    def document(self) -> dict[str, Any]:
        """The counts as ``import --json`` prints them."""
        return {
            "format": self.form,
            "rows": self.rows,
            "events": self.events,
            "duplicates": self.duplicates,
            "rejected": self.rejected,
            "attributes": len(self.attributes),
            "unmapped": self.unmapped,
            "seconds": round(time.perf_counter() - self.started, 3),
        }

    def print(self, options: Options, *, dry_run: bool = False) -> None:
        """The answer of the verb."""
        if options.json:
            output.answer_json(self.document())
        else:
            output.answer(self.sentence(dry_run=dry_run))

    def sentence(self, *, dry_run: bool) -> str:
        """The counts for a person."""
        seconds = time.perf_counter() - self.started
        parts = [f"{self.rows:,} rows"]
        parts.append(f"{self.events:,} {'events would be written' if dry_run else 'events'}")
        if self.duplicates:
            parts.append(f"{self.duplicates:,} already there, or the same row twice")
        if self.rejected:
            parts.append(f"{self.rejected:,} set aside")
        if self.unmapped:
            parts.append(f"{self.unmapped:,} without attributes")
        parts.append(f"{len(self.attributes):,} attributes")
        return f"{', '.join(parts)} in {seconds:.1f} s ({self.rows / max(seconds, 1e-9):,.0f} rows/s)"


def bring_in(
    session: Session, form: str, files: Sequence[Path], surface: str, mapping: Mapping | None, options: Options
) -> int:
    """Import files into a surface and print the counts; the exit code. Raises InputError and what reading raises."""
    totals = Totals(form)
    code = Importer(form, mapping, options, WriteTo(session, surface), totals).run(files)
    totals.print(options)
    return code


class Importer:
    """Reads files of one form and feeds a sink."""

    def __init__(self, form: str, mapping: Mapping | None, options: Options, sink: Sink, totals: Totals) -> None:
        self._form = form
        self._mapping = mapping
        self._options = options
        self._sink = sink
        self._totals = totals

    def run(self, files: Sequence[Path]) -> int:
        """Import the files one after the other; the exit code. Raises InputError first when one is not there."""
        for file in files:
            if str(file) != "-" and (file.is_dir() or not file.exists()):
                what = "is a folder" if file.is_dir() else "is not there"
                raise InputError(f"{file} {what}; nothing was imported", next_step="check the names of the files")
        for file in files:
            if self._file(file):
                return INTERRUPTED
        self._sink.finish()
        return 10 if self._totals.rejected else 0

    def _file(self, file: Path) -> bool:
        """Import one file; whether the person stopped it. What was answered stays."""
        shown = self._totals.rejected
        with ExitStack() as stack:
            text = stack.enter_context(open_text(file, encoding=self._encoding()))
            rejects = stack.enter_context(RejectsFile(file))
            progress = stack.enter_context(Progress(file.name, _size(file), self._options))
            waiting = characters = 0
            batch: list[Row] = []
            source = f"{self._form}:{file.name}"[:200]
            try:
                for found in self._rows(text):
                    self._totals.rows += 1
                    if isinstance(found, Reject):
                        self._set_aside(found, rejects, file, shown)
                        continue
                    batch.append(found)
                    characters += found.characters
                    if len(batch) == MAX_BATCH or characters >= BATCH_CHARACTERS:
                        with _undisturbed():
                            self._sink.put(batch, source)
                            batch, characters = [], 0
                            waiting += 1
                            if waiting >= IN_FLIGHT:
                                self._answer(rejects, file, shown)
                                waiting -= 1
                        progress.update(text.position, self._totals.rows)
                with _undisturbed():
                    if batch:
                        self._sink.put(batch, source)
                        waiting += 1
                    while waiting:
                        self._answer(rejects, file, shown)
                        waiting -= 1
                progress.update(text.position, self._totals.rows)
            except KeyboardInterrupt:
                for _ in range(waiting):
                    self._answer(rejects, file, shown)
                note = f"stopped: {self._totals.events:,} events are in; the same command goes on from there"
                output.note(note, self._options)
                return True
        if rejects.count:
            output.note(f"{rejects.count} rows set aside in {rejects.path}", self._options)
        return False

    def _answer(self, rejects: RejectsFile, file: Path, shown: int) -> None:
        rows, answer = self._sink.take()
        self._totals.add(answer)
        for refused in answer["refused"]:
            row = rows[refused["index"]]
            self._set_aside(Reject(row.line, refused["reason"], str(row.document)), rejects, file, shown)

    def _set_aside(self, reject: Reject, rejects: RejectsFile, file: Path, shown: int) -> None:
        self._totals.rejected += 1
        rejects.add(reject)
        if self._totals.rejected - shown <= SHOWN:
            output.note(f"{file.name}:{reject.line}: {reject.reason}", self._options)

    def _encoding(self) -> str | None:
        return self._mapping.file.encoding if self._form == "csv" and self._mapping is not None else None

    def _rows(self, text: TextFile) -> Iterator[Row | Reject]:
        return self._csv_rows(text) if self._form == "csv" else _json_rows(text)

    def _csv_rows(self, text: TextFile) -> Iterator[Row | Reject]:
        from fernvault.catalog.guess import guess_mapping, to_toml
        from fernvault.portable.csv_import import read_events
        from fernvault.portable.csv_rows import CsvRows

        mapping = self._mapping
        rows = CsvRows(text, None if mapping is None else mapping.file.delimiter)
        if mapping is None:
            mapping = guess_mapping(rows.header)
            if mapping is None:
                raise InputError(
                    f"cannot tell which column is the time among: {', '.join(rows.header)}",
                    next_step="say it in a mapping file with --map",
                )
            output.note(f"no --map given; this was guessed from the header:\n{to_toml(mapping)}", self._options)
        told = {*KIND_MAGNITUDE, *mapping.kinds}
        for found in read_events(rows, mapping, owner_zone=self._sink.zone, now=wall_clock()):
            if isinstance(found, Reject):
                yield found
                continue
            if found.kind not in told:
                told.add(found.kind)
                output.note(f"kind {found.kind!r} is not in the mapping's [kinds]: it counts as 1", self._options)
            yield Row(rows.line, event_document(found))


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Put Ctrl-C off to the end of the block: between the two halves of a call the counts would not be true.

    A second Ctrl-C is not put off: the agent may be the one that hangs.
    """
    pressed = False

    def once(_number: int, _frame: Any) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    before = signal.signal(signal.SIGINT, once)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if pressed:
        raise KeyboardInterrupt


def event_document(event: Event) -> dict[str, Any]:
    """The event as the agent takes it."""
    document: dict[str, Any] = {
        "id": event.id,
        "at": event.at,
        "kind": event.kind,
        "attributes": list(event.attributes),
        "magnitude": event.magnitude,
    }
    if event.item is not None:
        document["item"] = event.item
    if event.quantity is not None:
        document["quantity"] = event.quantity
    if event.value is not None:
        document["value"] = event.value
    return document


def _json_rows(text: TextFile) -> Iterator[Row | Reject]:
    for number, line in enumerate(text.lines(), start=1):
        if line.strip():
            document, problem = prepared(line, dated=True)
            if document is None:
                yield Reject(number, problem or "not usable", line.rstrip("\n"))
            else:
                yield Row(number, document, len(line))


class WriteTo:
    """A sink that writes to a surface of the vault behind a session."""

    def __init__(self, session: Session, surface: str) -> None:
        self._session = session
        self._surface = surface
        session.call("surface.show", {"surface": surface})
        self.zone = ZoneInfo(session.call("status", {})["zone"])
        self._sent: list[Sequence[Row]] = []

    def put(self, rows: Sequence[Row], source: str) -> None:
        """Send a batch; its answer is taken later, so that reading and writing overlap."""
        args = {"surface": self._surface, "events": [row.document for row in rows], "source": source}
        self._session.send("record.batch", args)
        self._sent.append(rows)

    def take(self) -> tuple[Sequence[Row], dict[str, Any]]:
        """The oldest batch not yet answered, and its answer."""
        return self._sent.pop(0), self._session.receive()

    def finish(self) -> None:
        """Have the edges put in order now, if the files were not in order of time."""
        self._session.call("settle", {"surface": self._surface})


class CheckOnly:
    """A sink that only checks, for --dry-run."""

    def __init__(self) -> None:
        import tzlocal

        self.zone = ZoneInfo(tzlocal.get_localzone_name() or "UTC")
        self._answers: list[tuple[Sequence[Row], dict[str, Any]]] = []

    def put(self, rows: Sequence[Row], source: str) -> None:
        """Check a batch as the vault would."""
        from fernvault.guard.incoming import event_from

        now = wall_clock()
        refused = []
        attributes: set[str] = set()
        unmapped = 0
        for index, row in enumerate(rows):
            try:
                event = event_from(row.document, now=now)
            except InputError as error:
                refused.append({"index": index, "reason": error.message})
                continue
            attributes.update(event.attributes)
            unmapped += not event.attributes
        answer = {
            "recorded": len(rows) - len(refused),
            "duplicates": 0,
            "unmapped": unmapped,
            "attributes": sorted(attributes),
            "refused": refused,
        }
        self._answers.append((rows, answer))

    def take(self) -> tuple[Sequence[Row], dict[str, Any]]:
        """The oldest batch not yet answered, and its answer."""
        return self._answers.pop(0)

    def finish(self) -> None:
        """Nothing was written."""


def _size(file: Path) -> int | None:
    return file.stat().st_size if str(file) != "-" and file.is_file() else None
