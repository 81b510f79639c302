"""What Silva et al. 2018 derive and say in words: sections II, III and V."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from ordeval._shared.types import Integers
from ordeval.measures.distance import average_mae, maximum_mae
from ordeval.measures.nominal import f1_macro, geometric_mean_sensitivity
from ordeval.measures.path import auoc, oc_index, uoc_index
from ordeval.papers._exhibits import Draft, exhibit
from ordeval.papers._values import Value
from ordeval.papers.claims import slow
from ordeval.papers.claims.cardoso_claims import close, random_matrices
from ordeval.papers.printed.silva2018 import COLUMNS, TABLE_I, TABLE_II

_FEW: Final = 60
_MANY: Final = 300
_BETA: Final = 0.02
_EPS: Final = 1e-12
_D, _E = (row.matrix for row in TABLE_I.rows[3:5])
_ASYMMETRIC: Final = ((1, 1), (0, 2))


@exhibit("Section II", "Measures of two classes")
def two_classes(draft: Draft) -> Iterator[Value]:
    """Equations 12 and 13."""
    draft.call = "oe.geometric_mean_sensitivity.from_confusion([[8, 2], [3, 7]])"
    n = random_matrices(draft.run.seed, _MANY, k=2) + 1
    tn, fp, fn, tp = (n[:, i, j].astype(np.float64) for i in (0, 1) for j in (0, 1))
    tried = f"{_MANY} random matrices of two classes"
    of_positive, of_negative = 2 * tp / (2 * tp + fp + fn), 2 * tn / (2 * tn + fp + fn)
    claim = draft.claim("Eq. 12: F1 is 2 TP / (2 TP + FP + FN), and f1_macro its mean over classes")
    yield claim.tried(close(f1_macro.from_confusion(n), (of_positive + of_negative) / 2), tried)
    g_mean = np.sqrt(tp / (tp + fn) * (1 - fp / (fp + tn)))
    claim = draft.claim("Eq. 13: the G-mean is the root of sensitivity times specificity")
    yield claim.tried(close(geometric_mean_sensitivity.from_confusion(n), g_mean), tried)


@exhibit("Section III", "From OC to UOC")
def derivation(draft: Draft) -> Iterator[Value]:
    """Equations 16 to 28, and the claim that the index is a metric."""
    draft.call = "oe.uoc_index.from_confusion([[1, 1], [0, 2]], beta=1)"
    n = random_matrices(draft.run.seed, _FEW) + np.eye(4, dtype=np.int64)
    tried = f"{_FEW} random matrices, K = 4"
    claim = draft.claim("Eqs. 16 to 19 give OC from shares instead of counts (γ = 1)")
    yield claim.tried(
        close([_of_shares(x, 1) for x in n], oc_index.from_confusion(n, beta=_BETA)), tried
    )
    literal = [_of_shares(x, 2) for x in n]
    apart = float(np.abs(literal - oc_index.from_confusion(n, beta=_BETA, gamma=2)).max())
    claim = draft.claim("Eqs. 16 to 19 give OC from shares instead of counts (any γ)")
    yield claim.tried(
        apart < 1e-9,
        f"differences of up to {apart:.3f} at γ = 2; {tried}",
        "divided by N under the root of order γ, the dispersion shrinks by N^(1/γ) and not by N, "
        "which is the same at γ = 1 alone",
    )
    claim = draft.claim("Eqs. 20 to 25: with p(y) = 1/K it is UOC")
    yield claim.tried(
        close([_uniform(x, 0.5) for x in n], uoc_index.from_confusion(n, beta=0.5)),
        f"{tried}, β = 0.5, γ = 1",
    )
    lacking = n.copy()
    lacking[:, 2] = 0
    claim = draft.claim("Eqs. 26 to 28: with absent classes it is UOC over the K′ observed ones")
    yield claim.tried(
        close([_uniform(x, 0.5) for x in lacking], uoc_index.from_confusion(lacking, beta=0.5)),
        "the same matrices without items of class 3, K′ = 3",
    )
    yield from _metric(draft, n)
    yield from _absent_classes(draft)


def _of_shares(n: Integers, gamma: float) -> float:
    """Equation 16: the index from the shares n / N, with N β instead of β."""
    items = n.sum()
    share, far = n / items, slow.steps(len(n)) ** gamma
    spread = (share * far).sum() ** (1 / gamma)
    return slow.cheapest(share / (1 + spread), items * _BETA * share * far)


def _uniform(n: Integers, beta: float) -> float:
    """Equation 20 over the observed classes, γ = 1, with N β written as β."""
    seen = n.sum(axis=1) > 0
    share = np.zeros(n.shape)
    share[seen] = n[seen] / n[seen].sum(axis=1, keepdims=True) / seen.sum()
    far = slow.steps(len(n))
    return slow.cheapest(share / (1 + (share * far).sum()), beta * share * far)


def _metric(draft: Draft, n: Integers) -> Iterator[Value]:
    diagonal = np.array([on_diagonal(x) for x in n])
    claim = draft.claim("For β ≥ 1 the best path is the main diagonal")
    yield claim.tried(
        all(close(uoc_index.from_confusion(n, beta=b), diagonal) for b in (1.0, 2.0)),
        f"{_FEW} random matrices, K = 4, β = 1 and 2",
    )
    one, other = (
        float(uoc_index.from_confusion(x, beta=1)) for x in (_ASYMMETRIC, np.transpose(_ASYMMETRIC))
    )
    claim = draft.claim("For β ≥ 1 UOC is a metric")
    yield claim.tried(
        abs(one - other) < _EPS,
        f"at β = 1 the matrix {_ASYMMETRIC} has {one:.3f}, and its transpose {other:.3f}",
        "it is not symmetric: the classes of the truth weigh the same, those of the prediction do "
        "not",
    )


def on_diagonal(n: Integers) -> float:
    """UOC of the path along the diagonal, over the observed classes (β = γ = 1)."""
    sizes = n.sum(axis=1, keepdims=True)
    share = n / np.maximum(sizes, 1)
    return float(1 - np.trace(share) / ((sizes > 0).sum() + (share * slow.steps(len(n))).sum()))


def _absent_classes(draft: Draft) -> Iterator[Value]:
    """Section III-C: what else could be done about classes that the truth lacks."""
    n = random_matrices(draft.run.seed + 1, _MANY) + 3 * np.eye(4, dtype=np.int64)
    n[:, 1] = 0
    ignored, perfect, uniform = (
        np.asarray(auoc.from_confusion(n, absent=a)) for a in ("ignore", "perfect", "uniform")
    )
    tried = f"{_MANY} random matrices without items of class 2"
    claim = draft.claim("Taken as perfect, an absent class raises the score")
    yield claim.tried((perfect < ignored + _EPS).all(), f"by A_UOC, {tried}")
    worse = float((uniform > ignored).mean())
    claim = draft.claim("Taken as uniform, an absent class consistently penalises")
    yield claim.tried(
        worse == 1,
        f"by A_UOC, in {worse:.0%} of {tried}",
        "a classifier that does badly on the observed classes can gain by it",
    )


@exhibit("Remarks", "What sections IV and V say of Tables I and II in print")
def remarks(draft: Draft) -> Iterator[Value]:
    """Remarks of section IV on D and E, and of section V, held against the printed figures."""
    draft.call = f"oe.auoc.from_confusion({[list(row) for row in _E]}, absent='perfect')"
    draft.method = "The figures of Table II are taken as printed."
    of_d, of_e = (float(auoc.from_confusion(m)) for m in (_D, _E))
    claim = draft.claim("UOC and A_UOC score E, D without class 3, a little worse than D")
    yield claim.tried(0 < of_e - of_d < 0.2, f"A_UOC {of_d:.3f} for D and {of_e:.3f} for E")
    claim = draft.claim("MMAE and AMAE take an absent class as one without error")
    yield claim.tried(
        average_mae.from_confusion(_E, absent="zero") == average_mae.from_confusion(_D)
        and maximum_mae.from_confusion(_E) == maximum_mae.from_confusion(_D),
        "both are the same for D and for E; AMAE with absent='zero'",
    )
    yield _blind_to_order(draft)
    p = {(d, c): _numbers(text) for (d, c), text in TABLE_II.items()}
    claim = draft.claim("ESL: MAE does not tell SVM from RF")
    yield claim.tried(p["ESL", "SVM"]["MAE"] == p["ESL", "RF"]["MAE"], "0.40 for both")
    claim = draft.claim("ESL: by order alone, kNN and RF are alike and better than SVM")
    by_order = {c: [p["ESL", c][m] for m in ("R_s", "τ_b", "r_int")] for c in ("kNN", "RF", "SVM")}
    gap = np.abs(np.subtract(by_order["kNN"], by_order["RF"])).max()
    yield claim.tried(
        gap <= 0.011 and (np.minimum(by_order["kNN"], by_order["RF"]) > by_order["SVM"]).all(),
        f"R_s, τ_b, r_int: {'; '.join(f'{c} {v}' for c, v in by_order.items())}",
    )
    spread = {m: np.ptp([p["Wine", c][m] for c in ("kNN", "SVM", "RF")]) for m in _UOC}
    claim = draft.claim("Wine: a low β parts the classifiers more than a high one, A_UOC between")
    yield claim.tried(
        spread["UOC β₁"] > spread["A_UOC"] > spread["UOC β₂"],
        f"largest differences: {', '.join(f'{m} {x:.2f}' for m, x in spread.items())}",
    )
    between = all(v["UOC β₁"] <= v["A_UOC"] <= v["UOC β₂"] for v in p.values())
    claim = draft.claim("A_UOC lies between UOC at 0.25 and at 0.75")
    yield claim.tried(between, "all six rows of Table II")
    best = {m: min(("kNN", "SVM", "RF"), key=lambda c: p["ESL", c][m]) for m in _OF_ERROR}
    claim = draft.claim("ESL: OC takes SVM for the best, UOC and A_UOC take kNN")
    yield claim.tried(
        list(best.values()) == ["SVM", "SVM", "kNN", "kNN", "kNN"],
        ", ".join(f"{m} {c}" for m, c in best.items()),
    )


_UOC: Final = ("UOC β₁", "UOC β₂", "A_UOC")
_OF_ERROR: Final = ("OC β₁", "OC β₂", *_UOC)


def _blind_to_order(draft: Draft) -> Value:
    u = TABLE_I.utilities()
    headings = ("MER", "MSE", "MAE", "MMAE", "AMAE")
    same = [h for h in headings if u[h, "B"] == u[h, "D"]]
    lower = [h for h in headings if u[h, "C"] < u[h, "B"]]
    claim = draft.claim("All accuracy-focused measures score B and D alike, and C lower")
    return claim.tried(
        len(same) == len(lower) == len(headings),
        f"alike for B and D: {', '.join(same)}; lower for C: {', '.join(lower)}",
        "MER is the same for all three, as the paragraph before says",
    )


def _numbers(text: str) -> dict[str, float]:
    return {c.heading: float(x) for c, x in zip(COLUMNS, text.split(), strict=True)}
