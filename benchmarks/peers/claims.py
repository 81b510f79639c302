"""The claims on speed and memory in ``claims.json``, and whether the measurements support them.

A claim names a row of the speed table (``row``), a peak of memory (``peak``, in MB) or a row of the
record that ``benchmarks.engines`` writes (``engine``, at ``rows`` rows). Its bound is ``at_least``
for how many times as fast we are, or ``at_most`` for how many times as long we take, or for MB.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers.contenders import US

# Where the curves of growth have a size of the table of speed: the axis and the place on it.
_ON_CURVES = {
    "N = 10^6": (("items", 10**6), ("classes", 5)),
    "N = 10^7": (("items", 10**7),),
    "one matrix, K = 5": (("classes", 5),),
    "1,000 matrices": (("matrices", 1_000),),
    "10,000 matrices": (("matrices", 10_000),),
}
CLAIMS = Path(__file__).parents[1] / "claims.json"


@dataclass(frozen=True)
class Claim:
    """A claim with its measured value; None if it was not measured in this run."""

    id: str
    text: str
    measured: float | None
    bound: float
    kind: str  # "at least" or "at most"
    unit: str  # "times as fast", "times as long" or "MB"

    @property
    def holds(self) -> bool | None:
        """Whether the bound is kept; None if nothing was measured."""
        if self.measured is None:
            return None
        if self.kind == "at least":
            return self.measured >= self.bound
        return self.measured <= self.bound


def all_claims(result: Mapping[str, Any], engines: Mapping[str, Any] | None) -> list[Claim]:
    """Every claim beside what a run found."""
    return [_claim(entry, result, engines) for entry in json.loads(CLAIMS.read_text("utf-8"))]


def _claim(
    entry: Mapping[str, Any], result: Mapping[str, Any], engines: Mapping[str, Any] | None
) -> Claim:
    faster = "at_least" in entry
    bound = float(entry["at_least" if faster else "at_most"])
    kind = "at least" if faster else "at most"
    if "row" in entry:
        ratio = _worst(entry["row"], result)
        measured = ratio if faster or ratio is None else 1 / ratio
        unit = "times as fast" if faster else "times as long"
    elif "peak" in entry:
        measured, unit = _peak(entry["peak"], result), "MB"
    else:
        measured, unit = _engine(entry, engines)
    return Claim(entry["id"], entry["text"], measured, bound, kind, unit)


def _worst(key: str, result: Mapping[str, Any]) -> float | None:
    """The least of all ratios that the run has for this pair and size: no picking."""
    row = next((r for r in result["speed"] if r["key"] == key), None)
    if row is None or row["ratio"] is None or row["note"]:
        return None  # an extrapolated value bears no claim
    return float(min([row["ratio"], *_of_curves(row, result["growth"])]))


def _of_curves(row: Mapping[str, Any], growth: Iterable[Mapping[str, Any]]) -> Iterator[float]:
    """The ratios at the same size on the curves of the same operation."""
    seconds = {
        (c["contender"], c["axis"], size): s
        for c in growth
        if c["operation"] == row["operation"]
        for size, s in c["points"]
    }
    for place in _ON_CURVES.get(row["size"], ()):
        mine, theirs = seconds.get((US, *place)), seconds.get((row["peer"], *place))
        if mine and theirs:
            yield theirs / mine


def _peak(name: str, result: Mapping[str, Any]) -> float | None:
    for p in result["memory"]:
        if f"{p['operation']} / {p['contender']}" == name and p["bytes"] is not None:
            return float(p["bytes"] / 1e6)
    return None


def _engine(
    entry: Mapping[str, Any], engines: Mapping[str, Any] | None
) -> tuple[float | None, str]:
    in_memory = entry["engine"].startswith("peak")
    unit = "MB" if in_memory else "times as long"
    if engines is None or engines["rows"] != entry["rows"]:
        return None, unit
    row = next(r for r in engines["results"] if r["name"] == entry["engine"])
    if in_memory:
        return row["bytes"] / 1e6, unit
    return row["ours_seconds"] / row["their_seconds"], unit
