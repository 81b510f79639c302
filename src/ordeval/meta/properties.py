"""The properties that measures may have, each with the data that could break it.

Ordinal invariance, ordinal monotonicity and imbalance are those of Amigó et al. 2020, section 4.1;
the axioms of a distance are looked at as in Cardoso & Sousa 2011, appendix A; class proportions as
Silva et al. 2018 do when they compare classifiers D and F; the others are facts of the registry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import Metric
from ordeval.meta._search import Floats, Integers, Law, Variant

_EQUAL: Final = 1e-9  # values this near are equal
_BETTER: Final = 1e-12  # a value must be better by more than rounding
_SIZES: Final = {3: 12, 4: 12, 5: 11}  # class sizes
_MATRICES: Final = {2: 6, 3: 5, 4: 4}
_WITH_ALL_CLASSES: Final = {2: 6, 3: 5, 4: 5}
_TRIPLES: Final = {2: 5, 3: 3}
_INSERTED: Final = (1, 3)  # empty levels, to stretch a scale by


@dataclass(frozen=True)
class Property:
    """What a measure may promise, in words, who claims it, and how it is searched."""

    name: str
    statement: str
    compared: tuple[str, ...]  # what each of the compared matrices is
    expected: str  # of their values
    law: Law
    claimed: Callable[[Metric], bool | None]


# How values are judged: below zero where the property is broken, NaN where it does not apply.


def _scale(values: tuple[Floats, ...]) -> Floats:
    return np.asarray(np.maximum(1.0, np.abs(np.stack(values)).max(axis=0)))


def _equal(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    return np.asarray(_EQUAL * _scale(values) - np.abs(values[0] - values[1]))


def _second_is_better(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    gain = np.asarray(metric.utility(values[1])) - np.asarray(metric.utility(values[0]))
    return np.asarray(gain - _BETTER * _scale(values))


def _is_best(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    return np.asarray(_EQUAL - np.abs(values[0] - metric.best))


def _is_not_best(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    return np.asarray(np.abs(values[0] - metric.best) - _EQUAL)


def _triangle(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    if np.isinf(metric.best):
        return np.full_like(values[0], np.nan)
    ab, bc, ac = (np.abs(v - metric.best) for v in values)
    return np.asarray(ab + bc - ac + _EQUAL)


def _defined(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    return np.where(np.isnan(values[0]), -1.0, 1.0)


def _in_range(metric: Metric, values: tuple[Floats, ...], k: int) -> Floats:
    low, high = metric.range.at(k)
    return np.asarray(np.minimum(values[0] - low, high - values[0]) + _EQUAL)


# What is compared.


def _everywhere(data: Integers) -> NDArray[np.bool_]:
    return np.ones(len(data), dtype=bool)


def _as_it_is(n: Integers) -> Iterator[Variant]:
    yield Variant(_everywhere(n), (n,))


def _with_errors(n: Integers) -> Iterator[Variant]:
    errors = n.sum(axis=(1, 2)) > np.trace(n, axis1=1, axis2=2)
    yield Variant(errors, (n,))


def _perfect(sizes: Integers) -> Iterator[Variant]:
    yield Variant(sizes.sum(axis=1) > 0, (_diagonal(sizes),))


def _diagonal(sizes: Integers) -> Integers:
    return sizes[:, :, None] * np.eye(sizes.shape[1], dtype=np.int64)


def _exchanged(n: Integers) -> Iterator[Variant]:
    yield Variant(_everywhere(n), (n, np.swapaxes(n, 1, 2)))


def _reversed(n: Integers) -> Iterator[Variant]:
    yield Variant(_everywhere(n), (n, n[:, ::-1, ::-1]))


def _widened(n: Integers) -> Iterator[Variant]:
    for before, after in ((0, 1), (1, 0)):
        yield Variant(_everywhere(n), (n, np.pad(n, [(0, 0), *[(before, after)] * 2])))


def _stretched(n: Integers) -> Iterator[Variant]:
    """Strictly increasing maps of label values leave levels between, or before, empty."""
    k = n.shape[1]
    for levels in _INSERTED:
        for place in range(k):
            to = np.arange(k) + levels * (np.arange(k) >= place)
            wide = np.zeros((len(n), k + levels, k + levels), dtype=np.int64)
            wide[:, to[:, None], to] = n
            yield Variant(_everywhere(n), (n, wide))


def _renamed(n: Integers) -> Iterator[Variant]:
    """Labels put through x → 10 x + x² and counted on the scale of the new labels."""
    k = n.shape[1]
    label = [10 * x + x * x for x in range(1, k + 1)]
    counted = []
    for matrix in n:
        truth, prediction = (np.repeat(cells, matrix.ravel()) for cells in np.indices((k, k)))
        y_true, y_pred = ([label[i] for i in x.tolist()] for x in (truth, prediction))
        counted.append(ConfusionMatrix.from_labels(y_true, y_pred, label).counts)
    yield Variant(_everywhere(n), (n, np.stack(counted)))


def _one_row_doubled(n: Integers) -> Iterator[Variant]:
    for i in range(n.shape[1]):
        more = n.copy()
        more[:, i] *= 2
        yield Variant(n[:, i].sum(axis=1) > 0, (n, more))


def _one_step_nearer(n: Integers, *, all_classes: bool) -> Iterator[Variant]:
    """One item one class nearer to its truth; longer ways are made of such steps."""
    k = n.shape[1]
    complete = (n.sum(axis=2) > 0).all(axis=1) if all_classes else _everywhere(n)
    for i in range(k):
        for j in range(k):
            if i != j:
                nearer = n.copy()
                nearer[:, i, j] -= 1
                nearer[:, i, j + (1 if j < i else -1)] += 1
                yield Variant(complete & (n[:, i, j] > 0), (n, nearer))


def _nearer_with_all_classes(n: Integers) -> Iterator[Variant]:
    return _one_step_nearer(n, all_classes=True)


def _nearer(n: Integers) -> Iterator[Variant]:
    return _one_step_nearer(n, all_classes=False)


def _error_in_small_or_large(sizes: Integers) -> Iterator[Variant]:
    """One error into the class between: from the smaller neighbour, or from the larger."""
    k = sizes.shape[1]
    complete = (sizes > 0).all(axis=1)
    for middle in range(1, k - 1):
        for small, large in ((middle - 1, middle + 1), (middle + 1, middle - 1)):
            matrices = []
            for errs in (small, large):
                moved = _diagonal(sizes)
                moved[:, errs, errs] -= 1
                moved[:, errs, middle] += 1
                matrices.append(moved)
            yield Variant(complete & (sizes[:, small] < sizes[:, large]), tuple(matrices))


def _three_labelings(joint: Integers) -> Iterator[Variant]:
    ab, bc, ac = (joint.sum(axis=axis) for axis in (3, 1, 2))
    yield Variant(_everywhere(joint), (ab, bc, ac))


def _of_paper(name: str) -> Callable[[Metric], bool | None]:
    return lambda m: None if m.claimed is None else bool(getattr(m.claimed, name))


def _of_registry(fact: Callable[[Metric], bool]) -> Callable[[Metric], bool | None]:
    """Facts are declared for the default parameters."""
    return lambda m: None if m.bound else fact(m)


_TWO = ("before", "after")
_PAIR = ("prediction", "nearer")

PROPERTIES: Final = (
    Property(
        "ordinal_invariance",
        "The value does not change when label values go through a strictly increasing function.",
        _TWO,
        "the same value: the order of the labels has not changed",
        Law(2, _stretched, _equal, _MATRICES, undefined_breaks=True),
        _of_paper("ordinal_invariance"),
    ),
    Property(
        "ordinal_invariance_of_positions",
        "The value does not change when the labels of a declared scale are renamed in order.",
        _TWO,
        "the same value: the scale was declared",
        Law(2, _renamed, _equal, {2: 2, 3: 2}, undefined_breaks=True, random=False),
        lambda _: None,
    ),
    Property(
        "ordinal_monotonicity",
        "The value gets better when a prediction moves nearer; every class occurs in the truth.",
        _PAIR,
        "the second better: one prediction is nearer to its truth, none is farther",
        Law(2, _nearer_with_all_classes, _second_is_better, _WITH_ALL_CLASSES),
        _of_paper("ordinal_monotonicity"),
    ),
    Property(
        "ordinal_monotonicity_with_empty_classes",
        "The value gets better when a prediction moves nearer, whatever classes occur.",
        _PAIR,
        "the second better: one prediction is nearer to its truth, none is farther",
        Law(2, _nearer, _second_is_better, _MATRICES),
        lambda _: None,
    ),
    Property(
        "imbalance",
        "An error in a small class costs more than one in a larger class.",
        ("small class errs", "large class errs"),
        "the second better: its error is in the larger class",
        Law(1, _error_in_small_or_large, _second_is_better, _SIZES),
        _of_paper("imbalance"),
    ),
    Property(
        "symmetry",
        "The value does not change when truth and prediction are exchanged.",
        ("as they are", "exchanged"),
        "the same value",
        Law(2, _exchanged, _equal, _MATRICES, undefined_breaks=True),
        _of_registry(lambda m: m.symmetric),
    ),
    Property(
        "reversal",
        "The value does not change when the scale is reversed.",
        ("as they are", "reversed"),
        "the same value",
        Law(2, _reversed, _equal, _MATRICES, undefined_breaks=True),
        _of_registry(lambda m: m.reversal_invariant),
    ),
    Property(
        "unused_levels",
        "The value does not change when an unused level is added at an end of the scale.",
        ("as it is", "a level more"),
        "the same value: the level is not used",
        Law(2, _widened, _equal, _MATRICES, undefined_breaks=True),
        _of_registry(lambda m: not m.depends_on_empty_levels),
    ),
    Property(
        "range",
        "The value stays within the range that is declared.",
        ("prediction",),
        "a value within the range",
        Law(2, _as_it_is, _in_range, _MATRICES),
        lambda _: True,
    ),
    Property(
        "perfect",
        "Every perfect prediction has the best value.",
        ("prediction",),
        "the best value",
        Law(1, _perfect, _is_best, {2: 6, **_SIZES}),
        _of_registry(lambda m: m.perfect == m.best),
    ),
    Property(
        "only_perfect",
        "Only perfect predictions have the best value.",
        ("prediction",),
        "less than the best value: there is an error",
        Law(2, _with_errors, _is_not_best, _MATRICES),
        lambda _: None,
    ),
    Property(
        "triangle_inequality",
        "The distance to the best value is not longer by way of a third labeling.",
        ("a, b", "b, c", "a, c"),
        "d(a, c) <= d(a, b) + d(b, c), with d the distance to the best value",
        Law(3, _three_labelings, _triangle, _TRIPLES),
        lambda _: None,
    ),
    Property(
        "class_proportions",
        "The value does not change when a class occurs twice as often, with errors alike.",
        ("before", "one class doubled"),
        "the same value: no class is predicted better or worse",
        Law(2, _one_row_doubled, _equal, _MATRICES, undefined_breaks=True),
        lambda _: None,
    ),
    Property(
        "single_item",
        "The value of a single item is defined.",
        ("prediction",),
        "a value",
        Law(2, _as_it_is, _defined, {2: 1, 3: 1, 4: 1}, random=False),
        lambda _: None,
    ),
)
