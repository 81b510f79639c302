"""Values, intervals and p-values are those that were recorded, to 1e-9.

A change that moves some of them on purpose records them again and says why in the changelog.
"""

import math

import pytest

import ordeval as oe

from .questions import GROUPS, ask, recorded_as
from .store import VALUES, Recorded, changes, complaint, load


@pytest.fixture(scope="module")
def recorded() -> Recorded:
    return load(VALUES)


@pytest.mark.parametrize("group", GROUPS)
def test_no_value_moved(recorded: Recorded, group: str) -> None:
    found = changes(recorded.groups[recorded_as(group)], ask(oe, group))
    assert not found, complaint(found, recorded, group)


def test_every_group_is_asked(recorded: Recorded) -> None:
    assert set(recorded.groups) == {recorded_as(group) for group in GROUPS}
    assert sum(map(len, recorded.groups.values())) > 10_000


def test_what_moved_is_named(recorded: Recorded) -> None:
    before = recorded.groups["score labels"]
    name = "K = 4, 260 items/cem_ord/low"
    assert not changes(before, before)
    assert not changes(before, {**before, name: before[name] + 1e-10})
    found = changes(before, {**before, name: before[name] + 1e-8})
    assert list(found.moved) == [name]
    said = complaint(found, recorded, "score labels")
    assert said.startswith(f"1 of {len(before)} values moved\n  {name}: before {before[name]!r}, ")
    assert 'python -m tests.recorded "score labels"' in said


def test_the_largest_changes_come_first() -> None:
    before = {f"value {i}": float(i) for i in range(20)}
    after = {name: x + 0.01 * (i + 1) for i, (name, x) in enumerate(before.items())}
    after |= {"value 3": math.nan, "value 4": math.inf, "another": 1.0}
    del after["value 0"]
    found = changes(before, after)
    assert list(found.moved)[:3] == ["value 3", "value 4", "value 1"]
    assert (found.gone, found.new, len(found.moved)) == (["value 0"], ["another"], 19)
    assert str(found).endswith("  and 9 more")
    same = {"nan": math.nan, "inf": math.inf, "text": "holds", "none": None}
    assert not changes(same, same)
    assert list(changes(same, {**same, "text": "does not hold"}).moved) == ["text"]
