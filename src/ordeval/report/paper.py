"""What goes into a paper: two sentences to copy, and what TRIPOD+AI asks about performance."""

import math
from collections.abc import Mapping
from typing import Any, Final

from ordeval._shared.tables import Table, cells
from ordeval._shared.text import at_most, joined, many, plural, visible
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import Delta
from ordeval.measures import Metric
from ordeval.report.filters import difference, ends, plain
from ordeval.report.method import authors_and_year, were
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Comparisons
from ordeval.results.conclusion import without_value
from ordeval.results.phrases import in_clusters, percent

_IN_NUMBERS: Final = 4  # differences that a sentence can hold
_YOURS: Final = "yours to say"
TRIPOD_AI: Final = (
    "Collins et al. 2024, TRIPOD+AI statement: updated guidance for reporting clinical prediction "
    "models that use regression or machine learning methods, BMJ 385, e078378"
)


# The items about performance, in our words.
_ASKED: Final = {
    "10": "How the sample size was arrived at, and that it suffices",
    "11": "How missing data were handled, and why any were left out",
    "12d": "How differences between clusters, such as hospitals, were handled",
    "12e": "Measures and plots of performance and why, and how models are compared",
    "13": "If class imbalance was acted upon: why, how, and recalibration after it",
    "14": "What was done for fairness, and why",
    "15": "What the model gives out, and how any thresholds were found",
    "21": "Participants and outcomes in each analysis",
    "23a": "Performance with intervals, also in key subgroups",
    "23b": "If examined, differences in performance between clusters",
}


def paragraph(c: Comparison) -> str:
    """Say method and result in two sentences, with differences, intervals and p-values."""
    said = (_first_sentence(c), _second_sentence(c), c.population)
    return visible(" ".join(filter(None, said)))


def _first_sentence(c: Comparison) -> str:
    """The data, the best model and its value."""
    levels = list(map(str, c.scale))
    on = f"On {_amount(c)} of {c.scale.k} ordered classes"
    on += f" ({levels[0]} to {levels[-1]})" if c.scale.k > 1 else ""
    m, best = c.primary, c.models[0]
    x = c.estimates[m.name][best]
    if math.isnan(x.estimate):
        return f"{on}, {without_value(c)}."
    if len(c.models) == 1:
        return f"{on}, {best} had a {m.display} of {_given(c, m, x)}."
    if c.reference is not None:
        given = _given(c, m, c.estimates[m.name][c.reference])
        return f"{on}, the reference {c.reference} had a {m.display} of {given}."
    most = {True: f"the highest {m.display}", False: f"the lowest {m.display}"}
    what = f"the {m.display} closest to 0"
    if m.greater_is_better is not None:
        what = most[m.greater_is_better]
    return f"{on}, {best} had {what}: {_given(c, m, x)}."


def _given(c: Comparison, m: Metric, x: Interval) -> str:
    """A value, and in brackets its interval and the paper of the measure."""
    around = ends(x.low, x.high)
    ci = f"{percent(x.level)} CI {around}; " if around else ""
    if x.ruled_out:
        ci = f"probability 0 was given to the true class of {plural(x.ruled_out, c.unit)}; "
    return f"{plain(x.estimate)} ({ci}{cited(str(m.reference))})"


def _second_sentence(c: Comparison) -> str:
    """The differences from the best model, or from the reference, and what a margin says."""
    m, alpha = c.primary, 1 - c.level
    if len(c.models) == 1:
        values = {n: v[m.name] for n, v in c.baselines.items() if math.isfinite(v[m.name])}
        if not values or m.greater_is_better is None:
            return ""
        name = max(values, key=lambda n: float(m.utility(values[n])))
        return f"The best no-skill baseline ({name}) had {plain(values[name])}."
    against = c.reference or c.models[0]
    found = [d for d in c.pairs if d.metric == m.name and against in (d.a, d.b)]
    found = [d for d in found if math.isfinite(d.delta) and d.p_value == d.p_value]
    if not found:
        return "The differences are undefined."
    sides = {
        "better": [d for d in found if d.p_adjusted <= alpha and d.favours != against],
        "worse": [d for d in found if d.p_adjusted <= alpha and d.favours == against],
        "level": [d for d in found if not d.p_adjusted <= alpha],
    }
    alone = len(c.models) == 2
    parts = []
    for side, deltas in sides.items():
        if not deltas:
            continue
        names = _named(deltas, against, c)
        p = at_most(max(d.p_adjusted for d in deltas), exact=len(deltas) == 1).replace("<=", "≤")
        if side == "level":
            p = at_most(min(d.p_adjusted for d in deltas), exact=True)
            p = p if len(deltas) == 1 else p.replace("p =", "p ≥")
        verb = "was" if len(deltas) == 1 else "were"
        if c.reference is None:
            words = f"was significantly better than {names}"
            words = f"did not differ significantly from {names}" if side == "level" else words
        else:
            words = f"{names} {verb} significantly {side} than {against}"
            if side == "level":
                words = f"{names} did not differ significantly from {against}"
        parts.append(f"{words}, {'corrected ' * (not alone)}{p}")
    said = f"It {', and '.join(parts)}" if c.reference is None else "; ".join(parts)
    return f"{said} ({_tests(c)}){_margin(c, found)}."


def _named(deltas: list[Delta], against: str, c: Comparison) -> str:
    """Models with their differences, as many as a sentence can hold."""
    best = c.reference is None
    # Gains of the best model over the others, or differences of the others from the reference.
    gains = []
    for d in deltas[:_IN_NUMBERS]:
        sign = 1 if (d.a == against) == best else -1
        sign = sign if d.greater_is_better or not best else -sign
        low, high = sorted((sign * d.low, sign * d.high))
        gains.append((d.a if d.b == against else d.b, sign * d.delta, low, high))
    signs = not best or any(low < 0 for *_, low, _ in gains)
    shown = []
    for i, (other, value, low, high) in enumerate(gains):
        what, ci = ("difference ", f"{percent(c.level)} CI ") if i == 0 else ("", "")
        number = difference(value) if signs else plain(value)
        shown.append(f"{other} ({what}{number}, {ci}{ends(low, high, sign=signs)})")
    if hidden := len(deltas) - len(shown):
        shown.append(f"{hidden} more {'model' if hidden == 1 else 'models'}")
    return joined(shown, most=_IN_NUMBERS + 1)


def _tests(c: Comparison) -> str:
    """The tests, and what their p-values are corrected for."""
    tests = "paired t test" if c.method == "auto" else "paired bootstrap test"
    if len(c.models) == 2:
        return tests
    pairs = math.comb(len(c.models), 2) if c.reference is None else len(c.models) - 1
    return f"{tests}s corrected for {pairs:,} comparisons, step-down max-t; Romano & Wolf 2005"


def _margin(c: Comparison, found: list[Delta]) -> str:
    """What the margin says about each model."""
    if c.margin is None:
        return ""
    if c.reference is None:
        alike = [d.b if d.a == c.models[0] else d.a for d in found if d.equivalent]
        said = f"{joined(alike)} {'was' if len(alike) == 1 else 'were'} equivalent to {c.models[0]}"
        return (
            f"; by a margin of {c.margin:g}, {said if alike else 'no model was equivalent to it'}"
        )
    words = {
        "non-inferior": "non-inferior",
        "inferior": "inferior",
        "not shown": "not shown to be non-inferior",
    }
    parts = []
    for verdict, text in words.items():
        if names := [d.a for d in found if d.verdict == verdict]:
            parts.append(f"{joined(names)} {'was' if len(names) == 1 else 'were'} {text}")
    return f"; by a margin of {c.margin:g}, {joined(parts)}" if parts else ""


def cited(citation: str) -> str:
    """Return a citation for the text: two authors at most, and the year.

    >>> cited("Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020, An effectiveness metric")
    'Amigó et al. 2020'
    >>> cited("Romano & Wolf 2005, Stepwise multiple testing")
    'Romano & Wolf 2005'
    """
    begin = authors_and_year(citation)
    return f"{begin.partition(',')[0]} et al. {begin[-4:]}" if "," in begin else begin


def checklist(c: Comparison, subgroups: Mapping[Any, Comparison] | None) -> Table:
    """What TRIPOD+AI asks about performance, filled in where it is known."""
    known = _known(c, subgroups)
    rows = tuple(cells(item, text, known[item]) for item, text in _ASKED.items())
    note = f"Items in our words; what is not known here is marked “{_YOURS}”. Source: {TRIPOD_AI}."
    head = ("item", "what is asked", "in this report")
    return Table(head, rows, "TRIPOD+AI: performance", (note,), head[1:])


def _known(c: Comparison, subgroups: Mapping[Any, Comparison] | None) -> dict[str, str]:
    """What is known of each item."""
    by = ", ".join(subgroups.by) if isinstance(subgroups, Comparisons) else "subgroup"
    shown = f"performance by {by}, see Subgroups" if subgroups else ""
    left_out = f"no {c.unit} was left out; missing predictors are {_YOURS}"
    if c.left_out:
        left_out = f"{were(c.left_out, c.unit)} left out for a missing or unknown label"
    balance, outcomes = _YOURS, _amount(c)
    if c.support:
        most = plural(max(c.support), c.unit)
        balance += f"; the rarest true class has {min(c.support):,}, the largest {most}"
        outcomes += f"; by true class, lowest first: {', '.join(f'{n:,}' for n in c.support)}"
    fairness = f"{_YOURS} (report --by shows performance in groups)"
    if subgroups:
        fairness = f"{shown}; what was done is {_YOURS}"
    measures = joined([m.short for m in c.metrics], most=12)
    groups = "Subgroups" if subgroups else "no subgroups were given"
    alone = f"performance in each {c.cluster_unit} is not given (report --by)"
    between = f"see Subgroups, if they are the {many(c.cluster_unit)}"
    return {
        "10": f"{_amount(c)}; why so many is {_YOURS} (ordeval plan)",
        "11": left_out,
        "12d": f"{_clusters(c)}; {shown or alone}",
        "12e": f"{measures}; models are ranked by {c.primary.short}, compared as in Method and "
        f"drawn in the HTML and Word reports. Why these is {_YOURS}",
        "13": balance,
        "14": fairness,
        "15": _output(c),
        "21": outcomes,
        "23a": f"Models and measures, {percent(c.level)} intervals; {groups}",
        "23b": between if subgroups else "not examined (report --by)",
    }


def _amount(c: Comparison) -> str:
    return plural(c.items, c.unit) + in_clusters(c.clusters, c.cluster_unit)


def _clusters(c: Comparison) -> str:
    items = many(c.unit)
    if c.clusters:
        of_each = f"the {items} of each {c.cluster_unit}"
        return f"intervals and tests keep {of_each} together ({c.clusters:,})"
    return f"{items} are treated as independent"


def _output(c: Comparison) -> str:
    if not c.matrices:
        return f"scores that order the {many(c.unit)}"
    classes = f"{c.scale.k} ordered classes ({', '.join(map(str, c.scale))})"
    if c.outputs == "probabilities":
        return f"probabilities of {classes}; how they became labels: see Method"
    return f"one of {classes}; how the labels were found is {_YOURS}"
