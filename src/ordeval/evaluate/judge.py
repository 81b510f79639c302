"""judge: may a judge stand in for a human?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, Final, get_args

import numpy as np

from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers, Rng, as_rng, check_choice, check_level
from ordeval.data._ratings import read_table, refuse_other_items
from ordeval.data.columns import as_column, is_missing
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.ratings import Ratings, as_ratings
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import Advice, Situation, advise
from ordeval.inference.alt_test import MIN_ITEMS, Scoring, alt_test
from ordeval.inference.intervals import Interval
from ordeval.inference.judges import (
    Panel,
    effective_panel,
    rank_systems,
    severity,
    with_the_others,
)
from ordeval.inference.paired import check_margin
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.registry import choose
from ordeval.results.judgement import Bias, Judgement, Rater, WorstItem, unused_grades

_WORST: Final = 10


def judge(
    ratings: Any, judges: Mapping[str, Any] | Ratings, metric: str | Metric = "weighted_kappa", *,
    labels: Any = None, margin: float | None = None, epsilon: float = 0.2,
    scoring: Scoring = "rmse", min_items: int = MIN_ITEMS, clusters: Any = None,
    systems: Any = None, level: float = 0.95, rng: Rng = None,
) -> Judgement:  # fmt: skip
    """Whether judges agree with humans as well as humans do with each other.

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
        The system that each item is the output of: are systems ranked as humans rank them?
    level
        Of the intervals.
    rng
        Seed or generator, for the interval of the ranking of systems.

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
    check_margin(margin, chosen, humans.k)
    _check_alt_test(epsilon, scoring, min_items)
    answers, unmatched = _read_judges(judges, humans)
    cluster = _clusters(humans, clusters)
    work = _Work(humans, answers, chosen, level, cluster)
    found = work.done(margin=margin, epsilon=epsilon, scoring=scoring, min_items=min_items,
                      systems=systems, rng=as_rng(rng))  # fmt: skip
    return replace(found, unmatched=unmatched)


class _Work:
    """A judgement in the making."""

    def __init__(
        self, humans: Ratings, answers: dict[str, Integers], metric: Metric, level: float,
        cluster: Integers | None,
    ) -> None:  # fmt: skip
        self.humans, self.answers, self.metric, self.level = humans, answers, metric, level
        self.cluster, self.k = cluster, humans.k
        whole = {
            name: Panel(humans=humans.codes, runs=runs, k=self.k, metric=metric, level=level,
                        cluster=cluster)
            for name, runs in answers.items()
        }  # fmt: skip
        self.whole = next(iter(whole.values()))
        self.panels = {name: panel.answered() for name, panel in whole.items()}

    def done(
        self, *, margin: float | None, epsilon: float, scoring: Scoring, min_items: int,
        systems: Any, rng: np.random.Generator,
    ) -> Judgement:  # fmt: skip
        h = self.humans
        names = sorted(self.panels, key=self._order)
        means = {name: self._mean(runs) for name, runs in self.answers.items()}
        consensus = _row_means(self._given(h.codes))
        size, rho = effective_panel({n: means[n] - consensus for n in names})
        tests = {
            n: alt_test(means[n], self._given(h.codes), h.raters, epsilon=epsilon,
                        scoring=scoring, min_items=min_items)
            for n in names
        }  # fmt: skip
        return Judgement(
            judges=tuple(names), metric=self.metric, scale=h.scale, ceiling=self.whole.ceiling,
            agreement={n: self.panels[n].agreement for n in names},
            gap={n: self.panels[n].gap for n in names},
            p_noninferior={} if margin is None else
            {n: self.panels[n].noninferior(margin) for n in names},
            margin=margin, alt_test=tests, bias={n: self._bias(n) for n in names},
            matrices={n: self._matrix(n) for n in names}, raters=self._raters(),
            with_each={n: tuple(self.panels[n].with_each) for n in names},
            self_consistency={
                n: found for n in names if (found := self.panels[n].self_consistency) is not None
            },
            panel_size=size, panel_correlation=rho,
            worst={n: self._worst(n, consensus) for n in names},
            systems=self._systems(systems, means, consensus, rng),
            unread={n: self._unread(n) for n in names}, items=len(h.items),
            clusters=0 if self.cluster is None else len(np.unique(self.cluster)),
            pairs=self.whole.pairs_of_humans, advice=self._advice(tests),
        )  # fmt: skip

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
            mean=panel.bias, by_grade=by_grade, unused=unused_grades(scale, panel.matrix),
            compression=panel.compression,
        )  # fmt: skip

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
                self.humans.items[i], levels[int(mean[i])], shown(self.humans.codes[i]),
                float(apart[i]),
            )
            for i in order
        )  # fmt: skip

    def _systems(
        self, systems: Any, means: Mapping[str, Floats], consensus: Floats,
        rng: np.random.Generator,
    ) -> dict[str, Interval]:  # fmt: skip
        if systems is None:
            return {}
        refuse_other_items(named("systems"), systems, self.humans.items)
        listed = list(systems)
        if len(listed) != len(self.humans.items):
            raise LabelError(
                f"{named('systems')} must name a system for each of the "
                f"{len(self.humans.items):,} items; got {len(listed):,}."
            )
        if any(map(is_missing, listed)):
            raise LabelError(f"{named('systems')} must not hold missing values.")
        number = {s: i for i, s in enumerate(dict.fromkeys(listed))}
        if len(number) < 2:
            raise LabelError(f"{named('systems')} must name at least two systems to rank.")
        system = np.array([number[s] for s in listed])
        return {
            n: rank_systems(mean, consensus, system, self.level, rng) for n, mean in means.items()
        }

    def _unread(self, name: str) -> Interval:
        """The share of the items that the judge gave no label."""
        from scipy.special import betaincinv

        lost = int((self.answers[name] < 0).sum())
        n, tail = self.answers[name].size, (1 - self.level) / 2
        low = float(betaincinv(lost, n - lost + 1, tail)) if lost else 0.0
        high = float(betaincinv(lost + 1, n - lost, 1 - tail)) if lost < n else 1.0
        return Interval(
            metric="unread", estimate=lost / n, low=low, high=high, level=self.level,
            method="auto", items=n, effective=float(n),
        )  # fmt: skip

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


def _read_judges(judges: Any, humans: Ratings) -> tuple[dict[str, Integers], int]:
    """The answers of each judge (N, runs) in positions, and how many items no human rated."""
    unmatched = 0
    if isinstance(judges, Ratings):
        judges, unmatched = _matched(judges, humans)
    if not isinstance(judges, Mapping) or not judges:
        raise LabelError(
            "judges must map names to labels, one per item, for example {'gpt': answers}; or be "
            "Ratings."
        )
    found = {str(n): _read_answers(str(n), given, humans) for n, given in judges.items()}
    if len(found) < len(judges):
        raise LabelError(f"judges must have different names; got {list(judges)}.")
    return found, unmatched


def _matched(judges: Ratings, humans: Ratings) -> tuple[dict[str, Any], int]:
    """The labels by judges of the items that humans rated, and how many other items there are.

    Items are matched by how they are written: text files do not tell 7 from "7".
    """
    places = [_by_name(ratings) for ratings in (judges, humans)]
    rows = [places[0].get(name, -1) for name in places[1]]
    shared = len(rows) - rows.count(-1)
    if not shared:
        first = [repr(ratings.items[0]) for ratings in (humans, judges)]
        raise LabelError(
            f"humans and judges have no item in common: those of the humans are called like "
            f"{first[0]}, those of the judges like {first[1]}."
        )
    levels = np.empty(judges.k + 1, dtype=object)
    levels[:] = [*judges.scale.levels, None]
    codes = np.concatenate([judges.codes, np.full((1, judges.codes.shape[1]), -1)])[rows]
    given = {name: levels[codes[:, list(runs)]] for name, runs in judges.runs.items()}
    return given, len(judges.items) - shared


def _by_name(ratings: Ratings) -> dict[str, int]:
    """The place of each item."""
    found = {str(item): i for i, item in enumerate(ratings.items)}
    if len(found) < len(ratings.items):
        raise LabelError("items must differ in how they are written, to be matched by it.")
    return found


def _read_answers(name: str, given: Any, humans: Ratings) -> Integers:
    n = len(humans.items)
    refuse_other_items(name, given, humans.items)
    found = []
    for column in (as_column(c, name) for c in _runs_of(name, given)):
        if len(column) != n:
            raise LabelError(
                f"{name} must have an answer for each of the {n:,} items, None where there is "
                f"none; got {len(column):,}."
            )
        codes = humans.scale.codes(column).astype(np.int64)
        if codes.min() < 0:
            humans.scale.refuse_misfits(column, unknown="raise", missing="drop", droppable=False)
        found.append(np.where(codes < 0, -1, codes))
    return np.stack(found, axis=1)


def _runs_of(name: str, given: Any) -> Sequence[Any]:
    """The columns of answers: one, or one for each run."""
    rows = isinstance(given, (list, tuple)) and given and isinstance(given[0], (list, tuple))
    if not (rows or hasattr(given, "columns") or getattr(given, "ndim", 1) == 2):
        return [given]
    try:
        return list(read_table(given, None).columns.values())
    except LabelError as error:
        raise LabelError(f"the runs of {name}: {error}") from None


def _clusters(humans: Ratings, clusters: Any) -> Integers | None:
    given = humans.clusters if clusters is None else clusters
    if given is None:
        return None
    refuse_other_items(named("clusters"), given, humans.items)
    return cluster_numbers(list(given), np.ones(len(humans.items), dtype=bool))
