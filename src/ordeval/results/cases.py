"""CaseComparison: models compared across many test cases or data sets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final, Literal

from ordeval._shared.arguments import check_among, checked
from ordeval._shared.result import Concluded
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import joined, visible
from ordeval._shared.types import Floats, Integers
from ordeval.inference.given_scores.practical_equivalence import Chances
from ordeval.inference.given_scores.rank_tests import Distribution
from ordeval.results.phrases import (
    NO_PROOF,
    PRACTICAL_HEAD,
    exact_p,
    in_practice,
    practical_cells,
    practical_note,
)

_HOW: Final = {
    "exact": "exact",
    "permutations": "{:,} random permutations",
    "F": "F approximation",
    "normal": "normal approximation",
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CaseComparison(Concluded):
    """Mean ranks over cases, and tests of whether the models differ.

    Three or more models are tested by Friedman's test, two by Wilcoxon's signed ranks.
    """

    _kind: ClassVar[str] = "ordeval.case_comparison"

    models: tuple[str, ...]  # best mean rank first; of two, the one that signed ranks favour
    mean_ranks: Floats
    cases: int
    statistic: float  # Friedman's chi-squared; of two models the smaller sum of signed ranks
    p_value: float
    distribution: Distribution  # that the p-value is of
    method: Literal["nemenyi", "wilcoxon"]
    level: float
    critical_difference: float  # of mean ranks; NaN for the Wilcoxon tests
    pair_p_values: Floats  # (M, M), corrected for the number of pairs
    cliques: tuple[tuple[str, ...], ...]  # models next to each other that are not separated
    wins: Integers  # (M, M), cases in which the model of the row is better
    n_resamples: int  # of random permutations, and of draws of the posterior
    rope: float | None  # the largest difference that makes none in practice, if one was named
    better: Floats  # (M, M), probability that the row's model is better in practice; NaN: no rope
    equivalent: Floats  # (M, M), probability that there is no difference in practice

    @checked
    def chances(self, a: str, b: str) -> Chances:
        """Probabilities that ``a`` is worse than ``b``, equivalent to it or better, in practice."""
        check_among("a", a, self.models)
        check_among("b", b, self.models)
        i, j = self.models.index(a), self.models.index(b)
        found = self.better[j, i], self.equivalent[i, j], self.better[i, j]
        return Chances(*map(float, found))

    def conclusion(self) -> str:
        """What can be concluded, in plain words."""
        ranked = _of_two(self) if len(self.models) == 2 else _of_many(self)
        return visible(" ".join(x for x in (ranked, _too_few(self), self._in_practice()) if x))

    def _in_practice(self) -> str:
        if self.rope is None:
            return ""
        best, *others = self.models
        against = {m: self.chances(best, m) for m in others}
        test = "Bayesian signed-rank test"
        return in_practice(test, best, against, rope=self.rope, level=self.level)

    def table(self) -> Table:
        """Mean ranks, with the clique that each model belongs to."""
        top = self.mean_ranks.min()
        rows = tuple(
            cells(
                m,
                Cell(f"{r:.2f}", best=r == top),
                " ".join(chr(97 + j) for j, c in enumerate(self.cliques) if m in c),
            )
            for m, r in zip(self.models, self.mean_ranks, strict=True)
        )
        return Table(("model", "mean rank", "not separated"), rows, notes=(self.conclusion(),))

    def tables(self) -> Sequence[Table]:
        """The ranks; with a rope also what matters in practice."""
        if self.rope is None:
            return (self.table(),)
        rows = tuple(
            (Cell(f"{a} − {b}"), *practical_cells(self.chances(a, b))) for a, b in self._pairs()
        )
        practical = Table(("pair", *PRACTICAL_HEAD), rows, notes=(practical_note(self.rope),))
        return replace(self.table(), notes=()), practical

    def paragraphs(self) -> Sequence[str]:
        """The conclusion, unless it is below the only table."""
        return () if self.rope is None else (self.conclusion(),)

    def rows(self) -> list[dict[str, Any]]:
        """One record per model."""
        return [
            {
                "model": m,
                "mean_rank": float(r),
                "not_separated": [c for c in self.cliques if m in c],
            }
            for m, r in zip(self.models, self.mean_ranks, strict=True)
        ]

    def pair_rows(self) -> list[dict[str, Any]]:
        """One record per pair of models."""
        place = {m: i for i, m in enumerate(self.models)}
        return [
            {
                "a": a,
                "b": b,
                "wins": int(self.wins[place[a], place[b]]),
                "losses": int(self.wins[place[b], place[a]]),
                "p_value": float(self.pair_p_values[place[a], place[b]]),
                **{f"probability_{k}": x for k, x in self.chances(a, b)._asdict().items()},
            }
            for a, b in self._pairs()
        ]

    def _facts(self) -> dict[str, Any]:
        """The ranks, the tests and what they say."""
        made = {"rows": self.rows(), "pairs": self.pair_rows(), "conclusion": self.conclusion()}
        return {**vars(self), **made}

    def _pairs(self) -> Iterator[tuple[str, str]]:
        return itertools.combinations(self.models, 2)


def _test(c: CaseComparison) -> str:
    name = "Wilcoxon signed-rank test" if len(c.models) == 2 else "Friedman test"
    return f"{name}, {exact_p(c.p_value)}, {_HOW[c.distribution].format(c.n_resamples)}"


def _over(c: CaseComparison) -> str:
    """The test, and the number of cases."""
    return f"{c.cases} cases, {_test(c)}"


def _of_two(c: CaseComparison) -> str:
    first, second = c.models
    won, lost = int(c.wins[0, 1]), int(c.wins[1, 0])
    tied = c.cases - won - lost
    count = f"{first} wins {won}, loses {lost}" + (f" and ties {tied}" if tied else "")
    if c.p_value <= 1 - c.level:
        return f"{first} is significantly better than {second} ({_over(c)}): {count}."
    return (
        f"No significant difference between {first} and {second} ({_over(c)}): {count}. {NO_PROOF}"
    )


def _of_many(c: CaseComparison) -> str:
    alpha = 1 - c.level
    if not c.p_value <= alpha:
        return f"The {len(c.models)} models do not differ significantly ({_over(c)})."
    level_with = [m for m, p in zip(c.models, c.pair_p_values[0], strict=True) if p > alpha][1:]
    tail = (
        f" It does not differ significantly from {joined(level_with)}."
        if level_with
        else " It is significantly better than all others."
    )
    best = f"{c.models[0]} has the best mean rank, {c.mean_ranks[0]:.2f}."
    return f"The models differ significantly ({_over(c)}). {best}{tail}"


def _too_few(c: CaseComparison) -> str:
    """The caveat that signed ranks over few cases cannot reach significance."""
    pairs = math.comb(len(c.models), 2)
    least = min(pairs * 2.0 ** (1 - c.cases), 1.0)
    if c.method != "wilcoxon" or least <= 1 - c.level:
        return ""
    corrected = f", corrected for {pairs} pairs," if pairs > 1 else ""
    return (
        f"With {c.cases} cases, signed-rank tests cannot be significant: even if one "
        f"model always won, p{corrected} would be {least:.3g}."
    )
