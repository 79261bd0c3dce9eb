"""The short path: a verb that is one call, with plain arguments, to an agent that is running.

Typer alone takes five times the start of an interpreter, so the everyday verbs do not wait for it. Whatever is unusual
(an unknown option, help, a missing argument, no agent) is "not mine", and the long path says what there is to say.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from collections.abc import Callable
    from typing import Any

    from fernvault_cli.options import Options
    from fernvault_sync.admin import AdminClient

    Reader = Callable[[str], Any]


class Shape:
    """The positional arguments of a verb, its options, and its flags, each with how its text is read."""

    def __init__(
        self,
        words: tuple[tuple[str, Reader], ...] = (),
        values: dict[str, tuple[str, Reader]] | None = None,
        flags: dict[str, str] | None = None,
    ) -> None:
        self.words = words
        self.values = values or {}
        self.flags = flags or {}


def _one_of(*choices: str) -> Reader:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(text)
        return text

    return read


def _days(text: str) -> int:
    if not 1 <= (days := int(text)) <= 3650:
        raise ValueError(text)
    return days


def _budget(text: str) -> int:
    if not 1 <= (budget := int(text)) <= 10_000:
        raise ValueError(text)
    return budget


def _limit(text: str) -> int:
    if not 1 <= (limit := int(text)) <= 1_000_000:
        raise ValueError(text)
    return limit


def _file(text: str) -> str:
    """A file that is there; about any other, the long path has more to say."""
    if not os.path.isfile(text):
        raise ValueError(text)
    return text


def _strength(text: str) -> float:
    if not 0 < (strength := float(text)) <= 9:
        raise ValueError(text)
    return strength


FORMATS = ("text", "json", "markdown")
SORTS = ("strength", "name", "last", "first", "hits", "confidence")

_SURFACE = (("surface", str),)
_EDGE = (("surface", str), ("attribute", str))

SHAPES = {
    "card": Shape(
        _SURFACE,
        {
            "--context": ("context", str),
            "--budget": ("budget", _budget),
            "--format": ("format", _one_of(*FORMATS)),
        },
    ),
    "ls": Shape(
        _SURFACE,
        {"--sort": ("sort", _one_of(*SORTS)), "--match": ("match", str), "--limit": ("limit", _limit)},
        {"--all": "all"},
    ),
    "why": Shape(_EDGE),
    "preview": Shape(_SURFACE, {"--days": ("days", _days), "--context": ("context", str)}),
    "set": Shape((*_EDGE, ("strength", _strength))),
    "pin": Shape(_EDGE),
    "unpin": Shape(_EDGE),
    "forget": Shape(_EDGE),
    "undo": Shape((), {"--surface": ("surface", str), "--since": ("since", str)}),
    "redo": Shape((), {"--surface": ("surface", str)}),
    "status": Shape(),
    "unlock": Shape(),
    "lock": Shape(),
    "agent start": Shape(),
    "agent status": Shape(),
    "agent stop": Shape(),
    "doctor": Shape((), {}, {"--rebuild": "rebuild"}),
    "export": Shape((), {"--to": ("to", str), "--format": ("format", _one_of("jsonl"))}),
    "prior status": Shape(),
    "prior adopt": Shape((*_SURFACE, ("file", _file))),
    "prior drop": Shape(_SURFACE),
    "surface list": Shape(),
    "surface show": Shape(_SURFACE),
    "surface add": Shape(
        _SURFACE, {"--catalog": ("catalog", _file), "--preset": ("preset", _one_of("adaptive", "paper"))}
    ),
    "surface remove": Shape(_SURFACE),
    "delete": Shape((), {"--surface": ("surface", str)}),
    "record": Shape((), {"--surface": ("surface", str)}),
    "import": Shape(
        (("form", _one_of("csv", "jsonl")), ("file", _file)),
        {"--surface": ("surface", str), "--map": ("mapping", _file)},
    ),
}
GROUPS = ("surface", "agent", "prior")
NEEDED = {"export": "to", "delete": "surface", "record": "surface", "import": "surface"}
"""Options that these verbs cannot do without."""

ASKING = ("delete", "surface remove")
"""Verbs that ask first, which is the long path's business unless --yes was given."""

SAME = {"agent status": "status", "agent start": "unlock", "agent stop": "lock", "delete": "surface remove"}
"""Verbs that are another one's call."""


def attempt(words: list[str], options: Options) -> int | None:
    """Run the words if they are ours; the exit code, or None when they are not."""
    found = _parsed(words)
    folder = _folder(options)
    if found is None or folder is None or not options.agent or options.passphrase_fd is not None:
        return None
    verb, arguments = found
    if (verb in ASKING and not options.yes) or (verb == "undo" and "since" in arguments and "surface" not in arguments):
        return None

    from fernvault_sync.admin import AdminClient, NoAgentError, RemoteError
    from fernvault_sync.frame import FrameError

    try:
        client = AdminClient(folder)
    except NoAgentError:
        return None

    from fernvault_cli import output

    try:
        return _run(client, verb, arguments, options)
    except RemoteError as error:
        return output.failure(error.document, options)
    except FrameError:
        return _without_answer(client, verb, options)
    finally:
        client.close()


def _without_answer(client: AdminClient, verb: str, options: Options) -> int:
    """What is left to do with an agent that hangs or is gone: `lock` ends it, any other verb says so."""
    from fernvault_cli import output, render

    if SAME.get(verb, verb) != "lock" or not client.end():
        return output.failure(output.AGENT_GONE, options)
    render.locked({"state": "locked"}, options)
    return 0


def _run(client: AdminClient, verb: str, arguments: dict[str, Any], options: Options) -> int:
    if verb == "record":
        from fernvault_cli.recording import record

        return record(client, arguments["surface"], options)
    if verb == "import":
        return _import(client, options, **arguments)

    from fernvault_cli import calls

    name = SAME.get(verb, verb).replace(" ", "_")
    call = getattr(calls, name)(options, **arguments)
    return call.show(client.call(call.op, call.args), options) or 0


def _import(
    client: AdminClient, options: Options, form: str, file: str, surface: str, mapping: str | None = None
) -> int:
    from pathlib import Path

    from fernvault.catalog.mapping import load_mapping
    from fernvault_cli.importing import bring_in
    from fernvault_sync.admin import RemoteError
    from fernvault_sync.frame import FrameError

    try:
        loaded = None if mapping is None else load_mapping(Path(mapping))
        return bring_in(client, form, [Path(file)], surface, loaded, options)
    except (RemoteError, FrameError, BrokenPipeError):
        raise
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        # Something about a file; the long path knows what to say, and an error may take its time.
        from fernvault_cli import output
        from fernvault_cli.app import document

        return output.failure(document(error), options)


def _parsed(words: list[str]) -> tuple[str, dict[str, Any]] | None:
    verb, rest = words[0], words[1:]
    if verb in GROUPS and rest:
        verb, rest = f"{verb} {rest[0]}", rest[1:]
    shape = SHAPES.get(verb)
    if shape is None:
        return None
    arguments: dict[str, Any] = {}
    positional: list[str] = []
    try:
        index = 0
        while index < len(rest):
            word = rest[index]
            index += 1
            name, equals, value = word.partition("=")
            if word in shape.flags:
                arguments[shape.flags[word]] = True
            elif name in shape.values:
                if not equals:
                    value = rest[index]
                    index += 1
                key, read = shape.values[name]
                arguments[key] = read(value)
            elif word.startswith("-"):
                return None
            else:
                positional.append(word)
        for (key, read), text in zip(shape.words, positional, strict=True):
            arguments[key] = read(text)
    except (ValueError, IndexError):
        return None
    return (verb, arguments) if NEEDED.get(verb) in (None, *arguments) else None


def _folder(options: Options) -> str | None:
    """The vault's folder as platformdirs gives it, which would take longer than the whole call; tested to be equal."""
    if options.vault is not None:
        return options.vault
    if not sys.platform.startswith("linux"):
        return None
    home = os.environ.get("HOME", "")
    base = os.environ.get("XDG_DATA_HOME") or home + "/.local/share"
    # What is not plainly a folder, platformdirs has its own rules for.
    plain = home.startswith("/") and base.startswith("/") and base == base.strip()
    return base + "/fernvault" if plain else None
