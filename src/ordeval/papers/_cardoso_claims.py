"""What Cardoso & Sousa 2011 claim in words, as statements that are tried on data."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.association import kendall_tau_b, r_int, spearman_rho
from ordeval.measures.distance import mean_absolute_error
from ordeval.measures.nominal import misclassification_error
from ordeval.measures.path import oc_index, oc_index_general, oc_index_unnormalized
from ordeval.papers._values import Exhibit, Maker, Run

KEY: Final = "cardoso2011"
_EPS: Final = 1e-12
_RANDOM: Final = 300
_GENERAL: Final = 6  # the general form solves an integer programme a matrix
_SHARES: Final = (0.25, 0.75)


def random_matrices(seed: int, size: int, k: int = 4, most: int = 6) -> NDArray[np.int64]:
    """Small matrices with an item or more, for trying claims."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(0, most, (size, k, k)) * (rng.random((size, k, k)) < 0.6)
    drawn[:, 0, 0] += drawn.sum(axis=(1, 2)) == 0
    return np.asarray(drawn, dtype=np.int64)


def general_form(run: Run) -> Exhibit:
    """Section 3 and 3.1: the index before normalisation, and its general form."""
    make = Maker(KEY, "Section 3.1")
    n = random_matrices(run.seed, _RANDOM)
    few = random_matrices(run.seed + 1, _GENERAL, k=3, most=4)
    before = oc_index_unnormalized.from_confusion(n, beta=1.0)
    mae = mean_absolute_error.from_confusion(few)
    free = oc_index_general.from_confusion(few, beta_deviation=0, beta_discordance=0)
    strict = oc_index_general.from_confusion(few, beta_deviation=0.02, beta_discordance=1)
    wrong, right = _dispersions(n)
    values = (
        make.statement(
            "Without the dispersion in it (eq. 6) the index is the error rate if β ≥ 1",
            _close(before, misclassification_error.from_confusion(n)),
            f"{_RANDOM} random matrices, K = 4, β = 1",
        ),
        make.statement(
            "In the general form (eq. 8), OC(β₁ = β₂ = 0) = MAE / (1 + MAE)",
            bool(np.allclose(free, mae / (1 + mae), rtol=0, atol=1e-6)),
            f"{_GENERAL} random matrices, K = 3, solved as integer programmes",
        ),
        make.statement(
            "In the general form, β₂ ≥ 1 gives back eq. 7",
            bool(
                np.allclose(strict, oc_index.from_confusion(few, beta=0.02), rtol=0, atol=1e-6)
            ),
            f"{_GENERAL} random matrices, K = 3, β₁ = 0.02, β₂ = 1",
        ),
        make.formula(
            "dispersion M, text before eq. 7", "formula", "(Σ n |r − c|)^γ",
            "(Σ n |r − c|^γ)^(1/γ)", wrong > 1.01 * right,
            f"eq. 7 and listing 1 have the second, which is the Minkowski distance that the text "
            f"calls it; the two differ for γ = 2 (largest {wrong:g} and {right:.3g} in {_RANDOM} "
            f"random matrices) and agree for γ = 1, the only γ of the tables",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Section 3.1", "The index before normalisation, and its general form", values,
        call="oe.oc_index_general([1, 2, 3], [1, 3, 2], beta_deviation=0, beta_discordance=0)",
    )  # fmt: skip


def _dispersions(n: NDArray[np.int64], gamma: int = 2) -> tuple[float, float]:
    step = np.abs(np.subtract.outer(np.arange(n.shape[1]), np.arange(n.shape[1])))
    printed = (n * step).sum(axis=(1, 2)) ** gamma
    meant = (n * step**gamma).sum(axis=(1, 2)) ** (1 / gamma)
    return float(printed.max()), float(meant.max())


def single_item(run: Run) -> Exhibit:
    """Section 3.2: what can be said of one item."""
    make = Maker(KEY, "Section 3.2")
    k = 8
    m = np.arange(k)
    single = np.zeros((k, k, k), dtype=np.int64)
    single[m, 0, m] = 1
    index = {b: oc_index.from_confusion(single, beta=b) for b in (0.0, 0.01, 0.1, 0.5)}
    nothing = -9.0  # no value of these coefficients, so it stands for none
    ranks = [
        f.from_confusion(single, undefined=nothing) for f in (spearman_rho, kendall_tau_b, r_int)
    ]
    error = misclassification_error.from_confusion(single)
    values = (
        make.statement(
            "R_s, τ_b and r_int have no value for a single item",
            all(bool((v == nothing).all()) for v in ranks),
            f"one item at distances 0 to {k - 1}, K = {k}",
        ),
        make.statement(
            "OC of a single item rises with its distance, from 0 to at most 1",
            all(bool((np.diff(v) >= -_EPS).all() and v[0] == 0 and v.max() <= 1 + _EPS)
                for v in index.values()),
            f"β = 0, 0.01, 0.1 and 0.5; distances 0 to {k - 1}",
        ),
        make.statement(
            "For β = 0.5 it is the error rate",
            _close(index[0.5], error), f"distances 0 to {k - 1}",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Section 3.2", "A single item", values,
        call="oe.oc_index([2], [4], labels=[1, 2, 3, 4, 5], beta=0.1)",
    )  # fmt: skip


def properties(run: Run) -> Exhibit:
    """Section 3.3: zero only for perfect predictions, in [0, 1], symmetric."""
    make = Maker(KEY, "Section 3.3")
    n = np.concatenate([random_matrices(run.seed, _RANDOM), _diagonals(run.seed)])
    errors = n.sum(axis=(1, 2)) > np.trace(n, axis1=1, axis2=2)
    tried = f"{len(n)} random matrices, K = 4, shares {' and '.join(map(str, _SHARES))}"
    index = [oc_index.from_confusion(n, share=s) for s in _SHARES]
    turned = [oc_index.from_confusion(n.swapaxes(1, 2), share=s) for s in _SHARES]
    values = (
        make.statement(
            "For β > 0, OC(a, b) = 0 if and only if a = b",
            all(bool(((v > _EPS) == errors).all()) for v in index), tried,
        ),
        make.statement(
            "0 ≤ OC ≤ 1",
            all(bool(((v >= -_EPS) & (v <= 1 + _EPS)).all()) for v in index), tried,
        ),
        make.statement(
            "OC(a, b) = OC(b, a)",
            all(_close(v, t) for v, t in zip(index, turned, strict=True)), tried,
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Section 3.3", "Properties of the index", values,
        call='oe.meta.check_properties("oc_index", ["only_perfect", "range", "symmetry"])',
    )  # fmt: skip


def _diagonals(seed: int) -> NDArray[np.int64]:
    sizes = np.random.default_rng(seed).integers(1, 5, (20, 4))
    return np.asarray(sizes[:, :, None] * np.eye(4, dtype=np.int64))


def triangle(run: Run) -> Exhibit:
    """Appendix A: a metric for large beta, none for small."""
    make = Maker(KEY, "Appendix A")
    n = random_matrices(run.seed, _RANDOM)
    items = n.sum(axis=(1, 2))
    step = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    m = (n * step).sum(axis=(1, 2))
    wrong = items - np.trace(n, axis1=1, axis2=2)
    at_bound = np.array(
        [oc_index.from_confusion(x, beta=1 / (i + 1)) for x, i in zip(n, items, strict=True)]
    )
    shapes = [(2, 4), (3, 3)]
    worst = max(_worst_triangle(k, size, 1 / (size + 1)) for k, size in shapes)
    triples = sum(k ** (3 * size) for k, size in shapes)
    broken, kept = zip(*map(_counterexample, range(3, 31)), strict=True)
    values = (
        make.statement(
            "For β ≥ 1/(N+1) the best path is the diagonal, and OC = (M + H) / (M + N)",
            _close(at_bound, (m + wrong) / (m + items)),
            f"{_RANDOM} random matrices, K = 4, β = 1/(N+1)",
        ),
        make.statement(
            "For β ≥ 1/(N+1) the triangle inequality holds",
            worst >= -_EPS,
            f"all {triples:,} triples of labelings with 2 classes and 4 items or 3 and 3, "
            f"β = 1/(N+1)",
        ),
        make.statement(
            "For β < (N−1)/((N+1)(N+2)) it is broken by a, b, c of the appendix",
            all(broken), "N = 3 to 30, β at 0.99 of the bound",
        ),
        make.statement(
            "That bound is exact for this a, b, c", all(kept), "N = 3 to 30, β at the bound",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Appendix A", "When the index is a metric", values,
        call='oe.meta.check_properties("oc_index", "triangle_inequality")',
    )  # fmt: skip


def _worst_triangle(k: int, size: int, beta: float) -> float:
    """The least of d(a, b) + d(b, c) - d(a, c) over all labelings of so many items."""
    labelings = list(itertools.product(range(1, k + 1), repeat=size))
    d = np.array([[_distance(a, b, k, beta) for b in labelings] for a in labelings])
    return float((d[:, :, None] + d[None] - d[:, None, :]).min())


def _distance(a: Any, b: Any, k: int, beta: float) -> float:
    cm = ConfusionMatrix.from_labels(a, b, range(1, k + 1))
    return float(oc_index.from_confusion(cm, beta=beta))


def _counterexample(size: int) -> tuple[bool, bool]:
    """Whether the paper's vectors break the inequality below its bound and keep it at it."""
    bound = (size - 1) / ((size + 1) * (size + 2))
    below, at = (_gap(size, beta) for beta in (0.99 * bound, bound))
    return below < -_EPS, at >= -_EPS


def _gap(size: int, beta: float) -> float:
    ab, bc, ac = (oc_index.from_confusion(n, beta=beta) for n in _vectors(size))
    return float(ab + bc - ac)


def _vectors(size: int) -> Iterator[list[list[int]]]:
    yield [[size - 1, 0], [1, 0]]
    yield [[size - 1, 1], [0, 0]]
    yield [[size - 2, 1], [1, 0]]


def _close(a: Any, b: Any) -> bool:
    return bool(np.allclose(a, b, rtol=0, atol=1e-9))
