"""A comparison in MLflow: a run with one child per model, intervals as metrics, and the report."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from ordeval._shared.arguments import checked
from ordeval._shared.extras import import_extra
from ordeval._shared.text import name_of
from ordeval._version import __version__
from ordeval.integrations._wrapped import plain_name
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Comparisons

_AT_ONCE: Final = 1000  # metrics per MLflow request
_LONGEST: Final = 120  # characters of a subgroup name; MLflow allows 250 per metric


def log_comparison(
    comparison: Comparison | Comparisons, run_name: str = "comparison", *, report: bool = True
) -> str:
    """Log a comparison as a run of MLflow and return its id.

    The run has the conclusion as a tag, and as artifacts the table (``comparison.csv``), all of the
    result (``comparison.json``) and the report (``report.html``). It has a child run for each
    model, whose metrics are the estimates and the ends of their intervals (``cem_ord``,
    ``cem_ord_low``, ``cem_ord_high``), so that MLflow can sort and plot them. Within an active run
    it is nested.

    Models compared in subgroups (``Predictions`` with ``by``) have the metrics of each, such as
    ``north/cem_ord``, which MLflow shows in groups. Characters that MLflow rejects become
    underscores. A comparison of subgroups has no report.

    Parameters
    ----------
    comparison
        The result of ``oe.compare``.
    run_name
        The name of the run.
    report
        Whether to add the report, which needs ``pip install "ordeval[report]"``.

    Returns
    -------
    str
        The id of the run.

    Raises
    ------
    MissingExtraError
        If MLflow is not installed, or the report needs a package that is not.
    """
    mlflow = import_extra("mlflow", extra="integrations", purpose="log_comparison")
    return _logged(mlflow, comparison, run_name, report=report)


@checked
def _logged(
    mlflow: Any, comparison: Comparison | Comparisons, run_name: str, *, report: bool
) -> str:
    nested = mlflow.active_run() is not None
    # Created first, so that an error here leaves no incomplete run.
    texts = {"comparison.csv": comparison.to_csv(), "comparison.json": comparison.to_json()}
    if report and isinstance(comparison, Comparison):
        texts["report.html"] = comparison.to_html()
    metrics = _metrics_of(comparison)
    with mlflow.start_run(run_name=run_name, nested=nested) as run:
        mlflow.set_tags(
            {"ordeval.version": __version__, "ordeval.conclusion": comparison.conclusion()}
        )
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                (Path(folder) / name).write_text(text, encoding="utf-8")
            mlflow.log_artifacts(folder)
        for model, values in metrics.items():
            with mlflow.start_run(run_name=model, nested=True):
                listed = list(values.items())
                for start in range(0, len(listed), _AT_ONCE):
                    mlflow.log_metrics(dict(listed[start : start + _AT_ONCE]))
    return str(run.info.run_id)


def _metrics_of(comparison: Comparison | Comparisons) -> dict[str, dict[str, float]]:
    """Return each model's estimates and interval ends, without undefined ones."""
    keys = _keys(map(name_of, comparison)) if isinstance(comparison, Comparisons) else {}
    found: dict[str, dict[str, float]] = {}
    for row in comparison.rows():
        if row["kind"] != "model":
            continue
        place = f"{keys[row['subgroup']]}/" if keys else ""
        values = found.setdefault(row["model"], {})
        for key, suffix in (("estimate", ""), ("low", "_low"), ("high", "_high")):
            if row[key] is not None and row[key] == row[key]:
                values[f"{place}{plain_name(row['metric'])}{suffix}"] = row[key]
    return found


def _keys(subgroups: Iterable[str]) -> dict[str, str]:
    """Return unique subgroup names that MLflow accepts."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in subgroups:
        plain = re.sub(r"\s*[^\w.\- ]+\s*", "_", name[:_LONGEST]).strip()
        plain = plain if plain.strip(".") else f"_{plain}"  # "." alone means a path
        key, n = plain, 1
        while key in taken:
            n += 1
            key = f"{plain} {n}"
        taken.add(key)
        found[name] = key
    return found
