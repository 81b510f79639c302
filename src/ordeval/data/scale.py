"""Scale: the declared, ordered labels.

A class is addressed by its position in the declared scale. This module turns labels into positions
and says what does not fit; it never puts labels in an order of its own making.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked, checked_but
from ordeval._shared.text import argument
from ordeval.data.columns import Column, as_column, is_missing
from ordeval.data.levels import SHOWN, in_order, integer_ends, is_integer, read_levels
from ordeval.data.numbering import narrowed
from ordeval.data.positions import MISSING, NO_MISFITS, UNKNOWN, read_positions, shift_hint
from ordeval.exceptions import EmptyLevelWarning, LabelError, ScaleError, user_frame

_MAX_IMPLIED_LEVELS: Final = 1000


class Scale:
    """Ordered labels, lowest first.

    Parameters
    ----------
    labels
        The levels from lowest to highest: a list, a tuple or a range; or an object with an order:
        an ordered pandas Categorical, Series or CategoricalDtype, a Polars Enum or a Series of one,
        a PyArrow ordered dictionary, another Scale.

    Examples
    --------
    >>> Scale(["low", "medium", "high"])
    Scale('low' < 'medium' < 'high')
    >>> Scale.range(1, 5)
    Scale(1 < 2 < 3 < 4 < 5)
    >>> Scale(["low", "medium", "high"]).encode(["high", "low"])
    array([2, 0])
    """

    def __init__(self, labels: Any) -> None:
        self._levels = labels.levels if isinstance(labels, Scale) else read_levels(labels)

    @classmethod
    @checked_but("first", "last")
    def range(cls, first: int, last: int) -> Scale:
        """Make the scale of the integers from ``first`` to ``last``, both included.

        Parameters
        ----------
        first, last
            The lowest and the highest level.

        Returns
        -------
        Scale
            The integers in order.

        Raises
        ------
        ScaleError
            If these are not two integers, lowest first.
        """
        if not (is_integer(first) and is_integer(last)) or first > last:
            raise ScaleError(
                f"Scale.range takes two integers, lowest first; got {first!r} and {last!r}."
            )
        return cls(range(int(first), int(last) + 1))

    @classmethod
    def infer(cls, *labels: Any) -> Scale:
        """Infer the scale from labels with an order.

        Ordered categories declare it; integers imply their range from the smallest to the largest.

        Parameters
        ----------
        *labels
            Labels in a list, an array or a column.

        Returns
        -------
        Scale
            The scale of all of them.

        Raises
        ------
        ScaleError
            If they have no order; the message shows how to declare it.

        Examples
        --------
        >>> Scale.infer([1, 2, 4], [2, 2, 3])
        Scale(1 < 2 < 3 < 4)
        """
        names = ["labels"] if len(labels) == 1 else [f"labels[{i}]" for i in range(len(labels))]
        columns = [as_column(x, name) for x, name in zip(labels, names, strict=True)]
        declared = declared_scale(columns)
        if declared is not None:
            return declared
        scale = implied_scale(columns)
        warn_of_gaps(scale, map(scale.codes, columns))
        return scale

    @property
    def levels(self) -> tuple[Hashable, ...]:
        """The labels, lowest first."""
        return self._levels

    @property
    def k(self) -> int:
        """The number of levels."""
        return len(self._levels)

    @cached_property
    def uneven(self) -> tuple[float, ...] | None:
        """The levels as numbers, if they are numbers and neighbours are not one apart."""
        if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in self.levels):
            return None
        numbers = tuple(float(x) for x in self.levels)  # type: ignore[arg-type]
        return None if all(b - a == 1 for a, b in pairwise(numbers)) else numbers

    @checked
    def encode(self, labels: Any, *, name: str = "labels") -> NDArray[np.intp]:
        """Turn labels into positions on the scale.

        Parameters
        ----------
        labels
            Labels in a list, an array or a column.
        name
            What a message calls them.

        Returns
        -------
        numpy.ndarray
            The position of each label, from 0.

        Raises
        ------
        LabelError
            If labels are missing or outside the scale; the message names them.
        ScaleError
            If the labels carry another order.
        """
        column = as_column(labels, name)
        self.refuse_another_order(column)
        (codes,) = read_positions(self, [column], NO_MISFITS).codes
        return codes.astype(np.intp)

    def decode(self, positions: Any) -> list[Hashable]:
        """Turn positions on the scale into labels.

        Parameters
        ----------
        positions
            Integers from 0 to K - 1.

        Returns
        -------
        list
            The label at each position.

        Raises
        ------
        LabelError
            If a position is not on the scale.
        """
        try:
            array = np.asarray(positions)
        except ValueError:
            array = np.empty(1)
        if array.size and (
            array.dtype.kind not in "iu" or array.min() < 0 or array.max() >= self.k
        ):
            raise LabelError(f"positions must be integers from 0 to {self.k - 1}.")
        return [self.levels[i] for i in array.ravel().tolist()]

    def codes(self, column: Column, part: slice = slice(None)) -> NDArray[Any]:
        """Positions of a part of a column; ``UNKNOWN`` and ``MISSING`` where there is none."""
        values = column.values[part]
        if column.categories is not None:
            codes: NDArray[np.intp] = self._category_table(column.categories)[values]
            return codes
        if values.dtype.kind in "iub" and self._first_integer is not None:
            return self._codes_of_integers(values, self._first_integer)
        if values.dtype.kind in "iubf" and self._numbers is not None:
            return self._codes_of_numbers(values)
        if values.dtype.kind == "f":
            self._refuse_rounded(column.name, values)
        return self._codes_of_objects(column, values)

    def refuse_another_order(self, column: Column) -> None:
        """Raise a ScaleError if ordered categories contradict the scale.

        Levels that the categories lack, and categories that the scale lacks, contradict nothing.
        """
        if not column.ordered or column.categories is None:
            return
        places = [self._positions[c] for c in column.categories if c in self._positions]
        if places != sorted(places):
            raise ScaleError(
                f"the scale and the ordered categories of {column.name} contradict each other: "
                f"{argument('labels')} says {in_order(self.levels)}, the categories say "
                f"{in_order(column.categories)}. If the categories are right, leave "
                f"{argument('labels')} out; if not, put them in its order, or give the labels as "
                f"plain values."
            )

    def _refuse_rounded(self, name: str, values: NDArray[Any]) -> None:
        """Refuse floats that may have been other integers of the scale before they were rounded."""
        large = any(isinstance(x, int) and abs(x) >= 2**53 for x in self.levels)
        if large and (np.abs(values[~np.isnan(values)]) >= 2**53).any():
            raise LabelError(
                f"{name} contains floating-point numbers of 2**53 or more, which cannot "
                "represent every integer. Read the labels as integers, for example as Int64 "
                f"of pandas, or as text."
            )

    def neighbours(self, number: float | None) -> tuple[Any, Any] | None:
        """Return the levels just below and above a number that is not a level."""
        if self._numbers is None or number is None:
            return None
        numbers, position = self._numbers
        at = int(np.searchsorted(numbers, number))
        if not 0 < at < self.k:
            return None
        return self.levels[int(position[at - 1])], self.levels[int(position[at])]

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {level: i for i, level in enumerate(self.levels)}

    @cached_property
    def _first_integer(self) -> int | None:
        """The lowest level if the levels are consecutive integers."""
        first = self.levels[0]
        if not isinstance(first, int) or not all(isinstance(x, int) for x in self.levels):
            return None
        if max(abs(first), abs(first + self.k)) >= 2**62:
            return None
        return int(first) if self.levels == tuple(range(first, first + self.k)) else None

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.float64], NDArray[np.intp]] | None:
        """Numeric levels in numeric order, and the position of each."""
        if not all(isinstance(x, (int, float)) and abs(x) < 2**53 for x in self.levels):
            return None
        numbers = np.asarray(self.levels, dtype=np.float64)
        order = np.argsort(numbers)
        return numbers[order], order

    def _codes_of_integers(self, values: NDArray[Any], first: int) -> NDArray[Any]:
        if not len(values):
            return values.astype(np.intp)
        values = narrowed(values)
        if values.max() < first + self.k and values.min() >= first:
            return self.codes_of_fitting(values, first)
        inside = (values >= first) & (values < first + self.k)
        return np.where(inside, np.where(inside, values, 0).astype(np.intp) - first, UNKNOWN)

    def codes_of_fitting(self, values: NDArray[Any], first: int) -> NDArray[Any]:
        """Positions of integers that are known to lie on a scale of integers from ``first``."""
        # Bytes where they suffice: the later arithmetic is quicker on them. Modulo 256 the
        # difference is exact, for it lies between 0 and 127.
        if first > np.iinfo(np.int64).max:
            values, first = values - np.uint64(first), 0
        narrow: Any = np.int8 if self.k <= 128 else np.int64
        if first == 0 and values.dtype == narrow:
            return values
        positions: NDArray[Any] = values.astype(narrow)
        positions -= np.int64(first).astype(narrow)
        return positions

    def _codes_of_numbers(self, values: NDArray[Any]) -> NDArray[np.intp]:
        assert self._numbers is not None
        numbers, positions = self._numbers
        index = np.minimum(np.searchsorted(numbers, values), self.k - 1)
        codes = np.where(numbers[index] == values, positions[index], UNKNOWN)
        codes[values != values] = MISSING
        return codes

    def _codes_of_objects(self, column: Column, values: NDArray[Any]) -> NDArray[Any]:
        labels = values.tolist()
        try:
            found = map(self._positions.__getitem__, labels)
            if self.k <= 128:  # positions as bytes: the quickest way from Python to an array
                return np.frombuffer(bytes(found), np.int8)
            return np.fromiter(found, np.intp, len(labels))
        except (KeyError, TypeError):
            column.check_hashable()
        found = map(self._positions.get, labels, repeat(UNKNOWN))
        codes = np.fromiter(found, np.intp, len(labels))
        for i in np.flatnonzero(codes < 0).tolist():
            if is_missing(labels[i]):
                codes[i] = MISSING
        return codes

    def _category_table(self, categories: tuple[Any, ...]) -> NDArray[np.intp]:
        """Positions by category code; the last entry serves the code -1 of a missing value."""
        table = [MISSING if is_missing(c) else self._positions.get(c, UNKNOWN) for c in categories]
        return np.asarray([*table, MISSING], dtype=np.intp)

    def __len__(self) -> int:
        return len(self.levels)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.levels)

    def __contains__(self, label: object) -> bool:
        return label in self._positions

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scale) and self.levels == other.levels

    def __hash__(self) -> int:
        return hash(self.levels)

    def __repr__(self) -> str:
        return f"Scale({in_order(self.levels)})"


def as_scale(labels: Any) -> Scale:
    """A Scale from a ``labels=`` argument."""
    return labels if isinstance(labels, Scale) else Scale(labels)


def declared_scale(columns: list[Column]) -> Scale | None:
    """The scale that ordered categories declare, if any column has them."""
    ordered = [c for c in columns if c.ordered and c.categories is not None]
    if not ordered:
        return None
    first = ordered[0]
    for other in ordered[1:]:
        if other.categories != first.categories:
            raise ScaleError(
                f"{first.name} and {other.name} declare different orders: "
                f"{in_order(first.categories or ())} and {in_order(other.categories or ())}. "
                f"{_one_order(first, other)}"
            )
    return Scale(first.categories)


def resolve_scale(columns: list[Column], labels: Any) -> tuple[Scale, bool]:
    """The scale of some columns, and whether it is only implied by the integers that occur."""
    if labels is None:
        declared = declared_scale(columns)
        return (implied_scale(columns), True) if declared is None else (declared, False)
    scale = as_scale(labels)
    for column in columns:
        scale.refuse_another_order(column)
    return scale, False


def _as_range(scale: Scale) -> range:
    first = int(scale.levels[0])  # type: ignore[call-overload]
    return range(first, first + scale.k)


def implied_scale(columns: list[Column]) -> Scale:
    """The scale that integers imply; anything else is an error that shows the fix."""
    found = [end for column in columns for end in integer_ends(column)]
    if not found:
        raise ScaleError(
            f"There are no labels, so no scale is implied; declare it with {argument('labels')}."
        )
    return implied_range(min(found), max(found))


def warn_of_gaps(scale: Scale, codes: Iterable[NDArray[Any]]) -> None:
    """Warn if an implied scale has levels that are in none of some arrays of positions."""
    occurs = np.zeros(scale.k, dtype=bool)
    for x in codes:
        occurs[x[x >= 0]] = True
    warn_of_empty_levels(scale, occurs)


def warn_of_shift(scale: Scale, truth: NDArray[Any], pred: NDArray[Any], name: str) -> None:
    """Warn if predictions on an implied scale end one level below the truth, or above it."""
    ends = [(int(x.min(initial=scale.k)), int(x.max(initial=-1))) for x in (truth, pred)]
    low, high = (0, scale.k - 2), (1, scale.k - 1)
    if scale.k >= 3 and ends in ([high, low], [low, high]):
        warnings.warn(
            shift_hint(name, 1 if ends == [high, low] else -1, "the truth"),
            EmptyLevelWarning,
            stacklevel=user_frame(),
        )


def warn_of_empty_levels(scale: Scale, occurs: NDArray[np.bool_]) -> None:
    """Warn that an implied scale has levels that no item has."""
    empty = [scale.levels[i] for i in np.flatnonzero(~occurs).tolist()]
    if empty:
        shown = ", ".join(repr(x) for x in empty[:SHOWN]) + (", ..." if len(empty) > SHOWN else "")
        warnings.warn(
            f"The integers imply the scale {scale}, but {shown} never "
            f"{'occurs' if len(empty) == 1 else 'occur'}, neither as truth nor as prediction. "
            f"If that is right, declare it with {argument('labels', _as_range(scale))}; otherwise "
            f"declare the levels with {argument('labels')}.",
            EmptyLevelWarning,
            stacklevel=user_frame(),
        )


def implied_range(lowest: int, highest: int) -> Scale:
    """The scale of integers from lowest to highest, up to a maximum length."""
    if highest - lowest >= _MAX_IMPLIED_LEVELS:
        raise ScaleError(
            f"The integers from {lowest} to {highest} would make a scale of "
            f"{highest - lowest + 1} levels, which is unlikely. Declare the levels with "
            f"{argument('labels')}."
        )
    return Scale.range(lowest, highest)


def _one_order(first: Column, other: Column) -> str:
    """How two columns come to one order."""
    ours, theirs = first.categories or (), other.categories or ()
    if [c for c in ours if c in theirs] == [c for c in theirs if c in ours]:
        return f"Pass {argument('labels')} with all levels, lowest first."
    return (
        f"Put the categories of one in the order of the other, for example with "
        f"{other.name}.cat.set_categories({list(ours)!r}, ordered=True) in pandas."
    )
