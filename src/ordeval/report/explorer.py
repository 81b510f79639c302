"""The explorer: a page on which one matrix is typed, pasted and changed, and measures follow."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from ordeval._shared.arguments import checked
from ordeval._shared.text import ARROW, BETTER, argument, plural
from ordeval._shared.types import StrPath
from ordeval._shared.writing import write_text
from ordeval.data.accumulator import matrix_of
from ordeval.data.confusion import ConfusionMatrix
from ordeval.exceptions import CountsError, ParameterError
from ordeval.inference.ends.t_intervals import bias_taken_off
from ordeval.measures import Metric, get_metric
from ordeval.report.method import authors_and_year
from ordeval.report.page import page
from ordeval.results.comparison import Comparison

# Each of them is a function of this name in measures.js.
MEASURES: Final = (
    "accuracy",
    "balanced_accuracy",
    "mean_absolute_error",
    "average_mae",
    "mean_signed_error",
    "cohen_kappa",
    "weighted_kappa",
    "krippendorff_alpha",
    "gwet_ac2",
    "kendall_tau_b",
    "cem_ord",
    "oc_index",
    "uoc_index",
    "auoc",
    "misclassification_cost",
    "cost_accuracy_distance",
)
SCRIPTS: Final = ("measures", "reading", "explore")
MOST_LEVELS: Final = 37  # up to here items leave one by one, as the page's intervals have them
LEVEL: Final = 0.95  # of the page's intervals
_MOST_ITEMS: Final = 2**53  # in a cell; JavaScript counts no further
_EXAMPLE: Final = ((26, 4, 1, 0), (3, 15, 4, 0), (0, 5, 18, 3), (0, 1, 3, 10))


@checked
def explore(
    matrices: Any = None,
    path: StrPath | None = None,
    *,
    labels: Any = None,
    title: str | None = None,
) -> str:
    """Make one HTML page on which you change a matrix and every measure follows.

    Parameters
    ----------
    matrices
        The initial content of the page: a ConfusionMatrix, an Accumulator or counts (K, K); a
        mapping of names to those; or a Comparison. Without it, a small example.
    path
        File to write, completely or not at all.
    labels
        The ordered labels, if there are only counts.
    title
        Title of the page.

    Returns
    -------
    str
        The page, which needs no other file.

    Raises
    ------
    CountsError
        If there is no matrix to explore.
    ParameterError
        If a matrix has more classes or items than the page can hold.
    OutputError
        If ``path`` cannot be written.

    Examples
    --------
    >>> page = explore([[26, 4, 1], [3, 5, 4], [0, 3, 10]], labels=["I", "II", "III"])
    >>> "Content-Security-Policy" in page
    True
    """
    made = page(
        "explore.html",
        scripts=SCRIPTS,
        title=title or "Explore a matrix",
        explorer=data_of(_read(matrices, labels)),
    )
    if path is not None:
        write_text(path, made)
    return made


@dataclass(frozen=True)
class ReportIntervals:
    """What the intervals of a report rest on, if a page cannot make the same from counts."""

    kind: str  # next to an interval of the report
    words: str
    intervals: Mapping[str, Mapping[str, tuple[float, float]]]  # by model, then by measure


def data_of(matrices: Mapping[str, ConfusionMatrix], basis: ReportIntervals | None = None) -> str:
    """What the script of the page is given, as JSON in ASCII."""
    given = {
        "measures": [_facts(get_metric(name)) for name in MEASURES],
        "models": [
            {"name": name, "levels": list(map(str, cm.scale)), "counts": cm.counts.tolist()}
            | ({"intervals": basis.intervals.get(name, {})} if basis else {})
            for name, cm in matrices.items()
        ],
        "most": MOST_LEVELS,
        "basis": basis.words if basis else "",
        "kind": basis.kind if basis else "",
    }
    return json.dumps(given, allow_nan=False)


def explorable(cm: ConfusionMatrix) -> bool:
    """Whether the page can hold a matrix."""
    return 1 < cm.k <= MOST_LEVELS and bool((cm.counts <= _MOST_ITEMS).all())


def unexplored(matrices: Iterable[ConfusionMatrix]) -> str:
    """Why a report has no explorer of its matrices; empty if it has one, or no matrices."""
    for cm in matrices:
        if not 1 < cm.k <= MOST_LEVELS:
            return (
                f"The matrices cannot be changed on this page: its explorer takes 2 to "
                f"{MOST_LEVELS} levels, and this scale has {cm.k}."
            )
        if not explorable(cm):
            return (
                "The matrices cannot be changed on this page: its explorer takes up to 2**53 items "
                "in a cell, and there are more in one."
            )
    return ""


def _facts(metric: Metric) -> dict[str, Any]:
    """What the page says about a measure, and needs to know of it."""
    return {
        "name": metric.name,
        "symbol": metric.symbol,
        "better": BETTER[metric.greater_is_better],
        "arrow": ARROW[metric.greater_is_better],
        "range": metric.range.text,
        "ends": [metric.range.at(max(k, 1)) for k in range(MOST_LEVELS + 1)],
        "perfect": metric.perfect,
        "best": metric.best,
        "bias": bias_taken_off(metric),
        "given": {n: v for n, v in metric.defaults.items() if isinstance(v, int | float)},
        "about": _about(metric),
    }


def _about(metric: Metric) -> str:
    """The first words about a measure; an equation is one of its paper."""
    words = (metric.kernel.__doc__ or "").split("\n\n")[0].strip().replace("``", "")
    paper = authors_and_year(str(metric.reference))
    return re.sub(r"\((eqs?\. [^()]+)\)", lambda m: f"({paper}, {m[1]})", words)


def _read(matrices: Any, labels: Any) -> dict[str, ConfusionMatrix]:
    """Matrices by name; one without a name is called so."""
    if matrices is None:
        return {"example": ConfusionMatrix(_EXAMPLE, labels or ["I", "II", "III", "IV"])}
    if isinstance(matrices, Comparison):
        matrices = matrices.matrices
        if not matrices:
            raise CountsError("these models give scores, so there is no matrix to explore.")
    if not isinstance(matrices, Mapping):
        matrices = {"matrix": matrices}
    if not matrices:
        raise CountsError("explore needs a matrix; got an empty mapping.")
    found = {str(m): matrix_of(x, labels, who="explore") for m, x in matrices.items()}
    for name, cm in found.items():
        if cm.shape:
            raise CountsError(
                f"explore shows one matrix for each name; {name!r} is a stack of shape {cm.shape}. "
                f"Take one out, for example cm[0]."
            )
        if not explorable(cm):
            raise ParameterError(
                f"explore shows matrices of 2 to {MOST_LEVELS} levels and up to 2**53 items in a "
                f"cell; {name!r} has {plural(cm.k, 'level')} and up to {cm.counts.max():,} items."
                f"{_way_out(cm)}"
            )
    return found


def _way_out(cm: ConfusionMatrix) -> str:
    """What to do about a matrix that the page cannot hold."""
    if cm.k > MOST_LEVELS:
        return " Merge levels with ConfusionMatrix.collapse."
    if cm.k < 2:
        return f" If the scale has more levels, declare them all with {argument('labels')}."
    return ""
