"""Silva et al. 2018, section V: three classifiers on two data sets, over many splits."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval.data.confusion import ConfusionMatrix
from ordeval.datasets import load_esl, load_red_wine
from ordeval.measures import get_metric
from ordeval.papers._pictures import SpreadDisplay
from ordeval.papers._silva_printed import COLUMNS, KEY, TABLE_II
from ordeval.papers._values import Exhibit, Maker, Part, Progress, Run, Value
from ordeval.plots.confusion import ConfusionDisplay

Draws = dict[tuple[str, str, str], NDArray[np.float64]]  # data, classifier, heading: by split

_DATA: Final = {"Wine": load_red_wine, "ESL": load_esl}
_CLASSIFIERS: Final = ("kNN", "SVM", "RF")
_QUICK_SPLITS: Final = 8
_FULL_SPLITS: Final = 100
_DEVIATIONS: Final = 3  # a printed value is near if it is no farther from the mean of the splits
_LEAST_STD: Final = 0.005  # half of the last digit in print

# Section V in words: data, what is said, the measure, and the classifiers from best to worst; of
# two that are named only their order is said.
CONCLUSIONS: Final = (
    ("Wine", "A_UOC", ("RF", "kNN", "SVM")),
    ("Wine", "UOC β₁", ("RF", "kNN", "SVM")),
    ("Wine", "AMAE", ("RF", "kNN", "SVM")),
    ("Wine", "MER", ("RF", "SVM")),
    ("Wine", "MSE", ("SVM", "kNN")),
    ("Wine", "MAE", ("SVM", "kNN")),
    ("Wine", "r_int", ("SVM", "kNN")),
    ("Wine", "OC β₁", ("SVM", "kNN")),
    ("Wine", "OC β₂", ("SVM", "kNN")),
    ("ESL", "MER", ("SVM", "kNN")),
    ("ESL", "OC β₁", ("SVM", "kNN")),
    ("ESL", "OC β₂", ("SVM", "kNN")),
    ("ESL", "τ_b", ("kNN", "SVM")),
    ("ESL", "UOC β₁", ("kNN", "RF", "SVM")),
    ("ESL", "UOC β₂", ("kNN", "RF", "SVM")),
    ("ESL", "A_UOC", ("kNN", "RF", "SVM")),
)


def table_ii(run: Run) -> Exhibit:
    """Where the printed figures fall among those of many splits."""
    make = Maker(KEY, "Table II")
    splits, draws = _draws(run)
    values = [
        _value(make, data, classifier, c.heading, text, draws[data, classifier, c.heading])
        for (data, classifier), printed in TABLE_II.items()
        for c, text in zip(COLUMNS, printed.split(), strict=True)
    ]
    last = {key: printed.split()[-1] for key, printed in TABLE_II.items()}
    spread = SpreadDisplay(
        "A_UOC over splits, and as printed",
        {f"{d} {c}": draws[d, c, "A_UOC"] for d, c in TABLE_II},
        {f"{d} {c}": float(text) for (d, c), text in last.items()},
    )
    return Exhibit(
        KEY, "Table II", "Three classifiers on red wine and ESL", tuple(values),
        method=_METHOD.format(splits=splits), pictures=(spread,),
        call="from sklearn.neighbors import KNeighborsClassifier\n"
        "esl = oe.datasets.load_esl()\n"
        "model = KNeighborsClassifier(1).fit(esl.data[::2], esl.target[::2])\n"
        "oe.auoc(esl.target[1::2], model.predict(esl.data[1::2]), labels=esl.scale)",
    )  # fmt: skip


_METHOD: Final = (
    "Means over {splits} random splits, 70 % to train. The paper says neither the split nor "
    "software nor parameters. One neighbour and an RBF kernel with γ = 1, both on standardised "
    "features, and 100 trees come near to its figures; five neighbours, or no scaling, do not. A "
    "printed value is close if it lies within 3 standard deviations of the splits, and within a "
    "quarter of itself."
)


def _value(
    make: Maker, data: str, classifier: str, heading: str, text: str, v: NDArray[np.float64]
) -> Value:
    # Many deviations of a noisy measure would let everything pass: a quarter of the value at most.
    widest = max(0.1, abs(float(text)) / 4)
    tolerance = round(min(_DEVIATIONS * max(float(v.std(ddof=1)), _LEAST_STD), widest), 3)
    below = f"{np.mean(v < float(text)):.0%} of the splits lie below the printed value"
    spread = f"splits from {v.min():.2f} to {v.max():.2f}; {below}"
    why = "parameters and split are not known"
    if (data, classifier) == ("ESL", "SVM"):
        why = (
            "the printed machine errs by up to 5 classes, as one does that gives a majority class "
            "to items it has not seen the like of; its kernel is not known"
        )
    return make.near(
        f"{data} {classifier}", heading, text, float(v.mean()), tolerance, f"{why}; {spread}",
        spread,
    )  # fmt: skip


def conclusions(run: Run) -> Exhibit:
    """What the paper concludes from its one split, over many."""
    make = Maker(KEY, "Section V")
    splits, draws = _draws(run)
    metrics = {c.heading: get_metric(c.metric) for c in COLUMNS}
    values = []
    for data, heading, order in CONCLUSIONS:
        utilities = [metrics[heading].utility(draws[data, c, heading]) for c in order]
        better = np.array([a >= b for a, b in pairwise(utilities)])
        ranked = all(a.mean() >= b.mean() for a, b in pairwise(utilities))
        times = int(better.all(axis=0).sum())
        mean = ", ".join(f"{c} {draws[data, c, heading].mean():.3f}" for c in order)
        other = "" if ranked else "the paper's one split shows another order than the means; "
        values.append(
            make.judged(
                f"{data}, {heading}: {' before '.join(order)}", "holds", "claimed",
                "holds" if ranked else "does not hold", "close" if ranked else "differs",
                f"{other}so in {times} of {splits} splits; means: {mean}; tolerance: the order of "
                f"means",
            )
        )  # fmt: skip
    return Exhibit(
        KEY, "Section V", "What the paper concludes from one split, over many", tuple(values),
        method="An order holds if the means over the splits have it; chance is in that, the more "
        "the fewer the splits.",
        call='oe.papers.reproduce("silva2018", table="II").rows()',
    )  # fmt: skip


def figure(name: str, data: str) -> Part:
    """Figure 4 or 5: confusion matrices that the paper draws and does not print."""

    def make(run: Run) -> Exhibit:
        why = (
            "the matrices are drawn, not printed, and the split is not known; those of the first "
            "split of Table II are drawn here"
        )
        value = Maker(KEY, name).missing("kNN, SVM and RF", data, "confusion matrices", why)
        scale = _loaded(data).scale
        pictures = tuple(
            ConfusionDisplay(ConfusionMatrix(counts, scale), classifier)
            for classifier, counts in _one_split(data, run.seed, 0).items()
        )
        return Exhibit(
            KEY, name, f"Confusion matrices on {data}", (value,), pictures=pictures,
            call="oe.plots.ConfusionDisplay.from_confusion([[8, 2, 0], [1, 6, 3], [0, 1, 9]])",
        )  # fmt: skip

    return Part(name, make)


def _draws(run: Run) -> tuple[int, Draws]:
    splits = _FULL_SPLITS if run.full else _QUICK_SPLITS
    matrices = _matrices(splits, run.seed, run.tell("Silva Table II"))
    return splits, {
        (data, classifier, c.heading): np.asarray(c.of(n), dtype=np.float64)
        for (data, classifier), n in matrices.items()
        for c in COLUMNS
    }


_KEPT: dict[tuple[int, int], dict[tuple[str, str], NDArray[np.int64]]] = {}


def _matrices(splits: int, seed: int, tell: Progress) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Confusion matrices of the test items by data and classifier, one a split.

    The table and the conclusions look at the same splits, so the last ones are kept in memory.
    """
    if (splits, seed) not in _KEPT:
        _KEPT.clear()
        found: dict[tuple[str, str], list[Any]] = {key: [] for key in TABLE_II}
        for done in range(splits):
            for name in _DATA:
                for classifier, counts in _one_split(name, seed, done).items():
                    found[name, classifier].append(counts)
            tell("", done + 1, splits)
        _KEPT[splits, seed] = {key: np.stack(n) for key, n in found.items()}
    return _KEPT[splits, seed]


def _one_split(name: str, seed: int, number: int) -> dict[str, NDArray[np.int64]]:
    selection = import_extra("sklearn.model_selection", extra="models", purpose="Table II")
    data = _loaded(name)
    state = int(np.random.default_rng([seed, number]).integers(2**31))
    x, x_test, y, y_test = selection.train_test_split(
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
    def sklearn(module: str) -> Any:
        return import_extra(f"sklearn.{module}", extra="models", purpose="Table II")

    if classifier == "RF":
        return sklearn("ensemble").RandomForestClassifier(100, random_state=state)
    model = (
        sklearn("neighbors").KNeighborsClassifier(1)
        if classifier == "kNN"
        else sklearn("svm").SVC(gamma=1.0)
    )
    return sklearn("pipeline").make_pipeline(sklearn("preprocessing").StandardScaler(), model)
