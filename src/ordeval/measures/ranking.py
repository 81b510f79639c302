"""Measures of how well scores order the items by class.

A score is a prediction on a finer scale. All measures here are functions of the wins between
classes (K, K), computed from the table truth x score level: the number of pairs of items, one of
class i and one of class j, in which the second has the higher score, with ties counting half.
Predicted labels are scores on K levels, so the measures also take a confusion matrix.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Policy
from ordeval.data.items import read_weights
from ordeval.data.probabilities import (
    Forecasts,
    are_scores,
    is_table,
    read_forecasts,
    read_scores,
    read_truth,
)
from ordeval.data.same_items import check_same_items
from ordeval.exceptions import LabelError
from ordeval.measures.calls import RankingCutOptions, RankingOptions
from ordeval.measures.metric import Contributes, Metric, check_number
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.arrays import before, ratio, signed_distance
from ordeval.measures.parts.facts import ONE_TRUE_CLASS, UNIT, Kernel
from ordeval.measures.registry import SharedFacts
from ordeval.measures.threshold import CUT

M = TypeVar("M", bound="RankingMetric")
_DIGITS: Final = 12


def wins_of_table(n: Floats) -> Floats:
    """Return the wins (..., K, K) of the column's class over the row's, from counts (..., K, L)."""
    below = before(n) + n / 2
    return np.asarray(np.einsum("...il,...jl->...ij", below, n))


class Standing:
    """The scores of items relative to each other: how much of each class lies below each score."""

    def __init__(
        self, truth: NDArray[Any], scores: Floats, k: int, weights: Floats | None = None
    ) -> None:
        order = np.argsort(scores, kind="stable")
        ordered = scores[order]
        new = np.empty(len(scores), dtype=bool)
        new[:1], new[1:] = True, ordered[1:] != ordered[:-1]
        level = np.empty(len(scores), dtype=np.intp)
        level[order] = np.cumsum(new) - 1
        size = int(new.sum())
        table = np.bincount(level * k + truth, weights=weights, minlength=size * k)
        self.weighted = weights is not None
        self.weights = np.ones(len(scores)) if weights is None else weights
        self.level = level  # (n,), the index of each item's score among the distinct scores
        self.table = table.reshape(size, k).astype(np.float64)
        # How much of each class lies below a score (L, K), ties half.
        self.below = np.cumsum(self.table, axis=0) - self.table / 2

    @cached_property
    def wins(self) -> Floats:
        """Return the wins (K, K) of the column's class over the row's."""
        return np.asarray(self.below.T @ self.table)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RankingMetric(Metric):
    """A measure of scores or labels; ``of_wins`` is its kernel from the wins of classes."""

    of_wins: Kernel

    @property
    def takes_scores(self) -> bool:
        """Return True: these measures can be computed from scores."""
        return True

    def contributes_by(self, *, scored: bool) -> Contributes:
        """Return that scores contribute by their placements among the others, labels by cells."""
        return "placements" if scored else "cells"

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        *others: Any,
        y_score: Any = None,
        labels: Any = None,
        sample_weight: Any = None,
        undefined: float = np.nan,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        **params: Any,
    ) -> float:
        """Score labels, probabilities, or scores: numbers not all whole, or ``y_score``."""
        if y_score is not None and y_pred is not None:
            raise LabelError(f"{self.name} takes y_pred or y_score, not both.")
        if y_score is None and is_table(y_pred):
            return self._of_probabilities(
                read_forecasts(y_true, y_pred, labels, sample_weight), params, undefined
            )
        if y_score is None and not are_scores(y_pred):
            return super().__call__(
                y_true,
                y_pred,
                *others,
                labels=labels,
                sample_weight=sample_weight,
                undefined=undefined,
                unknown=unknown,
                missing=missing,
                **params,
            )
        self.refuse_positional(y_true, others)
        scores = y_pred if y_score is None else y_score
        check_same_items(
            [("y_true", y_true), ("y_score", scores), ("sample_weight", sample_weight)]
        )
        scale, truth = read_truth(y_true, labels)
        read = read_scores(scores, len(truth), "y_score")
        weights = read_weights(sample_weight, len(truth))
        checked = self.checked_on(scale, params)
        undefined = check_number(undefined, self.name)
        return self._of_scores(Standing(truth, read, scale.k, weights), checked, undefined)

    def _of_probabilities(
        self, given: Forecasts, params: Mapping[str, Any], undefined: float
    ) -> float:
        """Score probabilities (n, K)."""
        if given.truth.ndim == 2:
            raise LabelError(
                f"{self.name} needs one true class for each item; y_true holds shares of classes."
            )
        checked = self.checked_on(given.scale, params)
        score = self.score_from(given.prob, checked)
        standing = Standing(given.truth, score, given.scale.k, given.weights)
        return self._of_scores(standing, checked, check_number(undefined, self.name))

    def _of_scores(self, standing: Standing, params: Mapping[str, Any], undefined: float) -> float:
        value = self.value_of(standing.wins, params)
        there, weighted = standing.weights, standing.weighted
        return self._or_undefined(value, there, params, undefined, weighted=weighted)

    def value_of(self, wins: Floats, params: Mapping[str, Any] | None = None) -> float:
        """Return the value from the wins between classes (K, K)."""
        return float(self.values_of_wins(wins, params))

    def values_of_wins(self, wins: Floats, params: Mapping[str, Any] | None = None) -> Floats:
        """Return the values (...) from stacks of wins (..., K, K)."""
        checked = self.check_parameters({}, wins.shape[-1]) if params is None else params
        return np.asarray(self.of_wins(wins, **checked))

    def score_from(self, prob: Floats, params: Mapping[str, Any] | None = None) -> Floats:
        """Return the score (n,) implied by probabilities: the expected level, or P(above the cut).

        The area under the curve of a cut uses the probability of its upper side.
        """
        k = prob.shape[1]
        if "at_least" in self.parameters:
            cut = (self.check_parameters({}, k) if params is None else params)["at_least"]
            score = prob[:, cut:].sum(axis=1)
        else:
            score = prob @ np.arange(float(k))
        # Sums that differ only by rounding are ties.
        return np.asarray(np.round(score, _DIGITS), dtype=np.float64)


class OrderMetric(RankingMetric):
    """A measure of ranking without parameters."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any = None, **options: Unpack[RankingOptions]
        ) -> float:
            """Score labels or scores."""


class RankingCutMetric(RankingMetric):
    """A measure of ranking of one cut of the scale."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any = None, **options: Unpack[RankingCutOptions]
        ) -> float:
            """Score labels or scores."""


_shared = SharedFacts(
    RankingMetric,
    family="ranking",
    best=1,
    range=UNIT,
    greater_is_better=True,
    symmetric=False,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=ONE_TRUE_CLASS,
)


def measure(kind: type[M], **facts: Any) -> Callable[[Kernel], M]:
    """Register a function of the wins between classes as a measure."""

    def decorate(of_wins: Kernel) -> M:
        # Pickle finds it as an attribute of the measure, which takes its name.
        of_wins.__qualname__ += ".of_wins"

        @functools.wraps(of_wins)
        def kernel(n: Floats, **params: Any) -> Floats:
            return np.asarray(of_wins(wins_of_table(n), **params))

        kernel.__qualname__ = kernel.__name__
        return _shared(kind=kind, of_wins=of_wins, **facts)(kernel)

    return decorate


def _weighted(wins: Floats, weight: Floats) -> Floats:
    """Return the share of pairs of items in the right order, with classes weighted by (K, K)."""
    lost = np.swapaxes(wins, -1, -2)
    right = (weight * wins).sum(axis=(-2, -1))
    return ratio(right, right + (weight * lost).sum(axis=(-2, -1)))


@measure(
    OrderMetric,
    symbol="C",
    reference=ref.HARRELL_1982,
    formula=r"C_{\text{index}} = \frac{\sum_{i < j} S_{ij}}{\sum_{i < j} r_i\, r_j}",
)
def concordance_index(wins: Floats) -> Floats:
    """Share of pairs with different true classes that are in the right order, ties counting half.

    A constant prediction scores 0.5. Takes labels or scores.

    >>> concordance_index([1, 2, 3, 3], [1, 2, 2, 3])
    0.9
    >>> concordance_index([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9])
    0.8
    """
    return _weighted(wins, (signed_distance(wins.shape[-1]) > 0).astype(np.float64))


@measure(
    OrderMetric,
    symbol="ORC",
    reference=ref.WAEGEMAN_2008,
    formula=r"\text{ORC} = \frac{2}{K_{\text{obs}}\, (K_{\text{obs}} - 1)}"
    r" \sum_{i < j,\, r_i r_j > 0} \frac{S_{ij}}{r_i\, r_j}",
)
def ordinal_ranking_correctness(wins: Floats) -> Floats:
    """Mean over pairs of classes of the chance that the higher class gets the higher score.

    All pairs of classes count equally, however rare. Takes labels or scores.

    >>> round(ordinal_ranking_correctness([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9]), 4)
    0.8333
    """
    share = ratio(wins, wins + np.swapaxes(wins, -1, -2))
    counts = (signed_distance(wins.shape[-1]) > 0) & ~np.isnan(share)
    return ratio(np.where(counts, share, 0.0).sum(axis=(-2, -1)), counts.sum(axis=(-2, -1)))


@measure(
    OrderMetric,
    symbol="CPA",
    reference=ref.GNEITING_2022,
    formula=r"\text{CPA} = \frac{\sum_{i < j} d_{ij}\, S_{ij}}{\sum_{i < j} d_{ij}\, r_i\, r_j}",
)
def coefficient_of_predictive_ability(wins: Floats) -> Floats:
    """Share of pairs in the right order, each weighted by the number of steps between the classes.

    It is the mean of the areas under the curves of all cuts of the scale, weighted by their
    numbers of pairs. Takes labels or scores.

    >>> round(coefficient_of_predictive_ability([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9]), 4)
    0.8571
    """
    return _weighted(wins, np.maximum(signed_distance(wins.shape[-1]), 0.0))


@measure(
    RankingCutMetric,
    symbol="CutAUC",
    reversal_invariant=False,
    depends_on_empty_levels=True,
    reference=ref.HANLEY_1982,
    undefined_when="all items are on one side of the cut",
    parameters={"at_least": CUT},
    formula=r"\text{CutAUC} = \frac{\sum_{i < t \le j} S_{ij}}{\sum_{i < t \le j} r_i\, r_j},"
    r" \qquad t = \text{at least}",
)
def threshold_auc(wins: Floats, *, at_least: int) -> Floats:
    """Area under the ROC curve of one cut: the classes above it against those below.

    ``at_least`` is the lowest level above the cut. Takes labels, scores or probabilities (n, K);
    the score is then the probability of being above the cut.

    >>> threshold_auc([1, 2, 3, 3], [0.1, 0.4, 0.3, 0.9], at_least=3)
    0.75
    """
    place = np.arange(wins.shape[-1])
    return _weighted(wins, np.outer(place < at_least, place >= at_least).astype(np.float64))
