"""The properties of measures, each with the data that could break it.

Ordinal invariance, ordinal monotonicity and imbalance follow Amigó et al. 2020, section 4.1; the
axioms of a distance follow Cardoso & Sousa 2011, appendix A; class proportions follow Silva et al.
2018, where they compare classifiers D and F; the others are facts of the registry.

A property is a function that returns the matrices to compare. Its name is the property's name, its
docstring the rule.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.types import Floats, Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import Metric
from ordeval.meta._search import Law, Slack, Variant

Claim = Callable[[Metric], bool | None]
Variants = Iterator[Variant]

_EQUAL: Final = 1e-9  # values this close are equal
_BETTER: Final = 1e-12  # a value must be better by more than rounding
_SIZES: Final = {3: 12, 4: 12, 5: 11}  # class sizes
_MATRICES: Final = {2: 6, 3: 5, 4: 4}
_WITH_ALL_CLASSES: Final = {2: 6, 3: 5, 4: 5}
_TRIPLES: Final = {2: 5, 3: 3}
_INSERTED: Final = (1, 3)  # empty levels that stretch a scale


@dataclass(frozen=True, kw_only=True)
class Property:
    """A property of measures in words, with the sources that claim it and how to search for it."""

    name: str
    statement: str
    compared: tuple[str, ...]  # a description of each compared matrix
    expected: str  # of their values
    claimed: Claim  # by the registry or by Amigó et al. 2020, Table 2; None: no claim
    law: Law

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle cannot find its functions by name.
        return _restore, (self.name,)


def _restore(name: str) -> Property:
    return next(p for p in PROPERTIES if p.name == name)


def _property(
    slack: Slack,
    sizes: Mapping[int, int],
    *,
    compared: tuple[str, ...] = ("prediction",),
    expected: str,
    claimed: Claim = lambda _: None,
    axes: int = 2,
    random: bool = True,
) -> Callable[[Callable[[Integers], Variants]], Property]:
    """Turn the function that builds the compared matrices into a property."""

    def made(variants: Callable[[Integers], Variants]) -> Property:
        law = Law(variants, slack, sizes, axes, undefined_breaks=slack is _equal, random=random)
        return Property(
            name=variants.__name__.removeprefix("_"),
            statement=variants.__doc__ or "",
            compared=compared,
            expected=expected,
            claimed=claimed,
            law=law,
        )

    return made


def _printed(name: str) -> Claim:
    """Return the claim in the paper's table."""
    return lambda m: None if m.claimed is None else bool(getattr(m.claimed, name))


def _declared(fact: Callable[[Metric], bool]) -> Claim:
    """Return the claim in the registry; its facts hold for the default parameters."""
    return lambda m: None if m.bound else fact(m)


# Slack of values: negative where the property is broken, NaN where it does not apply.


def _scale(values: tuple[Floats, ...]) -> Any:
    return np.maximum(1.0, np.abs(np.stack(values)).max(axis=0))


def _equal(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    return _EQUAL * _scale(values) - np.abs(values[0] - values[1])


def _second_is_better(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    gain = np.asarray(metric.utility(values[1])) - np.asarray(metric.utility(values[0]))
    return gain - _BETTER * _scale(values)


def _is_best(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    return _EQUAL - np.abs(values[0] - metric.best)


def _is_not_best(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    return np.abs(values[0] - metric.best) - _EQUAL


def _no_detour(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    if np.isinf(metric.best):
        return np.full_like(values[0], np.nan)
    ab, bc, ac = (np.abs(v - metric.best) for v in values)
    return ab + bc - ac + _EQUAL


def _is_defined(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    return np.where(np.isnan(values[0]), -1.0, 1.0)


def _is_in_range(metric: Metric, values: tuple[Floats, ...], k: int) -> Any:
    low, high = metric.range.at(k)
    return np.minimum(values[0] - low, high - values[0]) + _EQUAL


# The properties.


@_property(
    _equal,
    _MATRICES,
    compared=("before", "after"),
    claimed=_printed("ordinal_invariance"),
    expected="the same value: the order of the labels has not changed",
)
def _ordinal_invariance(n: Integers) -> Variants:
    """The value does not change when label values go through a strictly increasing function."""
    # Such functions leave levels empty between the labels or below them.
    k = n.shape[1]
    for levels in _INSERTED:
        for place in range(k):
            to = np.arange(k) + levels * (np.arange(k) >= place)
            wide = np.zeros((len(n), k + levels, k + levels), dtype=np.int64)
            wide[:, to[:, None], to] = n
            yield Variant((n, wide))


@_property(
    _equal,
    {2: 2, 3: 2},
    compared=("before", "after"),
    random=False,
    expected="the same value: the scale was declared",
)
def _ordinal_invariance_of_positions(n: Integers) -> Variants:
    """The value does not change when the labels of a declared scale are renamed in order."""
    k = n.shape[1]
    label = [10 * x + x * x for x in range(1, k + 1)]
    counted = []
    for matrix in n:
        codes = (np.repeat(cells, matrix.ravel()).tolist() for cells in np.indices((k, k)))
        y_true, y_pred = ([label[i] for i in code] for code in codes)
        counted.append(ConfusionMatrix.from_labels(y_true, y_pred, label).counts)
    yield Variant((n, np.stack(counted)))


def _one_step_nearer(n: Integers, where: Any) -> Variants:
    """Move one item one class nearer to its truth; longer moves consist of such steps."""
    for i, j in np.ndindex(n.shape[1:]):
        if i != j:
            nearer = n.copy()
            nearer[:, i, j] -= 1
            nearer[:, i, j + (1 if j < i else -1)] += 1
            yield Variant((n, nearer), where & (n[:, i, j] > 0))


_NEARER: Final = "the second better: one prediction is nearer to its truth, none is farther"


@_property(
    _second_is_better,
    _WITH_ALL_CLASSES,
    compared=("prediction", "nearer"),
    expected=_NEARER,
    claimed=_printed("ordinal_monotonicity"),
)
def _ordinal_monotonicity(n: Integers) -> Variants:
    """The value gets better when a prediction moves nearer; every class occurs in the truth."""
    return _one_step_nearer(n, (n.sum(axis=2) > 0).all(axis=1))


@_property(_second_is_better, _MATRICES, compared=("prediction", "nearer"), expected=_NEARER)
def _ordinal_monotonicity_with_empty_classes(n: Integers) -> Variants:
    """The value gets better when a prediction moves nearer, whichever classes occur."""
    return _one_step_nearer(n, np.True_)


@_property(
    _second_is_better,
    _SIZES,
    axes=1,
    compared=("small class errs", "large class errs"),
    expected="the second better: its error is in the larger class",
    claimed=_printed("imbalance"),
)
def _imbalance(sizes: Integers) -> Variants:
    """An error in a small class costs more than one in a larger class."""
    # One error into the middle class: from the smaller neighbour or from the larger one.
    complete = (sizes > 0).all(axis=1)
    for middle in range(1, sizes.shape[1] - 1):
        for small, large in ((middle - 1, middle + 1), (middle + 1, middle - 1)):
            moved = tuple(_moved(sizes, errs, middle) for errs in (small, large))
            yield Variant(moved, complete & (sizes[:, small] < sizes[:, large]))


def _moved(sizes: Integers, errs: int, to: int) -> Integers:
    """Return perfect predictions except for one item of a class."""
    matrices = _diagonal(sizes)
    matrices[:, errs, errs] -= 1
    matrices[:, errs, to] += 1
    return matrices


def _diagonal(sizes: Integers) -> Integers:
    return sizes[:, :, None] * np.eye(sizes.shape[1], dtype=np.int64)


@_property(
    _equal,
    _MATRICES,
    compared=("as they are", "exchanged"),
    expected="the same value",
    claimed=_declared(lambda m: m.symmetric),
)
def _symmetry(n: Integers) -> Variants:
    """The value does not change when truth and prediction are exchanged."""
    yield Variant((n, np.swapaxes(n, 1, 2)))


@_property(
    _equal,
    _MATRICES,
    compared=("as they are", "reversed"),
    expected="the same value",
    claimed=_declared(lambda m: m.reversal_invariant),
)
def _reversal(n: Integers) -> Variants:
    """The value does not change when the scale is reversed."""
    yield Variant((n, n[:, ::-1, ::-1]))


@_property(
    _equal,
    _MATRICES,
    compared=("as it is", "a level more"),
    expected="the same value: the level is not used",
    claimed=_declared(lambda m: not m.depends_on_empty_levels),
)
def _unused_levels(n: Integers) -> Variants:
    """The value does not change when an unused level is added at an end of the scale."""
    for ends in ((0, 1), (1, 0)):
        yield Variant((n, np.pad(n, [(0, 0), ends, ends])))


@_property(_is_in_range, _MATRICES, expected="a value within the range", claimed=lambda _: True)
def _range(n: Integers) -> Variants:
    """The value stays within the range that is declared."""
    yield Variant((n,))


@_property(
    _is_best,
    {2: 6, **_SIZES},
    axes=1,
    expected="the best value",
    claimed=_declared(lambda m: m.perfect == m.best),
)
def _perfect(sizes: Integers) -> Variants:
    """Every perfect prediction has the best value."""
    yield Variant((_diagonal(sizes),), sizes.sum(axis=1) > 0)


@_property(_is_not_best, _MATRICES, expected="less than the best value: there is an error")
def _only_perfect(n: Integers) -> Variants:
    """Only perfect predictions have the best value."""
    errors: NDArray[np.bool_] = n.sum(axis=(1, 2)) > np.trace(n, axis1=1, axis2=2)
    yield Variant((n,), errors)


@_property(
    _no_detour,
    _TRIPLES,
    axes=3,
    compared=("a, b", "b, c", "a, c"),
    expected="d(a, c) <= d(a, b) + d(b, c), with d the distance to the best value",
)
def _triangle_inequality(joint: Integers) -> Variants:
    """The distance to the best value obeys the triangle inequality."""
    yield Variant((joint.sum(axis=3), joint.sum(axis=1), joint.sum(axis=2)))


@_property(
    _equal,
    _MATRICES,
    compared=("before", "one class doubled"),
    expected="the same value: no class is predicted better or worse",
)
def _class_proportions(n: Integers) -> Variants:
    """The value does not change when a class occurs twice as often, with errors alike."""
    for i in range(n.shape[1]):
        more = n.copy()
        more[:, i] *= 2
        yield Variant((n, more), n[:, i].sum(axis=1) > 0)


@_property(_is_defined, {2: 1, 3: 1, 4: 1}, expected="a value", random=False)
def _single_item(n: Integers) -> Variants:
    """The value of a single item is defined."""
    yield Variant((n,))


PROPERTIES: Final[tuple[Property, ...]] = (
    _ordinal_invariance,
    _ordinal_invariance_of_positions,
    _ordinal_monotonicity,
    _ordinal_monotonicity_with_empty_classes,
    _imbalance,
    _symmetry,
    _reversal,
    _unused_levels,
    _range,
    _perfect,
    _only_perfect,
    _triangle_inequality,
    _class_proportions,
    _single_item,
)
