"""The measures that other libraries have too, against those libraries.

The data sets hold every class on both sides: where a class is absent the others differ among
themselves, and the slow definitions are the judge.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from tests.ready import OnUse

import ordeval as oe

irr_cac, krippendorff, pd = OnUse("irrCAC.table"), OnUse("krippendorff"), OnUse("pandas")
scoringrules, sk = OnUse("scoringrules"), OnUse("sklearn.metrics")

Labels = NDArray[np.int64]
TOLERANCE = 1e-10
IRRCAC_TOLERANCE = 0.5e-5 + 1e-9  # it rounds to five digits


@cache
def data_sets() -> tuple[tuple[Labels, Labels, int], ...]:
    """Truth, prediction and number of classes: from noise to nearly perfect, even and lopsided."""
    rng = np.random.default_rng(1960)
    drawn = []
    for k in (2, 3, 5, 7):
        for noise in (0.1, 1.0, 3.0):
            for lopsided in (False, True):
                shares = 2.0 ** -np.arange(k) if lopsided else np.ones(k)
                t = rng.choice(k, 300, p=shares / shares.sum())
                p = np.clip(np.round(t + rng.normal(0, noise, 300)), 0, k - 1).astype(int)
                every = np.arange(k)
                drawn.append((np.append(t, every), np.append(p, every[::-1]), k))
    return tuple(drawn)


def ours(name: str, t: Labels, p: Labels, k: int, **params: Any) -> float:
    return float(oe.get_metric(name)(t, p, labels=range(k), **params))


Peer = Callable[..., Any]

SKLEARN: dict[str, Peer] = {
    "accuracy": lambda t, p, **kw: sk.accuracy_score(t, p, **kw),
    "misclassification_error": lambda t, p, **kw: sk.zero_one_loss(t, p, **kw),
    "balanced_accuracy": lambda t, p: sk.balanced_accuracy_score(t, p, adjusted=False),
    "f1_macro": lambda t, p: sk.f1_score(t, p, average="macro"),
    "cohen_kappa": lambda t, p, **kw: sk.cohen_kappa_score(t, p, **kw),
    "matthews_corrcoef": lambda t, p, **kw: sk.matthews_corrcoef(t, p, **kw),
    "mean_absolute_error": lambda t, p, **kw: sk.mean_absolute_error(t, p, **kw),
    "mean_squared_error": lambda t, p, **kw: sk.mean_squared_error(t, p, **kw),
    "root_mean_squared_error": lambda t, p, **kw: sk.root_mean_squared_error(t, p, **kw),
    "mutual_information": lambda t, p, **kw: sk.mutual_info_score(t, p, **kw),
    "min_sensitivity": lambda t, p: sk.recall_score(t, p, average=None).min(),
    "geometric_mean_sensitivity": lambda t, p: stats.gmean(sk.recall_score(t, p, average=None)),
}
SCIPY: dict[str, Peer] = {
    "pearson_r": lambda t, p: stats.pearsonr(t, p).statistic,
    "spearman_rho": lambda t, p: stats.spearmanr(t, p).statistic,
    "kendall_tau_b": lambda t, p: stats.kendalltau(t, p, variant="b").statistic,
    "stuart_tau_c": lambda t, p: stats.kendalltau(t, p, variant="c").statistic,
    "somers_d": lambda t, p: stats.somersd(t, p).statistic,
}


@pytest.mark.parametrize(("name", "peer"), SKLEARN.items(), ids=SKLEARN)
def test_scikit_learn_agrees(name: str, peer: Peer) -> None:
    for t, p, k in data_sets():
        assert ours(name, t, p, k) == pytest.approx(peer(t, p), abs=TOLERANCE)


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_scikit_learn_agrees_on_weighted_kappa(weights: str) -> None:
    for t, p, k in data_sets():
        peer = sk.cohen_kappa_score(t, p, weights=weights)
        assert ours("weighted_kappa", t, p, k, weights=weights) == pytest.approx(
            peer, abs=TOLERANCE
        )


WEIGHTED = ("accuracy", "cohen_kappa", "matthews_corrcoef", "mean_absolute_error")


@pytest.mark.parametrize("name", WEIGHTED)
def test_scikit_learn_agrees_on_sample_weights(name: str) -> None:
    rng = np.random.default_rng(1968)
    for t, p, k in data_sets():
        w = rng.uniform(0.0, 3.0, len(t))
        peer: Any = SKLEARN[name]
        assert ours(name, t, p, k, sample_weight=w) == pytest.approx(
            peer(t, p, sample_weight=w), abs=TOLERANCE
        )


@pytest.mark.parametrize(("name", "peer"), SCIPY.items(), ids=SCIPY)
def test_scipy_agrees(name: str, peer: Peer) -> None:
    for t, p, k in data_sets():
        assert ours(name, t, p, k) == pytest.approx(peer(t, p), abs=TOLERANCE)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_krippendorff_agrees(level: Any) -> None:
    for t, p, k in data_sets():
        peer = krippendorff.alpha(
            reliability_data=[t, p], level_of_measurement=level, value_domain=list(range(k))
        )
        assert ours("krippendorff_alpha", t, p, k, level=level) == pytest.approx(
            peer, abs=TOLERANCE
        )


IRRCAC_WEIGHTS = {"quadratic": "quadratic", "linear": "linear", "nominal": "identity"}


@pytest.mark.parametrize("weights", IRRCAC_WEIGHTS)
@pytest.mark.parametrize(
    ("name", "coefficient"),
    [("gwet_ac2", "gwet"), ("brennan_prediger", "bp"), ("scott_pi", "scott")],
)
def test_irrcac_agrees(name: str, coefficient: str, weights: str) -> None:
    for t, p, k in data_sets():
        table = pd.DataFrame(sk.confusion_matrix(t, p, labels=range(k)))
        found = getattr(irr_cac.CAC(table, weights=IRRCAC_WEIGHTS[weights]), coefficient)()
        peer = found["est"]["coefficient_value"]
        assert ours(name, t, p, k, weights=weights) == pytest.approx(peer, abs=IRRCAC_TOLERANCE)


@pytest.mark.parametrize("k", [2, 3, 5, 12])
def test_scoringrules_agrees_on_the_ranked_probability_score(k: int) -> None:
    rng = np.random.default_rng(k)
    truth, prob = rng.integers(0, k, 300), rng.dirichlet(np.full(k, 0.5), 300)
    peer = scoringrules.rps_score(truth + 1, prob)  # it counts classes from 1
    each = [oe.ranked_probability_score(truth[[i]], prob[[i]], labels=range(k)) for i in range(9)]
    np.testing.assert_allclose(each, peer[:9], atol=TOLERANCE)
    whole = oe.ranked_probability_score(truth, prob, labels=range(k))
    assert whole == pytest.approx(peer.mean(), abs=TOLERANCE)
