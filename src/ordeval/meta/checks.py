"""check_properties: find which properties measures have, and the smallest counterexamples."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, product
from typing import Any, Final
from zlib import crc32

import numpy as np

from ordeval._shared.arguments import checked, is_among, listed, shown
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import did_you_mean, nearest, plural
from ordeval._shared.types import Integers, Progress, Rng, as_rng, watched
from ordeval.exceptions import ParameterError, UnknownMetricError
from ordeval.measures import Metric
from ordeval.measures.registry import choose
from ordeval.meta._search import Search, fits
from ordeval.meta.properties import PROPERTIES, Property

PAPER: Final = ("ordinal_invariance", "ordinal_monotonicity", "imbalance")  # Amigó et al., Table 2
DISTANCE: Final = ("perfect", "only_perfect", "symmetry", "triangle_inequality")
_VERDICT: Final = {True: "yes", False: "no", None: "?"}
_LISTED: Final = 24  # data with more items are shown as counts
_LARGEST_K: Final = 6


@dataclass(frozen=True, eq=False)
class Counterexample:
    """Data on which a measure breaks a property, printed so that a reader can follow it."""

    metric: str
    rule: Property
    data: Integers  # class sizes, a matrix, or the joint counts of three labellings
    matrices: tuple[Integers, ...]  # the compared matrices; rows truth, columns prediction
    values: tuple[float, ...]  # of the matrices

    @property
    def items(self) -> int:
        """Return the number of items."""
        return int(self.data.sum())

    @property
    def k(self) -> int:
        """Return the number of classes."""
        return int(self.data.shape[0])

    @property
    def size(self) -> str:
        """Return the number of items and classes in words."""
        return f"{plural(self.items, 'item')} of {self.k} classes"

    def __str__(self) -> str:
        lines = [("rule", self.rule.statement), *self._labellings(), *self._outcomes()]
        width = max(len(name) for name, _ in lines)
        shown = "\n".join(f"  {name:<{width}}  {text}" for name, text in lines)
        return f"{self.metric} breaks {self.rule.name}\n{shown}"

    def _labellings(self) -> Iterator[tuple[str, str]]:
        if self.data.ndim == 3:
            yield from zip("abc", map(_listed, _items(self.data)), strict=True)
            return
        pairs = [_items(n) for n in self.matrices]
        one_truth = len({t for t, _ in pairs}) == 1 and len({n.shape for n in self.matrices}) == 1
        if one_truth:
            yield "truth", _listed(pairs[0][0])
        for name, (truth, prediction) in zip(self.rule.compared, pairs, strict=True):
            if not one_truth:
                yield f"truth, {name}", _listed(truth)
            yield name if one_truth else f"prediction, {name}", _listed(prediction)

    def _outcomes(self) -> Iterator[tuple[str, str]]:
        for name, value in zip(self.rule.compared, self.values, strict=True):
            shown = "undefined" if math.isnan(value) else f"{value:.6g}"
            yield "value", f"{shown} ({name})"
        yield "expected", self.rule.expected


@dataclass(frozen=True, eq=False)
class Finding:
    """Whether a measure has a property, as far as the search went, and what its sources claim."""

    metric: str
    property_name: str
    claimed: bool | None  # None: no source makes a claim
    cases: int  # tried in the search
    counterexample: Counterexample | None

    @property
    def holds(self) -> bool | None:
        """Return whether no case breaks the property; None if it applies to no case."""
        if self.counterexample is not None:
            return False
        return True if self.cases else None

    @property
    def disagrees(self) -> bool:
        """Return whether the finding contradicts the claim."""
        return None not in (self.holds, self.claimed) and self.holds != self.claimed

    def __str__(self) -> str:
        if self.counterexample is not None:
            return str(self.counterexample)
        tried = f"no counterexample in {self.cases:,} cases"
        return f"{self.metric}, {self.property_name}: {tried if self.holds else 'it never applies'}"

    def _against_the_claim(self) -> str:
        """Describe how the finding contradicts the claim."""
        said, example = "claimed" if self.claimed else "denied", self.counterexample
        found = "no counterexample was found"
        if example is not None:
            found = f"{example.size} {'breaks' if example.items == 1 else 'break'} it"
        return f"{self.metric}: {self.property_name} is {said}, {found}."


@dataclass(frozen=True, eq=False, repr=False)
class PropertyReport(Result):
    """The findings for each measure and property."""

    _kind = "ordeval.properties"

    metrics: tuple[Metric, ...]
    properties: tuple[str, ...]
    findings: tuple[Finding, ...]

    @checked
    def find(self, property_name: str, metric: str | Metric | None = None) -> Finding:
        """Return the finding about a property of a measure; a single measure need not be named."""
        names = [m.name for m in self.metrics]
        wanted = names[0] if metric is None and len(names) == 1 else getattr(metric, "name", metric)
        for finding in self.findings:
            if (finding.metric, finding.property_name) == (wanted, property_name):
                return finding
        raise UnknownMetricError(
            f"{property_name!r} of {wanted!r} was not checked; the measures are "
            f"{', '.join(names)}, the properties {', '.join(self.properties)}."
        )

    def disagreements(self) -> tuple[Finding, ...]:
        """Return the findings that contradict the claims."""
        return tuple(f for f in self.findings if f.disagrees)

    def counterexamples(self) -> tuple[Counterexample, ...]:
        """Return the smallest data found that break each property."""
        return tuple(f.counterexample for f in self.findings if f.counterexample is not None)

    @checked
    def is_distance(self, metric: str | Metric | None = None) -> bool:
        """Return whether the distance to the best value is a metric, as far as tested."""
        return all(self.find(name, metric).holds is True for name in DISTANCE)

    def explain(self) -> str:
        """Describe every contradiction and, for a single measure, every counterexample in full."""
        shown = self.counterexamples() if len(self.metrics) == 1 else self.disagreements()
        return "\n\n".join(map(str, shown))

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per measure and property."""
        return [
            {
                "metric": f.metric,
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
        """Return a row per property for one measure, or a row per measure for several."""
        notes = tuple(f._against_the_claim() for f in self.disagreements())
        if len(self.metrics) == 1:
            columns = ("property", "holds", "claimed", "broken by", "cases")
            return Table(columns, tuple(map(_row, self.findings)), self.metrics[0].name, notes)
        head = ("measure", *(p.replace("_", " ") for p in self.properties))
        rows = tuple(
            (Cell(m.name), *(_cell(self.find(p, m)) for p in self.properties)) for m in self.metrics
        )
        return Table(head, rows, notes=("!: not what is claimed.", *notes))


def _row(finding: Finding) -> tuple[Cell, ...]:
    claimed = "" if finding.claimed is None else _VERDICT[finding.claimed]
    broken_by = "" if finding.counterexample is None else finding.counterexample.size
    verdict, tried = _VERDICT[finding.holds], f"{finding.cases:,}"
    return cells(finding.property_name, verdict, claimed, broken_by, tried)


def _cell(finding: Finding) -> Cell:
    claim = "" if finding.claimed is None else f"claimed {_VERDICT[finding.claimed]}"
    return Cell(_VERDICT[finding.holds] + ("!" if finding.disagrees else ""), claim)


@checked
def check_properties(
    metrics: Iterable[str | Metric] | str | Metric | None = None,
    properties: Iterable[str] | str | None = None,
    *,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> PropertyReport:
    """Check which properties measures have; give the smallest counterexample where one fails.

    The search tries all data with up to a few items and four classes, then larger random data. So
    "no" is proven by its counterexample, and "yes" means that no counterexample was found. Each
    finding uses its own random data and does not depend on what else is checked.

    Parameters
    ----------
    metrics
        A measure, its name, or several; by default all that are quick. A measure of your own,
        registered or not, is checked like any other.
    properties
        Names from ``PROPERTIES``; by default all. ``PAPER`` are those of Amigó et al. 2020,
        Table 2.
    rng
        Seed or generator of the random data.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    PropertyReport
        One finding for each measure and property.

    Raises
    ------
    ParameterError
        If a measure takes ratings, or no property has one of the names.
    UnknownMetricError
        If no measure has one of the names.

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
    chosen, wanted = choose(metrics), _choose_properties(properties)
    fitting = {m.name: _fitting(m) for m in chosen}
    seed = int(as_rng(rng).integers(2**63))
    findings = tuple(
        _check(p, Search(p.law, m, fitting[m.name], _own_rng(seed, m.name, p.name)))
        for m, p in watched("properties", list(product(chosen, wanted)), progress)
    )
    return PropertyReport(chosen, tuple(p.name for p in wanted), findings)


def _own_rng(seed: int, *names: str) -> np.random.Generator:
    """Return the generator of a finding, the same in every process and for every selection."""
    return np.random.default_rng([seed, *(crc32(name.encode()) for name in names)])


def _check(prop: Property, search: Search) -> Finding:
    metric, broken = search.metric, search.run()
    example = None if broken is None else Counterexample(metric.name, prop, *broken)
    return Finding(metric.name, prop.name, prop.claimed(metric), search.cases, example)


def _choose_properties(names: Iterable[str] | str | None) -> tuple[Property, ...]:
    if names is None:
        return PROPERTIES
    known = {p.name: p for p in PROPERTIES}
    wanted = [names] if isinstance(names, str) else listed(names, "properties")
    for name in wanted:
        if not is_among(name, known):
            hint = did_you_mean(nearest(str(name), known))
            raise ParameterError(
                f"No property is called {shown(name)}.{hint} The properties are {', '.join(known)}."
            )
    return tuple(known[name] for name in dict.fromkeys(wanted))


def _fitting(metric: Metric) -> tuple[int, ...]:
    fitting = tuple(k for k in range(2, _LARGEST_K + 1) if fits(metric, k))
    if not fitting:
        try:
            metric.checked_on(3, {})
        except ParameterError as error:
            raise ParameterError(
                f"no data of 2 to {_LARGEST_K} classes can be tried: {error}"
            ) from None
    return fitting


def _items(counts: Integers) -> tuple[tuple[int, ...], ...]:
    """Return the class of each item by each labelling, from 1."""
    return tuple(
        tuple((np.repeat(classes, counts.ravel()) + 1).tolist())
        for classes in np.indices(counts.shape)
    )


def _listed(labels: tuple[int, ...]) -> str:
    if len(labels) <= _LISTED:
        return " ".join(map(str, labels))
    runs = [(label, len(list(run))) for label, run in groupby(labels)]
    return " ".join(f"{label}(x{count})" if count > 1 else str(label) for label, count in runs)
