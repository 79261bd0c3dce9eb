"""Confidence and the mark: how many fresh occasions an edge rests on; never mixed with strength (mechanisms 2.7)."""

from __future__ import annotations

from math import exp, log

from fernvault.rule import Rule


def confidence(fresh: float, rule: Rule) -> float:
    """1 - e^(-gamma·fresh), for a count of fresh hits >= 0."""
    return 1.0 - exp(-rule.gamma * fresh)


def hits_needed(rule: Rule) -> float:
    """The count of fresh hits from which an edge is known: ln(1/(1-known))/gamma.

    The mark is decided on hits, so that the rounding of an exponential never decides it.
    """
    return log(1.0 / (1.0 - rule.known)) / rule.gamma


def is_known(fresh: float, rule: Rule) -> bool:
    """The mark: known (an agent may act) or guessed (it must verify)."""
    return fresh >= hits_needed(rule)
