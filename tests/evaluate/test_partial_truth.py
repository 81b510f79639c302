"""Predictions with a proxy: humans labelled some items, a judge labelled all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.exceptions import LabelError, OrdevalError, ParameterError

K = 5


def _noisy(rng: np.random.Generator, y: Any, right: float) -> Any:
    other = np.clip(y + rng.choice([-2, -1, 1, 2], len(y), p=[0.1, 0.4, 0.4, 0.1]), 0, K - 1)
    return np.where(rng.random(len(y)) < right, y, other)


def _study(n: int = 2000, labelled: int = 200, good: float = 0.85, seed: int = 0) -> Any:
    """Truth, two models, the judge, and which items humans labelled."""
    rng = np.random.default_rng(seed)
    y = rng.choice(K, n, p=[0.1, 0.15, 0.2, 0.25, 0.3])
    models = {"a": _noisy(rng, y, 0.75), "b": _noisy(rng, y, 0.65)}
    judge, known = _noisy(rng, y, good), np.zeros(n, dtype=bool)
    known[rng.choice(n, labelled, replace=False)] = True
    return y, models, judge, known


def _hidden(y: Any, known: Any) -> list[int | None]:
    return [int(v) if k else None for v, k in zip(y, known, strict=True)]


def _ppi(truth: Any, there: Any, elsewhere: Any) -> float:
    """The mean by prediction-powered inference with its tuned weight, from the paper."""
    n, others = len(truth), len(elsewhere)
    shared = np.mean((truth - truth.mean()) * (there - there.mean()))
    spread = (1 + n / others) * np.var(np.concatenate([there, elsewhere]), ddof=1)
    return float(truth.mean() + np.clip(shared / spread, 0, 1) * (elsewhere.mean() - there.mean()))


@pytest.mark.parametrize("seed", range(3))
def test_means_are_those_of_prediction_powered_inference(seed: int) -> None:
    y, models, judge, known = _study(seed=seed)
    data = oe.Predictions(_hidden(y, known), models, labels=range(K), proxy=judge)
    found = oe.score(data, ["mean_absolute_error", "accuracy", "mean_squared_error"])
    losses = {
        "mean_absolute_error": lambda t, p: np.abs(t - p).astype(float),
        "mean_squared_error": lambda t, p: ((t - p) ** 2).astype(float),
        "accuracy": lambda t, p: (t == p).astype(float),
    }
    for model, pred in models.items():
        for name, loss in losses.items():
            judged = loss(judge, pred)
            expected = _ppi(loss(y, pred)[known], judged[known], judged[~known])
            assert found[model][name] == pytest.approx(expected, abs=1e-9)


def test_with_a_label_for_every_item_it_is_the_plain_result() -> None:
    y, models, judge, _ = _study(n=200)
    data = oe.Predictions(y.tolist(), models, labels=range(K), proxy=judge)
    found = oe.compare(data, ["cem_ord", "accuracy"])
    plain = oe.compare(y, models, ["cem_ord", "accuracy"], labels=range(K))
    for d, e in zip(found.deltas(), plain.deltas(), strict=True):
        assert (d.delta, d.low, d.high, d.p_value) == pytest.approx(
            (e.delta, e.low, e.high, e.p_value), rel=1e-6
        )
    for model in models:
        x, z = (c.estimates["accuracy"][model] for c in (found, plain))
        assert (x.estimate, x.low, x.high) == pytest.approx((z.estimate, z.low, z.high))


def test_a_good_judge_makes_differences_at_least_a_quarter_shorter() -> None:
    """Two models, 100 labels and 5,000 judged items."""
    y, models, judge, known = _study(n=5000, labelled=100, good=0.93)
    found = oe.compare(
        oe.Predictions(_hidden(y, known), models, labels=range(K), proxy=judge), ["cem_ord"]
    )
    alone = oe.compare(
        y[known], {m: p[known] for m, p in models.items()}, ["cem_ord"], labels=range(K)
    )
    own, other = found.deltas()[0], alone.deltas()[0]
    assert own.high - own.low <= 0.75 * (other.high - other.low)
    assert found.human["cem_ord"]["a"].estimate == pytest.approx(
        alone.estimates["cem_ord"]["a"].estimate
    )


def test_a_useless_judge_costs_little_and_the_gain_is_in_the_rows() -> None:
    rng = np.random.default_rng(5)
    y, models, _, known = _study()
    noise = rng.integers(0, K, len(y))
    data = oe.Predictions(_hidden(y, known), {"a": models["a"]}, labels=range(K), proxy=noise)
    found = oe.score(data, ["cem_ord", "weighted_kappa"])
    assert all(-0.1 < gain < 0.1 for gain in found.gains.values())
    for row in found.rows():
        assert row["gain"] == pytest.approx(found.gains[row["metric"]])
        assert row["human_low"] < row["human_estimate"] < row["human_high"]


def test_several_judges_are_better_than_each() -> None:
    rng = np.random.default_rng(6)
    y, models, one, known = _study(n=4000, labelled=300, good=0.75)
    two = _noisy(rng, y, 0.75)
    gains = {}
    for name, proxy in (("one", one), ("two", two), ("both", {"one": one, "two": two})):
        data = oe.Predictions(_hidden(y, known), {"a": models["a"]}, labels=range(K), proxy=proxy)
        gains[name] = oe.score(data, ["cem_ord"]).gains["cem_ord"]
    assert gains["both"] > max(gains["one"], gains["two"])


def test_strata_by_name_are_chances_by_number() -> None:
    rng = np.random.default_rng(7)
    y, models, judge, _ = _study()
    site = np.where(rng.random(len(y)) < 0.3, "small", "large")
    known = np.zeros(len(y), dtype=bool)
    for s in ("small", "large"):
        rows = np.flatnonzero(site == s)
        known[rng.choice(rows, 100, replace=False)] = True
    chance = np.array([known[site == s].mean() for s in site])
    given = {"labels": range(K), "proxy": judge}
    hidden = _hidden(y, known)
    by_name = oe.Predictions(hidden, models, by={"site": site}, inclusion="site", **given)
    by_number = oe.Predictions(hidden, models, inclusion=chance, **given)
    whole = oe.compare(by_number, ["cem_ord"])
    parts = oe.compare(by_name, ["cem_ord"])
    assert set(parts) == {"small", "large"}
    mixed = oe.compare(by_name, ["cem_ord"], over="site").deltas()[0]
    assert mixed.delta == pytest.approx(
        np.mean([parts[s].deltas()[0].delta for s in parts]), abs=1e-9
    )
    assert whole.human["cem_ord"]["a"].items == 200
    # Unequal chances that are ignored bias the human labels; weighted, they do not.
    rates = np.array([np.mean((models["a"] == y)[known & (site == s)]) for s in ("small", "large")])
    shares = np.array([np.mean(site == s) for s in ("small", "large")])
    found = oe.score(by_number[["a"]], ["accuracy"])
    assert found.human["accuracy"].estimate == pytest.approx(float(rates @ shares))


@pytest.mark.parametrize("clustered", [False, True], ids=["items", "clusters"])
def test_items_that_are_labelled_for_sure_do_not_inflate_the_correction(clustered: bool) -> None:
    """The loss of the judge varied only among these, and their rounding was taken 400 times."""
    y, models, judge, _ = _study(n=1000)
    size = 4 if clustered else 1
    apart = np.abs(models["a"] - judge)
    chance = np.where(apart > 0, 1.0, 0.2)
    if clustered:  # all items of a cluster are labelled, or none
        chance = np.repeat(np.where(apart.reshape(-1, size).any(axis=1), 1.0, 0.2), size)
    draw = np.repeat(np.random.default_rng(3).random(1000 // size), size)
    given: dict[str, Any] = {"clusters": np.arange(1000) // size} if clustered else {}
    data = oe.Predictions(
        _hidden(y, draw < chance),
        models["a"],
        labels=range(K),
        proxy=judge,
        inclusion=chance,
        **given,
    )
    found = oe.score(data, ["mean_absolute_error", "accuracy"])
    for name, interval in found.intervals.items():
        alone = found.human[name]
        assert interval.high - interval.low < 1.1 * (alone.high - alone.low)


def test_subgroups_are_corrected_each_by_itself() -> None:
    y, models, judge, known = _study(labelled=400)
    site = np.where(np.arange(len(y)) % 3 == 0, "x", "y")
    data = oe.Predictions(_hidden(y, known), models, labels=range(K), proxy=judge, by=site)
    compared, scored = oe.compare(data, ["cem_ord"]), oe.score(data["a"], ["cem_ord"])
    for i, s in enumerate(("x", "y")):
        rows = site == s
        alone = oe.Predictions(
            _hidden(y[rows], known[rows]),
            {m: p[rows] for m, p in models.items()},
            labels=range(K),
            proxy=judge[rows],
        )
        expected = oe.compare(alone, ["cem_ord"])
        assert compared[s].deltas()[0].low == pytest.approx(expected.deltas()[0].low)
        value = expected.estimates["cem_ord"]["a"].estimate
        assert scored["cem_ord"][i] == pytest.approx(value)


def test_frames_and_files_agree_with_arrays(tmp_path: Any) -> None:
    pd = pytest.importorskip("pandas")
    y, models, judge, known = _study(n=400, labelled=100)
    chance = np.where(np.arange(400) % 2 == 0, 0.5, 0.25)
    frame = pd.DataFrame({**models, "judge": judge, "chance": chance})
    frame["y"] = pd.array(_hidden(y, known), dtype="Int64")
    frame.to_csv(tmp_path / "study.csv", index=False)
    given = {"labels": range(K), "proxy": "judge", "inclusion": "chance"}
    arrays = oe.Predictions(
        _hidden(y, known), models, labels=range(K), proxy=judge, inclusion=chance
    )
    expected = oe.compare(arrays, ["cem_ord"]).deltas()[0]
    for data in (
        oe.Predictions.from_frame(frame, "y", ["a", "b"], **given),
        oe.Predictions.from_file(tmp_path / "study.csv", "y", ["a", "b"], **given),
    ):
        found = oe.compare(data, ["cem_ord"]).deltas()[0]
        assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_clusters_margins_and_ranks_go_along() -> None:
    y, models, judge, known = _study(n=1200, labelled=300)
    cluster = np.arange(1200) // 6
    models["c"] = _noisy(np.random.default_rng(8), y, 0.5)
    data = oe.Predictions(_hidden(y, known), models, labels=range(K), proxy=judge, clusters=cluster)
    found = oe.compare(data, ["cem_ord"], reference="c", margin=0.05)
    assert found.models == ("a", "b", "c")
    assert found.rank_sets["cem_ord"]["c"] == (3, 3)
    assert all(d.verdict == "non-inferior" for d in found.deltas())


def test_the_matrix_is_that_of_the_human_labels_and_the_print_says_how_many() -> None:
    y, models, judge, known = _study()
    data = oe.Predictions(_hidden(y, known), models, labels=range(K), proxy=judge)
    plain = oe.ConfusionMatrix.from_labels(y[known], models["a"][known], range(K))
    assert (data.confusion("a").counts == plain.counts).all()
    assert "human labels: 200 of 2,000 items" in repr(data)
    assert "200 of 2,000 items have a human label" in oe.compare(data).population


def test_labels_that_are_no_random_part_are_said() -> None:
    y, models, judge, _ = _study()
    known = (judge >= 3) & (np.arange(len(y)) % 4 == 0)
    data = oe.Predictions(_hidden(y, known), {"a": models["a"]}, labels=range(K), proxy=judge)
    assert any(a.code == "OE309" for a in oe.score(data, ["cem_ord"]).advice)
    compared = oe.compare(data, ["cem_ord"])
    assert any(a.code == "OE309" for a in compared.advice)
    assert "do not look like a random subset (p " in compared.conclusion()
    assert "! The items with a human label do not look like" in " ".join(str(compared).split())


def test_what_goes_wrong_is_one_clear_error() -> None:
    y, models, judge, known = _study(n=200, labelled=50)
    hidden, given = _hidden(y, known), {"labels": range(K)}
    with pytest.raises(LabelError, match="no item has a human label"):
        oe.score(oe.Predictions([None] * 200, models, proxy=judge, **given))
    with pytest.raises(ParameterError, match="cannot be corrected"):
        oe.score(oe.Predictions(hidden, models, proxy=judge, **given), ["maximum_mae"])
    with pytest.raises(OrdevalError, match="true label"):
        oe.thresholds(oe.Predictions(hidden, models, proxy=judge, **given))
    data = oe.Predictions(hidden, models, proxy=judge, inclusion=np.zeros(200), **given)
    with pytest.raises(OrdevalError, match="above 0"):
        oe.score(data)
    with pytest.raises(OrdevalError, match="site"):
        oe.Predictions(hidden, models, proxy=judge, inclusion="site", **given)
    prob = np.full((200, K), 1 / K)
    with pytest.raises(OrdevalError, match="convert probabilities or scores to labels"):
        oe.score(oe.Predictions(hidden, {"a": prob}, proxy=judge, **given))
    with pytest.raises(OrdevalError, match="same length"):
        oe.score(oe.Predictions(hidden, models, proxy=judge[:-1], **given))


@pytest.mark.parametrize("design", ["random", "unequal"])
def test_intervals_cover_and_equal_models_are_seldom_told_apart(design: str) -> None:
    """150 data sets: 0.95 is seen as 0.90 or more, 0.05 as 0.10 or less."""
    rng = np.random.default_rng(9)
    big = rng.choice(K, 400_000, p=[0.1, 0.15, 0.2, 0.25, 0.3])
    truth = oe.cem_ord(big, _noisy(rng, big, 0.7), labels=range(K))
    hits = false = 0
    for _ in range(150):
        y = rng.choice(K, 800, p=[0.1, 0.15, 0.2, 0.25, 0.3])
        models, judge = {m: _noisy(rng, y, 0.7) for m in "ab"}, _noisy(rng, y, 0.85)
        chance = None
        known = np.zeros(800, dtype=bool)
        if design == "random":
            known[rng.choice(800, 80, replace=False)] = True
        else:  # humans see mostly where a model and the judge differ
            chance = np.where(models["a"] == judge, 0.07, 0.2)
            known = rng.random(800) < chance
        data = oe.Predictions(
            _hidden(y, known), models, labels=range(K), proxy=judge, inclusion=chance
        )
        found = oe.compare(data, ["cem_ord"])
        x = found.estimates["cem_ord"]["a"]
        hits += x.low <= truth <= x.high
        false += found.deltas()[0].p_value <= 0.05
    assert hits / 150 >= 0.9
    assert false / 150 <= 0.1
