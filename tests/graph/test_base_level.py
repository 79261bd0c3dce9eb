"""Base level against the exact sum: by hand, and Petrov's hybrid within the errors that were measured for it."""

from __future__ import annotations

import random
from math import inf, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fernvault.graph.base_level import exact, hybrid
from fernvault.instant import DAY

NOW = 2_000 * DAY


def test_by_hand() -> None:
    # Uses 4, 1 and 0.25 days ago: 1/2 + 1 + 2.
    assert exact([NOW - 4 * DAY, NOW - DAY, NOW - DAY // 4], NOW) == pytest.approx(log(3.5))


def test_a_use_of_this_minute_counts_as_an_hour_ago() -> None:
    assert exact([NOW], NOW) == pytest.approx(log(24**0.5))


def test_the_hybrid_of_the_optimised_form_by_hand() -> None:
    # One latest use 1 day ago, one older use 9 days ago: 1 + 1·(9^.5 - 1^.5)/(.5·8) = 1.5.
    assert hybrid([NOW - DAY], 2, NOW - 9 * DAY, NOW) == pytest.approx(log(1.5))


def _histories(kind: str, rng: random.Random) -> list[float]:
    """Ages in days, of 20 to 200 uses within a year."""
    count = rng.randint(20, 200)
    if kind == "regular":
        return [1 + 364 * n / count for n in range(count)]
    if kind == "poisson":
        return sorted(rng.uniform(0.5, 365) for _ in range(count))
    if kind == "bursts":
        centres = [rng.uniform(5, 360) for _ in range(6)]
        return sorted(max(0.5, rng.gauss(rng.choice(centres), 3.0)) for _ in range(count))
    dropped = [rng.uniform(100, 365) for _ in range(count)]
    fresh = [rng.uniform(0.5, 10) for _ in range(rng.randint(1, 6))] if kind == "resumed" else []
    return sorted(dropped + fresh)


# Root mean square and largest error with the eight latest times, in nats, of 400 histories (mechanisms 2.3), doubled:
# these histories are drawn alike and are not the same. The largest error of bursts depends on how tight they are drawn,
# so it is held by the bound below, which follows from the sum, and not by a number.
@pytest.mark.parametrize(
    ("kind", "rms", "largest"),
    [
        ("regular", 0.02, 0.04),
        ("poisson", 0.06, 0.2),
        ("bursts", 0.14, inf),
        ("dropped", 0.02, 0.05),
        ("resumed", 0.02, 0.05),
    ],
)
def test_the_hybrid_stays_near_the_exact_sum(kind: str, rms: float, largest: float) -> None:
    rng = random.Random(7)
    errors = []
    for _ in range(200):
        times = [NOW - int(age * DAY) for age in _histories(kind, rng)]
        found = hybrid(times[:8], len(times), times[-1], NOW)
        errors.append(found - exact(times, NOW))
    assert (sum(error * error for error in errors) / len(errors)) ** 0.5 < rms
    assert max(map(abs, errors)) < largest


@given(st.lists(st.floats(0.05, 1_000.0), min_size=9, max_size=60))
def test_the_hybrid_lies_where_the_exact_sum_can_lie(ages: list[float]) -> None:
    # Whatever the older uses were, each lies between the eighth latest and the first, and so do both sums.
    times = sorted((NOW - int(age * DAY) for age in ages), reverse=True)
    latest = sum(((NOW - time) / DAY) ** -0.5 for time in times[:8])
    near, far = ((NOW - times[7]) / DAY) ** -0.5, ((NOW - times[-1]) / DAY) ** -0.5
    lowest, highest = (log(latest + (len(times) - 8) * each) for each in (far, near))
    for found in (hybrid(times[:8], len(times), times[-1], NOW), exact(times, NOW)):
        assert lowest - 1e-9 <= found <= highest + 1e-9


def test_eight_uses_or_fewer_are_exact() -> None:
    times = [NOW - n * DAY for n in range(1, 9)]
    assert hybrid(times, 8, times[-1], NOW) == pytest.approx(exact(times, NOW))


@pytest.mark.parametrize("broken", [([], 0.5), ([NOW], 1.0)])
def test_what_has_no_base_level(broken: tuple[list[int], float]) -> None:
    times, decay = broken
    with pytest.raises(ValueError, match="hybrid"):
        hybrid(times, 3, NOW - DAY, NOW, decay)
