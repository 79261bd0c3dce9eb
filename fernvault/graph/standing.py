"""Standing: own strength plus the prior's share, which ranks; the mark stays with own evidence (mechanisms 2.8)."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from fernvault.prior import Prior
from fernvault.rule import Rule


def kappa(means: Mapping[str, float], rule: Rule) -> float:
    """κ such that the prior is worth ``rule.prior_events`` events at its most popular attribute.

    κ·max(p) = prior_events·α; 0 for an empty prior.
    """
    most = max(means.values(), default=0.0)
    return rule.prior_events * rule.alpha / most if most > 0.0 else 0.0


def worth(prior: Prior, rule: Rule) -> float:
    """κ of a prior: what its publisher found, or else the rule's."""
    return kappa(prior.means, rule) if prior.kappa is None else prior.kappa


def standing(strength: float, mean: float, weight: float) -> float:
    """strength + κ·p, for κ = ``weight``: an attribute without own evidence reads through to κ·p."""
    return strength + weight * mean


def explained(strength: float, mean: float, weight: float, theta: float) -> bool:
    """Whether a faded own edge says no more than the prior does, within theta, so that it need not be kept."""
    return abs(strength - weight * mean) <= theta


def worth_asking(mean: float, users_with: float, exponent: float = 0.5) -> float:
    """How much a guess is worth a question: the mean, damped where nearly everybody has it.

    mean·ln(1/share)^exponent with the share of users who have the attribute (over 0, at most 1). IDF chooses what to
    ask, not how strong a guess is: as a factor of strength it puts universal favourites last.
    """
    return mean * log(1.0 / users_with) ** exponent if 0.0 < users_with < 1.0 else 0.0
