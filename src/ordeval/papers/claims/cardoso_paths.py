"""What Cardoso & Sousa 2011 say on pairs, paths and penalties, up to listing 1."""

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.measures.association import kendall_tau_b, r_int
from ordeval.measures.distance import mean_absolute_error
from ordeval.measures.nominal import misclassification_error
from ordeval.measures.path import oc_index, oc_index_unnormalized
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._tables import tridiagonal
from ordeval.papers._values import Value
from ordeval.papers.claims import slow
from ordeval.papers.claims.cardoso_claims import close, random_matrices
from ordeval.papers.printed.cardoso2011 import TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5

_FEW: Final = 60
_EPS: Final = 1e-12
_SMALL_BETA: Final = 0.001
# Two matrices of nine items on the same path: near the diagonal, and far from it.
_NEAR: Final = ((4, 0, 1), (0, 0, 0), (0, 0, 4))
_FAR: Final = ((1, 0, 7), (0, 0, 0), (0, 0, 1))
# The same diagonal with one item left over, near and far.
_LEFT_NEAR: Final = ((4, 0, 0), (1, 4, 0), (0, 0, 4))
_LEFT_FAR: Final = ((4, 0, 0), (0, 4, 0), (1, 0, 4))

Penalty = Callable[[slow.Path], float]


@exhibit("Section 1.1", "Pairs of items, and what the usual measures range over")
def common_measures(draft: Draft) -> Iterator[Value]:
    """Definitions 1 to 3, and the ranges of the coefficients."""
    draft.call = "oe.kendall_tau_b.from_confusion([[2, 0, 1], [1, 1, 0], [2, 1, 2]])"
    n = random_matrices(draft.run.seed, _FEW, k=3)
    by_pairs = [slow.tau_b_of_pairs(*slow.expanded(x)) for x in n]
    claim = draft.claim("By definitions 1 to 3, pair by pair, τ_b is what ordeval gives")
    yield claim.tried(
        np.allclose(by_pairs, kendall_tau_b.values(n), atol=_EPS, equal_nan=True),
        f"{_FEW} random matrices, K = 3",
    )
    sizes = np.diag([2, 3, 1, 4])
    claim = draft.claim("τ_b is 1 where the sequences agree and −1 where they totally disagree")
    yield claim.tried(
        close(kendall_tau_b.from_confusion(np.stack([sizes, sizes[:, ::-1]])), [1, -1]),
        "classes of 2, 3, 1 and 4 items, predicted in order and in reverse",
    )
    values = np.asarray(r_int.values(n))
    known = values[~np.isnan(values)]
    claim = draft.claim("r_int lies in [−1, 1]")
    yield claim.tried(
        np.abs(known).max() <= 1 + _EPS, f"{known.min():.2f} to {known.max():.2f} on {len(known)}"
    )
    corner = np.zeros((3, 9, 9))
    for i, k in enumerate((3, 6, 9)):
        corner[i, 0, k - 1] = 1
    claim = draft.claim("MAE has no upper bound: its largest value grows with the classes")
    yield claim.tried(
        close(mean_absolute_error.from_confusion(corner), [2, 5, 8]), "one item, K = 3, 6 and 9"
    )


@exhibit("Section 3", "Paths, and the penalties that were rejected", also="Figure 1")
def penalties(draft: Draft) -> Iterator[Value]:
    """Definition 4, figures 1 to 3 and the penalties that the text tries and rejects."""
    draft.call = "oe.optimal_path([[2, 0, 1], [1, 1, 0], [2, 1, 2]], share=0.25).cells"
    draft.method = "The matrices of figures 2 and 3 are not printed; others make the same point."
    every = [path for k in (2, 3, 4, 5) for path in slow.paths(k)]
    claim = draft.claim("Every monotone path is consistent: no two of its cells are discordant")
    yield claim.tried(all(map(_consistent, every)), f"all {len(every):,} paths, K = 2 to 5")
    n = random_matrices(draft.run.seed, _FEW)
    on_diagonal = 1 - np.trace(n, axis1=1, axis2=2) / n.sum(axis=(1, 2))
    claim = draft.claim("MER is (N − benefit) / N of the path along the diagonal (Figure 1a)")
    yield claim.tried(
        close(misclassification_error.from_confusion(n), on_diagonal),
        f"{_FEW} random matrices, K = 4",
    )
    tried: dict[str, Penalty] = {
        "its length": lambda path: float(len(path) - 3),
        "its largest distance": lambda path: float(max(abs(r - c) for r, c in path)),
        "its area": lambda path: float(sum(abs(r - c) for r, c in path)),
    }
    for name, penalty in tried.items():
        near, far = (_index_with(np.array(m), penalty) for m in (_NEAR, _FAR))
        claim = draft.claim(f"A penalty on a path by {name} does not tell near from far (Figure 2)")
        yield claim.tried(
            abs(near - far) < _EPS, f"{near:.4f} and {far:.4f} for {_NEAR} and {_FAR}"
        )
    near, far = oc_index_unnormalized.from_confusion([_NEAR, _FAR], beta=_SMALL_BETA).tolist()
    claim = draft.claim("Eq. 6, which weights each item by its distance, distinguishes them")
    yield claim.tried(near < far - _EPS, f"{near:.4f} and {far:.4f}, β = {_SMALL_BETA:g}")
    yield from _left_over(draft)


def _left_over(draft: Draft) -> Iterator[Value]:
    pair = [_LEFT_NEAR, _LEFT_FAR]
    before = oc_index_unnormalized.from_confusion(pair, beta=0.5).tolist()
    after = oc_index.from_confusion(pair, beta=0.5).tolist()
    claim = draft.claim("Eq. 6 does not see how far off items beside the path lie (Figure 3)")
    yield claim.tried(abs(before[0] - before[1]) < _EPS, f"{before[0]:.4f} and {before[1]:.4f}")
    claim = draft.claim("Eq. 7, with the dispersion, does")
    yield claim.tried(after[0] < after[1], f"{after[0]:.4f} and {after[1]:.4f}")
    n = np.array([[0, 0, 9], [0, 0, 0], [9, 0, 0]])
    added = (
        float(oc_index_unnormalized.from_confusion(n, beta=0.5)) + 0.1 * (n * slow.steps(3)).sum()
    )
    claim = draft.claim("Added as a term of its own, the dispersion takes the index beyond 1")
    yield claim.tried(added > 1, f"{added:.2f} for 18 items in two corners, second β 0.1")


def _consistent(path: slow.Path) -> bool:
    """Equation 5 for every pair of cells."""
    return all((a - c) * (b - d) >= 0 for a, b in path for c, d in path)


def _index_with(n: Integers, penalty: Penalty) -> float:
    """The index before normalisation, with another penalty on the path."""
    items = float(n.sum())
    return min(
        1 - sum(float(n[cell]) for cell in path) / items + _SMALL_BETA * penalty(path)
        for path in slow.paths(len(n))
    )


@exhibit("Section 3.4", "The recursion and its cost")
def recursion(draft: Draft) -> Iterator[Value]:
    """The dynamic programme finds the best path, in as many steps as there are cells."""
    draft.call = "oe.oc_index.from_confusion([[2, 0, 1], [1, 1, 0], [2, 1, 2]], share=0.75)"
    n = random_matrices(draft.run.seed, _FEW)
    items = n.sum(axis=(1, 2))
    spread = (n * slow.steps(4)).sum(axis=(1, 2))
    best = [
        slow.cheapest(x / (i + m), 0.75 / (i * 3) * x * slow.steps(4))
        for x, i, m in zip(n, items, spread, strict=True)
    ]
    claim = draft.claim("W at (K, K) is the least cost over all consistent paths")
    yield claim.tried(
        close(best, oc_index.from_confusion(n)),
        f"{_FEW} random matrices, K = 4, each with all {len(slow.paths(4))} paths",
    )
    steps = [_steps_of_listing(k) for k in (10, 20, 40)]
    claim = draft.claim("Its cost is O(K²)")
    yield claim.tried(
        steps == [9**2, 19**2, 39**2],
        f"listing 1 takes {steps} minima at K = 10, 20 and 40, which is (K − 1)²",
    )


def _steps_of_listing(k: int) -> int:
    """How many minima listing 1 takes."""
    calls = 0

    def counted(*values: float) -> float:
        nonlocal calls
        calls += 1
        return min(values)

    slow.listing_1(tridiagonal(k), k, counted)
    return calls


@exhibit("Section 4", "Other exponents, and more classes")
def other_exponents(draft: Draft) -> Iterator[Value]:
    """That conclusions do not differ for other gamma, and what more classes do."""
    draft.call = f"oe.oc_index.from_confusion({tridiagonal(3).tolist()}, gamma=2)"
    orders = _orders()
    for gamma in (2.0, 3.0):
        kept = [words for words, pairs in orders.items() if _kept(pairs, gamma)]
        lost = [words for words in orders if words not in kept]
        claim = draft.claim(f"The conclusions of sections 2 to 4.3 do not differ for γ = {gamma:g}")
        yield claim.tried(
            not lost,
            f"{len(kept)} of {len(orders)} hold",
            f"no longer so: {'; '.join(lost)}",
        )
    ks = range(2, 31)
    low, high = (
        np.array([oc_index.from_confusion(tridiagonal(k), share=s) for k in ks])
        for s in (0.25, 0.75)
    )
    claim = draft.claim("On tridiagonal matrices OC (β₂) improves as K grows")
    yield claim.tried(
        _falls(high), f"{high[0]:.3f} at K = 2, {high[-1]:.3f} at K = 30, falling at every step"
    )
    claim = draft.claim("OC (β₁) does not", ours=True)
    yield claim.tried(not _falls(low), f"{low[0]:.3f} at K = 2, {low[-1]:.3f} at K = 30")


def _falls(values: Floats) -> bool:
    return bool((np.diff(values) < _EPS).all())


def _orders() -> dict[str, tuple[tuple[float, str, str], ...]]:
    """What OC concludes at γ = 1: with this share, one matrix is better than another."""
    both, cm5, cm6 = (0.25, 0.75), TABLE_4.rows[1].name, TABLE_4.rows[2].name
    svm, net, frank_hall = (row.name for row in TABLE_5.rows)
    return {
        "A before B before C": tuple((s, *p) for s in both for p in (("A", "B"), ("B", "C"))),
        "a small β prefers C to D": ((0.25, "C", "D"),),
        "a large β prefers D to C": ((0.75, "D", "C"),),
        "CM2 before CM1": tuple((s, "CM2", "CM1") for s in both),
        "CM4 before CM3": tuple((s, "CM4", "CM3") for s in both),
        "CM5 before CM6": tuple((s, cm5, cm6) for s in both),
        "CM10 before CM12 before CM11": tuple(
            (s, *p) for s in both for p in ((svm, frank_hall), (frank_hall, net))
        ),
    }


def _kept(pairs: tuple[tuple[float, str, str], ...], gamma: float) -> bool:
    tables = (TABLE_1, TABLE_2, TABLE_3, TABLE_4, TABLE_5)
    of = {row.name: row.matrix for table in tables for row in table.rows}
    return all(
        oc_index.from_confusion(of[better], share=s, gamma=gamma)
        < oc_index.from_confusion(of[worse], share=s, gamma=gamma)
        for s, better, worse in pairs
    )


@exhibit("Appendix B", "Listing 1, run as printed")
def appendix_b(draft: Draft) -> Iterator[Value]:
    """The program of the paper, line by line."""
    draft.call = "oe.oc_index.from_confusion([[2, 0, 1], [1, 1, 0], [2, 1, 2]])"
    n = random_matrices(draft.run.seed, _FEW)
    listed = [slow.listing_1(x, 4) for x in n]
    claim = draft.claim("Listing 1 gives OC with γ = 1 and a share of 0.75")
    yield claim.tried(
        close(listed, oc_index.from_confusion(n), within=1e-12),
        f"{_FEW} random matrices, K = 4, and line by line in Python",
    )
