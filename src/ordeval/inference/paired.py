"""Is model A better than model B? Difference, interval and permutation test on the same items.

If the models were exchangeable, swapping their predictions on an item would change nothing. Items
alike in truth and in both predictions are swapped together: how many of them is one binomial draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import bracketed, p_value, signed
from ordeval._shared.types import Floats, Integers, Policy, Rng, as_rng
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import validate_counts
from ordeval.data.items import Misfits, read_items
from ordeval.exceptions import CountsError, LabelError, ParameterError
from ordeval.inference.advice import warn
from ordeval.inference.intervals import (
    Jackknife,
    Method,
    Observed,
    Resampling,
    evaluate_draws,
    make_interval,
    values_of,
    whole_counts,
)
from ordeval.inference.samples import CellSample, ItemSample, LeftOut, Sample, blocks, sample_of
from ordeval.measures import Metric
from ordeval.measures.metric import warn_of_unused_levels
from ordeval.measures.registry import choose


@dataclass(frozen=True, kw_only=True, repr=False)
class Delta(Result):
    """The difference of two models by one measure, A minus B."""

    kind: ClassVar[str] = "ordeval.delta"

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

    def rows(self) -> list[dict[str, Any]]:
        """One record."""
        return [dict(vars(self))]

    def cells(self) -> tuple[Cell, ...]:
        """The row of a table of differences."""
        return (
            Cell(self.metric),
            Cell(f"{self.a} − {self.b}"),
            Cell(signed(self.delta), bracketed(self.low, self.high, signed)),
            Cell(p_value(self.p_value)),
            Cell(p_value(self.p_holm)),
            Cell(p_value(self.p_bh)),
            Cell(self.favours or "neither"),
        )

    def table(self) -> Table:
        """One row: the difference, its interval and its p-value."""
        cells = self.cells()
        head = ("measure", "pair", "difference", "p", "favours")
        return Table(head, ((*cells[:4], cells[-1]),))


def paired_delta(
    metric: str | Metric, y_true: Any, pred_a: Any = None, pred_b: Any = None, *,
    labels: Any = None, method: Method = "bca", level: float = 0.95, n_resamples: int = 9999,
    clusters: Any = None, sample_weight: Any = None, names: tuple[str, str] = ("A", "B"),
    unknown: Policy = "raise", missing: Policy = "raise", rng: Rng = None,
) -> Delta:  # fmt: skip
    """Difference of two models on the same items, with interval and permutation test.

    Parameters
    ----------
    metric
        A measure or its name.
    y_true, pred_a, pred_b
        The true label of each item and the predictions of both models; or, in place of all three,
        an array of joint counts (K, K, K): truth x prediction of A x prediction of B.
    names
        What the two models are called.
    labels, method, level, n_resamples, clusters, sample_weight, unknown, missing, rng
        As for ``confidence_interval``; ``method`` is ``"bca"`` or ``"percentile"``.

    Examples
    --------
    >>> y_true = [1, 2, 3] * 30
    >>> a = [1, 2, 3] * 20 + [1, 2, 2] * 10
    >>> b = [1, 2, 3] * 20 + [1, 1, 1] * 10
    >>> print(paired_delta("mean_absolute_error", y_true, a, b, rng=0))
    mean_absolute_error: A - B = -0.222 [-0.322, -0.144], p = 0.0001
    """
    (chosen,) = choose([metric])
    if len(names) != 2 or names[0] == names[1]:
        raise ParameterError(f"names must be the different names of two models; got {names!r}.")
    how = Resampling(method=method, level=level, n_resamples=n_resamples, paired=True)
    if pred_a is None and pred_b is None:
        if clusters is not None or sample_weight is not None:
            raise LabelError("clusters and weights go with labels, not with joint counts.")
        observed = _observe_joint(y_true, labels)
    else:
        items = read_items(
            y_true, {"pred_a": pred_a, "pred_b": pred_b}, labels=labels,
            sample_weight=sample_weight, misfits=Misfits(unknown, missing),
        )  # fmt: skip
        observed = Observed(sample_of(items, clusters=clusters), items.scale, items.implied)
    if observed.implied:
        warn_of_unused_levels([chosen], observed.scale)
    warn(observed.situation())
    sample, generator = observed.sample, as_rng(rng)
    replicates = evaluate_draws([chosen], sample.draws(n_resamples, generator))
    pair = Pair((0, 1), names, sample.leave_one_out((0, 1)))
    values = values_of(chosen, sample.counts)
    p = permutation_p_values({chosen: values}, sample, pair, n_resamples, generator)[chosen.name]
    return make_delta(chosen, pair, values, replicates[chosen.name], p_value=p, how=how)


class Pair(NamedTuple):
    """Two of the models of a sample."""

    models: tuple[int, int]
    names: tuple[str, str]
    left: LeftOut  # both matrices, with one unit less


def _observe_joint(joint: Any, labels: Any) -> Observed:
    """Items from joint counts (K, K, K), truth x A x B."""
    try:
        shown = f"shape {np.shape(joint)}"
        cube = len(np.shape(joint)) == 3 and len(set(np.shape(joint))) == 1
    except ValueError:
        shown, cube = "lists of different lengths", False
    if not cube:
        raise CountsError(
            f"paired_delta takes y_true, pred_a and pred_b, or joint counts of shape (K, K, K); "
            f"got {shown}."
        )
    whole = whole_counts(validate_counts(joint))
    truth, a, b = np.nonzero(whole)
    sample = ItemSample(
        truth=truth, predictions=np.stack([a, b], axis=1), weight=np.ones(len(truth)),
        count=whole[truth, a, b], k=len(whole),
    )  # fmt: skip
    return Observed(sample, ConfusionMatrix(whole.sum(axis=-1), labels).scale, implied=False)


def compared(metric: Metric, values: Any) -> Any:
    """What is subtracted: the value, or its distance to the best one of a two-sided measure."""
    return -metric.utility(values) if metric.greater_is_better is None else values


def make_delta(
    metric: Metric, pair: Pair, values: Floats, replicates: Floats, *,
    p_value: float, how: Resampling,
) -> Delta:  # fmt: skip
    """The difference of two of the models whose values (M,) and replicates (n, M) are given."""
    models, names = list(pair.models), pair.names
    a, b = values[models].tolist()
    drawn = compared(metric, replicates[:, models])
    left = None
    if how.method == "bca":
        without = compared(metric, values_of(metric, pair.left.matrices))
        left = Jackknife(without[:, 0] - without[:, 1], pair.left.count, pair.left.stratum)
    delta = float(compared(metric, a) - compared(metric, b))
    interval = make_interval(metric, delta, drawn[:, 0] - drawn[:, 1], left, how)
    gain = metric.utility(a) - metric.utility(b)
    favours = None if not abs(gain) > 1e-12 else names[0] if gain > 0 else names[1]
    return Delta(
        metric=metric.name, a=names[0], b=names[1], value_a=a, value_b=b, delta=delta,
        low=interval.low, high=interval.high, level=how.level, method=how.method,
        n_resamples=interval.n_resamples, undefined_share=interval.undefined_share,
        p_value=p_value, favours=favours,
    )  # fmt: skip


def permutation_p_values(
    values: Mapping[Metric, Floats], sample: Sample, pair: Pair, n: int, rng: np.random.Generator
) -> dict[str, float]:
    """Two-sided p-values by swapping two models' predictions; the observed case counts.

    ``values`` are those of all models (M,), by the measure.
    """
    observed = {m: float(_gap(m, x[list(pair.models)])) for m, x in values.items()}
    extreme = dict.fromkeys(observed, 1)
    for block in swapped(sample, pair, n, rng):
        for m in values:
            gaps = _gap(m, values_of(m, block))
            # A swap without a value is no evidence against chance.
            extreme[m] += int(np.count_nonzero(~(np.abs(gaps) < np.abs(observed[m]) - 1e-12)))
    return {m.name: extreme[m] / (n + 1) if x == x else np.nan for m, x in observed.items()}


def _gap(metric: Metric, values: Floats) -> Any:
    """The difference of two models whose values are (..., 2)."""
    both = compared(metric, values)
    return both[..., 0] - both[..., 1]


def swapped(sample: Sample, pair: Pair, n: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Blocks (b, 2, K, K) of the two models' matrices after random swaps, n in all."""
    difference, count = _exchanges(sample, pair)
    k = sample.counts.shape[-1]
    a, b = (sample.counts[m].astype(np.float64).ravel() for m in pair.models)
    for size in blocks(n, 8 * max(len(difference), 4 * k * k)):
        moved = rng.binomial(count, 0.5, (size, len(count))) @ difference
        yield np.stack([a - moved, b + moved], axis=1).reshape(size, 2, k, k)


def _exchanges(sample: Sample, pair: Pair) -> tuple[Floats, Integers]:
    """What swapping a unit takes from A and gives to B (U, K * K), and how many units do so."""
    if isinstance(sample, CellSample):
        raise LabelError("a paired comparison needs the predictions of both models on each item.")
    units = sample.counts[list(pair.models)] - pair.left.matrices
    flat = (units[:, 0] - units[:, 1]).reshape(len(units), -1).astype(np.float64)
    differs = flat.any(axis=1)
    return flat[differs], np.rint(pair.left.count[differs]).astype(np.int64)


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
