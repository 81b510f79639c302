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
    "The levels were inferred from the integers that occur. If the real scale is "
    "longer, measures that depend on the number of classes are wrong. Declare "
    "{labels}.",
)
def _implied(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and cm.implied:
        yield f"the integers imply {cm.scale}; declare {argument('labels')} if it is longer."


@_entry(
    "OE102",
    "empty level",
    "A level of the scale does not occur in the truth. Averages over classes "
    "exclude it; measures that need every class are undefined.",
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
    "All items are predicted in one class. Correlations are undefined, and "
    "accuracy is just the share of that class.",
)
def _constant_prediction(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and not _one_true_class(cm):
        predicted = _levels(cm, cm.predicted > 0)
        if len(predicted) == 1:
            yield f"all items are predicted {predicted[0]}."


@_entry(
    "OE105",
    "truth of one class",
    "All items are of one true class. Correlations are undefined, and kappa is meaningless.",
)
def _constant_truth(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and _one_true_class(cm):
        yield "all items are of one true class."


def _one_true_class(cm: ConfusionMatrix) -> bool:
    return int(np.count_nonzero(cm.support)) == 1


@_entry(
    "OE106",
    "class never predicted",
    "A class that occurs in the truth is never predicted. Accuracy can hide "
    "this; min_sensitivity and average_mae show it.",
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
    "Items with missing or unknown labels were dropped, as asked. If they are "
    "not missing at random, the results are biased.",
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
    "kappa depends on prevalence",
    "With the same recalls, kappa changes with the class sizes. Do not compare "
    "kappa between data sets of different prevalence; also report cem_ord and "
    "average_mae, or gwet_ac2 for raters.",
)
def _kappa(s: Situation) -> Iterator[str]:
    if {"cohen_kappa", "weighted_kappa", "scott_pi"} & _kernels(s):
        for dominant in _dominant_class(s):
            yield f"kappa depends on the class sizes, and {dominant}."


@_entry(
    "OE202",
    "within-n on a short scale",
    "accuracy_within counts errors of up to n classes as correct. With three "
    "classes, only the two extreme errors remain.",
)
def _within(s: Situation) -> Iterator[str]:
    if (cm := _counted(s)) is not None and "accuracy_within" in _kernels(s) and cm.k <= 4:
        yield (
            "accuracy_within counts most errors as correct with "
            f"{'1 class' if cm.k == 1 else f'{cm.k} classes'}."
        )


@_entry(
    "OE203",
    "one class dominates",
    "Most items are of one class, so measures that average over items mostly "
    "describe it. Also report one that averages over classes.",
)
def _dominates(s: Situation) -> Iterator[str]:
    if {"accuracy", "distance"} & _families(s):
        for dominant in _dominant_class(s):
            yield f"{dominant}."


@_entry(
    "OE204",
    "ranking hides a shift",
    "Predictions are systematically too high or too low. Correlations do not "
    "detect a shift: also report mean_signed_error.",
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
    "The levels are unevenly spaced numbers, but measures of distance count "
    "steps of the scale: from 1 to 1.5 is one step, and so is from 1.5 to 4. To "
    "measure in points, use the parameter points=[1, 1.5, 4].",
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
    "In many resamples the measure is undefined, often because a rare class is "
    "missing. The interval uses the other resamples only. The default method "
    "does not resample.",
)
def _undefined_draws(s: Situation) -> Iterator[str]:
    # A measure without a value on the data themselves is shown as such, if others stand next to it.
    lone = len(s.alone) == 1
    found = [i for i in s.alone if _undefined(i) and (lone or i.estimate == i.estimate)]
    if found:
        names, most = [i.metric for i in found], max(i.undefined_share for i in found)
        which = "the interval is" if len(found) == 1 else "their intervals are"
        yield (
            f"{_some(names)} {_be(names)} undefined in "
            f"{'up to ' * (len(found) > 1)}{most:.1%} of the resamples; {which} from the "
            "others only."
        )
    models = [m for m, i in s.intervals.items() if _undefined(i) and i.estimate == i.estimate]
    if models:
        worst = max((s.intervals[m] for m in models), key=lambda i: i.undefined_share)
        yield (
            f"{worst.metric} is undefined in up to {worst.undefined_share:.1%} of the "
            f"resamples of {', '.join(models)}; the interval is from the others only."
        )
    for d in s.deltas:
        if _undefined(d):
            yield (
                f"the difference in {d.metric} is undefined in {d.undefined_share:.1%} of the "
                "resamples; its interval is from the others only."
            )


@_entry(
    "OE302",
    "all resamples equal",
    "Resampling a perfect result gives a perfect result, so the bootstrap "
    "interval has no width. The default method gives a valid interval.",
)
def _every_draw_alike(s: Situation) -> Iterator[str]:
    drawn = [i for i in _mostly_defined(s) if i.n_resamples]
    names = [i.metric for i in drawn if i.low == i.high and i.estimate in i]
    if names:
        yield (
            f"every resample gives the same {_some(names)}, so the interval has no width. "
            f"Use {argument('method', 'auto')}."
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
            "some intervals overlap although the paired test separates the models. Trust the test."
        )


@_entry(
    "OE304",
    "few clusters",
    "Fewer than 20 clusters show little about how much clusters vary. The "
    "default intervals account for this with few degrees of freedom; bootstrap "
    "intervals are too narrow.",
)
def _few_clusters(s: Situation) -> Iterator[str]:
    if 0 < s.clusters < FEW_CLUSTERS:
        yield f"only {s.clusters} independent clusters, so intervals are wide."


@_entry(
    "OE306",
    "resamples on one side of the estimate",
    "For a measure at the end of its range, or one that is biased upward in "
    "small samples, such as mutual information, nearly all resamples are on one "
    "side of the estimate. The interval is then unreliable.",
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
            f"the interval of {names[0]} does not contain its estimate: the resamples are "
            "on one side of it, as happens at the end of the range."
        )
    elif names:
        yield (
            f"the intervals of {_some(names)} do not contain their estimates: the "
            "resamples are on one side of them, as happens at the end of the range."
        )


@_entry(
    "OE307",
    "uneven weights",
    "A few items with large weights dominate: the effective sample size is below "
    "a third of the number of items.",
)
def _uneven_weights(s: Situation) -> Iterator[str]:
    if s.items and 0 < s.effective < _EFFECTIVE * s.items:
        yield (
            f"the weights are uneven: the effective sample size is {s.effective:,.0f} of "
            f"{s.items:,} items."
        )


@_entry(
    "OE308",
    "no interval",
    "No interval is reliable for these data: there are too few items, or weights "
    "without the number of items.",
)
def _no_interval(s: Situation) -> Iterator[str]:
    found = [*s.alone, *s.intervals.values()]
    yield from dict.fromkeys(i.refused for i in found if i.refused and not i.ruled_out)


@_entry(
    "OE309",
    "labelled items not a random subset",
    "Predictions, proxy labels or their differences are distributed differently "
    "on the items with a human label than on the others (p < 0.05), as if humans "
    "had labelled the items on which the two disagree. The correction is then "
    "biased. Choose the items for humans at random. By chance, two to seven of "
    "100 random subsets trigger this warning.",
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
    "A model gave probability 0 to the true class of an item, so its log loss is "
    "infinite and has neither an interval nor a test. Rounded probabilities, and "
    "shares of a few trees or neighbours, are 0 where they should be small: save "
    "more digits, or use the ranked probability score, which is bounded.",
)
def _infinite(s: Situation) -> Iterator[str]:
    by_items: dict[int, list[str]] = {}
    for name, n in {**{i.metric: i.ruled_out for i in s.alone}, **s.ruled_out}.items():
        by_items.setdefault(n, []).append(name)
    by_items.pop(0, None)
    for n, names in by_items.items():
        yield (
            f"{joined(names)} {_be(names)} infinite: probability 0 was given to the true "
            f"class of {n:,} of {plural(s.items, 'item')}."
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
