"""Do planned studies deliver? Studies of the planned size, drawn and judged as data would be.

Half-widths are shown over the target, powers as the share of studies that show what they should,
each with its Monte Carlo standard error. Run it with
``python -m benchmarks.planning``; with ``--quick`` it draws fewer studies.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import ordeval as oe
from ordeval.evaluate._expected import of_words

MEASURES = ("cem_ord", "weighted_kappa", "average_mae", "accuracy", "auoc")
SHARES = {3: [0.75, 0.15, 0.10], 5: [0.75, 0.1, 0.05, 0.05, 0.05]}


class Case(NamedTuple):
    """What is expected, and what is targeted for."""

    k: int
    balanced: bool
    accuracy: Any = 0.7
    overlap: float | None = None
    half_width: float | None = None
    power: float | None = None
    margin: float | None = None
    cluster_size: int | None = None
    icc: float | None = None

    @property
    def shares(self) -> list[float] | None:
        return None if self.balanced else SHARES[self.k]

    @property
    def table(self) -> NDArray[np.float64]:
        scale = oe.Scale.range(1, self.k)
        words = of_words(self.accuracy, scale=scale, class_shares=self.shares, overlap=self.overlap)
        return words.table

    def plan(self, metric: str) -> oe.results.Plan:
        return oe.plan(
            metric, accuracy=self.accuracy, k=self.k, class_shares=self.shares,
            overlap=self.overlap, half_width=self.half_width, power=self.power,
            margin=self.margin, cluster_size=self.cluster_size, icc=self.icc,
        )  # fmt: skip

    def __str__(self) -> str:
        words = [f"K = {self.k}", "balanced" if self.balanced else "75 % in one class"]
        if self.power is not None:
            words.append(f"accuracy {self.accuracy[0]:g} and {self.accuracy[1]:g}")
        if self.margin is not None:
            words.append(f"margin {self.margin:g}")
        if self.cluster_size is not None:
            words.append(f"clusters of {self.cluster_size}, ICC {self.icc:g}")
        target = f"±{self.half_width:g}" if self.power is None else f"power {self.power:g}"
        return ", ".join([*words, target])


CASES = {
    "Half-width": [
        Case(k, balanced, half_width=w)
        for k in (3, 5) for balanced in (True, False) for w in (0.05, 0.1)
    ],
    "Power": [
        Case(3, True, (0.8, 0.65), 0.0, power=0.8),
        Case(3, False, (0.8, 0.7), 0.5, power=0.9),
        Case(5, True, (0.85, 0.7), 0.3, power=0.8),
        Case(5, False, (0.8, 0.7), 0.0, power=0.8),
        Case(3, True, (0.7, 0.7), 0.5, power=0.8, margin=0.08),
        Case(5, False, (0.75, 0.77), 0.7, power=0.9, margin=0.08),
    ],
    "Half-width in clusters": [
        Case(3, True, half_width=0.1, cluster_size=5, icc=0.2),
        Case(3, False, half_width=0.1, cluster_size=4, icc=0.4),
        Case(5, False, half_width=0.1, cluster_size=10, icc=0.1),
    ],
    "Power in clusters": [
        Case(3, True, (0.8, 0.7), 0.3, power=0.8, cluster_size=5, icc=0.2),
        Case(3, False, (0.8, 0.7), 0.3, power=0.8, cluster_size=4, icc=0.4),
        Case(5, False, (0.8, 0.7), 0.3, power=0.8, cluster_size=10, icc=0.1),
    ],
}  # fmt: skip


Study = tuple[tuple[Any, ...], dict[str, Any]]  # data, and options of what judges them


def studies(case: Case, plan: oe.results.Plan, number: int, seed: int) -> Iterator[Study]:
    """Drawn studies: counts, or items in clusters.

    An item is, with a chance of the root of the ICC, a copy of its cluster's own item, so that two
    items of a cluster correlate by the ICC.
    """
    rng, table = np.random.default_rng(seed), case.table
    flat = table.ravel()
    for _ in range(number):
        if case.cluster_size is None or case.icc is None:
            yield (rng.multinomial(plan.items, flat).reshape(table.shape),), {}
            continue
        shape = (plan.clusters, case.cluster_size)
        own = rng.choice(flat.size, (plan.clusters, 1), p=flat)
        items = rng.choice(flat.size, shape, p=flat)
        cells = np.where(rng.random(shape) < case.icc**0.5, own, items).ravel()
        clusters = np.repeat(np.arange(plan.clusters), case.cluster_size)
        labels = np.unravel_index(cells, table.shape)
        yield labels, {"labels": range(case.k), "clusters": clusters}


def outcome(metric: str, case: Case, study: Study) -> float:
    """The half-width of one study over the target, or whether it shows what it should."""
    data, options = study
    if case.half_width is not None:
        interval = oe.confidence_interval(metric, *data, **options)
        return (interval.high - interval.low) / 2 / case.half_width
    delta = oe.paired_delta(metric, *data, margin=case.margin, **options)
    shown = delta.p_value <= 0.05 if case.margin is None else delta.verdict == "non-inferior"
    return float(shown)


def main() -> None:
    number = 40 if "--quick" in sys.argv else 1000
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    for title, cases in CASES.items():
        print(f"\n**{title}**, {number} studies a cell\n")
        print("| expected and targeted | " + " | ".join(MEASURES) + " |")
        print("|---|" + "---|" * len(MEASURES))
        for i, case in enumerate(cases):
            row = []
            for j, metric in enumerate(MEASURES):
                plan = case.plan(metric)
                drawn = studies(case, plan, number, seed=100 * i + j)
                found = np.array([outcome(metric, case, study) for study in drawn])
                error = np.nanstd(found) / number**0.5
                row.append(f"{np.nanmean(found):.3f} ± {error:.3f} (n = {plan.items:,})")
            print(f"| {case} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
