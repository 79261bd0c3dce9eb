"""Foresight: when, as everything fades, the card changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

State = TypeVar("State")


def changes(state: Callable[[int], State], first: int, last: int) -> Iterator[tuple[int, State]]:
    """Each day in (first, last] on which ``state(day)`` differs from the day before, with its new state, in order.

    Halves the span until both ends agree, so that few days are computed; a state that changes and changes back inside
    a span whose ends agree is passed over. Under fading alone that takes two crossings of the same two edges.
    """
    yield from _changes(state, first, state(first), last, state(last))


def _changes(
    state: Callable[[int], State], first: int, before: State, last: int, after: State
) -> Iterator[tuple[int, State]]:
    if before == after or last <= first:
        return
    if last - first == 1:
        yield last, after
        return
    middle = (first + last) // 2
    between = state(middle)
    yield from _changes(state, first, before, middle, between)
    yield from _changes(state, middle, between, last, after)
