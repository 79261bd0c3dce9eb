"""Merit: how well a context seed has foreseen what fired with it, so that seeds that say nothing have no vote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fernvault.attribute import CONTEXT, namespace
from fernvault.graph.association import lift

CREDIT: Final = 3.0
"""Nats that a seed starts from, so that chance in its first few events does not cost it its vote."""

OCCASIONS: Final = 10.0
"""Events that the credit stands for: a fresh seed has a merit of 0.3 nats an event."""


def merit(joint: Mapping[str, float], seed: float, own: Mapping[str, float], total: float, shrinkage: float) -> float:
    """(CREDIT + Σ_i n_ij·lift_i)/(OCCASIONS + n_j), at least 0: nats of log-likelihood an event, each event left out.

    lift_i is what the counts without that event would have said of it (leave-one-out: n_ij, n_j, n_i and N less 1), so
    a coincidence cannot vouch for itself. ``joint`` n_ij, ``seed`` n_j, ``own`` n_i per attribute and ``total`` N are
    decayed counts at one instant; context among the attributes is passed over: it is given and need not be foreseen.
    """
    gained = sum(
        together * lift(max(together - 1.0, 0.0), seed - 1.0, own[name] - 1.0, total - 1.0, shrinkage)
        for name, together in joint.items()
        if namespace(name) != CONTEXT
    )
    return max(0.0, (CREDIT + gained) / (OCCASIONS + seed))
