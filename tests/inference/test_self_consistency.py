"""Judges that were asked again: how often they give the same grade, of all and by grade."""

import itertools

import numpy as np
import pytest

import ordeval as oe


def test_the_share_of_pairs_with_the_same_grade() -> None:
    rng = np.random.default_rng(0)
    humans = rng.integers(1, 4, (120, 2))
    runs = np.clip(humans[:, :1] + rng.integers(-1, 2, (120, 3)), 1, 3).astype(float)
    runs[rng.random(runs.shape) < 0.1] = np.nan
    found = oe.judge(oe.Ratings(humans, [1, 2, 3]), {"judge": runs})
    same = found.same_grade["judge"]
    shares, grades = [], []
    for row, given in zip(runs, humans, strict=True):
        answers = row[~np.isnan(row)]
        if len(answers) > 1:
            each = [a == b for a, b in itertools.combinations(answers, 2)]
            shares.append(np.mean(each))
            grades.append(given)
    assert same.whole.estimate == pytest.approx(np.mean(shares))
    error = np.std(shares, ddof=1) / len(shares) ** 0.5
    assert same.whole.high - same.whole.low == pytest.approx(2 * 1.98 * error, rel=0.05)
    for grade, interval in same.by_grade.items():
        weight = [(given == grade).sum() for given in grades]
        assert interval.estimate == pytest.approx(np.average(shares, weights=weight))
    text = found.to_text(width=300)
    assert "self-consistency: repeated answers of a judge" in text
    assert f"judges give the same grade: judge in {same.whole.estimate:.0%}" in text


def test_the_interval_stays_within_its_range_and_is_honest_at_its_ends() -> None:
    humans = np.tile([1, 2, 3], 10)[:, None].repeat(2, axis=1)
    found = oe.judge(oe.Ratings(humans, [1, 2, 3]), {"judge": np.repeat(humans[:, :1], 2, axis=1)})
    same = found.same_grade["judge"]
    assert (same.whole.estimate, same.whole.high) == (1, 1)
    assert same.whole.low == pytest.approx(0.025 ** (1 / 30))
    assert same.by_grade[1].low == pytest.approx(0.025 ** (1 / 10))


def test_a_judge_that_was_asked_once_has_none() -> None:
    found = oe.judge([[1, 1], [2, 2], [3, 2]] * 10, {"judge": [1, 2, 3] * 10}, labels=[1, 2, 3])
    assert found.same_grade == {}
