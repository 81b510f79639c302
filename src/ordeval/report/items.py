"""Some items of each cell: examples of what a count is made of."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordeval._shared.arguments import checked, listed
from ordeval._shared.text import argument
from ordeval._shared.types import Rng, as_rng
from ordeval.data.items import Items, read_items
from ordeval.exceptions import LabelError, ParameterError


@dataclass(frozen=True)
class CellItems:
    """Items of one cell: their number, and a random selection."""

    true: int  # the position on the scale
    predicted: int
    total: int
    items: tuple[tuple[str, str], ...]  # what names an item, and what is shown of it
    which: tuple[str, ...] = ()  # of names that several items have, which of them each is

    def each(self) -> Iterator[tuple[str, str, str]]:
        """Return the name of each item, its number if names repeat, and its text."""
        which = self.which or ("",) * len(self.items)
        return ((name, w, text) for (name, text), w in zip(self.items, which, strict=True))


@checked
def cell_items(
    y_true: Any,
    models: Mapping[str, Any],
    ids: Any,
    texts: Any = None,
    *,
    labels: Any = None,
    most: int = 20,
    rng: Rng = None,
) -> dict[str, tuple[CellItems, ...]]:
    """Pick some items of each cell of each model, the worst errors first.

    Parameters
    ----------
    y_true, models, labels
        As for ``oe.compare``; the models give labels.
    ids
        The name of each item; if names repeat, the row number from 1 is added.
    texts
        The text of each item.
    most
        The maximum number of items of a cell; they are chosen at random.
    rng
        Seed or generator.

    Returns
    -------
    dict
        A tuple of ``CellItems`` by the name of each model.

    Raises
    ------
    LabelError
        If labels do not fit the scale, or the names of the items are not as many as the items.
    ParameterError
        If ``most`` is not a positive integer.
    ScaleError
        If the order of the labels is missing.

    Examples
    --------
    >>> found = cell_items([1, 1, 2], {"a": [1, 2, 2]}, ids=["x", "y", "z"])
    >>> found["a"][0]
    CellItems(true=0, predicted=1, total=1, items=(('y', ''),), which=('',))
    """
    items = read_items(y_true, models, labels=labels)
    return pick(items, ids, texts, most=most, rng=rng, rows_known=True)


def pick(
    items: Items, ids: Any, texts: Any, *, most: int, rng: Rng, rows_known: bool = False
) -> dict[str, tuple[CellItems, ...]]:
    """Pick items that are already read, with the names and columns of the given rows.

    Rows that were counted on an engine are not where they were: of those it is not known which is
    which.
    """
    if isinstance(most, bool) or not isinstance(most, int) or most < 1:
        raise ParameterError(f"{argument('most')} must be an integer >= 1; got {most!r}.")
    names, shown = _texts(ids, items, "ids"), _texts(texts, items, "texts")
    which = _which(names, items, rows_known=rows_known)
    generator = as_rng(rng)
    return {
        model: tuple(_cells(items, positions, (names, which, shown), most, generator))
        for model, positions in items.y_pred.items()
    }


def _texts(given: Any, items: Items, what: str) -> list[str]:
    """A text for each row that was kept."""
    if given is None:
        return [""] * len(items.y_true)
    values = listed(given, what, LabelError)
    if len(values) != len(items.kept):
        raise LabelError(
            f"there must be one of {what} for each of the {len(items.kept):,} items; got "
            f"{len(values):,}."
        )
    return ["" if v is None else str(v) for v, k in zip(values, items.kept, strict=True) if k]


def _which(names: Sequence[str], items: Items, *, rows_known: bool) -> list[str]:
    """Which item it is, or one of how many, where several have one name."""
    if not any(names):
        return [""] * len(names)
    of: Counter[str] = Counter()
    for name, count in zip(names, items.count.tolist(), strict=True):
        of[name] += count
    rows = (np.flatnonzero(items.kept) + 1).tolist()
    return [
        "" if of[name] == 1 else f"row {row:,}" if rows_known else f"one of {of[name]:,} items"
        for name, row in zip(names, rows, strict=True)
    ]


def _by_name(item: tuple[str, ...]) -> tuple[Any, ...]:
    """What names are sorted by: their numbers as numbers."""
    parts = re.split(r"([0-9]+)", item[0])
    bare = (x.lstrip("0") if i % 2 else x for i, x in enumerate(parts))
    return [(len(x) if i % 2 else 0, x) for i, x in enumerate(bare)], item


def _cells(
    items: Items, predicted: Any, texts: tuple[Sequence[str], ...], most: int, rng: Any
) -> list[CellItems]:
    k = items.scale.k
    cells = items.y_true * k + predicted
    order = np.argsort(cells, kind="stable")
    present, starts = np.unique(cells[order], return_index=True)
    found = []
    for cell, rows in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
        rows = np.repeat(rows, items.count[rows])  # a row may stand for several items
        some = rows if len(rows) <= most else np.sort(rng.choice(rows, most, replace=False))
        true, guess = divmod(cell, k)
        kept = sorted((tuple(x[i] for x in texts) for i in some.tolist()), key=_by_name)
        names = tuple((name, text) for name, _, text in kept)
        found.append(CellItems(true, guess, len(rows), names, tuple(w for _, w, _ in kept)))
    return sorted(found, key=lambda c: (-abs(c.true - c.predicted), -c.total))
