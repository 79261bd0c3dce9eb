"""Ours and the opponents: each learns one user's choices and everybody's popularity, and scores items in a context.

Items that the user never chose are scored by popularity, for every method alike, so that only what is known of the
person in a context differs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import nlargest
from math import exp, log
from typing import NamedTuple

from evals.context.rows import Case, Choice
from fernvault.attribute import from_value
from fernvault.edge import EdgeEvent
from fernvault.event import Act
from fernvault.graph.person import Person
from fernvault.graph.standing import kappa
from fernvault.graph.unrolling import contributions
from fernvault.graph.worth import chance, learnt_kappa, spread
from fernvault.instant import DAY
from fernvault.rule import ADAPTIVE

POPULAR = 200
LEAST = 1e-9
"""Others' strength under which an item has no prior: what taking the user's own part out leaves of nothing."""

Scores = Mapping[str, float]
Scorer = Callable[[Choice], Scores]
Setting = tuple[float, ...]


class Crowd(NamedTuple):
    """Everybody's seen choices: per item, the sum of strengths over the users, and how often it was chosen.

    ``squares`` and ``by_chance`` are per item the sums of strength² and of what chance makes of it, short of the
    factor 1 - share (``graph/worth``). Only the POPULAR items that were chosen most are ranked besides the user's own:
    no other comes near the first ten.
    """

    users: int
    choices: int
    counts: Mapping[str, int]
    strengths: Mapping[str, float]
    squares: Mapping[str, float]
    by_chance: Mapping[str, float]


class Method(NamedTuple):
    """A name, the settings it may choose from, and what makes a scorer for one user."""

    name: str
    grid: Sequence[Setting]
    fit: Callable[[Case, Crowd, Setting], Scorer]


def crowd(cases: Sequence[Case]) -> Crowd:
    """What all these users' seen choices say."""
    counts: Counter[str] = Counter(choice.item for case in cases for choice in case.seen)
    kept = {spelt(item): counts[item] for item in nlargest(POPULAR, sorted(counts), key=counts.__getitem__)}
    strengths, squares, by_chance = (dict.fromkeys(kept, 0.0) for _ in range(3))
    for case in cases:
        for name, (strong, left_to_chance) in _alone(case).items():
            if name in kept:
                strengths[name] += strong
                squares[name] += strong * strong
                by_chance[name] += left_to_chance
    return Crowd(len(cases), sum(counts.values()), kept, strengths, squares, by_chance)


def _alone(case: Case) -> dict[str, tuple[float, float]]:
    """Per item of one user, its strength at the last choice, and Σ c² over what each choice adds to it."""
    entries: dict[str, list[EdgeEvent]] = {}
    for index, choice in enumerate(case.seen):
        entries.setdefault(spelt(choice.item), []).append(EdgeEvent(choice.at, index, Act.LEARN, 1.0))
    found = {}
    for name, each in entries.items():
        added = contributions(each, case.seen[-1].at, ADAPTIVE)
        found[name] = (sum(added), chance(added, 0.0))
    return found


def learnt(case: Case, everyone: Crowd) -> tuple[dict[str, float], float]:
    """The prior from all users but this one, and its κ as a publisher would learn it from them (``graph/worth``)."""
    own, count = _alone(case), Counter(spelt(choice.item) for choice in case.seen)
    users, choices = max(everyone.users - 1, 1), max(everyone.choices - len(case.seen), 1)
    means: dict[str, float] = {}
    by_chance = spread_out = 0.0
    for name, total in everyone.strengths.items():
        strong, left_to_chance = own.get(name, (0.0, 0.0))
        rest = total - strong
        if rest > LEAST:
            means[name] = rest / users
            share = (everyone.counts[name] - count[name]) / choices
            by_chance += (1.0 - share) * (everyone.by_chance[name] - left_to_chance)
            spread_out += spread(rest, everyone.squares[name] - strong * strong, users)
    return means, learnt_kappa(by_chance, spread_out)


def learned(case: Case, *, context: bool) -> Person:
    """The product's memory of a user: each choice is an event with its item and its context."""
    person = Person()
    for choice in case.seen:
        person.learn(choice.at, [spelt(choice.item), *(choice.context if context else ())])
    return person


def spelt(item: str) -> str:
    """The item as an attribute. Raises ValueError where nothing in it can be spelt."""
    found = from_value("item", item)
    if found is None:
        raise ValueError(item)
    return found


def _popularity(case: Case, all_users: Crowd, setting: Setting) -> Scorer:
    base = {name: count / 1e9 for name, count in all_users.counts.items()}
    return lambda choice: base


def _with_ties(own: Mapping[str, float], all_users: Crowd) -> dict[str, float]:
    found = {name: count / 1e9 for name, count in all_users.counts.items()}
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
        own: defaultdict[str, float] = defaultdict(float)
        for past in case.seen:
            shared = len(set(past.context) & set(choice.context))
            near = shared >= part * max(len(choice.context), 1)
            own[spelt(past.item)] += 1.0 if near else 1e-3
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
    """The product's reading with its defaults; ``setting``: whether context is given, and where κ comes from."""
    context, source = setting
    person = learned(case, context=True)
    at = case.seen[-1].at
    prior, worth = learnt(case, all_users) if source else ({}, 0.0)
    if source == FEW:
        worth = kappa(prior, ADAPTIVE)

    def score(choice: Choice) -> Scores:
        found = person.scores(at, seeds=choice.context if context else (), prior=prior, worth=worth)
        return found if source else _with_ties(found, all_users)

    return score


NONE, FEW, LEARNT = 0.0, 1.0, 2.0
"""No prior; one worth the rule's events; κ learnt from the other users."""

OURS = Method("fernvault", [(1.0, LEARNT)], _ours)
METHODS = (
    Method("popularity", [()], _popularity),
    Method("own count, popularity ties", [()], _own_count),
    Method("counter of the same context", [(0.34,), (0.5,), (0.75,), (1.0,)], _same_context),
    Method("plain lift, half strength", [(0.5,)], _plain_lift),
    Method("plain lift", [(0.1,), (0.25,), (0.5,), (1.0,)], _plain_lift),
    OURS,
    Method("fernvault, no context", [(0.0, LEARNT)], _ours),
    Method("fernvault, prior of 2 events", [(1.0, FEW)], _ours),
    Method("fernvault, no prior", [(1.0, NONE)], _ours),
)
DATED = (
    Method("recency", [()], _recency),
    Method("decayed counter", [(7.0,), (30.0,), (90.0,), (365.0,)], _decayed),
)
