"""The answer of a report: a headline, the key findings below it, and what calls for caution."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from ordeval._shared.text import at_most, joined, visible
from ordeval.inference.paired import Delta
from ordeval.report.exhibits import in_words, listed_levels
from ordeval.report.filters import ends, plain
from ordeval.report.hero import difference_of, hero_rows
from ordeval.report.nouns import Nouns
from ordeval.results.comparison import Comparison
from ordeval.results.conclusion import groups
from ordeval.results.phrases import exact_p, percent, said_of

_NAMED: Final = 5  # models that a sentence names
_GROUPS: Final = 3


@dataclass(frozen=True)
class Answer:
    """The headline: words, a model, words, and the interval in brackets."""

    before: str
    who: str
    after: str
    interval: str = ""
    good: bool = True  # whether it is in favour of the model

    def __str__(self) -> str:
        return visible(
            f"{self.before}{self.who}{self.after}{f' ({self.interval})' * bool(self.interval)}"
        )


def answer_of(c: Comparison) -> Answer:
    """Answer the question of a comparison in one line.

    Parameters
    ----------
    c
        The comparison.

    Returns
    -------
    Answer
        Which model is best, or how the models compare with the reference.
    """
    x, best = c.estimates[c.primary.name][c.models[0]], c.models[0]
    symbol = c.primary.short
    if math.isnan(x.estimate):
        return Answer("", "", f"{symbol} is undefined on these data")
    if math.isinf(x.estimate):
        return Answer("", "", f"No model has a finite {symbol}")
    value = f"{symbol} {plain(x.estimate)}"
    interval = f"{percent(c.level)} CI {ends(x.low, x.high)}" if x.low == x.low else ""
    if len(c.models) == 1:
        return Answer("", best, f" has {value}", interval)
    if c.reference is not None:
        return _beside_reference(c, c.reference)
    first = [r.model for r in hero_rows(c) if r.winner]
    if len(first) > 1:
        return Answer("", joined(first, most=_NAMED), f" tie for first: {value}", interval)
    if not _level(c):
        return Answer("", best, f" is best: {value}", interval)
    return Answer("No clear winner: ", best, f" leads with {value}", interval)


def _beside_reference(c: Comparison, reference: str) -> Answer:
    """How the models compare with the reference; with a margin, what it says."""
    found = _against(c, reference)
    if c.margin is not None:
        good = [d.a for d in found if d.verdict == "non-inferior"]
        said = "non-inferior to"
    else:
        good = [d.a for d in found if d.p_adjusted <= 1 - c.level and d.favours == d.a]
        said = "significantly better than"
    if len(found) == 1:
        (d,) = found
        delta = difference_of(c, d, reference)
        bad = "not shown to be " if c.margin is not None else "not "
        what = f" is {'' if good else bad}{said} {reference}: {plain_signed(delta.value)}"
        if d.verdict == "inferior":
            what = f" is inferior to {reference}: {plain_signed(delta.value)}"
        around = ends(delta.low, delta.high, sign=True)
        interval = f"{percent(c.level)} CI {around}" if around else ""
        return Answer("", d.a, what, interval, good=bool(good))
    if not good:
        return Answer("No model is ", "", f"{said} {reference}")
    if len(good) <= 2:
        verb = "is" if len(good) == 1 else "are"
        return Answer("", joined(good), f" {verb} {said} {reference}")
    return Answer("", f"{len(good)} of {len(found)} models", f" are {said} {reference}")


def plain_signed(value: float) -> str:
    """Return a difference for a sentence."""
    return f"{value:+.3f}".replace("-", "\N{MINUS SIGN}")


def _against(c: Comparison, other: str) -> list[Delta]:
    """The differences by the measure that decides which have a model as their second one."""
    return [d for d in c.pairs if d.metric == c.primary.name and d.b == other]


def _p_of_best(c: Comparison) -> dict[str, float]:
    """The corrected p-values of the best model side by side one."""
    return dict(zip(c.models[1:], c.separation[0, 1:].tolist(), strict=True))


def _level(c: Comparison) -> list[str]:
    return [m for m, p in _p_of_best(c).items() if p > 1 - c.level]


def key_findings(c: Comparison) -> Iterator[str]:
    """Say who is better, which models are alike, and which beat no baseline.

    Parameters
    ----------
    c
        The comparison.

    Yields
    ------
    str
        Sentences.
    """
    if c.reference is not None:
        yield from _reference_findings(c, c.reference)
    elif len(c.models) > 1:
        yield from _ranking_findings(c)
    yield from _no_skill(c)
    yield from _other_measures(c)


def _ranking_findings(c: Comparison) -> Iterator[str]:
    best, p = c.models[0], _p_of_best(c)
    behind, level = [m for m in p if p[m] <= 1 - c.level], _level(c)
    if behind:
        worst = at_most(max(p[m] for m in behind), exact=len(behind) == 1).replace("<=", "≤")
        corrected = "corrected " * (len(c.models) > 2)
        who = joined(behind, most=_NAMED)
        if len(behind) > _NAMED:
            who = f"{len(behind)} of {len(c.models) - 1} others"
        if not level and len(behind) > 1:
            others = "both" if len(behind) == 2 else f"all {in_words(len(behind))}"
            who = f"{others} others"
        yield f"{best} is significantly better than {who} ({corrected}{worst})."
    if level:
        yield (
            f"{said_of([best, *level], 'do', most=_NAMED)} not differ significantly."
            if not (_some_differ(c, [best, *level]))
            else f"{best} is not significantly better than {joined(level, 'or', most=_NAMED)}."
        )
    shown = 0
    for group in groups(c)[1:]:
        if len(group) > 1 and shown < _GROUPS and not _some_differ(c, group):
            shown += 1
            yield f"{joined(group, most=_NAMED)} do not differ significantly."
    if level and 1 < len(c.may_be_best) < len(c.models):
        yield f"Plausible best: {joined(c.may_be_best, most=_NAMED)}."


def _some_differ(c: Comparison, group: list[str]) -> bool:
    """Whether any two of these models differ significantly."""
    rows = [c.models.index(m) for m in group]
    return bool(
        (c.separation[np.ix_(rows, rows)][np.triu_indices(len(rows), 1)] <= 1 - c.level).any()
    )


def _reference_findings(c: Comparison, reference: str) -> Iterator[str]:
    found = _against(c, reference)
    alpha = 1 - c.level
    corrected = "corrected " * (len(found) > 1)
    if len(found) == 1:
        (d,) = found
        said = f"{d.a} and {reference} do not differ significantly"
        if d.p_adjusted <= alpha:
            first, second = (d.a, reference) if d.favours == d.a else (reference, d.a)
            said = f"{first} is significantly better than {second}"
        yield f"{said} ({exact_p(d.p_adjusted)})."
    else:
        better = [d for d in found if d.p_adjusted <= alpha and d.favours == d.a]
        worse = [d for d in found if d.p_adjusted <= alpha and d.favours == reference]
        for some, word in ((better, "better"), (worse, "worse")):
            if some:
                p = at_most(max(d.p_adjusted for d in some), exact=len(some) == 1).replace(
                    "<=", "≤"
                )
                names = said_of([d.a for d in some], "are", most=_NAMED)
                yield f"{names} significantly {word} than {reference} ({corrected}{p})."
        if alike := [d.a for d in found if d not in better and d not in worse]:
            verb = "does" if len(alike) == 1 else "do"
            names = joined(alike, most=_NAMED)
            yield f"{names} {verb} not differ significantly from {reference}."
    if c.margin is not None:
        yield from _margin_findings(c, found, reference)


def _margin_findings(c: Comparison, found: list[Delta], reference: str) -> Iterator[str]:
    words = {
        "non-inferior": f"non-inferior to {reference}",
        "inferior": f"inferior to {reference}",
        "not shown": f"not shown to be non-inferior to {reference}",
    }
    for verdict, said in words.items():
        if names := [d.a for d in found if d.verdict == verdict]:
            yield f"{said_of(names, 'are', most=_NAMED)} {said} (margin {c.margin:g})."


def _no_skill(c: Comparison) -> Iterator[str]:
    rows = hero_rows(c)
    low = [r.model for r in rows if not r.beats_baselines]
    if low and len(low) < len(rows):
        verb = "does" if len(low) == 1 else "do"
        yield f"{joined(low, most=_NAMED)} {verb} not beat the best no-skill baseline."
    elif low:
        who = "No model beats" if len(rows) > 1 else "It does not beat"
        yield f"{who} the best no-skill baseline."
    elif len(rows) == 1 and rows[0].beats_baselines and c.baselines:
        yield "It beats every no-skill baseline."


def _other_measures(c: Comparison) -> Iterator[str]:
    """Which measures rank another model first."""
    best = c.models[0]
    other: dict[str, list[str]] = {}
    for m in c.directed if len(c.models) > 1 else ():
        ranks = c.ranks[m.name]
        top = [x for x in c.models if ranks[x] == min(ranks.values())]
        values = [c.estimates[m.name][x].estimate for x in (best, top[0])]
        if best not in top and np.isfinite(values).all():
            other.setdefault(top[0], []).append(m.short)
    for model, measures in list(other.items())[:2]:
        yield f"{model} is best on {joined(measures, most=4)}."


def cautions(c: Comparison, nouns: Nouns) -> Iterator[str]:
    """Say what the headline must not be read without.

    Parameters
    ----------
    c
        The comparison.
    nouns
        What items and levels are called.

    Yields
    ------
    str
        Sentences.
    """
    best = c.models[0]
    if best in c.matrices:
        counts = c.matrices[best].counts
        never = [i for i in range(c.scale.k) if counts[i].sum() > 0 and counts[i, i] == 0]
        if never:
            levels = list(map(str, c.scale))
            where = listed_levels([levels[i] for i in never], nouns, all_levels=levels)
            items = nouns.count(counts[never].sum().item())
            yield f"{best} gets 0 of {items} in {where} right."
    rows = hero_rows(c)
    if not rows[0].beats_baselines and math.isfinite(rows[0].value):
        yield f"{best} is not shown to be better than a prediction without skill."
    if c.left_out and c.left_out > 0.1 * (c.items + c.left_out):
        share = f"{c.left_out / (c.items + c.left_out):.0%}"
        yield f"{share} of the {nouns.items} were dropped: a label was missing or unknown."
