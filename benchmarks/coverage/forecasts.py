"""Probabilities and scores: intervals, differences, margins and claims about many models.

A model sees the true class through noise: that is its score. Its probabilities are those of the
classes given the score, so that they are calibrated, or sharper than the score allows. Models that
are compared share half of their noise. True values are integrals over the score; of raters' shares,
over what three raters may say too.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from scipy.special import ndtr

import ordeval as oe
from benchmarks.coverage.bounds import (
    Bound,
    Rate,
    of_difference,
    of_interval,
    of_losses,
    of_lost,
    of_ranks,
)
from benchmarks.coverage.many_models import claimed
from benchmarks.coverage.populations import (
    Cell,
    Design,
    Floats,
    Integers,
    Population,
    generator,
    mixed,
)
from benchmarks.coverage.stacks import LEVEL, Ends, Names, finite, same, some
from benchmarks.coverage.two_models import ALPHA, agreement, of_truth
from ordeval.data.scale import Scale
from ordeval.inference.ends.skewed_t import without_limit
from ordeval.inference.influence_kinds import contributions
from ordeval.inference.intervals import Estimation, Observed, interval_of
from ordeval.inference.many_models.all_pairs import Together
from ordeval.inference.paired import Delta, Pair, make_delta
from ordeval.inference.samples import Sample
from ordeval.measures import Metric
from ordeval.measures.probability import ProbabilityMetric, sums_of
from ordeval.measures.ranking import RankingMetric

CLUSTERS: Final = (20, 50)
CLUSTER: Final = 10  # items of one
MODELS: Final = 5
RATERS: Final = 3
SHARED: Final = 0.5
_ALIKE: Final = 0.3
_CLAIMS: Final = Bound(0.0, 0.06)
_NOISE: Final[dict[str, float]] = {"balanced": 1.0, "imbalanced": 1.0, "near perfect": 0.215}
_OF_SHARES: Final = ("rnod", "wasserstein", "ranked_probability_score")


class Model(NamedTuple):
    """How far a model's score is off, and what its probabilities make of it."""

    noise: float
    sharp: float = 1.0  # 1 is calibrated, more is overconfident
    shift: float = 0.0  # how much higher than its score it believes to be

    def prob(self, score: Floats, shares: Floats) -> Floats:
        """The probabilities (..., K) of the classes given scores (...)."""
        apart = (score[..., None] + self.shift - np.arange(len(shares))) / self.noise
        logs = -(apart**2) * self.sharp / 2 + np.log(shares)
        odds = np.exp(logs - logs.max(axis=-1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=-1, keepdims=True))


def model_of(design: Design, *, sharp: float = 1.0, shift: float = 0.0) -> Model:
    """The usual model of a design."""
    return Model(_NOISE[design], sharp, shift)


def chosen(k: int, only: Names = None) -> dict[str, Metric]:
    """The measures, or some of them, by the row that they have in the tables."""
    names = ("ranked_probability_score", "ranked_probability_skill_score", "ordinal_log_loss",
             "threshold_log_loss", "wasserstein", "concordance_index",
             "ordinal_ranking_correctness", "coefficient_of_predictive_ability")  # fmt: skip
    found = {name: oe.get_metric(name) for name in names}
    for name in ("threshold_brier", "threshold_auc"):
        for place, cut in (("lowest", 0), ("highest", k - 2)):
            metric = oe.get_metric(name).with_params(at_least=cut + 1)
            found[f"{name}, {place} cut"] = metric.on(oe.Scale.range(0, k - 1))
    return {row: m for row, m in found.items() if only is None or m.name in only}


class Forecasts(NamedTuple):
    """The items of one data set and what M models say."""

    truth: Integers  # (n,)
    score: Floats  # (n, M)
    prob: Floats  # (n, M, K)
    shares: Floats | None = None  # (n, K), if raters say what is true
    cluster: Integers | None = None

    def sample(self, metric: Metric) -> Sample:
        """What the library makes of them, for a measure."""
        of_prob = isinstance(metric, ProbabilityMetric)
        return Sample(
            self.truth, np.full(self.score.shape, -1), np.ones(len(self.truth), dtype=np.int64),
            self.prob.shape[-1], cluster=self.cluster, prob=self.prob if of_prob else None,
            score=None if of_prob else self.score, shares=self.shares,
        )  # fmt: skip

    def outputs(self, metric: Metric) -> list[Floats]:
        """What each model gives to the public functions."""
        given = self.prob if isinstance(metric, ProbabilityMetric) else self.score
        return list(np.moveaxis(given, 1, 0))

    @property
    def outcome(self) -> Any:
        """What is true."""
        return self.truth if self.shares is None else self.shares


def draw(
    cell: Cell, models: Sequence[Model], rng: np.random.Generator, *, clusters: int = 0
) -> Forecasts:
    """One data set; items of a cluster are alike in their class and in their noise."""
    shares, n = cell.population.shares, cell.items
    cluster = np.repeat(np.arange(clusters), n // clusters) if clusters else None

    def normal() -> Floats:
        own = rng.standard_normal(n)
        return (
            own if cluster is None else mixed(rng.standard_normal(clusters)[cluster], own, _ALIKE)
        )

    truth = np.searchsorted(np.cumsum(shares)[:-1], ndtr(normal()))
    hard = normal()
    noise = [mixed(hard, normal(), SHARED) if len(models) > 1 else hard for _ in models]
    score = np.stack([truth + m.noise * e for m, e in zip(models, noise, strict=True)], axis=1)
    prob = np.stack([m.prob(s, shares) for m, s in zip(models, score.T, strict=True)], axis=1)
    return Forecasts(truth, score, prob, None, cluster)


def value(metric: Metric, cell: Cell, model: Model) -> float:
    """The true value of a measure for a model, by quadrature over its score."""
    shares = cell.population.shares
    k = len(shares)
    if isinstance(metric, RankingMetric):
        steps = np.subtract.outer(np.arange(k), np.arange(k))
        wins = np.outer(shares, shares) * ndtr(-steps / (model.noise * 2**0.5))
        return metric.value_of(wins)
    assert isinstance(metric, ProbabilityMetric)
    place, weight = _nodes()
    truth = np.repeat(np.arange(k), len(place))
    prob = model.prob(truth + model.noise * np.tile(place, k), shares)
    sums = sums_of(metric.losses(truth, prob), truth, k, np.outer(shares, weight).ravel())
    return float(metric.combine(sums))


def _nodes(size: int = 8001) -> tuple[Floats, Floats]:
    """Places of a standard normal variable, and their weights."""
    place = np.linspace(-9, 9, size)
    weight = np.exp(-(place**2) / 2)
    return place, weight / weight.sum()


def independent(
    k: int, n: int, design: Design, data_sets: int, seed: int, names: Names = None
) -> Iterator[Rate]:
    """Intervals of one model, calibrated, and of probabilities that are overconfident."""
    cell = Cell(Population(k, design), n)
    for sharp, table in ((1.0, "forecasts"), (2.5, "overconfident")):
        model = model_of(design, sharp=sharp)
        rng = generator(seed, table, cell)
        made = [draw(cell, [model], rng) for _ in range(data_sets)]
        for row, metric in chosen(k, names).items():
            if sharp == 1.0 or isinstance(metric, ProbabilityMetric):
                held = _ends(metric, made, rng).hold(value(metric, cell, model))
                bound = of_interval(metric, cell)
                yield Rate(f"{table}, K = {k}", row, f"{n:,} {design}", *held, bound)


def rated(n: int, design: Design, data_sets: int, seed: int) -> Iterator[Rate]:
    """Intervals where the truth is the shares of three raters, who err as the model does."""
    cell, model = Cell(Population(5, design), n), model_of(design)
    rng = generator(seed, "rated", cell)
    rows = _said(cell.population, model.noise)
    made = []
    for _ in range(data_sets):
        items = draw(cell, [model], rng)
        luck = rng.random((n, RATERS, 1))
        said = (luck > np.cumsum(rows, axis=1)[items.truth][:, None, :-1]).sum(axis=2)
        shares = (said[:, :, None] == np.arange(5)).mean(axis=1)
        made.append(items._replace(shares=shares))
    for name in _OF_SHARES:
        metric = oe.get_metric(name)
        held = _ends(metric, made, rng).hold(_value_of_shares(metric, cell, model, rows))
        yield Rate("shares", name, f"{n:,} {design}", *held, of_interval(metric, cell))


def _said(population: Population, noise: float) -> Floats:
    """The chances (K, K) that a rater says each class of an item of each class."""
    cuts = np.arange(population.k - 1) + 0.5 - np.arange(population.k)[:, None]
    return np.diff(ndtr(cuts / noise), prepend=0.0, append=1.0, axis=1)


def _value_of_shares(metric: Metric, cell: Cell, model: Model, rows: Floats) -> float:
    """The true value over the classes, the score, and all that three raters may say."""
    assert isinstance(metric, ProbabilityMetric)
    shares, k = cell.population.shares, cell.population.k
    place, weight = _nodes(801)
    total = np.zeros(1 + k)
    for c, said in itertools.product(range(k), itertools.product(range(k), repeat=RATERS)):
        chance = shares[c] * rows[c][list(said)].prod()
        if said == tuple(sorted(said)) and chance > 0:
            orders = len(set(itertools.permutations(said)))
            truth = np.tile(np.bincount(said, minlength=k) / RATERS, (len(place), 1))
            prob = model.prob(c + model.noise * place, shares)
            total += sums_of(metric.losses(truth, prob), truth, k, orders * chance * weight)
    return float(metric.combine(total))


def clustered(clusters: int, data_sets: int, seed: int, names: Names = None) -> Iterator[Rate]:
    """Intervals with clusters of ten items that are alike, and without saying so."""
    cell, model = Cell(Population(5, "balanced"), clusters * CLUSTER), model_of("balanced")
    rng = generator(seed, "forecasts in clusters", clusters)
    made = [draw(cell, [model], rng, clusters=clusters) for _ in range(data_sets)]
    for row, metric in chosen(5, names).items():
        true = value(metric, cell, model)
        held = _ends(metric, made, rng).hold(true)
        column = f"{clusters} clusters"
        yield Rate("clustered", row, column, *held, Bound(0.925, 0.975))
        told = [x._replace(cluster=None) for x in made]
        yield Rate("clustered", row, f"{clusters}, not told", *_ends(metric, told, rng).hold(true))


def alike(
    k: int, n: int, design: Design, data_sets: int, seed: int, names: Names = None
) -> Iterator[Rate]:
    """Two exchangeable models: how often zero is left out."""
    cell, model = Cell(Population(k, design), n), model_of(design)
    rng = generator(seed, "two forecasts", cell)
    made = [draw(cell, [model] * 2, rng) for _ in range(data_sets)]
    for row, metric in chosen(k, names).items():
        found = _deltas(metric, made, rng)
        where = row, f"{n:,} {design}"
        bound = of_difference(metric, cell)
        yield _claims(f"equal forecasts, K = {k}", where, found.p_value, bound)
        agreed = agreement(found.ends, found.p_value)
        yield Rate(f"agreeing forecasts, K = {k}", *where, *agreed, Bound(0.99, 1.0))


def opposite(n: int, data_sets: int, seed: int) -> Iterator[Rate]:
    """Two models that believe too high and too low, and lose equally much."""
    cell = Cell(Population(5, "balanced"), n)
    models = [model_of("balanced", shift=x) for x in (0.5, -0.5)]
    rng = generator(seed, "opposite forecasts", n)
    made = [draw(cell, models, rng) for _ in range(data_sets)]
    for row, metric in chosen(5).items():
        if isinstance(metric, ProbabilityMetric) and metric.reversal_invariant:
            found = _deltas(metric, made, rng)
            bound = of_difference(metric, cell)
            yield _claims("opposite forecasts", (row, f"{n:,}"), found.p_value, bound)


def apart(n: int, design: Design, data_sets: int, seed: int, names: Names = None) -> Iterator[Rate]:
    """A is noisier than B, or too sure of itself: is the true difference held?

    The margin is the true difference, so that A is just not non-inferior, and the two are just not
    equivalent.
    """
    cell, better = Cell(Population(5, design), n), model_of(design)
    kinds = {
        "noisier": better._replace(noise=1.25 * better.noise),
        "too sure": better._replace(sharp=2.5),
    }
    for kind, worse in kinds.items():
        rng = generator(seed, "unequal forecasts", cell, kind)
        made = [draw(cell, [worse, better], rng) for _ in range(data_sets)]
        for row, metric in chosen(5, names).items():
            true = value(metric, cell, worse) - value(metric, cell, better)
            if abs(true) < 1e-9:  # scores do not know how sure a model is
                continue
            found = _deltas(metric, made, rng, abs(true))
            where = row, f"{kind}, {n:,} {design}"
            held = found.ends.hold(true)
            of_prob = isinstance(metric, ProbabilityMetric)
            usual = of_truth(metric, cell)
            bound = of_lost(cell, usual) if of_prob else usual
            yield Rate("unequal forecasts", *where, *held, bound)
            size = (of_losses if of_prob else of_ranks)(cell)
            if (true > 0) != metric.greater_is_better:  # distances reward being too sure
                yield _claims("worse forecasts", where, found.p_noninferior, size)
            yield _claims("equivalent forecasts", where, found.p_equivalent, size)


def many(n: int, design: Design, data_sets: int, seed: int, names: Names = None) -> Iterator[Rate]:
    """Five equal models: how often a difference is claimed, and the first not among the best."""
    cell, model = Cell(Population(5, design), n), model_of(design)
    rng = generator(seed, "many forecasts", cell)
    made = [draw(cell, [model] * MODELS, rng) for _ in range(data_sets)]
    column = f"{n:,} {design}"
    for row, metric in chosen(5, names).items():
        samples = [x.sample(metric) for x in made]
        found = [Together(metric, contributions(metric, s), LEVEL, s) for s in samples]
        for i in some(data_sets, rng, 1):
            _check_many(metric, made[i], found[i])
        claims = sum(map(claimed, found))
        yield Rate("claims of forecasts", row, column, claims, data_sets, _CLAIMS)
        held = sum(t.may_be_best[0] for t in found)
        yield Rate("the best forecasts", row, column, held, data_sets, Bound(0.94, 1.0))


def _observed(metric: Metric, items: Forecasts) -> Observed:
    return Observed(items.sample(metric), Scale(range(items.prob.shape[-1])), implied=False)


def _ends(metric: Metric, made: list[Forecasts], rng: np.random.Generator) -> Ends:
    """The intervals of the first model of each data set."""

    def interval(items: Forecasts) -> Any:
        observed = _observed(metric, items)
        return interval_of(metric, observed, contributions(metric, observed.sample), Estimation())

    found = [interval(items) for items in made]
    for i in some(len(made), rng, 2):
        public = oe.confidence_interval(
            metric, made[i].outcome, made[i].outputs(metric)[0], **_given(made[i], metric)
        )
        ours, theirs = ((x.low, x.high) for x in (found[i], public))
        same(metric.name, ours, theirs)
    return Ends(np.array([x.low for x in found]), np.array([x.high for x in found]))


def _given(items: Forecasts, metric: Metric) -> dict[str, Any]:
    kind = "probabilities" if isinstance(metric, ProbabilityMetric) else "scores"
    return {"labels": range(items.prob.shape[-1]), "clusters": items.cluster, "outputs": kind}


class _Deltas(NamedTuple):
    """The differences of two models in D data sets."""

    each: list[Delta]

    @property
    def ends(self) -> Ends:
        return Ends(*(np.array([getattr(d, x) for d in self.each]) for x in ("low", "high")))

    def __getattr__(self, name: str) -> Floats:
        return np.array([getattr(d, name) for d in self.each], dtype=np.float64)


def _deltas(
    metric: Metric, made: list[Forecasts], rng: np.random.Generator, margin: float | None = None
) -> _Deltas:
    def delta(items: Forecasts) -> Delta:
        observed, pair = _observed(metric, items), Pair((0, 1), ("A", "B"))
        found = contributions(metric, observed.sample)
        return make_delta(metric, pair, observed, found, Estimation(paired=True), margin=margin)

    found = [delta(items) for items in made]
    for i in some(len(made), rng, 2):
        public = oe.paired_delta(
            metric, made[i].outcome, *made[i].outputs(metric), margin=margin,
            **_given(made[i], metric),
        )  # fmt: skip
        ours, theirs = ((x.low, x.high, x.p_value) for x in (found[i], public))
        same(metric.name, ours, theirs)
    return _Deltas(found)


def _check_many(metric: Metric, items: Forecasts, found: Together) -> None:
    models = {str(j): x for j, x in enumerate(items.outputs(metric))}
    public = oe.compare(items.outcome, models, [metric], **_given(items, metric))
    order = [int(name) for name in public.models]
    ours = found.adjusted()[np.ix_(order, order)]
    if without_limit(metric):  # none is below the p-value of the pair alone, which minds skewness
        place = {name: i for i, name in enumerate(public.models)}
        for d in public.deltas():
            i, j = place[d.a], place[d.b]
            ours[i, j] = ours[j, i] = max(ours[i, j], d.p_value)
    same(f"{metric.name}, corrected p", ours.ravel(), public.separation.ravel())


def _claims(table: str, where: tuple[str, str], p: Floats, bound: Bound) -> Rate:
    p = finite(p)
    return Rate(table, *where, int((p <= ALPHA).sum()), len(p), bound)
