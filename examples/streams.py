"""Labels that arrive in batches, in several processes: matrices add, so counting can be split.

Two loops that training code has: a metric object that is updated batch by batch, and workers that
hold a shard each and merge at the end, as ``torch.distributed`` does. Neither needs torch; tensors
on the CPU are taken as they are.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from typing import Any

import numpy as np

import ordeval as oe

STARS = oe.Scale.range(1, 5)
WORKERS = 4


class OrdinalMetric:
    """The interface of torchmetrics: ``update`` a batch, ``compute``, ``reset``."""

    def __init__(self, names: list[str], scale: oe.Scale) -> None:
        self.names, self.counted = names, oe.Accumulator(scale)

    def update(self, preds: Any, target: Any) -> None:
        self.counted.update(target, preds)

    def compute(self) -> dict[str, float]:
        return dict(oe.score(self.counted.confusion_matrix(), metrics=self.names))

    def reset(self) -> None:
        self.counted.reset()


def batches(worker: int) -> Iterator[tuple[Any, Any]]:
    """Predicted and true stars of one shard; a model and a data loader would be here."""
    rng = np.random.default_rng(worker)
    for _ in range(10):
        target = rng.integers(1, 6, 256)
        yield np.clip(target + rng.integers(-1, 2, 256), 1, 5), target


def count_shard(worker: int) -> oe.Accumulator:
    """What one process does. Only K x K numbers travel, however many items it saw."""
    counted = oe.Accumulator(STARS)
    for preds, target in batches(worker):
        counted.update(target, preds)
    return counted


def main() -> None:
    # One process, batch by batch.
    metric = OrdinalMetric(["mean_absolute_error", "cem_ord"], STARS)
    for worker in range(WORKERS):
        for preds, target in batches(worker):
            metric.update(preds, target)
    print("one process    ", metric.compute())

    # Several processes, merged. In torch.distributed it is one all_reduce of the counts:
    #   counts = torch.from_numpy(counted.confusion_matrix().counts.copy())
    #   torch.distributed.all_reduce(counts)  # sums
    #   cm = oe.ConfusionMatrix(counts.numpy(), STARS)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        everything = oe.Accumulator(STARS)
        for shard in pool.map(count_shard, range(WORKERS)):
            everything.merge(shard)
    cm = everything.confusion_matrix()
    print("several workers", dict(oe.score(cm, metrics=["mean_absolute_error", "cem_ord"])))
    print("with interval  ", oe.confidence_interval("cem_ord", cm, rng=0))


if __name__ == "__main__":
    main()
