"""A memory for AI agents that belongs to the person: the engine and the vault."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fernvault.event import Event as Event
    from fernvault.memory import Vault as Vault
    from fernvault.surface import Surface as Surface

__version__ = "0.1.0"

_HOMES = {"Vault": "fernvault.memory", "Surface": "fernvault.surface", "Event": "fernvault.event"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
