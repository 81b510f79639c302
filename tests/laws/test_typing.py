"""Type checkers and editors see the public interface in full: mypy and pyright are asked.

Pyright is tested as basedpyright, which needs nothing but its package.
"""

import inspect
import json
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import ordeval as oe

ROOT = Path(__file__).parents[2]

# What calls return.
REVEALED = {
    "data": "Predictions",
    'data["a"]': "Predictions",
    'data[["a", "b"]]': "Predictions",
    'data.confusion("a")': "ConfusionMatrix",
    "data.models": "tuple[str, ...]",
    "data.scale": "Scale",
    'oe.Predictions.from_frame(None, "truth", "a")': "Predictions",
    'oe.Predictions.from_file("a.csv", "truth", "a")': "Predictions",
    "oe.score(data)": "Scores | SubgroupScores | ModelScores",
    "oe.score(y, y)": "Scores",
    "oe.score(y, y, by=y)": "SubgroupScores",
    "oe.compare(data)": "Comparison | Comparisons",
    'oe.compare(y, {"a": y}, by=y)': "Comparisons",
    "oe.thresholds(data)": "Thresholds | SubgroupThresholds | ModelThresholds",
    "oe.calibration(data)": "Calibration | SubgroupCalibrations | ModelCalibrations",
    "oe.decision_curve(data)": "DecisionCurve | SubgroupDecisionCurves",
    'oe.confidence_interval("cem_ord", data)': "Interval",
    'oe.paired_delta("cem_ord", data)': "Delta",
    'oe.plan("cem_ord", data)': "Plan",
    'oe.compare(y, {"a": y})': "Comparison",
    'oe.confidence_interval("cem_ord", y, y)': "Interval",
    'oe.paired_delta("cem_ord", y, y, y)': "Delta",
    'oe.judge(y, {"a": y})': "Judgement",
    'oe.plan("cem_ord")': "Plan",
    "oe.thresholds(y, y)": "Thresholds",
    "oe.calibration(y, [[1.0]])": "Calibration",
    "oe.decision_curve(y, [[1.0]])": "DecisionCurve",
    "oe.recommend()": "Recommendation",
    "oe.Ratings([y]).agreement()": "RatingScores",
    "oe.Ratings([y]).severity()": "RaterSeverity",
    "oe.ConfusionMatrix.from_labels(y, y)": "ConfusionMatrix",
    "oe.Accumulator(y).confusion_matrix()": "ConfusionMatrix",
    "oe.Scale(y)": "Scale",
    "oe.cem_ord(y, y)": "float",
    'oe.weighted_kappa(y, y, weights="linear")': "float",
    "oe.ranked_probability_score(y, [[1.0]], normalize=True)": "float",
    "oe.fleiss_kappa([y])": "float",
    'oe.oc_index.with_params(share=0.5)': "Metric",
    'oe.get_metric("cem_ord")': "Metric",
    'oe.get_metric("cem_ord")(y, y, unanswered=None)': "float",
    "oe.metrics()": "Metrics",
    'oe.read_answers(["1"], y)': "Answers",
    'oe.compare_folds({"a": y, "b": y})': "FoldComparison",
    'oe.compare_cases({"a": y, "b": y})': "CaseComparison",
    'oe.corrected("accuracy", y, y, proxy=y)': "Scores",
    "oe.corrected_distribution(y, proxy=y)": "Scores",
    'oe.scorers("accuracy")["accuracy"](None, y, y)': "float",
}  # fmt: skip

WRONG = [
    "oe.nonsense",
    "oe.results.nonsense",
    "oe.Interval",  # a result
    "oe.score(y, y, lables=y)",
    "oe.score(data, lables=y)",
    "oe.Predictions(y, y, lables=y)",
    'oe.compare(y, {"a": y}, lables=y)',
    'oe.score(y, y, missing="ignore")',
    "oe.cem_ord(y, y, lables=y)",
    "oe.cem_ord(y, y, y)",
    'oe.cem_ord(y, y, missing="ignore")',
    "oe.threshold_auc(y, y)",  # needs the cut
    'oe.krippendorff_alpha(y, y, level="ratio")',
]

# How a measure is called with data alone.
DATA = {"labels": "y, y", "probabilities": "y, [[1.0]]", "ratings": "[y]"}


def own(metric: oe.Metric) -> dict[str, Any]:
    """The parameters of a measure, each with a value."""
    return {name: metric.defaults.get(name, 0) for name in metric.parameters}


def call(metric: oe.Metric, parameters: dict[str, Any]) -> str:
    given = "".join(f", {name}={value!r}" for name, value in parameters.items())
    return f"oe.{metric.name}({DATA[metric.needs]}, labels=y, undefined=0.0{given})"


CALLS = [call(m, own(m)) for m in oe.metrics()]
EVERY = {name for m in oe.metrics() for name in m.parameters}
FOREIGN = [
    call(m, {**own(m), name: None}) for m in oe.metrics() for name in sorted(EVERY - {*own(m)})[:1]
]


class Said(NamedTuple):
    """What a type checker says of one line."""

    errors: list[str]
    types: list[str]


def mypy(path: Path) -> Iterator[tuple[int, str, str]]:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml",
         "--cache-dir", path.parent / "cache", path],
        capture_output=True, text=True, cwd=ROOT, timeout=500,
    )  # fmt: skip
    assert done.stderr == ""
    for line in done.stdout.splitlines():
        if found := re.match(rf"{re.escape(str(path))}:(\d+): (error|note): (.*)", line):
            yield int(found[1]), found[2], found[3]


def pyright(path: Path) -> Iterator[tuple[int, str, str]]:
    settings = path.with_name("pyrightconfig.json")
    settings.write_text(
        json.dumps({
            "include": [path.name], "typeCheckingMode": "standard", "pythonVersion": "3.11",
            "extraPaths": [str(ROOT / "src")],
        })
    )  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable,
         "--project", settings],
        capture_output=True, text=True, cwd=path.parent, timeout=500,
    )  # fmt: skip
    for found in json.loads(done.stdout)["generalDiagnostics"]:
        yield found["range"]["start"]["line"] + 1, found["severity"], found["message"]


CHECKERS: dict[str, Callable[[Path], Iterator[tuple[int, str, str]]]] = {
    "mypy": mypy,
    "basedpyright": pyright,
}
HEAD = [
    "from typing import reveal_type",
    "import ordeval as oe",
    "y = [1, 2, 3]",
    'data = oe.Predictions(y, {"a": y, "b": y}, labels=y)',
]


@pytest.fixture(scope="module", params=CHECKERS)
def said(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What a type checker says of each line that these tests are about."""
    if find_spec(request.param) is None and "CI" not in os.environ:
        pytest.skip(f"{request.param} is not installed; it comes with the extra dev")
    names = [f"oe.{name}" for name in oe.__all__]
    names += [f"oe.results.{name}" for name in oe.results.__all__]
    lines = [f"reveal_type({x})" for x in [*REVEALED, *names]]
    lines = [*HEAD, *lines, *WRONG, *CALLS, *FOREIGN]
    path = tmp_path_factory.mktemp(request.param) / "public.py"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    by_line: dict[str, Said] = defaultdict(lambda: Said([], []))
    for number, severity, text in CHECKERS[request.param](path):
        found = by_line[lines[number - 1]]
        if severity == "error":
            found.errors.append(text)
        elif revealed := re.search(r'(?:Revealed type is|" is) "(.*)"$', text, re.DOTALL):
            found.types.append(revealed[1])
    return by_line


def test_calls_return_what_they_say(said: dict[str, Said]) -> None:
    for expression, name in REVEALED.items():
        found = said[f"reveal_type({expression})"]
        assert found.errors == [], expression
        assert [re.sub(r"[\w.]+\.(?=\w)", "", kind) for kind in found.types] == [name], expression


def test_every_public_name_has_a_type(said: dict[str, Said]) -> None:
    for module in (oe, oe.results):
        for name in module.__all__:
            found = said[f"reveal_type({module.__name__.replace('ordeval', 'oe')}.{name})"]
            assert found.errors == [], name
            (kind,) = found.types
            assert kind not in ("Any", "Unknown"), name
            assert not kind.endswith(("-> Any", "-> Unknown")), name


def test_what_is_wrong_is_an_error(said: dict[str, Said]) -> None:
    assert [line for line in [*WRONG, *FOREIGN] if not said[line].errors] == []


def test_every_parameter_of_a_measure_is_known(said: dict[str, Said]) -> None:
    assert {line: said[line].errors for line in CALLS if said[line].errors} == {}


# Annotations

ANY = {
    # A number of one matrix, an array of a stack.
    "ConfusionMatrix.items", "ConfusionMatrix.total", "Metric.evaluate", "Metric.from_confusion",
    "Metric.utility", "Metric.values",
}  # fmt: skip


def functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """The public functions of a module, and the public methods and properties of its classes."""
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing):
            for method in dir(thing):
                held = inspect.getattr_static(thing, method)
                function = getattr(held, "fget", getattr(held, "func", None))
                function = function or getattr(held, "__func__", held)
                ours = str(getattr(function, "__module__", "")).startswith("ordeval.")
                if inspect.isfunction(function) and ours and not method.startswith("_"):
                    yield f"{name}.{method}", function


FUNCTIONS = dict([*functions(oe), *functions(oe.results)])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_parameters_and_returns_are_annotated(name: str) -> None:
    signature = inspect.signature(FUNCTIONS[name])
    given = [p for p in signature.parameters.values() if p.name not in ("self", "cls")]
    assert [p.name for p in given if p.annotation is p.empty] == []
    assert (signature.return_annotation in ("Any", Any, signature.empty)) == (name in ANY)


def test_the_tests_see_methods() -> None:
    assert {"Ratings.agreement", "ConfusionMatrix.from_labels", "Interval.to_html"} <= {*FUNCTIONS}
