"""Any measure of ordeval as a torchmetrics metric: counted on the device, merged over processes."""

from __future__ import annotations

from typing import Any

import torch
from torchmetrics import Metric

import ordeval as oe


class OrdinalMetric(Metric):
    """Adds up a K x K matrix on the device; the measure is computed from it at the end.

    Classes are 0 to K - 1 in the order of the scale. ``preds`` are labels of the same shape as
    ``target``, or floating scores with the classes on the second axis. ``params`` are those of the
    measure; other keywords go to torchmetrics.
    """

    full_state_update = False

    def __init__(
        self, name: str, num_classes: int, params: dict[str, Any] | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        measure = oe.get_metric(name)
        self.measure = measure.with_params(**params) if params else measure
        self.k = num_classes
        zeros = torch.zeros(num_classes * num_classes, dtype=torch.long)
        self.add_state("counts", default=zeros, dist_reduce_fx="sum")  # matrices add

    @property
    def higher_is_better(self) -> bool | None:
        """The direction of the measure."""
        return self.measure.greater_is_better

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Count one batch."""
        labels = preds
        if preds.is_floating_point():
            labels = self._likeliest(preds, target)
        if labels.shape != target.shape:
            raise ValueError(f"preds {tuple(preds.shape)} do not fit target {tuple(target.shape)}.")
        for name, x in (("preds", labels), ("target", target)):
            outside = x.numel() and (int(x.min()) < 0 or int(x.max()) >= self.k)
            if x.is_floating_point() or outside:
                raise ValueError(f"{name} must be whole numbers from 0 to {self.k - 1}.")
        cells = target.flatten().long() * self.k + labels.flatten().long()
        self.counts += torch.bincount(cells, minlength=self.k * self.k)

    def _likeliest(self, scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        if scores.shape != (*target.shape[:1], self.k, *target.shape[1:]):
            raise ValueError(f"scores {tuple(scores.shape)} are not (N, {self.k}, ...).")
        if scores.isnan().any():
            raise ValueError("scores hold NaN.")
        return scores.argmax(1)

    def compute(self) -> torch.Tensor:
        """The measure over all batches and processes."""
        value = self.measure.from_confusion(self.counts.reshape(self.k, self.k).cpu().numpy())
        return torch.tensor(value, device=self.counts.device)
