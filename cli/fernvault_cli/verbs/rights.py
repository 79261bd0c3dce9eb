"""The verbs of data rights: export and delete."""

from __future__ import annotations

import shutil
from pathlib import Path

import typer

from fernvault_cli import calls, output
from fernvault_cli.completion import complete_surface
from fernvault_cli.prompts import confirm
from fernvault_cli.session import Opened, folder_of, perform, require_vault, running_agent
from fernvault_cli.verbs.choices import one_of

app = typer.Typer(rich_markup_mode=None)


@app.command()
def export(
    ctx: typer.Context,
    to: Path = typer.Option(..., help="A new folder."),
    form: str = typer.Option("jsonl", "--format", help="jsonl.", callback=one_of("jsonl")),
) -> None:
    """Write everything in readable form: the journal, the edges, the cards, and a manifest that vouches for them.

    The export is not encrypted; keep it as you would keep the memory itself.

    Example: fern export --to memory-2026
    """
    perform(ctx.obj, calls.export(ctx.obj, to=str(to), format=form))


@app.command()
def delete(
    ctx: typer.Context,
    surface: str = typer.Option(None, help="Delete this surface.", autocompletion=complete_surface),
    everything: bool = typer.Option(False, "--all", help="Delete the whole vault, its keys first."),
) -> None:
    """Delete a surface with all that it brought, or the whole vault. This cannot be undone.

    Example: fern delete --surface shop.example
    """
    from fernvault_cli.verbs.surfaces import remove_surface

    if everything == (surface is not None):
        raise typer.BadParameter("name one of --surface ID and --all")
    if surface is not None:
        remove_surface(ctx, surface)
        return
    folder = folder_of(ctx.obj)
    require_vault(folder)
    with Opened(ctx.obj) as session:
        status = session.call("status", {})
        question = f"Delete the whole vault in {folder.path}, {status['events']} events, with its keys?"
        confirm(ctx.obj, question, word="delete")
    agent = running_agent(folder)
    if agent is not None:
        agent.call("lock", {})
        agent.close()
    # Without its keys the database is noise, whatever becomes of the rest.
    folder.keys.unlink(missing_ok=True)
    for path in sorted(folder.path.iterdir()):
        if path.name.startswith("vault.") or path == folder.agent:
            path.unlink(missing_ok=True)
    if not any(folder.path.iterdir()):
        shutil.rmtree(folder.path)
    if ctx.obj.json:
        output.answer_json({"vault": str(folder.path), "deleted": status["events"]})
    else:
        output.answer(f"deleted the vault in {folder.path}: {status['events']} events")
        output.note("backups, exports, snapshots and copies of vault.keys made earlier still hold it", ctx.obj)
