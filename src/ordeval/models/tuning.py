"""Cut points as decision rules: tuned for a measure, with the gain that can be expected of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import check_amount, checked, floats, shape_of
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import at_most, named, number, signed, with_ends
from ordeval._shared.types import Floats, Rng, StrPath, as_rng
from ordeval.data.columns import as_column, off_device
from ordeval.data.items import read_weights
from ordeval.data.predictions import Predictions
from ordeval.data.probabilities import read_table
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale, resolve_scale
from ordeval.exceptions import LabelError, ParameterError, UnknownMetricError
from ordeval.measures import Metric, get_metric
from ordeval.measures.parts.cut_levels import LevelOnScale
from ordeval.measures.parts.decisions import LevelCuts
from ordeval.models.choice import LevelNumbers, labels_at
from ordeval.models.cross_fitting import PLAIN, TUNED, ModelForecasts, compared
from ordeval.models.placement import Placement, ScoredItems, best, tunable

if TYPE_CHECKING:
    from ordeval.inference.paired import Delta
    from ordeval.results.comparison import Deltas

_OF: Final = {True: "expected level", False: "score"}  # what cut points divide


@dataclass(frozen=True, eq=False, repr=False)
class CutPoints(Result, LevelCuts):
    """Cut points of a score or of the expected level, tuned for a measure."""

    _kind: ClassVar[str] = "ordeval.cut_points"

    levels: tuple[Any, ...]  # the classes separated by the cut points, lowest first
    cut_points: Floats  # one fewer than levels
    metric: Metric
    value: float  # of the measure, on the data used to choose the cut points
    exact: bool  # proven best of all placements
    of_levels: bool = False  # whether the cut points divide the expected level of probabilities
    # From the most probable level, of cross-fitted decisions; by the tuned measure first.
    differences: Deltas | None = None
    folds: int = 0  # of the cross-fitting
    note: str = ""  # why there are no differences

    @property
    def gain(self) -> Delta | None:
        """The cross-fitted difference from the most probable level by the tuned measure."""
        return None if self.differences is None else self.differences[0]

    def classify(self, y_score: Any) -> LevelNumbers:
        """Return the class of each score or row of probabilities, counted from 0.

        Parameters
        ----------
        y_score
            Scores (n,), or probabilities (n, K) if the cut points were tuned on probabilities.

        Returns
        -------
        numpy.ndarray
            The number of cut points at or below each score.

        Raises
        ------
        LabelError
            If a score is missing, or scores and probabilities are mistaken for each other.
        """
        shape = shape_of(off_device(y_score))
        if (len(shape) == 2) != self.of_levels:
            wanted = "probabilities (n, K)" if self.of_levels else "scores (n,)"
            raise LabelError(
                f"y_score must be {wanted}, as these cut points were tuned on them; got an array "
                f"of shape {shape}."
            )
        if self.of_levels:
            prob = read_table(y_score, shape[0], Scale(self.levels), "y_prob")
            return np.asarray(self.level_of(prob), dtype=np.intp)
        scores = floats(off_device(y_score), "y_score", LabelError)
        if np.isnan(scores).any():
            raise LabelError(
                f"y_score must hold a number for each item; {np.isnan(scores).sum():,} are missing."
            )
        return np.searchsorted(self.cut_points, scores, side="right")

    def predict(self, y_score: Any) -> NDArray[Any]:
        """Return the label of each score or row of probabilities.

        Parameters
        ----------
        y_score
            As in ``classify``.

        Returns
        -------
        numpy.ndarray
            Array (n,) of labels.

        Raises
        ------
        LabelError
            As in ``classify``.

        Examples
        --------
        >>> cuts = optimal_cut_points(["low", "low", "high"], [1, 2, 5], labels=["low", "high"])
        >>> cuts.predict([0, 4.5])
        array(['low', 'high'], dtype='<U4')
        """
        return labels_at(self.levels, self.classify(y_score))

    @classmethod
    @checked
    def from_file(cls, path: StrPath) -> CutPoints:
        """Read cut points from their JSON, as ``to_json`` and ``ordeval tune`` write it.

        Parameters
        ----------
        path
            A JSON file.

        Returns
        -------
        CutPoints
            The decision rule, without the differences it came with.

        Raises
        ------
        LabelError
            If the file cannot be read, or is not the JSON of cut points.
        """
        try:
            given = json.loads(Path(path).read_text(encoding="utf-8"))
            cuts = np.array([float(x) for x in given["cut_points"]])
            levels = tuple(given["levels"])
            metric = get_metric(given["metric"]).with_params(**given["parameters"])
            metric.checked_on(Scale(levels), {})
            value = np.nan if given["value"] is None else float(given["value"])
            exact, of_levels = bool(given["exact"]), given["of"] == _OF[True]
            rising = not np.isnan(cuts).any() and (cuts[1:] >= cuts[:-1]).all()
            if given["kind"] != cls._kind or len(cuts) != len(levels) - 1 or not rising:
                raise ValueError
        except OSError as error:
            raise LabelError(
                f"path: {str(path)!r} cannot be read: {error.strerror or error}."
            ) from error
        except UnknownMetricError as error:
            raise LabelError(
                f"the cut points of {str(path)!r} were tuned for a measure that is not registered. "
                f"{error}"
            ) from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LabelError(
                f"{str(path)!r} does not hold cut points: expected the JSON that `ordeval tune` "
                f"writes."
            ) from error
        return cls(levels, cuts, metric=metric, value=value, exact=exact, of_levels=of_levels)

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per cut point: the classes below and above it, and its place."""
        cuts = zip(self.levels, self.levels[1:], self.cut_points.tolist(), strict=False)
        return [{"below": a, "above": b, "cut_point": cut} for a, b, cut in cuts]

    def table(self) -> Table:
        """Return one row per cut point."""
        rows = tuple(
            tuple(map(Cell, (str(r["below"]), str(r["above"]), f"{r['cut_point']:.6g}")))
            for r in self.rows()
        )
        proven = "the best of all cut points" if self.exact else "the best that a search found"
        caption = f"{self.metric.display} {number(self.value)} on these data, {proven}"
        of = "cut point of the expected level" if self.of_levels else "cut point"
        return Table(("below", "above", of), rows, caption, words=("above",))

    def lead(self) -> Sequence[str]:
        """The gain that can be expected on other data."""
        d = self.gain
        if d is None:
            return (self.note,) if self.note else ()
        verdict = "is significant" if d.favours == TUNED else "is not significant"
        if d.favours == PLAIN:
            verdict = "is a significant loss"
        name, how = self.metric.display, at_most(d.p_value, exact=True)
        values = f"{number(d.value_a)} instead of {number(d.value_b)}"
        ends = with_ends(d.delta, d.low, d.high, signed)
        others = f"tuned on {self.folds - 1} of {self.folds} folds, evaluated on the other"
        return (
            f"Tuned cut points: {name} {values} for the most probable level.",
            f"The difference {ends} {verdict} ({how}; {others}).",
        )

    def paragraphs(self) -> Sequence[str]:
        """What the decision changes by other measures."""
        if self.differences is None:
            return ()
        words = {TUNED: "significantly better", PLAIN: "significantly worse"}
        parts = []
        for d in self.differences[1:]:
            verdict = words.get(d.favours or "", "not significant")
            parts.append(f"{d.display} {number(d.value_b)} to {number(d.value_a)} ({verdict})")
        return (f"Other measures, most probable level to tuned: {'; '.join(parts)}.",)

    def _facts(self) -> dict[str, Any]:
        """Return the contents of the JSON."""
        return {
            "metric": self.metric.registered_as,
            "parameters": {name: _written(value) for name, value in self.metric.bound.items()},
            "value": self.value,
            "exact": self.exact,
            "of": _OF[self.of_levels],
            "levels": self.levels,
            "cut_points": [repr(x) for x in self.cut_points.tolist()],  # infinite ones, too
            "rows": self.rows(),
            "folds": self.folds,
            "differences": [] if self.differences is None else self.differences.rows(),
        }


@checked
def optimal_cut_points(
    y_true: Any,
    y_score: Any = None,
    metric: str | Metric = "weighted_kappa",
    *,
    labels: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    folds: int = 5,
    rng: Rng = 0,
    **params: Any,
) -> CutPoints:
    """Find the ordered cut points of a score, or of probabilities, that are best by a measure.

    Probabilities are divided by their expected level, the mean position on the scale. The result is
    a decision rule for ``decide`` and for ``Predictions(decide=...)``. Its ``value`` is computed on
    the same data, so it is optimistic. For probabilities, ``gain`` is the difference from the most
    probable level that can be expected on other data: in each fold, items are decided by cut points
    tuned on the other folds. Its 95% interval and p-value allow for cut points that vary with the
    items used for tuning: the variance is the mean of that of the decisions as given, which is too
    small, and that of a jackknife of the tuning, which is too large, or the first if larger.
    In simulations with the default folds, the interval covered 92% to 98%, whether tuning gained
    much, little or nothing.

    Parameters
    ----------
    y_true
        The true labels, or ``Predictions`` of one model that gives probabilities.
    y_score
        Scores (n,), higher for higher classes, or probabilities (n, K), columns in the order of the
        scale. A score equal to a cut point lies above it.
    metric
        A measure of labels, or its name. Measures that are sums over items, and kappas, are
        optimised exactly; for others see ``exact``.
    labels
        The ordered labels, lowest first, or a Scale; every level may be predicted. May be left out
        for integers and ordered categoricals.
    sample_weight
        Weights of the items.
    clusters
        For probabilities: clusters of items that are not independent. A cluster is never split
        between folds.
    folds
        For probabilities: number of folds. With 0, there is no ``gain``.
    rng
        Seed or generator of the folds.
    **params
        Parameters of the measure.

    Returns
    -------
    CutPoints
        ``cut_points`` (K - 1, infinite where an end class is never predicted), ``value``, ``exact``
        and ``gain``; a ResamplingWarning says if the gain is not significant. Of placements that
        are equally good, dynamic programming takes the one whose last cut is lowest, then the one
        whose last but one is lowest, and so on. For a kappa, it is any one of the best.

    Raises
    ------
    LabelError
        If labels or scores do not fit, or there are no items.
    ParameterError
        If the measure is not one of labels, or a parameter is outside its domain.
    ScaleError
        If the order of the labels is missing.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> optimal_cut_points([1, 1, 2, 3, 3], [0.1, 0.2, 0.7, 0.8, 0.9], metric="accuracy")
    accuracy 1.000 on these data, the best of all cut points
    below  above  cut point
    1      2           0.45
    2      3           0.75
    """
    measure = tunable(metric, params)
    given = isinstance(y_true, Predictions)
    if given and (y_score is not None or (labels, sample_weight, clusters) != (None, None, None)):
        raise ParameterError("with Predictions, pass the measure as metric=, and no arrays.")
    if not given and y_score is None:
        raise LabelError("y_score is missing: pass scores (n,) or probabilities (n, K).")
    if given or len(shape_of(off_device(y_score))) == 2:
        data = y_true
        if not given:
            data = Predictions(
                y_true,
                y_score,
                labels=labels,
                sample_weight=sample_weight,
                clusters=clusters,
                outputs="probabilities",
            )
        return _of_probabilities(data, measure, folds, rng)
    if clusters is not None:
        raise ParameterError("clusters= goes with probabilities (n, K); these are scores.")
    column = as_column(y_true, "y_true")
    scale = resolve_scale([column], labels)[0]
    codes = scale.encode(column, name="y_true")
    scores = floats(off_device(y_score), "y_score", LabelError)
    if scores.shape != codes.shape or not np.isfinite(scores).all():
        raise LabelError(
            f"y_score must hold one finite number per item, {len(codes)} in all; got an array of "
            f"shape {scores.shape}, in which {np.isfinite(scores).sum()} are finite."
        )
    check_same_items([("y_true", y_true), ("y_score", y_score), ("sample_weight", sample_weight)])
    weight = read_weights(sample_weight, len(codes))
    return _cut_points(best(ScoredItems(scores, codes, weight, scale), measure))


def _written(value: Any) -> Any:
    """Return a parameter of a measure in types of JSON."""
    return np.asarray(value.label if isinstance(value, LevelOnScale) else value).tolist()


def _cut_points(found: Placement, **more: Any) -> CutPoints:
    return CutPoints(found.levels, found.cut_points, found.metric, found.value, found.exact, **more)


def _of_probabilities(data: Predictions, metric: Metric, folds: int, rng: Rng) -> CutPoints:
    """Tune cut points of the expected level, and cross-fit their gain."""
    generator = as_rng(rng)
    check_amount("folds", folds, 0)
    given = ModelForecasts.of(data)
    cuts = _cut_points(given.placed(slice(None), metric), of_levels=True)
    if not folds:
        return cuts
    if folds < 2 or folds > given.units:
        what = "items" if given.unit is None else "clusters"
        limits = f"between 2 and the {given.units:,} {what}"
        raise ParameterError(f"{named('folds')} must lie {limits}; got {folds}.")
    try:
        found = compared(given, metric, given.folds(folds, generator))
        return replace(cuts, differences=found, folds=folds)
    except ParameterError as error:
        return replace(cuts, note=f"The gain cannot be estimated in {folds} folds: {error}")
