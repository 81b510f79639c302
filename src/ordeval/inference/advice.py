"""The catalogue of advice: what may mislead in an evaluation, each with a code.

``score`` and ``compare`` attach what applies; warnings carry the same codes. The text of an entry
is the documentation of its code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ordeval.exceptions import ParameterError


@dataclass(frozen=True)
class Entry:
    """What a code means and what to do about it."""

    title: str
    meaning: str


@dataclass(frozen=True)
class Advice:
    """One entry of the catalogue, applied to the data at hand."""

    code: str
    message: str

    @property
    def entry(self) -> Entry:
        """What the code means in general."""
        return CATALOGUE[self.code]

    def __str__(self) -> str:
        return f"[{self.code}] {self.message}"


CATALOGUE: Final[dict[str, Entry]] = {
    "OE101": Entry(
        "scale implied by integers",
        "The levels were read off the integers that occur, from the smallest to the largest. If "
        "the real scale is longer, measures that depend on the number of classes are off. Declare "
        "labels=.",
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
        "items left out",
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
        "Predictions are systematically too high or too low. Correlations cannot see a shift: read "
        "mean_signed_error beside them.",
    ),
    "OE301": Entry(
        "undefined draws",
        "In many resampled data sets the measure has no value, often because a rare class fell "
        "out. The interval is over the others only. stratify=True keeps the class sizes.",
    ),
    "OE302": Entry(
        "every draw alike",
        "Resampling a perfect result gives a perfect result: the bootstrap cannot see beyond the "
        'sample. method="bayes" gives an honest interval.',
    ),
    "OE303": Entry(
        "overlap is not a test",
        "Intervals of two models on the same items may overlap although one is clearly better. "
        "Read the paired difference and its p-value.",
    ),
    "OE304": Entry(
        "few groups",
        "With fewer than 30 groups the cluster bootstrap gives intervals that are too narrow.",
    ),
    "OE305": Entry(
        "too few draws for so many tests",
        "The smallest p-value that the draws allow, times the number of tests, exceeds the level: "
        "no corrected p-value can be significant. Raise n_resamples or compare with one baseline.",
    ),
    "OE306": Entry(
        "the draws lie to one side of the estimate",
        "A measure at the end of its range, or one that small samples push upwards such as mutual "
        "information, lies to one side of the estimate in nearly every draw. The interval says "
        "little; look at the measure's range.",
    ),
}


def explain(code: str) -> str:
    """What a warning code means and what to do about it.

    >>> print(explain("OE304"))
    OE304, few groups: With fewer than 30 groups the cluster bootstrap gives intervals that are too
    narrow.
    """
    code = str(code).upper()
    if code not in CATALOGUE:
        raise ParameterError(f"no warning has the code {code!r}; codes: {', '.join(CATALOGUE)}.")
    entry = CATALOGUE[code]
    return f"{code}, {entry.title}: {entry.meaning}"
