"""What the vault knows as JSON documents, in the shapes that scripts rely on (docs/json.md)."""

from __future__ import annotations

import json
from typing import Any

from fernvault import tokens
from fernvault.attribute import CONTEXT, namespace
from fernvault.card import Card
from fernvault.event import Act
from fernvault.graph.selection import WEAK
from fernvault.instant import to_text
from fernvault.surface import Surface, View, Why
from fernvault.vault.history import JournalRow


def card_document(card: Card) -> dict[str, Any]:
    """The card with its entries, its text, and what the text costs in the named tokenizer."""
    text = card.text()
    counted = tokens.count(text)
    return {
        "surface": card.surface,
        "at": to_text(card.at),
        "context": [],
        "entries": [
            {
                "attribute": entry.attribute,
                "strength": entry.strength,
                "confidence": entry.confidence,
                "mark": entry.mark,
                "trend": entry.trend,
                "reason": entry.reason,
            }
            for entry in card.entries
        ],
        "text": text,
        "tokens": counted.tokens,
        "tokenizer": counted.tokenizer,
    }


def view_document(view: View) -> dict[str, Any]:
    """One edge; ``weak`` says that its strength alone, or its being context, keeps it off the card."""
    return {
        "attribute": view.attribute,
        "strength": view.strength,
        "confidence": view.confidence,
        "mark": "known" if view.known else "guessed",
        "hits": view.hits,
        "first": to_text(view.first),
        "last": to_text(view.last),
        "trend": view.trend,
        "pinned": view.pinned,
        "source": "owner" if view.owner else "own",
        "weak": view.strength < WEAK or namespace(view.attribute) == CONTEXT,
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

    ``owner`` is what the owner's own corrections add together; each of them is in ``corrections``. ``folded`` (history
    older than the journal keeps) and ``prior`` are 0 as long as nothing is folded and no prior is loaded.
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
        "standing": why.strength,
        "events": events,
        "corrections": corrections,
        "owner": owner,
        "folded": 0.0,
        "sum": sum(row["adds"] for row in events) + owner,
        "prior": 0.0,
    }
