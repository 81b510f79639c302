"""What is asked of ratings: agreement, severity, judges, and estimates that a proxy corrects."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import flatten
from .flatten import Numbers, prefixed
from .samples import Rated, rated, sample

AGREEMENT = ("fleiss_kappa", "conger_kappa", "krippendorff_alpha", "gwet_ac2", "brennan_prediger")
PAIRWISE = ("weighted_kappa", "accuracy", "mean_absolute_error", "spearman_rho")
CORRECTED = ("accuracy", "mean_absolute_error", "cem_ord", "weighted_kappa", "balanced_accuracy")


def tables() -> dict[str, Rated]:
    return {
        "2 humans": rated(21, n=60, k=3, humans=2, gaps=0.0),
        "3 humans": rated(22, n=120, k=5, humans=3, gaps=0.15),
        "5 humans": rated(23, n=160, k=4, humans=5, gaps=0.4),
    }


def agreement(oe: Any) -> Numbers:
    found = {}
    for name, r in tables().items():
        ratings = oe.Ratings(r.humans, labels=r.scale)
        for what, options in {"fixed": {}, "random": {"random_raters": True}}.items():
            made = ratings.agreement(AGREEMENT, **options)
            found |= prefixed(f"{name}, {what} raters", flatten.scores(made))
        found |= prefixed(f"{name}, severity", flatten.intervals(ratings.severity()))
        nominal = [oe.krippendorff_alpha.with_params(level="nominal")]
        found |= prefixed(f"{name}, nominal", flatten.scores(ratings.agreement(nominal)))
        counts = flatten.array("pairs", ratings.pair_counts)
        found |= prefixed(name, counts | flatten.array("shares", ratings.distribution()[::10]))
    return found


def agreement_clusters(oe: Any) -> Numbers:
    found = {}
    for name, r in tables().items():
        ratings = oe.Ratings(r.humans, labels=r.scale, clusters=r.document)
        found |= prefixed(name, flatten.scores(ratings.agreement(AGREEMENT)))
        found |= prefixed(f"{name}, severity", flatten.intervals(ratings.severity()))
    return found


def judge(oe: Any) -> Numbers:
    found = {}
    for name, r in tables().items():
        ratings = oe.Ratings(r.humans, labels=r.scale)
        for metric in PAIRWISE:
            made = oe.judge(ratings, r.judges, metric, margin=0.1, min_items=10)
            found |= prefixed(f"{name}, {metric}", flatten.judgement(made))
        made = oe.judge(ratings, r.judges, by=r.language, systems=r.system)
        found |= prefixed(f"{name}, subgroups and systems", flatten.judgement(made))
        made = oe.judge(ratings, r.runs, epsilon=0.1, scoring="accuracy", level=0.9)
        found |= prefixed(f"{name}, runs", flatten.judgement(made))
    return found


def judge_clusters(oe: Any) -> Numbers:
    found = {}
    for name, r in tables().items():
        ratings = oe.Ratings(r.humans, labels=r.scale)
        made = oe.judge(ratings, r.judges, clusters=r.document, by=r.language, margin=0.1)
        found |= prefixed(name, flatten.judgement(made))
    return found


def _partly_labelled(seed: int, n: int, k: int) -> tuple[Any, list[Any], list[Any], list[Any]]:
    """Data of which every third item has a human label, and the second model is the proxy."""
    s = sample(seed, n=n, k=k)
    known = np.random.default_rng(seed).random(n) < 1 / 3
    human = [label if ok else None for label, ok in zip(s.truth.tolist(), known, strict=True)]
    return s, human, s.labels["model b"].tolist(), s.labels["model a"].tolist()


def corrected(oe: Any) -> Numbers:
    found = {}
    for seed, n, k in ((31, 300, 3), (32, 400, 5)):
        s, human, pred, proxy = _partly_labelled(seed, n, k)
        for metric in CORRECTED:
            made = oe.corrected(metric, human, pred, proxy=proxy, labels=s.scale)
            found |= prefixed(f"K = {k}, {metric}", flatten.corrected(made, metric))
        shares = oe.corrected_distribution(human, proxy, s.scale, level=0.9)
        for name in shares:
            found |= prefixed(f"K = {k}, {name}", flatten.corrected(shares, name))
    return found


def corrected_clusters(oe: Any) -> Numbers:
    found = {}
    for seed, n, k in ((31, 300, 3), (32, 400, 5)):
        s, human, pred, proxy = _partly_labelled(seed, n, k)
        for metric in CORRECTED:
            given = {"proxy": proxy, "labels": s.scale, "clusters": s.ward}
            made = oe.corrected(metric, human, pred, **given)
            found |= prefixed(f"K = {k}, {metric}", flatten.corrected(made, metric))
        shares = oe.corrected_distribution(human, proxy, s.scale, clusters=s.ward)
        for name in shares:
            found |= prefixed(f"K = {k}, {name}", flatten.corrected(shares, name))
    return found


GROUPS = {
    "agreement of raters": agreement,
    "agreement of raters, clusters": agreement_clusters,
    "judge": judge,
    "judge, clusters": judge_clusters,
    "corrected estimates": corrected,
    "corrected estimates, clusters": corrected_clusters,
}
