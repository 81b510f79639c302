"""Accumulator: count labels as they arrive, in chunks, in several processes.

And what a door takes in place of labels, since this is the last kind of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ordeval._shared.types import Policy
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Misfits
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import CountsError, LabelError, ScaleError


class Accumulator:
    """A confusion matrix that grows, equal to counting everything at once.

    Parameters
    ----------
    labels
        The ordered labels, lowest first, or a Scale. They must be declared: the first chunk may
        not hold them all.
    unknown, missing
        As in ``ConfusionMatrix.from_labels``.

    Examples
    --------
    >>> day, night = Accumulator(["low", "medium", "high"]), Accumulator(["low", "medium", "high"])
    >>> day.update(["low", "high"], ["low", "medium"])
    >>> night.update(["medium"], ["medium"])
    >>> day.merge(night)
    >>> day.confusion_matrix().total
    3
    """

    def __init__(
        self, labels: Any, *, unknown: Policy = "raise", missing: Policy = "raise"
    ) -> None:
        self._scale = as_scale(labels)
        self._misfits = Misfits(unknown, missing)
        self._cm = self._empty()

    @property
    def scale(self) -> Scale:
        """The ordered labels."""
        return self._scale

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a chunk of items. A chunk that is refused leaves the counts as they were."""
        self._cm = self._cm + ConfusionMatrix.from_labels(
            y_true, y_pred, self._scale, sample_weight, unknown=self._misfits.unknown,
            missing=self._misfits.missing,
        )  # fmt: skip

    def merge(self, other: Accumulator | ConfusionMatrix) -> None:
        """Add what another accumulator, or another process, has counted."""
        theirs = other._cm if isinstance(other, Accumulator) else other
        if not isinstance(theirs, ConfusionMatrix):
            raise ScaleError(
                f"merge takes an Accumulator or a ConfusionMatrix; got {type(other).__name__}."
            )
        self._cm = self._cm + theirs

    def confusion_matrix(self) -> ConfusionMatrix:
        """What has been counted so far."""
        return self._cm

    def reset(self) -> None:
        """Forget what has been counted."""
        self._cm = self._empty()

    def _empty(self) -> ConfusionMatrix:
        k = self._scale.k
        return ConfusionMatrix(np.zeros((k, k), dtype=np.int64), self._scale)

    def __repr__(self) -> str:
        return f"Accumulator({self._scale}): {self._cm.total:,} counted"


def matrix_of(given: Any, labels: Any, *, who: str) -> ConfusionMatrix:
    """What stands in place of labels: a ConfusionMatrix, an Accumulator or an array of counts."""
    if isinstance(given, Accumulator):
        return given.confusion_matrix()
    if isinstance(given, ConfusionMatrix):
        return given
    try:
        return ConfusionMatrix(given, labels)
    except CountsError as error:
        raise LabelError(
            f"{who} needs y_true and y_pred, or one confusion matrix in their place: {error}"
        ) from None
