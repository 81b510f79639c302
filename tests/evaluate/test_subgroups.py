"""Scores of subgroups are the scores of each subgroup alone, and say which of them differ."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.asking import of_file, of_frame

import ordeval as oe

STACK = np.random.default_rng(5).integers(0, 30, (60, 4, 4))
PAIR = ["cem_ord", "average_mae"]
LEVELS = [0, 1, 2, 3]


def named(counts: Any, by: Any = None) -> oe.ConfusionMatrix:
    """A stack that was counted by subgroups."""
    cm = oe.ConfusionMatrix(counts)
    names = tuple(range(len(cm))) if by is None else tuple(by)
    return oe.ConfusionMatrix.of(cm.counts.copy(), cm.scale, replace(cm.origin, by=names))


def table(n: int = 600, seed: int = 0) -> pd.DataFrame:
    """Five sites of which the last one is much worse, patients of six slides, and weights."""
    rng = np.random.default_rng(seed)
    site = np.arange(n) % 5
    truth = rng.integers(0, 4, n)
    right = rng.random(n) < np.where(site == 4, 0.4, 0.85)
    pred = np.where(right, truth, np.clip(truth + rng.choice([-1, 1], n), 0, 3))
    return pd.DataFrame({
        "site": np.array(list("ABCDE"))[site], "y": truth, "p": pred, "q": rng.permutation(pred),
        "patient": np.arange(n) // 30, "w": rng.uniform(0.5, 2, n),
    })  # fmt: skip


TABLE = table()


def by_site(frame: Any = TABLE, metrics: Any = PAIR, **options: Any) -> oe.results.SubgroupScores:
    scores = of_frame(oe.score, frame, "y", "p", metrics, labels=LEVELS, by="site", **options)
    assert isinstance(scores, oe.results.SubgroupScores)
    return scores


def test_each_subgroup_is_scored_as_it_would_be_alone() -> None:
    scores = oe.score(named(STACK), metrics=["cem_ord", "auoc", "kendall_tau_b"])
    for g in range(60):
        alone = oe.score(oe.ConfusionMatrix(STACK[g]), metrics=list(scores))
        assert [scores[m][g] for m in scores] == pytest.approx([alone[m] for m in scores])
        for m in scores:
            ends = scores.found[m].low[g], scores.found[m].high[g]
            assert ends == pytest.approx((alone.intervals[m].low, alone.intervals[m].high))
    pooled = oe.score(oe.ConfusionMatrix(STACK.sum(axis=0)), metrics=list(scores))
    assert scores.pooled == pytest.approx([pooled[m] for m in scores])


@pytest.mark.parametrize(
    "options",
    [
        {"clusters": "patient"},
        {"weight": "w"},
        {"weight": "w", "clusters": ["site", "patient"]},
        {"clusters": "patient", "method": "percentile", "n_resamples": 199},
        {"method": "bca", "n_resamples": 199},
        {"method": "bayes", "n_resamples": 199},
        {"level": 0.8},
    ],
    ids=str,
)
def test_intervals_of_columns_are_those_of_labels(options: dict[str, Any]) -> None:
    """Each subgroup as if its rows were all there is; draws are others, and lie near."""
    scores = by_site(rng=1, **options)
    for g, site in enumerate(scores.by):
        part = TABLE[TABLE.site == site]
        given = {k: v for k, v in options.items() if k not in ("clusters", "weight")}
        if "clusters" in options:
            given["clusters"] = part.patient.to_numpy()
        if "weight" in options:
            given["sample_weight"] = part.w.to_numpy()
        for m in PAIR:
            alone = oe.confidence_interval(m, part.y, part.p, labels=LEVELS, rng=1, **given)
            s, near = scores.found[m], 0.02 if "n_resamples" in options else 1e-9
            assert scores[m][g] == pytest.approx(alone.estimate)
            assert (s.low[g], s.high[g]) == pytest.approx((alone.low, alone.high), abs=near)
    whole = of_frame(oe.score, TABLE, "y", "p", PAIR, labels=LEVELS, rng=1, **options)
    if "method" not in options:
        assert whole.intervals["cem_ord"].low == pytest.approx(scores.found["cem_ord"].whole.low)


def test_a_frame_and_a_file_have_the_same_scores(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "preds.csv", index=False)
    for options in ({}, {"by": "site"}, {"clusters": "patient"}, {"by": "site", "weight": "w"}):
        frame = of_frame(oe.score, pl.from_pandas(TABLE), "y", "p", PAIR, labels=LEVELS, **options)
        file = of_file(oe.score, tmp_path / "preds.csv", "y", "p", PAIR, labels=LEVELS, **options)
        assert frame.to_json() == file.to_json()


def test_labels_and_columns_have_the_same_intervals() -> None:
    columns = oe.score(
        oe.Predictions.from_frame(TABLE, "y", "p", labels=LEVELS, clusters="patient", weight="w"),
        PAIR,
    )
    labels = oe.score(TABLE.y, TABLE.p, PAIR, labels=LEVELS, clusters=TABLE.patient,
                      sample_weight=TABLE.w)  # fmt: skip
    assert dict(columns) == pytest.approx(dict(labels))
    for m in PAIR:
        a, b = columns.intervals[m], labels.intervals[m]
        assert (a.low, a.high, a.clusters, a.items) == pytest.approx(
            (b.low, b.high, b.clusters, b.items)
        )


def test_only_counts_are_read_if_items_stand_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from ordeval.data.sources.frames import FrameSource

    read: list[list[str]] = []
    rows = FrameSource.rows

    def seen(self: Any, columns: Any, weight: Any = None, **others: Any) -> Any:
        read.append(list(columns))
        return rows(self, columns, weight, **others)

    monkeypatch.setattr(FrameSource, "rows", seen)
    by_site()
    by_site(level=None, weight="w")
    assert read == [["site", "y", "p"]] * 2
    by_site(weight="w")
    assert read[-1] == ["site", "y", "p", "w"]


# What is shown


def test_a_worse_subgroup_is_named_where_it_is_shown() -> None:
    scores = by_site()
    s = scores.found["cem_ord"]
    assert s.differ[4]
    # The rest of the others holds the worst one, so that some of them are better than it.
    assert (s.differences.delta[:4][s.differ[:4]] > 0).all()
    text = scores.conclusion()
    assert text.startswith("By CEM (closeness), E is significantly worse than the rest: ")
    assert "corrected for all 5 subgroups)." in text
    assert text.endswith(
        "Taken together, subgroups differ significantly (Welch's test, p < 0.0001)."
    )
    assert text in repr(scores).replace("\n", " ")


def test_no_subgroup_is_worst_by_chance() -> None:
    scores = by_site(TABLE[TABLE.site != "E"])
    assert scores.conclusion().startswith(
        "By CEM (closeness), no subgroup differs significantly from the rest (corrected for all "
        "4). Taken together, subgroups do not differ significantly (Welch's test, p = "
    )
    assert "worst" not in repr(scores).lower()


def test_of_a_loss_the_worse_subgroup_is_above() -> None:
    text = by_site(metrics=["mean_absolute_error"]).conclusion()
    assert "By MAE, E is significantly worse than the rest" in text
    assert "a difference of +" in text
    high = TABLE.assign(p=np.where((TABLE.site == "E") & (TABLE.index % 2 > 0), 3, TABLE.y))
    sided = by_site(high, metrics=["mean_signed_error"]).conclusion()
    assert sided.startswith("By mean signed error, E")
    assert "differ significantly from the rest" in sided
    assert "worse" not in sided


def test_several_and_both_sides() -> None:
    right, wrong = np.diag([40] * 4), np.full((4, 4), 10)
    near = right + 8 * np.eye(4, k=1, dtype=int)
    scores = oe.score(
        named([near] * 6 + [wrong] * 2 + [right * 5], "abcdefxyz"), metrics="accuracy"
    )
    text = scores.conclusion()
    assert text.startswith("By accuracy, x and y are significantly worse than the ")
    assert " The worst of them is x: 0.250 against " in text
    assert " Also, z is significantly better than the rest: 1.000 against " in text
    two = oe.score(named([near, wrong], "xy"), metrics="accuracy").conclusion()
    assert two.count("significantly") == 1
    assert "y is significantly worse than the rest" in two


def test_what_cannot_be_compared_is_said() -> None:
    one, none = np.diag([1, 0, 0, 0]), np.zeros((4, 4), dtype=int)
    scores = oe.score(named([*STACK[:3], one, none], ["a", "b", "c", "one", "none"]))
    assert scores.conclusion().endswith(
        "Not compared, because they have too few items: one. Without a value: none."
    )
    assert "1 of 5 subgroups" not in repr(scores)
    assert "2 of 5 subgroups have fewer than 30 items: values may be unreliable." in repr(scores)
    assert oe.score(named(STACK[:2]), metrics="maximum_mae").conclusion() == (
        "Subgroups are not compared by maximum_mae, because a few items of one class determine it."
    )
    flat = np.zeros((4, 4), dtype=int)
    flat[0] = [5, 1, 0, 0]
    assert oe.score(named([flat, flat]), metrics="weighted_kappa").conclusion() == (
        "The subgroups are too small to be compared."
    )


def test_other_stacks_are_not_compared() -> None:
    scores = oe.score(STACK[:2], metrics=PAIR)
    assert scores.by == (0, 1)
    assert "(all)" not in repr(scores)
    assert scores.conclusion() == (
        "Matrices that are not named as subgroups of one data set are not compared."
    )
    assert not np.isnan(scores.found["cem_ord"].low).any()


def test_few_clusters_in_a_subgroup_are_told() -> None:
    scores = by_site(clusters="patient")
    assert scores.clusters is not None
    assert scores.clusters.tolist() == [20] * 5
    assert "OE304" not in repr(scores)
    assert "Clusters span several subgroups" in scores.conclusion()
    few = by_site(
        clusters=["site", "patient"], frame=TABLE[(TABLE.patient < 9) | (TABLE.site < "E")]
    )
    assert [str(a) for a in few.advice] == [
        ("[OE304] 1 subgroup has fewer than 20 independent clusters, so intervals are wide.")
    ]
    assert "Intervals: 95%, by clusters." in repr(few)


def test_one_cluster_in_a_subgroup_is_no_error() -> None:
    frame = TABLE.assign(patient=np.where(TABLE.site == "A", 0, TABLE.patient + 1))
    scores = by_site(frame, clusters="patient")
    assert np.isnan(scores.found["cem_ord"].low[0])
    assert scores.found["cem_ord"].compared.tolist() == [False] + [True] * 4


def test_uneven_weights_are_told() -> None:
    scores = by_site(TABLE.assign(w=np.where(TABLE.index < 10, 1000.0, 0.1)), weight="w")
    assert [a.code for a in scores.advice] == ["OE307"]


def test_weights_alone_have_no_intervals() -> None:
    stack = oe.ConfusionMatrix.from_frame(TABLE, "y", "p", LEVELS, "w", by="site")
    scores = oe.score(stack, metrics=PAIR)
    assert scores.found == {}
    assert [str(a) for a in scores.advice] == [
        "[OE308] no intervals: only sums of weights are known; pass the labels instead."
    ]
    assert scores.conclusion() == ""
    assert dict(scores)["cem_ord"] == pytest.approx(by_site(weight="w")["cem_ord"])


def test_without_intervals_there_are_values_only() -> None:
    scores = by_site(level=None)
    assert scores.found == {}
    assert scores.conclusion() == ""
    assert list(scores.rows()[0]) == ["subgroup", "items", "metric", "value"]
    assert scores["cem_ord"].tolist() == by_site()["cem_ord"].tolist()
    assert repr(scores).splitlines()[1].split() == ["site", "items", "CEM", "average", "MAE"]


# In every format


def test_the_table_tells_what_it_does_not_show() -> None:
    scores = oe.score(named(STACK))
    assert "20 more subgroups are not shown; to_csv() has them all." in repr(scores)
    assert len(scores.to_csv().splitlines()) == 1 + 60 * 5
    assert "| 59 |" in scores.to_markdown()
    assert "59 & " in scores.to_latex()
    assert "<table>" in scores._repr_html_()


def shown(scores: Any) -> list[str]:
    """The subgroups of the table, in its order."""
    return [row[0].text for row in scores.table().rows][:-1]


def test_what_matters_most_comes_first_of_many_subgroups() -> None:
    scores = oe.score(named(STACK), metrics=["cem_ord", "accuracy"])
    records = [r for r in scores.rows() if r["metric"] == "cem_ord"]

    def weight(r: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(round(x, 10) for x in (r["p_adjusted"], r["p_value"], -abs(r["delta"])))

    assert shown(scores) == [r["subgroup"] for r in sorted(records, key=weight)]
    assert "Clearest differences first." in repr(scores)
    assert scores.by == tuple(range(60))  # records and values keep the order of the subgroups
    plain = oe.score(named(STACK), metrics=["mean_absolute_error"], level=None)
    worst = np.argsort(-plain["mean_absolute_error"], kind="stable")
    assert shown(plain) == [str(g) for g in worst]
    assert "Worst values first." in repr(plain)
    few = oe.score(named(STACK[:40]), metrics=["cem_ord"])
    assert shown(few) == [str(g) for g in range(40)]
    assert "first." not in repr(few)


def test_a_summary_shows_the_first_measure_only() -> None:
    scores = by_site()
    table = scores.summary().table()
    assert table.head[-1] == "p adj."
    assert table.notes[-1] == scores.conclusion()
    assert scores.summary().rows() == scores.rows()
    assert scores.summary().paragraphs() == scores.summary().remarks() == ()
    whole = scores.table()
    assert [row[:6] for row in whole.rows] == [row[:6] for row in table.rows]


def test_records_have_everything() -> None:
    scores = by_site()
    s = scores.found["average_mae"]
    rows = list(csv.DictReader(io.StringIO(scores.to_csv())))
    assert list(rows[0]) == [
        "subgroup", "items", "metric", "value", "low", "high", "shrunken", "rest", "delta",
        "delta_low", "delta_high", "p_value", "p_adjusted", "p_heterogeneity",
    ]  # fmt: skip
    assert [(r["subgroup"], r["metric"]) for r in rows[:3]] == [
        ("A", "cem_ord"), ("A", "average_mae"), ("B", "cem_ord"),
    ]  # fmt: skip
    last = rows[-1]
    d = s.differences
    expected = [s.values[4], s.low[4], s.high[4], s.shrunken[4], s.rest[4], d.delta[4], d.low[4],
                d.high[4], d.p_value[4], d.p_adjusted[4], s.heterogeneity.p_value]  # fmt: skip
    assert [float(last[k]) for k in list(last)[3:]] == pytest.approx(expected)
    frame = scores.to_frame()
    assert frame.loc[("E", "average_mae"), "delta"] == d.delta[4]
    facts = json.loads(scores.to_json())
    assert facts["rows"][-1]["shrunken"] == s.shrunken[4]
    assert facts["heterogeneity"][1]["p_value"] == s.heterogeneity.p_value
    assert facts["heterogeneity"][1]["subgroups"] == 5
    assert facts["all"][0] == {
        "metric": "cem_ord", "value": scores.pooled[0],
        "low": scores.found["cem_ord"].whole.low, "high": scores.found["cem_ord"].whole.high,
    }  # fmt: skip
    assert facts["conclusion"] == scores.conclusion()


def test_only_the_first_measure_has_intervals_on_the_screen() -> None:
    scores = by_site()
    low, high = scores.found["cem_ord"].low[0], scores.found["cem_ord"].high[0]
    mae = scores.found["average_mae"]
    assert f"[{low:.3f}, {high:.3f}]" in repr(scores)
    assert f"[{mae.low[0]:.3f}, {mae.high[0]:.3f}]" not in repr(scores)
    assert f"\\[{mae.low[0]:.3f}, {mae.high[0]:.3f}\\]" in scores.to_markdown()


def test_a_subgroup_without_items_has_no_value() -> None:
    scores = oe.score(named([STACK[0], np.zeros((4, 4), dtype=int)]), metrics=["accuracy"])
    assert np.isnan(scores["accuracy"][1])
    assert "—" in repr(scores)
    assert scores.to_csv().splitlines()[-1] == "1,0,accuracy" + "," * 11
    empty = oe.score(named(np.zeros((2, 2, 2), dtype=int)), metrics=["accuracy"])
    assert np.isnan(empty["accuracy"]).all()


# What is refused


def test_errors_are_read_in_full() -> None:
    with pytest.raises(oe.CountsError) as caught:
        oe.score(STACK.reshape(6, 10, 4, 4))
    assert str(caught.value) == (
        "score takes one matrix, or a stack with one axis of subgroups; this one has shape "
        "(6, 10). Take one model out, for example stack[:, 0]."
    )
    with pytest.raises(oe.UnknownMetricError) as unknown:
        oe.score(named(STACK))["auoc"]
    assert str(unknown.value) == "'auoc' was not scored. list(scores) names what was."
    with pytest.raises(oe.ParameterError) as level:
        by_site(clusters="patient", level=None)
    assert str(level.value) == "clusters affect only intervals, which level=None turns off."
    with pytest.raises(oe.LabelError) as lost:
        by_site(TABLE.assign(patient=TABLE.patient.where(TABLE.index > 1)), clusters="patient")
    assert str(lost.value) == (
        "2 items have no value in 'patient', which defines the clusters. Fill it in, or use "
        'missing="drop" to drop them.'
    )
    with pytest.raises(oe.LabelError) as weights:
        by_site(TABLE.assign(w=-1.0), weight="w")
    assert str(weights.value).startswith("the weights in 'w' must be finite and not negative; ")
    with pytest.raises(oe.ParameterError) as method:
        by_site(method="magic")
    assert str(method.value) == "method must be auto, bca, percentile or bayes; got 'magic'."


def test_items_without_a_cluster_or_a_subgroup_are_dropped_if_asked() -> None:
    frame = TABLE.assign(
        patient=TABLE.patient.where(TABLE.index > 1), site=TABLE.site.where(TABLE.index != 7)
    )
    scores = by_site(frame, clusters="patient", missing="drop")
    assert scores.confusion.dropped == oe.results.Dropped(missing=3)
    assert int(scores.confusion.total.sum()) == len(TABLE) - 3
    whole = oe.score(
        oe.Predictions.from_frame(
            frame, "y", "p", labels=LEVELS, clusters="patient", missing="drop"
        ),
        PAIR,
    )
    assert whole.confusion.dropped == oe.results.Dropped(missing=2)
    assert whole.intervals["cem_ord"].items == len(TABLE) - 2


def test_a_stream_of_items_is_read_once() -> None:
    """Several models with clusters from one pass, on the items that both have."""
    frame = TABLE.assign(q=TABLE.q.where(TABLE.index > 9))
    described = oe.Predictions.from_frame(
        frame, "y", ["p", "q"], labels=LEVELS, clusters="patient", missing="drop"
    )
    both = oe.score(described, PAIR)
    assert [both[m].confusion.total for m in "pq"] == [590, 590]
    alone = oe.score(
        oe.Predictions.from_frame(
            frame, "y", "q", labels=LEVELS, clusters="patient", missing="drop"
        ),
        PAIR,
    )
    for m in PAIR:
        a, b = both["q"].intervals[m], alone.intervals[m]
        assert (a.low, a.high, a.items) == pytest.approx((b.low, b.high, b.items))


def test_many_subgroups_are_compared_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found for all subgroups at once is what each finds by itself."""
    rng = np.random.default_rng(11)
    n, groups = 700, 60
    y = rng.integers(1, 5, n)
    noise = [np.where(rng.random(n) < s, rng.integers(1, 5, n), y) for s in (0.2, 0.5, 0.5)]
    same = np.where(np.arange(n) % groups == 3, noise[0], noise[1])  # equal models in a subgroup
    frame = pl.DataFrame({"g": np.arange(n) % groups, "y": y, "a": noise[0], "b": same,
                          "c": noise[2]})  # fmt: skip
    # One item alone, and a label that is dropped.
    frame = pl.concat([frame, pl.DataFrame({"g": [99], "y": [1], "a": [2], "b": [1], "c": [1]})])
    place = pl.int_range(len(frame))
    frame = frame.with_columns(
        y=pl.when(place == 5).then(None).otherwise("y"),
        w=pl.when((place == 8) | (pl.col("g") == 15)).then(0.0).otherwise(0.5 + place % 4),
        # Over several subgroups; one cluster alone in a subgroup; and an item without a cluster.
        patient=pl.when(pl.col("g") == 12).then(-1).otherwise(place // 3),
        day=pl.when(place == 9).then(None).otherwise(place % 7),
    )
    cases = [
        (["a", "b"], {"metrics": ["cem_ord", "accuracy"]}),
        (["a", "b", "c"], {"metrics": ["mean_signed_error"]}),
        (["a", "b", "c"], {"metrics": ["accuracy"], "reference": "b", "margin": 0.1}),
        (["c"], {"metrics": ["mean_absolute_error"]}),
        (["a", "b"], {"metrics": ["cem_ord", "average_mae"], "weight": "w"}),
        (["a", "b", "c"], {"metrics": ["weighted_kappa", "accuracy"], "clusters": "day"}),
        (["a", "b"], {"metrics": ["cem_ord"], "clusters": ["patient", "day"], "weight": "w"}),
        (["a", "b"], {"metrics": ["accuracy"], "clusters": "patient", "margin": 0.1}),
    ]
    for models, how in cases:
        how |= {"labels": range(1, 5), "by": "g", "missing": "drop"}
        slow = of_frame(oe.compare, frame, "y", models, **how)
        monkeypatch.setattr("ordeval.evaluate._comparing_subgroups._IN_FULL", 10)
        fast = of_frame(oe.compare, frame, "y", models, **how)
        monkeypatch.undo()
        assert fast.briefs
        assert not slow.briefs
        assert fast.sizes == slow.sizes
        assert fast.left_out == slow.left_out
        assert bool(fast.left_out) == bool({"clusters", "weight"} & {*how})
        if not fast.left_out:
            assert fast.sizes == (n, 1)
        assert list(fast) == list(slow)
        assert str(fast.table()) == str(slow.table())
        assert fast.conclusion() == slow.conclusion()
        for x, y_ in zip(fast.findings(), slow.findings(), strict=True):
            assert x.subgroup == y_.subgroup
            # Simultaneous intervals of pairs are part of the comparison in full.
            other = {"dropped": 0, "low_adjusted": 0, "high_adjusted": 0}
            a, b = ({**vars(f.delta), "p": f.p_adjusted, **other} for f in (x, y_))
            for key, value in a.items():
                near = pytest.approx(b[key], rel=1e-7, abs=1e-12, nan_ok=True) if isinstance(
                    value, float) else b[key]  # fmt: skip
                assert value == near, key
        records = {
            (r["subgroup"], r["model"], r["metric"]): r for r in slow.rows() if r["kind"] == "model"
        }
        found = [r for r in fast.rows() if r["kind"] == "model"]
        assert len(found) == len(records)
        for r in found:
            other = records[r["subgroup"], r["model"], r["metric"]]
            for end in ("items", "estimate", "low", "high"):
                assert r[end] == pytest.approx(other[end], rel=1e-9, abs=1e-12, nan_ok=True)
        assert fast[7].rows() == slow[7].rows()


def test_weighted_subgroups_do_not_hold_the_rest_of_each() -> None:
    """The rest of a subgroup is nearly all items: those of 100 would be 100 times all."""
    rng = np.random.default_rng(3)
    n = 20_000
    y = rng.integers(1, 4, n)
    frame = pl.DataFrame({"g": np.arange(n) % 100, "y": y, "w": rng.random(n) + 0.5,
                          "p": np.where(rng.random(n) < 0.7, y, 2)})  # fmt: skip
    oe.score(
        oe.Predictions.from_frame(frame[:200], "y", "p", labels=[1, 2, 3], by="g", weight="w"),
        ["accuracy"],
    )
    tracemalloc.start()
    try:
        oe.score(
            oe.Predictions.from_frame(frame, "y", "p", labels=[1, 2, 3], by="g", weight="w"),
            ["accuracy"],
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 * n * 32  # bytes of four numbers an item


def test_subgroups_that_are_one_cluster_each_are_not_compared() -> None:
    truth, pred = np.arange(400) % 3, np.arange(400) % 5 % 3
    frame = pd.DataFrame({"y": truth, "p": pred, "site": np.arange(400) // 100})
    given: dict[str, Any] = {"labels": range(3), "by": "site"}
    lone = of_frame(oe.score, frame, "y", "p", ["cem_ord"], clusters="site", **given)
    assert "each is one cluster" in lone.conclusion()
    frame["day"] = np.arange(400) // 10
    assert (
        "one cluster"
        not in of_frame(
            oe.score, frame, "y", "p", ["cem_ord"], clusters="day", **given
        ).conclusion()
    )
