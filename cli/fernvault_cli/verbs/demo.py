"""The demo: a throw-away vault with one real household's year, from history to card, reason, correction and preview."""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import typer

from fernvault_cli import calls, output
from fernvault_cli.options import Options

app = typer.Typer(rich_markup_mode=None)

SURFACE = "grocer.example"
ZONE = "America/New_York"
DATE = "2018-01-01"


@app.command()
def demo(
    ctx: typer.Context,
    keep: Path = typer.Option(None, help="Make the vault in this new folder, with a passphrase of yours, and keep it."),
) -> None:
    """See it at work: one real household's 800 purchases become a card; ask why, correct it, look ahead.

    The vault is encrypted like any other, and deleted at the end unless --keep names a folder. The demo's clock stands
    on 1 January 2018, the day after the household's history ends.

    Example: fern demo
    """
    from fernvault.memory import Vault
    from fernvault.vault import creation, kdf, recovery
    from fernvault.vault.layout import VaultFolder

    options: Options = ctx.obj.but(at=None)
    started = time.perf_counter()
    now = _now()
    scratch = None if keep is not None else Path(tempfile.mkdtemp(prefix="fern-demo-"))
    place = VaultFolder((keep if keep is not None else (scratch or Path()) / "vault").absolute())
    try:
        passphrase = _passphrase(ctx.obj, kept=keep is not None)
        words = recovery.new_words()
        creation.create_vault(place, passphrase, zone=ZONE, now=now, words=words, kdf=kdf.FLOOR)
        with Vault.open(place.path, passphrase, clock=lambda: now) as vault:
            _walk(_Stage(vault, options))
        if keep is not None:
            output.answer(recovery.RecoverySheet(f"of {place.path}", words).text())
    finally:
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)
    seconds = time.perf_counter() - started
    if keep is None:
        output.answer(f"\nThat took {seconds:.0f} s, and the vault is deleted again. Yours begins with: fern init")
    else:
        output.answer(f"\nThe vault is kept. Look at it with: fern --vault {keep} card {SURFACE} --at {DATE}")


class _Stage:
    """Shows a command as a person would type it, and then what it answers."""

    def __init__(self, vault: Any, options: Options) -> None:
        self.vault = vault
        self.options = options

    def say(self, text: str) -> None:
        output.answer(f"\n# {text}")
        sys.stdout.flush()

    def typed(self, command: str) -> None:
        output.answer(f"$ {command}")
        sys.stdout.flush()

    def run(self, command: str, call: calls.Call) -> Any:
        from fernvault_sync.operations import perform

        self.typed(command)
        result = perform(self.vault, call.op, call.args)
        call.show(result, self.options)
        sys.stdout.flush()
        return result


def _walk(stage: _Stage) -> None:
    options = stage.options
    stage.say(
        "A shop's history: 800 purchases of one real household in 2017 (Complete Journey, licence in the README)."
    )
    stage.typed(f"fern surface add {SURFACE}")
    stage.vault.add_surface(SURFACE)
    stage.typed(f"fern import csv household.csv --surface {SURFACE} --map mapping.toml")
    output.answer(_bring_in(stage))

    stage.say("What an agent would read. No model wrote it: it is arithmetic on what was bought, and when.")
    stage.run(f"fern card {SURFACE}", calls.card(options, SURFACE))
    stage.say("What is behind it: strength from 0 to 9, sure or only guessed, and which way it goes.")
    quiet = options.but(quiet=True)
    stage.run(f"fern ls {SURFACE} --limit 8", calls.ls(quiet, SURFACE, limit=8))

    stage.say("Every number can be asked why, and the answer adds up.")
    entries = stage.vault.surface(SURFACE).card().entries
    asked, unwanted = entries[-1].attribute, entries[0].attribute
    stage.run(f"fern why {SURFACE} {asked}", calls.why(options, SURFACE, asked))

    stage.say("You know better than the shop: forget one line, state another.")
    stage.run(f"fern forget {SURFACE} {unwanted}", calls.forget(options, SURFACE, unwanted))
    stage.run(f"fern set {SURFACE} pref:oat-milk 8", calls.set(options, SURFACE, "pref:oat-milk", 8.0))
    stage.run(f"fern card {SURFACE}", calls.card(options, SURFACE))
    stage.run("fern undo", calls.undo(options))

    stage.say("And it forgets what is no longer true: the card in three months, if nothing more happens.")
    stage.run(f"fern preview {SURFACE} --days 90", calls.preview(options, SURFACE, days=90))


def _bring_in(stage: _Stage) -> str:
    from fernvault.catalog.mapping import load_mapping
    from fernvault_cli.importing import INTERRUPTED, Importer, Totals, WriteTo
    from fernvault_cli.session import HeldSession

    totals = Totals("csv")
    with as_file(files("fernvault_cli") / "demo") as folder:
        sink = WriteTo(HeldSession(stage.vault), SURFACE)
        importer = Importer("csv", load_mapping(folder / "mapping.toml"), stage.options, sink, totals)
        if importer.run([folder / "household.csv"]) == INTERRUPTED:
            # An import keeps what it has and stops; the demo has nothing to go on with.
            raise KeyboardInterrupt
    return totals.sentence(dry_run=False)


def _now() -> int:
    from datetime import datetime

    from fernvault.instant import from_datetime

    return from_datetime(datetime.fromisoformat(f"{DATE}T12:00").replace(tzinfo=ZoneInfo(ZONE)))


def _passphrase(options: Options, *, kept: bool) -> str:
    import random

    from fernvault.vault.passphrase import check_strength
    from fernvault.vault.recovery import suggest_passphrase
    from fernvault_cli import prompts

    if not kept:
        return suggest_passphrase(random.SystemRandom())
    chosen = prompts.passphrase(options, "Passphrase of the new vault: ")
    check_strength(chosen)
    return chosen
