"""The global options: taken out of the command line wherever they stand, so that `fern card shop --json` works.

Typer gets only what is left; it shows these in its help, but never parses them. Nothing is imported here but what the
interpreter has already: every verb begins with this module.
"""

from __future__ import annotations

import os

FLAGS = {
    "--json": "one JSON document on stdout and nothing else",
    "--quiet": "say nothing but the answer",
    "--no-color": "no colour (so does NO_COLOR)",
    "--yes": "answer confirmations with yes",
    "--no-agent": "do this one verb without the agent",
}
VALUES = {
    "--vault": "the vault's folder (FERN_VAULT)",
    "--passphrase-fd": "read the passphrase from this file descriptor (or set FERN_PASSPHRASE_COMMAND)",
    "--at": "read verbs: as of this time, e.g. 2026-12-01 or +30d",
}


READS = ("card", "ls", "why", "preview")
"""The verbs that ``--at`` is for: what changes something changes it now."""


class Options:
    """The global options of one run."""

    def __init__(
        self,
        *,
        json: bool = False,
        quiet: bool = False,
        color: bool = True,
        yes: bool = False,
        agent: bool = True,
        vault: str | None = None,
        passphrase_fd: int | None = None,
        at: str | None = None,
    ) -> None:
        self.json = json
        self.quiet = quiet
        self.color = color
        self.yes = yes
        self.agent = agent
        self.vault = vault
        self.passphrase_fd = passphrase_fd
        self.at = at

    def but(self, **changes: object) -> Options:
        """The same with some of them changed."""
        return Options(**{**vars(self), **changes})


class OptionError(Exception):
    """A global option lacks its value, or has an unusable one."""


def take(words: list[str]) -> tuple[Options, list[str]]:
    """The global options among the words, and the other words in order. After ``--`` nothing is taken."""
    flags: set[str] = set()
    values: dict[str, str] = {}
    rest: list[str] = []
    index = 0
    while index < len(words):
        word = words[index]
        index += 1
        if word == "--":
            rest += words[index - 1 :]
            break
        name, equals, value = word.partition("=")
        if word in FLAGS:
            flags.add(word)
        elif name in VALUES:
            if not equals:
                if index == len(words):
                    raise OptionError(f"{name} needs a value")
                value = words[index]
                index += 1
            if not value:
                # An unset variable in a script must not come to mean the default vault.
                raise OptionError(f"{name} needs a value that is not empty")
            values[name] = value
        else:
            rest.append(word)
    if "--at" in values and rest and rest[0] not in READS:
        raise OptionError(f"--at is for {', '.join(READS)}")
    descriptor = values.get("--passphrase-fd")
    if descriptor is not None and not descriptor.isdecimal():
        raise OptionError("--passphrase-fd needs the number of a file descriptor")
    return (
        Options(
            json="--json" in flags,
            quiet="--quiet" in flags,
            color="--no-color" not in flags and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
            yes="--yes" in flags,
            agent="--no-agent" not in flags,
            vault=values.get("--vault") or os.environ.get("FERN_VAULT") or None,
            passphrase_fd=None if descriptor is None else int(descriptor),
            at=values.get("--at"),
        ),
        rest,
    )
