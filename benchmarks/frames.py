"""Speed on frames as ratios, measured in one run: against pandas, and of our doors to each other.

Rows and bounds are as in ``benchmarks.core``.
"""

from __future__ import annotations

import itertools
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import ordeval as oe
from benchmarks.core import K, Row, judged

ITEMS = 10**6
GROUPS = 200_000
SEGMENTS = 10_000
LEVELS = range(K)
MODELS = ["p", "q"]


def frame_of(rng: np.random.Generator, items: int, groups: int) -> pd.DataFrame:
    """A truth, two models that are right more often than not, and a subgroup."""
    truth = rng.integers(0, K, items)
    models = {
        name: np.where(rng.random(items) < right, truth, rng.integers(0, K, items))
        for name, right in (("p", 0.6), ("q", 0.7))
    }
    return pd.DataFrame({"y": truth, **models, "g": rng.integers(0, groups, items)})


def group_rows(rng: np.random.Generator) -> list[Row]:
    """Counting in very many subgroups, against the group-by of pandas over the same columns."""
    numbers = frame_of(rng, ITEMS, GROUPS)
    words = numbers.assign(g="group " + numbers["g"].astype(str))

    def count(frame: pd.DataFrame) -> Callable[[], Any]:
        return lambda: oe.ConfusionMatrix.from_frame(frame, "y", "p", LEVELS, by="g")

    def group(frame: pd.DataFrame) -> Callable[[], Any]:
        return lambda: frame.groupby(["g", "y", "p"]).size()

    return [
        Row("200,000 groups by a number", count(numbers), group(numbers), 3.0, "pandas group-by"),
        Row("200,000 groups by a name", count(words), group(words), 3.0, "pandas group-by"),
    ]


def column_rows(rng: np.random.Generator) -> list[Row]:
    """Our doors against each other: what more columns cost, and columns against a frame."""
    frame = frame_of(rng, ITEMS, 1)
    columns = {name: frame[name].to_numpy() for name in "ypq"}
    models = {name: columns[name] for name in MODELS}

    def count(pred: Any) -> Callable[[], Any]:
        return lambda: oe.ConfusionMatrix.from_frame(frame, "y", pred, LEVELS)

    return [
        Row("two predictions of pandas", count(MODELS), count("p"), 3.0, "one of them", 15),
        Row(
            "compare of columns",
            lambda: oe.compare(columns["y"], models, labels=LEVELS),
            lambda: oe.compare(oe.Predictions.from_frame(frame, "y", MODELS, labels=LEVELS)),
            1.05,  # alike but for what else the machine does
            "compare of a frame",
            40,
        ),
    ]


def segment_rows(rng: np.random.Generator) -> list[Row]:
    """10,000 subgroups against a loop over few of them."""
    frame = frame_of(rng, 20 * SEGMENTS, SEGMENTS)
    few = [part for _, part in frame[frame["g"] < SEGMENTS // 200].groupby("g")]

    def compare(part: pd.DataFrame, **how: Any) -> Any:
        return oe.compare(oe.Predictions.from_frame(part, "y", MODELS, labels=LEVELS, **how))

    def score(part: pd.DataFrame, **how: Any) -> Any:
        metrics = None if how else "all"  # one by one, as many as 0.2.0 had by default
        return oe.score(oe.Predictions.from_frame(part, "y", "p", labels=LEVELS, **how), metrics)

    return [
        Row(
            f"{name} in 10,000 subgroups",
            lambda door=door: door(frame, by="g"),
            lambda door=door: [door(part) for part in few],
            bound,
            f"{len(few)} of them, one by one",
            2,
        )
        for name, door, bound in (("compare", compare, 5.0), ("score", score, 1.5))
    ]


def main() -> int:
    """Print one row per comparison; exit 1 if one misses its bound."""
    warnings.simplefilter("ignore", oe.OrdevalWarning)
    rng = np.random.default_rng(20260101)
    return judged(itertools.chain.from_iterable(rows(rng) for rows in _ROWS))


_ROWS = (column_rows, group_rows, segment_rows)

if __name__ == "__main__":
    sys.exit(main())
