"""compare: many models, many measures, on the same items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack, overload

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.text import joined, named
from ordeval._shared.types import Progress, Rng, as_rng, silent
from ordeval.data.accumulator import Accumulator
from ordeval.data.array_options import ArrayOptions, GroupedOptions, check_keywords
from ordeval.data.columns import frame_columns
from ordeval.data.description import Description, read_rows
from ordeval.data.outputs import Decide, Outputs
from ordeval.data.predictions import Predictions, described
from ordeval.data.probabilities import is_table
from ordeval.data.query import refuse_names
from ordeval.data.scale import Scale
from ordeval.evaluate._comparing import (
    ListedPairs,
    PairedMethod,
    Settings,
    compare_items,
)
from ordeval.evaluate._loss_sums import summed_or_read
from ordeval.evaluate._scoring import PANELS, SHARES_PANEL, are_named
from ordeval.evaluate.populations.targets import in_population
from ordeval.evaluate.populations.tasks import average_of, average_of_each, compare_average
from ordeval.exceptions import LabelError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Estimation
from ordeval.inference.many_models.ranking import BASELINES
from ordeval.inference.samples import sample_of
from ordeval.measures.registry import Chosen, Given, choose
from ordeval.measures.scale_checks import on_scale, warn_of_unused_levels
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Comparisons


@overload
def compare(
    y_true: Predictions,
    models: Chosen = None,
    metrics: Chosen = None,
    *,
    reference: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: ListedPairs = "auto",
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    progress: Progress | None = None,
) -> Comparison | Comparisons: ...


@overload
def compare(
    y_true: Any,
    models: Mapping[str, Any] | None = None,
    metrics: Chosen = None,
    *,
    reference: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: ListedPairs = "auto",
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    progress: Progress | None = None,
    **data: Unpack[ArrayOptions],
) -> Comparison: ...


@overload
def compare(
    y_true: Any,
    models: Mapping[str, Any],
    metrics: Chosen = None,
    *,
    by: Any,
    reference: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: ListedPairs = "auto",
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    progress: Progress | None = None,
    **data: Unpack[ArrayOptions],
) -> Comparisons: ...


@checked
def compare(
    y_true: Any,
    models: Any = None,
    metrics: Chosen = None,
    *,
    reference: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: ListedPairs = "auto",
    rng: Rng = None,
    prevalence: Any = None,
    mix: Any = None,
    over: Any = None,
    progress: Progress | None = None,
    **data: Unpack[GroupedOptions],
) -> Comparison | Comparisons:
    """Compare models on the same items by many measures.

    Parameters
    ----------
    y_true
        ``Predictions`` instead of truth and models; or the true labels; or an Accumulator that
        counted several models.
    models
        The output of each model, by its name: labels (n,), probabilities (n, K), or scores (n,)
        with ``outputs="scores"``.
    metrics
        Measures or their names; the second argument after ``Predictions``. The first one decides:
        it ranks the models, and the conclusion is about it. The default is a panel with one measure
        of each kind, led by closeness (CEM). For probabilities the panel has proper scores, led by
        the ranked probability score, and measures of the decided labels; for scores it has measures
        of order, led by the concordance index. ``"all"`` means every fast measure.
    reference
        Name of the model that all others are compared with. The default compares all pairs, or
        with more than 12 models the best with each of the others.
    margin
        How much worse, in units of the first measure, a model may be than the one it is compared
        with (the reference, if there is one) to count as non-inferior.
    level, method, n_resamples
        How intervals are made, as for ``confidence_interval``.
    pairs
        Which pairs are listed: ``"all"``, the ``"best"`` against each other model, or ``"auto"``.
        P-values are corrected for all pairs, whichever are listed.
    rng
        Seed or generator.
    prevalence
        Shares of the true classes in the target population, if they differ from those in the data:
        a mapping of labels to shares, a sequence in the order of the scale, counts of a registry,
        or other ``Predictions`` with its true labels. Intervals account for the items of each
        class, and for the size of the registry if there are counts.
    mix
        Shares of the subgroups in the target population, as a mapping of their names to shares; the
        result is for all of them together. With several columns of subgroups, a mapping of the name
        of one to such a mapping.
    over
        The column of subgroups that names the tasks: the result is about the average over the
        tasks, all of equal weight; or a mapping of its name to the weights of the tasks. Tasks with
        scales of their own are a mapping of their names to ``Predictions``, instead of the data.
    progress
        Called with a stage, the steps done and the steps in all.
    **data
        With arrays: ``labels``, ``sample_weight``, ``clusters``, ``by``, ``outputs``, ``decide``,
        ``unknown`` and ``missing``, as for ``Predictions``. If some models give labels and others
        probabilities, all are compared by their labels. ``"drop"`` drops items for which any label,
        of any model, is unknown or missing: models are compared on the same items.

    Returns
    -------
    Comparison or Comparisons
        A Comparison; with subgroups Comparisons, a mapping of the subgroups to theirs.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or arguments do not go together.
    UnknownMetricError
        If a measure is not registered.
    ParameterError
        If an option has a value that it does not take.

    Examples
    --------
    >>> y_true = [1, 2, 3] * 40
    >>> careful, wild = [1, 2, 3] * 30 + [1, 2, 2] * 10, [1, 2, 3] * 30 + [3, 2, 1] * 10
    >>> result = compare(y_true, {"careful": careful, "wild": wild},
    ...                  ["mean_absolute_error", "accuracy"])
    >>> result.models
    ('careful', 'wild')
    >>> print(result.deltas()[0])
    MAE: careful - wild = -0.250 [-0.356, -0.145], p < 0.0001
    """
    check_keywords(data, "compare")
    if isinstance(y_true, (Predictions, Mapping)) and metrics is None:
        models, metrics = None, models
    tasks = None
    if isinstance(y_true, Mapping) and over is not None:
        tasks = average_of_each(y_true, over)
        y_true = next(iter(y_true.values()))
    counted = y_true if isinstance(y_true, Accumulator) and models is None else None
    if counted is not None:
        described_data, shares = None, False
        kinds: Mapping[str, Outputs] = dict.fromkeys(counted.models, "labels")
    else:
        if not isinstance(y_true, Predictions):
            models, shares = _as_mapping(models), is_table(y_true)
        described_data = described(y_true, models, data, who="compare")
        arrays, kinds = described_data.arrays, described_data.kinds
        shares = arrays is not None and is_table(arrays.y_true)
    given: Given = "labels" if described_data is None else described_data.given
    if shares and not are_named(metrics):
        metrics = SHARES_PANEL
    settings = Settings(
        metrics=choose(metrics, PANELS[given], given),
        named=are_named(metrics),
        how=Estimation(method=method, level=level, n_resamples=n_resamples, paired=True),
        reference=reference,
        margin=margin,
        pairs=pairs,
        given=given,
        decide=data.get("decide", "mode") if described_data is None else described_data.decide,
        aside=_aside(kinds),
        rng=as_rng(rng),
        progress=_progress(progress, described_data),
    )
    if described_data is not None:
        described_data = in_population(described_data, prevalence, mix, method)
        if over is not None:
            return compare_average(tasks or average_of(described_data, over), settings)
        return compare_described(described_data, settings)
    assert counted is not None
    if prevalence is not None or mix is not None or over is not None:
        raise LabelError("prevalence, mix and over need items; an Accumulator has only counts.")
    if data.get("clusters") is not None or data.get("sample_weight") is not None:
        raise LabelError("clusters and weights need labels, not counts.")
    items = counted.items(data.get("labels"))
    return compare_items(items, None, _meet(items.scale, items.implied, settings))


def compare_whole(data: Predictions) -> Comparison:
    """Compare models by the default panel, whatever the subgroups."""
    found = compare(Predictions._of(data._data.whole))
    assert isinstance(found, Comparison)
    return found


def _progress(progress: Progress | None, data: Description | None) -> Progress:
    if progress is not None:
        return progress
    return silent if data is None else data.progress


def _aside(kinds: Mapping[str, Outputs]) -> str:
    """Which measures do not apply because models give different things."""
    if len(set(kinds.values())) == 1:
        if "scores" in kinds.values():
            return "Scores only order the items: measures of labels and probabilities do not apply."
        return ""
    plain = [name for name, kind in kinds.items() if kind == "labels"]
    give = "gives" if len(plain) == 1 else "give"
    return f"Measures of probabilities do not apply: {joined(plain)} {give} labels."


def _as_mapping(models: Any) -> dict[str, Any]:
    """The predictions by the name of the model; a DataFrame has one column per model."""
    if columns := frame_columns(models):
        models = dict(columns)
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


def compare_described(data: Description, settings: Settings) -> Comparison | Comparisons:
    """Compare models on the items that are described, overall or in subgroups."""
    query, rule = data.query, rule_of(settings.decide)
    taken = {f"({x})": "a baseline" for x in (*BASELINES, "best baseline")}
    refuse_names(data.models, taken, "a model")
    if query.score and len(query.outputs) > len(query.score):
        raise LabelError(
            f"{named('score')} names scores, and {named('pred')} or {named('prob')} names "
            "other outputs. Compare models with the same kind of output."
        )
    if data.query.by:
        return _compare_subgroups(data, settings, rule)
    items, clusters = summed_or_read(data, settings.metrics, settings.how)
    return compare_items(items, clusters, _meet(items.scale, items.implied, settings))


def _compare_subgroups(data: Description, settings: Settings, rule: Decide) -> Comparisons:
    grouped = data.subgroups()
    rows, query, implied = grouped.rows, grouped.query, grouped.implied
    settings = _meet(query.labels, implied, settings)
    from ordeval.evaluate._comparing_subgroups import (  # of subgroups alone
        NO_WEIGHT,
        compare_segments,
        few,
        none_compared,
    )

    if not few(grouped, settings):
        return compare_segments(grouped, settings)
    if not grouped.keys:
        raise LabelError("there are no items to compare.")
    read_rows(rows, query, rule)  # labels, weights and clusters that cannot be used are an error
    found, left_out = {}, {}
    for key, part in grouped.by_key.items():
        try:
            items, clusters = read_rows(part, query, rule)
            if items.n and items.weights is not None and not items.weights.any():
                raise LabelError(NO_WEIGHT)
            found[key] = compare_items(replace(items, implied=implied), clusters, settings)
        except LabelError as error:  # no items or weight, or a single cluster: others are compared
            left_out[key] = str(error)
    if not found:
        raise none_compared(left_out)
    spanned = False
    if any(c.clusters for c in found.values()):
        inside = rows.take(np.flatnonzero(grouped.where >= 0))
        items, clusters = read_rows(inside, query, rule)
        all_clusters = sample_of(items, clusters=clusters).clusters
        spanned = sum(c.clusters for c in found.values()) > all_clusters
    return Comparisons(found, query.by, left_out, grouped.nowhere, spanned=spanned)


def _meet(scale: Scale | None, implied: bool, settings: Settings) -> Settings:
    """Find levels on the scale; warn of measures that were asked for."""
    assert scale is not None
    settings = replace(settings, metrics=on_scale(settings.metrics, scale))
    if implied and settings.named:
        warn_of_unused_levels(settings.metrics, scale)
    return settings
