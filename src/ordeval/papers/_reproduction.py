"""The result of a reproduction: all values, their verdicts, and why some are not as printed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from ordeval._shared.arguments import checked
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table, cells
from ordeval.papers._exhibits import Exhibit, Paper
from ordeval.papers._values import EXPLAINED, VERDICTS, PaperVerdict, Value, sentence

_LISTED: Final = 3  # values that share an explanation, in the text of a table


@dataclass(frozen=True)
class Explanation:
    """A note, and the values of an exhibit that share it."""

    paper: str
    exhibit: str
    note: str
    values: tuple[Value, ...]

    def listed(self, most: int) -> str:
        """The values, printed and computed; if there are many, the first few of them."""
        shown = [
            f"{', '.join(filter(None, (v.row, v.column)))}: {v.printed}"
            + ("" if v.computed is None else f" → {v.shown()}")
            for v in self.values[:most]
        ]
        hidden = len(self.values) - len(shown)
        return "; ".join([*shown, f"and {hidden:,} more"] if hidden else shown)


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """Everything that was recomputed, in the order of the papers.

    ``rows`` has one record for each value, ``table`` sums them up for reading, and ``to_html``
    makes a page of them.
    """

    _kind: ClassVar[str] = "ordeval.reproduction"

    papers: tuple[Paper, ...]
    exhibits: tuple[Exhibit, ...]
    full: bool
    seed: int  # as ``rng``, it gives the same values again

    @property
    def values(self) -> tuple[Value, ...]:
        """All values, exhibit by exhibit."""
        return tuple(v for exhibit in self.exhibits for v in exhibit.values)

    @property
    def counts(self) -> dict[str, int]:
        """How many values have each verdict."""
        return _counted(self.values)

    @checked
    def of(self, paper: str) -> tuple[Exhibit, ...]:
        """The exhibits of a paper."""
        return tuple(e for e in self.exhibits if e.paper == paper)

    @checked
    def counts_of(self, paper: str) -> dict[str, int]:
        """How many values of a paper have each verdict."""
        return _counted(v for v in self.values if v.paper == paper)

    @checked
    def explanations(self, verdict: PaperVerdict) -> tuple[Explanation, ...]:
        """Every explanation of a verdict, with the values of an exhibit that share it."""
        groups: dict[tuple[str, str, str], list[Value]] = {}
        for v in self.values:
            if v.verdict == verdict:
                groups.setdefault((v.paper, v.exhibit, v.note), []).append(v)
        return tuple(Explanation(*shared, tuple(values)) for shared, values in groups.items())

    def rows(self) -> list[dict[str, Any]]:
        """One record for each value."""
        names = ("paper", "place", "printed", "computed", "difference", "verdict", "note")
        return [{name: getattr(v, name) for name in names} for v in self.values]

    def _facts(self) -> dict[str, Any]:
        """What the JSON holds: all values, and how many have each verdict."""
        return {"values": self.rows(), "counts": self.counts}

    def table(self) -> Table:
        """How many values of each exhibit have each verdict; below, what is not as printed."""
        rows = [_count_row(f"{e.paper} {e.name}", _counted(e.values)) for e in self.exhibits]
        notes = tuple(
            f"{v.capitalize()}: {e.paper} {e.exhibit}, {e.listed(_LISTED)}. {sentence(e.note)}"
            for v in EXPLAINED
            for e in self.explanations(v)
        )
        head = ("exhibit", "values", *VERDICTS)
        total = _count_row("all", self.counts)
        return Table(head, (*rows, total), "Printed and recomputed", notes)

    def _page(self) -> str:
        """One self-contained page, printed and computed side by side."""
        from ordeval.papers._page import render

        return render(self)


def _counted(values: Iterable[Value]) -> dict[str, int]:
    found = Counter(v.verdict for v in values)
    return {verdict: found[verdict] for verdict in VERDICTS}


def _count_row(name: str, counts: dict[str, int]) -> tuple[Cell, ...]:
    amounts = (sum(counts.values()), *counts.values())
    return cells(name, *(f"{n:,}" if n else "·" for n in amounts))
