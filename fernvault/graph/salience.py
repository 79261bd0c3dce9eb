"""Salience: what matters fades more slowly. λ_eff = λ·(1 - β·s), so the half-life grows by 1/(1 - β·s)."""

from __future__ import annotations

from typing import Final

from fernvault.attribute import is_negative, namespace

DISLIKE: Final = 0.5
FACT: Final = 0.8


def salience(attribute: str) -> float:
    """s in [0, 1]: 0.8 for what the person is (`fact:`), 0.5 for a dislike, 0 otherwise (mechanisms 1.2)."""
    if namespace(attribute) == "fact":
        return FACT
    return DISLIKE if is_negative(attribute) else 0.0


def slowed(half_life: float, salient: float, beta: float) -> float:
    """The half-life in days under salience ``salient`` and weight ``beta``, both in [0, 1], their product under 1."""
    return half_life / (1.0 - beta * salient)
