"""A measure of one's own: register a function with its facts, and everything works with it.

Which properties has it, with the smallest counterexample for each that it lacks; where does it
stand among the known measures on simulated systems; what does it fail to see?
"""

from __future__ import annotations

import numpy as np

import ordeval as oe


@oe.register(
    symbol="PC", family="accuracy", best=1, range=(0, 1), greater_is_better=True,
    symmetric=True, reversal_invariant=True, depends_on_empty_levels=False,
    undefined_when="there are no items", reference="examples/own_measure.py",
)  # fmt: skip
def partial_credit(n: np.ndarray) -> np.ndarray:
    """A hit counts 1, a neighbour a half."""
    k = n.shape[-1]
    credit = np.eye(k) + 0.5 * (np.eye(k, k=1) + np.eye(k, k=-1))
    return (n * credit).sum((-2, -1)) / np.maximum(n.sum((-2, -1)), 1)


def main() -> None:
    report = oe.meta.check_properties("partial_credit")
    print(report, report.find("imbalance"), sep="\n\n")
    outputs = oe.meta.simulate_systems(cases=30, rng=0).outputs()
    print(oe.meta.coverage(outputs, ["partial_credit", "cem_ord", "accuracy"]))
    print(oe.meta.degradation_curves(["partial_credit", "accuracy"]))


if __name__ == "__main__":
    main()
