"""Calibration: whether predicted probabilities are what they say, threshold by threshold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from ordeval._shared.result import Concluded, Results
from ordeval._shared.tables import Cell, Table, cells
from ordeval._shared.text import (
    ALL,
    amount,
    bracketed,
    joined,
    number,
    plural,
    visible,
    with_ends,
)
from ordeval._shared.types import Floats
from ordeval.data.scale import Scale
from ordeval.inference.forecasts.calibration import AtThreshold
from ordeval.inference.forecasts.recalibration import Coefficient
from ordeval.results.phrases import grouped, in_clusters, percent

_PARTS: Final = ("rps", "miscalibration", "discrimination", "uncertainty")
_RIGHT: Final = {"intercept": 0.0, "slope": 1.0}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Calibration(Concluded):
    """Calibration at each of the K - 1 thresholds, and the decomposition of the RPS.

    ``rps`` = ``miscalibration`` - ``discrimination`` + ``uncertainty``, at each threshold and in
    all.
    """

    _kind: ClassVar[str] = "ordeval.calibration"
    _told = ("scale", "items", "clusters", "dropped", "level", "rows", "n_resamples", "conclusion")

    scale: Scale
    thresholds: tuple[AtThreshold, ...]
    level: float
    items: int
    clusters: int = 0  # 0: items are independent
    dropped: int = 0
    n_resamples: int  # draws behind the band

    @property
    def predicted(self) -> tuple[Floats, ...]:
        """Distinct predicted probabilities of each threshold, rising."""
        return tuple(t.predicted for t in self.thresholds)

    @property
    def observed(self) -> tuple[Floats, ...]:
        """The recalibrated value of each predicted probability."""
        return tuple(t.observed for t in self.thresholds)

    @property
    def rps(self) -> Floats:
        """The RPS at each threshold (K - 1,); its sum is the RPS."""
        return self._each("rps")

    @property
    def miscalibration(self) -> Floats:
        """The reduction of the RPS by recalibration, at each threshold."""
        return self._each("miscalibration")

    @property
    def discrimination(self) -> Floats:
        """The reduction of the uncertainty by recalibrated probabilities, at each threshold."""
        return self._each("discrimination")

    @property
    def uncertainty(self) -> Floats:
        """The RPS of the class shares, at each threshold."""
        return self._each("uncertainty")

    @property
    def intercepts(self) -> tuple[Coefficient, ...]:
        """The intercepts with the slope fixed at 1 (calibration in the large).

        Above 0, classes are higher than predicted.
        """
        return tuple(t.intercept for t in self.thresholds)

    @property
    def joint_intercepts(self) -> tuple[Coefficient, ...]:
        """The intercepts fitted together with the slopes."""
        return tuple(t.joint_intercept for t in self.thresholds)

    @property
    def slopes(self) -> tuple[Coefficient, ...]:
        """The slope of each threshold, below 1 where probabilities are too extreme."""
        return tuple(t.slope for t in self.thresholds)

    def _each(self, name: str) -> Floats:
        return np.array([getattr(t, name) for t in self.thresholds])

    def parts(self) -> dict[str, float]:
        """The RPS and its parts, summed over the thresholds."""
        return {name: float(self._each(name).sum()) for name in _PARTS}

    def rows(self) -> list[dict[str, Any]]:
        """One record for each threshold."""
        return [
            {
                "threshold": str(t.level),
                "share": t.share,
                "mean_predicted": t.mean,
                **_coefficient("intercept", t.intercept),
                **_coefficient("slope", t.slope),
                **_coefficient("joint_intercept", t.joint_intercept),
                **{name: getattr(t, name) for name in _PARTS},
                "certain": t.certain,
            }
            for t in self.thresholds
        ]

    def table(self) -> Table:
        """Intercept and slope of each threshold."""
        rows = tuple(
            cells(
                f"≥ {t.level}",
                number(t.share),
                number(t.mean),
                *map(_cell, (t.intercept, t.slope, t.joint_intercept)),
            )
            for t in self.thresholds
        )
        head = ("threshold", "observed", "predicted", "intercept", "slope", "joint intercept")
        return Table(head, rows, self._caption(), tuple(self._notes()))

    def decomposition(self) -> Table:
        """The decomposition of the RPS, at each threshold and in all."""
        each = [(f"≥ {t.level}", [getattr(t, name) for name in _PARTS]) for t in self.thresholds]
        rows = tuple(
            cells(name, *(number(x, 4) for x in values))
            for name, values in [*each, (ALL, list(self.parts().values()))]
        )
        note = "RPS = miscalibration − discrimination + uncertainty."
        return Table(("threshold", "RPS", *_PARTS[1:]), rows, "decomposition of the RPS", (note,))

    def tables(self) -> Sequence[Table]:
        """Calibration, then the decomposition of the RPS."""
        return self.table(), self.decomposition()

    _in_full = tables

    def _caption(self) -> str:
        dropped = f"; dropped: {amount(self.dropped)}" if self.dropped else ""
        items = plural(self.items, "item")
        return f"{items}{in_clusters(self.clusters)}; {self.scale}{dropped}"

    def _notes(self) -> Iterator[str]:
        yield (
            f"Observed, predicted: share of items at or above the threshold, and the mean of its "
            "probability. Intercept, with the slope fixed at 1 (calibration in the "
            "large): 0 is ideal; above 0, classes are higher than predicted. Slope: 1 is "
            "ideal; below 1, probabilities are too extreme. Joint intercept: fitted "
            "together with the slope; "
            f"both recalibrate the log-odds. Intervals: {percent(self.level)}"
            f"{', by clusters' if self.clusters else ''}."
        )
        missing = grouped((why, f"≥ {t.level}") for t in self.thresholds for why in _missing(t))
        for (what, reason), where in missing.items():
            yield f"— no {what} at {joined(where)}: {reason}."
        certain = sum(t.certain for t in self.thresholds)
        if certain:
            each = joined([f"{t.certain:,} at ≥ {t.level}" for t in self.thresholds if t.certain])
            yield (
                f"Probabilities of 0 or 1: {each}. Correct ones do not affect intercept and "
                "slope; a single wrong one makes both undefined. If they come from rounding, "
                "export more digits."
            )

    def conclusion(self) -> str:
        """Where the probabilities are shown to be off, in words that can be copied."""
        found = [x for t in self.thresholds for x in _off(t)]
        if found:
            return visible(
                f"{' '.join(found)} Each finding uses its own interval, without correction."
            )
        if all(np.isnan(c.low) for t in self.thresholds for c in (t.intercept, t.slope)):
            return "Intercept and slope cannot be estimated."
        return (
            "No significant miscalibration at any threshold. This does not prove that "
            "the probabilities are calibrated."
        )

    def _facts(self) -> dict[str, Any]:
        """Each threshold with its curve and its band, and the decomposition of the RPS."""
        drawn = ("predicted", "observed", "low", "high", "weight")
        curves = [
            {"threshold": str(t.level), **{x: getattr(t, x) for x in drawn}}
            for t in self.thresholds
        ]
        return {**super()._facts(), "all": self.parts(), "curves": curves}


def _coefficient(name: str, found: Coefficient) -> dict[str, float]:
    return {
        name: found.value,
        f"{name}_error": found.error,
        f"{name}_low": found.low,
        f"{name}_high": found.high,
    }


def _cell(found: Coefficient) -> Cell:
    return Cell(number(found.value), bracketed(found.low, found.high))


def _missing(t: AtThreshold) -> Iterator[tuple[str, str]]:
    """What a threshold does not have, and why."""
    if t.intercept.reason and t.intercept.reason == t.slope.reason:
        both = "intercept and slope" if np.isnan(t.intercept.value) else "intervals"
        yield both, t.slope.reason
        return
    for name in _RIGHT:
        found: Coefficient = getattr(t, name)
        if found.reason:
            yield name if np.isnan(found.value) else f"interval of the {name}", found.reason


def _off(t: AtThreshold) -> Iterator[str]:
    """What is shown to be wrong at a threshold."""
    for name, right in _RIGHT.items():
        found: Coefficient = getattr(t, name)
        if found.low <= right <= found.high or np.isnan(found.low):
            continue
        more = found.value > right
        if name == "intercept":
            what = f"are too {'low' if more else 'high'} on average"
        else:
            what = "are not extreme enough" if more else "are too extreme"
        shown = f"{name} {with_ends(found.value, found.low, found.high)}"
        yield f"The probabilities of ≥ {t.level} {what} ({shown})."


class SubgroupCalibrations(Results[Calibration]):
    """The calibration in several subgroups, by the subgroup."""

    _kind: ClassVar[str] = "ordeval.calibration"
    _key: ClassVar[str] = "subgroup"


class ModelCalibrations(Results[Calibration | SubgroupCalibrations]):
    """The calibration of several models, by their names."""

    _kind: ClassVar[str] = "ordeval.calibration"
