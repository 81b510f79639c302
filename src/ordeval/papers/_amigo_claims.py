"""What Amigó et al. 2020 state without tables: propositions 1 and 2, and appendix B."""

from __future__ import annotations

import warnings
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval.data.scale import Scale
from ordeval.exceptions import UndefinedMetricWarning
from ordeval.measures import get_metric
from ordeval.measures.closeness import cem_nom, proximity
from ordeval.measures.nominal import accuracy
from ordeval.papers._values import Exhibit, Maker, Run, Value

KEY: Final = "amigo2020"
_CASES: Final = 300
_EPS: Final = 1e-12

# Appendix B. Classification measures and correlation coefficients, then measures of distance.
WITHOUT_MONOTONICITY: Final = (
    "accuracy", "accuracy_within", "balanced_accuracy", "cohen_kappa", "f1_macro", "pearson_r",
    "kendall_tau_a", "kendall_tau_b", "spearman_rho", "reliability_sensitivity",
)  # fmt: skip
WITHOUT_INVARIANCE: Final = (
    "pearson_r", "mean_absolute_error", "mean_squared_error", "average_mae", "average_mse",
    "weighted_kappa", "cosine_similarity",
)  # fmt: skip
# Outputs (1, 2, 2, 3) and (1, 1, 2, 2) for the truth (1, 1, 2, 3); errors count negatively.
IMBALANCE: Final = {
    "accuracy": ("3/4", "3/4"),
    "accuracy_within": ("1", "1"),
    "mean_absolute_error": ("-1/4", "-1/4"),
    "mean_squared_error": ("-1/4", "-1/4"),
    "cosine_similarity": ("0.973", "0.979"),
    "pearson_r": ("0.85", "0.9"),
}


def uniform_truth(seed: int, k: int = 4, size: int = 20) -> NDArray[np.int64]:
    """Random matrices whose true classes all have the same size."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(k), (_CASES, k))
    return np.asarray(rng.multinomial(size, shares), dtype=np.int64)


def proposition_1(run: Run) -> Exhibit:
    """With classes of equal size accuracy is proportional to CEM at nominal scale."""
    n = uniform_truth(run.seed)
    gap = np.abs(cem_nom.from_confusion(n) - accuracy.from_confusion(n)).max()
    value = Maker(KEY, "Proposition 1").statement(
        "If all classes have the same size, accuracy is proportional to CEM_NOM",
        bool(gap < _EPS),
        f"equal, to {gap:.0e}, for {_CASES} random matrices of 4 classes with 20 items each",
    )
    return Exhibit(
        KEY, "Proposition 1", "Accuracy as CEM at nominal scale", (value,),
        call="oe.cem_nom.from_confusion([[8, 2], [3, 7]])",
    )  # fmt: skip


def proposition_2(run: Run) -> Exhibit:
    """Precision and recall of a class as sums of nominal closeness."""
    make = Maker(KEY, "Proposition 2")
    n = uniform_truth(run.seed)
    k = n.shape[1]
    bits = n * proximity([1] * k, "nom")
    hits = np.diagonal(n, axis1=1, axis2=2)
    recall = hits / n.sum(axis=2)
    predicted = n.sum(axis=1)
    used = predicted > 0
    precision = hits[used] / predicted[used]
    of_truth, of_output = bits.sum(axis=2), bits.sum(axis=1)[used]
    mean = of_output / predicted[used]
    values = (
        make.statement(
            "Recall of a class is proportional to the sum of closeness over its items",
            _proportional(recall, of_truth), f"{_CASES} random systems, 4 classes of 20 items",
        ),
        make.statement(
            "Precision of a class is proportional to the sum over the items put in it",
            _proportional(precision, of_output),
            f"{_CASES} random systems, 4 classes of 20 items",
            "the sum counts right items only, precision divides them by all items that the system "
            "puts in the class, and that number is the system's own",
        ),
        make.statement(
            "Precision of a class is proportional to the mean over the items put in it",
            _proportional(precision, mean), "the same systems; the mean in place of the sum",
            column="as a mean",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Proposition 2", "Precision and recall as closeness", values,
        call='oe.proximity([20, 20, 20], "nom")',
    )  # fmt: skip


def _proportional(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    factor = float((a * b).sum() / (b * b).sum())
    return bool(np.abs(a - factor * b).max() < 1e-9)


def appendix_b(run: Run) -> Exhibit:
    """Counterexamples to ordinal monotonicity, ordinal invariance and imbalance."""
    make = Maker(KEY, "Appendix B")
    values = [_monotonicity(make, m) for m in WITHOUT_MONOTONICITY]
    values += [_invariance(make, m) for m in WITHOUT_INVARIANCE]
    for metric, printed in IMBALANCE.items():
        for output, text in zip(((1, 2, 2, 3), (1, 1, 2, 2)), printed, strict=True):
            found = utility(metric, (1, 1, 2, 3), output, (1, 2, 3))
            why = f"{found:.5f}, truncated to three decimals"
            values.append(make.exact(metric, f"imbalance, output {output}", text, found, why))
    return Exhibit(
        KEY, "Appendix B", "Counterexamples", tuple(values),
        method="Eff is the measure turned so that greater is better. Truths are the second "
        "argument of the paper's Eff.",
        call="oe.cosine_similarity([1, 1, 2, 3], [1, 2, 2, 3])",
    )  # fmt: skip


def _monotonicity(make: Maker, metric: str) -> Value:
    far, near = (
        utility(metric, (3, 4, 5), output, range(1, 6)) for output in ((1, 2, 3), (2, 3, 4))
    )
    claim = f"{metric}: Eff((1,2,3), (3,4,5)) = Eff((2,3,4), (3,4,5))"
    why = "not all measures of that family: this one tells the two apart"
    return make.statement(claim, abs(far - near) < _EPS, f"{far:.3f} and {near:.3f}", why)


def _invariance(make: Maker, metric: str) -> Value:
    """Label values matter: the scale holds every integer between, so that steps are values."""

    def f(labels: tuple[int, ...]) -> list[int]:
        return [10 + x**3 for x in labels]

    before = utility(metric, (3, 4, 5), (1, 2, 3), range(1, 6))
    after = utility(metric, f((3, 4, 5)), f((1, 2, 3)), Scale.range(11, 135))
    claim = f"{metric}: another Eff after f(x) = 10 + x³"
    return make.statement(claim, abs(before - after) > _EPS, f"{before:.3f} and {after:.3f}")


def utility(metric: str, truth: Any, output: Any, labels: Any) -> float:
    """A measure of labels, turned so that greater is better.

    >>> utility("mean_absolute_error", [1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3])
    -0.25
    """
    measure = get_metric(metric)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return float(measure.utility(measure(list(truth), list(output), labels=labels)))
