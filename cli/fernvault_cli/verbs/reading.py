"""The verbs that read: card, ls, why, preview."""

from __future__ import annotations

import typer

from fernvault_cli import calls
from fernvault_cli.completion import complete_attribute, complete_surface
from fernvault_cli.quick import FORMATS, SORTS
from fernvault_cli.session import perform
from fernvault_cli.verbs.choices import one_of

app = typer.Typer(rich_markup_mode=None)

SURFACE = typer.Argument(..., help="The surface, e.g. shop.example.", autocompletion=complete_surface)
ATTRIBUTE = typer.Argument(..., help="The attribute, e.g. pref:oat-milk.", autocompletion=complete_attribute)


CONTEXT = typer.Option(None, metavar="A,B", help="In this context, e.g. morning,ctx:weekend or now.")


@app.command()
def card(
    ctx: typer.Context,
    surface: str = SURFACE,
    context: str = CONTEXT,
    budget: int = typer.Option(None, min=1, max=10_000, help="At most this many tokens; the weakest entries go."),
    form: str = typer.Option("text", "--format", help="text, json or markdown.", callback=one_of(*FORMATS)),
) -> None:
    """What an agent reads: eight entries at most, strongest first. --json tells what it costs in tokens.

    Example: fern card shop.example --context morning
    """
    perform(ctx.obj, calls.card(ctx.obj, surface, context=context, budget=budget, format=form))


@app.command()
def ls(
    ctx: typer.Context,
    surface: str = SURFACE,
    everything: bool = typer.Option(False, "--all", help="Context, strengths under 0.1 and the prior's guesses, too."),
    sort: str = typer.Option("strength", help=", ".join(SORTS) + ".", callback=one_of(*SORTS)),
    match: str = typer.Option(None, help="Only attributes like this, weak ones too, e.g. 'pref:*milk*'."),
    limit: int = typer.Option(None, min=1, max=1_000_000, help="At most this many."),
) -> None:
    """What is known: strength from 0 to 9, mark, trend, occasions, last seen. JSON Lines with --json.

    Example: fern ls shop.example --sort last
    """
    perform(ctx.obj, calls.ls(ctx.obj, surface, all=everything, sort=sort, match=match, limit=limit))


@app.command()
def why(ctx: typer.Context, surface: str = SURFACE, attribute: str = ATTRIBUTE) -> None:
    """The events behind one attribute, and what each adds to its strength; the sum is the strength.

    Example: fern why shop.example pref:soft-drinks
    """
    perform(ctx.obj, calls.why(ctx.obj, surface, attribute))


@app.command()
def preview(
    ctx: typer.Context,
    surface: str = SURFACE,
    days: int = typer.Option(30, min=1, max=3650, help="How far ahead."),
    context: str = CONTEXT,
) -> None:
    """How the card will look if nothing more happens, and what leaves it on which day.

    Example: fern preview shop.example --days 90
    """
    perform(ctx.obj, calls.preview(ctx.obj, surface, days=days, context=context))
