"""Which measure captures what others see, ranks alike on all data, and tells systems apart?

Unanimous improvement, coverage and robustness as in Amigó et al. 2020, sections 5.1 and 5.4, then
discriminative power and the agreement of rankings. All of it is array work on the values
(cases, systems) of each measure. A system without a value in a test case comes last in it; in
differences of means only the cases count in which both systems have one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval.data.files import Progress
from ordeval.evaluate.score import choose_metrics
from ordeval.exceptions import CountsError, ParameterError
from ordeval.inference import agreement
from ordeval.inference.intervals import values_of
from ordeval.inference.multiplicity import holm
from ordeval.inference.samples import as_rng
from ordeval.measures import Metric
from ordeval.meta.outputs import SystemOutputs, as_outputs
from ordeval.meta.studies import Agreement, MetaStudy, MetaValues

Floats = NDArray[np.float64]
Chosen = Iterable[str | Metric] | str | Metric | None
Test = Literal["t", "permutation"]

# Class matching, class ordering, and what knowing the output tells of the truth.
REFERENCE: Final = ("accuracy", "kendall_tau_a", "mutual_information")
_DIGITS: Final = 12  # beyond them values differ by rounding only


def unanimous_improvement_ratio(data: Any, reference: Chosen = REFERENCE) -> Floats:
    """Share of test cases in which one system is at least as good by every measure (UIR).

    Parameters
    ----------
    data
        SystemOutputs, or counts (cases, systems, K, K).
    reference
        The measures that must agree.

    Returns
    -------
    array (systems, systems): the share of cases in which the row's system improves the column's
    unanimously, minus the share in which it is the other way round.

    Examples
    --------
    >>> good, bad = [[5, 0], [0, 5]], [[3, 2], [2, 3]]
    >>> unanimous_improvement_ratio([[good, bad], [good, bad], [bad, bad]])
    array([[ 0.        ,  0.66666667],
           [-0.66666667,  0.        ]])
    """
    outputs = as_outputs(data)
    return _uir([_utilities(m, outputs) for m in choose_metrics(reference)])


def coverage(
    data: Any,
    metrics: Chosen = None,
    reference: Chosen = REFERENCE,
    *,
    progress: Progress | None = None,
) -> MetaValues:
    """Spearman correlation, over pairs of systems, of differences in a measure with the UIR.

    A measure of high coverage improves when all aspects of the reference measures do. Each pair of
    systems counts in both directions, so that the result does not depend on their order.

    Parameters
    ----------
    data
        SystemOutputs, or counts (cases, systems, K, K).
    metrics
        The measures to judge; by default all that are quick.
    reference
        The measures of the UIR.
    progress
        Called with a stage, the steps done and the steps in all.

    Examples
    --------
    >>> from ordeval.meta import simulate_systems
    >>> outputs = simulate_systems(cases=20, rng=0).outputs()
    >>> found = coverage(outputs, ["cem_ord", "mean_squared_error"])
    >>> found["cem_ord"] > found["mean_squared_error"]
    True
    """
    outputs, chosen = as_outputs(data), choose_metrics(metrics)
    ratio = unanimous_improvement_ratio(outputs, reference)
    values = [
        _coverage(_utilities(m, outputs), ratio) for m in _watched("coverage", chosen, progress)
    ]
    return MetaValues("coverage", chosen, np.array(values))


def robustness(
    data: Any, metrics: Chosen = None, *, progress: Progress | None = None
) -> MetaValues:
    """Mean Spearman correlation of the rankings of the systems in any two test cases.

    A pair of cases is left out if the measure ranks all systems alike in one of them.

    >>> good, fair, bad = [[5, 0], [0, 5]], [[4, 1], [1, 4]], [[3, 2], [2, 3]]
    >>> robustness([[good, fair, bad], [good, fair, bad]], "accuracy")
    measure   robustness
    accuracy      1.000*
    """
    outputs, chosen = as_outputs(data), choose_metrics(metrics)
    _need_cases(outputs, "robustness")
    values = [_robustness(_utilities(m, outputs)) for m in _watched("robustness", chosen, progress)]
    return MetaValues("robustness", chosen, np.array(values))


def discriminative_power(
    data: Any,
    metrics: Chosen = None,
    *,
    level: float = 0.95,
    test: Test = "t",
    corrected: bool = True,
    n_resamples: int = 999,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> MetaValues:
    """Share of the pairs of systems that a paired test over the test cases separates.

    Parameters
    ----------
    data, metrics, progress
        As for ``coverage``.
    level
        One minus the level of the tests.
    test
        ``"t"``: Student's paired test; ``"permutation"``: random signs of the differences.
    corrected
        Whether the p-values are corrected for the number of pairs, by Holm. The permutation test
        then needs more ``n_resamples`` than there are pairs divided by one minus the level.
    n_resamples, rng
        Draws of signs, and their seed or generator.

    Examples
    --------
    >>> good, fair, bad = [[5, 0], [0, 5]], [[4, 1], [1, 4]], [[3, 2], [2, 3]]
    >>> cases = [[good, bad, bad], [good, bad, fair], [good, fair, bad], [good, bad, bad]]
    >>> round(discriminative_power(cases, "accuracy")["accuracy"], 3)
    0.667
    """
    outputs, chosen = as_outputs(data), choose_metrics(metrics)
    _need_cases(outputs, "discriminative power")
    _check_level(level)
    if test not in ("t", "permutation"):
        raise ParameterError(f'test must be "t" or "permutation"; got {test!r}.')
    pairs = len(outputs.systems) * (len(outputs.systems) - 1) // 2
    least = math.ceil((pairs if corrected else 1) / (1 - level))
    if test == "permutation" and n_resamples < least:
        raise ParameterError(
            f"n_resamples must be at least {least:,} for {pairs:,} pairs of systems at this level, "
            f"or no test could separate any; got {n_resamples!r}."
        )
    signs = as_rng(rng).choice([-1.0, 1.0], (n_resamples, len(outputs.cases)))
    values = []
    for m in _watched("discriminative power", chosen, progress):
        gaps = _gaps(_utilities(m, outputs))
        p = _t_test(gaps) if test == "t" else _permutation_test(gaps, signs)
        p = holm(p) if corrected else p
        values.append(float(np.mean(p <= 1 - level)))
    return MetaValues("discriminative power", chosen, np.array(values))


def rank_agreement(data: Any, metrics: Chosen = None) -> Agreement:
    """Kendall's tau-b between the rankings of the systems by any two measures.

    Systems are ranked by their mean over the test cases in which they have a value.

    >>> good, fair, bad = [[5, 0], [0, 5]], [[4, 1], [1, 4]], [[3, 2], [2, 3]]
    >>> rank_agreement([[good, fair, bad]], ["accuracy", "mean_absolute_error"]).values
    array([[1., 1.],
           [1., 1.]])
    """
    outputs, chosen = as_outputs(data), choose_metrics(metrics)
    means = [np.round(_mean_of_defined(_utilities(m, outputs)), _DIGITS) for m in chosen]
    return Agreement(chosen, agreement.rank_agreement(means))


def study(
    data: Any,
    metrics: Chosen = None,
    reference: Chosen = REFERENCE,
    *,
    level: float = 0.95,
    progress: Progress | None = None,
) -> MetaStudy:
    """Coverage, robustness, discriminative power and agreement of measures, in one table.

    Parameters
    ----------
    data
        SystemOutputs, or counts (cases, systems, K, K).
    metrics
        The measures to judge; by default all that are quick.
    reference
        The measures of the unanimous improvement ratio.
    level
        One minus the level of the paired t-tests, corrected by Holm, of discriminative power.
    progress
        Called with a stage, the steps done and the steps in all.
    """
    outputs, chosen = as_outputs(data), choose_metrics(metrics)
    _need_cases(outputs, "a study of measures")
    _check_level(level)
    unanimous = unanimous_improvement_ratio(outputs, reference)
    found = []
    for m in _watched("measures", chosen, progress):
        u = _utilities(m, outputs)
        separated = holm(_t_test(_gaps(u))) <= 1 - level
        found.append(
            (_coverage(u, unanimous), _robustness(u), float(separated.mean()), np.isnan(u).mean())
        )
    values = [
        MetaValues(name, chosen, column)
        for name, column in zip(
            ("coverage", "robustness", "power", "undefined"), np.array(found).T, strict=True
        )
    ]
    return MetaStudy(
        systems=outputs.systems,
        cases=outputs.cases,
        metrics=chosen,
        reference=choose_metrics(reference),
        unanimous=unanimous,
        coverage=values[0],
        robustness=values[1],
        power=values[2],
        undefined=values[3],
        agreement=rank_agreement(outputs, chosen),
        level=level,
        dropped=outputs.dropped,
    )


def _utilities(metric: Metric, outputs: SystemOutputs) -> Floats:
    """Values (cases, systems) turned so that greater is better, NaN where undefined."""
    return np.asarray(metric.utility(values_of(metric, outputs.counts)), dtype=np.float64)


def _watched(
    stage: str, metrics: tuple[Metric, ...], progress: Progress | None
) -> Iterator[Metric]:
    for done, metric in enumerate(metrics):
        if progress is not None:
            progress(stage, done, len(metrics))
        yield metric
    if progress is not None:
        progress(stage, len(metrics), len(metrics))


def _need_cases(outputs: SystemOutputs, what: str) -> None:
    if len(outputs.cases) < 2:
        raise CountsError(
            f"{what} compares test cases: at least 2 are needed; got {len(outputs.cases)}. "
            f"Name the column of the test cases, or split the items at random."
        )


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1; got {level!r}.")


def _undefined_last(utilities: Floats) -> Floats:
    """Values to be ranked: rounding must not part what is equal, nor be done before sums."""
    rounded = np.round(utilities, _DIGITS)
    return np.where(np.isnan(rounded), -np.inf, rounded)


def _uir(utilities: list[Floats]) -> Floats:
    unanimous: Any = True
    for u in map(_undefined_last, utilities):
        unanimous = unanimous & (u[:, :, None] >= u[:, None, :])
    improved = unanimous.sum(axis=0)
    return np.asarray((improved - improved.T) / len(unanimous), dtype=np.float64)


def _gaps(utilities: Floats) -> Floats:
    """Differences (cases, pairs) of the systems i < j, NaN where one of the two has no value."""
    i, j = np.triu_indices(utilities.shape[1], 1)
    return utilities[:, i] - utilities[:, j]


def _mean_of_defined(x: Floats) -> Floats:
    """Mean over the test cases; NaN where no case has a value."""
    defined = ~np.isnan(x)
    times = defined.sum(axis=0)
    summed = np.where(defined, x, 0.0).sum(axis=0)
    return np.where(times > 0, summed / np.maximum(times, 1), np.nan)


def _coverage(utilities: Floats, unanimous: Floats) -> float:
    gap = np.round(_mean_of_defined(_gaps(utilities)), _DIGITS)
    ratio = unanimous[np.triu_indices(len(unanimous), 1)]
    known = ~np.isnan(gap)
    gap, ratio = gap[known], ratio[known]
    ranks = [_midranks(np.concatenate([x, -x])) for x in (gap, ratio)]
    return _correlation(ranks[0], ranks[1])


def _midranks(x: Floats) -> Floats:
    _, where, times = np.unique(x, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(times) - (times - 1) / 2)[where.ravel()]
    return ranks


def _correlation(x: Floats, y: Floats) -> float:
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / scale if scale else np.nan


def _robustness(utilities: Floats) -> float:
    u = _undefined_last(utilities)
    below = (u[:, :, None] > u[:, None, :]).sum(axis=-1)
    level_with = (u[:, :, None] == u[:, None, :]).sum(axis=-1)
    ranks = below + (level_with + 1) / 2
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    length = np.sqrt((centred**2).sum(axis=1))
    units = centred[length > 0] / length[length > 0, None]
    if len(units) < 2:
        return np.nan
    together = units @ units.T
    return float(together[np.triu_indices(len(units), 1)].mean())


def _t_test(gaps: Floats) -> Floats:
    """Two-sided p-values of each pair; differences that do not vary are judged by their signs."""
    stats = import_extra("scipy.stats", extra="stats", purpose="discriminative power")
    n = (~np.isnan(gaps)).sum(axis=0)
    mean = np.nan_to_num(_mean_of_defined(gaps))
    squares = np.where(np.isnan(gaps), 0.0, (gaps - mean) ** 2).sum(axis=0)
    error = np.sqrt(squares / np.maximum(n * (n - 1), 1))
    t = np.abs(mean) / np.where(error > 0, error, 1.0)
    p = 2 * stats.t.sf(t, np.maximum(n - 1, 1))
    signs = np.where(np.abs(mean) > 10.0**-_DIGITS, 2.0 ** (1 - n), 1.0)
    return np.where(n < 2, 1.0, np.where(error > 10.0**-_DIGITS, p, signs))


def _permutation_test(gaps: Floats, signs: Floats) -> Floats:
    """Two-sided p-values of each pair by random signs (draws, cases); the observed case counts."""
    known = np.nan_to_num(gaps)
    least = np.abs(known.sum(axis=0)) - 10.0**-_DIGITS
    extreme = (np.abs(signs @ known) >= least).sum(axis=0)
    return np.asarray((extreme + 1) / (len(signs) + 1), dtype=np.float64)
