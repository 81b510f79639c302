"""The experiment of Cardoso & Sousa 2011 (Algorithm 1): select by a measure, test, repeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.model_selection import (  # type: ignore[import-untyped]
    GridSearchCV,
    KFold,
    ShuffleSplit,
)
from sklearn.utils import _safe_indexing, indexable  # type: ignore[import-untyped]
from sklearn.utils.parallel import Parallel, delayed  # type: ignore[import-untyped]

from ordeval.data.columns import as_column
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Scale
from ordeval.evaluate.scorers import scorer
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric, get_metric
from ordeval.models._base import scale_of

Progress = Callable[[str, int, int], None]  # stage, steps done, steps in all


@dataclass(frozen=True, eq=False)
class ExperimentResult:
    """What the repetitions of the experiment gave."""

    metric: Metric  # the measure of the test items
    values: NDArray[np.float64]  # one a repetition
    confusion: ConfusionMatrix  # a stack, one matrix a repetition
    best_params: tuple[dict[str, Any], ...]  # what each repetition selected

    @property
    def mean(self) -> float:
        """The mean over repetitions; NaN if one is undefined."""
        return float(self.values.mean())

    @property
    def std(self) -> float:
        """The standard deviation over repetitions.

        The splits share items: divided by the root of their number it is no standard error.
        """
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else float("nan")

    def __repr__(self) -> str:
        return (
            f"<{self.metric.name} {self.mean:.3f} (std {self.std:.3f}) over "
            f"{len(self.values)} repetitions>"
        )


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
    rng: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> ExperimentResult:
    """Algorithm 1 of Cardoso & Sousa 2011, repeated on fresh splits.

    A repetition draws ``train_size`` of the items, divides them into folds, selects from
    ``param_grid`` the parameters with the best mean over the folds, fits them on all training items
    and scores the rest. As in the paper neither split is stratified, so a part may lack a class.

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
        Called as ``progress("repetitions", done, n_repeats)`` after each of them.

    Returns
    -------
    ExperimentResult

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
    if measure.needs != "labels":
        raise ParameterError(
            f"{measure.name} needs predicted probabilities; the experiment scores labels."
        )
    if n_repeats < 1:
        raise ParameterError(f"n_repeats must be an integer >= 1; got {n_repeats!r}.")
    X, y = indexable(X, y)  # noqa: N806
    scale = scale_of(as_column(y, "y"), labels)
    selector = scorer(metric if select_by is None else select_by, labels=scale)
    seeds = np.random.default_rng(rng).integers(2**31, size=n_repeats)
    runs = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_repetition)(
            clone(estimator), param_grid, X, y, scale, selector, train_size, n_folds, int(seed)
        )
        for seed in seeds
    )
    matrices, chosen = [], []
    for done, (matrix, params) in enumerate(runs, start=1):
        matrices.append(matrix)
        chosen.append(params)
        if progress is not None:
            progress("repetitions", done, n_repeats)
    confusion = ConfusionMatrix(np.stack(matrices), labels=scale)
    values = np.asarray(measure.from_confusion(confusion), dtype=np.float64)
    return ExperimentResult(measure, values, confusion, tuple(chosen))


def _repetition(
    estimator: Any,
    param_grid: Any,
    x: Any,
    y: Any,
    scale: Scale,
    selector: Any,
    train_size: float,
    n_folds: int,
    seed: int,
) -> tuple[NDArray[Any], dict[str, Any]]:
    """One run of Algorithm 1: the confusion matrix of the test items and what was selected."""
    split = ShuffleSplit(1, train_size=train_size, random_state=seed)
    ((train, test),) = split.split(x, y)
    folds = KFold(n_folds, shuffle=True, random_state=seed)
    search = GridSearchCV(estimator, param_grid, scoring=selector, cv=folds)
    search.fit(_safe_indexing(x, train), _safe_indexing(y, train))
    predicted = search.predict(_safe_indexing(x, test))
    matrix = ConfusionMatrix.from_labels(_safe_indexing(y, test), predicted, scale)
    return matrix.counts, search.best_params_
