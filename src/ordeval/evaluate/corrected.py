"""corrected: measures and distributions from few human labels and many from a proxy."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers, Policy, Rng, as_rng, check_level
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Misfits
from ordeval.data.level_names import level_numbers
from ordeval.data.populations.partial_truth import PartlyLabelled, read_partly_labelled
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.rows import Source, numbers_read, with_clusters
from ordeval.evaluate._scoring import SUBGROUP_PANELS
from ordeval.evaluate.populations.partial import corrected_by
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import advise, warn
from ordeval.inference.ends.range_ends import at_an_end
from ordeval.inference.influence import contributions
from ordeval.inference.intervals import Estimation, Interval, Observed, interval_of, why_not
from ordeval.inference.raters.partial_truth import (
    Judged,
    Three,
    mean_of_levels,
    three_of_metric,
    three_of_numbers,
)
from ordeval.inference.raters.randomness import looks_random
from ordeval.inference.samples import Sample, cluster_numbers, sample_of_joint
from ordeval.measures import Metric
from ordeval.measures.registry import Chosen, choose
from ordeval.measures.scale_checks import on_scale, warn_of_unused_levels
from ordeval.results.corrected import Corrected, CorrectedScores

_PROXY: Final = "proxy"
_PRED: Final = "y_pred"
_NONE: Final = [float("nan")] * 2
_FLAT: Final = "the proxy teaches nothing here, since it or the human labels do not vary"
_PERFECT: Final = (
    "the proxy teaches nothing here, since the human labels show no error of which it could tell"
)


@checked
def corrected(
    metric: str | Metric,
    y_true: Any,
    y_pred: Any,
    *,
    proxy: Any,
    labels: Any = None,
    clusters: Any = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
) -> Corrected:
    """Estimate a measure from few human labels and many labels of a proxy, such as an LLM judge.

    The measure on the items that humans labelled is corrected by the proxy's labels of the same
    items and of the others (predict, then debias). The better the proxy, the shorter the interval;
    a useless proxy gets almost no weight. The items with a human label must be a random subset of
    all: if predictions, the proxy's labels or their distance differ significantly between both
    parts (p < 0.05), OE309 warns, also in the conclusion.

    Parameters
    ----------
    metric
        A measure or its name. The largest or smallest of the classes' values, and measures that
        small samples bias upward, raise an error.
    y_true
        The human labels; None or NaN for items that no human labelled.
    y_pred, proxy
        The predicted label and the proxy's label of every item.
    labels, unknown, missing
        As in ``ConfusionMatrix.from_labels``; ``missing`` is about y_pred and proxy.
    clusters
        The cluster of each item, as for ``confidence_interval``. Clusters may have items with and
        without a human label.
    level
        Nominal coverage.
    rng
        Nothing is drawn: a seed changes nothing.

    Returns
    -------
    results.Corrected
        The corrected value with its interval, the value of the human labels alone and
        that of the proxy.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or too few items have a human label.
    ParameterError
        If the measure cannot be corrected, or an option is outside its domain.
    ScaleError
        If the order of the labels is missing.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> human = [1, 2, 3, 1, 2, 3, 2, 2] * 5 + [None] * 160
    >>> model, judge = [1, 2, 3, 1, 2, 2, 3, 2] * 25, [1, 2, 3, 1, 2, 3, 3, 2] * 25
    >>> corrected("accuracy", human, model, proxy=judge, labels=[1, 2, 3])
    accuracy                   value  interval (95%)
    corrected                  0.750  [0.615, 0.847]
    human labels alone         0.750  [0.583, 0.858]
    proxy taken for the truth  0.875  it knows nothing of the proxy's errors
    <BLANKLINE>
    accuracy is 0.750 [0.615, 0.847], an interval from 40 human labels and from what the proxy says
    of 160 items more, of which 0.64 is believed. It is 16% shorter than with the human labels
    alone, as if there were 57 of them. This holds if the items with a human label are a random
    subset of all items.
    """
    (chosen,) = corrected_by(choose([metric]))
    check_level(level)
    as_rng(rng)
    read = read_partly_labelled(
        y_true, {_PRED: y_pred, _PROXY: proxy}, labels=labels, misfits=Misfits(unknown, missing)
    )
    chosen = chosen.on(read.scale)
    if read.implied:
        warn_of_unused_levels([chosen], read.scale)
    data = _Data.of(read, clusters, level)
    found = data.measured(chosen, read.others[_PRED])
    warn(data.situation(read.others[_PRED], (found,)))
    return found


@checked
def corrected_distribution(
    y_true: Any,
    proxy: Any,
    labels: Any = None,
    *,
    clusters: Any = None,
    level: float = 0.95,
    unknown: Policy = "raise",
    missing: Policy = "raise",
) -> CorrectedScores:
    """Estimate the mean and the share of each level from few human labels and many of a proxy.

    Prediction-powered inference with a tuned weight (Angelopoulos, Duchi & Zrnic 2023). The mean is
    of the levels themselves if they are increasing numbers, else of their positions from 0.

    Parameters
    ----------
    y_true
        The human labels; None or NaN for items without a human label; the others must be a random
        subset.
    proxy
        The proxy's label of every item.
    labels, clusters, level, unknown, missing
        As for ``corrected``.

    Returns
    -------
    results.CorrectedScores
        Values named ``"mean"``, ``"share of 1"`` and so on; ``.intervals[name]`` is a
        ``Corrected``.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or too few items have a human label.
    ParameterError
        If an option is outside its domain.
    ScaleError
        If the order of the labels is missing.

    Examples
    --------
    >>> human, judge = [1, 2, 3, 2] * 10 + [None] * 160, [1, 2, 3, 3] * 50
    >>> shares = corrected_distribution(human, judge, labels=[1, 2, 3])
    >>> list(shares), shares["mean"]
    (['mean', 'share of 1', 'share of 2', 'share of 3'], 2.0)
    """
    check_level(level)
    read = read_partly_labelled(
        y_true, {_PROXY: proxy}, labels=labels, misfits=Misfits(unknown, missing)
    )
    return _distribution(_Data.of(read, clusters, level))


def check_proxy(proxy: str, truth: str) -> None:
    """Refuse a proxy that is the truth."""
    if proxy == truth:
        raise ParameterError(
            f"{named('proxy')} and {named('truth')} name the same column, {proxy!r}: the proxy's "
            f"labels and the human ones must be two columns."
        )


def corrected_models(
    source: Source, query: Query, proxy: str, metrics: Chosen = None, *, level: float = 0.95
) -> dict[str, CorrectedScores]:
    """Corrected scores of each model of a query; of the proxy alone the distribution of labels."""
    check_level(level)
    check_proxy(proxy, query.truth)
    only = query.models == (proxy,)
    chosen = () if only else corrected_by(choose(metrics, SUBGROUP_PANELS["labels"]))
    columns = list(dict.fromkeys([query.truth, *query.models, proxy]))
    rows = source.rows(list(dict.fromkeys([*columns, *query.clusters]))).in_order()
    rows, lost = with_clusters(rows, query)
    rows = numbers_read(rows, columns, query.labels)
    read = read_partly_labelled(
        rows.column(query.truth),
        {c: rows.column(c) for c in columns[1:]},
        labels=query.labels,
        misfits=query.misfits,
    )
    clusters = [rows.listed(c) for c in query.clusters] or None
    data = _Data.of(read, clusters, level, proxy=proxy, lost=lost.missing)
    if only:
        return {proxy: _distribution(data)}
    chosen = on_scale(chosen, read.scale)
    if read.implied and metrics is not None:
        warn_of_unused_levels(chosen, read.scale)
    return {m: _scores(data, chosen, read.others[m]) for m in query.models}


@dataclass(frozen=True, eq=False)
class _Data:
    """Items with few human labels, and how intervals are made."""

    judged: Judged
    scale: Scale
    implied: bool
    dropped: int
    level: float

    @classmethod
    def of(
        cls,
        read: PartlyLabelled,
        clusters: Any,
        level: float,
        *,
        proxy: str = _PROXY,
        lost: int = 0,
    ) -> _Data:
        numbers = None
        if clusters is not None:
            found = cluster_numbers(clusters, read.kept, read.index)
            numbers = np.repeat(found, read.count)
        judged = Judged(read.y_true, read.others[proxy], read.scale.k, numbers)
        if not judged.labelled.any():
            raise LabelError(
                "no item has a human label: at least two items, chosen at random, must have one. "
                "Without any, nothing is known of the proxy's errors."
            )
        return cls(judged, read.scale, read.implied, read.dropped + lost, level)

    def observed(self, predictions: Integers) -> Observed:
        """The items with a human label."""
        rows, cluster = self.judged.labelled, self.judged.cluster
        truth, pred, k = self.judged.truth[rows], predictions[rows], self.judged.k
        if cluster is None:
            sample = sample_of_joint(_counted(truth, pred, k))
        else:
            ones = np.ones(len(truth), dtype=np.int64)
            sample = Sample(truth, pred[:, None], ones, k, cluster=cluster[rows])
        return Observed(sample, self.scale, self.implied, self.dropped)

    def matrix(self, predictions: Integers) -> ConfusionMatrix:
        """Return the confusion matrix of some predictions."""
        return ConfusionMatrix(self.observed(predictions).sample.given[0], self.scale)

    def situation(self, predictions: Integers, found: tuple[Corrected, ...]) -> Any:
        """What advice on corrected values looks at."""
        return self.observed(predictions).situation(found, random_p=found[0].p_random)

    def p_random(self, predictions: Integers | None = None) -> float:
        """Whether the labelled items look like a random part by what is known of all items."""
        judged = self.judged
        if judged.labelled.all():
            return float("nan")
        columns = [judged.proxy]
        if predictions is not None:
            # Humans are often asked where model and proxy disagree, of which neither tells alone.
            columns += [predictions, np.abs(predictions - judged.proxy)]
        return looks_random(columns, judged.labelled, judged.unit)

    def measured(self, metric: Metric, predictions: Integers) -> Corrected:
        """A corrected measure of predictions."""
        observed = self.observed(predictions)
        own = contributions(metric, observed.sample)
        human = interval_of(metric, observed, own, Estimation(level=self.level))
        three = None if self.judged.why_not else three_of_metric(metric, self.judged, predictions)
        naive = _counted(self.judged.proxy, predictions, self.judged.k)
        found = _Found(metric, human, three, float(metric.values(naive)))
        if at_an_end(metric, self.judged.k, human.estimate):
            found = replace(found, three=None, nothing=_PERFECT)
        return self._corrected(found, self.p_random(predictions))

    def summarised(self, name: str, numbers: Floats, p_random: float) -> Corrected:
        """A corrected mean of the numbers that levels stand for."""
        metric, judged = mean_of_levels(name, numbers), self.judged
        three = three_of_numbers(numbers, judged)
        human = self._human(metric, three, numbers)
        naive = float(numbers[judged.proxy].mean())
        found = _Found(metric, human, None if judged.why_not else three, naive)
        return self._corrected(found, p_random)

    def _human(self, metric: Metric, three: Three, numbers: Floats) -> Interval:
        """The mean of the human labels alone."""
        observed = self.observed(self.judged.proxy)
        refused, value, ends = why_not(metric, observed.sample), float(three.values[0]), _NONE
        if not refused:
            value, low, high = three.held(metric, self.judged.k, self.level, 0.0)
            ends = [low, high]
            if len(np.unique(numbers[self.judged.truth[self.judged.labelled]])) == 1:
                ends = _unseen(metric, value, observed.sample.units, self.level)
        return Interval(
            metric=metric.name,
            estimate=value,
            low=ends[0],
            high=ends[1],
            level=self.level,
            method="auto",
            refused=refused,
            **observed.basis,
        )

    def _corrected(self, found: _Found, p_random: float) -> Corrected:
        metric, human, three = found.metric, found.human, found.three
        judged, uncorrected = self.judged, self.judged.why_not
        lam, estimate, ends = 0.0, human.estimate, [human.low, human.high]
        if three is not None and not human.refused and three.lam:
            lam = three.lam
            estimate, *ends = three.held(metric, judged.k, self.level, lam)
        elif not uncorrected and not human.refused and estimate == estimate:
            uncorrected = f"{found.nothing}: these are the human labels alone"
        return Corrected(
            metric=metric.name,
            estimate=estimate,
            low=ends[0],
            high=ends[1],
            level=self.level,
            method="auto",
            items=len(judged.truth),
            dropped=self.dropped,
            clusters=0 if judged.cluster is None else len(judged.labelled_units),
            effective=float(len(judged.truth)),
            refused=human.refused,
            labelled=int(judged.labelled.sum()),
            lam=lam,
            human=human,
            proxy_as_truth=found.naive,
            p_random=p_random,
            uncorrected=uncorrected,
        )


@dataclass(frozen=True, eq=False)
class _Found:
    """What a corrected value is made from."""

    metric: Metric
    human: Interval
    three: Three | None
    naive: float
    nothing: str = _FLAT  # why the proxy teaches nothing, if it does not


def _counted(truth: Integers, predictions: Integers, k: int) -> Integers:
    return np.bincount(truth * k + predictions, minlength=k * k).reshape(k, k).astype(np.int64)


def _unseen(metric: Metric, value: float, units: int, level: float) -> list[float]:
    """The least and the largest mean that labels which are all alike cannot exclude.

    Of so many units none was at either end of the scale, as for a share of none in n.
    """
    share = 1 - ((1 - level) / 2) ** (1 / units)
    return [value + share * (end - value) for end in metric.range]


def _scores(data: _Data, metrics: tuple[Metric, ...], predictions: Integers) -> CorrectedScores:
    found = {m.name: data.measured(m, predictions) for m in metrics}
    return _gathered(data, found, predictions, metrics)


def _distribution(data: _Data) -> CorrectedScores:
    """The mean and the shares of the levels."""
    numbers, own = level_numbers(data.scale)
    names = _share_names(data.scale)
    each = {"mean": numbers, **dict(zip(names, np.eye(data.scale.k), strict=True))}
    p = data.p_random()
    found = {name: data.summarised(name, x, p) for name, x in each.items()}
    what = "levels themselves" if own else "positions of the levels, 0 for the lowest"
    note = f"The mean is of the {what}."
    return _gathered(data, found, data.judged.proxy, (), note)


def _gathered(
    data: _Data,
    found: dict[str, Corrected],
    predictions: Integers,
    metrics: tuple[Metric, ...],
    note: str = "",
) -> CorrectedScores:
    return CorrectedScores(
        data.matrix(predictions),
        metrics,
        {name: i.estimate for name, i in found.items()},
        advice=advise(data.situation(predictions, tuple(found.values()))),
        intervals=found,
        note=note,
    )


def _share_names(scale: Scale) -> list[str]:
    """What the shares of levels are called; 1 and "1" get different names."""
    names = [f"share of {level}" for level in scale]
    return names if len(set(names)) == len(names) else [f"share of {x!r}" for x in scale]
