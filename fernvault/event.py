"""Events: what a surface reports, and the corrections that the owner adds to the same journal."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final, NamedTuple


class Act(IntEnum):
    """What a journal entry does to an edge. The numbers are part of the vault's format."""

    LEARN = 0
    SET = 1
    PIN = 2
    UNPIN = 3
    FORGET = 4


CORRECTIONS: Final = {"set": Act.SET, "pin": Act.PIN, "unpin": Act.UNPIN, "forget": Act.FORGET}
UNDO: Final = "undo"
REDO: Final = "redo"
TUNE: Final = "tune"
"""The owner's choice of parameters for a surface; ``item`` holds them as JSON."""

OWNER_KINDS: Final = frozenset(CORRECTIONS) | {UNDO, REDO, TUNE}
"""Kinds that only the owner can write; a surface that reports one is refused."""

OWNER_ID: Final = re.compile(r"owner-[0-9a-f]+-[0-9]+")
"""How the owner's own entries are called; were one taken by a surface, the owner's would be a duplicate."""

KIND_MAGNITUDE: Final = {
    "buy": 1.0,
    "book": 1.0,
    "say": 1.0,
    "like": 1.0,
    "rate": 1.0,
    "use": 0.6,
    "cart": 0.6,
    "save": 0.6,
    "click": 0.3,
    "view": 0.2,
    "return": -1.0,
    "returned": -1.0,
    "refund": -1.0,
    "cancel": -0.6,
    "cancelled": -0.6,
    "canceled": -0.6,
    "decline": -0.6,
    "skip": -0.3,
    "dislike": -1.0,
}
"""Magnitudes where a catalog or a mapping says nothing; an unknown kind counts 1."""


class Event(NamedTuple):
    """One thing that happened.

    ``at`` is an instant in microseconds; ``magnitude`` is signed, and a negative one strengthens the opposites;
    ``attributes`` are as reported, in order, without repeats; ``quantity`` and ``value`` are kept as reported.
    """

    id: str
    at: int
    kind: str
    item: str | None
    attributes: tuple[str, ...]
    magnitude: float
    quantity: float | None = None
    value: float | None = None
