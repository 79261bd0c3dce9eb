"""Starting the agent as a process of its own, with the passphrase through a pipe."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from fernvault.errors import FernError, InputError
from fernvault.vault.layout import VaultFolder
from fernvault_sync.clocks import IDLE, MAXIMUM


def start_agent(folder: VaultFolder, passphrase: str, *, idle: float = IDLE, maximum: float = MAXIMUM) -> int:
    """Start the agent, wait until it is ready, and return its process id. Raises the FernError that stopped it.

    ``-P`` keeps the current folder off the agent's import path: whatever lies there must not run with the key.
    """
    try:
        given = passphrase.encode() + b"\n"
    except UnicodeEncodeError:
        # Not chained: the original error carries the passphrase.
        raise InputError("the passphrase holds bytes that are not valid Unicode text") from None
    process = subprocess.Popen(
        [
            sys.executable,
            "-P",
            "-m",
            "fernvault_sync.agent",
            "--vault",
            str(folder.path),
            "--idle",
            str(idle),
            "--max",
            str(maximum),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        cwd="/",
    )
    assert process.stdin is not None and process.stdout is not None  # noqa: S101 - both are pipes
    try:
        process.stdin.write(given)
        process.stdin.close()
        line = process.stdout.readline()
    except BrokenPipeError:
        line = b""
    except BaseException:
        # Ctrl-C while it opens the vault: nobody wants it open any more.
        process.kill()
        process.wait()
        raise
    finally:
        process.stdout.close()
    answer = json.loads(line) if line else {}
    if "ok" in answer:
        # It lives on without us; nobody waits for it, and that is no oversight.
        process.returncode = 0
        return int(answer["ok"]["pid"])
    process.wait()
    raise _rebuilt(answer.get("error"))


def _rebuilt(document: dict[str, Any] | None) -> FernError:
    """The error that the agent met, as the class it was."""
    if document is None:
        return FernError("the agent ended before it was ready", next_step="fern doctor --no-agent")
    for kind in _classes(FernError):
        if kind.code == document["code"]:
            return kind(document["message"], next_step=document["next"])
    return FernError(document["message"], next_step=document["next"])


def _classes(root: type[FernError]) -> list[type[FernError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in _classes(child))]
