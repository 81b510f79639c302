"""Find the ordered cut points of a score that are best by a measure.

Items are sorted by score; a placement says before which item each of the K - 1 cuts falls. Items
with equal scores stay together. There are three methods:

- a measure that adds up over items, with weights that only the class sizes of the truth fix, is
  optimised exactly by dynamic programming, in time proportional to items times classes;
- a kappa is a quotient of two such sums, and is optimised exactly by Dinkelbach's method, a few
  such programmes one after the other;
- any other measure is evaluated on all placements if they are few, and otherwise searched, a stack
  of matrices at a time.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError, ParameterError
from ordeval.measures import Metric, get_metric
from ordeval.measures.registry import refuse_other_needs
from ordeval.models._additive import LossMatrix, is_kappa, losses, quotients
from ordeval.models.choice import LevelNumbers

Utility = Callable[[LevelNumbers], Floats]  # placements (B, K-1) -> utilities (B,)

_ALL: Final = 20_000  # all placements are evaluated up to this number
_STEP: Final = 128  # places of one cut tried at once before the best one is refined
_PAIR: Final = 24  # places of each of two cuts tried together
_CELLS: Final = 1 << 22  # cells of a stack of matrices in memory at once
_GRID: Final = 2000  # grid of places for the first placement
_STARTS: Final[tuple[tuple[str, dict[str, Any]], ...]] = (
    ("mean_absolute_error", {}),
    ("average_mae", {}),
    ("accuracy", {}),
    ("balanced_accuracy", {}),
    ("weighted_kappa", {"weights": "quadratic"}),
    ("weighted_kappa", {"weights": "linear"}),
)


@dataclass(frozen=True, eq=False)
class Placement:
    """Cut points of a score, with their value on the data they were chosen on."""

    levels: tuple[Any, ...]  # the classes separated by the cut points, lowest first
    cut_points: Floats  # one fewer than levels
    metric: Metric
    value: float
    exact: bool  # proven best of all placements

    def classify(self, scores: Floats) -> LevelNumbers:
        """Return the class of each score, from 0: the number of cut points at or below it."""
        return np.searchsorted(self.cut_points, scores, side="right")


class SortedScores:
    """Sorted scores with the weight of each class at each distinct score."""

    def __init__(
        self,
        scores: Floats,
        codes: LevelNumbers,
        weight: Floats | None,
        scale: Scale,
        seen: LevelNumbers,
    ) -> None:
        self.scale = scale
        self.on_scale, self.k = seen, scale.k  # positions of the classes on the scale
        self.levels = tuple(scale.decode(seen))
        self.classes = len(seen)
        if weight is not None:  # an item with zero weight must not offer a place to cut
            scores, codes, weight = scores[weight > 0], codes[weight > 0], weight[weight > 0]
        self.distinct, group = np.unique(scores, return_inverse=True)
        m = len(self.distinct)
        if not m:
            raise LabelError("there are no items, or none of positive weight.")
        cells = group * self.classes + codes
        counts = np.bincount(cells, weights=weight, minlength=m * self.classes)
        below = np.cumsum(counts.reshape(m, self.classes), axis=0, dtype=np.float64)
        # below[t, i]: weight of class i among the first t distinct scores.
        self.below = np.concatenate([np.zeros((1, self.classes)), below])

    @property
    def sizes(self) -> Floats:
        """Return the weight of each level of the scale."""
        sizes = np.zeros(self.k)
        sizes[self.on_scale] = self.below[-1]
        return sizes

    def matrices(self, places: LevelNumbers) -> Floats:
        """Return the confusion matrices (B, k, k) of placements (B, classes - 1)."""
        ends = np.empty((len(places), self.classes + 1), dtype=np.intp)
        ends[:, 0], ends[:, 1:-1], ends[:, -1] = 0, places, len(self.distinct)
        below = self.below[ends]
        predicted: Floats = (below[:, 1:] - below[:, :-1]).swapaxes(1, 2)  # (B, true, predicted)
        if self.classes == self.k:
            return predicted
        stack = np.zeros((len(places), self.k, self.k))
        stack[np.ix_(np.arange(len(places)), self.on_scale, self.on_scale)] = predicted
        return stack

    def cut_points(self, places: LevelNumbers) -> Floats:
        """Return the numbers halfway between the scores that a placement separates."""
        edges = np.concatenate([[-np.inf], self.distinct, [np.inf]])
        low, high = edges[places], edges[places + 1]
        with np.errstate(invalid="ignore"):
            middle = low / 2 + high / 2
        # Neighbouring floats have no number between them; a score equal to a cut lies above it.
        between = np.where((middle > low) & (middle <= high), middle, high)
        return np.where(places == 0, -np.inf, between)


class ScoredItems(NamedTuple):
    """Items with a score, and their true classes as positions on a scale."""

    scores: Floats
    codes: Integers
    weight: Floats | None
    scale: Scale


def best(items: ScoredItems, metric: Metric) -> Placement:
    """Return the best placement over the whole scale; an error where the measure has no value."""
    scores, codes, weight, scale = items
    if len(np.unique(codes if weight is None else codes[weight > 0])) == 1 and is_kappa(metric):
        raise ParameterError(
            f"The truth has only one class, so {metric.name} is 0 or undefined for all "
            "cut points. Use data with more classes."
        )
    data = SortedScores(scores, codes, weight, scale, np.arange(scale.k))
    return refuse_undefined(place(data, metric))


def tunable(metric: str | Metric, params: Mapping[str, Any]) -> Metric:
    """Return the measure with its parameters, if it scores labels."""
    found = get_metric(metric)
    if found.needs == "probabilities":
        raise ParameterError(
            f"{found.name} scores probabilities, but cut points make labels; choose a measure of "
            f'labels, for example "weighted_kappa".'
        )
    refuse_other_needs(found)
    return found.with_params(**params) if params else found


def place(data: SortedScores, metric: Metric) -> Placement:
    """Return the best placement by the strongest method; its value is NaN if undefined."""
    checked = metric.checked_on(data.scale, {})
    places, exact = _best_placement(data, metric, checked)
    value = float(metric.evaluate(data.matrices(places[None])[0], checked))
    return Placement(data.levels, data.cut_points(places), metric, value, exact)


def refuse_undefined(found: Placement) -> Placement:
    """Return the cut points, or raise an error if the measure is undefined for all of them."""
    if np.isnan(found.value):
        raise ParameterError(
            f"{found.metric.name} is undefined for all cut points: it is undefined when "
            f"{found.metric.undefined_when}. Choose another measure, or use data with "
            "more classes."
        )
    return found


def _best_placement(
    data: SortedScores, metric: Metric, params: dict[str, Any]
) -> tuple[LevelNumbers, bool]:
    optimum = _computed(data, data.below, metric, params)
    if optimum is not None:
        return optimum, True

    def value(places: LevelNumbers) -> Floats:
        values = metric.evaluate(data.matrices(places), params)
        return np.where(np.isnan(values), -np.inf, metric.utility(values))

    cuts, m = data.classes - 1, len(data.distinct)
    if comb(m + cuts, cuts) <= _ALL and not metric.expensive:
        every = combinations_with_replacement(range(m + 1), cuts)
        places = np.array(list(every), dtype=np.intp).reshape(-1, cuts)
        return places[_in_parts(value, places).argmax()], True
    starts = _starts(data)
    if metric.expensive:  # minutes per matrix: choose among the optima of the others
        return starts[_in_parts(value, starts).argmax()], False
    return _search(value, starts, m), False


def _computed(
    data: SortedScores, below: Floats, metric: Metric, params: dict[str, Any]
) -> LevelNumbers | None:
    """Return the exact optimum among the places in ``below``, or None if a search is needed."""
    seen = np.ix_(data.on_scale, data.on_scale)
    loss = losses(metric, params, data.sizes)
    if loss is not None:
        return _least_sum(below, loss[seen])
    pair = quotients(metric, params, data.sizes)
    return None if pair is None else _least_quotient(below, pair[0][seen], pair[1][seen])


def _least_sum(below: Floats, loss: LossMatrix) -> LevelNumbers:
    """Return the placement with the smallest total loss, by dynamic programming over the classes.

    ``total[t]`` is the smallest loss of the first t scores with the classes so far. A further
    class takes over at some t' <= t, found by a running minimum. Ties go to the first t'.
    """
    along = np.ascontiguousarray((below @ loss).T)  # (predicted, m + 1)
    openings, total = [], along[0]
    for predicted in along[1:]:
        opening = total - predicted
        openings.append(opening)
        total = np.minimum.accumulate(opening) + predicted
    places, end = np.empty(len(openings), dtype=np.intp), len(below) - 1
    for cut in reversed(range(len(openings))):
        end = places[cut] = int(openings[cut][: end + 1].argmin())
    return places


def _least_quotient(below: Floats, over: LossMatrix, under: LossMatrix) -> LevelNumbers:
    """Return the placement with the smallest quotient of two sums (Dinkelbach 1967).

    With q the quotient of a placement, one that makes ``over - q under`` smaller has a smaller
    quotient, and if there is none then q is least. Each round is exact and strictly better, and
    the placements are finitely many.
    """

    def sums(places: LevelNumbers) -> tuple[float, float]:
        predicted = np.diff(below[[0, *places, -1]], axis=0).T  # (true, predicted)
        return float((predicted * over).sum()), float((predicted * under).sum())

    grid = _grid(len(below) - 1)
    if len(grid) < len(below):  # A good first placement saves rounds.
        best = grid[_least_quotient(below[grid], over, under)]
    else:
        best = _least_sum(below, over - under)  # as if the quotient were 1
    numerator, denominator = sums(best)
    while denominator > 0:
        trial = _least_sum(below, over - numerator / denominator * under)
        above, beneath = sums(trial)
        if not beneath > 0 or above * denominator >= numerator * beneath:
            break
        best, numerator, denominator = trial, above, beneath
    return best


def _grid(m: int) -> LevelNumbers:
    """Return places from 0 to m: all of them, or an evenly spread subset."""
    return np.linspace(0, m, min(m, _GRID) + 1).astype(np.intp)


def _starts(data: SortedScores) -> LevelNumbers:
    """Return starting placements: optima of other measures on a grid, and the margins."""
    grid = _grid(len(data.distinct))
    found = []
    for name, params in _STARTS:
        places = _computed(data, data.below[grid], get_metric(name), params)
        assert places is not None
        found.append(grid[places])
    margins = np.cumsum(data.below[-1])[:-1]
    found.append(np.searchsorted(data.below.sum(axis=1), margins))
    return np.unique(np.stack(found), axis=0)


def _search(value: Utility, starts: LevelNumbers, m: int) -> LevelNumbers:
    """Climb from all starts at once, then move pairs of cuts of the best placement."""
    places, values = _climb(value, starts, m)
    at = int(values.argmax())
    best, reached = places[at : at + 1], values[at : at + 1]
    while True:
        moved, gained = _best_double_move(value, best[0], float(reached[0]), m)
        if gained <= reached[0]:
            return np.asarray(best[0])
        best, reached = _climb(value, moved[None], m)


def _climb(value: Utility, places: LevelNumbers, m: int) -> tuple[LevelNumbers, Floats]:
    """Move each cut in turn to its best place, as long as any placement improves."""
    best = value(places)
    while True:
        moved, gained = places, best
        for cut in range(places.shape[1]):
            moved, gained = _best_moves(value, moved, gained, cut, m)
        if (gained <= best).all():
            return places, best
        places, best = moved, gained


def _best_moves(
    value: Utility, places: LevelNumbers, best: Floats, cut: int, m: int
) -> tuple[LevelNumbers, Floats]:
    """Move one cut anywhere, pushing others along: first on a grid, then near the best place."""
    rows = np.arange(len(places))
    low, high = np.zeros_like(rows), np.full_like(rows, m)
    while True:
        width = int(min(_STEP, (high - low).max() + 1))
        tried = low[:, None] + (high - low)[:, None] * np.arange(width) // max(width - 1, 1)
        flat = tried.ravel()
        stack = _pushed(np.repeat(places, width, axis=0), cut, cut, flat, flat)
        values = _in_parts(value, stack).reshape(len(places), width)
        at = values.argmax(axis=1)
        better = values[rows, at] > best
        chosen = stack.reshape(len(places), width, -1)[rows, at]
        places = np.where(better[:, None], chosen, places)
        best = np.where(better, values[rows, at], best)
        if ((high - low) < width).all():
            return places, best
        low, high = tried[rows, np.maximum(at - 1, 0)], tried[rows, np.minimum(at + 1, width - 1)]


def _best_double_move(
    value: Utility, places: LevelNumbers, best: float, m: int
) -> tuple[LevelNumbers, float]:
    """Move two cuts at once, on a grid, to leave a local optimum of single moves."""
    pairs = list(combinations(range(len(places)), 2))
    if not pairs:
        return places, best
    grid = np.unique(np.linspace(0, m, _PAIR).astype(np.intp))
    first, second = (grid[i] for i in np.triu_indices(len(grid)))
    same = np.repeat(places[None], len(first), axis=0)
    stack = np.concatenate([_pushed(same.copy(), a, b, first, second) for a, b in pairs])
    values = _in_parts(value, stack)
    at = int(values.argmax())
    return (stack[at], float(values[at])) if values[at] > best else (places, best)


def _pushed(
    stack: LevelNumbers, a: int, b: int, first: LevelNumbers, second: LevelNumbers
) -> LevelNumbers:
    """Return placements with cut a at ``first`` and b at ``second``; others are pushed."""
    low, high = first[:, None], second[:, None]
    stack[:, :a] = np.minimum(stack[:, :a], low)
    stack[:, a + 1 : b] = np.clip(stack[:, a + 1 : b], low, high)
    stack[:, b + 1 :] = np.maximum(stack[:, b + 1 :], high)
    stack[:, a], stack[:, b] = first, second
    return stack


def _in_parts(value: Utility, places: LevelNumbers) -> Floats:
    size = max(1, _CELLS // (places.shape[1] + 1) ** 2)
    starts = range(0, len(places), size)
    return np.concatenate([value(places[start : start + size]) for start in starts])
