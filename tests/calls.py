"""A valid call of every public function and method, to change one argument at a time.

``CALLS`` maps the name of a call to what makes it: the callable and its arguments. They are made
anew for each call, so that what a call changes or reads to its end does not reach the next one.
"""

import functools
import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ordeval as oe
from tests.ready import NEEDED, ready

Y = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]
A = [1, 2, 3, 1, 3, 3, 1, 2, 2, 1, 2, 3]
B = [1, 1, 3, 2, 2, 3, 1, 2, 3, 3, 2, 2]
SCORES = [0.1, 0.4, 0.9, 0.2, 0.5, 0.7, 0.3, 0.6, 0.8, 0.2, 0.4, 0.9]
PROB = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.3, 0.6]] * 4
LEVELS = [1, 2, 3]
COUNTS = [[4, 1, 0], [1, 3, 1], [0, 1, 4]]
WEIGHT = [1.0, 2.0, 1.0] * 4
CLUSTERS = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
SITES = ["n", "s", "n", "s", "n", "s", "n", "s", "n", "s", "n", "s"]
HUMANS = [[1, 1, 2], [2, 2, 2], [3, 3, 2], [1, 2, 1]] * 3
JUDGE = [1, 2, 3, 2] * 3
FEW = ["cem_ord", "accuracy"]
OF_ARRAYS = {
    "labels": LEVELS,
    "sample_weight": WEIGHT,
    "clusters": CLUSTERS,
    "unknown": "raise",
    "missing": "raise",
}
OF_VERBS = {**OF_ARRAYS, "outputs": "auto", "decide": "mode", "by": None}


class Call(NamedTuple):
    """A callable, and arguments with which it works."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    slow: bool = False  # tried with some of the values only

    def __call__(self) -> Any:
        return self.function(**self.arguments)

    def but(self, name: str, value: Any) -> "Call":
        """The same call with another value of one argument."""
        return self._replace(arguments={**self.arguments, name: value})


Maker = Callable[[Path], Call]
CALLS: dict[str, Maker] = {}


def call(
    title: str, make: Callable[[Path], Any], /, *, slow: bool = False, **arguments: Any
) -> None:
    """Add a call; ``make`` gives the callable, or one with arguments that need a folder."""

    def made(folder: Path) -> Call:
        function = make(folder)
        more: dict[str, Any] = {}
        if isinstance(function, tuple):
            function, more = function
        return Call(function, {**_defaults(function), **arguments, **more}, slow)

    assert title not in CALLS
    CALLS[title] = made


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    """The parameters that have a default, with it."""
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty and p.name != "self"}


def of(function: Callable[..., Any]) -> Callable[[Path], Any]:
    return lambda folder: function


def frame() -> Any:
    import pandas as pd

    columns = {"y": Y, "a": A, "b": B, "s": SCORES, "w": WEIGHT, "c": CLUSTERS, "g": SITES}
    table = np.array(PROB)
    columns |= {f"p_{level}": table[:, i] for i, level in enumerate(LEVELS)}
    return pd.DataFrame({**columns, "item": range(12)})


def file(folder: Path) -> str:
    path = folder / "table.csv"
    if not path.exists():
        frame().to_csv(path, index=False)
    return str(path)


def long_ratings() -> Any:
    import pandas as pd

    rows = [(i, f"r{j}", x) for i, row in enumerate(HUMANS) for j, x in enumerate(row)]
    return pd.DataFrame(rows, columns=["item", "rater", "rating"])


def cm() -> oe.ConfusionMatrix:
    return oe.ConfusionMatrix(COUNTS, LEVELS)


@functools.cache
def comparison() -> oe.results.Comparison:
    return oe.compare(Y, {"a": A, "b": B, "c": Y}, FEW, labels=LEVELS)


@functools.cache
def judgement() -> oe.results.Judgement:
    return oe.judge(HUMANS, {"j": JUDGE, "k": JUDGE[::-1]}, labels=LEVELS, min_items=2)


@functools.cache
def calibrated() -> oe.results.Calibration:
    return oe.calibration(Y, PROB, labels=LEVELS, n_resamples=10)


@functools.cache
def report_of() -> Any:
    return oe.report.summarise(comparison())


def outputs() -> Any:
    cases = np.repeat(range(4), 3)
    return oe.meta.SystemOutputs.from_labels(Y, {"a": A, "b": B, "c": Y}, cases, labels=LEVELS)


@functools.cache
def curves() -> Any:
    return oe.meta.degradation_curves(["accuracy"], [5, 5, 5], rates=[0.0, 0.5])


def _register(name: str) -> Callable[..., Any]:
    """``register`` as a function of all its facts, which forgets the measure again."""

    def made(**facts: Any) -> Any:
        kernel = facts.pop("kernel", lambda n: n[..., 0, 0])
        if inspect.isfunction(kernel):
            kernel.__name__ = name
        try:
            return oe.register(**facts)(kernel)
        finally:
            if name in {m.name for m in oe.metrics()}:
                oe.unregister(name)

    return made


FACTS = {
    "symbol": "X",
    "family": "accuracy",
    "best": 1.0,
    "range": oe.Range(0, 1),
    "greater_is_better": True,
    "symmetric": False,
    "reversal_invariant": True,
    "depends_on_empty_levels": False,
    "undefined_when": "never",
    "reference": oe.Reference("Somebody 2000, A measure"),
}


def _nouns() -> None:
    call("Predictions", of(oe.Predictions), y_true=Y, y_pred={"a": A, "b": B}, **OF_VERBS)
    where = {
        "truth": "y",
        "pred": ["a", "b"],
        "labels": LEVELS,
        "weight": "w",
        "clusters": "c",
        "by": "g",
    }
    call(
        "Predictions.from_frame",
        lambda f: (_counted(oe.Predictions.from_frame), {"frame": frame()}),
        **where,
    )
    call(
        "Predictions.from_file",
        lambda f: (_counted(oe.Predictions.from_file), {"path": file(f)}),
        **where,
    )
    call("Predictions.confusion", of(oe.Predictions(Y, {"a": A}, labels=LEVELS).confusion))
    call("Predictions[...]", of(_item_of(oe.Predictions(Y, {"a": A}))), key="a")
    call("ConfusionMatrix", of(oe.ConfusionMatrix), counts=COUNTS, labels=LEVELS)
    call(
        "ConfusionMatrix.from_labels",
        of(oe.ConfusionMatrix.from_labels),
        y_true=Y,
        y_pred=A,
        labels=LEVELS,
        sample_weight=WEIGHT,
    )
    one = {"truth": "y", "pred": "a", "labels": LEVELS}
    call(
        "ConfusionMatrix.from_frame",
        lambda f: (oe.ConfusionMatrix.from_frame, {"frame": frame()}),
        **one,
    )
    call(
        "ConfusionMatrix.from_file",
        lambda f: (oe.ConfusionMatrix.from_file, {"path": file(f)}),
        **one,
    )
    call("ConfusionMatrix.collapse", of(cm().collapse), levels=[[1, 2], [3]])
    call("ConfusionMatrix.normalized", of(cm().normalized))
    call("Accumulator", of(oe.Accumulator), labels=LEVELS, models=["a", "b"])
    call(
        "Accumulator.update",
        lambda f: oe.Accumulator(LEVELS).update,
        y_true=Y,
        y_pred=A,
        sample_weight=None,
    )
    call(
        "Accumulator.merge", lambda f: (oe.Accumulator(LEVELS).merge, {"other": _accumulated("m")})
    )
    call(
        "Accumulator.confusion_matrix", lambda f: _accumulated("a", "b").confusion_matrix, model="a"
    )
    call("Accumulator.joint_counts", lambda f: _joint(_accumulated("a", "b")), a="a", b="b")
    call(
        "Ratings",
        of(oe.Ratings),
        table=HUMANS,
        labels=LEVELS,
        raters=["x", "y", "z"],
        items=list(range(12)),
        clusters=CLUSTERS,
    )
    call("Ratings.from_long", lambda f: (oe.Ratings.from_long, {"frame": long_ratings()}))
    call(
        "Ratings.from_wide",
        lambda f: (oe.Ratings.from_wide, {"frame": frame()}),
        item="item",
        raters=["y", "a", "b"],
        labels=LEVELS,
        clusters="c",
    )
    call(
        "Ratings.from_file",
        lambda f: (oe.Ratings.from_file, {"path": file(f)}),
        item="item",
        raters=["y", "a", "b"],
        rater=None,
        rating=None,
    )
    ratings = oe.Ratings(HUMANS, LEVELS)
    call("Ratings.agreement", of(ratings.agreement), metrics=["krippendorff_alpha"])
    call("Ratings.consensus", of(ratings.consensus))
    call("Ratings.of", of(ratings.of), raters=["rater 1", "rater 2"])
    call("Ratings.severity", of(ratings.severity))
    call("Scale", of(oe.Scale), labels=LEVELS)
    call("Scale.range", of(oe.Scale.range), first=1, last=4)
    call("Scale.infer", of(_one(oe.Scale.infer)), labels=Y)
    call("Scale.encode", of(oe.Scale(LEVELS).encode), labels=Y)
    call("Scale.decode", of(oe.Scale(LEVELS).decode), positions=[0, 1])
    call("Range", of(oe.Range), low=0.0, high=1.0)
    call("Range.of", of(oe.Range.of), ends=(0, 1))
    call("Range.at", of(oe.Range(0, 1).at), k=3)
    call("Range.show", of(oe.Range(0, 1).show), k=3)
    call("Reference", of(oe.Reference), citation="Somebody 2000, A measure")
    call("Reference.of", of(oe.Reference.of), reference="Somebody 2000, A measure")


def _counted(make: Any) -> Any:
    """A description is read by what is asked of it."""

    @functools.wraps(make)
    def made(*args: Any, **keywords: Any) -> Any:
        found = make(*args, **keywords)
        str(found)
        return found

    return made


def _item_of(held: Any) -> Any:
    return lambda key: held[key]


def _one(function: Any) -> Any:
    return lambda labels: function(labels)


def _accumulated(*models: str) -> oe.Accumulator:
    found = oe.Accumulator(LEVELS, models if len(models) > 1 else None)
    found.update(Y, dict.fromkeys(models, A) if len(models) > 1 else A)
    return found


def _joint(counted: oe.Accumulator) -> Any:
    return lambda a, b: counted.joint_counts(a, b)


def _verbs() -> None:
    both = {"a": A, "b": B}
    call("score", of(oe.score), y_true=Y, y_pred=A, metrics=FEW, n_resamples=20, **OF_VERBS)
    call(
        "score of probabilities",
        of(oe.score),
        y_true=Y,
        y_pred=PROB,
        metrics=None,
        labels=LEVELS,
        outputs="auto",
        decide="mode",
        sample_weight=None,
    )
    call(
        "score of scores",
        of(oe.score),
        y_true=Y,
        y_pred=SCORES,
        metrics=None,
        labels=LEVELS,
        outputs="scores",
    )
    call("compare", of(oe.compare), y_true=Y, models=both, metrics=FEW, n_resamples=20, **OF_VERBS)
    call(
        "compare probabilities",
        of(oe.compare),
        y_true=Y,
        models={"a": PROB, "b": PROB[::-1]},
        metrics=["ranked_probability_score"],
        labels=LEVELS,
    )
    call("thresholds", of(oe.thresholds), y_true=Y, y_pred=A, **OF_VERBS)
    call(
        "calibration",
        of(oe.calibration),
        y_true=Y,
        y_prob=PROB,
        **{**OF_ARRAYS, "by": None, "n_resamples": 10},
    )
    call(
        "decision_curve",
        of(oe.decision_curve),
        y_true=Y,
        y_prob=PROB,
        **{**OF_ARRAYS, "by": None, "probabilities": [0.2, 0.5]},
    )
    call(
        "confidence_interval",
        of(oe.confidence_interval),
        metric="cem_ord",
        y_true=Y,
        y_pred=A,
        **{**OF_VERBS, "n_resamples": 20},
    )
    call(
        "paired_delta",
        of(oe.paired_delta),
        metric="cem_ord",
        y_true=Y,
        pred_a=A,
        pred_b=B,
        **{**OF_VERBS, "n_resamples": 20},
    )
    call("plan", of(oe.plan), metric="accuracy", expected=COUNTS, half_width=0.1, sizes=[100])
    call(
        "plan in words",
        of(oe.plan),
        metric="accuracy",
        accuracy=[0.8, 0.7],
        k=3,
        power=0.8,
        slow=True,
    )
    call(
        "judge",
        of(oe.judge),
        ratings=HUMANS,
        judges={"j": JUDGE},
        labels=LEVELS,
        min_items=2,
        systems=SITES,
        by=SITES,
        clusters=CLUSTERS,
        slow=True,
    )
    human = [*Y, *([None] * 12)]
    call(
        "corrected",
        of(oe.corrected),
        metric="accuracy",
        y_true=human,
        y_pred=A + B,
        proxy=Y + A,
        labels=LEVELS,
        clusters=CLUSTERS + CLUSTERS,
    )
    call(
        "corrected_distribution",
        of(oe.corrected_distribution),
        y_true=human,
        proxy=Y + A,
        labels=LEVELS,
    )
    call("to_label", of(oe.to_label), budget=2, strata=SITES, rng=0)
    cases = {"a": [0.5, 0.6, 0.7, 0.8], "b": [0.4, 0.7, 0.6, 0.6], "c": [0.1, 0.2, 0.3, 0.4]}
    call(
        "compare_cases", of(oe.compare_cases), scores=cases, greater_is_better=True, n_resamples=20
    )
    call(
        "compare_folds",
        of(oe.compare_folds),
        scores=cases,
        greater_is_better=True,
        folds=2,
        rope=0.01,
    )
    call("recommend", of(oe.recommend), counts=COUNTS)
    call("read_answers", of(oe.read_answers), answers=["Score: 1", "Score: 2"], labels=LEVELS)
    call("read_costs", lambda f: (oe.read_costs, {"path": _costs(f)}), labels=LEVELS)
    call("scorer", of(oe.scorer), metric="accuracy", labels=LEVELS)
    call("scorers", of(oe.scorers), metrics=FEW, labels=LEVELS)
    call("a scorer", of(_scored), X=[[0.0]] * 12, y=Y)
    call("holm", of(oe.holm), p_values=[0.01, 0.02])
    call("benjamini_hochberg", of(oe.benjamini_hochberg), p_values=[0.01, 0.02])
    call("explain", of(oe.explain), code="OE101")
    call("get_metric", of(oe.get_metric), name="accuracy")
    call("metrics", of(oe.metrics))
    call("register", of(_register("x")), kernel=lambda n: n[..., 0, 0], **FACTS)
    call("unregister", of(oe.unregister), name="accuracy of nobody")
    call("george_cost", of(oe.george_cost), class_sizes=[5, 6, 7])
    call("proximity", of(oe.proximity), class_sizes=[5, 6, 7])
    call("optimal_path", of(oe.optimal_path), cm=COUNTS)
    call("uoc_curve", of(oe.uoc_curve), cm=COUNTS)


def _scored(X: Any, y: Any) -> Any:
    from sklearn.dummy import DummyClassifier

    return oe.scorer("accuracy", labels=LEVELS)(DummyClassifier().fit([[0.0]] * 12, Y), X, y)


def _costs(folder: Path) -> str:
    path = folder / "costs.csv"
    path.write_text(",1,2,3\n1,0,1,2\n2,1,0,1\n3,2,1,0\n")
    return str(path)


def _measures() -> None:
    for plain in oe.metrics():
        metric = ready(plain, LEVELS)
        own = {name: metric.defaults.get(name) for name in plain.parameters}
        own |= (
            {"at_least": 2} if plain.names_level and plain.required else NEEDED.get(plain.name, {})
        )
        common = {"labels": LEVELS, "undefined": np.nan, **own}
        if plain.needs == "ratings":
            call(plain.name, of(_flat(plain)), ratings=HUMANS, **common)
            continue
        if plain.needs == "probabilities":
            call(
                plain.name, of(_flat(plain)), y_true=Y, y_prob=PROB, sample_weight=WEIGHT, **common
            )
            continue
        if plain.takes_scores:
            call(
                plain.name,
                of(_flat(plain)),
                y_true=Y,
                y_score=SCORES,
                sample_weight=WEIGHT,
                **common,
            )
        else:
            call(plain.name, of(_flat(plain)), y_true=Y, y_pred=A, sample_weight=WEIGHT, **common)
        without_labels = {name: value for name, value in common.items() if name != "labels"}
        call(
            f"{plain.name}.from_confusion",
            of(plain.from_confusion),
            counts=COUNTS,
            **without_labels,
        )
        call(f"{plain.name}.with_params", of(plain.with_params), **own)
    call("utility", of(oe.accuracy.utility), values=[0.1, 0.2])


def _flat(metric: oe.Metric) -> Any:
    """A measure called by the names of its parameters, the data in their order."""

    def called(**given: Any) -> Any:
        data = [given.pop(name) for name in _DATA if name in given]
        return metric(*data, **given)

    return called


_DATA = ("y_true", "y_pred", "y_prob", "y_score", "ratings")


def _results() -> None:
    result = comparison()
    for name in ("to_text", "to_html", "to_docx"):
        call(f"Scores.{name}", of(getattr(oe.score(Y, A, FEW, labels=LEVELS), name)))
    call("Comparison.to_text", of(result.to_text))
    call("Comparison.to_html", of(result.to_html), slow=True)
    call("Comparison.to_docx", of(result.to_docx), slow=True)
    call("Comparison.differences", of(result.differences))
    call("Comparison.table", of(result.table))
    call("Judgement.verdict", of(judgement().verdict), judge="j")
    call("Judgement.to_html", of(judgement().to_html), slow=True)
    cases = oe.compare_cases({"a": [1, 2, 3], "b": [2, 3, 4]}, greater_is_better=True, rope=0.1)
    call("CaseComparison.chances", of(cases.chances), a="a", b="b")
    curve = oe.decision_curve(Y, PROB, labels=LEVELS, probabilities=[0.2, 0.5])
    call("DecisionCurve.worth", of(curve.worth), model="model", at_least=LEVELS[1])
    call("Scores[...]", of(_item_of(oe.score(Y, A, FEW, labels=LEVELS))), key="accuracy")
    call("Thresholds[...]", of(_item_of(oe.thresholds(Y, A, labels=LEVELS))), key=">= 2")


def _cut_points_file(folder: Path) -> Any:
    path = folder / "cuts.json"
    path.write_text(oe.models.optimal_cut_points(Y, SCORES, labels=LEVELS).to_json())
    return oe.models.CutPoints.from_file, {"path": str(path)}


def _modules() -> None:
    m = oe.models
    call("models.decide", of(m.decide), y_prob=PROB, labels=LEVELS)
    call(
        "models.optimal_cut_points",
        of(m.optimal_cut_points),
        y_true=Y,
        y_score=SCORES,
        labels=LEVELS,
        sample_weight=WEIGHT,
    )
    call(
        "models.optimal_cut_points, of probabilities",
        of(m.optimal_cut_points),
        y_true=Y,
        y_score=PROB,
        labels=LEVELS,
        clusters=CLUSTERS,
        folds=3,
        slow=True,
    )
    call("cem_ord.gradient", of(oe.cem_ord.gradient), counts=COUNTS)
    call("CutPoints.from_file", _cut_points_file)
    cuts = m.optimal_cut_points(Y, SCORES, labels=LEVELS)
    call("CutPoints.predict", of(cuts.predict), y_score=SCORES)
    call("CutPoints.classify", of(cuts.classify), y_score=SCORES)
    for kind in (
        m.FrankHallClassifier,
        m.MinimumCostClassifier,
        m.DataReplicationClassifier,
        m.OrdinalCutpointClassifierCV,
    ):
        call(
            f"models.{kind.__name__}",
            of(_fitted(kind)),
            estimator=_estimator(),
            **_own(kind),
            X=[[float(x)] for x in Y * 3],
            y=Y * 3,
            sample_weight=None,
            new=[[1.0]],
            slow=True,
        )
    call(
        "models.run_experiment",
        of(m.run_experiment),
        estimator=_estimator(),
        param_grid={"max_depth": [1]},
        X=[[float(x)] for x in Y * 3],
        y=Y * 3,
        n_repeats=2,
        n_folds=2,
        slow=True,
    )
    call("datasets.make_ordinal", of(oe.datasets.make_ordinal), n_samples=20)
    call("datasets.load_esl", of(oe.datasets.load_esl))
    call("papers.reproduce", of(oe.papers.reproduce), paper="cardoso2011", table=4, slow=True)
    found = oe.papers.reproduce("cardoso2011", table=4)
    call("Reproduction.of", of(found.of), paper="cardoso2011")
    call("Reproduction.counts_of", of(found.counts_of), paper="cardoso2011")
    call("Reproduction.explanations", of(found.explanations), verdict="equal")
    call("report.leaderboard", of(oe.report.leaderboard), comparison=comparison(), slow=True)
    call("report.summarise", of(oe.report.summarise), comparison=comparison(), slow=True)
    call(
        "report.cell_items",
        of(oe.report.cell_items),
        y_true=Y,
        models={"a": A},
        ids=range(12),
        texts=["x"] * 12,
        labels=LEVELS,
        most=2,
        rng=0,
    )
    call("report.explore", of(oe.report.explore), matrices=COUNTS, labels=LEVELS)
    for name in ("to_html", "to_markdown", "to_latex", "to_json", "to_docx"):
        call(f"report.{name}", of(getattr(oe.report, name)), report=report_of(), slow=True)


def _estimator() -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_depth=2, random_state=0)


def _own(kind: Any) -> dict[str, Any]:
    return {k: v for k, v in _defaults(kind).items() if k != "estimator"}


def _fitted(kind: Any) -> Any:
    def made(X: Any, y: Any, sample_weight: Any, new: Any, **own: Any) -> Any:
        return kind(**own).fit(X, y, sample_weight).predict(new)

    return made


def _meta() -> None:
    m = oe.meta
    cases = [x for x in range(4) for _ in range(3)]
    call(
        "SystemOutputs.from_labels",
        of(m.SystemOutputs.from_labels),
        y_true=Y,
        y_pred={"a": A, "b": B},
        cases=cases,
        labels=LEVELS,
    )
    where = {"truth": "y", "pred": ["a", "b"], "case": "c", "labels": LEVELS}
    call(
        "SystemOutputs.from_frame",
        lambda f: (m.SystemOutputs.from_frame, {"frame": frame()}),
        **where,
    )
    call(
        "SystemOutputs.from_file", lambda f: (m.SystemOutputs.from_file, {"path": file(f)}), **where
    )
    few, found = ["accuracy", "mean_absolute_error"], outputs()
    call("SystemOutputs.without", of(lambda system: found.without(system)), system="a")
    for name in ("coverage", "robustness", "rank_agreement", "unanimous_improvement_ratio"):
        call(
            f"meta.{name}",
            of(getattr(m, name)),
            outputs=found,
            **({} if name.startswith("un") else {"metrics": few}),
        )
    call("meta.study", of(m.study), outputs=found, metrics=few)
    call(
        "meta.discriminative_power",
        of(m.discriminative_power),
        outputs=found,
        metrics=few,
        n_resamples=20,
    )
    call(
        "meta.check_properties",
        of(m.check_properties),
        metrics=["accuracy"],
        slow=True,
        properties=["ordinal_monotonicity"],
    )
    report = m.check_properties(["accuracy"], m.PROPERTIES[0].name)
    call("PropertyReport.find", of(report.find), property_name=report.properties[0])
    call("PropertyReport.is_distance", of(m.check_properties(["accuracy"]).is_distance))
    call(
        "meta.degradation_curves",
        of(m.degradation_curves),
        metrics=["accuracy"],
        class_sizes=[5, 5, 5],
        rates=[0.0, 0.5],
    )
    call(
        "meta.degraded_matrices",
        of(m.degraded_matrices),
        class_sizes=[5, 5, 5],
        degradation="noise",
        rates=[0.0, 0.5],
    )
    call(
        "meta.favours_lower_cost",
        of(m.favours_lower_cost),
        metrics=["accuracy"],
        pairs=10,
        items=20,
    )
    call("meta.simulate_matrices", of(m.simulate_matrices), size=3, items=20)
    call(
        "meta.simulate_systems",
        of(m.simulate_systems),
        cases=2,
        items=10,
        k=4,
        centre=1.5,
        rates=[0.1],
    )
    systems = m.simulate_systems(cases=2, items=10, k=4, centre=1.5, rates=[0.1])
    call("SimulatedSystems.outputs", of(systems.outputs))


def _plots() -> None:
    p, c = oe.plots, comparison()
    for name in (
        "IntervalDisplay",
        "DeltaDisplay",
        "ProbabilityBestDisplay",
        "RankDisplay",
        "RankAgreementDisplay",
        "CriticalDifferenceDisplay",
    ):
        kind = getattr(p, name)
        call(f"plots.{name}.from_comparison", of(kind.from_comparison), comparison=c, slow=True)
    call("plots.DeltaDisplay", of(p.DeltaDisplay), comparison=c)
    for name in (
        "ConfusionDisplay",
        "ClassDistributionDisplay",
        "PathDisplay",
        "ThresholdDisplay",
        "SignedErrorDisplay",
        "UOCCurveDisplay",
        "PerformanceGridDisplay",
        "ErrorCostDisplay",
    ):
        kind = getattr(p, name)
        call(
            f"plots.{name}.from_confusion",
            of(kind.from_confusion),
            cm=COUNTS,
            labels=LEVELS,
            slow=True,
        )
        call(
            f"plots.{name}.from_predictions",
            of(kind.from_predictions),
            y_true=Y,
            y_pred=A,
            labels=LEVELS,
            sample_weight=WEIGHT,
            slow=True,
        )
    for name in ("CalibrationDisplay", "RPSDecompositionDisplay", "DecisionCurveDisplay"):
        kind = getattr(p, name)
        call(
            f"plots.{name}.from_predictions",
            of(kind.from_predictions),
            y_true=Y,
            y_prob=PROB,
            labels=LEVELS,
            sample_weight=WEIGHT,
            clusters=CLUSTERS,
            slow=True,
        )
    call(
        "plots.CalibrationDisplay.from_calibration",
        of(p.CalibrationDisplay.from_calibration),
        parts=calibrated(),
        at_least=2,
        slow=True,
    )
    call(
        "plots.RPSDecompositionDisplay.from_calibration",
        of(p.RPSDecompositionDisplay.from_calibration),
        parts=calibrated(),
        slow=True,
    )
    curve = oe.decision_curve(Y, PROB, labels=LEVELS)
    call(
        "plots.DecisionCurveDisplay.from_decision_curve",
        of(p.DecisionCurveDisplay.from_decision_curve),
        curve=curve,
        at_least=2,
        slow=True,
    )
    call(
        "plots.ROCDisplay.from_predictions",
        of(p.ROCDisplay.from_predictions),
        y_true=Y,
        y_score=SCORES,
        labels=LEVELS,
        sample_weight=WEIGHT,
        at_least=2,
        slow=True,
    )
    call(
        "plots.ThresholdDisplay.from_thresholds",
        of(p.ThresholdDisplay.from_thresholds),
        result=oe.thresholds(Y, A),
        slow=True,
    )
    for name in (
        "CeilingDisplay",
        "GradeBiasDisplay",
        "JudgeHumanDisplay",
        "JudgeMatrixDisplay",
        "SeverityDisplay",
    ):
        kind = getattr(p, name)
        call(
            f"plots.{name}.from_judgement",
            of(kind.from_judgement),
            judgement=judgement(),
            slow=True,
        )
    moved = {"length": list(range(len(HUMANS)))}
    call(
        "plots.JudgeEffectsDisplay.from_judgement",
        of(p.JudgeEffectsDisplay.from_judgement),
        judgement=oe.judge(HUMANS, {"m": [h[0] for h in HUMANS]}, labels=LEVELS, covariates=moved),
        slow=True,
    )
    call(
        "plots.SeverityDisplay.from_ratings",
        of(p.SeverityDisplay.from_ratings),
        ratings=oe.Ratings(HUMANS, LEVELS),
        slow=True,
    )
    plan = oe.plan("accuracy", COUNTS, half_width=0.1)
    call("plots.PlanDisplay.from_plan", of(p.PlanDisplay.from_plan), plan=plan, slow=True)
    study = oe.meta.coverage(outputs(), ["accuracy", "mean_absolute_error"])
    call(
        "plots.CoverageDisplay.from_study", of(p.CoverageDisplay.from_study), study=study, slow=True
    )
    call(
        "plots.DegradationDisplay.from_curves",
        of(p.DegradationDisplay.from_curves),
        curves=curves(),
        slow=True,
    )
    cases = oe.compare_cases({"a": [1, 2, 3], "b": [2, 3, 4]}, greater_is_better=True)
    call(
        "plots.CriticalDifferenceDisplay.from_cases",
        of(p.CriticalDifferenceDisplay.from_cases),
        result=cases,
        slow=True,
    )
    call("plots.UOCDistanceDisplay", of(p.UOCDistanceDisplay))
    call("plots.Display.plot", of(p.IntervalDisplay(c).plot), slow=True)


def _integrations() -> None:
    i = oe.integrations
    inspect_log = {
        "status": "success",
        "eval": {"model": "m"},
        "samples": [{"id": 1, "target": "1", "scores": {"s": {"value": 1}}}],
    }
    call(
        "integrations.read_inspect",
        lambda f: (i.read_inspect, {"path": _json(f, "inspect", inspect_log)}),
    )
    prompts = {"results": {"results": [{"vars": {"item": 1}, "provider": "p"}]}}
    call(
        "integrations.read_promptfoo",
        lambda f: (i.read_promptfoo, {"path": _json(f, "prompts", prompts)}),
    )
    call(
        "integrations.inspect_predictions",
        lambda f: (i.inspect_predictions, {"logs": {"m": _json(f, "inspect", inspect_log)}}),
        labels=LEVELS,
    )
    run = {"testCases": [{"name": "c", "metricsData": [{"name": "g", "score": 0.8}]}]}
    call("integrations.read_deepeval", lambda f: (i.read_deepeval, {"path": _json(f, "run", run)}))
    document = {"doc_id": 0, "target": "1", "metrics": ["acc"], "acc": 1.0}
    call(
        "integrations.read_lm_eval",
        lambda f: (i.read_lm_eval, {"path": _json(f, "document", document)}),
        metric="acc",
    )
    call("integrations.ordinal_metric", of(i.ordinal_metric), metric="cem_ord", labels=LEVELS)
    call("integrations.label_scorer", of(i.label_scorer), labels=LEVELS)
    for name in ("LightGBMMetric", "XGBoostMetric", "OrdinalEvaluation"):
        call(f"integrations.{name}", of(getattr(i, name)), metric="accuracy", labels=LEVELS)
    call(
        "integrations.OrdinalMetric",
        of(i.OrdinalMetric),
        metric="accuracy",
        labels=LEVELS,
        num_classes=None,
    )
    call(
        "integrations.LightGBMMetric.value",
        of(i.LightGBMMetric("accuracy", LEVELS).value),
        y_true=[1, 2, 3],
        predicted=[[0.8, 0.1, 0.1]] * 3,
    )
    call("integrations.log_comparison", of(i.log_comparison), comparison=comparison(), slow=True)


def _json(folder: Path, name: str, held: Any) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(held))
    return str(path)


for add in (_nouns, _verbs, _measures, _results, _modules, _meta, _plots, _integrations):
    add()
