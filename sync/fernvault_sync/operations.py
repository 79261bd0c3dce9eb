"""What the owner can ask of an open vault: one function per operation, JSON in, JSON out.

The agent and a verb run with ``--no-agent`` both come through ``perform``, so they cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, validate_call

from fernvault.card import ENTRIES, Card
from fernvault.catalog.catalog import load_catalog
from fernvault.documents import card_document, surface_document, view_document, why_document
from fernvault.errors import FernError, InputError, NotFoundError, VaultDamagedError
from fernvault.event import Event
from fernvault.guard.incoming import event_from
from fernvault.guard.limits import MAX_BATCH, MAX_CONTEXT
from fernvault.instant import resolve, to_text
from fernvault.memory import Vault
from fernvault.portable.prior_file import read_prior
from fernvault.rule import preset
from fernvault.surface import Surface
from fernvault.vault import layout
from fernvault.vault.faults import named

_Name = Annotated[str, Field(max_length=200)]
_When = Annotated[str, Field(max_length=40)] | None


def status(vault: Vault) -> dict[str, Any]:
    """What is in the vault, and what its place is like."""
    return {
        "vault": str(vault.folder.path),
        "state": "unlocked",
        "id": vault.id,
        "zone": vault.zone.key,
        "created": to_text(vault.created),
        "surfaces": len(vault.surfaces()),
        "events": vault.event_count(),
        "schema": vault.schema(),
        "warnings": layout.warnings(vault.folder),
    }


def surface_add(vault: Vault, surface: _Name, preset_name: str, catalog: str | None) -> dict[str, Any]:
    """Add a surface; ``catalog`` is the absolute path of a catalog file."""
    loaded = None if catalog is None else load_catalog(Path(catalog))
    has_table = loaded is not None and loaded.items is not None
    items = loaded.iter_items() if loaded is not None and has_table else ()
    vault.add_surface(surface, rule=preset(preset_name), catalog=loaded, items=items)
    return surface_show(vault, surface)


def surface_list(vault: Vault) -> list[dict[str, Any]]:
    """Every surface with its counts."""
    return [surface_show(vault, surface.name) for surface in vault.surfaces()]


def surface_show(vault: Vault, surface: _Name) -> dict[str, Any]:
    """One surface: when it was added, its rule, its counts."""
    found = vault.surface(surface)
    return {
        **surface_document(found),
        "events": vault.event_count(found.name),
        "attributes": vault.attribute_count(found.name),
        "items": vault.item_count(found.name),
    }


def surface_remove(vault: Vault, surface: _Name) -> dict[str, Any]:
    """Delete a surface and all that it brought, from the file's bytes too."""
    return {"surface": surface, "deleted": vault.remove_surface(surface)}


def record(vault: Vault, surface: _Name, events: list[Any], source: _Name) -> list[dict[str, Any]]:
    """Write up to 1,000 events in one durable transaction; one answer each, in order."""
    good, refused = _checked(vault, surface, events)
    answers: list[dict[str, Any]] = [
        {"id": _shown_id(document), "status": "refused", "attributes": [], "reason": refused.get(index)}
        for index, document in enumerate(events)
    ]
    results = vault.surface(surface).record([event for _, event in good], source=source)
    for (index, event), result in zip(good, results, strict=True):
        status = "recorded" if result.new else "duplicate"
        answers[index] = {"id": event.id, "status": status, "attributes": list(result.attributes) if result.new else []}
    return answers


def record_batch(vault: Vault, surface: _Name, events: list[Any], source: _Name) -> dict[str, Any]:
    """As ``record``, with one answer for the whole batch: an import needs the counts and what was refused.

    An import is the owner's own act, so it also brings back what the owner had taken back.
    """
    good, refused = _checked(vault, surface, events)
    results = vault.surface(surface).record([event for _, event in good], source=source, again=True)
    recorded = sum(result.new for result in results)
    return {
        "recorded": recorded,
        "duplicates": len(results) - recorded,
        "unmapped": sum(result.new and not result.attributes for result in results),
        "attributes": sorted({attribute for result in results if result.new for attribute in result.attributes}),
        "refused": [{"index": index, "reason": reason} for index, reason in refused.items()],
    }


def settle(vault: Vault, surface: _Name) -> dict[str, Any]:
    """Make the edges again that an import left for later, so that no read has to wait for it."""
    target = vault.surface(surface)
    target.count_tokens()
    return {"settled": target.settle()}


def _checked(vault: Vault, surface: str, events: list[Any]) -> tuple[list[tuple[int, Event]], dict[int, str]]:
    """The usable events with their places, and why the others are not."""
    if len(events) > MAX_BATCH:
        raise InputError(f"a batch holds at most {MAX_BATCH} events", next_step="send them in several batches")
    catalog = vault.surface(surface).catalog
    kinds = {} if catalog is None else dict(catalog.kinds)
    now = vault.now()
    good: list[tuple[int, Event]] = []
    refused: dict[int, str] = {}
    for index, document in enumerate(events):
        try:
            good.append((index, event_from(document, now=now, kinds=kinds)))
        except InputError as error:
            refused[index] = error.message
    return good, refused


def _shown_id(document: Any) -> str | None:
    shown = document.get("id") if isinstance(document, dict) else None
    return shown[:128] if isinstance(shown, str) else None


def card(
    vault: Vault,
    surface: _Name,
    *,
    at: _When = None,
    budget: Annotated[int, Field(ge=1, le=10_000)] | None = None,
    format: Literal["text", "json", "markdown"] = "text",
    context: Annotated[list[_Name], Field(max_length=MAX_CONTEXT)] | None = None,
) -> dict[str, Any]:
    """The card as a document, in the context of these seeds (see ``Surface.seeds``).

    ``budget`` drops the weakest entries until the text fits in that many tokens. ``print`` is the Markdown form where
    that was asked for; where the card is empty, ``latest`` is the last event's time and ``empty`` says why: "budget",
    "nothing" yet, "before" it all or "faded" since.
    """
    target = vault.surface(surface)
    moment = _moment(vault, at)
    whole = target.card(moment, seeds=target.seeds(context or [], moment))
    made = whole if budget is None else _within(target, whole, budget)
    document = card_document(made, target.cost(made))
    if not made.entries:
        # An empty card of a surface with history puzzles people: say which of its causes it is.
        latest = target.latest()
        document["latest"] = None if latest is None else to_text(latest)
        document["empty"] = _cause(whole, latest, moment)
    if format == "markdown":
        document["print"] = made.markdown()
    return document


def ls(vault: Vault, surface: _Name, at: _When = None, guesses: bool = False) -> list[dict[str, Any]]:
    """Every edge of a surface, strongest first; with ``guesses`` also what only the prior says."""
    return [view_document(view) for view in vault.surface(surface).views(_moment(vault, at), guesses=guesses)]


def why(vault: Vault, surface: _Name, attribute: _Name, at: _When = None) -> dict[str, Any]:
    """The events and the arithmetic that add up to an edge's strength."""
    return why_document(vault.surface(surface).why(attribute, _moment(vault, at)), surface)


def correct(
    vault: Vault,
    surface: _Name,
    attribute: _Name,
    correction: Literal["set", "pin", "unpin", "forget"],
    value: float | None = None,
) -> dict[str, Any]:
    """Write the owner's word to the journal; the strength before and after."""
    target = vault.surface(surface)
    before = next((view.strength for view in target.views() if view.attribute == attribute), 0.0)
    after = target.correct(correction, attribute, value)
    return {
        "surface": surface,
        "attribute": attribute,
        "correction": correction,
        "before": before,
        "strength": after.strength,
    }


def undo(vault: Vault, surface: _Name | None = None, since: _When = None) -> dict[str, Any]:
    """Take back the latest correction, or all that a surface's journal took in since a time."""
    taken = vault.undo(surface=surface, since=_moment(vault, since))
    return {"surface": taken.surface, "undone": taken.entries, "what": taken.what}


def redo(vault: Vault, surface: _Name | None = None) -> dict[str, Any]:
    """Put back what the latest undo took."""
    put = vault.redo(surface=surface)
    return {"surface": put.surface, "redone": put.entries}


def preview(
    vault: Vault,
    surface: _Name,
    days: Annotated[int, Field(ge=1, le=3650)],
    at: _When = None,
    context: Annotated[list[_Name], Field(max_length=MAX_CONTEXT)] | None = None,
) -> dict[str, Any]:
    """The card now and ``days`` later if nothing more happens, and who leaves or enters it on which day."""
    start = _moment(vault, at)
    target = vault.surface(surface)
    before, after, changes = target.preview(days, start, seeds=target.seeds(context or [], start))
    return {
        "surface": surface,
        "days": days,
        "entries": ENTRIES,
        "now": card_document(before, target.cost(before)),
        "then": card_document(after, target.cost(after)),
        "changes": [
            {"day": change.day, "leaves": list(change.leaves), "enters": list(change.enters)} for change in changes
        ],
    }


def prior_status(vault: Vault) -> list[dict[str, Any]]:
    """Each surface's prior: whose mean it is, what it is worth, when it was adopted; None where there is none."""
    return [_prior_document(surface) for surface in vault.surfaces()]


def prior_adopt(vault: Vault, surface: _Name, file: str) -> dict[str, Any]:
    """Take the prior in a file, an absolute path, for a surface."""
    target = vault.surface(surface)
    target.adopt(read_prior(Path(file)))
    return _prior_document(target)


def prior_drop(vault: Vault, surface: _Name) -> dict[str, Any]:
    """Give a surface's prior up."""
    target = vault.surface(surface)
    if not target.drop_prior():
        raise NotFoundError(f"{surface} has no prior", next_step="fern prior status")
    return _prior_document(target)


def _prior_document(surface: Surface) -> dict[str, Any]:
    adopted = surface.prior
    if adopted is None:
        return {"surface": surface.name, "users": None, "attributes": 0, "kappa": None, "adopted": None}
    return {
        "surface": surface.name,
        "users": adopted.prior.users,
        "attributes": len(adopted.prior.means),
        "kappa": surface.at().worth,
        "adopted": to_text(adopted.at),
    }


def tune_find(vault: Vault, surface: _Name) -> dict[str, Any]:
    """The parameters that would have foreseen a surface's latest days best; nothing is changed."""
    target = vault.surface(surface)
    found = target.find_tuning()
    rule = target.row.rule._asdict()
    return {
        "surface": surface,
        "days": 0 if found is None else found.days,
        "before": None if found is None else found.before,
        "after": None if found is None else found.after,
        "changes": {} if found is None else found.changes,
        "now": {} if found is None else {name: rule[name] for name in found.changes},
    }


def tune_apply(vault: Vault, surface: _Name, changes: dict[str, Any]) -> dict[str, Any]:
    """Use these parameters from now on."""
    target = vault.surface(surface)
    target.tune(Changes.model_validate(changes).model_dump(exclude_none=True))
    return {"surface": surface, "changes": changes}


class Changes(BaseModel):
    """Parameters of a rule as JSON; what they may be is ``rule.tuned``'s to say."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    alpha: float | None = None
    half_lives: list[float] | None = None
    prior_events: float | None = None
    shrinkage: float | None = None


def export(vault: Vault, to: str) -> dict[str, Any]:
    """Write the whole vault in readable form to an absolute folder."""
    return vault.export(Path(to))


def doctor(vault: Vault, rebuild: bool = False) -> dict[str, Any]:
    """Check the vault, after making every edge again from the journal when asked."""
    if rebuild:
        vault.rebuild()
    findings = [{"kind": finding.kind, "detail": finding.detail} for finding in vault.doctor()]
    try:
        with named(vault.folder.db):
            events = vault.event_count()
    except VaultDamagedError:
        # Counting reads every page of the journal, which a damaged one does not let; the findings say so.
        events = None
    return {"findings": findings, "events": events, "warnings": layout.warnings(vault.folder)}


def _moment(vault: Vault, text: str | None) -> int | None:
    return None if text is None else resolve(text, vault.now())


def _cause(whole: Card, latest: int | None, moment: int | None) -> str:
    if whole.entries:
        return "budget"
    if latest is None:
        return "nothing"
    return "before" if moment is not None and moment < latest else "faded"


def _within(target: Surface, made: Card, budget: int) -> Card:
    while made.entries and target.cost(made).tokens > budget:
        made = made._replace(entries=made.entries[:-1])
    return made


_CHECKED: Final = ConfigDict(arbitrary_types_allowed=True, strict=True)

_FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "status": status,
    "surface.add": surface_add,
    "surface.list": surface_list,
    "surface.show": surface_show,
    "surface.remove": surface_remove,
    "record": record,
    "record.batch": record_batch,
    "settle": settle,
    "card": card,
    "ls": ls,
    "why": why,
    "correct": correct,
    "undo": undo,
    "redo": redo,
    "preview": preview,
    "prior.status": prior_status,
    "prior.adopt": prior_adopt,
    "prior.drop": prior_drop,
    "tune.find": tune_find,
    "tune.apply": tune_apply,
    "export": export,
    "doctor": doctor,
}
OPERATIONS: Final = {name: validate_call(config=_CHECKED)(function) for name, function in _FUNCTIONS.items()}


def perform(vault: Vault, op: str, args: dict[str, Any]) -> Any:
    """The result of an operation. Raises FernError; InputError for an unknown operation or unusable arguments."""
    function = OPERATIONS.get(op)
    if function is None:
        raise InputError(f"unknown operation {op[:60]!r}", next_step="fern agent stop")
    try:
        # Reading meets damage too, outside of any transaction.
        with named(vault.folder.db):
            return function(vault, **args)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        shown = where[:40] if where.replace(".", "").isidentifier() else ascii(where[:40])
        raise InputError(f"{shown}: {first['msg']}", next_step="fern --help") from None


def error_document(error: FernError) -> dict[str, Any]:
    """An error as the agent sends it and as ``--json`` prints it."""
    return {"code": error.code, "message": error.message, "next": error.next_step, "exit": error.exit_code}
