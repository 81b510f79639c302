"""What is asked of studies: their size, and models over folds and over many cases."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import flatten
from .flatten import Numbers, prefixed
from .samples import sample

PLANNED = ("accuracy", "mean_absolute_error", "weighted_kappa", "cem_ord", "balanced_accuracy")


def plan(oe: Any) -> Numbers:
    found = {}
    counts = np.array([[40, 8, 2, 1], [10, 30, 10, 2], [1, 9, 40, 6], [0, 3, 8, 30]])
    for metric in PLANNED:
        for half_width in (0.04, 0.1):
            made = oe.plan(metric, counts, half_width=half_width)
            found |= prefixed(f"counts, {metric}, {half_width}", flatten.plan(made))
        made = oe.plan(metric, accuracy=[0.8, 0.7], k=4, power=0.8, spread="near", overlap=0.3)
        found |= prefixed(f"words, {metric}", flatten.plan(made))
        design = {"cluster_size": 8, "icc": 0.2}
        made = oe.plan(metric, accuracy=0.75, k=5, half_width=0.06, class_shares=_SHARES, **design)
        found |= prefixed(f"design, {metric}", flatten.plan(made))
    return found


def plan_by_class(oe: Any) -> Numbers:
    """A measure that is judged class by class."""
    counts = np.array([[80, 8, 2], [10, 60, 10], [1, 9, 40]])
    found = {}
    for metric in ("min_sensitivity", "maximum_mae", "extreme_sensitivity"):
        made = oe.plan(metric, counts, half_width=0.1)
        found |= prefixed(metric, flatten.plan(made))
    return found


_SHARES = (0.3, 0.3, 0.2, 0.1, 0.1)


def plan_pilot(oe: Any) -> Numbers:
    found = {}
    for k in (3, 4):
        s = sample(40 + k, n=200, k=k)
        one = oe.Predictions(s.truth, s.labels[s.first], labels=s.scale)
        two = oe.Predictions(s.truth, s.labels, labels=s.scale)
        for metric in PLANNED:
            made = oe.plan(metric, one, half_width=0.05, sizes=[100, 400])
            found |= prefixed(f"K = {k}, {metric}, half-width", flatten.plan(made))
            made = oe.plan(metric, two, power=0.9)
            found |= prefixed(f"K = {k}, {metric}, power", flatten.plan(made))
    return found


def plan_pilot_clusters(oe: Any) -> Numbers:
    found = {}
    for k in (3, 4):
        s = sample(40 + k, n=200, k=k)
        one = oe.Predictions(s.truth, s.labels[s.first], labels=s.scale, clusters=s.ward)
        two = oe.Predictions(s.truth, s.labels, labels=s.scale, clusters=s.ward)
        for metric in PLANNED:
            made = oe.plan(metric, one, half_width=0.05)
            found |= prefixed(f"K = {k}, {metric}, half-width", flatten.plan(made))
            made = oe.plan(metric, two, power=0.9)
            found |= prefixed(f"K = {k}, {metric}, power", flatten.plan(made))
    return found


def _scores(seed: int, cases: int, models: int) -> dict[str, Any]:
    """Scores that share how hard a case is, with some ties."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=cases)
    names = [f"model {chr(ord('a') + i)}" for i in range(models)]
    level = [0.7 + 0.02 * i + 0.04 * (hard + rng.normal(size=cases)) for i in range(models)]
    return {name: np.round(x, 3) for name, x in zip(names, level, strict=True)}


def compare_folds(oe: Any) -> Numbers:
    found = {}
    for models in (2, 4):
        scores = _scores(models, 30, models)
        made = oe.compare_folds(scores, metric="cem_ord", folds=10, rope=0.01)
        found |= prefixed(f"{models} models", flatten.folds(made))
        made = oe.compare_folds(scores, test_share=0.2, reference="model b", level=0.9)
        found |= prefixed(f"{models} models, splits", flatten.folds(made))
        lower = {"metric": "mean_absolute_error", "folds": 5}
        found |= prefixed(
            f"{models} models, lower", flatten.folds(oe.compare_folds(scores, **lower))
        )
    return found


def compare_cases(oe: Any) -> Numbers:
    found = {}
    for models in (2, 3, 5):
        for cases in (8, 20, 60):
            scores = _scores(models, cases, models)
            for method in ("nemenyi", "wilcoxon"):
                drawn = {"n_resamples": 199, "rng": 6, "rope": 0.005}
                made = oe.compare_cases(scores, method=method, **drawn)
                place = f"{models} models, {cases} cases, {method}"
                found |= prefixed(place, flatten.cases(made))
    return found


GROUPS = {
    "plan": plan,
    "plan by class": plan_by_class,
    "plan from pilot data": plan_pilot,
    "plan from pilot data, clusters": plan_pilot_clusters,
    "compare over folds": compare_folds,
    "compare over cases": compare_cases,
}
