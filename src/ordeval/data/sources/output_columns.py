"""Probabilities and scores in columns of a frame or a file: which column is which level.

Labels, subgroups and clusters come from distinct rows as usual; numbers are read for each item.
This module is independent of the source of the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ordeval._shared.numbers import is_integer
from ordeval._shared.text import argument, joined, named, plural
from ordeval._shared.types import Floats
from ordeval.data.items import Items, read_weights
from ordeval.data.level_names import places_of
from ordeval.data.outputs import Decide, with_outputs
from ordeval.data.query import Query
from ordeval.data.scale import Scale
from ordeval.data.sources.rows import (
    DistinctRows,
    Source,
    joint_items,
    joint_scale,
    with_clusters,
    without,
)
from ordeval.exceptions import LabelError


def settled(source: Source, query: Query) -> Query:
    """The query with its scale, and the column of each level, lowest first, of each model."""
    if not query.prob:
        return query
    scale = query.labels if query.labels is not None else _scale(source, query)
    for model, given in query.prob.items():
        _refuse_other_names(model, given, source, scale)
    prob = {model: _by_level(model, given, scale) for model, given in query.prob.items()}
    columns = [c for listed in prob.values() for c in listed]
    for what, column in (("truth", query.truth), *(("pred", m) for m in query.models)):
        if column in columns:
            raise LabelError(
                f"{named(what)} and {named('prob')} name the same column, {column!r}, which cannot "
                f"hold labels and probabilities."
            )
    return replace(query, labels=scale, prob=prob)


def _scale(source: Source, query: Query) -> Scale:
    """The scale that the truth tells, or the names of columns where it lacks a level."""
    if source.once:
        raise LabelError(
            f"declare the levels with {argument('labels')}: standard input is read only once."
        )
    labels = replace(query, prob={}, by=(), clusters=(), weight=None)
    scale, implied = joint_scale(source.rows(labels.columns), labels)
    if not implied:
        return scale
    for given in query.prob.values():
        levels = _integers(given, source)
        if levels is not None and set(scale) < set(levels):
            return Scale(levels)
    return scale


def _integers(given: str | tuple[str, ...], source: Source) -> list[int] | None:
    """The levels that the names of columns end in, if all of them are integers in a row."""
    if isinstance(given, str):
        rest = [c[len(given) :] for c in source.columns() if c.startswith(given)]
        rest = [r for r in rest if is_integer(r)]
    else:
        rest = next(_endings(given), [])
    levels = sorted(map(int, rest))
    if not levels or levels != list(range(levels[0], levels[0] + len(levels))):
        return None
    return levels


def _endings(columns: Sequence[str]) -> Iterator[list[str]]:
    """The numbers that names end in, if what is before them is the same."""
    for cut in range(min(map(len, columns))):
        rest = [c[cut:] for c in columns]
        if len({c[:cut] for c in columns}) == 1 and all(map(is_integer, rest)):
            yield rest


def _refuse_other_names(
    model: str, given: str | tuple[str, ...], source: Source, scale: Scale
) -> None:
    """Raise an error for too few columns, or for a prefix that no column has if others are right.

    The error of a column that is not there is left to the source.
    """
    if not isinstance(given, str):
        if len(given) != scale.k:
            raise LabelError(_wrong_number(model, given, source, scale))
        return
    if source.once:
        return
    columns, lowest = set(source.columns()), str(scale.levels[0])
    if any(f"{given}{level}" in columns for level in scale):
        return
    prefixes = [c.removesuffix(lowest) for c in source.columns() if c.endswith(lowest)]
    whole = [p for p in prefixes if all(f"{p}{level}" in columns for level in scale)]
    if whole:
        raise LabelError(
            f"there is no column {given + lowest!r}, which {named('prob')} {given!r} asks for. "
            f"Prefixes with all levels: {joined([repr(p) for p in whole], most=9)}."
        )


def _wrong_number(model: str, given: tuple[str, ...], source: Source, scale: Scale) -> str:
    """The message for a list of columns that are not one for each level."""
    text = (
        f"{named('prob')} must name one column for each of the {scale.k} levels of {scale}; got "
        f"{plural(len(given), 'column')} for {model}: {', '.join(map(repr, given))}."
    )
    columns = () if source.once else source.columns()
    begun = [any(c.startswith(name) and c != name for c in columns) for name in given]
    if len(given) < 2 or not all(begun):
        return text
    mapping = f"prob={ {name: name for name in given} }"
    options = " ".join(f"{named('prob')} {name}" for name in given)
    several = mapping if named("prob") == "prob" else options
    return f"{text} If they are prefixes, one for each model, write {several}."


def _by_level(model: str, given: str | tuple[str, ...], scale: Scale) -> tuple[str, ...]:
    """The columns of a model in the order of the scale."""
    if isinstance(given, str):
        return tuple(f"{given}{level}" for level in scale)
    order = places_of(given, scale)
    if order is None:
        raise LabelError(
            f"the columns of {model}, {', '.join(map(repr, given))}, do not name the levels of "
            f"{scale}. Name them after the levels, with an optional prefix, such as "
            f"p_{next(iter(scale))}; or number them in the order of the scale: p1, p2 and so on."
        )
    return tuple(given[i] for i in order)


def each_item(
    rows: DistinctRows, query: Query, decide: Decide | None
) -> tuple[Items, list[Any] | None]:
    """All models on the same items, and the cluster of each row that was given."""
    rows, lost = with_clusters(rows, query)
    labels, clusters = joint_items(rows, replace(query, weight=None, prob={}, score=()))
    items = _spread(labels, rows, query)
    tables = {
        model: np.stack([rows.numbers[c] for c in columns], axis=1)
        for model, columns in query.prob.items()
    }
    scores = {c: rows.numbers[c] for c in query.score}
    _refuse_gaps(tables | scores, query)
    items = with_outputs(
        items,
        tables,
        scores,
        misfits=query.misfits,
        order=[*query.models, *tables, *scores],
        decide=decide,
    )
    items = without(items, lost, query)
    if clusters is None or rows.row is None:
        return items, None
    return items, [_taken(level, rows.row) for level in clusters]


def _spread(labels: Items, rows: DistinctRows, query: Query) -> Items:
    """The items one by one, of which labels were read in distinct rows."""
    assert rows.row is not None
    kept = labels.kept[rows.row]
    place = (np.cumsum(labels.kept) - 1)[rows.row][kept]
    weights = None
    if query.weight is not None:
        read = read_weights(rows.numbers[query.weight], len(kept), column=query.weight)
        weights = None if read is None else read[kept]
    return replace(
        labels,
        y_true=labels.y_true[place],
        kept=kept,
        weights=weights,
        y_pred={model: codes[place] for model, codes in labels.y_pred.items()},
        count=np.ones(len(place), dtype=np.int64),
    )


def _taken(values: list[Any], places: Any) -> Any:
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held[places]


def _refuse_gaps(outputs: dict[str, Floats], query: Query) -> None:
    """Refuse items without a number, unless they are to be dropped."""
    if query.misfits.missing == "drop":
        return
    for model, given in outputs.items():
        gone = np.isnan(given) if given.ndim == 1 else np.isnan(given).any(axis=1)
        if gone.any():
            what = "score" if given.ndim == 1 else "probability"
            lost = int(gone.sum())
            them = "it" if lost == 1 else "them"
            raise LabelError(
                f"{plural(lost, 'item')} {'has' if lost == 1 else 'have'} a missing {what} of "
                f"{model}, the first in row {int(np.argmax(gone)) + 1:,}. Rows of data are counted "
                f"from 1. Fill {them} in, or use {argument('missing', 'drop')} to drop {them}; the "
                f"result keeps count."
            )
