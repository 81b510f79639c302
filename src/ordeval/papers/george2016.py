"""George, Lu & Chang 2016: the distance of accuracy and cost."""

from __future__ import annotations

from typing import Final

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.measures.cost import (
    chance_line_distance,
    cost_accuracy_distance,
    george_cost,
    misclassification_cost,
)
from ordeval.measures.nominal import accuracy
from ordeval.papers import _george_simulations as simulations
from ordeval.papers._tables import (
    Column,
    Matrix,
    Row,
    agreeing,
    matrix_table,
    one_item_removed,
    transposed,
)
from ordeval.papers._values import Exhibit, Maker, Paper, Part, Run, Value, agrees
from ordeval.plots.grid import PerformanceGridDisplay

KEY: Final = simulations.KEY

# Section 2.2. The paper prints predicted classes as rows; everything below is turned, rows truth.
EXAMPLE_SIZES: Final = (10, 20, 70)
EXAMPLE_COST: Final = (("0", "4.5", "2.6"), ("8", "0", "1.1"), ("6", "1.5", "0"))

COLUMNS: Final = (
    Column("d", "cost_accuracy_distance"),
    Column("Acc", "accuracy"),
    Column("AMAE", "average_mae"),
    Column("τ_b", "kendall_tau_b"),
)
TABLE_4_COLUMNS: Final = (
    *COLUMNS,
    Column("MC", "misclassification_cost"),
    Column("to chance", "chance_line_distance"),
)


def _row(name: str, as_printed: Matrix, printed: str) -> Row:
    return Row(name, transposed(as_printed), printed)


COLON: Final = (
    _row("svm", ((21, 0, 0, 0), (1, 54, 2, 2), (2, 3, 55, 2), (0, 0, 0, 35)),
         "0.07 0.93 0.11 0.91"),
    _row("glmnetcr", ((0, 0, 0, 0), (0, 0, 0, 0), (24, 57, 57, 39), (0, 0, 0, 0)),
         "1.07 0.32 1.00 NA"),
    _row("rpartScore", ((15, 2, 1, 0), (8, 46, 6, 0), (1, 8, 47, 14), (0, 1, 3, 25)),
         "0.26 0.75 0.29 0.79"),
)  # fmt: skip
LUNG: Final = (
    _row("Sig24", ((26, 3, 0), (4, 5, 3), (1, 4, 10)), "0.33 0.73 0.34 0.72"),
    _row("Shuffle24", ((16, 0, 0), (4, 12, 0), (11, 0, 13)), "0.36 0.73 0.28 0.49"),
    _row("Rand24", ((18, 10, 6), (8, 0, 1), (5, 2, 6)), "0.68 0.43 0.86 0.08"),
)
OVARIAN: Final = (
    _row("p_1E-8", ((7, 8, 5, 53, 2), (4, 2, 3, 44, 5), (0, 1, 1, 7, 2), (5, 19, 21, 242, 58),
                    (0, 0, 2, 71, 17)), "0.55 0.46 1.15 0.19"),
    _row("p_1E-7", ((10, 5, 10, 83, 3), (0, 6, 3, 18, 7), (4, 6, 9, 52, 17), (2, 11, 8, 143, 29),
                    (0, 2, 2, 121, 28)), "0.70 0.34 1.1 0.19"),
    _row("p_1E-6", ((10, 5, 9, 71, 3), (3, 10, 7, 28, 2), (2, 6, 8, 71, 21), (1, 7, 6, 105, 20),
                    (0, 2, 2, 142, 38)), "0.73 0.30 0.97 0.25"),
    _row("p_1E-5", ((8, 6, 5, 54, 1), (4, 12, 5, 26, 1), (4, 5, 16, 105, 24), (0, 5, 3, 86, 17),
                    (0, 2, 3, 146, 41)), "0.74 0.28 0.87 0.28"),
)  # fmt: skip
# The patients of each class, from section 3.1; the classifier that wins by d, from its text.
DATA: Final = {
    "colon cancer": (COLON, ("24", "57", "57", "39"), "svm"),
    "lung cancer": (LUNG, ("31", "12", "13"), "Sig24"),
    "ovarian cancer": (OVARIAN, ("16", "30", "32", "417", "84"), "p_1E-8"),
}

# Table 4, with MC and the distance to the line of chance from the text beside it.
TABLE_4: Final = (
    _row("(a) Acc 0.60", ((444, 37, 27, 57), (144, 25, 18, 0), (2, 2, 8, 7), (10, 2, 14, 3)),
         "0.428 0.60 1.222 0.138 15% *"),
    _row("(a) Acc 0.70", ((553, 8, 18, 2), (18, 1, 43, 53), (15, 37, 4, 11), (14, 20, 2, 2)),
         "0.449 0.70 1.113 0.637 33% *"),
    _row("(b) Acc 0.70", ((539, 53, 33, 52), (19, 3, 24, 0), (42, 2, 3, 0), (0, 8, 7, 15)),
         "0.329 0.70 1.256 0.242 13% 0.12"),
    _row("(b) Acc 0.80", ((589, 4, 3, 1), (0, 4, 25, 17), (4, 14, 6, 8), (7, 44, 33, 41)),
         "0.331 0.80 0.820 0.843 26% 0.04"),
)  # fmt: skip
CORRECTED: Final = _row(
    "(a) Acc 0.70, 52 for 53",
    ((553, 8, 18, 2), (18, 1, 43, 52), (15, 37, 4, 11), (14, 20, 2, 2)),
    "0.449 0.70 1.113 0.637 33% *",
)


def _cost_example(run: Run) -> Exhibit:
    make = Maker(KEY, "Section 2.2")
    cost = george_cost(EXAMPLE_SIZES)
    values = [
        make.exact(f"true {i + 1}", f"predicted {j + 1}", text, cost[i, j])
        for i, row in enumerate(EXAMPLE_COST)
        for j, text in enumerate(row)
    ]
    i, j = np.unravel_index(cost.argmax(), cost.shape)
    values.append(
        make.statement(
            "Class 2 taken for class 1 costs most", (int(i), int(j)) == (1, 0), "the matrix above"
        )
    )
    return Exhibit(
        KEY, "Section 2.2", "The cost matrix of classes with 10, 20 and 70 items", tuple(values),
        method="Rows are true classes here; the paper prints predicted classes as rows.",
        call="oe.george_cost([10, 20, 70])",
    )  # fmt: skip


def _table_1(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 1")
    values = [
        make.exact(f"{data}, {row.name}", f"class {i + 1}", text, sum(row.matrix[i]))
        for data, (rows, sizes, _) in DATA.items()
        for row in rows
        for i, text in enumerate(sizes)
    ]
    return Exhibit(
        KEY, "Table 1", "Confusion matrices of three cancers: items of each class", tuple(values),
        method="The class sizes are those of the text; the matrices must add up to them.",
        call=f"oe.ConfusionMatrix({[list(r) for r in LUNG[0].matrix]}).support",
    )  # fmt: skip


def _equation_3(run: Run) -> Exhibit:
    make = Maker(KEY, "Equation 3")
    row = COLON[0]
    plus, minus = (_tau_b(row.matrix, sign) for sign in (1, -1))
    printed = row.texts[3]
    value = make.formula(
        "τ_b", "sign of the ties", "(C + D − T_t)(C + D − T_p)", "(C + D + T_t)(C + D + T_p)",
        agrees(printed, plus) and not (minus == minus and agrees(printed, minus)),
        f"with plus the τ_b of svm on colon cancer is {plus:.3f}, printed {printed}; with minus it "
        f"is {'undefined, the product is negative' if minus != minus else f'{minus:.3f}'}",
    )  # fmt: skip
    return Exhibit(
        KEY, "Equation 3", "Kendall's τ_b", (value,),
        call=f"oe.kendall_tau_b.from_confusion({[list(r) for r in row.matrix]})",
    )  # fmt: skip


def _tau_b(matrix: Matrix, sign: int) -> float:
    """Equation 3 item by item, ties added or subtracted."""
    n = np.array(matrix)
    truth, prediction = (np.repeat(x.ravel(), n.ravel()) for x in np.indices(n.shape))
    a = np.sign(np.subtract.outer(truth, truth))
    b = np.sign(np.subtract.outer(prediction, prediction))
    above = np.triu_indices(len(a), 1)
    a, b = a[above], b[above]
    c, d = int((a * b > 0).sum()), int((a * b < 0).sum())
    of_truth, of_prediction = int(((a == 0) & (b != 0)).sum()), int(((a != 0) & (b == 0)).sum())
    product = (c + d + sign * of_truth) * (c + d + sign * of_prediction)
    return float((c - d) / np.sqrt(product)) if product > 0 else float("nan")


def _table_2(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 2")
    values: list[Value] = []
    for data, (rows, _, _) in DATA.items():
        for row in rows:
            named = Row(f"{data}, {row.name}", row.matrix, row.printed)
            values += matrix_table(make, COLUMNS, (named,))
    return Exhibit(
        KEY, "Table 2", "Four measures of ten classifiers",
        tuple(_glmnetcr(v) if v.verdict == "differs" else v for v in values),
        call=f"oe.cost_accuracy_distance.from_confusion({[list(r) for r in LUNG[0].matrix]})",
    )  # fmt: skip


def _glmnetcr(value: Value) -> Value:
    """The one figure of Table 2 that nothing explains."""
    matrix = COLON[1].matrix
    acc, mc = accuracy.from_confusion(matrix), misclassification_cost.from_confusion(matrix)
    needed = np.sqrt(float(value.printed) ** 2 - (1 - acc) ** 2)
    note = (
        f"its own accuracy {acc:.3f} and MC {mc:.3f} give {value.shown()} by equations 4 to 7, and "
        f"{value.printed} would need an MC of {needed:.2f}; where it comes from is not known. The "
        f"order of the three classifiers is the same with either"
    )
    made = Maker(KEY, "Table 2")
    assert isinstance(value.computed, float)
    return made.judged(value.row, value.column, value.printed, value.computed, "differs", note)


def _figure_2(run: Run) -> Exhibit:
    make = Maker(KEY, "Figure 2")
    values, pictures = [], []
    for data, (rows, _, winner) in DATA.items():
        grid = PerformanceGridDisplay({r.name: ConfusionMatrix(r.matrix) for r in rows})
        pictures.append(grid)
        shown = ", ".join(
            f"{grid.names[i]} ({grid.accuracy[i]:.2f}, {grid.cost[i]:.2f})" for i in grid.order
        )
        claim = f"{data}: {winner} is nearest to (1, 0)"
        values.append(make.statement(claim, grid.winner == winner, f"(Acc, MC): {shown}"))
    stack = np.array([r.matrix for r in OVARIAN])
    acc, mc = accuracy.from_confusion(stack), misclassification_cost.from_confusion(stack)
    values.append(
        make.statement(
            "ovarian cancer: p_1E-8 has the highest accuracy and the lowest cost",
            int(acc.argmax()) == int(mc.argmin()) == 0,
            f"Acc {', '.join(f'{x:.3f}' for x in acc)}; MC {', '.join(f'{x:.3f}' for x in mc)}",
        )
    )
    return Exhibit(
        KEY, "Figure 2", "Performance grids", tuple(values),
        call='oe.plots.PerformanceGridDisplay.from_confusion({"a": [[9, 1], [2, 8]]})',
        pictures=tuple(pictures),
    )  # fmt: skip


def _table_4(run: Run) -> Exhibit:
    make = Maker(KEY, "Table 4")
    second = TABLE_4[1]
    without_d = "* " + second.printed.partition(" ")[2]
    found = agreeing(TABLE_4_COLUMNS, without_d, one_item_removed(second.matrix))
    low, high = _ratio_of_largest_costs()
    surplus = (
        f"the matrix holds {sum(map(sum, second.matrix))} items in place of 800; of all cells "
        f"that could hold one too many, {len(found)} gives every figure but d: predicted 2, true "
        f"4, 52 in place of 53"
    )
    search = (
        "the paper looks for the largest total cost numerically and ends below it: a maximum "
        f"{100 * (1 - 1 / low):.1f} to {100 * (1 - 1 / high):.1f} % too low gives all four printed "
        "distances, so d comes out too large"
    )
    as_printed = f"{surplus}; the corrected row has the distance to compare"
    rows = [
        _explained(TABLE_4[0], {"d": search}),
        _explained(second, {"AMAE": surplus, "d": as_printed}),
        _explained(CORRECTED, {"d": search}),
    ]
    rows += [_explained(r, {"d": search}) for r in TABLE_4[2:]]
    values = matrix_table(make, TABLE_4_COLUMNS, rows)
    values = [_as_difference(make, v) if v.column == "d" else v for v in values]
    values += _decisions(make)
    values += [
        make.statement(
            "One item too many explains the figures of (a) Acc 0.70",
            found == [CORRECTED.matrix], "all matrices with one item less", ours=True,
        ),
        make.statement(
            "One error of the largest cost explains all four distances",
            low <= high, f"exact over found maximum: {low:.4f} to {high:.4f}", ours=True,
        ),
    ]  # fmt: skip
    return Exhibit(
        KEY, "Table 4", "Lower accuracy at lower cost: representative pairs", tuple(values),
        call=f"oe.chance_line_distance.from_confusion({[list(r) for r in TABLE_4[2].matrix]})",
    )  # fmt: skip


def _explained(row: Row, misprints: dict[str, str]) -> Row:
    return Row(row.name, row.matrix, row.printed, misprints)


def _as_difference(make: Maker, v: Value) -> Value:
    """An inexact search is no misprint."""
    if v.verdict != "misprint":
        return v
    assert isinstance(v.computed, float)
    return make.judged(v.row, v.column, v.printed, v.computed, "differs", v.note)


def _ratio_of_largest_costs() -> tuple[float, float]:
    """By how much the exact largest cost must exceed the paper's, to give the printed distances."""
    lows, highs = [], []
    for row in (TABLE_4[0], CORRECTED, *TABLE_4[2:]):
        d = float(row.texts[0])
        acc = accuracy.from_confusion(row.matrix)
        mc = misclassification_cost.from_confusion(row.matrix)
        low, high = (np.sqrt((d + e) ** 2 - (1 - acc) ** 2) / mc for e in (-0.0005, 0.0005))
        lows.append(float(low))
        highs.append(float(high))
    return max(lows), min(highs)


def _decisions(make: Maker) -> list[Value]:
    """What the text concludes from the two pairs."""
    d = [float(cost_accuracy_distance.from_confusion(r.matrix)) for r in TABLE_4]
    chance = [float(chance_line_distance.from_confusion(r.matrix)) for r in TABLE_4]
    return [
        make.statement(
            "(a) d prefers the classifier of accuracy 0.60", d[0] < d[1],
            f"d = {d[0]:.3f} and {d[1]:.3f}",
        ),
        make.statement(
            "(b) d almost does not tell the two apart", abs(d[2] - d[3]) < 0.005,
            f"d = {d[2]:.3f} and {d[3]:.3f}; with the exact largest cost the second is less, in "
            f"print it is the first",
        ),
        make.statement(
            "(b) the tie-break, the distance from chance, prefers accuracy 0.70",
            chance[2] > chance[3], f"{chance[2]:.3f} and {chance[3]:.3f}",
        ),
    ]  # fmt: skip


PAPER: Final = Paper(
    KEY,
    "George, Lu & Chang 2016, Cost-sensitive performance metric for comparing multiple ordinal "
    "classifiers, Artificial Intelligence Research 5(1), 135–143",
    "Accuracy and misclassification cost in one plane: the best classifier is the one nearest to "
    "accuracy 1 at cost 0.",
    (
        Part("Equation 3", _equation_3),
        Part("Section 2.2", _cost_example),
        Part("Table 1", _table_1),
        Part("Table 2", _table_2),
        Part("Figure 2", _figure_2),
        Part("Table 3", simulations.table_3),
        Part("Table 4", _table_4),
    ),
)
