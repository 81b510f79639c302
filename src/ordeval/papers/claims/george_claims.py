"""What George et al. 2016 define and say in words, next to their tables."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Floats, Integers
from ordeval.measures.cost import (
    chance_line_distance,
    cost_accuracy_distance,
    george_cost,
    misclassification_cost,
)
from ordeval.measures.distance import average_mae
from ordeval.measures.nominal import accuracy
from ordeval.meta import simulate_matrices
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._tables import Matrix
from ordeval.papers._values import Value
from ordeval.papers.printed.george2016 import DATA, TABLE_2, TABLE_4

_FEW: Final = 100
_MATRICES: Final = 10_000
_EPS: Final = 1e-9


@exhibit("Equations", "Total cost, its maximum, and the distance", also="Figure 1")
def equations(draft: Draft) -> Iterator[Value]:
    """Equations 5 to 7, the performance grid, and the cost of a balanced design."""
    draft.call = "oe.misclassification_cost.from_confusion([[8, 2], [3, 7]])"
    rng = np.random.default_rng(draft.run.seed)
    n = rng.integers(1, 30, (_FEW, 4, 4))
    tried = f"{_FEW} random matrices, K = 4"
    totals = np.array([np.trace(_cost(x) @ x) for x in n])  # rows of the cost are predictions
    largest = np.array([_largest_cost(x) for x in n])
    claim = draft.claim("Eq. 5: the total cost is the trace of C Fᵀ, and MC its share of eq. 6")
    yield claim.tried(
        np.allclose(totals / largest, misclassification_cost.from_confusion(n)), tried
    )
    claim = draft.claim("Eq. 6 as an optimisation gives the closed form", ours=True)
    yield claim.tried(
        np.allclose([_by_linear_programme(x) for x in n[:10]], largest[:10]),
        "the linear programme under the printed constraints, 10 random matrices",
    )
    yield from _grid(draft, n)
    even = n / n.sum(axis=2, keepdims=True) * 40
    ratio = misclassification_cost.from_confusion(even) / average_mae.from_confusion(even)
    claim = draft.claim("In a balanced design the cost is proportional to AMAE")
    yield claim.tried(np.ptp(ratio) < _EPS, f"MC / AMAE is {ratio[0]:.3f} for all, K = 4")


def _cost(n: Integers) -> Floats:
    """The costs of equation 4 as the paper prints them, with predicted classes as rows."""
    return np.asarray(george_cost(n.sum(axis=1))).T


def _largest_cost(n: Integers) -> float:
    return float((n.sum(axis=1) * _cost(n).max(axis=0)).sum())


def _by_linear_programme(n: Integers) -> float:
    from scipy.optimize import linprog

    k = len(n)
    wrong = ~np.eye(k, dtype=bool)
    of_class = np.array([[j == t for _, j in np.argwhere(wrong)] for t in range(k)], dtype=float)
    found = linprog(-_cost(n)[wrong], A_eq=of_class, b_eq=n.sum(axis=1))
    return -float(found.fun)


def _grid(draft: Draft, n: Integers) -> Iterator[Value]:
    acc, mc = (np.asarray(m.from_confusion(n)) for m in (accuracy, misclassification_cost))
    worst = np.array([[0, 0, 5], [5, 0, 0], [5, 0, 0]])
    claim = draft.claim("d lies between 0, for (Acc, MC) = (1, 0), and √2, for (0, 1)")
    ends = [float(cost_accuracy_distance.from_confusion(x)) for x in (np.diag([5] * 3), worst)]
    yield claim.tried(
        ends[0] == 0 and abs(ends[1] - np.sqrt(2)) < _EPS, f"{ends[0]:g} and {ends[1]:.4f}, K = 3"
    )
    # The foot of the perpendicular on the line from (1, 0) to (0, 1).
    along = (1 - acc + mc) / 2
    foot = np.hypot(acc - (1 - along), mc - along)
    claim = draft.claim("|Acc + MC − 1| / √2 is the distance from the line of chance (Figure 1)")
    yield claim.tried(
        np.allclose(foot, chance_line_distance.from_confusion(n)),
        f"by the foot of the perpendicular, {_FEW} random matrices; it is the shortest distance, "
        f"not the vertical one of which the text speaks",
    )


@exhibit("Section 3.1", "What the text says of the three cancers")
def cancers(draft: Draft) -> Iterator[Value]:
    """Sentences on the classifiers of Table 2, and the data that they come from."""
    draft.call = "oe.datasets.load_esl()"
    u = TABLE_2.utilities()
    lung = [f"lung cancer, {x}" for x in ("Sig24", "Shuffle24", "Rand24")]
    sig, shuffle, rand = lung
    best = {h for h in TABLE_2.headings if _first(u, h, "colon cancer") == "colon cancer, svm"}
    claim = draft.claim("Colon: svm is best by all four measures")
    yield claim.tried(best == set(TABLE_2.headings), f"by {', '.join(sorted(best))}")
    last = {h for h in TABLE_2.headings if u[h, rand] == min(u[h, x] for x in lung)}
    claim = draft.claim("Lung: Rand24 is worst by all four measures")
    yield claim.tried(last == set(TABLE_2.headings), f"by {', '.join(sorted(last))}")
    claim = draft.claim("Lung: Sig24 and Shuffle24 have the same accuracy")
    yield claim.tried(u["Acc", sig] == u["Acc", shuffle], f"{u['Acc', sig]:.3f}")
    claim = draft.claim("Lung: Shuffle24 is better by AMAE, Sig24 by τ_b and by d")
    yield claim.tried(
        u["AMAE", shuffle] > u["AMAE", sig]
        and u["τ_b", sig] > u["τ_b", shuffle]
        and u["d", sig] > u["d", shuffle],
        f"AMAE {-u['AMAE', shuffle]:.2f} against {-u['AMAE', sig]:.2f}; τ_b {u['τ_b', sig]:.2f} "
        f"against {u['τ_b', shuffle]:.2f}; d {-u['d', sig]:.2f} against {-u['d', shuffle]:.2f}",
    )
    ovarian = {
        h: [u[h, f"ovarian cancer, {r.name}"] for r in DATA["ovarian cancer"].rows]
        for h in TABLE_2.headings
    }
    claim = draft.claim("Ovarian: p_1E-8 has the highest AMAE, and the lowest τ_b with p_1E-7")
    tau = [round(x, 2) for x in ovarian["τ_b"]]
    yield claim.tried(
        ovarian["AMAE"][0] == min(ovarian["AMAE"]) and tau[0] == tau[1] == min(tau),
        f"AMAE {', '.join(f'{-x:.2f}' for x in ovarian['AMAE'])}; τ_b "
        f"{', '.join(f'{x:.3f}' for x in ovarian['τ_b'])}, tied to two digits",
    )
    for name, source in (
        ("colon cancer", "GSE17536"),
        ("lung cancer", "GSE19804"),
        ("ovarian cancer", "TCGA"),
    ):
        yield draft.printed(name, "classifiers trained anew", source).missing(
            "ordeval does not carry gene expression data, and the paper gives neither the genes "
            "that it selected nor the parameters of its models; the matrices are taken as printed"
        )


def _first(u: dict[tuple[str, str], float], heading: str, data: str) -> str:
    names = [f"{data}, {row.name}" for row in DATA[data].rows]
    return max(names, key=lambda x: np.nan_to_num(u[heading, x], nan=-np.inf))


@exhibit("Section 3.2", "The second study: lower accuracy at lower cost")
def second_study(draft: Draft) -> Iterator[Value]:
    """Pairs of matrices of different accuracy, of which d prefers the less accurate."""
    draft.call = "oe.meta.simulate_matrices(3, items=800, accuracy=0.7, largest=0.75, rng=0)"
    draft.method = (
        f"{_MATRICES:,} matrices of 800 items in 4 classes for each accuracy, the largest class "
        f"75%, drawn as for Table 3; each of one accuracy beside each of the next."
    )
    seeds = np.random.SeedSequence(draft.run.seed).spawn(3)
    d = {
        a: np.sort(_distances(a, np.random.default_rng(seed)))
        for a, seed in zip((0.6, 0.7, 0.8), seeds, strict=True)
    }
    for low, high in ((0.6, 0.7), (0.7, 0.8)):
        # Where d prefers the less accurate of two, that one must have the lower cost.
        hits = _MATRICES - np.searchsorted(d[high], d[low], side="right")
        share = hits.mean() / _MATRICES
        claim = draft.claim(f"In some pairs d prefers accuracy {low:g} at lower cost to {high:g}")
        yield claim.tried(
            share > 0, f"in {share:.3%} of the {_MATRICES**2:,} pairs of matrices drawn"
        )
    of = {row.name: row.matrix for row in TABLE_4.rows}
    pairs: dict[str, tuple[Matrix, Matrix]] = {
        "(a)": (of["(a) Acc 0.60"], of["(a) Acc 0.70, 52 for 53"]),
        "(b)": (of["(b) Acc 0.70"], of["(b) Acc 0.80"]),
    }
    u = TABLE_4.utilities()
    claim = draft.claim("(a) AMAE and τ_b favour the more accurate classifier, d the other")
    first, second = "(a) Acc 0.60", "(a) Acc 0.70, 52 for 53"
    yield claim.tried(
        all(u[h, second] > u[h, first] for h in ("AMAE", "τ_b")) and u["d", first] > u["d", second],
        "the matrices of Table 4",
    )
    costs = {
        name: [float(misclassification_cost.from_confusion(m)) for m in pair]
        for name, pair in pairs.items()
    }
    shown = "; ".join(f"{name} {a:.3f} and {b:.3f}" for name, (a, b) in costs.items())
    claim = draft.claim("(a) and (b): the more accurate classifier has twice the cost")
    yield claim.tried(all(b / a > 1.95 for a, b in costs.values()), f"MC: {shown}")


def _distances(acc: float, rng: np.random.Generator) -> Floats:
    drawn = simulate_matrices(_MATRICES, items=800, accuracy=acc, largest=0.75, rng=rng)
    return np.asarray(cost_accuracy_distance.from_confusion(drawn))


def empty_classes(draft: Draft, design: dict[str, Any]) -> Iterator[Value]:
    """Simulation 4: what the text blames for the 0.996 of AMAE."""
    n = simulate_matrices(2 * _MATRICES, accuracy=0.8, rng=draft.run.seed, **design)
    empty = (n.sum(axis=1)[:, 0] == 0).reshape(-1, 2).any(axis=1).mean()
    mc, mae = (
        np.asarray(m.from_confusion(n)).reshape(-1, 2)
        for m in (misclassification_cost, average_mae)
    )
    apart = np.sign(np.round(mc[:, 0] - mc[:, 1], 9)) != np.sign(np.round(mae[:, 0] - mae[:, 1], 9))
    claim = draft.claim("Simulation 4: some matrices have no item predicted as class 1")
    yield claim.tried(empty > 0, f"in {empty:.2%} of the pairs, accuracy 80%, balanced")
    claim = draft.claim("Simulation 4: there AMAE chooses the classifier of higher cost")
    yield claim.tried(
        apart.any(),
        f"AMAE and the cost disagree in {apart.mean():.2%} of the pairs",
        "in a balanced design the cost is proportional to AMAE, whichever classes are predicted; "
        "it is not if a table without the empty row is set against the whole cost matrix, which "
        "may also explain the d of glmnetcr in Table 2",
    )
