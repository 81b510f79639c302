"""Any measure as a torchmetrics metric: counts on the device, sums over processes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ordeval._shared.arguments import is_whole
from ordeval._shared.extras import import_extra
from ordeval.data.probabilities import read_forecasts
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError, ParameterError
from ordeval.integrations._wrapped import measure_on, plain_name
from ordeval.measures import Metric
from ordeval.measures.probability import ProbabilityMetric, sums_of

torch: Any = import_extra("torch", extra="integrations", purpose="OrdinalMetric")
torchmetrics: Any = import_extra("torchmetrics", extra="integrations", purpose="OrdinalMetric")


class OrdinalMetric(torchmetrics.Metric):  # type: ignore[misc]
    """Compute a measure as a torchmetrics metric, updated batch by batch.

    The state is the matrix of counts or, for a measure of probabilities, the sum of losses and the
    size of each class. States are sums, so several processes give the same value as one.

    Parameters
    ----------
    metric
        A measure or its name.
    num_classes
        Number of classes: tensors hold 0 to K - 1, lowest first.
    labels
        Alternatively, the whole numbers in the tensors, lowest first.
    **options
        Those of ``torchmetrics.Metric``.

    Examples
    --------
    >>> import torch
    >>> metric = OrdinalMetric("cem_ord", num_classes=3)
    >>> for preds, target in [([0, 1, 2], [0, 1, 1]), ([2, 2, 0], [2, 1, 0])]:
    ...     metric.update(torch.tensor(preds), torch.tensor(target))
    >>> metric.compute()
    tensor(0.8343)
    """

    full_state_update = False

    def __init__(
        self,
        metric: str | Metric,
        num_classes: int | None = None,
        *,
        labels: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.scale = _scale_of(num_classes, labels)
        self.measure = measure_on(metric, self.scale)
        levels = torch.tensor(self.scale.levels)
        self.register_buffer("levels", levels, persistent=False)
        k = self.scale.k
        if isinstance(self.measure, ProbabilityMetric):
            # A unique name, because a MetricCollection shares states that look alike.
            self._state = f"sums_of_{plain_name(self.measure.name)}"
            default = torch.zeros(1 + k, dtype=torch.float64)
        else:
            self._state = "counts"
            default = torch.zeros(k * k, dtype=torch.long)
        self.add_state(self._state, default=default, dist_reduce_fx="sum")

    @property
    def higher_is_better(self) -> bool | None:
        """Return the direction of the measure."""
        return self.measure.greater_is_better

    def update(self, preds: Any, target: Any) -> None:
        """Count one batch.

        ``preds`` are labels with the shape of ``target``, or floating-point scores with the
        classes on the second axis (the largest decides); for a measure of probabilities they are
        probabilities.
        """
        found = self._sums(preds, target) if self._state != "counts" else self._cells(preds, target)
        setattr(self, self._state, getattr(self, self._state) + found)

    def _cells(self, preds: Any, target: Any) -> Any:
        truth, k = self._positions("target", target), self.scale.k
        if preds.is_floating_point():
            self._check_scores(preds, target)
            predicted = preds.argmax(1)
        elif preds.shape == target.shape:
            predicted = self._positions("preds", preds)
        else:
            raise LabelError(
                f"preds {tuple(preds.shape)} do not fit target {tuple(target.shape)}: labels have "
                f"its shape."
            )
        return torch.bincount(truth.flatten() * k + predicted.flatten(), minlength=k * k)

    def _sums(self, preds: Any, target: Any) -> Any:
        truth = self._positions("target", target).flatten().cpu().numpy()
        self._check_scores(preds, target)
        rows = preds.detach().movedim(1, -1).reshape(-1, self.scale.k).double().cpu().numpy()
        given = read_forecasts(truth, rows, Scale.range(0, self.scale.k - 1), None)
        losses = self._probability_measure.losses(given.truth, given.prob)
        sums = sums_of(losses, given.truth, self.scale.k)
        return torch.from_numpy(np.asarray(sums, dtype=np.float64)).to(target.device)

    @property
    def _probability_measure(self) -> ProbabilityMetric:
        assert isinstance(self.measure, ProbabilityMetric)
        return self.measure

    def _positions(self, name: str, labels: Any) -> Any:
        """Return the positions of labels on the scale."""
        if labels.is_floating_point():
            raise LabelError(f"{name} must hold whole numbers, labels of {self.scale}.")
        ordered, order = self.levels.sort()
        place = torch.searchsorted(ordered, labels.long().contiguous()).clamp(max=self.scale.k - 1)
        outside = labels[ordered[place] != labels]
        if outside.numel():
            raise LabelError(
                f"{name} must hold labels of {self.scale}; {outside.numel():,} of "
                f"{labels.numel():,} are outside, the first is {int(outside[0])}."
            )
        return order[place]

    def _check_scores(self, scores: Any, target: Any) -> None:
        expected = (*target.shape[:1], self.scale.k, *target.shape[1:])
        if tuple(scores.shape) != expected:
            raise LabelError(
                f"preds are floating and must have the classes on the second axis, shape "
                f"{expected}; got {tuple(scores.shape)}."
            )
        if scores.isnan().any():
            raise LabelError("preds hold NaN.")

    def compute(self) -> Any:
        """Return the measure over all batches and processes."""
        state = getattr(self, self._state)
        held = state.cpu().numpy()
        if self._state == "counts":
            value = self.measure.from_confusion(held.reshape(self.scale.k, self.scale.k))
        else:
            value = float(self._probability_measure.combine(held))
        return torch.tensor(value, device=state.device)


def _scale_of(num_classes: int | None, labels: Any) -> Scale:
    if (num_classes is None) == (labels is None):
        raise ParameterError("OrdinalMetric needs num_classes or labels, one of the two.")
    if labels is None:
        if not isinstance(num_classes, int) or num_classes < 2:
            raise ParameterError(f"num_classes must be at least 2; got {num_classes!r}.")
        return Scale.range(0, num_classes - 1)
    scale = as_scale(labels)
    if not all(map(is_whole, scale.levels)):
        raise ParameterError(
            f"tensors hold whole numbers: give num_classes={scale.k}, and classes from 0 in the "
            f"order of the scale; got {scale}."
        )
    return scale
