"""Silva, Pinto & Cardoso 2018: the uniform ordinal classification index."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures import get_metric
from ordeval.measures.association import r_int
from ordeval.measures.path import auoc, uoc_index
from ordeval.papers import _silva_experiments as experiments
from ordeval.papers._pictures import CurvesDisplay
from ordeval.papers._silva_printed import COLUMNS, KEY, TABLE_I
from ordeval.papers._tables import matrix_table, tridiagonal, utilities
from ordeval.papers._values import Exhibit, Maker, Paper, Part, Run, agrees
from ordeval.plots.uoc import UOCCurveDisplay, UOCDistanceDisplay

_LARGE_K: Final = 600
_BETAS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


def _table_i(run: Run) -> Exhibit:
    values = matrix_table(Maker(KEY, "Table I"), COLUMNS, TABLE_I)
    return Exhibit(
        KEY, "Table I", "Simulated matrices: thirteen measures of six classifiers", tuple(values),
        method="AMAE counts an absent class as no error, as the paper does: for E, without items "
        "of class 3, that is 0.50, over the observed classes 0.67.",
        call=f"oe.auoc.from_confusion({[list(r) for r in TABLE_I[1].matrix]})",
    )  # fmt: skip


def _section_iv(run: Run) -> Exhibit:
    make = Maker(KEY, "Section IV")
    u = utilities(COLUMNS, TABLE_I)
    best = {c.heading: float(get_metric(c.metric).best) for c in COLUMNS}
    perfect = all(abs(u[name, "A"]) == best[name] for name in best)
    robust = {c.heading for c in COLUMNS if u[c.heading, "D"] == u[c.heading, "F"]}
    lowest = {m: min((u[m, row], row) for row in "BCD")[1] for m in ("R_s", "τ_b", "r_int")}
    values = (
        make.statement("All measures give A the best value", perfect, "Table I"),
        make.statement(
            "Only MMAE, AMAE, UOC and A_UOC are the same for D and for F, D with many items of 1",
            robust == {"MMAE", "AMAE", "UOC β₁", "UOC β₂", "A_UOC"},
            f"the same for both: {', '.join(sorted(robust))}",
        ),
        make.statement(
            "Of B, C and D, τ_b gives the lowest score to C",
            lowest["τ_b"] == "C",
            f"lowest: {', '.join(f'{m} {row}' for m, row in lowest.items())}",
            "the text has C and D exchanged: its own Table I prints 0.61 for C and 0.60 for D, and "
            "it is the others that are lowest for C",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Section IV", "What the text says of Table I", values,
        call='oe.meta.check_properties("uoc_index", "class_proportions")',
    )  # fmt: skip


def _equations(run: Run) -> Exhibit:
    make = Maker(KEY, "Equations")
    row = TABLE_I[1]
    n = np.array(row.matrix)
    printed = row.texts[[c.heading for c in COLUMNS].index("r_int")]
    literal, meant = _r_int_of_equation_8(n, literal=True), float(r_int.from_confusion(n))
    by_20, by_21, own = _uoc_at_gamma_2()
    values = (
        make.formula(
            "equation 8, card(S1)", "factors", "n_i· n_·j", "n_i· n_j·",
            agrees(printed, meant) and not agrees(printed, literal),
            f"for classifier B the printed form gives r_int {literal:.3f}, the other {meant:.3f}; "
            f"Table I has {printed}",
        ),
        make.formula(
            "equations 21 to 28", "factor of the dispersion", "K / K^γ", "K / K^(1/γ)",
            bool(np.isclose(by_20, own)) and not np.isclose(by_20, by_21),
            f"it follows from equation 20: at γ = 2 the diagonal of classifier D costs "
            f"{by_20:.3f} by 20 and {by_21:.3f} by 21 as printed; with β = 1 "
            f"oe.uoc_index is {own:.3f}. At γ = 1, the γ of the paper, they are the same",
        ),
        make.statement(
            "For β = 1 the best path is the diagonal (γ = 1)",
            all(_diagonal_is_best(np.array(r.matrix)) for r in TABLE_I), "the matrices of Table I",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Equations", "Formulas", values,
        call=f"oe.uoc_index.from_confusion({n.tolist()}, beta=1, gamma=2)",
    )  # fmt: skip


def _r_int_of_equation_8(n: NDArray[Any], *, literal: bool) -> float:
    """r_int with card(S1) as equation 8 prints it, or as it is meant."""
    k, rows, columns, items = len(n), n.sum(axis=1), n.sum(axis=0), n.sum()
    other = columns if literal else rows
    s1 = sum(rows[i] * other[j] for i in range(k) for j in range(i, k)) - items
    s2 = sum(columns[i] * columns[j] for i in range(k) for j in range(i, k)) - items
    both = sum(n[i, j] * n[i:, j:].sum() for i in range(k) for j in range(k)) - items
    return float(-1 + 2 * both / np.sqrt(s1 * s2))


def _uoc_at_gamma_2() -> tuple[float, float, float]:
    """The cost of the diagonal of classifier D by equation 20, by 21 as printed, and the index."""
    n = np.array(TABLE_I[3].matrix)
    k = len(n)
    q = n / n.sum(axis=1, keepdims=True)
    spread = (q * np.subtract.outer(np.arange(k), np.arange(k)) ** 2).sum()
    right = np.trace(q)
    by_20 = 1 - (right / k) / (1 + np.sqrt(spread / k))
    by_21 = 1 - right / (k + k / k**2 * np.sqrt(spread))
    return float(by_20), float(by_21), float(uoc_index.from_confusion(n, beta=1, gamma=2))


def _diagonal_is_best(n: NDArray[Any]) -> bool:
    sizes = n.sum(axis=1)
    q = n[sizes > 0] / sizes[sizes > 0, None]
    k = len(q)
    right = sum(n[i, i] / sizes[i] for i in range(len(n)) if sizes[i])
    steps = np.abs(np.subtract.outer(np.arange(len(n)), np.arange(len(n))))[sizes > 0]
    diagonal = 1 - right / (k + (q * steps).sum())
    return bool(abs(uoc_index.from_confusion(n, beta=1) - diagonal) < 1e-12)


def _figure_1(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 1")
    rows = {f"classifier {r.name}": ConfusionMatrix(r.matrix) for r in TABLE_I[1:4]}
    drawn = UOCCurveDisplay(rows)
    values = (
        make.missing(
            "example matrix", "UOC over β", "a curve and its area",
            "the matrix is not printed; B, C and D of Table I are drawn",
        ),
        make.statement(
            "AUOC is the area below UOC over β from 0 to 1",
            all(_area_is_integral(r.matrix) for r in TABLE_I),
            "trapezoids of 501 values of β, to 0.0001, for the matrices of Table I",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Figure 1", "UOC over β, and AUOC", values,
        call=f"oe.uoc_curve({[list(r) for r in TABLE_I[1].matrix]})", pictures=(drawn,),
    )  # fmt: skip


def _area_is_integral(matrix: Any) -> bool:
    beta = np.linspace(0, 1, 501)
    y = np.array([uoc_index.from_confusion(matrix, beta=b) for b in beta.tolist()])
    area = float(((y[1:] + y[:-1]) / 2).sum() / (len(beta) - 1))
    return abs(area - float(auoc.from_confusion(matrix))) < 1e-4


def _figure_2(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 2")
    k = 10
    drawn = UOCDistanceDisplay(k, _BETAS)
    curves = [*drawn.values.values(), drawn.area]
    values = (
        make.statement(
            "UOC and AUOC of one item do not fall as its distance grows, from 0 to at most 1",
            all(c[0] == 0 and (np.diff(c) >= -1e-12).all() and c.max() <= 1 for c in curves),
            f"β = {', '.join(f'{b:g}' for b in _BETAS)}; distances 0 to {k - 1}",
        ),
        make.statement(
            "AUOC, which has no β, behaves alike: it lies between the extremes of β",
            bool((drawn.area >= curves[0] - 1e-12).all() and
                 (drawn.area <= drawn.values[1.0] + 1e-12).all()),
            f"distances 0 to {k - 1}",
        ),
    )  # fmt: skip
    return Exhibit(
        KEY, "Figure 2", "A single item, by its distance to the diagonal", values,
        call="oe.plots.UOCDistanceDisplay(10)", pictures=(drawn,),
    )  # fmt: skip


def _figure_3(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 3")
    ks = range(2, 41)
    curves = {c.heading: [c.of(tridiagonal(k)) for k in ks] for c in COLUMNS}
    at = {c.heading: float(c.of(tridiagonal(_LARGE_K))) for c in COLUMNS if c.heading != "A_UOC"}
    area = curves["A_UOC"][-1]
    values = [
        make.exact("limit", name, "1.00", at[name]) for name in ("R_s", "τ_b", "r_int")
    ]  # fmt: skip
    values.append(make.exact("limit", "MER", "0.67", at["MER"]))
    values.append(
        make.statement(
            "As drawn, UOC and A_UOC lie between MER and the rank coefficients",
            all(at["MER"] < x < at["r_int"] for x in (at["UOC β₁"], at["UOC β₂"], area)),
            f"MER {at['MER']:.3f}, UOC {at['UOC β₁']:.3f} and {at['UOC β₂']:.3f}, r_int "
            f"{at['r_int']:.3f} at K = {_LARGE_K}, A_UOC {area:.3f} at K = {ks[-1]}; mind that MER "
            f"and UOC measure error, the rank coefficients agreement",
        )
    )
    shown = {name: y for name, y in curves.items() if name not in ("MSE", "MMAE", "AMAE", "MAE")}
    drawn = CurvesDisplay("Tridiagonal matrices", list(ks), shown, "number of classes K", "value")
    return Exhibit(
        KEY, "Figure 3", "Tridiagonal matrices as the number of classes grows", tuple(values),
        method=f"Limits are compared at K = {_LARGE_K}; 2/3 is written as it rounds.",
        call=f"oe.auoc.from_confusion({tridiagonal(4).tolist()})", pictures=(drawn,),
    )  # fmt: skip


PAPER: Final = Paper(
    KEY,
    "Silva, Pinto & Cardoso 2018, A uniform performance index for ordinal classification with "
    "imbalanced classes, IJCNN",
    "UOC gives every class the same weight in the ordinal classification index; its area over β, "
    "AUOC, does away with the parameter.",
    (
        Part("Equations", _equations),
        Part("Figure 1", _figure_1),
        Part("Figure 2", _figure_2),
        Part("Figure 3", _figure_3),
        Part("Table I", _table_i),
        Part("Section IV", _section_iv),
        Part("Table II", experiments.table_ii),
        experiments.figure("Figure 4", "Wine"),
        experiments.figure("Figure 5", "ESL"),
        Part("Section V", experiments.conclusions),
    ),
)
