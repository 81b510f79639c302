"""Other names of the measures."""

from typing import Final

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
}
