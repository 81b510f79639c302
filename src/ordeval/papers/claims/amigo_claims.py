"""What Amigó et al. 2020 state without tables: propositions 1 and 2, figure 2 and appendix B."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.scale import Scale
from ordeval.measures import get_metric
from ordeval.measures.closeness import cem_nom, proximity
from ordeval.measures.nominal import accuracy
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._values import Value
from ordeval.papers.printed.amigo2020 import IMBALANCE, WITHOUT_INVARIANCE, WITHOUT_MONOTONICITY

_CASES: Final = 300
_EPS: Final = 1e-12


def uniform_truth(seed: int, k: int = 4, size: int = 20) -> Integers:
    """Random matrices whose true classes all have the same size."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.ones(k), (_CASES, k))
    return np.asarray(rng.multinomial(size, shares), dtype=np.int64)


@exhibit("Proposition 1", "Accuracy as CEM at nominal scale")
def proposition_1(draft: Draft) -> Iterator[Value]:
    """With classes of equal size accuracy is proportional to CEM at nominal scale."""
    draft.call = "oe.cem_nom.from_confusion([[8, 2], [3, 7]])"
    n = uniform_truth(draft.run.seed)
    gap = np.abs(cem_nom.from_confusion(n) - accuracy.from_confusion(n)).max()
    claim = draft.claim("If all classes have the same size, accuracy is proportional to CEM_NOM")
    yield claim.tried(
        gap < _EPS,
        f"largest difference {gap:.1g} in {_CASES} random matrices of 4 classes with 20 items each",
    )


@exhibit("Proposition 2", "Precision and recall as closeness")
def proposition_2(draft: Draft) -> Iterator[Value]:
    """Precision and recall of a class as sums of nominal closeness."""
    draft.call = 'oe.proximity([20, 20, 20], "nom")'
    n = uniform_truth(draft.run.seed)
    bits = n * proximity([1] * n.shape[1], "nom")
    hits, predicted = np.diagonal(n, axis1=1, axis2=2), n.sum(axis=1)
    used = predicted > 0
    precision = hits[used] / predicted[used]
    of_output = bits.sum(axis=1)[used]
    tried = f"{_CASES} random systems, 4 classes of 20 items"
    claim = draft.claim("Recall of a class is proportional to the sum of closeness over its items")
    yield claim.tried(_proportional(hits / n.sum(axis=2), bits.sum(axis=2)), tried)
    claim = draft.claim(
        "Precision and recall of a class match the sums exactly once these are divided by their "
        "maximum"
    )
    most = np.log2(n.shape[1])  # bits of a hit, classes being of equal size
    yield claim.tried(
        np.allclose(precision, of_output / (most * predicted[used]))
        and np.allclose(hits / n.sum(axis=2), bits.sum(axis=2) / (most * n.sum(axis=2))),
        f"{tried}; the maximum is that of a class with hits only",
    )
    claim = draft.claim("Precision of a class is proportional to the sum over the items put in it")
    yield claim.tried(
        _proportional(precision, of_output / predicted[used]),
        f"{tried}; divided by the maximum, as the next sentence of the paper says, which counts "
        f"the items that the system puts in the class; the bare sum is "
        f"{'also' if _proportional(precision, of_output) else 'not'} proportional",
    )


def _proportional(a: Floats, b: Floats) -> bool:
    factor = float((a * b).sum() / (b * b).sum())
    return bool(np.abs(a - factor * b).max() < 1e-9)


@exhibit("Figure 2", "The signs of the three properties")
def signs(draft: Draft) -> Iterator[Value]:
    """What the figure says with = and >, on examples that the text prints."""
    draft.call = "oe.cem_ord([1, 1, 2, 3], [1, 2, 2, 3], labels=[1, 2, 3])"
    draft.method = (
        "The figure draws outputs whose items the text does not number. These are the examples of "
        "section 4.1 (=) and of appendix B (>), and CEM_ORD on them."
    )
    kept, *higher = map(_of_sign, _SIGNS)
    claim = draft.claim("Ordinal invariance, =: an increasing function changes nothing")
    yield claim.tried(abs(kept[0] - kept[1]) < _EPS, f"{kept[0]:.4f} and {kept[1]:.4f}")
    names = (
        "Ordinal monotonicity, >: nearer in every item is better",
        "Imbalance, >: an error in the larger class is better than one in the smaller",
    )
    for name, (better, worse) in zip(names, higher, strict=True):
        yield draft.claim(name).tried(better > worse + _EPS, f"{better:.4f} and {worse:.4f}")


# For each sign: truth and output, twice, and the levels of either; all integers between two label
# values are levels, so that a step is a step of values.
_SIGNS: Final = (
    (((1, 2, 3), (1, 2, 2), (1, 3)), ((11, 24, 39), (11, 24, 24), (11, 39))),
    (((3, 4, 5), (2, 3, 4), (1, 5)), ((3, 4, 5), (1, 2, 3), (1, 5))),
    (((1, 1, 2, 3), (1, 2, 2, 3), (1, 3)), ((1, 1, 2, 3), (1, 1, 2, 2), (1, 3))),
)


def _of_sign(sign: Any) -> list[float]:
    return [utility("cem_ord", t, output, Scale.range(*ends)) for t, output, ends in sign]


@exhibit("Appendix B", "Counterexamples")
def appendix_b(draft: Draft) -> Iterator[Value]:
    """Counterexamples to ordinal monotonicity, ordinal invariance and imbalance."""
    draft.call = "oe.cosine_similarity([1, 1, 2, 3], [1, 2, 2, 3], labels=[1, 2, 3])"
    draft.method = (
        "Eff is the measure turned so that greater is better. The second argument of the "
        "paper's Eff is the truth."
    )
    for metric in WITHOUT_MONOTONICITY:
        yield _monotonicity(draft, metric)
    for metric in WITHOUT_INVARIANCE:
        yield _invariance(draft, metric)
    for metric, printed in IMBALANCE.items():
        for output, text in zip(((1, 2, 2, 3), (1, 1, 2, 2)), printed, strict=True):
            found = utility(metric, (1, 1, 2, 3), output, (1, 2, 3))
            why = f"{found:.5f}, truncated to three decimals"
            yield draft.printed(metric, f"imbalance, output {output}", text).exact(found, why)


def _monotonicity(draft: Draft, metric: str) -> Value:
    far, near = (
        utility(metric, (3, 4, 5), output, range(1, 6)) for output in ((1, 2, 3), (2, 3, 4))
    )
    claim = draft.claim(f"{metric}: Eff((1,2,3), (3,4,5)) = Eff((2,3,4), (3,4,5))")
    return claim.tried(
        abs(far - near) < _EPS,
        f"{far:.3f} and {near:.3f}",
        "this does not hold for all measures of that family: this one distinguishes the two",
    )


def _invariance(draft: Draft, metric: str) -> Value:
    """Label values matter: the scale holds every integer between, so that steps are values."""

    def f(labels: tuple[int, ...]) -> list[int]:
        return [10 + x**3 for x in labels]

    before = utility(metric, (3, 4, 5), (1, 2, 3), range(1, 6))
    after = utility(metric, f((3, 4, 5)), f((1, 2, 3)), Scale.range(11, 135))
    claim = f"{metric}: another Eff after f(x) = 10 + x³"
    return draft.claim(claim).tried(abs(before - after) > _EPS, f"{before:.3f} and {after:.3f}")


def utility(metric: str, truth: Any, output: Any, labels: Any) -> float:
    """A measure of labels, turned so that greater is better.

    >>> utility("mean_absolute_error", [1, 1, 2, 3], [1, 2, 2, 3], [1, 2, 3])
    -0.25
    """
    measure, cm = get_metric(metric), ConfusionMatrix.from_labels(list(truth), list(output), labels)
    return float(measure.utility(measure.values(cm.counts)))
