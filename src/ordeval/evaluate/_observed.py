"""From items to what inference is made from, and items of subgroups with the labels decided for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from ordeval._shared.text import name_of
from ordeval._shared.types import Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped, Origin
from ordeval.data.description import Description, SubgroupRows, read_rows
from ordeval.data.items import Items
from ordeval.data.outputs import Decide
from ordeval.data.query import Query
from ordeval.data.sources.rows import DistinctRows, joint_scale, with_clusters
from ordeval.data.subgroups import subgroups_of
from ordeval.exceptions import LabelError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Observed
from ordeval.inference.samples import sample_of, weighing

R = TypeVar("R")
_ALL_PAIRS_UP_TO: Final = 5  # models


def observed_of(items: Items, clusters: Any, *, stratify: bool = False) -> Observed:
    """What inference is made from."""
    sample = sample_of(items, clusters=clusters, stratify=stratify)
    return Observed(sample, items.scale, items.implied, items.left_out)


class GroupedItems(NamedTuple):
    """Items of one model, and the subgroup of each that has a weight above 0."""

    items: Items
    clusters: Any
    keys: tuple[Any, ...]
    group: Integers
    lost: Dropped  # items without a cluster or a subgroup

    @property
    def matrices(self) -> ConfusionMatrix:
        """The matrices (G, K, K) of the labels of the model."""
        items, kept = self.items, weighing(self.items)
        (predicted,) = items.y_pred.values()
        weighted, k = items.weights is not None, items.scale.k
        counts = np.zeros((len(self.keys), k, k), dtype=np.float64 if weighted else np.int64)
        count = items.count[kept]
        amount = count if items.weights is None else items.weights[kept] * count
        np.add.at(counts, (self.group, items.y_true[kept], predicted[kept]), amount)
        sizes = np.bincount(self.group, count, minlength=len(self.keys)).astype(np.int64)
        dropped = self.lost + items.lost
        origin = Origin(dropped, items.implied, weighted, self.keys, sizes if weighted else None)
        return ConfusionMatrix.of(counts, items.scale, origin)


def in_subgroups(data: Description) -> dict[str, GroupedItems]:
    """The items of each model with their subgroups; labels, subgroups and clusters read once.

    Without subgroups, all items are in the only one.
    """
    rows, query, implied = data.rows(), data.table[1], None
    if query.plain:
        scale, implied = joint_scale(rows, query)
        query = replace(query, labels=scale)
    rows, lost = with_clusters(rows, query)
    keys, where = subgroups_of(rows, query)
    lost += Dropped(missing=int(rows.count[where < 0].sum()))
    rows, where = rows.take(np.flatnonzero(where >= 0)), where[where >= 0]
    of_items = where if rows.row is None else where[rows.row]
    rule, found = rule_of(data.decide), {}
    read = {part.outputs[0]: _read_model(rows, part, rule) for part in one_by_one(query)}
    if len(read) > 1 and any(items.lost for items, _ in read.values()):
        together = read_rows(rows, query, rule)[0]
        read = {m: (_of_same(items, together), clusters) for m, (items, clusters) in read.items()}
    for model, (items, clusters) in read.items():
        items = items if implied is None else replace(items, implied=implied)
        group = of_items[items.kept][weighing(items)].astype(np.int64)
        found[model] = GroupedItems(items, clusters, keys, group, lost)
    return found


def _of_same(items: Items, together: Items) -> Items:
    """The items of one model that all models have."""
    both = together.kept[items.kept]
    return replace(
        items,
        y_pred={m: x[both] for m, x in items.y_pred.items()},
        prob={m: x[both] for m, x in items.prob.items()},
        score={m: x[both] for m, x in items.score.items()},
        y_true=items.y_true[both],
        weights=None if items.weights is None else items.weights[both],
        count=items.count[both],
        shares=None if items.shares is None else items.shares[both],
        kept=together.kept,
        dropped=together.dropped,
        lost=together.lost,
    )


def of_some(items: Items, models: Collection[str]) -> Items:
    """The items with the outputs of some of the models."""
    return replace(
        items,
        y_pred={m: x for m, x in items.y_pred.items() if m in models},
        prob={m: x for m, x in items.prob.items() if m in models},
        score={m: x for m, x in items.score.items() if m in models},
    )


def joint_matrices(items: Items) -> dict[str, ConfusionMatrix]:
    """The matrix of each model that gives labels, all of the same items."""
    found, k = {}, items.scale.k
    origin = Origin(items.lost, items.implied)
    for model, predicted in items.y_pred.items():
        counts = np.zeros((k, k), dtype=np.int64)
        np.add.at(counts, (items.y_true, predicted), items.count)
        found[model] = ConfusionMatrix.of(counts, items.scale, origin)
    return found


def each_model(data: Description, rule: Decide) -> dict[str, tuple[Items, Any]]:
    """The items of each model by itself, and their clusters; the data are read once."""
    if data.arrays is not None and len(data.models) == 1:
        return {data.models[0]: data.items(rule)}
    rows = data.rows()
    found = {part.outputs[0]: _read_model(rows, part, rule) for part in one_by_one(data.table[1])}
    return {model: found[model] for model in data.models}


def _read_model(rows: DistinctRows, query: Query, rule: Decide) -> tuple[Items, Any]:
    if not rows.count.any():
        raise LabelError(f"{query.outputs[0]} has no items to score.")
    return read_rows(rows, query, rule)


def one_by_one(query: Query) -> Iterator[Query]:
    """Return the query for each model separately."""
    alone = replace(query, models=(), prob={}, score=())
    yield from (replace(alone, models=(m,)) for m in query.models)
    yield from (replace(alone, prob={m: c}) for m, c in query.prob.items())
    yield from (replace(alone, score=(c,)) for c in query.score)


def pairs_of(models: Iterable[str]) -> list[tuple[str, str]]:
    """The pairs of models whose differences are listed; of many, each with the first."""
    names = list(models)
    every = list(itertools.combinations(names, 2))
    return every if len(names) <= _ALL_PAIRS_UP_TO else [(x, names[0]) for x in names[1:]]


def decided_matrix(data: Description) -> ConfusionMatrix:
    """The matrix of the labels that one model's probabilities are decided for, by subgroup."""
    (grouped,) = in_subgroups(data).values()
    return grouped.matrices if data.query.by else grouped.matrices[0]


def labelled_matrix(data: Description) -> ConfusionMatrix:
    """The matrix of one model on the items that have a true label."""
    items, clusters = data.items(None)
    sample = sample_of(items, clusters=clusters)
    return ConfusionMatrix.of(sample.given[0], items.scale, Origin(items.lost, items.implied))


def each_subgroup(
    grouped: SubgroupRows, query: Query, rule: Decide | None, answer: Callable[[Items, Any], R]
) -> dict[Any, R]:
    """What a question about items and their clusters answers in each subgroup that has items."""
    read_rows(grouped.rows, query, rule)  # what cannot be used in any of them is an error
    found: dict[Any, R] = {}
    for key, part in grouped.by_key.items():
        try:
            items, clusters = read_rows(part, query, rule)
            found[key] = answer(replace(items, implied=grouped.implied), clusters)
        except LabelError as error:
            raise LabelError(f"in the subgroup {name_of(key)}: {error}") from error
    if not found:
        raise LabelError("there are no items in any subgroup.")
    return found
