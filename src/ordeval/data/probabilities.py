"""Probabilities and scores that models give, read and checked next to the true labels.

Probabilities are one row per item and one column per level; columns that are named by the levels
are put in order. The truth may itself be a distribution, the shares that raters gave each level.
Scores are one number per item, higher for a higher class, on a scale of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import argument, plural
from ordeval._shared.types import Floats, Integers
from ordeval.data.columns import as_column, off_device
from ordeval.data.items import are_numbers, read_weights
from ordeval.data.level_names import level_columns
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale, as_scale, resolve_scale
from ordeval.exceptions import LabelError

# What rounding does to a sum of 1: half precision (bfloat16 at worst), and four decimals a class.
_HALF_PRECISION: Final = 0.004
_FOUR_DECIMALS: Final = 5e-5
EXACT: Final = 1e-9  # double precision


class Forecasts(NamedTuple):
    """The truth of n items, in positions (n,) or as shares (n, K), and what a model says (n, K)."""

    scale: Scale
    truth: NDArray[Any]
    prob: Floats
    weights: Floats | None


def read_forecasts(y_true: Any, y_prob: Any, labels: Any, sample_weight: Any) -> Forecasts:
    """Probabilities next to true labels, or next to the shares of each level in the truth."""
    check_same_items([("y_true", y_true), ("y_prob", y_prob), ("sample_weight", sample_weight)])
    truth: NDArray[Any]
    if is_table(y_true):
        scale = scale_of_shares(y_true, y_prob, labels)
        truth = read_table(y_true, None, scale, "y_true")
    else:
        scale, truth = read_truth(y_true, labels)
    prob = read_table(y_prob, len(truth), scale, "y_prob")
    return Forecasts(scale, truth, prob, read_weights(sample_weight, len(truth)))


def read_probabilities(y_true: Any, y_prob: Any, labels: Any, sample_weight: Any) -> Forecasts:
    """Probabilities next to true labels."""
    if is_table(y_true):
        raise LabelError("y_true must hold one true class for each item; it is a table.")
    return read_forecasts(y_true, y_prob, labels, sample_weight)


def read_truth(y_true: Any, labels: Any) -> tuple[Scale, Integers]:
    """The scale and the positions of true labels."""
    column = as_column(y_true, "y_true")
    scale = Scale.infer(column) if labels is None else resolve_scale([column], labels)[0]
    return scale, scale.encode(column)


def is_table(given: Any) -> bool:
    """Whether an argument has two axes, as probabilities do."""
    if isinstance(given, (str, bytes, type)):
        return False
    shape = getattr(given, "shape", None)
    if isinstance(shape, tuple):
        return len(shape) == 2
    if hasattr(given, "__len__") and hasattr(given, "__getitem__") and len(given):
        first = next(iter(given), None)
        return hasattr(first, "__len__") and not isinstance(first, (str, bytes, type))
    return False


def scale_of_shares(y_true: Any, y_prob: Any, labels: Any) -> Scale:
    """The scale of a truth that is a distribution: as declared, or one level per column."""
    if labels is not None:
        return as_scale(labels)
    for given in (y_true, y_prob):
        shape = np.shape(off_device(given))
        if len(shape) == 2 and shape[1] > 0:
            return Scale.range(0, int(shape[1]) - 1)
    raise LabelError(f"y_true must have one column per level; declare {argument('labels')}.")


def read_table(given: Any, n: int | None, scale: Scale, name: str) -> Floats:
    """Probabilities (n, K), each row of which is a distribution, in the order of the scale."""
    return check_distributions(in_order(given, n, scale, name), name)


def in_order(given: Any, n: int | None, scale: Scale, name: str) -> Floats:
    """Numbers (n, K), the columns in the order of the scale if they are named; NaN for gaps."""
    order = level_columns(given, scale, name)
    given = off_device(given)
    try:
        real = are_numbers(given)
        prob = np.asarray(given if real else [], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise LabelError(f"{name} must be an array of numbers.") from None
    if not real:
        raise LabelError(f"{name} must be an array of numbers: neither dates nor complex ones.")
    if np.ma.is_masked(given):
        prob = np.where(np.ma.getmaskarray(given), np.nan, prob)
    n = len(prob) if n is None and prob.ndim else n
    if prob.shape != (n, scale.k):
        raise LabelError(
            f"{name} must have one row per item and one column per level, shape ({n}, {scale.k}) "
            f"for {scale}; got shape {prob.shape}. If a level never occurs in y_true, declare "
            f"{argument('labels')}."
        )
    return prob if order is None else prob[:, order]


def slack_of(k: int) -> float:
    """How far from 1 the sum of K probabilities may be by rounding."""
    return _HALF_PRECISION + k * _FOUR_DECIMALS


def check_distributions(
    prob: Floats, name: str, places: Integers | None = None, *, gaps: str = "Leave these items out."
) -> Floats:
    """Rows that sum to 1, what rounding did to them mended; others are an error.

    ``places`` are the numbers of the rows, if some were left out; ``gaps`` is what to do about
    rows in which a probability is missing.
    """
    n, k = prob.shape
    slack = slack_of(k)
    with np.errstate(invalid="ignore"):  # infinities of both signs are named below
        sums = prob @ np.ones(k)
    if n and prob.min() >= 0 and sums.min() >= 1 - EXACT and sums.max() <= 1 + EXACT:
        return prob  # a few whole passes, as nearly all tables need
    normalise = f" Sums within {slack:g} of 1 are rescaled automatically."
    percent = " They sum to 100, as percentages do: divide by 100."
    inside = (prob >= 0) & (prob <= 1 + slack)
    for problem, bad, fix in (
        ("have a probability for every level", np.isnan(prob).any(axis=1), f" {gaps}"),
        ("be between 0 and 1", ~inside.all(axis=1), percent * _are_percentages(prob)),
        ("sum to 1", ~(np.abs(sums - 1) <= slack), normalise),
    ):
        rows = np.flatnonzero(bad)
        if len(rows):
            far = rows[int(np.argmax(np.abs(sums[rows] - 1)))] if fix is normalise else rows[0]
            first = rows[0]
            shown = [
                f"row {x if places is None else places[x]}: {prob[x].tolist()}"
                for x in (first, far)
            ]
            worst = f"; the worst is {shown[1]}" if far != first else ""
            raise LabelError(
                f"each row of {name} must {problem}; {len(rows):,} of {n:,} do not, the first is "
                f"{shown[0]}{worst}.{fix}"
            )
    rounded = np.abs(sums - 1) > EXACT
    return np.where(rounded[:, None], prob / sums[:, None], prob) if rounded.any() else prob


def _are_percentages(prob: Floats) -> bool:
    """Whether rows sum to 100, which whole percentages may miss by half of one for each level."""
    if not (prob >= 0).all():
        return False
    return bool((np.abs(prob.sum(axis=1) - 100) <= 0.5 * prob.shape[1]).all())


def read_scores(given: Any, n: int, name: str, *, gaps: bool = False) -> Floats:
    """One number per item; missing ones are NaN if there may be gaps, else an error."""
    given = off_device(given)
    if not are_numbers(given):
        raise LabelError(f"{name} must be numbers, one per item: neither dates nor complex ones.")
    try:
        scores = np.ma.filled(np.ma.asarray(given, dtype=np.float64), np.nan)
    except (OverflowError, TypeError, ValueError):
        raise LabelError(
            f"{name} must be scores: one number per item, higher for a higher class."
        ) from None
    if scores.shape != (n,):
        raise LabelError(
            f"{name} must hold one score per item, {n:,} in all; got shape {scores.shape}."
        )
    refuse_rounded(name, scores, lambda: _listed(given))
    bad = np.flatnonzero(np.isnan(scores))
    if len(bad) and not gaps:
        raise LabelError(
            f"{name} must hold a score for every item; {plural(len(bad), 'score')} "
            f"{'is' if len(bad) == 1 else 'are'} missing, the first at position {bad[0]}."
        )
    return scores


def refuse_rounded(name: str, floats: Floats, given: Callable[[], Sequence[Any]]) -> None:
    """Refuse integers that floats round: different ones would be ties.

    ``given`` are the values as they were; they are looked at only if some are that large.
    """
    large = np.flatnonzero(np.abs(floats) >= 2**53)
    values = given() if len(large) else ()
    for i in large.tolist():
        value = values[i]
        if isinstance(value, (int, Decimal)) and value != float(floats[i]):
            raise rounded(name, value)


def rounded(name: str, value: Any) -> LabelError:
    """The message about a number too large to differ from its neighbours."""
    return LabelError(
        f"{name} contains {value}; integers beyond 2**53 are rounded, which creates ties. Subtract "
        f"the smallest from all, or use their ranks."
    )


def _listed(given: Any) -> list[Any]:
    """The values of a container as Python objects."""
    as_list = next((x for x in ("to_pylist", "tolist", "to_list") if hasattr(given, x)), None)
    return list(given) if as_list is None else list(getattr(given, as_list)())


def are_scores(given: Any) -> bool:
    """Whether values can only be scores: numbers that are not all whole, as labels would be."""
    values = getattr(off_device(given), "values", given)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError):
        return False
    if array.ndim != 1 or array.dtype.kind != "f":
        return False
    there = array[~np.isnan(array)]
    return bool((there != np.floor(there)).any())
