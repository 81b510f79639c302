"""Models compared in very many subgroups: the measure that decides, without a whole comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np

from ordeval._shared.types import watched
from ordeval.data.query import Query
from ordeval.data.sources.rows import DistinctRows, joint_items
from ordeval.data.subgroups import how_many, subgroups_of
from ordeval.evaluate._comparing import (
    Settings,
    compare_items,
    corrected_for_margin,
    wanted_pairs,
)
from ordeval.exceptions import LabelError
from ordeval.inference.all_pairs import Together
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Observed
from ordeval.inference.many_subgroups import Segments
from ordeval.inference.paired import Delta, Pair, make_delta
from ordeval.inference.ranking import sort_key, tie_breaks
from ordeval.inference.samples import Sample, sample_of
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Brief, Comparisons, Later, Values
from ordeval.results.phrases import rarest_class

# Up to so many subgroups each has its comparison in full, by all measures.
_IN_FULL: Final = 100


def few(rows: DistinctRows, query: Query, settings: Settings) -> bool:
    """Whether subgroups are compared one by one: few of them, or items that do not stand alone."""
    alone = query.plain and query.weight is None and not query.clusters
    if not alone or settings.how.method != "auto" or query.labels is None:
        return True
    size = how_many([rows.columns[c] for c in query.by])
    return size <= _IN_FULL or not Segments.fit(size, len(query.models), query.labels.k)


def compare_segments(
    rows: DistinctRows, query: Query, settings: Settings, *, implied: bool, nowhere: int
) -> Comparisons:
    """Compare models in each subgroup by the first measure; the rest is computed if asked for."""
    keys, where = subgroups_of(rows, query)
    inside = np.flatnonzero(where >= 0)
    items, _ = joint_items(rows.take(inside), query)
    group, kept = where[inside], items.kept
    dropped = np.bincount(group[~kept], rows.count[inside][~kept], minlength=len(keys))
    there = np.unique(group[kept])
    if not len(there):
        raise LabelError("there are no items to compare.")
    number = np.full(len(keys), -1)
    number[there] = np.arange(len(there))
    sample = sample_of(items, merge=False)
    segments = Segments(sample, number[group[kept]].astype(np.int64), len(there))
    names = [keys[i] for i in there.tolist()]

    def whole(place: int) -> Comparison:
        part, _ = joint_items(rows.take(np.flatnonzero(where == there[place])), query)
        return compare_items(replace(part, implied=implied), None, settings)

    whole(0)  # what does not fit is an error
    steps = watched("subgroups", names, settings.progress)
    found = zip(steps, segments.each(settings.primary), dropped[there].tolist(), strict=True)
    briefs = {
        name: Brief(
            part.items,
            int(lost),
            float(rarest_class(part.class_items)),
            _differences(part, given, items.models, settings),
        )
        for name, (part, given), lost in found
    }
    gone = {keys[i]: "there are no items to compare." for i in np.flatnonzero(number < 0)}
    return Comparisons(
        Later(names, whole),
        query.by,
        left_out=gone,
        dropped=nowhere,
        briefs=briefs,
        values_of=_values(segments, items.models, settings),
    )


def _values(segments: Segments, models: Any, settings: Settings) -> Callable[[str], Values]:
    """What gives values (3, G, M) and their intervals, of any of the measures."""
    by_name = {m.name: m for m in settings.metrics}

    @cache
    def values(metric: str) -> Values:
        return Values(tuple(models), segments.intervals(by_name[metric], settings.how.level))

    return values


def _differences(part: Sample, found: Contributions, models: Any, s: Settings) -> tuple[Delta, ...]:
    """The best model against the second, or each model against the reference."""
    names, first = list(models), s.primary
    utility, ties = np.asarray(first.utility(found.values)), tie_breaks(first, part)
    keys = [sort_key(*x) for x in zip(utility.tolist(), ties.tolist(), strict=True)]
    order = sorted(range(len(names)), key=keys.__getitem__)
    wanted = wanted_pairs(order, names, s)
    wanted = wanted if s.reference is not None else [x for x in wanted if x == tuple(order[:2])]
    if not wanted:
        return ()
    adjusted = None
    if len(names) > 2:
        together = Together(first, found, s.how.level, part)
        adjusted = together.adjusted(wanted if s.reference is not None else None)
    observed = Observed(part, None, implied=False)  # type: ignore[arg-type] # no labels are shown

    def each() -> Iterator[Delta]:
        for i, j in wanted:
            pair = Pair((i, j), (names[i], names[j]))
            delta = make_delta(first, pair, observed, found, s.how, margin=s.margin)
            # Of two models there is one difference, and nothing to correct for.
            p = delta.p_value if adjusted is None else float(adjusted[i, j])
            yield replace(delta, p_adjusted=p)

    return tuple(corrected_for_margin(list(each())))
