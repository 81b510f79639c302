"""One column of labels in canonical form, whatever container the user holds.

Containers of pandas, Polars and PyArrow are recognised by where their type was defined, so that
none of them is imported here. This module is independent of the scale.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ordeval.exceptions import LabelError

_CONFUSION: Final = "ordeval.data.confusion"


class Place(NamedTuple):
    """Where a label is in a file."""

    row: int  # of data, from 1
    line: int | None = None
    file: str | None = None  # if there are several

    def __str__(self) -> str:
        line = "" if self.line is None else f", line {self.line:,}"
        return f"row {self.row:,}{line}{'' if self.file is None else f' of {self.file!r}'}"


# By the name of a column, the first place of each of its labels, None for missing ones: in a file,
# or the position in memory.
Places = Callable[[str], Mapping[Any, Any]]


@dataclass(frozen=True, eq=False)
class Column:
    """Labels as an array, or as codes into categories where the container has them."""

    name: str
    values: NDArray[Any]
    categories: tuple[Any, ...] | None = None  # code i stands for categories[i], -1 for missing
    ordered: bool = False  # the container declares that the categories are in order
    categorical: bool = False  # the categories are the user's, not a way to hold strings
    count: NDArray[np.int64] | None = None  # how many items each row stands for, if not one
    places: Places | None = None  # where labels are, looked up if asked for

    def __len__(self) -> int:
        return len(self.values)

    def check_hashable(self) -> None:
        """Raise a LabelError if a label could not be looked up."""
        if self.values.dtype != object:
            return
        for i, label in enumerate(self.values.tolist()):
            try:
                hash(label)
            except TypeError:
                raise LabelError(
                    f"{self.name} must hold hashable labels; got {label!r} of type "
                    f"{type(label).__name__} at position {i}."
                ) from None

    def label(self, position: int) -> Any:
        """The label at ``position``, as a Python object."""
        value = self.values[position]
        if self.categories is not None:
            return None if value < 0 else self.categories[int(value)]
        return value.item() if isinstance(value, np.generic) else value


def frame_columns(value: Any) -> list[tuple[Any, Any]] | None:
    """The columns of a data frame with their names; None for anything else."""
    if type(value).__name__ == "LazyFrame":
        value = value.collect()
    if not (hasattr(value, "columns") and hasattr(value, "__getitem__")):
        return None
    return [(name, value[name]) for name in getattr(value, "column_names", value.columns)]


def as_column(labels: Any, name: str) -> Column:
    """Read ``labels`` (an argument called ``name``) into a Column."""
    if isinstance(labels, Column):
        return labels
    match type(labels).__module__.partition(".")[0]:
        case "pandas":
            column = _from_pandas(labels, name)
        case "polars":
            column = _from_polars(labels, name)
        case "pyarrow":
            column = _from_arrow(labels, name)
        case _:
            column = Column(name, _as_array(labels, name))
    if column.values.ndim != 1:
        raise LabelError(
            f"{name} must be one-dimensional, one label per item; "
            f"got an array of shape {column.values.shape}."
        )
    return column


def off_device(given: Any) -> Any:
    """A tensor as NumPy can read it: without gradients, in memory, of a type that NumPy has."""
    if not hasattr(given, "detach"):
        return given
    tensor = given.detach()
    tensor = tensor.cpu() if hasattr(tensor, "cpu") else tensor
    wide = str(getattr(tensor, "dtype", "")).endswith("bfloat16")
    return np.asarray(tensor.float() if wide else tensor)


def is_missing(value: Any) -> bool:
    """Whether ``value`` stands for no label: None, NaN, NaT or pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating, np.datetime64, np.timedelta64)) and bool(
        value != value
    )


def _as_array(labels: Any, name: str) -> NDArray[Any]:
    labels = off_device(labels)
    if isinstance(labels, np.ma.MaskedArray):
        return _with_missing(labels.data, np.ma.getmaskarray(labels))
    if hasattr(labels, "__array__"):
        return _canonical(np.asarray(labels))
    items = _as_list(labels, name)
    try:
        array = np.asarray(items)
    except ValueError:
        return _objects(items, name)
    # NumPy would turn the 1 of [1, "a"] into "1" without a word, and 2**53 + 1 next to a fraction
    # or a negative number into 2**53; tuples are labels too.
    large = array.dtype.kind == "f" and any(isinstance(x, int) and abs(x) >= 2**53 for x in items)
    tuples = array.ndim > 1 and any(isinstance(x, tuple) for x in items)
    if array.dtype.kind in "USO" or tuples or large:
        return _objects(items, name)
    return _canonical(array)


def _objects(items: list[Any], name: str) -> NDArray[Any]:
    """The items as they are, one per element."""
    if any(isinstance(x, (list, np.ndarray)) for x in items):
        raise LabelError(
            f"{name} must be one-dimensional, one label per item; got a list of lists."
        )
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def _canonical(array: NDArray[Any], *, zoned: bool = False) -> NDArray[Any]:
    """Dates as Python objects, unsigned integers as signed where they fit.

    What is precise to the day is a date. Moments in time zones come, and stay, in UTC.
    """
    if array.dtype.kind in "mM":
        objects = _with_missing(as_python_has_them(array), np.isnat(array))
        if zoned:
            there = ~np.isnat(array)
            objects[there] = [x.replace(tzinfo=UTC) for x in objects[there]]
        return objects
    if array.dtype == np.uint64 and array.size and array.max() <= np.iinfo(np.int64).max:
        return array.astype(np.int64)
    return array


def as_python_has_them(moments: Any) -> Any:
    """Dates of NumPy in days, other moments and durations in microseconds.

    Python has nothing finer: where it would make different ones alike, it is an error.
    """
    if moments.dtype.kind == "M" and np.datetime_data(moments.dtype)[0] in ("Y", "M", "W", "D"):
        return moments.astype("M8[D]")
    kept = moments.astype(f"{moments.dtype.kind}8[us]")
    if ((kept.astype(moments.dtype) != moments) & ~np.isnat(moments)).any():
        raise LabelError(
            "dates have a resolution of microseconds, and these labels are finer or out "
            "of range. Round them, or convert them to text, for example with "
            ".astype(str)."
        )
    return kept


def _with_missing(array: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    objects: NDArray[Any] = array.astype(object)
    objects[missing] = None
    return objects


def _as_list(labels: Any, name: str) -> list[Any]:
    """The labels of a plain iterable; unordered iterables raise an error."""
    unordered = isinstance(labels, (str, bytes, Set, Mapping))
    if unordered or not isinstance(labels, Iterable) or type(labels).__module__ == _CONFUSION:
        shown = "a ConfusionMatrix. For matrices call from_confusion"
        if type(labels).__module__ != _CONFUSION:
            shown = repr(labels)
        raise LabelError(f"{name} must be a sequence of labels, one per item; got {shown}.")
    return list(labels)


def _from_pandas(labels: Any, name: str) -> Column:
    if not hasattr(labels, "dtype"):  # NA, NaT
        return Column(name, _as_array(labels, name))
    if getattr(labels, "ndim", 1) != 1:
        return Column(name, np.empty(labels.shape))
    dtype = labels.dtype
    if hasattr(dtype, "categories"):
        categorical = getattr(labels, "array", labels)
        categories = tuple(dtype.categories.tolist())
        return Column(name, np.asarray(categorical.codes), categories, bool(dtype.ordered), True)
    texts = str(dtype) in ("str", "string")
    if str(dtype) == "object":
        texts = sys.modules["pandas"].api.types.infer_dtype(labels) == "string"
    if texts:
        codes, uniques = labels.factorize()
        return Column(name, codes, tuple(uniques.tolist()))
    if dtype.kind in "iub" and not isinstance(dtype, np.dtype):
        # Nullable integers stay integers; floats would run neighbours beyond 2**53 together.
        missing = np.asarray(labels.isna())
        if missing.any():
            return Column(name, np.asarray(labels.to_numpy(dtype=object)))
        return Column(name, np.asarray(labels, dtype=np.uint64 if dtype.kind == "u" else np.int64))
    if getattr(getattr(dtype, "pyarrow_dtype", dtype), "tz", None) is not None:
        return Column(name, _canonical(labels.to_numpy(dtype="M8[ns]"), zoned=True))
    return Column(name, _canonical(np.asarray(labels)))


def _from_polars(labels: Any, name: str) -> Column:
    polars = sys.modules["polars"]
    if not isinstance(labels, polars.Series):
        return Column(name, np.empty(_shape_of(labels, name)))
    if isinstance(labels.dtype, polars.Enum):
        codes = labels.to_physical().cast(polars.Int64).fill_null(-1).to_numpy()
        return Column(name, codes, tuple(labels.dtype.categories.to_list()), True, True)
    if isinstance(labels.dtype, polars.Categorical):
        labels = labels.cast(polars.String)
    wide = str(labels.dtype).endswith("Int128")  # which NumPy does not have
    if labels.dtype.is_integer() and (labels.null_count() or wide):
        return Column(name, _objects(labels.to_list(), name))
    zoned = getattr(labels.dtype, "time_zone", None) is not None
    return Column(name, _canonical(labels.to_numpy(), zoned=zoned))


def _from_arrow(labels: Any, name: str) -> Column:
    arrow = sys.modules["pyarrow"]
    same_order = True
    if isinstance(labels, arrow.ChunkedArray):
        if arrow.types.is_dictionary(labels.type):
            # Chunks whose dictionaries differ do not declare one order.
            first = labels.chunk(0).dictionary if labels.num_chunks else None
            same_order = all(c.dictionary.equals(first) for c in labels.chunks)
        labels = labels.combine_chunks()
    if not isinstance(labels, arrow.Array):
        return Column(name, np.empty(_shape_of(labels, name)))
    categorical = arrow.types.is_dictionary(labels.type)
    ordered = categorical and labels.type.ordered and same_order
    if arrow.types.is_string(labels.type) or arrow.types.is_large_string(labels.type):
        labels = labels.dictionary_encode()
    if arrow.types.is_dictionary(labels.type):
        codes = labels.indices.cast(arrow.int64()).fill_null(-1).to_numpy()
        return Column(name, codes, tuple(labels.dictionary.to_pylist()), ordered, categorical)
    if arrow.types.is_integer(labels.type) and labels.null_count:
        return Column(name, _objects(labels.to_pylist(), name))
    if arrow.types.is_date64(labels.type):
        labels = labels.cast(arrow.date32())
    zoned = arrow.types.is_timestamp(labels.type) and labels.type.tz is not None
    return Column(name, _canonical(labels.to_numpy(zero_copy_only=False), zoned=zoned))


def _shape_of(frame: Any, name: str) -> tuple[int, ...]:
    shape: tuple[int, ...] | None = getattr(frame, "shape", None)
    if shape is None:
        raise LabelError(
            f"{name} must be a sequence of labels, one per item; got a {type(frame).__name__}."
        )
    return shape
