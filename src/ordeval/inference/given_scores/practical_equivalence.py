"""How probable it is that a difference matters: worse, equivalent in practice, or better.

Both tests take a region of practical equivalence, the rope: differences up to it make none.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers

_PRIOR: Final = 0.5  # cases without a difference that the prior adds (Benavoli et al. 2017)
_BLOCK: Final = 1 << 20  # numbers that are drawn at a time


class Chances(NamedTuple):
    """Probabilities that the first of two models is worse, equivalent or better in practice."""

    worse: float
    equivalent: float
    better: float


UNKNOWN: Final = Chances(math.nan, math.nan, math.nan)


def signed_rank_chances(
    gains: Floats, rope: float, n_resamples: int, rng: np.random.Generator
) -> list[Chances]:
    """The Bayesian signed-rank test of pairs of models, from gains (n, P) over the same cases.

    A draw gives each case a weight; the side on which most means of two cases lie wins the draw
    (Benavoli et al. 2014, 2017). All pairs of models share the draws.
    """
    cases = np.concatenate([np.zeros((1, gains.shape[1])), gains])
    shape = np.ones(len(cases))
    shape[0] = _PRIOR
    won = np.zeros((gains.shape[1], 3), dtype=np.int64)
    size = max(1, _BLOCK // len(cases))
    for start in range(0, n_resamples, size):
        drawn = rng.standard_gamma(shape, (min(size, n_resamples - start), len(cases)))
        weights = drawn / drawn.sum(axis=1, keepdims=True)
        for pair, column in enumerate(cases.T):
            won[pair] += np.bincount(_winners(weights, column, rope), minlength=3)
    return [Chances(*row) for row in (won / n_resamples).tolist()]


def _winners(weights: Floats, gains: Floats, rope: float) -> Integers:
    """The heaviest side of each draw: 0 worse, 1 equivalent, 2 better."""
    order = np.argsort(gains, kind="stable")
    z, w = gains[order], weights[:, order]
    below = np.concatenate([np.zeros((len(w), 1)), np.cumsum(w, axis=1)], axis=1)
    # The mean of two cases lies beyond the rope if the other case lies beyond this.
    edge = 2 * rope * (1 + 1e-6)  # a difference of 0.01 is within a rope of 0.01, however rounded
    worse = (w * below[:, np.searchsorted(z, -edge - z, side="left")]).sum(axis=1)
    upto = below[:, np.searchsorted(z, edge - z, side="right")]
    better = (w * (below[:, -1:] - upto)).sum(axis=1)
    return np.asarray(np.argmax([worse, 1 - worse - better, better], axis=0))
