"""Papers and their exhibits: what is to be reproduced, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ordeval._shared.types import Progress, silent, watched
from ordeval.papers._values import Printed, Value
from ordeval.report.method import authors_and_year

if TYPE_CHECKING:
    from ordeval.plots._display import Display

T = TypeVar("T")


@dataclass(frozen=True)
class Run:
    """How to reproduce: at full length or not, from which seed, and whom to tell."""

    full: bool = False
    seed: int = 0
    progress: Progress = silent

    def steps(self, stage: str, items: Sequence[T]) -> Iterator[T]:
        """The items one after the other; the caller is told how many of them are done."""
        return watched(stage, items, self.progress)

    def tell(self, stage: str) -> Progress:
        """Progress under the name of this stage, whatever the caller's own name for it."""
        return lambda _, done, of: self.progress(stage, done, of)


@dataclass(frozen=True, eq=False, kw_only=True)
class Exhibit:
    """A table, a figure or a passage of a paper, recomputed."""

    paper: str
    name: str  # "Table 1", "Figure 4", "Appendix A"
    title: str
    values: tuple[Value, ...]
    method: str = ""  # how it was recomputed, if a reader must know
    call: str = ""  # a line to copy, with `import ordeval as oe` before it
    pictures: tuple[Display, ...] = ()


@dataclass
class Draft:
    """An exhibit in the making: computes its values and collects the printed ones."""

    paper: str
    exhibit: str
    run: Run
    method: str = ""
    call: str = ""
    pictures: list[Display] = field(default_factory=list)

    def printed(self, row: str, column: str, text: str) -> Printed:
        """A value in print, to be compared with a computed one."""
        return Printed(paper=self.paper, exhibit=self.exhibit, row=row, column=column, printed=text)

    def claim(self, words: str, *, column: str = "holds", ours: bool = False) -> Printed:
        """A claim in words, the paper's or ours about it, to be tried on data."""
        return self.printed(words, column, "not claimed; ours" if ours else "claimed")


Fill = Callable[[Draft], Iterable[Value]]


@dataclass(frozen=True)
class ReproducedPart:
    """An exhibit to reproduce: where it stands, what it shows, and how its values are made."""

    name: str
    title: str
    fill: Fill
    also: str = ""  # another name: the figure or table that a passage comments on

    def make(self, paper: str, run: Run) -> Exhibit:
        """Recompute it."""
        draft = Draft(paper, self.name, run)
        values = tuple(self.fill(draft))
        return Exhibit(
            paper=paper,
            name=self.name,
            title=self.title,
            values=values,
            method=draft.method,
            call=draft.call,
            pictures=tuple(draft.pictures),
        )


def exhibit(name: str, title: str, also: str = "") -> Callable[[Fill], ReproducedPart]:
    """Turn a function that fills a draft with values into a part of a paper."""
    return lambda fill: ReproducedPart(name, title, fill, also)


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper with everything of it that is reproduced."""

    key: str
    citation: str
    about: str
    parts: tuple[ReproducedPart, ...]

    @property
    def short(self) -> str:
        """Authors and year."""
        return authors_and_year(self.citation)

    def __reduce__(self) -> tuple[Any, ...]:
        # Its parts are made of functions whose names are theirs now: pickle could not find them.
        return _restore, (self.key,)


def _restore(key: str) -> Paper:
    from ordeval.papers import PAPERS  # which imports this module

    return PAPERS[key]
