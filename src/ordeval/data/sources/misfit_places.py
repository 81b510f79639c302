"""Where labels of a file are, and the sentence that says which of them do not fit.

Rows are counted by what they hold; where a label is, is looked up only if it has to be said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.text import argument, plural
from ordeval.data.columns import Column, is_missing
from ordeval.data.items import Misfits
from ordeval.data.scale import MISSING, UNKNOWN, Scale
from ordeval.exceptions import LabelError

_SHOWN: Final = 5
_LONGEST_SHOWN: Final = 60
_NO_LABEL: Final = re.compile(r"\s*(#?n/?a|<na>|nan|null|none|nil|missing|-+|\?|\.)\s*", re.I)


class Place(NamedTuple):
    """Where a label is in a file."""

    row: int  # of data, from 1
    line: int | None = None
    file: str | None = None  # if there are several

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line:,}"
        return f"row {self.row:,}{line}{'' if self.file is None else f' of {self.file!r}'}"


Places = Callable[[str], Mapping[Any, Place]]


def means_missing(label: Any) -> bool:
    """Whether a text is one that programs write where there is no label."""
    return isinstance(label, str) and _NO_LABEL.fullmatch(label) is not None


def refuse_misfits(
    scale: Scale, columns: Sequence[tuple[Column, Places | None]], misfits: Misfits
) -> None:
    """Raise one LabelError for all labels that are not to be dropped; of files it says where."""
    seen: dict[str, list[_Misfit]] = {}
    for column, places in columns:
        if places is None:
            misfits.refuse(scale, column)
        elif column.name not in seen:
            seen[column.name] = list(_misfits_of(scale, column, places, misfits))
    found = [misfit for listed in seen.values() for misfit in listed]
    if found:
        raise LabelError(_message(scale, found))


class _Misfit(NamedTuple):
    column: str
    label: Any  # None if it is missing
    items: int
    place: Place | None


def _misfits_of(
    scale: Scale, column: Column, places: Places, misfits: Misfits
) -> Iterator[_Misfit]:
    codes = scale.codes(column)
    policies = ((MISSING, misfits.missing), (UNKNOWN, misfits.unknown))
    refused = [code for code, policy in policies if policy == "raise"]
    wrong = np.flatnonzero(np.isin(codes, refused))
    if not len(wrong):
        return
    counts: dict[Any, int] = {}
    for i in wrong.tolist():
        label = None if is_missing(column.label(i)) else column.label(i)
        counts[label] = counts.get(label, 0) + (1 if column.count is None else int(column.count[i]))
    where = places(column.name)
    for label in sorted(counts, key=lambda x: (x is not None, -counts[x])):
        yield _Misfit(column.name, label, counts[label], where.get(label))


def _message(scale: Scale, found: Sequence[_Misfit]) -> str:
    sentences: list[str] = []
    for name in dict.fromkeys(m.column for m in found):
        here = [m for m in found if m.column == name]
        for m in here:
            if m.label is None:
                values = plural(m.items, "missing value")
                sentences.append(f"{name} has {values}{_where(m, '')}.")
        unknown = [m for m in here if m.label is not None]
        if unknown:
            labels = plural(sum(m.items for m in unknown), "label")
            shown = ", ".join(f"{shortened(m.label)}{_where(m, 'item')}" for m in unknown[:_SHOWN])
            more = len(unknown) - _SHOWN
            sentences.append(
                f"{name} has {labels} outside the scale {scale}: {shown}"
                + (f" and {more:,} more." if more > 0 else ".")
            )
            sentences += _hints(scale, unknown)
    if any(m.place is not None for m in found):
        sentences.append("Rows of data are counted from 1.")
    return " ".join([*sentences, *_fixes(found)])


def _where(misfit: _Misfit, noun: str) -> str:
    """How many there are and where the first is, in brackets."""
    first = "" if misfit.items == 1 else "the first in "
    parts = [plural(misfit.items, noun)] if noun else []
    parts += [] if misfit.place is None else [f"{first}{misfit.place}"]
    return f" ({'; '.join(parts)})" if parts else ""


def _hints(scale: Scale, unknown: Sequence[_Misfit]) -> list[str]:
    text = [m.label for m in unknown if means_missing(m.label)]
    if text:
        return [text_is_no_gap(text[0])]
    hint = scale.hint(unknown[0].label).strip() if len(str(unknown[0].label)) < 100 else ""
    return [hint] if hint else []


def text_is_no_gap(label: str) -> str:
    """What to do about text that may stand for a missing label."""
    return (
        f"{label!r} is text like any other; if it stands for a missing label, leave such fields "
        f"empty (null), or use {argument('unknown', 'drop')} to leave these items out."
    )


def _fixes(found: Sequence[_Misfit]) -> list[str]:
    missing = [m.items for m in found if m.label is None]
    unknown = [m.items for m in found if m.label is not None]
    fixes = []
    if missing:
        them, items = ("it", "this item") if sum(missing) == 1 else ("them", "these items")
        fixes.append(
            f"Every item needs a label; fill {them} in, or use {argument('missing', 'drop')} to "
            f"drop {items}; the result keeps count."
        )
    if unknown:
        them, items = ("it", "this item") if sum(unknown) == 1 else ("them", "these items")
        fixes.append(
            f"Correct {them}, add the level to {argument('labels')}, or use "
            f"{argument('unknown', 'drop')} to drop {items}; the result keeps count."
        )
    return fixes


def shortened(label: Any) -> str:
    """A label in a message; of a long one, its start and its length."""
    shown = repr(label)
    if len(shown) <= _LONGEST_SHOWN:
        return shown
    return f"{shown[: _LONGEST_SHOWN - 10]}... ({len(str(label)):,} characters)"
