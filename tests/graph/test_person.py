"""The person in memory and the vault: the same events give the same standings and scores, to 1e-9."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.graph.person import Person
from fernvault.instant import DAY
from fernvault.memory import Vault
from fernvault.prior import Prior
from tests.strategies import START, checked
from tests.vaults import PASSPHRASE, SOURCE, Clock, buy, copy

numbers = iter(range(1_000_000))
POOL = ["pref:a", "pref:b", "tea:c", "ctx:morning", "ctx:evening"]
histories = st.lists(
    st.tuples(
        st.integers(0, 200),
        st.sets(st.sampled_from(POOL), min_size=1, max_size=4),
        st.sampled_from([1.0, 1.0, 0.3, -1.0, 2.5]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.fixture(scope="module")
def lasting(empty_vault: object, tmp_path_factory: pytest.TempPathFactory) -> object:
    """One vault for all examples."""
    with Vault.open(copy(empty_vault, tmp_path_factory.mktemp("p") / "v"), PASSPHRASE, clock=Clock()) as vault:  # type: ignore[arg-type]
        yield vault


@checked
@given(histories, st.sets(st.sampled_from(POOL), max_size=4), st.booleans())
def test_the_vault_and_the_person_agree(
    lasting: Vault, history: list[tuple[int, set[str], float]], seeds: set[str], with_prior: bool
) -> None:
    person = Person()
    shop = lasting.add_surface(f"p{next(numbers)}")
    means = {"pref:a": 1.5, "pref:z": 0.75} if with_prior else {}
    if with_prior:
        shop.adopt(Prior(shop.name, 10, means))
    for n, (day, attributes, magnitude) in enumerate(sorted(history, key=lambda one: one[0])):
        at = START - (200 - day) * DAY
        person.learn(at, sorted(attributes), magnitude)
        shop.record([buy(f"{n}", at, *sorted(attributes), magnitude=magnitude)], source=SOURCE)
    reading = shop.at()
    kept = {one.attribute: one.score for one in reading.ranked(99, reading.lifts(sorted(seeds)), START)}
    made = {one.attribute: one.score for one in person.read(START, seeds=sorted(seeds), prior=means) if one.score}
    assert made == pytest.approx(kept, rel=1e-9)
