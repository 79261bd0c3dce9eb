"""The verbs of the agent: start, stop, status."""

from __future__ import annotations

import typer

from fernvault_cli.verbs.health import show_status
from fernvault_cli.verbs.keys import lock_vault, unlock_vault

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)

IDLE = typer.Option(15.0, min=0.01, max=24 * 60, help="Lock after this many idle minutes.")
MAXIMUM = typer.Option(480.0, "--max", min=0.01, max=7 * 24 * 60, help="Lock after this many minutes in any case.")


@app.callback()
def agent() -> None:
    """The agent: the one process that owns the unlocked vault. Every verb that needs it starts it.

    Example: fern agent status
    """


@app.command()
def start(ctx: typer.Context, idle: float = IDLE, maximum: float = MAXIMUM) -> None:
    """Start it: asks for the passphrase.

    Example: fern agent start --idle 30
    """
    unlock_vault(ctx.obj, idle=idle * 60, maximum=maximum * 60)


@app.command()
def stop(ctx: typer.Context) -> None:
    """Stop it, which locks the vault.

    Example: fern agent stop
    """
    lock_vault(ctx.obj)


@app.command()
def status(ctx: typer.Context) -> None:
    """Whether it runs, and when it locks.

    Example: fern agent status
    """
    show_status(ctx.obj)
