"""Ours and the opponents: each learns one user's choices and everybody's popularity, and scores items in a context.

Items that the user never chose are scored by popularity, for every method alike, so that only what is known of the
person in a context differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from math import exp, log
from typing import NamedTuple

from evals.context.rows import Case, Choice
from fernvault.graph.person import Person
from fernvault.instant import DAY

POPULAR = 200

Scores = Mapping[str, float]
Scorer = Callable[[Choice], Scores]
Setting = tuple[float, ...]


class Crowd(NamedTuple):
    """Everybody's seen choices: per item, the sum of strengths over the users, and how often it was chosen.

    Only the POPULAR items that were chosen most are ranked besides the user's own: no other comes near the first ten.
    """

    users: int
    strengths: Mapping[str, float]
    counts: Mapping[str, int]


class Method(NamedTuple):
    """A name, the settings it may choose from, and what makes a scorer for one user."""

    name: str
    grid: Sequence[Setting]
    fit: Callable[[Case, Crowd, Setting], Scorer]


def crowd(cases: Sequence[Case]) -> Crowd:
    """What all these users' seen choices say."""
    strengths: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    for case in cases:
        person = learned(case, context=False)
        at = case.seen[-1].at
        strengths.update({one.attribute: one.strength for one in person.read(at)})
        counts.update(choice.item for choice in case.seen)
    kept = nlargest(POPULAR, sorted(counts), key=counts.__getitem__)
    return Crowd(
        len(cases), {spelt(item): strengths[spelt(item)] for item in kept}, {item: counts[item] for item in kept}
    )


def learned(case: Case, *, context: bool) -> Person:
    """The product's memory of a user: each choice is an event with its item and its context."""
    person = Person()
    for choice in case.seen:
        person.learn(choice.at, [spelt(choice.item), *(choice.context if context else ())])
    return person


def spelt(item: str) -> str:
    """The item as an attribute; items here are short names."""
    return "item:" + "".join(letter if letter.isalnum() else "-" for letter in item.lower()).strip("-")


def _popularity(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    base = {spelt(item): count / 1e9 for item, count in all_users.counts.items()}
    return lambda choice: base


def _with_ties(own: Mapping[str, float], all_users: Crowd) -> dict[str, float]:
    found = {spelt(item): count / 1e9 for item, count in all_users.counts.items()}
    for name, value in own.items():
        found[name] = found.get(name, 0.0) + value
    return found


def _own_count(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    found = _with_ties(Counter(spelt(choice.item) for choice in case.seen), all_users)
    return lambda choice: found


def _recency(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    found = _with_ties({spelt(choice.item): index + 1.0 for index, choice in enumerate(case.seen)}, all_users)
    return lambda choice: found


def _decayed(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    own: Counter[str] = Counter()
    last = case.seen[-1].at
    for choice in case.seen:
        own[spelt(choice.item)] += 2.0 ** (-(last - choice.at) / (setting[0] * DAY))
    found = _with_ties(own, all_users)
    return lambda choice: found


def _same_context(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    """Only choices that share at least a part of the context count fully; the others break ties."""
    part = setting[0]

    def score(choice: Choice) -> Scores:
        own: Counter[str] = Counter()
        for past in case.seen:
            shared = len(set(past.context) & set(choice.context))
            near = shared >= part * max(len(choice.context), 1)
            own[spelt(past.item)] += 1.0 if near else 1e-3  # type: ignore[assignment]
        return _with_ties(own, all_users)

    return score


def _plain_lift(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    """Own count times e^(d·Σ log lift), lifts not shrunk; what never met a seed is at -2 nats."""
    share = setting[0]
    own = Counter(spelt(choice.item) for choice in case.seen)
    seeds = Counter(name for choice in case.seen for name in choice.context)
    joint = Counter((spelt(choice.item), name) for choice in case.seen for name in choice.context)

    def score(choice: Choice) -> Scores:
        lifted = {}
        for item, count in own.items():
            total = 0.0
            for name in choice.context:
                if seeds[name]:
                    met = joint[item, name]
                    total += max(-2.0, log(met * len(case.seen) / (count * seeds[name]))) if met else -2.0
            lifted[item] = count * exp(share * total)
        return _with_ties(lifted, all_users)

    return score


def _ours(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    """The product's reading with its defaults; ``setting``: whether context is given, and whether there is a prior."""
    context, with_prior = setting
    person = learned(case, context=True)
    at = case.seen[-1].at
    alone = {one.attribute: one.strength for one in learned(case, context=False).read(at)}
    others = max(all_users.users - 1, 1)
    means = {name: (held - alone.get(name, 0.0)) / others for name, held in all_users.strengths.items()}
    prior = {name: mean for name, mean in means.items() if mean > 1e-9} if with_prior else {}

    def score(choice: Choice) -> Scores:
        found = person.scores(at, seeds=choice.context if context else (), prior=prior)
        return found if with_prior else _with_ties(found, all_users)

    return score


OURS = Method("fernvault", [(1.0, 1.0)], _ours)
METHODS = (
    Method("popularity", [()], _popularity),
    Method("own count, popularity ties", [()], _own_count),
    Method("counter of the same context", [(0.34,), (0.5,), (0.75,), (1.0,)], _same_context),
    Method("plain lift", [(0.1,), (0.25,), (0.5,), (1.0,)], _plain_lift),
    OURS,
    Method("fernvault, no context", [(0.0, 1.0)], _ours),
    Method("fernvault, no prior", [(1.0, 0.0)], _ours),
)
DATED = (
    Method("recency", [()], _recency),
    Method("decayed counter", [(7.0,), (30.0,), (90.0,), (365.0,)], _decayed),
)
