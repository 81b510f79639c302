"""Models compared in very many subgroups: the measure that decides, without a whole comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import name_of
from ordeval._shared.types import Integers, watched
from ordeval.data.description import SubgroupRows
from ordeval.data.sources.rows import has_cluster, joint_items
from ordeval.evaluate._comparing import (
    Settings,
    compare_items,
    corrected_for_margin,
    wanted_pairs,
)
from ordeval.evaluate._scoring import clusters_by
from ordeval.exceptions import LabelError
from ordeval.inference.influence import Contributions
from ordeval.inference.intervals import Observed
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.many_models.ranking import sort_key, tie_breaks
from ordeval.inference.many_subgroups import Segments
from ordeval.inference.paired import Delta, Pair, make_delta
from ordeval.inference.samples import Sample, lone_cluster, sample_of, weighing
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Brief, Comparisons, Later, Values
from ordeval.results.phrases import rarest_class

# Up to so many subgroups each has its comparison in full, by all measures.
_IN_FULL: Final = 100


_NO_ITEMS: Final = "there are no items to compare."
NO_WEIGHT: Final = "all weights are zero."


def few(grouped: SubgroupRows, settings: Settings) -> bool:
    """Whether subgroups are compared one by one: few of them, or models that give numbers."""
    query = grouped.query
    if not query.counted or query.labels is None:
        return True
    if settings.how.method != "auto":
        return True
    size = len(grouped.keys)
    return size <= _IN_FULL or not Segments.fit(size, len(query.models), query.labels.k)


def none_compared(left_out: Mapping[Any, str]) -> LabelError:
    """The error of data of which no subgroup can be compared."""
    key, why = next(iter(left_out.items()))
    return LabelError(f"in the subgroup {name_of(key)}: {why}")


def compare_segments(grouped: SubgroupRows, settings: Settings) -> Comparisons:
    """Compare models in each subgroup by the first measure; the rest is computed if asked for."""
    rows, query, keys, where = grouped.rows, grouped.query, grouped.keys, grouped.where
    inside = np.flatnonzero((where >= 0) & has_cluster(rows, query))
    items, clusters = joint_items(rows.take(inside), query)
    group = where[inside][items.kept]
    size = np.bincount(group, items.count, minlength=len(keys))
    dropped = np.bincount(where[where >= 0], rows.count[where >= 0], minlength=len(keys)) - size
    sample, group = sample_of(items, clusters=clusters, merge=False), group[weighing(items)]
    gone = _left_out(sample, group, size)
    there = np.flatnonzero([not why for why in gone])
    left_out = {key: why for key, why in zip(keys, gone, strict=True) if why}
    if not len(there):
        raise none_compared(left_out)
    number = np.full(len(keys), -1)
    number[there] = np.arange(len(there))
    group = number[group]
    segments = Segments(sample.take(group >= 0), group[group >= 0], len(there))
    names = [keys[i] for i in there.tolist()]

    def whole(place: int) -> Comparison:
        part, clusters = joint_items(rows.take(np.flatnonzero(where == there[place])), query)
        return compare_items(replace(part, implied=grouped.implied), clusters, settings)

    whole(0)  # what does not fit is an error
    steps = watched("subgroups", names, settings.progress)
    lost = dropped[there].astype(np.int64).tolist()
    found = zip(steps, segments.each(settings.primary), size[there].tolist(), lost, strict=True)
    briefs = {
        name: Brief(
            int(held),
            gone,
            np.inf if sample.weight is not None else float(rarest_class(part.class_items)),
            _differences(part, given, items.models, settings),
        )
        for name, (part, given), held, gone in found
    }
    return Comparisons(
        Later(names, whole),
        query.by,
        left_out=left_out,
        dropped=grouped.nowhere,
        briefs=briefs,
        values_of=_values(segments, items.models, settings),
        spanned=_spanned(segments),
    )


def _spanned(segments: Segments) -> bool:
    """Whether a cluster is in several subgroups."""
    sample = segments.sample
    each = clusters_by(sample, segments.group, segments.size)
    return each is not None and int(each.sum()) > sample.clusters


def _left_out(sample: Sample, group: Integers, size: NDArray[Any]) -> list[str]:
    """Why each subgroup (G,) is not compared; empty if it is."""
    clusters, there = clusters_by(sample, group, len(size)), np.bincount(group, minlength=len(size))
    alone = np.zeros(len(size), dtype=bool) if clusters is None else clusters < 2
    why = np.select([size == 0, there == 0, alone], [_NO_ITEMS, NO_WEIGHT, lone_cluster()], "")
    listed: list[str] = why.tolist()
    return listed


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
