"""A check that an option's text is one of a few words."""

from __future__ import annotations

from collections.abc import Callable

import typer


def one_of(*choices: str) -> Callable[[str], str]:
    """The text itself. Raises typer.BadParameter that names the choices."""

    def check(text: str) -> str:
        if text not in choices:
            raise typer.BadParameter(f"choose one of {', '.join(choices)}")
        return text

    return check
