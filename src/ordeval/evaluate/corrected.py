"""Shortcuts to partial truth: one measure, or the distribution of the labels themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.types import Floats, Policy
from ordeval.data.level_names import level_numbers
from ordeval.data.predictions import Predictions
from ordeval.data.scale import Scale
from ordeval.evaluate._observed import observed_of
from ordeval.evaluate._scoring import ScoreSettings, score_items
from ordeval.evaluate.score import score
from ordeval.inference.intervals import Estimation
from ordeval.measures import Metric, Range, Reference
from ordeval.results.scores import Scores

_OF_MODELS: Final = ("OE104", "OE203")  # advice on predictions


@checked
def corrected(
    metric: str | Metric,
    y_true: Any,
    y_pred: Any,
    *,
    proxy: Any,
    labels: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Scores:
    """Estimate a measure from few human labels and many labels of a proxy, such as an LLM judge.

    A shortcut to ``score(Predictions(y_true, y_pred, proxy=...), [metric])``, which also takes
    several models, several proxies and items that were chosen with unequal probabilities.

    Parameters
    ----------
    metric
        A measure or its name. The largest or smallest of the classes' values, and measures that
        small samples bias upward, raise an error.
    y_true
        The human labels; None or NaN for items that no human labelled.
    y_pred, proxy
        The predicted label and the proxy's label of every item.
    labels, clusters, unknown, missing
        As for ``Predictions``; ``missing`` is about y_pred and proxy.
    level
        Nominal coverage.

    Returns
    -------
    results.Scores
        The corrected value with its interval; ``human`` has that of the human labels alone, and
        ``gains`` by what share the proxy makes the interval shorter.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or no item has a human label.
    ParameterError
        If the measure cannot be corrected, or an option is outside its domain.
    ScaleError
        If the order of the labels is missing.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> human = [1, 2, 3, 1, 2, 3, 2, 2] * 5 + [None] * 160
    >>> model, judge = [1, 2, 3, 1, 2, 2, 3, 2] * 25, [1, 2, 3, 1, 2, 3, 3, 2] * 25
    >>> found = corrected("accuracy", human, model, proxy=judge, labels=[1, 2, 3])
    >>> print(found.intervals["accuracy"])
    0.750 [0.614, 0.848] (95%)
    >>> print(found.human["accuracy"])
    0.750 [0.583, 0.858] (95%)
    """
    data = Predictions(
        y_true,
        y_pred,
        labels=labels,
        clusters=clusters,
        proxy=proxy,
        unknown=unknown,
        missing=missing,
    )
    found = score(data, [metric], level=level)
    assert isinstance(found, Scores)
    return found


@checked
def corrected_distribution(
    y_true: Any,
    proxy: Any,
    labels: Any = None,
    *,
    clusters: Any = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Scores:
    """Estimate the mean and the share of each level from few human labels and many of a proxy.

    Prediction-powered inference with a tuned weight (Angelopoulos, Duchi & Zrnic 2023). The mean is
    of the levels themselves if they are increasing numbers, else of their positions from 0.

    Parameters
    ----------
    y_true
        The human labels; None or NaN for items without a human label; the others must be a random
        subset.
    proxy
        The proxy's label of every item.
    labels, clusters, level, unknown, missing
        As for ``corrected``.

    Returns
    -------
    results.Scores
        Values named ``"mean"``, ``"share of 1"`` and so on.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or no item has a human label.
    ParameterError
        If an option is outside its domain.
    ScaleError
        If the order of the labels is missing.

    Examples
    --------
    >>> human, judge = [1, 2, 3, 2] * 10 + [None] * 160, [1, 2, 3, 3] * 50
    >>> shares = corrected_distribution(human, judge, labels=[1, 2, 3])
    >>> list(shares), shares["mean"]
    (['mean', 'share of 1', 'share of 2', 'share of 3'], 2.0)
    """
    data = Predictions(
        y_true,
        {"proxy": proxy},
        labels=labels,
        clusters=clusters,
        proxy=proxy,
        unknown=unknown,
        missing=missing,
    )
    return distribution(data, level)


def distribution(data: Predictions, level: float) -> Scores:
    """The mean and the shares of the levels, whatever the predictions of the one model are."""
    items, clusters = data._data.items(None)
    # Predictions of the lowest level leave all other cells to what is not known of the labels.
    items = replace(items, y_pred={m: np.zeros_like(x) for m, x in items.y_pred.items()})
    numbers, own = level_numbers(items.scale)
    shares = dict(zip(_share_names(items.scale), np.eye(items.scale.k), strict=True))
    metrics = [_mean_of("mean", numbers), *(_mean_of(n, x, share=True) for n, x in shares.items())]
    settings = ScoreSettings.of(metrics, Estimation(level=level), None)
    found = score_items(items, observed_of(items, clusters), settings, "mode")
    what = "levels themselves" if own else "positions of the levels, 0 for the lowest"
    note = f"{found.basis.note} The mean is of the {what}.".strip()
    advice = tuple(a for a in found.advice if a.code not in _OF_MODELS)
    told = replace(found, given=replace(found.basis, note=note), advice=advice)
    return _if_all_alike(told, numbers)


def _if_all_alike(found: Scores, numbers: Floats) -> Scores:
    """Human labels that are all alike do not settle the mean: others may go unseen."""
    alike = [m.name for m in found.metrics[1:] if found[m.name] == 1]
    if not alike:
        return found
    unseen, mean = 1 - found.intervals[alike[0]].low, found.intervals["mean"]
    low, high = (found["mean"] + unseen * (end - found["mean"]) for end in numbers[[0, -1]])
    held = replace(mean, low=float(low), high=float(high))
    human = {**found.human, "mean": held} if found.human else found.human
    return replace(found, intervals={**found.intervals, "mean": held}, human=human)


def _mean_of(name: str, numbers: Floats, *, share: bool = False) -> Metric:
    """The mean of numbers that the levels of the truth stand for, as a measure.

    Only the first column is of items. The others hold what is not known: labels at both ends.
    """
    k = len(numbers)
    ends = np.where(np.arange(k) % 2, numbers.max(), numbers.min())
    each = np.where(np.arange(k) > 0, ends, numbers[:, None])

    def kernel(n: Any) -> Any:
        """The mean over the items."""
        return (n * each).sum(axis=(-2, -1)) / n.sum(axis=(-2, -1))

    def cells(k: int, **_: Any) -> Any:
        """All items, and those with the level."""
        return np.ones((k, k), dtype=bool), each == 1

    return Metric(
        name=name,
        kernel=kernel,
        symbol=name,
        family="distance",
        best=np.nan,
        range=Range(float(numbers.min()), float(numbers.max())),
        greater_is_better=None,
        symmetric=False,
        reversal_invariant=False,
        depends_on_empty_levels=False,
        undefined_when="there are no items",
        reference=Reference.of("a mean"),
        share=cells if share else None,
    )


def _share_names(scale: Scale) -> list[str]:
    """What the shares of levels are called; 1 and "1" get different names."""
    names = [f"share of {level}" for level in scale]
    return names if len(set(names)) == len(names) else [f"share of {x!r}" for x in scale]
