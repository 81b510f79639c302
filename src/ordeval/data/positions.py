"""From labels to positions on a scale: the one reader of arrays, frames, files and ratings.

It has one policy for labels outside the scale and missing ones, one message that names them, and
one count of the items that were dropped.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.numbers import is_integer, is_number
from ordeval._shared.text import argument, plural
from ordeval._shared.types import Integers, Policy
from ordeval.data.columns import Column
from ordeval.data.levels import SHOWN
from ordeval.data.numbering import numbered
from ordeval.exceptions import LabelError

if TYPE_CHECKING:
    from ordeval.data.scale import Scale

UNKNOWN: Final = -1  # the code of a label outside the scale
MISSING: Final = -2  # the code of a missing value
GAP: Final = -1  # the position of a rating that was not given
_LONGEST_SHOWN: Final = 60
_SHORTEST: Final = 5  # letters of a word in which one may be wrong
# As programs write a missing value; "none" is a word, and a level of many scales.
_NO_LABEL: Final = re.compile(r"\s*((?i:#?n/?a|<na>|nan|null|nil|missing|-+|\?|\.)|None)?\s*")


@dataclass(frozen=True)
class Dropped:
    """How many items were dropped because a label was missing or outside the scale."""

    missing: int = 0
    unknown: int = 0

    def __add__(self, other: Dropped) -> Dropped:
        return Dropped(self.missing + other.missing, self.unknown + other.unknown)

    def __bool__(self) -> bool:
        return bool(self.missing or self.unknown)

    def __str__(self) -> str:
        parts = ((self.missing, "missing"), (self.unknown, "unknown"))
        return ", ".join(f"{n:,} {what}" for n, what in parts if n)

    @property
    def items(self) -> int:
        """How many items that is."""
        return self.missing + self.unknown


NONE_DROPPED: Final = Dropped()


@dataclass(frozen=True)
class Misfits:
    """What happens to labels outside the scale and to missing ones."""

    unknown: Policy = "raise"
    missing: Policy = "raise"
    droppable: bool = True  # whether the user can choose to drop them
    scores: bool = True  # whether numbers between levels may be a model's scores

    def __post_init__(self) -> None:
        for name, value in (("unknown", self.unknown), ("missing", self.missing)):
            if not isinstance(value, str) or value not in ("raise", "drop"):
                raise LabelError(f'{name} must be "raise" or "drop"; got {value!r}.')

    @property
    def drops(self) -> bool:
        """Whether an item may be dropped."""
        return "drop" in (self.unknown, self.missing)

    @property
    def refused(self) -> list[int]:
        """The codes of labels that are an error."""
        policies = ((MISSING, self.missing), (UNKNOWN, self.unknown))
        return [code for code, policy in policies if policy == "raise"]

    def refuse(self, scale: Scale, columns: Sequence[Column]) -> None:
        """Raise one LabelError for all labels of some columns that are not to be dropped."""
        named = {column.name: column for column in reversed(columns)}
        found = [m for c in reversed(named.values()) for m in _misfits_of(scale, c, self.refused)]
        if found:
            # Where no label of a column fits, to drop what does not fit would leave no item.
            left = all((scale.codes(column) >= 0).any() for column in named.values())
            shifts = {name: _shift(scale, column, found) for name, column in named.items()}
            raise LabelError(
                _message(scale, found, shifts, replace(self, droppable=self.droppable and left))
            )


RAISED: Final = Misfits()
AS_GAPS: Final = Misfits(missing="drop", droppable=False, scores=False)
NO_MISFITS: Final = Misfits(droppable=False)


@dataclass(frozen=True, eq=False)
class Positions:
    """Labels of some columns as positions on a scale, negative where there is none."""

    codes: list[NDArray[Any]]
    names: list[str]
    complete: bool  # every row has a label of the scale in every column
    count: Integers | None = None  # how many items each row stands for, if not one

    @cached_property
    def fits(self) -> NDArray[np.bool_]:
        """Which rows have a label of the scale in every column."""
        return np.asarray(np.logical_and.reduce([code >= 0 for code in self.codes]))

    @property
    def dropped(self) -> Dropped:
        """How many items lack a label; one that lacks several counts once, first as missing."""
        gone = np.logical_or.reduce([code == MISSING for code in self.codes])
        return Dropped(self._items(gone), self._items(~gone & ~self.fits))

    @property
    def by_column(self) -> dict[str, Dropped]:
        """The labels that each column lacks, of columns that lack any."""
        found: dict[str, Dropped] = {}
        for name, code in zip(self.names, self.codes, strict=True):
            lost = Dropped(self._items(code == MISSING), self._items(code == UNKNOWN))
            if lost:
                found[name] = found.get(name, Dropped()) + lost
        return found

    @property
    def items(self) -> Integers:
        """How many items each row stands for."""
        return np.ones(len(self.codes[0]), dtype=np.int64) if self.count is None else self.count

    def _items(self, rows: NDArray[np.bool_]) -> int:
        return int(rows.sum() if self.count is None else self.count[rows].sum())


def read_positions(
    scale: Scale, columns: Sequence[Column], misfits: Misfits, part: slice = slice(None)
) -> Positions:
    """Labels of a part of some columns as positions; an error names those that do not fit."""
    codes = [scale.codes(column, part) for column in columns]
    lacking = [code for code in codes if code.min(initial=0) < 0]
    if any((code == bad).any() for code in lacking for bad in misfits.refused):
        misfits.refuse(scale, columns)
    count, names = columns[0].count, [c.name for c in columns]
    return Positions(codes, names, not lacking, None if count is None else count[part])


def positions_with_gaps(scale: Scale, column: Column) -> Integers:
    """Positions of ratings, of which a missing one is a gap and an unknown one an error."""
    (codes,) = read_positions(scale, [column], AS_GAPS).codes
    return np.where(codes < 0, GAP, codes).astype(np.int64)


def means_missing(label: Any) -> bool:
    """Whether a text is one that programs write where there is no label."""
    return isinstance(label, str) and _NO_LABEL.fullmatch(label) is not None


def if_it_means_missing(label: str, *, droppable: bool = True) -> str:
    """What to do about text that may stand for a missing label."""
    drop = f" and use {argument('missing', 'drop')}, or use {argument('unknown', 'drop')}"
    return f"If {label!r} stands for a missing value, leave it empty (None){drop * droppable}."


class _Misfit(NamedTuple):
    """A label that does not fit, or all missing ones of a column."""

    column: str
    label: Any  # None if it is missing
    items: int
    place: Any  # a position, the Place in a file, or None

    def shown(self, *, counted: bool) -> str:
        """How many there are and where the first is, in brackets."""
        parts = [plural(self.items, "item")] if counted else []
        if self.place is not None:
            at, where = ("in", f"{self.place}")
            if isinstance(self.place, int):
                at, where = ("at", f"position {self.place}")
            if self.items == 1:
                parts = [where]
            else:
                parts.append(f"the first {at} {where}")
        return f" ({'; '.join(parts)})" if parts else ""


def _misfits_of(scale: Scale, column: Column, refused: Sequence[int]) -> Iterator[_Misfit]:
    """The labels of a column that do not fit: missing ones, then the most frequent."""
    codes = scale.codes(column)
    count = np.ones(len(codes), dtype=np.int64) if column.count is None else column.count
    found: list[tuple[Any, int, int]] = []
    gone = np.flatnonzero(codes == MISSING)
    if MISSING in refused and len(gone):
        found.append((None, int(count[gone].sum()), int(gone[0])))
    wrong = np.flatnonzero(codes == UNKNOWN)
    if UNKNOWN in refused and len(wrong):
        distinct, first, number = _distinct(column.values[wrong])
        items = np.zeros(distinct, dtype=np.int64)
        np.add.at(items, number, count[wrong])
        for i in np.lexsort((first, -items)).tolist():
            at = int(wrong[first[i]])
            found.append((column.label(at), int(items[i]), at))
    if not found:
        return
    places = None if column.places is None else column.places(column.name)
    for label, n, at in found:
        counted = None if column.count is not None else at
        yield _Misfit(column.name, label, n, counted if places is None else places.get(label))


_IN_CASE: Final = "They differ from the levels only in case or spaces"


def _distinct(values: NDArray[Any]) -> tuple[int, NDArray[np.intp], NDArray[np.intp]]:
    """How many values differ, where each is first, and which of them each one is."""
    codes = numbered(values.tolist()) if values.dtype == object else values
    distinct, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return len(distinct), first, inverse


def _shift(scale: Scale, column: Column, found: Sequence[_Misfit]) -> int:
    """By how much to move the labels of a column, if all would fit then; 0 if they are no such."""
    numbers, codes = [_integer(x) for x in scale], scale.codes(column)
    if numbers[0] is None or numbers != [*range(numbers[0], numbers[0] + scale.k)]:
        return 0
    unknown = (m.label for m in found if m.column == column.name and m.label is not None)
    outside = {_integer(label) for label in unknown}
    if outside == {numbers[0] - 1} and not (codes == scale.k - 1).any():
        return 1
    return -1 if outside == {numbers[-1] + 1} and not (codes == 0).any() else 0


def _integer(label: Any) -> Any:
    """The integer that a label is or writes, if it is one."""
    if isinstance(label, str) and is_integer(label):
        return int(label)
    if isinstance(label, float):
        return int(label) if label.is_integer() else None
    return label if isinstance(label, int) and not isinstance(label, bool) else None


def _message(
    scale: Scale, found: Sequence[_Misfit], shifts: Mapping[str, int], policy: Misfits
) -> str:
    sentences: list[str] = []
    settled: set[str] = set()
    for name in dict.fromkeys(m.column for m in found):
        here = [m for m in found if m.column == name]
        for m in here:
            if m.label is None:
                values = plural(m.items, "missing value")
                sentences.append(f"{name} has {values}{m.shown(counted=False)}.")
        unknown = [m for m in here if m.label is not None]
        if unknown:
            labels = plural(sum(m.items for m in unknown), "label")
            listed = (f"{shortened(m.label)}{m.shown(counted=True)}" for m in unknown[:SHOWN])
            more = len(unknown) - SHOWN
            sentences.append(
                f"{name} has {labels} outside the scale {scale}: {', '.join(listed)}"
                + (f" and {more:,} more." if more > 0 else ".")
            )
            hint = _hint(scale, [m.label for m in unknown], policy)
            settled |= {name} if hint.startswith(f"{_IN_CASE}:") else set()
            if shifts[name]:
                hint = shift_hint(name, shifts[name], f"the scale {scale}")
            sentences.append(hint)
    if any(m.place is not None and not isinstance(m.place, int) for m in found):
        sentences.append("Rows of data are counted from 1.")
    settled |= {name for name, by in shifts.items() if by}
    told = [m for m in found if m.label is None or m.column not in settled]
    return " ".join(filter(None, dict.fromkeys([*sentences, *_fixes(told, policy.droppable)])))


def shift_hint(name: str, by: int, other: str) -> str:
    """That the labels of a column look shifted against those of another, or against a scale."""
    which, move = ("lower", "Add 1 to") if by > 0 else ("higher", "Subtract 1 from")
    return (
        f"The labels look shifted by one: {name} starts and ends one {which} than "
        f"{other}. {move} them if both use the same levels; if not, declare all "
        "levels with "
        f"{argument('labels')}."
    )


def _fixes(found: Sequence[_Misfit], droppable: bool) -> Iterator[str]:
    """What to do about missing labels, and about unknown ones."""
    for missing in (True, False):
        n = sum(m.items for m in found if (m.label is None) is missing)
        if not n:
            continue
        them, items = ("it", "this item") if n == 1 else ("them", "these items")
        drop = f"to drop {items}; the result keeps count"
        if missing:
            use = f", or use {argument('missing', 'drop')} {drop}"
            yield f"Every item needs a label; fill {them} in{use * droppable}."
        elif droppable:
            yield (
                f"Correct {them}, add the level to {argument('labels')}, or use "
                f"{argument('unknown', 'drop')} {drop}."
            )
        else:
            yield f"Correct {them} or add the level to the scale."


def _hint(scale: Scale, labels: Sequence[Any], policy: Misfits) -> str:
    """What labels outside the scale may have meant."""
    for label in labels:
        if means_missing(label):
            return if_it_means_missing(label, droppable=policy.droppable)
    label = labels[0]
    if len(str(label)) > 100:
        return ""
    between = scale.neighbours(_fraction_written(label))
    if between:
        or_say = f", or pass {argument('outputs', 'scores')}" if policy.scores else ""
        return (
            f"{label!r} lies between the levels {between[0]!r} and {between[1]!r}; if these are "
            f"scores, round them to levels first, for example with numpy.rint{or_say}."
        )
    if isinstance(label, str):
        names = [level for level in scale if isinstance(level, str)]
        alike = [x for x in names if x.strip().casefold() == label.strip().casefold()]
        known = {x.strip().casefold() for x in names}
        if len(labels) > 1 and all(str(x).strip().casefold() in known for x in labels):
            return _IN_CASE + _respelt(scale, labels, policy)
        near = alike or [x for x in names if _misspelt(label.strip().casefold(), x.casefold())]
        if near:
            return f"{label!r} looks like {near[0]!r}."
    if isinstance(label, float) and label % 1 and policy.scores:
        return f"If these are scores, pass {argument('outputs', 'scores')}."
    kinds, kind = {type(level).__name__ for level in scale}, type(label).__name__
    if kind in kinds or len(kinds) > 1:
        return ""
    return f"The scale's levels are of type {kinds.pop()}, this label is of type {kind}."


def _respelt(scale: Scale, labels: Sequence[Any], policy: Misfits) -> str:
    """The labels to declare if no level occurs as declared, each one in a single spelling."""
    written = {str(x).strip().casefold(): x for x in labels}
    if policy.droppable or len(written) < len(labels):
        return "."
    levels = [written.get(str(level).strip().casefold(), level) for level in scale]
    return f": use {argument('labels', levels)}."


def _misspelt(label: str, level: str) -> bool:
    """Whether a label is a level with one typing error in a longer word.

    II and III, 4 and 5, agree and disagree are spelt alike, and different levels.
    """
    shorter = min(len(label), len(level))
    start = next((i for i in range(shorter) if label[i] != level[i]), shorter)
    theirs, ours = label[start:], level[start:]
    if theirs[:2] == ours[1::-1] and len(ours) > 1 and theirs[2:] == ours[2:]:
        return theirs[:2].isalpha()  # two letters in the wrong order
    one_each = theirs[1:] == ours[1:]
    if not (one_each or theirs[1:] == ours or theirs == ours[1:]):
        return False
    word = re.split(r"[\W\d_]", level[:start])[-1] + re.split(r"[\W\d_]", ours)[0]
    wrong = theirs[:1] + ours[:1] if one_each else theirs[:1] if theirs[1:] == ours else ours[:1]
    inside = start > 0 and not (one_each and len(theirs) == 1)
    return inside and wrong.isalpha() and len(word) >= _SHORTEST


def _fraction_written(label: Any) -> float | None:
    """The fraction that a label is, or that it writes, as CSV does."""
    if isinstance(label, str) and is_number(label.strip()):
        label = float(label)
    finite = isinstance(label, float) and math.isfinite(label)
    return label if finite and label != int(label) else None


def shortened(label: Any) -> str:
    """A label in a message; of a long one, its start and its length."""
    shown = repr(label)
    if len(shown) <= _LONGEST_SHOWN:
        return shown
    return f"{shown[: _LONGEST_SHOWN - 10]}... ({len(str(label)):,} characters)"
