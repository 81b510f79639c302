"""How the levels of a scale are written in a text: as numbers, or as words.

A notation says what a level looks like at a place in a text, and which level a value is. Numbers
are exact: 0.15 lies half way between 0.1 and 0.2, which floats would miss.
"""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Hashable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol, get_args

from ordeval._shared.text import argument, named
from ordeval._shared.types import check_choice
from ordeval.data.scale import Scale
from ordeval.exceptions import ParameterError

Half = Literal["error", "up", "down", "even", "nearest"]


class Reason(StrEnum):
    """Why an answer was not read, or not as it stands."""

    NO_ANSWER = "no answer"
    NO_LABEL = "neither a digit nor a label"
    REFUSAL = "a refusal"
    IN_WORDS = "a number in words"
    OUTSIDE = "a number off the scale"
    BETWEEN = "a number between two levels"
    DIFFERENT = "several labels that differ"
    OTHER_TOP = "out of another top than the scale's"
    NOT_ALONE = "a label that does not stand alone"
    ELSEWHERE = "no label where the pattern looks"
    ROUNDED = "a number between two levels, rounded"


class ReadAnswer(NamedTuple):
    """What an answer says: the position of its level, -1 for none, and why."""

    position: int
    reason: Reason | None = None

    @property
    def outcome(self) -> str:
        """What became of the answer, in the words of ``Answers.counts``."""
        return "read" if self.position >= 0 else _OUTCOMES.get(self.reason, "unreadable")


_OUTCOMES: Final[dict[Reason | None, str]] = {
    Reason.NO_ANSWER: "missing",
    Reason.REFUSAL: "refused",
    Reason.OUTSIDE: "outside",
}

Found = Fraction | int | Reason  # a number, the position of a word, or why it is neither

# Runs are possessive (*+), so that no text, however odd, is read in more than linear time.
_BLANK: Final = r"[^\S\n]"
_OPENING: Final = r"\"'“”„«‘’(\[{"
_CLOSING: Final = r"\"'“”»‘’)\]}"
_HYPHENS: Final = r"+\-−‐‑‒"
_DASHES: Final = r"–—―～〜"
_SLASHES: Final = "/⁄∕／"
# The sign is not optional but an alternative: the characters that begin a match are known then,
# and the search is twice as quick.
_NUMBER: Final = r"(?:[+\-−](?:0|[1-9][0-9]*+)|0|[1-9][0-9]*+)(?:\.[0-9]++)?+"
# Neither 4th, 4%, 4?, 4/5/2024, 4+ and 4-star, nor 3,5, 10:30, 1.2.3 and 3–4, nor 1 = poor and
# 4 ± 1; nor 4 or more, and 4 whose top is in words or on the next line.
_NUMBER_ENDS: Final = (
    rf"(?![\w{_SLASHES}°^~?{_HYPHENS}])(?![.,:．·٫،，{_DASHES}]\d)(?!\.\.)"
    rf"(?!{_BLANK}*+(?:[=%‰±]|per{_BLANK}?cent\b|at{_BLANK}++(?:most|least)\b|min(?:imum)?\b|"
    rf"(?:or|and){_BLANK}++(?:so|more|less|fewer|above|below|over|under|up|higher|lower|better|"
    rf"worse)\b))(?!\s*+[(\[]?+(?:out\s++of\b|[{_SLASHES}]\s*+\d))"
)
_NUMBER_STARTS: Final = re.compile(
    rf"(?<![\w.\\$€£#~≈<>≤≥^{_SLASHES}{_HYPHENS}{_DASHES}])(?<!\d[,:．·٫،，])"
)
_OUT_OF: Final = (
    rf"{_BLANK}*+(?:(?:points?|pts?\.?|stars?){_BLANK}*+)?"
    rf"(?:[{_SLASHES}]|\(?{_BLANK}*+out{_BLANK}++of){_BLANK}*+"
)
# What joins a label to another one: 4 or 5, 3 to 4, 4 (maybe 5), 4 and a half, 1 (poor) to 5.
_JOINING: Final = (
    rf"[{_HYPHENS}{_DASHES}{_SLASHES}~&|,;×→±<>\\{_OPENING}]|=>|(?<=\s):|\bvs\.|\b(?:or|to|and|a|"
    r"out|of|on|over|from|scale|maybe|perhaps|possibly|possible|even|almost|nearly|rather|than|"
    r"instead|through|but|not|no|actually|vs|versus|plus|minus|times|x|max|maximum|total|points?|"
    r"pts?|stars?)\b"
)
_JOINED: Final = (
    rf"[{_CLOSING}]*+{_BLANK}*+(?:\([^()\n]{{0,60}}\){_BLANK}*+)?"
    rf"(?:(?:{_JOINING})[{_OPENING}]*+{_BLANK}*+)*"
)
# What joins it to a number that comes later: 4 in 10, 4, later revised to 3, 4 or five.
_NEXT: Final = rf"{_BLANK}*+[,;]?+{_BLANK}*+"
_REVISED: Final = (
    rf"{_NEXT}(?:(?:in|to|a|but|it|later|then|now|should|be|is|was|revised|changed|lowered|raised|"
    rf"corrected)\b{_BLANK}*+)++\d"
)
_OR_IN_WORDS: Final = rf"{_NEXT}(?:(?:or|to|maybe|perhaps|possibly|even|no|a)\b{_NEXT})++"
_TWO_AND_MORE: Final = "zero|two|three|four|five|six|seven|eight|nine|ten"
# "One" is a number where it can hardly be "this one": a one, score: one, one out of five, One.
IN_WORDS: Final = re.compile(
    rf"\b(?:{_TWO_AND_MORE})\b|(?:[:=]\s*+|\ba\s++|\bof\s++)one\b(?![-‐‑])(?!\s++of\b)|"
    r"\bone\s++(?:out\s++of|stars?|points?)\b|\A\W*+one\W*+\Z"
)
BEFORE: Final = re.compile(rf"\d{_JOINED}\Z")
DIGIT: Final = re.compile(r"[\d½¼¾⅓⅔]")
_AROUND: Final = (rf"[\s{_OPENING}]*+", rf"[\s{_CLOSING}]*+\.?+[\s{_CLOSING}]*+\Z")


class Notation(Protocol):
    """How levels are written."""

    value: re.Pattern[str]  # a level that stands alone, from a place on
    begins: re.Pattern[str]  # something that begins like one
    rival: re.Pattern[str]  # another one that is joined to it
    whole: re.Pattern[str]  # a text that is nothing else
    anywhere: re.Pattern[str]  # a digit or a level
    spelled: re.Pattern[str]  # a number in words, which is not read
    exact: Mapping[str, int]  # texts that are a level as they stand
    folds: bool  # upper and lower case are the same
    longest: int  # characters of a level

    def take(self, match: re.Match[str]) -> Found:
        """What a match of ``value`` says."""

    def spans(self, text: str) -> bool:
        """Whether a remark such as "1-5" may be about this scale."""

    def number(self, value: Any) -> Found:
        """What an answer says that is a number and no text."""

    def place(self, found: Fraction | int) -> ReadAnswer:
        """The level of a value."""


class Numbers:
    """Levels that are numbers, written 4, 4.0, 4/5 or 4 out of 5."""

    value = re.compile(rf"(?P<number>{_NUMBER})(?:{_OUT_OF}(?P<top>{_NUMBER}))?{_NUMBER_ENDS}")
    begins = re.compile(rf"[+\-−~≈<>≤≥.]?{_BLANK}?[0-9]")
    rival = re.compile(
        rf"{_JOINED}(?:\.?[\d½¼¾⅓⅔]|half\b)|{_REVISED}|{_OR_IN_WORDS}(?:one|{_TWO_AND_MORE})\b"
    )
    whole = re.compile(value.pattern.join(_AROUND))
    anywhere = DIGIT
    spelled = IN_WORDS
    exact: Mapping[str, int] = MappingProxyType({})
    folds = True
    longest = 80

    def __init__(self, values: Sequence[Fraction], half: Half) -> None:
        self.positions = {value: i for i, value in enumerate(values)}
        self.ordered = sorted(values)
        self.half = half

    def alone(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """The numbers of a text, from a place on, that are no part of something else."""
        matches = self.value.finditer(text, start)
        return (m for m in matches if _NUMBER_STARTS.match(text, m.start()))

    def take(self, match: re.Match[str]) -> Found:
        """The number, unless it is out of another one than the top of the scale."""
        top = match["top"]
        if top is not None and self.number(Decimal(_ascii(top))) != self.ordered[-1]:
            return Reason.OTHER_TOP
        return self.number(Decimal(_ascii(match["number"])))

    def spans(self, text: str) -> bool:
        """Whether the largest number of a remark, if it has any, is the top of the scale."""
        # The hyphen of 1-5 is no sign.
        found = re.findall(r"(?:(?<![0-9])[-−])?[0-9]+(?:\.[0-9]+)?", text)
        return not found or max(Fraction(_ascii(x)) for x in found) == self.ordered[-1]

    def number(self, value: Any) -> Found:
        """The number itself, exactly."""
        if isinstance(value, (int, Fraction)):
            return Fraction(value)
        exact = value if isinstance(value, Decimal) else Decimal(str(value))
        # The fraction of 1e999999999 would fill the memory.
        if not exact.is_finite() or abs(exact.adjusted()) > 400:
            return Reason.OUTSIDE
        return Fraction(exact)

    def place(self, found: Fraction | int) -> ReadAnswer:
        """The level of a number, rounded as was asked for."""
        number = Fraction(found)
        if number in self.positions:
            return ReadAnswer(self.positions[number])
        above = bisect(self.ordered, number)
        if not 0 < above < len(self.ordered):
            return ReadAnswer(-1, Reason.OUTSIDE)
        chosen = self._rounded(number, self.ordered[above - 1], self.ordered[above])
        if chosen is None:
            return ReadAnswer(-1, Reason.BETWEEN)
        return ReadAnswer(self.positions[chosen], Reason.ROUNDED)

    def _rounded(self, number: Fraction, low: Fraction, high: Fraction) -> Fraction | None:
        twice, middle = 2 * number, low + high
        if self.half == "error" or (twice == middle and self.half == "nearest"):
            return None
        if twice != middle:
            return low if twice < middle else high
        if self.half == "even":
            return low if low % 2 == 0 else high
        return low if self.half == "down" else high


class Words:
    """Levels that are words, of any case unless case tells them apart; the longest wins."""

    def __init__(self, levels: Sequence[str]) -> None:
        # A label that consists of emphasis, such as ***, is read only where nothing else stands.
        self.exact: Mapping[str, int] = {level.strip(): i for i, level in enumerate(levels)}
        self.longest = max(map(len, levels))
        self.folds = _told_apart(levels, folds=True)
        if not self.folds and not _told_apart(levels, folds=False):
            raise ParameterError(
                f"{argument('labels')} must differ in more than blanks and emphasis for answers "
                f"to be read on them; got {', '.join(map(repr, levels))}."
            )
        written = [squeezed(plain(level, folds=self.folds)) for level in levels]
        self.positions = {text: i for i, text in enumerate(written) if text}
        texts = sorted(self.positions, key=len, reverse=True)
        words = "|".join(r"\s++".join(map(re.escape, x.split())) for x in texts) or "(?!)"
        # Neither good-ish nor B+; nor the A of "Answer: A good one", where a word follows.
        ends = rf"(?![\w?{_HYPHENS}])(?={_BLANK}*+(?:[^\w\s=]|\n|\Z))"
        value = rf"(?P<word>{words}){ends}"
        self.value = re.compile(value)
        self.begins = re.compile(rf"(?:{words})(?!\w)")
        self.rival = re.compile(rf"{_JOINED}(?:{words})(?!\w)", re.IGNORECASE)
        self.whole = re.compile(value.join(_AROUND))
        self.anywhere = re.compile(rf"\d|(?<!\w)(?:{words})(?!\w)")
        self.spelled = re.compile("(?!)")

    def take(self, match: re.Match[str]) -> Found:
        """The position of a word."""
        return self.positions[squeezed(match["word"])]

    def spans(self, text: str) -> bool:
        """Any remark may be."""
        return True

    def number(self, value: Any) -> Found:
        """A number is no word."""
        return Reason.ELSEWHERE

    def place(self, found: Fraction | int) -> ReadAnswer:
        """The level of a word."""
        return ReadAnswer(int(found))


def notation_of(scale: Scale, half: Half) -> Notation:
    """How the levels of a scale are written, and how numbers between them are rounded."""
    check_choice("half", half, get_args(Half))
    levels = scale.levels
    numbers = [_number_of(level) for level in levels]
    exact = [n for n in numbers if n is not None]
    if len(set(exact)) == len(levels):
        _check_rounding(exact, half)
        return Numbers(exact, half)
    words = [level for level in levels if isinstance(level, str) and level.strip()]
    if len(words) < len(levels):
        raise ParameterError(
            f"{argument('labels')} must be all numbers or all texts for answers to be read on "
            f"them; got {scale}."
        )
    if half != "error":
        raise ParameterError(
            f"{named('half')} rounds numbers, and these labels are words: {scale}. Leave it out."
        )
    return Words(words)


def _number_of(level: Hashable) -> Fraction | None:
    """The number that a level is or, as a text, writes."""
    if isinstance(level, str):
        return Fraction(Decimal(_ascii(level))) if re.fullmatch(_NUMBER, level) else None
    if isinstance(level, bool) or not isinstance(level, (int, float)):
        return None
    return Fraction(Decimal(repr(level))) if math.isfinite(level) else None


def _check_rounding(levels: list[Fraction], half: Half) -> None:
    """Refuse to round where it is not said what lies between two levels, or which one is even."""
    if half == "error":
        return
    if levels not in (sorted(levels), sorted(levels, reverse=True)):
        raise ParameterError(
            f"{argument('half', half)} needs labels in the order of their numbers; leave it out."
        )
    gaps = {high - low for low, high in zip(sorted(levels), sorted(levels)[1:], strict=False)}
    if half == "even" and not (gaps <= {1} and levels[0] % 1 == 0):
        raise ParameterError(
            f"{argument('half', half)} needs labels that are consecutive integers; choose "
            f'"up", "down" or "nearest".'
        )


def _told_apart(levels: Sequence[str], *, folds: bool) -> bool:
    written = [x for level in levels if (x := squeezed(plain(level, folds=folds)))]
    return len(set(written)) == len(written)


def _ascii(number: str) -> str:
    return number.replace("−", "-")


def squeezed(text: str) -> str:
    """The text with one blank between words and none around them."""
    return " ".join(text.split())


_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")  # of no width
_EDGE_UNDERSCORE: Final = re.compile(r"(?<![^\W_])_|_(?![^\W_])")


def plain(text: str, *, folds: bool) -> str:
    """The text in lower case if case does not matter, without emphasis and unseen characters.

    Blanks take the place of what is gone, so that nothing grows together: 2*2 is not 22.
    """
    text = text.replace("*", " ").replace("`", " ")
    if not text.isascii():
        text = _UNSEEN.sub(" ", text)
    if "_" in text:
        text = _EDGE_UNDERSCORE.sub(" ", text)
    return text.casefold() if folds else text
