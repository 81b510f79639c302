"""Results about measures: a number per measure, their agreement, and a table of both."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import number
from ordeval._shared.types import Floats
from ordeval.exceptions import UnknownMetricError
from ordeval.measures import Metric
from ordeval.meta.outputs import SystemOutputs


@dataclass(frozen=True, eq=False, repr=False)
class MetaValues(Result, Mapping[str, float]):
    """One number per measure, found by the measure's name; prints the highest first."""

    _kind = "ordeval.meta_values"

    what: str
    metrics: tuple[Metric, ...]
    values_: Floats

    def __getitem__(self, name: str) -> float:
        for metric, value in zip(self.metrics, self.values_.tolist(), strict=True):
            if metric.name == name:
                return float(value)
        raise UnknownMetricError(f"{name!r} was not studied; list(result) names what was.")

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    @property
    def key(self) -> str:
        """Return the name of the numbers in records."""
        return self.what.replace(" ", "_")

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per measure, highest value first."""
        ordered = sorted(self.items(), key=lambda x: (math.isnan(x[1]), -x[1]))
        return [{"metric": name, self.key: value} for name, value in ordered]

    def table(self) -> Table:
        """Return one row per measure, highest value first."""
        rows = tuple(
            (Cell(row["metric"]), Cell(number(row[self.key]), best=i == 0))
            for i, row in enumerate(self.rows())
        )
        return Table(("measure", self.what), rows)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Result):
    """Rank correlations (measures, measures) between the rankings by different measures."""

    _kind = "ordeval.agreement"

    metrics: tuple[Metric, ...]
    values: Floats

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per pair of measures, lowest agreement first."""
        pairs = [
            {"metric": a.name, "other": b.name, "tau_b": float(self.values[i, j])}
            for i, a in enumerate(self.metrics)
            for j, b in enumerate(self.metrics[i + 1 :], start=i + 1)
        ]
        return sorted(pairs, key=lambda row: (math.isnan(row["tau_b"]), row["tau_b"]))

    def table(self) -> Table:
        """Return one row and one column per measure."""
        rows = tuple(
            cells(m.name, *(number(v, 2) for v in row))
            for m, row in zip(self.metrics, self.values.tolist(), strict=True)
        )
        head = ("measure", *(m.symbol for m in self.metrics))
        return Table(head, rows, "Kendall's tau-b between rankings of the systems")


@dataclass(frozen=True, eq=False, repr=False)
class MetaStudy(Result):
    """The results of a study of measures on a set of systems and test cases."""

    _kind = "ordeval.meta"

    outputs: SystemOutputs
    metrics: tuple[Metric, ...]
    reference: tuple[Metric, ...]  # the measures that must agree on an improvement
    unanimous: Floats  # (systems, systems), the unanimous improvement ratio
    coverage: MetaValues
    robustness: MetaValues
    power: MetaValues
    undefined: MetaValues  # share of the outputs for which the measure is undefined
    agreement: Agreement
    level: float

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per measure, highest coverage first."""
        place = {m.name: i for i, m in enumerate(self.metrics)}
        return [
            {
                "metric": (name := row["metric"]),
                "coverage": row["coverage"],
                "robustness": self.robustness[name],
                "discriminative_power": self.power[name],
                "mean_agreement": self._mean_agreement(place[name]),
                "undefined": self.undefined[name],
            }
            for row in self.coverage.rows()
        ]

    def _mean_agreement(self, i: int) -> float:
        others = np.delete(self.agreement.values[i], i)
        defined = others[~np.isnan(others)]
        return float(defined.mean()) if len(defined) else math.nan

    def table(self) -> Table:
        """Return one row per measure, highest coverage first."""
        rows = self.rows()
        columns = ("coverage", "robustness", "discriminative_power", "mean_agreement")
        best = {c: max((r[c] for r in rows if r[c] == r[c]), default=math.nan) for c in columns}
        body = tuple(
            (Cell(r["metric"]), *(Cell(number(r[c]), best=r[c] == best[c]) for c in columns))
            for r in rows
        )
        head = ("measure", "coverage", "robustness", "power", "agreement")
        systems, cases = len(self.outputs.systems), len(self.outputs.cases)
        pairs = systems * (systems - 1) // 2
        caption = f"{systems} systems, {cases} test cases, {pairs:,} pairs"
        return Table(head, body, caption, tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        names = ", ".join(m.name for m in self.reference)
        yield f"coverage: Spearman correlation with unanimous improvement by {names}."
        yield "robustness: mean Spearman correlation of the rankings in any two test cases."
        yield (
            f"power: share of the pairs of systems that a paired t-test separates at "
            f"{self.level:.0%}, corrected by Holm."
        )
        yield "agreement: mean tau-b with the rankings by the other measures."
        if gone := self.outputs.dropped:
            yield f"left out: {gone.missing:,} missing and {gone.unknown:,} unknown labels."
        lost = [f"{name} {share:.1%}" for name, share in self.undefined.items() if share > 0]
        if lost:
            yield f"no value on some outputs: {', '.join(lost)}."
