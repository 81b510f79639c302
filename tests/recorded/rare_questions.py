"""What is rarely asked and computed in its own way: long scales, identical models, counts alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import flatten
from .flatten import Numbers, prefixed
from .label_questions import EVERY, FEW, KINDS, all_models, one_model, with_parameters
from .rater_questions import AGREEMENT, tables
from .samples import Sample, sample


def long_scale(oe: Any) -> Numbers:
    """So many levels that items are left out in groups."""
    rng = np.random.default_rng(61)
    truth = rng.integers(1, 43, 300)
    models = {f"model {i}": np.clip(truth + rng.integers(-i, i + 2, 300), 1, 42) for i in (2, 4)}
    scale = range(1, 43)
    metrics = ("cem_ord", "mean_absolute_error", "kendall_tau_b", "weighted_kappa")
    one = oe.Predictions(truth, models["model 2"], labels=scale)
    found = prefixed("score", flatten.scores(oe.score(one, metrics)))
    made = oe.compare(oe.Predictions(truth, models, labels=scale), metrics, rng=5)
    found |= prefixed("compare", flatten.comparison(made))
    by = {"half": np.where(rng.random(300) < 0.5, "first", "second")}
    halves = oe.Predictions(truth, models["model 2"], labels=scale, by=by)
    return found | prefixed("halves", flatten.subgroup_scores(oe.score(halves, metrics)))


def _twins(s: Sample, different: int) -> dict[str, Any]:
    """Two models that differ on so few items."""
    twin = s.labels[s.first].copy()
    twin[:different] = s.scale[0]
    return {"model": s.labels[s.first], "twin": twin}


def twins(oe: Any) -> Numbers:
    found = {}
    s = sample(2, n=260, k=4, models=3)
    for different in (0, 1, 4):
        data = oe.Predictions(s.truth, _twins(s, different), labels=s.scale)
        for metric in KINDS:
            made = oe.paired_delta(metric, data, margin=0.02)
            found |= prefixed(f"{different}, {metric}", flatten.delta(made))
        made = oe.compare(data, FEW, margin=0.02, rng=5)
        found |= prefixed(f"{different}, compare", flatten.comparison(made))
    same = oe.Predictions(s.truth, {"a": s.prob["model a"], "b": s.prob["model a"]}, labels=s.scale)
    for metric in ("ranked_probability_score", "concordance_index"):
        made = oe.paired_delta(metric, same, margin=0.02)
        found |= prefixed(f"probabilities, {metric}", flatten.delta(made))
    return found


def counts(oe: Any) -> Numbers:
    rng = np.random.default_rng(62)
    matrix = rng.integers(0, 15, (4, 4)) + 20 * np.eye(4, dtype=int)
    joint = rng.integers(0, 6, (3, 3, 3)) + 1
    found = {}
    for metric in EVERY:
        made = oe.confidence_interval(metric, matrix)
        found |= prefixed(f"interval, {metric}", flatten.interval(made))
    for metric in KINDS:
        made = oe.paired_delta(metric, joint)
        found |= prefixed(f"difference, {metric}", flatten.delta(made))
    found |= prefixed("thresholds", flatten.thresholds(oe.thresholds(matrix)))
    weights = oe.ConfusionMatrix(matrix / 8, labels=[1, 2, 3, 4])
    return found | prefixed("weights", flatten.thresholds(oe.thresholds(weights)))


def measures(oe: Any) -> Numbers:
    """Measures that are called by their own name."""
    found = {}
    s = sample(2, n=260, k=4, models=3)
    truth, pred = s.truth, s.labels["model b"]
    for name in EVERY:
        measure = getattr(oe, name)
        found[name] = float(measure(truth, pred, labels=s.scale))
        weighted = measure(truth, pred, labels=s.scale, sample_weight=s.weight)
        found[f"{name}, weights"] = float(weighted)
    general = oe.oc_index_general.with_params(beta_deviation=0.2, beta_discordance=0.5)
    found["oc_index_general"] = float(general(truth, pred, labels=s.scale))
    for name in ("ranked_probability_score", "ordinal_log_loss", "threshold_log_loss"):
        found[name] = float(getattr(oe, name)(truth, s.prob["model a"], labels=s.scale))
    p = np.random.default_rng(63).random(9) ** 3
    return found | flatten.array("holm", oe.holm(p)) | flatten.array("bh", oe.benjamini_hochberg(p))


def cuts_in_subgroups(oe: Any) -> Numbers:
    s = sample(3, n=400, k=5, models=6)
    found = {}
    for m in with_parameters(oe, s.scale[2]):
        made = oe.score(one_model(oe, s, by={"site": s.site}), [m])
        found |= flatten.subgroup_scores(made)
    made = oe.compare(
        all_models(oe, s, by={"sex": s.sex}), with_parameters(oe, s.scale[2])[:2], rng=5
    )
    return found | prefixed("compare", flatten.comparisons(made))


def runs(oe: Any) -> Numbers:
    """Raters who were asked three times, in a long table, and judges as Ratings of their own."""
    import pandas as pd

    found = {}
    for name, r in tables().items():
        rows = [
            (item, judge, rating)
            for judge, answers in r.runs.items()
            for item, row in enumerate(answers)
            for rating in row
            if rating is not None
        ]
        frame = pd.DataFrame(rows, columns=["item", "rater", "rating"])
        judges = oe.Ratings.from_long(frame, labels=r.scale, duplicates="runs")
        made = judges.agreement(AGREEMENT)
        found |= prefixed(f"{name}, agreement", flatten.scores(made))
        for judge, own in made.self_agreement.items():
            found |= prefixed(f"{name}, {judge}", flatten.scores(own))
        found |= prefixed(f"{name}, severity", flatten.intervals(judges.severity()))
        humans = oe.Ratings(r.humans, labels=r.scale, items=list(range(len(r.document))))
        found |= prefixed(f"{name}, judge", flatten.judgement(oe.judge(humans, judges)))
    return found


GROUPS = {
    "labels of a long scale": long_scale,
    "identical models": twins,
    "intervals of counts": counts,
    "measures by name": measures,
    "cuts of labels in subgroups": cuts_in_subgroups,
    "raters with several runs": runs,
}
