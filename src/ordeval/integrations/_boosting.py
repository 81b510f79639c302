"""Score each round of boosting; an undefined measure gets its worst value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked, floats, is_number
from ordeval._shared.types import Floats
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError, ParameterError
from ordeval.integrations._wrapped import measure_on, plain_name
from ordeval.measures import Metric


class RoundMetric:
    """A measure as an evaluation function for boosting, with its name and direction."""

    @checked
    def __init__(self, metric: str | Metric, labels: Any) -> None:
        self.scale = as_scale(labels)
        self._numbers = _numbers_of(self.scale)
        self.metric = measure_on(metric, self.scale)
        if self.metric.greater_is_better is None:
            raise ParameterError(
                f"{self.metric.name} has no direction, so it cannot choose a round; choose "
                "another measure."
            )
        self.name = self.__name__ = plain_name(self.metric.name)
        self.greater_is_better = bool(self.metric.greater_is_better)
        low, high = self.metric.range.at(self.scale.k)
        # No later round could improve on a first round of NaN.
        self._worst = low if self.greater_is_better else high

    def value(self, y_true: Any, predicted: Any, sample_weight: Any = None) -> float:
        """Return the measure of one round from a booster's predictions."""
        given = floats(predicted, "predicted", LabelError)
        if np.isnan(given).any():
            raise LabelError("the booster's predictions hold NaN.")
        read = self._probabilities if self.metric.needs == "probabilities" else self._labels
        weight = None
        if sample_weight is not None:
            given_weight = floats(sample_weight, "sample_weight", LabelError)
            weight = given_weight if given_weight.size else None
        return self.metric(
            y_true, read(given), labels=self.scale, sample_weight=weight, undefined=self._worst
        )

    def _probabilities(self, given: Floats) -> Floats:
        if given.ndim == 1 and self.scale.k == 2:
            given = np.stack([1 - given, given], axis=1)  # probability of the higher class only
        self._check_columns(given)
        return given

    def _labels(self, given: Floats) -> NDArray[Any]:
        if given.ndim == 1:
            # Labels stay as they are; scores become the nearest label.
            cuts = (self._numbers[1:] + self._numbers[:-1]) / 2
            place = np.searchsorted(cuts, given, side="right")
        else:
            self._check_columns(given)
            place = given.argmax(axis=1)
        return np.asarray(self._numbers[place])

    def _check_columns(self, given: Floats) -> None:
        if given.ndim != 2 or given.shape[1] != self.scale.k:
            raise LabelError(
                f"{self.metric.name} needs a column for each of the {self.scale.k} levels of "
                f"{self.scale}; the booster predicts an array of shape {given.shape}."
            )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.metric.name!r}, {self.scale})"


def _numbers_of(scale: Scale) -> NDArray[Any]:
    """Return the labels as boosters store them."""
    held = all(map(is_number, scale.levels))
    numbers = np.asarray(scale.levels if held else [])
    if not held or numbers.dtype.kind not in "iuf" or not (np.diff(numbers) > 0).all():
        raise ParameterError(
            f"boosters hold labels as numbers: declare those that they are trained on, lowest "
            f"first, for example labels=range({scale.k}); got {scale}."
        )
    return numbers
