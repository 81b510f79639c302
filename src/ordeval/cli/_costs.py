"""--cost: costs of errors from a file, for the measures that take them."""

from collections.abc import Mapping
from typing import Any

import ordeval as oe
from ordeval._shared.text import joined
from ordeval.cli._options import Columns


def with_costs(names: list[str] | None, cost: str | None, columns: Columns) -> Any:
    """The measures that were asked for, those that take costs with the costs of the file."""
    if cost is None:
        return names
    taking = [m.name for m in oe.metrics(needs="labels") if "cost" in m.parameters]
    if not set(taking) & set(names or ()):
        raise oe.ParameterError(
            f"--cost is for measures that take costs; name one with --metric: "
            f"{joined(taking, 'or')}."
        )
    if columns.scale is None:
        raise oe.ParameterError("--cost needs --labels, the order in which its levels are put.")
    costs = oe.read_costs(cost, columns.scale)
    return [oe.get_metric(n).with_params(cost=costs) if n in taking else n for n in names or ()]


def without_costs(values: Mapping[str, float]) -> dict[str, float]:
    """Values by the plain names of the measures, as gates know them."""
    return {name.replace("(cost=...)", ""): value for name, value in values.items()}
