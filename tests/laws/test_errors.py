"""A catalogue of bad inputs: each is refused by the right error with exactly this text.

A message says what failed, what was given, what was expected and what to do.
"""

import datetime
import enum
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ordeval as oe

LEVELS = ["low", "medium", "high"]
COUNTS = np.array([[5, 1, 0], [2, 3, 1], [0, 1, 7]])
CM = oe.ConfusionMatrix(COUNTS, LEVELS)
STACK = oe.ConfusionMatrix(np.stack([COUNTS, COUNTS]), LEVELS)
EMPTY_CLASS = [[5, 1, 0], [0, 0, 0], [0, 1, 7]]
PROB = np.full((2, 3), 1 / 3)
DAY = datetime.date(2024, 1, 31)
FACTS: dict[str, Any] = {
    "symbol": "X",
    "family": "accuracy",
    "best": 1,
    "range": (0, 1),
    "greater_is_better": True,
    "symmetric": True,
    "reversal_invariant": True,
    "depends_on_empty_levels": False,
    "undefined_when": "there are no items",
    "reference": "A paper",
}


class Letter(enum.Enum):
    A = 1


class Bad(NamedTuple):
    """A call, the error that it raises, and its text."""

    id: str
    call: Callable[[], Any]
    error: type[Exception]
    message: str


def count(
    y_true: Any, y_pred: Any = None, labels: Any = None, weight: Any = None, **kw: Any
) -> Any:
    pred = y_true if y_pred is None else y_pred
    return oe.ConfusionMatrix.from_labels(y_true, pred, labels, weight, **kw)


def rps(y_prob: Any, y_true: Any = (0, 2), labels: Any = range(3)) -> float:
    return oe.ranked_probability_score(y_true, y_prob, labels=labels)


DECLARE = (
    " (alphabetical). List them lowest first, for example labels=['low', "
    "'medium', 'high'], or use an ordered categorical."
)
A_LIST = "A scale is a list of labels, lowest first, for example ['low', 'medium', 'high']; got "
SEQUENCE = "y_true must be a sequence of labels, one per item; got "
SQUARE = "counts must be a square matrix, or a stack of them of shape (..., K, K); got shape "
UNKNOWN = (
    ' Correct it, add the level to labels=, or use unknown="drop" to drop this item; the result '
    "keeps count."
)
SEVERAL_UNKNOWN = UNKNOWN.replace("Correct it", "Correct them").replace("this item", "these items")
MISSING = (
    ' Every item needs a label; fill it in, or use missing="drop" to drop this item; the result '
    "keeps count."
)
SEVERAL_MISSING = MISSING.replace("fill it", "fill them").replace("this item", "these items")
# Where no label of a column fits, to drop those that do not would leave nothing.
NONE_FITS = " Correct it or add the level to the scale."
ALL_MISSING = " Every item needs a label; fill it in."


def both(said: str) -> str:
    """What is said of y_true, and then of y_pred."""
    return f"{said} {said.replace('y_true', 'y_pred')}"


COLLAPSE = (
    "collapse needs every level exactly once, in order, in lists of neighbours; the scale is "
    "Scale('low' < 'medium' < 'high'), the lists are "
)
FAMILIES = (
    "family must be one of accuracy, threshold, distance, agreement, association, ranking, "
    "information, cost, path, closeness, probability, distribution; got "
)

ORDER = [
    Bad(
        "strings",
        lambda: count(["low", "high", "medium"]),
        oe.ScaleError,
        "y_true has labels without an order. Found: 'high', 'low', 'medium'" + DECLARE,
    ),
    Bad(
        "many strings",
        lambda: count([1] * 9, list("ihgfedcba")),
        oe.ScaleError,
        "y_pred has labels without an order. Found: 'a', 'b', 'c', 'd', 'e', ..." + DECLARE,
    ),
    Bad(
        "pandas strings",
        lambda: count(pd.Series(["low", "high"])),
        oe.ScaleError,
        "y_true has labels without an order. Found: 'high', 'low'" + DECLARE,
    ),
    Bad(
        "unordered categories",
        lambda: count(pd.Categorical(["low", "high"])),
        oe.ScaleError,
        "y_true has categories without an order. Found: 'high', 'low'" + DECLARE,
    ),
    Bad(
        "enum members",
        lambda: count([Letter.A]),
        oe.ScaleError,
        "y_true has labels without an order. Found: <Letter.A: 1>" + DECLARE,
    ),
    Bad(
        "strings of a probability measure",
        lambda: rps(PROB, ["low", "high"], None),
        oe.ScaleError,
        "y_true has labels without an order. Found: 'high', 'low'" + DECLARE,
    ),
    Bad(
        "whole floats",
        lambda: count([1.0, 3.0]),
        oe.ScaleError,
        "y_true contains floating-point numbers, which imply no scale. Declare it: "
        "labels=oe.Scale.range(1, 3).",
    ),
    Bad(
        "floats",
        lambda: count([1, 2], [0.5, 1.0]),
        oe.ScaleError,
        "y_pred contains floating-point numbers, which imply no scale. Declare it: "
        "labels= with the levels, lowest first.",
    ),
    Bad(
        "too many levels",
        lambda: count([1, 5000]),
        oe.ScaleError,
        "The integers from 1 to 5000 would make a scale of 5000 levels, which is "
        "unlikely. Declare the levels with labels=.",
    ),
    Bad(
        "contradicting categories",
        lambda: count(
            pd.Categorical(["a"], ["a", "b"], ordered=True),
            pd.Categorical(["a"], ["b", "a"], ordered=True),
        ),
        oe.ScaleError,
        "y_true and y_pred declare different orders: 'a' < 'b' and 'b' < 'a'. Put the "
        "categories of one in the order of the other, for example with "
        "y_pred.cat.set_categories(['a', 'b'], ordered=True) in pandas.",
    ),
    Bad(
        "contradicting enum and categories",
        lambda: count(
            pl.Series(["a"], dtype=pl.Enum(["a", "b"])),
            pd.Categorical(["a"], ["a", "b", "c"], ordered=True),
        ),
        oe.ScaleError,
        "y_true and y_pred declare different orders: 'a' < 'b' and 'a' < 'b' < 'c'. Pass labels= "
        "with all levels, lowest first.",
    ),
    Bad(
        "labels against categories",
        lambda: count(pd.Categorical(["a"], ["a", "b"], ordered=True), labels=["b", "a"]),
        oe.ScaleError,
        "the scale and the ordered categories of y_true contradict each other: labels= says "
        "'b' < 'a', the categories say 'a' < 'b'. If the categories are right, leave labels= out; "
        "if not, put them in its order, or give the labels as plain values.",
    ),
    Bad(
        "no items and no labels",
        lambda: count([]),
        oe.ScaleError,
        "There are no labels, so no scale is implied; declare it with labels=.",
    ),
    Bad(
        "only missing values and no labels",
        lambda: count([None, None]),
        oe.ScaleError,
        "There are no labels, so no scale is implied; declare it with labels=.",
    ),
]

SCALES = [
    Bad("empty", lambda: oe.Scale([]), oe.ScaleError,
        "A scale needs at least one level; got an empty list."),
    Bad("duplicate", lambda: oe.Scale(["a", "b", "a"]), oe.ScaleError,
        "A level can occur only once; 'a' is repeated at position 2."),
    Bad("equal numbers", lambda: oe.Scale([1, 2, 1.0]), oe.ScaleError,
        "A level can occur only once; 1.0 is repeated at position 2."),
    Bad("missing level", lambda: oe.Scale(["a", None]), oe.ScaleError,
        "A level cannot be a missing value; got None at position 1."),
    Bad("NaN level", lambda: oe.Scale([1.0, np.nan]), oe.ScaleError,
        "A level cannot be a missing value; got nan at position 1."),
    Bad("NA level", lambda: oe.Scale([pd.NA]), oe.ScaleError,
        "A level cannot be a missing value; got <NA> at position 0."),
    Bad("NaT level", lambda: oe.Scale([pd.NaT]), oe.ScaleError,
        "A level cannot be a missing value; got NaT at position 0."),
    Bad("unhashable level", lambda: oe.Scale(["a", ["b"]]), oe.ScaleError,
        "A level must be hashable; got ['b'] of type list at position 1."),
    Bad("2-D array", lambda: oe.Scale(np.ones((1, 2), dtype=int)), oe.ScaleError,
        "A level must be hashable; got array([1, 1]) of type ndarray at position 0."),
    Bad("set", lambda: oe.Scale({"a", "b"}), oe.ScaleError,
        "A set has no order; give the labels as a list, lowest first."),
    Bad("string", lambda: oe.Scale("abc"), oe.ScaleError, A_LIST + "'abc'."),
    Bad("bytes", lambda: oe.Scale(b"abc"), oe.ScaleError, A_LIST + "b'abc'."),
    Bad("number", lambda: oe.Scale(3), oe.ScaleError, A_LIST + "3."),
    Bad("0-d array", lambda: oe.Scale(np.array(3)), oe.ScaleError, A_LIST + "array(3)."),
    Bad("None", lambda: oe.Accumulator(None), oe.ScaleError, A_LIST + "None."),
    Bad("unordered dtype", lambda: oe.Scale(pd.CategoricalDtype(["b", "a"])), oe.ScaleError,
        "The categories 'b', 'a' are not declared to be in order. Give the labels as a list, "
        "lowest first, or make the categorical ordered."),
    Bad("polars Categorical",
        lambda: count(["a"], labels=pl.Series(["a"], dtype=pl.Categorical)), oe.ScaleError,
        "The categories 'a' are not declared to be in order. Give the labels as a list, "
        "lowest first, or make the categorical ordered."),
    Bad("range downwards", lambda: oe.Scale.range(5, 1), oe.ScaleError,
        "Scale.range takes two integers, lowest first; got 5 and 1."),
    Bad("range of floats", lambda: oe.Scale.range(1.0, 5), oe.ScaleError,  # type: ignore[arg-type]
        "Scale.range takes two integers, lowest first; got 1.0 and 5."),
    Bad("decode", lambda: oe.Scale(LEVELS).decode([3]), oe.LabelError,
        "positions must be integers from 0 to 2."),
    Bad("encode", lambda: oe.Scale(LEVELS).encode(["low", "none"]), oe.LabelError,
        "labels has 1 label outside the scale Scale('low' < 'medium' < 'high'): 'none' "
        "(position 1). Correct it or add the level to the scale."),
]  # fmt: skip

LABELS = [
    Bad(
        "unknown",
        lambda: count(["low", "none"], labels=LEVELS),
        oe.LabelError,
        both("y_true has 1 label outside the scale Scale('low' < 'medium' < 'high'): 'none' "
        "(position 1).") + SEVERAL_UNKNOWN,
    ),
    Bad(
        "several unknown",
        lambda: count([1] * 8, [1, 7, 8, 9, 7, 8, 9, 7], labels=[1, 2]),
        oe.LabelError,
        "y_pred has 7 labels outside the scale Scale(1 < 2): 7 (3 items; the first at position "
        "1), 8 (2 items; the first at position 2), 9 (2 items; the first at position 3)."
        + SEVERAL_UNKNOWN,
    ),
    Bad(
        "thousands unknown, after the first chunk",
        lambda: count(np.r_[np.zeros(70_000, int), np.full(1234, 9)], labels=[0, 1]),
        oe.LabelError,
        both("y_true has 1,234 labels outside the scale Scale(0 < 1): 9 (1,234 items; the first at "
        "position 70000).") + SEVERAL_UNKNOWN,
    ),
    Bad(
        "a number between levels",
        lambda: count([1.0, 1.5], [1, 1], labels=[1, 2]),
        oe.LabelError,
        "y_true has 1 label outside the scale Scale(1 < 2): 1.5 (position 1). 1.5 lies "
        "between the levels 1 and 2; if these are scores, round them to levels "
        "first, for example with numpy.rint, or pass outputs=\"scores\"." + UNKNOWN,
    ),
    Bad(
        "strings against integers",
        lambda: count(["1", "2"], [1, 2], labels=[1, 2]),
        oe.LabelError,
        "y_true has 2 labels outside the scale Scale(1 < 2): '1' (position 0), '2' (position 1). "
        "The scale's levels are of type int, this label is of type str."
        + NONE_FITS.replace("it or", "them or"),
    ),
    Bad(
        "integers against strings",
        lambda: count(np.array([1]), ["1"], labels=["1", "2"]),
        oe.LabelError,
        "y_true has 1 label outside the scale Scale('1' < '2'): 1 (position 0). The scale's "
        "levels are of type str, this label is of type int." + NONE_FITS,
    ),
    Bad(
        "a category outside the scale",
        lambda: count(pd.Series(["low", "none"], dtype="category"), labels=LEVELS),
        oe.LabelError,
        both("y_true has 1 label outside the scale Scale('low' < 'medium' < 'high'): 'none' "
        "(position 1).") + SEVERAL_UNKNOWN,
    ),
    Bad(
        "a string outside declared categories",
        lambda: count(pd.Categorical(["a"], ["a", "b"], ordered=True), ["c"]),
        oe.LabelError,
        "y_pred has 1 label outside the scale Scale('a' < 'b'): 'c' (position 0)." + NONE_FITS,
    ),
    Bad(
        "unknown label of a probability measure",
        lambda: rps(PROB, [0, 9]),
        oe.LabelError,
        "y_true has 1 label outside the scale Scale(0 < 1 < 2): 9 (position 1). Correct it or "
        "add the level to the scale.",
    ),
    Bad(
        "missing label of a probability measure",
        lambda: rps(PROB, [0, None]),
        oe.LabelError,
        "y_true has 1 missing value (position 1). Every item needs a label; fill it in.",
    ),
    Bad(
        "missing",
        lambda: count(["low", None, float("nan")], ["low"] * 3, labels=LEVELS),
        oe.LabelError,
        "y_true has 2 missing values (the first at position 1)." + SEVERAL_MISSING,
    ),
    Bad(
        "missing and unknown",
        lambda: count(["none", None], ["low"] * 2, labels=LEVELS),
        oe.LabelError,
        "y_true has 1 missing value (position 1). y_true has 1 label outside the scale "
        "Scale('low' < 'medium' < 'high'): 'none' (position 0)." + ALL_MISSING + NONE_FITS,
    ),
    Bad(
        "missing among floats",
        lambda: count([1, 2], [1, float("nan")], labels=[1, 2]),
        oe.LabelError,
        "y_pred has 1 missing value (position 1)." + MISSING,
    ),
    Bad(
        "masked",
        lambda: count(np.ma.array([1, 2], mask=[False, True]), labels=[1, 2]),
        oe.LabelError,
        both("y_true has 1 missing value (position 1).") + SEVERAL_MISSING,
    ),
    Bad(
        "missing enum",
        lambda: count(pl.Series(["a", None], dtype=pl.Enum(["a"]))),
        oe.LabelError,
        both("y_true has 1 missing value (position 1).") + SEVERAL_MISSING,
    ),
    Bad(
        "missing category",
        lambda: count(pd.Categorical([None], ["a"], ordered=True)),
        oe.LabelError,
        both("y_true has 1 missing value (position 0).")
        + ALL_MISSING.replace("fill it", "fill them"),
    ),
    Bad(
        "missing date",
        lambda: count(np.array(["NaT"], "M8[D]"), [DAY], labels=[DAY]),
        oe.LabelError,
        "y_true has 1 missing value (position 0)." + ALL_MISSING,
    ),
    Bad(
        "lengths",
        lambda: count([1, 2, 3], [1, 2]),
        oe.LabelError,
        "y_true and y_pred must have the same length; got 3 and 2 labels.",
    ),
    Bad(
        "2-D",
        lambda: count(np.ones((2, 1), dtype=int)),
        oe.LabelError,
        "y_true must be one-dimensional, one label per item; got an array of shape (2, 1).",
    ),
    Bad(
        "list of lists",
        lambda: count([[1], [2]], labels=[1, 2]),
        oe.LabelError,
        "y_true must be one-dimensional, one label per item; got an array of shape (2, 1).",
    ),
    Bad(
        "ragged list",
        lambda: count([[1], [2, 3]], labels=[1, 2]),
        oe.LabelError,
        "y_true must be one-dimensional, one label per item; got a list of lists.",
    ),
    Bad(
        "0-d",
        lambda: count(np.array(1)),
        oe.LabelError,
        "y_true must be one-dimensional, one label per item; got an array of shape ().",
    ),
    Bad(
        "frame",
        lambda: count([1, 2], pd.DataFrame({"a": [1, 2]})),
        oe.LabelError,
        "y_pred must be one-dimensional, one label per item; got an array of shape (2, 1).",
    ),
    Bad("lazy frame", lambda: count(pl.LazyFrame({"a": [1]})), oe.LabelError,
        SEQUENCE + "a LazyFrame."),
    Bad("None", lambda: count(None, [1]), oe.LabelError, SEQUENCE + "None."),
    Bad("number", lambda: count(1), oe.LabelError, SEQUENCE + "1."),
    Bad("string", lambda: count("abc"), oe.LabelError, SEQUENCE + "'abc'."),
    Bad("set", lambda: count({1}), oe.LabelError, SEQUENCE + "{1}."),
    Bad("mapping", lambda: count({"a": 1}), oe.LabelError, SEQUENCE + "{'a': 1}."),
    Bad("matrix", lambda: oe.accuracy(CM, CM), oe.LabelError,
        SEQUENCE + "a ConfusionMatrix. For matrices call from_confusion."),
    Bad("unhashable", lambda: count([1, {}], [1, 1], [1, 2]), oe.LabelError,
        "y_true must hold hashable labels; got {} of type dict at position 1."),
    Bad("unhashable after an unknown", lambda: count([9, {}], [1, 1], [1, 2]), oe.LabelError,
        "y_true must hold hashable labels; got {} of type dict at position 1."),
    Bad("unhashable without labels", lambda: count([{1}, {2}]), oe.LabelError,
        "y_true must hold hashable labels; got {1} of type set at position 0."),
    Bad("unknown=", lambda: count([1], unknown="ignore"), oe.LabelError,
        "unknown must be \"raise\" or \"drop\"; got 'ignore'."),
    Bad("missing=", lambda: count([1], missing=None), oe.LabelError,
        "missing must be \"raise\" or \"drop\"; got None."),
]  # fmt: skip

WEIGHTS = [
    Bad("negative", lambda: count([1, 2], weight=[1, -1]), oe.LabelError,
        "sample_weight must be finite and not negative; 1 weight is not, the first is -1.0 at "
        "position 1."),
    Bad("NaN", lambda: count([1, 2], weight=[np.nan, np.inf]), oe.LabelError,
        "sample_weight must be finite and not negative; 2 weights are not, the first is nan at "
        "position 0."),
    Bad("missing", lambda: count([1, 2], weight=pd.Series([1, None], dtype="Int64")),
        oe.LabelError,
        "sample_weight must be finite and not negative; 1 weight is not, the first is nan at "
        "position 1."),
    Bad("masked", lambda: count([1, 2], weight=np.ma.array([1, 2], mask=[True, False])),
        oe.LabelError,
        "sample_weight must be finite and not negative; 1 weight is not, the first is nan at "
        "position 0."),
    Bad("length", lambda: count([1, 2], weight=[1]), oe.LabelError,
        "sample_weight must hold one number per item, 2 in all; got an array of shape (1,)."),
    Bad("one number", lambda: count([1, 2], weight=2), oe.LabelError,
        "sample_weight must hold one number per item, 2 in all; got an array of shape ()."),
    Bad("strings", lambda: count([1, 2], weight=["a", "b"]), oe.LabelError,
        "sample_weight must be numbers, one per item: could not convert string to float: 'a'."),
    Bad("too large", lambda: count([1, 2], weight=[10**400, 1]), oe.LabelError,
        "sample_weight must be numbers, one per item: int too large to convert to float."),
]  # fmt: skip

MATRICES = [
    Bad("negative", lambda: oe.ConfusionMatrix([[1, -2], [3, 4]]), oe.CountsError,
        "counts must be finite and not negative; found -2 at row 0 (truth), column 1 "
        "(prediction)."),
    Bad("negative in a stack", lambda: oe.accuracy.from_confusion([[[1]], [[-1]]]),
        oe.CountsError,
        "counts must be finite and not negative; found -1 at matrix (1,), row 0 (truth), column 0 "
        "(prediction)."),
    Bad("NaN", lambda: oe.ConfusionMatrix([[1, 2], [np.nan, 4]]), oe.CountsError,
        "counts must be finite and not negative; found nan at row 1 (truth), column 0 "
        "(prediction)."),
    Bad("infinite", lambda: oe.ConfusionMatrix([[1, 2], [3, np.inf]]), oe.CountsError,
        "counts must be finite and not negative; found inf at row 1 (truth), column 1 "
        "(prediction)."),
    Bad("masked", lambda: oe.ConfusionMatrix(np.ma.array([[1, 2], [3, 4]], mask=np.eye(2))),
        oe.CountsError,
        "counts must be finite and not negative; found a masked cell at row 0 (truth), column 0 "
        "(prediction)."),
    Bad("not square", lambda: oe.ConfusionMatrix([[1, 2, 3], [4, 5, 6]]), oe.CountsError,
        SQUARE + "(2, 3)."),
    Bad("1-D", lambda: oe.ConfusionMatrix([1, 2, 3]), oe.CountsError, SQUARE + "(3,)."),
    Bad("number", lambda: oe.ConfusionMatrix(3), oe.CountsError, SQUARE + "()."),
    Bad("empty", lambda: oe.ConfusionMatrix([]), oe.CountsError, SQUARE + "(0,)."),
    Bad("no classes", lambda: oe.ConfusionMatrix(np.zeros((0, 0))), oe.CountsError,
        SQUARE + "(0, 0)."),
    Bad("ragged", lambda: oe.ConfusionMatrix([[1, 2], [3]]), oe.CountsError,
        "counts must be a square matrix of numbers; got rows of different lengths."),
    Bad("strings", lambda: oe.ConfusionMatrix([["1", "2"], ["3", "4"]]), oe.CountsError,
        "counts must be numbers; got an array of dtype <U1."),
    Bad("mixed", lambda: oe.ConfusionMatrix(pd.DataFrame([[1, "x"], [3, 4]])), oe.CountsError,
        "counts must be numbers; found 'x' of type str."),
    Bad("None", lambda: oe.ConfusionMatrix(None), oe.CountsError,
        "counts must be numbers; found None of type NoneType."),
    Bad("complex", lambda: oe.ConfusionMatrix([[1j]]), oe.CountsError,
        "counts must be numbers; got an array of dtype complex128."),
    Bad("dates", lambda: oe.ConfusionMatrix(np.array([["2024"]], "M8[Y]")), oe.CountsError,
        "counts must be numbers; got an array of dtype datetime64[Y]."),
    Bad("a matrix already", lambda: oe.ConfusionMatrix(CM), oe.CountsError,
        "counts must be numbers; got a ConfusionMatrix."),
    Bad("uint64", lambda: oe.ConfusionMatrix(np.array([[1, 2**63], [3, 4]], dtype=np.uint64)),
        oe.CountsError,
        "counts must fit a 64-bit signed integer; found 9223372036854775808 at row 0 (truth), "
        "column 1 (prediction)."),
    Bad("beyond 64 bits", lambda: oe.ConfusionMatrix([[1, 2], [10**30, 4]]), oe.CountsError,
        "counts must fit a 64-bit signed integer; found 1000000000000000000000000000000 at row 1 "
        "(truth), column 0 (prediction)."),
    Bad("labels", lambda: oe.ConfusionMatrix([[1, 2], [3, 4]], LEVELS), oe.CountsError,
        "counts are for 2 classes but 3 labels were given: Scale('low' < 'medium' < 'high')."),
    Bad("one label", lambda: oe.ConfusionMatrix([[1, 2], [3, 4]], ["a"]), oe.CountsError,
        "counts are for 2 classes but 1 label was given: Scale('a')."),
    Bad("normalized", lambda: CM.normalized("rows"), oe.CountsError,  # type: ignore[arg-type]
        "normalized takes \"true\", \"pred\" or \"all\"; got 'rows'."),
    Bad("normalized by a list", lambda: CM.normalized(["true"]),  # type: ignore[arg-type]
        oe.ParameterError, "by must be \"true\", \"pred\" or \"all\"; got ['true']."),
    Bad("collapse others than neighbours", lambda: CM.collapse([["low", "high"], ["medium"]]),
        oe.ScaleError, COLLAPSE + "[['low', 'high'], ['medium']]."),
    Bad("collapse a part", lambda: CM.collapse([["low", "medium"]]), oe.ScaleError,
        COLLAPSE + "[['low', 'medium']]."),
    Bad("collapse an empty group", lambda: CM.collapse([[], LEVELS]), oe.ScaleError,
        COLLAPSE + "[[], ['low', 'medium', 'high']]."),
    Bad("collapse unknown levels", lambda: CM.collapse({"a": ["low"], "b": ["none"]}),
        oe.ScaleError, COLLAPSE + "[['low'], ['none']]."),
    Bad("collapse a string", lambda: CM.collapse(["low", "mediumhigh"]), oe.ScaleError,
        COLLAPSE + "[['low'], ['mediumhigh']]."),
    Bad("collapse nothing", lambda: CM.collapse(None), oe.ScaleError,  # type: ignore[arg-type]
        "collapse takes lists of levels, or a mapping of names to lists; got None."),
    Bad("merge scales", lambda: CM + oe.ConfusionMatrix(COUNTS), oe.ScaleError,
        "Only matrices of the same scale can be merged; got Scale('low' < 'medium' < 'high') and "
        "Scale(0 < 1 < 2)."),
    Bad("merge stacks", lambda: CM + STACK, oe.CountsError,
        "Only stacks of the same shape can be merged; got () and (2,)."),
    Bad("merge overflow",
        lambda: oe.ConfusionMatrix([[2**62]]) + oe.ConfusionMatrix([[2**62]]), oe.CountsError,
        "The merged counts do not fit a 64-bit integer."),
    Bad("accumulators of two scales",
        lambda: oe.Accumulator(LEVELS).merge(oe.Accumulator([1, 2])), oe.ScaleError,
        "Only matrices of the same scale can be merged; got Scale('low' < 'medium' < 'high') and "
        "Scale(1 < 2)."),
    Bad("merge a number", lambda: oe.Accumulator(LEVELS).merge(3),  # type: ignore[arg-type]
        oe.ParameterError, "other must be an Accumulator or a ConfusionMatrix; got 3."),
    Bad("to_frame", STACK.to_frame, oe.CountsError,
        "to_frame shows one matrix; this is a stack of shape (2,). Take one out first, for "
        "example cm[0].to_frame()."),
]  # fmt: skip

SIZE_ZERO = "the class at position 0 has size 0, which makes the cost of predicting it infinite; "

PARAMETERS = [
    Bad("beta", lambda: oe.oc_index.from_confusion(CM, beta=-1), oe.ParameterError,
        "oc_index: beta must be a number >= 0; got -1."),
    Bad("beta of labels", lambda: oe.uoc_index([1, 2], [1, 2], beta=None), oe.ParameterError,
        "uoc_index: beta must be a number >= 0; got None."),
    Bad("gamma", lambda: oe.auoc.from_confusion(CM, gamma=0), oe.ParameterError,
        "auoc: gamma must be a number > 0; got 0."),
    Bad("gamma NaN", lambda: oe.oc_index.from_confusion(CM, gamma=np.nan), oe.ParameterError,
        "oc_index: gamma must be a number > 0; got nan."),
    Bad("gamma of a curve", lambda: oe.uoc_curve(CM, gamma=0), oe.ParameterError,
        "uoc_curve: gamma must be a number > 0; got 0."),
    Bad("share", lambda: oe.oc_index.from_confusion(CM, share="x"), oe.ParameterError,
        "oc_index: share must be a number >= 0; got 'x'."),
    Bad("bound share", lambda: oe.oc_index.with_params(share=-1).from_confusion(CM),
        oe.ParameterError, "oc_index(share=-1): share must be a number >= 0; got -1."),
    Bad("unknown parameter", lambda: oe.oc_index.from_confusion(CM, bta=1), oe.ParameterError,
        "oc_index has no parameter 'bta'; its parameters: share, beta, gamma."),
    Bad("parameter of none", lambda: oe.accuracy([1], [1], beta=1), oe.ParameterError,
        "accuracy has no parameter 'beta'; its parameters: none."),
    Bad("with_params", lambda: oe.oc_index.with_params(bta=1), oe.ParameterError,
        "oc_index has no parameter 'bta'; its parameters: share, beta, gamma."),
    Bad("n negative", lambda: oe.accuracy_within.from_confusion(CM, n=-1), oe.ParameterError,
        "accuracy_within: n must be an integer >= 0; got -1."),
    Bad("n fractional", lambda: oe.accuracy_within.from_confusion(CM, n=1.5), oe.ParameterError,
        "accuracy_within: n must be an integer >= 0; got 1.5."),
    Bad("absent", lambda: oe.average_mae.from_confusion(CM, absent="no"), oe.ParameterError,
        "average_mae: absent must be one of 'ignore', 'zero'; got 'no'."),
    Bad("unanswered word", lambda: oe.cem_ord([1, 2], [1, 2], unanswered="skip"), oe.ParameterError,
        "cem_ord: unanswered must be \"zero\"; got 'skip'."),
    Bad("unanswered of a matrix", lambda: oe.cem_ord.from_confusion(CM, unanswered="zero"),
        oe.ParameterError, "cem_ord: unanswered must hold 3 numbers, the items of each class "
        "without a prediction; 'zero' is for labels, of which it counts those that are missing."),
    Bad("too few unanswered", lambda: oe.cem_ord.from_confusion(CM, unanswered=[1, 2]),
        oe.ParameterError, "cem_ord: unanswered must hold 3 numbers, one per class; got 2."),
    Bad("negative unanswered", lambda: oe.cem_ord.from_confusion(CM, unanswered=[1, 2, -1]),
        oe.ParameterError, "cem_ord: unanswered must hold finite numbers that are not negative."),
    Bad("absent of auoc", lambda: oe.auoc.from_confusion(CM, absent="zero"), oe.ParameterError,
        "auoc: absent must be one of 'ignore', 'uniform', 'perfect'; got 'zero'."),
    Bad("absent of uoc_curve", lambda: oe.uoc_curve(CM, absent="zero"), oe.ParameterError,  # type: ignore[arg-type]
        "uoc_curve: absent must be one of 'ignore', 'uniform', 'perfect'; got 'zero'."),
    Bad("weights name", lambda: oe.weighted_kappa.from_confusion(CM, weights="cubic"),
        oe.ParameterError,
        "weighted_kappa: weights must be \"quadratic\", \"linear\", \"nominal\" or a K x K matrix "
        "of disagreements; got 'cubic'."),
    Bad("weights shape", lambda: oe.gwet_ac2.from_confusion(CM, weights=[[0, 1], [1, 0]]),
        oe.ParameterError,
        "gwet_ac2: weights must be a 3 x 3 matrix, rows truth, columns prediction; got shape "
        "(2, 2)."),
    Bad("weights None", lambda: oe.weighted_kappa.from_confusion(CM, weights=None),
        oe.ParameterError,
        "weighted_kappa: weights must be \"quadratic\", \"linear\", \"nominal\" or a K x K matrix "
        "of disagreements; got None."),
    Bad("weights of agreement", lambda: oe.scott_pi.from_confusion(CM, weights=np.eye(3)),
        oe.ParameterError,
        "scott_pi: weights are disagreements, zero on the diagonal and larger for a worse error; "
        "for agreement weights w pass 1 - w."),
    Bad("cost shape", lambda: oe.expected_cost.from_confusion(CM, cost=[[0, 1], [1, 0]]),
        oe.ParameterError,
        "expected_cost: cost must be a 3 x 3 matrix, rows truth, columns prediction; got shape "
        "(2, 2)."),
    Bad("cost diagonal", lambda: oe.expected_cost.from_confusion(CM, cost=np.ones((3, 3))),
        oe.ParameterError,
        "expected_cost: cost must be zero on the diagonal: a correct prediction is free."),
    Bad("cost negative", lambda: oe.expected_cost.from_confusion(CM, cost=-np.ones((3, 3))),
        oe.ParameterError, "expected_cost: cost must hold finite numbers that are not negative."),
    Bad("cost strings", lambda: oe.expected_cost.from_confusion(CM, cost="x"),
        oe.ParameterError, "expected_cost: cost must be an array of numbers; got 'x'."),
    Bad("class size zero",
        lambda: oe.misclassification_cost.from_confusion(CM, class_sizes=[0, 1, 2]),
        oe.ParameterError,
        f"misclassification_cost: {SIZE_ZERO}give the sizes of the training data, or a cost= "
        "matrix."),
    Bad("class sizes shape",
        lambda: oe.misclassification_cost.from_confusion(CM, class_sizes=[1, 2]),
        oe.ParameterError,
        "misclassification_cost: class_sizes must hold 3 numbers, one per class; got 2."),
    Bad("george_cost zero", lambda: oe.george_cost([0, 1, 2]), oe.ParameterError,
        f"{SIZE_ZERO}give the sizes of the training data."),
    Bad("george_cost shape", lambda: oe.george_cost([[1, 2]]), oe.ParameterError,
        "class_sizes must hold one number per class; got an array of shape (1, 2)."),
    Bad("proximity kind", lambda: oe.proximity([1, 2], "x"),  # type: ignore[arg-type]
        oe.ParameterError, "kind must be one of 'ord', 'nom', 'int', 'ord_flat'; got 'x'."),
    Bad("proximity sizes", lambda: oe.proximity([0, 0]), oe.ParameterError,
        "class_sizes must not all be zero."),
    Bad("proximity of words", lambda: oe.proximity(["a"]), oe.ParameterError,
        "class_sizes must be an array of numbers; got ['a']."),
    Bad("proximity negative", lambda: oe.proximity([1, -1]), oe.ParameterError,
        "class_sizes must hold finite numbers that are not negative."),
    Bad("george_cost ragged", lambda: oe.george_cost([[1, 2], [3]]), oe.ParameterError,
        "class_sizes must be an array of numbers; got [[1, 2], [3]]."),
    Bad("required parameter", lambda: oe.oc_index_general.from_confusion(CM), oe.ParameterError,
        "oc_index_general needs the parameter beta_deviation."),
    *(
        Bad(f"no level {given!r}",
            lambda given=given: oe.threshold_npv.from_confusion(CM, at_least=given),
            oe.ParameterError,
            f"threshold_npv: at_least={given!r} is not a level of Scale('low' < 'medium' < 'high')."
            " Choose 'medium' or 'high'.")
        for given in (4, -1, 2.5, True, None)
    ),
    Bad("the lowest level",
        lambda: oe.threshold_ppv.from_confusion([[1, 0], [0, 1]], at_least=0), oe.ParameterError,
        "threshold_ppv: at_least=0 is the lowest level of Scale(0 < 1): no item is below it. "
        "Choose 1."),
    Bad("cut not given", lambda: oe.threshold_sensitivity.from_confusion(CM),
        oe.ParameterError,
        "threshold_sensitivity needs a cut of the scale: at_least= must be 'medium' or 'high'. In "
        "a list of measures, write oe.threshold_sensitivity.with_params(at_least=...)."),
    Bad("other required parameter",
        lambda: oe.oc_index_general.from_confusion(CM, beta_deviation=0), oe.ParameterError,
        "oc_index_general needs the parameter beta_discordance."),
    Bad("empty class", lambda: oe.misclassification_cost.from_confusion(EMPTY_CLASS),
        oe.ParameterError,
        "misclassification_cost: the class at position 1 has no items, which makes the cost of "
        "predicting it infinite (George et al. 2016, eq. 4). Pass class_sizes= with the sizes of "
        "the training data, or a cost= matrix."),
    Bad("undefined", lambda: oe.accuracy.from_confusion([[0]], undefined="zero"),
        oe.ParameterError, "accuracy: undefined must be a number; got 'zero'."),
    Bad("undefined of a stack", lambda: oe.accuracy.from_confusion([[[0]]], undefined=None),
        oe.ParameterError, "accuracy: undefined must be a number; got None."),
]  # fmt: skip

REGISTRY = [
    Bad("misspelt", lambda: oe.get_metric("ocindex"), oe.UnknownMetricError,
        "No measure is called 'ocindex'. Did you mean oc_index, uoc_index or oc_index_general? "
        "oe.metrics() lists them all."),
    Bad("nothing near", lambda: oe.get_metric("zzzz"), oe.UnknownMetricError,
        "No measure is called 'zzzz'. oe.metrics() lists them all."),
    Bad("misspelt in a table", lambda: oe.metrics()["cem"], oe.UnknownMetricError,
        "No measure is called 'cem'. Did you mean cem_ord, cem_nom or cem_int? oe.metrics() lists "
        "them all."),
    Bad("misspelt in score", lambda: oe.score([1, 2], [1, 2], ["acuracy"]),
        oe.UnknownMetricError,
        "No measure is called 'acuracy'. Did you mean accuracy, accuracy_within or "
        "balanced_accuracy? oe.metrics() lists them all."),
    Bad("unregister", lambda: oe.unregister("zzzz"), oe.UnknownMetricError,
        "No measure is called 'zzzz'. oe.metrics() lists them all."),
    Bad("duplicate", lambda: oe.register(name="accuracy", **FACTS)(lambda n: n),
        oe.ParameterError,
        "a measure called 'accuracy' is registered already; choose another name, or pass "
        "replace=True."),
    Bad("family", lambda: oe.register(**{**FACTS, "family": "foo"})(lambda n: n),
        oe.ParameterError, FAMILIES + "'foo'."),
    Bad("unknown fact", lambda: oe.register(**FACTS, symetric=True), oe.ParameterError,
        "register() got an unknown argument 'symetric'. Did you mean symmetric? help(oe.register) "
        "lists them all."),
    Bad("no fact of a measure", lambda: oe.register(**FACTS, bound={}), oe.ParameterError,
        "register() got an unknown argument 'bound'. help(oe.register) lists them all."),
    Bad("missing facts", lambda: oe.register(symbol="X", family="cost"), oe.ParameterError,
        "register() is missing required arguments: best, range, greater_is_better, "
        "symmetric, reversal_invariant, depends_on_empty_levels, undefined_when, reference."),
    Bad("missing fact", lambda: oe.register(**{k: v for k, v in FACTS.items() if k != "best"}),
        oe.ParameterError, "register() is missing required arguments: best."),
    Bad("range", lambda: oe.register(**{**FACTS, "range": 1})(lambda n: n), oe.ParameterError,
        "range must be the least and the largest value; got 1."),
    Bad("family of a table", lambda: oe.metrics(family="foo"),  # type: ignore[arg-type]
        oe.ParameterError, FAMILIES + "'foo'."),
    Bad("probabilities from a matrix", lambda: oe.ranked_probability_score.from_confusion(CM),
        oe.LabelError,
        "ranked_probability_score needs predicted probabilities, not a confusion matrix; call "
        "it as ranked_probability_score(y_true, y_prob, labels=...)."),
]  # fmt: skip

SHAPE = (
    "y_prob must have one row per item and one column per level, shape (2, 3) for "
    "Scale(0 < 1 < 2); "
)
DECLARE_LEVELS = " If a level never occurs in y_true, declare labels=."

PROBABILITIES = [
    Bad("sum", lambda: rps([[0.5, 0.5, 0], [0.5, 0.5, 0.5]]), oe.LabelError,
        "each row of y_prob must sum to 1; 1 of 2 do not, the first is row 1: [0.5, "
        "0.5, 0.5]. Sums within 0.00415 of 1 are rescaled automatically."),
    Bad("negative", lambda: rps([[1.5, -0.5, 0], [1, 0, 0]]), oe.LabelError,
        "each row of y_prob must be between 0 and 1; 1 of 2 do not, the first is row 0: "
        "[1.5, -0.5, 0.0]."),
    Bad("NaN", lambda: rps([[1, 0, 0], [np.nan, 0.5, 0.5]]), oe.LabelError,
        "each row of y_prob must have a probability for every level; 1 of 2 do not, the first is "
        "row 1: [nan, 0.5, 0.5]. Leave these items out."),
    Bad("percentages", lambda: rps([[100, 0, 0], [25, 50, 25]]), oe.LabelError,
        "each row of y_prob must be between 0 and 1; 2 of 2 do not, the first is row 0: "
        "[100.0, 0.0, 0.0]. They sum to 100, as percentages do: divide by 100."),
    Bad("complex", lambda: rps([[1, 0, 0], [0j, 0.5, 0.5]]), oe.LabelError,
        "y_prob must be an array of numbers: neither dates nor complex ones."),
    Bad("columns", lambda: rps(np.full((2, 2), 0.5)), oe.LabelError,
        SHAPE + "got shape (2, 2)." + DECLARE_LEVELS),
    Bad("rows", lambda: rps(np.full((3, 3), 1 / 3)), oe.LabelError,
        SHAPE + "got shape (3, 3)." + DECLARE_LEVELS),
    Bad("1-D", lambda: rps([0, 2]), oe.LabelError, SHAPE + "got shape (2,)." + DECLARE_LEVELS),
    Bad("strings", lambda: rps([["a", "b", "c"]] * 2), oe.LabelError,
        "y_prob must be an array of numbers."),
    Bad("weights", lambda: oe.ranked_probability_score([0, 1], PROB[:, :2] * 1.5,
                                                       sample_weight=[1, -1]),
        oe.LabelError,
        "sample_weight must be finite and not negative; 1 weight is not, the first is -1.0 at "
        "position 1."),
    Bad("policy",
        lambda: oe.ranked_probability_score([0, 1], PROB[:, :2] * 1.5, unknown="drop"),
        oe.ParameterError,
        "ranked_probability_score has no parameter 'unknown'; its parameters: normalize."),
]  # fmt: skip

HOLDS = (
    "a confusion matrix already contains its predictions, labels and weights; "
    "pass measures with metrics=."
)

SCORES = [
    Bad("stack of stacks", lambda: oe.score(STACK.counts[None]), oe.CountsError,
        "score takes one matrix, or a stack with one axis of subgroups; this one has shape "
        "(1, 2). Take one model out, for example stack[:, 0]."),
    Bad("no predictions", lambda: oe.score([1, 2]), oe.LabelError,
        "score needs y_true and y_pred, or one confusion matrix instead: counts must be a "
            "square matrix, or a stack of them of shape (..., K, K); got shape (2,)."),
    Bad("measures in the place of predictions", lambda: oe.score(CM, ["accuracy"]),
        oe.LabelError, HOLDS),
    Bad("measures in the place of predictions of an accumulator",
        lambda: oe.score(oe.Accumulator(LEVELS), ["accuracy"]), oe.LabelError, HOLDS),
    Bad("labels beside a matrix", lambda: oe.score(CM, labels=LEVELS), oe.LabelError, HOLDS),
    Bad("probabilities", lambda: oe.score(CM, metrics="ranked_probability_score"),
        oe.ParameterError,
        "ranked_probability_score needs probabilities, but the models give labels. "
        "Name the columns of the probabilities with prob=\"p_\", or pass an (n, K) "
        "array instead of labels."),
    Bad("required parameter", lambda: oe.score(CM, metrics=["oc_index_general"]),
        oe.ParameterError, "oc_index_general needs the parameter beta_deviation."),
    Bad("no measures", lambda: oe.score(CM, metrics=[]), oe.ParameterError,
        "metrics is empty; name at least one measure, or leave it out."),
    Bad("number for measures", lambda: oe.score(CM, metrics=3),  # type: ignore[arg-type]
        oe.ParameterError, "metrics must be names or measures; got 3."),
    Bad("not scored", lambda: oe.score(CM, metrics=["accuracy"])["cem_ord"],
        oe.UnknownMetricError, "'cem_ord' was not scored. list(scores) names what was."),
    Bad("not scored, misspelt", lambda: oe.score(CM, metrics=["accuracy"])["acuracy"],
        oe.UnknownMetricError,
        "'acuracy' was not scored. Did you mean accuracy? list(scores) names what was."),
]  # fmt: skip

FRAME = pd.DataFrame({"y": [1, 2] * 10, "p": [1, 1] * 10, "w": [-1.0] + [1.0] * 19})
NO_FRAME = (
    "frame must be a dataframe or a lazy query, of pandas, Polars, PyArrow, DuckDB, PySpark, Dask "
    "or Ibis; got a "
)

FRAMES = [
    Bad("list", lambda: oe.ConfusionMatrix.from_frame([1, 2], "y", "p"), oe.LabelError,
        NO_FRAME + "list."),
    Bad("mapping", lambda: oe.score(oe.Predictions.from_frame({"y": [1]}, "y", "p")), oe.LabelError,
        NO_FRAME + "dict."),
    Bad("no column", lambda: oe.score(oe.Predictions.from_frame(FRAME, "y", "pp")), oe.LabelError,
        "there is no column 'pp'. Did you mean 'p'? Columns: 'y', 'p', 'w'."),
    Bad("number for a column", lambda: oe.compare(oe.Predictions.from_frame(FRAME, "y", 3)),  # type: ignore[arg-type]
        oe.LabelError, "pred takes a column, or a list of different columns; got 3. Names are "
        "texts: rename the columns, for example frame.rename(columns=str)."),
    Bad("no model", lambda: oe.compare(oe.Predictions.from_frame(FRAME, "y", [])), oe.LabelError,
        "pred takes a column, or a list of different columns; got none."),
    Bad("list for the truth", lambda: oe.score(oe.Predictions.from_frame(FRAME, ["y"], "p")),  # type: ignore[arg-type]
        oe.LabelError, "truth takes the name of one column; got ['y']."),
    Bad("truth among the models", lambda: oe.Predictions.from_frame(FRAME, "y", ["p", "y"]),
        oe.LabelError, "truth and pred name the same column, 'y': name the column of the model's "
                       "predictions."),
    Bad("weights of pandas", lambda: oe.ConfusionMatrix.from_frame(FRAME, "y", "p", [1, 2], "w"),
        oe.LabelError,
        "the weights in 'w' must be finite and not negative; 1 weight is not, the first is -1.0."),
    Bad("weights of an engine",
        lambda: oe.ConfusionMatrix.from_frame(pl.from_pandas(FRAME), "y", "p", [1, 2], "w"),
        oe.LabelError,
        "the weights in 'w' must be finite and not negative; 1 of them is negative, missing or no "
        "number."),
    Bad("weights of a comparison",
        lambda: oe.compare(
            oe.Predictions.from_frame(pl.from_pandas(FRAME), "y", "p", labels=[1, 2], weight="w")
        ),
        oe.LabelError,
        "the weights in 'w' must be finite and not negative; 1 weight is not, the first is -1.0."),
]  # fmt: skip

LABELLED = [1, 2] * 20

INFERENCE = [
    Bad("labels without predictions", lambda: oe.confidence_interval("accuracy", [1, 2]),
        oe.LabelError,
        "an interval needs y_true and y_pred, or one confusion matrix instead: counts must "
        "be a square matrix, or a stack of them of shape (..., K, K); got shape (2,)."),
    Bad("number for clusters",
        lambda: oe.confidence_interval("accuracy", LABELLED, LABELLED, clusters=3),
        oe.LabelError, "clusters must name the cluster of each item; got 3."),
    Bad("clusters that cannot be told apart",
        lambda: oe.confidence_interval("accuracy", LABELLED, LABELLED, clusters=[{}] * 40),
        oe.LabelError, "clusters must be named by hashable values."),
    Bad("one name for two models",
        lambda: oe.paired_delta("accuracy", LABELLED, LABELLED, LABELLED, names=("a", "a")),
        oe.ParameterError, "names must be the different names of two models; got ('a', 'a')."),
    Bad("three names for two models",
        lambda: oe.paired_delta("accuracy", LABELLED, LABELLED, LABELLED,
                                names=("a", "b", "c")),  # type: ignore[arg-type]
        oe.ParameterError,
        "names must be the different names of two models; got ('a', 'b', 'c')."),
]  # fmt: skip

PATHS = [
    Bad("another index", lambda: oe.optimal_path(CM, "auoc"), oe.ParameterError,
        "optimal_path takes oc_index, oc_index_unnormalized or uoc_index; got 'auoc'."),
    Bad("another measure", lambda: oe.optimal_path(CM, oe.accuracy), oe.ParameterError,
        "optimal_path takes oc_index, oc_index_unnormalized or uoc_index; got 'accuracy'."),
    Bad("parameter of another index", lambda: oe.optimal_path(CM, "uoc_index", share=0.5),
        oe.ParameterError,
        "uoc_index has no parameter 'share'; its parameters: beta, gamma, absent."),
    Bad("path of a stack", lambda: oe.optimal_path(STACK), oe.CountsError,
        "optimal_path takes one matrix; got a stack of shape (2,)."),
    Bad("path of nothing", lambda: oe.optimal_path(np.zeros((3, 3))), oe.CountsError,
        "optimal_path needs a matrix with items; this one is all zero."),
    Bad("path of one level", lambda: oe.optimal_path([[3]]), oe.ParameterError,
        "a scale of one level has no penalty to share; give beta=."),
    Bad("curve of a stack", lambda: oe.uoc_curve(STACK), oe.CountsError,
        "uoc_curve takes one matrix; got a stack of shape (2,)."),
    Bad("curve of nothing", lambda: oe.uoc_curve(np.zeros((3, 3))), oe.CountsError,
        "uoc_curve needs a matrix with items; this one is all zero."),
]  # fmt: skip

CATALOGUE = {
    f"{where}: {bad.id}": bad
    for where, rows in {
        "order": ORDER,
        "scale": SCALES,
        "labels": LABELS,
        "weights": WEIGHTS,
        "matrix": MATRICES,
        "parameter": PARAMETERS,
        "registry": REGISTRY,
        "probabilities": PROBABILITIES,
        "score": SCORES,
        "frame": FRAMES,
        "inference": INFERENCE,
        "path": PATHS,
    }.items()
    for bad in rows
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_bad_input_has_its_message(name: str) -> None:
    bad = CATALOGUE[name]
    with pytest.raises(bad.error) as caught:
        bad.call()
    assert str(caught.value) == bad.message
    assert type(caught.value) is bad.error


@pytest.mark.parametrize("name", CATALOGUE)
def test_messages_are_sentences_of_one_line(name: str) -> None:
    message = CATALOGUE[name].message
    assert message.endswith((".", "?"))
    assert "\n" not in message
    assert "  " not in message
    assert ".." not in message.replace("...", "")


def test_errors_are_of_the_kind_that_callers_expect() -> None:
    for error in (oe.ScaleError, oe.LabelError, oe.CountsError, oe.ParameterError):
        assert issubclass(error, ValueError)
        assert issubclass(error, oe.OrdevalError)
    assert issubclass(oe.UnknownMetricError, KeyError)
    assert issubclass(oe.SolverError, RuntimeError)
    assert issubclass(oe.MissingExtraError, ImportError)
    assert issubclass(oe.EmptyLevelWarning, oe.OrdevalWarning)
    assert issubclass(oe.UndefinedMetricWarning, oe.OrdevalWarning)
    assert issubclass(oe.OrdevalWarning, UserWarning)


GAP = (
    "The integers imply the scale Scale(1 < 2 < 3), but 2 never occurs, neither as truth nor as "
    "prediction. If that is right, declare it with labels=oe.Scale.range(1, 3); otherwise declare "
    "the levels with labels=."
)


def undefined(what: str, why: str) -> str:
    return f"{what}: {why}. Returning NaN; set undefined= to return another value."


IMPLIED = oe.ConfusionMatrix.from_labels([1, 2, 2], [1, 2, 1])


class Warned(NamedTuple):
    """A call, the warning that it gives, and its text."""

    id: str
    call: Callable[[], Any]
    category: type[Warning]
    message: str


WARNINGS = [
    Warned("from_labels", lambda: oe.ConfusionMatrix.from_labels([1, 3], [1, 3]),
           oe.EmptyLevelWarning, GAP),
    Warned("Scale.infer", lambda: oe.Scale.infer([1, 3]), oe.EmptyLevelWarning, GAP),
    Warned("measure", lambda: oe.accuracy([1, 3], [1, 3]), oe.EmptyLevelWarning, GAP),
    Warned("score", lambda: oe.score([1, 3], [1, 3], "accuracy"), oe.EmptyLevelWarning, GAP),
    Warned("probabilities", lambda: oe.ranked_probability_score([1, 3], PROB),
           oe.EmptyLevelWarning, GAP),
    Warned("unused levels", lambda: oe.oc_index([1, 2], [1, 2]), oe.EmptyLevelWarning,
           "[OE101] oc_index depends on levels that never occur; the integers only "
           "imply Scale(1 < 2). Declare labels= if the scale is longer."),
    Warned("unused levels of a matrix", lambda: oe.gwet_ac2.from_confusion(IMPLIED),
           oe.EmptyLevelWarning,
           "[OE101] gwet_ac2 depends on levels that never occur; the integers only "
           "imply Scale(1 < 2). Declare labels= if the scale is longer."),
    Warned("weights", lambda: oe.accuracy([1, 3], [1, 3], sample_weight=[1, 2]),
           oe.EmptyLevelWarning, GAP),
    Warned("many empty levels", lambda: oe.accuracy([1, 20], [1, 20]), oe.EmptyLevelWarning,
           "The integers imply the scale Scale(1 < 2 < 3 < 4 < 5 < ... < 19 < 20), but 2, 3, 4, "
           "5, 6, ... never occur, neither as truth nor as prediction. If that is right, declare "
           "it with labels=oe.Scale.range(1, 20); otherwise declare the levels with labels=."),
    Warned("no items", lambda: oe.accuracy([], [], labels=[1, 2]), oe.UndefinedMetricWarning,
           undefined("accuracy is undefined", "there are no items")),
    Warned("no items in a matrix", lambda: oe.somers_d.from_confusion(np.zeros((2, 2))),
           oe.UndefinedMetricWarning,
           undefined("somers_d is undefined", "there are no items")),
    Warned("one class", lambda: oe.somers_d.from_confusion([[1, 2], [0, 0]]),
           oe.UndefinedMetricWarning,
           undefined("somers_d is undefined", "the truth has only one class")),
    Warned("bound parameter", lambda: oe.oc_index.with_params(share=0.5).from_confusion([[3]]),
           oe.UndefinedMetricWarning,
           undefined("oc_index(share=0.5) is undefined",
                     "there are no items, or the scale has only one level and beta= is not given")),
    Warned("stack", lambda: oe.somers_d.from_confusion([np.eye(2), [[1, 2], [0, 0]]]),
           oe.UndefinedMetricWarning,
           undefined("somers_d is undefined for 1 of 2 matrices",
                     "the truth has only one class")),
    Warned("empty stack", lambda: oe.somers_d.from_confusion(np.zeros((2, 2, 2))),
           oe.UndefinedMetricWarning,
           undefined("somers_d is undefined for 2 of 2 matrices", "there are no items")),
    Warned("empty class in a stack",
           lambda: oe.misclassification_cost.from_confusion([EMPTY_CLASS, COUNTS]),
           oe.UndefinedMetricWarning,
           undefined("misclassification_cost is undefined for 1 of 2 matrices",
                     "a class of the scale has no items, so the cost of predicting it is infinite "
                     "(or the scale has only one level)")),
    Warned("no probabilities",
           lambda: oe.ranked_probability_score([], np.ones((0, 2)), labels=[1, 2]),
           oe.UndefinedMetricWarning,
           undefined("ranked_probability_score is undefined", "there are no items")),
    Warned("no prior",
           lambda: oe.ranked_probability_skill_score([1], [[1, 0]], labels=[1, 2]),
           oe.UndefinedMetricWarning,
           undefined("ranked_probability_skill_score is undefined",
                     "the truth has only one class")),
]  # fmt: skip


@pytest.mark.parametrize("warned", WARNINGS, ids=lambda warned: warned.id)
def test_a_warning_has_its_text_and_points_at_the_caller(warned: Warned) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warned.call()
    assert [(w.category, str(w.message)) for w in caught] == [(warned.category, warned.message)]
    assert caught[0].filename == __file__
    assert caught[0].lineno == warned.call.__code__.co_firstlineno


def test_a_one_level_scale_is_not_blamed_on_missing_items() -> None:
    with pytest.warns(oe.UndefinedMetricWarning, match="only one level"):
        oe.ranked_probability_score([1], [[1]], labels=[1], normalize=True)


def test_a_replaced_value_gives_no_warning() -> None:
    assert oe.accuracy([], [], labels=[1, 2], undefined=-1.0) == -1.0
    assert oe.somers_d.from_confusion(np.zeros((2, 2, 2)), undefined=0).tolist() == [0, 0]
    assert oe.misclassification_cost.from_confusion(EMPTY_CLASS, undefined=0.5) == 0.5
    assert oe.ranked_probability_score([], np.ones((0, 1)), labels=[1], undefined=2.0) == 2.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: oe.ConfusionMatrix.from_labels([1, 3], [2, 3]),
        lambda: oe.ConfusionMatrix.from_labels([1, 3], [1, 3], labels=[1, 2, 3]),
        lambda: oe.score([], [], labels=[1, 2, 3]),
        lambda: oe.score([1, 3], [1, 3], labels=[1, 2, 3]),
        lambda: oe.accuracy([1, 1], [1, 1]),
        lambda: oe.oc_index([1, 2], [1, 2], labels=[1, 2]),
        lambda: oe.oc_index.from_confusion(IMPLIED.counts),
        lambda: oe.mean_absolute_error.from_confusion(IMPLIED),
    ],
)
def test_nothing_to_warn_of(call: Callable[[], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call()
