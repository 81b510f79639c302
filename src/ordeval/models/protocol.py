"""The experiment of Cardoso & Sousa 2011 (Algorithm 1): select by a measure, test, repeat."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.model_selection import (  # type: ignore[import-untyped]
    GridSearchCV,
    KFold,
    ParameterGrid,
    ShuffleSplit,
)
from sklearn.utils import _safe_indexing, indexable  # type: ignore[import-untyped]
from sklearn.utils.parallel import Parallel, delayed  # type: ignore[import-untyped]

from ordeval._shared.arguments import check_amount, checked
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import number
from ordeval._shared.types import Floats, Progress, Rng, as_rng, watched
from ordeval.data.columns import as_column
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Scale, resolve_scale
from ordeval.evaluate.scorers import scorer
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric, get_metric
from ordeval.measures.registry import refuse_other_needs
from ordeval.models._base import check_estimator, check_jobs, read_by_sklearn


@dataclass(frozen=True, eq=False, repr=False)
class ExperimentResult(Result):
    """The repetitions of the experiment; prints the selected parameters, most frequent first."""

    _kind = "ordeval.experiment"

    metric: Metric  # the measure of the test items
    values: Floats  # one for each repetition
    confusion: ConfusionMatrix  # a stack with one matrix per repetition
    best_params: tuple[dict[str, Any], ...]  # selected in each repetition

    @property
    def mean(self) -> float:
        """Return the mean over repetitions; NaN if one is undefined."""
        return float(self.values.mean())

    @property
    def std(self) -> float:
        """Return the standard deviation over repetitions.

        The splits share items, so this divided by the root of their number is not a standard
        error.
        """
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else float("nan")

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per repetition: its value and the selected parameters."""
        found = zip(self.values.tolist(), self.best_params, strict=True)
        return [
            {"metric": self.metric.name, "repetition": i, "value": value, "selected": params}
            for i, (value, params) in enumerate(found, start=1)
        ]

    def table(self) -> Table:
        """Return one row per selection of parameters, most frequent first."""
        chosen: dict[str, list[float]] = {}
        for row in self.rows():
            shown = ", ".join(f"{name}={x}" for name, x in row["selected"].items()) or "as given"
            chosen.setdefault(shown, []).append(row["value"])
        rows = tuple(
            tuple(map(Cell, (shown, f"{len(values)}", number(float(np.mean(values))))))
            for shown, values in sorted(chosen.items(), key=lambda item: -len(item[1]))
        )
        spread = f"{number(self.mean)} (std {number(self.std)})"
        caption = f"{self.metric.name} {spread} over {len(self.values)} repetitions"
        return Table(("selected", "repetitions", "mean"), rows, caption)


@checked
def run_experiment(
    estimator: Any,
    param_grid: Any,
    X: Any,  # noqa: N803
    y: Any,
    *,
    metric: str | Metric = "oc_index",
    select_by: str | Metric | None = None,
    labels: Any = None,
    train_size: float = 0.4,
    n_folds: int = 5,
    n_repeats: int = 50,
    rng: Rng = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ExperimentResult:
    """Run Algorithm 1 of Cardoso & Sousa 2011, repeated on fresh splits.

    Each repetition draws ``train_size`` of the items, divides them into folds, selects from
    ``param_grid`` the parameters with the best mean over the folds, fits them on all training
    items and scores the rest. As in the paper, neither split is stratified, so a part may lack a
    class.

    Parameters
    ----------
    estimator
        Any classifier; those of ``ordeval.models`` keep the order of the classes.
    param_grid
        The parameterizations, as ``GridSearchCV`` takes them. Of equally good ones the first wins.
    X, y
        Features and ordered labels.
    metric
        The measure of the test items (line 16 of the algorithm), or its name; use
        ``Metric.with_params`` for other parameters.
    select_by
        The measure that selects (line 7); by default ``metric``.
    labels
        The ordered labels, lowest first, or a Scale. May be left out for integers, which imply
        their order, and for ordered categoricals, which carry it.
    train_size
        The share of items to train on.
    n_folds
        Folds within the training items.
    n_repeats
        Repetitions.
    rng
        A seed or a NumPy Generator. The same seed gives the same splits to every estimator, so that
        their values can be compared pair by pair.
    n_jobs
        Repetitions that run at the same time, as in joblib.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    ExperimentResult
        The value of each repetition, and the parameters that were selected.

    Raises
    ------
    LabelError
        If labels do not fit the scale.
    ParameterError
        If an option is outside its domain.
    ScaleError
        If the order of the labels is missing.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> from ordeval.datasets import make_ordinal
    >>> from ordeval.models import FrankHallClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> data = make_ordinal(rng=0)
    >>> model = FrankHallClassifier(DecisionTreeClassifier(random_state=0))
    >>> grid = {"estimator__max_depth": [2, 6]}
    >>> run_experiment(model, grid, data.data, data.target, n_repeats=3, rng=0).values.shape
    (3,)
    """
    measure = get_metric(metric)
    refuse_other_needs(measure)
    check_amount("n_repeats", n_repeats)
    check_amount("n_folds", n_folds, 2)
    if not 0 < train_size < 1:
        raise ParameterError(f"train_size must lie between 0 and 1; got {train_size!r}.")
    check_estimator(estimator)
    check_jobs(n_jobs)
    with read_by_sklearn("param_grid"):
        parameters = ParameterGrid(param_grid)
    if not len(parameters):
        raise ParameterError("param_grid is empty; give at least one setting.")
    with read_by_sklearn("X"):
        X, y = indexable(X, y)  # noqa: N806
    scale = resolve_scale([as_column(y, "y")], labels)[0]
    scale.encode(y, name="y")  # estimators would say less about labels outside the scale
    selector = scorer(metric if select_by is None else select_by, labels=scale)
    seeds = as_rng(rng).integers(2**31, size=n_repeats).tolist()
    runs = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_repetition)(
            GridSearchCV(
                clone(estimator),
                param_grid,
                scoring=selector,
                cv=KFold(n_folds, shuffle=True, random_state=seed),
            ),
            ShuffleSplit(1, train_size=train_size, random_state=seed),
            X,
            y,
            scale,
        )
        for seed in seeds
    )
    done = [next(runs) for _ in watched("repetitions", seeds, progress)]
    confusion = ConfusionMatrix(np.stack([counts for counts, _ in done]), labels=scale)
    values = np.asarray(measure.from_confusion(confusion), dtype=np.float64)
    return ExperimentResult(measure, values, confusion, tuple(params for _, params in done))


def _repetition(
    search: Any, split: Any, x: Any, y: Any, scale: Scale
) -> tuple[NDArray[Any], dict[str, Any]]:
    """Run Algorithm 1 once; return the confusion matrix of the test items and the selection."""
    ((train, test),) = split.split(x, y)
    search.fit(_safe_indexing(x, train), _safe_indexing(y, train))
    y_true, y_pred = _safe_indexing(y, test), search.predict(_safe_indexing(x, test))
    return ConfusionMatrix.from_labels(y_true, y_pred, scale).counts, search.best_params_
