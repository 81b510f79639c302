"""Which measure covers what others see, ranks systems consistently, and separates them?

Unanimous improvement, coverage and robustness follow Amigó et al. 2020, sections 5.1 and 5.4;
discriminative power and agreement of rankings are added. Everything is computed from the values
(cases, systems) of each measure. A system with an undefined value in a test case ranks last in it;
differences of means use only the cases in which both systems have a value.
"""

import math
from collections.abc import Callable
from typing import Any, Final, Literal, get_args

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.types import (
    Floats,
    Progress,
    Rng,
    as_rng,
    check_choice,
    check_draws,
    check_level,
    watched,
)
from ordeval.exceptions import CountsError, ParameterError
from ordeval.inference.many_models import measure_agreement as agreement
from ordeval.inference.many_models.multiplicity import holm
from ordeval.measures import Metric
from ordeval.measures.registry import Chosen, choose
from ordeval.meta.outputs import SystemOutputs, as_outputs
from ordeval.meta.studies import Agreement, MetaStudy, MetaValues

TestOfPairs = Literal["t", "permutation"]

# Class matching, class ordering, and the information that the output gives about the truth.
REFERENCE: Final = ("accuracy", "kendall_tau_a", "mutual_information")
_DIGITS: Final = 12  # values that agree to so many digits differ by rounding only


def unanimous_improvement_ratio(outputs: Any, reference: Chosen = REFERENCE) -> Floats:
    """Compute the share of test cases in which one system is at least as good by every measure.

    Parameters
    ----------
    outputs
        SystemOutputs, or counts (cases, systems, K, K).
    reference
        The measures that must agree.

    Returns
    -------
    numpy.ndarray
        Array (systems, systems): the share of cases in which the row's system improves unanimously
        on the column's, minus the share of the opposite.

    Raises
    ------
    CountsError
        If ``outputs`` is not a stack (cases, systems, K, K) of two or more systems.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> good, bad = [[5, 0], [0, 5]], [[3, 2], [2, 3]]
    >>> unanimous_improvement_ratio([[good, bad], [good, bad], [bad, bad]])
    array([[ 0.        ,  0.66666667],
           [-0.66666667,  0.        ]])
    """
    seen = as_outputs(outputs)
    return _uir([_utilities(m, seen) for m in choose(reference)])


@checked
def coverage(
    outputs: Any,
    metrics: Chosen = None,
    reference: Chosen = REFERENCE,
    *,
    undefined: float | None = None,
    progress: Progress | None = None,
) -> MetaValues:
    """Correlate differences in a measure with the UIR, over pairs of systems (Spearman).

    A measure with high coverage improves when all aspects of the reference measures improve. Each
    pair of systems counts in both directions, so the result does not depend on their order.

    Parameters
    ----------
    outputs
        SystemOutputs, or counts (cases, systems, K, K).
    metrics
        The measures to judge; by default all that are quick.
    reference
        The measures of the UIR.
    undefined
        What a measure counts for an output on which it has no value, greater being better; by
        default that test case is left out of the differences of its system.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    MetaValues
        One value for each measure.

    Raises
    ------
    CountsError
        If ``outputs`` is not a stack (cases, systems, K, K) of two or more systems.
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> from ordeval.meta import simulate_systems
    >>> outputs = simulate_systems(cases=20, rng=0).outputs()
    >>> found = coverage(outputs, ["cem_ord", "mean_squared_error"])
    >>> found["cem_ord"] > found["mean_squared_error"]
    True
    """
    seen = as_outputs(outputs)
    unanimous = unanimous_improvement_ratio(seen, reference)

    def value(utilities: Floats) -> float:
        filled = utilities
        if undefined is not None:
            filled = np.where(np.isnan(utilities), float(undefined), utilities)
        return _coverage(filled, unanimous)

    return _of_each("coverage", seen, metrics, value, progress)


@checked
def robustness(
    outputs: Any, metrics: Chosen = None, *, progress: Progress | None = None
) -> MetaValues:
    """Compute the mean Spearman correlation of the rankings of systems in any two test cases.

    Pairs in which the measure ranks all systems equally in one of the cases are excluded.

    Parameters
    ----------
    outputs
        SystemOutputs, or counts (cases, systems, K, K).
    metrics
        The measures to judge; by default all that are quick.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    MetaValues
        One value for each measure.

    Raises
    ------
    CountsError
        If ``outputs`` is not a stack (cases, systems, K, K) of two or more systems.
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> good, fair, bad = [[5, 0], [0, 5]], [[4, 1], [1, 4]], [[3, 2], [2, 3]]
    >>> robustness([[good, fair, bad], [good, fair, bad]], "accuracy")
    measure   robustness
    accuracy      1.000*
    """
    seen = _with_cases(outputs, "robustness")
    return _of_each("robustness", seen, metrics, _robustness, progress)


@checked
def discriminative_power(
    outputs: Any,
    metrics: Chosen = None,
    *,
    level: float = 0.95,
    test: TestOfPairs = "t",
    corrected: bool = True,
    n_resamples: int = 999,
    rng: Rng = None,
    progress: Progress | None = None,
) -> MetaValues:
    """Compute the share of pairs of systems that a paired test over the test cases separates.

    Parameters
    ----------
    outputs, metrics, progress
        As for ``coverage``.
    level
        One minus the significance level of the tests.
    test
        ``"t"``: Student's paired test; ``"permutation"``: random signs of the differences.
    corrected
        Whether the p-values are corrected for the number of pairs, by Holm. The permutation test
        then needs at least as many draws as there are pairs, divided by one minus ``level``.
    n_resamples, rng
        Draws of signs, and their seed or generator.

    Returns
    -------
    MetaValues
        One value for each measure.

    Raises
    ------
    CountsError
        If ``outputs`` is not a stack (cases, systems, K, K) of two or more systems.
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> good, fair, bad = [[5, 0], [0, 5]], [[4, 1], [1, 4]], [[3, 2], [2, 3]]
    >>> cases = [[good, bad, bad], [good, bad, fair], [good, fair, bad], [good, bad, bad]]
    >>> round(discriminative_power(cases, "accuracy")["accuracy"], 3)
    0.667
    """
    seen = _with_cases(outputs, "discriminative power")
    check_level(level)
    check_choice("test", test, get_args(TestOfPairs))
    pairs = len(seen.systems) * (len(seen.systems) - 1) // 2
    least = math.ceil((pairs if corrected else 1) / (1 - level))
    check_draws(n_resamples)
    if test == "permutation" and n_resamples < least:
        raise ParameterError(
            f"n_resamples must be at least {least:,} for {pairs:,} pairs of systems at this level, "
            f"or no test could separate any; got {n_resamples!r}."
        )
    signs = as_rng(rng).choice([-1.0, 1.0], (n_resamples, len(seen.cases)))

    def separated(utilities: Floats) -> float:
        gaps = _gaps(utilities)
        p = _t_test(gaps) if test == "t" else _permutation_test(gaps, signs)
        return float(np.mean((holm(p) if corrected else p) <= 1 - level))

    return _of_each("discriminative power", seen, metrics, separated, progress)


def rank_agreement(outputs: Any, metrics: Chosen = None) -> Agreement:
    """Compute Kendall's tau-b between the rankings of the systems by any two measures.

    Systems are ranked by their mean over the test cases in which they have a value.

    Parameters
    ----------
    outputs
        SystemOutputs, or counts (cases, systems, K, K).
    metrics
        The measures to judge; by default all that are quick.

    Returns
    -------
    Agreement
        The correlations (measures, measures).

    Raises
    ------
    CountsError
        If ``outputs`` is not a stack (cases, systems, K, K) of two or more systems.
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure has one of the names.

    Examples
    --------
    >>> good, fair, bad = [[5, 0], [0, 5]], [[4, 1], [1, 4]], [[3, 2], [2, 3]]
    >>> rank_agreement([[good, fair, bad]], ["accuracy", "mean_absolute_error"]).values
    array([[1., 1.],
           [1., 1.]])
    """
    seen, chosen = as_outputs(outputs), choose(metrics)
    means = [np.round(_mean_of_defined(_utilities(m, seen)), _DIGITS) for m in chosen]
    return Agreement(chosen, agreement.rank_agreement(means))


@checked
def study(
    outputs: Any,
    metrics: Chosen = None,
    reference: Chosen = REFERENCE,
    *,
    level: float = 0.95,
    progress: Progress | None = None,
) -> MetaStudy:
    """Compute coverage, robustness, discriminative power and agreement of measures.

    Parameters
    ----------
    outputs
        SystemOutputs, or counts (cases, systems, K, K).
    metrics
        The measures to judge; by default all that are quick.
    reference
        The measures of the unanimous improvement ratio.
    level
        One minus the significance level of the paired t-tests of discriminative power, which are
        corrected by Holm.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    MetaStudy
        One row for each measure.

    Raises
    ------
    CountsError
        If ``outputs`` is not a stack (cases, systems, K, K) of two or more systems.
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure has one of the names.
    """
    seen, chosen = _with_cases(outputs, "a study of measures"), choose(metrics)
    check_level(level)
    unanimous = unanimous_improvement_ratio(seen, reference)
    found = []
    for m in watched("measures", chosen, progress):
        u = _utilities(m, seen)
        separated = holm(_t_test(_gaps(u))) <= 1 - level
        found.append(
            (_coverage(u, unanimous), _robustness(u), separated.mean(), np.isnan(u).mean())
        )
    covered, robust, power, undefined = np.array(found).T
    return MetaStudy(
        outputs=seen,
        metrics=chosen,
        reference=choose(reference),
        unanimous=unanimous,
        coverage=MetaValues("coverage", chosen, covered),
        robustness=MetaValues("robustness", chosen, robust),
        power=MetaValues("discriminative power", chosen, power),
        undefined=MetaValues("undefined", chosen, undefined),
        agreement=rank_agreement(seen, chosen),
        level=level,
    )


def _utilities(metric: Metric, outputs: SystemOutputs) -> Floats:
    """Return the values (cases, systems), turned so that higher is better, NaN where undefined."""
    values = metric.on(outputs.scale).values(outputs.counts)
    return np.asarray(metric.utility(values), dtype=np.float64)


def _of_each(
    what: str,
    outputs: SystemOutputs,
    metrics: Chosen,
    value: Callable[[Floats], float],
    progress: Progress | None,
) -> MetaValues:
    """Compute one number per measure from its utilities."""
    chosen = choose(metrics)
    values = [value(_utilities(m, outputs)) for m in watched(what, chosen, progress)]
    return MetaValues(what, chosen, np.array(values))


def _with_cases(outputs: Any, what: str) -> SystemOutputs:
    seen = as_outputs(outputs)
    if len(seen.cases) < 2:
        raise CountsError(
            f"{what} compares test cases: at least 2 are needed; got {len(seen.cases)}. "
            f"Name the column of the test cases, or split the items at random."
        )
    return seen


def _undefined_last(utilities: Floats) -> Floats:
    """Prepare values for ranking: equal values must not be separated by rounding."""
    rounded = np.round(utilities, _DIGITS)
    return np.where(np.isnan(rounded), -np.inf, rounded)


def _uir(utilities: list[Floats]) -> Floats:
    unanimous: Any = True
    for u in map(_undefined_last, utilities):
        unanimous = unanimous & (u[:, :, None] >= u[:, None, :])
    improved = unanimous.sum(axis=0)
    return np.asarray((improved - improved.T) / len(unanimous), dtype=np.float64)


def _gaps(utilities: Floats) -> Floats:
    """Return differences (cases, pairs) of the systems i < j, NaN where one value is undefined."""
    i, j = np.triu_indices(utilities.shape[1], 1)
    return utilities[:, i] - utilities[:, j]


def _mean_of_defined(x: Floats) -> Floats:
    """Return the mean over the test cases; NaN if all values are undefined."""
    defined = ~np.isnan(x)
    count = defined.sum(axis=0)
    summed = np.where(defined, x, 0.0).sum(axis=0)
    return np.where(count > 0, summed / np.maximum(count, 1), np.nan)


def _coverage(utilities: Floats, unanimous: Floats) -> float:
    gap = np.round(_mean_of_defined(_gaps(utilities)), _DIGITS)
    ratio = unanimous[np.triu_indices(len(unanimous), 1)]
    known = ~np.isnan(gap)
    gap, ratio = gap[known], ratio[known]
    both = np.stack([np.concatenate([x, -x]) for x in (gap, ratio)])
    return float(_rank_correlations(both)[0, 1])


def _rank_correlations(rows: Floats) -> Floats:
    """Return Spearman correlations between rows, NaN if one of the two is constant."""
    from scipy import stats

    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.corrcoef(stats.rankdata(rows, axis=1)))


def _robustness(utilities: Floats) -> float:
    between = _rank_correlations(_undefined_last(utilities))[np.triu_indices(len(utilities), 1)]
    known = between[~np.isnan(between)]
    return float(known.mean()) if len(known) else np.nan


def _t_test(gaps: Floats) -> Floats:
    """Return two-sided p-values per pair; constant differences are judged by their signs."""
    from scipy import stats

    n = (~np.isnan(gaps)).sum(axis=0)
    mean = np.nan_to_num(_mean_of_defined(gaps))
    squares = np.where(np.isnan(gaps), 0.0, (gaps - mean) ** 2).sum(axis=0)
    error = np.sqrt(squares / np.maximum(n * (n - 1), 1))
    t = np.abs(mean) / np.where(error > 0, error, 1.0)
    p = 2 * stats.t.sf(t, np.maximum(n - 1, 1))
    signs = np.where(np.abs(mean) > 10.0**-_DIGITS, 2.0 ** (1 - n), 1.0)
    return np.where(n < 2, 1.0, np.where(error > 10.0**-_DIGITS, p, signs))


def _permutation_test(gaps: Floats, signs: Floats) -> Floats:
    """Return two-sided p-values per pair by random signs; the observed signs count as a draw."""
    known = np.nan_to_num(gaps)
    least = np.abs(known.sum(axis=0)) - 10.0**-_DIGITS
    extreme = (np.abs(signs @ known) >= least).sum(axis=0)
    return np.asarray((extreme + 1) / (len(signs) + 1), dtype=np.float64)
