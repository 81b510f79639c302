"""--cost: costs of errors from a file, for the measures that take them."""

from collections.abc import Mapping
from typing import Any

import ordeval as oe
from ordeval._shared.text import joined
from ordeval.cli._options import Columns, OutputColumns


def with_costs(metrics: list[oe.Metric] | None, cost: str | None, columns: OutputColumns) -> Any:
    """The measures that were asked for, those that take costs with the costs of the file."""
    if cost is None:
        return metrics
    asked = [m for m in metrics or () if "cost" in m.parameters]
    if not asked and columns.decide != "cost":
        taking = [m.name for m in oe.metrics(needs="labels") if "cost" in m.parameters]
        raise oe.ParameterError(
            f"--cost is for measures that take costs; name one with --metric: "
            f"{joined(taking, 'or')}. Or let them decide with --decide cost."
        )
    costs = _read(cost, columns) if asked else None
    return metrics and [m.with_params(cost=costs) if m in asked else m for m in metrics]


def decision(cost: str | None, columns: OutputColumns) -> Any:
    """How probabilities become labels: by a rule, or by the costs of the file."""
    if columns.decide != "cost":
        return columns.rule
    if cost is None:
        raise oe.ParameterError("--decide cost needs --cost, the file of the costs.")
    return _read(cost, columns)


def _read(cost: str, columns: Columns) -> Any:
    if columns.scale is None:
        raise oe.ParameterError("--cost needs --labels, the order in which its levels are put.")
    return oe.read_costs(cost, columns.scale)


def without_costs(values: Mapping[str, float]) -> dict[str, float]:
    """Values by the plain names of the measures, as gates know them."""
    return {name.replace("(cost=...)", ""): value for name, value in values.items()}
