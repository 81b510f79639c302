"""What each library answers to a user's data, whatever that is: strings, categoricals, integers.

Each entry is the call that the documentation suggests, and where the library has an argument for
the order of the classes, the call with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import ordeval as oe
from benchmarks.peers.contenders import (
    DLORDINAL,
    IMBLEARN,
    PYCM,
    SCIPY,
    SKLEARN,
    SKORDINAL,
    TORCH,
    US,
    tensors,
    weights_of,
)

MAE, AMAE, TAU, RPS = "MAE", "AMAE", "tau-b", "RPS"
QUADRATIC, LINEAR = "quadratic kappa", "linear kappa"
OC_LOW, OC_HIGH, AUOC = "OC, share 0.25", "OC, share 0.75", "AUOC"


@dataclass(frozen=True, eq=False)
class Data:
    """Labels as a user has them; the levels in their order, which only some calls are told."""

    truth: Any
    pred: Any
    levels: list[Any]
    prob: Any = None  # one column per level, in order


Call = Callable[[Data], Any]


@dataclass(frozen=True)
class Answer:
    """How a library computes a measure."""

    package: str
    plain: Call
    declared: Call | None = None
    argument: str = ""  # of the declared call


def _ours(metric: oe.Metric, **params: Any) -> Answer:
    def call(d: Data, **order: Any) -> float:
        return float(metric(d.truth, d.pred, **order, **params))

    return Answer(US, call, lambda d: call(d, labels=d.levels), "labels=")


def _sklearn_kappa(weights: str) -> Answer:
    def call(d: Data, **order: Any) -> float:
        from sklearn.metrics import cohen_kappa_score

        return float(cohen_kappa_score(d.truth, d.pred, weights=weights, **order))

    return Answer(SKLEARN, call, lambda d: call(d, labels=d.levels), "labels=")


def _pycm_kappa(power: int) -> Answer:
    def call(d: Data, **order: Any) -> Any:
        from pycm import ConfusionMatrix

        found = ConfusionMatrix(list(d.truth), list(d.pred), **order)  # it takes lists
        return found.weighted_kappa(weights_of(d.levels, power))  # these tell it the order

    return Answer(PYCM, call, lambda d: call(d, classes=d.levels), "classes=")


def _torch_kappa(weights: str) -> Answer:
    def call(d: Data) -> float:
        from torchmetrics.functional.classification import multiclass_cohen_kappa

        k = len(d.levels)
        return float(multiclass_cohen_kappa(*tensors(d), num_classes=k, weights=weights))

    return Answer(TORCH, call)


def _skordinal(name: str, *, labels: bool) -> Answer:
    def call(d: Data, **order: Any) -> float:
        import skordinal.metrics

        return float(getattr(skordinal.metrics, name)(d.truth, d.pred, **order))

    if not labels:
        return Answer(SKORDINAL, call)
    return Answer(SKORDINAL, call, lambda d: call(d, labels=d.levels), "labels=")


def _sklearn_mae(d: Data) -> float:
    from sklearn.metrics import mean_absolute_error

    return float(mean_absolute_error(d.truth, d.pred))


def _torch_mae(d: Data) -> float:
    from torchmetrics.functional import mean_absolute_error

    return float(mean_absolute_error(*tensors(d)))


def _imblearn_amae(d: Data) -> float:
    from imblearn.metrics import macro_averaged_mean_absolute_error

    return float(macro_averaged_mean_absolute_error(d.truth, d.pred))


def _dlordinal_amae(d: Data) -> float:
    from dlordinal.metrics import amae

    return float(amae(d.truth, d.pred))


def _scipy_tau(d: Data) -> float:
    from scipy.stats import kendalltau

    return float(kendalltau(d.truth, d.pred).statistic)


def _torch_tau(d: Data) -> float:
    from torchmetrics.functional import kendall_rank_corrcoef

    pred, truth = tensors(d)
    return float(kendall_rank_corrcoef(pred.float(), truth.float()))


def _dlordinal_rps(d: Data) -> float:
    from dlordinal.metrics import ranked_probability_score

    return float(ranked_probability_score(np.asarray(d.truth), d.prob))


def _skordinal_rps(d: Data, **order: Any) -> float:
    from skordinal.metrics import ranked_probability_score

    return float(ranked_probability_score(d.truth, d.prob, **order))


def _our_rps(d: Data, **order: Any) -> float:
    return float(oe.ranked_probability_score(d.truth, d.prob, **order))


ANSWERS: dict[str, tuple[Answer, ...]] = {
    QUADRATIC: (
        _ours(oe.weighted_kappa),
        _sklearn_kappa("quadratic"),
        _pycm_kappa(2),
        _torch_kappa("quadratic"),
    ),
    LINEAR: (
        _ours(oe.weighted_kappa, weights="linear"),
        _sklearn_kappa("linear"),
        _skordinal("weighted_kappa", labels=True),
        _pycm_kappa(1),
        _torch_kappa("linear"),
    ),
    MAE: (
        _ours(oe.mean_absolute_error),
        Answer(SKLEARN, _sklearn_mae),
        _skordinal("mean_absolute_error", labels=False),
        Answer(TORCH, _torch_mae),
    ),
    AMAE: (
        _ours(oe.average_mae),
        Answer(IMBLEARN, _imblearn_amae),
        Answer(DLORDINAL, _dlordinal_amae),
        _skordinal("average_mean_absolute_error", labels=True),
    ),
    TAU: (
        _ours(oe.kendall_tau_b),
        Answer(SCIPY, _scipy_tau),
        _skordinal("kendalls_tau", labels=False),
        Answer(TORCH, _torch_tau),
    ),
    RPS: (
        Answer(US, _our_rps, lambda d: _our_rps(d, labels=d.levels), "labels="),
        Answer(DLORDINAL, _dlordinal_rps),
        Answer(SKORDINAL, _skordinal_rps, lambda d: _skordinal_rps(d, labels=d.levels), "labels="),
    ),
    OC_LOW: (_ours(oe.oc_index, share=0.25),),
    OC_HIGH: (_ours(oe.oc_index, share=0.75),),
    AUOC: (_ours(oe.auoc),),
}
