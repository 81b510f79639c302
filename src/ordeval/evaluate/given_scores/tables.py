"""Scores that users bring: read by model, checked against their measure, and which way is better.

``compare_cases`` and ``compare_folds`` begin here. Nothing is tested here.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import is_number, shown
from ordeval._shared.text import BETTER
from ordeval._shared.types import Floats
from ordeval.data.columns import frame_columns
from ordeval.data.same_items import check_same_items
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric, get_metric

_SLACK: Final = 1e-9  # a mean of scores may lie this far outside by rounding alone

NameOfRow = Callable[[int], str]  # a row of scores, as messages name it: "case 3"


@dataclass(frozen=True)
class Direction:
    """Which scores are better, and the measure that says so if one was named."""

    metric: Metric | None
    greater_is_better: bool | None  # None: of a two-sided measure

    @classmethod
    def of(cls, metric: str | Metric | None, greater_is_better: bool | None) -> Direction:
        """From what the user said; by default greater is better."""
        if greater_is_better is not None and not isinstance(greater_is_better, (bool, np.bool_)):
            raise ParameterError(
                f"greater_is_better must be True or False; got {greater_is_better!r}."
            )
        if metric is None:
            return cls(None, greater_is_better is None or bool(greater_is_better))
        found = get_metric(metric)
        if greater_is_better is not None and greater_is_better != found.greater_is_better:
            raise ParameterError(
                f"for {found.name}, {BETTER[found.greater_is_better]} is better, but "
                f"greater_is_better={greater_is_better} says otherwise; remove one of the two."
            )
        return cls(found, found.greater_is_better)

    @property
    def sign(self) -> int:
        """What compared scores are multiplied by, so that greater is better."""
        return 1 if self.greater_is_better else -1

    def compared(self, values: Floats) -> Floats:
        """What is compared: the scores, or their distances to the best of a two-sided measure."""
        if self.metric is None or self.greater_is_better is not None:
            return values
        return np.asarray(-self.metric.utility(values), dtype=np.float64)

    def check(self, names: Sequence[str], values: Floats, place: NameOfRow) -> None:
        """Refuse scores (n, M) that the measure cannot have."""
        if self.metric is None:
            return
        low, high = self.metric.range
        outside = np.argwhere((values < low - _SLACK) | (values > high + _SLACK))
        if len(outside):
            row, model = outside[0]
            raise ParameterError(
                f"{self.metric.name} lies in {self.metric.range.text}; got {values[row, model]:g} "
                f"for model {names[model]}, {place(row)}. {self._hint(values[:, model])}"
            )

    def _hint(self, scores: Floats) -> str:
        """What may have happened to a model's scores."""
        assert self.metric is not None
        low, high = self.metric.range
        if self.greater_is_better is False and low >= 0 and (scores <= 0).all():
            return (
                "scikit-learn negates losses: pass the raw values, for example -scores, or "
                "pass greater_is_better=True instead of metric=."
            )
        if (low, high) == (0, 1) and (scores >= 0).all() and (scores <= 100).all():
            return "If these are percentages, divide them by 100."
        return (
            "If these are scores of another measure, name that measure, or pass "
            "greater_is_better= instead of metric=."
        )


def by_model(scores: Any) -> dict[str, Any]:
    """The scores of each model by its name, from a mapping or from the columns of a frame."""
    columns = list(scores.items()) if isinstance(scores, Mapping) else frame_columns(scores)
    if columns is None:
        raise ParameterError(
            f"scores must map the name of each model to its scores, or be a DataFrame with one "
            f"column per model; got an object of type {type(scores).__name__}."
        )
    found = {str(name): x for name, x in columns}
    if len(found) < len(columns):
        names = [name for name, _ in columns]
        raise ParameterError(f"the names of the models must differ as text; got {names}.")
    check_same_items(found.items())
    return found


def numbers(model: str, scores: Any, expected: str) -> Floats:
    """The scores of a model as an array of any shape."""
    try:
        # What a mask hides is not a number.
        return np.ma.filled(np.ma.asarray(scores, dtype=np.float64), np.nan)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"the scores of model {model} must be numbers, {expected}; got {reprlib.repr(scores)}."
        ) from None


def check_finite(names: Sequence[str], values: Floats, place: NameOfRow, unit: str) -> None:
    """Refuse scores (n, M) that are missing or infinite."""
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        row, model = missing[0]
        first = f", the first of {len(missing):,} that are missing" if len(missing) > 1 else ""
        raise ParameterError(
            f"scores must not be missing; model {names[model]} has none for {place(row)}{first}. "
            f"Leave out that {unit} for all models, or give an undefined score a value."
        )
    infinite = np.argwhere(np.isinf(values))
    if len(infinite):
        row, model = infinite[0]
        raise ParameterError(
            f"scores must be finite; got {values[row, model]:g} for model {names[model]}, "
            f"{place(row)}."
        )


def settled(values: Floats, size: float) -> Floats:
    """Values without the last digits, by which equal decimals differ once they are subtracted.

    ``size`` is the largest of the scores: 0.81 - 0.80 and 0.06 - 0.05 are a tie.
    """
    return np.asarray(np.round(values / size, 12) * size) if size > 0 else values


def check_rope(rope: Any) -> float | None:
    """The largest difference that makes none in practice, if one was named."""
    if rope is None:
        return None
    if not is_number(rope) or not 0 <= rope < np.inf:
        raise ParameterError(
            f"rope must be the largest difference that does not matter in practice, a number >= 0; "
            f"got {shown(rope)}."
        )
    return float(rope)
