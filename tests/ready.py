"""Measures that lack a parameter, with one: so that they are tried like all others."""

import importlib
from collections.abc import Sequence
from typing import Any

import ordeval as oe

NEEDED = {
    "oc_index_general": {"beta_deviation": 0.01, "beta_discordance": 0.02},
    **{m.name: {"at_least": 1} for m in oe.metrics() if m.required == ("at_least",)},
}


def ready(metric: oe.Metric, labels: Sequence[Any] = (0, 1)) -> oe.Metric:
    """The measure with the parameters that it has no default for; cuts are the lowest of a scale.

    Cuts are found on the scale, so that what is internal takes the measure too.
    """
    if metric.names_level and metric.required:
        return metric.with_params(at_least=labels[1]).on(oe.Scale(labels))
    return metric.with_params(**NEEDED[metric.name]) if metric.name in NEEDED else metric


def quick(labels: Sequence[Any] = (0, 1)) -> list[oe.Metric]:
    """Every measure of labels that takes no optimisation, ready to be called."""
    return [ready(m, labels) for m in oe.metrics(needs="labels") if not m.expensive]


class OnUse:
    """A module that is imported when a test first uses it, so that others run without it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):  # what collectors ask of every object
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)
