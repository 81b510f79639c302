"""Every call on the page for users of R gives the value of its formula or of another library."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pandas as pd
import pytest
from irrCAC.raw import CAC
from scipy import stats
from sklearn import metrics as sk
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

import ordeval as oe

PAGE = Path(__file__).parents[2] / "docs" / "r.md"
CALL = re.compile(r"^\| `(?P<r>.+)` \| `(?P<call>.+)` \|$", re.M)
RNG = np.random.default_rng(4)
Y = np.repeat([1, 2, 3, 4, 5], 30)
PRED = np.clip(Y + RNG.integers(-2, 3, Y.size), 1, 5)
THIRD = np.clip(Y + RNG.integers(-1, 2, Y.size), 1, 5)
S = Y + RNG.normal(0, 1.5, Y.size).round(1)
PROB = RNG.dirichlet(np.ones(5), Y.size)
TABLE = np.stack([Y, PRED, THIRD], axis=1)
R = oe.Ratings(TABLE, labels=range(1, 6))


def area(low: Any, high: Any) -> float:
    """The share of pairs in the right order, ties counting half."""
    return float(np.mean((high[:, None] > low) + 0.5 * (high[:, None] == low)))


def concordance(truth: Any, score: Any, ties: float = 0.5) -> float:
    """Harrell's C over all pairs; a pair tied in the score counts ``ties``, or not if NaN."""
    higher = truth[:, None] > truth
    right = np.where(score[:, None] == score, ties, score[:, None] > score)
    return float(np.nanmean(right[higher]))


def exact_kappa() -> float:
    """Conger's kappa: chance is the mean over pairs of raters of their chance agreement."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    shares = [np.bincount(TABLE[:, j], minlength=6) / len(TABLE) for j in range(3)]
    observed = np.mean([np.mean(TABLE[:, i] == TABLE[:, j]) for i, j in pairs])
    chance = np.mean([shares[i] @ shares[j] for i, j in pairs])
    return float((observed - chance) / (1 - chance))


def cac(name: str) -> float:
    found = getattr(CAC(pd.DataFrame(TABLE), weights="quadratic"), name)()
    return float(found["est"]["coefficient_value"])


def kappa(weights: str | None = None) -> float:
    return float(sk.cohen_kappa_score(Y, PRED, weights=weights))


def rps() -> float:
    truth = np.cumsum(np.eye(5)[Y - 1], axis=1)
    return float(np.mean(np.sum((np.cumsum(PROB, axis=1) - truth) ** 2, axis=1)) / 4)


# What R computes, by its call.
VALUES: dict[str, Callable[[], Any]] = {
    "kappa2(cbind(y, p))": kappa,
    'kappa2(cbind(y, p), "squared")': lambda: kappa("quadratic"),
    'kappa2(cbind(y, p), "equal")': lambda: kappa("linear"),
    "kappam.fleiss(R)": lambda: fleiss_kappa(aggregate_raters(TABLE)[0]),
    "kappam.fleiss(R, exact = TRUE)": exact_kappa,
    'kripp.alpha(t(R), "ordinal")': lambda: krippendorff.alpha(
        TABLE.T, level_of_measurement="ordinal"
    ),
    'kripp.alpha(t(R), "interval")': lambda: krippendorff.alpha(
        TABLE.T, level_of_measurement="interval"
    ),
    'gwet.ac1.raw(R, weights = "quadratic")': lambda: cac("gwet"),
    'bp.coeff.raw(R, weights = "quadratic")': lambda: cac("bp"),
    "cohen.kappa(cbind(y, p))$kappa": kappa,
    "cohen.kappa(cbind(y, p))$weighted.kappa": lambda: kappa("quadratic"),
    "cohen.kappa(cbind(y, p), w.exp = 1)$weighted.kappa": lambda: kappa("linear"),
    'rcorr.cens(s, y)["C Index"]': lambda: concordance(Y, S),
    'rcorr.cens(s, y)["Dxy"]': lambda: 2 * concordance(Y, S) - 1,
    'rcorr.cens(p, y)["Dxy"]': lambda: 2 * concordance(Y, PRED) - 1,
    'rcorr.cens(p, y, outx = TRUE)["Dxy"]': lambda: 2 * concordance(Y, PRED, np.nan) - 1,
    'somers2(s, y >= 3)["C"]': lambda: sk.roc_auc_score(Y >= 3, S),
    'auc(roc(y >= 3, s, direction = "<"))': lambda: sk.roc_auc_score(Y >= 3, S),
    'multiclass.roc(y, s, direction = "<")$auc': lambda: np.mean(
        [area(S[i == Y], S[j == Y]) for j in range(1, 6) for i in range(1, j)]
    ),
    "accuracy_vec(y, p)": lambda: sk.accuracy_score(Y, PRED),
    'sens_vec(y, p, estimator = "macro")': lambda: sk.recall_score(Y, PRED, average="macro"),
    "kap_vec(y, p)": kappa,
    'kap_vec(y, p, weighting = "quadratic")': lambda: kappa("quadratic"),
    'kap_vec(y, p, weighting = "linear")': lambda: kappa("linear"),
    "mcc_vec(y, p)": lambda: sk.matthews_corrcoef(Y, PRED),
    "mae_vec(as.integer(y), as.integer(p))": lambda: sk.mean_absolute_error(Y, PRED),
    "ranked_prob_score_vec(y, P)": rps,
    'cor(y, p, method = "kendall")': lambda: stats.kendalltau(Y, PRED).statistic,
    'cor(y, p, method = "spearman")': lambda: stats.spearmanr(Y, PRED).statistic,
    "cor(y, p)": lambda: np.corrcoef(Y, PRED)[0, 1],
    "mean(abs(y - p))": lambda: np.mean(abs(Y - PRED)),
}
CALLS = {m["r"]: m["call"] for m in CALL.finditer(PAGE.read_text(encoding="utf-8"))}


def test_every_call_has_a_value_to_compare_with() -> None:
    assert CALLS.keys() == VALUES.keys()


@pytest.mark.parametrize("r", CALLS)
def test_a_call_gives_the_number_of_r(r: str) -> None:
    names = {"oe": oe, "y": Y, "p": PRED, "s": S, "P": PROB, "R": R}
    found = eval(CALLS[r], names)
    if isinstance(found, oe.results.RatingScores):
        (found,) = found.values()
    assert found == pytest.approx(VALUES[r](), abs=1e-5 if "weights =" in r else 1e-12)
