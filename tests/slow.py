"""Slow reference definitions of the measures, the oracles of the tests.

Each function follows the definition item by item: pairs of items by double loops, paths by
enumeration, maxima by brute force, areas by quadrature. Nothing here is shared with the library
and nothing here is fast. `t` and `p` are the positions (0..k-1) of the true and the predicted
classes of the items, `k` is the declared number of classes. An undefined value is NaN.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

Labels = Sequence[int]
Table = Sequence[Sequence[float]]
Cell = tuple[int, int]
Cells = frozenset[Cell]


def mean(values: Iterable[float]) -> float:
    """Arithmetic mean; NaN of nothing."""
    items = list(values)
    return sum(items) / len(items) if items else math.nan


def ratio(numerator: float, denominator: float) -> float:
    """Quotient; NaN when the denominator is zero."""
    return numerator / denominator if denominator != 0 else math.nan


def size(labels: Labels, c: int) -> int:
    """Number of items of class c."""
    return sum(1 for x in labels if x == c)


def observed(t: Labels, k: int) -> list[int]:
    """Classes that occur in the truth."""
    return [c for c in range(k) if size(t, c) > 0]


def count(t: Labels, p: Labels, i: int, j: int) -> int:
    """Number of items of true class i and predicted class j."""
    return sum(1 for a, b in zip(t, p, strict=True) if a == i and b == j)


def recalls(t: Labels, p: Labels, k: int) -> list[float]:
    """Recall of each class that occurs in the truth."""
    return [count(t, p, c, c) / size(t, c) for c in observed(t, k)]


def pairs(t: Labels, p: Labels) -> tuple[int, int, int, int]:
    """Pairs of items: concordant, discordant, tied on truth only, tied on prediction only."""
    c = d = t_t = t_p = 0
    for a, b in itertools.combinations(range(len(t)), 2):
        in_truth, in_pred = t[a] - t[b], p[a] - p[b]
        if in_truth * in_pred > 0:
            c += 1
        elif in_truth * in_pred < 0:
            d += 1
        elif in_pred != 0:
            t_t += 1
        elif in_truth != 0:
            t_p += 1
    return c, d, t_t, t_p


def correlation(x: Sequence[float], y: Sequence[float]) -> float:
    """Product-moment correlation, from the differences between all pairs of items."""
    xy = xx = yy = 0.0
    for a, b in itertools.combinations(range(len(x)), 2):
        xy += (x[a] - x[b]) * (y[a] - y[b])
        xx += (x[a] - x[b]) ** 2
        yy += (y[a] - y[b]) ** 2
    return ratio(xy, math.sqrt(xx * yy))


# Nominal


def accuracy(t: Labels, p: Labels, k: int) -> float:
    """Share of items whose class is predicted exactly."""
    return mean(float(a == b) for a, b in zip(t, p, strict=True))


def misclassification_error(t: Labels, p: Labels, k: int) -> float:
    """Share of items whose class is missed."""
    return mean(float(a != b) for a, b in zip(t, p, strict=True))


def accuracy_within(t: Labels, p: Labels, k: int, *, n: int = 1) -> float:
    """Share of items predicted at most n classes away."""
    return mean(float(abs(a - b) <= n) for a, b in zip(t, p, strict=True))


def balanced_accuracy(t: Labels, p: Labels, k: int) -> float:
    """Mean recall over the observed classes."""
    return mean(recalls(t, p, k))


def f1_macro(t: Labels, p: Labels, k: int) -> float:
    """Mean F1 over the classes that occur in the truth or in the prediction."""
    used = [c for c in range(k) if size(t, c) + size(p, c) > 0]
    return mean(2 * count(t, p, c, c) / (size(t, c) + size(p, c)) for c in used)


def cohen_kappa(t: Labels, p: Labels, k: int) -> float:
    """Agreement of items beyond the agreement of truth and prediction of unrelated items."""
    n = len(t)
    agree = sum(1 for a, b in zip(t, p, strict=True) if a == b)
    chance = sum(1 for a in t for b in p if a == b)
    return ratio(n * agree - chance, n * n - chance)


def matthews_corrcoef(t: Labels, p: Labels, k: int) -> float:
    """Multiclass R_K: correlation of the two indicator codings of the classes."""
    n = len(t)
    agree = sum(1 for a, b in zip(t, p, strict=True) if a == b)
    crossed = sum(1 for a in t for b in p if a == b)
    in_truth = sum(1 for a in t for b in t if a != b)
    in_pred = sum(1 for a in p for b in p if a != b)
    return ratio(n * agree - crossed, math.sqrt(in_truth * in_pred))


def min_sensitivity(t: Labels, p: Labels, k: int) -> float:
    """Lowest recall of the observed classes."""
    return min(recalls(t, p, k), default=math.nan)


def geometric_mean_sensitivity(t: Labels, p: Labels, k: int) -> float:
    """Geometric mean of the recalls of the observed classes."""
    found = recalls(t, p, k)
    return math.prod(found) ** (1 / len(found)) if found else math.nan


def extreme_sensitivity(t: Labels, p: Labels, k: int) -> float:
    """Geometric mean of the recalls of the first and the last class."""
    first, last = (ratio(count(t, p, c, c), size(t, c)) for c in (0, k - 1))
    return math.sqrt(first * last)


# Distance


Points = Sequence[float] | None


def values(positions: Labels, points: Points) -> list[float]:
    """The numbers that labels stand for; without points these are their positions."""
    return [float(x if points is None else points[x]) for x in positions]


def errors(t: Labels, p: Labels, points: Points) -> list[float]:
    """Prediction minus truth of each item."""
    return [b - a for a, b in zip(values(t, points), values(p, points), strict=True)]


def mean_absolute_error(t: Labels, p: Labels, k: int, *, points: Points = None) -> float:
    """Mean distance between truth and prediction."""
    return mean(abs(e) for e in errors(t, p, points))


def mean_squared_error(t: Labels, p: Labels, k: int, *, points: Points = None) -> float:
    """Mean squared distance between truth and prediction."""
    return mean(e**2 for e in errors(t, p, points))


def root_mean_squared_error(t: Labels, p: Labels, k: int, *, points: Points = None) -> float:
    """Root of the mean squared error."""
    return math.sqrt(mean_squared_error(t, p, k, points=points))


def class_errors(t: Labels, p: Labels, k: int, power: int, points: Points) -> dict[int, float]:
    """Mean distance to a power within each observed class."""
    found = errors(t, p, points)
    return {
        c: mean(abs(e) ** power for a, e in zip(t, found, strict=True) if a == c)
        for c in observed(t, k)
    }


def average_error(by_class: dict[int, float], k: int, absent: str) -> float:
    """Mean of the class errors; an absent class is left out or counts as no error."""
    if not by_class or absent == "ignore":
        return mean(by_class.values())
    return mean(by_class.get(c, 0.0) for c in range(k))


def average_mae(
    t: Labels, p: Labels, k: int, *, absent: str = "ignore", points: Points = None
) -> float:
    """Mean over the classes of their mean absolute error."""
    return average_error(class_errors(t, p, k, 1, points), k, absent)


def maximum_mae(t: Labels, p: Labels, k: int, *, points: Points = None) -> float:
    """Largest mean absolute error of an observed class."""
    return max(class_errors(t, p, k, 1, points).values(), default=math.nan)


def average_mse(
    t: Labels, p: Labels, k: int, *, absent: str = "ignore", points: Points = None
) -> float:
    """Mean over the classes of their mean squared error."""
    return average_error(class_errors(t, p, k, 2, points), k, absent)


def mean_signed_error(t: Labels, p: Labels, k: int, *, points: Points = None) -> float:
    """Mean of prediction minus truth."""
    return mean(errors(t, p, points))


def cosine_similarity(t: Labels, p: Labels, k: int) -> float:
    """Cosine of the angle between the two vectors of positions 1..k."""
    dot = sum((a + 1) * (b + 1) for a, b in zip(t, p, strict=True))
    squares = sum((a + 1) ** 2 for a in t) * sum((b + 1) ** 2 for b in p)
    return ratio(dot, math.sqrt(squares))


# Agreement


def disagreement(weights: str | Table, k: int) -> list[list[float]]:
    """Disagreement weights, zero on the diagonal, weights[true][pred]."""
    if not isinstance(weights, str):
        return [[float(w) for w in row] for row in weights]
    power = {"nominal": 0, "linear": 1, "quadratic": 2}[weights]
    return [[float(abs(i - j) ** power) if i != j else 0.0 for j in range(k)] for i in range(k)]


def weighted_kappa(t: Labels, p: Labels, k: int, *, weights: str | Table = "quadratic") -> float:
    """One minus disagreement of items over disagreement of truth and prediction at random."""
    w = disagreement(weights, k)
    seen = mean(w[a][b] for a, b in zip(t, p, strict=True))
    return 1 - ratio(seen, mean(w[a][b] for a in t for b in p))


def scott_pi(t: Labels, p: Labels, k: int, *, weights: str | Table = "quadratic") -> float:
    """As weighted kappa, chance being two draws from truth and prediction pooled."""
    w = disagreement(weights, k)
    pooled = [*t, *p]
    seen = mean(w[a][b] for a, b in zip(t, p, strict=True))
    return 1 - ratio(seen, mean(w[a][b] for a in pooled for b in pooled))


def brennan_prediger(t: Labels, p: Labels, k: int, *, weights: str | Table = "quadratic") -> float:
    """As weighted kappa, chance being two draws from the declared classes, all alike."""
    w = disagreement(weights, k)
    seen = mean(w[a][b] for a, b in zip(t, p, strict=True))
    return 1 - ratio(seen, mean(w[i][j] for i in range(k) for j in range(k)))


def gwet_ac2(t: Labels, p: Labels, k: int, *, weights: str | Table = "quadratic") -> float:
    """Gwet's AC2; agreement is one minus the disagreement over its largest weight."""
    w = disagreement(weights, k)
    top = max(max(row) for row in w)
    if not t or top == 0:
        return math.nan
    agreement = [[1 - x / top for x in row] for row in w]
    pooled = [*t, *p]
    seen = mean(agreement[a][b] for a, b in zip(t, p, strict=True))
    differ = mean(float(a != b) for a in pooled for b in pooled)
    chance = sum(sum(row) for row in agreement) * differ / (k * (k - 1))
    return ratio(seen - chance, 1 - chance)


def krippendorff_alpha(t: Labels, p: Labels, k: int, *, level: str = "ordinal") -> float:
    """One minus disagreement within items over disagreement between any two of the 2N values."""
    pooled = [*t, *p]

    def delta(a: int, b: int) -> float:
        if a == b or level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        between = sum(1 for x in pooled if min(a, b) <= x <= max(a, b))
        return (between - (size(pooled, a) + size(pooled, b)) / 2) ** 2

    table = [[delta(a, b) for b in range(k)] for a in range(k)]
    within = mean(table[a][b] for a, b in zip(t, p, strict=True))
    return 1 - ratio(within, mean(table[a][b] for a, b in itertools.combinations(pooled, 2)))


# Association


def pearson_r(t: Labels, p: Labels, k: int) -> float:
    """Correlation of the positions."""
    return correlation(t, p)


def midranks(labels: Labels) -> list[float]:
    """Mean of the ranks that an item shares with the items of its class."""
    return [
        sum(1 for y in labels if y < x) + (sum(1 for y in labels if y == x) + 1) / 2 for x in labels
    ]


def spearman_rho(t: Labels, p: Labels, k: int) -> float:
    """Correlation of the mid-ranks."""
    return correlation(midranks(t), midranks(p))


def kendall_tau_a(t: Labels, p: Labels, k: int) -> float:
    """Concordant minus discordant pairs, over all pairs."""
    c, d, _, _ = pairs(t, p)
    return ratio(c - d, len(t) * (len(t) - 1) / 2)


def kendall_tau_b(t: Labels, p: Labels, k: int) -> float:
    """As tau-a, over the geometric mean of the pairs untied in truth and untied in prediction."""
    c, d, t_t, t_p = pairs(t, p)
    return ratio(c - d, math.sqrt((c + d + t_t) * (c + d + t_p)))


def stuart_tau_c(t: Labels, p: Labels, k: int) -> float:
    """As tau-a, scaled by the smaller of the numbers of classes that occur on the two sides."""
    c, d, _, _ = pairs(t, p)
    m = min(len(set(t)), len(set(p)))
    return ratio(2 * m * (c - d), len(t) ** 2 * (m - 1))


def goodman_kruskal_gamma(t: Labels, p: Labels, k: int) -> float:
    """Concordant minus discordant pairs, over the pairs without a tie."""
    c, d, _, _ = pairs(t, p)
    return ratio(c - d, c + d)


def somers_d(t: Labels, p: Labels, k: int) -> float:
    """Prediction given truth: over the pairs whose truth differs."""
    c, d, _, t_p = pairs(t, p)
    return ratio(c - d, c + d + t_p)


def concordance_index(t: Labels, p: Labels, k: int) -> float:
    """Of the pairs whose truth differs, the share in order; a tied prediction counts half."""
    c, d, _, t_p = pairs(t, p)
    return ratio(c + t_p / 2, c + d + t_p)


def r_int(t: Labels, p: Labels, k: int) -> float:
    """Overlap of the two sets of ordered pairs of distinct items (a, b) with v(a) <= v(b)."""
    both = list(itertools.permutations(range(len(t)), 2))
    s1 = {(a, b) for a, b in both if t[a] <= t[b]}
    s2 = {(a, b) for a, b in both if p[a] <= p[b]}
    return -1 + 2 * ratio(len(s1 & s2), math.sqrt(len(s1) * len(s2)))


def order_share(given: Labels, other: Labels) -> float:
    """Of the items strictly ordered to an item by one side, the share that the other orders so."""
    shares = []
    for a in range(len(given)):
        strict = [b for b in range(len(given)) if given[b] != given[a]]
        if strict:
            same = [b for b in strict if (given[b] - given[a]) * (other[b] - other[a]) > 0]
            shares.append(len(same) / len(strict))
    return mean(shares)


def order_reliability(t: Labels, p: Labels, k: int) -> float:
    """Share of the predicted orders that are true."""
    return order_share(p, t)


def order_sensitivity(t: Labels, p: Labels, k: int) -> float:
    """Share of the true orders that are predicted."""
    return order_share(t, p)


def reliability_sensitivity(t: Labels, p: Labels, k: int) -> float:
    """Harmonic mean of reliability and sensitivity; 0 when both are 0."""
    r, s = order_reliability(t, p, k), order_sensitivity(t, p, k)
    return 0.0 if r == s == 0 else 2 * r * s / (r + s)


# Information


def mutual_information(t: Labels, p: Labels, k: int) -> float:
    """Mean log of the joint frequency of an item's classes over the product of the single ones."""
    n = len(t)
    return mean(
        math.log(n * count(t, p, a, b) / (size(t, a) * size(p, b)))
        for a, b in zip(t, p, strict=True)
    )


def purity(t: Labels, p: Labels, k: int) -> float:
    """Share of items that belong to the commonest true class of their predicted class."""
    return ratio(sum(max(count(t, p, i, j) for i in range(k)) for j in range(k)), len(t))


def inverse_purity(t: Labels, p: Labels, k: int) -> float:
    """Share of items that belong to the commonest predicted class of their true class."""
    return purity(p, t, k)


# Threshold


def _share(chosen: Iterable[tuple[int, int]], at_least: int) -> float:
    """Share of the pairs of labels that lie on the same side of the cut."""
    same = [(a >= at_least) == (b >= at_least) for a, b in chosen]
    return ratio(sum(same), len(same))


def threshold_sensitivity(t: Labels, p: Labels, k: int, *, at_least: int) -> float:
    """Of the items that lie above the cut, those that are predicted so; one level has no cut."""
    above = ((a, b) for a, b in zip(t, p, strict=True) if a >= at_least and k > 1)
    return _share(above, at_least)


def threshold_specificity(t: Labels, p: Labels, k: int, *, at_least: int) -> float:
    """Of the items that lie below the cut, those that are predicted so."""
    below = ((a, b) for a, b in zip(t, p, strict=True) if a < at_least and k > 1)
    return _share(below, at_least)


def threshold_ppv(t: Labels, p: Labels, k: int, *, at_least: int) -> float:
    """Of the items that are predicted above the cut, those that lie there."""
    return threshold_sensitivity(p, t, k, at_least=at_least)


def threshold_npv(t: Labels, p: Labels, k: int, *, at_least: int) -> float:
    """Of the items that are predicted below the cut, those that lie there."""
    return threshold_specificity(p, t, k, at_least=at_least)


# Cost


def george_cost(class_sizes: Sequence[float]) -> list[list[float]]:
    """Costs, cost[true][pred]: sizes without the true class over the predicted, times distance."""
    k = len(class_sizes)

    def entry(true: int, pred: int) -> float:
        others = sum(class_sizes[c] for c in range(k) if c != true)
        return others / class_sizes[pred] * abs(true - pred)

    return [[entry(i, j) if i != j else 0.0 for j in range(k)] for i in range(k)]


def linear_cost(k: int) -> list[list[float]]:
    """Cost of the distance between the classes."""
    return [[float(abs(i - j)) for j in range(k)] for i in range(k)]


def expected_cost(t: Labels, p: Labels, k: int, *, cost: Table | None = None) -> float:
    """Mean cost of an item; the distance where no cost is given."""
    c = linear_cost(k) if cost is None else cost
    return mean(c[a][b] for a, b in zip(t, p, strict=True))


def normalized_expected_cost(t: Labels, p: Labels, k: int, *, cost: Table | None = None) -> float:
    """Expected cost over that of the best constant prediction."""
    best = min(expected_cost(t, [j] * len(t), k, cost=cost) for j in range(k))
    return ratio(expected_cost(t, p, k, cost=cost), best)


def misclassification_cost(
    t: Labels,
    p: Labels,
    k: int,
    *,
    cost: Table | None = None,
    class_sizes: Sequence[float] | None = None,
) -> float:
    """Total cost over the largest: each true class goes to some wrong class, all ways tried."""
    sizes = [size(t, c) for c in range(k)]
    if cost is None:
        training = sizes if class_sizes is None else class_sizes
        if any(s == 0 for s in training):
            return math.nan
        cost = george_cost(training)
    total = sum(cost[a][b] for a, b in zip(t, p, strict=True))
    wrong = [[j for j in range(k) if j != i] for i in range(k)]
    worst = max(
        (
            sum(sizes[i] * cost[i][j] for i, j in enumerate(choice))
            for choice in itertools.product(*wrong)
        ),
        default=0.0,
    )
    return ratio(total, worst)


def cost_accuracy_distance(
    t: Labels,
    p: Labels,
    k: int,
    *,
    cost: Table | None = None,
    class_sizes: Sequence[float] | None = None,
) -> float:
    """Distance of (accuracy, misclassification cost) from the ideal point (1, 0)."""
    mc = misclassification_cost(t, p, k, cost=cost, class_sizes=class_sizes)
    return math.sqrt((1 - accuracy(t, p, k)) ** 2 + mc**2)


def chance_line_distance(
    t: Labels,
    p: Labels,
    k: int,
    *,
    cost: Table | None = None,
    class_sizes: Sequence[float] | None = None,
) -> float:
    """Distance of (accuracy, misclassification cost) from the line of random chance."""
    mc = misclassification_cost(t, p, k, cost=cost, class_sizes=class_sizes)
    return abs(accuracy(t, p, k) + mc - 1) / math.sqrt(2)


# Path indices


@lru_cache
def paths(k: int) -> tuple[Cells, ...]:
    """All monotone 8-connected paths from the first to the last cell."""

    def extend(path: tuple[Cell, ...]) -> Iterator[Cells]:
        r, c = path[-1]
        if r == c == k - 1:
            yield frozenset(path)
        for r_next, c_next in ((r, c + 1), (r + 1, c), (r + 1, c + 1)):
            if r_next < k and c_next < k:
                yield from extend((*path, (r_next, c_next)))

    return tuple(extend(((0, 0),)))


def dispersion(t: Labels, p: Labels, weights: Sequence[float], gamma: float) -> float:
    """Minkowski distance of truth and prediction, each item with its weight."""
    terms = (w * abs(a - b) ** gamma for a, b, w in zip(t, p, weights, strict=True))
    return float(sum(terms) ** (1 / gamma))


def benefit_and_penalty(
    t: Labels, p: Labels, weights: Sequence[float], gamma: float, cells: Cells
) -> tuple[float, float]:
    """Weight, and weight times distance**gamma, of the items on the cells."""
    benefit = penalty = 0.0
    for a, b, w in zip(t, p, weights, strict=True):
        if (a, b) in cells:
            benefit += w
            penalty += w * abs(a - b) ** gamma
    return benefit, penalty


def cheapest_path(
    t: Labels,
    p: Labels,
    k: int,
    *,
    scale: float,
    share: float,
    beta: float | None,
    gamma: float,
) -> float:
    """Least of 1 - benefit / scale + beta * penalty over the paths."""
    if not t or (beta is None and k == 1):
        return math.nan
    factor = share / (len(t) * (k - 1) ** gamma) if beta is None else beta
    sums = (benefit_and_penalty(t, p, [1.0] * len(t), gamma, cells) for cells in paths(k))
    return min(1 - benefit / scale + factor * penalty for benefit, penalty in sums)


def oc_index(
    t: Labels,
    p: Labels,
    k: int,
    *,
    share: float = 0.75,
    beta: float | None = None,
    gamma: float = 1.0,
) -> float:
    """Cardoso and Sousa, eq. 7: benefit over N + M."""
    scale = len(t) + dispersion(t, p, [1.0] * len(t), gamma)
    return cheapest_path(t, p, k, scale=scale, share=share, beta=beta, gamma=gamma)


def oc_index_unnormalized(
    t: Labels,
    p: Labels,
    k: int,
    *,
    share: float = 0.75,
    beta: float | None = None,
    gamma: float = 1.0,
) -> float:
    """Cardoso and Sousa, eq. 6: benefit over N."""
    return cheapest_path(t, p, k, scale=len(t), share=share, beta=beta, gamma=gamma)


def is_connected(cells: Cells) -> bool:
    """Whether steps to 8-adjacent cells lead from the first cell to all the cells."""
    reached = {(0, 0)}
    frontier = [(0, 0)]
    while frontier:
        r, c = frontier.pop()
        around = {(r + dr, c + dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1)}
        fresh = (around & cells) - reached
        reached |= fresh
        frontier += fresh
    return reached == cells


@lru_cache
def walks(k: int) -> tuple[tuple[Cells, int], ...]:
    """Each connected set of cells with both corners, and its number of discordant pairs."""
    corners = {(0, 0), (k - 1, k - 1)}
    free = [(r, c) for r in range(k) for c in range(k) if (r, c) not in corners]
    found = []
    for n in range(len(free) + 1):
        for chosen in itertools.combinations(free, n):
            cells = frozenset(corners | set(chosen))
            if is_connected(cells):
                both = itertools.combinations(cells, 2)
                found.append((cells, sum(1 for (r, c), (s, d) in both if (r - s) * (c - d) < 0)))
    return tuple(found)


def oc_index_general(
    t: Labels,
    p: Labels,
    k: int,
    *,
    beta_deviation: float,
    beta_discordance: float,
    gamma: float = 1.0,
) -> float:
    """Cardoso and Sousa, eq. 8, over all walks from corner to corner; for k up to 4."""
    if not t:
        return math.nan
    ones = [1.0] * len(t)
    scale = len(t) + dispersion(t, p, ones, gamma)
    best = math.inf
    for cells, discordant in walks(k):
        benefit, penalty = benefit_and_penalty(t, p, ones, gamma, cells)
        value = 1 - benefit / scale + beta_deviation * penalty + beta_discordance * discordant
        best = min(best, value)
    return best


def uoc_lines(t: Labels, p: Labels, k: int, gamma: float) -> set[tuple[float, float]]:
    """Value at beta = 0 and slope of each path's line, all observed classes weighing the same."""
    weights = [1 / (len(observed(t, k)) * size(t, a)) for a in t]
    scale = 1 + dispersion(t, p, weights, gamma)
    sums = (benefit_and_penalty(t, p, weights, gamma, cells) for cells in paths(k))
    return {(1 - benefit / scale, penalty) for benefit, penalty in sums}


def with_absent(t: Labels, p: Labels, k: int, absent: str) -> tuple[Labels, Labels]:
    """The items, with made-up ones of each class that the truth lacks: one of each prediction, or
    one that is right."""
    more: list[tuple[int, int]] = []
    for i in set(range(k)).difference(t):
        if absent == "uniform":
            more += [(i, j) for j in range(k)]
        if absent == "perfect":
            more += [(i, i)]
    return [*t, *(i for i, _ in more)], [*p, *(j for _, j in more)]


def uoc_index(
    t: Labels, p: Labels, k: int, *, beta: float = 0.5, gamma: float = 1.0, absent: str = "ignore"
) -> float:
    """Silva, Pinto and Cardoso, eq. 28: lowest of the paths' lines at beta."""
    if not t:
        return math.nan
    t, p = with_absent(t, p, k, absent)
    return min(start + beta * slope for start, slope in uoc_lines(t, p, k, gamma))


def auoc(
    t: Labels, p: Labels, k: int, *, gamma: float = 1.0, absent: str = "ignore",
    points: int = 20001,
) -> float:  # fmt: skip
    """Area under the UOC index for beta from 0 to 1, by the trapezoid rule."""
    if not t:
        return math.nan
    t, p = with_absent(t, p, k, absent)
    betas = np.linspace(0.0, 1.0, points)
    lowest = np.full(points, np.inf)
    for start, slope in uoc_lines(t, p, k, gamma):
        lowest = np.minimum(lowest, start + slope * betas)
    return float(np.trapezoid(lowest, betas))


# Closeness


def share_between(t: Labels, s: int, g: int, kind: str) -> float:
    """Share of the true classes t that lie closer to the true class g than the prediction s."""
    if kind == "nom":
        return mean(float(s != g or x == g) for x in t)
    if kind == "int":
        return mean(float(abs(x - g) <= abs(s - g)) for x in t)
    return mean(0.5 if x == s else float(s < x <= g or g <= x < s) for x in t)


def closeness(t: Labels, s: int, g: int, kind: str) -> float:
    """Information, in bits, of finding an item between s and g; one minus its share if flat."""
    found = share_between(t, s, g, kind)
    if kind == "ord_flat":
        return 1 - found
    return math.log2(1 / found) if found > 0 else math.inf


def proximity(class_sizes: Sequence[int], kind: str = "ord") -> list[list[float]]:
    """Closeness of all classes, table[true][pred]; kind is ord, nom, int or ord_flat."""
    t = [c for c, n in enumerate(class_sizes) for _ in range(n)]
    k = len(class_sizes)
    return [[closeness(t, s, g, kind) for s in range(k)] for g in range(k)]


def closeness_score(t: Labels, p: Labels, k: int, kind: str, unanswered: Points) -> float:
    """Closeness of predictions to truths over that of the truths to themselves."""
    asked = [*t, *(i for i, count in enumerate(unanswered or ()) for _ in range(int(count)))]
    near = {(s, g): closeness(asked, s, g, kind) for s in range(k) for g in set(asked)}
    given = sum(near[s, g] for s, g in zip(p, t, strict=True))
    return ratio(given, sum(near[g, g] for g in asked))


def cem_ord(t: Labels, p: Labels, k: int, *, unanswered: Points = None) -> float:
    """Closeness evaluation measure on the ordinal scale."""
    return closeness_score(t, p, k, "ord", unanswered)


def cem_nom(t: Labels, p: Labels, k: int, *, unanswered: Points = None) -> float:
    """Closeness evaluation measure on the nominal scale."""
    return closeness_score(t, p, k, "nom", unanswered)


def cem_int(t: Labels, p: Labels, k: int, *, unanswered: Points = None) -> float:
    """Closeness evaluation measure on the interval scale."""
    return closeness_score(t, p, k, "int", unanswered)


def cem_ord_flat(t: Labels, p: Labels, k: int, *, unanswered: Points = None) -> float:
    """Closeness evaluation measure on the ordinal scale, shares in place of their logarithms."""
    return closeness_score(t, p, k, "ord_flat", unanswered)


# Probabilities


def ranked_probability_score(t: Labels, prob: Table, k: int, *, normalize: bool = False) -> float:
    """Mean over the items of the squared errors of the cumulative probabilities."""
    scores = []
    for y, row in zip(t, prob, strict=True):
        steps = [(sum(row[: c + 1]) - float(y <= c)) ** 2 for c in range(k - 1)]
        scores.append(ratio(sum(steps), k - 1) if normalize else float(sum(steps)))
    return mean(scores)


def ranked_probability_skill_score(t: Labels, prob: Table, k: int) -> float:
    """One minus the score over that of predicting the class shares of the truth for all items."""
    prior = [ratio(size(t, c), len(t)) for c in range(k)]
    reference = ranked_probability_score(t, [prior] * len(t), k)
    return 1 - ratio(ranked_probability_score(t, prob, k), reference)


def ordinal_log_loss(t: Labels, prob: Table, k: int) -> float:
    """Mean of minus the logarithm of the probability of what happened."""
    return mean([-log_of(row[y]) for y, row in zip(t, prob, strict=True)])


def threshold_log_loss(t: Labels, prob: Table, k: int) -> float:
    """The same for each cut of the scale, summed."""
    return mean([
        sum(-log_of(sum(row[: c + 1]) if y <= c else sum(row[c + 1 :])) for c in range(k - 1))
        for y, row in zip(t, prob, strict=True)
    ])  # fmt: skip


def threshold_brier(t: Labels, prob: Table, k: int, *, at_least: int) -> float:
    """Mean squared error of the probability of being above one cut."""
    if k < 2:
        return math.nan
    pairs_ = zip(t, prob, strict=True)
    return mean([(sum(row[at_least:]) - float(y >= at_least)) ** 2 for y, row in pairs_])


def log_of(x: float) -> float:
    """The logarithm, minus infinity of nothing."""
    return math.log(x) if x > 0 else -math.inf


# Distributions: of one item


def wasserstein(p: Sequence[float], q: Sequence[float]) -> float:
    """The least work of moving earth from one heap to another, level by level."""
    carried, work = 0.0, 0.0
    for a, b in zip(p, q, strict=True):
        carried += a - b
        work += abs(carried)
    return work


def normalized_match_distance(p: Sequence[float], q: Sequence[float]) -> float:
    """The same over the length of the scale."""
    return ratio(wasserstein(p, q), len(p) - 1)


def rnod(p: Sequence[float], q: Sequence[float]) -> float:
    """Root of the mean over the levels that the truth holds of distance-weighted squares."""
    held = [i for i, x in enumerate(p) if x > 0]
    each = [sum(abs(i - j) * (p[j] - q[j]) ** 2 for j in range(len(p))) for i in held]
    return math.sqrt(ratio(mean(each), len(p) - 1)) if len(p) > 1 else math.nan


# Scores


def order_of_classes(t: Labels, s: Sequence[float], i: int, j: int) -> float:
    """How often an item of class j has a higher score than one of class i, ties half."""
    lower = [x for y, x in zip(t, s, strict=True) if y == i]
    upper = [x for y, x in zip(t, s, strict=True) if y == j]
    won = [1.0 if b > a else 0.5 if a == b else 0.0 for a in lower for b in upper]
    return mean(won) if won else math.nan


def ordinal_ranking_correctness(t: Labels, p: Labels, k: int) -> float:
    """The mean of that over all pairs of classes that occur."""
    each = [order_of_classes(t, p, i, j) for i, j in itertools.combinations(range(k), 2)]
    there = [x for x in each if not math.isnan(x)]
    return mean(there) if there else math.nan


def coefficient_of_predictive_ability(t: Labels, p: Labels, k: int) -> float:
    """The areas under the curves of all cuts, each weighed by its number of pairs."""
    areas = []
    for c in range(k - 1):
        below = sum(y <= c for y in t)
        if pairs_ := below * (len(t) - below):
            areas.append((pairs_, threshold_auc(t, p, k, at_least=c + 1)))
    return ratio(sum(w * x for w, x in areas), sum(w for w, _ in areas))


def threshold_auc(t: Labels, p: Labels, k: int, *, at_least: int) -> float:
    """How often an item above the cut has a higher score than one below, ties half."""
    return order_of_classes([int(y >= at_least) for y in t] if k > 1 else [0] * len(t), p, 0, 1)
