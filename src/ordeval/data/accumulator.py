"""Accumulator: count labels as they arrive, in chunks, in several processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import check_policies
from ordeval.data.scale import Policy, Scale, as_scale
from ordeval.exceptions import ScaleError


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
        check_policies(unknown, missing)
        self._scale = as_scale(labels)
        self._unknown: Policy = unknown
        self._missing: Policy = missing
        self._cm = self._empty()

    @property
    def scale(self) -> Scale:
        """The ordered labels."""
        return self._scale

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a chunk of items. A chunk that is refused leaves the counts as they were."""
        self._cm = self._cm + ConfusionMatrix.from_labels(
            y_true,
            y_pred,
            self._scale,
            sample_weight,
            unknown=self._unknown,
            missing=self._missing,
        )

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
