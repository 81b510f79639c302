"""Data as part of a population in which classes or strata have other shares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ordeval._shared.text import argument, named
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.description import Description
from ordeval.data.items import Items, JointCounts, items_of_counts
from ordeval.data.populations.shares import Counted, Population, Shares
from ordeval.data.predictions import Predictions
from ordeval.data.sources.arrays import kept
from ordeval.exceptions import ParameterError
from ordeval.inference.influence import by_unit
from ordeval.inference.intervals import whole_counts
from ordeval.inference.samples import sample_of


def in_population(
    data: Description, prevalence: Any, mix: Any, method: str = "auto"
) -> Description:
    """The data as part of a population in which classes or strata have other shares."""
    if prevalence is None and mix is None:
        return data
    check_population(prevalence, mix, method)
    if prevalence is not None:
        return replace(data, query=replace(data.query, population=_of_classes(prevalence)))
    by = columns = data.query.by
    if isinstance(mix, Mapping) and len(mix) == 1:
        ((column, shares),) = mix.items()
        if isinstance(shares, Mapping):
            columns, mix = tuple(c for c in by if c == column), shares
    if not columns:
        raise ParameterError(
            f"{named('mix')} needs the shares of subgroups: name their column with {named('by')}."
        )
    left = tuple(c for c in by if c not in columns)
    return replace(data, query=replace(data.query, by=left, population=Population(mix, columns)))


def check_population(prevalence: Any, mix: Any, method: str) -> None:
    """Refuse two populations at once, and draws, which do not know the shares of strata."""
    if prevalence is not None and mix is not None:
        raise ParameterError(
            f"pass either {named('prevalence')} or {named('mix')}, because each names a population."
        )
    if method != "auto" and (prevalence is not None or mix is not None):
        raise ParameterError(
            f"a target population needs {argument('method', 'auto')}; got {method!r}."
        )


def matrix_in_population(cm: ConfusionMatrix, prevalence: Any, method: str = "auto") -> Items:
    """The items of a matrix, weighed so that the true classes have other shares."""
    check_population(prevalence, None, method)
    counts = whole_counts(cm.counts, weighted=cm.weighted)
    joint = JointCounts(counts, cm.dropped, {})
    items = replace(items_of_counts(cm.scale, ["model"], joint), implied=cm.implied)
    return _of_classes(prevalence).weigh(items, items.y_true, cm.scale.levels)


def _of_classes(prevalence: Any) -> Population:
    if isinstance(prevalence, Predictions):
        return Population(_counted(prevalence._data.whole))
    return Population(kept(prevalence))


def _counted(data: Description) -> Counted:
    """The true classes of a registry, whose items may be weighted or in clusters."""
    items, clusters = data.items(None)
    sample = sample_of(items, clusters=clusters)
    weight = sample.share * sample.count
    shares = weight @ sample.classes / weight.sum()
    parts, count = by_unit((sample.classes - shares) / sample.items, sample)
    units = float(count.sum())
    covariance = units / max(units - 1, 1) * (parts * count[:, None]).T @ parts
    return Counted(items.scale.levels, Shares(shares, covariance, items.n))
