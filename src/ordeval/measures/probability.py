"""Measures of predicted probabilities, built from sums of item losses and class sizes.

A kernel gives the loss of each item of a ForecastItems (n,). ``combine`` maps sums over items, the
loss and the size of each class (..., 1 + K), to values (...), usually the mean. These sums can be
split, merged and resampled like matrices of counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import CHUNK, Floats
from ordeval.data.probabilities import Forecasts, read_forecasts
from ordeval.exceptions import LabelError, ParameterError
from ordeval.measures.calls import (
    ForecastCutOptions,
    ForecastCutsOptions,
    ForecastOptions,
    NormalizeOptions,
)
from ordeval.measures.metric import Contributes, Metric, Needs, check_number
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import ratio
from ordeval.measures.parts.checks import OneOf
from ordeval.measures.parts.cut_levels import LevelAbove
from ordeval.measures.parts.facts import NO_ITEMS, ONE_TRUE_CLASS, UNIT, Range, steps
from ordeval.measures.registry import SharedFacts
from ordeval.measures.threshold import CUT


@dataclass(frozen=True, eq=False)
class ForecastItems:
    """Items: the truth, as positions (n,) or shares (n, K), and probabilities (n, K)."""

    truth: NDArray[Any]
    prob: Floats

    @property
    def k(self) -> int:
        """Return the number of levels."""
        return int(self.prob.shape[1])

    @cached_property
    def below(self) -> Floats:
        """Return the probability of each level or a lower one, except the last (n, K - 1)."""
        return np.cumsum(self.prob[:, :-1], axis=1)

    @cached_property
    def above(self) -> Floats:
        """Return the probability of exceeding each level, except the last (n, K - 1)."""
        return np.cumsum(self.prob[:, :0:-1], axis=1)[:, ::-1]

    @cached_property
    def happened(self) -> NDArray[Any]:
        """Return whether, or with which share, the truth is at most each level (n, K - 1)."""
        if self.truth.ndim == 2:
            return np.cumsum(self.truth[:, :-1], axis=1)
        return self.truth[:, None] <= np.arange(self.k - 1)

    def apart(self) -> Iterator[Floats]:
        """Yield the forecast error at each cut (n,), in an array that is reused.

        Looping over cuts avoids a table, which would be several times as slow.
        """
        forecast, found = np.zeros(len(self.prob)), np.empty(len(self.prob))
        truth = np.zeros(len(self.prob)) if self.truth.ndim == 2 else None
        for k in range(self.k - 1):
            forecast += self.prob[:, k]
            if truth is None:
                yield np.subtract(forecast, self.truth <= k, out=found)
            else:
                truth += self.truth[:, k]
                yield np.subtract(forecast, truth, out=found)

    @property
    def shares(self) -> Floats:
        """Return the truth as shares (n, K)."""
        if self.truth.ndim == 2:
            return np.asarray(self.truth, dtype=np.float64)
        return np.asarray(self.truth[:, None] == np.arange(self.k), dtype=np.float64)


def mean_loss(sums: Floats) -> Floats:
    """Return the mean over items, from sums (..., 1 + K) of the loss and of the classes."""
    return ratio(sums[..., 0], sums[..., 1:].sum(axis=-1))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProbabilityMetric(Metric):
    """A measure of predicted probabilities; its kernel gives the loss of each item."""

    needs: ClassVar[Needs] = "probabilities"

    combine: Callable[[Floats], Floats] = mean_loss
    takes_shares: bool = True  # the truth may be a distribution

    def contributes_by(self, *, scored: bool) -> Contributes:
        """Return that probabilities contribute by their losses."""
        return "losses"

    def __call__(  # type: ignore[override]
        self,
        y_true: Any,
        y_prob: Any,
        *others: Any,
        labels: Any = None,
        sample_weight: Any = None,
        undefined: float = np.nan,
        **params: Any,
    ) -> float:
        """Score predicted probabilities (n, K), columns in the order of the scale."""
        self.refuse_positional(y_true, others)
        undefined = check_number(undefined, self.name)
        given = self._read(y_true, y_prob, labels, sample_weight)
        self.refuse_shares(given.truth)
        checked = self.checked_on(given.scale, params)
        losses = self.losses(given.truth, given.prob, checked)
        sums = sums_of(losses, given.truth, given.scale.k, given.weights)
        value, weighted = float(self.combine(sums)), given.weights is not None
        return self._or_undefined(value, sums[1:], checked, undefined, weighted=weighted)

    def _read(self, y_true: Any, y_prob: Any, labels: Any, sample_weight: Any) -> Forecasts:
        return read_forecasts(y_true, y_prob, labels, sample_weight)

    def refuse_shares(self, truth: NDArray[Any]) -> None:
        """Raise an error for a distribution as the truth if the measure needs a class."""
        if truth.ndim == 2 and not self.takes_shares:
            raise LabelError(
                f"{self.name} needs one true class for each item; y_true holds shares of classes. "
                f"ranked_probability_score takes both."
            )

    def losses(
        self, truth: NDArray[Any], prob: Floats, params: Mapping[str, Any] | None = None
    ) -> Floats:
        """Return the loss of each item (n,), in chunks that fit the cache."""
        checked = self.check_parameters({}, prob.shape[1]) if params is None else params
        found = np.empty(len(prob))
        for start in range(0, len(prob), CHUNK):
            part = slice(start, start + CHUNK)
            with np.errstate(divide="ignore"):  # the logarithm of 0 is an infinite loss
                found[part] = self.kernel(ForecastItems(truth[part], prob[part]), **checked)
        return found

    def from_confusion(self, counts: Any, *, undefined: float = np.nan, **params: Any) -> Any:
        """Raise an error: a confusion matrix does not hold probabilities."""
        raise LabelError(
            f"{self.name} needs predicted probabilities, not a confusion matrix; call it "
            f"as {self.name}(y_true, y_prob, labels=...)."
        )


def sums_of(losses: Floats, truth: NDArray[Any], k: int, weights: Floats | None = None) -> Floats:
    """Return the sums over items (1 + K): their losses, and the size of each class."""
    # An infinite loss with zero weight does not count.
    loss = losses.sum() if weights is None else np.where(weights > 0, losses, 0.0) @ weights
    if truth.ndim == 2:
        sizes = truth.sum(axis=0) if weights is None else weights @ truth
    else:
        sizes = np.bincount(truth, weights=weights, minlength=k)
    return np.concatenate([[loss], sizes])


class ForecastMetric(ProbabilityMetric):
    """A measure of probabilities without parameters."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_prob: Any, **options: Unpack[ForecastOptions]
        ) -> float:
            """Score predicted probabilities."""


class NormalizedMetric(ProbabilityMetric):
    """A measure of probabilities that can be normalised."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_prob: Any, **options: Unpack[NormalizeOptions]
        ) -> float:
            """Score predicted probabilities."""


class ForecastCutsMetric(ProbabilityMetric):
    """A measure of probabilities of all cuts of the scale together, or of one of them."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_prob: Any, **options: Unpack[ForecastCutsOptions]
        ) -> float:
            """Score predicted probabilities."""


class ForecastCutMetric(ProbabilityMetric):
    """A measure of probabilities of one cut of the scale."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_prob: Any, **options: Unpack[ForecastCutOptions]
        ) -> float:
            """Score predicted probabilities."""


measure = SharedFacts(
    ForecastMetric,
    family="probability",
    best=0,
    greater_is_better=False,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    reference=ref.EPSTEIN_1969,
)
STEPS = Range(0, np.inf, steps, "[0, K - 1], normalised [0, 1]")


def _facts_of_normalize(*, normalize: bool = False) -> dict[str, Any]:
    return {"range": UNIT if normalize else STEPS}


def _squared(items: ForecastItems) -> Floats:
    """Return the squared errors of the cumulative probabilities, summed over the cuts."""
    total = np.zeros(len(items.prob))
    for apart in items.apart():
        apart *= apart
        total += apart
    return total


@measure(
    kind=NormalizedMetric,
    symbol="RPS",
    range=STEPS,
    varying=_facts_of_normalize,
    undefined_when="normalize=True and the scale has only one level",
    parameters={"normalize": OneOf("normalize", (True, False))},
    formula=r"\begin{split} \text{RPS} &= \frac{1}{N} \sum_x \sum_{k = 0}^{K - 2}"
    r" \left( F_{xk} - [\, y_x \le k\, ] \right)^2,"
    r" \qquad F_{xk} = \sum_{j \le k} p_{xj}, \\"
    r" & \text{divided by } K - 1 \text{ if normalize is True} \end{split}",
)
def ranked_probability_score(items: ForecastItems, *, normalize: bool = False) -> Floats:
    """Mean squared distance of the cumulative predicted distribution to the truth.

    It depends on how far from the truth the probability lies, not only on the probability of the
    true class. ``normalize=True`` divides by K - 1, so that the score lies between 0 and 1. The
    truth may be the share of raters per level.

    >>> ranked_probability_score([0, 2], [[1, 0, 0], [0, 1, 0]], labels=[0, 1, 2])
    0.5
    """
    score = _squared(items)
    return ratio(score, items.k - 1.0) if normalize else score


def _skill(sums: Floats) -> Floats:
    """Return one minus the loss over that of forecasting the class shares for every item."""
    sizes, total = sums[..., 1:], sums[..., 1:].sum(axis=-1)
    below = np.cumsum(sizes, axis=-1)[..., :-1]
    of_prior = ratio((below * (total[..., None] - below)).sum(axis=-1), total)
    return 1.0 - ratio(sums[..., 0], of_prior)


@measure(
    symbol="RPSS",
    best=1,
    range=Range(-np.inf, 1),
    greater_is_better=True,
    undefined_when=ONE_TRUE_CLASS,
    combine=_skill,
    takes_shares=False,
    formula=r"\begin{split} \text{RPSS} &= 1 - \frac{\sum_x \sum_{k = 0}^{K - 2}"
    r" \left( F_{xk} - [\, y_x \le k\, ] \right)^2}{N \sum_{k = 0}^{K - 2} G_k\, (1 - G_k)}, \\"
    r" F_{xk} &= \sum_{j \le k} p_{xj}, \qquad G_k = \frac{1}{N} \sum_{i \le k} r_i \end{split}",
)
def ranked_probability_skill_score(items: ForecastItems) -> Floats:
    """1 - RPS / RPS of the class prior: the improvement over forecasting the class shares.

    The prior is the distribution of ``y_true``.

    >>> ranked_probability_skill_score([0, 1], [[0.75, 0.25], [0.25, 0.75]], labels=[0, 1])
    0.75
    """
    return _squared(items)


def _lost_bits(share: Any, prob: Floats) -> Floats:
    """Return minus share times the logarithm of the probability; a share of zero costs nothing."""
    with np.errstate(invalid="ignore"):
        return np.where(np.asarray(share) > 0, -np.asarray(share) * np.log(prob), 0.0)


@measure(
    symbol="LogLoss",
    range=Range(0, np.inf),
    reference=ref.GOOD_1952,
    undefined_when=NO_ITEMS,
    formula=r"\text{LogLoss} = -\frac{1}{N} \sum_x \log p_{x y_x}",
)
def ordinal_log_loss(items: ForecastItems) -> Floats:
    """Mean of minus the logarithm of the probability of the true class.

    It depends on the true class alone and ignores whether the remaining probability lies near or
    far; ``threshold_log_loss`` does not. An item whose true class has probability 0 makes it
    infinite.

    >>> round(ordinal_log_loss([0, 1], [[0.5, 0.5], [0.25, 0.75]], labels=[0, 1]), 4)
    0.4904
    """
    if items.truth.ndim == 2:
        return np.asarray(_lost_bits(items.truth, items.prob).sum(axis=1))
    return np.asarray(-np.log(items.prob[np.arange(len(items.prob)), items.truth]))


@measure(
    kind=ForecastCutsMetric,
    symbol="CutLogLoss",
    range=Range(0, np.inf),
    reference=ref.GOOD_1952,
    undefined_when=NO_ITEMS,
    parameters={"at_least": LevelAbove("at_least", optional=True)},
    formula=r"\begin{split} \text{CutLogLoss} &= -\frac{1}{N} \sum_x \sum_{k = 0}^{K - 2}"
    r" \log \left( [\, y_x \le k\, ]\, F_{xk} + [\, y_x > k\, ]\, (1 - F_{xk}) \right), \\"
    r" F_{xk} &= \sum_{j \le k} p_{xj} \end{split}",
)
def threshold_log_loss(items: ForecastItems, *, at_least: int | None = None) -> Floats:
    """Log loss of each cut of the scale, ``y <= k`` or not, summed over the cuts.

    A distribution far from the truth pays at every cut in between. With ``at_least``, the lowest
    level above a cut, it is the log loss of that cut alone.

    >>> round(threshold_log_loss([0], [[0.5, 0.25, 0.25]], labels=[0, 1, 2]), 4)
    0.9808
    >>> round(threshold_log_loss([0], [[0.5, 0.25, 0.25]], labels=[0, 1, 2], at_least=1), 4)
    0.6931
    """
    happened = items.happened
    if items.truth.ndim == 2:
        still = np.cumsum(items.truth[:, :0:-1], axis=1)[:, ::-1]
        lost = _lost_bits(happened, items.below) + _lost_bits(still, items.above)
    else:
        lost = -np.log(np.where(happened, items.below, items.above))
    chosen = slice(None) if at_least is None else slice(at_least - 1, at_least)
    return np.asarray(lost[:, chosen].sum(axis=1))


@measure(
    kind=ForecastCutMetric,
    symbol="CutBrier",
    range=UNIT,
    reversal_invariant=False,
    depends_on_empty_levels=True,
    reference=ref.BRIER_1950,
    undefined_when="the scale has only one level",
    parameters={"at_least": CUT},
    formula=r"\text{CutBrier} = \frac{1}{N} \sum_x \left( \sum_{j < t} p_{xj}"
    r" - [\, y_x < t\, ] \right)^2, \qquad t = \text{at least}",
)
def threshold_brier(items: ForecastItems, *, at_least: int) -> Floats:
    """Brier score of one cut of the scale; the RPS is their sum over all cuts.

    ``at_least`` is the lowest level above the cut.

    >>> threshold_brier([0, 2], [[1, 0, 0], [0, 1, 0]], labels=[0, 1, 2], at_least=2)
    0.5
    """
    if items.k < 2:
        return np.full(len(items.prob), np.nan)
    apart = next(itertools.islice(items.apart(), at_least - 1, None))
    return np.asarray(apart**2)


def check_truth(metrics: tuple[Metric, ...], truth: NDArray[Any]) -> None:
    """Raise an error if the truth is a distribution and a measure needs one true class."""
    for metric in metrics:
        if isinstance(metric, ProbabilityMetric):
            metric.refuse_shares(truth)
        elif truth.ndim == 2:
            raise ParameterError(
                f"{metric.name} needs one true class for each item; y_true holds shares of classes."
            )
