"""Accumulator: count labels as they arrive, in chunks, in several processes.

Functions that accept counts instead of labels read them here.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked, checked_but, listed, shown
from ordeval._shared.text import argument, joined
from ordeval._shared.types import Integers, Policy
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped, Origin, check_frame_labels, validate_counts
from ordeval.data.items import Items, JointCounts, columns_of, items_of_counts, joint_counts
from ordeval.data.positions import Misfits
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import CountsError, LabelError, ScaleError

_MOST_CELLS: Final = 1 << 24  # of a joint table, which is held whole


class Accumulator:
    """A confusion matrix that is counted in chunks.

    ``update``, ``merge`` and ``reset`` may be called from several threads at once: no item is lost.
    What is counted so far can be read meanwhile. Processes have accumulators of their own, which
    are merged; copies and pickles are independent, too.

    Parameters
    ----------
    labels
        The ordered labels, lowest first, or a Scale. They must be declared: the first chunk may
        not hold them all.
    models
        Names of several models whose predictions are counted together, so that they can be
        compared: ``update`` then takes their predictions by name, and ``joint_counts`` has how
        often the truth met each combination of predictions. Without them one model is counted.
    unknown, missing
        As in ``ConfusionMatrix.from_labels``. Of several models an item goes if one of its labels
        does.

    Examples
    --------
    >>> day, night = Accumulator(["low", "medium", "high"]), Accumulator(["low", "medium", "high"])
    >>> day.update(["low", "high"], ["low", "medium"])
    >>> night.update(["medium"], ["medium"])
    >>> day.merge(night)
    >>> day.confusion_matrix().total
    3

    Two models, and whether they differ:

    >>> both = Accumulator([1, 2, 3], models=["old", "new"])
    >>> for _ in range(20):
    ...     both.update([1, 2, 3], {"old": [1, 1, 2], "new": [1, 2, 2]})
    >>> import ordeval as oe
    >>> print(oe.paired_delta("mean_absolute_error", both))
    MAE: old - new = +0.333 [+0.203, +0.453], p < 0.0001
    """

    @checked_but("unknown", "missing", "models")
    def __init__(
        self,
        labels: Any,
        models: Sequence[str] | None = None,
        *,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> None:
        self._scale = as_scale(labels)
        self._misfits = Misfits(unknown, missing)
        self._models = () if models is None else _named(models, self._scale.k)
        # Both are replaced and never changed, so that whoever reads one has it whole.
        self._cm: ConfusionMatrix
        self._joint: JointCounts
        self._adding = threading.Lock()
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_adding"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _adding=threading.Lock())

    @property
    def scale(self) -> Scale:
        """The ordered labels."""
        return self._scale

    @property
    def models(self) -> tuple[str, ...]:
        """The models that are counted together; empty if there is one only, which has no name."""
        return self._models

    def update(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Add a chunk of items.

        A chunk that raises an error leaves the counts as they were.

        Parameters
        ----------
        y_true
            The true labels.
        y_pred
            The predicted labels; with several models, a mapping of their names to their
            predictions.
        sample_weight
            One non-negative number per item.

        Returns
        -------
        None

        Raises
        ------
        LabelError
            If labels or weights do not fit the scale or each other.
        """
        if self._models:
            self._update_joint(y_true, y_pred, sample_weight)
            return
        self._add(
            ConfusionMatrix.from_labels(
                y_true,
                y_pred,
                self._scale,
                sample_weight,
                unknown=self._misfits.unknown,
                missing=self._misfits.missing,
            )
        )

    def _update_joint(self, y_true: Any, y_pred: Any, sample_weight: Any) -> None:
        if sample_weight is not None:
            raise LabelError("an Accumulator of several models takes no weights.")
        if not isinstance(y_pred, Mapping) or set(y_pred) != set(self._models):
            got = list(y_pred) if isinstance(y_pred, Mapping) else type(y_pred).__name__
            raise LabelError(
                f"y_pred must map each of the models, {joined(list(self._models))}, to its "
                f"predictions; got {got}."
            )
        columns, _ = columns_of(y_true, {name: y_pred[name] for name in self._models})
        self._add_joint(joint_counts(self._scale, columns, self._misfits))

    def _add(self, found: ConfusionMatrix) -> None:
        with self._adding:
            self._cm = self._cm + found

    def _add_joint(self, found: JointCounts) -> None:
        with self._adding:
            held = self._joint
            counts, dropped = held.counts + found.counts, held.dropped + found.dropped
            self._joint = JointCounts(counts, dropped, {})

    @checked
    def merge(self, other: Accumulator | ConfusionMatrix) -> None:
        """Add the counts of another accumulator or process.

        Parameters
        ----------
        other
            An accumulator of the same scale and the same models, or a confusion matrix.

        Returns
        -------
        None

        Raises
        ------
        ScaleError
            If ``other`` has another scale or other models, or has no counts.
        """
        if isinstance(other, Accumulator) and (self._models or other._models):
            if (self._scale, self._models) != (other._scale, other._models):
                raise ScaleError(
                    "only accumulators with the same scale and the same models, in the same "
                    f"order, can be merged; got {self._what} and {other._what}."
                )
            self._add_joint(other._joint)
            return
        theirs = other._cm if isinstance(other, Accumulator) else other
        if not isinstance(theirs, ConfusionMatrix) or self._models:
            what = "an Accumulator" if self._models else "an Accumulator or a ConfusionMatrix"
            raise ScaleError(f"merge takes {what}; got {type(other).__name__}.")
        self._add(theirs)

    @checked
    def confusion_matrix(self, model: str | None = None) -> ConfusionMatrix:
        """Return the counts so far.

        Parameters
        ----------
        model
            The name of a model, if several are counted.

        Returns
        -------
        ConfusionMatrix
            The counts.

        Raises
        ------
        LabelError
            If there is no such model, or if several were counted and ``model`` is missing.
        """
        if not self._models:
            if model is not None:
                raise LabelError(
                    f"this accumulator counts one model without a name; got {model!r}."
                )
            return self._cm
        if model is None:
            raise LabelError(
                f"this accumulator counts several models, {joined(list(self._models))}: "
                f"choose one, for example with confusion_matrix({self._models[0]!r}), or "
                "compare two with paired_delta(metric, counter)."
            )
        joint = self._joint
        counts = self._counts_of(joint, (model,))
        return ConfusionMatrix.of(counts, self._scale, Origin(joint.dropped))

    @checked
    def joint_counts(self, *models: str) -> Integers:
        """Return the counts of truth and predictions (K, K, ...), truth first.

        By default of all models; otherwise of those named, in their order.
        """
        if not self._models:
            raise LabelError("joint counts need several models: pass models=[...].")
        return self._counts_of(self._joint, models or self._models)

    def _counts_of(self, joint: JointCounts, wanted: tuple[str, ...]) -> Integers:
        for name in wanted:
            if name not in self._models or wanted.count(name) > 1:
                raise LabelError(
                    f"models must be different ones of {joined(list(self._models))}; got "
                    f"{joined(list(wanted))}."
                )
        axes = [0, *(1 + self._models.index(name) for name in wanted)]
        others = tuple(set(range(joint.counts.ndim)) - set(axes))
        order = np.argsort(np.argsort(axes))
        return np.ascontiguousarray(joint.counts.sum(axis=others).transpose(order))

    def items(self, labels: Any = None) -> Items:
        """The distinct rows of what was counted, as functions that compare models read them."""
        if labels is not None and as_scale(labels) != self._scale:
            raise ScaleError(
                f"{argument('labels')} says {as_scale(labels)}, the counts {self._scale}."
            )
        if not self.joint_counts().any():
            raise LabelError("there are no items: nothing has been counted yet.")
        return items_of_counts(self._scale, self._models, self._joint)

    @property
    def dropped(self) -> Dropped:
        """The number of dropped items."""
        return self._joint.dropped if self._models else self._cm.dropped

    def reset(self) -> None:
        """Reset all counts."""
        k = self._scale.k
        joint = np.zeros((k,) * (1 + len(self._models)), dtype=np.int64)
        with self._adding:
            self._cm = ConfusionMatrix(np.zeros((k, k), dtype=np.int64), self._scale)
            self._joint = JointCounts(joint, Dropped(), {})

    @property
    def _what(self) -> str:
        models = f", models={list(self._models)}" * bool(self._models)
        return f"Accumulator({self._scale}{models})"

    def __repr__(self) -> str:
        total = self._joint.counts.sum() if self._models else self._cm.total
        return f"{self._what}: {total:,} counted"


def _named(models: Any, k: int) -> tuple[str, ...]:
    """The names of several models, of which a joint table can be held."""
    names = [models] if isinstance(models, str) else listed(models, "models", LabelError)
    texts = all(isinstance(name, str) for name in names)
    if len(names) < 2 or not texts or len(set(names)) < len(names):
        raise LabelError(
            f"models must be the different names of two models or more; got {shown(models)}."
        )
    if k ** (1 + len(names)) > _MOST_CELLS:
        raise LabelError(
            f"the joint counts of {len(names)} models on {k} levels would have "
            f"{k ** (1 + len(names)):,} cells; count pairs of models, or describe a file or frame "
            f"with Predictions and compare that."
        )
    return tuple(names)


def matrix_of(given: Any, labels: Any, *, who: str) -> ConfusionMatrix:
    """Return counts passed instead of labels: a ConfusionMatrix, an Accumulator or an array."""
    if isinstance(given, Accumulator):
        return given.confusion_matrix()
    if isinstance(given, ConfusionMatrix):
        return given
    try:
        return ConfusionMatrix(given, labels)
    except CountsError as error:
        raise LabelError(
            f"{who} needs y_true and y_pred, or one confusion matrix instead: {error}"
        ) from None


def as_counts(counts: Any) -> NDArray[Any]:
    """The counts of a ConfusionMatrix, an array or a labelled frame."""
    if isinstance(counts, ConfusionMatrix):
        return counts.scored
    check_frame_labels(counts, None)
    return validate_counts(counts)
