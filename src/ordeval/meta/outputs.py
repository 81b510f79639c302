"""The outputs of many systems on many test cases, counted: what studies of measures start from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordeval.data.columns import is_missing
from ordeval.data.confusion import ConfusionMatrix, as_counts
from ordeval.data.files import Progress
from ordeval.data.items import Dropped, encode_labels
from ordeval.data.scale import Policy, Scale, warn_of_empty_levels
from ordeval.exceptions import CountsError, LabelError


@dataclass(frozen=True, eq=False)
class SystemOutputs:
    """A confusion matrix for each test case and each system.

    Examples
    --------
    >>> outputs = SystemOutputs.from_labels(
    ...     [1, 2, 3, 1, 2, 3], {"a": [1, 2, 3, 1, 2, 2], "b": [1, 1, 3, 1, 1, 1]},
    ...     case=["q1", "q1", "q1", "q2", "q2", "q2"])
    >>> outputs
    SystemOutputs(2 test cases, 2 systems, 3 classes)
    """

    counts: NDArray[Any]  # (cases, systems, K, K), rows truth, columns prediction
    systems: tuple[str, ...]
    cases: tuple[Any, ...]
    scale: Scale
    dropped: Dropped = field(default_factory=Dropped)  # labels that were left out, over all systems

    @classmethod
    def from_labels(
        cls,
        truth: Any,
        systems: Mapping[str, Any],
        case: Any,
        *,
        labels: Any = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> SystemOutputs:
        """Count labels that are in memory.

        Parameters
        ----------
        truth
            The true label of each item.
        systems
            The predicted labels of each system, by its name.
        case
            The test case of each item.
        labels, unknown, missing
            As in ``ConfusionMatrix.from_labels``; an item goes if a label of any system does.
        """
        if not systems:
            raise LabelError("systems must map the name of each system to its labels; got none.")
        items = encode_labels(
            truth, systems, labels=labels, truth_name="truth", unknown=unknown, missing=missing
        )
        if items.implied:
            occurs = np.zeros(items.scale.k, dtype=bool)
            for codes in (items.truth, *items.models.values()):
                occurs[codes] = True
            warn_of_empty_levels(items.scale, occurs)
        cases, where = _numbered(case, items.kept)
        predictions = np.stack(list(items.models.values()))
        k, s = items.scale.k, len(predictions)
        cells = ((where * s + np.arange(s)[:, None]) * k + items.truth) * k + predictions
        counts = np.bincount(cells.ravel(), minlength=len(cases) * s * k * k)
        shape = (len(cases), s, k, k)
        dropped = sum(items.dropped.values(), Dropped())
        return cls(counts.reshape(shape), tuple(items.models), cases, items.scale, dropped)

    @classmethod
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
        """Count a frame of any kind that ``ConfusionMatrix.from_frame`` takes.

        A wide frame has a column for each system, which ``pred`` lists. A long one has a row for
        each item and system: ``system`` names the column of the systems, ``pred`` that of their
        predictions. Each system is counted on the items of which it has a label.
        """
        by = [case] if system is None else [case, system]
        stack = ConfusionMatrix.from_frame(
            frame, truth, pred, labels, by=by, unknown=unknown, missing=missing
        )
        return cls._of_stack(stack, pred, system)

    @classmethod
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
        """Count a file of any kind that ``ConfusionMatrix.from_file`` takes, as a frame is."""
        by = [case] if system is None else [case, system]
        stack = ConfusionMatrix.from_file(
            path, truth, pred, labels, by=by, table=table, unknown=unknown, missing=missing,
            progress=progress,
        )  # fmt: skip
        return cls._of_stack(stack, pred, system)

    @classmethod
    def _of_stack(
        cls, stack: ConfusionMatrix, pred: str | Sequence[str], system: str | None
    ) -> SystemOutputs:
        groups = stack.groups or ()
        if system is None:
            wide = stack.counts if stack.counts.ndim == 4 else stack.counts[:, None]
            names = (pred,) if isinstance(pred, str) else tuple(pred)
            cases = tuple(g[0] if isinstance(g, tuple) else g for g in groups)
            return cls(wide, names, cases, stack.scale, stack.dropped)
        if not isinstance(pred, str):
            raise LabelError(
                "a long frame has one column of predictions; pred= must name it, not a list."
            )
        cases = tuple(dict.fromkeys(c for c, _ in groups))
        names = tuple(dict.fromkeys(s for _, s in groups))
        long = np.zeros((len(cases), len(names), *stack.counts.shape[-2:]), stack.counts.dtype)
        for (c, s), counts in zip(groups, stack.counts, strict=True):
            long[cases.index(c), names.index(s)] = counts
        return cls(long, tuple(map(str, names)), cases, stack.scale, stack.dropped)._same_items()

    def _same_items(self) -> SystemOutputs:
        """Refuse systems of which some lack items of a test case, or have them twice."""
        truth = self.counts.sum(axis=-1)
        differs = (truth != truth[:, :1]).any(axis=-1) & (not self.dropped)
        if differs.any():
            c, s = np.argwhere(differs)[0].tolist()
            raise LabelError(
                f"all systems must answer the same items of a test case; in {self.cases[c]!r} "
                f"{self.systems[0]} has {truth[c, 0].sum():,} items and {self.systems[s]} "
                f"{truth[c, s].sum():,}, or others. Complete the rows, or drop the case."
            )
        return self

    def without(self, *systems: str) -> SystemOutputs:
        """The same study without some of the systems."""
        for name in systems:
            if name not in self.systems:
                raise LabelError(f"no system is called {name!r}; they are {list(self.systems)}.")
        kept = [i for i, name in enumerate(self.systems) if name not in systems]
        names = tuple(self.systems[i] for i in kept)
        return SystemOutputs(self.counts[:, kept], names, self.cases, self.scale, self.dropped)

    def __repr__(self) -> str:
        return (
            f"SystemOutputs({len(self.cases)} test cases, {len(self.systems)} systems, "
            f"{self.scale.k} classes)"
        )


def _numbered(case: Any, kept: NDArray[np.bool_]) -> tuple[tuple[Any, ...], NDArray[np.int64]]:
    """The test cases in order, and the number of that of each item that was kept."""
    given = np.asarray(case, dtype=object)
    if given.shape != kept.shape:
        raise LabelError(
            f"case must hold the test case of each item, {len(kept)} in all; got shape "
            f"{given.shape}."
        )
    names = given[kept].tolist()
    if any(map(is_missing, names)):
        raise LabelError(
            "case must not hold missing values: every item belongs to a test case. Fill them in, "
            "or leave those items out."
        )
    try:
        ordered = sorted(set(names))
    except TypeError:  # numbers beside names
        ordered = list(dict.fromkeys(names))
    number = {name: i for i, name in enumerate(ordered)}
    return tuple(ordered), np.fromiter(map(number.__getitem__, names), np.int64, len(names))


def as_outputs(data: Any) -> SystemOutputs:
    """Outputs as given, or from counts (cases, systems, K, K), whose systems get numbers."""
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
