# ruff: noqa: E501 - lines of a page
"""The page of the experiment of ``benchmarks.design``, made from its record."""

from __future__ import annotations

import json
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

import ordeval as oe
from benchmarks._measuring import ROOT

RECORD: Final = ROOT / "docs" / "benchmarks" / "design.json"
PAGE: Final = ROOT / "docs" / "concepts" / "design.md"
WAYS: Final = {
    "plain": "cross-entropy, most probable class",
    "tuned": "cross-entropy, cut points tuned",
    "thresholds": "cross-entropy, one threshold per cumulative probability",
    "trained": "trained on the measure, cut points tuned",
    "trained plain": "trained on the measure, most probable class",
}
_NAMES: Final = {"linear": "Linear softmax", "boosted": "Boosted trees"}
_THREE: Final = ("plain", "tuned", "trained")


class Cells(NamedTuple):
    """In how many cells one way is better than another on average, and by two standard errors."""

    better: int
    clearly: int
    clearly_worse: int
    of: int


class Experiment:
    """The values of a record, by model, measure, way and data set."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.values, self.splits, self.test = record["values"], record["splits"], record["test"]
        self.data = list(self.values)
        keys = [key.split("|") for key in self.values[self.data[0]]]
        self.models = list(dict.fromkeys(model for model, _, _ in keys))
        self.measures = list(dict.fromkeys(measure for _, measure, _ in keys))

    def mean(self, model: str, measure: str, way: str) -> float:
        """The mean of the means of the data sets."""
        return float(np.mean(self.by_data(model, measure, way)))

    def by_data(self, model: str, measure: str, way: str) -> list[float]:
        """The mean over the splits of each data set."""
        return [float(np.mean(self.values[d][f"{model}|{measure}|{way}"])) for d in self.data]

    def gains(self, model: str, a: str, b: str) -> list[tuple[float, float]]:
        """How much better a is than b in each cell, with the standard error of the mean.

        Training parts of splits overlap: the variance of their mean is that of a value times
        1 / splits + test / training share (Nadeau & Bengio 2003).
        """
        found = []
        for measure in self.measures:
            sign = 1 if oe.get_metric(measure).greater_is_better else -1
            for d in self.data:
                pair = (np.array(self.values[d][f"{model}|{measure}|{way}"]) for way in (a, b))
                gain = sign * np.subtract(*pair)
                share = 1 / self.splits + self.test / (1 - self.test)
                error = gain.std(ddof=1) * np.sqrt(share) if self.splits > 1 else np.nan
                found.append((float(gain.mean()), float(error)))
        return found

    def cells(self, model: str, a: str, b: str) -> Cells:
        """Count the cells in which a is better than b."""
        gains = self.gains(model, a, b)
        return Cells(
            sum(g > 0 for g, _ in gains),
            sum(g > 2 * e for g, e in gains),
            sum(g < -2 * e for g, e in gains),
            len(gains),
        )

    def comparison(self, model: str, measure: str) -> Any:
        """Compare the three ways over the data sets."""
        scores = {WAYS[way]: self.by_data(model, measure, way) for way in _THREE}
        return oe.compare_cases(scores, metric=measure, rng=0)


def read() -> dict[str, Any]:
    """The record."""
    record: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    return record


def page(record: dict[str, Any]) -> str:
    """The page in Markdown."""
    found = Experiment(record)
    parts = [_HEAD, _answer(found), _SETTING.format(splits=found.splits)]
    for model in found.models:
        parts += [f"## {_NAMES[model]}", _table(found, model), _cells(found, model)]
        parts += [_over_data(found, model), _by_data(found, model)]
    return "\n\n".join([*parts, _END]) + "\n"


def _answer(found: Experiment) -> str:
    tuned = [found.cells(m, "tuned", "plain") for m in found.models]
    trained = [found.cells(m, "trained", "tuned") for m in found.models]
    lines = [
        f"- {_NAMES[m]}: tuned cut points beat the most probable class in {t.better} of {t.of} "
        f"cells (a data set and a measure). Training on the measure beats tuned cut points alone "
        f"in {r.better} of {r.of}."
        for m, t, r in zip(found.models, tuned, trained, strict=True)
    ]
    share = sum(r.better for r in trained) / sum(r.of for r in trained)
    verdict = (
        "Tune the decision first. In this experiment, training on the measure did not add to it."
        if share < 0.5
        else "In this experiment, training on the measure added to tuned decisions."
    )
    return "\n".join([f"**{verdict}**", "", *lines])


def _table(found: Experiment, model: str) -> str:
    display = partial(_mean, found, model)
    names = [oe.get_metric(m) for m in found.measures]
    head = "| mean of the data sets | " + " | ".join(f"{m.display} {_arrow(m)}" for m in names)
    rule = "|---|" + "---|" * len(names)
    rows = [
        f"| {text} | " + " | ".join(display(m, way) for m in found.measures) + " |"
        for way, text in WAYS.items()
    ]
    return "\n".join([head + " |", rule, *rows])


def _arrow(metric: oe.Metric) -> str:
    return "↑" if metric.greater_is_better else "↓"


def _mean(found: Experiment, model: str, measure: str, way: str) -> str:
    value = found.mean(model, measure, way)
    values = [found.mean(model, measure, other) for other in WAYS]
    best = max(values) if oe.get_metric(measure).greater_is_better else min(values)
    return f"**{value:.3f}**" if value == best else f"{value:.3f}"


def _cells(found: Experiment, model: str) -> str:
    head = (
        "| comparison | better | better by two standard errors | worse by two standard errors |\n"
        "|---|---|---|---|"
    )
    pairs = (
        ("tuned", "plain", "tuned cut points against the most probable class"),
        ("trained", "tuned", "trained on the measure against tuned cut points alone"),
        ("trained", "plain", "trained and tuned against neither"),
        ("thresholds", "tuned", "thresholds of cumulative probabilities against cut points"),
    )
    rows = []
    for a, b, text in pairs:
        c = found.cells(model, a, b)
        rows.append(f"| {text} | {c.better} of {c.of} | {c.clearly} | {c.clearly_worse} |")
    return "\n".join([head, *rows])


def _over_data(found: Experiment, model: str) -> str:
    if len(found.data) < 2:
        return ""
    head = (
        "| `compare_cases` over the data sets: mean rank | "
        + " | ".join(WAYS[way] for way in _THREE)
        + " | p |\n|---|"
        + "---|" * (len(_THREE) + 1)
    )
    rows = []
    for measure in found.measures:
        c = found.comparison(model, measure)
        ranks = " | ".join(f"{c.mean_ranks[c.models.index(WAYS[way])]:.1f}" for way in _THREE)
        rows.append(f"| {oe.get_metric(measure).display} | {ranks} | {c.p_value:.3f} |")
    return "\n".join([head, *rows])


def _by_data(found: Experiment, model: str) -> str:
    head = (
        "| measure | way | " + " | ".join(found.data) + " |\n|---|---|" + "---|" * len(found.data)
    )
    rows = [
        f"| {oe.get_metric(measure).display} | {WAYS[way]} | "
        + " | ".join(f"{x:.3f}" for x in found.by_data(model, measure, way))
        + " |"
        for measure in found.measures
        for way in _THREE
    ]
    return "\n".join(["By data set:", "", head, *rows])


_HEAD: Final = """# Should you train on the measure?

<!-- Made from docs/benchmarks/design.json by `python -m benchmarks.design --write`; the text is in benchmarks/design_page.py. -->

Cardoso & Sousa (2011) suggest using a measure to design a classifier, "replacing loss functions". Their paper leaves
that to future work; this page tries it. A measure can enter in two places: in the decision, as the rule that turns
probabilities into a label, or in the training, as the loss."""

_SETTING: Final = """The data sets are ESL, LEV, SWD, ERA and red wine, each divided {splits} times at random into 60% for training and 40%
for testing, by class. Values are those of the test part. Cut points of the
[expected level](../howto/tune.md#decisions-for-a-measure) and thresholds are tuned on the training part. Training on a
measure starts from the model fitted by cross-entropy and uses the soft confusion matrix, in which each item spreads
over the levels by its probabilities; the slope of the measure by cell is `metric.gradient`. The linear model is fitted
by L-BFGS, the other by boosting regression trees of depth 3.

Splits of one data set overlap. Standard errors allow for that by Nadeau & Bengio's correction. `compare_cases` takes
one mean per data set and compares three ways by Friedman's test; five data sets allow few conclusions. Bold is the best
of a column. Arrows say whether higher or lower is better."""

_END: Final = """## What this does not show

- Five small data sets and two kinds of models. A network trained on more data may differ.
- Training on a measure has settings, such as the number of steps, that were not tuned here. Neither were those of
  cross-entropy.
- Decisions are tuned on the data that the model was trained on, whose probabilities are too certain for boosted trees.
  [OrdinalCutpointClassifierCV](../howto/tune.md#cut-points-for-a-measure) uses held-out ones.

`python -m benchmarks.design` repeats the experiment."""
