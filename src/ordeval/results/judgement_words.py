"""A judgement in plain words: which judges may stand in for a human, and where tests disagree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from ordeval._shared.text import agreeing, joined, name_of, plural, signed, visible
from ordeval.results.phrases import by_verdict, exact_p, grouped, in_words, said_of

if TYPE_CHECKING:
    from ordeval.results.judgement import Judgement

JudgeVerdict = Literal[
    "", "non-inferior", "inferior", "not shown", "below", "above", "not told apart"
]
_NAMED: Final = 6
_APART: Final = 1.5
# What a verdict says of judges, and what another panel of humans would have made of them.
_ARE: Final[dict[JudgeVerdict, str]] = {
    "above": "agree with humans more than they do with each other",
    "not told apart": "cannot be told apart from a human",
    "below": "agree with humans less than they do with each other",
    "non-inferior": "are non-inferior to a human",
    "inferior": "are inferior to a human",
    "not shown": "are not shown to be non-inferior to a human",
}
_WOULD: Final[dict[JudgeVerdict, str]] = {
    "above": "would agree with humans more than they do with each other",
    "not told apart": "could not be told apart from a human",
    "below": "would agree with humans less than they do with each other",
    "non-inferior": "would be non-inferior to a human",
    "inferior": "would be inferior to a human",
    "not shown": "would not be shown to be non-inferior",
}


def conclude_judgement(j: Judgement) -> str:
    """Paragraphs: ceiling, gaps, single humans, subgroups, alt-test, where they disagree, panel."""
    said = [
        _ceiling(j),
        _gaps(j),
        _single_humans(j),
        _subgroups(j),
        _tests(j),
        _disagreement(j),
        _panel(j),
    ]
    return "\n\n".join(visible(x) for x in said if x)


def _ceiling(j: Judgement) -> str:
    name = j.metric.name
    if j.ceiling.estimate != j.ceiling.estimate:
        return (
            f"Humans have no items in common by which {name} could be told, or too few: there is "
            f"no ceiling. {_best(j)}"
        )
    among = (
        f"mean over {plural(j.pairs, 'pair')} of humans" if j.pairs > 1 else "one pair of humans"
    )
    text = f"Humans agree with each other by {name} {in_words(j.ceiling)} ({among})."
    return f"{text}{_apart(j)}{_moved(j)} {_best(j)}"


def _best(j: Judgement) -> str:
    """The judge that agrees most with the humans."""
    best = j.agreement[j.judges[0]]
    if math.isnan(best.estimate):
        return f"Of no judge is {j.metric.name} with the humans defined."
    most = "agrees with them most" if len(j.judges) > 1 else "agrees with them"
    by = ": " if len(j.judges) > 1 else " by "
    return f"{j.judges[0]} {most}{by}{in_words(best)}."


def _apart(j: Judgement) -> str:
    """Humans who hardly agree with the others, and lower the ceiling for everybody."""
    known = [r.agreement for r in j.raters if not math.isnan(r.agreement)]
    if not j.metric.greater_is_better or len(known) < 3:
        return ""
    middle = sorted(known)[len(known) // 2]
    names = [f"{r.name} ({r.agreement:.2f})" for r in j.raters if r.agreement < middle / 2]
    if not names:
        return ""
    verb = agreeing(len(names), "agree")
    return f" {joined(names)} hardly {verb} with the others, which lowers the ceiling for all."


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
        if by > _APART * usual and ceilings[human].estimate not in j.ceiling
    ]
    return f" The ceiling would be {joined(said, most=_NAMED)}." if said else ""


def _single_humans(j: Judgement) -> str:
    """Verdicts that one human decides."""
    said = []
    for human in j.without_each:
        verdicts = ((j.verdict(name, without=human), name) for name in j.judges)
        changed = grouped((v, name) for v, name in verdicts if v and v != j.verdict(name))
        each = [said_of(names, _WOULD[v], _NAMED) for v, names in changed.items()]
        said += [f"without {human}, {' and '.join(each)}"] if each else []
    if not said:
        return ""
    more = [f"{plural(len(said) - _NAMED, 'other human')} would change some, too"]
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
        return "In no subgroup is the gap of a judge shown to differ from that in the rest."
    return f"Beside the rest of the items, {joined(said, most=_NAMED)}."


def _gaps(j: Judgement) -> str:
    """Judges by what the gap to the ceiling says of them."""
    found = [(j.verdict(name), _with_gap(j, name)) for name in j.judges]
    if said := by_verdict(found, _ARE, _NAMED):
        start = "By the gap to this ceiling"
        if j.margin is not None:
            start = f"By a margin of {j.margin:g} in {j.metric.name}:"
        said = f"{start} {said}."
    return said + _untold(j)


def _untold(j: Judgement) -> str:
    """Judges of whom the gap says nothing, though there is a ceiling."""
    names = [name for name in j.judges if not j.verdict(name)]
    if not names or math.isnan(j.ceiling.low):
        return ""
    return f" Of {joined(names, most=_NAMED)} too few answers can be set beside those of humans."


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
        return "The alt-test was not made: no human has enough items that another rated too."
    passed = [name for name, t in tests.items() if t.passes]
    if not passed:
        who = "no judge beats" if len(tests) > 1 else f"{j.judges[0]} does not beat"
        return (
            f"In the alt-test at epsilon {epsilon:g}, {who} half of the humans, as it would have "
            f"to."
        )
    return (
        f"In the alt-test at epsilon {epsilon:g}, {said_of(passed, 'pass', _NAMED)}: half of the "
        f"humans or more are beaten."
    )


def _disagreement(j: Judgement) -> str:
    """Where the alt-test and the agreement point in different directions."""
    found = [x for x in (_two_verdicts(j, name) for name in j.judges) if x]
    sentences = [*found, *filter(None, [_highest_advantage(j)])]
    if not sentences:
        return ""
    # All judges may fail both tests, and yet each of the two would choose another one.
    what = "tests" if found else "advantage and the agreement"
    return f"The {what} do not point in one direction. {' '.join(sentences[-_NAMED:])}"


def _two_verdicts(j: Judgement, name: str) -> str:
    """A judge whom the alt-test and the gap see differently."""
    test, verdict = j.alt_test[name], j.verdict(name)
    if test.passes and verdict in ("inferior", "below"):
        return (
            f"{name} passes the alt-test and yet agrees with humans less than they do with each "
            f"other."
        )
    if test.winning_rate < 0.5 and verdict in ("non-inferior", "above", "not told apart"):
        return (
            f"{name} does not pass the alt-test, though by {j.metric.name} it is "
            f"{_as_good(verdict)}."
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
        f"{first} has the highest advantage probability ({j.alt_test[first].advantage:.2f}) and a "
        f"{j.metric.name} of {in_words(own)}, against {in_words(others)} of {best}: being near "
        f"to most ratings is not telling good items from bad ones."
    )


def _as_good(verdict: JudgeVerdict) -> str:
    return {
        "non-inferior": "non-inferior to a human",
        "above": "closer to humans than they are to each other",
    }.get(verdict, "not told apart from a human")


def _panel(j: Judgement) -> str:
    if (
        len(j.judges) < 2
        or j.panel_size != j.panel_size
        or j.panel_correlation != j.panel_correlation
    ):
        return ""
    return (
        f"The errors of the {len(j.judges)} judges are correlated ({j.panel_correlation:.2f} on "
        f"average): together they say as much as {j.panel_size:.1f} independent ones."
    )
