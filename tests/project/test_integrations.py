"""The examples for torchmetrics, Hugging Face evaluate and MLflow give ordeval's own numbers."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe

EXAMPLES = Path(__file__).parents[2] / "examples"
MISSING = [m for m in ("evaluate", "mlflow", "torchmetrics") if importlib.util.find_spec(m) is None]
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


@pytest.fixture(autouse=True)
def _examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def _labels(n: int = 600, k: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, k, n)
    return truth, np.clip(truth + rng.integers(-1, 2, n), 0, k - 1)


@pytest.mark.parametrize("name", ["cem_ord", "average_mae", "auoc", "weighted_kappa"])
def test_torch_metric_over_batches_and_merged_states(name: str) -> None:
    import torch
    from torch_metric import OrdinalMetric

    truth, pred = _labels()
    parts = [OrdinalMetric(name, 4) for _ in range(2)]
    for i, (t, p) in enumerate(zip(np.split(truth, 6), np.split(pred, 6), strict=True)):
        parts[i % 2].update(torch.tensor(p), torch.tensor(t))
    parts[0].merge_state(parts[1])
    expected = oe.get_metric(name)(truth, pred, labels=range(4))
    assert float(parts[0].compute()) == pytest.approx(expected, abs=1e-6)
    assert parts[0].higher_is_better is oe.get_metric(name).greater_is_better


def test_torch_metric_takes_scores_and_parameters() -> None:
    import torch
    from torch_metric import OrdinalMetric

    truth, pred = _labels()
    scores = torch.nn.functional.one_hot(torch.tensor(pred), 4).float()
    metric = OrdinalMetric("weighted_kappa", 4, {"weights": "linear"}, dist_sync_on_step=False)
    metric.update(scores, torch.tensor(truth))
    expected = oe.weighted_kappa(truth, pred, labels=range(4), weights="linear")
    assert float(metric.compute()) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("bad", [[0, 4], [-1, 0], [0.5, 1.0]])
def test_torch_metric_refuses_what_is_no_class(bad: list[float]) -> None:
    import torch
    from torch_metric import OrdinalMetric

    metric = OrdinalMetric("accuracy", 4)
    with pytest.raises(ValueError, match=r"whole numbers from 0 to 3|scores"):
        metric.update(torch.tensor(bad), torch.tensor([0, 1]))
    with pytest.raises(ValueError, match="whole numbers from 0 to 3"):
        metric.update(torch.tensor([0, 1]), torch.tensor(bad))


@pytest.mark.parametrize(
    ("preds", "target"),
    [
        ([[0], [1]], [0, 1]),
        ([0], [0, 1]),
        ([[0.1, 0.2, 0.7]], [2]),
        ([[0.1, float("nan"), 0.7, 0.2]], [2]),
    ],
    ids=["column", "one for two", "too few classes", "nan"],
)
def test_torch_metric_refuses_what_does_not_fit(preds: list[Any], target: list[int]) -> None:
    import torch
    from torch_metric import OrdinalMetric

    with pytest.raises(ValueError, match=r"do not fit|are not|NaN"):
        OrdinalMetric("accuracy", 4).update(torch.tensor(preds), torch.tensor(target))


def test_torch_metric_takes_images_of_scores() -> None:
    import torch
    from torch_metric import OrdinalMetric

    target = torch.randint(0, 4, (5, 4, 3), generator=torch.Generator().manual_seed(0))
    scores = torch.nn.functional.one_hot(target, 4).movedim(-1, 1).float()
    metric = OrdinalMetric("accuracy", 4)
    metric.update(scores, target)
    assert float(metric.compute()) == 1.0


def test_evaluate_does_not_cut_off_fractions() -> None:
    from hf_metric import OrdinalEvaluation

    halves = OrdinalEvaluation("mean_absolute_error", labels=[1, 1.5, 2, 2.5])
    assert halves.compute(predictions=[1.5, 2.5], references=[1, 2]) == {"mean_absolute_error": 1.0}
    with pytest.raises(oe.LabelError, match="outside the scale"):
        OrdinalEvaluation("accuracy", labels=[1, 2, 3]).compute(
            predictions=[1.9, 2], references=[1, 2]
        )


def test_evaluate_in_one_call_and_in_batches() -> None:
    from hf_metric import OrdinalEvaluation

    names = np.array(["bad", "fair", "good", "great"])
    truth, pred = (names[x].tolist() for x in _labels())
    expected = oe.cem_ord(truth, pred, labels=names)
    metric = OrdinalEvaluation("cem_ord", labels=names.tolist())
    assert metric.compute(predictions=pred, references=truth) == {"cem_ord": expected}
    for start in range(0, 600, 200):
        chunk = slice(start, start + 200)
        metric.add_batch(predictions=pred[chunk], references=truth[chunk])
    assert metric.compute() == {"cem_ord": expected}


def test_evaluate_does_not_swallow_an_unknown_label() -> None:
    from hf_metric import OrdinalEvaluation

    metric = OrdinalEvaluation("cem_ord", labels=[1, 2, 3])
    with pytest.raises(oe.LabelError, match="outside the scale"):
        metric.compute(predictions=[1, 4], references=[1, 2])


def test_mlflow_has_estimates_intervals_and_the_report(tmp_path: Path) -> None:
    import mlflow
    from mlflow_comparison import log_comparison

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    mlflow.create_experiment("test", artifact_location=(tmp_path / "files").as_uri())
    mlflow.set_experiment("test")
    truth, pred = _labels()
    result = oe.compare(
        truth,
        {"a": pred, "b": np.roll(pred, 1)},
        labels=range(4),
        metrics=["cem_ord", oe.weighted_kappa.with_params(weights="linear")],
        n_resamples=99,
        rng=0,
    )
    with mlflow.start_run():
        run = log_comparison(result)
    client = mlflow.MlflowClient()
    assert {f.path for f in client.list_artifacts(run)} == {"comparison.json", "report.html"}
    parent = client.get_run(run)
    assert parent.data.tags["ordeval.conclusion"] == result.conclusion()
    children = client.search_runs([parent.info.experiment_id], f"tags.mlflow.parentRunId = '{run}'")
    row = result.rows()[0]
    logged = {c.info.run_name: c.data.metrics for c in children}
    assert set(logged) == {"a", "b"}
    for key, suffix in (("estimate", ""), ("low", "_low"), ("high", "_high")):
        assert logged["a"][f"cem_ord{suffix}"] == pytest.approx(row[key])
