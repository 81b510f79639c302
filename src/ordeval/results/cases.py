"""CaseComparison: models compared across many test cases or data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.types import Floats


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CaseComparison(Result):
    """Mean ranks over cases, the Friedman test, and which models cannot be told apart."""

    kind: ClassVar[str] = "ordeval.case_comparison"

    models: tuple[str, ...]  # best mean rank first
    mean_ranks: Floats
    cases: int
    statistic: float  # Friedman's chi-squared
    p_value: float
    method: Literal["nemenyi", "wilcoxon"]
    level: float
    critical_difference: float  # of mean ranks; NaN for the Wilcoxon tests
    pair_p_values: Floats  # (M, M), corrected for the number of pairs
    cliques: tuple[tuple[str, ...], ...]  # models next to each other that are not separated

    def conclusion(self) -> str:
        """What can be concluded, in plain words."""
        if not self.p_value <= 1 - self.level:
            return (
                f"Over {self.cases} cases the {len(self.models)} models cannot be told apart "
                f"(Friedman test, p = {self.p_value:.3f})."
            )
        alpha = 1 - self.level
        level_with = [
            m for m, p in zip(self.models, self.pair_p_values[0], strict=True) if p > alpha
        ][1:]
        tail = (
            f" It is not separated from {', '.join(level_with)}."
            if level_with
            else " It is separated from all others."
        )
        return (
            f"Over {self.cases} cases the models differ (Friedman test, p = {self.p_value:.3g}); "
            f"{self.models[0]} has the best mean rank, {self.mean_ranks[0]:.2f}.{tail}"
        )

    def table(self) -> Table:
        """Mean ranks, with the clique that each model belongs to."""
        rows = tuple(
            (
                Cell(m),
                Cell(f"{r:.2f}", best=i == 0),
                Cell(" ".join(chr(97 + j) for j, c in enumerate(self.cliques) if m in c)),
            )
            for i, (m, r) in enumerate(zip(self.models, self.mean_ranks, strict=True))
        )
        return Table(("model", "mean rank", "not separated"), rows, notes=(self.conclusion(),))

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

    def facts(self) -> dict[str, Any]:
        """The ranks, the tests and what they say."""
        return {**vars(self), "rows": self.rows(), "conclusion": self.conclusion()}
