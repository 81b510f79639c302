"""The catalogue of advice: the code, the meaning and the rule of each entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ordeval._shared.text import argument, at_most, joined, plural, who_ruled_out
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import Dropped
from ordeval.data.scale import Scale
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


AdviceRule = Callable[[Situation], Iterator[str]]


@dataclass(frozen=True)
class Entry:
    """What a code means and what to do about it, and when it applies."""

    title: str
    text: str  # names arguments in braces
    rule: AdviceRule = field(repr=False)

    @property
    def meaning(self) -> str:
        """What the code means and what to do about it."""
        return self.text.format(labels=argument("labels"))


CATALOGUE: Final[dict[str, Entry]] = {}


def _entry(code: str, title: str, text: str) -> Callable[[AdviceRule], AdviceRule]:
    def decorate(rule: AdviceRule) -> AdviceRule:
        CATALOGUE[code] = Entry(title, text, rule)
        return rule

    return decorate


def _counted(s: Situation) -> ConfusionMatrix | None:
    """The matrix, if it has items."""
    return s.cm if s.cm is not None and s.cm.counts.any() else None


def _levels(cm: ConfusionMatrix, chosen: Any) -> list[str]:
    return [repr(level) for level, wanted in zip(cm.scale, chosen, strict=True) if wanted]


def _some(names: list[str]) -> str:
    return joined(names, most=5)


def _be(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


@_entry(
    "OE101",
    "scale implied by integers",
    "The levels were read off the integers that occur, from the smallest to the largest. If the "
    "real scale is longer, measures that depend on the number of classes are off. Declare "
    "{labels}.",
)
def _implied(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and cm.implied:
        yield f"the integers imply {cm.scale}; declare {argument('labels')} if it is longer."


@_entry(
    "OE102",
    "empty level",
    "A level of the scale does not occur in the truth. Averages over classes leave it out; "
    "measures that need every class are undefined.",
)
def _empty_level(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and not cm.support.all():
        yield f"no item of {_some(_levels(cm, cm.support == 0))} in the truth."


@_entry(
    "OE103",
    "rare class",
    "A class has fewer than 10 items in the truth. Its recall moves in large steps, and so do "
    "averages over classes and their intervals.",
)
def _rare_class(s: Situation) -> Iterator[str]:
    sizes = dict(s.class_items)
    if (cm := _counted(s)) is not None and not cm.weighted:
        sizes = dict(zip(cm.scale, cm.support.tolist(), strict=True))
    rare = [f"{level!r} ({n:g})" for level, n in sizes.items() if 0 < n < RARE]
    if rare:
        yield f"fewer than {RARE} items of {_some(rare)}."


@_entry(
    "OE104",
    "constant prediction",
    "All items are predicted in one class. Correlations are undefined, and accuracy is only the "
    "size of that class.",
)
def _constant_prediction(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and not _one_true_class(cm):
        predicted = _levels(cm, cm.predicted > 0)
        if len(predicted) == 1:
            yield f"all items are predicted {predicted[0]}."


@_entry(
    "OE105",
    "truth of one class",
    "All items are of one true class. Nothing can be said about order: correlations are "
    "undefined, and kappa means nothing, whatever its value.",
)
def _constant_truth(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and _one_true_class(cm):
        yield "all items are of one true class."


def _one_true_class(cm: ConfusionMatrix) -> bool:
    return int(np.count_nonzero(cm.support)) == 1


@_entry(
    "OE106",
    "class never predicted",
    "A class that occurs in the truth is never predicted. Accuracy may hide it; min_sensitivity "
    "and average_mae show it.",
)
def _never_predicted(s: Situation) -> Iterator[str]:
    cm = _counted(s)
    if cm is None or _one_true_class(cm) or np.count_nonzero(cm.predicted) == 1:
        return
    never = _levels(cm, (cm.support > 0) & (cm.predicted == 0))
    if never:
        yield f"{_some(never)} {_be(never)} never predicted."


@_entry(
    "OE107",
    "items dropped",
    "Items with missing or unknown labels were dropped, as asked. If they are not missing at "
    "random, every figure is about the rest only.",
)
def _dropped(s: Situation) -> Iterator[str]:
    if s.cm is not None and s.cm.dropped:
        yield f"items were dropped: {s.cm.dropped}."
    if s.left_out:
        columns = ", ".join(f"{column} ({d})" for column, d in s.dropped.items())
        was = "was" if s.left_out == 1 else "were"
        yield f"{plural(s.left_out, 'item')} {was} dropped for every model: {columns}."


@_entry(
    "OE201",
    "kappa moves with prevalence",
    "The same recalls give another kappa on other class sizes. Do not compare kappas between data "
    "sets of different prevalence; cem_ord and average_mae, or gwet_ac2 between raters, are "
    "steadier companions.",
)
def _kappa(s: Situation) -> Iterator[str]:
    if {"cohen_kappa", "weighted_kappa", "scott_pi"} & _kernels(s):
        for dominant in _dominant_class(s):
            yield f"kappa depends on the class sizes, and {dominant}."


@_entry(
    "OE202",
    "within-n on a short scale",
    "accuracy_within forgives errors of n classes. With few classes that forgives almost "
    "everything: on three classes only the two extreme errors count.",
)
def _within(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and "accuracy_within" in _kernels(s) and cm.k <= 4:
        yield f"accuracy_within forgives much on {'1 class' if cm.k == 1 else f'{cm.k} classes'}."


@_entry(
    "OE203",
    "one class dominates",
    "Most items are of one class, so measures that average over items mostly describe it. Report "
    "one that averages over classes beside it.",
)
def _dominates(s: Situation) -> Iterator[str]:
    if {"accuracy", "distance"} & _families(s):
        for dominant in _dominant_class(s):
            yield f"{dominant}."


@_entry(
    "OE204",
    "ranking hides a shift",
    "Predictions are systematically too high or too low. Correlations cannot see a shift: read "
    "mean_signed_error beside them.",
)
def _shift(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is None or "association" not in _families(s):
        return
    positions = np.arange(cm.k)
    bias = float((cm.predicted @ positions - cm.support @ positions) / cm.total)
    if abs(bias) >= _SHIFT:
        direction = "high" if bias > 0 else "low"
        yield f"predictions are {abs(bias):.2f} classes too {direction} on average."


@_entry(
    "OE205",
    "steps, not points",
    "The levels are numbers that are not one apart, and a measure of distance counts steps of the "
    "scale: from 1 to 1.5 is one step, as from 1.5 to 4. With the parameter points=[1, 1.5, 4] "
    "mean_absolute_error and the others measure in points.",
)
def _steps(s: Situation) -> Iterator[str]:
    scale = s.scale if s.cm is None else s.cm.scale
    if scale is not None and (message := counts_steps(s.metrics, scale)):
        yield message


def _kernels(s: Situation) -> set[str]:
    return {m.kernel.__name__ for m in s.metrics}


def _families(s: Situation) -> set[str]:
    return {m.family for m in s.metrics}


def _dominant_class(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and cm.k > 1:
        largest = float(cm.support.max() / cm.total)
        if largest >= _DOMINANT:
            level = cm.scale.levels[int(np.argmax(cm.support))]
            of = "of the weight is" if cm.weighted else "of the items are"
            yield f"{largest:.0%} {of} {level!r}"


@_entry(
    "OE301",
    "undefined draws",
    "In many resampled data sets the measure has no value, often because a rare class fell out. "
    "The interval is over the others only. The default method makes no draws.",
)
def _undefined_draws(s: Situation) -> Iterator[str]:
    # A measure without a value on the data themselves is shown as such, if others stand next to it.
    lone = len(s.alone) == 1
    found = [i for i in s.alone if _undefined(i) and (lone or i.estimate == i.estimate)]
    if found:
        names, most = [i.metric for i in found], max(i.undefined_share for i in found)
        which = "the interval is" if len(found) == 1 else "their intervals are"
        yield (
            f"{_some(names)} {_be(names)} undefined in {'up to ' * (len(found) > 1)}{most:.1%} of "
            f"the draws; {which} over the others only."
        )
    models = [m for m, i in s.intervals.items() if _undefined(i) and i.estimate == i.estimate]
    if models:
        worst = max((s.intervals[m] for m in models), key=lambda i: i.undefined_share)
        yield (
            f"{worst.metric} is undefined in up to {worst.undefined_share:.1%} of the draws of "
            f"{', '.join(models)}; the interval is over the others only."
        )
    for d in s.deltas:
        if _undefined(d):
            yield (
                f"the difference in {d.metric} is undefined in {d.undefined_share:.1%} of the "
                f"draws; its interval is over the others only."
            )


@_entry(
    "OE302",
    "every draw alike",
    "Resampling a perfect result gives a perfect result: the bootstrap cannot see beyond the "
    "sample. The default method gives an honest interval.",
)
def _every_draw_alike(s: Situation) -> Iterator[str]:
    drawn = [i for i in _mostly_defined(s) if i.n_resamples]
    names = [i.metric for i in drawn if i.low == i.high and i.estimate in i]
    if names:
        yield (
            f"every draw gives the same {_some(names)}: resampling cannot see beyond this sample. "
            f"{argument('method', 'auto')} gives an interval."
        )


@_entry(
    "OE303",
    "overlap is not a test",
    "Intervals of two models on the same items may overlap although one is clearly better. Read "
    "the paired difference and its p-value.",
)
def _overlap(s: Situation) -> Iterator[str]:
    if s.overlap:
        yield (
            "intervals overlap of models that are told apart: read the paired differences, not "
            "the overlap."
        )


@_entry(
    "OE304",
    "few clusters",
    "How much clusters vary can hardly be told from fewer than 20 of them. The default intervals "
    "have few degrees of freedom to allow for it; those of the methods that draw are too narrow.",
)
def _few_clusters(s: Situation) -> Iterator[str]:
    if 0 < s.clusters < FEW_CLUSTERS:
        yield f"only {s.clusters} independent clusters: intervals rest on little and are wide."


@_entry(
    "OE306",
    "the draws lie to one side of the estimate",
    "A measure at the end of its range, or one that small samples push upwards such as mutual "
    "information, lies to one side of the estimate in nearly every draw. The interval says "
    "little; look at the measure's range.",
)
def _one_sided(s: Situation) -> Iterator[str]:
    names = [
        i.metric
        for i in _mostly_defined(s)
        if i.method in ("bca", "percentile")
        and i.estimate == i.estimate
        and i.low == i.low
        and i.estimate not in i
    ]
    if len(names) == 1:
        yield (
            f"the interval of {names[0]} does not hold its estimate: in resampled data the "
            f"measure lies to one side of it, as at the end of its range."
        )
    elif names:
        yield (
            f"the intervals of {_some(names)} do not hold their estimates: in resampled data these "
            f"measures lie to one side of them, as at the end of their range."
        )


@_entry(
    "OE307",
    "uneven weights",
    "A few heavy items decide. All items together say no more than the effective number of equally "
    "weighted ones, which is below a third of them.",
)
def _uneven_weights(s: Situation) -> Iterator[str]:
    if s.items and 0 < s.effective < _EFFECTIVE * s.items:
        yield (
            f"the weights are uneven: {s.items:,} items say as much as {s.effective:,.0f} of equal "
            f"weight."
        )


@_entry(
    "OE308",
    "no interval",
    "No interval would hold its level on these data: there are too few items, or only weights "
    "whose items are not known.",
)
def _no_interval(s: Situation) -> Iterator[str]:
    found = [*s.alone, *s.intervals.values()]
    yield from dict.fromkeys(i.refused for i in found if i.refused and not i.ruled_out)


@_entry(
    "OE309",
    "labelled items are no random subset",
    "Predictions, the labels of the proxy, or the distance of the two are distributed differently "
    "on the items with a human label and on the others (p < 0.05), as if humans had been asked "
    "where the two disagree. The correction is then biased. Choose the items that humans label "
    "at random. Two to seven of 100 random subsets look like this by chance.",
)
def _not_random(s: Situation) -> Iterator[str]:
    if s.random_p < NOT_RANDOM:
        yield (
            f"the items with a human label do not look like a random subset "
            f"({at_most(s.random_p, exact=True)}): the correction may be biased."
        )


@_entry(
    "OE310",
    "infinite log loss",
    "A model gave probability 0 to what happened. Its log loss is infinite, whatever it says of "
    "all other items: it has neither an interval nor a test. Probabilities that were rounded, or "
    "that come from the shares of a few trees or neighbours, are 0 where they should be small: "
    "save them with more digits, or decide by the ranked probability score, which has a limit.",
)
def _infinite(s: Situation) -> Iterator[str]:
    by_items: dict[int, list[str]] = {}
    for name, n in {**{i.metric: i.ruled_out for i in s.alone}, **s.ruled_out}.items():
        by_items.setdefault(n, []).append(name)
    by_items.pop(0, None)
    for n, names in by_items.items():
        yield (
            f"{joined(names)} {_be(names)} infinite: probability 0 was given to what happened to "
            f"{n:,} of {plural(s.items, 'item')}."
        )
    if models := {m: i for m, i in s.intervals.items() if i.ruled_out}:
        first = next(iter(models.values()))
        who = who_ruled_out({m: i.ruled_out for m, i in models.items()}, first.items)
        yield f"{first.metric} is infinite: {who}."
    yield from (f"{d.refused}." for d in s.deltas if d.refused)


def _undefined(interval: Interval | Delta) -> bool:
    return interval.undefined_share > _UNDEFINED


def _mostly_defined(s: Situation) -> Iterator[Interval]:
    return (i for i in s.alone if not _undefined(i))
