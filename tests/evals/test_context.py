"""The context table: splits, opponents and hits by hand, and the real files where they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evals import metrics
from evals.context import OURS, SOURCES, Hits, hits, run, simulated
from evals.context.methods import METHODS, crowd, learned, learnt, spelt
from evals.context.rows import Case, Choice, fifth_at_random, last_fifth

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
AT = 1_600_000_000_000_000
MORNING, EVENING = ("ctx:morning",), ("ctx:evening",)


def choices(*items: str, context: tuple[str, ...] = MORNING) -> list[Choice]:
    """These items, one after the other, at one instant."""
    return [Choice(AT, item, context) for item in items]


def test_the_splits() -> None:
    users = {"a": [Choice(AT + index, f"i{index}", ()) for index in (3, 1, 0, 2, 4)], "b": choices("x", "y")}
    (case,) = last_fifth(users, 5)
    assert [choice.item for choice in case.seen] == ["i0", "i1", "i2", "i3"]
    assert [choice.item for choice in case.hidden] == ["i4"]
    (drawn,) = fifth_at_random(users, 5, seed=1)
    assert (len(drawn.seen), len(drawn.hidden)) == (4, 1)
    assert sorted([*drawn.seen, *drawn.hidden]) == sorted(users["a"])
    assert fifth_at_random(users, 5, seed=1) == [drawn]


def case_of_two_contexts() -> Case:
    """Three mornings with tea, four evenings with wine; tea in the morning and wine in the evening are hidden."""
    seen = choices("tea", "tea", "tea") + choices("wine", "wine", "wine", "wine", context=EVENING)
    return Case("a", seen, choices("tea") + choices("wine", context=EVENING))


def hit(name: str, setting: tuple[float, ...] = ()) -> float:
    """One method's hit@1 for that case."""
    (method,) = [each for each in METHODS if each.name == name]
    case = case_of_two_contexts()
    return hits(method, setting or method.grid[0], [case], crowd([case]), 1).means()[0]


def test_who_looks_at_the_context_hits_both() -> None:
    assert hit("popularity") == 0.5
    assert hit("own count, popularity ties") == 0.5
    assert hit("counter of the same context", (1.0,)) == 1.0
    assert hit("plain lift", (1.0,)) == 1.0
    assert hit("fernvault") == 1.0
    assert hit("fernvault, no context") == 0.5
    assert hit("fernvault, no prior") == 1.0


def test_the_crowd_is_everybodys_strength() -> None:
    found = crowd([case_of_two_contexts(), Case("b", choices("tea"), [])])
    three = 9 * (1 - (1 - 0.6 / 9) ** 3)
    assert found.users == 2
    assert found.strengths["item:tea"] == pytest.approx(three + 0.6)
    assert found.squares["item:tea"] == pytest.approx(three**2 + 0.36)
    # The first of three adds 0.6·r², the second 0.6·r, the third 0.6, and the other user's only one 0.6; r = 1 - 0.6/9.
    r = 1 - 0.6 / 9
    assert found.by_chance["item:tea"] == pytest.approx(0.36 * (r**4 + r**2 + 1 + 1))
    assert found.counts == {"item:tea": 4, "item:wine": 4}


def test_a_prior_never_holds_the_users_own_part() -> None:
    case = case_of_two_contexts()
    scores = OURS.fit(case, crowd([case]), OURS.grid[0])(case.hidden[0])
    alone = learned(case, context=True).scores(AT, seeds=MORNING)
    assert scores == pytest.approx(alone)


def test_kappa_is_learnt_from_the_others() -> None:
    # For a, the others are b with three teas and c with three wines: of each item the mean is s/2 and the spread s²/2,
    # and it is half of all choices, so that chance is half of Σ c².
    r = 1 - 0.6 / 9
    strong, squares = 9 * (1 - r**3), 0.36 * (1 + r**2 + r**4)
    a, b, c = Case("a", choices("tea"), []), Case("b", choices(*["tea"] * 3), []), Case("c", choices(*["wine"] * 3), [])
    means, worth = learnt(a, crowd([a, b, c]))
    assert means == {"item:tea": pytest.approx(strong / 2), "item:wine": pytest.approx(strong / 2)}
    by_chance, spread_out = 2 * 0.5 * squares, 2 * strong**2 / 2
    assert worth == pytest.approx(1.5 * by_chance / (spread_out - by_chance))


def test_hits_over_users_and_over_choices() -> None:
    # One of one, and one of three: two thirds over users, a half over choices.
    found = Hits(np.array([1.0]), np.array([1.0])).joined(Hits(np.array([1.0]), np.array([3.0])))
    assert found.means() == (pytest.approx(2 / 3), 0.5)
    low, high = metrics.ratio_interval(found.caught, found.of, 1)
    assert (low, high) == (pytest.approx(1 / 3), 1.0)


def test_items_are_spelt_as_attributes() -> None:
    assert spelt("Americano with Milk") == "item:americano-with-milk"


def test_the_simulation_repeats_and_reaches_the_conditional_counter() -> None:
    table = simulated(3, 40)
    assert table == simulated(3, 40)
    ours = {row.metric: row.value for row in table.rows if row.method == "fernvault"}
    theirs = {row.metric: row.value for row in table.rows if row.method != "fernvault"}
    assert all(value >= theirs[metric] - 0.04 for metric, value in ours.items())


@pytest.mark.parametrize("name", [name for name, source in SOURCES.items() if source is not None])
def test_the_real_files_are_read(name: str) -> None:
    source = SOURCES[name]
    assert source is not None
    if not (DATA / source.folder).is_dir():
        pytest.skip(f"no data set {source.folder} here")
    cases = source.load(DATA / source.folder, 1)
    assert all(case.hidden and case.seen for case in cases)
    assert {name.partition(":")[0] for case in cases for choice in case.seen for name in choice.context} == {"ctx"}
    # Counted in the files with awk.
    assert len(cases) == {"frappe": 357, "coffee": 88, "depaulmovie": 50, "incarmusic": 21, "sts": 47}[name]


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(run(1, tmp_path, "coffee"))
