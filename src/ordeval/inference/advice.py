"""Advice: caveats of an evaluation. Each entry has a code and its meaning.

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
        "The levels were inferred from the integers that occur. If the real scale is "
        "longer, measures that depend on the number of classes are wrong. Declare "
        "{labels}.",
    ),
    "OE102": Entry(
        "empty level",
        "A level of the scale does not occur in the truth. Averages over classes "
        "exclude it; measures that need every class are undefined.",
    ),
    "OE103": Entry(
        "rare class",
        "A class has fewer than 10 items in the truth. Its recall moves in large steps, and so do "
        "averages over classes and their intervals.",
    ),
    "OE104": Entry(
        "constant prediction",
        "All items are predicted in one class. Correlations are undefined, and "
        "accuracy is just the share of that class.",
    ),
    "OE105": Entry(
        "truth of one class",
        "All items are of one true class. Correlations are undefined, and kappa is meaningless.",
    ),
    "OE106": Entry(
        "class never predicted",
        "A class that occurs in the truth is never predicted. Accuracy can hide "
        "this; min_sensitivity and average_mae show it.",
    ),
    "OE107": Entry(
        "items dropped",
        "Items with missing or unknown labels were dropped, as asked. If they are "
        "not missing at random, the results are biased.",
    ),
    "OE201": Entry(
        "kappa depends on prevalence",
        "With the same recalls, kappa changes with the class sizes. Do not compare "
        "kappa between data sets of different prevalence; also report cem_ord and "
        "average_mae, or gwet_ac2 for raters.",
    ),
    "OE202": Entry(
        "within-n on a short scale",
        "accuracy_within counts errors of up to n classes as correct. With three "
        "classes, only the two extreme errors remain.",
    ),
    "OE203": Entry(
        "one class dominates",
        "Most items are of one class, so measures that average over items mostly describe it. "
        "Also report one that averages over classes.",
    ),
    "OE204": Entry(
        "ranking hides a shift",
        "Predictions are systematically too high or too low. Correlations do not "
        "detect a shift: also report mean_signed_error.",
    ),
    "OE205": Entry(
        "steps, not points",
        "The levels are unevenly spaced numbers, but measures of distance count "
        "steps of the scale: from 1 to 1.5 is one step, and so is from 1.5 to 4. To "
        "measure in points, use the parameter points=[1, 1.5, 4].",
    ),
    "OE301": Entry(
        "undefined resamples",
        "In many resamples the measure is undefined, often because a rare class is "
        "missing. The interval uses the other resamples only. The default method "
        "does not resample.",
    ),
    "OE302": Entry(
        "all resamples equal",
        "Resampling a perfect result gives a perfect result, so the bootstrap "
        "interval has no width. The default method gives a valid interval.",
    ),
    "OE303": Entry(
        "overlap is not a test",
        "Intervals of two models on the same items may overlap although one is clearly better. "
        "Read the paired difference and its p-value.",
    ),
    "OE304": Entry(
        "few clusters",
        "Fewer than 20 clusters show little about how much clusters vary. The "
        "default intervals account for this with few degrees of freedom; bootstrap "
        "intervals are too narrow.",
    ),
    "OE306": Entry(
        "resamples on one side of the estimate",
        "For a measure at the end of its range, or one that is biased upward in "
        "small samples, such as mutual information, nearly all resamples are on one "
        "side of the estimate. The interval is then unreliable.",
    ),
    "OE307": Entry(
        "uneven weights",
        "A few items with large weights dominate: the effective sample size is below "
        "a third of the number of items.",
    ),
    "OE308": Entry(
        "no interval",
        "No interval is reliable for these data: there are too few items, or weights "
        "without the number of items.",
    ),
    "OE309": Entry(
        "labelled items not a random subset",
        "Predictions, proxy labels or their differences are distributed differently "
        "on the items with a human label than on the others (p < 0.05), as if humans "
        "had labelled the items on which the two disagree. The correction is then "
        "biased. Choose the items for humans at random. By chance, two to seven of "
        "100 random subsets trigger this warning.",
    ),
    "OE310": Entry(
        "infinite log loss",
        "A model gave probability 0 to the true class of an item, so its log loss is "
        "infinite and has neither an interval nor a test. Rounded probabilities, and "
        "shares of a few trees or neighbours, are 0 where they should be small: save "
        "more digits, or use the ranked probability score, which is bounded.",
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
    OE304, few clusters: Fewer than 20 clusters show little about how much clusters vary. The
    default intervals account for this with few degrees of freedom; bootstrap intervals are too
    narrow.
    """
    code = str(code).upper()
    if code not in CATALOGUE:
        raise ParameterError(f"no warning has the code {code!r}; codes: {', '.join(CATALOGUE)}.")
    entry = CATALOGUE[code]
    return f"{code}, {entry.title}: {entry.meaning}"
