"""What Cardoso & Sousa 2011 print."""

from typing import Final

from ordeval.papers._tables import Heading, MatrixTable, Row

COLUMNS: Final = (
    Heading("MER", "misclassification_error"), Heading("MAE", "mean_absolute_error"),
    Heading("R_s", "spearman_rho"), Heading("τ_b", "kendall_tau_b"), Heading("r_int", "r_int"),
    Heading("OC β₁", "oc_index", {"share": 0.25}), Heading("OC β₂", "oc_index", {"share": 0.75}),
)  # fmt: skip


def _table(*rows: Row) -> MatrixTable:
    return MatrixTable(COLUMNS, rows)


TABLE_1: Final = _table(
    Row("A", ((4, 0, 0, 0), (0, 6, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.0 0.0 1.0 1.0 1.0 0.0 0.0"),
    Row("B", ((0, 4, 0, 0), (0, 0, 6, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 0.77 1.0 1.0 1.0 0.50 0.63"),
    Row("C", ((0, 0, 4, 0), (0, 0, 6, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 1.08 0.79 0.75 0.80 0.61 0.78"),
    Row("D", ((0, 4, 0, 0), (6, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 0.77 0.24 0.11 0.53 0.65 0.72"),
)  # fmt: skip
TABLE_2: Final = _table(
    Row("CM1", ((2, 0, 1), (1, 1, 0), (2, 1, 2)), "0.50 0.80 0.20 0.19 0.39 0.63 0.69"),
    Row("CM2", ((1, 0, 0), (0, 4, 0), (2, 2, 1)), "0.40 0.60 0.10 0.11 0.45 0.53 0.58"),
)
TABLE_3: Final = _table(
    Row("CM3", ((1, 0, 1), (0, 0, 0), (3, 2, 0)), "0.86 1.43 -0.26 -0.254 0.34 0.79 0.93"),
    Row("CM4", ((1, 0, 1), (0, 2, 1), (1, 1, 0)), "0.57 0.85 -0.25 -0.250 0.08 0.71 0.75",
        {"MAE": "6/7 = 0.857, truncated to 0.85 where the others are rounded"}),
)  # fmt: skip
# CM5 twice: as it is printed, and with the one item moved that gives the printed values.
TABLE_4: Final = _table(
    Row("CM5 as printed", ((1, 1, 0, 0), (0, 1, 0, 1), (0, 0, 0, 3), (0, 0, 0, 0)),
        "0.86 1.00 0.89 0.84 0.81 0.58 0.75"),
    Row("CM5, second row 0 0 1 1", ((1, 1, 0, 0), (0, 0, 1, 1), (0, 0, 0, 3), (0, 0, 0, 0)),
        "0.86 1.00 0.89 0.84 0.81 0.58 0.75"),
    Row("CM6", ((0, 0, 1, 0), (1, 1, 1, 0), (1, 1, 1, 0), (0, 0, 0, 0)),
        "0.71 1.00 -0.29 -0.26 0.06 0.74 0.79"),
)  # fmt: skip
TABLE_5: Final = _table(
    Row("CM10, oSVM",
        ((0, 0, 0, 0, 0), (0, 50, 7, 0, 0), (0, 2, 94, 2, 0), (0, 0, 11, 39, 0), (0, 0, 0, 5, 30)),
        "0.11 0.11 0.93 0.91 0.91 0.12 0.13"),
    Row("CM11, oNN",
        ((0, 0, 0, 0, 0), (0, 0, 45, 12, 0), (0, 0, 2, 87, 9), (0, 0, 0, 6, 44), (0, 0, 0, 0, 35)),
        "0.82 0.91 0.89 0.85 0.84 0.55 0.66"),
    Row("CM12, Frank and Hall",
        ((0, 0, 0, 0, 0), (0, 50, 7, 0, 0), (0, 2, 94, 2, 0), (0, 0, 21, 29, 0), (0, 0, 0, 29, 6)),
        "0.25 0.25 0.90 0.86 0.86 0.23 0.26"),
)  # fmt: skip

# Table 6: OC, mean and standard deviation over 50 splits.
CLASSIFIERS: Final = ("oSVM", "Frank and Hall", "Conventional")
TABLE_6: Final = {
    "SWD": (("0.49", "0.02"), ("0.47", "0.01"), ("0.49", "0.02")),
    "LEV": (("0.44", "0.02"), ("0.46", "0.02"), ("0.47", "0.02")),
    "ESL": (("0.36", "0.00"), ("0.36", "0.01"), ("0.36", "0.01")),
    "Balance": (("0.13", "0.01"), ("0.13", "0.01"), ("0.14", "0.02")),
    "BCCT": (("0.39", "0.01"), ("0.39", "0.01"), ("0.40", "0.01")),
}

# Section 3.2: from this beta on, the index of a single item is its misclassification error.
BETA_OF_ERROR: Final = 0.5

# Section 4.1: the limits of the columns for tridiagonal matrices; 2/3 is written as 0.67.
LIMITS: Final = ("0.67", "0.67", "1.00", "1.00", "1.00", "0.60", "0.60")

# Section 4.4 and Figure 7: items, features and classes, as far as the text gives them.
SIZES: Final = {
    "SWD": ("1000", "10", "4"),
    "LEV": ("1000", "4", "5"),
    "ESL": ("488", "*", "*"),
    "Balance": ("*", "*", "3"),
    "BCCT": ("1144", "30", "4"),
}
