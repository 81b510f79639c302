"""What is asked of probabilities and of scores in arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import flatten
from .flatten import Numbers, prefixed
from .label_questions import FEW, samples
from .samples import Sample, sample

PROPER = (
    "ranked_probability_score", "ranked_probability_skill_score", "ordinal_log_loss",
    "threshold_log_loss",
)  # fmt: skip
ORDER = ("concordance_index", "coefficient_of_predictive_ability", "ordinal_ranking_correctness")
DECIDED = ("cem_ord", "accuracy", "mean_absolute_error", "mean_signed_error", "weighted_kappa")
GRID = (0.05, 0.2, 0.4, 0.7)


def one_model(oe: Any, s: Sample, **options: Any) -> Any:
    return oe.Predictions(s.truth, s.prob[s.first], labels=s.scale, **options)


def all_models(oe: Any, s: Sample, **options: Any) -> Any:
    return oe.Predictions(s.truth, s.prob, labels=s.scale, **options)


def one_score(oe: Any, s: Sample, **options: Any) -> Any:
    given = {"labels": s.scale, "outputs": "scores", **options}
    return oe.Predictions(s.truth, s.score[s.first], **given)


def all_scores(oe: Any, s: Sample, **options: Any) -> Any:
    return oe.Predictions(s.truth, s.score, labels=s.scale, outputs="scores", **options)


def _weights(s: Sample) -> dict[str, dict[str, Any]]:
    return {"plain": {}, "weights": {"sample_weight": s.weight}}


def _clusters(s: Sample) -> dict[str, dict[str, Any]]:
    return {
        "wards": {"clusters": s.ward},
        "wards, weights": {"clusters": s.ward, "sample_weight": s.weight},
        "patients in hospitals": {"clusters": [s.hospital, s.patient]},
    }


def _costs(s: Sample) -> Any:
    """Costs of a step too low that are three times those of a step too high."""
    truth, given = np.indices((len(s.scale), len(s.scale)))
    return np.where(given < truth, 3.0, 1.0) * np.abs(given - truth)


def score(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        brier = oe.threshold_brier.with_params(at_least=s.scale[1])
        area = oe.threshold_auc.with_params(at_least=s.scale[1])
        metrics = [*PROPER, *ORDER, *DECIDED, brier, area]
        for what, options in _weights(s).items():
            made = oe.score(one_model(oe, s, **options), metrics)
            found |= prefixed(f"{name}, {what}", flatten.scores(made))
        for what, rule in {"median": "median", "costs": _costs(s)}.items():
            made = oe.score(one_model(oe, s, decide=rule), DECIDED)
            found |= prefixed(f"{name}, by {what}", flatten.scores(made))
        drawn = {"method": "percentile", "n_resamples": 99, "rng": 3}
        made = oe.score(one_model(oe, s), [*PROPER, "cem_ord"], **drawn)
        found |= prefixed(f"{name}, percentile", flatten.scores(made))
    return found


def score_of_each_model(oe: Any) -> Numbers:
    """Some models rule out what happens, so that their log loss is infinite."""
    found = {}
    for name, s in samples().items():
        for model, prob in s.prob.items():
            data = oe.Predictions(s.truth, prob, labels=s.scale)
            made = oe.score(data, [*PROPER, "concordance_index", "cem_ord"])
            found |= prefixed(f"{name}, {model}", flatten.scores(made))
    return found


def score_shares(oe: Any) -> Numbers:
    """The truth is shares of the classes, such as those of several raters."""
    s = sample(2, n=260, k=4, models=3)
    data = oe.Predictions(s.prob["model b"], s.prob["model a"], labels=s.scale)
    return flatten.scores(oe.score(data, _SHARES))


_SHARES = ("ranked_probability_score", "wasserstein", "normalized_match_distance", "rnod")


def score_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _clusters(s).items():
            made = oe.score(one_model(oe, s, **options), [*PROPER, *ORDER])
            found |= prefixed(f"{name}, {what}", flatten.scores(made))
    return found


def score_decided_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _clusters(s).items():
            made = oe.score(one_model(oe, s, **options), DECIDED)
            found |= prefixed(f"{name}, {what}", flatten.scores(made))
    return found


def score_scores(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        area = oe.threshold_auc.with_params(at_least=s.scale[2])
        for what, options in _weights(s).items():
            made = oe.score(one_score(oe, s, **options), [*ORDER, area])
            found |= prefixed(f"{name}, {what}", flatten.scores(made))
    return found


def score_scores_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _clusters(s).items():
            made = oe.score(one_score(oe, s, **options), ORDER)
            found |= prefixed(f"{name}, {what}", flatten.scores(made))
    return found


def compare(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _weights(s).items():
            data = all_models(oe, s, **options)
            made = oe.compare(data, [*PROPER[:2], "cem_ord", "concordance_index"], rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparison(made))
        made = oe.compare(all_models(oe, s), PROPER[:1], reference=s.first, margin=0.02, rng=5)
        found |= prefixed(f"{name}, reference and margin", flatten.comparison(made))
    return found


def compare_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _clusters(s).items():
            made = oe.compare(all_models(oe, s, **options), [*PROPER[:2], ORDER[0]], rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparison(made))
    return found


def compare_decided_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        data = all_models(oe, s, clusters=s.ward)
        found |= prefixed(name, flatten.comparison(oe.compare(data, DECIDED[:3], rng=5)))
    return found


def compare_scores(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _weights(s).items():
            made = oe.compare(all_scores(oe, s, **options), ORDER, margin=0.02, rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparison(made))
    return found


def compare_scores_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        made = oe.compare(all_scores(oe, s, clusters=s.ward), ORDER, rng=5)
        found |= prefixed(name, flatten.comparison(made))
    return found


def compare_mixed(oe: Any) -> Numbers:
    """Of models some of which give labels, others probabilities, labels are compared."""
    found = {}
    for name, s in samples().items():
        models = {"labels": s.labels["model b"], "probabilities": s.prob["model a"]}
        data = oe.Predictions(s.truth, models, labels=s.scale, decide="median")
        found |= prefixed(name, flatten.comparison(oe.compare(data, FEW, rng=5)))
    return found


def subgroups(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:3]:
        for what, options in _weights(s).items():
            data = one_model(oe, s, by={"site": s.site}, **options)
            made = oe.score(data, [*PROPER[:2], "cem_ord", "concordance_index"])
            found |= prefixed(f"{name}, {what}", flatten.subgroup_scores(made))
    return found


def subgroups_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:3]:
        data = one_model(oe, s, by={"site": s.site}, clusters=s.ward)
        made = oe.score(data, [PROPER[0], PROPER[1], ORDER[0]])
        found |= prefixed(name, flatten.subgroup_scores(made))
    return found


def compare_subgroups(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[1:3]:
        for what, options in _weights(s).items():
            data = all_models(oe, s, by={"site": s.site}, **options)
            made = oe.compare(data, [PROPER[0], "cem_ord"], rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparisons(made))
        data = all_models(oe, s, by={"sex": s.sex}, clusters=s.ward)
        made = oe.compare(data, PROPER[:1], rng=5)
        found |= prefixed(f"{name}, wards", flatten.comparisons(made))
    return found


def compare_scores_subgroups(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[1:3]:
        data = all_scores(oe, s, by={"site": s.site})
        found |= prefixed(name, flatten.comparisons(oe.compare(data, ORDER[:1], rng=5)))
    return found


def intervals(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for metric in (*PROPER, *ORDER):
            for what, options in {**_weights(s), **_clusters(s)}.items():
                made = oe.confidence_interval(metric, one_model(oe, s, **options))
                numbers = flatten.interval(made) | flatten.basis(made)
                found |= prefixed(f"{name}, {what}, {metric}", numbers)
        for metric in ORDER:
            made = oe.confidence_interval(metric, one_score(oe, s), level=0.9)
            found |= prefixed(f"{name}, scores, {metric}", flatten.interval(made))
    return found


def differences(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for metric in (*PROPER, *ORDER):
            for what, options in {**_weights(s), **_clusters(s)}.items():
                two = dict(list(s.prob.items())[:2])
                data = oe.Predictions(s.truth, two, labels=s.scale, **options)
                made = oe.paired_delta(metric, data, margin=0.05)
                found |= prefixed(f"{name}, {what}, {metric}", flatten.delta(made))
    return found


def thresholds(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _weights(s).items():
            made = oe.thresholds(one_model(oe, s, **options))
            found |= prefixed(f"{name}, {what}", flatten.thresholds(made))
            made = oe.thresholds(one_score(oe, s, **options))
            found |= prefixed(f"{name}, {what}, scores", flatten.thresholds(made))
    return found


def thresholds_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _clusters(s).items():
            made = oe.thresholds(one_model(oe, s, **options))
            found |= prefixed(f"{name}, {what}", flatten.thresholds(made))
    return found


def thresholds_scores_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _clusters(s).items():
            made = oe.thresholds(one_score(oe, s, **options))
            found |= prefixed(f"{name}, {what}", flatten.thresholds(made))
    return found


def calibration(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in {**_weights(s), **_clusters(s)}.items():
            made = oe.calibration(one_model(oe, s, **options), n_resamples=99, rng=2)
            found |= prefixed(f"{name}, {what}", flatten.calibration(made))
    return found


def decision_curve(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        two = dict(list(s.prob.items())[:2])
        for what, options in {**_weights(s), **_clusters(s)}.items():
            data = oe.Predictions(s.truth, two, labels=s.scale, **options)
            made = oe.decision_curve(data, probabilities=GRID)
            found |= prefixed(f"{name}, {what}", flatten.decision_curve(made))
    return found


GROUPS = {
    "score probabilities": score,
    "score probabilities of each model": score_of_each_model,
    "score probabilities, truth in shares": score_shares,
    "score probabilities, clusters": score_clusters,
    "score labels decided by probabilities, clusters": score_decided_clusters,
    "score scores": score_scores,
    "score scores, clusters": score_scores_clusters,
    "score probabilities in subgroups": subgroups,
    "score probabilities in subgroups, clusters": subgroups_clusters,
    "compare probabilities": compare,
    "compare probabilities, clusters": compare_clusters,
    "compare labels decided by probabilities, clusters": compare_decided_clusters,
    "compare scores": compare_scores,
    "compare scores, clusters": compare_scores_clusters,
    "compare labels with probabilities": compare_mixed,
    "compare probabilities in subgroups": compare_subgroups,
    "compare scores in subgroups": compare_scores_subgroups,
    "confidence interval of probabilities and scores": intervals,
    "paired difference of probabilities": differences,
    "thresholds of probabilities and scores": thresholds,
    "thresholds of probabilities, clusters": thresholds_clusters,
    "thresholds of scores, clusters": thresholds_scores_clusters,
    "calibration": calibration,
    "decision curve": decision_curve,
}
