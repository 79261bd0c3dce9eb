"""Learning: the saturating Hebbian write, a soft bound per edge (mechanisms 2.1)."""

from __future__ import annotations

from fernvault.edge import CEILING, TIMES_KEPT, Edge
from fernvault.graph.fading import settle
from fernvault.rule import Rule


def bump(trace: float, gain: float) -> float:
    """w + gain·(1 - w/9), for 0 <= gain <= 9: a strength in [0, 9] stays there, rounding included."""
    return min(CEILING, trace + gain * (1.0 - trace / CEILING))


def learn(edge: Edge | None, at: int, magnitude: float, rule: Rule) -> Edge:
    """The edge after one event of magnitude > 0 at the instant ``at``: fade first, then bump every trace.

    An edge that is gone by then starts afresh. An event closer than ``rule.occasion`` to the latest one strengthens,
    but is not another hit. Raises ValueError unless 0 < alpha·magnitude <= 9.
    """
    gain = rule.alpha * magnitude
    if not 0.0 < gain <= CEILING:
        raise ValueError(f"alpha times magnitude must be over 0 and at most 9, not {gain}")
    now = settle(edge, at, rule)
    if now is None:
        return Edge(traces=(gain,) * len(rule.half_lives), at=at, hits=1, fresh=1.0, first=at, times=(at,))
    occasion = not now.times or at - now.times[0] >= rule.occasion
    return Edge(
        tuple([min(CEILING, trace + gain * (1.0 - trace / CEILING)) for trace in now.traces]),
        now.at,
        now.hits + occasion,
        now.fresh + occasion,
        now.first,
        (at, *now.times[: TIMES_KEPT - 1]),
        now.pinned,
        now.owner,
    )
