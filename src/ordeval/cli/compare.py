"""ordeval compare"""

from collections.abc import Iterator
from typing import Any

import ordeval as oe
from ordeval._shared.text import name_of
from ordeval.cli._app import app
from ordeval.cli._gates import check, read_gates, wanted
from ordeval.cli._groups import grouped
from ordeval.cli._options import Columns, Comparing, FailUnder, Out
from ordeval.cli._output import keep_input, progress, show
from ordeval.evaluate._comparing import PANEL
from ordeval.results.comparisons import Comparisons


@app.command()
@grouped
def compare(columns: Columns, comparing: Comparing, out: Out, fail_under: FailUnder = None) -> None:
    """Compare models on the same items: intervals, paired tests, ranks and a conclusion.

    The first --metric decides; without one, a panel led by cem_ord.

    \b
    Examples:
      ordeval compare preds.parquet --truth grade --pred a --pred b --labels A,B,C,D
      ordeval compare preds.csv --truth y --pred new --pred old --reference old --margin 0.03
      ordeval compare preds.csv --truth y --pred a --pred b --clusters patient --format latex
      ordeval compare preds.csv --truth y --pred a --pred b --metric auoc --method bca --seed 1
    """
    columns.need()
    gates = read_gates(fail_under)
    keep_input(columns.file, out.output)
    out.chosen()
    with progress() as shown:
        found = compare_columns(
            columns, comparing, wanted(comparing.metric, PANEL, gates), by=comparing.by or None,
            progress=shown,
        )  # fmt: skip
    show(found, out)
    check(gates, list(_values(found)))


def compare_columns(
    columns: Columns, comparing: Comparing, metrics: list[str] | None, **more: Any
) -> Any:
    """The comparison that was asked for."""
    return oe.compare_file(
        columns.file, columns.truth, columns.pred, metrics, table=columns.table,
        labels=columns.scale, **columns.misfits, **comparing.options(), **more,
    )  # fmt: skip


def _values(found: Any) -> Iterator[tuple[str, dict[str, float]]]:
    """The values of each measure, by model and subgroup."""
    parts = found if isinstance(found, Comparisons) else {None: found}
    for key, c in parts.items():
        for model in c.models:
            place = "" if key is None else f" in {name_of(key)}"
            yield f"{model}{place}", {m: by[model].estimate for m, by in c.estimates.items()}
