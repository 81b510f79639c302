"""check_properties: which properties measures have, and the smallest data that show otherwise."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval.data.files import Progress
from ordeval.evaluate.score import choose_metrics
from ordeval.exceptions import ParameterError, UnknownMetricError
from ordeval.inference.samples import as_rng
from ordeval.measures import Metric
from ordeval.measures.registry import either, nearest
from ordeval.meta._search import Broken, Integers, fits, search
from ordeval.meta.properties import PROPERTIES, Property

PAPER: Final = ("ordinal_invariance", "ordinal_monotonicity", "imbalance")  # Amigó et al., Table 2
DISTANCE: Final = ("perfect", "only_perfect", "symmetry", "triangle_inequality")
_VERDICT: Final = {True: "yes", False: "no", None: "?"}
_LISTED: Final = 24  # more items than this are shown as counts
_LARGEST_K: Final = 6


@dataclass(frozen=True, eq=False)
class Counterexample:
    """Data on which a measure breaks a property; prints so that a person can follow it."""

    metric: str
    property_name: str
    statement: str
    expected: str
    compared: tuple[str, ...]  # what each matrix is
    matrices: tuple[Integers, ...]  # rows truth, columns prediction
    values: tuple[float, ...]
    data: Integers  # class sizes, a matrix, or the joint counts of three labelings

    @property
    def items(self) -> int:
        """How many items the data have."""
        return int(self.data.sum())

    @property
    def k(self) -> int:
        """How many classes the data have."""
        return int(self.data.shape[0])

    def __str__(self) -> str:
        lines = [("rule", self.statement), *self._labelings(), *self._outcomes()]
        width = max(len(name) for name, _ in lines)
        shown = "\n".join(f"  {name:<{width}}  {text}" for name, text in lines)
        return f"{self.metric} breaks {self.property_name}\n{shown}"

    def _labelings(self) -> Iterator[tuple[str, str]]:
        if self.data.ndim == 3:
            yield from zip("abc", map(_listed, _items(self.data)), strict=True)
            return
        pairs = [_items(n) for n in self.matrices]
        one_truth = len({t for t, _ in pairs}) == 1 and len({n.shape for n in self.matrices}) == 1
        if not one_truth:
            for name, (truth, prediction) in zip(self.compared, pairs, strict=True):
                yield f"truth, {name}", _listed(truth)
                yield f"prediction, {name}", _listed(prediction)
            return
        yield "truth", _listed(pairs[0][0])
        for name, (_, prediction) in zip(self.compared, pairs, strict=True):
            yield name, _listed(prediction)

    def _outcomes(self) -> Iterator[tuple[str, str]]:
        for name, value in zip(self.compared, self.values, strict=True):
            shown = "undefined" if math.isnan(value) else f"{value:.6g}"
            yield "value", f"{shown} ({name})"
        yield "expected", self.expected


@dataclass(frozen=True, eq=False)
class Finding:
    """Whether a measure has a property, as far as the search went, and what is claimed."""

    metric: str
    property_name: str
    holds: bool | None  # None: no case in which it applies
    claimed: bool | None  # by the registry or by Amigó et al. 2020, Table 2; None: by nobody
    cases: int  # that were tried
    counterexample: Counterexample | None

    @property
    def disagrees(self) -> bool:
        """Whether what was found is not what is claimed."""
        return None not in (self.holds, self.claimed) and self.holds != self.claimed

    def __str__(self) -> str:
        if self.counterexample is not None:
            return str(self.counterexample)
        found = "no counterexample" if self.holds else "no case that applies"
        return f"{self.metric}, {self.property_name}: {found} in {self.cases:,} cases"


@dataclass(frozen=True, eq=False, repr=False)
class PropertyReport(Result):
    """What was found about each measure and each property."""

    metrics: tuple[str, ...]
    properties: tuple[str, ...]
    findings: tuple[Finding, ...]

    def find(self, property_name: str, metric: str | None = None) -> Finding:
        """What was found about a property of a measure, which need not be named if it is alone."""
        if metric is None and len(self.metrics) == 1:
            metric = self.metrics[0]
        for finding in self.findings:
            if (finding.metric, finding.property_name) == (metric, property_name):
                return finding
        raise UnknownMetricError(
            f"{property_name!r} of {metric!r} was not checked; the measures are "
            f"{', '.join(self.metrics)}, the properties {', '.join(self.properties)}."
        )

    def disagreements(self) -> tuple[Finding, ...]:
        """The findings that are not what is claimed."""
        return tuple(f for f in self.findings if f.disagrees)

    def counterexamples(self) -> tuple[Counterexample, ...]:
        """The smallest data that were found to break each property."""
        return tuple(f.counterexample for f in self.findings if f.counterexample is not None)

    def is_distance(self, metric: str | None = None) -> bool:
        """Whether the distance to the best value obeys the axioms of a metric, as far as seen."""
        return all(self.find(name, metric).holds is True for name in DISTANCE)

    def explain(self) -> str:
        """Every disagreement and, for a measure alone, every counterexample, in full."""
        shown = self.counterexamples() if len(self.metrics) == 1 else self.disagreements()
        return "\n\n".join(map(str, shown))

    def rows(self) -> list[dict[str, Any]]:
        """One record for each measure and property."""
        return [
            {
                "measure": f.metric,
                "property": f.property_name,
                "holds": f.holds,
                "claimed": f.claimed,
                "disagrees": f.disagrees,
                "cases": f.cases,
                "items": None if f.counterexample is None else f.counterexample.items,
                "counterexample": "" if f.counterexample is None else str(f.counterexample),
            }
            for f in self.findings
        ]

    def table(self) -> Table:
        """Of one measure a row for each property; of several a row for each measure."""
        notes = [f"{f.metric}: {_claim(f)}." for f in self.disagreements()]
        if len(self.metrics) == 1:
            listed = tuple(
                (
                    Cell(f.property_name),
                    Cell(_VERDICT[f.holds]),
                    Cell("" if f.claimed is None else _VERDICT[f.claimed]),
                    Cell("" if f.counterexample is None else _size(f.counterexample)),
                    Cell(f"{f.cases:,}"),
                )
                for f in self.findings
            )
            columns = ("property", "holds", "claimed", "broken by", "cases")
            return Table(columns, listed, self.metrics[0], tuple(notes))
        rows = tuple(
            (Cell(m), *(_cell(self.find(p, m)) for p in self.properties)) for m in self.metrics
        )
        head = ("measure", *(p.replace("_", " ") for p in self.properties))
        return Table(head, rows, notes=("! is not what is claimed.", *notes))


def check_properties(
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    properties: Iterable[str] | str | None = None,
    *,
    rng: np.random.Generator | int | None = 0,
    progress: Progress | None = None,
) -> PropertyReport:
    """Which properties measures have, with the smallest counterexample for each that they lack.

    All data of up to a few items and four classes are tried, then random data of more of both. So
    "no" is proven by its counterexample, and "yes" means that none was found.

    Parameters
    ----------
    metrics
        A measure, its name, or several; by default all that are quick. A measure of one's own,
        registered or not, is checked like any other.
    properties
        Names from ``PROPERTIES``; by default all. ``PAPER`` are those of Amigó et al. 2020,
        Table 2.
    rng
        Seed or generator of the random part.
    progress
        Called with a stage, the steps done and the steps in all.

    Examples
    --------
    >>> report = check_properties("accuracy", PAPER)
    >>> report
    accuracy
    property              holds   claimed               broken by   cases
    ordinal_invariance     yes       yes                           ...
    ordinal_monotonicity    no        no     3 items of 3 classes     ...
    imbalance               no        no     4 items of 3 classes     ...
    >>> print(report.find("imbalance").counterexample)
    accuracy breaks imbalance
      rule              An error in a small class costs more than one in a larger class.
      truth             1 1 2 3
      small class errs  1 1 2 2
      large class errs  1 2 2 3
      value             0.75 (small class errs)
      value             0.75 (large class errs)
      expected          the second better: its error is in the larger class
    """
    chosen, wanted = choose_metrics(metrics), _choose_properties(properties)
    generator = as_rng(rng)
    findings: list[Finding] = []
    for metric in chosen:
        fitting = _fitting(metric)
        for prop in wanted:
            if progress is not None:
                progress("properties", len(findings), len(chosen) * len(wanted))
            findings.append(_check(metric, prop, fitting, generator))
    if progress is not None:
        progress("properties", len(findings), len(findings))
    names = tuple(m.name for m in chosen)
    return PropertyReport(names, tuple(p.name for p in wanted), tuple(findings))


def _check(
    metric: Metric, prop: Property, fitting: tuple[int, ...], rng: np.random.Generator
) -> Finding:
    broken, cases = search(prop.law, metric, fitting, rng)
    holds = False if broken is not None else True if cases else None
    example = None if broken is None else _counterexample(metric, prop, broken)
    return Finding(metric.name, prop.name, holds, prop.claimed(metric), cases, example)


def _counterexample(metric: Metric, prop: Property, broken: Broken) -> Counterexample:
    return Counterexample(
        metric.name, prop.name, prop.statement, prop.expected, prop.compared, broken.matrices,
        broken.values, broken.data,
    )  # fmt: skip


def _choose_properties(names: Iterable[str] | str | None) -> tuple[Property, ...]:
    if names is None:
        return PROPERTIES
    known = {p.name: p for p in PROPERTIES}
    wanted = [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            near = nearest(str(name), known)
            hint = f" Did you mean {either(near)}?" if near else ""
            raise ParameterError(
                f"No property is called {name!r}.{hint} They are {', '.join(known)}."
            )
    return tuple(known[name] for name in dict.fromkeys(wanted))


def _fitting(metric: Metric) -> tuple[int, ...]:
    fitting = tuple(k for k in range(2, _LARGEST_K + 1) if fits(metric, k))
    if not fitting:
        try:
            metric.check_parameters({}, 3)
        except ParameterError as error:
            raise ParameterError(
                f"no data of 2 to {_LARGEST_K} classes can be tried: {error}"
            ) from None
    return fitting


def _items(counts: Integers) -> tuple[tuple[int, ...], ...]:
    """The class of each item by each labeling, from 1."""
    return tuple(
        tuple((np.repeat(classes, counts.ravel()) + 1).tolist())
        for classes in np.indices(counts.shape)
    )


def _listed(labels: tuple[int, ...]) -> str:
    if len(labels) <= _LISTED:
        return " ".join(map(str, labels))
    runs: list[list[int]] = []
    for label in labels:
        if runs and runs[-1][0] == label:
            runs[-1][1] += 1
        else:
            runs.append([label, 1])
    return " ".join(f"{label}(x{times})" if times > 1 else str(label) for label, times in runs)


def _size(example: Counterexample) -> str:
    return f"{example.items} item{'s' * (example.items != 1)} of {example.k} classes"


def _cell(finding: Finding) -> Cell:
    claim = "" if finding.claimed is None else f"claimed {_VERDICT[finding.claimed]}"
    return Cell(_VERDICT[finding.holds] + ("!" if finding.disagrees else ""), claim)


def _claim(finding: Finding) -> str:
    claimed = "is claimed" if finding.claimed else "is denied"
    found = (
        "no counterexample was found"
        if finding.counterexample is None
        else f"{_size(finding.counterexample)} break it"
    )
    return f"{finding.property_name} {claimed}, {found}"
