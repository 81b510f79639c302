"""compare: many models, many measures, on the same items."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.files import Progress, file_rows
from ordeval.data.frames import (
    DistinctRows,
    distinct_rows,
    in_order,
    joint_items,
    joint_scale,
    split_rows,
    with_groups,
)
from ordeval.data.items import Dropped, Encoded, encode_labels
from ordeval.data.scale import Policy, as_scale, warn_of_empty_levels
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.advice import Advice
from ordeval.inference.agreement import rank_agreement
from ordeval.inference.diagnosis import diagnose
from ordeval.inference.intervals import (
    FEW_GROUPS,
    TOO_MANY_UNDEFINED,
    Interval,
    Method,
    check_options,
    evaluate_draws,
    jackknife,
    make_interval,
    sample_of,
    values_of,
)
from ordeval.inference.multiplicity import benjamini_hochberg, holm
from ordeval.inference.paired import (
    Delta,
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
from ordeval.inference.samples import Sample, as_rng, items_of
from ordeval.measures import Metric, get_metric
from ordeval.results.comparison import Comparison, Deltas

Floats = NDArray[np.float64]

# One measure of each kind; the first decides.
PANEL = (
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
)
_ALL_PAIRS_UP_TO = 12


def compare(
    truth: Any,
    models: Mapping[str, Any],
    *,
    labels: Any = None,
    metrics: Iterable[str | Metric] | None = None,
    baseline: str | None = None,
    groups: Any = None,
    rng: np.random.Generator | int | None = None,
    sample_weight: Any = None,
    level: float = 0.95,
    method: Literal["bca", "percentile"] = "bca",
    n_resamples: int = 9999,
    pairs: Literal["auto", "all", "best"] = "auto",
    unknown: Policy = "raise",
    missing: Policy = "raise",
    progress: Progress | None = None,
) -> Comparison:
    """Compare models on the same items by many measures.

    Parameters
    ----------
    truth
        The true labels.
    models
        The predicted labels of each model, by its name.
    labels
        The ordered labels, lowest first; may be left out as in ``ConfusionMatrix.from_labels``.
    metrics
        Measures or their names. The first decides: it ranks the models and the conclusion is about
        it. By default a panel of one measure of each kind, led by ``cem_ord``.
    baseline
        Name of the model that all others are compared with; by default all pairs are, or with more
        than 12 models the best with each of the others.
    groups
        The cluster of each item (patient, prompt, document); whole clusters are drawn and swapped.
    rng
        Seed or generator.
    sample_weight
        One non-negative number an item, drawn together with it.
    level, method, n_resamples
        Of the intervals; ``n_resamples`` also of the permutation tests.
    pairs
        ``"all"`` pairs, the ``"best"`` against each other model, or ``"auto"``.
    unknown, missing
        ``"drop"`` leaves out items of which any label, of any model, is unknown or missing: models
        can only be compared on the same items.
    progress
        Called with a stage, the steps done and the steps in all.

    Examples
    --------
    >>> truth = [1, 2, 3] * 40
    >>> careful, wild = [1, 2, 3] * 30 + [1, 2, 2] * 10, [1, 2, 3] * 30 + [3, 2, 1] * 10
    >>> result = compare(truth, {"careful": careful, "wild": wild},
    ...                  metrics=["mean_absolute_error", "accuracy"], rng=0)
    >>> result.models
    ('careful', 'wild')
    >>> print(result.deltas()[0])
    mean_absolute_error: careful - wild = -0.250 [-0.375, -0.158], p = 0.0001
    """
    models = _as_mapping(models)
    settings = Settings(level, method, n_resamples, baseline, pairs, groups is not None)
    chosen = _choose(metrics)
    items = encode_labels(
        truth,
        models,
        truth_name="truth",
        labels=labels,
        sample_weight=sample_weight,
        unknown=unknown,
        missing=missing,
    )
    return _compare_items(items, groups, chosen, settings, rng, progress)


def _as_mapping(models: Any) -> dict[str, Any]:
    """The predictions by the name of the model; a DataFrame has a model a column."""
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


By = str | Sequence[str]


@overload
def compare_frame(
    frame: Any, truth: str, models: Sequence[str], *, by: None = None, **options: Any
) -> Comparison: ...
@overload
def compare_frame(
    frame: Any, truth: str, models: Sequence[str], *, by: By, **options: Any
) -> dict[Any, Comparison]: ...
def compare_frame(
    frame: Any, truth: str, models: Sequence[str], *, by: By | None = None, **options: Any
) -> Comparison | dict[Any, Comparison]:
    """Compare models whose predictions are columns of a dataframe, counted where it lives.

    Parameters
    ----------
    frame
        Any dataframe or lazy query that ``ConfusionMatrix.from_frame`` takes.
    truth, models
        Names of the columns.
    by
        A column, or columns: a comparison for each of its groups, in a dict.
    **options
        As for ``compare``; ``groups`` and ``weight`` are names of columns here.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"y": [1, 2, 3] * 20, "a": [1, 2, 3] * 20, "b": [1, 2, 2] * 20})
    >>> compare_frame(frame, "y", ["a", "b"], metrics=["accuracy"], n_resamples=99, rng=0).models
    ('a', 'b')
    """
    return _compare_rows(lambda columns: distinct_rows(frame, columns), truth, models, by, options)


@overload
def compare_file(
    path: Any, truth: str, models: Sequence[str], *, by: None = None, table: str | None = None,
    **options: Any,
) -> Comparison: ...  # fmt: skip
@overload
def compare_file(
    path: Any, truth: str, models: Sequence[str], *, by: By, table: str | None = None,
    **options: Any,
) -> dict[Any, Comparison]: ...  # fmt: skip
def compare_file(
    path: Any, truth: str, models: Sequence[str], *, by: By | None = None, table: str | None = None,
    **options: Any,
) -> Comparison | dict[Any, Comparison]:  # fmt: skip
    """Compare models whose predictions are columns of a file; options as for ``compare_frame``.

    The file is one that ``ConfusionMatrix.from_file`` takes.
    """
    progress = options.get("progress")
    return _compare_rows(
        lambda columns: file_rows(path, columns, table=table, progress=progress),
        truth,
        models,
        by,
        options,
    )


def _compare_rows(
    read: Callable[[list[str]], DistinctRows],
    truth: str,
    models: Sequence[str],
    by: By | None,
    options: dict[str, Any],
) -> Comparison | dict[Any, Comparison]:
    """Compare models from the distinct rows of all their columns."""
    if isinstance(models, str) or not models:
        raise LabelError("models must be a list of at least one column.")
    weight, groups = options.pop("sample_weight", None), options.pop("groups", None)
    weight = options.pop("weight", weight)
    keys = [] if by is None else [by] if isinstance(by, str) else list(by)
    named = [*keys, truth, *models, *(c for c in (weight, groups) if c is not None)]
    policies = {x: options.pop(x, "raise") for x in ("unknown", "missing")}
    labels = options.pop("labels", None)
    labels = None if labels is None else as_scale(labels)
    if len(set(keys)) < len(keys) or len(set(models)) < len(models):
        raise LabelError("a column of predictions, or to group by, is named twice.")
    chosen = _choose(options.pop("metrics", None))
    rng, progress = as_rng(options.pop("rng", None)), options.pop("progress", None)
    settings = _settings(options, grouped=groups is not None)
    rows = in_order(read(list(dict.fromkeys(named))))

    def compared(part: DistinctRows) -> Comparison:
        lost = Dropped()
        if groups is not None:
            part, lost = with_groups(part, groups, policies["missing"])
        items = joint_items(part, truth, models, weight, labels=labels, **policies)
        if lost:
            dropped = items.dropped | {groups: lost}
            items = replace(items, dropped=dropped, left_out=items.left_out + lost.missing)
        clusters = None if groups is None else part.columns[groups]
        return _compare_items(items, clusters, chosen, settings, rng, progress)

    if not keys:
        return compared(rows)
    # Of one group the integers may imply a shorter scale.
    labels = joint_scale(rows, [truth, *models], labels)
    found = {}
    for group, part in split_rows(rows, keys, policies["missing"]).items():
        try:
            found[group] = compared(part)
        except LabelError as error:
            raise LabelError(f"in the group {group!r}: {error}") from None
    return found


def _settings(options: dict[str, Any], *, grouped: bool) -> Settings:
    known = {f.name for f in fields(Settings)} - {"grouped"}
    for name in options:
        if name not in known:
            raise TypeError(
                f"got an unexpected keyword argument {name!r}; options are {', '.join(known)}, "
                f"labels, metrics, weight, groups, by, rng, unknown, missing and progress."
            )
    return Settings(**options, grouped=grouped)


def _compare_items(
    items: Encoded,
    groups: Any,
    metrics: tuple[Metric, ...],
    settings: Settings,
    rng: np.random.Generator | int | None,
    progress: Progress | None,
) -> Comparison:
    if settings.baseline is not None and settings.baseline not in items.models:
        raise ParameterError(
            f"baseline must name one of the models, {', '.join(items.models)}; "
            f"got {settings.baseline!r}."
        )
    if items.implied:
        occurs = np.zeros(items.scale.k, dtype=bool)
        for x in (items.truth, *items.models.values()):
            occurs[x] = True
        warn_of_empty_levels(items.scale, occurs)
    sample = joint_sample(items, groups)
    return compare_samples(items, sample, metrics, settings, as_rng(rng), progress or _silent)


@dataclass(frozen=True)
class Settings:
    """How models are compared."""

    level: float = 0.95
    method: Method = "bca"
    n_resamples: int = 9999
    baseline: str | None = None
    pairs: str = "auto"
    grouped: bool = False

    def __post_init__(self) -> None:
        check_options(self.method, self.level, self.n_resamples, prior=1.0, paired=True)
        if self.pairs not in ("auto", "all", "best"):
            raise ParameterError(f'pairs must be "auto", "all" or "best"; got {self.pairs!r}.')


def joint_sample(items: Encoded, groups: Any) -> Sample:
    """All models on the same items, or on the same groups of items."""
    if groups is None:
        models = list(items.models.values())
        return items_of(items.truth, models, items.scale.k, items.weights, items.multiplicity)
    return sample_of(items, groups=groups)


def compare_samples(
    items: Encoded,
    sample: Sample,
    metrics: tuple[Metric, ...],
    settings: Settings,
    rng: np.random.Generator,
    progress: Progress,
) -> Comparison:
    """The comparison of models whose joint sample is at hand."""
    names = list(items.models)
    progress("resampling", 0, 1)
    replicates = evaluate_draws(metrics, sample.draws(settings.n_resamples, rng))
    progress("resampling", 1, 1)
    estimates = _estimates(metrics, sample, names, replicates, settings)
    utilities = {
        m.name: np.array([m.utility(estimates[m.name][n].estimate) for n in names], dtype=float)
        for m in metrics
    }
    ties = {m.name: tie_breaks(m, sample.counts) for m in metrics}
    first = metrics[0].name
    keys = [sort_key(u, t) for u, t in zip(utilities[first], ties[first], strict=True)]
    order = sorted(range(len(names)), key=keys.__getitem__)
    wanted = _wanted_pairs(order, names, settings)
    deltas = _deltas(metrics, sample, names, wanted, replicates, settings, rng, progress)
    ordered = [names[i] for i in order]
    matrices = {names[i]: ConfusionMatrix(sample.counts[i], items.scale) for i in order}
    return Comparison(
        models=tuple(ordered),
        metrics=metrics,
        scale=items.scale,
        matrices=matrices,
        estimates={m: {n: by[n] for n in ordered} for m, by in estimates.items()},
        ranks={
            m.name: dict(zip(names, ranks(utilities[m.name], ties[m.name]), strict=True))
            for m in metrics
        },
        probability_best={
            m.name: dict(zip(names, share_best(m.utility(replicates[m.name])), strict=True))
            for m in metrics
        },
        preferred={m.name: preferred(m.utility(replicates[m.name])[:, order]) for m in metrics},
        separation=largest_difference_p_values(
            compared(metrics[0], replicates[first])[:, order],
            compared(metrics[0], np.array([estimates[first][n].estimate for n in ordered])),
        ),
        baselines=baselines(sample.counts[0], metrics),
        pairs=deltas,
        rank_agreement=rank_agreement([utilities[m.name] for m in metrics]),
        advice=(
            *_advice(matrices, metrics, items, deltas, settings, sample.units),
            *_about_draws(estimates),
        ),
        dropped=items.dropped,
        items=int(items.multiplicity.sum()),
        left_out=items.left_out,
        group_count=sample.units if settings.grouped else 0,
        level=settings.level,
        method=settings.method,
        n_resamples=settings.n_resamples,
        baseline=settings.baseline,
    )


def _silent(stage: str, done: int, of: int) -> None:
    """No progress is shown."""


def _estimates(
    metrics: tuple[Metric, ...],
    sample: Sample,
    names: list[str],
    replicates: dict[str, Floats],
    settings: Settings,
) -> dict[str, dict[str, Interval]]:
    estimates: dict[str, dict[str, Interval]] = {m.name: {} for m in metrics}
    for i, name in enumerate(names):
        left = sample.leave_one_out((i,)) if settings.method == "bca" else None
        for m in metrics:
            estimates[m.name][name] = make_interval(
                m,
                float(values_of(m, sample.counts[i])),
                replicates[m.name][:, i],
                None if left is None else jackknife(m, left),
                settings.level,
                settings.method,
            )
    return estimates


def _choose(metrics: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    chosen = tuple(get_metric(m) for m in (PANEL if metrics is None else metrics))
    if not chosen:
        raise ParameterError("metrics must name at least one measure.")
    for m in chosen:
        if m.needs != "labels":
            raise ParameterError(f"{m.name} needs predicted probabilities; compare takes labels.")
    if len({m.name for m in chosen}) < len(chosen):
        raise ParameterError("metrics must not repeat a measure.")
    return chosen


def _wanted_pairs(order: list[int], names: list[str], settings: Settings) -> list[tuple[int, int]]:
    if settings.baseline is not None:
        reference = names.index(settings.baseline)
        return [(i, reference) for i in order if i != reference]
    many = len(order) > _ALL_PAIRS_UP_TO
    if settings.pairs == "best" or (settings.pairs == "auto" and many):
        return [(order[0], i) for i in order[1:]]
    return list(itertools.combinations(order, 2))


def _deltas(
    metrics: tuple[Metric, ...],
    sample: Sample,
    names: list[str],
    wanted: list[tuple[int, int]],
    replicates: dict[str, Floats],
    settings: Settings,
    rng: np.random.Generator,
    progress: Progress,
) -> Deltas:
    found: dict[tuple[str, tuple[int, int]], Delta] = {}
    for done, pair in enumerate(wanted):
        progress("pairs", done, len(wanted))
        left = sample.leave_one_out(pair)
        p_values = permutation_p_values(metrics, sample, pair, left, settings.n_resamples, rng)
        for m in metrics:
            found[m.name, pair] = make_delta(
                m, sample, pair, left, (names[pair[0]], names[pair[1]]), replicates[m.name],
                p_values[m.name], settings.level, settings.method,
            )  # fmt: skip
    progress("pairs", len(wanted), len(wanted))
    deltas = [found[m.name, pair] for m in metrics for pair in wanted]
    p = [d.p_value for d in deltas]
    return Deltas(
        replace(d, p_holm=float(h), p_bh=float(b))
        for d, h, b in zip(deltas, holm(p), benjamini_hochberg(p), strict=True)
    )


def _misfits(dropped: Dropped) -> str:
    parts = ((dropped.missing, "missing"), (dropped.unknown, "unknown"))
    return ", ".join(f"{n:,} {what}" for n, what in parts if n)


def _advice(
    matrices: Mapping[str, ConfusionMatrix],
    metrics: tuple[Metric, ...],
    items: Encoded,
    deltas: Deltas,
    settings: Settings,
    units: int,
) -> tuple[Advice, ...]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, cm in matrices.items():
        for advice in diagnose(cm, metrics, implied=items.implied):
            found.setdefault((advice.code, advice.message), []).append(name)
    merged = [
        Advice(code, message if len(who) == len(matrices) else f"{', '.join(who)}: {message}")
        for (code, message), who in found.items()
    ]
    if items.left_out:
        columns = ", ".join(f"{c} ({_misfits(d)})" for c, d in items.dropped.items())
        merged.append(
            Advice("OE107", f"{items.left_out:,} items were left out for every model: {columns}.")
        )
    if settings.grouped and units < FEW_GROUPS:
        least = f"; no p-value can fall below {2.0 ** (1 - units):.2g}" if units < 12 else ""
        merged.append(Advice("OE304", f"only {units} groups to draw from{least}."))
    if len(matrices) > 1:
        merged.append(
            Advice("OE303", "read the paired differences; overlapping intervals are not a test.")
        )
    alpha = 1 - settings.level
    if len(deltas) / (settings.n_resamples + 1) > alpha:
        merged.append(
            Advice(
                "OE305",
                f"{len(deltas):,} tests with {settings.n_resamples:,} draws: no p-value corrected "
                f"by Holm for all of them can fall below {alpha:.2g}.",
            )
        )
    return tuple(sorted(merged, key=lambda a: a.code))


def _about_draws(estimates: dict[str, dict[str, Interval]]) -> list[Advice]:
    """Measures that had no value in many of the draws."""
    found = []
    for metric, by_model in estimates.items():
        # A measure without a value on the data themselves is shown as such already.
        models = [
            m
            for m, i in by_model.items()
            if i.undefined_share > TOO_MANY_UNDEFINED and i.estimate == i.estimate
        ]
        if models:
            worst = max(by_model[m].undefined_share for m in models)
            found.append(
                Advice(
                    "OE301",
                    f"{metric} is undefined in up to {worst:.1%} of the draws of "
                    f"{', '.join(models)}; their intervals are over the others only.",
                )
            )
    return found
