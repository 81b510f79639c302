"""What a confusion matrix writes, read back: records of its cells, and the numbers of any text."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from typing import Any, Final

from ordeval._shared.numbers import is_decimal, is_integer
from ordeval._shared.text import joined
from ordeval.data.text.own_matrices import own_levels, own_matrix
from ordeval.data.text.pasted_matrices import Pasted, read_pasted
from ordeval.exceptions import CountsError, LabelError

_LARGEST: Final = 2**63 - 1  # of whole counts
_DIGITS: Final = 300  # of a whole number; Python reads no more than some thousands
_RECORDS: Final = re.compile(r"\s*truth([,;\t])prediction\1count[ \t]*\n")


def matrix_of_text(
    text: str, labels: Sequence[Any] | None, *, shares: bool = False
) -> tuple[list[list[float]], list[Any] | None, str]:
    """Read the counts, the levels and the words that say that rows are predictions, from a text.

    Parameters
    ----------
    text
        What a confusion matrix writes as text, Markdown, LaTeX, CSV or JSON, or a matrix as
        people write it.
    labels
        The levels, lowest first, if the text does not name them.
    shares
        Whether the numbers may be shares.

    Returns
    -------
    tuple
        Counts, rows truth; levels, if any are known; the words, empty if rows are the truth.

    Raises
    ------
    CountsError
        If the text holds no matrix.
    LabelError
        If the text names other levels than ``labels``.
    """
    records = _RECORDS.match(text.replace("\r\n", "\n"))
    own = _of_records(text, records[1]) if records else own_matrix(text)
    found, told = own or read_pasted(text, shares=shares), own_levels(text)
    if labels is not None and found.names and list(map(str, labels)) != list(found.names):
        raise LabelError(
            f"the text has the levels {joined(found.names)}, in this order, but labels says "
            f"{joined(list(map(str, labels)))}."
        )
    names = _levels(told or found.names, fractions=bool(own or told))
    return _counts(found), list(labels) if labels is not None else names or None, found.turned_by


def _levels(names: Sequence[str], *, fractions: bool) -> list[Any]:
    """Names as integers, or as fractions, if all of them are written so."""
    if all(map(is_integer, names)):
        return list(map(int, names))
    return list(map(float, names)) if fractions and all(map(is_decimal, names)) else list(names)


def _of_records(text: str, delimiter: str) -> Pasted:
    """The matrix of records with a truth, a prediction and a count."""
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row][1:]
    if any(len(row) != 3 for row in rows):
        raise CountsError("each record must hold a truth, a prediction and a count.")
    names = tuple(dict.fromkeys(row[0] for row in rows))
    cells = {(t, p): n for t, p, n in rows}
    if len(cells) != len(rows) or set(cells) != {(t, p) for t in names for p in names}:
        raise CountsError("the records must hold every pair of truth and prediction once.")
    return Pasted(names, tuple(tuple(cells[t, p] for p in names) for t in names))


def _counts(pasted: Pasted) -> list[list[float]]:
    """The numbers of a matrix; an error names the place, from 1 on, of what is no number."""
    found = [[_number(text) for text in row] for row in pasted.rows]
    for i, row in enumerate(zip(*found, strict=True) if pasted.turned_by else found, 1):
        for j, x in enumerate(row, 1):
            if x < 0 or x == math.inf:
                rule = "be finite and not negative"
            elif isinstance(x, int) and x > _LARGEST:
                rule = "fit a 64-bit signed integer"
            else:
                continue
            raise CountsError(f"counts must {rule}; found {x} in row {i}, column {j}.")
    return found


def _number(text: str) -> float:
    """A number, whole ones without rounding."""
    digits = text.removeprefix("-").removeprefix("+")
    return int(text) if digits.isdigit() and len(digits) <= _DIGITS else float(text)
