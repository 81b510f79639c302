"""Experiments of Cardoso & Sousa 2011: sections 4.3 and 4.4, by Algorithm 1."""

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Floats
from ordeval.datasets import (
    OrdinalDataset,
    load_balance_scale,
    load_esl,
    load_lev,
    load_swd,
    make_ordinal,
)
from ordeval.papers._exhibits import Draft, Run, exhibit
from ordeval.papers._pictures import SpreadDisplay
from ordeval.papers._values import Printed, Value
from ordeval.papers.printed.cardoso2011 import CLASSIFIERS, COLUMNS, TABLE_5, TABLE_6

DATA: Final[dict[str, Callable[[], OrdinalDataset]]] = {
    "SWD": load_swd,
    "LEV": load_lev,
    "ESL": load_esl,
    "Balance": load_balance_scale,
}
NOT_PUBLIC: Final = "the data of these patients are not public"

# Full or not: the values of splits spread by about 0.02, so the mean of three moves by 0.012, and
# twice that is added to what is allowed for all that the paper leaves open.
_NEAR_MEAN: Final = {True: 0.02, False: 0.04}
_NEAR_STD: Final = 0.015
# The standard deviation of three normal values is at most this many times that of all, in 99 of 100
# cases: the root of half the quantile of chi-squared with 2 degrees of freedom. Of all triples of
# 50 splits of ESL and Balance, 0.5 to 2.2% lie above.
_STD_OF_THREE: Final = math.sqrt(-math.log(0.01))
_TOLERANCE_OF_ONE: Final = 0.05  # section 4.3 prints one split, not a mean
_C: Final = (0.1, 1.0, 10.0)
_RBF: Final = {"estimator__C": (1.0, 10.0, 100.0), "estimator__gamma": (0.5, 2.0, 8.0)}
_FULL_SPLITS: Final = 50  # as in the paper
_QUICK_SPLITS: Final = 3
_CALL: Final = (
    "from sklearn.svm import SVC\n"
    "data = {data}\n"
    "model = oe.models.DataReplicationClassifier({kernel})\n"
    'grid = {{"estimator__C": [0.1, 1, 10]}}\n'
    "oe.models.run_experiment(model, grid, data.data, data.target, n_repeats=1, rng=0)"
)

# Why a mean of Table 6, or a standard deviation, may lie outside the tolerance.
_WHY_MEAN: Final = {
    ("Balance", "Conventional"): "one against one has no boundary that the order would hold in "
    "place, and 49 of the 625 items are in the middle class, so how often that class is predicted "
    "depends on a grid of C that the paper does not give"
}
_WHY_SPREAD: Final = {
    ("ESL", "oSVM"): "0.00 would mean that random splits of 488 items, with classes of 2 and 4 "
    "items, all gave about the same value; the other classifiers have 0.01 on the same data"
}
_GRID: Final = "the paper's grid of parameters and scaling are not known"
_FEW: Final = (
    f"the spread of three splits can be {_STD_OF_THREE:.2g} times that of all; --full takes it "
    f"from 50, within {_NEAR_STD}"
)
_WHY_OF_ONE: Final = {
    "oSVM": "the printed matrix is one split with an unknown kernel",
    "oNN": "the printed network does not seem to have learnt: it puts nearly all items one class "
    "too high, as if one replica too many answered yes",
    "Frank and Hall": "the printed matrix is one split with an unknown kernel, and its two highest "
    "boundaries lie too high; with the kernel selected by Algorithm 1 they do not",
}


@exhibit("Table 6", "OC of three classifiers on real data: mean (standard deviation)")
def table_6(draft: Draft) -> Iterator[Value]:
    """Three support vector machines on five data sets, one of which is private."""
    draft.call = _CALL.format(kernel="SVC(kernel='linear')", data="oe.datasets.load_esl()")
    splits = _splits(draft.run)
    draft.method = (
        f"Algorithm 1 over {splits} splits, 40% to train: linear kernel, standardised features, C "
        f"of {', '.join(map(str, _C))} by five folds; OC with share 0.75 selects and tests. The "
        f"paper gives neither its grid nor whether features are scaled."
    )
    near_mean = _NEAR_MEAN[draft.run.full]
    for name, row in TABLE_6.items():
        for classifier, (mean, std) in zip(CLASSIFIERS, row, strict=True):
            place = name, classifier
            of_mean = draft.printed(name, classifier, mean)
            of_std = draft.printed(name, f"{classifier}, std", std)
            if name not in DATA:
                yield of_mean.missing(NOT_PUBLIC)
                yield of_std.missing(NOT_PUBLIC)
                continue
            found = _on_real_data(draft.run, name, classifier)
            spread = f"{splits} splits from {found.values.min():.2f} to {found.values.max():.2f}"
            why = _WHY_MEAN.get(place, _GRID)
            yield of_mean.near(found.mean, tolerance=near_mean, otherwise=why, note=spread)
            why = _WHY_SPREAD.get(place, _GRID)
            said = spread if draft.run.full else f"{spread}; {_FEW}"
            near_std = _near_std(float(std), full=draft.run.full)
            yield of_std.near(found.std, tolerance=near_std, otherwise=why, note=said)
    yield from _in_print(draft)


def _near_std(printed: float, *, full: bool) -> float:
    """How far a standard deviation may lie from the print: that of three splits may be larger."""
    widest = (printed + _NEAR_STD) * (1 if full else _STD_OF_THREE)
    return round(widest - printed, 3)


def _in_print(draft: Draft) -> Iterator[Value]:
    """What section 4.4 says of Table 6, held against its own figures."""
    mean, std = (
        {name: [float(cell[i]) for cell in row] for name, row in TABLE_6.items()} for i in (0, 1)
    )
    lost = [n for n in TABLE_6 if mean[n][0] > mean[n][1] or std[n][0] > std[n][1]]
    claim = draft.claim("In print oSVM never loses to Frank and Hall, in average or in variance")
    yield claim.tried(
        not lost,
        f"it loses on: {', '.join(lost) or 'none'}; on SWD {mean['SWD'][0]:.2f} "
        f"({std['SWD'][0]:.2f}) against {mean['SWD'][1]:.2f} ({std['SWD'][1]:.2f})",
        "the table of the paper contradicts its text",
    )
    gaps = {n: [round(mean[n][2] - mean[n][i], 2) for i in (0, 1)] for n in TABLE_6}
    level = [f"{CLASSIFIERS[i]} on {n}" for n, both in gaps.items() for i in (0, 1) if both[i] <= 0]
    claim = draft.claim("In print both ordinal methods are superior to the conventional one")
    yield claim.tried(
        not level, f"no better than it: {', '.join(level)}", "the table of the paper has ties"
    )


def _on_real_data(run: Run, name: str, classifier: str) -> Any:
    data = DATA[name]()
    svm = import_extra("sklearn.svm", extra="models", purpose="Table 6").SVC(kernel="linear")
    conventional = classifier == "Conventional"
    model = svm if conventional else _ordinal(classifier, svm, labels=data.scale)
    grid = {"C" if conventional else "estimator__C": _C}
    scaled = replace(data, data=(data.data - data.data.mean(axis=0)) / data.data.std(axis=0))
    return _run(run, f"Table 6: {name}, {classifier}", scaled, model=model, grid=grid)


@exhibit("Section 4.3", "The synthetic experiment")
def synthetic(draft: Draft) -> Iterator[Value]:
    """Three classifiers on the synthetic data, next to the three that Table 5 prints."""
    draft.call = _CALL.format(kernel="SVC(gamma=2)", data="oe.datasets.make_ordinal(rng=0)")
    draft.method = (
        f"{_splits(draft.run)} splits, 40% to train, by Algorithm 1. The paper prints one matrix "
        f"for each classifier and names neither kernel nor network: here they are RBF kernels and "
        f"one hidden layer of 10 units, and the mean over the splits is compared."
    )
    data = make_ordinal(rng=draft.run.seed)
    columns = [c for c in COLUMNS if c.heading in ("MER", "OC β₁", "OC β₂")]
    marks: dict[str, float] = {}
    draws: dict[str, Floats] = {}
    more = "" if draft.run.full else f"; --full takes {_FULL_SPLITS}"
    for row in TABLE_5.rows:
        name = row.name.partition(", ")[2]
        printed = TABLE_5.printed(row)
        model, grid = _curved(name, draft.run.seed)
        with warnings.catch_warnings():
            # A network that stops before it has converged is scored as it is, like the paper's.
            warnings.filterwarnings("ignore", module="sklearn.neural_network")
            found = _run(draft.run, f"Section 4.3: {name}", data, model=model, grid=grid)
        for c in columns:
            scores = c.of(found.confusion)
            yield draft.printed(name, c.heading, printed[c.heading]).near(
                scores.mean(),
                tolerance=_TOLERANCE_OF_ONE,
                otherwise=_WHY_OF_ONE[name],
                note=f"{len(scores)} splits from {scores.min():.2f} to {scores.max():.2f}{more}",
            )
        draws[name], marks[name] = scores, float(printed["OC β₂"])
    draft.pictures.append(SpreadDisplay("OC (β₂) over splits, and as printed", draws, marks))
    yield _is_best(draft.claim("oSVM is best of the three"), draws, more)


def _is_best(claim: Printed, draws: dict[str, Floats], more: str) -> Value:
    means = {name: float(v.mean()) for name, v in draws.items()}
    behind = means["oSVM"] - min(means.values())
    shown = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
    if not behind:
        return claim.tried(True, f"mean OC (β₂): {shown}")
    return claim.judged(
        f"{behind:.3f} behind",
        "close" if behind <= _TOLERANCE_OF_ONE else "differs",
        f"tolerance {_TOLERANCE_OF_ONE:g}: all three classifiers learn the task, and chance "
        f"decides which comes first; mean OC (β₂): {shown}, {len(draws['oSVM'])} splits{more}",
    )


def _curved(name: str, seed: int) -> tuple[Any, dict[str, Any]]:
    def sklearn(module: str) -> Any:
        return import_extra(f"sklearn.{module}", extra="models", purpose="section 4.3")

    if name != "oNN":
        return _ordinal(name, sklearn("svm").SVC()), _RBF
    net = sklearn("neural_network").MLPClassifier(
        (10,), solver="lbfgs", max_iter=100, random_state=seed
    )
    return _ordinal(name, net), {"estimator__alpha": (0.01, 0.1)}


def _ordinal(classifier: str, estimator: Any, labels: Any = None) -> Any:
    from ordeval import models

    replicating = classifier != "Frank and Hall"
    made = models.DataReplicationClassifier if replicating else models.FrankHallClassifier
    return made(estimator, labels=labels)


def _run(run: Run, stage: str, data: OrdinalDataset, *, model: Any, grid: dict[str, Any]) -> Any:
    from ordeval import models

    how: dict[str, Any] = {"n_repeats": _splits(run), "rng": run.seed, "progress": run.tell(stage)}
    return models.run_experiment(model, grid, data.data, data.target, labels=data.scale, **how)


def _splits(run: Run) -> int:
    return _FULL_SPLITS if run.full else _QUICK_SPLITS


def expected_sizes(items: int, seed: int) -> tuple[list[int], list[int]]:
    """Class sizes to expect of the formula as printed, and of the one that ordeval uses."""
    drawn = make_ordinal(100_000, rng=seed)
    noise = 0.125 * np.random.default_rng(seed).standard_normal(len(drawn.data))
    literal = 10 * (drawn.data.prod(axis=1) - 0.5) + noise
    counts = np.bincount(np.searchsorted((-2.0, -0.5, 0.25, 1.0), literal), minlength=5)
    share = items / len(drawn.data)
    of_formula, of_ours = (
        [round(x) for x in (n * share).tolist()] for n in (counts, drawn.class_sizes)
    )
    return of_formula, of_ours
