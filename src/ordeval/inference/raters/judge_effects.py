"""What moves a judge besides the grade that an item deserves: length, position, language.

The judge's grade is regressed on covariates and on the true grade. Humans know the true grade with
errors only, and to adjust for their mean would leave in part of it: if longer answers are better, a
judge without any bias would seem to like length. Where two humans rated an item, the square of the
true grade is therefore estimated by the product of two *different* humans' grades, which holds no
errors. Standard errors come from leaving out one unit, an item or a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import is_number
from ordeval._shared.types import Floats, Integers

_CLOSE: Final = 1e-8  # of the information: less is none
_PART: Final = 1e-6  # of a covariate in what determines others: less is none


class Covariate(NamedTuple):
    """A covariate of items, or whether they have one of its levels."""

    name: str
    level: Any  # None of numbers
    reference: Any  # the level that others are compared with; None of numbers
    values: Floats  # (N,)

    @property
    def label(self) -> str:
        """What the column is called in tables."""
        return self.name if self.level is None else f"{self.name}: {self.level}"


class JudgeRegression(NamedTuple):
    """Effects on a judge's grade, in steps of the scale."""

    values: Floats  # (C,), one for each column
    errors: Floats
    units: int
    corrected: bool  # for the humans' errors


def columns_of(covariates: Mapping[str, Sequence[Any]]) -> list[Covariate]:
    """The columns of covariates: numbers as they are, other values by level.

    The most frequent level is the reference.
    """
    found = []
    for name, values in covariates.items():
        if all(is_number(x) for x in values):
            found.append(Covariate(name, None, None, np.array(values, dtype=np.float64)))
            continue
        levels = dict.fromkeys(values)
        sizes = {level: sum(x == level for x in values) for level in levels}
        reference = max(levels, key=lambda level: sizes[level])
        for level in sorted((x for x in levels if x != reference), key=str):
            is_level = np.array([x == level for x in values], dtype=np.float64)
            found.append(Covariate(name, level, reference, is_level))
    return found


def inseparable(columns: Sequence[Covariate]) -> list[str]:
    """Covariates that determine each other, so that none has an effect of its own."""
    x = np.stack([c.values for c in columns], axis=1)
    _, sizes, directions = np.linalg.svd((x - x.mean(axis=0)) / x.std(axis=0), full_matrices=False)
    part = np.abs(directions[sizes <= _CLOSE * sizes[0]]).max(axis=0, initial=0.0)
    return list(dict.fromkeys(c.name for c, p in zip(columns, part, strict=True) if p > _PART))


def effects(
    judge: Floats, humans: Floats, columns: Sequence[Covariate], unit: Integers
) -> JudgeRegression:
    """The effects of columns on the grades of a judge (N,), at the same true grade."""
    known = ~np.isnan(humans)
    size = known.sum(axis=1)
    corrected = bool((size > 1).any())
    rows = ~np.isnan(judge) & (size > 1 if corrected else size > 0)
    given, size, own = np.where(known, humans, 0.0)[rows], size[rows], judge[rows]
    mean = given.sum(axis=1) / size
    square = mean**2
    if corrected:
        square = (given.sum(axis=1) ** 2 - (given**2).sum(axis=1)) / (size * (size - 1))
    x = np.stack([c.values[rows] for c in columns], axis=1)
    centre, spread = x.mean(axis=0), x.std(axis=0)
    none = np.full(len(columns), np.nan)
    nothing = JudgeRegression(none, none, 0, corrected)
    if len(own) < len(columns) + 3 or not (spread > 0).all():
        return nothing
    middle = float(mean.mean())
    z = np.column_stack([(x - centre) / spread, np.ones(len(own)), mean - middle])
    left = z[:, :, None] * z[:, None, :]
    left[:, -1, -1] = square - 2 * middle * mean + middle**2
    right = z * (own - middle)[:, None]
    _, number = np.unique(unit[rows], return_inverse=True)
    parts = [_summed(a, number) for a in (left, right)]
    whole, total = (p.sum(axis=0) for p in parts)
    if not _solvable(whole[None]).all():
        return nothing
    value = np.linalg.solve(whole, total)
    units = len(parts[0])
    rest = whole - parts[0]
    if units < 3 or not _solvable(rest).all():
        return nothing._replace(values=value[: len(columns)] / spread, units=units)
    without = np.linalg.solve(rest, (total - parts[1])[:, :, None])[:, :, 0]
    error = np.sqrt((units - 1) / units * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    each = slice(len(columns))
    return JudgeRegression(value[each] / spread, error[each] / spread, units, corrected)


def _solvable(matrices: Floats) -> NDArray[np.bool_]:
    """Whether the effects are identified: covariates are no functions of each other."""
    scale = np.sqrt(np.abs(np.diagonal(matrices, axis1=-2, axis2=-1)))
    scaled = matrices / np.maximum(scale[..., :, None] * scale[..., None, :], 1e-300)
    return np.asarray(np.abs(np.linalg.eigvalsh(scaled)).min(axis=-1) > _CLOSE)


def _summed(parts: Floats, number: Integers) -> Floats:
    """Sums over the items of each unit."""
    found = np.zeros((int(number.max()) + 1, *parts.shape[1:]))
    np.add.at(found, number, parts)
    return found
