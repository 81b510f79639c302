"""Silva et al. 2018, section V: three classifiers on two data sets, over many splits."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np

from ordeval._shared.extras import import_extra
from ordeval._shared.types import Floats, Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.datasets import load_esl, load_red_wine
from ordeval.measures import get_metric
from ordeval.papers._exhibits import Draft, Part, Run, exhibit
from ordeval.papers._pictures import SpreadDisplay
from ordeval.papers._values import Printed, Value
from ordeval.papers.printed.silva2018 import COLUMNS, CONCLUSIONS, TABLE_II
from ordeval.plots.confusion import ConfusionDisplay

Draws = dict[tuple[str, str, str], Floats]  # data, classifier, heading: by split

_DATA: Final = {"Wine": load_red_wine, "ESL": load_esl}
_CLASSIFIERS: Final = ("kNN", "SVM", "RF")
_QUICK_SPLITS: Final = 8
_FULL_SPLITS: Final = 100
_DEVIATIONS: Final = 3  # a printed value is near if it is no farther from the mean of the splits
_LEAST_STD: Final = 0.005  # half of the last digit in print
_UNKNOWN: Final = {
    ("ESL", "SVM"): "the printed machine errs by up to 5 classes, like one that gives the majority "
    "class to items unlike any that it has seen; its kernel is not known"
}


@exhibit("Table II", "Three classifiers on red wine and ESL")
def table_ii(draft: Draft) -> Iterator[Value]:
    """Where the printed figures fall among those of many splits."""
    draft.call = (
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "esl = oe.datasets.load_esl()\n"
        "model = KNeighborsClassifier(1).fit(esl.data[::2], esl.target[::2])\n"
        "oe.auoc(esl.target[1::2], model.predict(esl.data[1::2]), labels=esl.scale)"
    )
    splits, draws = _draws(draft.run)
    draft.method = (
        f"Means over {splits} random splits, 70 % to train. The paper gives neither the split nor "
        "the software nor the parameters. One neighbour and an RBF kernel with γ = 1, both on "
        "standardised features, and 100 trees come near its figures; five neighbours, or no "
        "scaling, do not. A printed value is close if it lies within 3 standard deviations of the "
        "splits, and within a quarter of itself."
    )
    for (data, classifier), printed in TABLE_II.items():
        why = _UNKNOWN.get((data, classifier), "parameters and split are not known")
        for c, text in zip(COLUMNS, printed.split(), strict=True):
            place = draft.printed(f"{data} {classifier}", c.heading, text)
            yield _among(place, draws[data, classifier, c.heading], why)
    draft.pictures.append(
        SpreadDisplay(
            "A_UOC over splits, and as printed",
            {f"{d} {c}": draws[d, c, "A_UOC"] for d, c in TABLE_II},
            {f"{d} {c}": float(printed.split()[-1]) for (d, c), printed in TABLE_II.items()},
        )
    )


def _among(place: Printed, v: Floats, why: str) -> Value:
    """A printed value among those of the splits."""
    # Many deviations of a noisy measure would let everything pass: a quarter of the value at most.
    widest = max(0.1, abs(float(place.printed)) / 4)
    tolerance = round(min(_DEVIATIONS * max(float(v.std(ddof=1)), _LEAST_STD), widest), 3)
    below = f"{np.mean(v < float(place.printed)):.0%} of the splits lie below the printed value"
    spread = f"splits from {v.min():.2f} to {v.max():.2f}; {below}"
    return place.near(v.mean(), tolerance=tolerance, otherwise=why, note=spread)


@exhibit("Section V", "What the paper concludes from one split, over many")
def conclusions(draft: Draft) -> Iterator[Value]:
    """What the paper concludes from its one split, over many."""
    draft.call = 'oe.papers.reproduce("silva2018", table="II").rows()'
    draft.method = (
        "An order holds if the means over the splits show it, which is subject to chance, the "
        "more so the fewer the splits."
    )
    splits, draws = _draws(draft.run)
    metrics = {c.heading: get_metric(c.metric) for c in COLUMNS}
    said = [(*who, heading) for who, headings in CONCLUSIONS.items() for heading in headings]
    for data, order, heading in said:
        utilities = [metrics[heading].utility(draws[data, c, heading]) for c in order]
        shown = int(np.all([a >= b for a, b in pairwise(utilities)], axis=0).sum())
        means = ", ".join(f"{c} {draws[data, c, heading].mean():.3f}" for c in order)
        found = f"shown by {shown} of {splits} splits; means: {means}"
        place = draft.printed(f"{data}, {heading}: {' before '.join(order)}", "holds", "claimed")
        if all(a.mean() >= b.mean() for a, b in pairwise(utilities)):
            yield place.judged("holds", "close", f"tolerance: the order of the means; {found}")
        else:
            why = "the paper's one split shows another order than the means"
            yield place.judged("does not hold", "differs", f"{why}; {found}")


def figure(name: str, data: str) -> Part:
    """Figure 4 or 5: confusion matrices that the paper draws and does not print."""

    @exhibit(name, f"Confusion matrices on {data}")
    def drawn(draft: Draft) -> Iterator[Value]:
        draft.call = "oe.plots.ConfusionDisplay.from_confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]])"
        yield draft.printed("kNN, SVM and RF", data, "confusion matrices").missing(
            "the matrices are drawn, not printed, and the split is not known; those of the first "
            "split of Table II are drawn here"
        )
        draft.pictures += [
            ConfusionDisplay(ConfusionMatrix(counts, _loaded(data).scale), classifier)
            for classifier, counts in _one_split(data, draft.run.seed, 0).items()
        ]

    return drawn


def _draws(run: Run) -> tuple[int, Draws]:
    splits = _FULL_SPLITS if run.full else _QUICK_SPLITS
    matrices = _matrices(run, splits)
    return splits, {
        (data, classifier, c.heading): np.asarray(c.of(n), dtype=np.float64)
        for (data, classifier), n in matrices.items()
        for c in COLUMNS
    }


_KEPT: dict[tuple[int, int], dict[tuple[str, str], Integers]] = {}


def _matrices(run: Run, splits: int) -> dict[tuple[str, str], Integers]:
    """Confusion matrices of the test items by data and classifier, one for each split.

    The table and the conclusions look at the same splits, so the last ones are kept in memory.
    """
    if (splits, run.seed) not in _KEPT:
        _KEPT.clear()
        found: dict[tuple[str, str], list[Any]] = {key: [] for key in TABLE_II}
        for number in run.steps("Silva Table II", range(splits)):
            for name in _DATA:
                for classifier, counts in _one_split(name, run.seed, number).items():
                    found[name, classifier].append(counts)
        _KEPT[splits, run.seed] = {key: np.stack(n) for key, n in found.items()}
    return _KEPT[splits, run.seed]


def _one_split(name: str, seed: int, number: int) -> dict[str, Integers]:
    data = _loaded(name)
    state = int(np.random.default_rng([seed, number]).integers(2**31))
    x, x_test, y, y_test = _sklearn("model_selection").train_test_split(
        data.data, data.target, test_size=0.3, random_state=state
    )
    return {
        c: ConfusionMatrix.from_labels(
            y_test, _model(c, state).fit(x, y).predict(x_test), data.scale
        ).counts
        for c in _CLASSIFIERS
    }  # fmt: skip


@lru_cache(maxsize=2)
def _loaded(name: str) -> Any:
    return _DATA[name]()


def _model(classifier: str, state: int) -> Any:
    if classifier == "RF":
        return _sklearn("ensemble").RandomForestClassifier(100, random_state=state)
    nearest, machine = _sklearn("neighbors").KNeighborsClassifier, _sklearn("svm").SVC
    model = nearest(1) if classifier == "kNN" else machine(gamma=1.0)
    return _sklearn("pipeline").make_pipeline(_sklearn("preprocessing").StandardScaler(), model)


def _sklearn(module: str) -> Any:
    return import_extra(f"sklearn.{module}", extra="models", purpose="Table II")
