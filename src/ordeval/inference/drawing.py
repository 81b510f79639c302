"""Drawing data sets like the one at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval._shared.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class Drawer:
    """Units by the cells that they add to: drawing data sets is one sparse product."""

    incidence: Any  # (units, M * K * K), sparse; or what units add to sums
    count: Integers  # how many units are alike
    stratum: Integers  # units are drawn within their stratum
    shape: tuple[int, ...]  # (M, K, K), or (M, 1 + K) of losses
    whole: bool

    @property
    def row_bytes(self) -> int:
        """The memory that one draw takes."""
        return 8 * max(len(self.count), int(np.prod(self.shape)))

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Matrices (size, M, K, K) of data sets drawn with replacement."""
        chosen = np.empty((size, len(self.count)))
        for s in np.unique(self.stratum):
            units = np.flatnonzero(self.stratum == s)
            chosen[:, units] = _draw_each(rng, self.count[units], size)
        drawn = np.asarray(chosen @ self.incidence).reshape(size, *self.shape)
        return np.rint(drawn) if self.whole else drawn


def _draw_each(rng: np.random.Generator, count: Integers, size: int) -> Floats:
    """How often each unit is drawn (size, U), drawing as many as there are."""
    n, units = int(count.sum()), len(count)
    if n > 4 * units:
        return rng.multinomial(n, count / n, size).astype(np.float64)
    # Few copies of each: drawing units one by one is quicker than a binomial for each.
    which = np.repeat(np.arange(units), count)
    out = np.empty((size, units))
    for row in out:
        row[:] = np.bincount(which[rng.integers(0, n, n)], minlength=units)
    return out
