"""score_groups: some measures of one model in each of many groups, from one stack of matrices."""

from __future__ import annotations

import csv
import io
import math
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Cell, Table
from ordeval.data.confusion import ConfusionMatrix
from ordeval.evaluate.score import choose_metrics
from ordeval.exceptions import CountsError, UnknownMetricError
from ordeval.measures import Metric

if TYPE_CHECKING:
    import pandas

# One of each kind, few enough to read side by side.
MEASURES = ("cem_ord", "accuracy", "mean_absolute_error", "weighted_kappa", "oc_index")
FEW_ITEMS = 30
_SHOWN = 40
_NAMED = 3


@dataclass(frozen=True, eq=False)
class GroupScores(Mapping[str, NDArray[np.float64]]):
    """Values in each group by the name of the measure; prints as a table."""

    confusion: ConfusionMatrix  # (G, K, K)
    groups: tuple[Any, ...]
    measures: tuple[Metric, ...]
    values_: NDArray[np.float64]  # (measures, G)
    pooled: NDArray[np.float64]  # (measures,), of all groups together

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in list(self):
            raise UnknownMetricError(f"{name!r} was not scored; list(scores) names what was.")
        values: NDArray[np.float64] = self.values_[list(self).index(name)]
        return values

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in self.measures)

    def __len__(self) -> int:
        return len(self.measures)

    def table(self, most: int | None = None) -> Table:
        """A row for each group, or for the first ``most`` of them, then one for all together."""
        shown = slice(most)
        names, values = list(map(_name, self.groups[shown])), self.values_.T[shown]
        totals = self.confusion.total
        if self.confusion.groups is not None:
            # Other stacks, of models say, are not parts of a whole.
            names.append("(all)")
            values = np.vstack([values, self.pooled])
            totals = [*totals[shown], totals.sum()]
        rows = tuple(
            (Cell(name), Cell(_total(n)), *(Cell(_number(v)) for v in row))
            for name, n, row in zip(names, totals, values, strict=False)
        )
        head = ("group", self._amount(), *(m.symbol for m in self.measures))
        lost = self.confusion.dropped
        left_out = f"; left out: {lost.missing:,} missing, {lost.unknown:,} unknown" if lost else ""
        caption = f"{len(self.groups):,} groups; {self.confusion.scale}{left_out}"
        return Table(head, rows, caption, tuple(self._notes()))

    def _amount(self) -> str:
        return "weight" if self.confusion.weighted else "items"

    def rows(self) -> list[dict[str, Any]]:
        """One record for each group."""
        totals = self.confusion.total.tolist()
        return [
            {"group": g, self._amount(): n, **dict(zip(self, values, strict=True))}
            for g, n, values in zip(self.groups, totals, self.values_.T.tolist(), strict=True)
        ]

    def to_frame(self) -> pandas.DataFrame:
        """One row for each group, as a pandas DataFrame."""
        pd = import_extra("pandas", extra="frames", purpose="to_frame")
        frame: pandas.DataFrame = pd.DataFrame(self.rows())
        return frame.set_index("group")

    def to_markdown(self) -> str:
        """The table in Markdown."""
        return self.table().to_markdown()

    def to_latex(self) -> str:
        """The table in LaTeX (booktabs)."""
        return self.table().to_latex()

    def to_csv(self) -> str:
        """One line for each group, the values in full."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["group", self._amount(), *self])
        for row in self.rows():
            values = list(row.values())
            writer.writerow([_name(values[0]), *("" if v != v else v for v in values[1:])])
        return out.getvalue()

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield from self._shown().to_rich(options.max_width)

    def __repr__(self) -> str:
        return self._shown().to_text(max(shutil.get_terminal_size((100, 24)).columns, 60))

    def _shown(self) -> Table:
        """The table, of many groups the first only, which a note says."""
        hidden = len(self.groups) - _SHOWN
        if hidden <= 0:
            return self.table()
        note = f"{hidden:,} more groups are not shown; to_csv() and to_frame() have them all."
        table = self.table(_SHOWN)
        return replace(table, notes=(note, *table.notes))

    def _repr_html_(self) -> str:
        return self._shown().to_html()

    def _notes(self) -> Iterator[str]:
        better = {True: "higher", False: "lower", None: "nearer 0"}
        meaning = (
            f"{m.symbol} = {m.name} ({better[m.greater_is_better]} is better)"
            for m in self.measures
        )
        yield ", ".join(meaning) + "."
        first = self.measures[0]
        utility = np.asarray(first.utility(self.values_[0]))
        known = np.flatnonzero(~np.isnan(utility))
        if first.greater_is_better is not None and len(known) > 1:
            worst = known[np.argsort(utility[known], kind="stable")][:_NAMED]
            shown = ", ".join(
                f"{_name(self.groups[i])} ({_number(self.values_[0][i])})" for i in worst.tolist()
            )
            yield f"Worst by {first.name}: {shown}."
        few = int((self.confusion.total < FEW_ITEMS).sum())
        if few and not self.confusion.weighted:
            yield (
                f"{few:,} of {len(self.groups):,} groups have fewer than {FEW_ITEMS} items: their "
                f"values vary by chance; oe.confidence_interval says how much."
            )


def score_groups(
    stack: Any, metrics: Iterable[str | Metric] | str | Metric | None = None
) -> GroupScores:
    """Score one model in each of the groups that it was counted by.

    Parameters
    ----------
    stack
        From ``ConfusionMatrix.from_frame`` or ``from_file`` with ``by=``; of any other stack with
        one leading axis, the groups are positions.
    metrics
        Names or measures; by default five, one of each kind.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"site": ["A", "B"] * 40, "y": [1, 2] * 40, "p": [1, 2, 1, 1] * 20})
    >>> stack = ConfusionMatrix.from_frame(frame, "y", "p", [1, 2], by="site")
    >>> print(score_groups(stack, ["accuracy", "mean_absolute_error"]).table())
    2 groups; Scale(1 < 2)
    group  items   Acc    MAE
    A        40   1.000   0.000
    B        40   0.500   0.500
    (all)    80   0.750   0.250
    Acc = accuracy (higher is better), MAE = mean_absolute_error (lower is better).
    Worst by accuracy: B (0.500), A (1.000).
    """
    if not isinstance(stack, ConfusionMatrix):
        stack = ConfusionMatrix(stack)
    if len(stack.shape) != 1:
        raise CountsError(
            f"score_groups takes a stack with one axis of groups; this one has shape "
            f"{stack.shape}. Take one model out, for example stack[:, 0]."
        )
    chosen = choose_metrics(MEASURES if metrics is None else metrics)
    checked = [m.check_parameters({}, stack.k) for m in chosen]
    whole = stack.counts.sum(axis=0)
    values = [m.evaluate(stack.counts, p) for m, p in zip(chosen, checked, strict=True)]
    pooled = [m.evaluate(whole, p) for m, p in zip(chosen, checked, strict=True)]
    groups = tuple(range(len(stack))) if stack.groups is None else stack.groups
    return GroupScores(stack, groups, chosen, np.array(values, dtype=float), np.array(pooled))


def _name(group: Any) -> str:
    return " / ".join(map(str, group)) if isinstance(group, tuple) else str(group)


def _total(value: Any) -> str:
    return f"{value:,}" if isinstance(value, (int, np.integer)) else f"{value:,.6g}"


def _number(value: float) -> str:
    return "—" if math.isnan(value) else f"{round(value, 3) + 0.0:.3f}"
