"""judge: may a judge stand in for a human?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, Final, get_args

import numpy as np

from ordeval._shared.arguments import checked_but, listed
from ordeval._shared.clopper_pearson import clopper_pearson
from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers, Rng, as_rng, check_choice, check_level
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.ratings import Ratings, as_ratings
from ordeval.data.ratings.tables import refuse_other_items
from ordeval.evaluate._judges import group_items, leave_out, read_judges
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import Advice, Situation, advise
from ordeval.inference.intervals import Interval
from ordeval.inference.paired import check_margin
from ordeval.inference.raters.alt_test import MIN_ITEMS, Scoring, alt_test
from ordeval.inference.raters.judge_subgroups import MOST, judged_groups
from ordeval.inference.raters.judges import (
    Panel,
    Prmse,
    effective_panel,
    prmse,
    severity,
    with_the_others,
)
from ordeval.inference.raters.system_ranks import rank_systems
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.registry import choose
from ordeval.results.judgement import (
    Bias,
    JudgedSubgroup,
    Judgement,
    Rater,
    Without,
    WorstItem,
    unused_grades,
)

_WORST: Final = 10
_REPEATED: Final = 30  # items with two ratings or more, for the humans' errors to be known


@checked_but("judges")
def judge(
    ratings: Any,
    judges: Mapping[str, Any] | Ratings,
    metric: str | Metric = "weighted_kappa",
    *,
    labels: Any = None,
    margin: float | None = None,
    epsilon: float = 0.2,
    scoring: Scoring = "rmse",
    min_items: int = MIN_ITEMS,
    clusters: Any = None,
    systems: Any = None,
    by: Any = None,
    without: Any = None,
    level: float = 0.95,
    rng: Rng = None,
) -> Judgement:
    """Test whether judges agree with humans as well as humans do with each other.

    Parameters
    ----------
    ratings
        Ratings of the humans, or a table of items by humans.
    judges
        The label of each item by each judge, by the judge's name, in the order of the items; or
        items by runs if a judge was asked repeatedly. None and NaN: no answer. Or Ratings of their
        own, whose items are matched by their names, in whatever order.
    metric
        The measure of agreement between two raters. Of one for which it matters which of the two
        is the truth, that is the human, and among humans each of them in turn.
    labels
        The ordered labels, lowest first, if ``ratings`` is a plain table.
    margin
        How much less than humans with each other a judge may agree with them, in units of the
        measure, and still count as non-inferior.
    epsilon, scoring, min_items
        Of the alt-test: how much better a human may be, what items are scored by (``"rmse"``, minus
        the root mean squared distance to the other humans, or ``"accuracy"``, the share of equal
        labels), and the least number of items of a human.
    clusters
        The cluster of each item (document, patient), if the ratings do not hold them.
    systems
        The system that each item is the output of, in the order of the items or by their names: are
        systems ranked as humans rank them?
    by
        The subgroup of each item (a language, a topic), given likewise: in which do judges fall
        further short?
    without
        Names of humans who are left out, at least two of whom must remain. The result says anyway
        what would be found without each of them.
    level
        Of the intervals.
    rng
        Seed or generator, for the interval of the ranking of systems.

    Returns
    -------
    results.Judgement
        The agreement of each judge, that of the humans, their difference, the alt-test, the bias of
        each judge and a conclusion in words.

    Raises
    ------
    LabelError
        If ratings or answers do not fit the scale or each other.
    ParameterError
        If no direction of the measure is better, or an option is outside its domain.
    ScaleError
        If the order of the labels is missing.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> humans = [[1, 1], [2, 2], [3, 3], [1, 2], [3, 3], [2, 2], [1, 1], [2, 3]] * 5
    >>> result = judge(humans, {"llm": [1, 2, 3, 1, 3, 2, 1, 3] * 5}, labels=[1, 2, 3])
    >>> print(result.ceiling)
    0.805 [0.633, 0.894] (95%)
    >>> print(result.agreement["llm"])
    0.909 [0.811, 0.948] (95%)
    """
    (chosen,) = choose([metric])
    check_level(level)
    if chosen.greater_is_better is None:
        raise ParameterError(
            f"{named('metric')} must be a measure of which one direction is better; "
            f"{chosen.name} is best at 0."
        )
    humans = as_ratings(ratings, labels)
    humans.refuse_runs("the ceiling of humans")
    humans, left_out = leave_out(humans, without)
    check_margin(margin, chosen, humans.k)
    _check_alt_test(epsilon, scoring, min_items)
    answers, unmatched = read_judges(judges, humans)
    cluster = _clusters(humans, clusters)
    work = _JudgementWork(humans, answers, chosen, level, cluster)
    found = work.done(
        margin=margin,
        epsilon=epsilon,
        scoring=scoring,
        min_items=min_items,
        systems=systems,
        by=by,
        rng=as_rng(rng),
    )
    return replace(found, unmatched=unmatched, left_out=left_out, by=_name_of(by) or found.by)


def _name_of(by: Any) -> str:
    """What a column calls itself; others have no name."""
    name = getattr(by, "name", None)
    return name if isinstance(name, str) else ""


class _JudgementWork:
    """A judgement in the making."""

    def __init__(
        self,
        humans: Ratings,
        answers: dict[str, Integers],
        metric: Metric,
        level: float,
        cluster: Integers | None,
    ) -> None:
        self.humans, self.answers, self.metric, self.level = humans, answers, metric, level
        self.cluster, self.k = cluster, humans.k
        whole = {
            name: Panel(
                humans=humans.codes,
                runs=runs,
                k=self.k,
                metric=metric,
                level=level,
                cluster=cluster,
            )
            for name, runs in answers.items()
        }
        self.whole = next(iter(whole.values()))
        self.panels = {name: panel.answered() for name, panel in whole.items()}

    def done(
        self,
        *,
        margin: float | None,
        epsilon: float,
        scoring: Scoring,
        min_items: int,
        systems: Any,
        by: Any,
        rng: np.random.Generator,
    ) -> Judgement:
        h = self.humans
        names = sorted(self.panels, key=self._order)
        means = {name: self._mean(runs) for name, runs in self.answers.items()}
        consensus = _row_means(self._given(h.codes))
        size, rho = effective_panel({n: means[n] - consensus for n in names})
        tests = {
            n: alt_test(
                means[n],
                self._given(h.codes),
                h.raters,
                epsilon=epsilon,
                scoring=scoring,
                min_items=min_items,
                cluster=self.cluster,
            )
            for n in names
        }
        return Judgement(
            judges=tuple(names),
            metric=self.metric,
            scale=h.scale,
            ceiling=self.whole.ceiling,
            agreement={n: self.panels[n].agreement for n in names},
            gap={n: self.panels[n].gap for n in names},
            p_noninferior={}
            if margin is None
            else {n: self.panels[n].noninferior(margin) for n in names},
            margin=margin,
            alt_test=tests,
            bias={n: self._bias(n) for n in names},
            matrices={n: self._matrix(n) for n in names},
            raters=self._raters(),
            with_each={n: tuple(self.panels[n].with_each) for n in names},
            self_consistency={
                n: found for n in names if (found := self.panels[n].self_consistency) is not None
            },
            panel_size=size,
            panel_correlation=rho,
            worst={n: self._worst(n, consensus) for n in names},
            systems=self._systems(systems, means, consensus, rng),
            unread={n: self._unread(n) for n in names},
            items=len(h.items),
            clusters=0 if self.cluster is None else len(np.unique(self.cluster)),
            pairs=self.whole.pairs_of_humans,
            without_each=self._without(names),
            prmse=self._prmse(names, means),
            subgroups=self._subgroups(names, by),
            advice=self._advice(tests),
        )

    def _without(self, names: list[str]) -> dict[str, Without]:
        """The ceiling and the gaps without each human; of two, one alone would have no ceiling."""
        if len(self.humans.raters) < 3:
            return {}
        ceilings = self.whole.ceilings_without()
        gaps = {name: self.panels[name].gaps_without() for name in names}
        return {
            human: Without(ceiling=ceilings[h], gap={name: gaps[name][h] for name in names})
            for h, human in enumerate(self.humans.raters)
        }

    def _prmse(self, names: list[str], means: Mapping[str, Floats]) -> dict[str, Prmse]:
        humans = self._given(self.humans.codes)
        found = {name: prmse(means[name], humans) for name in names}
        return {name: x for name, x in found.items() if x.repeated >= _REPEATED}

    def _subgroups(self, names: list[str], by: Any) -> dict[str, tuple[JudgedSubgroup, ...]]:
        if by is None:
            return {}
        keys, group = group_items("by", by, self.humans, "subgroup")
        if len(keys) > MOST:
            raise LabelError(
                f"{named('by')} must name at most {MOST} subgroups; got {len(keys):,}."
            )
        return {name: self._in_groups(name, keys, group) for name in names}

    def _in_groups(self, name: str, keys: list[Any], group: Integers) -> tuple[JudgedSubgroup, ...]:
        panel = self.panels[name]
        there = (self.answers[name] >= 0).any(axis=1)
        found = judged_groups(panel, group[there], len(keys))
        apart = np.stack(found.differences, axis=1).tolist()
        return tuple(
            JudgedSubgroup(
                subgroup=key,
                items=len(p.runs),
                agreement=p.agreement,
                ceiling=p.ceiling,
                gap=p.gap,
                p_value=p_raw,
                p_adjusted=p_adjusted,
                from_rest=replace(p.gap, estimate=delta, low=low, high=high),
            )
            for key, p, (delta, low, high, p_raw, p_adjusted) in zip(
                keys, found.panels, apart, strict=True
            )
        )

    def _order(self, name: str) -> tuple[bool, float]:
        value = self.panels[name].agreement.estimate
        return (value != value, -float(self.metric.utility(value)) if value == value else 0.0)

    def _given(self, codes: Integers) -> Floats:
        """Ratings in steps of the scale, NaN where there is none."""
        return np.where(codes < 0, np.nan, codes.astype(np.float64))

    def _mean(self, runs: Integers) -> Floats:
        """A judge's rating of each item: of several runs their lower median."""
        given = self._given(runs)
        return given[:, 0] if runs.shape[1] == 1 else _row_medians(given)

    def _bias(self, name: str) -> Bias:
        panel, scale = self.panels[name], self.humans.scale
        by_grade = dict(zip(scale.levels, panel.bias_by_grade(), strict=True))
        return Bias(
            mean=panel.bias,
            by_grade=by_grade,
            unused=unused_grades(scale, panel.matrix),
            compression=panel.compression,
        )

    def _matrix(self, name: str) -> ConfusionMatrix:
        return ConfusionMatrix.of(self.panels[name].matrix.copy(), self.humans.scale, Origin())

    def _raters(self) -> tuple[Rater, ...]:
        h = self.humans
        harsh = severity(h.codes, self.level, self.cluster)
        agreement = with_the_others(h.codes, self.k, self.metric)
        sizes = (h.codes >= 0).sum(axis=0).tolist()
        each = zip(h.raters, sizes, harsh, agreement, strict=True)
        return tuple(Rater(name=n, ratings=s, severity=x, agreement=a) for n, s, x, a in each)

    def _worst(self, name: str, consensus: Floats) -> tuple[WorstItem, ...]:
        """The items on which a judge is furthest from the humans' mean."""
        mean, levels = self._mean(self.answers[name]), self.humans.scale.levels
        apart = np.abs(mean - consensus)
        order = [i for i in np.argsort(-apart, kind="stable").tolist() if apart[i] > 0][:_WORST]

        def shown(codes: Integers) -> tuple[Any, ...]:
            return tuple(levels[c] for c in codes.tolist() if c >= 0)

        return tuple(
            WorstItem(
                self.humans.items[i],
                levels[int(mean[i])],
                shown(self.humans.codes[i]),
                float(apart[i]),
            )
            for i in order
        )

    def _systems(
        self,
        systems: Any,
        means: Mapping[str, Floats],
        consensus: Floats,
        rng: np.random.Generator,
    ) -> dict[str, Interval]:
        if systems is None:
            return {}
        _, system = group_items("systems", systems, self.humans, "system")
        return {
            n: rank_systems(mean, consensus, system, self.level, rng) for n, mean in means.items()
        }

    def _unread(self, name: str) -> Interval:
        """The share of the items that the judge gave no label."""
        lost, n = int((self.answers[name] < 0).sum()), self.answers[name].size
        low, high = clopper_pearson(lost, n, self.level)
        return Interval(
            metric="unread",
            estimate=lost / n,
            low=low,
            high=high,
            level=self.level,
            method="auto",
            items=n,
            effective=float(n),
        )

    def _advice(self, tests: Mapping[str, Any]) -> tuple[Advice, ...]:
        clusters = 0 if self.cluster is None else len(np.unique(self.cluster))
        return tuple(advise(Situation(clusters=clusters)))


def _check_alt_test(epsilon: Any, scoring: Any, min_items: Any) -> None:
    if not (isinstance(epsilon, (int, float)) and 0 <= epsilon < 1):
        raise ParameterError(
            f"{named('epsilon')} must be a number from 0 to below 1; got {epsilon!r}."
        )
    check_choice("scoring", scoring, get_args(Scoring))
    if isinstance(min_items, bool) or not isinstance(min_items, Integral) or min_items < 2:
        raise ParameterError(
            f"{named('min_items')} must be a whole number from 2; got {min_items!r}."
        )


def _row_means(values: Floats) -> Floats:
    known = ~np.isnan(values)
    size = known.sum(axis=1)
    mean = np.where(known, values, 0.0).sum(axis=1) / np.maximum(size, 1)
    return np.where(size > 0, mean, np.nan)


def _row_medians(values: Floats) -> Floats:
    """The lower median of each row, NaN where it is empty."""
    ordered = np.sort(values, axis=1)  # NaN last
    size = (~np.isnan(values)).sum(axis=1)
    middle = np.maximum(size - 1, 0) // 2
    return np.where(size > 0, ordered[np.arange(len(values)), middle], np.nan)


def _clusters(humans: Ratings, clusters: Any) -> Integers | None:
    given = humans.clusters if clusters is None else clusters
    if given is None:
        return None
    refuse_other_items(named("clusters"), given, humans.items)
    values = listed(given, "clusters", LabelError)
    return cluster_numbers(values, np.ones(len(humans.items), dtype=bool))
