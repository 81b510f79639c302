"""Turn results into numbers by name; the only place that knows the attributes of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

Numbers = dict[str, float]


def prefixed(prefix: str, numbers: Mapping[str, float]) -> Numbers:
    return {f"{prefix}/{name}": x for name, x in numbers.items()}


def array(name: str, values: Any) -> Numbers:
    """One number for each entry of an array."""
    found = np.asarray(values, dtype=np.float64)
    return {"/".join([name, *map(str, at)]): float(x) for at, x in np.ndenumerate(found)}


def attributes(thing: Any, *names: str) -> Numbers:
    """Attributes that are numbers; None is NaN."""
    found = {name: getattr(thing, name) for name in names}
    return {name: np.nan if x is None else float(x) for name, x in found.items()}


def interval(x: Any) -> Numbers:
    return attributes(x, "estimate", "low", "high")


def basis(x: Any) -> Numbers:
    return attributes(x, "items", "clusters", "dropped", "effective", "undefined_share")


def delta(d: Any) -> Numbers:
    ends = ("value_a", "value_b", "delta", "low", "high", "p_value", "p_adjusted")
    margins = ("p_noninferior", "p_equivalent", "p_noninferior_adjusted")
    return attributes(d, *ends, *(margins if d.margin is not None else ()))


def intervals(found: Mapping[str, Any]) -> Numbers:
    return {
        f"{name}/{end}": value for name, x in found.items() for end, value in interval(x).items()
    }


def scores(s: Any) -> Numbers:
    """What a model scores by each measure."""
    numbers = {f"{name}/value": float(value) for name, value in s.items()} | intervals(s.intervals)
    for x in list(s.intervals.values())[:1]:
        numbers |= basis(x)
    return numbers


def subgroup_scores(s: Any) -> Numbers:
    """What a model scores in each subgroup, and how subgroups differ from the rest."""
    numbers = {}
    keys = [_key(x) for x in s.by]
    for i, name in enumerate(s):
        numbers[f"{name}/pooled"] = float(s.pooled[i])
        columns = {"value": s[name]} | _compared(s.found.get(name))
        for what, values in columns.items():
            for key, x in zip(keys, values, strict=True):
                numbers[f"{name}/{key}/{what}"] = float(x)
        if name in s.found:
            numbers |= prefixed(f"{name}/whole", interval(s.found[name].whole))
            numbers |= prefixed(f"{name}/heterogeneity", _heterogeneity(s.found[name]))
    return numbers


def _compared(found: Any) -> dict[str, Any]:
    if found is None:
        return {}
    d = found.differences
    return {
        "low": found.low,
        "high": found.high,
        "rest": found.rest,
        "shrunken": found.shrunken,
        "delta": d.delta,
        "delta low": d.low,
        "delta high": d.high,
        "p": d.p_value,
        "p adjusted": d.p_adjusted,
    }


def _heterogeneity(found: Any) -> Numbers:
    h = found.heterogeneity
    return {"statistic": float(h.statistic), "p": float(h.p_value), **array("df", h.df)}


def _key(subgroup: Any) -> str:
    """The name of a subgroup, whether or not one column comes as a tuple."""
    return ", ".join(map(str, subgroup)) if isinstance(subgroup, tuple) else str(subgroup)


def comparison(c: Any) -> Numbers:
    """All that a comparison says in numbers."""
    numbers = attributes(c, "items", "clusters", "left_out", "effective")
    for metric, by_model in c.estimates.items():
        numbers |= prefixed(f"{metric}/estimate", intervals(by_model))
    for d in c.pairs:
        numbers |= prefixed(f"{d.metric}/{d.a} - {d.b}", delta(d))
    for metric, by_model in c.ranks.items():
        numbers |= prefixed(f"{metric}/rank", {m: float(x) for m, x in by_model.items()})
    for metric, by_model in c.rank_sets.items():
        for model, ends in by_model.items():
            numbers |= prefixed(f"{metric}/rank set", array(model, ends))
    for metric, by_model in c.probability_best.items():
        numbers |= prefixed(f"{metric}/probability best", by_model)
    for metric, shares in c.preferred.items():
        numbers |= array(f"{metric}/preferred", shares)
    for name, by_metric in c.baselines.items():
        numbers |= prefixed(f"baseline {name}", by_metric)
    for name in ("rank_shares", "separation", "rank_agreement"):
        numbers |= array(name, getattr(c, name))
    return numbers


def comparisons(found: Any, *, in_full: int | None = None) -> Numbers:
    """What each subgroup says, or so many of them, and what holds of all of them."""
    numbers = {}
    for key in list(found)[:in_full]:
        numbers |= prefixed(_key(key), comparison(found[key]))
    for f in found.findings():
        place = f"finding {_key(f.subgroup)}/{f.delta.a} - {f.delta.b}"
        numbers |= {f"{place}/p of all": float(f.p_adjusted), f"{place}/stands": float(f.stands)}
        numbers |= prefixed(place, attributes(f.delta, "delta", "low", "high", "p_value"))
    return numbers


def thresholds(found: Any) -> Numbers:
    return {
        f"{cut.name}/{name}": x
        for cut in found.cuts
        for name, x in intervals(cut.intervals).items()
    }


def calibration(found: Any) -> Numbers:
    numbers = attributes(found, "items", "clusters")
    for t in found.thresholds:
        for name in ("intercept", "slope", "joint_intercept"):
            part = getattr(t, name)
            numbers |= prefixed(
                f"{t.level}/{name}", attributes(part, "value", "error", "low", "high")
            )
        each = ("share", "mean", "rps", "miscalibration", "discrimination", "uncertainty")
        numbers |= prefixed(f"{t.level}", attributes(t, *each))
        for name in ("predicted", "observed", "low", "high", "weight"):
            curve = getattr(t, name)
            numbers |= array(f"{t.level}/{name}", curve[:: max(1, len(curve) // 6)])
    return numbers


def decision_curve(found: Any) -> Numbers:
    numbers = attributes(found, "items", "clusters")
    for model, benefits in found.benefit.items():
        for i, b in enumerate(benefits):
            place = f"{model}/{i}"
            numbers |= array(f"{place}/always", b.always) | array(f"{place}/acted", b.acted)
            for name in ("model", "gain"):
                for end in ("value", "low", "high"):
                    numbers |= array(f"{place}/{name}/{end}", getattr(getattr(b, name), end))
    return numbers


def judgement(j: Any) -> Numbers:
    """All that a judgement says in numbers."""
    numbers = attributes(j, "items", "clusters", "pairs", "panel_size")
    if j.panel_correlation is not None:
        numbers |= prefixed("panel correlation", interval(j.panel_correlation))
    numbers |= prefixed("humans by grade", intervals(j.humans_by_grade))
    numbers |= prefixed("ceiling", interval(j.ceiling)) | prefixed("p", j.p_noninferior)
    for name in ("agreement", "gap", "self_consistency", "systems", "unread"):
        numbers |= prefixed(name, intervals(getattr(j, name)))
    for name, values in j.with_each.items():
        numbers |= array(f"with each/{name}", values)
    for judge in j.judges:
        numbers |= prefixed(judge, dict(_judged(j, judge)))
    for rater in j.raters:
        numbers |= prefixed(f"rater {rater.name}", interval(rater.severity))
        numbers[f"rater {rater.name}/agreement"] = float(rater.agreement)
    for human, w in j.without_each.items():
        numbers |= prefixed(f"without {human}/ceiling", interval(w.ceiling))
        numbers |= prefixed(f"without {human}/gap", intervals(w.gap))
    return numbers


def _judged(j: Any, judge: str) -> Iterator[tuple[str, float]]:
    if judge in j.alt_test:
        test = j.alt_test[judge]
        yield from attributes(test, "winning_rate", "advantage").items()
        yield from prefixed("alt-test p", test.p_values).items()
        yield from ((f"alt-test at {e}", rate) for e, rate in test.by_epsilon.items())
    if judge in j.bias:
        bias = j.bias[judge]
        yield from prefixed("bias", interval(bias.mean)).items()
        yield "compression", float(bias.compression)
        for grade, x in bias.by_grade.items():
            yield from prefixed(f"bias at {grade}", interval(x)).items()
        for grade, x in bias.beyond_humans.items():
            yield from prefixed(f"bias beyond humans at {grade}", interval(x)).items()
    if judge in j.prmse:
        names = ("value", "true_variance", "error_variance", "repeated")
        yield from prefixed("prmse", attributes(j.prmse[judge], *names)).items()
    for s in j.subgroups.get(judge, ()):
        for name in ("agreement", "ceiling", "gap", "from_rest"):
            yield from prefixed(f"{s.subgroup}/{name}", interval(getattr(s, name))).items()
        yield from prefixed(f"{s.subgroup}", attributes(s, "p_value", "p_adjusted")).items()


def corrected(scores: Any, name: str) -> Numbers:
    return interval(scores.intervals[name]) | prefixed("human", interval(scores.human[name]))


def plan(p: Any) -> Numbers:
    names = ("items", "clusters", "reached", "expected", "expected_b", "low", "high", "gain")
    numbers = attributes(p, *names, "cluster_size", "icc", "undefined_share", "design_effect")
    for point in p.curve:
        numbers |= prefixed(f"{point.items} items", attributes(point, "clusters", "reached"))
    return numbers | prefixed("class", {str(k): float(x) for k, x in p.class_items.items()})


def folds(c: Any) -> Numbers:
    numbers = prefixed("mean", c.means)
    names = ("mean_a", "mean_b", "delta", "low", "high", "p_value", "p_holm")
    chances = ("probability_worse", "probability_equivalent", "probability_better")
    for d in c.pairs:
        numbers |= prefixed(f"{d.a} - {d.b}", attributes(d, *names, *chances))
    return numbers


def cases(c: Any) -> Numbers:
    numbers = attributes(c, "statistic", "p_value", "critical_difference")
    for name in ("mean_ranks", "pair_p_values", "wins", "better", "equivalent"):
        numbers |= array(name, getattr(c, name))
    return numbers
