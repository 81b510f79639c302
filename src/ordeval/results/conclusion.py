"""A comparison in plain words: what can be concluded, what cannot, and how sure it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ordeval._shared.text import BETTER, joined
from ordeval.inference.multiplicity import holm

if TYPE_CHECKING:
    from ordeval.inference.intervals import Interval
    from ordeval.measures import Metric
    from ordeval.results.comparison import Comparison


def conclude(c: Comparison) -> str:
    """Paragraphs: the winner, the others, the baselines, and where the measures disagree."""
    rest = _against_the_rest(c) if c.reference is None else _against_the_reference(c)
    parts = [_winner(c), rest, _against_baselines(c), _other_measures(c)]
    return "\n\n".join(p for p in parts if p)


def _winner(c: Comparison) -> str:
    metric, best = c.primary, c.models[0]
    interval = c.estimates[metric.name][best]
    direction = BETTER[metric.greater_is_better]
    value = f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    if interval.estimate != interval.estimate:
        return f"{metric.name} has no value on these data: {metric.undefined_when}."
    if len(c.models) == 1:
        return f"By {metric.name} ({direction} is better) {best} scores {value}."
    ties = _first(c, metric)
    if len(ties) > 1:
        return f"By {metric.name} ({direction} is better) {joined(ties)} tie at {value}."
    chance = c.probability_best[metric.name][best]
    surely = "more than 99.9%" if 0.9995 <= chance < 1 else f"{chance:.0%}"
    role = "the better one" if len(c.models) == 2 else f"the best of {len(c.models)}"
    return (
        f"By {metric.name} ({direction} is better) {best} does best: {value}. "
        f"It is {role} in {surely} of the resampled data sets."
    )


def _first(c: Comparison, metric: Metric) -> list[str]:
    """The models that share the first rank by a measure."""
    ranks = c.ranks[metric.name]
    top = min(ranks.values())
    return [m for m in c.models if ranks[m] == top]


def _against_the_rest(c: Comparison) -> str:
    """Who is clearly behind the best model and who may be level with it."""
    best, others = c.models[0], c.models[1:]
    p_values = _p_values(c)
    if not others or any(math.isnan(p) for p in p_values.values()):
        return ""
    alpha = 1 - c.level
    behind = [m for m in others if p_values[m] <= alpha]
    level = [m for m in others if p_values[m] > alpha]
    sentences = []
    if behind:
        worst = max(p_values[m] for m in behind)
        sign = "=" if len(behind) == 1 else "<="
        test = "paired permutation test"
        if len(others) > 1:
            pairs = len(c.models) * (len(c.models) - 1) // 2
            test = f"largest difference among all {pairs} pairs, bootstrapped"
        sentences.append(
            f"{best} is better than {joined(behind)} beyond chance ({test}, p {sign} {worst:.4f})."
        )
    if level:
        closest = max(level, key=lambda m: p_values[m])
        sentences.append(
            f"{best} cannot be told apart from {joined(level)}"
            f"{_difference(c, closest, p_values[closest])}. "
            f"That is not proof that they are equal."
        )
    return " ".join(sentences)


def _against_the_reference(c: Comparison) -> str:
    """How each model differs from the one that was named beforehand."""
    deltas = [d for d in c.pairs if d.metric == c.primary.name]
    if not deltas or any(math.isnan(d.p_value) for d in deltas):
        return ""
    corrected = holm([d.p_value for d in deltas])
    sides: dict[str, list[str]] = {"better than": [], "worse than": [], "not told apart from": []}
    for d, p in zip(deltas, corrected, strict=True):
        side = "better than" if d.favours == d.a else "worse than"
        text = f"{d.a} ({d.delta:+.3f} [{d.low:+.3f}, {d.high:+.3f}], p = {p:.4f})"
        sides[side if p <= 1 - c.level else "not told apart from"].append(text)
    said = [
        f"{joined(found)} {'is' if len(found) == 1 else 'are'} {side} {c.reference}"
        for side, found in sides.items()
        if found
    ]
    how = ", Holm over them" if len(deltas) > 1 else ""
    return f"Against the reference: {'; '.join(said)} (paired permutation tests{how})."


def _p_values(c: Comparison) -> dict[str, float]:
    """How surely the best model is ahead of each other one, corrected for all pairs of models."""
    if len(c.models) == 2:
        delta = next(d for d in c.pairs if d.metric == c.primary.name)
        return {c.models[1]: delta.p_value}
    return dict(zip(c.models[1:], c.separation[0, 1:].tolist(), strict=True))


def _difference(c: Comparison, other: str, corrected: float) -> str:
    """The paired difference of the best model and another one, if it was made."""
    for d in c.pairs:
        if d.metric == c.primary.name and {d.a, d.b} == {c.models[0], other}:
            sign = 1 if d.a == c.models[0] else -1
            low, high = sorted((sign * d.low, sign * d.high))
            pairs = len(c.models) * (len(c.models) - 1) // 2
            both = f", or {corrected:.2f} corrected for all {pairs} pairs" if pairs > 1 else ""
            return (
                f"; its difference from {other} is {sign * d.delta:+.3f} "
                f"[{low:+.3f}, {high:+.3f}], p = {d.p_value:.2f}{both}"
            )
    return ""


def _against_baselines(c: Comparison) -> str:
    """Models that do not beat a prediction made without looking."""
    metric = c.primary
    if metric.greater_is_better is None:
        return ""
    unbeaten: dict[tuple[str, ...], list[str]] = {}
    for baseline, values in c.baselines.items():
        floor = values[metric.name]
        behind = tuple(
            m
            for m in c.models
            if not metric.utility(_worse_end(metric, c.estimates[metric.name][m]))
            > metric.utility(floor)
        )
        if behind and floor == floor:
            unbeaten.setdefault(behind, []).append(f"{baseline} ({floor:.3f})")
    return " ".join(
        f"{joined(list(models))} {'is' if len(models) == 1 else 'are'} not shown to beat "
        f"{'this trivial baseline' if len(baselines) == 1 else 'these trivial baselines'}: "
        f"{', '.join(baselines)}."
        for models, baselines in unbeaten.items()
    )


def _worse_end(metric: Metric, interval: Interval) -> float:
    return interval.low if metric.greater_is_better else interval.high


def _other_measures(c: Comparison) -> str:
    """Which measures crown another model, and why."""
    best = c.models[0]
    voters = [
        m
        for m in c.directed
        if not all(math.isnan(i.estimate) for i in c.estimates[m.name].values())
    ]
    if len(c.models) == 1 or len(voters) < 2:
        return ""
    dissent: dict[str, list[str]] = {}
    for m in voters:
        first = _first(c, m)
        if best not in first:
            dissent.setdefault(first[0], []).append(m.name)
    if not dissent:
        every = "Both" if len(voters) == 2 else f"All {len(voters)}"
        alone = all(_first(c, m) == [best] for m in voters)
        how = f"put {best} first" if alone else f"have {best} among the first"
        return f"{every} measures that rank these models {how}."
    named = "; ".join(f"{winner} by {', '.join(ms)}" for winner, ms in dissent.items())
    firm = [d for d in c.disagreements() if d.firm]
    text = f"The measures do not agree on the best model: {named}."
    if firm:
        d = firm[0]
        text += (
            f" Firmly so for {d.a} and {d.b}: {d.metric_for_a} prefers {d.a} and {d.metric_for_b} "
            f"prefers {d.b}, each in at least 95% of the draws; {d.reason}. Decide which of "
            f"these matters before choosing."
        )
    else:
        text += " None of these disagreements is firm: they may be chance."
    return text
