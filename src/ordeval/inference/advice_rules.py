"""When advice applies: rules that look at the facts of an evaluation, one for each subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ordeval._shared.text import argument, at_most, joined, plural, who_ruled_out
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped
from ordeval.data.scale import Scale
from ordeval.inference.many_models.measure_agreement import is_mean_of_classes
from ordeval.inference.raters.randomness import NOT_RANDOM
from ordeval.measures import Metric
from ordeval.measures.scale_checks import counts_steps

if TYPE_CHECKING:
    from ordeval.inference.intervals import Interval
    from ordeval.inference.paired import Delta

RARE: Final = 10
FEW_CLUSTERS: Final = 20
_DOMINANT: Final = 0.6
_SHIFT: Final = 0.25
_UNDEFINED: Final = 0.05
_EFFECTIVE: Final = 1 / 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Situation:
    """The facts that rules look at; what is not known is left out, and its rules keep silent."""

    cm: ConfusionMatrix | None = None  # of one model
    scale: Scale | None = None  # without a matrix
    metrics: tuple[Metric, ...] = ()
    class_items: Mapping[Any, float] = field(default_factory=dict)  # items of each true class
    clusters: int = 0  # 0: items are drawn
    dropped: Mapping[str, Dropped] = field(default_factory=dict)  # by column
    left_out: int = 0
    intervals: Mapping[str, Interval] = field(default_factory=dict)  # of one measure, by model
    alone: tuple[Interval, ...] = ()  # of one model that is not compared, one per measure
    deltas: tuple[Delta, ...] = ()
    ruled_out: Mapping[str, int] = field(default_factory=dict)  # items, by infinite measure
    overlap: bool = False  # intervals overlap although the models differ significantly
    items: int = 0  # 0: not known
    effective: float = 0.0  # equally weighted items that would say as much
    random_p: float = 1.0  # of the items with a human label being a random part of all


CodedMessage = tuple[str, str]


def _of_classes(s: Situation) -> Iterator[CodedMessage]:
    """Which classes the truth and the predictions have."""
    cm = s.cm
    if cm is None or not cm.counts.any():
        return
    if cm.implied:
        said = f"the integers imply {cm.scale}; declare {argument('labels')} if it is longer."
        yield "OE101", said
    levels = np.array(list(map(repr, cm.scale)), dtype=object)
    seen, predicted = cm.support > 0, cm.predicted > 0
    if not seen.all():
        means = [m.display for m in s.metrics if is_mean_of_classes(m, cm.k)]
        over = f"{_some(means)} {_be(means)} over {seen.sum()} of {cm.k} classes" if means else ""
        yield "OE102", f"no item of {_some(levels[~seen])} in the truth{over and f': {over}'}."
    if seen.sum() == 1:
        yield "OE105", "all items are of one true class."
    elif predicted.sum() == 1:
        yield "OE104", f"all items are predicted {levels[predicted][0]}."
    elif (never := levels[seen & ~predicted]).size:
        yield "OE106", f"{_some(never)} {_be(never)} never predicted."


def _of_items(s: Situation) -> Iterator[CodedMessage]:
    """How many items there are, what they weigh, and which were left out."""
    sizes = s.class_items
    if s.cm is not None and s.cm.counts.any() and not s.cm.weighted:
        sizes = dict(zip(s.cm.scale, s.cm.support.tolist(), strict=True))
    rare = [f"{level!r} (n = {n:g})" for level, n in sizes.items() if 0 < n < RARE]
    if rare:
        named = ", ".join([*rare[:5], *["..."] * (len(rare) > 5)])
        yield "OE103", f"small classes (under {RARE} items): {named}."
    if s.cm is not None and s.cm.dropped:
        yield "OE107", f"items were dropped: {s.cm.dropped}."
    if s.left_out:
        columns = ", ".join(f"{column} ({d})" for column, d in s.dropped.items())
        was = "was" if s.left_out == 1 else "were"
        said = f"{plural(s.left_out, 'item')} {was} dropped for every model: {columns}."
        yield "OE107", said
    if 0 < s.clusters < FEW_CLUSTERS:
        said = f"only {s.clusters} independent clusters, so intervals are wide."
        yield "OE304", said
    if s.items and 0 < s.effective < _EFFECTIVE * s.items:
        said = f"the effective sample size is {s.effective:,.0f} of {s.items:,} items."
        yield "OE307", f"the weights are uneven: {said}"
    if s.random_p < NOT_RANDOM:
        said = (
            f"the items with a human label do not look like a random subset "
            f"({at_most(s.random_p, exact=True)}): the correction may be biased."
        )
        yield "OE309", said


def _of_measures(s: Situation) -> Iterator[CodedMessage]:
    """Properties of the data that some measures ignore."""
    cm, scale = s.cm, s.scale if s.cm is None else s.cm.scale
    if scale is not None and (message := counts_steps(s.metrics, scale)):
        yield "OE205", message
    if cm is None or not cm.counts.any():
        return
    kernels = {m.kernel.__name__ for m in s.metrics}
    families = {m.family for m in s.metrics}
    largest, level = float(cm.support.max() / cm.total), cm.scale.levels[np.argmax(cm.support)]
    if cm.k > 1 and largest >= _DOMINANT:
        of = "of the weight is" if cm.weighted else "of the items are"
        dominant = f"{largest:.0%} {of} {level!r}"
        if {"cohen_kappa", "weighted_kappa", "scott_pi"} & kernels:
            yield "OE201", f"kappa depends on the class sizes, and {dominant}."
        if {"accuracy", "distance"} & families:
            yield "OE203", f"{dominant}."
    if "accuracy_within" in kernels and cm.k <= 4:
        said = (
            "accuracy within a few classes counts most errors as correct with "
            f"{'1 class' if cm.k == 1 else f'{cm.k} classes'}."
        )
        yield "OE202", said
    bias = float((cm.predicted - cm.support) @ np.arange(cm.k) / cm.total)
    if "association" in families and abs(bias) >= _SHIFT:
        direction = "high" if bias > 0 else "low"
        said = f"predictions are {abs(bias):.2f} classes too {direction} on average."
        yield "OE204", said


def _of_undefined_draws(s: Situation) -> Iterator[CodedMessage]:
    """In which draws measures have no value."""
    # A measure without a value on the data themselves is shown as such, if others stand next to it.
    lone = len(s.alone) == 1
    found = [i for i in s.alone if _undefined(i) and (lone or i.estimate == i.estimate)]
    if found:
        names, most = [i.metric for i in found], max(i.undefined_share for i in found)
        which = "the interval is" if len(found) == 1 else "their intervals are"
        said = (
            f"{_some(names)} {_be(names)} undefined in "
            f"{'up to ' * (len(found) > 1)}{most:.1%} of the resamples; {which} from the "
            "others only."
        )
        yield "OE301", said
    models = [m for m, i in s.intervals.items() if _undefined(i) and i.estimate == i.estimate]
    if models:
        worst = max((s.intervals[m] for m in models), key=lambda i: i.undefined_share)
        said = (
            f"{worst.metric} is undefined in up to {worst.undefined_share:.1%} of the "
            f"resamples of {', '.join(models)}; the interval is from the others only."
        )
        yield "OE301", said
    for d in s.deltas:
        if _undefined(d):
            said = (
                f"the difference in {d.metric} is undefined in {d.undefined_share:.1%} of the "
                "resamples; its interval is from the others only."
            )
            yield "OE301", said


def _of_draws(s: Situation) -> Iterator[CodedMessage]:
    """What draws cannot see."""
    drawn = [i for i in s.alone if i.n_resamples and not _undefined(i) and i.low == i.low]
    if alike := [i.metric for i in drawn if i.low == i.high and i.estimate in i]:
        said = (
            f"every resample gives the same {_some(alike)}, so the interval has no width. "
            f"Use {argument('method', 'auto')}."
        )
        yield "OE302", said
    kinds = ("bca", "percentile")
    around = [i for i in drawn if i.method in kinds and i.estimate == i.estimate]
    names = [i.metric for i in around if i.estimate not in i]
    if len(names) == 1:
        said = (
            f"the interval of {names[0]} does not contain its estimate: the resamples are "
            "on one side of it, as happens at the end of the range."
        )
        yield "OE306", said
    elif names:
        said = (
            f"the intervals of {_some(names)} do not contain their estimates: the "
            "resamples are on one side of them, as happens at the end of the range."
        )
        yield "OE306", said


def _of_intervals(s: Situation) -> Iterator[CodedMessage]:
    """Where there is no interval or test, and how intervals of models are read."""
    if s.overlap:
        said = (
            "some intervals overlap although the paired test separates the models. Trust the test."
        )
        yield "OE303", said
    found = [*s.alone, *s.intervals.values()]
    for refused in dict.fromkeys(i.refused for i in found if i.refused and not i.ruled_out):
        yield "OE308", refused
    by_items: dict[int, list[str]] = {}
    for name, n in {**{i.metric: i.ruled_out for i in s.alone}, **s.ruled_out}.items():
        by_items.setdefault(n, []).append(name)
    by_items.pop(0, None)
    for n, names in by_items.items():
        said = (
            f"{joined(names)} {_be(names)} infinite: probability 0 was given to the true "
            f"class of {n:,} of {plural(s.items, 'item')}."
        )
        yield "OE310", said
    if models := {m: i for m, i in s.intervals.items() if i.ruled_out}:
        first = next(iter(models.values()))
        who = who_ruled_out({m: i.ruled_out for m, i in models.items()}, first.items)
        yield "OE310", f"{first.metric} is infinite: {who}."
    for refused in (d.refused for d in s.deltas if d.refused):
        yield "OE310", f"{refused}."


def _undefined(interval: Interval | Delta) -> bool:
    return interval.undefined_share > _UNDEFINED


def _some(names: Iterable[str]) -> str:
    return joined(list(names), most=5)


def _be(names: Sized) -> str:
    return "is" if len(names) == 1 else "are"


RULES: Final = (
    _of_classes,
    _of_items,
    _of_measures,
    _of_undefined_draws,
    _of_draws,
    _of_intervals,
)
