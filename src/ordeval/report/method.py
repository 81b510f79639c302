"""How a comparison was made: sentences for the methods section of a paper, and its references."""

import math
import re
from collections.abc import Iterator
from typing import Final

from ordeval._shared.text import agreeing, capital, joined, many, plural
from ordeval._version import __version__
from ordeval.report.nouns import Nouns
from ordeval.results.comparison import Comparison
from ordeval.results.overview import about
from ordeval.results.phrases import percent

_EFRON: Final = (
    "Efron 1987, Better bootstrap confidence intervals, Journal of the American Statistical "
    "Association 82"
)
_AGRESTI: Final = (
    "Agresti & Coull 1998, Approximate is better than 'exact' for interval estimation of binomial "
    "proportions, The American Statistician 52"
)
_QUENOUILLE: Final = "Quenouille 1956, Notes on bias in estimation, Biometrika 43"
_ROMANO: Final = (
    "Romano & Wolf 2005, Stepwise multiple testing as formalized data snooping, Econometrica 73"
)
_SHAIKH: Final = (
    "Romano, Shaikh & Wolf 2014, A practical two-step method for testing moment inequalities, "
    "Econometrica 82"
)
_MOGSTAD: Final = (
    "Mogstad, Romano, Shaikh & Wilhelm 2024, Inference for ranks with applications to mobility "
    "across neighbourhoods and academic achievement across countries, Review of Economic Studies 91"
)
_SCHUIRMANN: Final = (
    "Schuirmann 1987, A comparison of the two one-sided tests procedure and the power approach for "
    "assessing the equivalence of average bioavailability, Journal of Pharmacokinetics and "
    "Biopharmaceutics 15"
)
_HOLM: Final = (
    "Holm 1979, A simple sequentially rejective multiple test procedure, Scandinavian Journal of "
    "Statistics 6"
)


def authors_and_year(citation: str) -> str:
    """What a citation begins with.

    >>> authors_and_year("Holm 1979, A simple sequentially rejective multiple test procedure")
    'Holm 1979'
    """
    found = re.match(r".*?\b\d{4}\b", citation)
    return found[0] if found else citation


def were(items: int, unit: str = "item") -> str:
    """ "1 item was", "2 items were"."""
    return f"{plural(items, unit)} {agreeing(items, 'were')}"


def method(c: Comparison) -> Iterator[str]:
    """Sentences for the methods section of a paper."""
    several = len(c.models) > 1
    were_evaluated = agreeing(len(c.models), "were evaluated")
    measures = "; ".join(f"{m.display} ({authors_and_year(str(m.reference))})" for m in c.metrics)
    yield (
        f"{plural(len(c.models), 'model')} {were_evaluated} on "
        f"{plural(c.items, c.unit)} of {c.scale.k} ordered classes. Performance was measured by "
        f"{measures}; models were ranked by {c.primary.display}."
    )
    if c.left_out:
        yield f"{were(c.left_out, c.unit)} left out for a missing or unknown label."
    if c.weight is not None:
        yield (
            f"{capital(many(c.unit))} were weighted; the effective sample size (Kish) is "
            f"{c.effective:,.0f}, of {plural(c.items, c.unit)}."
        )
    yield from about(c)
    yield from c.notes
    yield from _method_of_intervals(c)
    if several:
        yield from _method_of_differences(c)
    yield f"Computed with ordeval {__version__}."


def in_short(c: Comparison, nouns: Nouns) -> Iterator[str]:
    """Say how values, intervals, tests and ranks were computed, in a few sentences.

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
    low, high = (f"{x:g}" for x in c.primary.range.at(c.scale.k))
    better = {True: "higher is better", False: "lower is better", None: "closest to 0 is best"}
    runs = f"runs from {low} to {high}" if high != "inf" else f"is at least {low}"
    yield f"{capital(c.primary.display)} {runs}; {better[c.primary.greater_is_better]}."
    unit = f"the {c.clusters:,} {nouns.clusters}" if c.clusters else f"the {nouns.items}"
    if c.method == "auto":
        yield (
            f"Intervals are {percent(c.level)} t intervals from leave-one-out contributions of "
            f"{unit}."
        )
    else:
        kind = "BCa" if c.method == "bca" else c.method
        yield (
            f"Intervals are {percent(c.level)} {kind} bootstrap intervals from {c.n_resamples:,} "
            f"resamples of {unit}."
        )
    if len(c.models) > 1:
        yield f"Differences are paired, {nouns.item} by {nouns.item}."
    if len(c.models) > 2:
        pairs = f"all {math.comb(len(c.models), 2):,} pairs"
        over = pairs if c.reference is None else f"all comparisons with {c.reference}"
        yield f"P-values are corrected for {over} (step-down max-t)."
        yield f"Rank ranges hold for all {len(c.models)} models at once."
    alone = capital(nouns.clusters if c.clusters else nouns.items)
    yield f"{alone} are treated as independent."
    if c.weight is not None:
        yield (
            f"The {nouns.items} are weighted; the effective sample size (Kish) is "
            f"{c.effective:,.0f}."
        )
    yield from about(c)
    yield from c.notes


def _method_of_intervals(c: Comparison) -> Iterator[str]:
    level, clusters, items = percent(c.level), c.clusters, many(c.unit)
    if c.method != "auto":
        units = f"{c.units} with all their {items} ({clusters:,})" if clusters else items
        kind = "bias-corrected and accelerated (BCa)" if c.method == "bca" else c.method
        yield (
            f"Intervals of {level} are {kind} bootstrap intervals from {c.n_resamples:,} resamples "
            f"of {units}."
        )
        return
    of = f"{c.units} with all their {items}" if clusters else items
    among = f" ({clusters:,}, independent of each other)" if clusters else ""
    yield (
        f"Intervals of {level} are t intervals from the contributions of {of}{among} to each "
        f"measure (leave-one-out covariance), on the logit scale of the measure's range if that is "
        f"bounded, with one pseudo-item added (Agresti & Coull 1998)."
    )
    if any(m.biased for m in c.metrics):
        names = joined([m.display for m in c.metrics if m.biased])
        yield f"The bias of {names} was removed (Quenouille 1956)."


def _method_of_differences(c: Comparison) -> Iterator[str]:
    if c.method == "auto":
        yield (
            "Differences between models are paired: their t intervals and two-sided p-values come "
            "from the same contributions."
        )
    else:
        yield "Differences between models are paired: they come from the same resamples."
    if len(c.models) > 2:
        over = "for all pairs" if c.reference is None else f"for all comparisons with {c.reference}"
        yield (
            f"P-values are corrected {over} by a step-down max-t procedure (Romano & Wolf 2005), "
            f"each measure by itself. Ranks are confidence sets for all models at once (Mogstad, "
            "Romano, Shaikh & Wilhelm 2024), from the corrected tests of all pairs. "
            "Plausible bests are the models that no other model significantly beats "
            "(Romano, Shaikh & Wolf 2014)."
        )
    if c.margin is not None:
        against = c.reference if c.reference is not None else "the best model"
        if len(c.models) == 2 and c.reference is None:
            against = c.models[1]
        several = " Findings of non-inferiority were also corrected for all models (Holm 1979)."
        yield (
            f"Non-inferiority to {against} was judged by a margin of {c.margin:g} in "
            f"{c.primary.display} and the lower end of the {percent(c.level)} interval (one-sided "
            f"tests at the level of {(1 - c.level) / 2:.2g}), equivalence by both ends (Schuirmann "
            f"1987).{several if _by_holm(c) else ''}"
        )


def _by_holm(c: Comparison) -> bool:
    return c.margin is not None and c.reference is not None and len(c.models) > 2


def references(c: Comparison) -> tuple[str, ...]:
    """The papers of the measures and of the methods, by author."""
    several = len(c.models) > 1
    used = {
        _AGRESTI: c.method == "auto",
        _QUENOUILLE: c.method == "auto" and any(m.biased for m in c.metrics),
        _EFRON: c.method == "bca",
        _ROMANO: len(c.models) > 2,
        _MOGSTAD: len(c.models) > 2,
        _SHAIKH: len(c.models) > 2,
        _SCHUIRMANN: several and c.margin is not None,
        _HOLM: _by_holm(c),
    }
    methods = (text for text, is_used in used.items() if is_used)
    return tuple(sorted({*(str(m.reference) for m in c.metrics), *methods}))
