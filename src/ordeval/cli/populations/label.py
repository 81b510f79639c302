"""ordeval label"""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import ordeval as oe
from ordeval._shared.text import plural, visible
from ordeval.cli._app import app
from ordeval.cli._output import check_files, put
from ordeval.cli.options.option_groups import absent, grouped, option
from ordeval.cli.options.parsing import Strict
from ordeval.cli.options.shared import SEED, ColumnsRead, Labels, check_seed
from ordeval.data.sources.rows import check_columns

_ADDED = ("chosen", "inclusion")


@dataclass(frozen=True)
class WholeTable(ColumnsRead):
    """A table of which all columns are read."""

    truth: str = absent("")
    pred: list[str] = absent([])
    labels: Labels = absent(None)
    drop_missing: bool = absent(False)
    drop_unknown: bool = absent(False)


@app.command(cls=Strict)
@grouped
def label(
    *,
    table: WholeTable,
    budget: int = option("N", "How many items humans will label.", default=100),
    strata: list[str] | None = option(
        "COL", "Column of strata, from each of which as many items are chosen; may be repeated."
    ),
    uncertainty: str | None = option(
        "COL",
        "Column of numbers, such as the spread of the judge's answers: the probability of being "
        "chosen is proportional to it.",
    ),
    seed: int | None = option("N", SEED, callback=check_seed),
    output: Path | None = option("FILE", "CSV file to write.", "--output", "-o", readable=False),
) -> None:
    """Choose items for human labels, and write how likely each item was to be chosen.

    The output holds all rows, the chosen ones first, with two more columns: chosen (1 or 0) and
    inclusion, which score and compare take as --inclusion.

    \b
    Examples:
      ordeval label answers.csv --budget 300 -o to_label.csv
      ordeval label answers.csv --budget 300 --strata language -o to_label.csv
      ordeval label answers.csv --budget 300 --uncertainty spread --seed 1 -o to_label.csv
    """
    check_files(table.files, output)
    source = table.source(None)
    names = list(source.columns())
    check_columns([*(strata or []), *([uncertainty] if uncertainty else [])], names)
    if taken := [name for name in _ADDED if name in names]:
        raise oe.LabelError(f"the table has a column {taken[0]!r} already. Rename it.")
    rows = source.rows(names).in_order()
    each = {name: np.repeat(np.array(rows.listed(name), object), rows.count) for name in names}
    n = int(rows.count.sum())
    chosen, inclusion = oe.to_label(
        budget,
        None if strata or uncertainty else n,
        strata=[*map(repr, zip(*(each[c] for c in strata), strict=True))] if strata else None,
        uncertainty=each[uncertainty].tolist() if uncertainty else None,
        rng=seed,
    )
    order = np.argsort(~chosen, kind="stable")
    added = [chosen.astype(int).tolist(), inclusion.tolist()]
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\n")
    lines.writerow([*names, *_ADDED])
    columns = [*each.values(), *added]
    lines.writerows(["" if c[i] is None else c[i] for c in columns] for i in order.tolist())
    put(written.getvalue(), output)
    if output is not None:
        said = f"{plural(int(chosen.sum()), 'item')} of {n:,} are chosen for labels; see"
        put(visible(f"{said} {str(output)!r}."))
