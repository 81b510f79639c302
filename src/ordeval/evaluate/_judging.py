"""The parts of a judgement: each judge compared with the humans and with other judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.clopper_pearson import clopper_pearson
from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.ratings import Ratings
from ordeval.data.scale import Scale
from ordeval.evaluate._judges import group_items
from ordeval.exceptions import LabelError
from ordeval.inference.advice import Advice, Situation, advise
from ordeval.inference.intervals import Interval
from ordeval.inference.many_models.multiplicity import holm
from ordeval.inference.raters import grade_bias
from ordeval.inference.raters.alt_test import Scoring, alt_test
from ordeval.inference.raters.drift import moved
from ordeval.inference.raters.judge_effects import Covariate, columns_of, effects
from ordeval.inference.raters.judge_pairs import JudgePairs, compare_judges
from ordeval.inference.raters.judge_subgroups import MOST, judged_groups
from ordeval.inference.raters.judges import Panel, Prmse, prmse, severity, with_the_others
from ordeval.inference.raters.noisy_reference import NoisyReference, noisy_reference
from ordeval.inference.raters.panel_errors import PanelErrors, panel_errors
from ordeval.inference.raters.system_ranks import rank_systems
from ordeval.measures import Metric
from ordeval.results.judgement import (
    Bias,
    Drift,
    Effect,
    JudgedSubgroup,
    Judgement,
    Rater,
    SameGrade,
    Without,
    WorstItem,
)

_WORST: Final = 10
_SEED: Final = 20_261_119  # of the interval of the ranking of systems
_ODD: Final = 0.75  # of the others' agreement with each other: an odd human has less
_REPEATED: Final = 30  # items with two ratings or more, for the humans' errors to be known


class Asked(NamedTuple):
    """What is asked of judges next to their agreement with humans."""

    margin: float | None
    epsilon: float
    scoring: Scoring
    min_items: int
    systems: Any
    by: Any
    reference: str | None
    before: Mapping[str, Integers]
    covariates: Mapping[str, list[Any]]


class JudgementWork:
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

    def done(self, asked: Asked) -> Judgement:
        """Everything that was asked, of all judges."""
        margin = asked.margin
        h = self.humans
        names = sorted(self.panels, key=self._order)
        means = {name: self._mean(runs) for name, runs in self.answers.items()}
        consensus = _row_means(self._given(h.codes))
        raters = self._raters()
        odd = self._odd(raters)
        panel = self._panel(names, means)
        columns = columns_of(asked.covariates)
        moved_by = {n: self._effects(means[n], columns) for n in names} if columns else {}
        between = self._between(names, asked.reference)
        tests = {
            n: alt_test(
                means[n],
                self._given(h.codes),
                h.raters,
                epsilon=asked.epsilon,
                scoring=asked.scoring,
                min_items=asked.min_items,
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
            raters=raters,
            humans_by_grade=self._by_grade(grade_bias.of_humans(self.whole)),
            with_each={n: tuple(self.panels[n].with_each) for n in names},
            self_consistency={
                n: found for n in names if (found := self.panels[n].self_consistency) is not None
            },
            same_grade={n: self._same_grade(n) for n in names if self.answers[n].shape[1] > 1},
            references=self._references(names),
            ties=int((h.consensus_codes() != h.consensus_codes(tie="upper")).sum()),
            outside=sum(h.outside.values()),
            panel_size=panel.size,
            panel_correlation=panel.correlation,
            panel_refused=panel.refused,
            worst={n: self._worst(n, consensus) for n in names},
            systems=self._systems(asked.systems, means, consensus),
            unread={n: self._unread(n) for n in names},
            items=len(h.items),
            clusters=0 if self.cluster is None else len(np.unique(self.cluster)),
            pairs=self.whole.pairs_of_humans,
            without_each=self._without_each(names),
            differences=between.differences,
            reference=asked.reference,
            exchanged=between.exchanged,
            not_compared=between.left_out,
            drift=self._drift(names, asked.before),
            effects={n: found for n, (found, _) in moved_by.items()},
            effects_corrected=all(corrected for _, corrected in moved_by.values()),
            odd_humans=odd,
            without_odd=self._without(names, [odd])[0] if odd else None,
            prmse=self._prmse(names, means),
            subgroups=self._subgroups(names, asked.by),
            advice=self._advice(tests),
            _panels={n: self.panels[n] for n in names},
        )

    def _same_grade(self, name: str) -> SameGrade:
        """How often a judge that was asked repeatedly gave the same grade."""
        whole, *each = grade_bias.repeated(self.panels[name])
        return SameGrade(whole=whole, by_grade=self._by_grade(each))

    def _references(self, names: list[str]) -> dict[str, NoisyReference]:
        """Each judge against votes, consensus and unanimous items, if items have several humans."""
        if not ((self.humans.codes >= 0).sum(axis=1) > 1).any():
            return {}
        consensus = self.humans.consensus_codes()
        whole = {n: replace(self.whole, runs=self.answers[n]) for n in names}
        return {n: noisy_reference(panel, consensus) for n, panel in whole.items()}

    def _without_each(self, names: list[str]) -> dict[str, Without]:
        """The ceiling and the gaps without each human; of two, one alone would have no ceiling."""
        humans = self.humans.raters
        if len(humans) < 3:
            return {}
        return dict(zip(humans, self._without(names, [(h,) for h in humans]), strict=True))

    def _without(self, names: list[str], humans: list[tuple[str, ...]]) -> list[Without]:
        """The ceiling and the gaps without some humans, for each such choice of them."""
        columns = [[self.humans.raters.index(h) for h in some] for some in humans]
        ceilings = self.whole.ceilings_without(columns)
        gaps = {name: self.panels[name].gaps_without(columns) for name in names}
        return [
            Without(ceiling=c, gap={name: gaps[name][i] for name in names})
            for i, c in enumerate(ceilings)
        ]

    def _odd(self, raters: tuple[Rater, ...]) -> tuple[str, ...]:
        """Humans who are shown to agree much less with the others than those with each other.

        None, if fewer than two others would be left.
        """
        odd = tuple(r.name for r in raters if self._is_odd(r))
        return odd if len(raters) - len(odd) >= 2 else ()

    def _is_odd(self, rater: Rater) -> bool:
        apart, others = rater.from_others, rater.agreement - rater.from_others.estimate
        if self.metric.greater_is_better:
            return apart.high < 0 and rater.agreement < _ODD * others
        return apart.low > 0 and _ODD * rater.agreement > others

    def _panel(self, names: list[str], means: Mapping[str, Floats]) -> PanelErrors:
        codes = self.humans.codes
        unit = np.arange(len(codes)) if self.cluster is None else self.cluster
        shown = self.whole.interval(np.nan, np.nan, np.nan, "correlation")
        return panel_errors({n: means[n] for n in names}, self._given(codes), unit, shown)

    def _effects(
        self, answers: Floats, columns: Sequence[Covariate]
    ) -> tuple[tuple[Effect, ...], bool]:
        """What covariates do to the grades of a judge, and whether without the humans' errors."""
        from scipy.special import stdtr, stdtrit

        unit = np.arange(len(answers)) if self.cluster is None else self.cluster
        made = effects(answers, self._given(self.humans.codes), columns, unit)
        freedom = max(made.units - 1, 1)
        reach = float(stdtrit(freedom, (1 + self.level) / 2)) * made.errors
        with np.errstate(divide="ignore", invalid="ignore"):
            p = 2 * stdtr(freedom, -np.abs(made.values / made.errors))
        ends = zip(made.values - reach, made.values + reach, p, holm(p), strict=True)
        found = tuple(
            Effect(
                covariate=c.name,
                level=c.level,
                reference=c.reference,
                steps=self.whole.interval(float(value), float(low), float(high), c.label),
                spread=float(c.values.std()) if c.level is None else 1.0,
                p_value=float(raw),
                p_adjusted=float(adjusted),
            )
            for c, value, (low, high, raw, adjusted) in zip(columns, made.values, ends, strict=True)
        )
        return found, made.corrected

    def _drift(self, names: list[str], before: Mapping[str, Integers]) -> dict[str, Drift]:
        """Each judge with its earlier answers, if any."""
        found = {}
        for name in (n for n in names if n in before):
            panel = replace(self.whole, runs=self.answers[name])
            if x := moved(panel, before[name], (name, f"{name} before")):
                found[name] = x
        raw = [np.nan if x.change is None else x.change.p_value for x in found.values()]
        each = zip(found.items(), holm(raw).tolist(), strict=True)
        return {
            name: Drift(
                items=x.items,
                shift=x.shift,
                agreement=x.agreement,
                change=None if x.change is None else replace(x.change, p_adjusted=p),
                by_grade=self._by_grade(x.by_grade),
            )
            for (name, x), p in each
        }

    def _between(self, names: list[str], reference: str | None) -> JudgePairs:
        return compare_judges(
            self.humans.codes,
            {name: self.answers[name] for name in names},
            self.metric,
            k=self.k,
            level=self.level,
            cluster=self.cluster,
            reference=reference,
        )

    def _by_grade(self, found: list[Interval]) -> dict[Any, Interval]:
        return dict(zip(self.humans.scale.levels, found, strict=True))

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
        return Bias(
            mean=panel.bias,
            by_grade=self._by_grade(grade_bias.of_judge(panel)),
            beyond_humans=self._by_grade(grade_bias.beyond_humans(panel)),
            unused=_unused_grades(scale, panel.matrix),
            compression=panel.compression,
        )

    def _matrix(self, name: str) -> ConfusionMatrix:
        return ConfusionMatrix.of(self.panels[name].matrix.copy(), self.humans.scale, Origin())

    def _raters(self) -> tuple[Rater, ...]:
        h = self.humans
        harsh = severity(h.codes, self.level, self.cluster)
        agreement = with_the_others(h.codes, self.k, self.metric)
        sizes = (h.codes >= 0).sum(axis=0).tolist()
        apart = self.whole.apart_from_others()
        return tuple(
            Rater(name=n, ratings=s, severity=x, agreement=a, from_others=d)
            for n, s, x, a, d in zip(h.raters, sizes, harsh, agreement, apart, strict=True)
        )

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
    ) -> dict[str, Interval]:
        if systems is None:
            return {}
        _, system = group_items("systems", systems, self.humans, "system")
        rng = np.random.default_rng(_SEED)
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


def _unused_grades(scale: Scale, matrix: Integers) -> tuple[Any, ...]:
    """Grades that humans give and the judge never does."""
    never = (matrix.sum(axis=0) == 0) & (matrix.sum(axis=1) > 0)
    return tuple(scale.levels[i] for i in np.flatnonzero(never).tolist())
