"""One name, one text and one behaviour for one thing, whichever door it is reached by."""

import ast
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

import ordeval as oe

# Integers that leave out a level, in two sites.
TRUTH, PRED = [1, 3, 3, 1] * 10, [1, 3, 1, 3] * 10
FRAME = pl.DataFrame({"y": TRUTH, "p": PRED, "q": PRED[::-1], "site": ["A", "B"] * 20})
QUICK: dict[str, Any] = {"n_resamples": 9, "rng": 0}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("preds") / "preds.csv"
    FRAME.write_csv(file)
    return file


def described(source: Any, **how: Any) -> oe.Predictions:
    is_file = isinstance(source, Path)
    describe = oe.Predictions.from_file if is_file else oe.Predictions.from_frame
    return describe(source, "y", ["p", "q"], **how)


Door = Callable[[Any, Path], Any]

# Doors that are asked for a measure and read labels.
DOORS: dict[str, Door] = {
    "score": lambda m, _: oe.score(TRUTH, PRED, m),
    "score with intervals": lambda m, _: oe.score(TRUTH, PRED, m, level=0.9, **QUICK),
    "score with clusters": lambda m, _: oe.score(
        TRUTH, PRED, m, level=0.9, clusters=[*range(20)] * 2, **QUICK
    ),
    "score with weights": lambda m, _: oe.score(
        TRUTH, PRED, m, level=0.9, sample_weight=[0.5] * 40, **QUICK
    ),
    "score of a frame": lambda m, _: oe.score(described(FRAME)["p"], m),
    "score of a frame by": lambda m, _: oe.score(described(FRAME, by="site")["p"], m),
    "score of a file": lambda m, file: oe.score(described(file)["p"], m),
    "score of a file by": lambda m, file: oe.score(described(file, by="site")["p"], m),
    "confidence_interval": lambda m, _: oe.confidence_interval(m, TRUTH, PRED, **QUICK),
    "paired_delta": lambda m, _: oe.paired_delta(m, TRUTH, PRED, PRED[::-1], **QUICK),
    "corrected": lambda m, _: oe.corrected(m, [*TRUTH[:20], *[None] * 20], PRED, proxy=TRUTH),
    "plan": lambda m, _: oe.plan(m, oe.Predictions(TRUTH, PRED), half_width=0.1),
    "compare": lambda m, _: oe.compare(TRUTH, {"p": PRED, "q": PRED[::-1]}, m, **QUICK),
    "compare of a frame": lambda m, _: oe.compare(described(FRAME), m, **QUICK),
    "compare of a frame by": lambda m, _: oe.compare(described(FRAME, by="site"), m, **QUICK),
    "compare of a file": lambda m, file: oe.compare(described(file), m, **QUICK),
    "compare of a file by": lambda m, file: oe.compare(described(file, by="site"), m, **QUICK),
}
# Doors that are asked for a measure and get counts.
MATRIX = oe.ConfusionMatrix([[9, 1], [2, 8]], [1, 2])
OF_COUNTS: dict[str, Door] = {
    "score": lambda m, _: oe.score(MATRIX, metrics=m),
    "score of a stack": lambda m, _: oe.score([MATRIX.counts], metrics=m),
    "confidence_interval": lambda m, _: oe.confidence_interval(m, MATRIX),
    "paired_delta": lambda m, _: oe.paired_delta(m, np.ones((2, 2, 2), dtype=int)),
    "plan": lambda m, _: oe.plan(m, MATRIX, half_width=0.1),
    "check_properties": lambda m, _: oe.meta.check_properties(m),
    "coverage": lambda m, _: oe.meta.coverage(np.ones((2, 2, 2, 2)), m),
    "degradation_curves": lambda m, _: oe.meta.degradation_curves(m),
}
# Doors that read labels and are asked for nothing.
COUNTING: dict[str, Door] = {
    "Scale.infer": lambda _, __: oe.Scale.infer(TRUTH, PRED),
    "from_labels": lambda _, __: oe.ConfusionMatrix.from_labels(TRUTH, PRED),
    "from_frame": lambda _, __: oe.ConfusionMatrix.from_frame(FRAME, "y", "p"),
    "from_frame of pandas": lambda _, __: oe.ConfusionMatrix.from_frame(
        FRAME.to_pandas(), "y", "p"
    ),
    "from_frame by": lambda _, __: oe.ConfusionMatrix.from_frame(FRAME, "y", ["p", "q"], by="site"),
    "from_file": lambda _, file: oe.ConfusionMatrix.from_file(file, "y", "p"),
    "measure": lambda m, _: oe.get_metric(m)(TRUTH, PRED),
    "default measures": lambda _, __: oe.score(TRUTH, PRED),
    "default panel": lambda _, __: oe.compare(TRUTH, {"p": PRED}, **QUICK),
    "from_predictions": lambda _, __: oe.plots.ConfusionDisplay.from_predictions(TRUTH, PRED),
}


def warned(door: Door, metric: str, path: Path) -> list[str]:
    """The warnings about the scale that a door gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        door(metric, path)
    assert {w.filename for w in caught} <= {__file__}
    return [str(w.message) for w in caught if w.category is oe.EmptyLevelWarning]


PROBABILITIES = (
    "ranked_probability_score needs probabilities, but the models give labels. "
    'Name the columns of the probabilities with prob="p_", or pass an (n, K) '
    "array instead of labels."
)


@pytest.mark.parametrize("door", DOORS)
def test_a_measure_of_probabilities_is_refused_before_labels_are_read(
    door: str, path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(oe.ParameterError) as caught:
            DOORS[door]("ranked_probability_score", path)
    assert str(caught.value) == PROBABILITIES


@pytest.mark.parametrize("door", OF_COUNTS)
def test_a_measure_of_probabilities_is_refused_of_counts(door: str, path: Path) -> None:
    with pytest.raises(oe.ParameterError) as caught:
        OF_COUNTS[door]("ranked_probability_score", path)
    assert str(caught.value) == PROBABILITIES


@pytest.mark.parametrize("door", {**DOORS, **OF_COUNTS})
def test_a_misspelt_measure_is_refused(door: str, path: Path) -> None:
    with pytest.raises(oe.UnknownMetricError) as caught:
        {**DOORS, **OF_COUNTS}[door]("cem_odr", path)
    assert str(caught.value) == (
        "No measure is called 'cem_odr'. Did you mean cem_ord, cem_nom or cem_ord_flat? "
        "oe.metrics() lists them all."
    )


GAP = (
    "The integers imply the scale Scale(1 < 2 < 3), but 2 never occurs, neither as truth nor as "
    "prediction. If that is right, declare it with labels=oe.Scale.range(1, 3); otherwise declare "
    "the levels with labels=."
)


@pytest.mark.parametrize("door", {**DOORS, **COUNTING})
def test_gaps_of_an_implied_scale_are_told_once(door: str, path: Path) -> None:
    assert warned({**DOORS, **COUNTING}[door], "accuracy", path) == [GAP]


@pytest.mark.parametrize("door", [*DOORS, "measure"])
def test_a_measure_that_depends_on_unused_levels_is_told_once(door: str, path: Path) -> None:
    assert warned({**DOORS, **COUNTING}[door], "oc_index", path) == [
        GAP,
        (
            "[OE101] oc_index depends on levels that never occur; the integers only "
            "imply Scale(1 < 2 < 3). Declare labels= if the scale is longer."
        ),
    ]


@pytest.mark.parametrize("by", [None, "site"])
def test_a_comparison_keeps_weights_and_what_is_implied(by: str | None) -> None:
    frame = FRAME.with_columns(w=pl.Series([1.0, 2.0] * 20), y=pl.col("y").replace(3, 2),
                               p=pl.col("p").replace(3, 2))  # fmt: skip
    for weight, labels in ((None, None), ("w", None), ("w", [1, 2]), (None, [1, 2])):
        data = oe.Predictions.from_frame(frame, "y", ["p"], by=by, weight=weight, labels=labels)
        found = oe.compare(data, ["accuracy"], **QUICK)
        for comparison in found.values() if by else [found]:
            (cm,) = comparison.matrices.values()
            assert (cm.weighted, cm.implied) == (weight is not None, labels is None)


# Weight and items


def shown(cm: oe.ConfusionMatrix, stack: oe.ConfusionMatrix) -> Iterator[str]:
    """Everything that shows how much a matrix holds."""
    yield from (repr(cm), cm._repr_html_())
    yield from (repr(oe.score(cm)), oe.score(cm)._repr_html_(), oe.score(cm).to_json())
    yield from (repr(oe.score(stack, level=None)), oe.score(stack).to_csv())
    yield repr(oe.recommend(cm))


@pytest.mark.parametrize("whole", [True, False])
def test_weight_is_said_of_weighted_matrices_and_items_of_others(whole: bool) -> None:
    """What decides is how the matrix was made, not whether its numbers are whole."""
    frame = pl.DataFrame({"y": [1, 1, 1, 1, 2] * 8, "p": [1, 1, 1, 2, 2] * 8, "g": ["a", "b"] * 20,
                          "w": [1.0 if whole else 0.3] * 40})  # fmt: skip
    made = [
        oe.ConfusionMatrix.from_frame(frame, "y", "p", [1, 2], weight, by=by)
        for weight in ("w", None)
        for by in (None, "g")
    ]
    for text in shown(*made[:2]):
        assert "weight" in text.lower(), text
        assert " items" not in text, text
    for text in shown(*made[2:]):
        assert "item" in text, text
        # Weights of classes and of disagreements are no weights of items.
        others = r"weighted kappa|equal weight for every class|every class the same weight"
        assert " weight" not in re.sub(others, "", " ".join(text.split())), text


def test_a_weighted_comparison_says_items_and_weight() -> None:
    weighted = oe.compare(TRUTH, {"p": PRED}, ["accuracy"], labels=[1, 2, 3],
                          sample_weight=[0.5] * 40, **QUICK)  # fmt: skip
    plain = oe.compare(TRUTH, {"p": PRED}, ["accuracy"], labels=[1, 2, 3], **QUICK)
    assert "40 items of weight 20," in repr(weighted)
    assert "40 items," in repr(plain)


# Keywords


PROB = np.eye(4)[PRED][:, 1:]
UNKNOWN: dict[str, Callable[..., Any]] = {
    "score": lambda path, **k: oe.score(TRUTH, PRED, **k),
    "compare": lambda path, **k: oe.compare(TRUTH, {"p": PRED}, **k),
    "thresholds": lambda path, **k: oe.thresholds(TRUTH, PRED, **k),
    "calibration": lambda path, **k: oe.calibration(TRUTH, PROB, **k),
    "decision_curve": lambda path, **k: oe.decision_curve(TRUTH, PROB, **k),
    "confidence_interval": lambda path, **k: oe.confidence_interval("accuracy", TRUTH, PRED, **k),
    "paired_delta": lambda path, **k: oe.paired_delta("accuracy", TRUTH, PRED, PRED, **k),
    "score of a matrix": lambda path, labels, **k: oe.score(MATRIX, **k),
    "thresholds of a matrix": lambda path, labels, **k: oe.thresholds(MATRIX, **k),
    "confidence_interval of a matrix": lambda path, labels, **k: oe.confidence_interval(
        "accuracy", MATRIX, **k
    ),
    "paired_delta of counts": lambda path, labels, **k: oe.paired_delta(
        "accuracy", np.ones((2, 2, 2), dtype=int), **k
    ),
    "compare of an Accumulator": lambda path, labels, **k: oe.compare(oe.Accumulator(labels), **k),
    "Predictions": lambda path, **k: oe.Predictions(TRUTH, PRED, **k),
    "from_frame": lambda path, **k: oe.Predictions.from_frame(FRAME, "y", "p", **k),
    "from_file": lambda path, **k: oe.Predictions.from_file(path, "y", "p", **k),
}


@pytest.mark.parametrize("door", UNKNOWN)
def test_an_unknown_keyword_is_pythons_own_error(door: str, path: Path) -> None:
    with pytest.raises(TypeError) as caught:
        UNKNOWN[door](path, labels=[1, 2, 3], resamples=9)
    assert str(caught.value).endswith("got an unexpected keyword argument 'resamples'")
    assert not isinstance(caught.value, oe.OrdevalError)


WRITTEN_OUT = [
    getattr(oe, name)
    for name in oe.__all__
    if inspect.isfunction(getattr(oe, name)) and name not in ("scorer", "scorers", "register",
                                                              "optimal_path")
]  # fmt: skip


@pytest.mark.parametrize("function", WRITTEN_OUT, ids=lambda f: f.__name__)
def test_keywords_are_written_out(function: Any) -> None:
    """Only what hands on the parameters of a measure takes any keyword."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:  # the keywords of data, which are listed
            assert str(parameter.annotation).startswith("Unpack["), function


# What was observed is evaluated once


@pytest.mark.parametrize("clusters", [None, [*range(40)]])
@pytest.mark.parametrize("models", [1, 3])
def test_a_comparison_evaluates_what_was_observed_once(models: int, clusters: Any) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 40)
    given = {f"m{i}": np.where(rng.random(40) < 0.6, truth, rng.integers(0, 3, 40))
             for i in range(models)}  # fmt: skip
    observed = [oe.ConfusionMatrix.from_labels(truth, p, range(3)).counts for p in given.values()]
    calls: list[int] = []

    def hits(n: NDArray[Any]) -> Any:
        matrices = n.reshape(-1, 3, 3)
        if all(any(np.array_equal(m, o) for o in observed) for m in matrices):
            calls.append(len(matrices))
        return np.trace(n, axis1=-2, axis2=-1) / n.sum(axis=(-2, -1))

    metric = oe.register(
        name="on_trial", symbol="X", family="accuracy", best=1, range=(0, 1), symmetric=True,
        greater_is_better=True, reversal_invariant=True, depends_on_empty_levels=False,
        undefined_when="there are no items", reference="These tests",
    )(hits)  # fmt: skip
    try:
        oe.compare(truth, given, [metric], labels=range(3), clusters=clusters, n_resamples=19,
                   rng=0)  # fmt: skip
    finally:
        oe.unregister("on_trial")
    # Models that are exchanged in a few clusters are measured next to their draws, too.
    exchanged = clusters is not None and models > 2
    assert sum(calls) == models * (1 + exchanged)


# Words

NOT_SAID = {
    "groups": "clusters, by",
    "group": "clusters, by",
    "baseline": "reference",
    "seed": "rng",
    "random_state": "rng",
    "data": "y_true and y_pred, frame, counts, outputs",
    "measure": "metric",
    "measures": "metrics",
    "index": "metric",
    "systems": "models, outputs",
    "times": "count",
    "multiplicity": "count",
    "weights": "sample_weight, weight",
}
COLUMNS = {"truth", "pred", "weight", "item", "rater"}  # of a frame or a file
# The names of those that are left out, and those whose outputs judges grade.
ALLOWED = {("meta", "systems"), ("", "systems")}


def public_functions() -> Iterator[tuple[str, str, Any]]:
    """The functions and methods of the package and of its rooms, each with its room."""
    for room in ("", *oe._MODULES):
        module = getattr(oe, room) if room else oe
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield room, name, thing
            elif inspect.isclass(thing) and thing.__module__.startswith("ordeval."):
                for method, value in inspect.getmembers(thing, callable):
                    if not method.startswith("_") and method in vars(thing):
                        yield room, f"{name}.{method}", value


FUNCTIONS = list(public_functions())


@pytest.mark.parametrize(
    ("room", "name", "function"), FUNCTIONS, ids=[f"{r}.{n}" for r, n, _ in FUNCTIONS]
)
def test_parameters_have_the_names_of_the_house(room: str, name: str, function: Any) -> None:
    for word, parameter in inspect.signature(function).parameters.items():
        if (room, word) not in ALLOWED and parameter.kind is not parameter.VAR_KEYWORD:
            assert word not in NOT_SAID, f"{word} of {name} is called {NOT_SAID[word]}"
        if word in COLUMNS:
            assert re.search(r"\bstr\b|^Columns\b", str(parameter.annotation)), word


@pytest.mark.parametrize("door", [oe.confidence_interval, oe.paired_delta, oe.plan])
def test_a_function_about_one_measure_takes_it_first(door: Any) -> None:
    assert next(iter(inspect.signature(door).parameters)) == "metric"


@pytest.mark.parametrize("door", [oe.score, oe.compare])
def test_after_data_and_metrics_everything_is_a_keyword(door: Any) -> None:
    parameters = list(inspect.signature(door).parameters.values())
    place = [p.name for p in parameters].index("metrics")
    assert parameters[place].default is None
    assert all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters[place + 1 :])
    assert all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters[: place + 1])


SOURCE = Path(oe.__file__).parent


def test_records_say_metric() -> None:
    """No dictionary that is written out has another key for the measure or the clusters."""
    others = {"measure", "index", "group_count", "groups", "multiplicity", "times"}
    for room in ("data", "inference", "results", "evaluate", "meta", "models"):
        for file in (SOURCE / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Dict):
                    keys = {k.value for k in node.keys if isinstance(k, ast.Constant)}
                    assert not keys & others, f"{file.name}, line {node.lineno}"
