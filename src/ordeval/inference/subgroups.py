"""Measures in subgroups: the interval of each, and what can be said between them.

Items that stand alone are judged from the counts of all subgroups at once, weighted and clustered
ones from what their rows add up to. Probabilities and scores go subgroup by subgroup.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers, Rng, as_rng
from ordeval.data.scale import Scale
from ordeval.inference.cell_influence import cells_of, cut_of, freedom_by_class, freedom_of_few
from ordeval.inference.ends import t_intervals as alone
from ordeval.inference.ends.t_intervals import Alone
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import by_cells, contributions
from ordeval.inference.intervals import Estimation, Interval, Observed, intervals_of
from ordeval.inference.sample_stacks import Grouped, Rest, Tables
from ordeval.inference.samples import Sample, sample_of_joint
from ordeval.inference.subgroup_differences import (
    UNTESTED,
    Between,
    Differences,
    Heterogeneity,
    differences,
    heterogeneity,
    shrunken,
)
from ordeval.measures import Metric

_MANY: Final = 20  # subgroups, of which some have odd classes by chance
_UNRELATED: Final = "matrices that are not named as subgroups of one data set are not compared."
_ONE: Final = "there is only one subgroup, so there is no rest to compare it with."
_SPANNED: Final = "clusters span several subgroups, so the subgroups are not tested together."

SeveralMetrics = tuple[Metric, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Subgroups:
    """One measure in G subgroups: arrays (G,), NaN where nothing can be said."""

    metric: Metric
    values: Floats
    low: Floats  # of the interval of each subgroup by itself
    high: Floats
    whole: Interval  # of all subgroups together
    rest: Floats  # the value of all other subgroups together
    differences: Differences  # from the rest
    shrunken: Floats  # shrunk toward the overall value, more for small subgroups
    heterogeneity: Heterogeneity
    untested: str = ""  # why subgroups are not compared, or not tested together

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Which subgroups are compared with the rest."""
        return ~np.isnan(self.differences.p_value)

    @property
    def differ(self) -> NDArray[np.bool_]:
        """Which subgroups are shown to differ from the rest."""
        return self.differences.p_adjusted <= 1 - self.whole.level


def of_counts(
    metrics: SeveralMetrics,
    stack: NDArray[Any],
    scale: Scale,
    how: Estimation,
    *,
    related: bool = True,
    rng: Rng = None,
) -> dict[str, Subgroups]:
    """Measures in subgroups of items that are independent, from their counts (G, K, K).

    Matrices are ``related`` if they are those of subgroups of one data set; others, such as those
    of several models, are not compared.
    """
    there, rng = np.asarray(stack.any(axis=(-2, -1))), as_rng(rng)
    filled = stack[there]
    total, sizes = filled.sum(axis=0), filled.sum(axis=(-2, -1)).astype(np.float64)
    drawn = [] if how.method == "auto" else list(filled)
    made = [intervals_of(_observed(n, scale), metrics, how, rng) for n in [total, *drawn]]
    found = {}
    for m in metrics:
        own, between = alone.measured(m, Tables(filled)), None
        why = _why_not(m, len(filled)) if related else _UNRELATED
        if not why:
            rest, whole = (alone.measured(m, Tables(n)) for n in (total - filled, total[None]))
            between = Between(
                m,
                scale.k,
                own=own,
                rest=rest,
                whole=whole,
                units=sizes,
                correlation=np.zeros(len(sizes)),
                freedom=_in_the_tail(m, own, filled.sum(axis=-1)),
            )
        ends = _ends(m, made[1:]) if drawn else alone.ends(m, Tables(filled), own, how.level)
        found[m.name] = _subgroups(made[0][m.name], (m, own, ends), between, there, why)
    return found


def _in_the_tail(metric: Metric, own: Alone, units: NDArray[Any]) -> Floats:
    """Degrees of freedom (G,) for the largest of the differences; two subgroups have one.

    ``units`` are those of each true class (G, K).
    """
    if len(units) < 3 or metric.needs != "labels":
        return own.freedom
    if len(units) > _MANY:
        return freedom_by_class(metric, units, own.freedom)
    return np.minimum(own.freedom, np.maximum(freedom_of_few(metric, units), 1.0))


def of_sample(
    metrics: SeveralMetrics,
    sample: Sample,
    group: Integers,
    size: int,
    scale: Scale,
    *,
    how: Estimation,
    rng: Rng = None,
) -> dict[str, Subgroups]:
    """Measures in subgroups of weighted or clustered items; ``group`` is the subgroup of a row."""
    there, rng = np.bincount(group, sample.share * sample.count, minlength=size) > 0, as_rng(rng)
    quick = tuple(m for m in metrics if by_cells(m, sample)) if Grouped.fit(sample, size) else ()
    drawn = metrics if how.method != "auto" else tuple(m for m in metrics if m not in quick)
    whole = intervals_of(Observed(sample, scale, implied=False), metrics, how, rng)
    at_once = _AtOnce(sample, group, there) if quick else None
    one_by_one = _OneByOne(sample, group, there) if drawn else None
    parts = one_by_one.parts if one_by_one else []
    made = [intervals_of(Observed(p, scale, implied=False), drawn, how, rng) for p in parts]
    found, lone = {}, _lone_clusters(sample, group, size)
    for m in metrics:
        sides = at_once if at_once and m in quick else one_by_one
        assert sides is not None
        own, between, why = sides.own(m), None, _why_not(m, int(there.sum())) or lone
        if not why:
            rest, shared = sides.rest(m, own)
            between = Between(
                m,
                scale.k,
                own=own,
                rest=rest,
                whole=Alone.of(contributions(m, sample)),
                units=sides.units,
                correlation=shared,
                freedom=_in_the_tail(m, own, sides.classes),
            )
        if at_once is None or m in drawn:
            ends = _ends(m, made)
        else:
            ends = alone.ends(m, at_once.stack, own, how.level)
        found[m.name] = _subgroups(whole[m.name], (m, own, ends), between, there, why)
    return found


def _lone_clusters(sample: Sample, group: Integers, size: int) -> str:
    """Why subgroups are not compared if each is one cluster; empty if one is not."""
    if sample.cluster is None:
        return ""
    each = np.bincount(np.unique(sample.cluster * size + group) % size, minlength=size)
    if each.max() > 1:
        return ""
    return (
        "subgroups are not compared: each is one cluster, and how far clusters differ is unknown."
    )


class _AtOnce:
    """Subgroups that are judged from what all their rows add up to."""

    def __init__(self, sample: Sample, group: Integers, there: NDArray[np.bool_]) -> None:
        self.stack = Grouped.of(sample, group, np.ones(len(group), dtype=bool), there)
        self.units, self.classes = self.stack.known, self.stack.units_by_class

    def own(self, metric: Metric) -> Alone:
        """The values of the subgroups."""
        return alone.measured(metric, self.stack)

    @cached_property
    def _others(self) -> Rest:
        return Rest(self.stack)

    def rest(self, metric: Metric, own: Alone) -> tuple[Alone, Floats]:
        """The values of their rests, and how far clusters in both correlate the two."""
        rest = alone.measured(metric, self._others)
        if not self._others.shares_clusters:
            return rest, np.zeros(len(own.values))
        sides = (self.stack, self._others)
        cut = cut_of(metric, self.stack.k)
        tables = (cells_of(metric.values, s.matrices, s.mass, cut=cut).table for s in sides)
        errors = own.errors * rest.errors
        known = errors > 0
        shared = self._others.covariance(*tables) / np.where(known, errors, 1.0)
        return rest, np.where(known, shared, 0.0)


class _OneByOne:
    """Subgroups that are judged each from its own rows, and from all others."""

    def __init__(self, sample: Sample, group: Integers, there: NDArray[np.bool_]) -> None:
        self.sample, self.group, self.numbers = sample, group, np.flatnonzero(there)
        self.parts = [sample.subgroup(group == g) for g in self.numbers]
        self.units = np.array([min(p.units, p.effective) for p in self.parts], dtype=np.float64)

    @property
    def classes(self) -> Floats:
        """The units of each true class (G, K)."""
        return np.array([p.units_by_class for p in self.parts])

    def own(self, metric: Metric) -> Alone:
        """The values of the subgroups."""
        return Alone.joined([Alone.of(contributions(metric, p)) for p in self.parts])

    def rest(self, metric: Metric, own: Alone) -> tuple[Alone, Floats]:
        """The values of their rests, and how far clusters in both correlate the two."""
        others, shared = [], np.zeros(len(own.values))
        for i, (g, part) in enumerate(zip(self.numbers, self.parts, strict=True)):
            # One at a time: the rest of each subgroup is nearly all of the items.
            left = self.sample.subgroup(self.group != g)
            other = contributions(metric, left)
            others.append(Alone.of(other))
            if part.cluster is not None and left.cluster is not None:
                mine = contributions(metric, part)
                shared[i] = correlation(part.cluster, mine, left.cluster, other)
        return Alone.joined(others), shared


def _observed(counts: NDArray[Any], scale: Scale) -> Observed:
    return Observed(sample_of_joint(counts), scale, implied=False)


def _ends(metric: Metric, made: list[dict[str, Interval]]) -> tuple[Floats, Floats]:
    ends = np.array([(by[metric.name].low, by[metric.name].high) for by in made])
    return ends[:, 0], ends[:, 1]


def _why_not(metric: Metric, subgroups: int) -> str:
    """Why subgroups are not compared by a measure; empty if they are."""
    if subgroups < 2:
        return _ONE
    # Equal subgroups would seem to differ by these in a third of data sets, if classes are uneven.
    if metric.by_class is not None:
        return (
            f"subgroups are not compared by {metric.name}, because a few items of one "
            "class determine it."
        )
    if metric.biased:
        return (
            f"subgroups are not compared by {metric.name}, because it depends on their "
            "sizes even if they are equally good."
        )
    return ""


def correlation(a: Integers, in_a: Contributions, b: Integers, in_b: Contributions) -> float:
    """How two values are correlated because some clusters are in both; numbers name clusters."""
    names = np.unique(a), np.unique(b)
    _, i, j = np.intersect1d(*names, return_indices=True)
    errors = float(in_a.errors[0] * in_b.errors[0])
    # With very many classes, clusters contribute in random bundles, which nothing tells apart.
    bundled = len(names[0]) != len(in_a.parts) or len(names[1]) != len(in_b.parts)
    if not len(i) or bundled or not errors > 0:
        return 0.0
    return float(in_a.parts[i, 0] @ in_b.parts[j, 0]) / errors


def _subgroups(
    whole: Interval,
    found: tuple[Metric, Alone, tuple[Floats, Floats]],
    between: Between | None,
    there: NDArray[np.bool_],
    why: str,
) -> Subgroups:
    """What was found in the subgroups that have items, placed among all of them."""
    metric, own, ends = found

    def placed(values: Floats) -> Floats:
        full = np.full(len(there), np.nan)
        full[there] = values
        return full

    if np.isinf(whole.estimate):  # and so is the rest of all subgroups, or of all but one
        between, why = None, f"subgroups are not compared, because {whole.refused}"
    nothing, tested = np.full(len(own.values), np.nan), UNTESTED
    differing, drawn, rest = Differences(*[nothing] * 5), nothing, nothing
    if between is not None:
        differing, drawn = differences(between, whole.level), shrunken(between)
        rest = between.rest.values
        spanned = bool(between.correlation.any())
        tested, why = (UNTESTED, _SPANNED) if spanned else (heterogeneity(between), "")
    return Subgroups(
        metric=metric,
        values=placed(own.values),
        low=placed(ends[0]),
        high=placed(ends[1]),
        whole=whole,
        rest=placed(rest),
        differences=Differences(*map(placed, differing)),
        shrunken=placed(drawn),
        heterogeneity=tested,
        untested=why,
    )
