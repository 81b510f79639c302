"""What is asked of labels in arrays: values, intervals, differences, cuts of the scale."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import flatten
from .flatten import Numbers, prefixed
from .samples import Sample, sample

EVERY = (
    "accuracy", "misclassification_error", "accuracy_within", "balanced_accuracy", "f1_macro",
    "matthews_corrcoef", "min_sensitivity", "geometric_mean_sensitivity", "extreme_sensitivity",
    "mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "average_mae",
    "maximum_mae", "average_mse", "mean_signed_error", "cosine_similarity", "cohen_kappa",
    "weighted_kappa", "scott_pi", "brennan_prediger", "gwet_ac2", "krippendorff_alpha", "pearson_r",
    "spearman_rho", "kendall_tau_a", "kendall_tau_b", "stuart_tau_c", "goodman_kruskal_gamma",
    "somers_d", "r_int", "order_reliability", "order_sensitivity", "reliability_sensitivity",
    "concordance_index", "ordinal_ranking_correctness", "coefficient_of_predictive_ability",
    "mutual_information", "purity", "inverse_purity", "expected_cost", "normalized_expected_cost",
    "misclassification_cost", "cost_accuracy_distance", "chance_line_distance", "oc_index",
    "oc_index_unnormalized", "uoc_index", "auoc", "cem_ord", "cem_nom", "cem_int", "cem_ord_flat",
)  # fmt: skip
# One measure of each kind: mean, ratio, by class, pairs of items, information, path, closeness.
KINDS = (
    "cem_ord", "accuracy", "mean_absolute_error", "balanced_accuracy", "min_sensitivity",
    "weighted_kappa", "kendall_tau_b", "mutual_information", "oc_index",
)  # fmt: skip
FEW = ("cem_ord", "mean_absolute_error", "weighted_kappa")


def samples() -> dict[str, Sample]:
    return {
        "K = 3, 120 items": sample(1, n=120, k=3),
        "K = 4, 260 items": sample(2, n=260, k=4, models=3),
        "K = 5, 400 items": sample(3, n=400, k=5, models=6),
        "K = 6, 40 items": sample(4, n=40, k=6, models=2),
    }


def one_model(oe: Any, s: Sample, **options: Any) -> Any:
    return oe.Predictions(s.truth, s.labels[s.first], labels=s.scale, **options)


def all_models(oe: Any, s: Sample, **options: Any) -> Any:
    return oe.Predictions(s.truth, s.labels, labels=s.scale, **options)


def with_parameters(oe: Any, third: Any) -> list[Any]:
    cuts = ("sensitivity", "specificity", "ppv", "npv")
    by_cut = [getattr(oe, f"threshold_{name}").with_params(at_least=third) for name in cuts]
    return [
        *by_cut,
        oe.oc_index.with_params(share=0.25),
        oe.weighted_kappa.with_params(weights="linear"),
        oe.accuracy_within.with_params(n=2),
    ]


def score(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        found |= prefixed(name, flatten.scores(oe.score(one_model(oe, s), EVERY)))
    s = sample(2, n=260, k=4, models=3)
    for m in with_parameters(oe, s.scale[2]):
        found |= prefixed("with parameters", flatten.scores(oe.score(one_model(oe, s), [m])))
    found |= prefixed("90%", flatten.scores(oe.score(one_model(oe, s), KINDS, level=0.9)))
    found |= prefixed("no level", flatten.scores(oe.score(one_model(oe, s), EVERY, level=None)))
    short = oe.score(s.truth, s.labels["model b"], KINDS, labels=s.scale)
    return found | prefixed("arrays", flatten.scores(short))


def score_weighted(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        data = one_model(oe, s, sample_weight=s.weight)
        found |= prefixed(name, flatten.scores(oe.score(data, EVERY)))
    return found


def score_dropped(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        truth, models = s.with_gaps()
        for what, options in _beside(s).items():
            data = oe.Predictions(
                truth, models[s.first], labels=s.scale, unknown="drop", missing="drop", **options
            )
            found |= prefixed(f"{name}, {what}", flatten.scores(oe.score(data, KINDS)))
    return found


def _beside(s: Sample) -> dict[str, dict[str, Any]]:
    return {"plain": {}, "weights": {"sample_weight": s.weight}}


def _in_clusters(s: Sample) -> dict[str, dict[str, Any]]:
    return {
        "wards": {"clusters": s.ward},
        "wards, weights": {"clusters": s.ward, "sample_weight": s.weight},
        "patients in hospitals": {"clusters": [s.hospital, s.patient]},
    }


def score_drawn(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for method in ("bca", "percentile", "bayes"):
            made = oe.score(one_model(oe, s), KINDS, method=method, n_resamples=199, rng=7)
            found |= prefixed(f"{name}, {method}", flatten.scores(made))
    return found


def score_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _in_clusters(s).items():
            metrics = EVERY if what == "wards" else KINDS
            made = oe.score(one_model(oe, s, **options), metrics)
            found |= prefixed(f"{name}, {what}", flatten.scores(made))
    return found


def score_clusters_drawn(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:2]:
        for method in ("bca", "percentile"):
            data = one_model(oe, s, clusters=s.ward)
            made = oe.score(data, KINDS, method=method, n_resamples=199, rng=7)
            found |= prefixed(f"{name}, {method}", flatten.scores(made))
    return found


def score_counts(oe: Any) -> Numbers:
    rng = np.random.default_rng(11)
    found = {}
    for k in (2, 3, 5):
        counts = rng.integers(0, 30, (k, k)) + 25 * np.eye(k, dtype=int)
        found |= prefixed(f"counts {k}", flatten.scores(oe.score(counts, metrics=EVERY)))
    counted = oe.Accumulator(["low", "middle", "high"])
    for n in (30, 50):
        truth, pred = np.array(["low", "middle", "high"])[rng.integers(0, 3, (2, n))]
        counted.update(truth, pred)
    found |= prefixed("accumulator", flatten.scores(oe.score(counted, metrics=KINDS)))
    stack = rng.integers(1, 20, (3, 4, 4)) + 15 * np.eye(4, dtype=int)
    whole = oe.ConfusionMatrix(stack, labels=[1, 2, 3, 4])
    return found | prefixed("stack", flatten.subgroup_scores(oe.score(whole, metrics=KINDS)))


def score_models(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for model, made in oe.score(all_models(oe, s), KINDS).items():
            found |= prefixed(f"{name}, {model}", flatten.scores(made))
    return found


def compare(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        data = all_models(oe, s)
        found |= prefixed(name, flatten.comparison(oe.compare(data, KINDS, rng=5)))
        last = list(s.labels)[-1]
        made = oe.compare(data, FEW, reference=last, margin=0.05, rng=5)
        found |= prefixed(f"{name}, reference and margin", flatten.comparison(made))
    s = sample(2, n=260, k=4, models=3)
    made = oe.compare(s.truth, s.labels, FEW, labels=s.scale, level=0.9, margin=0.02, rng=5)
    return found | prefixed("arrays", flatten.comparison(made))


def compare_weighted(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        data = all_models(oe, s, sample_weight=s.weight)
        made = oe.compare(data, FEW, margin=0.03, rng=5)
        found |= prefixed(name, flatten.comparison(made))
    return found


def compare_dropped(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:3]:
        truth, models = s.with_gaps()
        for what, options in _beside(s).items():
            data = oe.Predictions(
                truth, models, labels=s.scale, unknown="drop", missing="drop", **options
            )
            made = oe.compare(data, FEW, rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparison(made))
    return found


def compare_drawn(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:2]:
        for method in ("bca", "percentile"):
            made = oe.compare(all_models(oe, s), FEW, method=method, n_resamples=199, rng=5)
            found |= prefixed(f"{name}, {method}", flatten.comparison(made))
    return found


def compare_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _in_clusters(s).items():
            reference = s.first if what == "wards" else None
            made = oe.compare(all_models(oe, s, **options), FEW, reference=reference, rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparison(made))
    return found


def subgroups(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:3]:
        for what, by in {"site": s.site, "site and sex": {"site": s.site, "sex": s.sex}}.items():
            for weights, options in _beside(s).items():
                made = oe.score(one_model(oe, s, by=by, **options), KINDS)
                found |= prefixed(f"{name}, {what}, {weights}", flatten.subgroup_scores(made))
    return found


def subgroups_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:3]:
        for what, options in _in_clusters(s).items():
            made = oe.score(one_model(oe, s, by={"site": s.site}, **options), FEW)
            found |= prefixed(f"{name}, {what}", flatten.subgroup_scores(made))
    return found


def compare_subgroups(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[:2]:
        for what, options in _beside(s).items():
            data = all_models(oe, s, by={"site": s.site}, **options)
            made = oe.compare(data, FEW, rng=5)
            found |= prefixed(f"{name}, {what}", flatten.comparisons(made))
            made = oe.compare(data, FEW[:1], reference=s.first, margin=0.05, rng=5)
            found |= prefixed(f"{name}, {what}, reference", flatten.comparisons(made))
    return found


def compare_subgroups_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in list(samples().items())[1:3]:
        data = all_models(oe, s, by={"sex": s.sex}, clusters=s.ward)
        found |= prefixed(name, flatten.comparisons(oe.compare(data, FEW[:1], rng=5)))
    return found


def compare_many_models(oe: Any) -> Numbers:
    s = sample(6, n=200, k=4, models=14)
    return flatten.comparison(oe.compare(all_models(oe, s), FEW[:2], rng=5))


def compare_many_models_clusters(oe: Any) -> Numbers:
    s = sample(6, n=200, k=4, models=14)
    made = oe.compare(all_models(oe, s, clusters=s.hospital), FEW[:1], rng=5)
    return flatten.comparison(made)


def many_subgroups(oe: Any) -> Numbers:
    """So many subgroups that comparisons are not made in full."""
    s = sample(7, n=4000, k=3, models=2)
    by = np.random.default_rng(7).integers(100, 210, s.n).astype(str)
    made = oe.compare(all_models(oe, s, by={"by": by}), FEW[:2], rng=5)
    found = prefixed("compare", flatten.comparisons(made, in_full=3))
    made = oe.score(one_model(oe, s, by={"by": by}), FEW[:1])
    return found | prefixed("score", flatten.subgroup_scores(made))


def intervals(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        data = one_model(oe, s)
        for metric in KINDS:
            place = f"{name}, {metric}"
            fixed = oe.confidence_interval(metric, data, stratify=True)
            found |= prefixed(f"{place}, stratified", flatten.interval(fixed))
            drawn = {"method": "bayes", "prior": 2.0, "n_resamples": 99, "rng": 3}
            made = oe.confidence_interval(metric, data, **drawn)
            found |= prefixed(f"{place}, prior", flatten.interval(made) | flatten.basis(made))
            weighted = one_model(oe, s, sample_weight=s.weight)
            made = oe.confidence_interval(metric, weighted, level=0.99)
            found |= prefixed(f"{place}, weights", flatten.interval(made) | flatten.basis(made))
    return found


def intervals_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _in_clusters(s).items():
            data = one_model(oe, s, **options)
            for metric in KINDS:
                made = oe.confidence_interval(metric, data)
                numbers = flatten.interval(made) | flatten.basis(made)
                found |= prefixed(f"{name}, {what}, {metric}", numbers)
    return found


def _pair(oe: Any, s: Sample, **options: Any) -> Any:
    two = dict(list(s.labels.items())[:2])
    return oe.Predictions(s.truth, two, labels=s.scale, **options)


def differences(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _beside(s).items():
            for metric in EVERY if what == "plain" else KINDS:
                made = oe.paired_delta(metric, _pair(oe, s, **options), margin=0.05)
                found |= prefixed(f"{name}, {what}, {metric}", flatten.delta(made))
        for metric in FEW:
            drawn = {"method": "percentile", "n_resamples": 99, "rng": 3}
            made = oe.paired_delta(metric, _pair(oe, s), **drawn)
            found |= prefixed(f"{name}, percentile, {metric}", flatten.delta(made))
    return found


def differences_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _in_clusters(s).items():
            for metric in KINDS:
                made = oe.paired_delta(metric, _pair(oe, s, **options), margin=0.05)
                found |= prefixed(f"{name}, {what}, {metric}", flatten.delta(made))
    return found


def thresholds(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _beside(s).items():
            made = oe.thresholds(one_model(oe, s, **options))
            found |= prefixed(f"{name}, {what}", flatten.thresholds(made))
    return found


def thresholds_clusters(oe: Any) -> Numbers:
    found = {}
    for name, s in samples().items():
        for what, options in _in_clusters(s).items():
            made = oe.thresholds(one_model(oe, s, **options))
            found |= prefixed(f"{name}, {what}", flatten.thresholds(made))
    return found


GROUPS = {
    "score labels": score,
    "score labels, weights": score_weighted,
    "score labels, dropped items": score_dropped,
    "score labels, drawn intervals": score_drawn,
    "score labels, clusters": score_clusters,
    "score labels, clusters, drawn intervals": score_clusters_drawn,
    "score counts": score_counts,
    "score labels of several models": score_models,
    "score labels in subgroups": subgroups,
    "score labels in subgroups, clusters": subgroups_clusters,
    "compare labels": compare,
    "compare labels, weights": compare_weighted,
    "compare labels, dropped items": compare_dropped,
    "compare labels, drawn intervals": compare_drawn,
    "compare labels, clusters": compare_clusters,
    "compare labels in subgroups": compare_subgroups,
    "compare labels in subgroups, clusters": compare_subgroups_clusters,
    "compare labels of many models": compare_many_models,
    "compare labels of many models, clusters": compare_many_models_clusters,
    "labels in many subgroups": many_subgroups,
    "confidence interval of labels": intervals,
    "confidence interval of labels, clusters": intervals_clusters,
    "paired difference of labels": differences,
    "paired difference of labels, clusters": differences_clusters,
    "thresholds of labels": thresholds,
    "thresholds of labels, clusters": thresholds_clusters,
}
