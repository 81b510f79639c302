"""Should a model be trained on the measure, or should only its decisions be tuned by it?

``python -m benchmarks.design [--splits N] [--write]``: on five data sets, cross-entropy with the
most probable class, cross-entropy with decisions tuned by the measure, and training on the measure
itself. With ``--write``, docs/benchmarks/design.json and the page made from it are written.

Trained on the measure means: the loss is the measure of the soft confusion matrix, which adds up
the probabilities of the items of each true class, and its derivative by cell is
``metric.gradient``. Training starts at the model fitted by cross-entropy.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax
from sklearn.tree import DecisionTreeRegressor

import ordeval as oe
from benchmarks import design_page
from ordeval.measures import Metric
from ordeval.models import optimal_cut_points
from ordeval.results.dataset import OrdinalDataset

DATA: Final[dict[str, Callable[[], OrdinalDataset]]] = {
    "ESL": oe.datasets.load_esl,
    "LEV": oe.datasets.load_lev,
    "SWD": oe.datasets.load_swd,
    "ERA": oe.datasets.load_era,
    "red wine": oe.datasets.load_red_wine,
}
MEASURES: Final = ("weighted_kappa", "cem_ord", "average_mae", "auoc", "oc_index")
SPLITS: Final = 20
TEST: Final = 0.4  # of each class
SEED: Final = 20261119
_PENALTY: Final = 1e-4  # of squared coefficients
_STEPS: Final = 60  # of L-BFGS, on the measure
_WARM, _ROUNDS, _RATE = 20, 60, 0.3  # boosting: rounds on cross-entropy only, all rounds, step
_GRID: Final = 40  # thresholds tried for a cumulative probability


class Part(NamedTuple):
    """Features and positions of the classes."""

    x: Any
    y: Any
    k: int

    @property
    def hot(self) -> Any:
        """One column per class, 1 for the true one."""
        return np.eye(self.k)[self.y]


class Forecasts(NamedTuple):
    """Probabilities on the training part and on the test part."""

    train: Any
    test: Any


def split(data: OrdinalDataset, seed: int) -> tuple[Part, Part]:
    """Divide each class 60 to 40, at least one item in each part; features are standardised."""
    rng = np.random.default_rng([SEED, seed])
    x, y = np.asarray(data.data, float), np.searchsorted(data.scale.levels, data.target)
    test = np.zeros(len(y), bool)
    for c in np.unique(y):
        items = rng.permutation(np.flatnonzero(y == c))
        test[items[: max(1, round(TEST * len(items)))]] = True
    x = (x - x[~test].mean(axis=0)) / x[~test].std(axis=0)
    k = data.scale.k
    return Part(x[~test], y[~test], k), Part(x[test], y[test], k)


def soft_loss(metric: Metric, part: Part, prob: Any) -> tuple[float, Any]:
    """The measure of the soft confusion matrix, to be made small, and its slopes by logit."""
    soft = part.hot.T @ prob
    sign = -1.0 if metric.greater_is_better else 1.0
    by_cell = sign * np.nan_to_num(metric.gradient(soft))[part.y]
    slopes = prob * (by_cell - (prob * by_cell).sum(axis=1, keepdims=True))
    return sign * float(metric.evaluate(soft, metric.checked_on(part.k, {}))), slopes


def cross_entropy(part: Part, logits: Any) -> tuple[float, Any]:
    """The mean negative logarithm of the true class's probability, and its slopes by logit."""
    logs = log_softmax(logits, axis=1)
    return -float(logs[np.arange(len(part.y)), part.y].mean()), (np.exp(logs) - part.hot) / len(
        part.y
    )


class Linear:
    """Linear softmax, fitted by L-BFGS."""

    def __init__(self, train: Part, test: Part) -> None:
        self.train = train
        self.x, self.other = (np.column_stack([p.x, np.ones(len(p.y))]) for p in (train, test))
        loss = partial(cross_entropy, train)
        self.start = self._fit(loss, np.zeros((self.x.shape[1], train.k)), 300)

    def plain(self) -> Forecasts:
        """By cross-entropy."""
        return self._forecasts(self.start)

    def trained(self, metric: Metric) -> Forecasts:
        """By the measure."""

        def loss(logits: Any) -> tuple[float, Any]:
            return soft_loss(metric, self.train, softmax(logits, axis=1))

        return self._forecasts(self._fit(loss, self.start, _STEPS))

    def _fit(self, loss: Callable[[Any], tuple[float, Any]], start: Any, steps: int) -> Any:
        def objective(flat: Any) -> tuple[float, Any]:
            w = flat.reshape(start.shape)
            value, slopes = loss(self.x @ w)
            return value + _PENALTY * (flat**2).sum(), (
                self.x.T @ slopes + 2 * _PENALTY * w
            ).ravel()

        options = {"maxiter": steps}
        found = minimize(objective, start.ravel(), jac=True, method="L-BFGS-B", options=options)
        return found.x.reshape(start.shape)

    def _forecasts(self, w: Any) -> Forecasts:
        return Forecasts(*(softmax(x @ w, axis=1) for x in (self.x, self.other)))


class Boosted:
    """Functional gradient boosting of logits with small regression trees."""

    def __init__(self, train: Part, test: Part) -> None:
        self.train, self.test = train, test
        shares = np.bincount(train.y, minlength=train.k) / len(train.y)
        logits = [np.tile(np.log(shares), (len(p.y), 1)) for p in (train, test)]
        for done in range(_ROUNDS):
            if done == _WARM:
                self.warm = logits
            step = self._tree(train.hot - softmax(logits[0], axis=1))
            logits = [f + _RATE * s for f, s in zip(logits, step, strict=True)]
        self.end = logits

    def plain(self) -> Forecasts:
        """By cross-entropy."""
        return Forecasts(*(softmax(f, axis=1) for f in self.end))

    def trained(self, metric: Metric) -> Forecasts:
        """By the measure, from a model of the first rounds."""
        logits, rate = self.warm, _RATE
        value, slopes = soft_loss(metric, self.train, softmax(logits[0], axis=1))
        for _ in range(_ROUNDS - _WARM):
            residuals = self.train.hot - softmax(logits[0], axis=1)
            size = np.sqrt((residuals**2).mean() / max((slopes**2).mean(), 1e-30))
            step = self._tree(-size * slopes)  # as large as a step by cross-entropy
            while rate > 1e-3:
                moved = [f + rate * s for f, s in zip(logits, step, strict=True)]
                reached, further = soft_loss(metric, self.train, softmax(moved[0], axis=1))
                if reached < value:
                    logits, value, slopes = moved, reached, further
                    break
                rate /= 2
        return Forecasts(*(softmax(f, axis=1) for f in logits))

    def _tree(self, target: Any) -> list[Any]:
        tree = DecisionTreeRegressor(max_depth=3, min_samples_leaf=10, random_state=0)
        tree.fit(self.train.x, target)
        return [tree.predict(p.x) for p in (self.train, self.test)]


MODELS: Final = {"linear": Linear, "boosted": Boosted}


def tuned(metric: Metric, train: Part, given: Forecasts) -> Any:
    """Decisions on the test part by cut points tuned on the training part."""
    cuts = optimal_cut_points(train.y, given.train, metric, labels=range(train.k), folds=0)
    return cuts.classify(given.test)


def by_thresholds(metric: Metric, train: Part, given: Forecasts) -> Any:
    """Decisions by one threshold per cumulative probability, tuned in turn until none gains."""
    k = train.k
    above, over = (1 - np.cumsum(p, axis=1)[:, :-1] for p in given)
    at, params = np.full(k - 1, 0.5), metric.checked_on(k, {})
    reached = -np.inf
    while True:
        before = reached
        for cut in range(k - 1):
            tried = np.unique(np.quantile(above[:, cut], np.linspace(0, 1, _GRID)))
            tried = np.append(tried, at[cut])
            others = (above > at).sum(axis=1) - (above[:, cut] > at[cut])
            pred = others[:, None] + (above[:, [cut]] > tried)
            cells = (np.arange(len(tried)) * k * k) + train.y[:, None] * k + pred
            stack = np.bincount(cells.ravel(), minlength=len(tried) * k * k)
            values = metric.utility(metric.evaluate(stack.reshape(-1, k, k), params))
            best = int(np.nan_to_num(values, nan=-np.inf).argmax())
            at[cut], reached = tried[best], float(values[best])
        if not reached > before:
            return (over > at).sum(axis=1)


def run(task: tuple[str, int], measures: Sequence[str] = MEASURES) -> dict[str, Any]:
    """Values on the test part of one split: model, measure and way."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    name, seed = task
    train, test = split(DATA[name](), seed)
    found: dict[str, Any] = {}
    for model, fit in MODELS.items():
        fitted = fit(train, test)
        plain = fitted.plain()
        for measure in measures:
            metric = oe.get_metric(measure)
            trained = fitted.trained(metric)
            decisions = {
                "plain": plain.test.argmax(axis=1),
                "tuned": tuned(metric, train, plain),
                "thresholds": by_thresholds(metric, train, plain),
                "trained": tuned(metric, train, trained),
                "trained plain": trained.test.argmax(axis=1),
            }
            for way, pred in decisions.items():
                value = metric(test.y, pred, labels=range(train.k))
                found[f"{model}|{measure}|{way}"] = round(float(value), 5)
    return found


def experiment(
    splits: int, names: Sequence[str] = tuple(DATA), processes: int = 1
) -> dict[str, Any]:
    """Run all splits of all data sets: data set, then model|measure|way, then values by split."""
    found: dict[str, Any] = {name: {} for name in names}
    tasks = [(name, seed) for seed in range(splits) for name in names]
    start = time.perf_counter()
    with get_context("spawn").Pool(processes) as pool:
        for (name, seed), values in zip(tasks, pool.imap(run, tasks), strict=True):
            for key, value in values.items():
                found[name].setdefault(key, []).append(value)
            print(f"{name} {seed + 1}: {time.perf_counter() - start:.0f} s", file=sys.stderr)
    return {"splits": splits, "test": TEST, "seed": SEED, "values": found}


def main() -> int:
    """Run the experiment, print its page, or write the record and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    record = experiment(given.splits, processes=given.processes)
    if given.write:
        text = json.dumps(record, separators=(",", ":")).replace("],", "],\n")
        design_page.RECORD.write_text(text + "\n", encoding="utf-8")
        design_page.PAGE.write_text(design_page.page(record), encoding="utf-8")
    else:
        print(design_page.page(record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
