"""A comparison in plain words: what can be concluded, what cannot, and how sure it is."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ordeval._shared.text import (
    agreeing,
    at_most,
    joined,
    p_value,
    plural,
    signed,
    visible,
    who_ruled_out,
    with_ends,
)
from ordeval.results.phrases import (
    NO_PROOF,
    against_reference,
    better_beyond_chance,
    by_metric,
    by_verdict,
    exact_p,
    grouped,
    in_words,
    percent,
    said_of,
)

if TYPE_CHECKING:
    from ordeval.inference.intervals import Interval
    from ordeval.inference.paired import Delta
    from ordeval.measures import Metric
    from ordeval.results.comparison import Comparison

_IN_NUMBERS: Final = 6  # differences of more models are named, and their numbers left to the table
_SHOWN_RANKS: Final = 8


def conclude(c: Comparison) -> str:
    """Paragraphs: the winner, the others, ranks, margin, baselines, where measures disagree."""
    # With a reference the question is how models differ from it, and p is corrected for that alone.
    asked = (
        [_against_the_rest(c), _ranks(c)] if c.reference is None else [_against_the_reference(c)]
    )
    parts = [
        _winner(c),
        _infinite(c),
        *asked,
        _margins(c),
        _against_baselines(c),
        _other_measures(c),
    ]
    return "\n\n".join(visible(p) for p in parts if p)


def one_sentence(c: Comparison) -> str:
    """The conclusion in one sentence."""
    return visible(_in_short(c))


def _in_short(c: Comparison) -> str:
    metric, best = c.primary, c.models[0]
    interval = c.estimates[metric.name][best]
    if not math.isfinite(interval.estimate):
        return _winner(c)
    said = f"{best} scores {_value(interval)} by {metric.name} on {plural(c.items, 'item')}"
    if infinite := _ruled_out(c):
        said += f" (infinite for {joined(list(infinite))})"
    if len(c.models) == 1:
        return f"{said}."
    if c.reference is not None and (margins := _by_verdict(_with_margin(c))):
        return f"{margins}."
    level, behind = _level_with_the_best(c), _behind(c)
    if not level and behind:
        return f"{said}, better than {joined(behind)} beyond chance{_closest(c, behind)}."
    if not level:
        return f"{said}."
    return f"{said}, and is not told apart from {joined(level)}{_closest(c, level)}."


def _closest(c: Comparison, others: list[str]) -> str:
    """The difference between the best model and the next of these, in brackets."""
    told = _difference(c, others[0], _p_values(c)[others[0]])
    return f" ({told.removeprefix('; its ')})" if told else ""


def _winner(c: Comparison) -> str:
    metric, best = c.primary, c.models[0]
    interval = c.estimates[metric.name][best]
    start, value = by_metric(metric.name, metric.greater_is_better), _value(interval)
    if interval.estimate != interval.estimate:
        return f"{without_value(c)}."
    if len(c.models) == 1:
        why = _because(c, {"it": interval.ruled_out})
        return f"{start} {best} scores {value}{why}."
    if math.isinf(interval.estimate):
        why = _because(c, _ruled_out(c))
        return f"{start} no model has a finite value{why}."
    ties = _first(c, metric)
    if len(ties) > 1:
        return f"{start} {joined(ties)} tie at {value}."
    return f"{start} {best} does best: {value}. {_how_sure(c)}".rstrip()


def without_value(c: Comparison) -> str:
    """That the measure that decides has no value, and why."""
    weight = 1.0 if c.weight is None else c.weight
    why = c.primary.why_undefined(weight, weighted=c.weight is not None)
    return f"{c.primary.name} has no value on these data: {why}"


def _ruled_out(c: Comparison) -> dict[str, int]:
    """The models whose value is infinite, and of how many items they ruled out what happened."""
    values = c.estimates[c.primary.name]
    return {m: values[m].ruled_out for m in c.models if math.isinf(values[m].estimate)}


def _because(c: Comparison, models: dict[str, int]) -> str:
    why = {m: n for m, n in models.items() if n}
    return f": {who_ruled_out(why, c.items)}" if why else ""


def _infinite(c: Comparison) -> str:
    """Which values are infinite, next to others that are not."""
    found = _ruled_out(c)
    if not found or c.models[0] in found:  # then it is said
        return ""
    said = f"The {c.primary.name} of {joined(list(found))} is infinite"
    return f"{said}{_because(c, found)}."


def _value(interval: Interval) -> str:
    alone = math.isfinite(interval.estimate) and math.isnan(interval.low)
    return in_words(interval) + " (without an interval)" * alone


def _how_sure(c: Comparison) -> str:
    """How often the best model would be best, and which others may be."""
    chance = c.probability_best[c.primary.name][c.models[0]]
    if math.isnan(chance):  # all others are infinite
        return ""
    near = {0.9995: "more than 99.9%", 0.995: "more than 99%"}
    surely = next((said for limit, said in near.items() if chance >= limit), f"{chance:.0%}")
    some = "Of those with a finite value it" if _ruled_out(c) else "It"
    text = f"{some} would come first in {surely} of data sets like this one"
    if len(c.models) == 2:
        return f"{text}."
    others = [m for m in c.may_be_best if m != c.models[0]]
    if not others:
        return f"{text}, and no other model may be the best ({percent(c.level)} confidence)."
    which = ("one of " if len(others) > 1 else "") + joined(others, most=20)
    return f"{text}; with {percent(c.level)} confidence the best is it or {which}."


def _first(c: Comparison, metric: Metric) -> list[str]:
    """The models that share the first rank by a measure."""
    ranks = c.ranks[metric.name]
    top = min(ranks.values())
    return [m for m in c.models if ranks[m] == top]


def _deltas(c: Comparison) -> list[Delta]:
    """The differences by the measure that decides."""
    return [d for d in c.pairs if d.metric == c.primary.name]


def _p_values(c: Comparison) -> dict[str, float]:
    """How surely the best model is ahead of each other one, corrected for all pairs of models."""
    return dict(zip(c.models[1:], c.separation[0, 1:].tolist(), strict=True))


def _behind(c: Comparison) -> list[str]:
    return [m for m, p in _p_values(c).items() if p <= 1 - c.level]


def _level_with_the_best(c: Comparison) -> list[str]:
    return [m for m, p in _p_values(c).items() if p > 1 - c.level]


def _against_the_rest(c: Comparison) -> str:
    """Who is clearly behind the best model and who may be level with it."""
    best, p_values = c.models[0], _p_values(c)
    behind, level = _behind(c), _level_with_the_best(c)
    infinite = _ruled_out(c)
    without = [m for m in c.models[1:] if math.isnan(p_values[m]) and m not in infinite]
    sentences = []
    if behind:
        worst = max(p_values[m] for m in behind)
        sentences.append(
            f"{better_beyond_chance(best, behind)} ({_test(c)}, "
            f"{at_most(worst, exact=len(behind) == 1)})."
        )
    if level:
        closest = max(level, key=lambda m: p_values[m])
        sentences.append(
            f"{best} cannot be told apart from {joined(level)}"
            f"{_difference(c, closest, p_values[closest])}. {NO_PROOF}"
        )
        pairs = _pairs(c)
        if pairs > 1 and set(c.may_be_best) < {best, *level}:
            sentences.append(
                f"The list of those that may be the best is shorter: it answers one question, not "
                f"{pairs}."
            )
    if without and len(without) < len(c.models) - 1:
        sentences.append(f"{said_of(without, 'have no value', most=6)}.")
    return " ".join(sentences)


def _ranks(c: Comparison) -> str:
    """Groups that follow each other, and ranks, with confidence in all of them at once."""
    found = groups(c)
    known = [m for group in found for m in group]
    if len(known) < 3:
        return ""
    sentences = []
    if len(found) > 1:
        shown = "; then ".join(map(_members, found))
        sentences.append(f"In groups, each better than the next beyond chance: {shown}.")
    may_have = c.rank_sets[c.primary.name]
    spans: dict[str, tuple[int, int]] = {}
    for group in found:
        spans |= dict.fromkeys(group, (len(spans) + 1, len(spans) + len(group)))
    if len(found) > 1 and all(may_have[m] == spans[m] for m in known):
        return sentences[0]  # which says the ranks
    ranks = [f"{m} {span_of(may_have[m])}" for m in known]
    more = "; the table has the others" if len(ranks) > _SHOWN_RANKS else ""
    sentences.append(
        f"Ranks, with {percent(c.level)} confidence in all at once: "
        f"{', '.join(ranks[:_SHOWN_RANKS])}{more}."
    )
    apart = int((c.separation <= 1 - c.level).sum()) // 2
    sentences.append(f"{apart} of the {_pairs(c)} pairs of models are told apart.")
    return " ".join(sentences)


def groups(c: Comparison) -> list[list[str]]:
    """Models with a value, best first, cut where all before are shown better than all after."""
    values = c.estimates[c.primary.name]
    known = [i for i, m in enumerate(c.models) if math.isfinite(values[m].estimate)]
    found: list[list[str]] = []
    for n, i in enumerate(known):
        before = c.separation[known[:n]][:, known[n:]]
        if n == 0 or (before <= 1 - c.level).all():
            found.append([])
        found[-1].append(c.models[i])
    return found


def _members(group: list[str]) -> str:
    if len(group) <= _SHOWN_RANKS:
        return joined(group, most=_SHOWN_RANKS)
    return f"{len(group)} models, from {group[0]} to {group[-1]}"


def span_of(ranks: tuple[int, int]) -> str:
    """Ranks from the lowest to the highest: "1", "2 to 4"."""
    return " to ".join(map(str, dict.fromkeys(ranks)))


def _pairs(c: Comparison) -> int:
    """How many pairs of models there are."""
    return math.comb(len(c.models), 2)


def _test(c: Comparison) -> str:
    """The test, in words."""
    pairs = _pairs(c)
    return "paired test" if pairs == 1 else f"paired tests, corrected for all {pairs} pairs"


def _against_the_reference(c: Comparison) -> str:
    """How each model differs from the one that was named beforehand."""
    deltas = [d for d in _deltas(c) if d.p_value == d.p_value]
    several = len(deltas) > 1
    found = []
    for d in deltas:
        p = exact_p(d.p_value) + (f", corrected {exact_p(d.p_adjusted)}" if several else "")
        verdict = d.favours == d.a if d.p_adjusted <= 1 - c.level else None
        found.append((verdict, _with_numbers(d, p, len(deltas))))
    how = "paired tests, corrected for all of them" if several else "paired test"
    said = against_reference(str(c.reference), found)
    return f"{said} ({how})." if said else ""


def _with_numbers(d: Delta, p: str, of: int) -> str:
    """The model of a difference, and the numbers unless there are many such models."""
    return f"{d.a} ({signed(d.delta)} {d.shown_ends}, {p})" if of <= _IN_NUMBERS else d.a


def _noninferior_p(d: Delta) -> str:
    """The p-values of non-inferiority, and what else decides."""
    raw, corrected = d.p_noninferior, d.p_noninferior_adjusted
    shown = [f"one-sided {exact_p(math.nan if raw is None else raw)}"]
    if corrected is not None:
        shown.append(f"corrected {exact_p(corrected)}")
    if d.too_few and d.verdict == "not shown":
        shown.append(d.too_few)
    return ", ".join(shown)


def _with_margin(c: Comparison) -> list[Delta]:
    return [d for d in _deltas(c) if d.margin is not None and d.p_value == d.p_value]


def _margins(c: Comparison) -> str:
    """What the margin of non-inferiority says about the models."""
    deltas = _with_margin(c)
    if not deltas:
        return ""
    if c.reference is None:
        return _within_the_margin(c, [d for d in deltas if d.a == c.models[0]])
    if len(deltas) == 1:
        return f"{deltas[0].sentence()}."
    return (
        f"{_by_verdict(deltas)}. Findings of non-inferiority are corrected for all "
        f"{len(deltas)} comparisons (Holm)."
    )


def margin_sentences(c: Comparison) -> list[str]:
    """What the margin says, model by model: sentences to copy."""
    deltas = _with_margin(c)
    if c.reference is None:
        return [_margins(c)] if deltas else []
    return [f"{d.sentence()}." for d in deltas]


def _by_verdict(deltas: list[Delta]) -> str:
    """Models by what the margin says about them, against the reference."""
    if len(deltas) < 2:
        return "".join(d.sentence() for d in deltas)
    reference, several = deltas[0].b, len(deltas)
    words = {
        "non-inferior": f"are non-inferior to {reference}",
        "inferior": f"are inferior to {reference}",
        "not shown": f"are not shown to be non-inferior to {reference}",
    }
    shown = [(d.verdict, _with_numbers(d, _noninferior_p(d), several)) for d in deltas]
    said = by_verdict(shown, words)
    if alike := [d.a for d in deltas if d.equivalent]:
        said += f"; {said_of(alike, f'are equivalent to {reference} within the margin')}"
    lower = "" if deltas[0].greater_is_better else " (lower is better)"
    return f"By a margin of {deltas[0].margin:g} in {deltas[0].metric}{lower}: {said}"


def _is_near(d: Delta, level: float) -> bool:
    """Whether the second model is behind the first by less than the margin."""
    if d.margin is None or not d.gain_high < d.margin:
        return False
    return not d.too_few or (d.p_equivalent or 0.0) <= (1 - level) / 2


def _within_the_margin(c: Comparison, deltas: list[Delta]) -> str:
    """The models that are not far behind the best one."""
    near = [d.b for d in deltas if _is_near(d, c.level)]
    alone = ""
    if len(deltas) == 1:
        d = replace(deltas[0], delta=-deltas[0].delta, low=-deltas[0].high, high=-deltas[0].low)
        alone = f"difference {signed(d.delta)} {d.shown_ends}, "
    said = said_of(near, "are shown") if near else said_of([d.b for d in deltas], "are not shown")
    return (
        f"By a margin of {c.margin:g} in {c.primary.name}, {said} to be non-inferior to "
        f"{c.models[0]} ({alone}{percent(c.level)} interval{'s' * (len(deltas) > 1)}, not "
        f"corrected). {c.models[0]} was picked by these data; a claim of non-inferiority needs a "
        f"reference that was named beforehand."
    )


def _difference(c: Comparison, other: str, corrected: float) -> str:
    """The paired difference of the best model and another one, if it was made."""
    for d in _deltas(c):
        if {d.a, d.b} == {c.models[0], other}:
            sign = 1 if d.a == c.models[0] else -1
            low, high = sorted((sign * d.low, sign * d.high))
            pairs = _pairs(c)
            both = f", or {p_value(corrected)} corrected for all {pairs} pairs" if pairs > 1 else ""
            return (
                f"; its difference from {other} is "
                f"{with_ends(sign * d.delta, low, high, signed)}, {exact_p(d.p_value)}{both}"
            )
    return ""


def _against_baselines(c: Comparison) -> str:
    """Models that do not beat a prediction made without looking."""
    metric = c.primary
    if metric.greater_is_better is None:
        return ""
    unbeaten = []
    for baseline, values in c.baselines.items():
        floor = values[metric.name]
        behind = tuple(
            m
            for m in c.models
            if not metric.utility(_worse_end(metric, c.estimates[metric.name][m]))
            > metric.utility(floor)
        )
        if behind and math.isfinite(floor):
            unbeaten.append((behind, f"{baseline} ({floor:.3f})"))
    return " ".join(
        f"{joined(models)} {agreeing(len(models), 'are not shown to beat')} "
        f"{'this trivial baseline' if len(baselines) == 1 else 'these trivial baselines'}: "
        f"{', '.join(baselines)}."
        for models, baselines in grouped(unbeaten).items()
    )


def _worse_end(metric: Metric, interval: Interval) -> float:
    return interval.low if metric.greater_is_better else interval.high


def _other_measures(c: Comparison) -> str:
    """Which measures crown another model, and why."""
    best = c.models[0]
    voters = [
        m
        for m in c.directed
        if any(math.isfinite(i.estimate) for i in c.estimates[m.name].values())
        and not math.isnan(c.estimates[m.name][best].estimate)  # no value is no defeat
    ]
    if len(c.models) == 1 or len(voters) < 2:
        return ""
    first = {m.name: _first(c, m) for m in voters}
    dissent = grouped((models[0], name) for name, models in first.items() if best not in models)
    if not dissent:
        every = "Both" if len(voters) == 2 else f"All {len(voters)}"
        alone = all(models == [best] for models in first.values())
        how = f"put {best} first" if alone else f"have {best} among the first"
        return f"{every} measures that rank these models {how}."
    named = "; ".join(f"{winner} by {', '.join(ms)}" for winner, ms in dissent.items())
    winners = {best, *dissent}
    firm = [d for d in c.disagreements() if d.firm and {d.a, d.b} <= winners]
    text = f"The measures do not agree on the best model: {named}."
    if firm:
        d = firm[0]
        text += (
            f" Firmly so for {d.a} and {d.b}: {d.metric_for_a} prefers {d.a} and {d.metric_for_b} "
            f"prefers {d.b}, each with at least 95% confidence; {d.reason}. Decide which of "
            f"these matters before choosing."
        )
    else:
        text += " None of these disagreements is firm: they may be chance."
    return text
