"""How far judges are above a human who gave a grade, next to how far other humans are.

Whoever is compared with a noisy grade seems to lift low grades and to lower high ones (regression
to the mean): a perfect judge does, and so do other humans. A judge's own bias at a grade is
therefore its difference from the other humans, on the same ratings.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ordeval._shared.clopper_pearson import clopper_pearson
from ordeval._shared.types import Floats, Integers
from ordeval.inference.intervals import Interval
from ordeval.inference.raters.clustered_means import mean_interval, mean_of
from ordeval.inference.raters.judges import Panel
from ordeval.measures.distance import mean_signed_error
from ordeval.measures.nominal import accuracy


def of_judge(panel: Panel) -> list[Interval]:
    """Steps of the judge above each grade that a human gave, over pairs of rating and answer."""
    runs = panel.runs >= 0
    size, total = runs.sum(axis=1), np.where(runs, panel.runs, 0).sum(axis=1)
    return [
        _interval(panel, given * (total - size * g), given * size, panel.level)
        for g, given in enumerate(_given(panel))
    ]


def of_humans(panel: Panel) -> list[Interval]:
    """Steps of the other humans above each grade that a human gave, over pairs of ratings."""
    known, total = _humans(panel)
    return [
        _interval(panel, given * (total - known * g), given * np.maximum(known - 1, 0), panel.level)
        for g, given in enumerate(_given(panel))
    ]


def beyond_humans(panel: Panel) -> list[Interval]:
    """Steps of the judge above the mean of the other humans, by the grade that a human gave.

    The intervals hold for all grades of the judge at once (Šidák).
    """
    known, total = _humans(panel)
    both = (known > 1) & (panel.runs >= 0).any(axis=1)
    each = _given(panel) * both
    judge = _mean(panel.runs)
    level = panel.level ** (1 / max(int((each.sum(axis=1) > 0).sum()), 1))
    return [
        _interval(panel, given * (judge - (total - g) / np.maximum(known - 1, 1)), given, level)
        for g, given in enumerate(each)
    ]


def shifts(panel: Panel, before: Integers) -> list[Interval]:
    """Steps of the judge above its answers before (N, runs), by the grade that a human gave."""
    apart = _mean(panel.runs) - _mean(before)
    there = (panel.runs >= 0).any(axis=1) & (before >= 0).any(axis=1)
    each = _given(panel) * there
    return [_interval(panel, given * apart, given, panel.level) for given in each]


def repeated(panel: Panel) -> list[Interval]:
    """The share of pairs of a judge's runs with the same label: of all, then by a human's grade."""
    size = (panel.runs >= 0).sum(axis=1)
    each = np.stack([(panel.runs == g).sum(axis=1) for g in range(panel.k)])
    same = (each * (each - 1)).sum(axis=0) / np.maximum(size * (size - 1), 1)
    amounts = [np.ones(len(size)), *_given(panel)] * (size > 1)
    return [_share(panel, n * same, n) for n in amounts]


def _mean(runs: Integers) -> Floats:
    """The mean of the runs, 0 where there is none."""
    known = runs >= 0
    total = np.where(known, runs, 0).sum(axis=1)
    return np.asarray(total / np.maximum(known.sum(axis=1), 1))


def _given(panel: Panel) -> Integers:
    """How many humans gave each grade to each item (K, N)."""
    return np.stack([(panel.humans == g).sum(axis=1) for g in range(panel.k)])


def _humans(panel: Panel) -> tuple[Integers, Integers]:
    """How many humans rated each item, and the sum of their ratings."""
    known = panel.humans >= 0
    return known.sum(axis=1), np.where(known, panel.humans, 0).sum(axis=1)


def _share(panel: Panel, sums: Floats, size: Floats) -> Interval:
    """A share with the interval of as many independent items as say as much (Korn & Graubard)."""
    shown = panel.interval(np.nan, np.nan, np.nan, accuracy.name)
    if not size.any():
        return shown
    unit = np.arange(len(size)) if panel.cluster is None else panel.cluster
    value, error, units = mean_of(sums, size, unit)
    known = value * (1 - value) / error**2 if error > 0 and 0 < value < 1 else units
    low, high = clopper_pearson(value * known, known, panel.level)
    return replace(shown, estimate=value, low=low, high=high)


def _interval(panel: Panel, sums: Floats, size: Floats, level: float) -> Interval:
    shown = panel.interval(np.nan, np.nan, np.nan, mean_signed_error.name)
    shown = replace(shown, level=level)
    if not size.any():
        return shown
    unit = np.arange(len(size)) if panel.cluster is None else panel.cluster
    return mean_interval(sums, size, unit, shown)
