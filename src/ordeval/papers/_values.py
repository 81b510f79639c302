"""What a reproduction consists of: values with their verdicts, exhibits, the whole."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ordeval._shared.tables import Cell, Table
from ordeval.exceptions import ParameterError

if TYPE_CHECKING:
    from ordeval.plots._display import Display

Verdict = Literal["equal", "close", "misprint", "differs", "not reproducible"]
Progress = Callable[[str, int, int], None]  # stage, steps done, steps in all

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
SCHEMA: Final = 1
_ROUNDING: Final = 1e-9  # of binary fractions, so that a half counts as either neighbour
_EXACT: Final = 6  # decimals to which a fraction in print must agree
_NEED_A_NOTE: Final[tuple[Verdict, ...]] = ("misprint", "differs", "not reproducible")
_LISTED: Final = 3  # values that share an explanation, in the text of a table


@dataclass(frozen=True)
class Value:
    """A value of a paper: what it prints, what recomputes, and what to make of the two."""

    paper: str
    exhibit: str  # "Table 1"
    row: str
    column: str
    printed: str  # as in print
    computed: float | str | None  # None: it cannot be computed
    verdict: Verdict
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ParameterError(f"a verdict is one of {', '.join(VERDICTS)}; {self.verdict!r}.")
        if self.verdict in _NEED_A_NOTE and not self.note:
            raise ParameterError(f"{self.place} is {self.verdict!r} without an explanation.")

    @property
    def place(self) -> str:
        """Where it stands in the paper."""
        return ", ".join(x for x in (self.exhibit, self.row, self.column) if x)

    @property
    def difference(self) -> float | None:
        """Computed minus printed; None if one of them is no number."""
        printed = number(self.printed)
        if printed is None or not isinstance(self.computed, float) or math.isnan(self.computed):
            return None
        return self.computed - printed

    def shown(self) -> str:
        """The computed value, to a digit more than is printed."""
        if self.computed is None:
            return "—"
        if isinstance(self.computed, str):
            return self.computed
        if math.isnan(self.computed):
            return "undefined"
        if not digits(self.printed) and self.computed == round(self.computed):
            return f"{self.computed:.0f}"
        exact = "/" in self.printed
        text = f"{self.computed:.{2 if exact else digits(self.printed) + 1}f}"
        return text.removeprefix("-") if float(text) == 0 else text


def number(text: str) -> float | None:
    """The number in print, of percentages the share; None for anything else.

    >>> number("15%"), number("-1/4"), number("NA")
    (0.15, -0.25, None)
    """
    try:
        if "/" in text:
            above, below = text.split("/")
            return float(above) / float(below)
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


def digits(text: str) -> int:
    """Decimals in print, those of a percentage as a share; a fraction is exact."""
    if "/" in text:
        return _EXACT
    return len(text.rstrip("%").partition(".")[2]) + 2 * text.endswith("%")


def agrees(printed: str, computed: float) -> bool:
    """Whether a value rounds to the printed digits; a half may go either way.

    >>> agrees("0.29", 0.295), agrees("0.85", 0.857), agrees("15%", 0.1523)
    (True, False, True)
    """
    expected = number(printed)
    if expected is None:
        return printed in ("NA", "nan") and math.isnan(computed)
    return abs(computed - expected) <= 0.5 * 10.0 ** -digits(printed) + _ROUNDING


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A table, a figure or a passage of a paper, recomputed."""

    paper: str
    name: str  # "Table 1", "Figure 4", "Appendix A"
    title: str
    values: tuple[Value, ...]
    method: str = ""  # how it was recomputed, if a reader must know
    call: str = ""  # a line to copy, with `import ordeval as oe` before it
    pictures: tuple[Display, ...] = ()

    def grid(self) -> tuple[tuple[str, ...], list[tuple[str, list[Value | None]]]]:
        """The columns, and the values of each row by column."""
        columns = tuple(dict.fromkeys(v.column for v in self.values))
        rows = dict.fromkeys(v.row for v in self.values)
        at = {(v.row, v.column): v for v in self.values}
        return columns, [(r, [at.get((r, c)) for c in columns]) for r in rows]


@dataclass(frozen=True)
class Explanation:
    """A note, and the values of an exhibit that share it."""

    paper: str
    exhibit: str
    verdict: Verdict
    note: str
    values: tuple[Value, ...]

    def listed(self, most: int) -> str:
        """The values, printed and computed; of many the first."""
        shown = [
            f"{', '.join(filter(None, (v.row, v.column)))}: {v.printed}"
            + ("" if v.computed is None else f" → {v.shown()}")
            for v in self.values[:most]
        ]
        hidden = len(self.values) - len(shown)
        return "; ".join([*shown, f"and {hidden:,} more"] if hidden else shown)


@dataclass(frozen=True)
class Run:
    """How to reproduce: at full length or not, from which seed, and whom to tell."""

    full: bool = False
    seed: int = 0
    progress: Progress | None = None

    def tell(self, stage: str) -> Progress:
        """Progress of a stage within its exhibit."""
        report = self.progress

        def step(_: str, done: int, of: int) -> None:
            if report is not None:
                report(stage, done, of)

        return step


@dataclass(frozen=True)
class Part:
    """Something to reproduce: where it stands, and how it is made."""

    name: str  # of the exhibit
    make: Callable[[Run], Exhibit]
    also: str = ""  # another name: the figure or table that a passage comments on


@dataclass(frozen=True)
class Paper:
    """A paper with all that is reproduced of it."""

    key: str
    citation: str
    about: str
    parts: tuple[Part, ...]

    @property
    def short(self) -> str:
        """Authors and year, with which the citation begins."""
        found = re.match(r".*?\b\d{4}\b", self.citation)
        return found[0] if found else self.key


@dataclass(frozen=True)
class Maker:
    """Values of one exhibit, so that paper and exhibit are said once."""

    paper: str
    exhibit: str

    def exact(
        self, row: str, column: str, printed: str, computed: float, otherwise: str = ""
    ) -> Value:
        """A value that follows from the paper; ``otherwise`` explains a misprint, if it is one."""
        computed = float(computed)
        if agrees(printed, computed):
            return self._value(row, column, printed, computed, "equal")
        note = otherwise or "does not follow from what the paper prints; no explanation is known"
        return self._value(
            row, column, printed, computed, "misprint" if otherwise else "differs", note
        )

    def near(
        self, row: str, column: str, printed: str, computed: float, tolerance: float,
        otherwise: str, note: str = "",
    ) -> Value:  # fmt: skip
        """A value with chance in it; ``otherwise`` explains one that is outside the tolerance."""
        expected = number(printed)
        assert expected is not None
        computed = float(computed)
        if abs(computed - expected) <= tolerance + _ROUNDING:
            stated = f"tolerance {tolerance:g}" + (f"; {note}" if note else "")
            return self._value(row, column, printed, computed, "close", stated)
        why = f"outside the tolerance of {tolerance:g}: {otherwise}"
        return self._value(row, column, printed, computed, "differs", why)

    def judged(
        self, row: str, column: str, printed: str, computed: float | str, verdict: Verdict,
        note: str = "",
    ) -> Value:  # fmt: skip
        """A value whose verdict is reached elsewhere."""
        return self._value(row, column, printed, computed, verdict, note)

    def formula(
        self, row: str, column: str, printed: str, ours: float | str, proven: bool, note: str
    ) -> Value:
        """A formula or a setting that the paper's own figures contradict, if they do."""
        if proven:
            return self._value(row, column, printed, ours, "misprint", note)
        doubt = f"not shown by the figures; {note}"
        return self._value(row, column, printed, ours, "differs", doubt)

    def statement(
        self, claim: str, holds: bool, evidence: str, otherwise: str = "", column: str = "holds",
        *, ours: bool = False,
    ) -> Value:  # fmt: skip
        """A claim in words, the paper's or ours about it, tried on data that the evidence names."""
        whose = "not claimed; ours" if ours else "claimed"
        if holds:
            return self._value(claim, column, whose, "holds", "equal", evidence)
        note = f"{otherwise}; {evidence}" if otherwise else evidence
        return self._value(claim, column, whose, "does not hold", "differs", note)

    def missing(self, row: str, column: str, printed: str, why: str) -> Value:
        """A value that cannot be reproduced, and why."""
        return self._value(row, column, printed, None, "not reproducible", why)

    def _value(
        self, row: str, column: str, printed: str, computed: float | str | None, verdict: Verdict,
        note: str = "",
    ) -> Value:  # fmt: skip
        return Value(self.paper, self.exhibit, row, column, printed, computed, verdict, note)


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction:
    """Everything that was recomputed, in the order of the papers.

    ``rows`` are records, ``table`` is for reading, ``to_json`` and ``to_html`` are for keeping.
    """

    papers: tuple[Paper, ...]
    exhibits: tuple[Exhibit, ...]
    full: bool
    seed: int
    values: tuple[Value, ...] = field(init=False)

    def __post_init__(self) -> None:
        made = tuple(v for exhibit in self.exhibits for v in exhibit.values)
        object.__setattr__(self, "values", made)

    @property
    def counts(self) -> dict[str, int]:
        """How many values have each verdict."""
        return _counted(self.values)

    def of(self, paper: str) -> tuple[Exhibit, ...]:
        """The exhibits of a paper."""
        return tuple(e for e in self.exhibits if e.paper == paper)

    def counts_of(self, paper: str) -> dict[str, int]:
        """How many values of a paper have each verdict."""
        return _counted(v for v in self.values if v.paper == paper)

    def explanations(self, verdict: Verdict) -> tuple[Explanation, ...]:
        """Every explanation of a verdict, with the values of an exhibit that share it."""
        groups: dict[tuple[str, str, str], list[Value]] = {}
        for v in self.values:
            if v.verdict == verdict:
                groups.setdefault((v.paper, v.exhibit, v.note), []).append(v)
        return tuple(
            Explanation(paper, exhibit, verdict, note, tuple(values))
            for (paper, exhibit, note), values in groups.items()
        )

    def rows(self) -> list[dict[str, Any]]:
        """One record a value."""
        return [
            {
                "paper": v.paper,
                "place": v.place,
                "printed": v.printed,
                "computed": v.computed,
                "difference": v.difference,
                "verdict": v.verdict,
                "note": v.note,
            }
            for v in self.values
        ]

    def table(self) -> Table:
        """Counts by verdict of every exhibit, then what is not as printed, and why."""
        head = ("exhibit", "values", *VERDICTS)
        rows = tuple(_count_row(f"{e.paper} {e.name}", _counted(e.values)) for e in self.exhibits)
        total = _count_row("all", self.counts)
        notes = tuple(
            f"{e.verdict.capitalize()}: {e.paper} {e.exhibit}, {e.listed(_LISTED)}. {e.note}."
            for verdict in _NEED_A_NOTE
            for e in self.explanations(verdict)
        )
        return Table(head, (*rows, total), "Printed and recomputed", notes)

    def to_json(self) -> str:
        """All values and the counts by verdict, as data."""
        keys = ("paper", "place", "printed", "computed", "verdict", "note")
        values = [{k: _plain(row[k]) for k in keys} for row in self.rows()]
        made = {"schema": SCHEMA, "values": values, "counts": self.counts}
        return json.dumps(made, ensure_ascii=False, indent=1) + "\n"

    def to_html(self) -> str:
        """One page that needs nothing else: the papers, printed and recomputed side by side."""
        from ordeval.papers._page import render

        return render(self)

    def to_markdown(self) -> str:
        """The table as Markdown."""
        return self.table().to_markdown()

    def to_csv(self) -> str:
        """One line a value."""
        cells = tuple(
            tuple(Cell("" if x is None else str(x)) for x in row.values()) for row in self.rows()
        )
        head = ("paper", "place", "printed", "computed", "difference", "verdict", "note")
        return Table(head, cells).to_csv()

    def __repr__(self) -> str:
        return self.table().to_text(width=100)


def _counted(values: Iterable[Value]) -> dict[str, int]:
    counts: dict[str, int] = dict.fromkeys(VERDICTS, 0)
    for v in values:
        counts[v.verdict] += 1
    return counts


def _count_row(name: str, counts: dict[str, int]) -> tuple[Cell, ...]:
    amounts: Iterator[int] = iter((sum(counts.values()), *counts.values()))
    return (Cell(name), *(Cell(f"{n:,}" if n else "·") for n in amounts))


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
