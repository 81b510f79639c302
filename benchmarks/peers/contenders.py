"""Who does what, and by which call. Imports are inside the calls: any peer may be missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import ordeval as oe

US = "ordeval"
SKLEARN, SCIPY, IMBLEARN = "scikit-learn", "SciPy", "imbalanced-learn"
DLORDINAL, SKORDINAL, PYCM, TORCH = "dlordinal", "skordinal", "PyCM", "torchmetrics"
PEERS = (SKLEARN, SCIPY, IMBLEARN, DLORDINAL, SKORDINAL, PYCM, TORCH)
NUMPY = "NumPy"  # the floor
LISTING, QUADRATURE = "listing 1", "quadrature"  # published code, and the plain way


@cache
def version_of(package: str) -> str | None:
    """The version that is installed; None if none is."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def installed(package: str) -> bool:
    """Whether the package is there; code of the benchmarks always is."""
    return package in (LISTING, QUADRATURE) or version_of(package) is not None


@dataclass(frozen=True, eq=False)
class Labels:
    """True and predicted classes 0..k-1 of the same items."""

    truth: Any
    pred: Any
    k: int

    @classmethod
    def draw(cls, n: int, k: int = 5, seed: int = 20260101) -> Labels:
        """Two in three predictions are a class off, as far as there is one."""
        rng = np.random.default_rng(seed)
        truth, pred = rng.integers(0, k, n), rng.integers(-1, 2, n)
        pred += truth
        np.clip(pred, 0, k - 1, out=pred)
        return cls(truth, pred, k)

    @cached_property
    def prob(self) -> Any:
        """Predicted probabilities (n, k)."""
        weights = np.random.default_rng(1).standard_exponential((len(self.truth), self.k))
        return weights / weights.sum(axis=1, keepdims=True)

    @property
    def scale(self) -> range:
        """The declared order."""
        return range(self.k)


@dataclass(frozen=True)
class Contender:
    """A package with its call."""

    package: str
    call: str  # as a user writes it
    run: Callable[[Any], Any]
    most: int = 10**8  # items above which a call takes minutes


@dataclass(frozen=True)
class Operation:
    """Something to compute from labels, ours first."""

    name: str
    ours: Contender
    peers: tuple[Contender, ...]

    def present(self) -> list[Contender]:
        """Ours, and the peers that are installed."""
        return [self.ours, *(p for p in self.peers if installed(p.package))]


def weights_of(levels: Any, power: int = 2) -> dict[Any, dict[Any, int]]:
    """Weights of disagreement as PyCM takes them."""
    levels = list(levels)
    at = {level: i for i, level in enumerate(levels)}
    return {a: {b: abs(at[a] - at[b]) ** power for b in levels} for a in levels}


def tensors(d: Any) -> tuple[Any, Any]:
    """Predictions and truth for torchmetrics, in its order; NumPy's memory is shared."""
    import torch

    return torch.as_tensor(np.asarray(d.pred)), torch.as_tensor(np.asarray(d.truth))


def _numpy_count(d: Labels) -> Any:
    return np.bincount(d.truth * d.k + d.pred, minlength=d.k * d.k).reshape(d.k, d.k)


def _sklearn_count(d: Labels) -> Any:
    from sklearn.metrics import confusion_matrix

    return confusion_matrix(d.truth, d.pred)


def _scipy_count(d: Labels) -> Any:
    from scipy.stats.contingency import crosstab

    return crosstab(d.truth, d.pred).count


def _pycm_count(d: Labels) -> Any:
    from pycm import ConfusionMatrix

    return ConfusionMatrix(d.truth, d.pred, metrics_off=True).to_array()


def _torch_count(d: Labels) -> Any:
    from torchmetrics.functional.classification import multiclass_confusion_matrix

    # Its documentation names this option for speed; the others check their input all the same.
    return multiclass_confusion_matrix(*tensors(d), num_classes=d.k, validate_args=False).numpy()


def _sklearn_kappa(weights: str) -> Callable[[Labels], float]:
    def run(d: Labels) -> float:
        from sklearn.metrics import cohen_kappa_score

        return float(cohen_kappa_score(d.truth, d.pred, weights=weights))

    return run


def _torch_kappa(weights: str) -> Callable[[Labels], float]:
    def run(d: Labels) -> float:
        from torchmetrics.functional.classification import multiclass_cohen_kappa

        return float(
            multiclass_cohen_kappa(
                *tensors(d), num_classes=d.k, weights=weights, validate_args=False
            )
        )

    return run


def _pycm_kappa(d: Labels) -> float:
    from pycm import ConfusionMatrix

    return float(ConfusionMatrix(d.truth, d.pred).weighted_kappa(weights_of(d.scale)))


def _skordinal(name: str) -> Callable[[Labels], float]:
    def run(d: Labels) -> float:
        import skordinal.metrics

        return float(getattr(skordinal.metrics, name)(d.truth, d.pred))

    return run


def _imblearn_amae(d: Labels) -> float:
    from imblearn.metrics import macro_averaged_mean_absolute_error

    return float(macro_averaged_mean_absolute_error(d.truth, d.pred))


def _dlordinal_amae(d: Labels) -> float:
    from dlordinal.metrics import amae

    return float(amae(d.truth, d.pred))


def _scipy_tau(d: Labels) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(d.truth, d.pred).statistic)


def _torch_tau(d: Labels) -> float:
    from torchmetrics.functional import kendall_rank_corrcoef

    pred, truth = tensors(d)
    return float(kendall_rank_corrcoef(pred.float(), truth.float()))


def _skordinal_rps(d: Labels) -> float:
    from skordinal.metrics import ranked_probability_score

    return float(ranked_probability_score(d.truth, d.prob))


def _dlordinal_rps(d: Labels) -> float:
    from dlordinal.metrics import ranked_probability_score

    return float(ranked_probability_score(d.truth, d.prob))


def _ours(metric: oe.Metric, shown: str = "", **params: Any) -> Contender:
    call = f"oe.{metric.name}(y, p, labels=...{shown})"
    return Contender(US, call, lambda d: metric(d.truth, d.pred, labels=d.scale, **params))


COUNTING = Operation(
    "counting",
    Contender(
        US,
        "oe.ConfusionMatrix.from_labels(y, p, labels=...)",
        lambda d: oe.ConfusionMatrix.from_labels(d.truth, d.pred, d.scale).counts,
    ),
    (
        Contender(NUMPY, "np.bincount(y * K + p), the floor", _numpy_count),
        Contender(SKLEARN, "confusion_matrix(y, p)", _sklearn_count),
        Contender(SCIPY, "contingency.crosstab(y, p)", _scipy_count),
        Contender(PYCM, "ConfusionMatrix(y, p, metrics_off=True)", _pycm_count),
        Contender(
            TORCH,
            "multiclass_confusion_matrix(p, y, num_classes=K, validate_args=False)",
            _torch_count,
        ),
    ),
)
KAPPA = Operation(
    "quadratic kappa",
    _ours(oe.weighted_kappa),
    (
        Contender(
            SKLEARN, "cohen_kappa_score(y, p, weights='quadratic')", _sklearn_kappa("quadratic")
        ),
        Contender(PYCM, "ConfusionMatrix(y, p).weighted_kappa(weight)", _pycm_kappa),
        Contender(
            TORCH,
            "multiclass_cohen_kappa(..., weights='quadratic', validate_args=False)",
            _torch_kappa("quadratic"),
        ),
    ),
)
LINEAR_KAPPA = Operation(
    "linear kappa",
    _ours(oe.weighted_kappa, ", weights='linear'", weights="linear"),
    (
        Contender(SKLEARN, "cohen_kappa_score(y, p, weights='linear')", _sklearn_kappa("linear")),
        Contender(SKORDINAL, "weighted_kappa(y, p)", _skordinal("weighted_kappa")),
        Contender(
            TORCH,
            "multiclass_cohen_kappa(..., weights='linear', validate_args=False)",
            _torch_kappa("linear"),
        ),
    ),
)
AMAE = Operation(
    "AMAE",
    _ours(oe.average_mae),
    (
        Contender(IMBLEARN, "macro_averaged_mean_absolute_error(y, p)", _imblearn_amae),
        Contender(DLORDINAL, "amae(y, p)", _dlordinal_amae),
        Contender(
            SKORDINAL,
            "average_mean_absolute_error(y, p)",
            _skordinal("average_mean_absolute_error"),
        ),
    ),
)
TAU = Operation(
    "tau-b",
    _ours(oe.kendall_tau_b),
    (
        Contender(SCIPY, "kendalltau(y, p)", _scipy_tau),
        Contender(SKORDINAL, "kendalls_tau(y, p)", _skordinal("kendalls_tau")),
        Contender(TORCH, "kendall_rank_corrcoef(p, y)", _torch_tau, most=10**4),
    ),
)
RPS = Operation(
    "RPS",
    Contender(
        US,
        "oe.ranked_probability_score(y, prob, labels=...)",
        lambda d: oe.ranked_probability_score(d.truth, d.prob, labels=d.scale),
    ),
    (
        Contender(DLORDINAL, "ranked_probability_score(y, prob)", _dlordinal_rps, most=10**5),
        Contender(SKORDINAL, "ranked_probability_score(y, prob)", _skordinal_rps),
    ),
)
OPERATIONS = (COUNTING, KAPPA, LINEAR_KAPPA, AMAE, TAU, RPS)
