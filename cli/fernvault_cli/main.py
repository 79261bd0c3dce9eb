"""Entry point of `fern`: the short path if it fits, Typer otherwise. Imports nothing until it knows which."""

from __future__ import annotations

import sys

from fernvault_cli.options import OptionError, Options, take


def main() -> int:
    """Run the command line; the exit code."""
    try:
        options, words = take(sys.argv[1:])
    except OptionError as error:
        from fernvault_cli.output import failure

        document = {"code": "usage", "message": str(error), "next": "fern --help", "exit": 2}
        return failure(document, Options(json="--json" in sys.argv))
    try:
        if words:
            from fernvault_cli.quick import attempt

            code = attempt(words, options)
            if code is not None:
                sys.stdout.flush()
                return code
        from fernvault_cli.app import run

        return run(words, options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output has what it wanted; Python must not complain about it while it ends.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


if __name__ == "__main__":
    sys.exit(main())
