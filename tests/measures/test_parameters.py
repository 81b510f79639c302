"""Parameters that change what a measure's facts are: costs, weights, points."""

import numpy as np
import pytest

import ordeval as oe

COST = [[0, 1, 5], [2, 0, 1], [9, 3, 0]]
LEVELS = [1, 1.5, 4]
TRUTH = [1, 1.5, 4] * 20
PRED = [1, 4, 4] * 19 + [4, 1, 1]
EVEN = ["mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "average_mae",
        "maximum_mae", "average_mse", "mean_signed_error"]  # fmt: skip


@pytest.mark.parametrize(
    ("metric", "ends"),
    [
        (oe.expected_cost.with_params(cost=COST), (0, 9)),
        (oe.expected_cost.with_params(cost=COST).with_params(cost=None), (0, 2)),
        (oe.weighted_kappa.with_params(weights=COST), (-np.inf, 1)),
        (oe.weighted_kappa.with_params(weights="linear"), (-1, 1)),
        (oe.brennan_prediger.with_params(weights=COST), (1 - 9 / (21 / 9), 1)),
        (oe.gwet_ac2.with_params(weights=COST), (1 - 9 / (21 / 9), 1)),
        (oe.mean_absolute_error.with_params(points=LEVELS), (0, 3)),
        (oe.mean_squared_error.with_params(points=LEVELS), (0, 9)),
        (oe.mean_signed_error.with_params(points=LEVELS), (-3, 3)),
        (oe.maximum_mae.with_params(points=LEVELS), (0, 3)),
        (oe.maximum_mae.with_params(points=None), (0, 2)),
        (oe.ranked_probability_score.with_params(normalize=True), (0, 1)),
        (oe.ranked_probability_score.with_params(normalize=False), (0, 2)),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_the_range_is_that_of_the_parameters(metric: oe.Metric, ends: tuple[float, float]) -> None:
    assert metric.range.at(3) == pytest.approx(ends)
    if metric.needs == "labels":
        rng = np.random.default_rng(1)
        stack = rng.multinomial(12, rng.dirichlet(np.full(9, 0.2), 4000)).reshape(-1, 3, 3)
        values = metric.values(stack)
        low, high = metric.range.at(3)
        assert np.nanmin(values) >= low - 1e-12
        assert np.nanmax(values) <= high + 1e-12


def test_tables_and_intervals_use_it() -> None:
    metric = oe.expected_cost.with_params(cost=COST)
    scores = oe.score([3] * 30 + [1] * 30, [1] * 29 + [3] * 31, [metric], labels=[1, 2, 3])
    assert "[0, 9]" in scores.to_text()
    (row,) = scores.rows()
    assert (row["least"], row["largest"]) == (0, 9)
    interval = scores.intervals[metric.name]
    assert interval.low < interval.estimate < interval.high  # 6.85, beyond the steps of the scale
    assert interval.high <= 9


def test_symmetry_is_that_of_the_parameters() -> None:
    assert not oe.expected_cost.with_params(cost=COST).symmetric
    assert oe.expected_cost.with_params(cost=[[0, 2], [2, 0]]).symmetric
    assert not oe.mean_absolute_error.with_params(points=LEVELS).reversal_invariant
    assert oe.mean_absolute_error.with_params(points=[2, 4, 6]).reversal_invariant


@pytest.mark.parametrize("points", [[1, 1, 2], [1, 3, 2], "abc", [1, np.nan, 2], [[1, 2, 3]]])
def test_points_must_rise_or_fall(points: object) -> None:
    with pytest.raises(oe.ParameterError, match="points"):
        oe.mean_absolute_error.with_params(points=points)
    with pytest.raises(oe.ParameterError, match="points"):
        oe.mean_absolute_error(TRUTH, PRED, labels=LEVELS, points=points)


def test_points_must_be_as_many_as_levels() -> None:
    with pytest.raises(oe.ParameterError, match="points must hold 3 numbers"):
        oe.mean_absolute_error(TRUTH, PRED, labels=LEVELS, points=[1, 2])


@pytest.mark.parametrize("name", EVEN)
class TestSteps:
    """Numbers that are not one apart: the measures that count steps say so, OE205."""

    def test_a_call_warns_and_points_are_the_way_out(self, name: str) -> None:
        metric = oe.get_metric(name)
        with pytest.warns(oe.StepsWarning, match=r"OE205.*points=\[1, 1.5, 4\]"):
            in_steps = metric(TRUTH, PRED, labels=LEVELS)
        in_points = metric(TRUTH, PRED, labels=LEVELS, points=LEVELS)
        assert in_steps != in_points

    def test_integers_of_even_steps_are_the_same_times_their_size(self, name: str) -> None:
        metric, power = oe.get_metric(name), 2 if name.endswith(("squared_error", "mse")) else 1
        power = 1 if name == "root_mean_squared_error" else power
        truth, pred = [1, 2, 3] * 5, [1, 3, 1] * 5
        steps = metric(truth, pred, labels=[1, 2, 3])
        assert metric(truth, pred, labels=[1, 2, 3], points=[10, 20, 30]) == pytest.approx(
            steps * 10**power
        )

    def test_every_door_says_so(self, name: str) -> None:
        metric = oe.get_metric(name)
        scores = oe.score(TRUTH, PRED, [metric], labels=LEVELS)
        comparison = oe.compare(TRUTH, {"a": PRED, "b": TRUTH}, [metric], labels=LEVELS)
        plan = oe.plan(metric, oe.ConfusionMatrix([[9, 1], [2, 8]], [1, 3]), half_width=0.2)
        for result in (scores, comparison, plan):
            assert [a.code for a in result.advice].count("OE205") == 1
        with pytest.warns(oe.StepsWarning, match="OE205"):
            oe.confidence_interval(metric, TRUTH, PRED, labels=LEVELS)
        with pytest.warns(oe.StepsWarning, match="OE205"):
            oe.paired_delta(metric, TRUTH, PRED, TRUTH, labels=LEVELS)

    def test_none_says_so_in_points_or_on_even_numbers(self, name: str) -> None:
        metric = oe.get_metric(name).with_params(points=LEVELS)
        scores = oe.score(TRUTH, PRED, [metric], labels=LEVELS)
        assert "OE205" not in {a.code for a in scores.advice}
        whole = oe.score([1, 2, 3] * 20, [1, 2, 2] * 20, [oe.get_metric(name)], labels=[1, 2, 3])
        assert "OE205" not in {a.code for a in whole.advice}
        words = oe.score(["a", "b"] * 20, ["a", "a"] * 20, [oe.get_metric(name)], labels=["a", "b"])
        assert "OE205" not in {a.code for a in words.advice}


def test_cut_points_are_placed_by_points() -> None:
    rng = np.random.default_rng(0)
    truth, score = rng.choice(LEVELS, 40), rng.normal(size=40)
    found = oe.models.optimal_cut_points(
        truth, score, metric="mean_absolute_error", labels=LEVELS, points=LEVELS
    )
    cuts = np.sort(score)[:, None] - 1e-9
    predicted = [
        np.array(LEVELS)[(score >= a).astype(int) + (score >= b)]
        for a in np.append(cuts, np.inf)
        for b in np.append(cuts, np.inf)
        if a <= b
    ]
    assert found.exact
    assert found.value == pytest.approx(min(np.abs(p - truth).mean() for p in predicted))
