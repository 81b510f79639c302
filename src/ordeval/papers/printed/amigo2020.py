"""What Amigó, Gonzalo, Mizzaro & Carrillo-de-Albornoz 2020 print."""

from typing import Final

from ordeval.measures import OrdinalProperties, metrics
from ordeval.meta.simulate import Behaviour
from ordeval.papers._tables import Heading, MatrixTable, Row, transposed

# Figure 1 and the text on it: sizes of the classes, and proximities by true and predicted class. On
# the right only the middle sizes and the total of 376 are printed; how the outer classes share the
# other 353 items does not enter the value.
REVIEWS: Final = ("reject", "weak reject", "undecided", "weak accept", "accept")
LEFT: Final = (7, 105, 193, 90, 7)
RIGHT: Final = (176, 10, 3, 10, 177)
FIGURE_1: Final = (
    ("left", LEFT, "weak reject", "weak accept", "0.23"),
    ("right", RIGHT, "weak reject", "weak accept", "4.38"),
    ("left", LEFT, "reject", "reject", "6.84"),
    ("left", LEFT, "undecided", "undecided", "2.06"),
)

# Section 2.1 and Table 1: measures that campaigns used, as far as the text names them; the columns
# of the table's marks are lost in it. Section 4.2 adds the cosine.
USED: Final = {
    "NTCIR-7": ("accuracy",), "RepLab 2013": ("reliability_sensitivity",),
    "SemEval 2015 T11": ("mean_absolute_error", "mean_squared_error", "cosine_similarity"),
    "EVALITA 2016": ("f1_macro",), "STS 2016": ("pearson_r",),
    "SemEval 2017 T4": ("balanced_accuracy",),
}  # fmt: skip

# Table 2: ordinal invariance, monotonicity and imbalance, which measures carry as what is claimed.
_ROWS: Final = (
    "accuracy", "accuracy_within", "balanced_accuracy", "cohen_kappa", "f1_macro",
    "mean_absolute_error", "mean_squared_error", "average_mae", "average_mse", "weighted_kappa",
    "rennie_srebro_loss", "cosine_similarity", "pearson_r", "kendall_tau_b", "spearman_rho",
    "kendall_tau_a", "reliability_sensitivity", "mutual_information", "purity", "inverse_purity",
    "oc_index", "cem_nom", "cem_int", "cem_ord",
)  # fmt: skip
_CLAIMED: Final = {m.name: m.claimed for m in metrics()} | {
    "rennie_srebro_loss": OrdinalProperties(False, True, False)  # not registered
}
SATISFIED: Final = {name: _CLAIMED[name] or () for name in _ROWS}

# Table 3: the columns of its synthetic half, with the systems that they leave out, then those of
# its other half; the values; and the measure of each row.
SYNTHETIC: Final[dict[str, Behaviour | None]] = {
    "all systems": None, "minus sRand": "random", "minus sprox": "proximity",
    "minus smaj": "majority", "minus stDisp": "tag displacement",
    "minus soDisp": "ordinal displacement",
}  # fmt: skip
CAMPAIGNS: Final = (
    "RepLab 2013", "SemEval 2014 T9-A", "SemEval 2014 T9-B", "SemEval 2015 T10-A",
    "SemEval 2015 T10-B", "SemEval 2015 T10-C",
)  # fmt: skip
TABLE_3: Final = {
    "Accuracy": "0.81 0.77 0.78 0.78 0.94 0.77 0.75 0.90 0.98 0.85 0.94 0.80",
    "Kendall": "0.84 0.81 0.82 0.82 0.93 0.82 0.88 0.94 0.98 0.84 0.97 0.88",
    "MI": "0.84 0.82 0.84 0.82 0.93 0.82 0.91 0.97 0.99 0.93 0.98 0.93",
    "F-measure": "0.83 0.80 0.82 0.81 0.93 0.81 0.66 0.90 0.98 0.91 0.98 0.92",
    "MAAC": "0.83 0.81 0.82 0.79 0.91 0.81 0.84 0.86 0.97 0.84 0.95 0.82",
    "Kappa": "0.81 0.78 0.79 0.77 0.94 0.77 0.44 0.95 0.99 0.93 0.98 0.97",
    "Acc with 1": "0.79 0.75 0.77 0.80 0.85 0.79 0.23 0.82 0.60 0.31 0.35 -0.19",
    "MAE": "0.84 0.82 0.83 0.87 0.86 0.84 0.81 0.96 0.95 0.95 0.87 0.56",
    "MAEm": "0.74 0.73 0.74 0.80 0.76 0.73 0.73 0.95 0.88 0.91 0.74 0.30",
    "MSE": "0.89 0.87 0.87 0.88 0.93 0.88 0.28 0.87 0.98 0.63 0.97 0.93",
    "MSEm": "0.83 0.80 0.80 0.82 0.90 0.83 0.10 0.85 0.94 0.48 0.91 0.52",
    "Pearson": "0.77 0.79 0.74 0.73 0.83 0.79 0.91 0.97 0.98 0.96 0.97 0.79",
    "Spearman": "0.72 0.67 0.69 0.77 0.76 0.70 0.07 0.96 0.98 0.97 0.98 0.80",
    "CEM_ORD": "0.91 0.89 0.90 0.90 0.95 0.89 0.94 0.96 0.99 0.98 0.99 0.96",
    "CEM_ORD flat": "0.87 0.84 0.86 0.88 0.89 0.87 0.82 0.96 0.96 0.94 0.92 0.65",
}
MEASURES: Final = {
    "Accuracy": "accuracy", "Kendall": "kendall_tau_a", "MI": "mutual_information",
    "F-measure": "f1_macro", "MAAC": "balanced_accuracy", "Kappa": "cohen_kappa",
    "Acc with 1": "accuracy_within", "MAE": "mean_absolute_error", "MAEm": "average_mae",
    "MSE": "mean_squared_error", "MSEm": "average_mse", "Pearson": "pearson_r",
    "Spearman": "spearman_rho", "CEM_ORD": "cem_ord", "CEM_ORD flat": "cem_ord_flat",
}  # fmt: skip

# Section 5.4: the companies of RepLab and the tweets of each, the samples of each task, the systems
# that took part, and the robustness of the measures that it names.
REPLAB: Final = {"companies": "61", "tweets of each": "1500"}
SAMPLES: Final = {
    "SemEval 2015 T10-A": "1680",
    "SemEval 2015 T10-B": "8985",
    "SemEval 2015 T10-C": "3097",
    "SemEval 2014 T9-A": "2392",
    "SemEval 2014 T9-B": "2396",
}
SYSTEMS: Final = {
    "SemEval 2015 T10-A": "13", "SemEval 2015 T10-B": "51", "SemEval 2015 T10-C": "11",
    "SemEval 2014 T9-A": "48", "SemEval 2014 T9-B": "7",
}  # fmt: skip
ROBUSTNESS: Final = {
    "CEM_ORD": "0.57", "Accuracy": "0.57", "F-measure": "0.57", "Acc with 1": "0.49",
    "MAEm": "0.49", "CEM_ORD flat": "0.55",
}  # fmt: skip

# Property 1: the images of 1, 2 and 3.
TRANSFORMED: Final = ("11", "24", "39")

# Appendix A, Figure 3: sizes of the classes, proximities by true and predicted class, and two
# systems, printed with the system's classes as rows.
CLASSES: Final = ("negative", "neutral", "positive")
SIZES: Final = (10, 60, 30)
PROXIMITY: Final = (("4.32", "1.32", "0.23"), ("0.62", "1.74", "0.42"), ("0.07", "0.74", "2.74"))
APPENDIX_A: Final = MatrixTable(
    (Heading("CEM_ORD", "cem_ord"), Heading("accuracy", "accuracy")),
    (
        Row("system A", transposed(((5, 5, 7), (1, 50, 8), (4, 5, 15))), "0.71 0.70"),
        Row("system B", transposed(((7, 12, 4), (1, 45, 8), (2, 3, 18))), "0.76 0.70"),
    ),
)

# Appendix B: measures without ordinal monotonicity and without ordinal invariance. Then Eff of the
# outputs (1, 2, 2, 3) and (1, 1, 2, 2) for the truth (1, 1, 2, 3); errors count negatively.
WITHOUT_MONOTONICITY: Final = (
    "accuracy", "accuracy_within", "balanced_accuracy", "cohen_kappa", "f1_macro", "pearson_r",
    "kendall_tau_a", "kendall_tau_b", "spearman_rho", "reliability_sensitivity",
)  # fmt: skip
WITHOUT_INVARIANCE: Final = (
    "pearson_r", "mean_absolute_error", "mean_squared_error", "average_mae", "average_mse",
    "weighted_kappa", "cosine_similarity",
)  # fmt: skip
IMBALANCE: Final = {
    "accuracy": ("3/4", "3/4"), "accuracy_within": ("1", "1"),
    "mean_absolute_error": ("-1/4", "-1/4"), "mean_squared_error": ("-1/4", "-1/4"),
    "cosine_similarity": ("0.973", "0.979"), "pearson_r": ("0.85", "0.9"),
}  # fmt: skip
