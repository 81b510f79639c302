"""Many data sets at once: what ``ordeval.inference`` finds, from one stack of all their matrices.

What is batched here is only the evaluation of measures; intervals, standard errors and p-values are
the library's. ``same`` compares some of them with what its public functions say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

import numpy as np

import ordeval as oe
from benchmarks.coverage.populations import Floats, Integers, Items
from ordeval.inference.cell_influence import cells_of, cut_of, freedom_of_few
from ordeval.inference.disagreements import (
    Exchanged,
    both_tables,
    few_p_value,
    variance_apart,
)
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.identical_models import Unseen, with_matrix
from ordeval.inference.influence import without_noise
from ordeval.inference.many_models.simultaneous import error_with, gap_of, t_p_values
from ordeval.inference.paired_tests import Errors, TTest, errors_at, span_of
from ordeval.inference.sample_stacks import Tables
from ordeval.inference.samples import Sample
from ordeval.measures import Metric

Names = Iterable[str] | None

LEVEL: Final = 0.95
PANEL: Final = (
    "accuracy", "balanced_accuracy", "f1_macro", "mean_absolute_error", "average_mae",
    "cohen_kappa", "weighted_kappa", "kendall_tau_b", "oc_index", "auoc", "cem_ord",
    "cost_accuracy_distance",
)  # fmt: skip


def measures(names: Names = None) -> list[Metric]:
    """These measures, or all that take labels and nothing else, and are not expensive."""
    if names is not None:
        return [oe.get_metric(name) for name in names]
    return [m for m in oe.metrics(needs="labels") if m.by_default]


class Ends(NamedTuple):
    """The intervals of D data sets; NaN where there is none."""

    low: Floats
    high: Floats

    def hold(self, value: Any) -> tuple[int, int]:
        """How many hold a value, and of how many."""
        there = ~np.isnan(self.low)
        slack = 1e-12 * np.maximum(1.0, np.abs(value))
        held = (self.low <= value + slack) & (self.high >= value - slack)
        return int(held[there].sum()), int(there.sum())


def intervals(metric: Metric, matrices: Integers) -> Ends:
    """The intervals of matrices (D, K, K) of independent items."""
    stack = Tables(matrices)
    return Ends(*alone.ends(metric, stack, alone.measured(metric, stack), LEVEL))


def samples_of(items: Items, k: int, *, cluster: Any = None, weight: Any = None) -> list[Sample]:
    """The data sets as the library holds them; clusters are the same in all, weights (D, N)."""
    ones = np.ones(items.truth.shape[1], dtype=np.int64)
    weights = [None] * len(items.truth) if weight is None else list(weight)
    return [
        Sample(t, p, ones, k, w, cluster)
        for t, p, w in zip(items.truth, items.predictions, weights, strict=True)
    ]


class Differences(NamedTuple):
    """Differences of two models in D data sets, A minus B."""

    delta: Floats
    gap: Floats  # with the pseudo-item
    error: Floats  # at zero
    there: Floats  # at the difference
    beyond: Floats  # beyond zero, and beyond the difference
    freedom: float
    few: Floats  # degrees of freedom beyond zero
    greater_is_better: bool
    span: float  # how far apart two values can be
    agreed: Mapping[int, Unseen]  # data sets in which no item tells the models apart

    @property
    def p_value(self) -> Floats:
        """Two-sided p-values."""
        p = t_p_values(self.gap, self.error, self.freedom)
        return np.where(np.isnan(self.gap), np.nan, p)

    @property
    def ends(self) -> Ends:
        """The intervals."""
        none = np.nan, np.nan
        made = [none if np.isnan(test.gap) else test.ends(LEVEL) for test in self._tests]
        low, high = np.array(made).T
        for i, test in self.agreed.items():
            low[i], high[i] = test.ends(LEVEL)
        return Ends(low, high)

    @property
    def _tests(self) -> Iterator[TTest]:
        grows = self.there - self.error
        columns = self.delta, self.gap, self.error, self.beyond, self.few, grows
        for delta, gap, near, beyond, few, more in zip(*(c.tolist() for c in columns), strict=True):
            errors = Errors(near, self.freedom), Errors(beyond, few)
            yield TTest(delta, gap, *errors, self.span, grows=more)


def differences(metric: Metric, items: Items, k: int) -> Differences:
    """The differences of two models, as ``paired_delta`` makes them."""
    n, matrices = items.truth.shape[1], items.matrices(k).reshape(-1, 2, k, k)
    cells = cells_of(metric.values, matrices.astype(np.float64), cut=cut_of(metric, k))
    values, centre = (
        without_noise(metric, k, x) for x in (np.asarray(metric.values(matrices)), cells.centre)
    )
    parts = cells.table.reshape(-1, 2, k * k)
    if metric.greater_is_better is None:
        side = np.where(values == metric.best, centre, values)
        sign = np.where(side < metric.best, -1.0, 1.0)
        values, centre = np.abs(values - metric.best), sign * (centre - metric.best)
        parts = parts * sign[..., None]
    places = items.truth[..., None] * k + items.predictions
    apart = _at(parts[:, 0], places[..., 0]) - _at(parts[:, 1], places[..., 1])
    # Both models have the same pseudo-item, since they have the same true classes.
    own = cells._replace(table=parts.reshape(-1, 2, k, k)).covariance
    added = own[:, 0, 0] + own[:, 1, 1] - 2 * own[:, 0, 1]
    spread = n / (n - 1) * (apart**2).sum(axis=1)
    # What rounding leaves of the difference of equal numbers is no spread.
    own = n / (n - 1) * sum((_at(parts[:, i], places[..., i]) ** 2).sum(axis=1) for i in (0, 1))
    spread = np.where(spread > 1e-14 * own, spread, 0.0)
    occurs = (matrices + cells.pseudo > 0).reshape(parts.shape)
    both = both_tables(*np.swapaxes(parts, 0, 1), *np.swapaxes(occurs, 0, 1))
    moved = (_at(both, places[..., 0]) - _at(both, places[..., 1])) / 2
    moved = np.where(np.abs(moved) > 1e-12 * np.abs(both).max(axis=1, keepdims=True), moved, 0.0)
    second = (moved**2).sum(axis=1)
    one_more = second / np.maximum((moved != 0).sum(axis=1), 1)
    exchanged = Exchanged(second - moved.sum(axis=1) ** 2 / n, one_more)
    near = variance_apart(spread, exchanged, n)
    by_t, alone = np.sqrt(near), np.sqrt(np.maximum(spread + added, 0.0))
    delta, better = values[:, 0] - values[:, 1], bool(metric.greater_is_better)
    gap = np.where(np.isnan(delta), np.nan, gap_of(centre[:, 0], centre[:, 1]))
    exact = np.array(
        [
            few_p_value(m[m != 0], np.ones((m != 0).sum()), g)
            for m, g in zip(moved, gap, strict=True)
        ]
    )
    error = error_with(gap, exact, by_t, n - 1.0)
    there, beyond = errors_at(gap, error, by_t, alone)
    none_apart = by_t <= 1e-6 * np.sqrt(own + added)
    agreed = {
        i: with_matrix(metric, matrices[i, 0].astype(np.float64), float(n))
        for i in np.flatnonzero(none_apart & ~np.isnan(delta)).tolist()
    }
    few = np.clip(freedom_of_few(metric, matrices[:, 0].sum(axis=-1)), 1.0, max(n - 1.0, 1.0))
    span = span_of(metric, k)
    return Differences(delta, gap, error, there, beyond, n - 1.0, few, better, span, agreed)


def _at(parts: Floats, cells: Integers) -> Floats:
    return np.take_along_axis(parts, cells, axis=1)


def some(data_sets: int, rng: np.random.Generator, size: int = 3) -> list[int]:
    """A few of the data sets, to be judged by the public functions too."""
    return sorted(rng.choice(data_sets, size=min(size, data_sets), replace=False).tolist())


def same(what: str, ours: Iterable[float], public: Iterable[float]) -> None:
    """Fail loudly if the simulation is not about the numbers that users get."""
    a, b = np.array(list(ours), dtype=float), np.array(list(public), dtype=float)
    if not np.allclose(a, b, rtol=1e-7, atol=1e-9, equal_nan=True):
        raise AssertionError(f"{what}: the simulation has {a}, the library says {b}.")


def finite(values: Floats) -> Floats:
    """The values that are there."""
    return np.asarray(values[~np.isnan(values)])
