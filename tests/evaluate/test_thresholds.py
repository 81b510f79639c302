"""Every cut of a scale: from labels, matrices, frames and files, alike."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.asking import of_file, of_frame

import ordeval as oe

LEVELS = ["none", "mild", "moderate", "severe"]
RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 4, 300)
PRED = np.clip(TRUTH + RNG.integers(-1, 2, 300), 0, 3)
Y, P = np.array(LEVELS)[TRUTH], np.array(LEVELS)[PRED]
PATIENT = np.arange(300) // 3
FOUND = oe.thresholds(Y, P, labels=LEVELS)


def test_every_cut_by_hand() -> None:
    assert list(FOUND) == [">= mild", ">= moderate", ">= severe"]
    assert len(FOUND) == 3
    for t, cut in enumerate(FOUND.cuts):
        above, called = threshold_of(t)
        assert cut.level == LEVELS[t + 1]
        expected = {
            "prevalence": above.mean(),
            "sensitivity": called[above].mean(),
            "specificity": (~called)[~above].mean(),
            "ppv": above[called].mean(),
            "npv": (~above)[~called].mean(),
        }
        assert {m: x.estimate for m, x in cut.intervals.items()} == pytest.approx(expected)
        assert FOUND.measures == tuple(expected)
        for x in cut.intervals.values():
            assert 0 <= x.low < x.estimate < x.high <= 1
            assert (x.items, x.clusters, x.level) == (300, 0, 0.95)


def threshold_of(t: int) -> tuple[np.ndarray, np.ndarray]:
    return t < TRUTH, t < PRED


def test_values_are_those_of_the_measures() -> None:
    for cut in FOUND.cuts:
        for name in ("sensitivity", "specificity", "ppv", "npv"):
            metric = oe.get_metric(f"threshold_{name}")
            value = metric(Y, P, labels=LEVELS, at_least=cut.level)
            assert cut[name].estimate == value
            assert cut[name].metric == metric.with_params(at_least=cut.level).name


def test_every_way_in_gives_the_same(tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": Y, "p": P, "patient": PATIENT})
    frame.write_csv(file := tmp_path / "preds.csv")
    cm = oe.ConfusionMatrix.from_labels(Y, P, LEVELS)
    names = {"labels": LEVELS}
    for other in (
        oe.thresholds(cm),
        oe.thresholds(cm.counts, **names),
        of_frame(oe.thresholds, frame, "y", "p", **names),
        of_file(oe.thresholds, file, "y", "p", **names),
    ):
        assert other.rows() == FOUND.rows()
    clustered = oe.thresholds(Y, P, **names, clusters=PATIENT)
    assert of_frame(oe.thresholds, frame, "y", "p", **names, clusters="patient").rows() == [
        pytest.approx(row) for row in clustered.rows()
    ]
    assert clustered.cuts[0]["ppv"].clusters == 100


def test_clusters_widen_and_levels_narrow() -> None:
    y, p, patient = Y.repeat(4), P.repeat(4), np.arange(300).repeat(4)
    narrow = oe.thresholds(y, p, labels=LEVELS)
    wide = oe.thresholds(y, p, labels=LEVELS, clusters=patient)
    less = oe.thresholds(y, p, labels=LEVELS, level=0.5)
    for a, b, c in zip(narrow.cuts, wide.cuts, less.cuts, strict=True):
        for m in a.intervals:
            assert b[m].low < a[m].low < c[m].low
            assert c[m].high < a[m].high < b[m].high


def test_weights_count_and_a_matrix_of_them_has_no_intervals() -> None:
    weight = RNG.uniform(0.5, 2, 300)
    found = oe.thresholds(Y, P, labels=LEVELS, sample_weight=weight)
    bare = oe.thresholds(oe.ConfusionMatrix.from_labels(Y, P, LEVELS, weight))
    for cut, other in zip(found.cuts, bare.cuts, strict=True):
        for m, x in cut.intervals.items():
            assert x.estimate == pytest.approx(other[m].estimate)
            assert np.isnan(other[m].low)
    above = TRUTH > 0
    assert found.cuts[0]["prevalence"].estimate == pytest.approx(weight[above].sum() / weight.sum())
    assert [a.code for a in bare.advice] == ["OE308"]
    assert "[OE308] no intervals" in str(bare)


def test_a_side_without_items_is_undefined_and_said() -> None:
    found = oe.thresholds(["none"] * 20, ["none"] * 20, labels=LEVELS)
    cut = found[">= severe"]
    assert np.isnan(cut["sensitivity"].estimate)
    assert (cut["prevalence"].estimate, cut["npv"].estimate) == (0, 1)
    # None in 20, by the rule that one minus the tail to the power of 1 / 20 gives.
    assert cut["prevalence"].high == pytest.approx(1 - 0.025**0.05)
    assert cut["npv"].low == pytest.approx(0.025**0.05)
    assert "— undefined: no item is, or is predicted, on that side of the cut." in str(found)


def test_dropped_items_are_counted() -> None:
    found = oe.thresholds(
        ["a", "b", "b", None], ["a", "b", "a", "a"], labels=["a", "b"], missing="drop"
    )
    assert found.cuts[0]["ppv"].dropped == 1
    assert "items: 3; 1 cut of Scale('a' < 'b'); dropped: 1" in str(found)


def test_the_table_and_the_json() -> None:
    lines = str(FOUND).splitlines()
    assert lines[0] == f"items: 300; 3 cuts of {oe.Scale(LEVELS)}"
    assert "Positive: at or above the level." in str(FOUND)
    facts = json.loads(FOUND.to_json())
    assert facts["kind"] == "ordeval.thresholds"
    first = facts["rows"][0]
    assert first["cut"] == ">= mild"
    assert first["npv_low"] < first["npv"] < first["npv_high"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: oe.thresholds([[3]]), "a cut needs two levels, one on each side; Scale(0) has"),
        (lambda: oe.thresholds(Y, P, labels=LEVELS, level=95), "level must lie between 0 and 1"),
        (lambda: oe.thresholds(np.ones((2, 3, 3), int)), "thresholds takes one matrix; got a st"),
        (lambda: oe.thresholds(np.eye(2, dtype=int), clusters=[1, 2]), "clusters, weights and"),
        (lambda: oe.thresholds(Y, P), "y_true has labels without an order. Found: 'mild'"),
        (lambda: FOUND[">= mil"], "there is no '>= mil' here. Did you mean >= mild?"),
        (lambda: FOUND[">= mild"]["spec"], "there is no 'spec' here. Did you mean specificity"),
    ],
)  # fmt: skip
def test_errors(wrong: object, said: str) -> None:
    with pytest.raises(oe.OrdevalError) as caught:
        wrong()  # type: ignore[operator]
    assert said in str(caught.value)
