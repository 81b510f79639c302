"""From items to what inference is made from, and items of subgroups with the labels decided for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ordeval._shared.text import name_of
from ordeval._shared.types import Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped, Origin
from ordeval.data.description import Description, read_rows
from ordeval.data.items import Items
from ordeval.data.outputs import Decide
from ordeval.data.query import Query
from ordeval.data.sources.output_columns import each_item
from ordeval.data.sources.rows import DistinctRows, joint_items, with_clusters
from ordeval.data.subgroups import subgroups_of
from ordeval.exceptions import LabelError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Observed
from ordeval.inference.samples import sample_of, weighing

R = TypeVar("R")


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


def in_subgroups(rows: DistinctRows, query: Query, decide: Any) -> dict[str, GroupedItems]:
    """The items of each model with their subgroups; labels, subgroups and clusters read once.

    Without subgroups, all items are in the only one.
    """
    rows, lost = with_clusters(rows, query)
    keys, where = subgroups_of(rows, query)
    lost += Dropped(missing=int(rows.count[where < 0].sum()))
    rows, where = rows.take(np.flatnonzero(where >= 0)), where[where >= 0]
    of_items = where if rows.row is None else where[rows.row]
    rule, found = rule_of(decide), {}
    for part in one_by_one(query):
        read = joint_items(rows, part) if rows.row is None else each_item(rows, part, rule)
        items, clusters = read
        group = of_items[items.kept][weighing(items)].astype(np.int64)
        found[part.outputs[0]] = GroupedItems(items, clusters, keys, group, lost)
    return found


def one_by_one(query: Query) -> Iterator[Query]:
    """The same query for one model at a time."""
    alone = replace(query, models=(), prob={}, score=())
    yield from (replace(alone, models=(m,)) for m in query.models)
    yield from (replace(alone, prob={m: c}) for m, c in query.prob.items())
    yield from (replace(alone, score=(c,)) for c in query.score)


def decided_matrix(data: Description) -> ConfusionMatrix:
    """The matrix of the labels that one model's probabilities are decided for, by subgroup."""
    _, query = data.table
    (grouped,) = in_subgroups(data.rows(), query, data.decide).values()
    return grouped.matrices if query.by else grouped.matrices[0]


def each_subgroup(
    data: Description, rule: Decide | None, answer: Callable[[Observed], R]
) -> dict[Any, R]:
    """What a question answers in each subgroup that has items."""
    return subgroup_items(data, rule, lambda *both: answer(observed_of(*both)))


def subgroup_items(
    data: Description, rule: Decide | None, answer: Callable[[Items, Any], R]
) -> dict[Any, R]:
    """The same for a question about the items and their clusters."""
    rows, query, implied, by_key, _ = data.subgroups()
    read_rows(rows, query, rule)  # labels, weights and clusters that cannot be used are an error
    found: dict[Any, R] = {}
    for key, part in by_key.items():
        try:
            items, clusters = read_rows(part, query, rule)
            found[key] = answer(replace(items, implied=implied), clusters)
        except LabelError as error:
            raise LabelError(f"in the subgroup {name_of(key)}: {error}") from error
    if not found:
        raise LabelError("there are no items in any subgroup.")
    return found
