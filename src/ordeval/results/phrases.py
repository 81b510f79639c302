"""The phrase book of results: verdicts, values with intervals, p-values and lists of names.

Numbers and lists are formatted by ``ordeval._shared.text``; sentences are made of the phrases here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import numpy as np

from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import (
    agreeing,
    argument,
    at_most,
    bracketed,
    joined,
    many,
    number,
    plural,
    share,
    signed,
    with_ends,
)
from ordeval.inference.advice import RARE
from ordeval.inference.given_scores.practical_equivalence import Chances
from ordeval.inference.intervals import Interval
from ordeval.measures import Metric, metrics

if TYPE_CHECKING:
    from ordeval.inference.paired import Delta
    from ordeval.results.comparison import Comparison

K = TypeVar("K")
Show = Callable[[float], str]
Detail = Literal["pairs", "all", "verbose"]  # what is printed beside the answer
NO_PROOF: Final = "This does not show that they are equal."
PRACTICAL_HEAD: Final = ("P(worse)", "P(equivalent)", "P(better)")
_FEW_ITEMS: Final = 30
_IN_NUMBERS: Final = 6  # differences of more models are named, without numbers
_BESIDE: Final = {
    True: "Significantly better than",
    False: "Significantly worse than",
    None: "No significant difference from",
}


def in_words(x: Interval, show: Show = number) -> str:
    """A value with its interval, if there is one: "0.759 [0.743, 0.775]"."""
    return with_ends(x.estimate, x.low, x.high, show)


def with_interval(x: Interval, show: Show = number) -> str:
    """A value with its interval in a sentence: "0.759, 95% CI [0.743, 0.775]"."""
    ends = bracketed(x.low, x.high, show)
    return f"{show(x.estimate)}, {percent(x.level)} CI {ends}" if ends else show(x.estimate)


def spoken(value: float, low: float, high: float, show: Show = number) -> str:
    """A value with its interval, if there is one, to be read aloud: "0.759 from 0.743 to 0.775"."""
    return show(value) + ("" if math.isnan(low) else f" from {show(low)} to {show(high)}")


def estimate_cell(x: Interval, show: Show = number) -> Cell:
    """A value with its interval, if there is one, in a table."""
    return Cell(show(x.estimate), bracketed(x.low, x.high, show))


def estimate_record(name: str, x: Interval) -> dict[str, float]:
    """A value and its interval in a record."""
    return {name: x.estimate, f"{name}_low": x.low, f"{name}_high": x.high}


def exact_p(p: float) -> str:
    """A p-value in a sentence: "p = 0.0123", "p < 0.0001"."""
    return at_most(p, exact=True)


def said_of(names: Sequence[str], words: str, most: int = 8) -> str:
    """Names, and the statement about them: "a and b are better than c"."""
    return f"{joined(names, most=most)} {agreeing(len(names), words)}"


def grouped(pairs: Iterable[tuple[K, str]]) -> dict[K, list[str]]:
    """Names by the statement about them, both in the order given."""
    groups: dict[K, list[str]] = {}
    for verdict, name in pairs:
        groups.setdefault(verdict, []).append(name)
    return groups


def by_verdict(pairs: Iterable[tuple[K, str]], words: Mapping[K, str], most: int = 8) -> str:
    """Names by verdict, in the order of the words for the verdicts.

    >>> words = {"better": "are better than c", "worse": "are worse than c"}
    >>> by_verdict([("worse", "a"), ("better", "b"), ("better", "d")], words)
    'b and d are better than c; a is worse than c'
    """
    groups = grouped(pairs)
    return "; ".join(said_of(groups[v], text, most) for v, text in words.items() if v in groups)


def against_reference(reference: str, found: Iterable[tuple[bool | None, str]]) -> str:
    """Models beside a reference: True, better; False, worse; None, no significant difference."""
    groups = grouped(found)
    said = [
        f"{_BESIDE[v]} {reference}: {joined(groups[v], most=8)}" for v in _BESIDE if v in groups
    ]
    return ". ".join(said)


def better_significantly(best: str, others: Sequence[str]) -> str:
    """That a model is better than others."""
    return f"{best} is significantly better than {joined(others)}"


def sentence(text: str) -> str:
    """A text as a sentence, with a capital and one full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def in_clusters(clusters: int, unit: str = "cluster") -> str:
    """In how many clusters items lie; empty if they stand alone."""
    return f" in {plural(clusters, unit)}" if clusters else ""


def not_shown(hidden: int, what: str, where: str) -> str:
    """The number of hidden rows, and where to find all."""
    return f"{hidden:,} more {what} are not shown; {argument(where)} has them all."


def cut_short(table: Table, most: int, what: str, where: str) -> Table:
    """The first rows of a table, with a note of how many there are more."""
    hidden = len(table.rows) - most
    if hidden <= 0:
        return table
    notes = (not_shown(hidden, what, where), *table.notes)
    return replace(table, rows=table.rows[:most], notes=notes)


def few_items(sizes: Any, rarest: Any, unit: str = "item") -> Iterator[str]:
    """How many subgroups are small, or have a small class, by their sizes and that of the class.

    >>> print(*few_items([9, 200, 99], [3, 50, 4]))
    1 of 3 subgroups has fewer than 30 items, and 1 more a class of fewer than 10: values may be
    unreliable.
    """
    few = np.asarray(sizes) < _FEW_ITEMS
    small, rare = int(few.sum()), int((np.asarray(rarest)[~few] < RARE).sum())
    if not small and not rare:
        return
    has = agreeing(small or rare, "have")
    units = many(unit)
    items = f"fewer than {_FEW_ITEMS} {units}" if small else f"a class of fewer than {RARE} {units}"
    more = f", and {rare:,} more a class of fewer than {RARE}" if small and rare else ""
    what = "values" if small else "averages over classes"
    yield (
        f"{small or rare:,} of {plural(len(few), 'subgroup')} {has} {items}{more}: "
        f"{what} may be unreliable."
    )


def rarest_class(items: Any) -> Any:
    """The number of items of the smallest class that occurs, of counts (..., K)."""
    counts = np.asarray(items, dtype=np.float64)
    return np.where(counts > 0, counts, np.inf).min(axis=-1)


def display_of(name: str) -> str:
    """The display name of a measure that is known by its identifier."""
    known = {m.name: m.display for m in metrics()}
    return known.get(name, name)


def with_weights(metric: Metric) -> str:
    """The name of a measure in a sentence, with the weights that it takes.

    >>> import ordeval as oe
    >>> with_weights(oe.weighted_kappa)
    'quadratic weighted kappa'
    """
    return metric.display


def percent(level: float) -> str:
    """A level as it was given: 95%, 99.5%."""
    return f"{100 * level:g}%"


def practical_cells(chances: Chances) -> tuple[Cell, ...]:
    """The three probabilities in a table."""
    return tuple(Cell(share(x)) for x in chances)


def practical_note(rope: float) -> str:
    """What the three probabilities are of."""
    up_to = f"; differences up to {rope:g} count as none" if rope else ""
    return (
        f"P: probability that the first model of the pair is worse than, equivalent to or better "
        f"than the second in practice{up_to}."
    )


def in_practice(
    test: str, model: str, others: Mapping[str, Chances], *, rope: float, level: float
) -> str:
    """What a test is sure of in practice, about a model against each of the others."""
    # Without anything to test with, the probabilities are NaN.
    known = {m: chances for m, chances in others.items() if not math.isnan(chances.better)}
    groups = grouped(_side(other, chances, level) for other, chances in known.items())
    sides = ("better than", "equivalent to", "worse than")
    sure = [f"{side} {joined(groups[side])}" for side in sides if side in groups]
    what = f"differences up to {rope:g} do not matter" if rope else "every difference matters"
    said = [f"{model} is {joined(sure)}"] if sure else []
    if "" in groups:
        said.append(f"no conclusion at {percent(level)} about {model} against {joined(groups[''])}")
    return f"{test}: if {what}, {'; '.join(said)}." if said else ""


def _side(other: str, chances: Chances, level: float) -> tuple[str, str]:
    """What a model is next to another one, empty if that is not sure, and the probabilities."""
    by_side = {
        "better than": chances.better,
        "equivalent to": chances.equivalent,
        "worse than": chances.worse,
    }
    side = max(by_side, key=by_side.__getitem__)
    if by_side[side] >= level:
        return side, f"{other} (probability {share(by_side[side])})"
    worse, equivalent, better = map(share, chances)
    return "", f"{other} (better {better}, equivalent {equivalent}, worse {worse})"


def differences_of(c: Comparison) -> list[Delta]:
    """The differences by the measure that decides."""
    return [d for d in c.pairs if d.metric == c.primary.name]


def _noninferior_p(d: Delta) -> str:
    """The p-values of non-inferiority, and what else decides."""
    raw, corrected = d.p_noninferior, d.p_noninferior_adjusted
    shown = [f"one-sided raw {exact_p(math.nan if raw is None else raw)}"]
    if corrected is not None:
        shown.append(f"corrected {exact_p(corrected)}")
    if d.too_few and d.verdict == "not shown":
        shown.append(d.too_few)
    return ", ".join(shown)


def with_margin(c: Comparison) -> list[Delta]:
    """The differences by the measure that decides that a margin is about."""
    return [d for d in differences_of(c) if d.margin is not None and d.p_value == d.p_value]


def margin_words(c: Comparison) -> str:
    """What the margin of non-inferiority says about the models."""
    deltas = with_margin(c)
    if not deltas:
        return ""
    if c.reference is None:
        return _within_the_margin(c, [d for d in deltas if d.a == c.models[0]])
    if len(deltas) == 1:
        return f"{deltas[0].sentence()}."
    return f"{by_margin(deltas)}. One-sided p-values are corrected for {len(deltas)} tests (Holm)."


def margin_sentences(c: Comparison) -> list[str]:
    """What the margin says, model by model: sentences to copy."""
    deltas = with_margin(c)
    if c.reference is None:
        return [margin_words(c)] if deltas else []
    return [f"{d.sentence()}." for d in deltas]


def by_margin(deltas: list[Delta]) -> str:
    """Models by what the margin says about them, against the reference."""
    if len(deltas) < 2:
        return "".join(d.sentence() for d in deltas)
    reference, several = deltas[0].b, len(deltas)
    words = {
        "non-inferior": f"are non-inferior to {reference}",
        "inferior": f"are inferior to {reference}",
        "not shown": f"are not shown to be non-inferior to {reference}",
    }
    shown = []
    for d in deltas:
        ends = f"{signed(d.delta)} {d.shown_ends}"
        named = f"{d.a} ({ends}, {_noninferior_p(d)})" if several <= _IN_NUMBERS else d.a
        shown.append((d.verdict, named))
    said = by_verdict(shown, words)
    if alike := [d.a for d in deltas if d.equivalent]:
        said += f"; {said_of(alike, f'are equivalent to {reference} within the margin')}"
    lower = "" if deltas[0].greater_is_better else " (lower is better)"
    return f"Margin {deltas[0].margin:g} in {deltas[0].display}{lower}: {said}"


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
    said = said_of(near, "are") if near else said_of([d.b for d in deltas], "are not shown to be")
    return (
        f"Margin {c.margin:g} in {c.primary.display}: {said} non-inferior to {c.models[0]} "
        f"({alone}{percent(c.level)} CI{'s' * (len(deltas) > 1)}, not corrected). "
        f"These data selected {c.models[0]}; a claim of non-inferiority needs a "
        "reference chosen beforehand."
    )
