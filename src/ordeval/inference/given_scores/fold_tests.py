"""The t test of cross-validation, corrected for training sets that overlap.

Scores of folds are not independent: any two training sets share most of their items. The plain t
test assumes independence and finds differences that are not there, more of them with more folds.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.given_scores.practical_equivalence import UNKNOWN, Chances


class CorrectedT(NamedTuple):
    """The mean of differences over folds, with its corrected standard error.

    An error of zero leaves nothing to test with, unless there is no difference at all.
    """

    mean: float
    error: float
    df: int

    @classmethod
    def of(cls, differences: Floats, test_share: float) -> CorrectedT:
        """Nadeau & Bengio 2003: the variance grows by the ratio of test to training items."""
        n = len(differences)
        if (differences == differences[0]).all():
            return cls(float(differences[0]), 0.0, n - 1)  # rounding would leave a tiny variance
        factor = 1 / n + test_share / (1 - test_share)
        error = math.sqrt(factor * float(np.var(differences, ddof=1)))
        return cls(float(np.mean(differences)), error, n - 1)

    @property
    def p_value(self) -> float:
        """Two-sided."""
        from scipy.special import stdtr

        if self.error == 0:
            return 1.0 if self.mean == 0 else math.nan
        return 2 * float(stdtr(self.df, -abs(self.mean) / self.error))

    def interval(self, level: float) -> tuple[float, float]:
        """The interval of the mean difference."""
        from scipy.special import stdtrit

        if self.error == 0:
            return (0.0, 0.0) if self.mean == 0 else (math.nan, math.nan)
        half = float(stdtrit(self.df, (1 + level) / 2)) * self.error
        return self.mean - half, self.mean + half

    def chances(self, rope: float, sign: int) -> Chances:
        """The Bayesian correlated t test (Corani & Benavoli 2015); ``sign`` is -1 for a loss.

        The posterior of the mean difference is the t distribution of the interval.
        """
        from scipy.special import stdtr

        if self.error == 0:
            return Chances(0.0, 1.0, 0.0) if self.mean == 0 else UNKNOWN
        gain = sign * self.mean
        worse, better = (
            float(stdtr(self.df, (side * gain - rope) / self.error)) for side in (-1, 1)
        )
        return Chances(worse, max(1 - worse - better, 0.0), better)
