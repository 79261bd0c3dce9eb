"""Every verb with its module and its one line: what `fern --help` prints without importing any of them."""

from __future__ import annotations

from fernvault_cli.options import FLAGS, VALUES

VERBS = {
    "init": ("keys", "create a vault: a passphrase, and recovery words that are rehearsed"),
    "unlock": ("keys", "open the vault and leave it open in the agent"),
    "lock": ("keys", "close the vault and end the agent"),
    "status": ("health", "the vault's state and both lock clocks"),
    "passphrase": ("keys", "change the passphrase"),
    "recover": ("keys", "set a new passphrase with the recovery words"),
    "surface": ("surfaces", "add, list, show and remove surfaces"),
    "import": ("intake", "bring in history from a file"),
    "record": ("intake", "record events from standard input, as JSON Lines"),
    "card": ("reading", "what an agent reads"),
    "ls": ("reading", "what is known, with strength, mark and trend"),
    "why": ("reading", "the events and the arithmetic behind one attribute"),
    "preview": ("reading", "how the card will look, and what leaves it when"),
    "set": ("correcting", "set an attribute's strength yourself"),
    "pin": ("correcting", "keep an attribute from fading"),
    "unpin": ("correcting", "let an attribute fade again"),
    "forget": ("correcting", "take an attribute off the graph"),
    "undo": ("correcting", "take back the latest correction, or what a surface reported"),
    "redo": ("correcting", "put back what the latest undo took"),
    "tune": ("tuning", "fit half-lives, learning rate, prior and lift to your own latest days"),
    "prior": ("prior", "what the people of a surface are like: status, adopt, drop"),
    "export": ("rights", "write everything in readable form"),
    "delete": ("rights", "delete a surface, or the whole vault"),
    "doctor": ("health", "check the vault"),
    "agent": ("agent", "start, stop and look at the process that holds the open vault"),
    "demo": ("demo", "a throw-away vault with a real household's shopping, step by step"),
}

PURPOSE = """\
A memory for AI agents that belongs to you: an encrypted vault, and a card that each agent may read.
Start with: fern demo, then fern init."""


def root_help() -> str:
    """What `fern --help` says."""
    everywhere = {**FLAGS, **{f"{name} …": line for name, line in VALUES.items()}}
    own = {"-h, --help": "this, or with a verb: its options and an example", "--version": "the version"}
    sections = [
        ("Verbs", {name: line for name, (_, line) in VERBS.items()}),
        ("Everywhere", {**everywhere, **own}),
    ]
    lines = ["Usage: fern VERB ...", "", PURPOSE]
    for title, rows in sections:
        width = max(map(len, rows))
        lines += ["", f"{title}:", *(f"  {name.ljust(width)}  {line}" for name, line in rows.items())]
    return "\n".join(lines)
