"""Models compared across many test cases or data sets, one score for each (Demšar 2006)."""

from __future__ import annotations

import itertools
import math
from typing import Any, Literal

import numpy as np

from ordeval._shared.arguments import checked_but
from ordeval._shared.text import plural
from ordeval._shared.types import (
    Floats,
    Integers,
    Rng,
    as_rng,
    check_choice,
    check_draws,
    check_level,
)
from ordeval.evaluate.given_scores.tables import (
    Direction,
    by_model,
    check_finite,
    check_rope,
    numbers,
    settled,
)
from ordeval.exceptions import ParameterError
from ordeval.inference.given_scores.practical_equivalence import signed_rank_chances
from ordeval.inference.given_scores.rank_tests import friedman, signed_rank, signed_ranks
from ordeval.inference.many_models.multiplicity import holm
from ordeval.inference.many_models.ranking import cliques
from ordeval.measures import Metric
from ordeval.results.cases import CaseComparison


@checked_but("rope")
def compare_cases(
    scores: Any,
    *,
    metric: str | Metric | None = None,
    greater_is_better: bool | None = None,
    method: Literal["nemenyi", "wilcoxon"] = "nemenyi",
    rope: float | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
) -> CaseComparison:
    """Compare models by their scores on many test cases or data sets.

    The cases must be independent of each other; folds of one data set are not, and
    ``compare_folds`` is for them. Two models are tested by Wilcoxon's signed ranks, three or more
    by Friedman's test. The p-value is exact if that is fast, otherwise by random permutations
    within cases; for Friedman's test over more than 30 cases, it is by Iman & Davenport's F.

    Parameters
    ----------
    scores
        The scores of each model by its name, one per case; or a DataFrame with one column per
        model.
    metric
        The measure of the scores: its direction is used and its range is checked.
    greater_is_better
        Without ``metric``: whether greater scores are better, which is the default.
    method
        After the Friedman test: ``"nemenyi"`` separates mean ranks farther apart than the critical
        difference; ``"wilcoxon"`` tests each pair by signed ranks, corrected by Holm.
    rope
        The largest difference of scores that does not matter in practice (region of practical
        equivalence). If given, the Bayesian signed-rank test (Benavoli et al. 2014, 2017) gives the
        probability that one model of a pair is better, worse or practically equivalent; with 0,
        every difference matters.
    level
        One minus the level of the tests.
    n_resamples
        Random permutations, and draws of the Bayesian test.
    rng
        Seed or generator.

    Returns
    -------
    results.CaseComparison
        Mean ranks, the test of all models, the pairs and a conclusion in words.

    Raises
    ------
    ParameterError
        If the scores are not numbers in the same three or more cases for each of two or more
        models, a score is outside the range of ``metric``, or an option is outside its domain.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> scores = {"a": [9, 8, 9, 7, 9, 8], "b": [8, 9, 7, 6, 8, 7], "c": [5, 6, 4, 5, 6, 5]}
    >>> compare_cases(scores)
    model  mean rank  not separated
    a          1.17*              a
    b          1.83             a b
    c          3.00               b
    The models differ significantly (6 cases, Friedman test, p = 0.0017, exact). a
    has the best mean rank, 1.17. It does not differ significantly from b.
    """
    direction = Direction.of(metric, greater_is_better)
    check_level(level)
    check_choice("method", method, ("nemenyi", "wilcoxon"))
    rope, n_resamples, generator = check_rope(rope), check_draws(n_resamples), as_rng(rng)
    names, values = _read(scores, direction)
    order, ranks, gains = _ranked(direction.sign * direction.compared(values))
    models, n = tuple(names[i] for i in order), len(values)
    if len(models) == 2:
        method, test = "wilcoxon", signed_rank(gains[:, 0])
    else:
        test = friedman(ranks, n_resamples, generator)
    means = ranks.mean(axis=0)
    p_values, difference = _nemenyi(means, n, level) if method == "nemenyi" else _wilcoxon(gains)
    better, equivalent = _practical(gains, rope, n_resamples, generator)
    joined = cliques(p_values > 1 - level)
    return CaseComparison(
        models=models,
        mean_ranks=means,
        cases=n,
        statistic=test.statistic,
        p_value=test.p_value,
        distribution=test.distribution,
        method=method,
        level=level,
        critical_difference=difference,
        pair_p_values=p_values,
        cliques=tuple(tuple(models[i] for i in c) for c in joined),
        wins=_wins(gains),
        n_resamples=n_resamples,
        rope=rope,
        better=better,
        equivalent=equivalent,
    )


def _read(scores: Any, direction: Direction) -> tuple[list[str], Floats]:
    """The names of the models and their scores (n, M), sound."""
    columns = by_model(scores)
    names = list(columns)
    read = {name: numbers(name, x, "one per case") for name, x in columns.items()}
    for name, x in read.items():
        if x.ndim != 1:
            raise ParameterError(
                f"the scores of model {name} must be one per case; got an array of shape "
                f"{x.shape}. For repeats and folds of one data set call oe.compare_folds()."
            )
    sizes = {name: len(x) for name, x in read.items()}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{size:,} of {name}" for name, size in sizes.items())
        raise ParameterError(f"every model needs one score for each case; got {shown}.")
    cases = next(iter(sizes.values()), 0)
    if len(names) < 2 or cases < 3:
        raise ParameterError(
            f"compare_cases needs at least 2 models and 3 cases; got "
            f"{plural(len(names), 'model')} and {plural(cases, 'case')}."
        )
    values = np.column_stack(list(read.values()))
    check_finite(names, values, _place, "case")
    direction.check(names, values, _place)
    return names, values


def _place(row: int) -> str:
    return f"case {row + 1}"


def _ranked(utility: Floats) -> tuple[list[int], Floats, Floats]:
    """The order of the models, best first, their ranks (n, M) and the gains of pairs (n, P)."""
    from scipy.stats import rankdata

    size = float(np.abs(utility).max())
    ranks: Floats = rankdata(-settled(utility, size), axis=1)
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    pairs = list(itertools.combinations(order.tolist(), 2))
    gains = settled(np.stack([utility[:, i] - utility[:, j] for i, j in pairs], axis=1), size)
    # Who wins more cases may yet lose by signed ranks, and those are what two models are tested by.
    if len(order) == 2 and signed_ranks(gains[:, 0]).sum() < 0:
        order, gains = order[::-1], -gains
    return order.tolist(), ranks[:, order], gains


def _square(of_pairs: Any, other_way: Any, diagonal: float) -> Floats:
    """What holds of each pair (P,), and the other way round, as a matrix (M, M)."""
    m = (1 + math.isqrt(1 + 8 * len(of_pairs))) // 2
    square = np.full((m, m), diagonal)
    upper = np.triu_indices(m, 1)
    square[upper] = of_pairs
    square.T[upper] = other_way
    return square


def _nemenyi(means: Floats, n: int, level: float) -> tuple[Floats, float]:
    """P-values of the studentised range of mean ranks, and the critical difference."""
    from scipy.stats import studentized_range

    m = len(means)
    error = math.sqrt(m * (m + 1) / (6 * n))
    gap = np.abs(means[:, None] - means[None, :]) / error
    p: Floats = np.asarray(studentized_range.sf(gap * math.sqrt(2), m, np.inf))
    np.fill_diagonal(p, 1.0)
    quantile = float(studentized_range.ppf(level, m, np.inf))
    return p, quantile / math.sqrt(2) * error


def _wilcoxon(gains: Floats) -> tuple[Floats, float]:
    """P-values of signed ranks corrected by Holm; there is no critical difference."""
    p = holm([signed_rank(column).p_value for column in gains.T])
    return _square(p, p, 1.0), math.nan


def _practical(
    gains: Floats, rope: float | None, n_resamples: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Probabilities (M, M) to be better than and equivalent to the other, in practice."""
    if rope is None:
        unknown = [math.nan] * gains.shape[1]
        return _square(unknown, unknown, math.nan), _square(unknown, unknown, math.nan)
    worse, same, better = zip(*signed_rank_chances(gains, rope, n_resamples, rng), strict=True)
    return _square(better, worse, 0.0), _square(same, same, 1.0)


def _wins(gains: Floats) -> Integers:
    won, lost = (gains > 0).sum(axis=0), (gains < 0).sum(axis=0)
    return np.asarray(_square(won, lost, 0.0), dtype=np.int64)
