"""Every measure against its definition, item by item, on many small data sets.

The oracles are in `slow`; here are the data sets, the parameters, and what has no oracle there:
the exact area under the UOC curve, the curve itself, the path behind an index.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests import slow
from tests.ready import ready
from tests.strategies import Items, Matrix, labels, matrices

import ordeval as oe

TOLERANCE = 1e-12
UNDEFINED = -1e9  # no measure takes this value, so it tells NaN apart without a warning

# Data sets


def draw_items(rng: np.random.Generator, k: int, size: int, kind: str) -> tuple[Any, Any]:
    classes = rng.permutation(k)[: rng.integers(1, k + 1)] if kind == "absent" else np.arange(k)
    t = rng.choice(classes, size)
    match kind:
        case "constant prediction":
            p = np.full(size, rng.integers(k))
        case "constant truth":
            t, p = np.full(size, rng.integers(k)), rng.integers(k, size=size)
        case "near":
            p = np.clip(t + rng.integers(-1, 2, size), 0, k - 1)
        case "perfect":
            p = t
        case "reversed":
            p = k - 1 - t
        case _:
            p = rng.integers(k, size=size)
    return t, p


KINDS = (
    "any",
    "near",
    "absent",
    "any",
    "constant prediction",
    "constant truth",
    "perfect",
    "reversed",
)


@cache
def data_sets() -> tuple[Items, ...]:
    """240 data sets: k from 1 to 5, one item to 14, every kind with every k."""
    rng = np.random.default_rng(2011)
    drawn = []
    for repeat in range(6):
        for k in range(1, 6):
            for kind in KINDS:
                size = 1 if repeat == 0 else int(rng.integers(2, 15))
                t, p = draw_items(rng, k, size, kind)
                drawn.append(Items(t.tolist(), p.tolist(), k))
    return tuple(drawn)


# Parameters, by the number of classes, for those that are matrices

Parameters = Callable[[int], dict[str, Any]]


def fixed(**params: Any) -> Parameters:
    return lambda _: params


def off_diagonal(k: int, seed: int) -> list[list[float]]:
    """Weights or costs of no symmetry, zero on the diagonal."""
    table = np.random.default_rng(seed).uniform(0.1, 3.0, (k, k))
    np.fill_diagonal(table, 0.0)
    return [[float(x) for x in row] for row in table]


def class_sizes(k: int) -> list[float]:
    return [float(x) for x in np.random.default_rng(k).integers(1, 50, k)]


WEIGHTS: dict[str, Parameters] = {
    "linear": fixed(weights="linear"),
    "nominal": fixed(weights="nominal"),
    "quadratic": fixed(weights="quadratic"),
    "matrix": lambda k: {"weights": off_diagonal(k, 1)},
}
POINTS: dict[str, Parameters] = {
    "points": lambda k: {"points": [1.0, 1.5, 2.0, 4.0, 10.0][:k]},
    "falling points": lambda k: {"points": [7.0, 3.0, 2.5, -1.0, -8.0][:k]},
}
ABSENT = {
    "absent=zero": fixed(absent="zero"),
    "absent=ignore": fixed(absent="ignore"),
    "absent=zero, points": lambda k: {"absent": "zero", **POINTS["points"](k)},
    **POINTS,
}
COST: dict[str, Parameters] = {"cost": lambda k: {"cost": off_diagonal(k, 2)}}
COST_AND_SIZES: dict[str, Parameters] = {
    **COST,
    "class_sizes": lambda k: {"class_sizes": class_sizes(k)},
    "both": lambda k: {"cost": off_diagonal(k, 3), "class_sizes": class_sizes(k)},
}
OC = {
    "share=0": fixed(share=0),
    "share=0.25": fixed(share=0.25),
    "share=1": fixed(share=1.0),
    "beta=0": fixed(beta=0),
    "beta=0.1": fixed(beta=0.1),
    "beta=0.5": fixed(beta=0.5),
    "gamma=0.5": fixed(gamma=0.5),
    "gamma=2": fixed(gamma=2),
    "share=0.25, gamma=2": fixed(share=0.25, gamma=2.0),
    "beta=0.05, gamma=0.5": fixed(beta=0.05, gamma=0.5),
}
UOC = {
    "beta=0": fixed(beta=0),
    "beta=0.25": fixed(beta=0.25),
    "beta=1": fixed(beta=1.0),
    "beta=3": fixed(beta=3),
    "gamma=0.5": fixed(gamma=0.5),
    "gamma=2": fixed(gamma=2),
    "beta=0.25, gamma=2": fixed(beta=0.25, gamma=2.0),
    "absent=uniform": fixed(absent="uniform"),
    "absent=perfect, gamma=2": fixed(absent="perfect", gamma=2.0),
}
CUTS: dict[str, Parameters] = {
    "lowest cut": lambda k: {"at_least": min(1, k - 1)},
    "second cut": lambda k: {"at_least": min(2, k - 1)},
    "highest cut": lambda k: {"at_least": k - 1},
}
VARIANTS: dict[str, dict[str, Parameters]] = {
    **{m.name: CUTS for m in oe.metrics(needs="labels") if m.required == ("at_least",)},
    "accuracy_within": {"n=0": fixed(n=0), "n=2": fixed(n=2)},
    "mean_absolute_error": POINTS,
    "mean_squared_error": POINTS,
    "root_mean_squared_error": POINTS,
    "maximum_mae": POINTS,
    "mean_signed_error": POINTS,
    "average_mae": ABSENT,
    "average_mse": ABSENT,
    "weighted_kappa": WEIGHTS,
    "scott_pi": WEIGHTS,
    "brennan_prediger": WEIGHTS,
    "gwet_ac2": WEIGHTS,
    "krippendorff_alpha": {
        level: fixed(level=level) for level in ("ordinal", "nominal", "interval")
    },
    "expected_cost": COST,
    "normalized_expected_cost": COST,
    "misclassification_cost": COST_AND_SIZES,
    "cost_accuracy_distance": COST_AND_SIZES,
    "chance_line_distance": COST_AND_SIZES,
    "oc_index": OC,
    "oc_index_unnormalized": OC,
    "uoc_index": UOC,
    "auoc": {
        "gamma=0.5": fixed(gamma=0.5),
        "gamma=2": fixed(gamma=2),
        "absent=uniform": fixed(absent="uniform"),
        "absent=perfect": fixed(absent="perfect"),
        "absent=uniform, gamma=2": fixed(absent="uniform", gamma=2),
    },
    **{
        f"cem_{kind}": {"unanswered": lambda k: {"unanswered": [3.0, 0.0, 1.0, 2.0, 5.0][:k]}}
        for kind in ("ord", "nom", "int", "ord_flat")
    },
}
# By name: a measure of labels is defined by the function of its name. The general index, a slow
# programme itself, is tried on its own.
LABELS = [m for m in oe.metrics(needs="labels").names if m != "oc_index_general"]
SLOW = {name: getattr(slow, name) for name in LABELS if hasattr(slow, name)}
CASES = [
    pytest.param(name, params, id=f"{name}-{variant}")
    for name in SLOW
    for variant, params in {"default": fixed(), **VARIANTS.get(name, {})}.items()
    if variant != "default" or not oe.get_metric(name).required
]


def agree(value: float, expected: float, tolerance: float = TOLERANCE) -> bool:
    if math.isnan(expected):
        return math.isnan(value)
    return math.isclose(value, expected, rel_tol=tolerance, abs_tol=tolerance)


def of_labels(metric: oe.Metric, items: Items, params: dict[str, Any]) -> float:
    value = metric(items.t, items.p, labels=range(items.k), undefined=UNDEFINED, **params)
    return math.nan if value == UNDEFINED else value


def of_stack(metric: oe.Metric, stack: Sequence[Items], params: dict[str, Any]) -> list[float]:
    counts = np.array([items.matrix for items in stack])
    values = metric.from_confusion(counts, undefined=UNDEFINED, **params)
    return [math.nan if value == UNDEFINED else float(value) for value in values]


def test_no_measure_lacks_a_slow_definition() -> None:
    assert set(LABELS) - set(SLOW) == set(), "write a function of this name in tests/slow.py"


def test_no_parameter_is_left_at_its_default() -> None:
    for name in SLOW:
        tried = {key for params in VARIANTS.get(name, {}).values() for key in params(3)}
        assert tried == set(oe.get_metric(name).parameters), name


@pytest.mark.parametrize(("name", "params_of"), CASES)
def test_measure_equals_its_definition(name: str, params_of: Parameters) -> None:
    metric, definition = oe.get_metric(name), SLOW[name]
    # The quadrature of the oracle is coarser than the measure.
    tolerance = 1e-6 if name == "auoc" else TOLERANCE
    defined = 0
    for k in range(1, 6):
        stack = [items for items in data_sets() if items.k == k]
        params = params_of(k)
        for items, in_stack in zip(stack, of_stack(metric, stack, params), strict=True):
            expected = definition(*items, **params)
            alone = of_labels(metric, items, params)
            assert agree(alone, expected, tolerance), (items, params, alone, expected)
            assert agree(in_stack, expected, tolerance), (items, params, in_stack, expected)
            defined += not math.isnan(expected)
    assert defined > 40


# The UOC curve and its area

Line = tuple[Fraction, Fraction]  # value at beta = 0, slope


def exact_lines(items: Items) -> set[Line]:
    """Each path's line at gamma = 1, in rational numbers."""
    t, p, k = items
    classes = len(set(t))
    weights = [Fraction(1, classes * t.count(a)) for a in t]
    scale = 1 + sum(w * abs(a - b) for a, b, w in zip(t, p, weights, strict=True))
    lines = set()
    for path in slow.paths(k):
        on_path = [(a, b, w) for a, b, w in zip(t, p, weights, strict=True) if (a, b) in path]
        benefit = sum((w for _, _, w in on_path), Fraction(0))
        slope = sum((w * abs(a - b) for a, b, w in on_path), Fraction(0))
        lines.add((1 - benefit / scale, slope))
    return lines


def rounded_lines(items: Items, gamma: float) -> set[Line]:
    """The lines at any gamma: rounded sums, taken as exact from there on."""
    lines = slow.uoc_lines(*items, gamma)
    return {(Fraction(start), Fraction(slope)) for start, slope in lines}


def envelope(lines: Iterable[Line]) -> list[tuple[Fraction, Fraction]]:
    """Corners of the lower envelope of the lines over [0, 1], ends included."""
    start, slope = min(lines)
    corners = [(Fraction(0), start)]
    while True:
        # The next line on the envelope is the flatter one that is met first.
        crossings = [((b - start) / (slope - a), a, b) for b, a in lines if a < slope]
        beta, next_slope, next_start = min(crossings, default=(Fraction(1), slope, start))
        if beta >= 1:
            return [*corners, (Fraction(1), start + slope)]
        corners.append((beta, start + slope * beta))
        start, slope = next_start, next_slope


def area(corners: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    return sum(
        ((b2 - b1) * (v1 + v2) / 2 for (b1, v1), (b2, v2) in pairwise(corners)),
        Fraction(0),
    )


def test_auoc_is_exact() -> None:
    corners_seen = set()
    for items in data_sets():
        corners = envelope(exact_lines(items))
        corners_seen.add(len(corners))
        value = oe.auoc(items.t, items.p, labels=range(items.k))
        assert abs(Fraction(value) - area(corners)) < Fraction(1, 10**12), items
    assert max(corners_seen) >= 4  # the data sets do bend the curve


@pytest.mark.parametrize("gamma", [0.5, 2.0])
def test_auoc_is_exact_at_other_exponents(gamma: float) -> None:
    for items in data_sets():
        expected = area(envelope(rounded_lines(items, gamma)))
        value = oe.auoc(items.t, items.p, labels=range(items.k), gamma=gamma)
        assert abs(Fraction(value) - expected) < Fraction(1, 10**12), items


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_curve_runs_through_the_index(gamma: float) -> None:
    betas = np.linspace(0.0, 1.0, 41)
    for items in data_sets()[::4]:
        curve = oe.uoc_curve(items.matrix, gamma=gamma)
        assert curve.beta[0] == 0.0
        assert curve.beta[-1] == 1.0
        assert (np.diff(curve.beta) > 0).all()
        between = np.interp(betas, curve.beta, curve.value)
        for beta, value in zip(betas, between, strict=True):
            index = oe.uoc_index.from_confusion(items.matrix, beta=float(beta), gamma=gamma)
            assert abs(index - value) < TOLERANCE, (items, beta)


def test_curve_has_the_corners_of_the_envelope() -> None:
    for items in data_sets():
        corners = envelope(exact_lines(items))
        curve = oe.uoc_curve(items.matrix)
        assert len(curve.beta) == len(corners), items
        for beta, value, corner in zip(curve.beta, curve.value, corners, strict=True):
            assert abs(beta - corner[0]) < 1e-9, items
            assert abs(value - corner[1]) < 1e-9, items


@given(
    matrices().filter(np.any),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from(["ignore", "uniform", "perfect"]),
)
def test_area_under_the_curve_is_auoc(n: Matrix, gamma: float, absent: Any) -> None:
    curve = oe.uoc_curve(n, gamma=gamma, absent=absent)
    assert abs(curve.area - oe.auoc.from_confusion(n, gamma=gamma, absent=absent)) < TOLERANCE


@pytest.mark.parametrize("k", [2, 5, 12])
def test_a_matrix_has_the_same_area_alone_and_in_a_stack(k: int) -> None:
    stack = np.random.default_rng(k).integers(0, 9, (30, k, k))
    alone = [oe.auoc.from_confusion(m) for m in stack]
    assert oe.auoc.from_confusion(stack) == pytest.approx(alone, abs=TOLERANCE)


@pytest.mark.parametrize("absent", ["uniform", "perfect"])
def test_the_path_of_a_class_that_the_truth_lacks(absent: str) -> None:
    n = [[4, 1, 0], [0, 0, 0], [2, 0, 3]]
    path = oe.optimal_path(n, "uoc_index", absent=absent)
    assert path.value == oe.uoc_index.from_confusion(n, absent=absent)


def test_absent_classes_lower_or_raise_the_index_and_observed_ones_do_not() -> None:
    lacking, whole = [[4, 1, 0], [0, 0, 0], [2, 0, 3]], [[4, 1, 0], [1, 1, 0], [2, 0, 3]]
    for metric in (oe.uoc_index, oe.auoc):
        of = {a: metric.from_confusion(lacking, absent=a) for a in ("perfect", "ignore", "uniform")}
        assert of["perfect"] < of["ignore"] < of["uniform"]
        assert len({metric.from_confusion(whole, absent=a) for a in of}) == 1


# Items without a prediction


@pytest.mark.parametrize("name", ["cem_ord", "cem_nom", "cem_int", "cem_ord_flat"])
def test_unanswered_items_are_counted_from_labels(name: str) -> None:
    metric = oe.get_metric(name)
    truth, answers = [1, 2, 2, 3, 3, 1], [1, 2, None, 1, None, 1]
    pairs = [(t, p) for t, p in zip(truth, answers, strict=True) if p is not None]
    t, p = ([x[i] - 1 for x in pairs] for i in (0, 1))  # type: ignore[operator]
    expected = getattr(slow, name)(t, p, 3, unanswered=[0, 1, 1])
    assert metric(truth, answers, unanswered="zero") == pytest.approx(expected)
    n = [[2, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert metric.from_confusion(n, unanswered=[0, 1, 1]) == pytest.approx(expected)
    dropped = metric(truth, answers, missing="drop")
    assert dropped == metric.from_confusion(n) != metric(truth, answers, unanswered="zero")
    weighted = metric(truth, answers, sample_weight=[2.0] * 6, unanswered="zero")
    assert weighted == pytest.approx(expected)
    with pytest.raises(oe.LabelError, match="missing"):
        metric([*truth[:-1], None], answers, unanswered="zero")


def test_a_system_that_answers_nothing_has_no_value() -> None:
    """As every measure of no items; one answer is enough."""
    nothing = oe.cem_ord.from_confusion(np.zeros((3, 3)), unanswered=[1, 2, 3], undefined=-1)
    assert nothing == -1
    assert 0 < oe.cem_ord.from_confusion(np.diag([1, 0, 0]), unanswered=[0, 2, 3]) < 1


# The path behind an index


def contributions(
    items: Items, index: str, params: dict[str, Any]
) -> dict[tuple[int, int], tuple[float, float]]:
    """What each cell takes off the index and adds to it, from the items."""
    t, p, k = items
    gamma = params.get("gamma", 1.0)
    if index == "uoc_index":
        weights = [1 / (len(set(t)) * t.count(a)) for a in t]
        beta, scale = params.get("beta", 0.5), 1 + slow.dispersion(t, p, weights, gamma)
    else:
        weights = [1.0] * len(t)
        largest = len(t) * (k - 1) ** gamma
        beta = params["beta"] if "beta" in params else params.get("share", 0.75) / largest
        spread = slow.dispersion(t, p, weights, gamma) if index == "oc_index" else 0.0
        scale = len(t) + spread
    cells = {(r, c): (0.0, 0.0) for r in range(k) for c in range(k)}
    for a, b, w in zip(t, p, weights, strict=True):
        gain, penalty = cells[a, b]
        cells[a, b] = (gain + w / scale, penalty + beta * w * abs(a - b) ** gamma)
    return cells


def assert_monotone(cells: Sequence[tuple[int, int]], k: int) -> None:
    assert cells[0] == (0, 0)
    assert cells[-1] == (k - 1, k - 1)
    for (r1, c1), (r2, c2) in pairwise(cells):
        assert (r2 - r1, c2 - c1) in {(0, 1), (1, 0), (1, 1)}


@pytest.mark.parametrize("params", [{}, {"beta": 0.1}, {"gamma": 2.0}, {"gamma": 0.5}], ids=str)
@pytest.mark.parametrize("index", ["oc_index", "oc_index_unnormalized", "uoc_index"])
def test_optimal_path_is_the_cheapest_path(index: str, params: dict[str, Any]) -> None:
    metric = oe.get_metric(index)
    for items in data_sets()[::2]:
        if items.k == 1 and index != "uoc_index" and "beta" not in params:
            continue
        path = oe.optimal_path(items.matrix, index, **params)
        assert_monotone(path.cells, items.k)
        assert (list(path), len(path), path[0]) == (list(path.cells), len(path.cells), (0, 0))
        assert agree(path.value, metric.from_confusion(items.matrix, **params))
        assert agree(1 - sum(path.gain) + sum(path.penalty), path.value)
        cells = contributions(items, index, params)
        for cell, gain, penalty in zip(path.cells, path.gain, path.penalty, strict=True):
            assert agree(gain, cells[cell][0])
            assert agree(penalty, cells[cell][1])
        cheapest = min(
            1 - sum(cells[cell][0] for cell in other) + sum(cells[cell][1] for cell in other)
            for other in slow.paths(items.k)
        )
        assert agree(path.value, cheapest), items


def test_optimal_path_takes_a_measure_with_its_parameters() -> None:
    n = [[2, 0, 1], [1, 1, 0], [2, 1, 2]]
    bound = oe.optimal_path(n, oe.oc_index.with_params(share=0.25))
    assert bound == oe.optimal_path(n, "oc_index", share=0.25)
    assert bound == oe.optimal_path(oe.ConfusionMatrix(n), metric="oc_index", share=0.25)


# The general index

BETAS = [(0.0, 0.0), (0.01, 0.02), (0.05, 0.01), (0.0, 0.1), (0.2, 0.0), (0.02, 1.0)]


def general(n: Matrix, deviation: float, discordance: float, **params: float) -> float:
    return float(
        oe.oc_index_general.from_confusion(
            n, beta_deviation=deviation, beta_discordance=discordance, **params
        )
    )


@pytest.mark.parametrize("gamma", [0.5, 1.0, 2.0])
def test_general_index_equals_brute_force(gamma: float) -> None:
    small = [items for items in data_sets() if items.k <= 3][::2]
    for i, items in enumerate(small):
        deviation, discordance = BETAS[i % len(BETAS)]
        expected = slow.oc_index_general(
            *items, beta_deviation=deviation, beta_discordance=discordance, gamma=gamma
        )
        assert agree(general(items.matrix, deviation, discordance, gamma=gamma), expected), items


def test_general_index_equals_brute_force_for_four_classes() -> None:
    four = [items for items in data_sets() if items.k == 4 and len(items.t) > 3]
    for items, (deviation, discordance) in zip(four, BETAS, strict=False):
        expected = slow.oc_index_general(
            *items, beta_deviation=deviation, beta_discordance=discordance
        )
        assert agree(general(items.matrix, deviation, discordance), expected), items


@given(matrices().filter(np.any))
def test_general_index_without_prices_is_a_transform_of_mae(n: Matrix) -> None:
    mae = oe.mean_absolute_error.from_confusion(n)
    assert agree(general(n, 0.0, 0.0), mae / (1 + mae))


@given(
    matrices().filter(np.any),
    st.sampled_from([0.0, 0.01, 0.1, 1.0]),
    st.sampled_from([1.0, 2.0]),
    st.sampled_from([0.5, 1.0, 2.0]),
)
def test_general_index_with_dear_discordance_is_the_oc_index(
    n: Matrix, beta: float, discordance: float, gamma: float
) -> None:
    expected = oe.oc_index.from_confusion(n, beta=beta, gamma=gamma)
    assert agree(general(n, beta, discordance, gamma=gamma), expected)


def test_general_index_is_solved_for_eight_classes() -> None:
    n = np.random.default_rng(8).integers(0, 6, (8, 8))
    free, priced, dear = (general(n, 0.001, price) for price in (0.0, 0.0005, 1.0))
    assert free < priced < dear
    assert agree(dear, oe.oc_index.from_confusion(n, beta=0.001))


def test_general_index_says_when_time_is_short() -> None:
    n = np.random.default_rng(8).integers(0, 6, (8, 8))
    with pytest.raises(oe.SolverError, match=r"not solved .* K = 8 within 1e-06 seconds"):
        general(n, 0.001, 0.0005, time_limit=1e-6)


# Tables and probabilities


@given(st.lists(st.integers(1, 30), min_size=1, max_size=6))
def test_george_cost_equals_its_definition(class_sizes: list[int]) -> None:
    assert oe.george_cost(class_sizes) == pytest.approx(np.array(slow.george_cost(class_sizes)))


@pytest.mark.parametrize("kind", ["ord", "nom", "int", "ord_flat"])
@given(class_sizes=st.lists(st.integers(0, 9), min_size=1, max_size=6).filter(any))
def test_proximity_equals_its_definition(kind: Any, class_sizes: list[int]) -> None:
    expected = np.array(slow.proximity(class_sizes, kind))
    assert oe.proximity(class_sizes, kind) == pytest.approx(expected, rel=TOLERANCE, abs=TOLERANCE)


@st.composite
def forecasts(draw: st.DrawFn) -> tuple[list[int], list[list[float]], int]:
    """Truth, probabilities and the number of classes."""
    t, _, k = draw(labels())
    rows = []
    for _ in t:
        raw = draw(st.lists(st.integers(0, 5), min_size=k, max_size=k).filter(any))
        rows.append([x / sum(raw) for x in raw])
    return t, rows, k


@pytest.mark.parametrize("normalize", [False, True])
@given(forecast=forecasts())
def test_rps_equals_its_definition(
    normalize: bool, forecast: tuple[list[int], list[list[float]], int]
) -> None:
    t, prob, k = forecast
    expected = slow.ranked_probability_score(t, prob, k, normalize=normalize)
    value = oe.ranked_probability_score(
        t, prob, labels=range(k), normalize=normalize, undefined=UNDEFINED
    )
    assert agree(math.nan if value == UNDEFINED else value, expected)


@given(forecasts())
def test_rpss_equals_its_definition(forecast: tuple[list[int], list[list[float]], int]) -> None:
    t, prob, k = forecast
    expected = slow.ranked_probability_skill_score(t, prob, k)
    value = oe.ranked_probability_skill_score(t, prob, labels=range(k), undefined=UNDEFINED)
    assert agree(math.nan if value == UNDEFINED else value, expected)


PLAIN = ("ordinal_log_loss", "threshold_log_loss")
Forecast = tuple[list[int], list[list[float]], int]


@pytest.mark.parametrize("name", PLAIN)
@given(forecast=forecasts())
def test_log_losses_equal_their_definitions(name: str, forecast: Forecast) -> None:
    t, prob, k = forecast
    value = oe.get_metric(name)(t, prob, labels=range(k), undefined=UNDEFINED)
    assert agree(math.nan if value == UNDEFINED else value, getattr(slow, name)(t, prob, k), 1e-9)


@given(forecasts())
def test_the_brier_score_of_each_cut_equals_its_definition(forecast: Forecast) -> None:
    t, prob, k = forecast
    values = []
    for cut in range(max(k - 1, 1)):
        level = min(cut + 1, k - 1)
        value = oe.threshold_brier(t, prob, labels=range(k), undefined=UNDEFINED, at_least=level)
        values.append(math.nan if value == UNDEFINED else value)
        assert agree(values[-1], slow.threshold_brier(t, prob, k, at_least=level))
    if k > 1:
        assert agree(oe.ranked_probability_score(t, prob, labels=range(k)), sum(values))


@st.composite
def distributions(draw: st.DrawFn) -> list[list[list[float]]]:
    """Several pairs of distributions over the same levels."""
    k, n = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    counts = st.lists(st.integers(0, 5), min_size=k, max_size=k).filter(any)
    rows = [[draw(counts) for _ in range(n)] for _ in range(2)]
    return [[[x / sum(row) for x in row] for row in side] for side in rows]


@pytest.mark.parametrize("name", oe.metrics(family="distribution").names)
@given(given_=distributions())
def test_distances_of_distributions_equal_their_definitions(
    name: str, given_: list[list[list[float]]]
) -> None:
    metric, (p, q) = oe.get_metric(name), given_
    each = [getattr(slow, name)(a, b) for a, b in zip(p, q, strict=True)]
    value = metric(p, q, undefined=UNDEFINED)
    expected = sum(each) / len(each)
    assert agree(math.nan if value == UNDEFINED else value, expected)
    alone = metric(p[0], q[0], undefined=UNDEFINED)
    assert agree(math.nan if alone == UNDEFINED else alone, each[0])


@given(distributions())
def test_the_rps_of_distributions_is_a_sum_of_squares(given_: list[list[list[float]]]) -> None:
    p, q = (np.array(x) for x in given_)
    expected = ((np.cumsum(p, axis=1) - np.cumsum(q, axis=1))[:, :-1] ** 2).sum(axis=1).mean()
    assert agree(oe.ranked_probability_score(p, q), expected)


@st.composite
def scored(draw: st.DrawFn) -> tuple[list[int], list[float], int]:
    """Truth, scores with ties that are not all whole, and the number of classes."""
    t, _, k = draw(labels())
    scores = draw(st.lists(st.integers(-3, 3), min_size=len(t), max_size=len(t)))
    return t, [x / 2 + 0.25 for x in scores], k


@pytest.mark.parametrize("metric", oe.metrics(needs="scores"), ids=lambda m: m.name)
@given(given_=scored())
def test_measures_of_scores_equal_their_definitions(
    metric: oe.Metric, given_: tuple[list[int], list[float], int]
) -> None:
    t, s, k = given_
    for params in (params_of(k) for params_of in VARIANTS.get(metric.name, {"": fixed()}).values()):
        value = metric(t, s, labels=range(k), undefined=UNDEFINED, **params)
        expected = getattr(slow, metric.name)(t, s, k, **params)
        assert agree(math.nan if value == UNDEFINED else value, expected)
        declared = metric(t, y_score=s, labels=range(k), undefined=UNDEFINED, **params)
        assert declared == value or (math.isnan(declared) and math.isnan(value))


@given(forecasts())
def test_facts_of_the_probability_measures(forecast: Forecast) -> None:
    t, prob, k = forecast
    backwards = [k - 1 - x for x in t], [row[::-1] for row in prob]
    wider = [x + 1 for x in t], [[0.0, *row, 0.0] for row in prob]
    certain = np.eye(k)[t]
    for metric in map(ready, oe.metrics(needs="probabilities")):
        value = metric(t, prob, labels=range(k), undefined=UNDEFINED)
        low, high = metric.range.at(k)
        assert value == UNDEFINED or low - TOLERANCE <= value <= high + TOLERANCE
        if metric.reversal_invariant:
            assert agree(metric(*backwards, labels=range(k), undefined=UNDEFINED), value, 1e-9)
        if not metric.depends_on_empty_levels:
            assert agree(metric(*wider, labels=range(k + 2), undefined=UNDEFINED), value, 1e-9)
        assert metric.perfect == metric.best == metric.range[bool(metric.greater_is_better)]
        assert metric(t, certain, labels=range(k), undefined=metric.best) == metric.perfect
        assert not metric.symmetric  # labels and probabilities cannot be exchanged


def test_what_is_claimed_to_change_a_measure_of_probabilities_does() -> None:
    t, prob = [0, 1, 2, 2], [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.0, 0.4, 0.6]]
    backwards = [2 - x for x in t], [row[::-1] for row in prob]
    wider = [x + 1 for x in t], [[0.0, *row, 0.0] for row in prob]
    for metric in map(ready, oe.metrics(needs="probabilities")):
        value = metric(t, prob, labels=range(3))
        assert agree(metric(*backwards, labels=range(3)), value) == metric.reversal_invariant
        longer = metric(*wider, labels=range(5))
        assert agree(longer, value) != metric.depends_on_empty_levels, metric.name
