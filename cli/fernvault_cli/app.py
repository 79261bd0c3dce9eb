"""The long path: Typer, with each group of verbs imported only when one of them is asked for."""

from __future__ import annotations

import importlib
import sys
from difflib import get_close_matches
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from fernvault_cli import output
from fernvault_cli.options import Options
from fernvault_cli.verb_table import VERBS, root_help


class LazyGroup(TyperGroup):
    """The root: knows every verb's name and one line of help without importing it."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The verbs in the order of the overview."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the verb's module and build its command."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"fernvault_cli.verbs.{VERBS[cmd_name][0]}")
        built = get_command(module.app)
        command = getattr(built, "commands", {}).get(cmd_name, built)
        command.name = cmd_name
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Name the nearest verb for one that is not there."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            near = get_close_matches(args[0], VERBS, n=1)
            hint = f"fern {near[0]}" if near else "fern --help"
            raise NoSuchVerbError(f"no verb {args[0]!r}", hint)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: Any) -> str:
        """The overview of all verbs, from the table."""
        return root_help()


class NoSuchVerbError(Exception):
    """The words of the command line do not make a command."""

    def __init__(self, message: str, next_step: str) -> None:
        super().__init__(message)
        self.document = {"code": "usage", "message": message, "next": next_step, "exit": 2}


root = typer.Typer(
    cls=LazyGroup,
    name="fern",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


@root.callback(invoke_without_command=True)
def overview(ctx: typer.Context, version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    """A memory for AI agents that belongs to you: an encrypted vault, and a card that each agent may read.

    Start with: fern demo, then fern init.
    """
    if version:
        from fernvault import __version__

        output.answer(__version__)
    elif ctx.invoked_subcommand is None:
        from fernvault_cli.verbs.health import show_overview

        show_overview(ctx.obj)


def run(words: list[str], options: Options) -> int:
    """Run the words through Typer; the exit code. No traceback reaches a person."""
    from typer.exceptions import Abort, Exit

    command = get_command(root)
    try:
        result = command.main(args=words, prog_name="fern", standalone_mode=False, obj=options)
    except Exit as leaving:
        return int(leaving.exit_code)
    except Abort:
        return 130
    except SystemExit:
        # Typer's way of saying that the reader of our output has hung up.
        raise BrokenPipeError from None
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        return output.failure(document(error), options)
    return result if isinstance(result, int) else 0


def document(error: Exception) -> dict[str, Any]:
    """The error as one line with the next step, whatever it was."""
    from typer.exceptions import TyperException

    from fernvault.errors import FernError
    from fernvault.vault.faults import translate
    from fernvault_sync.admin import RemoteError
    from fernvault_sync.frame import FrameError

    if isinstance(error, NoSuchVerbError | RemoteError):
        return error.document
    if isinstance(error, TyperException):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "fern"
        message = error.format_message().rstrip(".")
        if context and isinstance(context.command, TyperGroup) and "\n" in message:
            # A group without a verb: its whole help page is no error's one line.
            message = f"{path} needs a verb: {', '.join(context.command.list_commands(context))}"
        return {"code": "usage", "message": message, "next": f"{path} --help", "exit": 2}
    if isinstance(error, FernError):
        from fernvault_sync.operations import error_document

        return error_document(error)
    if isinstance(error, FrameError):
        return output.AGENT_GONE
    known = translate(error, getattr(error, "filename", None) or "the output")
    if known is not None:
        return document(known)
    return output.unexpected(error)
