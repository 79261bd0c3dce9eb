"""Recording a stream: lines in, acknowledgements out, each only after its event is durable."""

from __future__ import annotations

import sys

from fernvault_cli import output
from fernvault_cli.stream import batches, prepared

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from typing import Any

    from fernvault_cli.options import Options
    from fernvault_cli.session import Session
    from fernvault_cli.stream import Line

PARTLY_REJECTED = 10
FAILED = 1


def record(session: Session, surface: str, options: Options) -> int:
    """Record the events on standard input; the exit code."""
    session.call("surface.show", {"surface": surface})
    if sys.stdin.isatty():
        output.note("reading events from the terminal, one JSON object a line; Ctrl-D ends", options)
    refused = 0
    for lines in batches(sys.stdin.fileno()):
        answers = _answered(session, surface, lines)
        refused += sum(answer["status"] == "refused" for answer in answers)
        try:
            output.answer_lines(answers)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever reads the acknowledgements is gone, so nobody can know what is recorded from here on.
            output.note(f"nobody reads the answers any more: stopped after line {lines[-1].number}", options)
            output.mute_stdout()
            return FAILED
    if refused:
        output.note(f"{refused} refused; what was good is kept", options)
    return PARTLY_REJECTED if refused else 0


def _answered(session: Session, surface: str, lines: list[Line]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = []
    ready: list[dict[str, Any]] = []
    places: list[int] = []
    for line in lines:
        document, problem = prepared(line.text)
        answers.append({"id": None, "status": "refused", "attributes": [], "line": line.number, "reason": problem})
        if document is not None:
            places.append(len(answers) - 1)
            ready.append(document)
    if ready:
        results = session.call("record", {"surface": surface, "events": ready, "source": "record"})
        for place, result in zip(places, results, strict=True):
            answers[place] = {**result, "line": answers[place]["line"]}
    return answers
