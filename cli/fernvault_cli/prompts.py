"""Asking the person: on the terminal itself, never on standard input, never through argv or a plain variable."""

from __future__ import annotations

import os
import subprocess
from getpass import getpass
from pathlib import Path
from typing import Final

from fernvault.errors import InputError, LockedError
from fernvault_cli.options import Options

COMMAND: Final = "FERN_PASSPHRASE_COMMAND"
_LIMIT: Final = 4096


def passphrase(options: Options, prompt: str = "Passphrase: ") -> str:
    """The passphrase from --passphrase-fd, from the command, or from the terminal. Raises LockedError, InputError."""
    given = given_passphrase(options)
    if given is not None:
        return given
    if not has_terminal():
        raise LockedError(
            "the vault is locked, and there is no terminal to ask for the passphrase",
            next_step=f"use --passphrase-fd N, or set {COMMAND}",
        )
    return hidden(prompt)


def given_passphrase(options: Options) -> str | None:
    """The passphrase that needs no asking, if there is one. Raises InputError when its source does not work."""
    if options.passphrase_fd is not None:
        return from_descriptor(options.passphrase_fd)
    command = os.environ.get(COMMAND)
    return _from_command(command) if command else None


def hidden(prompt: str) -> str:
    """Ask on the terminal without echo. Raises InputError when what was typed is no text."""
    try:
        return getpass(prompt)
    except UnicodeDecodeError:
        # Not chained: the original error carries what was typed.
        raise InputError("what was typed is not UTF-8", next_step="check the terminal's encoding") from None


def hidden_or_refuse(prompt: str) -> str:
    """Ask on the terminal without echo. Raises LockedError without one."""
    if not has_terminal():
        raise LockedError("there is no terminal to choose a passphrase on", next_step="give it with --passphrase-fd N")
    return hidden(prompt)


def repeat(chosen: str) -> None:
    """Have a passphrase typed again. Raises InputError after three different ones."""
    for _ in range(3):
        if hidden("The same again: ") == chosen:
            return
        tell("That is not the same.\n")
    raise InputError("the two did not match, nothing was changed", next_step="run the same command again")


def tell(text: str) -> None:
    """Write to the terminal itself, so that a secret shown there never ends in a file or a pipe.

    Raises LockedError without one.
    """
    try:
        with Path("/dev/tty").open("w", encoding="utf-8", errors="replace") as tty:
            tty.write(text)
    except OSError:
        raise LockedError("there is no terminal to ask on", next_step="run it in a terminal, or with --yes") from None


def has_terminal() -> bool:
    """Whether a person can be asked."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def ask(prompt: str) -> str:
    """Ask on the terminal, with echo. Raises LockedError without one."""
    tell(prompt)
    try:
        with Path("/dev/tty").open("r", encoding="utf-8", errors="replace") as tty:
            line = tty.readline()
    except OSError:
        raise LockedError("there is no terminal to ask on", next_step="run it in a terminal, or with --yes") from None
    if not line:
        raise KeyboardInterrupt
    return line.strip()


def confirm(options: Options, question: str, *, word: str = "yes") -> None:
    """Go on only if the person types ``word`` or gave --yes. Raises InputError when the answer is anything else."""
    if options.yes:
        return
    if not has_terminal():
        raise InputError("this needs a confirmation, and there is no terminal", next_step="add --yes")
    if ask(f"{question} Type {word} to go on: ") != word:
        raise InputError("not confirmed, nothing was changed", next_step="fern status")


def from_descriptor(descriptor: int) -> str:
    """The first line of a file descriptor. Raises InputError."""
    data = b""
    try:
        while b"\n" not in data and len(data) < _LIMIT and (part := os.read(descriptor, _LIMIT)):
            data += part
    except OSError:
        raise InputError(
            f"file descriptor {descriptor} cannot be read", next_step="e.g. --passphrase-fd 3 3<file"
        ) from None
    return _first_line(data)


def _from_command(command: str) -> str:
    result = subprocess.run(command, shell=True, stdout=subprocess.PIPE, check=False)  # noqa: S602 - the owner's own
    if result.returncode:
        raise InputError(f"{COMMAND} failed with exit code {result.returncode}", next_step=f"run it by hand: {command}")
    return _first_line(result.stdout)


def _first_line(data: bytes) -> str:
    line = data.split(b"\n", 1)[0].rstrip(b"\r")
    if not line:
        raise InputError("what was given is empty", next_step="check where the passphrase or the words come from")
    try:
        return line.decode()
    except UnicodeDecodeError:
        raise InputError("the passphrase that was given is not UTF-8", next_step="check where it comes from") from None
