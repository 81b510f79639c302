"""What goes into a paper: two sentences to copy, and what TRIPOD+AI asks about performance."""

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from ordeval._shared.tables import Table, cells
from ordeval._shared.text import joined, plural, signed, visible, with_ends
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import Delta
from ordeval.report.method import authors_and_year, were
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Comparisons
from ordeval.results.conclusion import without_value
from ordeval.results.phrases import exact_p, in_words, percent

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
    """Method and result in two sentences, with differences, their intervals and p-values."""
    return visible(f"{_method(c)} {_result(c)}")


def _method(c: Comparison) -> str:
    of = f", in {c.clusters:,} clusters," if c.clusters else ""
    how = "t intervals from leaving out one unit at a time"
    if c.method != "auto":
        kind = "BCa" if c.method == "bca" else c.method
        how = f"{kind} bootstrap intervals ({c.n_resamples:,} resamples)"
    return (
        f"We evaluated {plural(len(c.models), 'model')} on {plural(c.items, 'item')}{of} of "
        f"{c.scale.k} ordered classes by {c.primary.name} "
        f"({authors_and_year(str(c.primary.reference))}), with {percent(c.level)} {how}{_tests(c)}."
    )


def _tests(c: Comparison) -> str:
    """The tests of differences; their p-values may be corrected, intervals are not."""
    if len(c.models) < 3:
        return " and a paired test" if len(c.models) == 2 else ""
    all_of = f"{math.comb(len(c.models), 2):,} pairs"
    if c.reference is not None:
        all_of = f"comparisons with {c.reference}"
    return (
        f", each by itself, and paired tests, whose p-values are corrected for all {all_of} by "
        f"step-down max-t (Romano & Wolf 2005)"
    )


def _result(c: Comparison) -> str:
    estimates = c.estimates[c.primary.name]
    if np.isnan([x.estimate for x in estimates.values()]).all():
        return f"{without_value(c)}."
    shown = [f"{_value(estimates[m])} for {m}" for m in c.models[:_IN_NUMBERS]]
    hidden = len(c.models) - _IN_NUMBERS
    rest = f" ({plural(hidden, 'further model')} did worse)" if hidden > 0 else ""
    told = [_difference(d, c) for d in _worth_telling(c)]
    return f"{c.primary.name} was {'; '.join([joined(shown) + rest, *told])}."


def _value(x: Interval) -> str:
    if not np.isinf(x.estimate):
        return in_words(x)
    given = f" (probability 0 was given to what happened to {plural(x.ruled_out, 'item')})"
    return f"infinite{given if x.ruled_out else ''}"


def _worth_telling(c: Comparison) -> list[Delta]:
    """The differences from the reference, or between the best model and the others."""
    found = [d for d in c.pairs if d.metric == c.primary.name and np.isfinite(d.delta)]
    if c.reference is None:
        found = [d for d in found if c.models[0] in (d.a, d.b)]
    return found[:_IN_NUMBERS]


def _difference(d: Delta, c: Comparison) -> str:
    corrected = len([x for x in c.pairs if x.metric == d.metric]) > 1
    p = f"corrected {exact_p(d.p_adjusted)}" if corrected else exact_p(d.p_value)
    difference = with_ends(d.delta, d.low, d.high, signed)
    return f"the difference between {d.a} and {d.b} was {difference}, {p}"


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
    left_out = f"no item was left out; missing predictors are {_YOURS}"
    if c.left_out:
        left_out = f"{were(c.left_out)} left out for a missing or unknown label"
    balance, outcomes = _YOURS, _amount(c)
    if c.support:
        most = plural(max(c.support), "item")
        balance += f"; the rarest true class has {min(c.support):,}, the largest {most}"
        outcomes += f"; by true class, lowest first: {', '.join(f'{n:,}' for n in c.support)}"
    fairness = f"{_YOURS} (report --by shows performance in groups)"
    if subgroups:
        fairness = f"{shown}; what was done is {_YOURS}"
    measures = joined([m.symbol for m in c.metrics], most=12)
    groups = "Subgroups" if subgroups else "no subgroups were given"
    alone = "performance in each cluster is not given (report --by)"
    between = "see Subgroups, if they are the clusters"
    return {
        "10": f"{_amount(c)}; why so many is {_YOURS} (ordeval plan)",
        "11": left_out,
        "12d": f"{_clusters(c)}; {shown or alone}",
        "12e": f"{measures}; {c.primary.name} decides; compared as in Method, drawn in the HTML "
        f"and Word reports. Why these is {_YOURS}",
        "13": balance,
        "14": fairness,
        "15": _output(c),
        "21": outcomes,
        "23a": f"Models and measures, {percent(c.level)} intervals; {groups}",
        "23b": between if subgroups else "not examined (report --by)",
    }


def _amount(c: Comparison) -> str:
    return f"{plural(c.items, 'item')}{f' in {c.clusters:,} clusters' if c.clusters else ''}"


def _clusters(c: Comparison) -> str:
    if c.clusters:
        return f"intervals and tests take the items of each of {c.clusters:,} clusters together"
    return "items are taken as independent of each other"


def _output(c: Comparison) -> str:
    if not c.matrices:
        return "scores that order the items"
    classes = f"{c.scale.k} ordered classes ({', '.join(map(str, c.scale))})"
    if set(c.models) <= set(c.forecasts):
        return f"probabilities of {classes}; how they became labels: see Method"
    return f"one of {classes}; how the labels were found is {_YOURS}"
