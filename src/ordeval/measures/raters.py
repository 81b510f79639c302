"""Agreement of several raters, with missing ratings allowed.

Kernels take a Tally (sums over items) and return values, for any number of tallies at once. Where
a measure equals a two-rater measure, it uses that kernel.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.ratings import Ratings, as_ratings
from ordeval.data.ratings.facts import coincidences, own_pairs, raters_of, summed
from ordeval.exceptions import LabelError
from ordeval.measures.agreement import (
    QUADRATIC,
    brennan_prediger,
    krippendorff_alpha,
    observed_disagreement,
    pooled_corrected,
    spread_corrected,
)
from ordeval.measures.calls import RatingOptions, WeightedRatingOptions
from ordeval.measures.metric import Metric, Needs, check_number
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import ratio
from ordeval.measures.parts.checks import Weighting, disagreement_weights, weight_matrix
from ordeval.measures.parts.facts import SIGNED, Kernel, Range
from ordeval.measures.registry import SharedFacts, refuse_other_needs

_BLOCK: Final = 1 << 22  # pairs of levels of items in memory at once


class Habits(NamedTuple):
    """Use of the levels, summed over raters; every array may have leading axes.

    Raters are not held individually: there may be many more raters than items in a part.
    """

    raters: Floats  # (...,), the number of raters with a rating
    shares: Floats  # (..., K), the shares of the levels among each rater's ratings, summed
    products: Floats  # (..., K, K), the products of these shares, summed

    @classmethod
    def of_each(cls, used: Floats) -> Habits:
        """Return the habits of each rater, from its number of ratings per level (R, K)."""
        shares = _shares_of_each(used)
        there = np.asarray(used.any(axis=-1), dtype=np.float64)
        return cls(there, shares, shares[:, :, None] * shares[:, None, :])

    @classmethod
    def of(cls, used: Floats) -> Habits:
        """Return the habits of all raters, from their numbers of ratings per level (R, K)."""
        shares = _shares_of_each(used)
        raters = np.asarray(used.any(axis=-1).sum(), dtype=np.float64)
        return cls(raters, shares.sum(axis=0), shares.T @ shares)

    def less(self, before: Floats, after: Floats, group: Integers, size: int) -> Habits:
        """Return the habits in groups in which some raters have fewer ratings.

        The number of ratings of these raters per level changes from ``before`` to ``after`` (n,
        K).
        """
        found = Habits(*(np.repeat(x[None], size, axis=0) for x in map(np.asarray, self)))
        step = max(1, _BLOCK // before.shape[1] ** 2)
        for i in range(0, len(before), step):
            part = slice(i, i + step)
            each = zip(Habits.of_each(before[part]), Habits.of_each(after[part]), strict=True)
            for total, (b, a) in zip(found, each, strict=True):
                total -= summed(b - a, group[part], size)
        return found


def _shares_of_each(used: Floats) -> Floats:
    """Return the shares of the levels among each rater's ratings (R, K), zeros without ratings."""
    return np.nan_to_num(ratio(used, used.sum(axis=-1, keepdims=True)))


class Tally(NamedTuple):
    """Sums of ratings over items; every array may have leading axes."""

    coincidences: Floats  # (..., K, K), pairs of an item's ratings divided by its other raters
    pairs: Floats  # (..., K, K), the same as shares of the item: each item rated twice adds 1
    shares: Floats  # (..., K), of the levels among the item's ratings: each rated item adds 1
    habits: Habits

    @classmethod
    def of_ratings(cls, ratings: Ratings) -> Tally:
        """Return the tally of ratings, in which each rater counts once.

        For raters with several runs, it is the mean over all ways to keep one run of each.
        """
        if ratings.owner is None:  # no item is looked at by itself
            n, raters = ratings.counts.astype(np.float64), raters_of(ratings.counts)
            shares = n / np.maximum(raters, 1.0)[:, None]
            others = np.where(raters > 1, raters - 1, np.inf)[:, None]
            together, pairs = _pairs(n, n / others), _pairs(n, shares / others)
            return cls(together, pairs, shares.sum(axis=0), Habits.of(ratings.used))
        none = np.zeros(len(ratings.items), dtype=np.int64)
        together, pairs, shares = (x[0] for x in sums_of_items(ratings, none, 1))
        return cls(together, pairs, shares, Habits.of(ratings.used))


def _pairs(n: Floats, weighed: Floats) -> Floats:
    """Return the pairs (K, K) of ratings of one item; a rating makes none with itself."""
    found = weighed.T @ n
    np.fill_diagonal(found, (weighed * (n - 1)).sum(axis=0))
    return np.asarray(found)


def sums_of_items(ratings: Ratings, group: Integers, size: int) -> tuple[Floats, Floats, Floats]:
    """Sum the coincidences, pairs and shares of items in groups; -1 excludes an item."""
    k, step = ratings.k, max(1, _BLOCK // ratings.k**2)
    found = np.zeros((size, k, k)), np.zeros((size, k, k)), np.zeros((size, k))
    for first in range(0, len(ratings.items), step):
        last = min(first + step, len(ratings.items))
        own = None
        if ratings.owner is not None:
            said = ratings.entries.of_items(first, last).opinions(k, ratings.owner)
            own = own_pairs(said, last - first)
        here = group[first:last]
        for total, part in zip(found, by_item(ratings.counts[first:last], own), strict=True):
            total += summed(part, here + 1, size + 1)[1:]  # -1 has a group of its own
    return found


def by_item(counts: NDArray[Any], own: Floats | None = None) -> tuple[Floats, Floats, Floats]:
    """Return coincidences, pairs and shares of items from the ratings per level (n, K)."""
    together = coincidences(counts, own)
    over = np.maximum(raters_of(counts), 1.0)
    return together, together / over[:, None, None], counts / over[:, None]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatingMetric(Metric):
    """A measure of the ratings of several raters; its kernel takes a Tally."""

    needs: ClassVar[Needs] = "ratings"

    def __call__(  # type: ignore[override]
        self,
        ratings: Any,
        *others: Any,
        labels: Any = None,
        undefined: float = np.nan,
        **params: Any,
    ) -> float:
        """Return the agreement of Ratings, or of a table of items by raters."""
        if others:
            refuse_other_needs(self)
        ratings = as_ratings(ratings, labels)
        undefined = check_number(undefined, self.name)
        checked = self.check_parameters(params, ratings.k)
        value = float(value_of(self, Tally.of_ratings(ratings), checked))
        return self._or_undefined(value, ratings.counts, checked, undefined)

    def from_confusion(self, counts: Any, *, undefined: float = np.nan, **params: Any) -> Any:
        """Raise an error: a confusion matrix holds two raters at most."""
        raise LabelError(
            f"{self.name} is a measure of the ratings of several raters; call it as "
            f"{self.name}(table), a table of items by raters."
        )


def _signed(k: int) -> tuple[float, float]:
    return SIGNED[0], SIGNED[1]


class PlainRatingMetric(RatingMetric):
    """A measure of ratings without parameters."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, ratings: Any, **options: Unpack[RatingOptions]
        ) -> float:
            """Compute the agreement of ratings."""


class WeightedRatingMetric(RatingMetric):
    """A measure of ratings that weights each disagreement."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, ratings: Any, **options: Unpack[WeightedRatingOptions]
        ) -> float:
            """Compute the agreement of ratings."""


measure = SharedFacts(
    WeightedRatingMetric,
    family="agreement",
    best=1,
    greater_is_better=True,
    # Items rated once count in the expected, but not in the observed disagreement.
    range=Range(-np.inf, 1, _signed, "[-1, 1] without gaps"),
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when="no item has two ratings, or all ratings are of one level",
    parameters={"weights": disagreement_weights},
)
_OBSERVED: Final = (
    r"D_{\text{o}} &= \frac{1}{N_2} \sum_{m_u \ge 2} \sum_{i,j} w_{ij}"
    r" \frac{n_{ui}\, (n_{uj} - [\, i = j\, ])}{m_u\, (m_u - 1)}"
)


@measure(
    symbol="κF",
    reference=ref.FLEISS_1971,
    formula=r"\begin{split} \kappa_{\text{F}} &= 1 - \frac{D_{\text{o}}}"
    r"{\sum_{i,j} w_{ij}\, \pi_i\, \pi_j}, \qquad " + QUADRATIC + r", \\ " + _OBSERVED + r", \\"
    r" \pi_i &= \frac{1}{N_1} \sum_{m_u \ge 1} \frac{n_{ui}}{m_u} \end{split}",
)
def fleiss_kappa(t: Tally, *, weights: Weighting | Floats = "quadratic") -> Floats:
    """Agreement of several raters; chance comes from the pooled use of the levels.

    With two raters and no gaps it is ``scott_pi``. Default: quadratic weights; Fleiss' own
    coefficient is ``weights="nominal"``.

    >>> round(fleiss_kappa([[1, 1, 2], [3, 3, 3], [2, 2, None], [1, 2, 2]]), 4)
    0.6667
    """
    return pooled_corrected(t.pairs, _mean_shares(t), weights)


@measure(
    symbol="κC",
    reference=ref.CONGER_1980,
    formula=r"\begin{split} \kappa_{\text{C}} &= 1 - \frac{D_{\text{o}}}"
    r"{\sum_{i,j} w_{ij} \left( \bar{q}_i\, \bar{q}_j - s_{ij} / R \right)}, \qquad "
    + QUADRATIC
    + r", \\ "
    + _OBSERVED
    + r", \\ \bar{q}_i &= \frac{1}{R} \sum_g q_{gi},"
    r" \qquad s_{ij} = \frac{1}{R - 1} \sum_g (q_{gi} - \bar{q}_i)(q_{gj} - \bar{q}_j) \end{split}",
)
def conger_kappa(t: Tally, *, weights: Weighting | Floats = "quadratic") -> Floats:
    """Agreement of several raters; chance comes from each rater's use of the levels.

    With two raters and no gaps it is ``weighted_kappa``. Raters who use the scale differently are
    expected to agree less and are not penalised for it, unlike in ``fleiss_kappa``. Default:
    quadratic weights.

    >>> round(conger_kappa([[1, 1, 2], [3, 3, 3], [2, 2, None], [1, 2, 2]]), 4)
    0.7
    """
    w = weight_matrix(weights, t.pairs.shape[-1])
    raters = t.habits.raters[..., None]
    mean = t.habits.shares / np.maximum(raters, 1)
    squares = mean[..., :, None] * mean[..., None, :]
    over = np.maximum(raters - 1, 1) * np.maximum(raters, 1)
    covariance = (t.habits.products - raters[..., None] * squares) / over[..., None]
    expected = (w * (squares - covariance)).sum(axis=(-2, -1))
    return np.asarray(1.0 - ratio(observed_disagreement(t.pairs, w), expected))


@measure(
    symbol="ICC",
    kind=PlainRatingMetric,
    parameters={},
    reference=ref.SHROUT_1979,
    range=Range(-np.inf, 1),
    undefined_when="no item has two ratings, all ratings are of one level, or one item has ratings",
    formula=r"\begin{split} \text{ICC} &= \frac{c}{v + s - (v - c) / N_2}, \\"
    r" c &= v - \frac{N_2}{N_2 - 1} \left( \frac{D_{\text{o}}}{2} - s \right), \qquad"
    r" v = \frac{N_2}{N_2 - 1} \left( \frac{D_{\text{e}}}{2} - s \right), \\ "
    + _OBSERVED.replace("w_{ij}", "(i - j)^2")
    + r", \\ D_{\text{e}} &= \frac{1}{R (R - 1)} \sum_{i,j} (i - j)^2"
    r" \left( R^2 \bar{q}_i\, \bar{q}_j - \sum_g q_{gi}\, q_{gj} \right), \\"
    r" s &= \frac{1}{R - 1} \sum_g \left( \sum_i i\, (q_{gi} - \bar{q}_i) \right)^2,"
    r" \qquad \bar{q}_i = \frac{1}{R} \sum_g q_{gi} \end{split}",
)
def intraclass_correlation(t: Tally) -> Floats:
    """Intraclass correlation ICC(2,1): absolute agreement of single ratings, in steps.

    Raters and items are random. It is near the quadratic weighted ``conger_kappa``, from which it
    differs by the corrections for the number of items. Without gaps it is that of the two-way
    analysis of variance; with gaps, its mean squares are estimated from the pairs of ratings.

    >>> round(intraclass_correlation([[1, 1, 2], [3, 3, 3], [2, 2, 2], [1, 2, 2]]), 4)
    0.7391
    """
    k = t.pairs.shape[-1]
    steps = np.arange(k, dtype=np.float64)
    squared = (steps[:, None] - steps) ** 2
    items = t.pairs.sum(axis=(-2, -1))
    raters = t.habits.raters
    apart = np.maximum(raters - 1, 1) * np.maximum(raters, 1)
    sums = t.habits.shares @ steps  # of the raters' means
    of_squares = np.einsum("...ij,i,j->...", t.habits.products, steps, steps)
    between = (of_squares - sums**2 / np.maximum(raters, 1)) / np.maximum(raters - 1, 1)
    every = t.habits.shares[..., :, None] * t.habits.shares[..., None, :]
    expected = (squared * (every - t.habits.products)).sum(axis=(-2, -1)) / apart
    larger = ratio(items, items - 1)
    within = larger * (observed_disagreement(t.pairs, squared) / 2 - between)
    variance = larger * (expected / 2 - between)
    whole = variance + between - ratio(within, items)
    return np.asarray(ratio(variance - within, whole))


def _mean_shares(t: Tally) -> Floats:
    return ratio(t.shares, t.shares.sum(axis=-1, keepdims=True))


def _alpha(t: Tally, **params: Any) -> Floats:
    # Each pair of ratings counts in both directions: two raters' matrix plus its transpose.
    return np.asarray(krippendorff_alpha.kernel(t.coincidences / 2, **params))


def _ac2(t: Tally, *, weights: Weighting | Floats = "quadratic") -> Floats:
    return spread_corrected(t.pairs, _mean_shares(t), weights)


def _uniform(t: Tally, **params: Any) -> Floats:
    return np.asarray(brennan_prediger.kernel(t.pairs, **params))


# Two-rater measures that are also defined for more raters.
_MORE: Final[dict[str, Kernel]] = {
    "krippendorff_alpha": _alpha,
    "gwet_ac2": _ac2,
    "brennan_prediger": _uniform,
}


def value_of(metric: Metric, tally: Tally, params: Mapping[str, Any] | None = None) -> Any:
    """Return the values of tallies, NaN where undefined."""
    k = tally.pairs.shape[-1]
    checked = metric.check_parameters({}, k) if params is None else dict(params)
    kernel = metric.kernel if metric.needs == "ratings" else _MORE[metric.registered_as]
    values = np.asarray(kernel(tally, **checked), dtype=np.float64)
    return np.where(tally.pairs.any(axis=(-2, -1)), values, np.nan)
