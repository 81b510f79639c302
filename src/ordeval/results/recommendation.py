"""Recommendation: a measure for the decision, two companions, and the reasons."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

from ordeval._shared.arguments import checked
from ordeval._shared.result import Result, terminal_width
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import visible
from ordeval.measures import Metric


@dataclass(frozen=True)
class Choice:
    """A measure, why it was chosen, and what it would hide."""

    metric: Metric
    reason: str
    hides: str

    @property
    def reference(self) -> str:
        """Where the measure was published."""
        return str(self.metric.reference)


@dataclass(frozen=True, repr=False)
class Recommendation(Result):
    """A measure for the decision, and two companions."""

    _kind: ClassVar[str] = "ordeval.recommendation"

    primary: Choice
    companions: tuple[Choice, Choice]
    because: tuple[str, ...]  # the facts that led here
    run: str = ""  # what to run, in Python
    note: str = ""  # what papers of the field report

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The three measures, ready for ``compare(metrics=...)``."""
        return tuple(c.metric for c in (self.primary, *self.companions))

    def rows(self) -> list[dict[str, Any]]:
        """One record per measure."""
        choices = [("primary", self.primary), *(("companion", c) for c in self.companions)]
        return [
            {
                "role": role,
                "metric": c.metric.name,
                "why": c.reason,
                "hides": c.hides,
                "from": c.reference,
            }
            for role, c in choices
        ]

    def table(self) -> Table:
        """One row per measure."""
        head = ("role", "measure", "why", "hides", "from")
        shown = ({**r, "metric": m.display} for r, m in zip(self.rows(), self.metrics, strict=True))
        rows = tuple(tuple(map(Cell, row.values())) for row in shown)
        notes = (*filter(None, [self.note]), *(f"Run: {line}" for line in self.run.splitlines()))
        return Table(head, rows, self._because(), notes, head)

    def _because(self) -> str:
        return (
            f"Use {self.primary.metric.display} as the primary measure: {'; '.join(self.because)}."
        )

    @checked
    def to_text(self, width: int | None = None) -> str:
        """The recommendation, one measure below the other."""
        lines = [self._because()]
        for row, metric in zip(self.rows(), self.metrics, strict=True):
            lines.append(f"{row.pop('role')}: {metric.display} ({row.pop('metric')})")
            lines += [f"  {name}: {text}" for name, text in row.items()]
        lines += [self.note] if self.note else []
        fill = partial(textwrap.fill, width=width or terminal_width(), break_on_hyphens=False)
        run = [f"Run: {line}" for line in self.run.splitlines()]  # to copy: in one line
        wrapped = [fill(visible(x), subsequent_indent=" " * 4 * x.startswith(" ")) for x in lines]
        return "\n".join([*wrapped, *map(visible, run)])

    def __rich_console__(self, console: Any, options: Any) -> Any:
        yield import_module("rich.text").Text(self.to_text(options.max_width))
