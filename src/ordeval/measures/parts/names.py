"""Display names of the measures: what prose and table heads call them.

Each line of ``names.txt`` holds the identifier, the name in prose and the name in table heads.
A parameter in braces is part of the name, whatever its value. Any other parameter that a measure
is bound to, if it differs from the default, follows in brackets.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ordeval.measures.metric import Metric

_FIELD: Final = re.compile(r"\{(\w+)\}")
_GIVEN: Final = {  # parameters whose values are too long for a name
    "points": "in points",
    "cost": "given costs",
    "class_sizes": "given class sizes",
    "unanswered": "with unanswered items",
}
_UNNAMED: Final = {"time_limit"}  # parameters that do not change the value
_CUT: Final = "at_least"
_OF_ALL_CUTS: Final = {"over_cuts": " summed over cuts", "each_cut": "cut "}


@cache
def names() -> dict[str, tuple[str, str]]:
    """Return the names in prose and in table heads, by identifier."""
    from pathlib import Path  # slow to load, and needed only here

    lines = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    return {name: (prose, head) for name, prose, head in (line.split(" // ") for line in lines)}


def display_name(metric: Metric, *, short: bool = False) -> str:
    """Return the name of a measure in prose, or in the head of a table."""
    plain = metric.registered_as.replace("_", " ")
    template = names().get(metric.registered_as, (plain, plain))[short]
    values = _Words(metric.defaults)
    text = template.format_map(values).replace("unweighted weighted", "unweighted")
    fields = set(_FIELD.findall(template))
    told = fields | _UNNAMED | ({_CUT} if "cut" in fields else set())
    if "weighting" in fields:
        told.add("weights")
    more = [_pair(k, v) for k, v in metric.bound.items() if k not in told and _differs(metric, k)]
    return f"{text} ({', '.join(more)})" if more else text


class _Words(dict[str, Any]):
    """The values of parameters as words of a name."""

    def __missing__(self, field: str) -> str:
        weights = self.get("weights")
        if field == "weighting":
            return "unweighted" if weights == "nominal" else f"{_word(weights)} weights"
        if self.get(_CUT) is None:
            return _OF_ALL_CUTS.get(field, "")
        return f" at >= {self[_CUT]}" if field == "cut" else ""

    def __getitem__(self, field: str) -> Any:
        if field == "weights":
            return _word(super().__getitem__(field))
        if field == "normalize":
            return "normalized " if super().__getitem__(field) else ""
        return super().__getitem__(field)


def _word(weights: Any) -> str:
    """The name of a weighting, or that it is given as a matrix."""
    if not isinstance(weights, str):
        return "custom"
    return "unweighted" if weights == "nominal" else weights


def _differs(metric: Metric, name: str) -> bool:
    """Whether a bound parameter has another value than by default."""
    default = (metric.kernel.__kwdefaults__ or {}).get(name)
    value = metric.bound[name]
    return name in _GIVEN or not (isinstance(value, type(default)) and value == default)


def _pair(name: str, value: Any) -> str:
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return _GIVEN.get(name, f"{name.replace('_', ' ')} {shown}")
