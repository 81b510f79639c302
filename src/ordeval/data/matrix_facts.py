"""What a confusion matrix, or a stack of them, tells of itself: counts, scale, sizes and origin."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.result import Result
from ordeval._shared.text import amount, plural
from ordeval.data.counts import Dropped, Origin, exact_sum, scaled
from ordeval.data.items import are_whole
from ordeval.data.scale import Scale


class MatrixFacts(Result):
    """Read-only facts of counts (..., K, K); the base of ``ConfusionMatrix``."""

    __slots__ = ("_counts", "_origin", "_scale")
    _counts: NDArray[Any]
    _origin: Origin
    _scale: Scale

    @property
    def counts(self) -> NDArray[Any]:
        """The counts, read-only, of shape ``(..., K, K)``."""
        return self._counts

    @property
    def scale(self) -> Scale:
        """The ordered labels."""
        return self._scale

    @property
    def origin(self) -> Origin:
        """Where the counts come from."""
        return self._origin

    @property
    def dropped(self) -> Dropped:
        """The number of dropped items, by reason."""
        return self._origin.dropped

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of weights instead of numbers of items."""
        return self._origin.weighted

    @property
    def items(self) -> Any:
        """The number of items of each matrix; None if only their weights are known."""
        return self._origin.items if self.weighted else self.total

    @property
    def scored(self) -> NDArray[Any]:
        """The counts for measures: weights are scaled to the number of items.

        Whole numbers are left as they are: an item of weight 2 counts like two.
        """
        if not self.weighted or self.items is None or are_whole(self._counts):
            return self._counts
        return scaled(self._counts, self.items)

    @property
    def by(self) -> tuple[Any, ...] | None:
        """The subgroups along the first axis of a stack."""
        return self._origin.by

    @property
    def implied(self) -> bool:
        """Whether the scale was read off the integers that occur, rather than declared."""
        return self._origin.implied

    @property
    def k(self) -> int:
        """The declared number of classes."""
        return self._scale.k

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the stack; ``()`` for one matrix."""
        return self._counts.shape[:-2]

    @property
    def total(self) -> Any:
        """Number of items, or their summed weight; an array for a stack."""
        total = exact_sum(self._counts, axis=(-2, -1))
        return total if self.shape else np.asarray(total).item()

    @property
    def support(self) -> NDArray[Any]:
        """Items of each true class, shape ``(..., K)``."""
        return exact_sum(self._counts, axis=-1)

    @property
    def predicted(self) -> NDArray[Any]:
        """Items of each predicted class, shape ``(..., K)``."""
        return exact_sum(self._counts, axis=-2)

    @property
    def size(self) -> str:
        """Describe the items of one matrix, or their summed weight."""
        if self.weighted:
            return f"total weight {amount(float(self.total))}"
        return plural(int(self.total), "item")
