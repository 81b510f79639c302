"""compare: many models, many measures, on the same items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ordeval._shared.text import joined, name_of, named
from ordeval._shared.types import (
    Paths,
    Policy,
    Progress,
    Rng,
    as_rng,
    silent,
)
from ordeval.data.accumulator import Accumulator
from ordeval.data.items import Items, Misfits
from ordeval.data.outputs import Outputs, Reading, given_by, kind_of, read_outputs
from ordeval.data.probabilities import is_table
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource
from ordeval.data.sources.frames import FrameSource
from ordeval.data.sources.output_columns import each_item, settled
from ordeval.data.sources.rows import DistinctRows, Source, joint_items, joint_scale
from ordeval.data.subgroups import split_rows
from ordeval.evaluate._comparing import (
    PairedMethod,
    Pairs,
    Settings,
    compare_items,
    panel_of,
)
from ordeval.evaluate._loss_sums import read as read_rows, summed_or_read
from ordeval.evaluate._scoring import SHARES_PANEL
from ordeval.exceptions import LabelError
from ordeval.inference.forecasts.decision_rules import rule_of
from ordeval.inference.intervals import Estimation
from ordeval.measures.metric import check_names, warn_of_unused_levels
from ordeval.measures.registry import Chosen, choose
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import Comparisons

Columns = str | Sequence[str]


def compare(
    y_true: Any,
    models: Mapping[str, Any] | None = None,
    metrics: Chosen = None,
    *,
    labels: Any = None,
    outputs: Outputs = "auto",
    decide: Any = "mode",
    reference: str | None = None,
    margin: float | None = None,
    clusters: Any = None,
    sample_weight: Any = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: Pairs = "auto",
    unknown: Policy = "raise",
    missing: Policy = "raise",
    rng: Rng = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare models on the same items by many measures.

    Parameters
    ----------
    y_true
        The true labels.
    models
        What each model gives, by its name: labels (n,), probabilities (n, K), or scores (n,) with
        ``outputs="scores"``. In place of truth and models an Accumulator that counted several.
    metrics
        Measures or their names. The first decides: it ranks the models and the conclusion is about
        it. By default a panel of one measure of each kind, led by ``cem_ord``; of probabilities
        proper scores, led by ``ranked_probability_score``, beside measures of the labels that are
        decided for; of scores how well they order the items, led by ``concordance_index``.
    outputs, decide
        What the models give, and how probabilities become labels, as for ``confidence_interval``.
        If some give labels and others probabilities, all are compared by their labels.
    labels
        The ordered labels, lowest first; may be left out as in ``ConfusionMatrix.from_labels``.
    reference
        Name of the model that all others are compared with; by default all pairs are, or with more
        than 12 models the best with each of the others.
    margin
        How much worse, in units of the first measure, a model may be than the one it is compared
        with (the reference, if there is one) to count as non-inferior.
    clusters
        The cluster of each item (patient, prompt, document), or several arrays of clusters within
        clusters, as for ``confidence_interval``.
    sample_weight
        One non-negative number per item: how much it counts.
    level, method, n_resamples
        Of the intervals, as for ``confidence_interval``.
    pairs
        Which pairs are listed: ``"all"``, the ``"best"`` against each other model, or ``"auto"``.
        P-values are corrected for all pairs, whichever are listed.
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
    ...                  ["mean_absolute_error", "accuracy"])
    >>> result.models
    ('careful', 'wild')
    >>> print(result.deltas()[0])
    mean_absolute_error: careful - wild = -0.250 [-0.356, -0.140], p < 0.0001
    """
    counted = y_true if isinstance(y_true, Accumulator) and models is None else None
    by_name = _as_mapping(models) if counted is None else dict.fromkeys(counted.models, ())
    given = given_by(by_name, outputs)
    usual = SHARES_PANEL if is_table(y_true) else panel_of(given)
    settings = Settings(
        metrics=choose(metrics, usual, given),
        named=metrics is not None,
        how=Estimation(method=method, level=level, n_resamples=n_resamples, paired=True),
        reference=reference,
        margin=margin,
        pairs=pairs,
        given=given,
        decide=decide,
        aside=_aside({name: kind_of(x, outputs) for name, x in by_name.items()}),
        rng=as_rng(rng),
        progress=progress or silent,
    )
    if counted is not None:
        if clusters is not None or sample_weight is not None:
            raise LabelError("clusters and weights go with labels, not with what was counted.")
        items = counted.items(labels)
    else:
        reading = Reading(
            labels=labels,
            outputs=outputs,
            decide=rule_of(decide),
            misfits=Misfits(unknown, missing),
            distinct=clusters is None,
        )
        items = read_outputs(y_true, by_name, reading, sample_weight=sample_weight)
    _meet(items.scale, items.implied, settings)
    return compare_items(items, clusters, settings)


def compare_frame(
    frame: Any,
    truth: str,
    pred: Columns | None = None,
    metrics: Chosen = None,
    *,
    prob: Any = None,
    score: Columns | None = None,
    decide: Any = "mode",
    labels: Any = None,
    reference: str | None = None,
    margin: float | None = None,
    clusters: Columns | None = None,
    weight: str | None = None,
    by: Columns | None = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: Pairs = "auto",
    unknown: Policy = "raise",
    missing: Policy = "raise",
    item: Columns | None = None,
    model: str | None = None,
    truth_frame: Any = None,
    on: Columns | None = None,
    pred_frames: Mapping[str, tuple[Any, str]] | None = None,
    rng: Rng = None,
    progress: Progress | None = None,
) -> Any:
    """Compare models whose predictions are columns of a dataframe, counted where it lives.

    Parameters
    ----------
    frame
        Any dataframe or lazy query that ``ConfusionMatrix.from_frame`` takes.
    truth, pred, weight
        Names of the columns; ``pred`` lists one per model.
    prob
        The columns of models that give probabilities, by the name of the model: a mapping to what
        their names begin with, such as ``{"a": "a_", "b": "b_"}`` of columns ``a_low`` and
        ``a_high``, or to a list of columns, which are put in the order of the levels that they
        name. Of one model, without its name: it is called by what the columns share, ``a`` of
        ``a_`` and of ``a_p_``.
    score
        Columns of scores, higher for a higher class, one per model.
    decide
        How probabilities become labels, as for ``compare``.
    clusters
        Name of the column of clusters, or a list of columns of clusters within clusters.
    by
        A column, or columns, of subgroups: one comparison for each, and what stands when
        corrected for all of them.
    item, model
        Of a long table, with a row for each item and model: the column, or columns, that name the
        item, and the column that names the model; ``pred`` is the column of all predictions.
    truth_frame, on
        Another frame that holds the truth, and the column, or columns, of ids by which the two are
        joined. Subgroups, clusters and weights are read there if it has them.
    pred_frames
        Frames of predictions, one per model: its name, mapped to the frame and the column; joined
        by ``on``. Items that are not in all tables are an error, or with ``missing="drop"`` left
        out and counted; an id that is there twice always is an error.
    metrics, labels, reference, margin, level, method, n_resamples, pairs, unknown, missing, rng
        As for ``compare``; so is ``progress``.

    Returns
    -------
    A Comparison; with ``by`` Comparisons, a mapping of subgroups to theirs.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.LazyFrame({"y": [1, 2, 3] * 20, "a": [1, 2, 3] * 20, "b": [1, 2, 2] * 20})
    >>> compare_frame(frame, "y", ["a", "b"], ["accuracy"]).models
    ('a', 'b')
    """
    # The file reader is a source already.
    source: Source = frame if isinstance(frame, FileSource) else FrameSource(frame)
    from ordeval.data.sources.joins import Layout, laid_out  # labels in arrays need no layout

    layout = Layout(
        item=item, model=model, truth_at=truth_frame, on=on, pred_at=dict(pred_frames or {})
    )
    source, pred = laid_out(source, truth, pred, layout, missing)
    query = Query.of(
        truth,
        pred,
        labels=labels,
        weight=weight,
        by=by,
        clusters=clusters,
        unknown=unknown,
        missing=missing,
    ).giving(prob, score)
    kinds = _kinds(query)
    settings = Settings(
        metrics=choose(metrics, panel_of(query.given), query.given),
        named=metrics is not None,
        how=Estimation(method=method, level=level, n_resamples=n_resamples, paired=True),
        reference=reference,
        margin=margin,
        pairs=pairs,
        given=query.given,
        decide=decide,
        aside=_aside(kinds),
        rng=as_rng(rng),
        progress=progress or silent,
    )
    return compare_source(source, query, settings)


def compare_file(
    path: Paths,
    truth: str,
    pred: Columns | None = None,
    metrics: Chosen = None,
    *,
    prob: Any = None,
    score: Columns | None = None,
    decide: Any = "mode",
    labels: Any = None,
    reference: str | None = None,
    margin: float | None = None,
    clusters: Columns | None = None,
    weight: str | None = None,
    by: Columns | None = None,
    table: str | None = None,
    input_format: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    where: str | None = None,
    level: float = 0.95,
    method: PairedMethod = "auto",
    n_resamples: int = 9999,
    pairs: Pairs = "auto",
    unknown: Policy = "raise",
    missing: Policy = "raise",
    item: Columns | None = None,
    model: str | None = None,
    truth_file: Paths | None = None,
    on: Columns | None = None,
    pred_files: Mapping[str, tuple[Paths, str]] | None = None,
    rng: Rng = None,
    progress: Progress | None = None,
) -> Any:
    """Compare models whose predictions are columns of a file; arguments as for ``compare_frame``.

    The file, or list of files, is one that ``ConfusionMatrix.from_file`` takes; ``table``,
    ``input_format``, ``encoding``, ``decimal`` and ``where`` are as there. ``truth_file`` and
    ``pred_files`` are joined by ``on`` as ``truth_frame`` and ``pred_frames`` are.
    """
    form = Form.of(input_format, encoding, decimal, where)
    source = FileSource(path, table, progress, form)
    return compare_frame(
        source,
        truth,
        pred,
        metrics,
        prob=prob,
        score=score,
        decide=decide,
        labels=labels,
        reference=reference,
        margin=margin,
        clusters=clusters,
        weight=weight,
        by=by,
        level=level,
        method=method,
        n_resamples=n_resamples,
        pairs=pairs,
        unknown=unknown,
        missing=missing,
        item=item,
        model=model,
        truth_frame=truth_file,
        on=on,
        pred_frames=pred_files,
        rng=rng,
        progress=progress,
    )


def _kinds(query: Query) -> dict[str, Outputs]:
    """What each model of a query gives; scores do not stand beside anything else."""
    if query.score and len(query.outputs) > len(query.score):
        raise LabelError(
            f"{named('score')} names scores, which only order the items, and {named('pred')} or "
            f"{named('prob')} something else: compare models that give the same."
        )
    kinds: dict[str, Outputs] = dict.fromkeys(query.models, "labels")
    return kinds | dict.fromkeys(query.prob, "probabilities") | dict.fromkeys(query.score, "scores")


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
    if hasattr(models, "columns") and hasattr(models, "__getitem__"):
        names = getattr(models, "column_names", models.columns)
        models = {name: models[name] for name in names}
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


def compare_source(source: Source, query: Query, settings: Settings) -> Comparison | Comparisons:
    """Compare models from the distinct rows of all their columns."""
    query = settled(source, query)
    decide = rule_of(settings.decide)
    if not query.by and not query.plain:
        items, clusters = summed_or_read(
            source, query, settings.metrics, settings.how, settings.decide
        )
        _meet(items.scale, items.implied, settings)
        return compare_items(items, clusters, settings)
    rows = read_rows(source, query)

    def read(part: DistinctRows) -> tuple[Items, Any]:
        return joint_items(part, query) if query.plain else each_item(part, query, decide)

    if not query.by:
        items, clusters = read(rows)
        _meet(items.scale, items.implied, settings)
        return compare_items(items, clusters, settings)
    unmatched, rows = rows.unmatched, replace(rows, unmatched=0)
    # Of one subgroup the integers may imply a shorter scale.
    scale, implied = joint_scale(rows, query)
    _meet(scale, implied, settings)
    query = replace(query, labels=scale)
    from ordeval.evaluate._comparing_subgroups import compare_segments, few  # of subgroups alone

    if not few(rows, query, settings):
        return compare_segments(rows, query, settings, implied=implied, unmatched=unmatched)
    split = split_rows(rows, query)
    if not split:
        raise LabelError("there are no items to compare.")
    read(rows)  # labels, weights and clusters that cannot be used are an error
    found, left_out = {}, {}
    for key, part in split.items():
        try:
            items, clusters = read(part)
            found[key] = compare_items(replace(items, implied=implied), clusters, settings)
        except LabelError as error:  # no items, or a single cluster, which silences no other
            left_out[key] = str(error)
    if not found:
        key, why = next(iter(left_out.items()))
        raise LabelError(f"in the subgroup {name_of(key)}: {why}")
    nowhere = rows.count.sum() - sum(part.count.sum() for part in split.values())
    return Comparisons(found, query.by, left_out, int(nowhere) + unmatched)


def _meet(scale: Scale, implied: bool, settings: Settings) -> None:
    """Refuse parameters that do not fit the scale; warn of measures that were asked for."""
    check_names(settings.metrics, scale)
    if implied and settings.named:
        warn_of_unused_levels(settings.metrics, scale)
