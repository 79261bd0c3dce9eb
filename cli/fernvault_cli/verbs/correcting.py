"""The verbs that correct: set, pin, unpin, forget, undo."""

from __future__ import annotations

import typer

from fernvault_cli import calls
from fernvault_cli.completion import complete_surface
from fernvault_cli.session import perform
from fernvault_cli.verbs.reading import ATTRIBUTE, SURFACE

app = typer.Typer(rich_markup_mode=None)


@app.command(name="set")
def set_(
    ctx: typer.Context,
    surface: str = SURFACE,
    attribute: str = ATTRIBUTE,
    strength: float = typer.Argument(..., help="Over 0 and up to 9."),
) -> None:
    """Set an attribute's strength yourself; it overrides all that came before, and fades from now on.

    Example: fern set shop.example pref:oat-milk 7
    """
    if not 0 < strength <= 9:
        raise typer.BadParameter("a strength lies over 0 and up to 9; fern forget takes an attribute away")
    perform(ctx.obj, calls.set(ctx.obj, surface, attribute, strength))


@app.command()
def pin(ctx: typer.Context, surface: str = SURFACE, attribute: str = ATTRIBUTE) -> None:
    """Keep an attribute from fading.

    Example: fern pin shop.example pref:gluten-free
    """
    perform(ctx.obj, calls.pin(ctx.obj, surface, attribute))


@app.command()
def unpin(ctx: typer.Context, surface: str = SURFACE, attribute: str = ATTRIBUTE) -> None:
    """Let an attribute fade again, from now on.

    Example: fern unpin shop.example pref:gluten-free
    """
    perform(ctx.obj, calls.unpin(ctx.obj, surface, attribute))


@app.command()
def forget(ctx: typer.Context, surface: str = SURFACE, attribute: str = ATTRIBUTE) -> None:
    """Take an attribute off the graph; only what happens from now on can bring it back.

    The journal keeps the events, so fern undo restores it; fern delete removes a surface's events themselves.

    Example: fern forget shop.example pref:cigarettes
    """
    perform(ctx.obj, calls.forget(ctx.obj, surface, attribute))


@app.command()
def undo(
    ctx: typer.Context,
    surface: str = typer.Option(None, help="Only this surface.", autocompletion=complete_surface),
    since: str = typer.Option(None, help="Take back every event the surface's journal took in since then."),
) -> None:
    """Take back the latest correction; with --surface and --since, all events that arrived since a time.

    What was taken back stays on record: fern redo puts it back, and importing the same file brings it in anew, under
    another mapping if you like. A surface that reports it again is not heard.

    Example: fern undo --surface shop.example --since -1d
    """
    if since is not None and surface is None:
        raise typer.BadParameter("--since needs --surface")
    perform(ctx.obj, calls.undo(ctx.obj, surface=surface, since=since))


@app.command()
def redo(
    ctx: typer.Context,
    surface: str = typer.Option(None, help="Only this surface.", autocompletion=complete_surface),
) -> None:
    """Put back what the latest undo took.

    Example: fern redo
    """
    perform(ctx.obj, calls.redo(ctx.obj, surface=surface))
