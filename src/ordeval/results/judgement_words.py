"""A judgement in plain words: which judges may stand in for a human, and where tests disagree."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, Literal

from ordeval._shared.text import at_most, joined, plural, visible

if TYPE_CHECKING:
    from ordeval.inference.intervals import Interval
    from ordeval.results.judgement import Judgement

Verdict = Literal["", "non-inferior", "inferior", "not shown", "below", "above", "not told apart"]
_NAMED: Final = 6


def conclude_judgement(j: Judgement) -> str:
    """Paragraphs: the ceiling, the gaps, the alt-test, where they disagree, the panel."""
    said = [_ceiling(j), _gaps(j), _tests(j), _disagreement(j), _panel(j)]
    return "\n\n".join(visible(x) for x in said if x)


def _in_words(interval: Interval) -> str:
    return f"{interval.estimate:.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def _ceiling(j: Judgement) -> str:
    name = j.metric.name
    if j.ceiling.estimate != j.ceiling.estimate:
        return f"Humans have no items in common by which {name} could be told: there is no ceiling."
    best = j.judges[0]
    apart = _apart(j)
    among = f"{plural(j.pairs, 'pair')} of humans"
    text = f"Humans agree with each other by {name} {_in_words(j.ceiling)} (mean over {among})."
    return f"{text}{apart} {best} agrees with them most: {_in_words(j.agreement[best])}."


def _apart(j: Judgement) -> str:
    """Humans who hardly agree with the others, and lower the ceiling for everybody."""
    known = [r.agreement for r in j.raters if not math.isnan(r.agreement)]
    if not j.metric.greater_is_better or len(known) < 3:
        return ""
    middle = sorted(known)[len(known) // 2]
    names = [f"{r.name} ({r.agreement:.2f})" for r in j.raters if r.agreement < middle / 2]
    if not names:
        return ""
    them = "that human" if len(names) == 1 else "those humans"
    verb = "agrees" if len(names) == 1 else "agree"
    return f" {joined(names)} hardly {verb} with the others: without {them} it would be higher."


def _gaps(j: Judgement) -> str:
    """Judges by what the gap to the ceiling says of them."""
    sides: dict[Verdict, list[str]] = {}
    for name in j.judges:
        sides.setdefault(j.verdict(name), []).append(_with_gap(j, name))
    if j.margin is None:
        words: dict[Verdict, str] = {
            "above": "agree with humans more than they do with each other",
            "not told apart": "cannot be told apart from a human",
            "below": "agree with humans less than they do with each other",
        }
        said = [
            f"{joined(sides[v], most=_NAMED)} {_verb(t, sides[v])}"
            for v, t in words.items()
            if v in sides
        ]
        return f"By the gap to this ceiling {'; '.join(said)}." if said else ""
    by_margin: dict[Verdict, str] = {
        "non-inferior": "non-inferior to a human", "inferior": "inferior to a human",
        "not shown": "not shown to be non-inferior to a human",
    }  # fmt: skip
    said = [
        f"{joined(sides[v], most=_NAMED)} {'is' if len(sides[v]) == 1 else 'are'} {t}"
        for v, t in by_margin.items()
        if v in sides
    ]
    return f"By a margin of {j.margin:g} in {j.metric.name}: {'; '.join(said)}." if said else ""


def _verb(text: str, names: list[str]) -> str:
    return (
        text
        if len(names) > 1 or text.startswith("cannot")
        else text.replace("agree ", "agrees ", 1)
    )


def _with_gap(j: Judgement, name: str) -> str:
    gap = j.gap[name]
    p = j.p_noninferior.get(name)
    test = f", one-sided {at_most(p, exact=True)}" if p is not None and p == p else ""
    if len(j.judges) > _NAMED:
        return name
    return f"{name} ({gap.estimate:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]{test})"


def _tests(j: Judgement) -> str:
    """What the alt-test says."""
    tests = {name: j.alt_test[name] for name in j.judges}
    epsilon = next(iter(tests.values())).epsilon
    if all(t.winning_rate != t.winning_rate for t in tests.values()):
        return "The alt-test was not made: no human has enough items that another rated too."
    passed = [name for name, t in tests.items() if t.passes]
    who = joined(passed, most=_NAMED) if passed else "no judge"
    verb = "passes" if len(passed) < 2 else "pass"
    return (
        f"In the alt-test at epsilon {epsilon:g}, {who} {verb}: half of the humans or more are "
        f"beaten."
    )


def _disagreement(j: Judgement) -> str:
    """Where the alt-test and the agreement point in different directions."""
    sentences = []
    good: set[Verdict] = {"non-inferior", "above", "not told apart"}
    for name in j.judges:
        test, verdict = j.alt_test[name], j.verdict(name)
        if test.passes and verdict in ("inferior", "below"):
            sentences.append(
                f"{name} passes the alt-test and yet agrees with humans less than they do with "
                f"each other."
            )
        elif (
            test.winning_rate < 0.5 and verdict in good and j.ceiling.estimate == j.ceiling.estimate
        ):
            sentences.append(
                f"{name} does not pass the alt-test, though by {j.metric.name} it is "
                f"{_as_good(verdict)}."
            )
    known = [n for n in j.judges if j.alt_test[n].advantage == j.alt_test[n].advantage]
    if len(known) > 1:
        first = max(known, key=lambda n: j.alt_test[n].advantage)
        best = j.judges[0]
        apart = j.agreement[first].high < j.agreement[best].low or (
            not j.metric.greater_is_better and j.agreement[first].low > j.agreement[best].high
        )
        if apart:
            sentences.append(
                f"{first} has the highest advantage probability "
                f"({j.alt_test[first].advantage:.2f}) and a {j.metric.name} of only "
                f"{_in_words(j.agreement[first])}, against {_in_words(j.agreement[best])} of "
                f"{best}: being near to most ratings is not telling good items from bad ones."
            )
    if not sentences:
        return ""
    return "The tests do not point in one direction. " + " ".join(sentences[:_NAMED])


def _as_good(verdict: Verdict) -> str:
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
