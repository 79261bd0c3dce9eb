"""The verbs that take events in: import and record."""

from __future__ import annotations

from pathlib import Path

import typer

from fernvault_cli.completion import complete_surface
from fernvault_cli.session import Opened
from fernvault_cli.verbs.choices import one_of

app = typer.Typer(rich_markup_mode=None)


@app.command(name="import")
def import_(
    ctx: typer.Context,
    form: str = typer.Argument(..., metavar="FORMAT", help="csv or jsonl.", callback=one_of("csv", "jsonl")),
    files: list[Path] = typer.Argument(..., metavar="FILE...", help="One or more files; - is standard input."),
    surface: str = typer.Option(..., help="Which surface they are of.", autocompletion=complete_surface),
    mapping: Path = typer.Option(None, "--map", help="Which column is what (TOML); guessed from the header if absent."),
    dry_run: bool = typer.Option(False, "--dry-run", help="Read and check everything, write nothing."),
) -> None:
    """Bring in history. The same file twice changes nothing; a bad row is counted, named, and kept aside.

    Rows that cannot be used go to FILE.rejects.jsonl. Ctrl-C keeps what is in; the same command goes on from there.

    Example: fern import csv orders.csv --surface shop.example --map orders.toml
    """
    from fernvault.catalog.mapping import load_mapping
    from fernvault_cli.importing import CheckOnly, Importer, Totals, bring_in

    loaded = None if mapping is None else load_mapping(mapping)
    if dry_run:
        totals = Totals(form)
        code = Importer(form, loaded, ctx.obj, CheckOnly(), totals).run(files)
        totals.print(ctx.obj, dry_run=True)
    else:
        with Opened(ctx.obj) as session:
            code = bring_in(session, form, files, surface, loaded, ctx.obj)
    raise typer.Exit(code)


@app.command()
def record(
    ctx: typer.Context,
    surface: str = typer.Option(..., help="Which surface reports.", autocompletion=complete_surface),
) -> None:
    """Record events from standard input, one JSON object a line; one acknowledgement a line, after it is durable.

    Keys: item, attributes, kind (buy), at (now), id, magnitude, quantity, value. Without an id it is made from the
    event, so that the same event with the same time is recorded once.

    Example: echo '{"item": "oat milk", "attributes": ["pref:oat-milk"]}' | fern record --surface shop.example
    """
    from fernvault_cli.recording import record as record_stream

    with Opened(ctx.obj) as session:
        code = record_stream(session, surface, ctx.obj)
    raise typer.Exit(code)
