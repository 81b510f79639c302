"""Other names of the measures."""

from typing import Final

# Short names of measures.
SHORT: Final = {
    "sensitivity": "threshold_sensitivity",
    "specificity": "threshold_specificity",
    "ppv": "threshold_ppv",
    "npv": "threshold_npv",
    "auc": "threshold_auc",
    "brier": "threshold_brier",
}

# Common names elsewhere; suggested when a name is not found.
ALIASES: Final = {
    "qwk": ("weighted_kappa",),
    "quadratic_kappa": ("weighted_kappa",),
    "quadratic_weighted_kappa": ("weighted_kappa",),
    "tau": ("kendall_tau_b", "kendall_tau_a", "stuart_tau_c"),
    "kendall": ("kendall_tau_b",),
    "spearman": ("spearman_rho",),
    "pearson": ("pearson_r",),
    "kappa": ("cohen_kappa", "weighted_kappa"),
    "c_index": ("concordance_index",),
    "macro_mae": ("average_mae",),
    "rps": ("ranked_probability_score",),
    "bias": ("mean_signed_error",),
    "auroc": ("threshold_auc",),
    "roc_auc": ("threshold_auc",),
    "recall": ("threshold_sensitivity",),
    "precision": ("threshold_ppv",),
    "brier_score": ("threshold_brier", "ranked_probability_score"),
    "log_loss": ("ordinal_log_loss", "threshold_log_loss"),
}
