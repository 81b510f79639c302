"""Labels in the type of the scale: what CSV holds is text until the labels say otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from ordeval._shared.numbers import has_decimal_comma, is_decimal, is_integer, is_whole
from ordeval._shared.text import argument
from ordeval.data.columns import Place, Places, is_missing
from ordeval.data.numbering import Coded
from ordeval.data.positions import if_it_means_missing, means_missing
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import ScaleError

if TYPE_CHECKING:
    from ordeval.data.sources.rows import DistinctRows


def decimal_hint(value: Any) -> str:
    """How CSV with decimal commas is read, if a value looks like that."""
    if not isinstance(value, str) or not has_decimal_comma(value):
        return ""
    return f" In CSV, {argument('decimal', ',')} reads decimal commas."


def with_numbers(
    found: Mapping[str, tuple[DistinctRows, list[str]]], labels: Any
) -> dict[str, DistinctRows]:
    """Numbers that came as text, in some columns of rows, become numbers if labels are.

    Without declared labels they do if every label is written as an integer: "01" is not. Days of
    typed columns become text if labels are text.
    """
    if labels is not None and all(isinstance(x, str) for x in as_scale(labels)):
        return {m: _with_days(rows, named) for m, (rows, named) in found.items()}
    if not all(rows.text for rows, _ in found.values()):
        return {m: rows for m, (rows, _) in found.items()}
    values = {v for rows, named in found.values() for c in named for v in rows.columns[c]}
    texts = [v for v in values if isinstance(v, str)]
    if labels is not None:
        number = _numbers_written(texts, as_scale(labels))
    elif all(map(is_integer, texts)):
        number = {v: int(v) for v in texts}
    else:
        number = {}
    if not number:
        return {m: rows for m, (rows, _) in found.items()}
    return {
        m: replace(
            rows,
            columns={
                **rows.columns,
                **{c: [number.get(v, v) for v in rows.columns[c]] for c in named},
            },
            places=_places_of_numbers(rows.places, number),
        )
        for m, (rows, named) in found.items()
    }


def _with_days(rows: DistinctRows, columns: Iterable[str]) -> DistinctRows:
    """The rows with days as CSV writes them, which is how labels that are text name them."""
    typed: dict[str, Sequence[Any]] = {}
    for c in columns:
        held = rows.columns[c]
        labels = held.labels if isinstance(held, Coded) else held
        if isinstance(next((v for v in labels if not is_missing(v)), None), date):
            texts = list(map(_day, labels))
            typed[c] = Coded(texts, held.code) if isinstance(held, Coded) else texts
    if not typed:
        return rows
    places, where = None, rows.places
    if where is not None:
        places = lambda c: {_day(label): place for label, place in where(c).items()}  # noqa: E731
    return replace(rows, columns={**rows.columns, **typed}, places=places)


def _day(value: Any) -> Any:
    """A date, or a moment at midnight, as text; anything else as it is."""
    if is_missing(value) or not isinstance(value, date):
        return value
    if isinstance(value, datetime) and (value.tzinfo or value.time() != time()):
        return value
    return f"{value:%Y-%m-%d}"


def _places_of_numbers(places: Places | None, number: Mapping[str, float]) -> Places | None:
    """Return the places for labels that became numbers; 2 may have been written 2.0."""
    if places is None:
        return None

    def converted(column: str) -> dict[Any, Place]:
        found: dict[Any, Place] = {}
        for label, place in sorted(places(column).items(), key=lambda pair: pair[1].row):
            found.setdefault(number.get(label, label), place)
        return found

    return converted


def _numbers_written(texts: Iterable[str], scale: Scale) -> dict[str, float]:
    """The texts that write a number of the scale: 2.0 is what some programs write for 2."""
    if not all(isinstance(x, (int, float)) for x in scale):
        return {}
    if all(isinstance(x, int) for x in scale):
        return {v: int(v.partition(".")[0]) for v in texts if is_whole(v)}
    return {v: float(v) for v in texts if is_decimal(v)}


def refuse_gaps_as_text(found: Mapping[str, tuple[DistinctRows, list[str]]]) -> None:
    """Raise an error if text such as NA is all that keeps labels from being integers."""
    if not all(rows.text for rows, _ in found.values()):
        return
    pairs = [(rows, c) for rows, named in found.values() for c in named]
    texts = {v for rows, c in pairs for v in set(rows.columns[c]) if isinstance(v, str)}
    gaps = {v for v in texts if means_missing(v)}
    labels = texts - gaps
    if not gaps or not labels or not all(map(is_integer, labels)):
        return
    rows, column = next((r, c) for r, c in pairs if gaps & set(r.columns[c]))
    label = min(gaps & set(rows.columns[column]))
    place = None if rows.places is None else rows.places(column).get(label)
    lowest, highest = min(map(int, labels)), max(map(int, labels))
    raise ScaleError(
        f"{column} holds the text {label!r}{'' if place is None else f' ({place})'} "
        "among integers, so no scale is implied. Declare it: "
        f"{argument('labels', range(lowest, highest + 1))}. {if_it_means_missing(label)}"
    )
