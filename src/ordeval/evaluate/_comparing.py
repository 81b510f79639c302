"""A comparison in the making: from items and settings to a Comparison."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, get_args

import numpy as np

from ordeval._shared.text import named
from ordeval._shared.types import Floats, Progress, T, as_rng, check_choice, silent, watched
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.items import Items
from ordeval.evaluate._scoring import population_of, read_off
from ordeval.evaluate.populations.partial import corrected_by, human_intervals, p_random
from ordeval.exceptions import ParameterError
from ordeval.inference.advice import Advice, Situation, advise, merged
from ordeval.inference.ends.skewed_t import without_limit
from ordeval.inference.forecasts.decision_rules import rule_of, words_of
from ordeval.inference.influence import Contributions
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import Estimation, Interval, Observed, draws_of, interval_of
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.many_models.measure_agreement import rank_agreement
from ordeval.inference.many_models.multiplicity import holm
from ordeval.inference.many_models.ranking import baselines, ranks, sort_key, tie_breaks
from ordeval.inference.paired import Delta, Pair, check_margin, make_delta
from ordeval.inference.paired_tests import span_of
from ordeval.inference.samples import sample_of
from ordeval.measures import Metric
from ordeval.measures.probability import check_truth
from ordeval.measures.registry import Given
from ordeval.results.comparison import ComparedItems, Comparison, Deltas

_ALL_PAIRS_UP_TO: Final = 12

ListedPairs = Literal["auto", "all", "best"]
PairedMethod = Literal["auto", "bca", "percentile"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Settings:
    """How models are compared."""

    metrics: tuple[Metric, ...]
    named: bool = True  # the user chose the measures
    how: Estimation
    reference: str | None = None
    margin: float | None = None
    pairs: ListedPairs = "auto"
    given: Given = "labels"  # what every model gives
    decide: Any = "mode"  # how probabilities become labels
    aside: str = ""  # which measures do not apply, and why
    rng: np.random.Generator = field(default_factory=lambda: as_rng(None))
    progress: Progress = silent

    def __post_init__(self) -> None:
        check_choice("pairs", self.pairs, get_args(ListedPairs))
        check_margin(self.margin)
        rule_of(self.decide)  # an invalid rule raises an error even if nothing is decided
        if self.margin is not None and self.primary.greater_is_better is None:
            raise ParameterError(
                f"{named('margin')} needs a measure with a direction, and {self.primary.name} "
                "has none. Put another measure first."
            )

    @property
    def primary(self) -> Metric:
        """The measure that decides."""
        return self.metrics[0]


def compare_items(items: Items, clusters: Any, settings: Settings) -> Comparison:
    """Compare models on the same items, or on the same clusters of items."""
    if settings.reference is not None and settings.reference not in items.models:
        raise ParameterError(
            f"{named('reference')} must name one of the models, {', '.join(items.models)}; got "
            f"{settings.reference!r}."
        )
    check_margin(settings.margin, settings.primary, items.scale.k)
    if items.partial is not None:
        settings = replace(settings, metrics=corrected_by(settings.metrics, named=settings.named))
    sample = sample_of(items, clusters=clusters)
    check_truth(settings.metrics, sample.outcome)
    return ComparisonWork(
        items,
        Observed(sample, items.scale, items.implied, items.left_out),
        settings,
        clusters,
    ).done


@dataclass(frozen=True, eq=False)
class ComparisonWork:
    """One comparison in the making: models in the order in which they were given."""

    items: Items
    observed: Observed
    settings: Settings
    clusters: Any

    @cached_property
    def names(self) -> list[str]:
        return list(self.items.models)

    @cached_property
    def found(self) -> dict[Metric, Contributions]:
        """What the units contribute to each measure."""
        metrics = self.settings.metrics
        steps = watched("measures", metrics, self.settings.progress)
        return {m: contributions(m, self.observed.sample) for m in steps}

    @cached_property
    def compared(self) -> dict[Metric, Together]:
        """The models by each measure, all pairs at once."""
        level, sample = self.settings.how.level, self.observed.sample
        return {m: Together(m, found, level, sample) for m, found in self.found.items()}

    @cached_property
    def utilities(self) -> dict[str, Floats]:
        return {m.name: np.asarray(m.utility(c.values)) for m, c in self.found.items()}

    @cached_property
    def ties(self) -> dict[str, Floats]:
        return {m.name: tie_breaks(m, self.observed.sample) for m in self.found}

    @cached_property
    def order(self) -> list[int]:
        """The models, best first."""
        first = self.settings.primary.name
        keys = [sort_key(*x) for x in zip(self.utilities[first], self.ties[first], strict=True)]
        return sorted(range(len(self.names)), key=keys.__getitem__)

    @cached_property
    def draws(self) -> Mapping[str, Floats]:
        s = self.settings
        return draws_of(self.observed.sample, s.metrics, s.how, s.rng)

    @cached_property
    def estimates(self) -> dict[str, dict[str, Interval]]:
        how = self.settings.how
        return {
            m.name: {
                self.names[i]: interval_of(m, self.observed, c, how, model=i, draws=self.draws)
                for i in self.order
            }
            for m, c in self.found.items()
        }

    @cached_property
    def deltas(self) -> Deltas:
        wanted = wanted_pairs(self.order, self.names, self.settings)
        s, found = self.settings, list[Delta]()
        for m, c in self.found.items():
            corrected_for = wanted if s.reference is not None else None
            adjusted = self.compared[m].adjusted(corrected_for)
            ends = self.compared[m].simultaneous(corrected_for)
            first = len(found)
            for i, j in wanted:
                delta = make_delta(
                    m,
                    Pair((i, j), (self.names[i], self.names[j])),
                    self.observed,
                    c,
                    s.how,
                    margin=s.margin if m is s.primary else None,
                    draws=self.draws,
                )
                delta = with_simultaneous(delta, ends[:, i, j], span_of(m, self.observed.sample.k))
                found.append(replace(delta, p_adjusted=self._corrected(m, (i, j), delta, adjusted)))
            found[first:] = corrected_for_margin(found[first:])
        return Deltas(found)

    def _corrected(self, metric: Metric, pair: tuple[int, int], delta: Delta, p: Floats) -> float:
        """The corrected p-value of a pair, which is never below its own, from draws or not."""
        if self.settings.how.method == "auto" and not without_limit(metric):
            return float(p[pair])
        return delta.p_value if len(self.names) == 2 else float(np.fmax(delta.p_value, p[pair]))

    @cached_property
    def separation(self) -> Floats:
        """The corrected p-values of all pairs by the measure that decides, as they are listed."""
        first, place = self.settings.primary, {n: i for i, n in enumerate(self.names)}
        p = self.compared[first].adjusted().copy()
        if self.settings.reference is None:
            for d in self.deltas:
                if d.metric == first.name:
                    i, j = place[d.a], place[d.b]
                    p[i, j] = p[j, i] = d.p_adjusted
        return p

    @cached_property
    def matrices(self) -> dict[str, ConfusionMatrix]:
        items, sample = self.items, self.observed.sample
        origin = Origin(
            implied=items.implied, weighted=items.weights is not None, items=np.array(items.n)
        )
        return {
            self.names[i]: ConfusionMatrix.of(given.copy(), items.scale, origin)
            for i, given in ((i, sample.given[i]) for i in self.order if items.y_pred)
        }

    @property
    def on(self) -> ComparedItems | None:
        """The items that the models are compared on."""
        return ComparedItems(self.items, self.clusters, words_of(self.settings.decide))

    @property
    def baselines(self) -> dict[str, dict[str, float]]:
        """Predictors without skill, by each measure."""
        return baselines(self.observed.sample, self.settings.metrics)

    @property
    def done(self) -> Comparison:
        """The comparison."""
        items, s, first = self.items, self.settings, self.settings.primary
        return Comparison(
            models=tuple(self.names[i] for i in self.order),
            metrics=s.metrics,
            scale=items.scale,
            matrices=self.matrices,
            estimates=self.estimates,
            ranks={m: self._named(ranks(u, self.ties[m])) for m, u in self.utilities.items()},
            rank_sets={m.name: self._named(t.rank_sets) for m, t in self.compared.items()},
            rank_shares=self.compared[first].rank_shares[np.ix_(self.order)],
            may_be_best=tuple(
                self.names[i] for i in self.order if self.compared[first].may_be_best[i]
            ),
            probability_best={m.name: self._named(t.best) for m, t in self.compared.items()},
            preferred={m.name: self._square(t.preferred) for m, t in self.compared.items()},
            separation=self._square(self.separation),
            baselines={
                f"{name} (baseline)" if name in self.names else name: values
                for name, values in self.baselines.items()
            },
            pairs=self.deltas,
            rank_agreement=rank_agreement(list(self.utilities.values())),
            advice=self._advice(),
            dropped=items.dropped,
            items=items.n,
            left_out=items.left_out,
            clusters=self.observed.sample.clusters,
            effective=self.observed.sample.effective,
            level=s.how.level,
            method=s.how.method,
            n_resamples=s.how.draws,
            reference=s.reference,
            margin=s.margin,
            weight=items.weight,
            support=self._support(),
            outputs=s.given,
            on=self.on,
            identical=self._identical(),
            population=population_of(items),
            notes=tuple(filter(None, (read_off(items, s.metrics, s.decide), s.aside))),
            human=self.human,
        )

    @cached_property
    def human(self) -> dict[str, dict[str, Interval]]:
        """Of partial truth, the intervals of the human labels alone."""
        if self.items.partial is None or self.settings.how.method != "auto":
            return {}
        found = human_intervals(self.found, self.observed, self.settings.how)
        return {m: {self.names[i]: by[i] for i in self.order} for m, by in found.items()}

    @property
    def described(self) -> list[Items]:
        """What the models give for the items, part by part."""
        return [self.items]

    def _identical(self) -> tuple[tuple[str, ...], ...]:
        """The models that predict the same for every item, in groups."""
        groups = dict[bytes, list[str]]()
        for i in self.order:
            name, given = self.names[i], list[bytes]()
            for items in self.described:
                outputs: tuple[Mapping[str, Any], ...] = (items.y_pred, items.prob, items.score)
                given += [np.ascontiguousarray(x[name]).tobytes() for x in outputs if name in x]
            groups.setdefault(b"|".join(given), []).append(name)
        return tuple(tuple(g) for g in groups.values() if len(g) > 1)

    def _support(self) -> tuple[int, ...]:
        """How many items each class truly has."""
        items = self.items
        if self.observed.sample.shares is not None:
            return ()
        counts = np.zeros(items.scale.k, dtype=np.int64)
        known = items.y_true >= 0
        np.add.at(counts, items.y_true[known], items.count[known])
        return tuple(counts.tolist())

    def _overlap(self) -> bool:
        """Whether intervals of the first measure overlap although models differ significantly."""
        first = self.settings.primary.name
        by_model = self.estimates[first]
        return any(
            d.p_adjusted <= 1 - d.level
            and max(by_model[m].low for m in (d.a, d.b)) < min(by_model[m].high for m in (d.a, d.b))
            for d in self.deltas
            if d.metric == first
        )

    def _named(self, values: Sequence[T]) -> dict[str, T]:
        return {self.names[i]: values[i] for i in self.order}

    def _square(self, values: Floats) -> Floats:
        return values[np.ix_(self.order, self.order)]

    def _advice(self) -> tuple[Advice, ...]:
        metrics, items, sample = self.settings.metrics, self.items, self.observed.sample
        about_models = {
            name: advise(Situation(cm=cm, metrics=metrics)) for name, cm in self.matrices.items()
        } or {"": advise(self.observed.situation(metrics=metrics))}
        whole = Situation(
            clusters=sample.clusters,
            dropped=items.dropped,
            left_out=items.left_out,
            overlap=self._overlap(),
            items=sample.items,
            effective=sample.effective,
            random_p=p_random(sample),
        )
        about_draws = [a for by in self.estimates.values() for a in advise(Situation(intervals=by))]
        found = [*merged(about_models), *advise(whole), *dict.fromkeys(about_draws)]
        return tuple(sorted(found, key=lambda a: a.code))


def with_simultaneous(delta: Delta, ends: Floats, span: float) -> Delta:
    """The difference with its simultaneous interval, which holds its own."""
    if delta.method != "auto" or np.isnan(ends).any() or delta.low != delta.low:
        return delta
    low, high = np.clip(ends, -span, span).tolist()
    return replace(delta, low_adjusted=min(low, delta.low), high_adjusted=max(high, delta.high))


def corrected_for_margin(deltas: list[Delta]) -> list[Delta]:
    """Non-inferiority of several models, corrected for all of them (Holm)."""
    p_values = [d.p_noninferior for d in deltas if d.p_noninferior is not None]
    if len(p_values) < 2:
        return deltas
    corrected = holm(p_values).tolist()
    return [replace(d, p_noninferior_adjusted=p) for d, p in zip(deltas, corrected, strict=True)]


def wanted_pairs(order: list[int], names: list[str], settings: Settings) -> list[tuple[int, int]]:
    """The pairs that are listed, by the order of the models, best first."""
    if settings.reference is not None:
        reference = names.index(settings.reference)
        return [(i, reference) for i in order if i != reference]
    many = len(order) > _ALL_PAIRS_UP_TO
    if settings.pairs == "best" or (settings.pairs == "auto" and many):
        return [(order[0], i) for i in order[1:]]
    return list(itertools.combinations(order, 2))
