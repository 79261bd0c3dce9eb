"""Verbs that are one call to the vault: which operation, which arguments, and how the answer is shown.

The short path and Typer both come through here, so that a verb prints the same bytes whichever way it was reached.
"""

from __future__ import annotations

import os

from fernvault_cli import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    # Kept off the short path: `typing` alone costs as long as half a call.
    from collections.abc import Callable
    from typing import Any

    from fernvault_cli.options import Options


class Call:
    """An operation with its arguments, and what prints its result and gives the exit code."""

    def __init__(self, op: str, args: dict[str, Any], show: Callable[[Any, Options], int | None]) -> None:
        self.op = op
        self.args = args
        self.show = show


def card(
    options: Options, surface: str, *, context: str | None = None, budget: int | None = None, format: str = "text"
) -> Call:
    """The card of a surface."""
    args = {"surface": surface, "at": options.at, "context": _words(context), "budget": budget, "format": format}
    return Call("card", args, render.card_as("json" if options.json else format))


def ls(
    options: Options,
    surface: str,
    *,
    all: bool = False,
    sort: str = "strength",
    match: str | None = None,
    limit: int | None = None,
) -> Call:
    """The edges of a surface."""
    show = render.edges_as(everything=all, sort=sort, match=match, limit=limit)
    return Call("ls", {"surface": surface, "at": options.at, "guesses": all or match is not None}, show)


def why(options: Options, surface: str, attribute: str) -> Call:
    """What an edge's strength is made of."""
    return Call("why", {"surface": surface, "attribute": attribute, "at": options.at}, render.why)


def preview(options: Options, surface: str, *, days: int = 30, context: str | None = None) -> Call:
    """How the card will look."""
    args = {"surface": surface, "days": days, "at": options.at, "context": _words(context)}
    return Call("preview", args, render.preview)


def tune_find(options: Options, surface: str) -> Call:
    """Which parameters would have foreseen the latest days best."""
    return Call("tune.find", {"surface": surface}, render.tuning)


def tune_apply(options: Options, surface: str, changes: dict[str, Any]) -> Call:
    """Use these parameters."""
    return Call("tune.apply", {"surface": surface, "changes": changes}, render.tuned)


def prior_status(options: Options) -> Call:
    """Which surfaces have a prior."""
    return Call("prior.status", {}, render.priors)


def prior_adopt(options: Options, surface: str, file: str) -> Call:
    """Take a prior from a file."""
    return Call("prior.adopt", {"surface": surface, "file": os.path.abspath(file)}, render.prior)


def prior_drop(options: Options, surface: str) -> Call:
    """Give a prior up."""
    return Call("prior.drop", {"surface": surface}, render.prior)


def _words(context: str | None) -> list[str] | None:
    return None if context is None else [word.strip() for word in context.split(",") if word.strip()]


def set(options: Options, surface: str, attribute: str, strength: float) -> Call:
    """Set an edge's strength."""
    return _correct(surface, attribute, "set", strength)


def pin(options: Options, surface: str, attribute: str) -> Call:
    """Stop an edge from fading."""
    return _correct(surface, attribute, "pin")


def unpin(options: Options, surface: str, attribute: str) -> Call:
    """Let an edge fade again."""
    return _correct(surface, attribute, "unpin")


def forget(options: Options, surface: str, attribute: str) -> Call:
    """Take an edge off the graph."""
    return _correct(surface, attribute, "forget")


def undo(options: Options, *, surface: str | None = None, since: str | None = None) -> Call:
    """Take back a correction, or what a surface recorded since a time."""
    return Call("undo", {"surface": surface, "since": since}, render.undo)


def redo(options: Options, *, surface: str | None = None) -> Call:
    """Put back what the latest undo took."""
    return Call("redo", {"surface": surface}, render.redo)


def status(options: Options) -> Call:
    """The vault's state."""
    return Call("status", {}, render.status)


def unlock(options: Options) -> Call:
    """The vault's state, to somebody who unlocks what is unlocked."""
    return Call("status", {}, render.unlocked_already)


def surface_list(options: Options) -> Call:
    """All surfaces."""
    return Call("surface.list", {}, render.surfaces)


def surface_show(options: Options, surface: str) -> Call:
    """One surface."""
    return Call("surface.show", {"surface": surface}, render.surface)


def surface_add(options: Options, surface: str, *, catalog: str | None = None, preset: str = "adaptive") -> Call:
    """A new surface."""
    path = None if catalog is None else os.path.abspath(catalog)
    return Call("surface.add", {"surface": surface, "preset_name": preset, "catalog": path}, render.surface_added)


def surface_remove(options: Options, surface: str) -> Call:
    """Delete a surface; ask first."""
    return Call("surface.remove", {"surface": surface}, render.surface_removed)


def export(options: Options, *, to: str, format: str = "jsonl") -> Call:
    """Everything in readable form."""
    return Call("export", {"to": os.path.abspath(to)}, render.export_to(to))


def doctor(options: Options, *, rebuild: bool = False) -> Call:
    """Check the vault."""
    return Call("doctor", {"rebuild": rebuild}, render.doctor)


def lock(options: Options) -> Call:
    """Close the vault."""
    return Call("lock", {}, render.locked)


def _correct(surface: str, attribute: str, correction: str, value: float | None = None) -> Call:
    args = {"surface": surface, "attribute": attribute, "correction": correction, "value": value}
    return Call("correct", args, render.correction)
