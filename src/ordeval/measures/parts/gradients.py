"""The derivative of a measure with respect to the counts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats
from ordeval.data.accumulator import as_counts
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Scale
from ordeval.exceptions import CountsError, LabelError

_STEP: Final = 1e-3  # of a cell, relative to the items of its row
_AGREES: Final = 1e-4  # estimates with a step and with half of it, if there is a derivative
_BLOCK_CELLS: Final = 1 << 20
# Finite differences of the fourth order: places in steps, and weights times 12.
_CENTRAL: Final = {-2: 1, -1: -8, 1: 8, 2: -1}
_FORWARD: Final = {0: -25, 1: 48, 2: -36, 3: 16, 4: -3}


class Differentiable:
    """A measure whose values change with the counts."""

    name: str
    needs: ClassVar[Any]

    @abstractmethod
    def evaluate(self, n: NDArray[Any], params: Mapping[str, Any]) -> Any:
        """Evaluate checked counts and parameters."""

    @abstractmethod
    def checked_on(self, scale: Scale | int, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked parameters on a scale."""

    def gradient(self, counts: Any, **params: Any) -> Floats:
        """Differentiate the measure with respect to the count in each cell.

        Cell (i, j) holds the change of the value for each further item of true class i that is
        predicted as j, for a small number of such items. Of a cell without items, it is the
        derivative from above. Where two optimal paths are equally good, it is the mean of the
        derivatives from both sides.

        Parameters
        ----------
        counts
            A ConfusionMatrix or counts (K, K), rows truth, columns prediction.
        **params
            Parameters of the measure.

        Returns
        -------
        numpy.ndarray
            Array (K, K); NaN where the measure has no derivative, as in the row of a class without
            items if the value jumps when the class appears.

        Raises
        ------
        CountsError
            If ``counts`` is not one square matrix.
        LabelError
            If the measure does not score labels.
        ParameterError
            If a parameter is unknown or outside its domain.

        Examples
        --------
        >>> from ordeval import accuracy
        >>> accuracy.gradient([[3, 1], [0, 4]]).round(4)
        array([[ 0.0156, -0.1094],
               [-0.1094,  0.0156]])
        """
        if self.needs != "labels":
            raise LabelError(f"{self.name} scores {self.needs}; only measures of labels have one.")
        n = as_counts(counts)
        if n.ndim != 2:
            raise CountsError(f"counts must be one matrix (K, K); got shape {n.shape}.")
        scale = counts.scale if isinstance(counts, ConfusionMatrix) else n.shape[0]
        checked = self.checked_on(scale, params)
        given = n.astype(np.float64)
        if not given.any():
            return np.full(given.shape, np.nan)
        rows = given.sum(axis=1, keepdims=True)
        step = _STEP * np.where(rows > 0, rows, given.sum() / len(given))
        step = np.broadcast_to(step, given.shape)
        step = np.where(given > 0, np.minimum(step, given / 4), step).ravel()
        coarse, fine = (self._slopes(given, s, checked) for s in (step, step / 2))
        apart = np.abs(coarse - fine) > _AGREES * (np.abs(fine) + 1 / given.sum())
        return np.where(apart, np.nan, fine).reshape(given.shape)

    def _slopes(self, n: Floats, step: Floats, params: Mapping[str, Any]) -> Floats:
        """Return finite differences in all cells, without a negative count."""
        inside, found = n.ravel() > 0, np.zeros(n.size)
        for cells, weights in ((inside, _CENTRAL), (~inside, _FORWARD)):
            each = np.flatnonzero(cells)
            for block in np.array_split(each, max(1, len(each) * n.size // _BLOCK_CELLS)):
                for place, weight in weights.items():
                    stack = np.repeat(n.reshape(1, -1), len(block), axis=0)
                    stack[np.arange(len(block)), block] += place * step[block]
                    values = self.evaluate(stack.reshape(-1, *n.shape), params)
                    found[block] += weight / 12 * values
        return found / step
