"""--cost: costs of errors from a file, for the measures that take them."""

from collections.abc import Mapping

import ordeval as oe
from ordeval._shared.text import joined
from ordeval.cli.options.model_outputs import OutputColumns


def with_costs(
    metrics: list[oe.Metric] | None, cost: str | None, columns: OutputColumns
) -> list[oe.Metric] | None:
    """The measures that were asked for, those that take costs with the costs of the file."""
    if cost is None:
        return metrics
    taking = [m.name for m in oe.metrics(needs="labels") if "cost" in m.parameters]
    asked = {m.registered_as for m in metrics or ()} & set(taking)
    if not asked and columns.decide != "cost":
        raise oe.ParameterError(
            f"--cost is for measures that take costs; name one with --metric: "
            f"{joined(taking, 'or')}. Or let them decide with --decide cost."
        )
    costs = columns.costs(cost)
    if metrics is None:
        return None
    return [m.with_params(cost=costs) if m.registered_as in taking else m for m in metrics]


def without_costs(values: Mapping[str, float]) -> dict[str, float]:
    """Values by the plain names of the measures, as gates know them."""
    return {name.replace("(cost=...)", ""): value for name, value in values.items()}
