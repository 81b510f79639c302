"""Where two or three items of a class decide, nothing is claimed that they cannot carry."""

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.data.scale import Scale
from ordeval.inference import influence as contributions, subgroups
from ordeval.inference.intervals import Estimation

TRUTH = [1] * 20 + [2] * 20 + [3] * 2
OLD = [1] * 20 + [2] * 19 + [1] + [1, 1]
NEW = [1] * 20 + [2] * 19 + [1] + [3, 3]
pytestmark = pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
MODELS = {"old": OLD, "new": NEW}


def delta(metric: str, **given: Any) -> oe.results.Delta:
    return oe.paired_delta(metric, TRUTH, NEW, OLD, labels=[1, 2, 3], **given)


def without_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(metric: oe.Metric, units: Any) -> Any:
        return np.full(len(units), np.inf)

    monkeypatch.setattr(contributions, "freedom_of_few", never)


def test_two_items_of_a_class_do_not_decide_between_models() -> None:
    """Both models are the same on each of them, so that nothing seems to vary."""
    few = delta("average_mae")
    assert few.p_value > 0.01
    assert few.low < few.delta < few.high


def test_what_two_items_lack_is_allowed_for(monkeypatch: pytest.MonkeyPatch) -> None:
    few = delta("average_mae")
    without_the_rule(monkeypatch)
    often = delta("average_mae")
    assert often.p_value == few.p_value
    assert few.low < often.low - 0.1
    assert few.high > often.high + 0.1


def test_measures_to_which_all_items_count_alike_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    few = delta("accuracy")
    without_the_rule(monkeypatch)
    assert few.p_value == pytest.approx(delta("accuracy").p_value, rel=0.15)


def test_many_small_classes_decide_together() -> None:
    """None of them alone: together they have more degrees of freedom."""
    metric, units = oe.get_metric("average_mae"), np.array([[150, 2, 3, 4, 5, 6, 7, 8, 8, 7]])
    assert 4 < contributions.freedom_of_few(metric, units)[0] < 30
    assert contributions.freedom_of_few(metric, np.array([[20, 20, 1]])) == 1
    assert contributions.freedom_of_few(metric, np.array([[20, 20, 5]])) == np.inf


def test_few_clusters_of_a_class_decide_even_together(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, size = np.random.default_rng(0), 8
    classes = np.repeat([0, 1, 2, 3], [20, 3, 3, 3])
    truth, clusters = np.repeat(classes, size), np.repeat(np.arange(len(classes)), size)
    shift = rng.normal(0, 0.6, (2, len(classes))).repeat(size, axis=1)
    a, b = np.clip(np.rint(truth + shift + rng.normal(0, 0.3, shift.shape)), 0, 3).astype(int)

    def width() -> float:
        d = oe.paired_delta("average_mae", truth, a, b, labels=range(4), clusters=clusters)
        return d.high - d.low

    few = width()
    without_the_rule(monkeypatch)
    assert 1.1 < few / width() < 2


def test_five_items_of_a_class_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, old, new = (x + [y] * 3 for x, y in ((TRUTH, 3), (OLD, 1), (NEW, 3)))
    given: dict[str, Any] = {"labels": [1, 2, 3]}
    found = oe.paired_delta("average_mae", truth, new, old, **given)
    without_the_rule(monkeypatch)
    assert found.p_value == oe.paired_delta("average_mae", truth, new, old, **given).p_value


def test_comparisons_pairs_and_shares_agree() -> None:
    c = oe.compare(TRUTH, MODELS, ["average_mae"], labels=[1, 2, 3])
    (d,) = c.deltas()
    assert d.p_value == pytest.approx(delta("average_mae").p_value, rel=1e-9)
    assert set(c.may_be_best) == ({"old", "new"} if d.p_value > 0.05 else {"new"})
    best = c.probability_best["average_mae"]["new"]
    assert best == pytest.approx(1 - d.p_value / 2, abs=0.02)


def test_very_many_subgroups_agree_with_each_by_itself() -> None:
    n, groups = len(TRUTH), 150
    frame = {"g": np.repeat(np.arange(groups), n), "y": TRUTH * groups, "old": OLD * groups,
             "new": NEW * groups}  # fmt: skip
    import pandas as pd

    found = oe.compare(
        oe.Predictions.from_frame(
            pd.DataFrame(frame), "y", ["old", "new"], labels=[1, 2, 3], by="g"
        ),
        ["average_mae"],
    )
    first = found.findings()[0]
    assert first.delta.p_value == pytest.approx(delta("average_mae").p_value, rel=1e-9)
    assert not any(f.stands for f in found.findings())


def subgroups_with_an_unlucky_one(size: int = 1000) -> Any:
    """Subgroups of 58 items of one population; both of the lowest class are far off in one."""
    unlucky = [
        [0, 0, 2, 0, 0],
        [0, 13, 2, 0, 0],
        [1, 1, 13, 1, 0],
        [0, 0, 1, 9, 4],
        [0, 0, 0, 3, 8],
    ]
    share = np.sum(unlucky, axis=1) / np.sum(unlucky)
    steps = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    chance = np.where(steps == 0, 1.0, 0.12 * 0.2 ** (steps - 1.0))
    cells = share[:, None] * chance / chance.sum(axis=1, keepdims=True)
    drawn = np.random.default_rng(0).multinomial(58, cells.ravel(), size=size).reshape(-1, 5, 5)
    drawn[0] = unlucky
    return drawn


@pytest.mark.parametrize("ruled", [True, False])
def test_two_items_do_not_set_a_subgroup_apart(
    ruled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not ruled:
        monkeypatch.setattr(subgroups, "_in_the_tail", lambda metric, own, units: own.freedom)
    metric = oe.get_metric("average_mae")
    stack = subgroups_with_an_unlucky_one()
    made = subgroups.of_counts((metric,), stack, Scale(range(5)), Estimation())
    assert made["average_mae"].differ.tolist() == [not ruled, *[False] * (len(stack) - 1)]
