"""The conclusion of a judgement: which judges can replace a human, and where tests disagree."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from ordeval._shared.text import (
    agreeing,
    joined,
    name_of,
    number,
    plural,
    signed,
    visible,
    with_ends,
)
from ordeval.inference.intervals import Interval
from ordeval.results.phrases import (
    by_verdict,
    exact_p,
    grouped,
    in_words,
    said_of,
    with_interval,
    with_weights,
)

if TYPE_CHECKING:
    from ordeval.results.judgement import Effect, Judgement

JudgeVerdict = Literal[
    "", "non-inferior", "inferior", "not shown", "below", "above", "not significant"
]
_NAMED: Final = 6
_APART: Final = 1.5
# What a verdict says of judges, and what it would be with other humans.
_ARE: Final[dict[JudgeVerdict, str]] = {
    "above": "agree with humans significantly more than humans agree with each other",
    "not significant": "do not differ significantly from a human",
    "below": "agree with humans significantly less than humans agree with each other",
    "non-inferior": "are non-inferior to a human",
    "inferior": "are inferior to a human",
    "not shown": "are not shown to be non-inferior to a human",
}
_WOULD: Final[dict[JudgeVerdict, str]] = {
    "above": "would agree with humans significantly more than humans agree with each other",
    "not significant": "would not differ significantly from a human",
    "below": "would agree with humans significantly less than humans agree with each other",
    "non-inferior": "would be non-inferior to a human",
    "inferior": "would be inferior to a human",
    "not shown": "would not be shown to be non-inferior",
}


_ORDER: Final = ("non-inferior", "above", "not significant", "not shown", "below", "inferior")
_MANY_UNREAD: Final = 0.1  # share of items without a label that turns into a caution


def lead_judgement(j: Judgement) -> list[str]:
    """The answer and the evidence, line by line: verdicts, judges beside each other, cautions."""
    found = [between_judges(j), drifted(j), _consistency(j), _subgroups(j), _moves(j)]
    evidence = [*_verdict_lines(j), *(x for x in found if x)]
    cautions = [odd_humans(j).strip(), *_against_alt_test(j), *_unanswered(j)]
    lines = [*evidence[:1], *(f"  {x}" for x in evidence[1:])]
    return [*lines, *(f"  ! {x}" for x in cautions if x)]


def _verdict_lines(j: Judgement) -> list[str]:
    """The judges of each verdict, the best verdict first."""
    if math.isnan(j.ceiling.estimate):
        return [_gaps(j), _best(j)]
    by = grouped((j.verdict(name), name) for name in j.judges)
    margin = "" if j.margin is None else f" (margin {j.margin:g})"
    return [
        *(
            f"{said_of(by[v], _ARE[v], _NAMED)}{margin}{_only_gap(j, by[v])}."
            for v in _ORDER
            if v in by
        ),
        *([_untold(j).strip()] if _untold(j) else []),
    ]


def _only_gap(j: Judgement, names: list[str]) -> str:
    """The gap of a judge that is alone with its verdict."""
    return f": difference {with_interval(j.gap[names[0]], signed)}" if len(names) == 1 else ""


def _against_alt_test(j: Judgement) -> list[str]:
    """The judges that the alt-test sees otherwise: one by name, several by their number."""
    found = [x for x in (_two_verdicts(j, name) for name in j.judges) if x]
    if len(found) < 2:
        return found
    return [f"The alt-test disagrees with the verdicts of {plural(len(found), 'judge')}."]


def _unanswered(j: Judgement) -> list[str]:
    """Judges without a label of many items."""
    lost = {n: x.estimate for n, x in j.unread.items() if x.estimate > _MANY_UNREAD}
    each = [f"{name} {x:.0%}" for name, x in lost.items()]
    return [f"Items without a label: {joined(each, most=_NAMED)}."] if each else []


def conclude_judgement(j: Judgement) -> str:
    """Paragraphs: the verdicts, the ceiling, single humans, subgroups, tests, bias, the panel."""
    said = [
        answer(j),
        _ceiling(j),
        between_judges(j),
        drifted(j),
        _consistency(j),
        _single_humans(j),
        _subgroups(j),
        _tests(j),
        _disagreement(j),
        _grades(j),
        _moves(j),
        _panel(j),
    ]
    return "\n\n".join(visible(x) for x in said if x)


def answer(j: Judgement) -> str:
    """The verdicts, and those without humans who hardly agree with the others."""
    return f"{_gaps(j)}{odd_humans(j)}"


def odd_humans(j: Judgement) -> str:
    """Humans who agree far less with the others, and the verdicts without them."""
    if j.without_odd is None:
        return ""
    odd = joined(j.odd_humans)
    agree = {r.name: r.agreement for r in j.raters}
    values = joined([f"{agree[name]:.2f}" for name in j.odd_humans])
    told = (
        f" {odd} {agreeing(len(j.odd_humans), 'agree')} far less with the other humans ({values}) "
        f"than those do with each other ({j.without_odd.ceiling.estimate:.2f}"
    )
    each = [(j.verdict_without_odd(name), name) for name in j.judges]
    changed = grouped((v, name) for v, name in each if v and v != j.verdict(name))
    if not changed:
        return f"{told}); the verdicts are the same without {odd}."
    would = " and ".join(said_of(names, _WOULD[v], _NAMED) for v, names in changed.items())
    return f"{told}): without {odd}, {would}."


def _ceiling(j: Judgement) -> str:
    if j.ceiling.estimate != j.ceiling.estimate:
        return _best(j)
    among = (
        f"mean over {plural(j.pairs, 'pair')} of humans" if j.pairs > 1 else "one pair of humans"
    )
    by = f"{with_weights(j.metric)} {in_words(j.ceiling)}"
    return f"Humans agree with each other by {by} ({among}).{_moved(j)} {_best(j)}"


def _best(j: Judgement) -> str:
    """The judge that agrees most with the humans."""
    best = j.agreement[j.judges[0]]
    if math.isnan(best.estimate):
        return f"{with_weights(j.metric)} with the humans is undefined for every judge."
    if len(j.judges) > 1:
        return f"{j.judges[0]} has the highest agreement with humans: {in_words(best)}."
    return f"{j.judges[0]} agrees with humans by {in_words(best)}."


def _moved(j: Judgement) -> str:
    """Humans who move the ceiling out of its interval, and by more than the others do.

    Beside an odd human, leaving out any other one moves it too, R - 1 times less of R humans.
    """
    ceilings = {human: x.ceiling for human, x in j.without_each.items()}
    moves = {human: abs(x.estimate - j.ceiling.estimate) for human, x in ceilings.items()}
    moves = {human: by for human, by in moves.items() if not math.isnan(by)}
    if not moves or math.isnan(j.ceiling.low):
        return ""
    usual = sorted(moves.values())[(len(moves) - 1) // 2]
    said = [
        f"{in_words(ceilings[human])} without {human}"
        for human, by in moves.items()
        if human not in j.odd_humans
        and by > _APART * usual
        and ceilings[human].estimate not in j.ceiling
    ]
    return f" The ceiling would be {joined(said, most=_NAMED)}." if said else ""


def between_judges(j: Judgement) -> str:
    """Judges next to the reference, or next to the best of those that were compared."""
    if not j.differences and j.reference in j.not_compared:
        return f"No judge is compared with {j.reference}, which answered too few items."
    if not j.differences:
        return ""
    compared = {name for d in j.differences for name in (d.a, d.b)}
    at = j.reference or next(name for name in j.judges if name in compared)
    sides: list[tuple[str, str]] = []
    for d in j.differences:
        if at in (d.a, d.b):
            significant = d.favours is not None and d.p_adjusted <= 1 - d.level
            other = d.b if d.a == at else d.a
            sides.append(("" if not significant else "more" if d.favours == at else "less", other))
    groups = grouped(sides)
    said = [
        f"{at} agrees with humans significantly {side} than {joined(groups[side], most=_NAMED)}"
        for side in ("more", "less")
        if side in groups
    ]
    if "" in groups:
        names = joined(groups[""], most=_NAMED)
        said.append(f"{at} and {names} do not differ significantly")
    items = j.differences[0].items
    where = f" on the {plural(items, 'item')} that all answered" if items < j.items else ""
    corrected = f"corrected for {plural(len(j.differences), 'pair')}"
    return f"{'; '.join(said)} (paired tests{where}, {corrected})."


def drifted(j: Judgement) -> str:
    """Judges that grade otherwise than before, or agree more or less with humans."""
    if not j.drift:
        return ""
    said = []
    for name, d in j.drift.items():
        what = []
        if d.shift.low > 0 or d.shift.high < 0:
            side = "higher" if d.shift.estimate > 0 else "lower"
            what.append(f"grades {side} than before ({in_words(d.shift, signed)} steps)")
        if d.change is not None and d.change.p_adjusted <= 1 - d.change.level:
            side = "more" if d.change.gain > 0 else "less"
            shown = with_ends(d.change.delta, d.change.low, d.change.high, signed)
            what.append(f"agrees significantly {side} with humans ({shown})")
        said += [f"{name} {' and '.join(what)}"] if what else []
    steady = [name for name in j.drift if not any(x.startswith(f"{name} ") for x in said)]
    said += [f"no significant drift: {joined(steady, most=_NAMED)}"] if steady else []
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}." if text.startswith("no ") else f"{text}."


def _consistency(j: Judgement) -> str:
    """How far judges that were asked repeatedly agree with themselves."""
    if not j.same_grade:
        return ""
    each = [f"{name} in {in_words(x.whole, '{:.0%}'.format)}" for name, x in j.same_grade.items()]
    return (
        f"Asked the same again, judges give the same grade: {joined(each, most=_NAMED)} of the "
        f"pairs of answers."
    )


def _single_humans(j: Judgement) -> str:
    """Verdicts that one human decides."""
    said = []
    for human in j.without_each:
        if j.odd_humans == (human,):
            continue  # stands in the answer
        verdicts = ((j.verdict(name, without=human), name) for name in j.judges)
        changed = grouped((v, name) for v, name in verdicts if v and v != j.verdict(name))
        each = [said_of(names, _WOULD[v], _NAMED) for v, names in changed.items()]
        said += [f"without {human}, {' and '.join(each)}"] if each else []
    if not said:
        return ""
    more = [f"{plural(len(said) - _NAMED, 'other human')} would also change some"]
    listed = "; ".join(said[:_NAMED] + more * (len(said) > _NAMED))
    return f"Leaving out one human would change verdicts: {listed}."


def _subgroups(j: Judgement) -> str:
    """Subgroups in which a judge is shown to be better or worse than elsewhere."""
    if not j.subgroups:
        return ""
    alpha = 1 - j.ceiling.level
    greater = bool(j.metric.greater_is_better)
    said = [
        f"{name} is {'better' if (s.from_rest.estimate > 0) == greater else 'worse'} in "
        f"{name_of(s.subgroup)} (gap {in_words(s.gap, signed)}; from the rest "
        f"{in_words(s.from_rest, signed)}, {exact_p(s.p_adjusted)})"
        for name, found in j.subgroups.items()
        for s in found
        if s.p_adjusted <= alpha
    ]
    if not said:
        return "No judge's gap differs significantly between a subgroup and the rest of the items."
    return f"Compared with the rest of the items, {joined(said, most=_NAMED)}."


def _gaps(j: Judgement) -> str:
    """Judges by the verdict on their gap to the ceiling."""
    if math.isnan(j.ceiling.estimate):
        few = "there is one human" if len(j.raters) == 1 else "humans share too few items"
        return f"No verdict: {few}, so it is unknown how far humans agree with each other."
    found = [(j.verdict(name), _with_gap(j, name)) for name in j.judges]
    said = by_verdict(found, _ARE, _NAMED)
    if said and j.margin is not None:
        said = f"With a margin of {j.margin:g}, {said}"
    return (f"{said}." if said else "") + _untold(j)


def _untold(j: Judgement) -> str:
    """Judges without a verdict on their gap, although there is a ceiling."""
    names = [name for name in j.judges if not j.verdict(name)]
    if not names or math.isnan(j.ceiling.low):
        return ""
    return f" Too few answers for a verdict: {joined(names, most=_NAMED)}."


def _with_gap(j: Judgement, name: str) -> str:
    p = j.p_noninferior.get(name)
    tested = p is not None and p == p and j.verdict(name) != "inferior"
    test = f", one-sided {exact_p(p)}" if tested and p is not None else ""
    if len(j.judges) > _NAMED:
        return name
    return f"{name} ({in_words(j.gap[name], signed)}{test})"


def _tests(j: Judgement) -> str:
    """What the alt-test says."""
    tests = {name: j.alt_test[name] for name in j.judges}
    epsilon = next(iter(tests.values())).epsilon
    if all(t.winning_rate != t.winning_rate for t in tests.values()):
        return "There is no alt-test: no human has enough items that another human rated."
    passed = [name for name, t in tests.items() if t.passes]
    if not passed:
        who = "No judge passes" if len(tests) > 1 else f"{j.judges[0]} does not pass"
        return f"{who} the alt-test (epsilon {epsilon:g})."
    return (
        f"{said_of(passed, 'pass', _NAMED)} the alt-test (epsilon {epsilon:g}), "
        "beating at least half of the humans."
    )


def _disagreement(j: Judgement) -> str:
    """Where the alt-test and the agreement disagree."""
    found = [x for x in (_two_verdicts(j, name) for name in j.judges) if x]
    sentences = [*found, *filter(None, [_highest_advantage(j)])]
    if not sentences:
        return ""
    # All judges may fail both tests, and yet each of the two would choose another one.
    what = "Alt-test" if found else "Advantage"
    return f"{what} and agreement disagree. {' '.join(sentences[-_NAMED:])}"


def _two_verdicts(j: Judgement, name: str) -> str:
    """A judge whom the alt-test and the gap see differently."""
    test, verdict = j.alt_test[name], j.verdict(name)
    if test.passes and verdict in ("inferior", "below"):
        return (
            f"{name} passes the alt-test but agrees with humans less than they do with each other."
        )
    if test.winning_rate < 0.5 and verdict in ("non-inferior", "above", "not significant"):
        return (
            f"{name} does not pass the alt-test, but by {with_weights(j.metric)} it "
            f"{agreeing(1, _ARE[verdict])}."
        )
    return ""


def _highest_advantage(j: Judgement) -> str:
    """A judge that comes first by the alt-test and is shown to agree less than another."""
    known = [n for n in j.judges if not math.isnan(j.alt_test[n].advantage)]
    if len(known) < 2:
        return ""
    best, first = j.judges[0], max(known, key=lambda n: j.alt_test[n].advantage)
    own, others = j.agreement[first], j.agreement[best]
    apart = own.high < others.low if j.metric.greater_is_better else own.low > others.high
    if not apart:
        return ""
    return (
        f"{first} has the highest advantage probability "
        f"({j.alt_test[first].advantage:.2f}) and a {with_weights(j.metric)} of "
        f"{in_words(own)}, against {in_words(others)} of {best}: being close to most "
        "ratings does not mean separating good items from bad ones."
    )


def _grades(j: Judgement) -> str:
    """Grades at which judges are shown to be higher or lower than the other humans."""
    found = {name: _sides(j.bias[name].beyond_humans) for name in j.judges}
    said = [f"{name} is {sides}" for name, sides in found.items() if sides]
    if not said:
        return ""
    return f"Compared with the other humans on the same grade, {joined(said, most=_NAMED)}."


def _moves(j: Judgement) -> str:
    """Covariates that move a judge significantly."""
    if not j.effects:
        return ""
    found = {
        name: [e for e in effects if e.p_adjusted <= 1 - e.steps.level]
        for name, effects in j.effects.items()
    }
    said = [
        f"{name} grades {'higher' if e.steps.estimate > 0 else 'lower'} with {_covariate(e)}"
        for name, effects in found.items()
        for e in effects
    ]
    if not said:
        known = any(e.p_value == e.p_value for effects in j.effects.values() for e in effects)
        said_none = "No covariate has a significant effect on a judge, at the same true grade."
        return said_none if known else "The effects of the covariates are unknown."
    return f"At the same true grade, {joined(said, most=_NAMED)}."


def _covariate(e: Effect) -> str:
    steps = with_ends(e.steps.estimate, e.steps.low, e.steps.high, "{:+.3g}".format)
    if e.level is None:
        return f"{e.covariate} ({steps} steps per unit, {exact_p(e.p_adjusted)})"
    return (
        f"{e.covariate} {e.level} than with {e.reference} ({steps} steps, {exact_p(e.p_adjusted)})"
    )


def _sides(beyond: Mapping[Any, Interval]) -> str:
    """Where a judge is higher and where it is lower."""
    sides = {
        "higher": [str(g) for g, x in beyond.items() if x.low > 0],
        "lower": [str(g) for g, x in beyond.items() if x.high < 0],
    }
    return " and ".join(f"{side} at {joined(g, most=20)}" for side, g in sides.items() if g)


def _panel(j: Judgement) -> str:
    if len(j.judges) < 2:
        return ""
    if j.panel_correlation is None:
        return f"The correlation of the judges' errors is unknown: {j.panel_refused}."
    n = len(j.judges)
    return (
        f"The errors of the {n} judges correlate by "
        f"{in_words(j.panel_correlation, _short)}, after removing the humans' errors: "
        f"together they count as {j.panel_size:.1f} independent judges."
    )


def _short(value: float) -> str:
    return number(value, 2)
