"""The verbs of health: status and doctor; and the overview of a bare `fern`."""

from __future__ import annotations

import typer

from fernvault_cli import calls, output, render
from fernvault_cli.options import Options
from fernvault_cli.session import folder_of, perform, require_vault, running_agent

app = typer.Typer(rich_markup_mode=None)


@app.command()
def status(ctx: typer.Context) -> None:
    """The vault's state, how much is in it, and when it locks. Never asks for the passphrase.

    Example: fern status --json
    """
    show_status(ctx.obj)


@app.command()
def doctor(
    ctx: typer.Context,
    rebuild: bool = typer.Option(False, help="Make every edge again from the journal first."),
) -> None:
    """Check the key slots, the file's pages and structure, and every edge against a replay of its journal.

    Example: fern doctor
    """
    perform(ctx.obj, calls.doctor(ctx.obj, rebuild=rebuild))


def show_status(options: Options) -> None:
    """Print the state of the vault that the options name. Raises VaultMissingError."""
    folder = folder_of(options)
    agent = running_agent(folder)
    if agent is not None:
        try:
            call = calls.status(options)
            call.show(agent.call(call.op, call.args), options)
        finally:
            agent.close()
        return
    require_vault(folder)
    from fernvault.vault import layout

    locked = {
        "vault": str(folder.path),
        "state": "locked",
        "locks_in": None,
        "surfaces": None,
        "events": None,
        "schema": None,
        "warnings": layout.warnings(folder),
    }
    render.status(locked, options)


def show_overview(options: Options) -> None:
    """What a bare `fern` says: a few verbs to start with, and the vault's state."""
    from fernvault.errors import VaultMissingError

    if not options.json:
        output.answer(
            "fernvault: a memory for AI agents that belongs to you\n\n"
            "  fern demo                           see it at work on a real household's shopping\n"
            "  fern init                           create your vault\n"
            "  fern surface add shop.example       name an app or a site\n"
            "  fern import csv FILE --surface …    bring in history\n"
            "  fern card shop.example              what an agent would read\n"
            "  fern why shop.example ATTRIBUTE     where a line of it comes from\n"
            "  fern --help                         every verb\n"
        )
    try:
        show_status(options)
    except VaultMissingError as error:
        if options.json:
            raise
        output.note(f"{error.message}: fern init makes one", options)
