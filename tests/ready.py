"""Measures that lack a parameter, with one: so that they are tried like all others."""

import importlib
from typing import Any

import ordeval as oe

NEEDED = {
    "oc_index_general": {"beta_deviation": 0.01, "beta_discordance": 0.02},
    **{m.name: {"threshold": 0} for m in oe.metrics() if m.required == ("threshold",)},
}


def ready(metric: oe.Metric) -> oe.Metric:
    """The measure with the parameters that it has no default for."""
    return metric.with_params(**NEEDED[metric.name]) if metric.name in NEEDED else metric


def quick() -> list[oe.Metric]:
    """Every measure of labels that takes no optimisation, ready to be called."""
    return [ready(m) for m in oe.metrics(needs="labels") if not m.expensive]


class OnUse:
    """A module that is imported when a test first uses it, so that others run without it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # what collectors ask of every object
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)
