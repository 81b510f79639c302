"""Outputs of many systems on many test cases as counts, the input of studies of measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import checked
from ordeval._shared.text import argument
from ordeval._shared.types import Integers, Policy, Progress
from ordeval.data.accumulator import as_counts
from ordeval.data.columns import is_missing
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped
from ordeval.data.items import Misfits, read_items
from ordeval.data.numbering import refuse_unhashable
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale
from ordeval.exceptions import CountsError, LabelError


@dataclass(frozen=True, eq=False)
class SystemOutputs:
    """A confusion matrix for each test case and each system.

    Examples
    --------
    >>> outputs = SystemOutputs.from_labels(
    ...     [1, 2, 3, 1, 2, 3], {"a": [1, 2, 3, 1, 2, 2], "b": [1, 1, 3, 1, 1, 1]},
    ...     cases=["q1", "q1", "q1", "q2", "q2", "q2"])
    >>> outputs
    SystemOutputs(2 test cases, 2 systems, 3 classes)
    """

    counts: NDArray[Any]  # (cases, systems, K, K), rows truth, columns prediction
    systems: tuple[str, ...]
    cases: tuple[Any, ...]
    scale: Scale
    dropped: Dropped = field(default_factory=Dropped)  # labels dropped, over all systems

    @classmethod
    @checked
    def from_labels(
        cls,
        y_true: Any,
        y_pred: Mapping[str, Any],
        cases: Any,
        *,
        labels: Any = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> SystemOutputs:
        """Count labels in memory.

        Parameters
        ----------
        y_true
            The true label of each item.
        y_pred
            The predicted labels of each system, by its name.
        cases
            The test case of each item.
        labels, unknown, missing
            As in ``ConfusionMatrix.from_labels``; an item is dropped if one of its labels is.
        """
        if not y_pred:
            raise LabelError("y_pred must map the name of each system to its labels; got none.")
        items = read_items(y_true, y_pred, labels=labels, misfits=Misfits(unknown, missing))
        check_same_items([("cases", cases)], items.index)
        names, case = _numbered(cases, items.kept)
        coded = np.stack(list(items.y_pred.values()))
        counts = count_outputs(case, items.y_true, coded, len(names), items.scale.k)
        dropped = sum(items.dropped.values(), Dropped())
        return cls(counts, tuple(items.y_pred), names, items.scale, dropped)

    @classmethod
    @checked
    def from_frame(
        cls,
        frame: Any,
        truth: str,
        pred: str | Sequence[str],
        case: str,
        *,
        system: str | None = None,
        labels: Any = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> SystemOutputs:
        """Count a data frame of any kind that ``ConfusionMatrix.from_frame`` accepts.

        A wide frame has one column for each system, listed in ``pred``. A long frame has one row
        per item and system: ``system`` names the column with the systems, ``pred`` the column with
        their predictions. Each system is counted on the items for which it has a label.
        """
        stack = ConfusionMatrix.from_frame(
            frame, truth, pred, labels, by=_by(case, system), unknown=unknown, missing=missing
        )
        return cls._of_stack(stack, pred, system)

    @classmethod
    @checked
    def from_file(
        cls,
        path: Any,
        truth: str,
        pred: str | Sequence[str],
        case: str,
        *,
        system: str | None = None,
        labels: Any = None,
        table: str | None = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        progress: Progress | None = None,
    ) -> SystemOutputs:
        """Count a file of any kind that ``ConfusionMatrix.from_file`` accepts."""
        stack = ConfusionMatrix.from_file(
            path,
            truth,
            pred,
            labels,
            by=_by(case, system),
            table=table,
            unknown=unknown,
            missing=missing,
            progress=progress,
        )
        return cls._of_stack(stack, pred, system)

    @classmethod
    def _of_stack(
        cls, stack: ConfusionMatrix, pred: str | Sequence[str], system: str | None
    ) -> SystemOutputs:
        keys = stack.by or ()
        if system is None:
            wide = stack.counts if stack.counts.ndim == 4 else stack.counts[:, None]
            names = (pred,) if isinstance(pred, str) else tuple(pred)
            cases = tuple(g[0] if isinstance(g, tuple) else g for g in keys)
            return cls(wide, names, cases, stack.scale, stack.dropped)
        if not isinstance(pred, str):
            raise LabelError(
                f"a long table has one column of predictions; {argument('pred')} must name that "
                f"one, not several."
            )
        cases = tuple(dict.fromkeys(c for c, _ in keys))
        names = tuple(dict.fromkeys(s for _, s in keys))
        long = np.zeros((len(cases), len(names), *stack.counts.shape[-2:]), stack.counts.dtype)
        for (c, s), counts in zip(keys, stack.counts, strict=True):
            long[cases.index(c), names.index(s)] = counts
        return cls(long, tuple(map(str, names)), cases, stack.scale, stack.dropped)._same_items()

    def _same_items(self) -> SystemOutputs:
        """Raise an error if a system lacks items of a test case or has them twice."""
        truth = self.counts.sum(axis=-1)
        differs = (truth != truth[:, :1]).any(axis=-1) & (not self.dropped)
        if differs.any():
            c, s = np.argwhere(differs)[0].tolist()
            raise LabelError(
                f"all systems must label the same items of a test case; in {self.cases[c]!r} "
                f"{self.systems[0]} has {truth[c, 0].sum():,} items and {self.systems[s]} has "
                f"{truth[c, s].sum():,}, or other true labels. Complete the rows, or leave the "
                f"test case out."
            )
        return self

    @checked
    def without(self, *systems: str) -> SystemOutputs:
        """Return the study without some of the systems."""
        for name in systems:
            if name not in self.systems:
                raise LabelError(f"no system is called {name!r}; they are {list(self.systems)}.")
        kept = [i for i, name in enumerate(self.systems) if name not in systems]
        names = tuple(self.systems[i] for i in kept)
        return replace(self, counts=self.counts[:, kept], systems=names)

    def __repr__(self) -> str:
        return (
            f"SystemOutputs({len(self.cases)} test cases, {len(self.systems)} systems, "
            f"{self.scale.k} classes)"
        )


def _by(case: str, system: str | None) -> list[str]:
    return [case] if system is None else [case, system]


def count_outputs(
    case: Integers, y_true: Integers, y_pred: Integers, cases: int, k: int
) -> Integers:
    """Return matrices (cases, systems, K, K) from labels (systems, n) and the case of each item."""
    s = len(y_pred)
    cells = ((case * s + np.arange(s)[:, None]) * k + y_true) * k + y_pred
    return np.bincount(cells.ravel(), minlength=cases * s * k * k).reshape(cases, s, k, k)


def _numbered(cases: Any, kept: NDArray[np.bool_]) -> tuple[tuple[Any, ...], Integers]:
    """Return the test cases in order, and the test case number of each kept item."""
    given = np.asarray(cases, dtype=object)
    if given.shape != kept.shape:
        raise LabelError(
            f"cases must hold the test case of each item, {len(kept)} in all; got shape "
            f"{given.shape}."
        )
    names = given[kept].tolist()
    refuse_unhashable(names)
    if any(map(is_missing, names)):
        raise LabelError(
            "cases must not hold missing values: every item belongs to a test case. Fill them in, "
            "or leave those items out."
        )
    try:
        ordered = sorted(set(names))
    except TypeError:  # numbers mixed with names
        ordered = list(dict.fromkeys(names))
    number = {name: i for i, name in enumerate(ordered)}
    return tuple(ordered), np.fromiter(map(number.__getitem__, names), np.int64, len(names))


def as_outputs(data: Any) -> SystemOutputs:
    """Return outputs unchanged, or wrap counts (cases, systems, K, K)."""
    if isinstance(data, SystemOutputs):
        outputs = data
    else:
        counts = as_counts(data)
        if counts.ndim != 4:
            raise CountsError(
                f"counts must have the shape (cases, systems, K, K); got {counts.shape}. Labels "
                f"are counted by SystemOutputs.from_labels, from_frame and from_file."
            )
        names = tuple(f"system {i + 1}" for i in range(counts.shape[1]))
        scale = Scale.range(0, counts.shape[-1] - 1)
        outputs = SystemOutputs(counts, names, tuple(range(len(counts))), scale)
    if len(outputs.systems) < 2:
        raise CountsError(
            f"a study of measures compares systems: give at least 2; got {len(outputs.systems)}."
        )
    return outputs
