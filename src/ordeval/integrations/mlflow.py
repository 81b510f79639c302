"""A comparison in MLflow: a run with a child for each model, intervals as metrics, the report."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ordeval._shared.extras import import_extra
from ordeval._version import __version__
from ordeval.integrations._wrapped import plain_name
from ordeval.results.comparison import Comparison


def log_comparison(
    comparison: Comparison, run_name: str = "comparison", *, report: bool = True
) -> str:
    """Log a comparison as a run of MLflow and return its id.

    The run holds the conclusion as a tag, and as artifacts the table (``comparison.csv``), all of
    the result (``comparison.json``) and the report (``report.html``). It has a child run for each
    model, whose metrics are the estimates and the ends of their intervals (``cem_ord``,
    ``cem_ord_low``, ``cem_ord_high``), so that MLflow can sort and plot them. Within an active
    run it is nested. ``report=False`` leaves the report out, which needs
    ``pip install "ordeval[report]"``.
    """
    mlflow = import_extra("mlflow", extra="integrations", purpose="log_comparison")
    nested = mlflow.active_run() is not None
    # Made first, so that what cannot be made leaves no half of a run behind.
    page = comparison.to_html() if report else None
    with mlflow.start_run(run_name=run_name, nested=nested) as run:
        mlflow.set_tags(
            {"ordeval.version": __version__, "ordeval.conclusion": comparison.conclusion()}
        )
        texts = {"comparison.csv": comparison.to_csv(), "comparison.json": comparison.to_json()}
        if page is not None:
            texts["report.html"] = page
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            mlflow.log_artifacts(folder)
        for model in comparison.models:
            with mlflow.start_run(run_name=model, nested=True):
                mlflow.log_metrics(_metrics_of(comparison, model))
    return str(run.info.run_id)


def _metrics_of(comparison: Comparison, model: str) -> dict[str, float]:
    """Estimate and ends of the interval of each measure; what is undefined is left out."""
    found = {
        plain_name(row["metric"]) + suffix: row[key]
        for row in comparison.rows()
        if row["kind"] == "model" and row["model"] == model
        for key, suffix in (("estimate", ""), ("low", "_low"), ("high", "_high"))
    }
    return {name: value for name, value in found.items() if value is not None and value == value}
