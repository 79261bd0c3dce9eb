"""The parameters of the arithmetic: one frozen rule per surface, and the two presets."""

from __future__ import annotations

from collections.abc import Mapping
from math import log
from typing import Any, Final, NamedTuple

from fernvault.errors import InputError
from fernvault.instant import MINUTE


class Rule(NamedTuple):
    """How one surface's edges learn and fade (DESIGN section 4).

    ``alpha``: learning rate. ``half_lives``: days, one per trace, fastest first. ``weights``: the traces' shares in
    strength. ``floor``: below it in every trace an edge is gone. ``gamma``, ``known``: confidence 1 - exp(-gamma *
    fresh hits), and the confidence from which an edge is known. ``occasion``: microseconds within which events are one
    occasion (0: each event is one). ``hits_half_life``: days, None when hits never fade. ``owner_hits``: how many
    occasions the owner's own word counts for. ``quantity``: whether the reported quantity changes the magnitude.
    ``prior_events``: how many events the prior is worth at its most popular attribute. ``shrinkage``: events' worth
    that the lift of a context adds to what was seen and to what chance would give.
    """

    name: str
    alpha: float
    half_lives: tuple[float, ...]
    weights: tuple[float, ...]
    floor: float
    gamma: float
    known: float
    occasion: int
    hits_half_life: float | None
    owner_hits: float
    quantity: bool
    prior_events: float
    shrinkage: float


ADAPTIVE: Final = Rule(
    name="adaptive",
    alpha=0.6,
    half_lives=(7.0, 45.0, 365.0),
    weights=(0.5, 1.0, 1.0),
    floor=0.02,
    gamma=0.4,
    known=0.7,
    occasion=30 * MINUTE,
    hits_half_life=365.0,
    owner_hits=8.0,
    quantity=False,
    prior_events=2.0,
    shrinkage=0.5,
)
"""The default. Known takes four fresh occasions: three give 0.6988, just under the line."""

PAPER: Final = Rule(
    name="paper",
    alpha=1.5,
    half_lives=(log(2) / 0.02,),
    weights=(1.0,),
    floor=1.0,
    gamma=0.6,
    known=0.6,
    occasion=0,
    hits_half_life=None,
    owner_hits=2.0,
    quantity=True,
    prior_events=0.0,
    shrinkage=0.5,
)
"""The published system's rule and numbers (mechanisms 1.2): one trace, lambda 0.02 a day, floor 1."""

PRESETS: Final = {rule.name: rule for rule in (ADAPTIVE, PAPER)}


def preset(name: str) -> Rule:
    """The preset of that name. Raises InputError."""
    try:
        return PRESETS[name]
    except KeyError:
        raise InputError(f"no preset {name!r}", next_step=f"choose one of {', '.join(PRESETS)}") from None


TUNABLE: Final = ("alpha", "half_lives", "prior_events", "shrinkage")


def tuned(rule: Rule, changes: Mapping[str, Any]) -> Rule:
    """The rule with these parameters of TUNABLE changed. Raises InputError for one that makes no sense."""
    if not set(changes) <= set(TUNABLE):
        raise InputError("only some parameters can be tuned", next_step=f"name some of {', '.join(TUNABLE)}")
    values: dict[str, Any] = dict(changes)
    if "half_lives" in values:
        values["half_lives"] = tuple(values["half_lives"])
    changed = rule._replace(**values)
    lives = changed.half_lives
    if not (
        0.0 < changed.alpha <= 9.0
        and len(lives) == len(rule.half_lives)
        and all(0.1 <= life <= 36_500.0 for life in lives)
        and list(lives) == sorted(lives)
        and 0.0 <= changed.prior_events <= 100.0
        and 0.0 < changed.shrinkage <= 100.0
    ):
        raise InputError("these parameters make no rule", next_step="fern tune SURFACE finds some that do")
    return changed
