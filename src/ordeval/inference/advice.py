"""Advice: what may mislead in an evaluation. Each entry has a code and its meaning.

``score`` and ``compare`` attach the advice that applies; intervals and paired differences give it
as warnings. The meaning of an entry is the documentation of its code.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ordeval._shared.arguments import checked
from ordeval._shared.text import argument, visible
from ordeval.exceptions import ParameterError, ResamplingWarning, StepsWarning, user_frame
from ordeval.inference.advice_rules import FEW_CLUSTERS, RARE, RULES, Situation

__all__ = [
    "CATALOGUE",
    "FEW_CLUSTERS",
    "RARE",
    "Advice",
    "Situation",
    "advise",
    "explain",
    "merged",
    "warn",
]


@dataclass(frozen=True)
class Entry:
    """What a code means and what to do about it."""

    title: str
    text: str  # names arguments in braces

    @property
    def meaning(self) -> str:
        """What the code means and what to do about it."""
        return self.text.format(labels=argument("labels"))


CATALOGUE: Final[dict[str, Entry]] = {
    "OE101": Entry(
        "scale implied by integers",
        "The levels were read off the integers that occur, from the smallest to the largest. If "
        "the real scale is longer, measures that depend on the number of classes are off. Declare "
        "{labels}.",
    ),
    "OE102": Entry(
        "empty level",
        "A level of the scale does not occur in the truth. Averages over classes leave it out; "
        "measures that need every class are undefined.",
    ),
    "OE103": Entry(
        "rare class",
        "A class has fewer than 10 items in the truth. Its recall moves in large steps, and so do "
        "averages over classes and their intervals.",
    ),
    "OE104": Entry(
        "constant prediction",
        "All items are predicted in one class. Correlations are undefined, and accuracy is only "
        "the size of that class.",
    ),
    "OE105": Entry(
        "truth of one class",
        "All items are of one true class. Nothing can be said about order: correlations are "
        "undefined, and kappa means nothing, whatever its value.",
    ),
    "OE106": Entry(
        "class never predicted",
        "A class that occurs in the truth is never predicted. Accuracy may hide it; "
        "min_sensitivity and average_mae show it.",
    ),
    "OE107": Entry(
        "items dropped",
        "Items with missing or unknown labels were dropped, as asked. If they are not missing at "
        "random, every figure is about the rest only.",
    ),
    "OE201": Entry(
        "kappa moves with prevalence",
        "The same recalls give another kappa on other class sizes. Do not compare kappas between "
        "data sets of different prevalence; cem_ord and average_mae, or gwet_ac2 between raters, "
        "are steadier companions.",
    ),
    "OE202": Entry(
        "within-n on a short scale",
        "accuracy_within forgives errors of n classes. With few classes that forgives almost "
        "everything: on three classes only the two extreme errors count.",
    ),
    "OE203": Entry(
        "one class dominates",
        "Most items are of one class, so measures that average over items mostly describe it. "
        "Report one that averages over classes beside it.",
    ),
    "OE204": Entry(
        "ranking hides a shift",
        "Predictions are systematically too high or too low. Correlations cannot see a shift: "
        "read mean_signed_error beside them.",
    ),
    "OE205": Entry(
        "steps, not points",
        "The levels are numbers that are not one apart, and a measure of distance counts steps of "
        "the scale: from 1 to 1.5 is one step, as from 1.5 to 4. With the parameter points=[1, "
        "1.5, 4] mean_absolute_error and the others measure in points.",
    ),
    "OE301": Entry(
        "undefined draws",
        "In many resampled data sets the measure has no value, often because a rare class fell "
        "out. The interval is over the others only. The default method makes no draws.",
    ),
    "OE302": Entry(
        "every draw alike",
        "Resampling a perfect result gives a perfect result: the bootstrap cannot see beyond the "
        "sample. The default method gives an honest interval.",
    ),
    "OE303": Entry(
        "overlap is not a test",
        "Intervals of two models on the same items may overlap although one is clearly better. "
        "Read the paired difference and its p-value.",
    ),
    "OE304": Entry(
        "few clusters",
        "How much clusters vary can hardly be told from fewer than 20 of them. The default "
        "intervals have few degrees of freedom to allow for it; those of the methods that draw "
        "are too narrow.",
    ),
    "OE306": Entry(
        "the draws lie to one side of the estimate",
        "A measure at the end of its range, or one that small samples push upwards such as mutual "
        "information, lies to one side of the estimate in nearly every draw. The interval says "
        "little; look at the measure's range.",
    ),
    "OE307": Entry(
        "uneven weights",
        "A few heavy items decide. All items together say no more than the effective number of "
        "equally weighted ones, which is below a third of them.",
    ),
    "OE308": Entry(
        "no interval",
        "No interval would hold its level on these data: there are too few items, or only weights "
        "whose items are not known.",
    ),
    "OE309": Entry(
        "labelled items are no random subset",
        "Predictions, the labels of the proxy, or the distance of the two are distributed "
        "differently on the items with a human label and on the others (p < 0.05), as if humans "
        "had been asked where the two disagree. The correction is then biased. Choose the items "
        "that humans label at random. Two to seven of 100 random subsets look like this by "
        "chance.",
    ),
    "OE310": Entry(
        "infinite log loss",
        "A model gave probability 0 to what happened. Its log loss is infinite, whatever it says "
        "of all other items: it has neither an interval nor a test. Probabilities that were "
        "rounded, or that come from the shares of a few trees or neighbours, are 0 where they "
        "should be small: save them with more digits, or decide by the ranked probability score, "
        "which has a limit.",
    ),
}


@dataclass(frozen=True)
class Advice:
    """One entry of the catalogue, applied to the data."""

    code: str
    message: str

    @property
    def entry(self) -> Entry:
        """The general meaning of the code."""
        return CATALOGUE[self.code]

    def __str__(self) -> str:
        return visible(f"[{self.code}] {self.message}")


def advise(situation: Situation) -> tuple[Advice, ...]:
    """All advice that applies, by code."""
    found = [Advice(*coded) for rule in RULES for coded in rule(situation)]
    return tuple(sorted(found, key=lambda advice: advice.code))


def merged(advice: Mapping[str, Iterable[Advice]]) -> list[Advice]:
    """The advice about several models; what concerns some of them names these."""
    found: dict[Advice, list[str]] = {}
    for model, given in advice.items():
        for a in given:
            found.setdefault(a, []).append(model)
    return [
        a if len(who) == len(advice) else Advice(a.code, f"{', '.join(who)}: {a.message}")
        for a, who in found.items()
    ]


def warn(situation: Situation) -> None:
    """Give all advice that applies as warnings."""
    for advice in advise(situation):
        kind = StepsWarning if advice.code == "OE205" else ResamplingWarning
        warnings.warn(str(advice), kind, stacklevel=user_frame())


@checked
def explain(code: str) -> str:
    """Explain a warning code: what it means and what to do about it.

    Parameters
    ----------
    code
        The code of a warning, for example ``"OE304"``.

    Returns
    -------
    str
        The code, its title and its meaning.

    Raises
    ------
    ParameterError
        If no warning has this code.

    Examples
    --------
    >>> print(explain("OE304"))
    OE304, few clusters: How much clusters vary can hardly be told from fewer than 20 of them. The
    default intervals have few degrees of freedom to allow for it; those of the methods that draw
    are too narrow.
    """
    code = str(code).upper()
    if code not in CATALOGUE:
        raise ParameterError(f"no warning has the code {code!r}; codes: {', '.join(CATALOGUE)}.")
    entry = CATALOGUE[code]
    return f"{code}, {entry.title}: {entry.meaning}"
