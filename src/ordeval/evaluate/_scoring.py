"""Scores in the making: from counts, or from items with weights and clusters, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from ordeval._shared.text import joined
from ordeval._shared.types import Integers, Rng, as_rng
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin, exact_sum
from ordeval.data.items import Items
from ordeval.data.scale import Scale
from ordeval.evaluate.populations.partial import corrected_by, human_intervals, p_random
from ordeval.exceptions import CountsError, LabelError, ParameterError
from ordeval.inference.advice import FEW_CLUSTERS, Advice, Situation, advise
from ordeval.inference.forecasts.decision_rules import words_of
from ordeval.inference.influence_kinds import contributions, ruled_out
from ordeval.inference.intervals import (
    Estimation,
    Interval,
    Observed,
    intervals_of,
    made_from,
    observe,
    whole_counts,
)
from ordeval.inference.samples import Sample
from ordeval.inference.subgroups import Subgroups, of_counts
from ordeval.measures import Metric
from ordeval.measures.probability import check_truth
from ordeval.measures.registry import ALL, Chosen, Given, choose
from ordeval.measures.scale_checks import on_scale, warn_of_unused_levels
from ordeval.results.scores import Basis, OnDemand, Scores
from ordeval.results.subgroups import SubgroupScores

# Few enough to read side by side.
SUBGROUP_PANELS: Final[dict[Given, tuple[str, ...]]] = {
    "labels": (
        "cem_ord",
        "accuracy",
        "mean_absolute_error",
        "weighted_kappa",
        "oc_index",
    ),
    "probabilities": (
        "ranked_probability_score",
        "ordinal_log_loss",
        "concordance_index",
        "cem_ord",
        "accuracy",
    ),
}
# One measure of each kind, by what models give; the first decides.
PANELS: Final[dict[Given, tuple[str, ...]]] = {
    "labels": (
        "cem_ord",
        "accuracy",
        "mean_absolute_error",
        "average_mae",
        "mean_signed_error",
        "weighted_kappa",
        "kendall_tau_b",
        "oc_index",
        "auoc",
        "cost_accuracy_distance",
    ),
    "probabilities": (
        "ranked_probability_score",
        "ranked_probability_skill_score",
        "ordinal_log_loss",
        "threshold_log_loss",
        "concordance_index",
        "cem_ord",
        "accuracy",
        "mean_absolute_error",
        "mean_signed_error",
        "weighted_kappa",
    ),
    "scores": (
        "concordance_index",
        "coefficient_of_predictive_ability",
        "ordinal_ranking_correctness",
    ),
}
# Where the truth is the shares that raters gave each level.
SHARES_PANEL: Final = (
    "ranked_probability_score",
    "ordinal_log_loss",
    "wasserstein",
    "normalized_match_distance",
    "rnod",
)
ONLY_WEIGHTS: Final = Advice(
    "OE308", "no intervals: only sums of weights are known; pass the labels instead."
)


@dataclass(frozen=True, eq=False)
class ScoreSettings:
    """By which measures models are scored, and how intervals are made, if they are."""

    metrics: tuple[Metric, ...]
    panel: tuple[Metric, ...]  # those of the table; the others are computed if they are asked for
    named: bool  # the user chose the measures
    how: Estimation | None
    rng: np.random.Generator

    @classmethod
    def of(
        cls,
        metrics: Chosen,
        how: Estimation | None,
        rng: Rng,
        *,
        subgroups: bool = False,
        given: Given = "labels",
    ) -> ScoreSettings:
        """The settings of a verb's arguments; fewer measures by default if there are subgroups."""
        panel = choose(metrics, usual_measures(given, subgroups=subgroups), given)
        more = metrics is None and given == "labels" and not subgroups
        return cls(choose(ALL) if more else panel, panel, are_named(metrics), how, as_rng(rng))

    @property
    def others(self) -> tuple[Metric, ...]:
        """The measures that are not in the table."""
        return tuple(m for m in self.metrics if m not in self.panel)

    def with_metrics(self, metrics: tuple[Metric, ...]) -> ScoreSettings:
        """Return the settings with the same measures in another form, or some of them."""
        found = {m.name: m for m in metrics}
        panel = tuple(found[m.name] for m in self.panel if m.name in found)
        return replace(self, metrics=metrics, panel=panel)

    def on(self, scale: Scale) -> ScoreSettings:
        """Return the settings with the levels that parameters name found on the scale."""
        return self.with_metrics(on_scale(self.metrics, scale))

    def meet(self, found: ConfusionMatrix | Items) -> ScoreSettings:
        """Find levels on the scale; warn of measures that were asked for.

        Of the others, advice says it.
        """
        met = self.on(found.scale)
        if found.implied and self.named:
            warn_of_unused_levels(self.metrics, found.scale)
        return met


def are_named(metrics: Chosen) -> bool:
    """Return whether the user chose measures by their names."""
    return metrics is not None and not (isinstance(metrics, str) and metrics == ALL)


def usual_measures(given: Given, *, subgroups: bool) -> tuple[str, ...]:
    """The measures by default."""
    return (SUBGROUP_PANELS if subgroups else PANELS).get(given, PANELS[given])


def estimation(level: float | None, clusters: Any = None, **options: Any) -> Estimation | None:
    """How intervals are made; None if they are left out."""
    if level is not None:
        return Estimation(level=level, **options)
    if clusters is not None:
        raise ParameterError("clusters affect only intervals, which level=None turns off.")
    return None


def score_matrix(cm: ConfusionMatrix, s: ScoreSettings) -> Scores:
    """Scores of counts; weights alone do not say how many items they are of."""
    if s.how is None or not cm.counts.any():
        return _plain(cm, s)
    if cm.weighted:
        scores = _plain(cm, s)
        return replace(scores, advice=(*scores.advice, ONLY_WEIGHTS))
    return score_observed(cm, observe(cm), s)


def score_observed(cm: ConfusionMatrix, observed: Observed, s: ScoreSettings) -> Scores:
    """Scores with the intervals of what was observed."""
    assert s.how is not None
    later = partial(intervals_of, observed, s.others, s.how, deepcopy(s.rng))
    intervals = intervals_of(observed, s.panel, s.how, s.rng)
    situation = observed.situation(tuple(intervals.values()), cm=cm, metrics=s.panel)
    return replace(_plain(cm, s, situation), intervals=OnDemand(intervals, s.metrics, later))


def _plain(cm: ConfusionMatrix, s: ScoreSettings, situation: Situation | None = None) -> Scores:
    """Scores without intervals."""
    values = OnDemand(_values(cm, s.panel), s.metrics, partial(_values, cm, s.others))
    situation = situation or Situation(cm=cm, metrics=s.panel)
    return Scores(cm, s.metrics, values, advise(situation), panel=s.panel)


def _values(cm: ConfusionMatrix, metrics: tuple[Metric, ...]) -> dict[str, float]:
    counts = cm.scored
    return {m.name: m.evaluate(counts, m.check_parameters({}, cm.k)) for m in metrics}


def score_items(items: Items, observed: Observed, s: ScoreSettings, decide: Any) -> Scores:
    """Scores of a model item by item: of probabilities or scores, or of partial truth."""
    sample, s, human = observed.sample, s.on(items.scale), dict[str, Interval]()
    if items.partial is not None:
        s = s.with_metrics(corrected_by(s.metrics, named=s.named))
    check_truth(s.metrics, sample.outcome)
    cm = _decided(items, observed) if items.y_pred else None
    found = {m: contributions(m, sample) for m in s.metrics}
    intervals = {} if s.how is None else made_from(found, observed, s.how, s.rng)
    if items.partial is not None and s.how is not None:
        human = {n: x[0] for n, x in human_intervals(found, observed, s.how).items()}
    lost = {m.name: ruled_out(m, sample, 0) for m, c in found.items() if np.isinf(c.values[0])}
    situation = observed.situation(
        tuple(intervals[m.name] for m in s.panel if intervals),
        cm=cm,
        metrics=s.panel,
        ruled_out=lost,
        random_p=p_random(sample),
    )
    given = Basis(
        scale=items.scale,
        total=sample.items if items.weight is None else items.weight,
        weighted=items.weight is not None,
        items=sample.items,
        dropped=items.lost,
        note=note_of(items, s.metrics, decide),
    )
    return Scores(
        cm,
        s.metrics,
        {m.name: float(c.values[0]) for m, c in found.items()},
        advice=advise(situation),
        intervals=intervals,
        given=given,
        human=human,
        panel=s.panel,
    )


def _decided(items: Items, observed: Observed) -> ConfusionMatrix:
    """The matrix of the labels that were decided for."""
    origin = Origin(
        implied=items.implied, weighted=items.weights is not None, items=np.array(items.n)
    )
    return ConfusionMatrix.of(observed.sample.given[0].copy(), items.scale, origin)


def note_of(items: Items, metrics: tuple[Metric, ...], decide: Any) -> str:
    """The population that values are of, and how labels were read off probabilities."""
    return " ".join(filter(None, (population_of(items), read_off(items, metrics, decide))))


def population_of(items: Items) -> str:
    """Which population values are of, if not of the items alone."""
    return " ".join(filter(None, (items.population, items.known)))


def read_off(items: Items, metrics: tuple[Metric, ...], decide: Any) -> str:
    """How labels and scores were read off probabilities."""
    if not items.prob or not items.y_pred:
        return ""
    if set(items.prob) != set(items.models):  # all are compared by their labels
        return f"Of the probabilities, labels are {words_of(decide)}."
    label = any(m.needs == "labels" and not m.takes_scores for m in metrics)
    of_scores = [m for m in metrics if m.takes_scores]
    said = [f"labels are {words_of(decide)}"] if label else []
    if any("at_least" not in m.bound for m in of_scores):
        said.append("scores are the expected level")
    if any("at_least" in m.bound for m in of_scores):
        said.append("scores of a cut are that of being above it")
    return f"From probabilities, {joined(said)}." if said else ""


def score_stack(stack: ConfusionMatrix, s: ScoreSettings) -> SubgroupScores:
    """Scores of subgroups from their counts."""
    if len(stack.shape) != 1:
        raise CountsError(
            f"score takes one matrix, or a stack with one axis of subgroups; this one has shape "
            f"{stack.shape}. Take one model out, for example stack[:, 0]."
        )
    if s.how is None or not stack.counts.any():
        return subgroup_scores(stack, s, {})
    if stack.weighted:
        return subgroup_scores(stack, s, {}, advice=(ONLY_WEIGHTS,))
    found = of_counts(
        s.metrics,
        whole_counts(stack.counts),
        stack.scale,
        s.how,
        related=stack.by is not None,
        rng=s.rng,
    )
    return subgroup_scores(stack, s, found)


def subgroup_scores(
    stack: ConfusionMatrix,
    s: ScoreSettings,
    found: Mapping[str, Subgroups],
    *,
    advice: tuple[Advice, ...] = (),
    clusters: Integers | None = None,
) -> SubgroupScores:
    """Scores of the counts of subgroups, with what was found about them."""
    whole = exact_sum(stack.counts, axis=0)
    values = [m.values(stack.scored) for m in s.metrics]
    pooled = [m.values(whole) for m in s.metrics]
    return SubgroupScores(
        stack,
        s.metrics,
        np.array(values, dtype=float),
        np.array(pooled, dtype=float),
        found=found,
        advice=(*advise(Situation(scale=stack.scale, metrics=s.metrics)), *advice),
        clusters=clusters,
    )


def refuse_empty(matrices: Mapping[str, ConfusionMatrix]) -> None:
    """Refuse models without an item."""
    for model, cm in matrices.items():
        if not cm.counts.any():
            why = f"; dropped: {cm.dropped}" if cm.dropped else ""
            raise LabelError(f"{model} has no items to score{why}.")


def clusters_by(sample: Sample, group: Any, size: int) -> Integers | None:
    """How many clusters each subgroup has."""
    if sample.cluster is None:
        return None
    pairs = np.unique(np.stack([group, sample.cluster]), axis=1)
    return np.bincount(pairs[0], minlength=size).astype(np.int64)


def keep_in_mind(sample: Sample, clusters: Integers | None) -> tuple[Advice, ...]:
    """What should be kept in mind of weights and of few clusters in a subgroup."""
    found = list(advise(Situation(items=sample.items, effective=sample.effective)))
    few = 0 if clusters is None else int(((clusters > 0) & (clusters < FEW_CLUSTERS)).sum())
    if few and clusters is not None:
        have = "subgroup has" if few == 1 else "subgroups have"
        found.append(
            Advice(
                "OE304",
                f"{few:,} {have} fewer than {FEW_CLUSTERS} independent clusters, so intervals "
                "are wide.",
            )
        )
    return tuple(found)
