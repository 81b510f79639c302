"""What verbs read off ``Predictions``: where the data is, what is asked of it, and its items.

``Predictions`` is the public noun; this module is its inside, for the verbs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import joined, named
from ordeval._shared.types import Progress, silent
from ordeval.data.items import Items
from ordeval.data.outputs import Decide, Outputs, Reading, given_by, read_outputs
from ordeval.data.positions import Dropped
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.arrays import Arrays
from ordeval.data.sources.output_columns import each_item, settled
from ordeval.data.sources.rows import (
    DistinctRows,
    Source,
    joint_items,
    joint_scale,
    with_clusters,
    without,
)
from ordeval.data.subgroups import number_of, split_rows, subgroups_of
from ordeval.exceptions import LabelError, ParameterError

if TYPE_CHECKING:
    from ordeval.data.sources.joins import Layout


class Summary(NamedTuple):
    """What a look at all of the data tells."""

    items: int
    scale: Scale
    class_items: tuple[int, ...]
    clusters: int
    subgroups: tuple[Any, ...]
    dropped: int


class SubgroupRows(NamedTuple):
    """The rows of each subgroup, and the query on the scale of the whole."""

    rows: DistinctRows
    query: Query
    implied: bool
    keys: tuple[Any, ...]
    where: NDArray[np.intp]  # the subgroup of each row, -1 if it is in none
    nowhere: int  # items that are in no subgroup, or in one table only

    @property
    def by_key(self) -> Mapping[Any, DistinctRows]:
        """The rows of each subgroup."""
        return split_rows(self.rows, self.keys, self.where)


@dataclass(frozen=True, eq=False)
class Description:
    """Where the data is, which columns of it are asked for, and how they are read."""

    source: Source
    query: Query
    models: tuple[str, ...]
    decide: Any = "mode"  # how probabilities become labels
    progress: Progress = silent

    @property
    def arrays(self) -> Arrays | None:
        """The arrays in memory, if that is where the data is."""
        return self.source if isinstance(self.source, Arrays) else None

    @property
    def given(self) -> Literal["labels", "probabilities", "scores"]:
        """What measures can be computed from: what every model gives, and labels if they differ."""
        if self.arrays is not None:
            return given_by(self.arrays.models, self.arrays.outputs)
        return self.query.given

    @property
    def kinds(self) -> dict[str, Outputs]:
        """What each model gives."""
        if self.arrays is not None:
            return self.arrays.kinds
        query = self.query
        kinds: dict[str, Outputs] = dict.fromkeys(query.models, "labels")
        kinds |= dict.fromkeys(query.prob, "probabilities")
        return kinds | dict.fromkeys(query.score, "scores")

    def of_models(self, wanted: Sequence[str]) -> Description:
        """Return the data with some of the models."""
        for name in wanted:
            if name not in self.models:
                raise ParameterError(
                    f"there is no model {name!r}; there are {joined(self.models)}."
                )
        if not wanted or len(set(wanted)) < len(wanted):
            raise ParameterError(f"name each model once; got {list(wanted)}.")
        query, arrays = self.query, self.arrays
        if arrays is not None:
            arrays = replace(arrays, models={m: arrays.models[m] for m in wanted})
            query = replace(
                arrays.query(query.labels, query.misfits), by=query.by, population=query.population
            )
            return replace(self, source=arrays, query=query, models=tuple(wanted))
        query = replace(
            query,
            models=tuple(m for m in wanted if m in query.models),
            prob={m: query.prob[m] for m in wanted if m in query.prob},
            score=tuple(m for m in wanted if m in query.score),
        )
        return replace(self, query=query, models=tuple(wanted))

    @property
    def whole(self) -> Description:
        """Return the data without subgroups."""
        source = replace(self.arrays, by={}) if self.arrays is not None else self.source
        return replace(self, source=source, query=replace(self.query, by=()))

    @cached_property
    def table(self) -> tuple[Source, Query]:
        """The source as a table with columns, and what is asked of it."""
        source, query = self.source, self.query
        if isinstance(source, Arrays):
            return source.as_table(query)
        return source, settled(source, query)

    def items(
        self,
        rule: Decide | None,
        *,
        decided: bool = True,
        outputs: Outputs | None = None,
    ) -> tuple[Items, Any]:
        """All models on the same items, whatever the subgroups, and the clusters of the items."""
        arrays, population = self.arrays, self.query.population
        if arrays is None or (population is not None and population.columns):
            return read_rows(self.rows(), replace(self.table[1], by=()), rule)
        reading = Reading(
            labels=self.query.labels,
            outputs=arrays.outputs if outputs is None else outputs,
            decide=rule,
            decided=decided,
            misfits=self.query.misfits,
            distinct=arrays.clusters is None,
        )
        items = read_outputs(
            arrays.y_true, arrays.models, reading, sample_weight=arrays.sample_weight
        )
        if population is not None:
            items = population.weigh(items, items.y_true, items.scale.levels)
        return items, arrays.clusters

    def rows(self) -> DistinctRows:
        """All columns, in an order that does not depend on the engine."""
        source, query = self.table
        return source.rows(query.columns, numbers=query.numbers).in_order()

    def subgroups(self) -> SubgroupRows:
        """The rows of each subgroup, all on the scale of the whole."""
        _, query = self.table
        rows = self.rows()
        unmatched, rows = rows.unmatched, replace(rows, unmatched=0)
        # The integers of one subgroup may imply a shorter scale.
        scale, implied = joint_scale(rows, query)
        query = replace(query, labels=scale)
        keys, where = subgroups_of(rows, query)
        nowhere = int(rows.count[where < 0].sum()) + unmatched
        return SubgroupRows(rows, query, implied, keys=keys, where=where, nowhere=nowhere)

    @cached_property
    def summary(self) -> Summary:
        """What a look at all of the data tells."""
        _, query = self.table
        rows, lost = with_clusters(self.rows(), query)
        keys, where = subgroups_of(rows, query)
        gone = int(rows.count[where < 0].sum()) + lost.missing
        rows = rows.take(np.flatnonzero(where >= 0))
        items, clusters = read_rows(rows, query, None)
        counts = np.bincount(items.y_true, items.count, minlength=items.scale.k)
        return Summary(
            items=items.n,
            scale=items.scale,
            class_items=tuple(int(n) for n in counts),
            clusters=_how_many(clusters, items),
            subgroups=keys if query.by else (),
            dropped=items.left_out + gone,
        )


def read_rows(rows: DistinctRows, query: Query, rule: Decide | None) -> tuple[Items, Any]:
    """The items of some rows, weighed for the population, and the cluster of each row."""
    population = query.population
    if population is None:
        return _read(rows, query, rule)
    if not population.columns:
        items, clusters = _read(rows, query, rule)
        return population.weigh(items, items.y_true, items.scale.levels), clusters
    rows, lost = with_clusters(rows, query)
    keys, where = subgroups_of(rows, replace(query, by=population.columns))
    there = where >= 0
    lost += Dropped(missing=int(rows.count[~there].sum()))
    rows, where = rows.take(np.flatnonzero(there)), where[there]
    items, clusters = _read(rows, query, rule)
    member = (where if rows.row is None else where[rows.row])[items.kept].astype(np.int64)
    return population.weigh(without(items, lost, query), member, keys), clusters


def _read(rows: DistinctRows, query: Query, rule: Decide | None) -> tuple[Items, Any]:
    # Rows that hold numbers are read item by item, also for a model that gives labels.
    return joint_items(rows, query) if rows.row is None else each_item(rows, query, rule)


def _how_many(clusters: Any, items: Items) -> int:
    """How many clusters the items are in."""
    if clusters is None:
        return 0
    code = number_of([list(level) for level in clusters])
    return len(np.unique(code[items.kept]))


def table_described(
    source: Source, query: Query, layout: Layout, decide: Any, progress: Progress | None
) -> Description:
    """The description of a source in which every item becomes one row."""
    from ordeval.data.sources.joins import laid_out  # only tables have a layout

    source, query = laid_out(source, query, layout)
    if not query.outputs:
        raise LabelError(
            f"name the columns of a model: {named('pred')} for labels, {named('prob')} for "
            f"probabilities or {named('score')} for scores."
        )
    return Description(source, query, query.outputs, decide, progress or silent)
