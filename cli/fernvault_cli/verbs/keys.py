"""The verbs of keys: init, unlock, lock, passphrase, recover."""

from __future__ import annotations

import contextlib
import math
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from fernvault_cli import calls, output, prompts
from fernvault_cli.options import Options
from fernvault_cli.session import folder_of, require_vault, running_agent, start
from fernvault_sync.frame import FrameError

app = typer.Typer(rich_markup_mode=None)


@app.command()
def init(
    ctx: typer.Context,
    import_recovery: bool = typer.Option(False, help="Use recovery words that you have, instead of new ones."),
    recovery_file: Path = typer.Option(None, help="Write the recovery sheet to this new file, and do not rehearse it."),
    zone: str = typer.Option(None, help="Your time zone, e.g. Europe/Berlin; default: this machine's."),
) -> None:
    """Create a vault, encrypted under a passphrase, with a recovery key of 24 words. Never over an existing one.

    Without a terminal: --yes, the passphrase from --passphrase-fd, and the words go to --recovery-file or to stdout.

    Example: fern init
    """
    from fernvault.clock import wall_clock
    from fernvault.errors import ExistsError, InputError
    from fernvault.instant import to_text
    from fernvault.vault import creation, layout, recovery
    from fernvault_sync.hardening import harden

    options: Options = ctx.obj
    harden()
    folder = folder_of(options)
    if layout.exists(folder):
        raise ExistsError(f"there is a vault in {folder.path} already", next_step="choose another folder with --vault")
    for warning in layout.warnings(folder):
        output.note(f"warning: {warning}", options)
    place = _zone(zone)
    if not prompts.has_terminal() and not options.yes:
        raise InputError("the recovery words must be rehearsed on a terminal", next_step="add --yes to do without")
    if recovery_file is not None and os.path.lexists(recovery_file):
        raise InputError(f"{recovery_file} is there already", next_step="name a new file for the recovery sheet")
    passphrase = _new_passphrase(options)
    if import_recovery:
        words = _words()
        recovery.secret_from_words(words)
    else:
        words = recovery.new_words()
    sheet = recovery.RecoverySheet(f"of {folder.path}", words)
    shown = recovery_file is None and not import_recovery
    if shown and not options.yes:
        prompts.tell("\n" + sheet.text() + "\nWrite these words on paper now. Three of them are asked for.\n")
        _rehearse(recovery.rehearsal(words, random.SystemRandom()))
    # Before the vault: one whose words could not be written down must not come to be.
    with contextlib.nullcontext() if recovery_file is None else _kept_sheet(recovery_file, sheet):
        made = creation.create_vault(folder, passphrase, zone=place, now=wall_clock(), words=words)
    if options.json:
        document = {"vault": str(folder.path), "id": made.vault_id, "zone": place, "created": to_text(wall_clock())}
        if shown and options.yes:
            document["recovery_words"] = words
        output.answer_json(document)
        return
    if shown and options.yes:
        output.answer(made.text())
    output.answer(f"created the vault in {folder.path}; it was opened once with the passphrase and once with the words")
    output.note("next: fern surface add shop.example", options)


@app.command()
def unlock(
    ctx: typer.Context,
    idle: float = typer.Option(15.0, min=0.01, max=24 * 60, help="Lock after this many idle minutes."),
    maximum: float = typer.Option(480.0, "--max", min=0.01, max=7 * 24 * 60, help="Lock after this many minutes."),
) -> None:
    """Open the vault and leave it open in the agent, which locks itself.

    Example: fern unlock --idle 30
    """
    unlock_vault(ctx.obj, idle=idle * 60, maximum=maximum * 60)


@app.command()
def lock(ctx: typer.Context) -> None:
    """Close the vault and end the agent.

    Example: fern lock
    """
    lock_vault(ctx.obj)


@app.command()
def passphrase(
    ctx: typer.Context,
    new_passphrase_fd: int = typer.Option(None, min=0, help="Read the new passphrase from this file descriptor."),
) -> None:
    """Change the passphrase. The recovery words stay the same.

    Copies of vault.keys made earlier still open with the old passphrase.

    Example: fern passphrase
    """
    from fernvault.vault import kdf, slots
    from fernvault_sync.hardening import harden

    options: Options = ctx.obj
    harden()
    folder = folder_of(options)
    require_vault(folder)
    secret = slots.unlock_with_passphrase(folder, prompts.passphrase(options, "Current passphrase: "))
    try:
        new = _new_passphrase(Options(passphrase_fd=new_passphrase_fd), own=False)
        slots.replace_passphrase(folder, secret, new, kdf=kdf.calibrate(time.perf_counter))
    finally:
        slots.wipe(secret)
    _say(options, "changed", "the passphrase is changed; copies of vault.keys made earlier still open with the old one")


@app.command()
def recover(
    ctx: typer.Context,
    new_passphrase_fd: int = typer.Option(None, min=0, help="Read the new passphrase from this file descriptor."),
    words_fd: int = typer.Option(None, min=0, help="Read the recovery words from this file descriptor."),
) -> None:
    """Set a new passphrase with the 24 recovery words, when the old one is forgotten or its slot is damaged.

    Example: fern recover
    """
    from fernvault.memory import Vault
    from fernvault.vault import kdf, slots
    from fernvault.vault.lock import VaultLock
    from fernvault_sync.hardening import harden

    options: Options = ctx.obj
    harden()
    folder = folder_of(options)
    require_vault(folder)
    words = _words() if words_fd is None else prompts.from_descriptor(words_fd)
    secret = slots.unlock_with_words(folder, words)
    try:
        new = _new_passphrase(Options(passphrase_fd=new_passphrase_fd), own=False)
        slots.replace_passphrase(folder, secret, new, kdf=kdf.calibrate(time.perf_counter))
    finally:
        slots.wipe(secret)
    agent = running_agent(folder)
    if agent is not None:
        agent.close()
    else:
        with VaultLock(folder):
            Vault.open(folder.path, new).close()
    _say(options, "recovered", "the vault opens with the new passphrase; the recovery words stay the same")


def unlock_vault(options: Options, *, idle: float, maximum: float) -> None:
    """Start the agent unless it runs; seconds for both clocks."""
    from fernvault_cli.verbs.health import show_status

    if math.isnan(idle + maximum):
        raise typer.BadParameter("a clock needs a number of minutes")
    folder = folder_of(options)
    agent = running_agent(folder)
    if agent is None:
        require_vault(folder)
        start(folder, prompts.passphrase(options), idle=idle, maximum=maximum).close()
        show_status(options)
        return
    call = calls.unlock(options)
    try:
        call.show(agent.call(call.op, call.args), options)
    finally:
        agent.close()


def lock_vault(options: Options) -> None:
    """End the agent, if there is one."""
    folder = folder_of(options)
    agent = running_agent(folder)
    if agent is None:
        require_vault(folder)
        _say(options, "locked", "it is locked already")
        return
    call = calls.lock(options)
    try:
        answer = agent.call(call.op, call.args)
    except FrameError:
        if not agent.end():
            raise
        answer = {"state": "locked"}
    finally:
        agent.close()
    call.show(answer, options)


def _say(options: Options, state: str, text: str) -> None:
    if options.json:
        output.answer_json({"state": state})
    else:
        output.answer(text)


def _zone(name: str | None) -> str:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    import tzlocal

    from fernvault.errors import InputError

    chosen = name or tzlocal.get_localzone_name() or "UTC"
    try:
        return ZoneInfo(chosen).key
    except (ZoneInfoNotFoundError, ValueError):
        raise InputError(f"no time zone {chosen!r}", next_step="use a name like Europe/Berlin or UTC") from None


def _words() -> str:
    # Shown while they are typed: nobody types 24 words blind without a mistake.
    return prompts.ask("The 24 recovery words (shown as you type): ")


def _new_passphrase(options: Options, *, own: bool = True) -> str:
    """A passphrase that is strong enough, given or chosen on the terminal, or six generated words."""
    from fernvault.errors import InputError
    from fernvault.vault.passphrase import check_strength
    from fernvault.vault.recovery import suggest_passphrase

    given = prompts.given_passphrase(options) if own or options.passphrase_fd is not None else None
    if given is not None:
        check_strength(given)
        return given
    for _ in range(3):
        chosen = prompts.hidden_or_refuse("New passphrase (Enter alone makes one of six random words): ")
        if not chosen:
            chosen = suggest_passphrase(random.SystemRandom())
            prompts.tell(f"Your passphrase: {chosen}\n")
            break
        try:
            check_strength(chosen)
            break
        except InputError as error:
            prompts.tell(f"{error.message}. {error.next_step}.\n")
    else:
        check_strength(chosen)
    prompts.repeat(chosen)
    return chosen


@contextlib.contextmanager
def _kept_sheet(path: Path, sheet: Any) -> Iterator[None]:
    """The sheet in a new file that only its owner can read; gone again if the block fails. Raises InputError."""
    from fernvault.errors import InputError

    made = False
    try:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            made = True
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(sheet.text())
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(
                f"cannot write the recovery sheet to {path}: {error.strerror}", next_step="name another file"
            ) from None
        yield
    except BaseException:
        if made:
            path.unlink(missing_ok=True)
        raise


def _rehearse(asked: tuple[tuple[int, str], ...]) -> None:
    for position, word in asked:
        while prompts.ask(f"Word {position}: ").lower() != word:
            prompts.tell("That is not the word. Look at the sheet again (Ctrl-C stops; no vault is made).\n")
