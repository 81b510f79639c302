"""Few human labels, many judged ones: values by slow definitions, and what must hold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from benchmarks.coverage import proxies
from benchmarks.coverage.bounds import Amount, Rate
from benchmarks.coverage.populations import Population, draw_items
from numpy.typing import NDArray

import ordeval as oe
from ordeval.inference import influence_kinds
from ordeval.inference.raters.randomness import NOT_RANDOM, looks_random

K, N = 5, 1000
SEED = 3
Codes = NDArray[np.int64]

# Some classes have few items with a human label, and some random subsets look chosen.
pytestmark = pytest.mark.filterwarnings("ignore:.OE(103|309):ordeval.ResamplingWarning")


def drawn(n: int, items: int = N, fall: float = 2.0, seed: int = 0) -> tuple[Codes, Codes, Codes]:
    """Human labels of the first n items, predictions, and a judge's labels."""
    models = (Population(K, "balanced"), Population(K, "balanced", fall=fall))
    found = draw_items(models, items, 1, np.random.default_rng(seed))
    human = np.where(np.arange(items) < n, found.truth[0], -1)
    return human, found.predictions[0, :, 0], found.predictions[0, :, 1]


def gapped(human: Codes) -> Any:
    return np.where(human >= 0, human, np.nan)


def matrix(truth: Codes, pred: Codes) -> Any:
    return np.bincount(truth * K + pred, minlength=K * K).reshape(K, K)


def corrected(name: str, human: Codes, pred: Codes, judge: Codes, **given: Any) -> Any:
    """The interval, that of the human labels alone, and all of the result."""
    made = oe.corrected(name, gapped(human), pred, proxy=judge, labels=range(K), **given)
    return made.intervals[name], made.human.get(name), made


def by_bootstrap(
    metric: oe.Metric, data: tuple[Codes, Codes, Codes], units: Codes, draws: int
) -> tuple[float, float, float]:
    """Theta, lambda and the standard error from draws of whole units, the plain way."""
    human, pred, judge = data
    rng = np.random.default_rng(1)
    there = human >= 0
    values = np.empty((draws, 3))
    names = np.unique(units)
    labelled = np.isin(names, units[there])
    rows = {u: np.flatnonzero(units == u) for u in names} if len(names) < len(units) else None

    def three(items: Codes) -> list[float]:
        own, other = items[there[items]], items[~there[items]]
        stack = [
            matrix(human[own], pred[own]),
            matrix(judge[own], pred[own]),
            matrix(judge[other], pred[other]),
        ]
        return [float(v) for v in metric.values(np.stack(stack))]

    for row in values:
        chosen = [rng.choice(names[side], side.sum()) for side in (labelled, ~labelled)]
        units_drawn = np.concatenate([c for c in chosen if len(c)])
        items = units_drawn if rows is None else np.concatenate([rows[u] for u in units_drawn])
        row[:] = three(items)
    c = np.cov(values.T)
    lam = float((c[0, 1] - c[0, 2]) / (c[1, 1] + c[2, 2] - 2 * c[1, 2]))
    human_value, on_labelled, on_others = three(np.arange(len(human)))
    error = float(np.std(values @ [1, -lam, lam], ddof=1))
    return human_value + lam * (on_others - on_labelled), lam, error


@pytest.mark.parametrize("name", ["weighted_kappa", "accuracy", "average_mae", "cem_ord"])
def test_theta_and_lambda_are_those_of_a_plain_bootstrap(name: str) -> None:
    data, metric = drawn(200), oe.get_metric(name)
    theta, lam, error = by_bootstrap(metric, data, np.arange(N), 1500)
    human, pred, judge = data
    found, *_ = corrected(name, human, pred, judge)
    assert 0.3 < lam < 0.9
    # The variance of the judge's part is pooled, and the bootstrap has its own error.
    assert found.estimate == pytest.approx(theta, abs=0.15 * error)
    assert (found.high - found.low) / 2 / 1.96 == pytest.approx(error, rel=0.15)


def test_the_mean_is_that_of_prediction_powered_inference() -> None:
    """By hand, as ``ppi_py`` does it."""
    human, _, judge = drawn(400, 4000)
    own, other = human >= 0, human < 0
    h, there, elsewhere = human[own] + 1, judge[own] + 1, judge[other] + 1
    lam = np.cov(h, there, ddof=0)[0, 1] / ((1 + 400 / 3600) * np.var(judge, ddof=1))
    theta = h.mean() + lam * (elsewhere.mean() - there.mean())
    variance = np.var(h - lam * there, ddof=1) / 400 + lam**2 * np.var(elsewhere, ddof=1) / 3600
    labels = np.where(own, human + 1, np.nan)
    made = oe.corrected_distribution(labels, judge + 1, labels=range(1, 6))
    found = made.intervals["mean"]
    assert found.estimate == pytest.approx(theta, abs=1e-9)
    assert (found.high - found.low) / 2 == pytest.approx(1.966 * variance**0.5, rel=0.03)
    assert made.human["mean"].estimate == pytest.approx(h.mean())


def test_shares_add_up_without_a_proxy_and_nearly_with_one() -> None:
    human, _, judge = drawn(200)
    scores = oe.corrected_distribution(gapped(human), judge, labels=range(K))
    shares = [scores[name] for name in scores if name != "mean"]
    assert len(shares) == K
    assert sum(shares) == pytest.approx(1, abs=0.01)
    assert sum(scores.human[n].estimate for n in scores if n != "mean") == pytest.approx(1)


@pytest.mark.parametrize("whole", [True, False], ids=["labelled whole", "in both parts"])
def test_clusters_are_drawn_whole(whole: bool) -> None:
    """Items come in fours that are alike; whether they are labelled whole or one by one."""
    human, pred, judge = (np.repeat(x, 4) for x in drawn(250, 250, fall=1.0))
    rng = np.random.default_rng(2)
    cluster = np.repeat(np.arange(250), 4)
    labelled = cluster < 80 if whole else rng.random(N) < 0.3
    human = np.where(labelled, human, -1)
    _, _, error = by_bootstrap(oe.accuracy, (human, pred, judge), cluster, 600)
    found, *_ = corrected("accuracy", human, pred, judge, clusters=cluster)
    assert (found.high - found.low) / 2 / 1.98 == pytest.approx(error, rel=0.15)
    assert found.clusters == 250
    with warnings.catch_warnings():
        # Items that are alike come together to the labelled part.
        warnings.simplefilter("ignore", oe.ResamplingWarning)
        alone, *_ = corrected("accuracy", human, pred, judge)
    assert alone.high - alone.low < 0.75 * (found.high - found.low)


def test_all_items_labelled_is_the_plain_interval() -> None:
    human, pred, judge = drawn(N)
    for name in ("weighted_kappa", "accuracy"):
        found, *_ = corrected(name, human, pred, judge)
        plain = oe.confidence_interval(name, human, pred, labels=range(K))
        ends = (plain.estimate, plain.low, plain.high)
        assert (found.estimate, found.low, found.high) == pytest.approx(ends, rel=1e-12)
    shares = oe.corrected_distribution(human, judge, labels=range(K))
    assert shares["mean"] == pytest.approx(human.mean())
    assert "1,000 of 1,000 items have a human label." in shares.basis.note


def nothing_learnt() -> Iterator[Any]:
    human, pred, judge = drawn(100)
    yield pytest.param(np.where(human >= 0, pred, -1), pred, judge, id="perfect on the labelled")
    one = np.where(np.arange(N) < N - 1, pred, -1)
    yield pytest.param(one, pred, judge, id="one item without a label")


@pytest.mark.parametrize(("human", "pred", "judge"), [*nothing_learnt()])
def test_where_nothing_is_learnt_the_human_labels_stand_alone(
    human: Codes, pred: Codes, judge: Codes
) -> None:
    there = human >= 0
    for name in ("accuracy", "cem_ord"):
        found, *_ = corrected(name, human, pred, judge)
        plain = oe.confidence_interval(name, human[there], pred[there], labels=range(K))
        ends = (plain.estimate, plain.low, plain.high)
        assert (found.estimate, found.low, found.high) == pytest.approx(ends)


def test_a_model_that_is_its_own_judge_gains_nothing() -> None:
    human, pred, _ = drawn(100)
    for name in ("accuracy", "cem_ord", "weighted_kappa", "average_mae"):
        found, alone, made = corrected(name, human, pred, pred)
        assert made.gains[name] == pytest.approx(0, abs=0.03)
        assert found.estimate == pytest.approx(alone.estimate)


def test_a_judge_that_agrees_with_all_labels_is_not_taken_for_infallible() -> None:
    """Of 50 labels without an error, 5 % of errors may go unseen."""
    truth, pred, _ = drawn(N, N)
    human = np.where(np.arange(N) < 50, truth, -1)
    found, _, made = corrected("accuracy", human, pred, truth)
    of_all = oe.confidence_interval("accuracy", truth, pred, labels=range(K))
    assert made.gains["accuracy"] > 0.3
    assert found.high - found.low > 1.15 * (of_all.high - of_all.low)


def test_intervals_hold_their_estimate_and_stay_in_range() -> None:
    rng = np.random.default_rng(4)
    metrics = [
        m for m in oe.metrics(needs="labels")
        if m.by_class is None and not m.biased and m.by_default
    ]  # fmt: skip
    for seed in range(4):
        human, pred, judge = drawn(int(rng.integers(5, 30)), 80, fall=4.0, seed=seed)
        human = np.where(human >= 0, np.where(rng.random(80) < 0.9, pred, human), -1)
        data = oe.Predictions(gapped(human), pred, labels=range(K), proxy=judge)
        scores = oe.score(data, metrics)
        for m in metrics:
            x = scores.intervals[m.name]
            if x.low == x.low:
                least, largest = m.range.at(K)
                assert least <= x.low <= x.estimate <= x.high <= largest, m.name


def test_a_share_of_none_has_an_honest_interval() -> None:
    human = np.r_[np.zeros(50), np.full(500, np.nan)]
    judge = np.r_[np.zeros(50), np.tile([0, 0, 0, 0, 1], 100)].astype(int)
    found = oe.corrected_distribution(human, judge, labels=[0, 1]).intervals["share of 1"]
    assert (found.estimate, found.low) == (0, 0)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 50), abs=0.01)


@pytest.mark.parametrize("level", [1, 3, 5])
def test_labels_that_are_all_alike_do_not_settle_the_mean(level: int) -> None:
    """Of 80 labels none was elsewhere: up to 4.5 % of all may be, at either end of the scale."""
    judge = np.random.default_rng(0).integers(1, 6, 400)
    labels = np.where(np.arange(400) < 80, level, np.nan)
    found = oe.corrected_distribution(labels, judge, labels=range(1, 6)).intervals["mean"]
    unseen = 1 - 0.025 ** (1 / 80)
    assert found.low == pytest.approx(level - unseen * (level - 1))
    assert found.high == pytest.approx(level + unseen * (5 - level))


def test_rare_errors_of_the_judge_to_one_side_are_allowed_for() -> None:
    """Two wrong of 50 are expected, and in one sample of seven there is none."""
    rng, held, size = np.random.default_rng(8), 0, 300
    for _ in range(size):
        truth = (rng.random(1000) < 0.3).astype(int)
        judge = np.where((truth == 0) & (rng.random(1000) < 0.04 / 0.7), 1, truth)
        labels = np.where(np.arange(1000) < 50, truth, np.nan)
        found = oe.corrected_distribution(labels, judge, labels=[0, 1]).intervals["share of 1"]
        held += 0.3 in found
    assert held / size > 0.89


def test_the_order_of_items_does_not_matter() -> None:
    human, pred, judge = drawn(100)
    order = np.random.default_rng(0).permutation(N)
    first, second = (
        corrected("cem_ord", human[o], pred[o], judge[o])[0] for o in (np.arange(N), order)
    )
    assert first.low == pytest.approx(second.low, rel=1e-12)
    assert first.estimate == pytest.approx(second.estimate, rel=1e-12)


# Is the labelled part random?


def test_a_part_that_is_not_random_is_told() -> None:
    human, pred, judge = drawn(N)
    low = np.argsort(pred, kind="stable")[:200]
    chosen = np.full(N, np.nan)
    chosen[low] = human[low]
    found = oe.corrected("accuracy", chosen, pred, proxy=judge, labels=range(K))
    (said,) = (a for a in found.advice if a.code == "OE309")
    assert "the items with a human label do not look like a random subset (p < 0.0001)" in str(said)
    # The distribution is not asked for a model: only the judge's labels can tell.
    shares = oe.corrected_distribution(chosen, judge, labels=range(K))
    assert "OE309" in {a.code for a in shares.advice}


@pytest.mark.parametrize("chosen", ["disagree", "agree"])
def test_it_is_told_if_humans_were_asked_where_model_and_judge_disagree(chosen: str) -> None:
    """Neither predictions nor the judge's labels alone would tell."""
    human, pred, judge = drawn(N, fall=1.2)
    rows = np.flatnonzero((pred != judge) == (chosen == "disagree"))
    rows = np.random.default_rng(4).permutation(rows)[:60]
    few = np.full(N, np.nan)
    few[rows] = human[rows]
    found = oe.corrected("accuracy", few, pred, proxy=judge, labels=range(K))
    assert "OE309" in {a.code for a in found.advice}
    assert looks_random([pred, judge], ~np.isnan(few), np.arange(N)) > 0.001


def test_errors_that_are_labelled_more_often_are_told_more_often_than_not() -> None:
    """At 0.001 the check would miss most of them; random subsets are seldom suspected."""
    rng, found = np.random.default_rng(7), {1.0: [], 2.5: []}
    for _ in range(150):
        quality = rng.normal(2, 1.2, N)
        truth, pred, judge = (
            np.clip(np.rint(quality + rng.normal(0, 0.01 + spread, N)), 0, 4).astype(int)
            for spread in (0, 0.7, 0.5)
        )
        for times, own in found.items():
            weight = np.where(pred != truth, times, 1.0)
            labelled = np.zeros(N, dtype=bool)
            labelled[rng.choice(N, 200, replace=False, p=weight / weight.sum())] = True
            columns = [judge, pred, np.abs(pred - judge)]
            own.append(looks_random(columns, labelled, np.arange(N)))
    biased, fair = np.array(found[2.5]), np.array(found[1.0])
    assert np.mean(biased < NOT_RANDOM) > 0.5 > 0.3 > np.mean(biased < 0.001)
    assert np.mean(fair < NOT_RANDOM) < 0.1


def test_a_random_part_is_seldom_told_by_all_three_columns() -> None:
    human, pred, judge = drawn(N)
    rng, found = np.random.default_rng(6), []
    for _ in range(200):
        few = np.full(N, np.nan)
        rows = rng.permutation(N)[:50]
        few[rows] = human[rows]
        columns = [judge, pred, np.abs(pred - judge)]
        found.append(looks_random(columns, ~np.isnan(few), np.arange(N)))
    assert np.mean(np.array(found) < 0.05) < 0.08
    assert min(found) > 1e-5


@pytest.mark.parametrize("kind", ["items", "labelled whole", "in both parts"])
def test_a_random_part_is_seldom_told(kind: str) -> None:
    rng = np.random.default_rng(5)
    size = 1 if kind == "items" else 10
    unit, found = np.arange(N) // size, []
    for _ in range(300):
        common = rng.normal(size=N // size)[unit] * (0.8 if size > 1 else 0)
        codes = np.digitize(common + rng.normal(size=N), [-1, 0, 1, 2.5])
        judge = np.clip(codes + rng.integers(-1, 2, N), 0, 4)
        chosen = rng.choice(N // size if kind == "labelled whole" else N, 20, replace=False)
        labelled = np.isin(unit if kind == "labelled whole" else np.arange(N), chosen)
        found.append(looks_random([codes, judge], labelled, unit))
    assert np.mean(np.array(found) < 0.05) < 0.08
    assert min(found) > 1e-5


def test_without_clusters_it_is_the_test_of_scipy() -> None:
    from scipy.stats import chi2_contingency

    human, pred, _ = drawn(200)
    own = human >= 0
    table = [np.bincount(pred[rows], minlength=K) for rows in (own, ~own)]
    wanted = chi2_contingency(np.array(table), correction=False).pvalue
    assert looks_random([pred], own, np.arange(N)) == pytest.approx(wanted)
    assert np.isnan(looks_random([pred * 0], own, np.arange(N)))


# A small part of what `make coverage` simulates


def broken(rates: Any) -> list[str]:
    return [f"{r.row}: {r.share:.3f}" for r in rates if isinstance(r, Rate) and r.broken]


def test_corrected_intervals_hold_and_are_shorter() -> None:
    found = list(proxies.few_labels(50, 1000, "good", 100, SEED, ("weighted_kappa", "mean")))
    assert broken(found) == []
    gains = [x.value for x in found if isinstance(x, Amount)]
    assert min(gains) > 20


def test_who_takes_a_poor_judge_for_the_truth_is_wrong() -> None:
    found = list(proxies.few_labels(50, 1000, "poor", 60, SEED, ("weighted_kappa",)))
    assert broken(found) == []
    naive = [r.share for r in found if isinstance(r, Rate) and r.table.startswith("naive,")]
    assert naive == [0.0]


def test_a_useless_judge_costs_nothing() -> None:
    found = list(proxies.few_labels(50, 1000, "useless", 60, SEED, ("accuracy",)))
    assert broken(found) == []
    assert [abs(x.value) < 3 for x in found if isinstance(x, Amount)] == [True]


def test_a_judge_that_is_believed_without_doubt_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if human and judge differed half as much."""
    honest = influence_kinds.corrected

    def sure(*given: Any) -> Any:
        found = honest(*given)
        return replace(found, parts=0.5 * found.parts)

    monkeypatch.setattr(influence_kinds, "corrected", sure)
    found = list(proxies.few_labels(50, 1000, "good", 60, SEED, ("weighted_kappa",)))
    assert broken(found)


def test_numbers_of_levels_need_not_be_evenly_spaced() -> None:
    human, _, judge = drawn(100)
    numbers = np.array([0.0, 1.0, 5.0, 10.0, 100.0])
    labels = numbers.tolist()
    found = oe.corrected_distribution(
        [labels[h] if h >= 0 else None for h in human], numbers[judge], labels=labels
    )
    own = human >= 0
    h, there, elsewhere = numbers[human[own]], numbers[judge[own]], numbers[judge[~own]]
    assert found.human["mean"].estimate == pytest.approx(h.mean())
    shared = np.mean((h - h.mean()) * (there - there.mean()))
    lam = shared / (1 + len(h) / len(elsewhere)) / np.var(numbers[judge], ddof=1)
    expected = h.mean() + lam * (elsewhere.mean() - there.mean())
    assert found["mean"] == pytest.approx(expected, abs=1e-9)
