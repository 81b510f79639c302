"""Measures of predicted probabilities. They need the probabilities, not a confusion matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np

from ordeval._shared.text import argument
from ordeval._shared.types import CHUNK, Floats
from ordeval.data.columns import as_column, off_device
from ordeval.data.items import read_weights
from ordeval.data.naming import misnamed
from ordeval.data.pairing import check_same_items
from ordeval.data.scale import Scale, resolve_scale
from ordeval.exceptions import LabelError
from ordeval.measures import _references as ref
from ordeval.measures._arrays import ratio
from ordeval.measures._checks import OneOf
from ordeval.measures._facts import ONE_TRUE_CLASS, UNIT, steps
from ordeval.measures.metric import Metric, Needs, Range, check_number
from ordeval.measures.registry import register

# What rounding does to a sum of 1: half precision (bfloat16 at worst), and four decimals a class.
_HALF_PRECISION: Final = 0.002
_FOUR_DECIMALS: Final = 5e-5
_EXACT: Final = 1e-9  # double precision


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ProbabilityMetric(Metric):
    """A measure of predicted probabilities; its kernel takes sums over items."""

    needs: ClassVar[Needs] = "probabilities"

    def __call__(  # type: ignore[override]
        self, y_true: Any, y_prob: Any, *others: Any,
        labels: Any = None, sample_weight: Any = None, undefined: float = np.nan,
        **params: Any,
    ) -> float:  # fmt: skip
        """Score predicted probabilities (n, K), columns in the order of the scale."""
        self.refuse_positional(y_true, others)
        undefined = check_number(undefined, self.name)
        scale, truth, prob, weights = read_probabilities(y_true, y_prob, labels, sample_weight)
        checked = self.check_parameters(params, scale.k)
        value = float(self.kernel(_summarise(truth, prob, weights), **checked))
        return value if value == value else self._undefined(prob, checked, undefined)

    def from_confusion(self, counts: Any, *, undefined: float = np.nan, **params: Any) -> Any:
        """Not possible: a confusion matrix does not hold probabilities."""
        raise LabelError(
            f"{self.name} needs predicted probabilities, which a confusion matrix does not hold; "
            f"call it as {self.name}(y_true, y_prob, labels=...)."
        )


@dataclass(frozen=True, eq=False)
class Summary:
    """What the probability measures need of the items."""

    loss: float  # weighted sum of squared distances of the cumulative distributions
    items: float  # summed weight
    class_sizes: Floats


def _summarise(truth: Any, prob: Floats, weights: Floats | None) -> Summary:
    k = prob.shape[1]
    loss = 0.0
    for start in range(0, len(truth), CHUNK):
        part = slice(start, start + CHUNK)
        cumulative = np.cumsum(prob[part, :-1], axis=1)
        happened = truth[part, None] <= np.arange(k - 1)
        by_item = ((cumulative - happened) ** 2).sum(axis=1)
        loss += float(by_item.sum() if weights is None else by_item @ weights[part])
    sizes = np.bincount(truth, weights=weights, minlength=k).astype(np.float64)
    return Summary(loss, float(sizes.sum()), sizes)


measure = partial(
    register, kind=ProbabilityMetric, family="probability", best=0, greater_is_better=False,
    symmetric=False, reversal_invariant=True, depends_on_empty_levels=False,
    reference=ref.EPSTEIN_1969,
)  # fmt: skip


_STEPS = Range(0, np.inf, steps, "[0, K - 1], normalised [0, 1]")


def _facts_of_normalize(*, normalize: bool = False) -> dict[str, Any]:
    return {"range": UNIT if normalize else _STEPS}


@measure(
    symbol="RPS", range=_STEPS,
    varying=_facts_of_normalize,
    undefined_when="normalize=True and the scale has one level only",
    parameters={"normalize": OneOf("normalize", (True, False))},
    formula=r"\begin{split} \text{RPS} &= \frac{1}{N} \sum_x \sum_{k = 0}^{K - 2}"
    r" \left( F_{xk} - [\, y_x \le k\, ] \right)^2,"
    r" \qquad F_{xk} = \sum_{j \le k} p_{xj}, \\"
    r" & \text{divided by } K - 1 \text{ if normalize is True} \end{split}",
)  # fmt: skip
def ranked_probability_score(items: Summary, *, normalize: bool = False) -> Floats:
    """Mean squared distance of the cumulative predicted distribution to the truth.

    It sees how far from the truth the probability lies, not only how much of it is on the true
    class. ``normalize=True`` divides by K - 1, so that the score lies between 0 and 1.

    >>> ranked_probability_score([0, 2], [[1, 0, 0], [0, 1, 0]], labels=[0, 1, 2])
    0.5
    """
    score = ratio(items.loss, items.items)
    return ratio(score, len(items.class_sizes) - 1.0) if normalize else score


@measure(
    symbol="RPSS", best=1, range=Range(-np.inf, 1), greater_is_better=True,
    undefined_when=ONE_TRUE_CLASS,
    formula=r"\begin{split} \text{RPSS} &= 1 - \frac{\sum_x \sum_{k = 0}^{K - 2}"
    r" \left( F_{xk} - [\, y_x \le k\, ] \right)^2}{N \sum_{k = 0}^{K - 2} G_k\, (1 - G_k)}, \\"
    r" F_{xk} &= \sum_{j \le k} p_{xj}, \qquad G_k = \frac{1}{N} \sum_{i \le k} r_i \end{split}",
)  # fmt: skip
def ranked_probability_skill_score(items: Summary) -> Floats:
    """1 - RPS / RPS of the class prior: what the probabilities add to knowing the class sizes.

    The prior is the distribution of ``y_true``.

    >>> ranked_probability_skill_score([0, 1], [[0.75, 0.25], [0.25, 0.75]], labels=[0, 1])
    0.75
    """
    below = ratio(np.cumsum(items.class_sizes)[:-1], items.items)
    of_prior = items.items * float((below * (1 - below)).sum())
    return 1.0 - ratio(items.loss, of_prior)


def read_probabilities(
    y_true: Any, y_prob: Any, labels: Any, sample_weight: Any
) -> tuple[Scale, Any, Floats, Floats | None]:
    """The scale, true positions, checked probabilities (n, K) and weights."""
    column = as_column(y_true, "y_true")
    scale = Scale.infer(column) if labels is None else resolve_scale([column], labels)[0]
    truth = scale.encode(column)
    check_same_items([("y_true", y_true), ("y_prob", y_prob), ("sample_weight", sample_weight)])
    problem = misnamed(y_prob, scale, "y_prob", ["columns"])
    if problem:
        raise LabelError(problem)
    prob = _check_probabilities(y_prob, len(truth), scale)
    return scale, truth, prob, read_weights(sample_weight, len(truth))


def _check_probabilities(y_prob: Any, n: int, scale: Scale) -> Floats:
    if np.ma.is_masked(y_prob):
        raise LabelError("y_prob must hold a probability everywhere; some are masked.")
    try:
        prob = np.asarray(off_device(y_prob), dtype=np.float64)
    except (TypeError, ValueError):
        raise LabelError("y_prob must be an array of numbers.") from None
    if prob.shape != (n, scale.k):
        raise LabelError(
            f"y_prob must have one row per item and one column per level, shape ({n}, {scale.k}) "
            f"for {scale}; got shape {prob.shape}. If a level never occurs in y_true, declare "
            f"{argument('labels')}."
        )
    slack = _HALF_PRECISION + scale.k * _FOUR_DECIMALS
    sums = prob.sum(axis=1)
    normalise = (
        f" If only rounding is to blame, normalise them: y_prob / y_prob.sum(axis=1, "
        f"keepdims=True) of an array; sums within {slack:g} of 1 are normalised for you."
    )
    for problem, bad, fix in (
        ("hold numbers between 0 and 1", ~((prob >= 0) & (prob <= 1 + slack)).all(axis=1), ""),
        ("sum to 1", ~(np.abs(sums - 1) <= slack), normalise),
    ):
        rows = np.flatnonzero(bad)
        if len(rows):
            raise LabelError(
                f"each row of y_prob must {problem}; {len(rows):,} of {n:,} do not, the first is "
                f"row {rows[0]}: {prob[rows[0]].tolist()}.{fix}"
            )
    rounded = np.abs(sums - 1) > _EXACT
    return np.where(rounded[:, None], prob / sums[:, None], prob) if rounded.any() else prob
