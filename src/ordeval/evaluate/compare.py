"""compare: many models, many measures, on the same items."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

import numpy as np

from ordeval._shared.text import name_of, named
from ordeval._shared.types import (
    Floats,
    Policy,
    Progress,
    Rng,
    StrPath,
    as_rng,
    check_choice,
    silent,
)
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Origin
from ordeval.data.files import FileSource
from ordeval.data.frames import FrameSource
from ordeval.data.items import Items, Misfits, read_items
from ordeval.data.rows import Query, Source, joint_items, joint_scale, split_rows
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import Advice, Situation, advise, merged
from ordeval.inference.agreement import rank_agreement
from ordeval.inference.intervals import (
    Interval,
    Resampling,
    evaluate_draws,
    jackknife,
    make_interval,
    values_of,
)
from ordeval.inference.multiplicity import benjamini_hochberg, holm
from ordeval.inference.paired import (
    Delta,
    Pair,
    compared,
    largest_difference_p_values,
    make_delta,
    permutation_p_values,
)
from ordeval.inference.ranking import (
    baselines,
    preferred,
    ranks,
    share_best,
    sort_key,
    tie_breaks,
)
from ordeval.inference.samples import Sample, clusters_of, items_of
from ordeval.measures import Metric
from ordeval.measures.metric import warn_of_unused_levels
from ordeval.measures.registry import Chosen, choose
from ordeval.results.comparison import Comparison, Comparisons, Deltas

# One measure of each kind; the first decides.
PANEL: Final = (
    "cem_ord", "accuracy", "mean_absolute_error", "average_mae", "mean_signed_error",
    "weighted_kappa", "kendall_tau_b", "oc_index", "auoc", "cost_accuracy_distance",
)  # fmt: skip
_ALL_PAIRS_UP_TO: Final = 12

Pairs = Literal["auto", "all", "best"]
PairedMethod = Literal["bca", "percentile"]
Columns = str | Sequence[str]


def compare(
    y_true: Any, models: Mapping[str, Any], metrics: Chosen = None, *,
    labels: Any = None, reference: str | None = None, clusters: Any = None,
    sample_weight: Any = None, level: float = 0.95, method: PairedMethod = "bca",
    n_resamples: int = 9999, pairs: Pairs = "auto", unknown: Policy = "raise",
    missing: Policy = "raise", rng: Rng = None, progress: Progress | None = None,
) -> Comparison:  # fmt: skip
    """Compare models on the same items by many measures.

    Parameters
    ----------
    y_true
        The true labels.
    models
        The predicted labels of each model, by its name.
    metrics
        Measures or their names. The first decides: it ranks the models and the conclusion is about
        it. By default a panel of one measure of each kind, led by ``cem_ord``.
    labels
        The ordered labels, lowest first; may be left out as in ``ConfusionMatrix.from_labels``.
    reference
        Name of the model that all others are compared with; by default all pairs are, or with more
        than 12 models the best with each of the others.
    clusters
        The cluster of each item (patient, prompt, document), or several arrays of clusters within
        clusters, as for ``confidence_interval``; whole clusters are drawn and swapped.
    sample_weight
        One non-negative number per item, drawn together with it.
    level, method, n_resamples
        Of the intervals; ``n_resamples`` also of the permutation tests.
    pairs
        ``"all"`` pairs, the ``"best"`` against each other model, or ``"auto"``.
    unknown, missing
        ``"drop"`` drops items of which any label, of any model, is unknown or missing: models can
        only be compared on the same items.
    rng
        Seed or generator.
    progress
        Called with a stage, the steps done and the steps in all.

    Examples
    --------
    >>> y_true = [1, 2, 3] * 40
    >>> careful, wild = [1, 2, 3] * 30 + [1, 2, 2] * 10, [1, 2, 3] * 30 + [3, 2, 1] * 10
    >>> result = compare(y_true, {"careful": careful, "wild": wild},
    ...                  ["mean_absolute_error", "accuracy"], rng=0)
    >>> result.models
    ('careful', 'wild')
    >>> print(result.deltas()[0])
    mean_absolute_error: careful - wild = -0.250 [-0.375, -0.158], p = 0.0001
    """
    settings = Settings(
        metrics=choose(metrics, PANEL), named=metrics is not None,
        how=Resampling(method=method, level=level, n_resamples=n_resamples, paired=True),
        reference=reference, pairs=pairs, rng=as_rng(rng), progress=progress or silent,
    )  # fmt: skip
    items = read_items(
        y_true, _as_mapping(models), labels=labels, sample_weight=sample_weight,
        misfits=Misfits(unknown, missing),
    )  # fmt: skip
    _warn_of_unused_levels(items.scale, items.implied, settings)
    return compare_items(items, clusters, settings)


def compare_frame(
    frame: Any, truth: str, pred: Columns, metrics: Chosen = None, *,
    labels: Any = None, reference: str | None = None, clusters: Columns | None = None,
    weight: str | None = None, by: Columns | None = None, level: float = 0.95,
    method: PairedMethod = "bca", n_resamples: int = 9999, pairs: Pairs = "auto",
    unknown: Policy = "raise", missing: Policy = "raise", rng: Rng = None,
    progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Compare models whose predictions are columns of a dataframe, counted where it lives.

    Parameters
    ----------
    frame
        Any dataframe or lazy query that ``ConfusionMatrix.from_frame`` takes.
    truth, pred, weight
        Names of the columns; ``pred`` lists one per model.
    clusters
        Name of the column of clusters, or a list of columns of clusters within clusters.
    by
        A column, or columns, of subgroups: one comparison for each.
    metrics, labels, reference, level, method, n_resamples, pairs, unknown, missing, rng, progress
        As for ``compare``.

    Returns
    -------
    A Comparison; with ``by`` Comparisons, a mapping of subgroups to theirs.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"y": [1, 2, 3] * 20, "a": [1, 2, 3] * 20, "b": [1, 2, 2] * 20})
    >>> compare_frame(frame, "y", ["a", "b"], ["accuracy"], n_resamples=99, rng=0).models
    ('a', 'b')
    """
    settings = Settings(
        metrics=choose(metrics, PANEL), named=metrics is not None,
        how=Resampling(method=method, level=level, n_resamples=n_resamples, paired=True),
        reference=reference, pairs=pairs, rng=as_rng(rng), progress=progress or silent,
    )  # fmt: skip
    query = Query.of(
        truth, pred, labels=labels, weight=weight, by=by, clusters=clusters, unknown=unknown,
        missing=missing,
    )  # fmt: skip
    # The file reader is a source already.
    source = frame if isinstance(frame, FileSource) else FrameSource(frame)
    return compare_source(source, query, settings)


def compare_file(
    path: StrPath, truth: str, pred: Columns, metrics: Chosen = None, *,
    labels: Any = None, reference: str | None = None, clusters: Columns | None = None,
    weight: str | None = None, by: Columns | None = None, table: str | None = None,
    level: float = 0.95, method: PairedMethod = "bca", n_resamples: int = 9999,
    pairs: Pairs = "auto", unknown: Policy = "raise", missing: Policy = "raise",
    rng: Rng = None, progress: Progress | None = None,
) -> Any:  # fmt: skip
    """Compare models whose predictions are columns of a file; arguments as for ``compare_frame``.

    The file is one that ``ConfusionMatrix.from_file`` takes; ``table`` names the table of a
    database.
    """
    source = FileSource(path, table, progress)
    return compare_frame(
        source, truth, pred, metrics, labels=labels, reference=reference, clusters=clusters,
        weight=weight, by=by, level=level, method=method, n_resamples=n_resamples, pairs=pairs,
        unknown=unknown, missing=missing, rng=rng, progress=progress,
    )  # fmt: skip


def _as_mapping(models: Any) -> dict[str, Any]:
    """The predictions by the name of the model; a DataFrame has one column per model."""
    if hasattr(models, "columns") and hasattr(models, "__getitem__"):
        models = {name: models[name] for name in models.columns}
    if not isinstance(models, Mapping):
        raise LabelError(
            f"models must map names to predictions, for example {{'A': pred_a, 'B': pred_b}}; got "
            f"a {type(models).__name__}. The truth comes first, the models second."
        )
    if not models:
        raise LabelError("compare needs the predictions of at least one model.")
    named = {str(name): x for name, x in models.items()}
    if len(named) < len(models):
        raise LabelError(f"the names of the models must differ as text; got {list(models)}.")
    return named


@dataclass(frozen=True, kw_only=True, eq=False)
class Settings:
    """How models are compared."""

    metrics: tuple[Metric, ...]
    named: bool = True  # the user chose the measures
    how: Resampling
    reference: str | None = None
    pairs: Pairs = "auto"
    rng: np.random.Generator = field(default_factory=lambda: as_rng(None))
    progress: Progress = silent

    def __post_init__(self) -> None:
        check_choice("pairs", self.pairs, get_args(Pairs))

    @property
    def primary(self) -> Metric:
        """The measure that decides."""
        return self.metrics[0]


def compare_source(source: Source, query: Query, settings: Settings) -> Comparison | Comparisons:
    """Compare models from the distinct rows of all their columns."""
    rows = source.rows(query.columns).in_order()
    if not query.by:
        items, clusters = joint_items(rows, query)
        _warn_of_unused_levels(items.scale, items.implied, settings)
        return compare_items(items, clusters, settings)
    # Of one subgroup the integers may imply a shorter scale.
    scale, implied = joint_scale(rows, query)
    _warn_of_unused_levels(scale, implied, settings)
    query = replace(query, labels=scale)
    found = {}
    for key, part in split_rows(rows, query).items():
        try:
            items, clusters = joint_items(part, query)
            found[key] = compare_items(replace(items, implied=implied), clusters, settings)
        except LabelError as error:
            raise LabelError(f"in the subgroup {name_of(key)}: {error}") from None
    if not found:
        raise LabelError("there are no items to compare.")
    return Comparisons(found, query.by)


def _warn_of_unused_levels(scale: Scale, implied: bool, settings: Settings) -> None:
    if implied and settings.named:
        warn_of_unused_levels(settings.metrics, scale)


def compare_items(items: Items, clusters: Any, settings: Settings) -> Comparison:
    """Compare models on the same items, or on the same clusters of items."""
    if settings.reference is not None and settings.reference not in items.y_pred:
        raise ParameterError(
            f"{named('reference')} must name one of the models, {', '.join(items.y_pred)}; got "
            f"{settings.reference!r}."
        )
    sample = items_of(items) if clusters is None else clusters_of(items, clusters)
    return _compared(items, sample, sample.units if clusters is not None else 0, settings)


def _compared(items: Items, sample: Sample, clusters: int, settings: Settings) -> Comparison:
    metrics, names, first = settings.metrics, list(items.y_pred), settings.primary
    values: dict[str, Floats] = {m.name: values_of(m, sample.counts) for m in metrics}
    settings.progress("resampling", 0, 1)
    replicates = evaluate_draws(metrics, sample.draws(settings.how.n_resamples, settings.rng))
    settings.progress("resampling", 1, 1)
    estimates = _estimates(sample, names, values, replicates, settings)
    ties = {m.name: tie_breaks(m, sample.counts) for m in metrics}
    utilities = {m.name: np.asarray(m.utility(values[m.name]), dtype=float) for m in metrics}
    drawn = {m.name: np.asarray(m.utility(replicates[m.name]), dtype=float) for m in metrics}
    keys = [sort_key(u, t) for u, t in zip(utilities[first.name], ties[first.name], strict=True)]
    order = sorted(range(len(names)), key=keys.__getitem__)
    pairs = _wanted_pairs(order, names, settings)
    deltas = _deltas(sample, names, pairs, settings, values=values, replicates=replicates)
    origin = Origin(implied=items.implied, weighted=items.weights is not None)
    matrices = {
        names[i]: ConfusionMatrix.of(sample.counts[i].copy(), items.scale, origin) for i in order
    }
    return Comparison(
        models=tuple(matrices),
        metrics=metrics,
        scale=items.scale,
        matrices=matrices,
        estimates={m: {n: by[n] for n in matrices} for m, by in estimates.items()},
        ranks={m: dict(zip(names, ranks(u, ties[m]), strict=True)) for m, u in utilities.items()},
        probability_best={
            m: dict(zip(names, share_best(u), strict=True)) for m, u in drawn.items()
        },
        preferred={m: preferred(u[:, order]) for m, u in drawn.items()},
        separation=largest_difference_p_values(
            compared(first, replicates[first.name])[:, order],
            compared(first, values[first.name])[order],
        ),
        baselines=baselines(sample.counts[0], metrics),
        pairs=deltas,
        rank_agreement=rank_agreement(list(utilities.values())),
        advice=_advice(matrices, items, clusters, estimates, settings, tests=len(deltas)),
        dropped=items.dropped,
        items=items.n,
        left_out=items.left_out,
        clusters=clusters,
        level=settings.how.level,
        method=settings.how.method,
        n_resamples=settings.how.n_resamples,
        reference=settings.reference,
    )


def _estimates(
    sample: Sample, names: list[str], values: Mapping[str, Floats],
    replicates: Mapping[str, Floats], settings: Settings,
) -> dict[str, dict[str, Interval]]:  # fmt: skip
    estimates: dict[str, dict[str, Interval]] = {m.name: {} for m in settings.metrics}
    for i, name in enumerate(names):
        left = sample.leave_one_out((i,)) if settings.how.method == "bca" else None
        for m in settings.metrics:
            without = None if left is None else jackknife(m, left)
            value, drawn = float(values[m.name][i]), replicates[m.name][:, i]
            estimates[m.name][name] = make_interval(m, value, drawn, without, settings.how)
    return estimates


def _wanted_pairs(order: list[int], names: list[str], settings: Settings) -> list[tuple[int, int]]:
    if settings.reference is not None:
        reference = names.index(settings.reference)
        return [(i, reference) for i in order if i != reference]
    many = len(order) > _ALL_PAIRS_UP_TO
    if settings.pairs == "best" or (settings.pairs == "auto" and many):
        return [(order[0], i) for i in order[1:]]
    return list(itertools.combinations(order, 2))


def _deltas(
    sample: Sample, names: list[str], wanted: list[tuple[int, int]], settings: Settings, *,
    values: Mapping[str, Floats], replicates: Mapping[str, Floats],
) -> Deltas:  # fmt: skip
    observed = {m: values[m.name] for m in settings.metrics}
    found: dict[tuple[str, tuple[int, int]], Delta] = {}
    for done, models in enumerate(wanted):
        settings.progress("pairs", done, len(wanted))
        a, b = models
        pair = Pair(models, (names[a], names[b]), sample.leave_one_out(models))
        p_values = permutation_p_values(
            observed, sample, pair, settings.how.n_resamples, settings.rng
        )
        for m in settings.metrics:
            value, drawn = values[m.name], replicates[m.name]
            found[m.name, models] = make_delta(
                m, pair, value, drawn, p_value=p_values[m.name], how=settings.how
            )
    settings.progress("pairs", len(wanted), len(wanted))
    deltas = [found[m.name, models] for m in settings.metrics for models in wanted]
    p = [d.p_value for d in deltas]
    return Deltas(
        replace(d, p_holm=float(h), p_bh=float(b))
        for d, h, b in zip(deltas, holm(p), benjamini_hochberg(p), strict=True)
    )


def _advice(
    matrices: Mapping[str, ConfusionMatrix], items: Items, clusters: int,
    estimates: Mapping[str, Mapping[str, Interval]], settings: Settings, *,
    tests: int,
) -> tuple[Advice, ...]:  # fmt: skip
    about_models = {
        name: advise(Situation(cm=cm, metrics=settings.metrics)) for name, cm in matrices.items()
    }
    whole = Situation(
        clusters=clusters, dropped=items.dropped, left_out=items.left_out, models=len(matrices),
        tests=tests, n_resamples=settings.how.n_resamples, level=settings.how.level,
    )  # fmt: skip
    about_draws = [a for by in estimates.values() for a in advise(Situation(intervals=by))]
    found = [*merged(about_models), *advise(whole), *about_draws]
    return tuple(sorted(found, key=lambda a: a.code))
