"""What George, Lu & Chang 2016 print. They print predicted classes as rows; here rows are true."""

from dataclasses import replace
from typing import Final, NamedTuple

from ordeval.papers._tables import Heading, Matrix, MatrixTable, Row, transposed

COLUMNS: Final = (
    Heading("d", "cost_accuracy_distance"),
    Heading("Acc", "accuracy"),
    Heading("AMAE", "average_mae"),
    Heading("τ_b", "kendall_tau_b"),
)


class Cancer(NamedTuple):
    """A data set of Tables 1 and 2, with what the text of section 3.1 says about it."""

    rows: tuple[Row, ...]
    sizes: tuple[str, ...]  # patients of each class
    winner: str  # the classifier that is best by d


def _row(name: str, as_printed: Matrix, printed: str) -> Row:
    return Row(name, transposed(as_printed), printed)


# Section 2.2: the cost matrix of classes of these sizes.
EXAMPLE_SIZES: Final = (10, 20, 70)
EXAMPLE_COST: Final = (("0", "4.5", "2.6"), ("8", "0", "1.1"), ("6", "1.5", "0"))

# Tables 1 and 2.
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
DATA: Final = {
    "colon cancer": Cancer(COLON, ("24", "57", "57", "39"), "svm"),
    "lung cancer": Cancer(LUNG, ("31", "12", "13"), "Sig24"),
    "ovarian cancer": Cancer(OVARIAN, ("16", "30", "32", "417", "84"), "p_1E-8"),
}
TABLE_2: Final = MatrixTable(
    COLUMNS,
    tuple(replace(row, name=f"{name}, {row.name}") for name, d in DATA.items() for row in d.rows),
)

# Table 3: accuracy 60% and 80%, each with balanced classes, the largest class 0.50, and 0.75.
TABLE_3_COLUMNS: Final = tuple(
    f"Acc {a}, {s}" for a in ("60%", "80%") for s in ("Bal", "0.50", "0.75")
)
TABLE_3: Final = {
    1: {"d": "1.000 1.000 1.000 1.000 1.000 1.000",
        "AMAE": "1.000 0.616 0.591 1.000 0.609 0.571",
        "τ_b": "0.960 0.708 0.673 0.980 0.726 0.726"},
    2: {"d": "1.000 1.000 1.000 1.000 1.000 1.000",
        "AMAE": "1.000 0.571 0.646 1.000 0.592 0.666",
        "τ_b": "0.905 0.671 0.606 0.956 0.703 0.443"},
    3: {"d": "1.000 1.000 1.000 1.000 1.000 1.000",
        "AMAE": "1.000 0.570 0.651 1.000 0.572 0.661",
        "τ_b": "0.908 0.683 0.606 0.961 0.724 0.443"},
    4: {"d": "1.000 1.000 1.000 1.000 1.000 1.000",
        "AMAE": "1.000 0.601 0.686 0.996 0.599 0.717",
        "τ_b": "0.909 0.667 0.662 0.953 0.708 0.516"},
}  # fmt: skip

# Table 4, with MC and the distance from the line of chance from the text next to it. The second
# matrix stands here twice: as it is printed, and without the one item too many.
TABLE_4: Final = MatrixTable(
    (
        *COLUMNS,
        Heading("MC", "misclassification_cost"),
        Heading("to chance", "chance_line_distance"),
    ),
    (
        _row("(a) Acc 0.60", ((444, 37, 27, 57), (144, 25, 18, 0), (2, 2, 8, 7), (10, 2, 14, 3)),
             "0.428 0.60 1.222 0.138 15% *"),
        _row("(a) Acc 0.70", ((553, 8, 18, 2), (18, 1, 43, 53), (15, 37, 4, 11), (14, 20, 2, 2)),
             "0.449 0.70 1.113 0.637 33% *"),
        _row("(a) Acc 0.70, 52 for 53",
             ((553, 8, 18, 2), (18, 1, 43, 52), (15, 37, 4, 11), (14, 20, 2, 2)),
             "0.449 0.70 1.113 0.637 33% *"),
        _row("(b) Acc 0.70", ((539, 53, 33, 52), (19, 3, 24, 0), (42, 2, 3, 0), (0, 8, 7, 15)),
             "0.329 0.70 1.256 0.242 13% 0.12"),
        _row("(b) Acc 0.80", ((589, 4, 3, 1), (0, 4, 25, 17), (4, 14, 6, 8), (7, 44, 33, 41)),
             "0.331 0.80 0.820 0.843 26% 0.04"),
    ),
)  # fmt: skip
