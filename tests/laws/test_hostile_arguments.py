"""Whatever is given for an argument: an answer, or an error of ordeval that says which one it is.

Each public function and method is called with each of its arguments replaced by each of many
values that mean nothing there.
"""

import datetime
import inspect
import os
import re
import traceback
import types
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests.calls import CALLS, Call, frame

import ordeval as oe
from ordeval._shared.arguments import shown

VALUES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "zero": lambda: 0,
    "a negative number": lambda: -1,
    "a number": lambda: 7,
    "half a number": lambda: 1.5,
    "NaN": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "a huge number": lambda: 10**15,
    "a larger number": lambda: 10**30,
    "a number without end": lambda: 10**400,
    "a complex number": lambda: 1 + 2j,
    "an empty text": lambda: "",
    "a text": lambda: "x",
    "a text with a null byte": lambda: "a\0b",
    "bytes": lambda: b"x",
    "an empty list": list,
    "an empty mapping": dict,
    "an empty tuple": tuple,
    "a list of None": lambda: [None],
    "a ragged list": lambda: [1, [2, 3]],
    "rows of different lengths": lambda: [[1, 2], [3]],
    "texts": lambda: ["a", "b"],
    "a mapping": lambda: {"a": 1},
    "a set": lambda: {1, 2},
    "an object": object,
    "a class": lambda: int,
    "a function": lambda: lambda *given, **more: 0,
    "a generator": lambda: (x for x in [1, 2]),
    "a date": lambda: datetime.datetime(2020, 1, 1),
    "a module": lambda: os,
    "an empty array": lambda: np.array([]),
    "a cube": lambda: np.zeros((2, 2, 2)),
    "an array of texts": lambda: np.array(["x"]),
    "an array of objects": lambda: np.array([object()] * 12, dtype=object),
    "an array without axes": lambda: np.array(1.0),
    "NaN for each item": lambda: np.full(12, np.nan),
    "a nested list": lambda: [[[[1]]]],
    "complex numbers": lambda: np.array([1j] * 12),
    "dates": lambda: np.array(["2020-01-01"] * 12, dtype="M8[D]"),
    "lists for each item": lambda: [[1]] * 12,
    "mappings for each item": lambda: [{}] * 12,
    "a frame": frame,
    "NaT": lambda: pd.NaT,
    "the missing value of pandas": lambda: pd.NA,
    "a masked array": lambda: np.ma.masked_array([1, 2, 3], mask=[0, 1, 0]),
    "the largest float": lambda: 1e308,
    "a sequence without items": lambda: Empty(),
    "a matrix of NumPy": lambda: np.eye(2).view(np.matrix),  # as a seed, it overflows the stack
    "a duration of NumPy": lambda: np.timedelta64(1, "s"),
    "eight bits": lambda: np.int8(2),
    "a confusion matrix": lambda: oe.ConfusionMatrix([[4, 1], [1, 3]], [1, 2]),
    "a fraction": lambda: Fraction(1, 3),
    "a lazy frame": lambda: pl.LazyFrame({"a": [1] * 12}),
    "sets for each item": lambda: [{1}] * 12,
    "a length alone": lambda: Long(),
}


class Long:
    """Has a length and no items."""

    def __len__(self) -> int:
        return 3


class Empty:
    """A sequence that says it has three items and holds none."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: int) -> Any:
        raise IndexError


FEW = ("None", "half a number", "a ragged list", "an object", "an empty array", "a class")
# Reports, which take seconds, are not made with what they take.
REPORTS = {"Comparison.to_html", "Comparison.to_docx", "Judgement.to_html", "report.to_html",
           "report.to_docx", "papers.reproduce", "integrations.log_comparison"}  # fmt: skip
NEVER = ("half a number", "an object", "an empty array")
# What is passed on to somebody else's code, whose errors are its own: estimators and progress.
PASSED_ON = {
    ("a scorer", "X"), ("models.run_experiment", "X"), ("models.run_experiment", "estimator"),
    ("models.run_experiment", "param_grid"),
    *((f"models.{kind}", name) for name in ("X", "new", "estimator") for kind in (
        "FrankHallClassifier", "MinimumCostClassifier", "DataReplicationClassifier",
        "OrdinalCutpointClassifierCV")),
}  # fmt: skip
# What messages call an argument, beside its own name.
ABOUT = {
    "among": "measure", "betas": "beta", "by": "subgroup|column", "class_sizes": "class",
    "cm": "counts|matrix|frame", "counts": "frame", "decide": "cost", "degradations": "degradation",
    "ends": "range", "estimator": "labels", "expected": "counts|labels", "frame": "column",
    "key": "model", "logs": "path|read|JSON", "labels": "level|label", "levels": "collapse",
    "matrices": "explore",
    "metric": "measure", "metrics": "measure", "models": "model", "new": "X", "other": "matrices",
    "outputs": "counts|systems|frame", "path": "file|read|JSON|holds", "pred": "column",
    "predicted": "predictions|levels", "ratings": "rater", "reference": "measure",
    "scores": "models", "table": "ratings|column|rater", "y_pred": "models|item",
    "y_prob": "model|models|table", "y_score": "y_pred|y_prob", "y_true": "item",
}  # fmt: skip

each_call = pytest.mark.parametrize("title", CALLS)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("calls")


@pytest.fixture(autouse=True)
def in_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written to a path, such as x, is written there."""
    monkeypatch.chdir(folder)


def quietly(call: Call) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return call()


def fault(title: str, name: str, call: Call) -> str:
    """What is wrong with how a call ends; empty if nothing is."""
    try:
        quietly(call)
    except oe.OrdevalError as error:
        said = str(error)
        words = "|".join([*map(re.escape, call.arguments), ABOUT.get(name, name)])
        named = re.search(rf"\b({words})", said) or shown(call.arguments[name]) in said
        return "" if named else f"says {said!r}"
    except Exception as error:
        places = traceback.extract_tb(error.__traceback__)
        ours = "/ordeval/" in places[-1].filename.replace(os.sep, "/")
        if not ours and (title, name) in PASSED_ON:
            return ""
        last = [x for x in places if "/ordeval/" in x.filename.replace(os.sep, "/")][-1:]
        where = "".join(f" at {Path(x.filename).name}:{x.lineno}" for x in last)
        return f"{type(error).__name__}: {str(error)[:80]}{where}"
    return ""


@each_call
def test_every_argument_may_be_anything(title: str, folder: Path) -> None:
    base = CALLS[title](folder)
    values = NEVER if title in REPORTS else FEW if base.slow else VALUES
    found = []
    for name in base.arguments:
        for what in values:
            if name == "progress" and what == "a class":
                continue  # can be called, though not so
            said = fault(title, name, CALLS[title](folder).but(name, VALUES[what]()))
            found += [f"{name}: {what}: {said}"] if said else []
    assert found == []


# What stands among other values, as an item of a list or a value of a mapping.
AMONG = ("a number without end", "a class", "the missing value of pandas", "an array without axes",
         "a confusion matrix", "a duration of NumPy", "an empty tuple")  # fmt: skip


def with_one(given: Any, value: Any) -> Any:
    """A list or a mapping with another first item; None for anything else."""
    if isinstance(given, dict) and given:
        return {**given, next(iter(given)): value}
    return [value, *given[1:]] if isinstance(given, (list, tuple)) and len(given) else None


@each_call
def test_one_of_several_values_may_be_anything(title: str, folder: Path) -> None:
    base = CALLS[title](folder)
    found = []
    for name, given in base.arguments.items():
        for what in AMONG if title not in REPORTS and with_one(given, 0) is not None else ():
            call = CALLS[title](folder).but(name, with_one(given, VALUES[what]()))
            said = fault(title, name, call)
            found += [f"{name}: {what}: {said}"] if said and not said.startswith("says") else []
    assert found == []


@each_call
def test_the_call_itself_works(title: str, folder: Path) -> None:
    if title not in REPORTS and title != "unregister":
        quietly(CALLS[title](folder))


def test_an_error_that_is_not_ours_is_found() -> None:
    def broken(labels: Any) -> None:
        if labels == 1:
            raise oe.LabelError("something is wrong.")
        raise IndexError("no such place")

    call = Call(broken, {"labels": 0})
    assert fault("broken", "labels", call) == "IndexError: no such place"
    assert fault("broken", "labels", call.but("labels", 1)) == "says 'something is wrong.'"


def public() -> dict[str, Any]:
    """Functions and classes that users call, by their names."""
    found: dict[str, Any] = {}
    for name in oe.__all__:
        found[name] = getattr(oe, name)
    for module in ("datasets", "integrations", "meta", "models", "papers", "plots", "report"):
        of = getattr(oe, module)
        found |= {f"{module}.{name}": getattr(of, name) for name in of.__all__}
    return found


# Results, facts and the like, which functions make.
MADE = {"Metric", "Metrics", "OrdinalProperties", "datasets.OrdinalDataset", "meta.Agreement",
        "meta.Counterexample", "meta.DegradationCurves", "meta.Finding", "meta.MetaStudy",
        "meta.MetaValues", "meta.Property", "meta.PropertyReport", "meta.SimulatedSystems",
        "meta.SystemOutputs", "models.CutPoints", "models.ExperimentResult",
        "models.ReplicatedSize", "papers.Exhibit", "papers.Paper", "papers.Reproduction",
        "papers.Value", "report.CellItems", "report.Report"}  # fmt: skip
# Each loads one dataset, as another one that is tried does.
ALIKE = {f"datasets.load_{name}" for name in ("lev", "swd", "era", "balance_scale", "red_wine")}


def test_no_public_function_is_forgotten() -> None:
    names = {
        name
        for name, x in public().items()
        if callable(x) and not isinstance(x, types.ModuleType)
        if not (inspect.isclass(x) and issubclass(x, BaseException))
    }
    tried = {name for name in names for title in CALLS if f"{title}.".startswith(f"{name}.")}
    assert names - tried == MADE | ALIKE - tried
