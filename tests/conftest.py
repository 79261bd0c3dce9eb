"""What tests of several folders share: an empty vault, open, on a clock that the test moves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fernvault.memory import Vault
from fernvault.surface import Surface
from tests.vaults import PASSPHRASE, Clock, copy, create


@pytest.fixture(scope="session")
def empty_vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a vault with nothing in it, to be copied."""
    return create(tmp_path_factory.mktemp("empty") / "vault").path


@pytest.fixture
def clock() -> Clock:
    """The vault's clock: 2026-01-01T00:00Z until the test moves it."""
    return Clock()


@pytest.fixture
def folder(empty_vault: Path, tmp_path: Path) -> Path:
    """The folder of an empty vault, closed."""
    return copy(empty_vault, tmp_path / "vault")


@pytest.fixture
def vault(folder: Path, clock: Clock) -> Iterator[Vault]:
    """An empty vault, open."""
    with Vault.open(folder, PASSPHRASE, clock=clock) as opened:
        yield opened


@pytest.fixture
def shop(vault: Vault) -> Surface:
    """A surface under the default rule, with no catalog."""
    return vault.add_surface("shop.example")
