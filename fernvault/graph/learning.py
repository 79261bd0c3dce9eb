"""Learning: the saturating Hebbian write, a soft bound per edge (mechanisms 2.1)."""

from __future__ import annotations

from fernvault.edge import CEILING, TIMES_KEPT, Edge
from fernvault.graph.fading import faded_hits, faded_traces
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
    if edge is not None:
        traces = faded_traces(edge, at, rule)
        if edge.pinned or max(traces) >= rule.floor:
            _, before, hits, _, first, times, pinned, owner = edge
            occasion = not times or at - times[0] >= rule.occasion
            return Edge(
                # ``bump`` written out: a batch spends a fifth of its time here.
                tuple([min(CEILING, trace + gain * (1.0 - trace / CEILING)) for trace in traces]),
                max(at, before),
                hits + occasion,
                faded_hits(edge, at, rule) + occasion,
                first,
                (at, *times[: TIMES_KEPT - 1]),
                pinned,
                owner,
            )
    return Edge((gain,) * len(rule.half_lives), at, 1, 1.0, at, (at,), False, False)
