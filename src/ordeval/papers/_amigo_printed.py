"""What Amigó et al. 2020 print in Tables 2 and 3."""

from __future__ import annotations

from typing import Final

from ordeval.meta.simulate import Behaviour

# Table 2: ordinal invariance, ordinal monotonicity, imbalance.
SATISFIED: Final = {
    "accuracy": (1, 0, 0),
    "accuracy_within": (1, 0, 0),
    "balanced_accuracy": (1, 0, 1),
    "cohen_kappa": (1, 0, 1),
    "f1_macro": (1, 0, 1),
    "mean_absolute_error": (0, 1, 0),
    "mean_squared_error": (0, 1, 0),
    "average_mae": (0, 1, 1),
    "average_mse": (0, 1, 1),
    "weighted_kappa": (0, 1, 1),
    "rennie_srebro_loss": (0, 1, 0),
    "cosine_similarity": (0, 1, 0),
    "pearson_r": (0, 0, 0),
    "kendall_tau_b": (1, 0, 1),
    "spearman_rho": (1, 0, 1),
    "kendall_tau_a": (1, 0, 0),
    "reliability_sensitivity": (1, 0, 1),
    "mutual_information": (1, 0, 1),
    "purity": (1, 0, 1),
    "inverse_purity": (1, 0, 1),
    "oc_index": (1, 0, 0),
    "cem_nom": (1, 0, 1),
    "cem_int": (0, 1, 1),
    "cem_ord": (1, 1, 1),
}

# Table 3: the measure of each row.
MEASURES: Final = {
    "Accuracy": "accuracy",
    "Kendall": "kendall_tau_a",
    "MI": "mutual_information",
    "F-measure": "f1_macro",
    "MAAC": "balanced_accuracy",
    "Kappa": "cohen_kappa",
    "Acc with 1": "accuracy_within",
    "MAE": "mean_absolute_error",
    "MAEm": "average_mae",
    "MSE": "mean_squared_error",
    "MSEm": "average_mse",
    "Pearson": "pearson_r",
    "Spearman": "spearman_rho",
    "CEM_ORD": "cem_ord",
    "CEM_ORD flat": "cem_ord_flat",
}
SYNTHETIC_COLUMNS: Final = (
    "all systems", "minus sRand", "minus sprox", "minus smaj", "minus stDisp", "minus soDisp",
)  # fmt: skip
WITHOUT: Final[tuple[Behaviour | None, ...]] = (
    None, "random", "proximity", "majority", "tag displacement", "ordinal displacement",
)  # fmt: skip
SYNTHETIC: Final = {
    "Accuracy": "0.81 0.77 0.78 0.78 0.94 0.77",
    "Kendall": "0.84 0.81 0.82 0.82 0.93 0.82",
    "MI": "0.84 0.82 0.84 0.82 0.93 0.82",
    "F-measure": "0.83 0.80 0.82 0.81 0.93 0.81",
    "MAAC": "0.83 0.81 0.82 0.79 0.91 0.81",
    "Kappa": "0.81 0.78 0.79 0.77 0.94 0.77",
    "Acc with 1": "0.79 0.75 0.77 0.80 0.85 0.79",
    "MAE": "0.84 0.82 0.83 0.87 0.86 0.84",
    "MAEm": "0.74 0.73 0.74 0.80 0.76 0.73",
    "MSE": "0.89 0.87 0.87 0.88 0.93 0.88",
    "MSEm": "0.83 0.80 0.80 0.82 0.90 0.83",
    "Pearson": "0.77 0.79 0.74 0.73 0.83 0.79",
    "Spearman": "0.72 0.67 0.69 0.77 0.76 0.70",
    "CEM_ORD": "0.91 0.89 0.90 0.90 0.95 0.89",
    "CEM_ORD flat": "0.87 0.84 0.86 0.88 0.89 0.87",
}
CAMPAIGNS: Final = (
    "RepLab 2013", "SemEval 2014 T9-A", "SemEval 2014 T9-B", "SemEval 2015 T10-A",
    "SemEval 2015 T10-B", "SemEval 2015 T10-C",
)  # fmt: skip
REAL: Final = {
    "Accuracy": "0.75 0.90 0.98 0.85 0.94 0.80",
    "Kendall": "0.88 0.94 0.98 0.84 0.97 0.88",
    "MI": "0.91 0.97 0.99 0.93 0.98 0.93",
    "F-measure": "0.66 0.90 0.98 0.91 0.98 0.92",
    "MAAC": "0.84 0.86 0.97 0.84 0.95 0.82",
    "Kappa": "0.44 0.95 0.99 0.93 0.98 0.97",
    "Acc with 1": "0.23 0.82 0.60 0.31 0.35 -0.19",
    "MAE": "0.81 0.96 0.95 0.95 0.87 0.56",
    "MAEm": "0.73 0.95 0.88 0.91 0.74 0.30",
    "MSE": "0.28 0.87 0.98 0.63 0.97 0.93",
    "MSEm": "0.10 0.85 0.94 0.48 0.91 0.52",
    "Pearson": "0.91 0.97 0.98 0.96 0.97 0.79",
    "Spearman": "0.07 0.96 0.98 0.97 0.98 0.80",
    "CEM_ORD": "0.94 0.96 0.99 0.98 0.99 0.96",
    "CEM_ORD flat": "0.82 0.96 0.96 0.94 0.92 0.65",
}

# Section 5.4.
SAMPLES: Final = {
    "SemEval 2015 T10-A": "1680",
    "SemEval 2015 T10-B": "8985",
    "SemEval 2015 T10-C": "3097",
    "SemEval 2014 T9-A": "2392",
    "SemEval 2014 T9-B": "2396",
}
