"""The page of a leaderboard: models by rank, each with its interval, tier and values by task."""

from collections.abc import Iterator

from ordeval._shared.arguments import checked
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import number, plural
from ordeval.report.facts import provenance
from ordeval.report.hero import hero_of
from ordeval.report.page import page
from ordeval.results.comparison import Comparison
from ordeval.results.conclusion import answer, tiers
from ordeval.results.overview import about


@checked
def leaderboard(
    comparison: Comparison, *, title: str | None = None, command: str | None = None
) -> str:
    """Render a comparison as one page with a sortable table of all models.

    Parameters
    ----------
    comparison
        The result of ``compare``, for example with ``over=``.
    title
        The title of the page.
    command
        The command or call that the page shows.

    Returns
    -------
    str
        The page.

    Raises
    ------
    MissingExtraError
        If Jinja2 is not installed (extra ``report``).
    """
    c = comparison
    return page(
        "leaderboard.html",
        title=title or f"Leaderboard by {c.primary.display}",
        answer=f"{answer(c).rstrip('.')}.",
        key=list(_key(c)),
        h=hero_of(c),
        tier={model: i for i, tier in enumerate(tiers(c), 1) for model in tier},
        tasks=_by_task(c),
        provenance=tuple(provenance(command)),
    )


def _key(c: Comparison) -> Iterator[str]:
    """What to know before reading the table."""
    best, models = len(c.may_be_best), plural(len(c.models), "model")
    if len(c.models) > 1:
        which = (
            f"{best} of {models} {'is a plausible best' if best == 1 else 'are plausible bests'}"
        )
        yield f"{which} at {c.level:.0%} confidence. Rank ranges hold for all models at once."
        yield "In a tier, no model differs significantly from the first one (corrected tests)."
    yield from about(c)
    yield f"{plural(c.items, c.unit)} in all; {c.left_out or 'none'} left out."


def _by_task(c: Comparison) -> Table | None:
    """The values of all models on each task."""
    if not c.tasks:
        return None
    head = ("model", *c.tasks)
    rows = [(Cell(m), *(Cell(number(v[m])) for v in c.tasks.values())) for m in c.models]
    return Table(head, tuple(rows), f"{c.primary.display} by task")
