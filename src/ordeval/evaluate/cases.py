"""Models compared across many test cases or data sets, one score for each (Demšar 2006)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.text import plural
from ordeval._shared.types import Floats, check_choice, check_level
from ordeval.exceptions import ParameterError
from ordeval.inference.multiplicity import holm
from ordeval.inference.ranking import cliques
from ordeval.measures import Metric, get_metric
from ordeval.results.cases import CaseComparison


def compare_cases(
    scores: Any, *,
    metric: str | Metric | None = None, greater_is_better: bool = True,
    method: Literal["nemenyi", "wilcoxon"] = "nemenyi", level: float = 0.95,
) -> CaseComparison:  # fmt: skip
    """Compare models by their scores on many test cases or data sets.

    Parameters
    ----------
    scores
        The scores of each model by its name, one per case; or a DataFrame with one column per
        model.
    metric
        The measure that the scores are of, for its direction; else ``greater_is_better`` says it.
    method
        After the Friedman test: ``"nemenyi"`` separates mean ranks farther apart than the critical
        difference; ``"wilcoxon"`` tests each pair by signed ranks, corrected by Holm.
    level
        One minus the level of the tests.

    Examples
    --------
    >>> scores = {"a": [9, 8, 9, 7, 9, 8], "b": [8, 9, 7, 6, 8, 7], "c": [5, 6, 4, 5, 6, 5]}
    >>> compare_cases(scores)
    model  mean rank  not separated
    a          1.17*             a
    b          1.83            a b
    c          3.00              b
    Over 6 cases the models differ (Friedman test, p = 0.0057); a has the best mean rank, 1.17. ...
    """
    names, values = _read(scores)
    check_level(level)
    check_choice("method", method, ("nemenyi", "wilcoxon"))
    if metric is not None:
        values = np.asarray(get_metric(metric).utility(values), dtype=np.float64)
    elif not greater_is_better:
        values = -values
    stats = import_extra("scipy.stats", extra="stats", purpose="compare_cases")
    ranks = stats.rankdata(-values, axis=1)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    means, values = ranks.mean(axis=0)[order], values[:, order]
    statistic, p_value = 0.0, 1.0
    if (ranks != ranks[:, :1]).any():
        statistic, p_value = stats.friedmanchisquare(*values.T)
    n = len(values)
    if method == "nemenyi":
        pairs, difference = _nemenyi(stats, means, n, level)
    else:
        pairs, difference = _wilcoxon(stats, values), math.nan
    models = tuple(names[i] for i in order)
    joined = pairs > 1 - level
    return CaseComparison(
        models=models, mean_ranks=means, cases=n, statistic=float(statistic),
        p_value=float(p_value), method=method, level=level, critical_difference=difference,
        pair_p_values=pairs, cliques=tuple(tuple(models[i] for i in c) for c in cliques(joined)),
    )  # fmt: skip


def _read(scores: Any) -> tuple[list[str], Floats]:
    if not isinstance(scores, Mapping):
        if not hasattr(scores, "columns"):
            raise ParameterError(
                f"scores must map the name of each model to its scores, or be a DataFrame with "
                f"one column per model; got an object of type {type(scores).__name__}."
            )
        scores = {c: scores[c] for c in scores.columns}
    columns = scores
    names = [str(n) for n in columns]
    try:
        values = np.column_stack([np.asarray(x, dtype=np.float64) for x in columns.values()])
    except ValueError:
        raise ParameterError("scores must be numbers, one per case for each model.") from None
    if values.shape[1] < 3 or values.shape[0] < 3:
        raise ParameterError(
            f"compare_cases needs at least 3 models and 3 cases; got "
            f"{plural(values.shape[1], 'model')} and {plural(values.shape[0], 'case')}."
        )
    missing = int(np.isnan(values).sum())
    if missing:
        raise ParameterError(
            f"scores must not be missing; {missing} of them are NaN. Drop those cases, or give an "
            f"undefined score a value."
        )
    return names, values


def _nemenyi(stats: Any, means: Floats, n: int, level: float) -> tuple[Floats, float]:
    """P-values of the studentised range of mean ranks, and the critical difference."""
    m = len(means)
    error = math.sqrt(m * (m + 1) / (6 * n))
    gap = np.abs(means[:, None] - means[None, :]) / error
    p: Floats = np.asarray(stats.studentized_range.sf(gap * math.sqrt(2), m, np.inf))
    np.fill_diagonal(p, 1.0)
    quantile = float(stats.studentized_range.ppf(level, m, np.inf))
    return p, quantile / math.sqrt(2) * error


def _wilcoxon(stats: Any, values: Floats) -> Floats:
    m = values.shape[1]
    pairs = list(itertools.combinations(range(m), 2))
    raw = [
        stats.wilcoxon(values[:, i], values[:, j]).pvalue
        if (values[:, i] != values[:, j]).any()
        else 1.0
        for i, j in pairs
    ]
    p = np.ones((m, m))
    for (i, j), corrected in zip(pairs, holm(raw), strict=True):
        p[i, j] = p[j, i] = corrected
    return p
