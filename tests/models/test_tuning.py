"""Tuned decisions: cut points of probabilities, their gain on other items, and where they go."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ordeval as oe
from ordeval.models import CutPoints, decide, optimal_cut_points
from ordeval.models.cross_fitting import TUNED, Folds, Jackknife, ModelForecasts, compared

# Small data, few of whose gains are significant.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*uned cut points:ordeval.exceptions.OrdevalWarning"
)

LEVELS = ["none", "mild", "severe"]
Array = NDArray[Any]


def draw(seed: int, n: int = 300, k: int = 3) -> tuple[Array, Array]:
    """Truth as positions, and probabilities that lean to the first level."""
    rng = np.random.default_rng(seed)
    y = rng.choice(k, n, p=np.linspace(3, 1, k) / np.linspace(3, 1, k).sum())
    logits = -1.2 * np.abs(np.subtract.outer(y + rng.normal(scale=0.9, size=n), np.arange(k)))
    logits[:, 0] += 2.0
    prob = np.exp(logits)
    return y, prob / prob.sum(axis=1, keepdims=True)


def named(y: Array) -> list[str]:
    return [LEVELS[i] for i in y]


@pytest.fixture(scope="module")
def cuts() -> CutPoints:
    y, prob = draw(0)
    return optimal_cut_points(named(y), prob, "average_mae", labels=LEVELS)


@pytest.mark.parametrize("metric", ["weighted_kappa", "average_mae", "accuracy", "oc_index"])
def test_cut_points_of_probabilities_are_those_of_the_expected_level(metric: str) -> None:
    y, prob = draw(1, n=60)
    of_prob = optimal_cut_points(y, prob, metric, labels=range(3), folds=0)
    expected = [sum(i * p for i, p in enumerate(row)) for row in prob.tolist()]
    of_level = optimal_cut_points(y, expected, metric, labels=range(3))
    np.testing.assert_allclose(of_prob.cut_points, of_level.cut_points, rtol=1e-12)
    assert of_prob.value == of_level.value
    np.testing.assert_array_equal(of_prob.classify(prob), of_level.classify(expected))
    np.testing.assert_array_equal(decide(prob, of_prob), of_prob.predict(prob))


def test_predictions_and_arrays_give_the_same() -> None:
    y, prob = draw(2)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(y))
    data = oe.Predictions(y, prob, labels=range(3), sample_weight=weight)
    one = optimal_cut_points(data, metric="average_mae")
    two = optimal_cut_points(y, prob, "average_mae", labels=range(3), sample_weight=weight)
    assert one.to_json() == two.to_json()


def test_the_gain_is_that_of_decisions_by_hand() -> None:
    """Fold by fold: tune on the other folds with the public function, decide for this one."""
    y, prob = draw(3)
    given = ModelForecasts.of(oe.Predictions(y, prob, labels=range(3)))
    metric = oe.get_metric("average_mae")
    folds = given.folds(5, np.random.default_rng(1))
    fold = folds.of_gain
    found = compared(given, metric, folds)[0]
    decided = np.empty(len(y), int)
    for f in range(5):
        others = optimal_cut_points(y[fold != f], prob[fold != f], metric, labels=range(3), folds=0)
        decided[fold == f] = others.classify(prob[fold == f])
    assert found.value_a == pytest.approx(metric(y, decided, labels=range(3)))
    assert found.value_b == pytest.approx(metric(y, prob.argmax(axis=1), labels=range(3)))
    for c in range(3):  # each class is spread evenly over the folds
        assert np.ptp(np.bincount(fold[y == c], minlength=5)) <= 1


@pytest.mark.parametrize("leaks", [False, True])
def test_no_item_takes_part_in_its_own_decision(leaks: bool) -> None:
    """Probabilities know nothing: any gain would come from the items that are decided for.

    With each item also among those that tune (the leak planted here), the same check finds one.
    """
    gains = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        y, prob = rng.integers(0, 3, 40), rng.dirichlet(np.ones(3), 40)
        given = ModelForecasts.of(oe.Predictions(y, prob, labels=range(3)))
        folds = given.folds(10, rng)
        metric = oe.get_metric("accuracy")
        if leaks:
            placed = given.placed(slice(None), metric)
            tuned = placed.classify(prob @ np.arange(3.0))
            gains.append((tuned == y).mean() - 1 / 3)
        else:
            gains.append(compared(given, metric, folds)[0].value_a - 1 / 3)
    assert (np.mean(gains) > 0.08) == leaks
    assert leaks or abs(np.mean(gains)) < 0.08


def test_an_items_own_truth_does_not_move_its_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    from ordeval.models import cross_fitting

    seen: list[Array] = []

    def spy(truth: Any, outputs: Any, *args: Any, **options: Any) -> Any:
        seen.append(np.asarray(outputs[TUNED]))
        return real(truth, outputs, *args, **options)

    real = cross_fitting.compare
    monkeypatch.setattr(cross_fitting, "compare", spy)
    y, prob = draw(4, n=90)
    fold = np.arange(90) % 9
    for item in (0, 17):
        other = y.copy()
        other[item] = (y[item] + 1) % 3
        for truth in (y, other):
            given = ModelForecasts.of(oe.Predictions(truth, prob, labels=range(3)))
            compared(given, oe.get_metric("average_mae"), Folds(fold, fold))
        before, after = seen[-2:]
        same_fold = fold == fold[item]
        np.testing.assert_array_equal(before[same_fold], after[same_fold])


def test_clusters_stay_whole() -> None:
    y, prob = draw(5, n=120)
    clusters = np.repeat(np.arange(30), 4)
    data = oe.Predictions(y, prob, labels=range(3), clusters=clusters)
    fold = ModelForecasts.of(data).fold_of(5, np.random.default_rng(0))
    assert all(len(set(fold[clusters == c])) == 1 for c in range(30))
    assert sorted(np.bincount(fold).tolist()) == [24] * 5
    # Whatever the clusters are called, the interval knows of them.
    alone = optimal_cut_points(y, prob, "average_mae", labels=range(3), folds=5)
    tied = optimal_cut_points(data, metric="average_mae", folds=5)
    assert tied.gain is not None
    assert alone.gain is not None
    assert (tied.gain.low, tied.gain.high) != (alone.gain.low, alone.gain.high)


def test_whole_weights_are_repeated_items() -> None:
    y, prob = draw(6, n=80)
    weight = np.random.default_rng(0).integers(0, 4, 80)
    weighted = optimal_cut_points(
        y, prob, "average_mae", labels=range(3), sample_weight=weight, folds=0
    )
    repeated = optimal_cut_points(
        np.repeat(y, weight), np.repeat(prob, weight, axis=0), "average_mae", labels=range(3),
        folds=0,
    )  # fmt: skip
    np.testing.assert_allclose(weighted.cut_points, repeated.cut_points)
    assert weighted.value == pytest.approx(repeated.value)


def test_the_standard_error_is_that_of_a_jackknife_by_hand() -> None:
    """Leave out a group; tune without it and one other group, and decide for that one."""
    y, prob = draw(9)
    weight = np.random.default_rng(0).choice([0.5, 1.0, 2.0], len(y))
    data = oe.Predictions(y, prob, labels=range(3), sample_weight=weight)
    given, metric = ModelForecasts.of(data), oe.get_metric("average_mae")
    group = given.folds(10, np.random.default_rng(1)).of_error
    gains = []
    for out in range(5):
        decided = np.empty(len(y), int)
        for other in set(range(5)) - {out}:
            rows, inside = ~np.isin(group, [out, other]), group == other
            cuts = optimal_cut_points(
                y[rows], prob[rows], metric, labels=range(3), sample_weight=weight[rows], folds=0
            )
            decided[inside] = cuts.classify(prob[inside])
        left = group != out
        tuned, plain = (
            metric(y[left], x[left], labels=range(3), sample_weight=weight[left])
            for x in (decided, prob.argmax(axis=1))
        )
        gains.append(tuned - plain)
    by_hand = np.sqrt(4 / 5 * ((np.array(gains) - np.mean(gains)) ** 2).sum())
    assert Jackknife.of(given, metric, group).error(metric) == pytest.approx(by_hand)


@pytest.mark.parametrize("metric", ["accuracy", "average_mae", "weighted_kappa"])
def test_the_interval_allows_for_the_tuning_and_agrees_with_p(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    longer, verdicts = 0, set()
    for seed in range(12):
        y, prob = draw(seed, n=90)
        prob[:, 0] *= 0.5  # the gain is small
        prob /= prob.sum(axis=1, keepdims=True)
        found = optimal_cut_points(y, prob, metric, labels=range(3))
        with monkeypatch.context() as without:
            without.setattr(Jackknife, "error", lambda *x: 0.0)
            as_given = optimal_cut_points(y, prob, metric, labels=range(3))
        assert found.differences is not None
        assert as_given.differences is not None
        for d, short in zip(found.differences, as_given.differences, strict=True):
            assert d.delta == short.delta
            assert d.low <= short.low
            assert d.high >= short.high
            assert (d.p_value <= 0.05) == (d.low > 0 or d.high < 0) == (d.favours is not None)
            verdicts.add(d.favours)
        longer += found.differences[0].high > as_given.differences[0].high
    assert longer > 3
    assert len(verdicts) > 1


def test_a_gain_without_value_in_a_group_has_the_whole_range() -> None:
    """Without the only severe item, kappa has no value: nothing is known of its difference."""
    y = np.zeros(60, int)
    y[7] = 2
    prob = np.eye(3)[y] * 0.7 + 0.1
    found = optimal_cut_points(y, prob, "accuracy", labels=range(3))
    assert found.differences is not None
    kappa = next(d for d in found.differences if d.metric == "weighted_kappa")
    assert (kappa.low, kappa.high, kappa.p_value, kappa.favours) == (-2.0, 2.0, 1.0, None)


def test_two_clusters_have_no_standard_error() -> None:
    y, prob = draw(2, n=60)
    found = optimal_cut_points(
        y, prob, "accuracy", labels=range(3), folds=2, clusters=np.arange(60) % 2
    )
    assert found.gain is None
    assert "its standard error needs at least 3 clusters" in " ".join(str(found).split())


def test_the_text_says_what_to_expect(cuts: CutPoints) -> None:
    gain = cuts.gain
    assert gain is not None
    assert gain.favours == TUNED
    text = " ".join(cuts.to_text().split())
    assert "Tuned cut points: average MAE" in text
    assert "is significant" in text
    assert "tuned on 4 of 5 folds, evaluated on the other" in text
    assert "Other measures, most probable level to tuned: accuracy" in text
    facts = json.loads(cuts.to_json())
    assert facts["folds"] == 5
    assert facts["of"] == "expected level"
    assert len(facts["differences"]) == 5


def test_a_gain_that_is_not_significant_warns() -> None:
    rng = np.random.default_rng(1)
    y, prob = rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    with pytest.warns(oe.ResamplingWarning, match="gain of tuned cut points in accuracy is not si"):
        found = optimal_cut_points(y, prob, "accuracy", labels=range(3))
    assert "is not significant" in found.to_text()


def test_a_gain_that_cannot_be_estimated_says_why() -> None:
    """The only item of the middle class is in one fold: a measure may miss its class there."""
    y = [0] * 6 + [1] * 2
    prob = np.eye(2)[y] * 0.6 + 0.2
    found = optimal_cut_points(
        y, prob, "weighted_kappa", labels=range(2), folds=2, clusters=[0] * 6 + [1] * 2
    )
    assert found.gain is None
    assert "The gain cannot be estimated in 2 folds: The truth has only one class" in str(found)


def test_json_comes_back(tmp_path: Path) -> None:
    y, prob = np.array([0, 0, 0, 2, 2, 2]), np.eye(4)[[0, 1, 0, 2, 2, 2]] * 0.6 + 0.1
    found = optimal_cut_points(y, prob, "accuracy", labels=range(4), folds=0)
    path = tmp_path / "cuts.json"
    path.write_text(found.to_json())
    again = CutPoints.from_file(path)
    np.testing.assert_array_equal(again.cut_points, found.cut_points)
    assert again.levels == found.levels
    assert (again.metric.name, again.value, again.exact) == ("accuracy", found.value, found.exact)
    np.testing.assert_array_equal(again.classify(prob), found.classify(prob))
    json.loads(path.read_text(), parse_constant=lambda x: pytest.fail(f"{x} is not JSON"))


def test_infinite_cut_points_come_back(tmp_path: Path) -> None:
    """Truth without the end classes: they are never predicted."""
    y, prob = np.array([1, 1, 2, 2]), np.eye(4)[[1, 1, 2, 2]] * 0.6 + 0.1
    cuts = optimal_cut_points(y, prob, "mean_absolute_error", labels=range(4), folds=0)
    path = tmp_path / "cuts.json"
    path.write_text(cuts.to_json())
    assert np.isinf(cuts.cut_points).any()
    np.testing.assert_array_equal(CutPoints.from_file(path).cut_points, cuts.cut_points)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "ordeval.plan"}, {"cut_points": ["1.0"]}, {"cut_points": ["2", "1"]},
        {"cut_points": ["nan", "1"]}, {"levels": None}, {"cut_points": 3},
        {"levels": ["none", "none", "mild"]}, {"parameters": {"weights": 1}}, {"parameters": None},
    ],
)  # fmt: skip
def test_other_files_are_refused(change: dict[str, Any], tmp_path: Path, cuts: CutPoints) -> None:
    path = tmp_path / "cuts.json"
    path.write_text(json.dumps({**json.loads(cuts.to_json()), **change}))
    with pytest.raises(oe.LabelError, match="does not hold cut points"):
        CutPoints.from_file(path)
    path.write_text("[1, 2]")
    with pytest.raises(oe.LabelError, match="does not hold cut points"):
        CutPoints.from_file(path)


def _errors(cuts: CutPoints) -> Iterator[tuple[Any, type[Exception], str]]:
    y, prob = draw(0, n=30)
    both = oe.Predictions(y, {"a": prob, "b": prob}, labels=range(3))
    labels = oe.Predictions(y, y, labels=range(3))
    only = oe.Predictions(y, prob, labels=range(3))
    scores = optimal_cut_points([1, 1, 2], [1, 2, 3], labels=[1, 2])
    wrong = oe.Predictions(y, prob, labels=range(3), decide=cuts)
    yield lambda: optimal_cut_points(both), oe.LabelError, r"got 2: select one, such as data\['a'"
    yield lambda: optimal_cut_points(labels), oe.LabelError, "need probabilities"
    yield lambda: optimal_cut_points(only, prob), oe.ParameterError, "and no arrays"
    yield lambda: optimal_cut_points(y), oe.LabelError, "y_score is missing"
    yield lambda: optimal_cut_points(only, folds=1), oe.ParameterError, "between 2 and the 30 items"
    yield lambda: optimal_cut_points(only, folds=31), oe.ParameterError, "got 31"
    yield (
        lambda: optimal_cut_points(only, metric="ranked_probability_score"),
        oe.ParameterError,
        "scores probabilities, but cut points make labels",
    )
    yield (
        lambda: optimal_cut_points([1, 1, 2], [1, 2, 3], labels=[1, 2], clusters=[1, 2, 3]),
        oe.ParameterError,
        "clusters= goes with probabilities",
    )
    yield lambda: cuts.classify([0.2, 0.4]), oe.LabelError, r"must be probabilities \(n, K\)"
    yield lambda: scores.classify([[0.2, 0.8]]), oe.LabelError, r"must be scores \(n,\)"
    yield lambda: decide([[0.2, 0.8]], scores), oe.ParameterError, "these cut points divide scores"
    yield lambda: decide(prob, cuts, cost="absolute"), oe.ParameterError, "got cut points"
    yield lambda: decide(prob, cuts, labels=range(3)), oe.ParameterError, "were tuned on"
    yield lambda: oe.score(wrong), oe.ParameterError, "Tune them on the same scale"


def test_what_is_wrong_is_said(cuts: CutPoints) -> None:
    for function, error, message in _errors(cuts):
        with pytest.raises(error, match=message):
            function()


def test_predictions_decide_by_cut_points_in_every_verb(cuts: CutPoints) -> None:
    y, prob = draw(7)
    other = np.roll(prob, 1, axis=0)
    truth = named(y)
    data = oe.Predictions(truth, {"a": prob, "b": other}, labels=LEVELS, decide=cuts)
    labels = {name: decide(p, cuts).tolist() for name, p in (("a", prob), ("b", other))}
    plain = oe.Predictions(truth, labels, labels=LEVELS)
    measures = ["average_mae", "cem_ord"]
    for model in "ab":
        assert (data.confusion(model).counts == plain.confusion(model).counts).all()
    ours, theirs = oe.compare(data, measures), oe.compare(plain, measures)
    for one, two in zip(ours.deltas(), theirs.deltas(), strict=True):
        found = [(x.delta, x.low, x.high) for x in (one, two)]
        assert found[0] == pytest.approx(found[1])
    one, two = oe.score(data["a"], measures), oe.score(plain["a"], measures)
    assert [r["value"] for r in one.rows()] == [r["value"] for r in two.rows()]
    at = oe.thresholds(data["a"]).rows()[0], oe.thresholds(plain["a"]).rows()[0]
    assert at[0]["sensitivity"] == at[1]["sensitivity"]
    page = ours.to_html()
    assert "tuned for average MAE" in page


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("weighted_kappa", {"weights": "linear"}),
        ("sensitivity", {"at_least": "severe"}),
        ("expected_cost", {"cost": [[0, 1, 4], [2, 0, 1], [9, 3, 0]]}),
        ("mean_absolute_error", {"points": [0.0, 1.0, 5.0]}),
    ],
)
def test_parameters_of_the_measure_are_told_and_come_back(
    metric: str, params: dict[str, Any], tmp_path: Path
) -> None:
    y, prob = draw(8, n=120)
    truth, path = named(y), tmp_path / "cuts.json"
    found = optimal_cut_points(truth, prob, metric, labels=LEVELS, **params)
    bound = oe.get_metric(metric).with_params(**params)
    same = optimal_cut_points(truth, prob, bound, labels=LEVELS)
    assert bound.display in str(found)
    assert found.to_json() == same.to_json()
    path.write_text(found.to_json())
    again = CutPoints.from_file(path)
    assert again.metric.display == bound.display
    assert again.metric(truth, again.predict(prob), labels=LEVELS) == pytest.approx(found.value)


def test_costs_of_a_frame_come_back_as_they_were(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    y, prob = draw(8, n=120)
    costs = pd.DataFrame([[0, 1, 4], [2, 0, 1], [9, 3, 0]], index=LEVELS, columns=LEVELS)
    found = optimal_cut_points(named(y), prob, "expected_cost", labels=LEVELS, cost=costs, folds=0)
    path = tmp_path / "cuts.json"
    path.write_text(found.to_json())
    assert CutPoints.from_file(path).metric.bound == {"cost": costs.to_numpy().tolist()}


def test_a_file_tuned_for_a_measure_of_ones_own_names_it(tmp_path: Path, cuts: CutPoints) -> None:
    path = tmp_path / "cuts.json"
    path.write_text(json.dumps({**json.loads(cuts.to_json()), "metric": "my_measure"}))
    with pytest.raises(oe.LabelError, match=r"not registered.*'my_measure'"):
        CutPoints.from_file(path)


def test_a_significant_loss_warns() -> None:
    """The most probable level is always right; cut points of the expected level are not."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    prob = rng.dirichlet(np.ones(3), 200) * 0.49 + 0.51 * np.eye(3)[y]
    with pytest.warns(oe.ResamplingWarning, match="are significantly worse than"):
        found = optimal_cut_points(y, prob, "average_mae", labels=range(3))
    assert "is a significant loss" in found.to_text()
