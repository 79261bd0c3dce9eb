"""What the vault knows as JSON documents, in the shapes that scripts rely on (docs/json.md)."""

from __future__ import annotations

import json
from typing import Any

from fernvault.attribute import CONTEXT, namespace
from fernvault.card import Card
from fernvault.event import Act
from fernvault.graph.selection import WEAK
from fernvault.instant import to_text
from fernvault.reading import View, Why
from fernvault.surface import Surface
from fernvault.tokens import Count
from fernvault.vault.history import JournalRow
from fernvault.vault.priors import Adopted


def card_document(card: Card, cost: Count) -> dict[str, Any]:
    """The card with its entries, its text, and what the text costs in the named tokenizer."""
    return {
        "surface": card.surface,
        "at": to_text(card.at),
        "context": list(card.context),
        "entries": [
            {
                "attribute": entry.attribute,
                "strength": entry.strength,
                "standing": entry.standing,
                "confidence": entry.confidence,
                "mark": entry.mark,
                "trend": entry.trend,
                "reason": entry.reason,
                "due": entry.due,
            }
            for entry in card.entries
        ],
        "text": card.text(),
        "tokens": cost.tokens,
        "tokenizer": cost.tokenizer,
    }


def view_document(view: View) -> dict[str, Any]:
    """One edge, or a guess, which has no times; ``weak``: its standing, or being context, keeps it off the card."""
    return {
        "attribute": view.attribute,
        "strength": view.strength,
        "standing": view.standing,
        "confidence": view.confidence,
        "mark": "known" if view.known else "guessed",
        "hits": view.hits,
        "first": None if view.first is None else to_text(view.first),
        "last": None if view.last is None else to_text(view.last),
        "trend": view.trend,
        "pinned": view.pinned,
        "source": "owner" if view.owner else "own" if view.first is not None else "prior",
        "weak": view.standing < WEAK or namespace(view.attribute) == CONTEXT,
    }


def surface_document(surface: Surface) -> dict[str, Any]:
    """One surface: its name, when it was added, its rule, its catalog's kinds, rules and context or None."""
    catalog = surface.row.catalog
    return {
        "surface": surface.name,
        "added": to_text(surface.row.added),
        "rule": surface.row.rule._asdict(),
        "catalog": None if catalog is None else json.loads(catalog),
    }


def prior_document(adopted: Adopted) -> dict[str, Any]:
    """A prior as it was adopted, in the form in which it can be adopted again."""
    prior = adopted.prior
    return {
        "format": "fernvault-prior",
        "version": 1,
        "surface": prior.surface,
        "users": prior.users,
        "kappa": prior.kappa,
        "means": dict(prior.means),
        "adopted": to_text(adopted.at),
    }


def journal_document(row: JournalRow) -> dict[str, Any]:
    """One journal entry as the export keeps it."""
    return {
        "id": row.id,
        "at": to_text(row.at),
        "kind": row.kind,
        "item": row.item,
        "attributes": list(row.attributes),
        "magnitude": row.magnitude,
        "quantity": row.quantity,
        "value": row.value,
        "source": row.source,
        "recorded": to_text(row.recorded),
        "undone_by": row.undone_by,
    }


def why_document(why: Why, surface: str) -> dict[str, Any]:
    """An edge's journal entries and what each adds; ``sum`` is their sum and equals ``strength``.

    ``owner`` is what the owner's own corrections add together; each of them is in ``corrections``. ``folded`` is
    history older than the journal keeps, 0 as long as nothing is; ``prior`` is what standing adds to strength.
    """
    events: list[dict[str, Any]] = []
    corrections: list[dict[str, Any]] = []
    for reason in why.reasons:
        entry = reason.entry
        row: dict[str, Any] = {
            "id": entry.id,
            "at": to_text(entry.at),
            "surface": surface,
            "kind": entry.kind,
            "item": entry.item,
            "magnitude": entry.magnitude,
            "adds": reason.adds,
            "source": entry.source,
        }
        if reason.act is Act.LEARN:
            events.append(row)
        else:
            corrections.append(row | {"value": entry.value})
    owner = sum(row["adds"] for row in corrections)
    return {
        "attribute": why.attribute,
        "strength": why.strength,
        "standing": why.strength + why.prior,
        "events": events,
        "corrections": corrections,
        "owner": owner,
        "folded": 0.0,
        "sum": sum(row["adds"] for row in events) + owner,
        "prior": why.prior,
    }
