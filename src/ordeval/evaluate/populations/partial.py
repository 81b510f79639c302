"""Partial truth in the verbs: which measures it goes with, what it gains, and what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ordeval.exceptions import ParameterError
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import Estimation, Interval, Observed, interval_of
from ordeval.inference.populations.partly_true import PartlyTrue
from ordeval.inference.raters.randomness import looks_random
from ordeval.measures import Metric


def why_not_corrected(metric: Metric) -> str:
    """Why a proxy cannot correct a measure; empty if it can."""
    if metric.by_class is not None:
        return (
            "it depends on the values of single classes, which may differ between humans and proxy"
        )
    if metric.biased:
        return "it is biased upward in small samples, and most so for the few human labels"
    return ""


def corrected_by(metrics: tuple[Metric, ...], *, named: bool = True) -> tuple[Metric, ...]:
    """The measures that a proxy can correct; an error if another one was named."""
    why = {m: why_not_corrected(m) for m in metrics}
    for metric, reason in why.items():
        if reason and named:
            raise ParameterError(
                f"{metric.name} cannot be corrected by a proxy: {reason}. Score only the "
                "items with a human label, or choose another measure, such as average_mae."
            )
    return tuple(m for m in metrics if not why[m])


def p_random(sample: Any) -> float:
    """How well the labelled items fit a random part; NaN if they were chosen otherwise."""
    if not isinstance(sample, PartlyTrue) or sample.chance is not None or sample.labelled.all():
        return float("nan")
    assert sample.proxies is not None
    pred, proxies = sample.predictions, sample.proxies
    # Humans are often asked where model and proxy disagree, of which neither tells alone.
    columns = [*proxies.T, *pred.T]
    columns += [np.abs(p - j) for p in pred.T for j in proxies.T]
    each = np.repeat(np.arange(len(sample.truth)), sample.count)
    unit = np.arange(len(each)) if sample.cluster is None else sample.cluster[each]
    _, number = np.unique(unit, return_inverse=True)
    return looks_random([c[each] for c in columns], sample.labelled[each], number)


def human_intervals(
    metrics: Mapping[Metric, Any], observed: Observed, how: Estimation
) -> dict[str, list[Interval]]:
    """The intervals of each measure, by model, from the human labels alone."""
    alone = observed._replace(sample=observed.sample.with_truth)
    found = {m: contributions(m, alone.sample) for m in metrics}
    return {
        m.name: [interval_of(m, alone, c, how, model=i) for i in range(len(c.values))]
        for m, c in found.items()
    }
