"""A comparison in plain words: what can be concluded, what cannot, and how sure it is."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ordeval.inference.multiplicity import holm

if TYPE_CHECKING:
    from ordeval.inference.intervals import Interval
    from ordeval.inference.paired import Delta
    from ordeval.measures import Metric
    from ordeval.results import Comparison


def conclude(c: Comparison) -> str:
    """Paragraphs: the winner, the others, the baselines, and where the measures disagree."""
    parts = [_winner(c), _against_the_rest(c), _against_baselines(c), _other_measures(c)]
    return "\n\n".join(p for p in parts if p)


def _winner(c: Comparison) -> str:
    metric, best = c.primary, c.models[0]
    interval = c.estimates[metric.name][best]
    direction = {True: "higher", False: "lower", None: "nearer to zero"}[metric.greater_is_better]
    value = f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"
    if interval.estimate != interval.estimate:
        return f"{metric.name} has no value on these data: {metric.undefined_when}."
    if len(c.models) == 1:
        return f"By {metric.name} ({direction} is better) {best} scores {value}."
    ties = _first(c, metric)
    if len(ties) > 1:
        return f"By {metric.name} ({direction} is better) {_listed(ties)} tie at {value}."
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
    best = c.models[0]
    deltas = [d for d in c.pairs if d.metric == c.primary.name and best in (d.a, d.b)]
    deltas = [d for d in deltas if d.p_value == d.p_value]
    if not deltas:
        return ""
    alpha = 1 - c.level
    corrected = holm([d.p_value for d in deltas])
    behind = [d for d, p in zip(deltas, corrected, strict=True) if p <= alpha]
    level = [d for d, p in zip(deltas, corrected, strict=True) if p > alpha]
    sentences = []
    if behind:
        worst = max(p for p in corrected if p <= alpha)
        test = "paired permutation test, p ="
        if len(deltas) > 1:
            sign = "=" if len(behind) == 1 else "<="
            test = f"paired permutation tests corrected by Holm over {len(deltas)} pairs, p {sign}"
        sentences.append(
            f"{best} is better than {_names(behind, best)} beyond chance ({test} {worst:.4f})."
        )
    same = [d for d in level if d.delta == d.low == d.high == 0]
    level = [d for d in level if d not in same]
    if same:
        sentences.append(f"{best} and {_names(same, best)} cannot be told apart by any draw.")
    if level:
        closest = max(level, key=lambda d: d.p_value)
        which = "the difference" if len(level) == 1 else "the closest difference"
        sentences.append(
            f"{best} cannot be told apart from {_names(level, best)}; {which} is "
            f"{closest.delta:+.3f} [{closest.low:+.3f}, {closest.high:+.3f}], "
            f"p = {closest.p_value:.2f}. That is not proof that they are equal."
        )
    return " ".join(sentences)


def _names(deltas: list[Delta], best: str) -> str:
    return _listed([d.b if d.a == best else d.a for d in deltas])


def _listed(names: list[str]) -> str:
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} others"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


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
        f"{_listed(list(models))} {'is' if len(models) == 1 else 'are'} not shown to beat "
        f"predicting without looking: {', '.join(baselines)}."
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
