"""How much of anything is taken from outside; numbers only, so that a client can know them cheaply."""

from __future__ import annotations

MAX_BATCH = 1_000
"""Events in one call."""

MAX_ATTRIBUTES = 32
"""Attributes of one event."""

FUTURE = 86_400_000_000
"""Microseconds that an event may lie ahead of the vault's clock: clocks differ, and days have zones."""

MAX_CONTEXT = 16
"""Seeds that a reading may name."""
