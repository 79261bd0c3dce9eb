"""Fixtures of the command's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cli.support import World, filled_world, new_world


@pytest.fixture
def world() -> Iterator[World]:
    """A person without a vault."""
    with new_world() as made:
        yield made


@pytest.fixture
def filled() -> Iterator[World]:
    """A person with a locked vault of one surface and 60 events."""
    with filled_world() as made:
        yield made


@pytest.fixture
def warm(filled: World) -> World:
    """The same with the agent running."""
    filled.start_agent()
    return filled


@pytest.fixture(scope="module")
def shared() -> Iterator[World]:
    """As ``warm``, for the tests of one module that only read, or take back what they do."""
    with filled_world() as made:
        made.start_agent()
        yield made
