"""Measures of many raters: printed figures, definitions item by item, other libraries, laws.

The definitions follow each item and each rater; nothing here is shared with the kernels.
"""

import itertools
import math
import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.rating_sums import Sums, stacked, sums_of, tally_of
from tests.ready import OnUse

import ordeval as oe
from ordeval import Ratings
from ordeval.measures.raters import Tally, value_of
from ordeval.measures.registry import AGREEMENT, choose

irr_cac, krippendorff, pd = OnUse("irrCAC.raw"), OnUse("krippendorff"), OnUse("pandas")

Table = list[list[int | None]]  # items by raters, positions on the scale
WEIGHTS = ("quadratic", "linear", "nominal")
LEVELS = ("ordinal", "interval", "nominal")
WEIGHTED = ("fleiss_kappa", "conger_kappa", "gwet_ac2", "brennan_prediger")

# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", example C.
_: int | None = None
EXAMPLE: list[list[int | None]] = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
BY_ITEM = [list(row) for row in zip(*EXAMPLE, strict=True)]


def value(name: str, ratings: Ratings, **params: Any) -> float:
    metric = oe.get_metric(name)
    checked = metric.check_parameters(params, ratings.k)
    return float(value_of(metric, Tally.of_ratings(ratings), checked))


@pytest.mark.parametrize(
    ("level", "expected"), [("nominal", 0.74342), ("ordinal", 0.81539), ("interval", 0.84911)]
)
def test_alpha_of_the_example(level: str, expected: float) -> None:
    found = value("krippendorff_alpha", Ratings(BY_ITEM, range(1, 6)), level=level)
    assert round(found, 5) == expected


# irrCAC on the same example, by Gwet (2014), Handbook of Inter-Rater Reliability.
PRINTED = {
    "quadratic": (0.91400, 0.86494, 0.85717, 0.90152),
    "linear": (0.85874, 0.81794, 0.81314, 0.84848),
}


@pytest.mark.parametrize("weights", PRINTED)
def test_other_coefficients_of_the_example(weights: str) -> None:
    names = ("gwet_ac2", "fleiss_kappa", "conger_kappa", "brennan_prediger")
    ratings = Ratings(BY_ITEM, range(1, 6))
    found = tuple(round(value(name, ratings, weights=weights), 5) for name in names)
    assert found == PRINTED[weights]


def test_the_default_table_holds_the_figures() -> None:
    found = Ratings(BY_ITEM, range(1, 6)).agreement(level=None)
    expected = (0.81539, 0.86494, 0.85717, 0.91400, 0.90152)
    names = [name for name in AGREEMENT if name != "intraclass_correlation"]
    assert [round(found[name], 5) for name in names] == list(expected)
    assert round(oe.fleiss_kappa(BY_ITEM), 5) == 0.86494
    assert round(oe.conger_kappa(Ratings(BY_ITEM), weights="linear"), 5) == 0.81314


# Definitions


def weight(name: str, a: int, b: int, k: int) -> float:
    """Agreement of two levels: 1 on the diagonal."""
    if name == "nominal":
        return float(a == b)
    return 1 - (abs(a - b) / (k - 1)) ** (2 if name == "quadratic" else 1) if k > 1 else 1.0


def given_to(row: list[int | None]) -> list[int]:
    return [x for x in row if x is not None]


def observed(table: Table, k: int, name: str) -> float:
    """Mean over items of the mean weight over ordered pairs of different raters."""
    means = []
    for row in map(given_to, table):
        if len(row) >= 2:
            pairs = [weight(name, a, b, k) for a, b in itertools.permutations(row, 2)]
            means.append(sum(pairs) / len(pairs))
    return sum(means) / len(means) if means else math.nan


def shares(table: Table, k: int) -> list[float]:
    rated = [row for row in map(given_to, table) if row]
    return [sum(row.count(c) / len(row) for row in rated) / len(rated) for c in range(k)]


def expected(measure: str, table: Table, k: int, name: str) -> float:
    cells = list(itertools.product(range(k), repeat=2))
    w = {(a, b): weight(name, a, b, k) for a, b in cells}
    match measure:
        case "fleiss_kappa":
            pi = shares(table, k)
            return sum(w[a, b] * pi[a] * pi[b] for a, b in cells)
        case "gwet_ac2":
            pi = shares(table, k)
            return sum(w.values()) / (k * (k - 1)) * sum(p * (1 - p) for p in pi)
        case "brennan_prediger":
            return sum(w.values()) / k**2
    columns = [given_to(list(column)) for column in zip(*table, strict=True)]
    own = [[c.count(x) / len(c) for x in range(k)] for c in columns if c]
    r = len(own)
    mean = [sum(p[x] for p in own) / r for x in range(k)]
    total = 0.0
    for a, b in cells:
        spread = sum((p[a] - mean[a]) * (p[b] - mean[b]) for p in own) / max(r - 1, 1)
        total += w[a, b] * (mean[a] * mean[b] - spread / r)
    return total


def slow(measure: str, table: Table, k: int, name: str) -> float:
    seen = observed(table, k, name)
    if math.isnan(seen) or k == 1:
        return math.nan
    chance = expected(measure, table, k, name)
    if abs(1 - chance) < 1e-12:
        return math.nan
    return (seen - chance) / (1 - chance)


def slow_alpha(table: Table, k: int, level: str) -> float:
    """One minus observed over expected disagreement of pairable values, pair by pair."""
    rows = [row for row in map(given_to, table) if len(row) >= 2]
    pooled = [x for row in rows for x in row]
    n = len(pooled)
    sizes = [pooled.count(c) for c in range(k)]

    def apart(a: int, b: int) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return (a - b) ** 2
        low, high = min(a, b), max(a, b)
        return (sum(sizes[low : high + 1]) - (sizes[low] + sizes[high]) / 2) ** 2

    seen = sum(
        sum(apart(a, b) for a, b in itertools.permutations(row, 2)) / (len(row) - 1) for row in rows
    )
    chance = sum(apart(a, b) for a, b in itertools.permutations(pooled, 2))
    return 1 - (n - 1) * seen / chance if chance else math.nan


@cache
def random_tables() -> tuple[tuple[Table, int], ...]:
    """300 tables: 2 to 5 levels, 2 to 6 raters, 3 to 25 items, no gaps to half of the ratings."""
    rng = np.random.default_rng(1971)
    drawn = []
    for i in range(300):
        k, raters, n = (int(rng.integers(a, b)) for a, b in ((2, 6), (2, 7), (3, 26)))
        centre = rng.integers(0, k, n)
        codes = np.clip(centre[:, None] + rng.integers(-1, 2, (n, raters)), 0, k - 1)
        gaps = rng.random((n, raters)) < (0.0, 0.2, 0.5)[i % 3]
        table = [
            [None if g else int(c) for c, g in zip(*row, strict=True)]
            for row in zip(codes, gaps, strict=True)
        ]
        drawn.append((table, k))
    return tuple(drawn)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", WEIGHTED)
def test_coefficients_follow_their_definition(name: str, weights: str) -> None:
    for table, k in random_tables():
        found = value(name, Ratings(table, range(k)), weights=weights)
        assert found == pytest.approx(slow(name, table, k, weights), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_follows_its_definition(level: str) -> None:
    for table, k in random_tables():
        found = value("krippendorff_alpha", Ratings(table, range(k)), level=level)
        assert found == pytest.approx(slow_alpha(table, k, level), abs=1e-9, nan_ok=True)


@st.composite
def small_tables(draw: st.DrawFn) -> tuple[Table, int]:
    k, raters = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cell = st.one_of(st.none(), st.integers(0, k - 1))
    row = st.lists(cell, min_size=raters, max_size=raters)
    return draw(st.lists(row, min_size=1, max_size=6)), k


@given(small_tables())
@settings(max_examples=150)
def test_the_strangest_tables_follow_the_definitions(drawn: Any) -> None:
    """One rater, one level, items and raters without ratings."""
    table, k = drawn
    ratings = Ratings(table, range(k))
    for name in WEIGHTED:
        found = value(name, ratings, weights="quadratic")
        wanted = slow(name, table, k, "quadratic")
        assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True), name
    found = value("krippendorff_alpha", ratings)
    assert found == pytest.approx(slow_alpha(table, k, "ordinal"), abs=1e-9, nan_ok=True)


# Other libraries


@pytest.mark.parametrize("level", LEVELS)
def test_krippendorff_agrees(level: Any) -> None:
    compared = 0
    for table, k in random_tables():
        if len({x for row in table for x in given_to(row)}) < 2:
            continue
        data = np.array(table, dtype=np.float64).T
        if not (np.sum(~np.isnan(data), axis=0) >= 2).any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = krippendorff.alpha(
                reliability_data=data, level_of_measurement=level, value_domain=list(range(k))
            )
        found = value("krippendorff_alpha", Ratings(table, range(k)), level=level)
        if not math.isnan(found):
            assert found == pytest.approx(peer, abs=1e-9)
            compared += 1
    assert compared > 250


def anova(x: Any) -> float:
    """ICC(2,1) by the mean squares of two-way analysis of variance (Shrout & Fleiss 1979)."""
    n, k = x.shape
    rows, columns = x.mean(axis=1), x.mean(axis=0)
    of_rows = k * ((rows - x.mean()) ** 2).sum() / (n - 1)
    of_columns = n * ((columns - x.mean()) ** 2).sum() / (k - 1)
    rest = ((x - rows[:, None] - columns + x.mean()) ** 2).sum() / ((n - 1) * (k - 1))
    return float((of_rows - rest) / (of_rows + (k - 1) * rest + k * (of_columns - rest) / n))


# Six targets and four judges, printed by Shrout & Fleiss (1979), Table 2; ICC(2,1) is 0.29.
SHROUT = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def test_the_intraclass_correlation_is_that_of_variance_analysis() -> None:
    assert round(oe.intraclass_correlation(SHROUT, labels=range(1, 11)), 2) == 0.29
    rng = np.random.default_rng(5)
    for k in (2, 3, 6):
        for raters in (2, 3, 5):
            base = rng.integers(0, k, (40, 1))
            codes = np.clip(base + rng.integers(-1, 2, (40, raters)), 0, k - 1)
            found = oe.intraclass_correlation(codes, labels=range(k))
            assert found == pytest.approx(anova(codes.astype(float)), abs=1e-12)


def test_the_intraclass_correlation_of_raters_with_gaps_and_its_interval() -> None:
    rng = np.random.default_rng(6)
    base = rng.integers(0, 5, (300, 1))
    codes = np.clip(base + rng.integers(-1, 2, (300, 3)) + [0, 0, 1], 0, 4)
    table: list[list[int | None]] = [[int(x) for x in row] for row in codes]
    for i in rng.choice(300, 30, replace=False):
        table[i][int(rng.integers(3))] = None
    ratings = Ratings(table, range(5))
    x = ratings.agreement("intraclass_correlation").intervals["intraclass_correlation"]
    assert x.estimate == pytest.approx(anova(codes.astype(float)), abs=0.02)
    drawn = []
    for _ in range(300):
        some = codes[rng.integers(0, 300, 300)].astype(float)
        drawn.append(anova(some))
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert (x.low, x.high) == pytest.approx((low, high), abs=0.02)
    with pytest.warns(oe.UndefinedMetricWarning, match="all ratings are of one level"):
        oe.intraclass_correlation([[1, 1], [1, 1]], labels=[1, 2])


METHODS = {
    "fleiss_kappa": "fleiss", "conger_kappa": "conger", "gwet_ac2": "gwet",
    "brennan_prediger": "bp",
}  # fmt: skip


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", METHODS)
def test_irrcac_agrees(name: str, weights: str) -> None:
    """It rounds to five digits."""
    compared = 0
    for table, k in random_tables()[::6] + random_tables()[1::6]:
        frame = pd.DataFrame(np.array(table, dtype=np.float64))
        present = sorted({x for row in table for x in given_to(row)})
        if frame.isna().all().any() or frame.isna().all(axis=1).any() or len(present) < 2:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = irr_cac.CAC(
                frame, weights="identity" if weights == "nominal" else weights,
                categories=list(range(k)),
            )  # fmt: skip
            theirs = getattr(peer, METHODS[name])()["est"]["coefficient_value"]
        found = value(name, Ratings(table, range(k)), weights=weights)
        if not (math.isnan(found) or math.isnan(theirs)):
            assert found == pytest.approx(theirs, abs=0.5e-5 + 1e-9)
            compared += 1
    assert compared > 60


# Two raters


TWO = {"fleiss_kappa": "scott_pi", "conger_kappa": "weighted_kappa"}


@pytest.mark.parametrize("weights", [*WEIGHTS, "own"])
@pytest.mark.parametrize("name", WEIGHTED)
def test_two_raters_have_the_value_of_the_two_rater_measure(name: str, weights: str) -> None:
    rng = np.random.default_rng(3)
    for k in (2, 3, 5):
        for _i in range(20):
            codes = rng.integers(0, k, (int(rng.integers(2, 30)), 2))
            own = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) ** 1.5
            w: Any = own if weights == "own" else weights
            two = oe.get_metric(TWO.get(name, name))(
                codes[:, 0], codes[:, 1], labels=range(k), weights=w, undefined=math.inf
            )
            many = value(name, Ratings(codes, range(k)), weights=w)
            assert many == pytest.approx(math.nan if two == math.inf else two, nan_ok=True)


@pytest.mark.parametrize("level", LEVELS)
def test_two_raters_have_the_alpha_of_two_raters(level: str) -> None:
    rng = np.random.default_rng(4)
    for k in (2, 3, 5):
        codes = rng.integers(0, k, (25, 2))
        two = oe.krippendorff_alpha(codes[:, 0], codes[:, 1], labels=range(k), level=level)
        assert value("krippendorff_alpha", Ratings(codes, range(k)), level=level) == two


# Laws


def every_value(ratings: Ratings) -> list[float]:
    tally = Tally.of_ratings(ratings)
    return [float(value_of(oe.get_metric(name), tally)) for name in AGREEMENT]


def test_the_order_of_items_and_raters_is_irrelevant_and_so_is_the_direction_of_the_scale() -> None:
    rng = np.random.default_rng(5)
    for table, k in random_tables()[:60]:
        codes = Ratings(table, range(k)).codes
        before = every_value(Ratings(table, range(k)))
        shuffled = codes[rng.permutation(len(codes))][:, rng.permutation(codes.shape[1])]
        for other in (shuffled, np.where(codes < 0, -1, k - 1 - codes)):
            again = Ratings(np.where(other < 0, np.nan, other), range(k))
            assert every_value(again) == pytest.approx(before, nan_ok=True)


def test_perfect_agreement_is_one_and_a_rater_without_ratings_is_ignored() -> None:
    perfect: Table = [[0, 0, None], [1, 1, 1], [2, None, 2], [None, None, 1]]
    assert every_value(Ratings(perfect, range(3))) == pytest.approx([1.0] * 6)
    for table, k in random_tables()[:60]:
        more = [[*row, None] for row in table]
        found = every_value(Ratings(more, range(k)))
        assert found == pytest.approx(every_value(Ratings(table, range(k))), nan_ok=True)


def test_items_add_their_tallies_and_a_batch_is_a_loop() -> None:
    for (table, k), (_, _) in itertools.pairwise(random_tables()[:60]):
        codes = Ratings(table, range(k)).codes
        half = len(codes) // 2
        parts = [sums_of(part, k) for part in (codes[:half], codes[half:])]
        whole = tally_of(codes, k)
        for added, ours in zip(parts[0].plus(parts[1]).tally[:3], whole, strict=False):
            assert ours == pytest.approx(added)
        tallies = [*(part.tally for part in parts), whole]
        batch = stacked(tallies)
        for name in AGREEMENT:
            metric = oe.get_metric(name)
            loop = [float(value_of(metric, t)) for t in tallies]
            assert value_of(metric, batch) == pytest.approx(loop, nan_ok=True)


def test_a_tally_is_what_items_add_up_to() -> None:
    rng = np.random.default_rng(6)
    for k, raters in ((40, 9), (2, 2), (5, 30)):
        codes = np.where(rng.random((30, raters)) < 0.3, -1, rng.integers(0, k, (30, raters)))
        found, expected = tally_of(codes, k), sums_of(codes, k).tally
        for ours, theirs in zip(
            (*found[:3], *found[3]), (*expected[:3], *expected[3]), strict=True
        ):
            assert ours == pytest.approx(theirs)


# How they are called


def test_undefined_values_warn_and_may_be_replaced() -> None:
    for table in ([[1, None], [None, 2]], [[1, 1], [1, 1]]):
        with pytest.warns(oe.UndefinedMetricWarning, match="no item has two ratings, or all"):
            assert math.isnan(oe.fleiss_kappa(table, labels=[1, 2]))
        assert oe.fleiss_kappa(table, labels=[1, 2], undefined=0.0) == 0.0


def test_what_is_chosen() -> None:
    assert tuple(m.name for m in choose(None, AGREEMENT, "ratings")) == AGREEMENT
    assert [m.name for m in choose("gwet_ac2", AGREEMENT, "ratings")] == ["gwet_ac2"]
    assert [m.name for m in choose(["gwet_ac2", oe.fleiss_kappa], AGREEMENT, "ratings")] == [
        "gwet_ac2",
        "fleiss_kappa",
    ]
    with pytest.raises(oe.ParameterError, match="accuracy is not a measure of many raters"):
        choose("accuracy", AGREEMENT, "ratings")
    with pytest.raises(oe.ParameterError, match="metrics is empty"):
        choose([], AGREEMENT, "ratings")


def test_labels_of_two_sides_are_no_ratings() -> None:
    calls: list[Any] = [
        lambda: oe.fleiss_kappa([1, 2], [1, 2]),
        lambda: oe.score([1, 2], [1, 2], "fleiss_kappa"),
        lambda: oe.compare([1, 2], {"a": [1, 2]}, ["conger_kappa"]),
        lambda: oe.confidence_interval("fleiss_kappa", [1, 2], [1, 2]),
        lambda: oe.judge([[1, 2]], {"a": [1]}, "fleiss_kappa"),
        lambda: oe.scorer("fleiss_kappa"),
    ]
    for call in calls:
        with pytest.raises(oe.ParameterError, match="needs the ratings of several raters"):
            call()
    with pytest.raises(oe.LabelError, match="a table of items by raters"):
        oe.fleiss_kappa.from_confusion([[1, 2], [2, 1]])


def test_parameters_of_measures_reach_agreement() -> None:
    ratings = Ratings(BY_ITEM, range(1, 6))
    metric = oe.krippendorff_alpha.with_params(level="nominal")
    found = ratings.agreement(metric)
    assert next(iter(found.values())) == pytest.approx(0.74342, abs=1e-5)
    assert next(iter(found.intervals.values())).estimate == pytest.approx(0.74342, abs=1e-5)


# Gaps


def test_with_gaps_a_value_may_lie_below_the_usual_range() -> None:
    """Those who rated alone say what is expected, and two pairs out of three disagree."""
    alone = [[None, 2]] * 5 + [[2, None]]
    table: Table = [[1, 2], [1, 2], [2, 2], *alone]
    peer = irr_cac.CAC(
        pd.DataFrame(table, dtype=float), weights="quadratic", categories=[1, 2], digits=9
    )
    found = Ratings(table, [1, 2]).agreement("fleiss_kappa")
    interval = found.intervals["fleiss_kappa"]
    assert found["fleiss_kappa"] == pytest.approx(peer.fleiss()["est"]["coefficient_value"])
    assert found["fleiss_kappa"] < -1
    assert interval.low < found["fleiss_kappa"] - 0.1
    assert interval.high <= 1
    assert found.rows()[0]["least"] == -math.inf
    whole = Ratings([[1, 2], [1, 2], [2, 2]], [1, 2]).agreement("fleiss_kappa")
    assert whole.rows()[0]["least"] == -1


# Raters with several runs


def with_runs(rng: Any, runs: dict[str, int], items: int, gap: float) -> Ratings:
    quality = rng.integers(1, 6, items)
    rows = [
        {"item": i, "rater": name, "rating": int(np.clip(q + rng.integers(-1, 2), 1, 5))}
        for name, n in runs.items() for i, q in enumerate(quality) for _ in range(n)
        if i == 0 or rng.random() > gap
    ]  # fmt: skip
    return Ratings.from_long(pd.DataFrame(rows), labels=range(1, 6), duplicates="runs")


def mean_sums(ratings: Ratings) -> Sums:
    """The mean over all ways to keep one run of each rater, item by item."""
    summed = None
    for row in ratings.codes:
        given = [[row[c] for c in columns if row[c] >= 0] for columns in ratings.runs.values()]
        ways = itertools.product(*(x or [-1] for x in given))
        tallies = [sums_of(np.array([way]), ratings.k) for way in ways]
        mean = [np.mean(x, axis=0) for x in zip(*tallies, strict=True)]
        summed = mean if summed is None else [a + b for a, b in zip(summed, mean, strict=True)]
    assert summed is not None
    return Sums(*summed)


@pytest.mark.parametrize("gap", [0, 0.4])
def test_the_tally_of_runs_is_the_mean_over_the_ways_to_keep_one(gap: float) -> None:
    rng = np.random.default_rng(17)
    for runs in ({"a": 1, "b": 2}, {"a": 3, "b": 1, "c": 2}, {"a": 2, "b": 2, "c": 3, "d": 1}):
        ratings = with_runs(rng, runs, 12, gap)
        expected = mean_sums(ratings)
        tally = Tally.of_ratings(ratings)
        for ours, theirs in zip((*tally[:3], ratings.used), expected, strict=True):
            assert ours == pytest.approx(theirs, abs=1e-12)
        for ours, theirs in zip(tally.habits, expected.tally.habits, strict=True):
            assert ours == pytest.approx(theirs, abs=1e-12)
        assert ratings.pair_counts == pytest.approx(expected.coincidences, abs=1e-12)


def test_runs_that_repeat_themselves_change_nothing() -> None:
    once = Ratings(BY_ITEM, range(1, 6))
    rows = [
        {"item": i, "rater": f"r{r}", "rating": x}
        for i, row in enumerate(BY_ITEM) for r, x in enumerate(row) if x is not None
        for _ in range(1 + r)
    ]  # fmt: skip
    again = Ratings.from_long(pd.DataFrame(rows), labels=range(1, 6), duplicates="runs")
    found, expected = again.agreement(), once.agreement()
    for name in AGREEMENT:
        assert found[name] == pytest.approx(expected[name], abs=1e-12)
        ours, theirs = found.intervals[name], expected.intervals[name]
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        assert found.self_agreement["r1"][name] == 1.0
    assert list(found.self_agreement) == ["r1", "r2", "r3"]
    assert oe.fleiss_kappa(again) == pytest.approx(oe.fleiss_kappa(once))
    steps = [[x.estimate for x in r.severity().values()] for r in (again, once)]
    assert steps[0] == pytest.approx(steps[1])
    random = [x.agreement(random_raters=True).intervals["fleiss_kappa"] for x in (again, once)]
    assert random[0].low == pytest.approx(random[1].low)


def test_runs_are_told_and_shown_beside_the_agreement_of_raters() -> None:
    ratings = with_runs(np.random.default_rng(3), {"ann": 1, "gpt": 3}, 40, 0.1)
    found = ratings.agreement("krippendorff_alpha")
    alone = ratings.of("gpt").agreement("krippendorff_alpha")
    assert found.self_agreement["gpt"]["krippendorff_alpha"] == alone["krippendorff_alpha"]
    text = str(found)
    assert "the runs of a rater share its weight" in " ".join(text.split())
    for shown in (text, found.to_markdown(), found.to_latex()):
        assert "gpt (3 runs)" in shown
    assert "2 raters" in text
    assert found._facts()["self_agreement"]["gpt"][0]["value"] == alone["krippendorff_alpha"]
