"""What is observed of several models on the same items, ready for contributions and for draws.

Rows are distinct items: a true class, the prediction of each model, a weight, a cluster, and how
many items are alike. Nothing here grows with the number of items beyond their distinct rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import as_printed, named
from ordeval._shared.types import Floats, Integers
from ordeval.data.columns import is_missing, off_device
from ordeval.data.items import Items, Moments, are_whole
from ordeval.data.numbering import number_rows
from ordeval.data.populations.partial_truth import PartialTruth
from ordeval.data.populations.shares import Strata
from ordeval.data.same_items import Index, check_same_items
from ordeval.data.sources.arrays import cluster_levels
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.drawing import Drawer
from ordeval.measures.ranking import RankingMetric, Standing

BLOCK_BYTES: Final = 1 << 25
# More distinct units than this are put at random into this many bundles, which are drawn whole.
MAX_UNITS: Final = 20_000
_COLUMNS: Final = ("truth", "predictions", "count", "weight", "cluster", "prob", "score", "shares")


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct items of M models: U rows, each of which stands for ``count`` items."""

    truth: Integers  # (U,)
    predictions: Integers  # (U, M)
    count: Integers  # (U,)
    k: int
    weight: Floats | None = None  # (U,), of one item, as given
    cluster: Integers | None = None  # (U,), numbers from 0
    stratify: bool = False  # class sizes are fixed by design
    prob: Floats | None = None  # (U, M, K), if the models give probabilities
    score: Floats | None = None  # (U, M), if they give scores
    shares: Floats | None = None  # (U, K), if the truth of an item is a distribution
    losses: Mapping[str, Moments] | None = None  # instead of probabilities, summed by row
    strata: Strata | None = None  # of the population that is meant, if it is not the data's own

    @property
    def models(self) -> int:
        """How many models there are."""
        return int(self.predictions.shape[1])

    @property
    def items(self) -> int:
        """How many items there are, whatever they weigh."""
        return int(self.count.sum())

    @cached_property
    def clusters(self) -> int:
        """How many clusters there are; 0 if items are independent."""
        return 0 if self.cluster is None else len(np.unique(self.cluster))

    @property
    def units(self) -> int:
        """How many independent units there are: clusters, or items."""
        return self.clusters or self.items

    @cached_property
    def share(self) -> Floats:
        """The weight of an item of each row, scaled so that all weigh as much as their number."""
        if self.weight is None:
            return np.ones(len(self.truth))
        # By the largest first: weights may be so small that one over their sum is not a number.
        weight = self.weight / (self.weight.max(initial=0.0) or 1.0)
        total = float(weight @ self.count)
        return weight * (self.items / total) if total > 0 else weight

    @cached_property
    def effective(self) -> float:
        """The number of equally weighted items that would say as much (Kish 1965)."""
        squares = float(self.share**2 @ self.count)
        return float(self.share @ self.count) ** 2 / squares if squares > 0 else 0.0

    @property
    def known(self) -> float:
        """How many independent units, all of equal weight, would say as much; at least one."""
        return max(min(float(self.units), self.effective), 1.0)

    @property
    def one_item(self) -> float:
        """How many items weigh as much as one item that counts fully: the pseudo-item's mass.

        Clusters do not matter: a pseudo-cluster, whose items all miss together, would make the
        intervals of few clusters up to 17 times too wide.
        """
        return self.items / max(min(float(self.items), self.effective), 1.0)

    @cached_property
    def units_by_class(self) -> Floats:
        """How many independent units each true class is seen in (K,)."""
        if self.shares is not None:
            return self.class_items
        if self.cluster is not None:
            seen = np.unique(self.cluster * self.k + self.truth) % self.k
            return np.bincount(seen, minlength=self.k).astype(np.float64)
        weights = (np.bincount(self.truth, self.share**p * self.count, self.k) for p in (1, 2))
        total, squares = weights
        return np.asarray(total**2 / np.where(squares > 0, squares, 1.0))

    @cached_property
    def class_items(self) -> Floats:
        """How many items each true class has (K,)."""
        if self.shares is not None:
            return np.asarray(self.count @ self.shares)
        return np.bincount(self.truth, self.count, minlength=self.k).astype(np.float64)

    @property
    def outcome(self) -> NDArray[Any]:
        """What happened: the true class of each row (U,), or its shares of classes (U, K)."""
        return self.truth if self.shares is None else self.shares

    @property
    def classes(self) -> Floats:
        """The true classes as shares (U, K)."""
        if self.shares is not None:
            return self.shares
        return np.asarray(self.truth[:, None] == np.arange(self.k), dtype=np.float64)

    @cached_property
    def cells(self) -> Integers:
        """The cell of each row in the matrix of each model (U, M), as one number."""
        return self.truth[:, None] * self.k + self.predictions

    @cached_property
    def matrices(self) -> Floats:
        """The matrices (M, K, K), which hold as much as there are items."""
        return self._summed(self.share * self.count)

    @cached_property
    def given(self) -> NDArray[Any]:
        """The matrices (M, K, K) of the items as they were given: counts, or sums of weights."""
        if self.weight is None:
            return np.rint(self.matrices).astype(np.int64)
        return self._summed(self.weight * self.count)

    @cached_property
    def counts(self) -> NDArray[Any]:
        """The matrices (M, K, K) whose values are shown: weights are scaled unless whole."""
        whole = self.weight is None or are_whole(self.given)
        return self.given if whole else self.matrices

    def _summed(self, amount: Floats) -> Floats:
        k = self.k
        return np.stack(
            [np.bincount(c, amount, minlength=k * k).reshape(k, k) for c in self.cells.T]
        )

    def of_class(self, level: int) -> Sample:
        """The items of one true class."""
        return self.take(self.truth == level)

    def of_models(self, models: Sequence[int]) -> Sample:
        """Return the items with the predictions of some models."""
        chosen = list(models)
        return replace(
            self,
            predictions=self.predictions[:, chosen],
            prob=None if self.prob is None else self.prob[:, chosen],
            score=None if self.score is None else self.score[:, chosen],
            losses=None,
        )

    def called(self, yes: NDArray[Any]) -> Sample:
        """The items as if all were of class 1 of two, and ``yes`` (U,) said so of some."""
        return replace(
            self,
            truth=np.ones_like(self.truth),
            predictions=yes[:, None].astype(np.int64),
            k=2,
            stratify=False,
            prob=None,
            score=None,
            shares=None,
            losses=None,
        )

    @property
    def with_truth(self) -> Sample:
        """The items whose true class is known: here, all of them."""
        return self

    def standing(self, metric: RankingMetric, model: int) -> Standing:
        """Items ranked by the scores of a model, or by scores derived from its probabilities.

        All measures of the same scores, such as the areas of all cuts, share one sort.
        """
        if self.score is None:
            assert self.prob is not None
            return self._standing_of(metric.score_from(self.prob[:, model]))
        if model not in self._standings:
            self._standings[model] = self._standing_of(self.score[:, model])
        return self._standings[model]

    @cached_property
    def _standings(self) -> dict[int, Standing]:
        return {}

    def _standing_of(self, scores: Floats) -> Standing:
        return Standing(self.truth, scores, self.k, self.share * self.count)

    def take(self, rows: NDArray[Any] | slice) -> Sample:
        """Some of the rows."""
        columns = {name: getattr(self, name) for name in _COLUMNS}
        taken: dict[str, Any] = {
            name: None if x is None else x[rows] for name, x in columns.items()
        }
        strata = None if self.strata is None else self.strata.take(rows)
        return replace(self, **taken, losses=None, strata=strata)

    def subgroup(self, rows: NDArray[Any]) -> Sample:
        """The rows of a subgroup, whose strata have the shares that they have in the population."""
        part = self.take(rows)
        if part.strata is None or part.weight is None:
            return part
        if empty := part.strata.empty(part.weight * part.count):
            raise LabelError(
                f"a subgroup, or the rest of one, has no items of {empty}, which the target "
                f"population has. Leave such subgroups out."
            )
        return replace(part, weight=part.strata.weights(part.weight, part.count))

    def drawer(self, rng: np.random.Generator) -> Drawer:
        """What draws data sets like this one, from units drawn with replacement."""
        m, k, rows = self.models, self.k, np.arange(len(self.truth))
        if self.units > MAX_UNITS < len(self.truth):
            incidence, count = self._bundles(rng), np.ones(MAX_UNITS, dtype=np.int64)
        elif self.cluster is not None:
            incidence = self._incidence(rows, self.cluster, self.share * self.count)
            count = np.ones(incidence.shape[0], dtype=np.int64)
        else:
            incidence, count = self._incidence(rows, rows, self.share), self.count
        stratum = self.truth if self.stratify else np.zeros(len(count), dtype=np.int64)
        return Drawer(incidence, count, stratum, (m, k, k), whole=self.weight is None)

    def _incidence(self, rows: Integers, units: Integers, amount: Floats) -> Any:
        """What each unit adds to each cell of each model, sparse: (units, M * K * K)."""
        from scipy.sparse import csr_array

        m, k2 = self.models, self.k**2
        columns = (self.cells[rows] + k2 * np.arange(m)).ravel()
        entries = np.repeat(amount, m), (np.repeat(units, m), columns)
        return csr_array(entries, shape=(int(units.max()) + 1, m * k2))

    def _bundles(self, rng: np.random.Generator) -> Any:
        """The units in random bundles: drawing those has the same spread, and costs less."""
        if self.cluster is not None:
            bundle = rng.permutation(int(self.cluster.max()) + 1) % MAX_UNITS
            rows = np.arange(len(self.truth))
            return self._incidence(rows, bundle[self.cluster], self.share * self.count)
        total: Any = 0
        for rows in _row_blocks(self.count):
            which = np.repeat(rows, self.count[rows])
            bundle = rng.integers(MAX_UNITS, size=len(which))
            bundle[-1] = MAX_UNITS - 1  # so that all blocks have the same shape
            total = total + self._incidence(which, bundle, self.share[which])
        return total


def blocks(n: int, row_bytes: int) -> list[int]:
    """Sizes of the blocks in which n rows of that many bytes are made."""
    size = max(1, min(BLOCK_BYTES // max(row_bytes, 1), 1024))
    return [min(size, n - start) for start in range(0, n, size)]


def _row_blocks(count: Integers) -> Iterator[Integers]:
    """Rows that stand for a bounded number of items together, or one row."""
    ends = np.cumsum(count)
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + BLOCK_BYTES // 8, side="right")), start + 1)
        yield np.arange(start, stop)
        start = stop


def sample_of(
    items: Items, *, clusters: Any = None, stratify: bool = False, merge: bool = True
) -> Sample:
    """Items in positions, as what inference is made from; rows that are alike may be merged."""
    if stratify and (clusters is not None or items.weights is not None or len(items.models) > 1):
        raise ParameterError("stratify takes one model, without clusters and weights.")
    cluster = None if clusters is None else cluster_numbers(clusters, items.kept, items.index)
    whole = Sample(
        items.y_true,
        _predictions(items),
        items.count,
        items.scale.k,
        weight=items.weights,
        cluster=cluster,
        stratify=stratify,
        losses=items.losses,
        prob=None if items.losses is not None else _by_model(items, items.prob),
        score=_by_model(items, items.score),
        shares=items.shares,
        strata=items.strata,
    )
    if items.partial is not None:
        return _partly_true(whole, items.partial)
    if items.weights is not None:
        whole = whole.take(weighing(items))
    # Rows of many clusters are seldom alike: sorting them would cost more than it saves.
    numbers = (whole.prob, whole.score, whole.losses, cluster)
    alike = all(x is None for x in numbers)
    return _distinct(whole) if merge and alike else whole


def _partly_true(whole: Sample, partial: PartialTruth) -> Sample:
    """The items of which some have a true label, row by row."""
    if (whole.truth >= 0).all():  # there is nothing to correct
        return whole
    from ordeval.inference.populations.partly_true import PartlyTrue  # which is a sample itself

    columns = {name: getattr(whole, name) for name in ("truth", "predictions", "count", "cluster")}
    return PartlyTrue(**columns, k=whole.k, **partial._asdict())


def weighing(items: Items) -> NDArray[np.bool_] | slice:
    """Return the rows of items with positive weight, or all rows if no item has any."""
    if items.weights is None or not items.weights.any():
        return slice(None)
    return np.asarray(items.weights > 0)


def _predictions(items: Items) -> Integers:
    """The labels of each model (n, M); of one that gives none, no position of the scale."""
    none = np.full(len(items.count), -1, dtype=np.int64)
    return np.stack([items.y_pred.get(name, none) for name in items.models], axis=1)


def _by_model(items: Items, outputs: Mapping[str, Floats]) -> Floats | None:
    """Probabilities or scores (n, M, ...), if every model gives them."""
    if not outputs or set(outputs) != set(items.models):
        return None
    return np.stack([outputs[name] for name in items.models], axis=1)


def sample_of_joint(counts: Integers, *, stratify: bool = False) -> Sample:
    """Items from joint counts (K, K, ...): truth x the predictions of each model."""
    truth, *predictions = np.nonzero(counts)
    return Sample(
        truth.astype(np.int64),
        np.stack(predictions, axis=1).astype(np.int64),
        counts[(truth, *predictions)],
        len(counts),
        stratify=stratify,
    )


def _distinct(sample: Sample) -> Sample:
    """The distinct rows of a sample."""
    strata = [] if sample.strata is None else [sample.strata.member]
    member = number_rows([sample.truth, *sample.predictions.T, *_ranks(sample.weight), *strata])
    size = int(member.max(initial=-1)) + 1
    count = np.zeros(size, dtype=np.int64)
    np.add.at(count, member, sample.count)
    first = np.zeros(size, dtype=np.int64)
    first[member[::-1]] = np.arange(len(member))[::-1]
    return replace(sample.take(first), count=count)


def _ranks(weight: Floats | None) -> list[Integers]:
    """The weights as small integers, if they differ."""
    if weight is None or len(weight) == 0 or (weight == weight[0]).all():
        return []
    return [np.unique(weight, return_inverse=True)[1].astype(np.int64)]


def cluster_numbers(clusters: Any, kept: NDArray[np.bool_], index: Index | None = None) -> Integers:
    """The number of the cluster of each row that was kept.

    Several arrays name clusters within clusters: patient 1 of hospital A is not that of B.
    """
    given = cluster_levels(clusters)
    check_same_items((("clusters", level) for level in given), index)
    levels = [_as_objects(level) for level in given]
    for level in levels:
        if level.shape != kept.shape:
            raise LabelError(
                f"clusters must name a cluster for each of the {len(kept):,} items; "
                f"got shape {level.shape}."
            )
    numbers = number_rows([_numbered(level[kept]) for level in levels])
    if int(numbers.max(initial=0)) < 1:
        raise LabelError(lone_cluster())
    return numbers


def lone_cluster() -> str:
    """What one cluster alone is answered."""
    return f"{named('clusters')} has only one distinct value; at least two are needed."


def _numbered(names: NDArray[Any]) -> Integers:
    """The number of each name, in an order that does not depend on the items'."""
    if names.dtype.kind in "iubSU":
        # In the order of their text, as names of CSV files are: draws then are the same.
        held, at = np.unique(names, return_inverse=True)
        return np.argsort(np.argsort(held.astype(str)))[at].astype(np.int64)
    listed = names.tolist()
    try:
        distinct = set(listed)
    except TypeError:
        raise LabelError(f"{named('clusters')} must be named by hashable values.") from None
    if any(map(is_missing, distinct)):
        raise LabelError(f"{named('clusters')} must not hold missing values.")
    ordered = sorted(distinct, key=lambda name: as_printed((name,)))
    number = {name: i for i, name in enumerate(ordered)}
    return np.fromiter(map(number.__getitem__, listed), np.int64, len(listed))


def _as_objects(values: Any) -> NDArray[Any]:
    """An array of values as they are: NumPy would make 1 and "1", or a NaN and "nan", the same."""
    values = off_device(values)
    if np.ma.is_masked(values):
        raise LabelError(f"{named('clusters')} must not hold missing values; some are masked.")
    if hasattr(values, "__array__"):
        return np.asarray(values)
    return np.fromiter(values, dtype=object, count=len(values))
