"""A value of a paper, printed and computed, and the verdict on the two."""

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from ordeval._shared.text import number
from ordeval.exceptions import ParameterError

PaperVerdict = Literal["equal", "close", "misprint", "differs", "not reproducible"]

# What each verdict means, the best first.
VERDICTS: Final[dict[PaperVerdict, str]] = {
    "equal": "the same to the printed digits, or the statement holds",
    "close": "subject to chance, and within the stated tolerance",
    "misprint": "the print is wrong, truncated or exchanged; the evidence is given",
    "differs": "something else comes out; the reason is given where it is known",
    "not reproducible": "needs data or details that neither the paper nor ordeval provides",
}
EXPLAINED: Final[tuple[PaperVerdict, ...]] = ("misprint", "differs", "not reproducible")
_ROUNDING: Final = 1e-9  # of binary fractions, so that a half counts as either neighbour
_EXACT: Final = 6  # decimals to which a fraction in print must agree


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value of a paper: the printed and the computed value, and a verdict."""

    paper: str
    exhibit: str  # "Table 1"
    row: str
    column: str
    printed: str  # as in print
    computed: float | str | None  # None: it cannot be computed
    verdict: PaperVerdict
    note: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            known = ", ".join(VERDICTS)
            raise ParameterError(f"verdict must be one of {known}; got {self.verdict!r}.")
        if self.verdict in EXPLAINED and not self.note:
            raise ParameterError(f"{self.place} is {self.verdict!r} without an explanation.")

    @property
    def place(self) -> str:
        """Its place in the paper."""
        return ", ".join(x for x in (self.exhibit, self.row, self.column) if x)

    @property
    def difference(self) -> float | None:
        """Computed minus printed; None if one of them is not a number."""
        printed = parsed(self.printed)
        if printed is None or not isinstance(self.computed, float) or math.isnan(self.computed):
            return None
        return self.computed - printed

    def shown(self) -> str:
        """The computed value, with one digit more than is printed."""
        if not isinstance(self.computed, float):
            return self.computed or "—"
        if math.isnan(self.computed):
            return "undefined"
        if not digits(self.printed) and self.computed == round(self.computed):
            return f"{self.computed:.0f}"
        return number(self.computed, 2 if "/" in self.printed else digits(self.printed) + 1)


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A printed value and its place; each method compares a computed value with it."""

    paper: str
    exhibit: str
    row: str
    column: str
    printed: str

    def exact(self, computed: Any, otherwise: str = "") -> Value:
        """For a value that follows from the paper; ``otherwise`` explains a misprint."""
        if agrees(self.printed, computed):
            return self.judged(computed, "equal")
        if otherwise:
            return self.judged(computed, "misprint", otherwise)
        unknown = "does not follow from what the paper prints; no explanation is known"
        return self.judged(computed, "differs", unknown)

    def near(self, computed: Any, *, tolerance: float, otherwise: str, note: str = "") -> Value:
        """For a value subject to chance; ``otherwise`` explains one outside the tolerance.

        The note is added in either case.
        """
        expected = parsed(self.printed)
        assert expected is not None
        added = f"; {note}" if note else ""
        if abs(computed - expected) <= tolerance + _ROUNDING:
            return self.judged(computed, "close", f"tolerance {tolerance:g}{added}")
        why = f"outside the tolerance of {tolerance:g}: {otherwise}{added}"
        return self.judged(computed, "differs", why)

    def contradicted(self, ours: Any, by_figures: Any, note: str) -> Value:
        """For a formula or setting that the paper's own figures contradict, if they do."""
        if by_figures:
            return self.judged(ours, "misprint", note)
        return self.judged(ours, "differs", f"not shown by the figures; {note}")

    def tried(self, holds: Any, evidence: str, otherwise: str = "") -> Value:
        """For a claim in words; ``otherwise`` explains why it does not hold on the evidence."""
        if holds:
            return self.judged("holds", "equal", evidence)
        note = f"{otherwise}; {evidence}" if otherwise else evidence
        return self.judged("does not hold", "differs", note)

    def missing(self, why: str) -> Value:
        """For a value that cannot be reproduced."""
        return self.judged(None, "not reproducible", why)

    def judged(self, computed: Any, verdict: PaperVerdict, note: str = "") -> Value:
        """For a value whose verdict is known already."""
        given = computed if isinstance(computed, str | None) else float(computed)
        return Value(**vars(self), computed=given, verdict=verdict, note=note)


def sentence(note: str) -> str:
    """A note with a capital and a full stop."""
    return f"{note[:1].upper()}{note[1:].rstrip('.')}."


def parsed(text: str) -> float | None:
    """The number in print, with percentages as shares; None for anything else.

    >>> parsed("15%"), parsed("-1/4"), parsed("NA")
    (0.15, -0.25, None)
    """
    try:
        if "/" in text:
            above, below = text.split("/")
            return float(above) / float(below)
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None


def digits(text: str) -> int:
    """Decimals in print, those of a percentage as a share; a fraction is exact."""
    if "/" in text:
        return _EXACT
    return len(text.rstrip("%").partition(".")[2]) + 2 * text.endswith("%")


def agrees(printed: str, computed: float) -> bool:
    """Whether a value rounds to the printed digits; a half may go either way.

    >>> agrees("0.29", 0.295), agrees("0.85", 0.857), agrees("15%", 0.1523)
    (True, False, True)
    """
    expected = parsed(printed)
    if expected is None:
        return printed in ("NA", "nan") and math.isnan(computed)
    return bool(abs(computed - expected) <= 0.5 * 10.0 ** -digits(printed) + _ROUNDING)
