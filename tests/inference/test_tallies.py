"""Intervals of many raters' agreement, against what leaving out units one by one gives."""

import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest
from tests.rating_sums import Sums, sums_of, tally_of
from tests.ready import OnUse

import ordeval as oe
from ordeval import Ratings
from ordeval.inference.cell_influence import pseudo_items
from ordeval.inference.intervals import Estimation
from ordeval.inference.raters import rating_influence as tallies
from ordeval.inference.raters.rating_influence import _Units, agreement_intervals
from ordeval.measures.raters import Tally, sums_of_items, value_of
from ordeval.measures.registry import AGREEMENT

pd = OnUse("pandas")


def draw(n: int, raters: int = 3, *, k: int = 5, gaps: float = 0.2, seed: int = 0) -> Any:
    """Ratings (n, raters), NaN where there is none."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)[:, None] + rng.integers(-1, 2, (n, raters))
    return np.where(rng.random((n, raters)) < gaps, np.nan, np.clip(codes, 0, k - 1))


def units_of(ratings: Ratings) -> _Units:
    return _Units(ratings, Tally.of_ratings(ratings))


def near_misses(ratings: Ratings, whole: Sums) -> Sums:
    """One item more: half of it agreed on as items are, and half missed by a level."""
    pairs = pseudo_items(np.diag(whole.shares)[None])[0]
    pairs = (pairs + pairs.T) / 2
    rated = (ratings.codes >= 0).sum(axis=1)
    each = max(2.0, rated[rated > 0].mean())
    rate = whole.used.sum(axis=1) / (rated > 0).sum()
    shares = pairs.sum(axis=0)
    return Sums(pairs * each, pairs, shares, np.outer(rate, shares))


@pytest.mark.parametrize("name", AGREEMENT)
@pytest.mark.parametrize("clustered", [False, True])
def test_parts_are_those_of_a_jackknife_by_brute_force(name: str, clustered: bool) -> None:
    table = draw(40)
    clusters = np.arange(40) // 4 if clustered else None
    ratings, metric = Ratings(table, range(5), clusters=clusters), oe.get_metric(name)
    units = units_of(ratings)
    found = units.contributions(metric)
    whole = sums_of(ratings.codes, 5)
    rated = (ratings.codes >= 0).any(axis=1)
    group = np.arange(40) if clusters is None else clusters
    mass = rated.sum() / units.units
    smooth, total = whole.plus(near_misses(ratings, whole), mass), rated.sum() + mass
    centre = float(value_of(metric, smooth.tally))
    assert found.centre[0] == pytest.approx(centre)
    each = []
    for g in np.unique(group[rated]):
        rest = smooth.plus(sums_of(ratings.codes[(group == g) & rated], 5), -1.0)
        size = ((group == g) & rated).sum()
        each.append(((total - size) / total * (centre - float(value_of(metric, rest.tally))), size))
    parts, sizes = np.array(each).T
    bias = -parts.sum()
    parts = parts + bias * sizes / total
    assert found.bias[0] == pytest.approx(bias)
    spread = len(parts) / (len(parts) - 1) * (parts**2).sum() + found.pseudo[0, 0]
    assert found.errors[0] == pytest.approx(math.sqrt(spread))
    assert found.units == len(parts)


@pytest.mark.parametrize("name", AGREEMENT)
def test_standard_errors_are_those_of_the_bootstrap(name: str) -> None:
    ratings, metric = Ratings(draw(300), range(5)), oe.get_metric(name)
    rng, codes = np.random.default_rng(1), ratings.codes
    drawn = [
        float(value_of(metric, tally_of(codes[rng.integers(0, 300, 300)], 5))) for _ in range(600)
    ]
    assert units_of(ratings).contributions(metric).errors[0] == pytest.approx(
        np.std(drawn), rel=0.12
    )


def ends(ratings: Ratings, **options: Any) -> Any:
    found = ratings.agreement(**options).intervals
    return [(i.estimate, i.low, i.high) for i in found.values()]


def test_clusters_of_one_item_are_no_clusters() -> None:
    table = draw(60)
    rated = (~np.isnan(table)).sum(axis=1) >= 2
    alone = ends(Ratings(table[rated], range(5)))
    told = ends(Ratings(table[rated], range(5), clusters=np.arange(rated.sum())))
    assert np.array(told) == pytest.approx(np.array(alone))


def test_clusters_that_are_alike_widen_intervals() -> None:
    table = draw(40)
    again = np.repeat(table, 5, axis=0)
    clusters = np.repeat(np.arange(40), 5)
    told, untold = (np.array(ends(Ratings(again, range(5), clusters=c))) for c in (clusters, None))
    assert (told[:, 2] - told[:, 1] > 1.8 * (untold[:, 2] - untold[:, 1])).all()


def test_items_that_are_rated_alike_are_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = Ratings(draw(400, k=3), range(3))
    before = ends(ratings)
    monkeypatch.setattr(tallies, "_DISTINCT", 0)
    assert np.array(ends(ratings)) == pytest.approx(np.array(before))


@pytest.mark.parametrize("clustered", [False, True])
def test_bundles_say_the_same_as_items_one_by_one(
    monkeypatch: pytest.MonkeyPatch, clustered: bool
) -> None:
    table = draw(2400, 8)
    ratings = Ratings(table, range(5), clusters=np.arange(2400) // 2 if clustered else None)
    bundled = np.array(ends(ratings))
    monkeypatch.setattr(tallies, "_BUNDLES", 10**6)
    one_by_one = np.array(ends(ratings))
    assert bundled[:, 0] == pytest.approx(one_by_one[:, 0])
    assert bundled[:, 2] - bundled[:, 1] == pytest.approx(
        one_by_one[:, 2] - one_by_one[:, 1], rel=0.08
    )


def test_the_order_of_items_is_irrelevant() -> None:
    table = draw(80)
    order = np.random.default_rng(3).permutation(80)
    one, other = (np.array(ends(Ratings(t, range(5)))) for t in (table, table[order]))
    assert one == pytest.approx(other)


def test_two_raters_have_about_the_interval_of_the_two_rater_measure() -> None:
    codes = draw(300, 2, gaps=0.0).astype(int)
    found = Ratings(codes, range(5)).agreement().intervals
    pairs = {"fleiss_kappa": "scott_pi", "conger_kappa": "weighted_kappa"}
    for name in (name for name in AGREEMENT if name != "intraclass_correlation"):
        two = oe.confidence_interval(pairs.get(name, name), *codes.T, labels=range(5))
        assert found[name].estimate == pytest.approx(two.estimate)
        assert (found[name].low, found[name].high) == pytest.approx((two.low, two.high), abs=0.012)


def test_perfect_agreement_is_not_certain() -> None:
    for n in (12, 50, 400):
        rng = np.random.default_rng(n)
        codes = np.repeat(rng.integers(0, 5, n)[:, None], 3, axis=1)
        for name, interval in Ratings(codes, range(5)).agreement().intervals.items():
            assert interval.high == 1.0, name
            assert interval.low < 1 - 0.2 / n, name
            assert interval.low > 1 - 30 / n, name


def test_intervals_hold_their_value_and_stay_in_the_range() -> None:
    rng = np.random.default_rng(5)
    for seed in range(60):
        n, k = int(rng.integers(2, 15)), int(rng.integers(2, 6))
        ratings = Ratings(draw(n, 3, k=k, seed=seed), range(k))
        for metric in map(oe.get_metric, AGREEMENT):
            found = ratings.agreement(metric).intervals[metric.name]
            if found.low == found.low:
                low, high = metric.range.at(k)
                assert low - 1e-12 <= found.low <= found.estimate <= found.high <= high + 1e-12


def test_a_higher_level_is_wider() -> None:
    ratings = Ratings(draw(60), range(5))
    ninety, ninety_nine = (np.array(ends(ratings, level=x)) for x in (0.9, 0.99))
    assert (ninety_nine[:, 1] < ninety[:, 1]).all()
    assert (ninety_nine[:, 2] > ninety[:, 2]).all()
    assert ratings.agreement(level=None).intervals == {}
    with pytest.raises(oe.ParameterError, match="level must lie between 0 and 1"):
        ratings.agreement(level=95)


def test_other_raters_widen_intervals() -> None:
    ratings = Ratings(draw(200, 4), range(5))
    fixed, random = (np.array(ends(ratings, random_raters=x)) for x in (False, True))
    assert (random[:, 0] == fixed[:, 0]).all()
    assert (random[:, 2] - random[:, 1] > fixed[:, 2] - fixed[:, 1]).all()


def test_two_raters_tell_nothing_of_others() -> None:
    interval = Ratings(draw(50, 2), range(5)).agreement(
        "fleiss_kappa", random_raters=True
    ).intervals["fleiss_kappa"]  # fmt: skip
    assert math.isnan(interval.low)
    assert "three raters" in interval.refused


@pytest.mark.parametrize(
    "table", [[[None, None], [None, None]], [[0, None], [None, 1]], [[0, 1], [None, 1]]]
)
def test_without_two_items_that_were_rated_twice_there_is_no_interval(table: Any) -> None:
    ratings = Ratings(table, range(2))
    metrics = tuple(map(oe.get_metric, AGREEMENT))
    whole = Tally.of_ratings(ratings)
    for interval in agreement_intervals(ratings, whole, metrics, Estimation()).values():
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
        assert interval.refused == "an interval needs two items that were rated twice or more."


@pytest.mark.parametrize("clustered", [False, True])
def test_what_leaves_adds_up_to_the_tally_of_runs(clustered: bool) -> None:
    rng = np.random.default_rng(8)
    rows = [
        {"item": i, "doc": i // 4, "rater": f"r{r}", "rating": int(x)}
        for i in range(40) for r in range(3) for x in rng.integers(0, 5, r + 1)
        if rng.random() > 0.2
    ]  # fmt: skip
    ratings = Ratings.from_long(
        pd.DataFrame(rows), labels=range(5), duplicates="runs",
        clusters="doc" if clustered else None,
    )  # fmt: skip
    whole = Tally.of_ratings(ratings)
    units = _Units(ratings, whole)
    parts = sums_of_items(ratings, units.group, len(units.count))
    for left, total in zip(parts, whole, strict=False):
        assert np.tensordot(units.count, left, axes=1) == pytest.approx(total)
    assert units.units == (10 if clustered else units.items)


@pytest.mark.parametrize("runs", [False, True])
def test_raters_who_are_left_out_in_turn_are_those_of_brute_force(runs: bool) -> None:
    rng = np.random.default_rng(4)
    rows = [
        {"item": i, "rater": f"r{r}", "rating": int(x)}
        for i in range(30) for r in range(5) for x in rng.integers(0, 3, r // 2 + 1 if runs else 1)
        if rng.random() > 0.3
    ]  # fmt: skip
    ratings = Ratings.from_long(pd.DataFrame(rows), labels=range(3), duplicates="runs")
    without = tallies._without_each(ratings, Tally.of_ratings(ratings), ratings.used)
    names = list(ratings.runs)
    for name in AGREEMENT:
        metric = oe.get_metric(name)
        found = value_of(metric, without)
        each = [Tally.of_ratings(ratings.of([n for n in names if n != x])) for x in names]
        assert found == pytest.approx([float(value_of(metric, t)) for t in each], rel=1e-12)


def many(raters: int) -> Any:
    """Three ratings of each of as many items as there are raters."""
    rng = np.random.default_rng(0)
    item = np.repeat(np.arange(raters), 3)
    rater = np.concatenate([rng.permutation(raters) for _ in range(3)])
    rating = np.clip(item % 5 + rng.integers(-1, 2, len(item)), 0, 4)
    return pd.DataFrame({"item": item, "rater": rater, "rating": rating}).drop_duplicates(
        ["item", "rater"]
    )


@pytest.mark.parametrize("random_raters", [False, True])
def test_cost_grows_with_ratings_and_not_with_raters_squared(random_raters: bool) -> None:
    def cost(raters: int) -> tuple[float, float]:
        ratings = Ratings.from_long(many(raters), labels=range(5))
        tracemalloc.start()
        started = time.process_time()
        ratings.agreement(random_raters=random_raters)
        spent = time.process_time() - started
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return spent, peak

    cost(1000)
    (time_few, memory_few), (time_many, memory_many) = cost(4000), cost(32_000)
    assert memory_many < 150e6  # a table of items by raters would need 8 GB
    assert memory_many < 16 * memory_few
    assert time_many < 32 * max(time_few, 0.05)  # eight times as many; squared it would be 64


def test_a_table_that_is_too_large_is_an_error() -> None:
    ratings = Ratings.from_long(many(60_000), labels=range(5))
    assert ratings.total == len(ratings.entries)
    with pytest.raises(oe.LabelError, match=r"60,000 items and 60,000 raters is too large; agree"):
        ratings.codes  # noqa: B018
