"""Silva, Pinto & Cardoso 2018: the uniform ordinal classification index."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from ordeval._shared.types import Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import get_metric
from ordeval.measures.association import r_int
from ordeval.measures.path import auoc, uoc_index
from ordeval.papers._exhibits import Draft, Paper, exhibit
from ordeval.papers._pictures import CurvesDisplay
from ordeval.papers._tables import listed, tridiagonal
from ordeval.papers._values import Value, agrees
from ordeval.papers.claims import (
    silva_claims as claims,
    silva_experiments as experiments,
    slow,
)
from ordeval.papers.printed.silva2018 import COLUMNS, LIMITS, TABLE_I
from ordeval.plots.uoc import UOCCurveDisplay, UOCDistanceDisplay

_LARGE_K: Final = 600
_BETAS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_EPS: Final = 1e-12
_B, _C, _D = TABLE_I.rows[1:4]


@exhibit("Table I", "Simulated matrices: thirteen measures of six classifiers")
def _table_i(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.auoc.from_confusion({listed(_B.matrix)})"
    draft.method = (
        "AMAE counts an absent class as no error, as the paper does: for E, which has no items "
        "of class 3, that gives 0.50, and 0.67 over the observed classes."
    )
    yield from TABLE_I.values(draft)


@exhibit("Section IV", "What the text says of Table I")
def _section_iv(draft: Draft) -> Iterator[Value]:
    draft.call = 'oe.meta.check_properties("uoc_index", "class_proportions")'
    u = TABLE_I.utilities()
    best = {c.heading: float(get_metric(c.metric).best) for c in COLUMNS}
    robust = {name for name in best if u[name, "D"] == u[name, "F"]}
    of_c, of_d = (TABLE_I.printed(row)["τ_b"] for row in (_C, _D))
    lowest = {m: min((u[m, row], row) for row in "BCD")[1] for m in ("R_s", "τ_b", "r_int")}
    claim = draft.claim("All measures give A the best value")
    yield claim.tried(all(abs(u[name, "A"]) == best[name] for name in best), "Table I")
    claim = draft.claim(
        "Only MMAE, AMAE, UOC and A_UOC are the same for D and for F, D with many items of 1"
    )
    yield claim.tried(
        robust == {"MMAE", "AMAE", "UOC β₁", "UOC β₂", "A_UOC"},
        f"the same for both: {', '.join(sorted(robust))}",
    )
    claim = draft.claim("Of B, C and D, τ_b gives the lowest score to C")
    yield claim.tried(
        lowest["τ_b"] == "C",
        f"lowest: {', '.join(f'{m} {row}' for m, row in lowest.items())}",
        f"the text has C and D exchanged: its own Table I prints {of_c} for C and {of_d} for D, "
        f"and it is the other coefficients that are lowest for C",
    )


@exhibit("Equations", "Formulas")
def _equations(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.uoc_index.from_confusion({listed(_B.matrix)}, beta=1, gamma=2)"
    n = np.array(_B.matrix)
    printed = TABLE_I.printed(_B)["r_int"]
    literal, meant = _r_int_of_equation_8(n), float(r_int.from_confusion(n))
    yield draft.printed("equation 8, card(S1)", "factors", "n_i· n_·j").contradicted(
        "n_i· n_j·",
        agrees(printed, meant) and not agrees(printed, literal),
        f"for classifier B the printed form gives r_int {literal:.3f}, the other {meant:.3f}; "
        f"Table I has {printed}. Which side of the dot the index stands on rests on the layout of "
        f"the text, so it may be lost in transcription and not in print",
    )
    by_20, by_21, own = _uoc_at_gamma_2()
    yield draft.printed("equations 21 to 28", "factor of the dispersion", "K / K^γ").contradicted(
        "K / K^(1/γ)",
        np.isclose(by_20, own) and not np.isclose(by_20, by_21),
        f"it follows from equation 20: at γ = 2 the diagonal of classifier D costs {by_20:.3f} by "
        f"equation 20 and {by_21:.3f} by equation 21 as printed; with β = 1, oe.uoc_index is "
        f"{own:.3f}. At γ = 1, the γ of the paper, they are the same",
    )
    claim = draft.claim("For β = 1 the best path is the diagonal (γ = 1)")
    yield claim.tried(
        all(
            abs(uoc_index.from_confusion(n, beta=1) - claims.on_diagonal(np.array(n))) < _EPS
            for n in (row.matrix for row in TABLE_I.rows)
        ),
        "the matrices of Table I",
    )


def _r_int_of_equation_8(n: Integers) -> float:
    """r_int with card(S1) as equation 8 prints it."""
    k, rows, columns, items = len(n), n.sum(axis=1), n.sum(axis=0), n.sum()
    s1, s2 = (sum(x[i] * columns[i:].sum() for i in range(k)) - items for x in (rows, columns))
    both = sum(x * n[i:, j:].sum() for (i, j), x in np.ndenumerate(n)) - items
    return float(-1 + 2 * both / np.sqrt(s1 * s2))


def _uoc_at_gamma_2() -> tuple[float, float, float]:
    """The cost of the diagonal of classifier D by equation 20, by 21 as printed, and the index."""
    n = np.array(_D.matrix)
    k = len(n)
    q = n / n.sum(axis=1, keepdims=True)
    spread = (q * slow.steps(k) ** 2).sum()
    right = np.trace(q)
    by_20 = 1 - (right / k) / (1 + np.sqrt(spread / k))
    by_21 = 1 - right / (k + k / k**2 * np.sqrt(spread))
    return float(by_20), float(by_21), float(uoc_index.from_confusion(n, beta=1, gamma=2))


@exhibit("Figure 1", "UOC over β, and AUOC")
def _figure_1(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.uoc_curve({listed(_B.matrix)})"
    yield draft.printed("example matrix", "UOC over β", "a curve and its area").missing(
        "the matrix is not printed; B, C and D of Table I are drawn"
    )
    claim = draft.claim("AUOC is the area below UOC over β from 0 to 1")
    yield claim.tried(
        all(_area_is_integral(row.matrix) for row in TABLE_I.rows),
        "trapezoids of 501 values of β, to 0.0001, for the matrices of Table I",
    )
    drawn = {f"classifier {row.name}": ConfusionMatrix(row.matrix) for row in (_B, _C, _D)}
    draft.pictures.append(UOCCurveDisplay(drawn))


def _area_is_integral(matrix: Any) -> bool:
    beta = np.linspace(0, 1, 501)
    y = np.array([uoc_index.from_confusion(matrix, beta=b) for b in beta.tolist()])
    return abs(float(np.trapezoid(y, beta)) - float(auoc.from_confusion(matrix))) < 1e-4


@exhibit("Figure 2", "A single item, by its distance to the diagonal")
def _figure_2(draft: Draft) -> Iterator[Value]:
    draft.call = "oe.plots.UOCDistanceDisplay(10)"
    k = 10
    drawn = UOCDistanceDisplay(k, _BETAS)
    curves = [*drawn.values.values(), drawn.area]
    claim = draft.claim(
        "UOC and AUOC of one item do not fall as its distance grows, from 0 to at most 1"
    )
    yield claim.tried(
        all(c[0] == 0 and (np.diff(c) >= -_EPS).all() and c.max() <= 1 for c in curves),
        f"β = {', '.join(f'{b:g}' for b in _BETAS)}; distances 0 to {k - 1}",
    )
    low, high = drawn.values[_BETAS[0]], drawn.values[_BETAS[-1]]
    claim = draft.claim("AUOC, which has no β, behaves alike: it lies between the extremes of β")
    yield claim.tried(
        ((drawn.area >= low - _EPS) & (drawn.area <= high + _EPS)).all(), f"distances 0 to {k - 1}"
    )
    draft.pictures.append(drawn)


@exhibit("Figure 3", "Tridiagonal matrices as the number of classes grows")
def _figure_3(draft: Draft) -> Iterator[Value]:
    draft.call = f"oe.auoc.from_confusion({tridiagonal(4).tolist()})"
    draft.method = f"The limits are compared at K = {_LARGE_K}, and 2/3 is written as 0.67."
    columns = [c for c in COLUMNS if c.heading not in ("MSE", "MMAE", "AMAE", "MAE")]
    drawn = CurvesDisplay.of_tridiagonal(columns, "value")
    large = tridiagonal(_LARGE_K)
    at = {c.heading: float(c.of(large)) for c in columns if c.heading != "A_UOC"}
    for name, limit in LIMITS.items():
        yield draft.printed("limit", name, limit).exact(at[name])
    area, last = drawn.curves["A_UOC"][-1], drawn.x[-1]
    claim = draft.claim("As drawn, UOC and A_UOC lie between MER and the rank coefficients")
    yield claim.tried(
        all(at["MER"] < x < at["r_int"] for x in (at["UOC β₁"], at["UOC β₂"], area)),
        f"MER {at['MER']:.3f}, UOC {at['UOC β₁']:.3f} and {at['UOC β₂']:.3f}, r_int "
        f"{at['r_int']:.3f} at K = {_LARGE_K}, A_UOC {area:.3f} at K = {last:g}; note that MER and "
        f"UOC measure error, and the rank coefficients agreement",
    )
    draft.pictures.append(drawn)


PAPER: Final = Paper(
    key="silva2018",
    citation="Silva, Pinto & Cardoso 2018, A uniform performance index for ordinal classification "
    "with imbalanced classes, IJCNN",
    about="UOC gives every class the same weight in the ordinal classification index; its area "
    "over β, AUOC, does away with the parameter.",
    parts=(
        claims.two_classes,
        _equations,
        claims.derivation,
        _figure_1,
        _figure_2,
        _figure_3,
        _table_i,
        _section_iv,
        experiments.table_ii,
        experiments.figure("Figure 4", "Wine"),
        experiments.figure("Figure 5", "ESL"),
        experiments.conclusions,
        claims.remarks,
    ),
)
