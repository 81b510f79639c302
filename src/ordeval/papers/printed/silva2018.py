"""What Silva, Pinto & Cardoso 2018 print."""

from typing import Final

from ordeval.papers._tables import Heading, MatrixTable, Row

COLUMNS: Final = (
    Heading("MER", "misclassification_error"), Heading("MSE", "mean_squared_error"),
    Heading("MAE", "mean_absolute_error"), Heading("MMAE", "maximum_mae"),
    Heading("AMAE", "average_mae", {"absent": "zero"}), Heading("R_s", "spearman_rho"),
    Heading("τ_b", "kendall_tau_b"), Heading("r_int", "r_int"),
    Heading("OC β₁", "oc_index", {"share": 0.25}), Heading("OC β₂", "oc_index", {"share": 0.75}),
    Heading("UOC β₁", "uoc_index", {"beta": 0.25}),
    Heading("UOC β₂", "uoc_index", {"beta": 0.75}), Heading("A_UOC", "auoc"),
)  # fmt: skip

TABLE_I: Final = MatrixTable(COLUMNS, (
    Row("A", ((4, 0, 0, 0), (0, 6, 0, 0), (0, 0, 5, 0), (0, 0, 0, 3)),
        "0.00 0.00 0.00 0.00 0.00 1.00 1.00 1.00 0.00 0.00 0.00 0.00 0.00"),
    Row("B", ((0, 4, 0, 0), (0, 0, 6, 0), (0, 0, 5, 0), (0, 0, 0, 3)),
        "0.56 0.56 0.56 1.00 0.50 0.90 0.86 0.86 0.40 0.50 0.46 0.67 0.56"),
    Row("C", ((0, 0, 4, 0), (0, 0, 6, 0), (0, 0, 5, 0), (0, 0, 0, 3)),
        "0.56 1.22 0.78 2.00 0.75 0.67 0.61 0.69 0.50 0.63 0.62 0.71 0.65"),
    Row("D", ((0, 4, 0, 0), (6, 0, 0, 0), (0, 0, 5, 0), (0, 0, 0, 3)),
        "0.56 0.56 0.56 1.00 0.50 0.73 0.60 0.74 0.53 0.58 0.56 0.67 0.61"),
    Row("E", ((0, 4, 0, 0), (6, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 3)),
        "0.77 0.77 0.77 1.00 0.50 0.24 0.11 0.53 0.65 0.72 0.68 0.80 0.74"),
    Row("F", ((0, 40, 0, 0), (6, 0, 0, 0), (0, 0, 5, 0), (0, 0, 0, 3)),
        "0.85 0.85 0.85 1.00 0.50 0.29 0.23 0.79 0.58 0.71 0.56 0.67 0.61"),
))  # fmt: skip

TABLE_II: Final = {
    ("Wine", "kNN"): "0.38 0.58 0.44 3.00 1.10 0.57 0.52 0.64 0.46 0.48 0.76 0.82 0.79",
    ("Wine", "SVM"): "0.37 0.50 0.41 3.00 1.27 0.53 0.50 0.65 0.42 0.44 0.82 0.87 0.84",
    ("Wine", "RF"): "0.33 0.38 0.34 2.00 0.88 0.66 0.62 0.71 0.37 0.39 0.70 0.81 0.75",
    ("ESL", "kNN"): "0.37 0.39 0.37 1.00 0.50 0.91 0.84 0.81 0.39 0.40 0.54 0.72 0.63",
    ("ESL", "SVM"): "0.31 0.80 0.40 5.00 1.11 0.83 0.79 0.78 0.37 0.38 0.75 0.80 0.78",
    ("ESL", "RF"): "0.37 0.46 0.40 2.00 0.61 0.91 0.83 0.81 0.41 0.42 0.63 0.73 0.68",
}

# Section V: items, features and classes of the data.
SIZES: Final = {"Wine": ("1599", "11", "6"), "ESL": ("488", "4", "9")}

# Section V in words: classifiers from best to worst on some data, and the measures that say so.
CONCLUSIONS: Final = {
    ("Wine", ("RF", "kNN", "SVM")): ("A_UOC", "UOC β₁", "AMAE"),
    ("Wine", ("RF", "SVM")): ("MER",),
    ("Wine", ("SVM", "kNN")): ("MSE", "MAE", "r_int", "OC β₁", "OC β₂"),
    ("ESL", ("SVM", "kNN")): ("MER", "OC β₁", "OC β₂"),
    ("ESL", ("kNN", "SVM")): ("τ_b",),
    ("ESL", ("kNN", "RF", "SVM")): ("UOC β₁", "UOC β₂", "A_UOC"),
}

# Figure 3: the limits for tridiagonal matrices, as drawn; 2/3 is written as 0.67.
LIMITS: Final = {"R_s": "1.00", "τ_b": "1.00", "r_int": "1.00", "MER": "0.67"}
