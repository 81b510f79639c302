"""What must hold, where it is relaxed and why, and whether it does.

A rate is judged with its Monte Carlo error: it breaks a bound if it lies beyond it by more than two
standard errors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from benchmarks.coverage.populations import Cell
from ordeval.measures import Metric
from ordeval.measures.ranking import RankingMetric

ENOUGH: Final = 5.0  # items of the rarest class, in expectation
ENOUGH_RANKED: Final = 30.0  # the same where a measure orders items by scores


class Bound(NamedTuple):
    """Between what a rate must lie, and why not within the usual bounds."""

    low: float = 0.0
    high: float = 1.0
    why: str = ""


@dataclass(frozen=True)
class Rate:
    """How often something happened in a cell of a table."""

    table: str
    row: str
    column: str
    hits: float
    of: int
    bound: Bound = Bound()  # noqa: RUF009 - immutable

    @property
    def share(self) -> float:
        """The rate itself."""
        return self.hits / self.of if self.of else float("nan")

    @property
    def broken(self) -> bool:
        """Whether it lies beyond a bound, by more than chance explains."""
        if not self.of:
            return False
        low, high = self.bound.low, self.bound.high
        below = low - 2 * (low * (1 - low) / self.of) ** 0.5
        above = high + 2 * (high * (1 - high) / self.of) ** 0.5
        return not below <= self.share <= above


@dataclass(frozen=True)
class Amount:
    """A number that is shown and not judged."""

    table: str
    row: str
    column: str
    value: float


FEW: Final = "a class has fewer than 5 items in expectation"
STEPS: Final = "few errors: their number is discrete, and no interval covers exactly 95%"
STEPS_OF_TESTS: Final = "few errors: their number is discrete, and no test errs in exactly 5%"
SMALL: Final = "of 50 items few carry the difference: the test is cautious"

FEW_RANKED: Final = (
    "scores, and a class with fewer than 30 items in expectation: intervals are wide, and "
    "differences are significant in less than 3% (by DeLong's test in about 5%)"
)

# Measures that are no smooth functions of the counts: they must hold 90 %, and may hold more.
ROUGH: Final = {
    "geometric_mean_sensitivity": "zero as soon as one class has no hit",
    "misclassification_cost": "divided by the largest cost that the sampled class sizes allow",
    "purity": "a sum of largest cells",
    "inverse_purity": "a sum of largest cells",
    "min_sensitivity": "the smallest of the classes' values",
    "maximum_mae": "the largest of the classes' values",
    "extreme_sensitivity": "made of two classes only",
    "mutual_information": "small samples push it upwards",
}
# Measures whose differences are claimed more rarely than in 3 % of data sets with equal models.
CAUTIOUS: Final = {
    "mean_signed_error": "a distance to zero, next to which both models lie",
    "average_mse": "the squared errors of a few items decide",
    "oc_index_unnormalized": "both models have paths to choose from",
}
# Leaving one of so few out moves a class, or the pairs that are not tied, by a quarter.
WIDE: Final = "of 50 items, leaving one out sees a little too much"


def of_interval(metric: Metric, cell: Cell) -> Bound:
    """How often the interval of one model must hold the true value."""
    if metric.name in ROUGH:
        return Bound(0.90, 1.0, ROUGH[metric.name])
    if cell.rarest < ENOUGH:
        return Bound(0.90, 1.0, FEW)
    if cell.population.design == "near perfect":
        return Bound(0.90, 1.0, STEPS)
    if _few_ranked(metric, cell):
        return Bound(0.925, 1.0, FEW_RANKED)
    if cell.items <= 50:
        return Bound(0.925, 0.99, WIDE)
    return Bound(0.925, 0.975)


def of_difference(metric: Metric, cell: Cell) -> Bound:
    """How often the interval of a difference may leave out zero if there is none."""
    if cell.population.design == "near perfect":
        return Bound(0.0, 0.07, STEPS_OF_TESTS)
    if cell.rarest < ENOUGH:
        return Bound(0.0, 0.07, FEW)
    if _few_ranked(metric, cell):
        return Bound(0.0, 0.07, FEW_RANKED)
    if metric.name in ROUGH or metric.name in CAUTIOUS:
        return Bound(0.0, 0.07, (ROUGH | CAUTIOUS)[metric.name])
    return Bound(0.01, 0.07, SMALL) if cell.items <= 50 else Bound(0.03, 0.07)


def _few_ranked(metric: Metric, cell: Cell) -> bool:
    return isinstance(metric, RankingMetric) and cell.rarest < ENOUGH_RANKED


SKEWED: Final = (
    "losses are skewed, log losses most: of 50 or 200 items, the few that show how much worse a "
    "model is may be missing, and it passes more often than in 5 %"
)


def of_losses(cell: Cell) -> Bound:
    """How often a model whose losses are worse by just the margin may be found non-inferior."""
    if cell.items <= 50:
        return Bound(0.0, 0.10, SKEWED)
    return Bound(0.0, 0.08, SKEWED) if cell.items <= 200 else Bound(0.0, 0.07)


FEW_ABOVE: Final = (
    "a class has fewer than 20 items in expectation: scores that are worse by the margin pass "
    "more often than in 5 %"
)


def of_ranks(cell: Cell) -> Bound:
    """The same of scores."""
    return Bound(0.0, 0.10, FEW_ABOVE) if cell.rarest < 20 else Bound(0.0, 0.07)


def of_lost(cell: Cell, usual: Bound) -> Bound:
    """How often the interval of a difference of losses must hold it."""
    return Bound(0.92, 0.99, SKEWED_INTERVALS) if cell.items <= 50 else usual


SKEWED_INTERVALS: Final = "of 50 items, differences of skewed losses are held a little too rarely"
FEW_RATED: Final = "of 50 items, or of 20 or 50 clusters, few decide"
FEW_FOR_MARGINS: Final = (
    "of 50 items, or of 20 or 50 clusters, a judge that is worse by the margin passes more often "
    "than in 2.5 or 5 %"
)


def of_raters(units: int, design: str) -> Bound:
    """How often the interval of many raters' agreement must hold the true value."""
    if design == "near perfect":
        return Bound(0.90, 1.0, STEPS)
    if units < 200:
        return Bound(0.90, 0.99, FEW_RATED)
    return Bound(0.925, 0.975)


def of_claims(units: int, design: str) -> Bound:
    """How often a judge that is as good as a human may be told apart from one."""
    if design == "near perfect":
        return Bound(0.0, 0.07, STEPS_OF_TESTS)
    return Bound(0.01, 0.07, FEW_RATED) if units < 200 else Bound(0.03, 0.07)


def of_margins(units: int, size: float) -> Bound:
    """How often a judge that is worse by just the margin may pass a test of this size."""
    if units < 200:
        return Bound(0.0, 0.025 + size, FEW_FOR_MARGINS)
    return Bound(0.0, 1.4 * size)
