"""Simultaneous inference for many differences, such as all pairs of models.

Differences of several models are correlated, and the best model is picked by the same data. The
largest studentised difference of all pairs is compared with its distribution: a multivariate t
whose covariance is that of the values. Its draws do not depend on the data otherwise, and a model's
column does not depend on the models after it, so that adding a model adds to the largest
difference and never takes from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats

_DRAWS: Final = 10_000
_SEED: Final = 20_110_601

ModelPairs = Sequence[tuple[int, int]]


@lru_cache(maxsize=256)
def _normal(column: int) -> Floats:
    return np.random.default_rng([_SEED, column]).standard_normal(_DRAWS)


@lru_cache(maxsize=2)
def _normals(m: int) -> Floats:
    return np.stack([_normal(j) for j in range(m)])


@lru_cache(maxsize=64)
def _spread(freedom: float) -> Floats:
    """What a normal variable is divided by to become a t variable."""
    rng = np.random.default_rng([_SEED, 1 << 30])
    return np.sqrt(rng.chisquare(freedom, _DRAWS) / freedom)


def normal_draws(covariance: Floats) -> Floats:
    """Draws (M, n) around zero with this covariance; a model's draws lie side by side."""
    m = len(covariance)
    scale = float(np.max(np.diagonal(covariance), initial=0.0))
    if not scale > 0:
        return np.zeros((m, _DRAWS))
    # Equal models make it singular; the root then needs a trace of independence.
    root = np.linalg.cholesky(covariance + 1e-10 * scale * np.eye(m))
    return np.asarray(root @ _normals(m))


def _t_draws(covariance: Floats, freedom: float) -> NDArray[np.float32]:
    """Draws (M, n) of the multivariate t, in half the memory."""
    return (normal_draws(covariance) / _spread(freedom)).astype(np.float32)


def _draws(covariance: Floats, freedom: float) -> Floats:
    drawn = normal_draws(covariance)
    return drawn if np.isinf(freedom) else drawn / _spread(freedom)


def errors_of(covariance: Floats) -> Floats:
    """Standard errors (..., M, M) of all differences; 0 where two models are the same."""
    own = np.diagonal(covariance, axis1=-2, axis2=-1)
    both = own[..., :, None] + own[..., None, :]
    squared = both - 2 * covariance
    # What rounding leaves of the difference of equal numbers is no spread; of one item alone the
    # spread is not known.
    none = squared <= 1e-14 * both
    return np.sqrt(np.where(none, 0.0, squared))


def gap_of(a: Any, b: Any) -> Floats:
    """Differences; what rounding leaves of equal values is none, whatever their unit."""
    with np.errstate(invalid="ignore"):  # of infinite losses, which have no difference
        gap = np.asarray(a, dtype=np.float64) - b
        apart = np.abs(gap) > 1e-12 * np.fmax(np.abs(a), np.abs(b))
        return np.asarray(np.where(apart, gap, 0.0 * gap))


def t_p_values(gaps: Any, errors: Any, freedom: float, sided: int = 2) -> Any:
    """P-values of differences: two-sided, or of being no greater than zero (one-sided)."""
    from scipy.special import stdtr

    gap, error = np.asarray(gaps, dtype=np.float64), np.asarray(errors, dtype=np.float64)
    ratio = studentised(gap, error)
    return 2 * stdtr(freedom, -np.abs(ratio)) if sided == 2 else stdtr(freedom, -ratio)


def error_with(gaps: Floats, p_values: Floats, errors: Floats, freedom: float) -> Floats:
    """The errors with which a t test has these p-values; those given where there are none."""
    from scipy.special import stdtrit

    known = (p_values < 1) & (gaps != 0)
    ratio = -stdtrit(freedom, np.where(known, np.maximum(p_values, 1e-300), 0.5) / 2)
    return np.where(known, np.abs(gaps) / ratio, errors)


def studentised(gap: Any, error: Any) -> Floats:
    """Differences over their errors; without any spread, a difference is infinitely clear."""
    safe = np.where(error > 0, error, 1.0)
    beyond = np.where(gap != 0, np.copysign(np.inf, gap), 0.0) + 0.0 * np.where(error > 0, 0, error)
    return np.where(error > 0, gap / safe, beyond)


def step_down(
    centre: Floats,
    covariance: Floats,
    freedom: float,
    pairs: ModelPairs,
    errors: Floats | None = None,
) -> Floats:
    """P-values of pairs, corrected for all of them (Romano & Wolf 2005).

    ``errors`` (M, M) are those of the differences, where they are not those of the covariance.

    The clearest difference is compared with the largest of all, the next one with the largest of
    the others, and so on. No p-value falls below the one before it, or below its own uncorrected.
    """
    first, second = (np.array([p[side] for p in pairs], dtype=np.int64) for side in (0, 1))
    of_draws = errors_of(covariance)
    error = (of_draws if errors is None else errors)[first, second]
    gap = gap_of(centre[first], centre[second])
    raw = np.asarray(t_p_values(gap, error, freedom))
    if len(pairs) < 2:
        return raw
    observed = np.abs(studentised(gap, error))
    order = np.argsort(observed, kind="stable")
    draws, one_over = _t_draws(covariance, freedom), _one_over(of_draws[first, second])
    largest, p = np.zeros(_DRAWS, dtype=np.float32), np.empty(len(pairs))
    gap_drawn = np.empty_like(largest)  # row by row, what is worked on stays in the cache
    for pair in order:
        np.subtract(draws[first[pair]], draws[second[pair]], out=gap_drawn)
        gap_drawn *= one_over[pair]
        np.maximum(largest, np.abs(gap_drawn, out=gap_drawn), out=largest)
        p[pair] = np.count_nonzero(largest >= np.float32(observed[pair])) / _DRAWS
    p = np.maximum((p * _DRAWS + 1) / (_DRAWS + 1), raw)
    p[order] = np.maximum.accumulate(p[order][::-1])[::-1]
    return np.asarray(np.minimum(p, 1.0))


def critical(covariance: Floats, freedom: float, pairs: ModelPairs, level: float) -> float:
    """The critical value of the largest studentised difference of some pairs."""
    draws, error = _t_draws(covariance, freedom), errors_of(covariance)
    largest = np.zeros(_DRAWS, dtype=np.float32)
    for i, j in pairs:
        if error[i, j] > 0:
            np.maximum(largest, np.abs(draws[i] - draws[j]) / error[i, j], out=largest)
    return float(np.quantile(largest, level))


def may_be_best(
    utility: Floats,
    covariance: Floats,
    freedom: float,
    level: float,
    errors: Floats | None = None,
) -> list[bool]:
    """Whether each model is a plausible best: a confidence set that holds the best one.

    A model leaves the set if another is ahead of it by more than chance explains, allowing for the
    choice among the others. Of those, models that are clearly behind it cannot be ahead and do not
    count (Romano, Shaikh & Wolf 2014), which keeps the set small among many models.
    """
    # Half of alpha, as one of the two sides of the tests of pairs: of two models, the set holds one
    # exactly when they differ significantly.
    m, alpha, of_draws = len(utility), (1 - level) / 2, errors_of(covariance)
    errors = of_draws if errors is None else errors
    if m == 1:
        return [True]
    if m == 2:
        apart = t_p_values(gap_of(*utility), errors[0, 1], freedom) <= 2 * alpha
        return [not apart or bool(utility[i] > utility[1 - i]) for i in range(2)]
    draws, found = _t_draws(covariance, freedom), []
    for i in range(m):
        others = np.flatnonzero(np.arange(m) != i)
        ahead = studentised(gap_of(utility[others], utility[i]), errors[i, others])
        noise = draws[others]
        noise -= draws[i]
        noise *= _one_over(of_draws[i, others])[:, None]
        near = ahead > -np.quantile(noise.max(axis=0), 1 - alpha / 10)
        limit = np.quantile(noise[near].max(axis=0, initial=0.0), 1 - 0.9 * alpha)
        found.append(bool(ahead.max() <= limit))
    return found


def _one_over(errors: Floats) -> NDArray[np.float32]:
    """What differences are multiplied by to be studentised; without spread, they do not vary."""
    return np.where(errors > 0, 1 / np.where(errors > 0, errors, 1.0), 0.0).astype(np.float32)


def rank_sets(better: Any) -> list[tuple[int, int]]:
    """The ranks that each model may have, for all models at once (Mogstad et al. 2024).

    ``better[i, j]``: model i is shown to be better than model j.
    """
    shown = np.asarray(better, dtype=bool)
    m = len(shown)
    first, last = 1 + shown.sum(axis=0), m - shown.sum(axis=1)
    return list(zip(first.tolist(), last.tolist(), strict=True))


def covariance_of(errors: Floats) -> Floats:
    """A covariance (M, M) of values whose differences have these errors, or nearly so."""
    m = len(errors)
    inner = np.eye(m) - 1 / m
    values, vectors = np.linalg.eigh(-inner @ errors**2 @ inner / 2)
    return np.asarray((vectors * np.maximum(values, 0.0)) @ vectors.T)


def rank_shares(utility: Floats, covariance: Floats, freedom: float = np.inf) -> Floats:
    """How often each model (row) has each rank (column), over data sets like this one.

    ``freedom`` is finite where the few items of a class decide.
    """
    m = len(utility)
    drawn = utility + _draws(covariance, freedom).T
    ranks = np.argsort(np.argsort(-drawn, axis=1, kind="stable"), axis=1, kind="stable")
    shares = np.stack([np.bincount(r, minlength=m) / len(drawn) for r in ranks.T])
    return _evened(shares, utility, covariance)


def first_shares(utility: Floats, covariance: Floats, freedom: float = np.inf) -> Floats:
    """How often each model comes first: the first column of ``rank_shares``, without the others."""
    best = np.argmax(utility[:, None] + _draws(covariance, freedom), axis=0)
    shares = np.bincount(best, minlength=len(utility)) / len(best)
    return _evened(shares[:, None], utility, covariance)[:, 0]


def _evened(shares: Floats, utility: Floats, covariance: Floats) -> Floats:
    """Models that are the same share their ranks evenly, whatever was drawn for each."""
    own = np.diagonal(covariance)
    same = gap_of(utility[:, None], utility[None, :]) == 0
    same &= np.isclose(own[:, None], own[None, :], rtol=1e-12, atol=0)
    return np.asarray(same @ shares / same.sum(axis=1, keepdims=True))


def preferred(utility: Floats, errors: Floats, freedom: float) -> Floats:
    """How surely the row's model is better than the column's: one minus the one-sided p-value."""
    gaps = gap_of(utility[:, None], utility[None, :])
    shares: Floats = 1 - t_p_values(gaps, errors, freedom, sided=1)
    return shares
