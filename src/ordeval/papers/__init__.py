"""The five papers, recomputed: every printed value with the computed one and a verdict."""

from typing import Final

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.types import Progress, Rng, as_rng, silent
from ordeval.exceptions import ParameterError
from ordeval.papers import (
    amigo2020,
    cardoso2011,
    contents,
    george2016,
    pinto_da_costa2014,
    printed,
    silva2018,
)
from ordeval.papers._exhibits import Exhibit, Paper, ReproducedPart, Run
from ordeval.papers._reproduction import Reproduction
from ordeval.papers._values import VERDICTS, Value

__all__ = [
    "PAPERS",
    "VERDICTS",
    "Exhibit",
    "Paper",
    "Reproduction",
    "Value",
    "amigo2020",
    "cardoso2011",
    "contents",
    "george2016",
    "pinto_da_costa2014",
    "printed",
    "reproduce",
    "silva2018",
]

_MODULES: Final = (cardoso2011, george2016, amigo2020, pinto_da_costa2014, silva2018)
PAPERS: Final[dict[str, Paper]] = {module.PAPER.key: module.PAPER for module in _MODULES}
_ROMAN: Final = {"1": "I", "2": "II"}  # as Silva et al. number their tables


@checked
def reproduce(
    paper: str | None = None,
    *,
    table: int | str | None = None,
    figure: int | str | None = None,
    full: bool = False,
    rng: Rng = 0,
    progress: Progress | None = None,
) -> Reproduction:
    """Recompute the values of the papers and compare them with the printed ones.

    Every value has a verdict; ``VERDICTS`` explains them. Every difference from the print has a
    reason.

    Parameters
    ----------
    paper
        One of ``PAPERS``; by default all of them.
    table, figure
        Only this table or figure, by the number in print.
    full
        Repeat experiments as often as the papers do; otherwise a few times.
    rng
        A seed or a generator for everything that is drawn. The same seed gives the same values.
    progress
        Called with a stage, the steps done and the steps in all.

    Returns
    -------
    Reproduction
        Every printed value with the computed one and a verdict.

    Raises
    ------
    ParameterError
        If there is no such paper, table or figure.

    Examples
    --------
    >>> found = reproduce("cardoso2011", table=1)
    >>> found.counts["equal"], len(found.values)
    (28, 28)
    """
    run = Run(full, _seed(rng), progress or silent)
    chosen = _chosen_papers(paper)
    parts = [(p, part) for p in chosen for part in p.parts if _wanted(part, table, figure)]
    if not parts:
        known = [f"{p.key} {part.name}" for p in chosen for part in p.parts]
        asked = [f"{kind} {n}" for kind, n in (("Table", table), ("Figure", figure)) if n]
        raise ParameterError(
            f"{' and '.join(asked)}: nothing of that number is reproduced. There are "
            f"{', '.join(known)}."
        )
    exhibits = tuple(part.make(p.key, run) for p, part in run.steps("exhibits", parts))
    used = tuple(PAPERS[key] for key in dict.fromkeys(e.paper for e in exhibits))
    return Reproduction(used, exhibits, full, run.seed)


def _seed(rng: Rng) -> int:
    """The number from which every exhibit draws; a seed is taken as it is."""
    generator = as_rng(rng)  # refuses what is neither a seed nor a generator
    return int(rng) if isinstance(rng, (int, np.integer)) else int(generator.integers(2**31))


def _chosen_papers(paper: str | None) -> tuple[Paper, ...]:
    if paper is None:
        return tuple(PAPERS.values())
    if paper not in PAPERS:
        raise ParameterError(f"paper must be one of {', '.join(PAPERS)}; got {paper!r}.")
    return (PAPERS[paper],)


def _wanted(part: ReproducedPart, table: int | str | None, figure: int | str | None) -> bool:
    asked = [(kind, str(n)) for kind, n in (("Table", table), ("Figure", figure)) if n is not None]
    names = {f"{kind} {text}" for kind, n in asked for text in (n, _ROMAN.get(n, n))}
    return not asked or bool(names & {part.name, part.also})
