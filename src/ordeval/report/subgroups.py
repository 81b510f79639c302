"""What a report shows of subgroups: a table, and a title that says the finding."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import bracketed, many, p_value, plural, signed
from ordeval.exceptions import ParameterError
from ordeval.results.comparison import Comparison
from ordeval.results.comparisons import (
    Comparisons,
    Shown,
    correction,
    findings_of,
    findings_table,
    in_order,
)
from ordeval.results.phrases import percent

_SUBGROUPS: Final = 40  # up to which all of them are looked at for the title


def subgroups_table(parts: Mapping[Any, Comparison]) -> Table:
    """Collect the estimates and the significant differences of each subgroup.

    Parameters
    ----------
    parts
        The comparison of each subgroup.

    Returns
    -------
    Table
        One row for each subgroup, by the measure that decides.
    """
    first = next(iter(parts.values()))
    if not isinstance(first, Comparison):
        raise ParameterError("subgroups must map the names of subgroups to their comparisons.")
    column = ", ".join(parts.by) if isinstance(parts, Comparisons) else "subgroup"
    if first.reference is not None and len(first.models) > 1:
        table = findings_table(parts, column)
        return replace(table, caption=f"Subgroups: {table.caption}")
    names, shown, rows = sorted(first.models), Shown(parts), []
    found, sorted_by = in_order(findings_of(parts))
    best = {f.subgroup: f for f in found}
    for subgroup in best or parts:
        f = best.get(subgroup)
        leads = first.models[0] if f is None else f.delta.a
        cells = [replace(shown.value(subgroup, m), best=m == leads) for m in names]
        if f is not None:
            ends = bracketed(f.delta.low, f.delta.high, signed)
            cells += [Cell(signed(f.delta.delta), ends), Cell(p_value(f.p_adjusted))]
        rows.append((*shown.place(subgroup), *cells))
    head = (column, many(first.unit), *names, *(("best − second", "p adj.") if found else ()))
    note = f"{first.primary.display}; {{best}}: best of its row; {percent(first.level)} intervals."
    return Table(head, tuple(rows), "Subgroups", (note, *correction(parts), *sorted_by))


def subgroups_title(parts: Mapping[Any, Comparison]) -> str:
    """Say in how many subgroups the models differ significantly, or which model leads in all.

    Parameters
    ----------
    parts
        The comparison of each subgroup.

    Returns
    -------
    str
        The title of the section.
    """
    found = findings_of(parts)
    number_of = plural(len(parts), "subgroup")
    first = next(iter(parts.values()))
    if first.reference is None and len(first.models) > 1:
        leaders = {c.models[0] for c in parts.values()} if len(parts) <= _SUBGROUPS else set()
        if len(leaders) == 1:
            return f"{leaders.pop()} leads in every subgroup"
    if not found:
        return f"Values in {number_of}"
    stands = len({f.subgroup for f in found if f.stands})
    what = "the best two models differ" if first.reference is None else "a model differs"
    if not stands and len(parts) > 1:
        models = "No two models differ" if first.reference is None else "No model differs"
        if first.reference is None and len(first.models) > 2:
            models = "The best two models do not differ"
        beside = "" if first.reference is None else f" from {first.reference}"
        return f"{models} significantly{beside} in any of {number_of}"
    if first.reference is not None:
        return f"In {stands} of {number_of} {what} significantly from {first.reference}"
    return f"In {stands} of {number_of} {what} significantly"
