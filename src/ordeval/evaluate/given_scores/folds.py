"""Models compared by cross-validation on one data set, all of them on the same folds."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ordeval._shared.arguments import checked_but, is_number, is_whole
from ordeval._shared.text import plural
from ordeval._shared.types import Floats, check_level
from ordeval.evaluate.given_scores.tables import (
    Direction,
    NameOfRow,
    by_model,
    check_finite,
    check_rope,
    numbers,
    settled,
)
from ordeval.exceptions import ParameterError
from ordeval.inference.given_scores.fold_tests import CorrectedT
from ordeval.inference.given_scores.practical_equivalence import UNKNOWN
from ordeval.inference.many_models.multiplicity import holm
from ordeval.measures import Metric
from ordeval.results.folds import FoldComparison, FoldDelta


@checked_but("rope")
def compare_folds(
    scores: Any,
    *,
    metric: str | Metric | None = None,
    greater_is_better: bool | None = None,
    folds: int | None = None,
    repeat: str | None = None,
    fold: str | None = None,
    test_share: float | None = None,
    reference: str | None = None,
    rope: float | None = None,
    level: float = 0.95,
) -> FoldComparison:
    """Compare models by cross-validation on one data set, all scored on the same folds.

    Training sets overlap, so scores of folds are not independent. Differences are tested by the t
    test corrected for this (Nadeau & Bengio 2003); the plain one finds far too many.

    Parameters
    ----------
    scores
        The scores of each model by its name, in the same folds: one row per repeat and one column
        per fold, or a flat list as scikit-learn gives it. Or a DataFrame with one column per model
        and one row per fold.
    metric
        The measure of the scores: its direction is used and its range is checked.
    greater_is_better
        Without ``metric``: whether greater scores are better, which is the default.
    folds
        For flat scores: the number of folds of each repeat. Repeats follow each other.
    repeat, fold
        For a DataFrame: the columns with the repeat and the fold of each row.
    test_share
        The share of the items in each test set; by default one fold. Flat scores of random splits
        need it, and no ``folds``.
    reference
        Name of the model that all others are compared with; by default all pairs are.
    rope
        The largest difference of scores that does not matter in practice (region of practical
        equivalence). If given, the Bayesian correlated t test (Corani & Benavoli 2015) gives the
        probability that one model of a pair is better, worse or practically equivalent; with 0,
        every difference matters.
    level
        Confidence level of the intervals, and one minus the level of the tests.

    Returns
    -------
    results.FoldComparison
        Means, and a difference with interval and p-value for each pair of models.

    Raises
    ------
    ParameterError
        If the scores are not numbers in the same folds for each of two or more models, a score is
        outside the range of ``metric``, or an option is outside its domain.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> scores = {"a": [[0.71, 0.69, 0.74], [0.70, 0.73, 0.72]],
    ...           "b": [[0.66, 0.65, 0.71], [0.68, 0.67, 0.69]]}
    >>> print(compare_folds(scores, metric="cem_ord").pairs[0])
    a - b = +0.038 [+0.007, +0.069], p = 0.0243
    """
    direction = Direction.of(metric, greater_is_better)
    check_level(level)
    rope = check_rope(rope)
    given = _read(scores, _Layout(folds, repeat, fold, test_share))
    check_finite(given.names, given.values, given.place, "fold")
    direction.check(given.names, given.values, given.place)
    size = float(np.abs(given.values).max())
    compared = direction.compared(given.values)
    means = settled(compared.mean(axis=0), size)
    order = np.argsort(-direction.sign * means, kind="stable").tolist()
    models = tuple(given.names[i] for i in order)
    share = 1 / given.shape[-1] if test_share is None else float(test_share)
    place = {m: i for i, m in enumerate(given.names)}
    tests = {
        (a, b): CorrectedT.of(settled(compared[:, place[a]] - compared[:, place[b]], size), share)
        for a, b in _pairs(models, reference)
    }
    mean_of = {m: float(means[place[m]]) for m in models}
    return FoldComparison(
        models=models,
        means=mean_of,
        scores={m: given.values[:, place[m]].reshape(given.shape) for m in models},
        pairs=_deltas(tests, mean_of, sign=direction.sign, rope=rope, level=level),
        metric=direction.metric.name if direction.metric is not None else None,
        greater_is_better=direction.greater_is_better,
        reference=reference,
        test_share=share,
        level=level,
        rope=rope,
    )


def _pairs(models: tuple[str, ...], reference: str | None) -> list[tuple[str, str]]:
    """All pairs, the better model first; or each model with the reference."""
    if reference is None:
        return list(itertools.combinations(models, 2))
    if reference not in models:
        raise ParameterError(
            f"reference must name one of the models, {', '.join(models)}; got {reference!r}."
        )
    return [(m, reference) for m in models if m != reference]


def _deltas(
    tests: Mapping[tuple[str, str], CorrectedT],
    means: Mapping[str, float],
    *,
    sign: int,
    rope: float | None,
    level: float,
) -> tuple[FoldDelta, ...]:
    """What was found of each pair, with p-values corrected over all of them."""
    found = []
    for ((a, b), t), p_holm in zip(
        tests.items(), holm([t.p_value for t in tests.values()]).tolist(), strict=True
    ):
        low, high = t.interval(level)
        worse, equivalent, better = UNKNOWN if rope is None else t.chances(rope, sign)
        ahead = sign * (means[a] - means[b])
        delta = FoldDelta(
            a=a,
            b=b,
            mean_a=means[a],
            mean_b=means[b],
            delta=t.mean,
            low=low,
            high=high,
            p_value=t.p_value,
            p_holm=p_holm,
            favours=None if not p_holm <= 1 - level else a if ahead > 0 else b,
            probability_worse=worse,
            probability_equivalent=equivalent,
            probability_better=better,
        )
        found.append(delta)
    return tuple(found)


class _Layout(NamedTuple):
    """How the user says which repeat and fold a score is of."""

    folds: int | None
    repeat: str | None
    fold: str | None
    test_share: float | None


class _Given(NamedTuple):
    """The scores of all models, one row per fold."""

    names: list[str]
    values: Floats  # (n, M)
    shape: tuple[int, ...]  # (repeats, folds), or (splits,)
    place: NameOfRow


def _read(scores: Any, layout: _Layout) -> _Given:
    _check_layout(layout)
    columns = by_model(scores)
    labels = {name: _labels(columns, name) for name in (layout.repeat, layout.fold) if name}
    names = list(columns)
    if len(names) < 2:
        raise ParameterError(f"compare_folds needs at least 2 models; got {len(names)}.")
    expected = "one per fold, in rows of repeats or in a flat list"
    read = {name: numbers(name, x, expected) for name, x in columns.items()}
    shapes = {name: x.shape for name, x in read.items()}
    if len(set(shapes.values())) > 1:
        shown = ", ".join(f"{shape} of {name}" for name, shape in shapes.items())
        raise ParameterError(
            f"every model needs a score in each fold; got arrays of different shapes: {shown}."
        )
    values = np.column_stack([x.ravel() for x in read.values()])
    if len(values) < 3:
        raise ParameterError(
            f"compare_folds needs at least 3 scores of each model; got {len(values)}."
        )
    (shape,) = set(shapes.values())
    if labels:
        if any(shape != (len(x),) for x in labels.values()):
            raise ParameterError(
                f"repeat= and fold= name columns with one entry for each score; got scores of "
                f"shape {shape}."
            )
        return _labelled(names, values, labels, layout)
    shape = _shape(shape, layout)
    return _Given(names, values, shape, lambda row: _numbered(row, shape))


def _check_layout(layout: _Layout) -> None:
    folds: Any = layout.folds
    share: Any = layout.test_share
    if folds is not None and (not is_whole(folds) or folds < 2):
        raise ParameterError(f"folds must be an integer >= 2; got {folds!r}.")
    if share is not None and (not is_number(share) or not 0 < float(share) < 1):
        raise ParameterError(
            f"test_share must be the share of the items that a model is tested on each time, "
            f"between 0 and 1; got {share!r}."
        )


def _shape(shape: tuple[int, ...], layout: _Layout) -> tuple[int, ...]:
    """Repeats and folds of scores without labels; of random splits only their number."""
    if len(shape) == 2:
        design = f"{plural(shape[0], 'repeat')} of {plural(shape[1], 'fold')}"
        if shape[1] < 2:
            raise ParameterError(
                f"a repeat needs at least 2 folds; got {design}. A row holds the folds of a repeat."
            )
        if layout.folds not in (None, shape[1]):
            raise ParameterError(
                f"the scores are {design}, but folds={layout.folds} says otherwise; remove it."
            )
        return shape
    if len(shape) != 1:
        raise ParameterError(
            f"the scores of a model must be a flat list or rows of repeats; got an array of shape "
            f"{shape}."
        )
    if layout.folds is None:
        if layout.test_share is not None:
            return shape
        raise ParameterError(
            f"each model has a flat list of {shape[0]:,} scores, which does not say how many folds "
            f"a repeat has: pass folds=, for example folds=10 for ten-fold cross-validation, "
            f"repeated or not; or test_share= for random splits."
        )
    if shape[0] % layout.folds:
        raise ParameterError(
            f"{shape[0]:,} scores of each model are not whole repeats of {layout.folds:,} folds."
        )
    return shape[0] // layout.folds, layout.folds


def _numbered(row: int, shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"split {row + 1}"
    repeat, fold = divmod(row, shape[1])
    return f"fold {fold + 1}" if shape[0] == 1 else f"repeat {repeat + 1}, fold {fold + 1}"


def _labels(columns: dict[str, Any], name: str) -> list[Any]:
    """The column that says which repeat or fold a row is of, taken away from the models."""
    if name not in columns:
        raise ParameterError(f"scores has no column {name!r}; its columns: {', '.join(columns)}.")
    labels: list[Any] = np.asarray(columns.pop(name)).tolist()
    return labels


def _labelled(
    names: list[str], values: Floats, labels: Mapping[str, list[Any]], layout: _Layout
) -> _Given:
    """Rows in the order of their repeats, which must have the same number of folds each."""
    n = len(values)
    repeats = labels[layout.repeat] if layout.repeat else [1] * n
    folds = labels[layout.fold] if layout.fold else range(n)
    (rows, most), *_ = Counter(zip(repeats, folds, strict=True)).most_common(1)
    where = f" in repeat {rows[0]}" if layout.repeat else ""
    if most > 1:
        hint = "" if layout.repeat else " If there are repeats, name their column: repeat=."
        raise ParameterError(
            f"every fold of a repeat needs one row; fold {rows[1]} has {most:,}{where}.{hint}"
        )
    sizes = Counter(repeats)
    if len(set(sizes.values())) > 1:
        (most_of, most), *_, (least_of, least) = sizes.most_common()
        raise ParameterError(
            f"every repeat needs the same number of folds; repeat {most_of} has {most:,} and "
            f"repeat {least_of} has {least:,}."
        )
    turn = {label: i for i, label in enumerate(sizes)}
    order = np.argsort([turn[label] for label in repeats], kind="stable")
    shape = _shape((len(sizes), n // len(sizes)), layout)
    return _Given(names, values[order], shape, lambda row: _numbered(row, shape))
