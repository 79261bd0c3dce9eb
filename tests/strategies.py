"""What the tests of the arithmetic draw at random: instants, rules, edges, journal entries, attributes."""

from __future__ import annotations

import string
from typing import Final

from hypothesis import settings
from hypothesis import strategies as st

from fernvault.edge import CEILING, TIMES_KEPT, Edge, EdgeEvent
from fernvault.event import Act
from fernvault.instant import DAY, SECOND
from fernvault.rule import ADAPTIVE, PAPER, Rule

START: Final = 20_454 * DAY
"""2026-01-01T00:00Z: 56 years of 365 days and 14 leap days after 1970."""

checked = settings(max_examples=60, deadline=None)
"""For most properties; no deadline, for the machine may be busy."""

costly = settings(checked, max_examples=30)
"""For a property that computes much for each case."""

instants = st.integers(START, START + 3_000 * DAY)
spans = st.one_of(st.integers(0, 3_000 * DAY), st.integers(0, 3_000).map(lambda days: days * DAY))
strengths = st.floats(0.0, CEILING, allow_subnormal=False)

_half_lives = st.lists(st.floats(0.5, 3_650.0), min_size=1, max_size=4).map(lambda found: tuple(sorted(found)))


@st.composite
def odd_rules(draw: st.DrawFn) -> Rule:
    """A rule that no preset has."""
    half_lives = draw(_half_lives)
    return Rule(
        name="odd",
        alpha=draw(st.floats(0.05, 3.0)),
        half_lives=half_lives,
        weights=tuple(draw(st.floats(0.1, 4.0)) for _ in half_lives),
        floor=draw(st.sampled_from((0.01, 0.02, 0.5, 1.0))),
        gamma=draw(st.floats(0.1, 1.0)),
        known=draw(st.floats(0.3, 0.9)),
        occasion=draw(st.sampled_from((0, 60 * SECOND, DAY))),
        hits_half_life=draw(st.none() | st.floats(10.0, 1_000.0)),
        owner_hits=draw(st.floats(1.0, 10.0)),
        quantity=draw(st.booleans()),
        prior_events=draw(st.floats(0.0, 4.0)),
        shrinkage=draw(st.floats(0.5, 5.0)),
    )


rules = st.one_of(st.just(ADAPTIVE), st.just(PAPER), odd_rules())


@st.composite
def edges(draw: st.DrawFn, rule: Rule, *, least: float = 0.0, pinned: bool | None = False) -> Edge:
    """An edge of a rule whose traces lie in [least, 9], at any instant; ``pinned=None`` draws that too."""
    at = draw(instants)
    hits = draw(st.integers(1, 50))
    return Edge(
        traces=tuple(draw(st.floats(least, CEILING, allow_subnormal=False)) for _ in rule.half_lives),
        at=at,
        hits=hits,
        fresh=draw(st.floats(0.0, float(hits))),
        first=at - draw(spans),
        times=tuple(at - SECOND * back for back in range(min(hits, TIMES_KEPT))),
        pinned=draw(st.booleans()) if pinned is None else pinned,
    )


@st.composite
def histories(draw: st.DrawFn, rule: Rule, *, acts: tuple[Act, ...] = tuple(Act), most: int = 12) -> list[EdgeEvent]:
    """Journal entries in order of (at, seq), with gaps from none at all to some years."""
    gaps = st.one_of(st.just(0), st.integers(0, 3_600 * SECOND), st.integers(0, 40 * DAY), st.integers(0, 1_200 * DAY))
    entries = []
    at = draw(instants)
    for seq in range(draw(st.integers(0, most))):
        at += draw(gaps)
        act = draw(st.sampled_from((Act.LEARN, Act.LEARN, Act.LEARN, *acts)))
        top = CEILING if act == Act.SET else min(1.0, CEILING / rule.alpha)
        amount = draw(st.floats(0.0 if act == Act.SET else 0.05, top))
        entries.append(EdgeEvent(at, seq, act, amount))
    return entries


_FIRST_LETTERS = string.ascii_lowercase
_ENDS = string.ascii_lowercase + string.digits
_INSIDE = _ENDS + "-"


@st.composite
def _slugs(draw: st.DrawFn, first: str, longest: int) -> str:
    length = draw(st.integers(1, 6) | st.integers(longest - 1, longest))
    head = draw(st.sampled_from(first))
    if length == 1:
        return head
    middle = draw(st.text(_INSIDE, min_size=length - 2, max_size=length - 2))
    return head + middle + draw(st.sampled_from(_ENDS))


namespaces = _slugs(_FIRST_LETTERS, 16)
names = _slugs(_ENDS, 48)
attributes = st.builds(lambda sign, space, name: f"{sign}{space}:{name}", st.sampled_from(("", "!")), namespaces, names)
