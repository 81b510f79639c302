"""FoldComparison: models compared by cross-validation on one data set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ordeval._shared.result import Concluded
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    BETTER,
    bracketed,
    joined,
    number,
    p_value,
    plural,
    signed,
    visible,
    with_ends,
)
from ordeval._shared.types import Floats
from ordeval.inference.given_scores.practical_equivalence import Chances
from ordeval.results.phrases import (
    NO_PROOF,
    PRACTICAL_HEAD,
    against_reference,
    better_significantly,
    cut_short,
    display_of,
    exact_p,
    in_practice,
    percent,
    practical_cells,
    practical_note,
)

_SHOWN_PAIRS: Final = 10


@dataclass(frozen=True, kw_only=True)
class FoldDelta:
    """The mean difference of two models over the same folds, A minus B."""

    a: str
    b: str
    mean_a: float
    mean_b: float
    delta: float
    low: float
    high: float
    p_value: float  # corrected t test, two-sided; NaN if the difference is the same in all folds
    p_holm: float  # corrected over the pairs
    favours: str | None  # the significantly better model, by the corrected p-value
    probability_worse: float  # that A is worse than B in practice; NaN without a rope
    probability_equivalent: float
    probability_better: float

    @property
    def chances(self) -> Chances:
        """Probabilities that A is worse than B, equivalent to it or better, in practice."""
        return Chances(self.probability_worse, self.probability_equivalent, self.probability_better)

    def __str__(self) -> str:
        return visible(f"{self.a} - {self.b} = {self.interval}, {exact_p(self.p_value)}")

    @property
    def interval(self) -> str:
        """The difference and its interval in a sentence."""
        return with_ends(self.delta, self.low, self.high, signed)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FoldComparison(Concluded):
    """Mean scores over the folds, and differences corrected for overlapping training sets.

    Of a two-sided measure, means and differences are of the distance to its best value.
    """

    _kind: ClassVar[str] = "ordeval.fold_comparison"

    models: tuple[str, ...]  # best mean first
    means: Mapping[str, float]
    scores: Mapping[str, Floats]  # as given: (repeats, folds), or (splits,) of random splits
    pairs: tuple[FoldDelta, ...]
    metric: str | None
    greater_is_better: bool | None  # None: of a two-sided measure
    reference: str | None  # the model that all others are compared with
    test_share: float  # of the items, that a fold is tested on
    level: float
    rope: float | None  # the largest difference that makes none in practice, if one was named

    @property
    def design(self) -> str:
        """How the data were divided, in words."""
        shape = next(iter(self.scores.values())).shape
        if len(shape) == 1:
            return plural(shape[0], "random split")
        folds = plural(shape[1], "fold")
        return folds if shape[0] == 1 else f"{plural(shape[0], 'repeat')} of {folds}"

    @property
    def tests(self) -> int:
        """How many pairs could be tested."""
        return sum(d.p_value == d.p_value for d in self.pairs)

    def conclusion(self) -> str:
        """What can and what cannot be concluded, in plain words."""
        reference = self.reference
        tests = (
            _against_the_rest(self) if reference is None else _against_reference(self, reference)
        )
        return "\n\n".join(visible(x) for x in (_best(self), tests, *_in_practice(self)) if x)

    def table(self) -> Table:
        """One row per pair of models."""
        several = self.tests > 1
        # The probabilities say who is better, and leave no room for saying it twice.
        last = ("favours",) if self.rope is None else PRACTICAL_HEAD
        head = ("pair", "difference", "p", *(("p Holm",) if several else ()), *last)
        rows = tuple(
            cells(
                f"{d.a} − {d.b}",
                Cell(signed(d.delta), bracketed(d.low, d.high, signed)),
                p_value(d.p_value),
                *((Cell(p_value(d.p_holm)),) if several else ()),
                *((Cell(d.favours or ""),) if self.rope is None else practical_cells(d.chances)),
            )
            for d in self.pairs
        )
        caption = f"differences in {display_of(self.metric or 'scores')} over {self.design}"
        return Table(head, rows, caption, tuple(self._notes()), ("favours",))

    def _notes(self) -> Iterator[str]:
        over = f"; Holm corrects over {self.tests} pairs" if self.tests > 1 else ""
        yield (
            f"{percent(self.level)} intervals and p by the t test that is corrected for "
            f"overlapping training sets (Nadeau & Bengio 2003){over}."
        )
        if self.rope is not None:
            yield practical_note(self.rope)

    def tables(self) -> Sequence[Table]:
        """The models, then the differences."""
        return self._means(), cut_short(self.table(), _SHOWN_PAIRS, "pairs", ".table()")

    def _means(self) -> Table:
        top = self.means[self.models[0]]
        rows = tuple(
            cells(
                m,
                Cell(number(self.means[m]), best=self.means[m] == top),
                number(float(self.scores[m].min())),
                number(float(self.scores[m].max())),
            )
            for m in self.models
        )
        of = "distance to the best value" if self.greater_is_better is None else "mean"
        return Table(("model", of, "lowest", "highest"), rows, self._caption())

    def _caption(self) -> str:
        better = f"{BETTER[self.greater_is_better]} is better"
        what = f"{display_of(self.metric or 'scores')}, {better}"
        reference = f", reference {self.reference}" if self.reference is not None else ""
        return f"{what}, {self.design}, {plural(len(self.models), 'model')}{reference}"

    def rows(self) -> list[dict[str, Any]]:
        """One record per pair of models."""
        return [dict(vars(d)) for d in self.pairs]

    def _facts(self) -> dict[str, Any]:
        """The means, the scores, the differences and what they say."""
        return {**vars(self), "conclusion": self.conclusion()}


def _best(c: FoldComparison) -> str:
    first = c.models[0]
    ties = [m for m in c.models if c.means[m] == c.means[first]]
    by = f"By {display_of(c.metric)}, " if c.metric else ""
    value = number(c.means[first])
    if c.greater_is_better is None:
        value = f"{value} away from the best value"
    does = f"{joined(ties)} tie" if len(ties) > 1 else _leads(c)
    return f"{by}{does}: {value} on average over {c.design}."


def _leads(c: FoldComparison) -> str:
    """That the first model is best, or only has the best value."""
    best, found = c.models[0], [d for d in c.pairs if c.models[0] in (d.a, d.b)]
    sure = found and all(d.p_holm <= 1 - c.level for d in found)
    return f"{best} is best" if sure else f"{best} has the best value"


def _against_the_rest(c: FoldComparison) -> str:
    """Who is clearly behind the best model and who may be level with it."""
    best = c.models[0]
    found = [d for d in c.pairs if d.a == best]
    behind = [_beside(d, d.b) for d in found if d.p_holm <= 1 - c.level]
    level = [_beside(d, d.b) for d in found if d.p_holm > 1 - c.level]
    said = [f"{better_significantly(best, behind)}."] if behind else []
    said += [f"No significant difference from {joined(level)}. {NO_PROOF}"] if level else []
    return " ".join([*said, *_without_error(found), *_holm(c)])


def _beside(d: FoldDelta, model: str) -> str:
    """One of the two models, with the difference."""
    return f"{model} ({d.interval}, {exact_p(d.p_holm)})"


def _against_reference(c: FoldComparison, reference: str) -> str:
    """How each model differs from the one that was named beforehand."""
    said = against_reference(
        reference,
        (
            (d.favours == d.a if d.favours else None, _beside(d, d.a))
            for d in c.pairs
            if not math.isnan(d.p_holm)
        ),
    )
    return " ".join([*([f"{said}."] if said else []), *_without_error(c.pairs), *_holm(c)])


def _without_error(pairs: Sequence[FoldDelta]) -> Iterator[str]:
    """That nothing tells how sure a constant difference is."""
    constant = [
        f"between {d.a} and {d.b} ({signed(d.delta)})" for d in pairs if math.isnan(d.p_value)
    ]
    if constant:
        yield (
            f"In every fold the difference is the same {joined(constant)}, so its uncertainty "
            f"is unknown."
        )


def _holm(c: FoldComparison) -> Iterator[str]:
    if c.tests > 1:
        yield f"Each p is corrected for {c.tests} pairs (Holm)."


def _in_practice(c: FoldComparison) -> Iterator[str]:
    """What matters in practice, of the best model or of each against the reference."""
    if c.rope is None:
        return
    model = c.models[0] if c.reference is None else c.reference
    against = {d.b: d.chances for d in c.pairs if d.a == model}
    # The reference is the second of its pairs.
    against |= {d.a: Chances(*d.chances[::-1]) for d in c.pairs if d.b == c.reference}
    yield in_practice("Bayesian correlated t test", model, against, rope=c.rope, level=c.level)
