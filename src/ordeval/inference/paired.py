"""Is model A better than model B? Difference, interval and permutation test on the same items.

If the models were exchangeable, swapping their predictions on an item would change nothing. Items
alike in truth and in both predictions are swapped together: how many of them is one binomial draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.data.counts import validate_counts
from ordeval.data.items import encode_labels
from ordeval.data.scale import Policy
from ordeval.exceptions import CountsError, LabelError
from ordeval.inference.intervals import (
    Jackknife,
    Method,
    check_options,
    evaluate_draws,
    make_interval,
    sample_of,
    values_of,
    warn_of_few_groups,
    whole_counts,
)
from ordeval.inference.samples import (
    CellSample,
    ItemSample,
    LeftOut,
    Sample,
    as_rng,
    blocks,
)
from ordeval.measures import Metric, get_metric

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Delta:
    """The difference of two models by one measure, A minus B."""

    metric: str
    a: str
    b: str
    value_a: float
    value_b: float
    delta: float  # of a two-sided measure: of its distance to the best value
    low: float
    high: float
    level: float
    method: Method
    n_resamples: int
    undefined_share: float
    p_value: float  # two-sided permutation test
    favours: str | None  # the better model by this measure, whether or not it is significant
    # Corrected over the measures and pairs of a comparison. What else was compared is no part of a
    # difference, and NaN would make it unequal to itself.
    p_holm: float = field(default=np.nan, compare=False)
    p_bh: float = field(default=np.nan, compare=False)

    def __str__(self) -> str:
        return (
            f"{self.metric}: {self.a} - {self.b} = {self.delta:+.3f} "
            f"[{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.4f}"
        )


def paired_delta(
    metric: str | Metric,
    data: Any,
    *,
    method: Method = "bca",
    level: float = 0.95,
    n_resamples: int = 9999,
    groups: Any = None,
    rng: np.random.Generator | int | None = None,
    labels: Any = None,
    sample_weight: Any = None,
    names: tuple[str, str] = ("A", "B"),
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> Delta:
    """Difference of two models on the same items, with interval and permutation test.

    Parameters
    ----------
    metric
        A measure or its name.
    data
        A tuple ``(y_true, pred_a, pred_b)`` of labels, or an array of joint counts (K, K, K):
        truth x prediction of A x prediction of B.
    method, level, n_resamples, groups, rng, labels, sample_weight, unknown, missing
        As for ``confidence_intervals``; ``method`` is ``"bca"`` or ``"percentile"``.

    Examples
    --------
    >>> truth = [1, 2, 3] * 30
    >>> a = [1, 2, 3] * 20 + [1, 2, 2] * 10
    >>> b = [1, 2, 3] * 20 + [1, 1, 1] * 10
    >>> print(paired_delta("mean_absolute_error", (truth, a, b), rng=0))
    mean_absolute_error: A - B = -0.222 [-0.322, -0.144], p = 0.0001
    """
    check_options(method, level, n_resamples, prior=1.0, paired=True)
    chosen, generator = get_metric(metric), as_rng(rng)
    if isinstance(data, tuple) and len(data) == 3:
        items = encode_labels(
            data[0],
            {"pred_a": data[1], "pred_b": data[2]},
            labels=labels,
            sample_weight=sample_weight,
            unknown=unknown,
            missing=missing,
        )
        sample = sample_of(items, groups=groups)
    else:
        if groups is not None or sample_weight is not None:
            raise LabelError("groups= and sample_weight= go with labels, not with joint counts.")
        sample = joint_sample(data)
    warn_of_few_groups(sample)
    replicates = evaluate_draws([chosen], sample.draws(n_resamples, generator))[chosen.name]
    left = sample.leave_one_out((0, 1))
    p = permutation_p_values([chosen], sample, (0, 1), left, n_resamples, generator)[chosen.name]
    return make_delta(chosen, sample, (0, 1), left, names, replicates, p, level, method)


def joint_sample(joint: Any) -> ItemSample:
    """Items from joint counts (K, K, K), truth x A x B."""
    counts = np.asarray(joint)
    if counts.ndim != 3 or len(set(counts.shape)) != 1:
        raise CountsError(
            f"data must be a tuple (y_true, pred_a, pred_b), or joint counts of shape (K, K, K); "
            f"got shape {counts.shape}."
        )
    whole = whole_counts(validate_counts(counts))
    truth, a, b = np.nonzero(whole)
    return ItemSample(
        truth, np.stack([a, b], axis=1), np.ones(len(truth)), whole[truth, a, b], len(whole)
    )


def compared(metric: Metric, values: Any) -> Any:
    """What is subtracted: the value, or its distance to the best one of a two-sided measure."""
    return -metric.utility(values) if metric.greater_is_better is None else values


def make_delta(
    metric: Metric,
    sample: Sample,
    models: tuple[int, int],
    left_out: LeftOut,
    names: tuple[str, str],
    replicates: Floats,
    p_value: float,
    level: float,
    method: Method,
) -> Delta:
    """The difference of two of the models whose replicates (n, M) are given."""
    a, b = (float(values_of(metric, sample.counts[m])) for m in models)
    difference = compared(metric, replicates[:, models[0]]) - compared(
        metric, replicates[:, models[1]]
    )
    delta = float(compared(metric, a) - compared(metric, b))
    left = None
    if method == "bca":
        values = compared(metric, values_of(metric, left_out.matrices))
        left = Jackknife(values[:, 0] - values[:, 1], left_out.weight, left_out.stratum)
    interval = make_interval(metric, delta, difference, left, level, method)
    gain = metric.utility(a) - metric.utility(b)
    favours = None if not abs(gain) > 1e-12 else names[0] if gain > 0 else names[1]
    return Delta(
        metric=metric.name,
        a=names[0],
        b=names[1],
        value_a=a,
        value_b=b,
        delta=delta,
        low=interval.low,
        high=interval.high,
        level=level,
        method=method,
        n_resamples=interval.n_resamples,
        undefined_share=interval.undefined_share,
        p_value=p_value,
        favours=favours,
    )


def permutation_p_values(
    metrics: Sequence[Metric],
    sample: Sample,
    models: tuple[int, int],
    left_out: LeftOut,
    n: int,
    rng: np.random.Generator,
) -> dict[str, float]:
    """Two-sided p-values by swapping two models' predictions; the observed case counts."""
    observed = {m.name: _gap(m, sample.counts[list(models)]) for m in metrics}
    extreme = dict.fromkeys(observed, 1)
    for block in swapped(sample, models, left_out, n, rng):
        for m in metrics:
            gaps = _gap(m, block)
            # A swap without a value is no evidence against chance.
            least = np.abs(observed[m.name]) - 1e-12
            extreme[m.name] += int(np.count_nonzero(~(np.abs(gaps) < least)))
    return {
        name: extreme[name] / (n + 1) if gap == gap else np.nan for name, gap in observed.items()
    }


def _gap(metric: Metric, pair: NDArray[Any]) -> Any:
    values = compared(metric, values_of(metric, pair if pair.ndim > 3 else pair[None]))
    gap = values[..., 0] - values[..., 1]
    return gap if pair.ndim > 3 else float(gap[0])


def swapped(
    sample: Sample,
    models: tuple[int, int],
    left_out: LeftOut,
    n: int,
    rng: np.random.Generator,
) -> Iterator[Floats]:
    """Blocks (b, 2, K, K) of the two models' matrices after random swaps, n in all."""
    difference, multiplicity = _exchanges(sample, models, left_out)
    k = sample.counts.shape[-1]
    a, b = (sample.counts[m].astype(np.float64).ravel() for m in models)
    for size in blocks(n, 8 * max(len(difference), 4 * k * k)):
        moved = rng.binomial(multiplicity, 0.5, (size, len(multiplicity))) @ difference
        yield np.stack([a - moved, b + moved], axis=1).reshape(size, 2, k, k)


def _exchanges(
    sample: Sample, models: tuple[int, int], left_out: LeftOut
) -> tuple[Floats, NDArray[np.int64]]:
    """What swapping a unit takes from A and gives to B (U, K * K), and how many units do so."""
    if isinstance(sample, CellSample):
        raise LabelError("a paired comparison needs the predictions of both models on each item.")
    units = sample.counts[list(models)] - left_out.matrices
    flat = (units[:, 0] - units[:, 1]).reshape(len(units), -1).astype(np.float64)
    differs = flat.any(axis=1)
    return flat[differs], np.rint(left_out.weight[differs]).astype(np.int64)


def largest_difference_p_values(replicates: Floats, values: Floats) -> Floats:
    """P-values (M, M) of all differences at once, corrected for looking at all of them.

    The share of draws (n, M) in which the largest studentised difference of any two models, around
    its mean, exceeds that of the pair. Picking the best model by the same data is thereby allowed
    for, and the draws' correlation used.
    """
    defined = replicates[~np.isnan(replicates).any(axis=1)]
    m = len(values)
    p = np.full((m, m), np.nan)
    if len(defined) < 2 or np.isnan(values).any():
        return p
    centred = defined - defined.mean(axis=0)
    largest = np.zeros(len(centred))
    error = np.zeros((m, m))
    for i in range(m - 1):
        gaps = centred[:, i, None] - centred[:, i + 1 :]
        spread = gaps.std(axis=0)
        error[i, i + 1 :] = error[i + 1 :, i] = spread
        studentised = np.abs(gaps) / np.where(spread > 0, spread, np.inf)
        largest = np.maximum(largest, studentised.max(axis=1))
    observed = np.abs(values[:, None] - values[None, :]) / np.where(error > 0, error, np.inf)
    ordered = np.sort(largest)
    exceeding = len(ordered) - np.searchsorted(ordered, observed - 1e-12)
    return np.asarray((exceeding + 1) / (len(ordered) + 1))
