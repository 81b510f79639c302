"""Which advice of the catalogue applies to a confusion matrix and to the measures in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.inference.advice import Advice
from ordeval.measures import Metric

_FEW_ITEMS = 10
_DOMINANT = 0.6
_SHIFT = 0.25


def diagnose(
    cm: ConfusionMatrix, metrics: Iterable[Metric], *, implied: bool = False
) -> tuple[Advice, ...]:
    """The advice that applies to one matrix and the measures that are shown for it."""
    if not cm.counts.any():
        return ()
    families = {m.family for m in metrics}
    kernels = {m.kernel.__name__ for m in metrics}
    found = [
        *_about_the_scale(cm, implied),
        *_about_the_predictions(cm),
        *_about_the_measures(cm, families, kernels),
    ]
    return tuple(sorted(found, key=lambda a: a.code))


def _about_the_scale(cm: ConfusionMatrix, implied: bool) -> Iterator[Advice]:
    names = [repr(level) for level in cm.scale]
    if implied:
        yield Advice("OE101", f"the integers imply {cm.scale}; declare labels= if it is longer.")
    empty = [n for n, size in zip(names, cm.support, strict=True) if size == 0]
    if empty:
        yield Advice("OE102", f"no item of {_listed(empty)} in the truth.")
    rare = [
        f"{n} ({size:g})"
        for n, size in zip(names, cm.support, strict=True)
        if 0 < size < _FEW_ITEMS
    ]
    if rare and cm.counts.dtype.kind == "i":  # weights do not say how many items there are
        yield Advice("OE103", f"fewer than {_FEW_ITEMS} items of {_listed(rare)}.")
    if cm.dropped:
        yield Advice(
            "OE107",
            f"items were left out: {cm.dropped.missing:,} with a missing label, "
            f"{cm.dropped.unknown:,} with an unknown one.",
        )


def _about_the_predictions(cm: ConfusionMatrix) -> Iterator[Advice]:
    names = [repr(level) for level in cm.scale]
    if np.count_nonzero(cm.support) == 1:
        yield Advice("OE105", "all items are of one true class.")
    elif np.count_nonzero(cm.predicted) == 1:
        only = names[int(np.argmax(cm.predicted))]
        yield Advice("OE104", f"all items are predicted {only}.")
    else:
        never = [
            n
            for n, size, p in zip(names, cm.support, cm.predicted, strict=True)
            if size > 0 and p == 0
        ]
        if never:
            yield Advice("OE106", f"{_listed(never)} is never predicted.")


def _about_the_measures(cm: ConfusionMatrix, families: Any, kernels: Any) -> Iterator[Advice]:
    largest = float(cm.support.max() / cm.total)
    name = repr(cm.scale.levels[int(np.argmax(cm.support))])
    if largest >= _DOMINANT and cm.k > 1:
        if {"cohen_kappa", "weighted_kappa", "scott_pi"} & kernels:
            yield Advice(
                "OE201", f"kappa depends on the class sizes, and {largest:.0%} of items are {name}."
            )
        if {"accuracy", "distance"} & families:
            yield Advice("OE203", f"{largest:.0%} of the items are {name}.")
    if "accuracy_within" in kernels and cm.k <= 4:
        yield Advice("OE202", f"accuracy_within forgives much on {cm.k} classes.")
    positions = np.arange(cm.k)
    bias = float((cm.predicted @ positions - cm.support @ positions) / cm.total)
    if "association" in families and abs(bias) >= _SHIFT:
        direction = "high" if bias > 0 else "low"
        yield Advice(
            "OE204", f"predictions are {abs(bias):.2f} classes too {direction} on average."
        )


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:4])
    return shown + (f" and {len(names) - 4} more" if len(names) > 4 else "")
