"""A matrix of costs from a file that names its rows and columns."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.numbers import is_number
from ordeval._shared.text import joined
from ordeval._shared.types import Floats, StrPath
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError, ParameterError

_DELIMITERS: Final = ",;\t"


@checked
def read_costs(path: StrPath, labels: Any) -> Floats:
    """Read the costs of errors from a CSV file, in the order of a scale.

    Parameters
    ----------
    path
        A CSV file. Its first line names the predicted levels, its first column the true ones; the
        corner is not read. Rows and columns may be in any order, each level once. Other cells are
        costs: numbers that are not negative, zero where the prediction is right.
    labels
        The ordered labels, lowest first, or a Scale.

    Returns
    -------
    numpy.ndarray
        Costs (K, K), ``cost[true, predicted]``.

    Raises
    ------
    LabelError
        If the file cannot be read.
    ParameterError
        If its rows and columns are not the levels, or a cost is not a number that fits.
    ScaleError
        If the labels are not a scale.

    Examples
    --------
    >>> from pathlib import Path
    >>> file = Path(getfixture("tmp_path")) / "costs.csv"
    >>> _ = file.write_text("truth,severe,mild\\nmild,1,0\\nsevere,0,5\\n")
    >>> read_costs(file, ["mild", "severe"])
    array([[0., 1.],
           [5., 0.]])
    """
    scale, where = as_scale(labels), repr(str(path))
    head, *body = _lines(path, where)
    columns = _order(head[1:], scale, f"the columns of {where}")
    rows = _order([row[0] for row in body], scale, f"the rows of {where}")
    cost = np.empty((scale.k, scale.k))
    for i, r in enumerate(rows):
        for j, c in enumerate(columns):
            place = f"{where}, truth {scale.levels[i]}, prediction {scale.levels[j]}"
            cost[i, j] = _cost(body[r][1 + c], place, right=i == j)
    return cost


def _lines(path: StrPath, where: str) -> list[list[str]]:
    """The cells of the file, line by line, each line as long as the first."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise LabelError(f"{where} could not be read: {why}.") from None
    first = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        read = csv.reader(text.splitlines(), delimiter=delimiter, strict=True)
        lines = [[cell.strip() for cell in line] for line in read]
    except csv.Error as error:
        raise ParameterError(f"{where} could not be read: {error}.") from None
    lines = [line for line in lines if any(line)]
    if len(lines) < 2:
        raise ParameterError(
            f"{where} must contain a table of costs: a first line with the predicted "
            "levels, then a line for each true level, which starts with its name."
        )
    for line in lines:
        if len(line) != len(lines[0]):
            raise ParameterError(
                f"{where}: the line of {line[0]!r} has {len(line)} cells, the first line "
                f"{len(lines[0])}."
            )
    return lines


def _order(names: Sequence[str], scale: Scale, what: str) -> list[int]:
    """Where each level of the scale is among the names."""
    found = [_level(name, scale) for name in names]
    extra = [repr(name) for name, level in zip(names, found, strict=True) if level is None]
    lacking = [repr(level) for i, level in enumerate(scale.levels) if i not in found]
    twice = [repr(level) for i, level in enumerate(scale.levels) if found.count(i) > 1]
    problems = [
        f"{joined(extra)} {'is' if len(extra) == 1 else 'are'} not among them" if extra else "",
        f"{joined(lacking)} {'is' if len(lacking) == 1 else 'are'} missing" if lacking else "",
        f"{joined(twice)} {'is' if len(twice) == 1 else 'are'} named twice" if twice else "",
    ]
    said = "; ".join(filter(None, problems))
    if said:
        raise ParameterError(f"{what} must be the levels of {scale}, each once: {said}.")
    return [found.index(i) for i in range(scale.k)]


def _level(name: str, scale: Scale) -> int | None:
    """The position of the level that is written so; numbers may be written in any way."""
    written = [str(level) for level in scale.levels]
    if name in written:
        return written.index(name)
    if not is_number(name):
        return None
    same = (
        i
        for i, level in enumerate(scale.levels)
        if isinstance(level, (int, float)) and level == float(name)
    )
    return next(same, None)


def _cost(text: str, place: str, *, right: bool) -> float:
    if not is_number(text):
        raise ParameterError(f"{place}: a cost must be a number; got {text!r}.")
    cost = float(text)
    if not 0 <= cost < np.inf:
        raise ParameterError(f"{place}: a cost must be finite and not negative; got {text!r}.")
    if right and cost:
        raise ParameterError(f"{place}: a correct prediction must cost 0; got {text!r}.")
    return cost
