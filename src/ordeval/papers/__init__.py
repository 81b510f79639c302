"""The five papers, recomputed: every printed value beside its own, with a verdict."""

from __future__ import annotations

from typing import Final

from ordeval.exceptions import ParameterError
from ordeval.inference.samples import as_rng
from ordeval.papers import amigo2020, cardoso2011, george2016, pinto_da_costa2014, silva2018
from ordeval.papers._values import (
    VERDICTS,
    Exhibit,
    Paper,
    Part,
    Progress,
    Reproduction,
    Run,
    Value,
)

__all__ = [
    "PAPERS",
    "VERDICTS",
    "Exhibit",
    "Paper",
    "Reproduction",
    "Value",
    "amigo2020",
    "cardoso2011",
    "george2016",
    "pinto_da_costa2014",
    "reproduce",
    "silva2018",
]

PAPERS: Final[dict[str, Paper]] = {
    p.key: p
    for p in (
        cardoso2011.PAPER,
        george2016.PAPER,
        amigo2020.PAPER,
        pinto_da_costa2014.PAPER,
        silva2018.PAPER,
    )
}


_ROMAN: Final = {"1": "I", "2": "II"}  # as Silva et al. number their tables


def reproduce(
    paper: str | None = None,
    *,
    table: int | str | None = None,
    figure: int | str | None = None,
    full: bool = False,
    seed: int = 0,
    progress: Progress | None = None,
) -> Reproduction:
    """Recompute what the papers print and say of each value what became of it.

    A verdict is ``equal`` (to the printed digits), ``close`` (chance is in it, and it lies within
    the tolerance that its note states), ``misprint``, ``differs`` or ``not reproducible``; the last
    three are explained, value by value.

    Parameters
    ----------
    paper
        One of ``PAPERS``; by default all of them.
    table, figure
        Only this table or figure, by the number in print.
    full
        Repeat experiments as often as the papers do; otherwise a few times.
    seed
        Of everything that is drawn. The same seed gives the same values.
    progress
        Called with a stage, the steps done and the steps in all.

    Examples
    --------
    >>> found = reproduce("cardoso2011", table=1)
    >>> found.counts["equal"], len(found.values)
    (28, 28)
    """
    as_rng(seed)  # a seed that is none is refused before anything is computed
    chosen = _chosen_papers(paper)
    parts = [(p, part) for p in chosen for part in p.parts if _wanted(part, table, figure)]
    if not parts:
        known = [f"{p.key} {part.name}" for p in chosen for part in p.parts]
        asked = [f"{kind} {n}" for kind, n in (("Table", table), ("Figure", figure)) if n]
        raise ParameterError(
            f"{' and '.join(asked)}: nothing of that number is reproduced. There are "
            f"{', '.join(known)}."
        )
    run = Run(full, seed, progress)
    exhibits: list[Exhibit] = []
    for done, (p, part) in enumerate(parts):
        if progress is not None:
            progress("exhibits", done, len(parts))
        found = part.make(run)
        assert (found.paper, found.name) == (p.key, part.name)
        exhibits.append(found)
    if progress is not None:
        progress("exhibits", len(parts), len(parts))
    used = tuple(p for p in chosen if any(e.paper == p.key for e in exhibits))
    return Reproduction(used, tuple(exhibits), full, seed)


def _chosen_papers(paper: str | None) -> tuple[Paper, ...]:
    if paper is None:
        return tuple(PAPERS.values())
    if paper not in PAPERS:
        raise ParameterError(f"paper must be one of {', '.join(PAPERS)}; got {paper!r}.")
    return (PAPERS[paper],)


def _wanted(part: Part, table: int | str | None, figure: int | str | None) -> bool:
    if table is None and figure is None:
        return True
    asked = [("Table", table), ("Figure", figure)]
    return any(
        f"{kind} {text}" in (part.name, part.also)
        for kind, n in asked
        if n is not None
        for text in (str(n), _ROMAN.get(str(n), str(n)))
    )
