"""A comparison in MLflow: a run with a child for each model, intervals as metrics, the report."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import mlflow

import ordeval as oe


def log_comparison(result: oe.Comparison, name: str = "comparison") -> str:
    """Log a comparison and return the id of its run."""
    inside = mlflow.active_run() is not None
    with (
        mlflow.start_run(run_name=name, nested=inside) as run,
        tempfile.TemporaryDirectory() as folder,
    ):
        mlflow.set_tags(
            {"ordeval.version": oe.__version__, "ordeval.conclusion": result.conclusion()}
        )
        report = Path(folder) / "report.html"
        result.to_html(report)
        mlflow.log_artifact(str(report))
        mlflow.log_text(result.to_json(), "comparison.json")
        for model in result.models:
            with mlflow.start_run(run_name=model, nested=True):
                mlflow.log_metrics(_metrics_of(result, model))
    return str(run.info.run_id)


def _metrics_of(result: oe.Comparison, model: str) -> dict[str, float]:
    """Estimate and ends of the interval of each measure; what is undefined is left out."""
    found = {}
    for row in result.rows():
        if row["kind"] == "model" and row["model"] == model:
            for key, suffix in (("estimate", ""), ("low", "_low"), ("high", "_high")):
                # MLflow allows few characters; parameters have brackets and quotes.
                found[re.sub(r"[^\w\-. :/]+", "_", row["metric"]) + suffix] = row[key]
    return {name: value for name, value in found.items() if value is not None and value == value}
