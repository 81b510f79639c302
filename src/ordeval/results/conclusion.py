"""A comparison in plain words: the answer first, then the evidence, then what limits it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from ordeval._shared.text import (
    argument,
    at_most,
    bracketed,
    capital,
    joined,
    many,
    number,
    plural,
    signed,
    visible,
    who_ruled_out,
)
from ordeval.results.phrases import (
    against_reference,
    by_margin,
    differences_of,
    exact_p,
    grouped,
    margin_sentences as margin_sentences,
    margin_words,
    percent,
    said_of,
    sentence,
    with_interval,
    with_margin,
)

if TYPE_CHECKING:
    from ordeval.inference.intervals import Interval
    from ordeval.inference.paired import Delta
    from ordeval.measures import Metric
    from ordeval.results.comparison import Comparison

_IN_NUMBERS: Final = 6  # differences of more models are named, and their numbers left to the table
_SHOWN_PAIRS: Final = 30  # significant pairs that are named
_SHOWN_GROUPS: Final = 4
_NOT_RANDOM: Final = "OE309"  # human labels that do not look like a random subset
_SUPERLATIVE: Final = {True: "highest", False: "lowest", None: "most balanced"}


def conclude(c: Comparison) -> str:
    """Paragraphs: the answer, the evidence, whether measures agree, and what limits it."""
    parts = [f"{answer(c).rstrip('.')}.", *evidence(c), agreement(c), *cautions(c), c.population]
    return "\n\n".join(visible(p) for p in parts if p)


def one_sentence(c: Comparison) -> str:
    """The conclusion in one sentence."""
    return visible(_in_short(c))


def answer(c: Comparison) -> str:
    """The first line: which model is best, or has the best value, and that value."""
    metric, best = c.primary, c.models[0]
    interval = c.estimates[metric.name][best]
    if math.isnan(interval.estimate):
        return f"{without_value(c)}."
    if math.isinf(interval.estimate):
        infinite = _because(c, _ruled_out(c))
        who = best if len(c.models) == 1 else "every model"
        return f"The {metric.display} of {who} is infinite{infinite}."
    value = f"{metric.short} {_value(interval)}"
    if len(c.models) == 1:
        return f"{best}: {value}"
    same = _identical(c)
    if len(same) == len(c.models):
        return f"{joined(same)} make identical predictions: {value}"
    ties = _first(c, metric)
    if len(ties) > 1:
        return f"{joined(ties)} tie: {value}"
    if len(_behind(c)) == len(c.models) - 1:
        return f"{best} is best: {value}"
    if metric.greater_is_better is None:
        return f"{best} has the {metric.short} closest to {metric.best:g}: {_value(interval)}"
    which = _SUPERLATIVE[metric.greater_is_better]
    return f"{best} has the {which} {metric.short}: {_value(interval)}"


def evidence(c: Comparison) -> list[str]:
    """Which models differ significantly, and what margin and baselines say."""
    if len(c.models) == 1:
        return [*_infinite(c), *_against_baselines(c)]
    # With a reference the question is how models differ from it, and p is corrected for that alone.
    asked = [*_against_the_rest(c), *_others(c)] if c.reference is None else [_referred(c)]
    found = [*_infinite(c), *asked, margin_words(c), *_against_baselines(c)]
    return [x for x in found if x]


def cautions(c: Comparison) -> list[str]:
    """What may turn the answer around: biased human labels, and classes that are never right."""
    return [*(sentence(a.message) for a in c.advice if a.code == _NOT_RANDOM), *_never_right(c)]


def _never_right(c: Comparison) -> list[str]:
    """The classes that the best model never gets right."""
    best = c.models[0]
    if best not in c.matrices or not c.support:
        return []
    right = c.matrices[best].counts.diagonal()
    failed = [i for i, n in enumerate(c.support) if n and not right[i]]
    items = sum(c.support[i] for i in failed)
    if not failed or len(failed) == sum(n > 0 for n in c.support):
        return []
    classes = joined([str(c.scale.levels[i]) for i in failed])
    word = "class" if len(failed) == 1 else "classes"
    return [f"{best} gets 0 of {plural(items, c.unit)} in {word} {classes} right."]


def agreement(c: Comparison) -> str:
    """Whether the measures of quality rank the same model first."""
    best = c.models[0]
    voters = [
        m
        for m in c.directed
        if any(math.isfinite(i.estimate) for i in c.estimates[m.name].values())
        and not math.isnan(c.estimates[m.name][best].estimate)  # no value is no defeat
    ]
    if len(c.models) == 1 or len(voters) < 2:
        return ""
    first = {m.display: _first(c, m) for m in voters}
    dissent = grouped((models[0], name) for name, models in first.items() if best not in models)
    if not dissent:
        every = "Both" if len(voters) == 2 else f"All {len(voters)}"
        alone = all(models == [best] for models in first.values())
        how = f"rank {best} first" if alone else f"have {best} among the first"
        return f"{every} quality measures {how}; they come from the same {many(c.unit)}."
    named = "; ".join(f"{winner} by {joined(ms, most=9)}" for winner, ms in dissent.items())
    voted = len(voters) - sum(map(len, dissent.values()))
    text = f"{voted} of {len(voters)} quality measures rank {best} first; {named}."
    firm = [d for d in c.disagreements() if d.firm and {d.a, d.b} <= {best, *dissent}]
    if not firm:
        return f"{text} None of these disagreements is significant."
    return f"{text} {capital(str(firm[0]))} Choose the measure that matters for your use."


def _in_short(c: Comparison) -> str:
    metric, best = c.primary, c.models[0]
    interval = c.estimates[metric.name][best]
    if not math.isfinite(interval.estimate):
        return answer(c)
    said = f"On {plural(c.items, c.unit)}, {answer(c)}"
    if infinite := _ruled_out(c):
        said += f" (infinite for {joined(list(infinite))})"
    if len(c.models) == 1:
        return f"{said}."
    if c.reference is not None and (margins := by_margin(with_margin(c))):
        return f"{margins}."
    level, behind = _level_with_the_best(c), _behind(c)
    if not level and behind:
        rest = f"significantly better than {joined(behind)}"
        return f"{said}; {rest} ({_closest(c, behind)})."
    if not level:
        return f"{said}."
    return f"{said}; no significant difference from {joined(level)} ({_closest(c, level)})."


def _closest(c: Comparison, others: list[str]) -> str:
    """The difference between the best model and the nearest of these, with its p-value."""
    other = max(others, key=_p_values(c).__getitem__)
    which = f"{other}: " if len(others) > 1 else ""
    return which + _difference(c, other, _p_values(c)[other])


def without_value(c: Comparison) -> str:
    """That the measure that decides has no value, and why."""
    weight = 1.0 if c.weight is None else c.weight
    why = c.primary.why_undefined(weight, weighted=c.weight is not None)
    return f"{c.primary.display} has no value on these data: {why}"


def _ruled_out(c: Comparison) -> dict[str, int]:
    """The models whose value is infinite, and of how many items they ruled out what happened."""
    values = c.estimates[c.primary.name]
    return {m: values[m].ruled_out for m in c.models if math.isinf(values[m].estimate)}


def _because(c: Comparison, models: dict[str, int]) -> str:
    why = {m: n for m, n in models.items() if n}
    return f": {who_ruled_out(why, c.items)}" if why else ""


def _infinite(c: Comparison) -> Iterator[str]:
    """Which values are infinite, beside others that are not."""
    found = _ruled_out(c)
    if found and c.models[0] not in found:  # else it is said
        yield f"The {c.primary.display} of {joined(list(found))} is infinite{_because(c, found)}."


def _value(interval: Interval) -> str:
    if math.isfinite(interval.estimate) and math.isnan(interval.low):
        return f"{number(interval.estimate)} (no interval)"
    return with_interval(interval)


def _identical(c: Comparison) -> list[str]:
    """The models that predict the same as the best one, which is among them."""
    return next((list(names) for names in c.identical if c.models[0] in names), [c.models[0]])


def _first(c: Comparison, metric: Metric) -> list[str]:
    """The models that share the first rank by a measure."""
    ranks = c.ranks[metric.name]
    top = min(ranks.values())
    return [m for m in c.models if ranks[m] == top]


def _p_values(c: Comparison) -> dict[str, float]:
    """The p-value of the best model against each other, corrected for all pairs of models."""
    return dict(zip(c.models[1:], c.separation[0, 1:].tolist(), strict=True))


def _behind(c: Comparison) -> list[str]:
    return [m for m, p in _p_values(c).items() if p <= 1 - c.level]


def _level_with_the_best(c: Comparison) -> list[str]:
    return [m for m, p in _p_values(c).items() if p > 1 - c.level]


def _against_the_rest(c: Comparison) -> Iterator[str]:
    """Which models are significantly behind the best one, and which do not differ from it."""
    best, p_values = c.models[0], _p_values(c)
    behind, level = _behind(c), _level_with_the_best(c)
    if behind:
        rest = joined(behind)
        if len(behind) == len(c.models) - 1 > 2:
            rest = f"all {len(behind)} others"
        if len(behind) == 1:
            how = _closest(c, behind)
        else:
            worst = at_most(max(p_values[m] for m in behind), exact=False)
            how = f"paired tests, corrected {worst}"
        yield f"Significantly better than {rest} ({how})."
    same = [m for m in _identical(c) if m != best]
    if same and len(same) < len(c.models) - 1:
        yield f"{joined([best, *same])} make identical predictions."
    level = [m for m in level if m not in same]
    if level:
        nearest = f"closest, {_closest(c, level)}" if len(level) > 1 else _closest(c, level)
        yield f"No significant difference from {joined(level)} ({nearest})."
        yield from _not_corrected(c, level)
    others = [m for m in c.may_be_best if m != best]
    if others and len(c.models) > 2 and set(others) != set(level):
        names = joined([best, *others], most=20)
        yield f"Plausible best at {percent(c.level)} confidence: {names}."
    infinite = _ruled_out(c)
    without = [m for m in c.models[1:] if math.isnan(p_values[m]) and m not in infinite]
    if without and len(without) < len(c.models) - 1:
        yield f"{said_of(without, 'have no value')}."


def _not_corrected(c: Comparison, level: list[str]) -> Iterator[str]:
    """Why an interval excludes zero although the difference is not significant."""
    if _pairs(c) == 1:
        return
    found = [
        d.a if d.b == c.models[0] else d.b for d in differences_of(c) if d.low > 0 or d.high < 0
    ]
    clear = [m for m in level if m in found]
    if clear:
        yield (
            f"The {percent(c.level)} CI of the difference from {joined(clear)} excludes zero, but "
            f"intervals are not corrected for the {_pairs(c)} pairs; p is."
        )


def _others(c: Comparison) -> Iterator[str]:
    """Which of the models behind the best one differ significantly."""
    values = c.estimates[c.primary.name]
    same = _identical(c)  # of which the best is said already
    known = [
        i for i, m in enumerate(c.models) if m not in same and math.isfinite(values[m].estimate)
    ]
    tests = [(i, j) for i in known for j in known if i < j and c.separation[i, j] >= 0]
    apart = [(i, j) for i, j in tests if c.separation[i, j] <= 1 - c.level]
    if not tests:
        return
    if len(apart) == len(tests):
        if len(_behind(c)) == len(c.models) - 1:
            yield f"All {_pairs(c)} pairs of models differ significantly."
        else:
            yield f"All others differ significantly: {joined([c.models[i] for i in known])}."
        return
    runs = [[m for m in group if m not in same] for group in groups(c)]
    runs = [run for run in runs if len(run) > 1]
    place = {m: i for i, m in enumerate(c.models)}
    mixed = any((place[a], place[b]) in set(apart) for run in runs for a in run for b in run)
    if not mixed and len(runs) <= _SHOWN_GROUPS:
        for run in runs:
            yield f"{joined(run, last='and')}: no significant differences."
        return
    yield from _named_pairs(c, apart)


def _named_pairs(c: Comparison, apart: list[tuple[int, int]]) -> Iterator[str]:
    """The significant pairs beside those of the best model, by the better one."""
    every = len(apart) + len(_behind(c))
    shown = grouped((c.models[i], c.models[j]) for i, j in apart[:_SHOWN_PAIRS])
    named = "; ".join(f"{a} over {joined(bs, most=_SHOWN_PAIRS)}" for a, bs in shown.items())
    left = len(apart) - _SHOWN_PAIRS
    where = argument(".details()", "pairs")
    more = f"; and {plural(left, 'more pair')}: {where}" if left > 0 else ""
    yield f"{every:,} of {_pairs(c):,} pairs differ significantly. Also {named}{more}."


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


def tiers(c: Comparison) -> list[list[str]]:
    """Models with a value, best first: none differs significantly from the first of its tier."""
    values = c.estimates[c.primary.name]
    found: list[list[str]] = []
    first = 0
    for i, model in enumerate(c.models):
        if not math.isfinite(values[model].estimate):
            continue
        if not found or c.separation[first, i] <= 1 - c.level:
            found.append([])
            first = i
        found[-1].append(model)
    return found


def span_of(ranks: tuple[int, int], to: str = " to ") -> str:
    """Ranks from the lowest to the highest: "1", "2 to 4"."""
    return to.join(map(str, dict.fromkeys(ranks)))


def _pairs(c: Comparison) -> int:
    """How many pairs of models there are."""
    return math.comb(len(c.models), 2)


def _referred(c: Comparison) -> str:
    """How each model differs from the one that was named beforehand."""
    deltas = [d for d in differences_of(c) if d.p_value == d.p_value]
    several = len(deltas) > 1
    found = []
    for d in deltas:
        p = f"corrected {exact_p(d.p_adjusted)}" if several else exact_p(d.p_value)
        verdict = d.gain > 0 if d.p_adjusted <= 1 - c.level else None
        found.append((verdict, _with_numbers(c, d, p, len(deltas))))
    said = against_reference(str(c.reference), found)
    return f"{said}." if said else ""


def _with_numbers(c: Comparison, d: Delta, p: str, of: int) -> str:
    """The model of a difference, and the numbers unless there are many such models."""
    if of > _IN_NUMBERS:
        return d.a
    ends = f", {percent(c.level)} CI {d.shown_ends}" if d.low == d.low else ""
    return f"{d.a} ({signed(d.delta)}{ends}, {p})"


def _difference(c: Comparison, other: str, corrected: float) -> str:
    """The paired difference of the best model and another one, and its p-value."""
    p = exact_p(corrected) if _pairs(c) == 1 else f"corrected {exact_p(corrected)}"
    for d in differences_of(c):
        if {d.a, d.b} == {c.models[0], other}:
            sign = 1 if d.a == c.models[0] else -1
            low, high = sorted((sign * d.low, sign * d.high))
            ends = f", {percent(c.level)} CI {bracketed(low, high, signed)}" if low == low else ""
            return f"difference {signed(sign * d.delta)}{ends}, {p}"
    return p


def best_baseline(c: Comparison, metric: Metric) -> tuple[str, float]:
    """The baseline that is best by a measure, and its value; NaN without one."""
    values = {name: v[metric.name] for name, v in c.baselines.items()}
    found = {name: x for name, x in values.items() if math.isfinite(x)}
    if not found:
        return "", math.nan
    best = max(found, key=lambda name: float(metric.utility(found[name])))
    return best, found[best]


def _against_baselines(c: Comparison) -> Iterator[str]:
    """Models that do not beat the best prediction made without looking."""
    metric = c.primary
    baseline, value = best_baseline(c, metric)
    if metric.greater_is_better is None or math.isnan(value):
        return
    floor, unbeaten = metric.utility(value), []
    for m in c.models:
        x = c.estimates[metric.name][m]
        if not math.isnan(x.estimate) and not metric.utility(_worse_end(metric, x)) > floor:
            above = metric.utility(x.estimate) > floor
            unbeaten.append(("do not significantly beat" if above else "do not beat", m))
    for verb, models in grouped(unbeaten).items():
        said = said_of(models, f"{verb} the best no-skill baseline")
        yield f"{said} ({baseline}, {value:.3f})."


def _worse_end(metric: Metric, interval: Interval) -> float:
    return interval.low if metric.greater_is_better else interval.high
