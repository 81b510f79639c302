"""What Cardoso & Sousa 2011 claim in words, as statements that are tried on data."""

import itertools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.association import kendall_tau_b, r_int, spearman_rho
from ordeval.measures.distance import mean_absolute_error
from ordeval.measures.nominal import misclassification_error
from ordeval.measures.path import oc_index, oc_index_general, oc_index_unnormalized
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._values import Value
from ordeval.papers.claims import slow
from ordeval.papers.printed.cardoso2011 import BETA_OF_ERROR

_EPS: Final = 1e-12
_RANDOM: Final = 300
_GENERAL: Final = 6  # the general form solves an integer programme for each matrix
_SHARES: Final = (0.25, 0.75)


def random_matrices(seed: int, size: int, k: int = 4, most: int = 6) -> Integers:
    """Small matrices with an item or more, for trying claims."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, most, (size, k, k)) * (rng.random((size, k, k)) < 0.6)
    drawn[:, 0, 0] += drawn.sum(axis=(1, 2)) == 0
    return np.asarray(drawn, dtype=np.int64)


def single_items(k: int) -> Integers:
    """Matrices of one item each, at all distances from the diagonal that k classes allow."""
    m = np.arange(k)
    single = np.zeros((k, k, k), dtype=np.int64)
    single[m, 0, m] = 1
    return single


@exhibit("Section 3.1", "The index before normalisation, and its general form")
def general_form(draft: Draft) -> Iterator[Value]:
    """Section 3 and 3.1: the index before normalisation, and its general form."""
    draft.call = "oe.oc_index_general([1, 2, 3], [1, 3, 2], beta_deviation=0, beta_discordance=0)"
    n = random_matrices(draft.run.seed, _RANDOM)
    few = random_matrices(draft.run.seed + 1, _GENERAL, k=3, most=4)
    before = oc_index_unnormalized.from_confusion(n, beta=1.0)
    mae = mean_absolute_error.from_confusion(few)
    free = oc_index_general.from_confusion(few, beta_deviation=0, beta_discordance=0)
    strict = oc_index_general.from_confusion(few, beta_deviation=0.02, beta_discordance=1)
    claim = draft.claim("Without the dispersion in it (eq. 6) the index is the error rate if β ≥ 1")
    yield claim.tried(
        close(before, misclassification_error.from_confusion(n)),
        f"{_RANDOM} random matrices, K = 4, β = 1",
    )
    claim = draft.claim("In the general form (eq. 8), OC(β₁ = β₂ = 0) = MAE / (1 + MAE)")
    yield claim.tried(
        close(free, mae / (1 + mae), within=1e-6),
        f"{_GENERAL} random matrices, K = 3, solved as integer programmes",
    )
    claim = draft.claim("In the general form, β₂ ≥ 1 gives back eq. 7")
    yield claim.tried(
        close(strict, oc_index.from_confusion(few, beta=0.02), within=1e-6),
        f"{_GENERAL} random matrices, K = 3, β₁ = 0.02, β₂ = 1",
    )
    wrong, right = _dispersions(n)
    place = draft.printed("dispersion M, text before eq. 7", "formula", "(Σ n |r − c|)^γ")
    yield place.contradicted(
        "(Σ n |r − c|^γ)^(1/γ)",
        wrong > 1.01 * right,
        f"eq. 7 and listing 1 have the second form, the Minkowski distance that the text speaks "
        f"of; the two differ for γ = 2 (at most {wrong:g} and {right:.3g} in {_RANDOM} random "
        f"matrices) and agree for γ = 1, the only γ of the tables. Where the exponent stands rests "
        f"on the layout of the text, so it may be lost in transcription and not in print",
    )


def _dispersions(n: Integers, gamma: int = 2) -> tuple[float, float]:
    """The largest dispersion by the formula as printed, and by the one that is meant."""
    steps = slow.steps(n.shape[-1])
    printed = (n * steps).sum(axis=(1, 2)) ** gamma
    meant = (n * steps**gamma).sum(axis=(1, 2)) ** (1 / gamma)
    return float(printed.max()), float(meant.max())


@exhibit("Section 3.2", "A single item")
def single_item(draft: Draft) -> Iterator[Value]:
    """Section 3.2: what can be said of one item."""
    draft.call = "oe.oc_index([2], [4], labels=[1, 2, 3, 4, 5], beta=0.1)"
    k = 8
    single = single_items(k)
    index = [oc_index.from_confusion(single, beta=b) for b in (0.0, 0.01, 0.1, BETA_OF_ERROR)]
    nothing = -9.0  # no value of these coefficients, so it stands for none
    ranks = [
        f.from_confusion(single, undefined=nothing) for f in (spearman_rho, kendall_tau_b, r_int)
    ]
    claim = draft.claim("R_s, τ_b and r_int have no value for a single item")
    yield claim.tried(
        all((v == nothing).all() for v in ranks), f"one item at distances 0 to {k - 1}, K = {k}"
    )
    claim = draft.claim("OC of a single item rises with its distance, from 0 to at most 1")
    yield claim.tried(
        all((np.diff(v) >= -_EPS).all() and v[0] == 0 and v.max() <= 1 + _EPS for v in index),
        f"β = 0, 0.01, 0.1 and {BETA_OF_ERROR:g}; distances 0 to {k - 1}",
    )
    claim = draft.claim(f"For β = {BETA_OF_ERROR:g} it is the error rate")
    yield claim.tried(
        close(index[-1], misclassification_error.from_confusion(single)), f"distances 0 to {k - 1}"
    )


@exhibit("Section 3.3", "Properties of the index")
def properties(draft: Draft) -> Iterator[Value]:
    """Section 3.3: zero only for perfect predictions, in [0, 1], symmetric."""
    draft.call = 'oe.meta.check_properties("oc_index", ["only_perfect", "range", "symmetry"])'
    n = np.concatenate([random_matrices(draft.run.seed, _RANDOM), _diagonals(draft.run.seed)])
    errors = n.sum(axis=(1, 2)) > np.trace(n, axis1=1, axis2=2)
    tried = f"{len(n)} random matrices, K = 4, shares {' and '.join(map(str, _SHARES))}"
    index = np.array([oc_index.from_confusion(n, share=s) for s in _SHARES])
    turned = np.array([oc_index.from_confusion(n.swapaxes(1, 2), share=s) for s in _SHARES])
    claim = draft.claim("For β > 0, OC(a, b) = 0 if and only if a = b")
    yield claim.tried(((index > _EPS) == errors).all(), tried)
    yield draft.claim("0 ≤ OC ≤ 1").tried(((index >= -_EPS) & (index <= 1 + _EPS)).all(), tried)
    yield draft.claim("OC(a, b) = OC(b, a)").tried(close(index, turned), tried)


def _diagonals(seed: int) -> Integers:
    sizes = np.random.default_rng(seed).integers(1, 5, (20, 4))
    return np.asarray(sizes[:, :, None] * np.eye(4, dtype=np.int64))


@exhibit("Appendix A", "When the index is a metric")
def triangle(draft: Draft) -> Iterator[Value]:
    """Appendix A: a metric for large beta, none for small."""
    draft.call = 'oe.meta.check_properties("oc_index", "triangle_inequality")'
    n = random_matrices(draft.run.seed, _RANDOM)
    items = n.sum(axis=(1, 2))
    m = (n * slow.steps(4)).sum(axis=(1, 2))
    wrong = items - np.trace(n, axis1=1, axis2=2)
    at_bound = [oc_index.from_confusion(x, beta=1 / (i + 1)) for x, i in zip(n, items, strict=True)]
    claim = draft.claim("For β ≥ 1/(N+1) the best path is the diagonal, and OC = (M + H) / (M + N)")
    yield claim.tried(
        close(at_bound, (m + wrong) / (m + items)),
        f"{_RANDOM} random matrices, K = 4, β = 1/(N+1)",
    )
    shapes = [(2, 4), (3, 3)]
    triples = sum(k ** (3 * size) for k, size in shapes)
    claim = draft.claim("For β ≥ 1/(N+1) the triangle inequality holds")
    yield claim.tried(
        min(_least_slack(k, size, 1 / (size + 1)) for k, size in shapes) >= -_EPS,
        f"all {triples:,} triples of labelings with 2 classes and 4 items or 3 and 3, β = 1/(N+1)",
    )
    bounds = {size: (size - 1) / ((size + 1) * (size + 2)) for size in range(3, 31)}
    claim = draft.claim("For β < (N−1)/((N+1)(N+2)) it is broken by a, b, c of the appendix")
    yield claim.tried(
        all(_slack(size, 0.99 * bound) < -_EPS for size, bound in bounds.items()),
        "N = 3 to 30, β at 0.99 of the bound",
    )
    claim = draft.claim("That bound is exact for this a, b, c")
    yield claim.tried(
        all(_slack(size, bound) >= -_EPS for size, bound in bounds.items()),
        "N = 3 to 30, β at the bound",
    )


def _least_slack(k: int, size: int, beta: float) -> float:
    """The least of d(a, b) + d(b, c) - d(a, c) over all labelings of a number of items."""
    labelings = list(itertools.product(range(1, k + 1), repeat=size))
    d = np.array([[_distance(a, b, k, beta) for b in labelings] for a in labelings])
    return float((d[:, :, None] + d[None] - d[:, None, :]).min())


def _distance(a: Any, b: Any, k: int, beta: float) -> float:
    cm = ConfusionMatrix.from_labels(a, b, range(1, k + 1))
    return float(oc_index.from_confusion(cm, beta=beta))


def _slack(size: int, beta: float) -> float:
    """d(a, b) + d(b, c) - d(a, c) for the vectors of the appendix."""
    pairs = ([[size - 1, 0], [1, 0]], [[size - 1, 1], [0, 0]], [[size - 2, 1], [1, 0]])
    ab, bc, ac = (oc_index.from_confusion(n, beta=beta) for n in pairs)
    return float(ab + bc - ac)


def close(a: Any, b: Any, within: float = 1e-9) -> bool:
    """Whether two arrays are the same but for rounding."""
    return bool(np.allclose(a, b, rtol=0, atol=within))
