"""The verbs of the prior: status, adopt, drop."""

from __future__ import annotations

from pathlib import Path

import typer

from fernvault_cli import calls
from fernvault_cli.session import perform
from fernvault_cli.verbs.reading import SURFACE

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def prior() -> None:
    """Priors: what the people of a surface are like on average. It fills a card with guesses, and moves no strength.

    Example: fern prior status
    """


@app.command()
def status(ctx: typer.Context) -> None:
    """Every surface with its prior. JSON Lines with --json.

    Example: fern prior status
    """
    perform(ctx.obj, calls.prior_status(ctx.obj))


@app.command()
def adopt(
    ctx: typer.Context,
    surface: str = SURFACE,
    file: Path = typer.Argument(..., help="A prior file: JSON with the mean strength of each attribute."),
) -> None:
    """Take the prior in a file for a surface, in the place of any before.

    Example: fern prior adopt shop.example shop-prior.json
    """
    perform(ctx.obj, calls.prior_adopt(ctx.obj, surface, str(file)))


@app.command()
def drop(ctx: typer.Context, surface: str = SURFACE) -> None:
    """Give a surface's prior up: its guesses leave the card at once.

    Example: fern prior drop shop.example
    """
    perform(ctx.obj, calls.prior_drop(ctx.obj, surface))
