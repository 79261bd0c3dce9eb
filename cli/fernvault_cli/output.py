"""Where words go: answers to stdout, everything else to stderr, errors in one form. Imports nothing heavy."""

from __future__ import annotations

import json
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from typing import Any

    from fernvault_cli.options import Options

AGENT_GONE = {
    "code": "agent-gone",
    "message": "the agent went away or does not answer, so this may or may not have happened",
    "next": "fern lock, which ends it, then the same command again",
    "exit": 1,
}


def unexpected(error: Exception) -> dict[str, Any]:
    """The document of an error that nobody foresaw; its text may hold anything, so only its kind is told."""
    message = f"something went wrong ({type(error).__name__}); nothing acknowledged is lost"
    return {"code": "failed", "message": message, "next": "fern doctor", "exit": 1}


def answer(text: str) -> None:
    """The answer of a verb, for a person or as JSON."""
    sys.stdout.write(text if text.endswith("\n") or not text else text + "\n")


def answer_json(document: Any) -> None:
    """One JSON document."""
    answer(json.dumps(document, ensure_ascii=False, allow_nan=False))


def answer_lines(documents: list[Any]) -> None:
    """JSON Lines."""
    answer("".join(json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n" for document in documents))


def note(text: str, options: Options) -> None:
    """A word to the person that is not the answer."""
    if not options.quiet:
        # In order with the answer when both go to one terminal.
        sys.stdout.flush()
        sys.stderr.write(text + "\n")


def failure(error: dict[str, Any], options: Options) -> int:
    """Print an error as the contract has it, and return its exit code."""
    if options.json:
        answer_json({"error": {"code": error["code"], "message": error["message"], "next": error["next"]}})
    else:
        sys.stderr.write(f"fern: {error['message']}. Next: {error['next']}\n")
    return int(error["exit"])


def painted(text: str, code: str, options: Options) -> str:
    """The text in a colour of the terminal, where there is one and it is wanted; colour never carries the meaning."""
    return f"\x1b[{code}m{text}\x1b[0m" if options.color and sys.stdout.isatty() else text


def mute_stdout() -> None:
    """Nobody reads it any more, or nothing can be written: Python must not complain about that while it ends."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
