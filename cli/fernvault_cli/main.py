"""Entry point of `fern`: the short path if it fits, Typer otherwise. Imports nothing until it knows which."""

from __future__ import annotations

import sys

from fernvault_cli.options import OptionError, Options, take


def main() -> int:
    """Run the command line; the exit code."""
    _make_sure_of_streams()
    try:
        options, words = take(sys.argv[1:])
    except OptionError as error:
        from fernvault_cli.output import failure

        document = {"code": "usage", "message": str(error), "next": "fern --help", "exit": 2}
        return failure(document, Options(json="--json" in sys.argv))
    try:
        code = _run(words, options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from fernvault_cli.output import mute_stdout

        mute_stdout()
        return 0
    return code


def _run(words: list[str], options: Options) -> int:
    try:
        code = None
        if words in (["--help"], ["-h"]):
            from fernvault_cli.output import answer
            from fernvault_cli.verb_table import root_help

            answer(root_help())
            return 0
        if words:
            from fernvault_cli.quick import attempt

            code = attempt(words, options)
        if code is None:
            from fernvault_cli.app import run

            code = run(words, options)
    except BrokenPipeError:
        raise
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        from fernvault_cli.output import failure, unexpected

        return failure(unexpected(error), options)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        from fernvault_cli.output import mute_stdout

        mute_stdout()
        if code:
            # That is told already, whatever it was.
            return code
        from fernvault_cli.output import failure

        message = f"the answer could not be written: {error.strerror}"
        return failure({"code": "disk-full", "message": message, "next": "the same command again", "exit": 9}, options)
    return code


def _make_sure_of_streams() -> None:
    """A closed stream swallows what is written to it, and a letter that a terminal lacks is written as an escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            import os

            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115 - it lives as long as the process
        elif stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
