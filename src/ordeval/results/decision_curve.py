"""DecisionCurve: what it is worth to act on predicted probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np

from ordeval._shared.arguments import check_among, checked
from ordeval._shared.result import Concluded, Results
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    amount,
    argument,
    bracketed,
    joined,
    number,
    plural,
    signed,
    visible,
)
from ordeval._shared.types import Floats
from ordeval.data.scale import Scale
from ordeval.inference.forecasts.net_benefit import Benefit, Gap, Mean
from ordeval.measures.parts.cut_levels import level_above
from ordeval.results.phrases import in_clusters, percent

_SHOWN: Final = (0.1, 0.2, 0.3, 0.5, 0.7)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class DecisionCurve(Concluded):
    """Net benefit of acting on those at or above each threshold, over decision probabilities.

    ``benefit[model][t]`` holds the arrays of one model at the t-th threshold: net benefit, its
    gain over the better of acting always and never, both with intervals.
    """

    _kind: ClassVar[str] = "ordeval.decision_curve"
    _told = (
        "scale",
        "models",
        "items",
        "clusters",
        "dropped",
        "level",
        "rows",
        "difference_rows",
        "conclusion",
    )

    scale: Scale
    probabilities: Floats  # (P,), rising
    benefit: Mapping[str, tuple[Benefit, ...]]
    level: float
    items: int
    clusters: int = 0  # 0: items are independent
    dropped: int = 0
    # By pair of models and threshold: how much more net benefit the first has.
    differences: Mapping[tuple[str, str], tuple[Gap, ...]] = field(default_factory=dict)

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return tuple(self.benefit)

    @property
    def thresholds(self) -> tuple[Any, ...]:
        """The lowest level of the upper side of each threshold."""
        return tuple(self.scale)[1:]

    def rows(self) -> list[dict[str, Any]]:
        """One record for each model, threshold and decision probability."""
        return [
            {
                "model": model,
                "threshold": str(level),
                "probability": float(p),
                **_record("net_benefit", b.model, i),
                **_record("gain", b.gain, i),
                "always": float(b.always[i]),
                "acted": float(b.acted[i]),
            }
            for model, found in self.benefit.items()
            for level, b in zip(self.thresholds, found, strict=True)
            for i, p in enumerate(self.probabilities)
        ]

    def table(self) -> Table:
        """Net benefit at some of the decision probabilities."""
        head = ["threshold, p", "act on all"]
        for model in self.models:
            name = f" {model}" if len(self.models) > 1 else ""
            head += [f"net benefit{name}", f"gain{name}"]
        rows = tuple(
            cells(
                f"≥ {level}, {percent(round(float(self.probabilities[i]), 6))}",
                number(next(iter(self.benefit.values()))[t].always[i]),
                *(x for found in self.benefit.values() for x in _cells(found[t], i)),
            )
            for t, level in enumerate(self.thresholds)
            for i in self._shown()
        )
        return Table(tuple(head), rows, self._caption(), tuple(self._notes()))

    def difference_rows(self) -> list[dict[str, Any]]:
        """One record for each pair of models, threshold and decision probability."""
        return [
            {
                "a": a,
                "b": b,
                "threshold": str(level),
                "probability": float(p),
                **_record("difference", gap.mean, i),
                "p_value": float(gap.p_value[i]),
            }
            for (a, b), found in self.differences.items()
            for level, gap in zip(self.thresholds, found, strict=True)
            for i, p in enumerate(self.probabilities)
        ]

    def tables(self) -> Sequence[Table]:
        """Net benefit of the models, and their differences if there are several."""
        if not self.differences:
            return (self.table(),)
        pairs = [(f"{a} - {b}", found) for (a, b), found in self.differences.items()]
        rows = tuple(
            cells(
                f"≥ {level}, {percent(round(float(self.probabilities[i]), 6))}",
                *(_gap_cell(found[t].mean, i) for _, found in pairs),
            )
            for t, level in enumerate(self.thresholds)
            for i in self._shown()
        )
        note = (
            "Net benefit of the first model minus that of the second, on the same items. "
            "Intervals: "
            f"{percent(self.level)}, separately for each p; one that excludes 0 is a significant "
            f"difference."
        )
        head = ("threshold, p", *(name for name, _ in pairs))
        return self.table(), Table(head, rows, "differences in net benefit", (note,))

    def _in_full(self) -> Sequence[Table]:
        """Documents hold the same."""
        return self.tables()

    def _shown(self) -> list[int]:
        p = self.probabilities
        if len(p) <= 2 * len(_SHOWN):
            return list(range(len(p)))
        return sorted({int(np.abs(p - x).argmin()) for x in _SHOWN})

    def _caption(self) -> str:
        dropped = f"; dropped: {amount(self.dropped)}" if self.dropped else ""
        items = plural(self.items, "item")
        return f"{items}{in_clusters(self.clusters)}; {self.scale}{dropped}"

    def _notes(self) -> Iterator[str]:
        yield (
            "Acted upon: items whose probability of reaching the threshold is at least "
            "p. Net benefit per item: true positives minus false positives times p / (1 "
            "- p). Acting on none has net benefit 0."
        )
        yield (
            f"Gain: over the better of acting on all and acting on none. Intervals: "
            f"{percent(self.level)}, separately for each p"
            f"{', by clusters' if self.clusters else ''}."
        )
        hidden = len(self.probabilities) - len(self._shown())
        if hidden:
            yield f"{argument('.to_csv()')} has all {len(self.probabilities)} probabilities."

    @checked
    def worth(self, model: str, at_least: Any) -> list[tuple[float, float]]:
        """Between which decision probabilities a model is shown to gain.

        The threshold is named by its lowest level.
        """
        check_among("model", model, self.models)
        low = self.benefit[model][level_above(at_least, self.scale).position - 1].gain.low
        edges = np.flatnonzero(np.diff(np.concatenate([[False], low > 0, [False]])))
        p = self.probabilities
        return [(float(p[a]), float(p[b - 1])) for a, b in edges.reshape(-1, 2).tolist()]

    def conclusion(self) -> str:
        """Where acting on the probabilities is shown to be worth it, in words."""
        said = []
        for model in self.models:
            name = model if len(self.models) > 1 else "the model"
            for level in self.thresholds:
                runs = self.worth(model, level)
                where = joined([_range(a, b) for a, b in runs]) if runs else "no probability"
                said.append(f"≥ {level}: {name} at {where}.")
        return visible(
            "Significantly better than acting on all and acting on none (separately for "
            f"each probability): {' '.join(said)}"
        )


def _record(name: str, mean: Mean, i: int) -> dict[str, float]:
    parts = zip((name, f"{name}_error", f"{name}_low", f"{name}_high"), mean, strict=True)
    return {key: float(values[i]) for key, values in parts}


def _cells(found: Benefit, i: int) -> tuple[Cell, Cell]:
    model, gain = found.model, found.gain
    return (
        Cell(number(model.value[i]), bracketed(model.low[i], model.high[i])),
        _gap_cell(gain, i),
    )


def _gap_cell(mean: Mean, i: int) -> Cell:
    return Cell(signed(mean.value[i]), bracketed(mean.low[i], mean.high[i], signed))


def _range(a: float, b: float) -> str:
    first, last = (percent(round(x, 6)) for x in (a, b))
    return first if first == last else f"{first} to {last}"


class SubgroupDecisionCurves(Results[DecisionCurve]):
    """The decision curves in several subgroups, by the subgroup."""

    _kind: ClassVar[str] = "ordeval.decision_curve"
    _key: ClassVar[str] = "subgroup"
