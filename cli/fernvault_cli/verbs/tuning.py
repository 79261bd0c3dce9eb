"""The verb that fits a surface's parameters to the owner's own latest days."""

from __future__ import annotations

import typer

from fernvault_cli import calls
from fernvault_cli.output import note
from fernvault_cli.prompts import confirm, has_terminal
from fernvault_cli.session import Opened
from fernvault_cli.verbs.reading import SURFACE

app = typer.Typer(rich_markup_mode=None)


@app.command()
def tune(ctx: typer.Context, surface: str = SURFACE) -> None:
    """Try other half-lives, learning rates, and weights of prior and context on your own latest days, held out.

    Shows what a card would have held before and after, and uses it only if you say yes (or with --yes).

    Example: fern tune shop.example
    """
    options = ctx.obj
    with Opened(options) as session:
        note("trying other parameters on your latest days; this takes some seconds", options)
        found = calls.tune_find(options, surface)
        document = session.call(found.op, found.args)
        found.show(document, options)
        if not document["changes"]:
            return
        if not options.yes and not has_terminal():
            note("nothing is changed: --yes uses them", options)
            return
        confirm(options, f"Use them for {surface}?")
        call = calls.tune_apply(options, surface, document["changes"])
        call.show(session.call(call.op, call.args), options)
