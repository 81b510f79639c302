"""How many human labels a study needs if proxies label all of its items.

With n of N items labelled at random, the variance of a corrected value is A/n - (1/n - 1/N) C: A is
that of one human label, and C the part of it that the proxies explain. It is the
square of the covariance of both contributions over the variance of those by the proxies.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ordeval._shared.types import Floats
from ordeval.inference.ends.t_intervals import Alone, t_ends
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.many_models.simultaneous import errors_of
from ordeval.inference.margins import limit_of
from ordeval.inference.planning import Precision
from ordeval.inference.populations.partly_true import PartlyTrue
from ordeval.inference.samples import Sample
from ordeval.inference.study_design import Design, HalfWidths, Powers, power_of
from ordeval.measures import Metric


@dataclass(frozen=True)
class LabelVariance:
    """The variance of a corrected value, or of a difference of two, by the number of labels."""

    items: int  # that have proxies
    human: float  # of one label
    explained: float  # by the proxies, of that
    pseudo: float  # what pseudo-items add, times the squared number of labels

    def at(self, labels: float) -> float:
        """The variance with so many labels."""
        gained = (1 / labels - 1 / self.items) * self.explained
        return self.human / labels - gained + self.pseudo / labels**2

    def labels(self, variance: float) -> float:
        """How many labels have this variance; infinite if no number has."""
        left = variance - self.explained / self.items
        if left <= 0:
            return math.inf
        rest = self.human - self.explained
        return (rest + math.sqrt(rest**2 + 4 * left * self.pseudo)) / (2 * left)


def _variance(covariance: Floats) -> float:
    """The variance of the only value, or of the difference of two."""
    if len(covariance) == 1:
        return float(covariance[0, 0])
    return float(errors_of(covariance)[0, 1]) ** 2


@dataclass(frozen=True, eq=False)
class LabelPilot:
    """A pilot with proxies: what studies with other numbers of labels would show."""

    metric: Metric
    sample: PartlyTrue
    level: float
    margin: float | None = None

    @cached_property
    def corrected(self) -> Contributions:
        """What units contribute to the values."""
        return contributions(self.metric, self.sample).turned(self.metric)

    @cached_property
    def human(self) -> Contributions:
        """What units contribute to the values of human labels alone."""
        return contributions(self.metric, self.sample.with_truth).turned(self.metric)

    @cached_property
    def variance(self) -> LabelVariance:
        """The variance by the number of labels."""
        human = self.labels * _variance(self.human.covariance - self.human.pseudo)
        explained = min(max(self._explained, 0.0), human)
        pseudo = self.labels**2 * _variance(self.corrected.pseudo)
        # The share of the proxies that is taken is estimated too.
        estimated = self._proxies.shape[2] * (human - explained)
        return LabelVariance(self.sample.items, human, explained, pseudo + estimated)

    @cached_property
    def _proxies(self) -> Floats:
        """What items (N, M, P) contribute if each proxy is taken as the truth."""
        sample, found = self.sample, []
        assert sample.proxies is not None
        for truth in sample.proxies.T:
            judged = Sample(truth, sample.predictions, sample.count, sample.k)
            parts = contributions(self.metric, judged).parts * sample.items
            found.append(parts - sample.count @ parts / sample.items)
        return np.stack(found, axis=2)

    @property
    def _explained(self) -> float:
        """How much of the variance of one label the proxies explain."""
        sample, proxies, there = self.sample, self._proxies, self.sample.labelled
        human = contributions(self.metric, sample.with_truth).parts * self.labels
        labels, items = sample.count[there] / self.labels, sample.count / sample.items
        human = human - labels @ human
        by_labels, by_proxies = np.zeros(len(human)), np.zeros(len(proxies))
        for i, (sign, lam) in enumerate(zip(self._contrast, sample.lam[self.metric], strict=True)):
            own = proxies[:, i]
            spread = (own * items[:, None]).T @ own
            share = np.linalg.pinv(spread, hermitian=True) @ (own[there].T @ (labels * human[:, i]))
            if len(share) == 1:
                share = np.clip(share, 0.0, 1.0)
            by_labels += sign * human[:, i]
            by_proxies += sign * (own @ share) * lam.any()
        return float(2 * labels @ (by_labels * by_proxies[there]) - items @ by_proxies**2)

    @property
    def _contrast(self) -> Floats:
        """The value, or the difference of two: of a two-sided measure, by their distances."""
        metric, values = self.metric, contributions(self.metric, self.sample).values
        sign = np.array([1.0, -1.0])[: len(values)]
        return (
            sign if metric.greater_is_better is not None else sign * np.sign(values - metric.best)
        )

    @property
    def labels(self) -> int:
        """How many items of the pilot have a human label."""
        return self.sample.with_truth.items

    @property
    def error(self) -> float:
        """The standard error in the pilot."""
        return math.sqrt(self.variance.at(self.labels))


@dataclass(frozen=True, eq=False)
class LabelPrecision(HalfWidths):
    """The half-width of the interval of a corrected value, by the number of human labels."""

    pilot: LabelPilot
    variance: LabelVariance
    least: int = 2

    def ends(self, units: int) -> tuple[float, float]:
        """The interval of the pilot's value with so many labels."""
        pilot = self.pilot
        # Values of measures without a direction are not turned in intervals.
        found = Alone.of(contributions(pilot.metric, pilot.sample))
        share = units / pilot.labels
        found = replace(
            found,
            errors=np.array([math.sqrt(self.variance.at(units))]),
            freedom=(found.freedom * share).clip(1.0, max(units - 1.0, 1.0)),
            bias=found.bias / share,
        )
        tail = (1 - pilot.level) / 2
        low, high = t_ends(pilot.metric, pilot.sample.k, found, (tail, tail))
        return float(low[0]), float(high[0])

    def expected(self, units: int) -> float:
        """The half-width."""
        low, high = self.ends(units)
        return (high - low) / 2

    def drawn(self, units: int) -> float:
        """The mean half-width, wider than that of the pilot's value as without proxies."""
        matrix = self.pilot.sample.matrices[0]
        plain = Precision(self.pilot.metric, matrix / matrix.sum(), Design(self.pilot.level))
        return self.expected(units) * plain.drawn(units) / plain.expected(units)


@dataclass(frozen=True, eq=False)
class LabelPower(Powers):
    """The power of the paired test of two corrected values, by the number of human labels."""

    pilot: LabelPilot
    variance: LabelVariance
    lead: float  # of what is expected over what is to be refuted
    least: int = 2

    @cached_property
    def _slower(self) -> float:
        """The ratio of the test of the margin over the plain one: it has the variance there."""
        pilot = self.pilot
        if pilot.margin is None:
            return 1.0
        both = contributions(pilot.metric, pilot.sample)
        limit = limit_of(pilot.metric, pilot.sample, (0, 1), both)
        if limit is None:
            return 1.0
        ratio = float(limit.tests.ratios(pilot.margin)[0])
        return min(ratio * pilot.error / self.lead, 1.0) if ratio > 0 else 1.0

    def expected(self, units: int) -> float:
        """The power by the noncentral t distribution."""
        freedom = max(min(units - 1, self.pilot.human.freedom * units / self.pilot.labels), 1.0)
        ratio = self.lead * self._slower / math.sqrt(self.variance.at(units))
        return power_of(ratio, freedom, (1 - self.pilot.level) / 2)

    def drawn(self, units: int) -> float:
        """Nothing is drawn: a pilot with few labels is no table to draw studies from."""
        return math.nan
