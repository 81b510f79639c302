"""Scores and comparisons of the average over tasks, each of which has items of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ordeval._shared.text import joined, name_of, named, plural
from ordeval._shared.types import Floats
from ordeval.data.columns import is_missing
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.description import Description, read_rows
from ordeval.data.items import Items
from ordeval.data.predictions import Predictions
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.joins import JoinedTables
from ordeval.data.sources.rows import DistinctRows
from ordeval.evaluate._comparing import ComparisonWork, Settings
from ordeval.evaluate._scoring import ScoreSettings
from ordeval.evaluate.populations.partial import corrected_by
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import Advice, Situation, advise
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.influence_kinds import contributions, of_each_task
from ordeval.inference.intervals import Interval, Observed, interval_of
from ordeval.inference.many_models.ranking import baselines
from ordeval.inference.populations.tasks import Tasks
from ordeval.inference.samples import sample_of
from ordeval.measures import Metric
from ordeval.measures.probability import check_truth
from ordeval.measures.registry import Given
from ordeval.measures.scale_checks import on_scale
from ordeval.results.comparison import ComparedItems, Comparison
from ordeval.results.scores import Basis, Scores
from ordeval.results.subgroups import ModelScores


class TaskItems(NamedTuple):
    """The items of one task, and their clusters."""

    items: Items
    clusters: Any


@dataclass(frozen=True, eq=False)
class Average:
    """The same models on several tasks, with the weight of each task."""

    parts: Mapping[Any, TaskItems]
    models: tuple[str, ...]
    column: str  # what the tasks are called
    weights: tuple[float, ...]
    absent: Mapping[str, list[Any]] = field(default_factory=dict)  # models that lack some tasks

    @property
    def given(self) -> Given:
        """What every model gives on every task."""
        kinds = {_given(p.items) for p in self.parts.values()}
        return kinds.pop() if len(kinds) == 1 else "labels"

    @property
    def scale(self) -> Scale:
        """The scale of the tasks; the longest if they differ."""
        return max((p.items.scale for p in self.parts.values()), key=lambda s: s.k)

    @cached_property
    def observed(self) -> Observed:
        """What inference is made from."""
        samples = [sample_of(p.items, clusters=p.clusters) for p in self.parts.values()]
        dropped = sum(p.items.left_out for p in self.parts.values())
        implied = any(p.items.implied for p in self.parts.values())
        return Observed(Tasks.of(samples, self.weights), self.scale, implied, dropped)

    def met(self, metrics: tuple[Metric, ...], *, named: bool) -> tuple[Metric, ...]:
        """Return the measures on the scale of the tasks, if they fit all of them."""
        if any(part.items.partial is not None for part in self.parts.values()):
            metrics = corrected_by(metrics, named=named)
        each = []
        for part in self.parts.values():
            each.append(on_scale(metrics, part.items.scale))
            check_truth(metrics, part.items.y_true)
        for metric, *others in zip(*each, strict=True):
            if any(x.names_level and x.bound != metric.bound for x in others):
                raise ParameterError(
                    f"{metric.name} cuts the scales of the tasks at different places; score each "
                    f"task by itself."
                )
        return each[0]

    @property
    def note(self) -> str:
        """What the values are averages of, and which models lack tasks."""
        how = "all of equal weight" if len(set(self.weights)) == 1 else "weighted"
        said = [f"Values are averages over {plural(len(self.parts), self.column)}, {how}."]
        population = {p.items.population for p in self.parts.values()} - {""}
        said += sorted(population)
        for model, tasks in self.absent.items():
            lacking = joined(list(map(name_of, tasks)))
            said.append(f"{model} has no predictions for {lacking}, so it is left out.")
        return " ".join(said)


def average_of(data: Description, over: Any) -> Average:
    """The tasks that one column of subgroups names."""
    column, weights = _named(over)
    if data.query.by != (column,):
        there = joined(list(map(repr, data.query.by))) or "none"
        raise ParameterError(
            f"{named('over')} names the column of the tasks, which must be the only one of "
            f"{named('by')}; got {column!r}, and the subgroups are {there}."
        )
    absent: dict[str, list[Any]] = {}
    if isinstance(data.source, JoinedTables) and (absent := data.source.lacking(column)):
        complete = _in_all(data.models, absent)
        held = {m: of for m, of in data.source.models.items() if m in complete}
        data = replace(data.of_models(complete), source=replace(data.source, models=held))
    grouped = data.subgroups()
    rule, query = rule_of(data.decide), grouped.query
    for key, rows in grouped.by_key.items():
        for model in _absent(rows, query):
            absent.setdefault(model, []).append(key)
    models = _in_all(data.models, absent)
    chosen = replace(
        query,
        by=(),
        models=tuple(m for m in query.models if m in models),
        prob={m: c for m, c in query.prob.items() if m in models},
        score=tuple(m for m in query.score if m in models),
    )
    parts = {}
    for key, rows in grouped.by_key.items():
        try:
            items, clusters = read_rows(rows, chosen, rule)
        except LabelError as error:
            raise LabelError(f"in {column} {name_of(key)}: {error}") from error
        parts[key] = TaskItems(replace(items, implied=grouped.implied), clusters)
    return _checked(parts, models, column, weights, absent)


def average_of_each(tasks: Mapping[Any, Any], over: Any) -> Average:
    """Tasks that are described one by one, each on its own scale."""
    column, weights = _named(over)
    if not tasks or not all(isinstance(d, Predictions) for d in tasks.values()):
        raise LabelError(
            f"{named('over')} takes Predictions, or a mapping of tasks to Predictions."
        )
    every = list(dict.fromkeys(m for d in tasks.values() for m in d.models))
    absent = {
        m: lacking for m in every if (lacking := [t for t, d in tasks.items() if m not in d.models])
    }
    models = _in_all(tuple(every), absent)
    parts = {}
    for task, d in tasks.items():
        data = d._data.whole.of_models(models)
        parts[task] = TaskItems(*data.items(rule_of(data.decide)))
    return _checked(parts, models, column, weights, absent)


def compare_average(average: Average, settings: Settings) -> Comparison:
    """Compare models by their averages over tasks."""
    if settings.reference is not None and settings.reference not in average.models:
        raise ParameterError(
            f"{named('reference')} must name one of the models, {joined(average.models)}; got "
            f"{settings.reference!r}."
        )
    settings = replace(settings, metrics=average.met(settings.metrics, named=settings.named))
    first = next(iter(average.parts.values())).items
    return _AverageWork(first, average.observed, settings, None, average).done


def score_average(average: Average, s: ScoreSettings) -> Scores | ModelScores:
    """The averages of each model over tasks."""
    s = s.with_metrics(average.met(s.metrics, named=s.named))
    observed = average.observed
    found = {m: contributions(m, observed.sample) for m in s.metrics}
    how, items = s.how, sum(p.items.n for p in average.parts.values())
    given = Basis(scale=average.scale, total=items, items=items, note=average.note)
    made = {}
    for i, model in enumerate(average.models):
        intervals = {}
        if how is not None:
            intervals = {
                m.name: interval_of(m, observed, c, how, model=i) for m, c in found.items()
            }
        values = {m.name: float(c.values[i]) for m, c in found.items()}
        advice = _about(observed, [*intervals.values()])
        made[model] = Scores(
            None, s.metrics, values, advice, intervals=intervals, given=given, panel=s.panel
        )
    return made[average.models[0]] if len(made) == 1 else ModelScores(made)


@dataclass(frozen=True, eq=False)
class _AverageWork(ComparisonWork):
    """A comparison of averages over tasks in the making."""

    average: Average

    @cached_property
    def names(self) -> list[str]:
        return list(self.average.models)

    @property
    def described(self) -> list[Items]:
        """The items of each task."""
        return [part.items for part in self.average.parts.values()]

    @cached_property
    def ties(self) -> dict[str, Floats]:
        return {m.name: np.zeros(len(self.names)) for m in self.found}

    @cached_property
    def matrices(self) -> dict[str, ConfusionMatrix]:
        return {}

    @property
    def on(self) -> ComparedItems | None:
        """Reports show calibration and cuts of one task only."""
        return None

    @property
    def baselines(self) -> dict[str, dict[str, float]]:
        """The averages of predictors without skill."""
        tasks = self.observed.sample
        assert isinstance(tasks, Tasks)
        each = [baselines(part, self.settings.metrics) for part in tasks.parts]
        return {
            name: {
                m.name: sum(w * by[name][m.name] for w, by in zip(tasks.weights, each, strict=True))
                for m in self.settings.metrics
            }
            for name in each[0]
        }

    def _support(self) -> tuple[int, ...]:
        return ()

    def _advice(self) -> tuple[Advice, ...]:
        return _about(self.observed, [x for by in self.estimates.values() for x in by.values()])

    @property
    def done(self) -> Comparison:
        """The comparison, with the values of each task."""
        first = self.settings.primary
        tasks, values = self.average.parts, dict[str, dict[str, float]]()
        sample = self.observed.sample
        assert isinstance(sample, Tasks)
        for task, part in zip(tasks, of_each_task(first, sample), strict=True):
            found = part.values.tolist()
            values[name_of(task)] = {self.names[i]: found[i] for i in self.order}
        total = sum(part.items.n for part in tasks.values())
        dropped = self.observed.dropped
        return replace(
            super().done,
            scale=self.average.scale,
            items=total,
            left_out=dropped,
            dropped={},
            weight=None,
            tasks=values,
            smallest_difference=self.compared[first].smallest,
            population=self.average.note,
            notes=tuple(filter(None, [self.settings.aside])),
        )


def _given(items: Items) -> Given:
    if items.score:
        return "scores"
    return "probabilities" if set(items.prob) == set(items.models) else "labels"


def _about(observed: Observed, intervals: Sequence[Interval]) -> tuple[Advice, ...]:
    """What the items of all tasks say, and why values have no interval."""
    sample = observed.sample
    return advise(
        Situation(
            clusters=sample.clusters,
            left_out=observed.dropped,
            alone=tuple(intervals),
            items=sample.items,
        )
    )


def _named(over: Any) -> tuple[str, Mapping[Any, Any]]:
    """The column of the tasks, and the weights of the tasks, if they differ."""
    if isinstance(over, Mapping) and len(over) == 1:
        ((column, weights),) = over.items()
        if isinstance(column, str) and isinstance(weights, Mapping):
            return column, weights
    if isinstance(over, str) and over:
        return over, {}
    raise ParameterError(
        f"{named('over')} must be the name of the column of tasks, or a mapping of that name to "
        f"the weights of the tasks; got {over!r}."
    )


def _absent(rows: DistinctRows, query: Query) -> list[str]:
    """The models that have no predictions in some rows."""
    found = [m for m in query.models if all(map(is_missing, rows.columns[m]))]
    for model, columns in query.prob.items():
        found += [model] if all(np.isnan(rows.numbers[c]).all() for c in columns) else []
    return found + [m for m in query.score if np.isnan(rows.numbers[m]).all()]


def _in_all(models: tuple[str, ...], absent: Mapping[str, list[Any]]) -> tuple[str, ...]:
    """The models that have predictions on all tasks."""
    found = tuple(m for m in models if m not in absent)
    if not found:
        model, tasks = next(iter(absent.items()))
        raise LabelError(
            f"no model has predictions for all tasks: {model}, for example, has none for "
            f"{joined(list(map(name_of, tasks)))}."
        )
    return found


def _checked(
    parts: Mapping[Any, TaskItems],
    models: tuple[str, ...],
    column: str,
    weights: Mapping[Any, Any],
    absent: Mapping[str, list[Any]],
) -> Average:
    """The average of these tasks, whose weights are known and sum to 1."""
    if not parts:
        raise LabelError("there are no tasks with items.")
    names = list(map(name_of, parts))
    given = {name_of(task): w for task, w in weights.items()} or dict.fromkeys(names, 1.0)
    if lacking := [n for n in names if n not in given]:
        has = "has" if len(lacking) == 1 else "have"
        raise ParameterError(f"give each task a weight: {joined(lacking)} {has} none.")
    if unknown := [n for n in given if n not in names]:
        raise ParameterError(
            f"a weight is given to {joined(unknown)}, but the tasks are {joined(names)}."
        )
    try:
        numbers = np.array([float(given[n]) for n in names])
    except (TypeError, ValueError):
        raise ParameterError(f"{named('over')} must hold numbers as weights of tasks.") from None
    if not (np.isfinite(numbers) & (numbers >= 0)).all() or not numbers.sum() > 0:
        raise ParameterError(f"{named('over')} must hold weights that are not negative.")
    kept = numbers > 0
    chosen = dict(x for x, keep in zip(parts.items(), kept, strict=True) if keep)
    shares = (numbers / numbers.sum())[kept].tolist()
    return Average(chosen, models, column, tuple(shares), absent)
