"""Hugging Face evaluate and MLflow get ordeval's own numbers; a missing package is named."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ordeval as oe

PACKAGES = ("evaluate", "lightgbm", "mlflow", "torchmetrics", "xgboost")
MISSING = [m for m in PACKAGES if importlib.util.find_spec(m) is None]
pytestmark = [
    pytest.mark.skipif(
        bool(MISSING) and "CI" not in os.environ,
        reason=f"not installed: {', '.join(MISSING)} (the extra `integrations`)",
    ),
    # The packages' own; ours are errors as everywhere.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def _labels(n: int = 600, k: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    return truth, np.clip(truth + rng.integers(-1, 2, n), 0, k - 1)


def test_every_package_is_there() -> None:
    assert MISSING == []


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("OrdinalMetric", "torchmetrics"),
        ("OrdinalEvaluation", "evaluate"),
        ("log_comparison", "mlflow"),
        ("XGBoostMetric", "xgboost"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [m for m in sys.modules if m.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"ordeval.integrations.{package}", raising=False)
    wanted = rf'needs {package}, which is not installed: pip install "ordeval\[integrations\]"'

    def used() -> None:
        adapter = getattr(oe.integrations, name)
        if name == "XGBoostMetric":
            adapter("accuracy", range(3)).early_stopping(5)
        adapter(None)

    with pytest.raises(oe.MissingExtraError, match=wanted):
        used()


def test_no_adapter_loads_the_package_of_another() -> None:
    code = (
        "import sys, ordeval as oe; oe.integrations.LightGBMMetric('accuracy', range(3)); "
        "oe.integrations.read_inspect; oe.integrations.read_promptfoo; "
        "oe.integrations.log_comparison; oe.integrations.XGBoostMetric; "
        f"print(*({PACKAGES!r} & sys.modules.keys()))"
    ).replace(repr(PACKAGES), repr(set(PACKAGES)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_names_that_are_not_there() -> None:
    assert set(oe.integrations.__all__) == set(dir(oe.integrations))
    with pytest.raises(AttributeError, match="no attribute 'Keras'"):
        oe.integrations.Keras  # noqa: B018


# Hugging Face evaluate


def test_evaluate_does_not_cut_off_fractions() -> None:
    halves = oe.integrations.OrdinalEvaluation("mean_absolute_error", labels=[1, 1.5, 2, 2.5])
    assert halves.compute(predictions=[1.5, 2.5], references=[1, 2]) == {"mean_absolute_error": 1.0}
    with pytest.raises(oe.LabelError, match="outside the scale"):
        oe.integrations.OrdinalEvaluation("accuracy", labels=[1, 2, 3]).compute(
            predictions=[1.9, 2], references=[1, 2]
        )


def test_evaluate_in_one_call_and_in_batches() -> None:
    names = np.array(["bad", "fair", "good", "great"])
    truth, pred = (names[x].tolist() for x in _labels())
    expected = oe.cem_ord(truth, pred, labels=names)
    metric = oe.integrations.OrdinalEvaluation("cem_ord", labels=names.tolist())
    assert metric.compute(predictions=pred, references=truth) == {"cem_ord": expected}
    for start in range(0, 600, 200):
        chunk = slice(start, start + 200)
        metric.add_batch(predictions=pred[chunk], references=truth[chunk])
    assert metric.compute() == {"cem_ord": expected}


def test_evaluate_takes_probabilities_and_parameters() -> None:
    truth, pred = _labels()
    prob = np.random.default_rng(1).dirichlet(np.ones(4), 600)
    metric = oe.integrations.OrdinalEvaluation("ranked_probability_score", labels=range(4))
    found = metric.compute(predictions=prob.tolist(), references=truth.tolist())
    expected = oe.ranked_probability_score(truth, prob, labels=range(4))
    assert found == {"ranked_probability_score": pytest.approx(expected)}
    linear = oe.weighted_kappa.with_params(weights="linear")
    metric = oe.integrations.OrdinalEvaluation(linear, labels=range(4))
    found = metric.compute(predictions=pred.tolist(), references=truth.tolist())
    assert found == {linear.name: linear(truth, pred, labels=range(4))}


def test_evaluate_does_not_swallow_an_unknown_label() -> None:
    metric = oe.integrations.OrdinalEvaluation("cem_ord", labels=[1, 2, 3])
    with pytest.raises(oe.LabelError, match="outside the scale"):
        metric.compute(predictions=[1, 4], references=[1, 2])


# MLflow


@pytest.fixture
def client(tmp_path: Path) -> Any:
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.create_experiment("test", artifact_location=(tmp_path / "files").as_uri())
    mlflow.set_experiment("test")
    return mlflow.MlflowClient()


@pytest.fixture
def comparison() -> oe.results.Comparison:
    truth, pred = _labels()
    return oe.compare(
        truth,
        {"a": pred, "b": np.roll(pred, 1)},
        labels=range(4),
        metrics=["cem_ord", oe.weighted_kappa.with_params(weights="linear")],
    )


def test_mlflow_has_estimates_intervals_and_the_report(
    client: Any, comparison: oe.results.Comparison
) -> None:
    import mlflow

    with mlflow.start_run() as outer:
        run = oe.integrations.log_comparison(comparison)
    files = {"comparison.csv", "comparison.json", "report.html"}
    assert {f.path for f in client.list_artifacts(run)} == files
    table = mlflow.artifacts.load_text(f"runs:/{run}/comparison.csv")
    assert table.splitlines() == comparison.to_csv().splitlines()
    parent = client.get_run(run)
    assert parent.data.tags["mlflow.parentRunId"] == outer.info.run_id
    assert parent.data.tags["ordeval.conclusion"] == comparison.conclusion()
    children = client.search_runs([parent.info.experiment_id], f"tags.mlflow.parentRunId = '{run}'")
    logged = {c.info.run_name: c.data.metrics for c in children}
    assert set(logged) == {"a", "b"}
    for row in comparison.rows():
        if row["kind"] != "model":
            continue
        name = {"cem_ord": "cem_ord"}.get(row["metric"], "weighted_kappa_weights_linear")
        for key, suffix in (("estimate", ""), ("low", "_low"), ("high", "_high")):
            assert logged[row["model"]][f"{name}{suffix}"] == pytest.approx(row[key])


def test_mlflow_without_the_report(client: Any, comparison: oe.results.Comparison) -> None:
    run = oe.integrations.log_comparison(comparison, "plain", report=False)
    found = {f.path for f in client.list_artifacts(run)}
    assert found == {"comparison.csv", "comparison.json"}
    assert client.get_run(run).info.run_name == "plain"


def test_mlflow_has_the_metrics_of_each_subgroup(client: Any) -> None:
    truth, pred = _labels()
    names = ["north", "a/b?", "a b?", "a_b?", "..", "7: x"]
    site = np.array(names)[np.arange(len(truth)) % 6]
    frame = pd.DataFrame({"y": truth, "a": pred, "b": np.roll(pred, 1), "site": site})
    found = oe.compare(
        oe.Predictions.from_frame(frame, "y", ["a", "b"], by="site", labels=range(4)), ["cem_ord"]
    )
    run = oe.integrations.log_comparison(found)
    assert {f.path for f in client.list_artifacts(run)} == {"comparison.csv", "comparison.json"}
    parent = client.get_run(run)
    assert parent.data.tags["ordeval.conclusion"] == found.conclusion()
    children = client.search_runs([parent.info.experiment_id], f"tags.mlflow.parentRunId = '{run}'")
    logged = {c.info.run_name: c.data.metrics for c in children}
    keys = {"north": "north", "a/b?": "a_b_", "a b?": "a b_", "a_b?": "a_b_ 2", "..": "_..",
            "7: x": "7_x"}  # fmt: skip
    assert set(logged) == {"a", "b"}
    for model, metrics in logged.items():
        wanted = {}
        for site, comparison in found.items():
            x = comparison.estimates["cem_ord"][model]
            key = f"{keys[site]}/cem_ord"
            wanted |= {key: x.estimate, f"{key}_low": x.low, f"{key}_high": x.high}
        assert metrics == pytest.approx(wanted)


def test_mlflow_takes_very_many_subgroups_in_parts(client: Any) -> None:
    n = 4 * 400
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y": rng.integers(0, 2, n), "a": rng.integers(0, 2, n),
                          "b": rng.integers(0, 2, n), "g": np.arange(n) % 400})  # fmt: skip
    found = oe.compare(
        oe.Predictions.from_frame(frame, "y", ["a", "b"], by="g", labels=[0, 1]), ["accuracy"]
    )
    run = oe.integrations.log_comparison(found)
    parent = client.get_run(run)
    children = client.search_runs([parent.info.experiment_id], f"tags.mlflow.parentRunId = '{run}'")
    for child in children:
        assert len(child.data.metrics) == 3 * 400
        accuracy = (frame.y == frame[child.info.run_name]).groupby(frame.g).mean()
        assert child.data.metrics["17/accuracy"] == accuracy[17]
