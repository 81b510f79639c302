"""What Amigó et al. 2020 define and prove: closeness at three scales, examples and appendix C."""

from collections.abc import Callable, Iterator
from itertools import combinations, permutations, product
from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.measures import get_metric
from ordeval.measures.closeness import cem_ord, proximity
from ordeval.measures.nominal import balanced_accuracy
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._values import Value
from ordeval.papers.claims.amigo_claims import uniform_truth
from ordeval.papers.printed.amigo2020 import SIZES, TRANSFORMED

Map = dict[int, int]  # a permissible transformation, by the values that it maps

_VALUES: Final = (1, 2, 3, 4)
_TRIPLES: Final = tuple(product(_VALUES, repeat=3))  # x, a, b: is x closer to b than a?
_RANDOM: Final = 50
_EPS: Final = 1e-12


@exhibit("Section 2.1", "Why the usual measures do not do")
def usual_measures(draft: Draft) -> Iterator[Value]:
    """The example of three items that are ranked perfectly, and all wrong."""
    draft.call = "oe.kendall_tau_b([3, 2, 1], [4, 3, 2], labels=[1, 2, 3, 4])"
    levels = ("very low", "low", "high", "very high")
    truth, output = ("high", "low", "very low"), ("very high", "high", "low")
    found = {
        name: float(get_metric(name)(truth, output, labels=levels))
        for name in ("accuracy", "kendall_tau_b", "spearman_rho", "pearson_r")
    }
    shown = ", ".join(f"{name} {x:g}" for name, x in found.items())
    claim = draft.claim("Very high, high, low for high, low, very low: ranked perfectly, all wrong")
    yield claim.tried(
        found["accuracy"] == 0 and found["kendall_tau_b"] == found["spearman_rho"] == 1, shown
    )
    claim = draft.claim("An output can correlate perfectly without matching a single value")
    yield claim.tried(found["accuracy"] == 0 and abs(found["pearson_r"] - 1) < _EPS, shown)


@exhibit("Section 3", "Closeness, and what it is at three scales")
def scales(draft: Draft) -> Iterator[Value]:
    """Definition 1 with its conditions, eq. 1, and what CEM becomes at other scales."""
    draft.call = 'oe.proximity([20, 20, 20, 20], "int")'
    draft.method = (
        "Definition 1 is tried on all triples of the numbers 1 to 4, with all increasing maps to "
        "0 to 9, all orders of four numbers of different distances, and two linear maps."
    )
    yield from _definition_1(draft)
    rng = np.random.default_rng(draft.run.seed)
    sizes = rng.integers(1, 30, (_RANDOM, 5))
    claim = draft.claim(
        "Eq. 1: prox is −log of the share of items between, half of those predicted"
    )
    yield claim.tried(
        all(np.allclose(proximity(s), _by_items(s)) for s in sizes),
        f"item by item, {_RANDOM} random sizes of 5 classes",
    )
    hits = np.array([np.diag(proximity(s)) for s in sizes])
    rarer = np.sign(sizes[:, :, None] - sizes[:, None]) == -np.sign(
        np.round(hits[:, :, None] - hits[:, None], 12)
    )
    claim = draft.claim("A hit weighs more in a less frequent class")
    yield claim.tried(rarer.all(), f"{_RANDOM} random sizes of 5 classes")
    n = uniform_truth(draft.run.seed) + np.diag([0, 3, 9, 27])
    bits = np.array([np.diag(x * proximity(x.sum(axis=1), "nom")) for x in n])
    most = np.array([x.sum(axis=1) * np.diag(proximity(x.sum(axis=1), "nom")) for x in n])
    claim = draft.claim("Macro average accuracy is the mean over classes of their summed closeness")
    yield claim.tried(
        np.allclose((bits / most).mean(axis=1), balanced_accuracy.from_confusion(n)),
        f"{len(n)} random matrices of unequal classes, each sum divided by its maximum",
    )
    yield _logarithmic_mae(draft)


def _definition_1(draft: Draft) -> Iterator[Value]:
    increasing = [dict(zip(_VALUES, to, strict=True)) for to in combinations(range(10), 4)]
    bijective = [dict(zip(_VALUES, to, strict=True)) for to in permutations((0, 1, 3, 9))]
    linear = [{v: s * v for v in _VALUES} for s in (1, -2)]
    wrong = _unlike(_between, increasing, any)
    x, a, b = wrong[0] if wrong else (0, 0, 0)
    claim = draft.claim("Definition 1 at ordinal scale: x closer to b than a if x lies between")
    yield claim.tried(
        not wrong,
        f"{len(wrong)} of {len(_TRIPLES)} triples differ, such as x = {x}, a = {a}, b = {b}",
        "with some transformation, as the definition has it, x beyond b is also closer; appendix C "
        "proves it for every transformation",
    )
    claim = draft.claim("The same for every transformation, as appendix C proves it")
    yield claim.tried(not _unlike(_between, increasing, all), f"all {len(_TRIPLES)} triples")
    claim = draft.claim("Definition 1 at nominal scale: if b = x or b ≠ a")
    yield claim.tried(
        not _unlike(lambda x, a, b: b == x or b != a, bijective, any),
        f"all {len(_TRIPLES)} triples",
    )
    claim = draft.claim("Definition 1 at interval scale: if |b − x| ≤ |b − a|")
    yield claim.tried(
        not _unlike(lambda x, a, b: abs(b - x) <= abs(b - a), linear, any),
        f"all {len(_TRIPLES)} triples",
    )


def _between(x: int, a: int, b: int) -> bool:
    return b >= x >= a or a >= x >= b


def _unlike(
    condition: Callable[[int, int, int], bool], maps: list[Map], how: Callable[..., bool]
) -> list[tuple[int, ...]]:
    """The triples for which the condition is not what the definition says."""
    return [
        (x, a, b)
        for x, a, b in _TRIPLES
        if condition(x, a, b) != how(abs(f[x] - f[b]) <= abs(f[a] - f[b]) for f in maps)
    ]


def _by_items(sizes: Integers) -> Floats:
    """Proximities in bits, counting the items one by one; rows truth."""
    items = np.repeat(np.arange(len(sizes)), sizes)

    def share(g: int, s: int) -> float:
        low, high = min(g, s), max(g, s)
        between = [0.5 if x == s else 1.0 for x in items if low <= x <= high]
        return sum(between) / len(items)

    k = range(len(sizes))
    return -np.log2([[share(g, s) for s in k] for g in k])


def _logarithmic_mae(draft: Draft) -> Value:
    """CEM at interval scale, all classes having the same size."""
    k = 9
    bits = proximity([5] * k, "int")
    near, far = bits[0], bits[k // 2]
    inner = [bits[k // 2, k // 2 + d] for d in range(k // 2 + 1)]
    formula = [-np.log2((2 * d + 1) / k) for d in range(k // 2 + 1)]
    claim = draft.claim("With classes of equal size CEM_INT is a logarithmic MAE")
    return claim.tried(
        np.allclose(near[: k // 2 + 1], far[k // 2 :]),
        f"at distance 1, {near[1]:.3f} bits for the lowest class and {far[k // 2 + 1]:.3f} for the "
        f"middle one, K = {k}",
        f"from the middle class a distance of d earns −log((2d + 1) / K), which "
        f"{'holds' if np.allclose(inner, formula) else 'fails'}, but at the ends of the scale "
        f"fewer items are that near, so the same distance earns more",
    )


@exhibit("Section 4.1", "The example of ordinal invariance")
def invariance(draft: Draft) -> Iterator[Value]:
    """Property 1's example, and the transformation that gives it."""
    draft.call = "oe.cem_ord([11, 24, 39], [11, 24, 24], labels=[11, 24, 39])"
    for x, text in zip((1, 2, 3), TRANSFORMED, strict=True):
        yield draft.printed("f(x) = 10x + x²", f"f({x})", text).exact(10 * x + x * x)
    before = float(cem_ord([1, 2, 3], [1, 2, 2], labels=[1, 2, 3]))
    after = float(cem_ord([11, 24, 39], [11, 24, 24], labels=[11, 24, 39]))
    claim = draft.claim("CEM_ORD is the same for (1, 2, 2), (1, 2, 3) and for their images")
    yield claim.tried(before == after, f"{before:.4f} and {after:.4f}")


@exhibit("Appendix C", "Proofs for CEM")
def proofs(draft: Draft) -> Iterator[Value]:
    """The steps of the proofs that can be computed."""
    draft.call = "oe.cem_ord.from_confusion([[5, 1, 0], [0, 3, 0], [0, 0, 2]])"
    sizes = np.array(list(product(range(1, 9), repeat=3)))
    n1, n2, n3 = sizes.T
    first = sizes[:, :, None] * np.eye(3, dtype=np.int64)
    third = first.copy()
    first[:, 0, :2] += (-1, 1)
    third[:, 2, 1:] += (1, -1)
    largest = np.array([float((s * np.diag(proximity(s))).sum()) for s in sizes])
    gap = (cem_ord.from_confusion(first) - cem_ord.from_confusion(third)) * largest
    stated = np.log2(n1 / 2 * (n3 + n2 / 2) / ((n1 + n2 / 2) * n3 / 2))
    worst = float(np.abs(gap - stated).max())
    claim = draft.claim("Imbalance: the two errors differ in proportion to the logarithm stated")
    yield claim.tried(worst < 1e-9, f"largest deviation {worst:.1g}, all sizes from 1 to 8")
    claim = draft.claim("That logarithm is positive whenever n1 > n3")
    yield claim.tried(((stated > _EPS) == (n1 > n3)).all(), "all sizes from 1 to 8")
    empty = proximity([2, 0, 0, 2])[3]
    claim = draft.claim("Monotonicity takes that no class of the truth is empty")
    yield claim.tried(
        empty[1] == empty[2],
        f"sizes 2, 0, 0, 2: for an item of class 4, predictions of 2 and of 3 are both worth "
        f"{empty[1]:.2f} bits",
    )


def appendix_a_in_words(draft: Draft, wrong_far: dict[str, int]) -> Iterator[Value]:
    """What appendix A says of its table of proximities and its two systems."""
    near = proximity(SIZES)
    claim = draft.claim("The two extreme classes are least close")
    yield claim.tried(near.min() == min(near[0, 2], near[2, 0]), f"{near.min():.2f}")
    claim = draft.claim("Confusing positive and neutral costs more than negative and neutral")
    yield claim.tried(
        near[2, 1] < near[0, 1] and near[1, 2] < near[1, 0],
        f"{near[2, 1]:.2f} and {near[1, 2]:.2f} against {near[0, 1]:.2f} and {near[1, 0]:.2f}",
    )
    claim = draft.claim("System A confuses the extreme classes more often than B")
    yield claim.tried(
        wrong_far["system A"] > wrong_far["system B"],
        ", ".join(f"{name} {count}" for name, count in wrong_far.items()),
    )
