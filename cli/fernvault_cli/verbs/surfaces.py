"""The verbs of surfaces: add, list, show, remove."""

from __future__ import annotations

from pathlib import Path

import typer

from fernvault_cli import calls
from fernvault_cli.prompts import confirm
from fernvault_cli.session import Opened, perform
from fernvault_cli.verbs.reading import SURFACE

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def surface() -> None:
    """Surfaces: each app or site as the vault knows it, with a graph of its own.

    Example: fern surface add shop.example --catalog catalog.toml
    """


@app.command()
def add(
    ctx: typer.Context,
    surface: str = typer.Argument(..., help="A name for it, e.g. shop.example."),
    catalog: Path = typer.Option(None, help="A catalog file: kinds, item table, rules, context."),
    preset: str = typer.Option("adaptive", help="How edges learn and fade: adaptive or paper."),
) -> None:
    """Add a surface.

    Example: fern surface add shop.example --catalog catalog.toml
    """
    if catalog is not None:
        from fernvault.catalog.catalog import load_catalog

        # A mistake in the file is told before anybody is asked for a passphrase.
        load_catalog(catalog)
    path = None if catalog is None else str(catalog)
    perform(ctx.obj, calls.surface_add(ctx.obj, surface, catalog=path, preset=preset))


@app.command(name="list")
def list_(ctx: typer.Context) -> None:
    """Every surface with its counts. JSON Lines with --json.

    Example: fern surface list
    """
    perform(ctx.obj, calls.surface_list(ctx.obj))


@app.command()
def show(ctx: typer.Context, surface: str = SURFACE) -> None:
    """One surface: its rule, its catalog, its counts.

    Example: fern surface show shop.example
    """
    perform(ctx.obj, calls.surface_show(ctx.obj, surface))


@app.command()
def remove(ctx: typer.Context, surface: str = SURFACE) -> None:
    """Delete a surface and all that it brought. This cannot be undone.

    Example: fern surface remove shop.example
    """
    remove_surface(ctx, surface)


def remove_surface(ctx: typer.Context, surface: str) -> None:
    """Ask, delete, and say what may still hold copies."""
    with Opened(ctx.obj) as session:
        shown = session.call("surface.show", {"surface": surface})
        question = f"Delete {surface} with its {shown['events']} events, from the file's bytes too?"
        confirm(ctx.obj, question, word=surface)
        call = calls.surface_remove(ctx.obj, surface)
        call.show(session.call(call.op, call.args), ctx.obj)
