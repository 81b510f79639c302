"""Models compared from frames and files, and in subgroups."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from tests.asking import of_file, of_frame
from tests.comparisons import LEVELS, MODELS, TRUTH, N, rendered, run

import ordeval as oe

Array = NDArray[Any]


TABLE = pd.DataFrame(
    {
        "y": TRUTH,
        **MODELS,
        "site": np.where(np.arange(N) % 3, "A", "B"),
        "patient": np.arange(N) // 3 % 20,
        "w": 2.0,
    }
)
LITTLE: dict[str, Any] = {"labels": LEVELS, "metrics": ["accuracy"], "n_resamples": 99, "rng": 0}


@pytest.fixture(scope="module")
def by_site() -> oe.results.Comparisons:
    """Three models, compared at two sites."""
    return of_frame(oe.compare, TABLE, "y", list(MODELS), by="site", **LITTLE)


def rounded(text: str) -> str:
    """JSON whose numbers have as many digits as do not depend on the order of summing."""
    return re.sub(r"-?\d+\.\d{9,}(e-?\d+)?", lambda m: f"{float(m[0]):.9g}", text)


def test_a_frame_and_a_file_are_compared_like_labels(tmp_path: Path) -> None:
    TABLE.to_csv(tmp_path / "preds.csv", index=False)
    options = {"clusters": ["site", "patient"], "weight": "w", "reference": "fair"}
    frame = of_frame(oe.compare, TABLE, "y", list(MODELS), **options, **LITTLE)
    file = of_file(oe.compare, tmp_path / "preds.csv", "y", list(MODELS), **options, **LITTLE)
    here = oe.compare(
        TRUTH, MODELS, clusters=[TABLE.site, TABLE.patient], sample_weight=TABLE.w,
        reference="fair", **LITTLE,
    )  # fmt: skip
    assert (here.clusters, here.reference) == (40, "fair")
    for there in (frame, file):
        assert rounded(there.to_json()) == rounded(here.to_json())


def test_clusters_within_clusters_are_their_combination() -> None:
    inner, outer = TABLE.patient.tolist(), TABLE.site.tolist()
    nested = run(clusters=[outer, inner])
    joined = run(clusters=[f"{o} {i}" for o, i in zip(outer, inner, strict=True)])
    assert nested.clusters == joined.clusters == 40
    assert nested.estimates == joined.estimates
    assert run(clusters=inner).clusters == 20


def test_each_subgroup_is_compared_as_it_would_be_alone(by_site: oe.results.Comparisons) -> None:
    assert (list(by_site), by_site.by) == (["A", "B"], ("site",))
    for site, found in by_site.items():
        rows = TABLE[TABLE.site == site]
        alone = of_frame(oe.compare, rows, "y", list(MODELS), **{**LITTLE, "rng": 1})
        assert found.items == len(rows)
        assert found.matrices == alone.matrices


def test_subgroups_share_one_scale() -> None:
    """Of one subgroup alone the integers would imply a shorter scale."""
    frame = pd.DataFrame({"y": [0, 1] * 20 + [1, 2] * 20, "p": 1, "g": [0] * 40 + [1] * 40})
    found = oe.compare(
        oe.Predictions.from_frame(frame, "y", "p", by="g"), ["accuracy"], n_resamples=19, rng=0
    )
    assert [list(c.scale) for c in found.values()] == [[0, 1, 2], [0, 1, 2]]


def test_subgroups_in_every_format(by_site: oe.results.Comparisons) -> None:
    text = by_site.to_text()
    assert text.startswith(
        "By accuracy, the best model is significantly better than the second in 2 of 2"
    )
    alone = ", by itself: p-values are not corrected for the other subgroups"
    assert f"site = A{alone}\ngood is best: accuracy 0." in text
    assert text.index("site = A,") < text.index("site = B,")
    assert all(c.lead()[0][:60] in text for c in by_site.values())
    rows = list(csv.DictReader(io.StringIO(by_site.to_csv())))
    assert len(rows) == 2 * (3 + 3) + 2
    assert {r["subgroup"] for r in rows} == {"A", "B"}
    facts = json.loads(by_site.to_json())
    assert facts["kind"] == "ordeval.comparisons"
    assert facts["by"] == ["site"]
    assert [(s["subgroup"], s["items"]) for s in facts["subgroups"]] == [("A", 200), ("B", 100)]
    assert facts["subgroups"][1]["conclusion"] == by_site["B"].conclusion()
    assert by_site.to_markdown().count("| model |") == 2
    assert "\n\n\n" not in by_site.to_markdown()
    assert by_site.to_latex().count("\\begin{table}") == 1 + 2 * 3
    assert by_site._repr_html_().count("<table>") == 1 + 2
    assert set(by_site.to_frame().columns) >= {"subgroup", "model", "metric", "estimate", "low"}
    assert "site = B" in rendered(by_site)


def test_a_subgroup_that_cannot_be_compared_is_named_and_silences_no_other() -> None:
    frame = TABLE.assign(good=TABLE.good.where(TABLE.site == "A"), site=TABLE.site)
    found = of_frame(oe.compare, frame, "y", ["good", "fair"], by="site", missing="drop", **LITTLE)
    assert list(found) == ["A"]
    assert found.left_out == {"B": "no item has a label in every column."}
    assert "Not compared: B (no item has a label in every column)." in found.to_text()
    assert json.loads(found.to_json())["left_out"] == found.left_out
    one = TABLE.assign(patient=np.where(TABLE.site == "A", 0, TABLE.patient))
    found = of_frame(
        oe.compare, one, "y", ["good", "fair"], by="site", clusters="patient", **LITTLE
    )
    assert found.left_out == {"A": "clusters has only one distinct value; at least two are needed."}
    with pytest.raises(oe.LabelError) as caught:
        of_frame(
            oe.compare, one.assign(patient=1), "y", "good", by="site", clusters="patient", **LITTLE
        )
    assert str(caught.value) == (
        "in the subgroup A: clusters has only one distinct value; at least two are needed."
    )
    with pytest.raises(oe.LabelError, match=r"^good has 1 label outside the scale"):
        of_frame(
            oe.compare,
            TABLE.assign(good=TABLE.good.where(TABLE.index > 0, 9)),
            "y",
            "good",
            by="site",
            **LITTLE,
        )


def test_findings_are_corrected_for_all_subgroups(by_site: oe.results.Comparisons) -> None:
    found = by_site.findings()
    assert [(f.subgroup, f.delta.a, f.delta.b) for f in found] == [
        (s, *c.models[:2]) for s, c in by_site.items()
    ]
    within = [float(c.separation[0, 1]) for c in by_site.values()]
    assert [f.p_adjusted for f in found] == pytest.approx(oe.holm(within))
    assert [f.stands for f in found] == [p <= 0.05 for p in oe.holm(within)]
    assert by_site.conclusion() == (
        "By accuracy, the best model is significantly better than the second in 2 of 2 subgroups: "
        "good in A and good in B."
    )
    facts = json.loads(by_site.to_json())
    assert facts["conclusion"] == by_site.conclusion()
    assert [f["p_adjusted"] for f in facts["findings"]] == [f.p_adjusted for f in found]
    last = by_site.rows()[-1]
    assert (last["subgroup"], last["kind"], last["shown"]) == ("B", "difference", "better")


def test_findings_beside_a_reference() -> None:
    found = of_frame(oe.compare, TABLE, "y", list(MODELS), by="site", reference="fair", **LITTLE)
    listed = found.findings()
    assert [(f.subgroup, f.delta.a, f.delta.b) for f in listed] == [
        ("A", "good", "fair"), ("A", "weak", "fair"), ("B", "good", "fair"), ("B", "weak", "fair"),
    ]  # fmt: skip
    raw = oe.holm([f.delta.p_value for f in listed])
    for f, p in zip(listed, raw, strict=True):
        assert f.p_adjusted == max(p, f.delta.p_adjusted)
    assert [f.verdict for f in listed] == ["better", "worse"] * 2
    assert found.conclusion().startswith(
        "By accuracy, significantly better than fair: good in A and good in B. By accuracy, "
        "significantly worse than fair: weak in A and weak in B. The difference of good and weak "
        "from fair does not vary significantly between subgroups (chi-squared test, "
    )
    assert found.table().head == (
        "site",
        "items",
        "model",
        "accuracy",
        "from fair",
        "p adj.",
        "verdict",
    )


def test_chance_finds_nothing_in_many_subgroups() -> None:
    """Of two exchangeable models in 40 subgroups, one or two would seem to differ."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 2000)
    pair = {m: np.where(rng.random(2000) < 0.7, truth, rng.integers(0, 3, 2000)) for m in "ab"}
    frame = pd.DataFrame({"y": truth, **pair, "g": np.arange(2000) % 40})
    found = oe.compare(
        oe.Predictions.from_frame(frame, "y", ["a", "b"], labels=[0, 1, 2], by="g"), ["accuracy"]
    )
    assert sum(f.delta.p_value <= 0.05 for f in found.findings()) > 0
    assert not any(f.stands for f in found.findings())
    assert found.conclusion().startswith(
        "By accuracy, the best model is significantly better than the second in none of 40 "
        "subgroups. The difference of a from b does not vary significantly between subgroups "
    )


def test_many_subgroups_are_a_table_and_not_a_book() -> None:
    frame = TABLE.assign(site=np.arange(N) % 50)
    found = of_frame(oe.compare, frame, "y", ["good", "fair"], by="site", **LITTLE)
    text = found.to_text(100)
    assert "site = " not in text
    assert len(text.splitlines()) < 55
    assert "10 more rows are not shown; to_csv() has them all." in text
    assert "50 of 50 subgroups have fewer than 30 items: values may be unreliable." in text
    assert found.to_markdown().count("| site | items |") == 1
    assert found._repr_html_().count("<table>") == 1
    assert "site = " not in rendered(found)
    assert len(found) == 50
    assert found[49].items == 6
    assert len(found.table().rows) == 50
    assert len({r["subgroup"] for r in found.rows()}) == 50


def test_small_subgroups_and_small_classes_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of many subgroups has no room for the remarks of each."""
    y = [0] * 20 + [1] * 5 + [0] * 20 + [1] * 20 + [0] * 30 + [1] * 9 + [0] * 40
    g = [0] * 25 + [1] * 40 + [2] * 39 + [3] * 40
    frame = pd.DataFrame({"y": y, "p": y, "q": 0, "g": g})
    said = (
        "1 of 4 subgroups has fewer than 30 items, and 1 more a class of fewer than "
        "10: values may be unreliable."
    )
    how: dict[str, Any] = {"by": "g", "labels": [0, 1]}
    found = of_frame(oe.compare, frame, "y", ["p", "q"], ["accuracy"], **how)
    assert said not in " ".join(found.to_text().split())  # each says it itself
    assert (
        "[OE103] small classes (under 10 items): 1 (n = 9)." in found.details("verbose").to_text()
    )
    assert said in " ".join(found.summary().to_text().split())
    monkeypatch.setattr("ordeval.evaluate._comparing_subgroups._IN_FULL", 0)
    many = of_frame(oe.compare, frame, "y", ["p", "q"], ["accuracy"], **how)
    assert many.briefs
    assert said in " ".join(many.summary().to_text().split())
    scores = of_frame(oe.score, frame, "y", "p", ["accuracy"], **how)
    assert said in " ".join(scores.to_text().split())


def test_one_model_in_subgroups_has_nothing_to_be_compared_with() -> None:
    found = of_frame(oe.compare, TABLE, "y", "good", by="site", **LITTLE)
    assert found.findings() == ()
    assert found.conclusion() == ""
    assert found.table().head == ("site", "items", "accuracy")
    assert found.table().caption == "good by accuracy in each subgroup"


MISPLACED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "no cluster": (
        TABLE.assign(patient=TABLE.patient.where(TABLE.index > 1)), {"clusters": "patient"},
        ("2 items have no value in 'patient', which defines the clusters. Fill it in, or use "
        'missing="drop" to drop them.'),
    ),
    "no subgroup": (
        TABLE.assign(site=TABLE.site.where(TABLE.index > 0)), {"by": "site"},
        ("1 item has no value in 'site', which defines the subgroups. Fill it in, or use "
        'missing="drop" to drop it.'),
    ),
    "one cluster": (
        TABLE.assign(patient=1), {"clusters": "patient"},
        "clusters has only one distinct value; at least two are needed.",
    ),
    "weights": (
        TABLE.assign(w=-1.0), {"weight": "w"},
        "the weights in 'w' must be finite and not negative; ",
    ),
    "words as weights": (
        TABLE.assign(w="heavy"), {"weight": "w"}, "the weights in 'w' must be numbers",
    ),
    "columns": (
        TABLE, {"by": ["site", "site"]},
        "by takes a column, or a list of different columns; got 'site', 'site'.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("frame", "options", "message"), MISPLACED.values(), ids=list(MISPLACED))
def test_columns_that_cannot_be_used(frame: Any, options: Any, message: str) -> None:
    with pytest.raises(oe.LabelError) as caught:
        of_frame(oe.compare, frame, "y", ["good", "fair"], **options, **LITTLE)
    assert str(caught.value).startswith(message)


def test_items_without_a_cluster_are_dropped_if_asked() -> None:
    frame = TABLE.assign(patient=TABLE.patient.where(TABLE.index > 1))
    result = of_frame(
        oe.compare, frame, "y", ["good", "fair"], clusters="patient", missing="drop", **LITTLE
    )
    assert (result.items, result.left_out) == (N - 2, 2)
    assert result.dropped == {"patient": oe.results.Dropped(missing=2)}


def test_a_measure_that_looks_at_unused_levels_warns_when_named() -> None:
    with pytest.warns(oe.EmptyLevelWarning, match="oc_index depends on levels that never occur"):
        run(labels=None, metrics=["oc_index"], n_resamples=9)
    unasked = run(labels=None, metrics=None, n_resamples=19)
    assert "OE101" in [a.code for a in unasked.advice]


def test_items_without_any_weight_have_no_values() -> None:
    result = oe.compare([1, 2, 3], {"a": [1, 2, 2]}, ["accuracy"], labels=[1, 2, 3],
                        sample_weight=[0, 0, 0], n_resamples=9, rng=0)  # fmt: skip
    assert np.isnan(result.estimates["accuracy"]["a"].estimate)
    assert all(np.isnan(by["accuracy"]) for by in result.baselines.values())


def test_no_items_in_any_subgroup() -> None:
    frame = pd.DataFrame({"y": [1], "a": [1], "b": [1], "site": ["x"]}).iloc[:0]
    with pytest.raises(oe.LabelError, match="there are no items to compare"):
        oe.compare(oe.Predictions.from_frame(frame, "y", ["a", "b"], labels=[1, 2], by="site"))
