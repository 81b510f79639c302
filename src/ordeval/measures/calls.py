"""Call signatures of the measures, for editors and type checkers.

When a measure runs, ``Metric.__call__`` takes the parameters of any kernel and checks them. The
classes here only tell type checkers which keywords a measure has; a measure without a class of its
own accepts all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Required, TypedDict, Unpack

from numpy.typing import ArrayLike

from ordeval._shared.types import Policy
from ordeval.measures.metric import Metric
from ordeval.measures.parts.checks import Weighting


class ForecastOptions(TypedDict, total=False):
    """Options of every measure of predicted probabilities."""

    labels: Any
    sample_weight: Any
    undefined: float


class LabelOptions(ForecastOptions, total=False):
    """Options of every measure of predicted labels."""

    unknown: Policy
    missing: Policy


class RankingOptions(LabelOptions, total=False):
    """Options of measures of labels or of scores that order the items."""

    y_score: Any


class RatingOptions(TypedDict, total=False):
    """Options of measures of several raters."""

    labels: Any
    undefined: float


class WeightedRatingOptions(RatingOptions, total=False):
    """How a disagreement of raters is weighted."""

    weights: Weighting | ArrayLike


class WithinOptions(LabelOptions, total=False):
    """The largest error, in classes, that counts as correct."""

    n: int


class CutOptions(LabelOptions, total=False):
    """The lowest level above the cut."""

    at_least: Required[Any]


class RankingCutOptions(RankingOptions, total=False):
    """The lowest level above the cut."""

    at_least: Required[Any]


class ForecastCutsOptions(ForecastOptions, total=False):
    """The lowest level above one cut; by default, all cuts."""

    at_least: Any


class ForecastCutOptions(ForecastOptions, total=False):
    """The lowest level above the cut."""

    at_least: Required[Any]


class PointsOptions(LabelOptions, total=False):
    """The value of each level; by default its position."""

    points: ArrayLike | None


class PointsByClassOptions(PointsOptions, total=False):
    """Points, and the treatment of classes without items."""

    absent: Literal["ignore", "zero"]


class WeightsOptions(LabelOptions, total=False):
    """How much each error counts."""

    weights: Weighting | ArrayLike


class LevelOptions(LabelOptions, total=False):
    """The level of measurement."""

    level: Literal["ordinal", "nominal", "interval"]


class CostOptions(LabelOptions, total=False):
    """The cost of each error."""

    cost: ArrayLike | None


class CostBySizeOptions(CostOptions, total=False):
    """The cost of each error, and the class sizes of the population."""

    class_sizes: ArrayLike | None


class PathOptions(LabelOptions, total=False):
    """The price of distance on a path."""

    share: float
    beta: float | None
    gamma: float


class GeneralPathOptions(LabelOptions, total=False):
    """The prices of deviation and of discordance."""

    beta_deviation: Required[float]
    beta_discordance: Required[float]
    gamma: float
    time_limit: float


class PathAreaOptions(LabelOptions, total=False):
    """The exponent of the distance, and the treatment of classes without items."""

    gamma: float
    absent: Literal["ignore", "uniform", "perfect"]


class UniformPathOptions(PathAreaOptions, total=False):
    """Options of path measures with a price of distance."""

    beta: float


class UnansweredOptions(LabelOptions, total=False):
    """The treatment of items without a prediction."""

    unanswered: ArrayLike | Literal["zero"] | None


class NormalizeOptions(ForecastOptions, total=False):
    """Whether to divide by the largest value."""

    normalize: bool


class PlainMetric(Metric):
    """A measure without parameters."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[LabelOptions]
        ) -> float:
            """Score predicted labels."""


class WithinMetric(Metric):
    """A measure that counts errors of up to n classes as correct."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[WithinOptions]
        ) -> float:
            """Score predicted labels."""


class CutMetric(Metric):
    """A measure of one cut of the scale."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[CutOptions]
        ) -> float:
            """Score predicted labels."""


class PointsMetric(Metric):
    """A measure that counts steps of the scale, or points."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[PointsOptions]
        ) -> float:
            """Score predicted labels."""


class PointsByClassMetric(Metric):
    """A measure that averages steps or points over the classes."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[PointsByClassOptions]
        ) -> float:
            """Score predicted labels."""


class WeightedMetric(Metric):
    """A measure that weights each error."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[WeightsOptions]
        ) -> float:
            """Score predicted labels."""


class LevelMetric(Metric):
    """A measure for a level of measurement."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[LevelOptions]
        ) -> float:
            """Score predicted labels."""


class CostMetric(Metric):
    """A measure of costs."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[CostOptions]
        ) -> float:
            """Score predicted labels."""


class SizedCostMetric(Metric):
    """A measure of costs that depend on class sizes."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[CostBySizeOptions]
        ) -> float:
            """Score predicted labels."""


class PathMetric(Metric):
    """A measure of the best path, whose price may be a share."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[PathOptions]
        ) -> float:
            """Score predicted labels."""


class GeneralPathMetric(Metric):
    """A measure of the best path with two prices."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[GeneralPathOptions]
        ) -> float:
            """Score predicted labels."""


class UniformPathMetric(Metric):
    """A measure of the best path with equal weight for each class."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[UniformPathOptions]
        ) -> float:
            """Score predicted labels."""


class PathAreaMetric(Metric):
    """A measure of the best paths over all prices."""

    if TYPE_CHECKING:

        def __call__(  # type: ignore[override]
            self, y_true: Any, y_pred: Any, **options: Unpack[PathAreaOptions]
        ) -> float:
            """Score predicted labels."""
