"""How the levels of a scale are written in a text: as numbers, or as words.

A notation says which tokens are levels, and which level a value is. Numbers are exact: 0.15 lies
half way between 0.1 and 0.2, which floats would miss.
"""

from __future__ import annotations

import math
import re
from bisect import bisect
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, get_args

from ordeval._shared.text import argument, named
from ordeval._shared.types import check_choice
from ordeval.data.scale import Scale
from ordeval.data.text.answer_tokens import (
    DecimalMark,
    Tokens,
    lexer,
    number_of,
    number_regex,
    plain,
)
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
    DOUBTFUL = "a label that is doubted or taken back"
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


class StatedRange(NamedTuple):
    """The numbers between which a judge says to grade; a maximum may be all that it says."""

    low: Fraction | None
    top: Fraction


@dataclass(frozen=True, kw_only=True)
class AnswerReading:
    """How numbers are read: options of ``read_answers``."""

    half: Half = "error"
    decimal: DecimalMark = "."
    rescale: bool = False

    def check(self) -> None:
        """Refuse what is no option."""
        check_choice("half", self.half, get_args(Half))
        check_choice("decimal", self.decimal, get_args(DecimalMark))
        if not isinstance(self.rescale, bool):
            raise ParameterError(f"{named('rescale')} must be True or False; got {self.rescale!r}.")


class Numbers:
    """Levels that are numbers, written 4, 4.0, 4/5 or 4 out of 5."""

    exact: Mapping[str, int] = MappingProxyType({})  # texts that are a level as they stand
    folds = True  # upper and lower case are the same
    longest = 80  # characters of a level
    kind = "number"  # of the tokens that may be levels

    def __init__(self, values: Sequence[Fraction], reading: AnswerReading) -> None:
        self.positions = {value: i for i, value in enumerate(values)}
        self.ordered = sorted(values)
        self.range = StatedRange(self.ordered[0], self.ordered[-1])
        self.reading = reading
        # Where 0 is a level, 4,0 may be two of them.
        regex = number_regex(reading.decimal, zeros=Fraction(0) not in self.positions)
        self._lexer = lexer(regex)

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text."""
        return Tokens(self._lexer, plain(text, folds=True))

    def take(self, token: str) -> Found:
        """The number."""
        return number_of(token)

    def ranged(self, value: Found, stated: StatedRange) -> Found:
        """The number, unless its range is another one; then it is rescaled if that is asked for.

        A range with both ends is mapped to the scale, ends to ends. A maximum alone keeps the
        share of the maximum: 8/10 is 4/5.
        """
        low, top = self.ordered[0], self.ordered[-1]
        if isinstance(value, Reason) or (stated.top == top and stated.low in (None, low)):
            return value
        start, own = (Fraction(0),) * 2 if stated.low is None else (stated.low, low)
        if not self.reading.rescale or start >= stated.top or (stated.low is None and low < 0):
            return Reason.OTHER_TOP
        if not start <= value <= stated.top:
            return Reason.OUTSIDE
        return own + (value - start) * (top - own) / (stated.top - start)

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
        half, twice, middle = self.reading.half, 2 * number, low + high
        if half == "error" or (twice == middle and half == "nearest"):
            return None
        if twice != middle:
            return low if twice < middle else high
        if half == "even":
            return low if low % 2 == 0 else high
        return low if half == "down" else high


class Words:
    """Levels that are words; case matters only if two levels differ in case; the longest wins."""

    kind = "label"
    range = None

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
        written = [_squeezed(plain(level, folds=self.folds)) for level in levels]
        self.positions = {text: i for i, text in enumerate(written) if text}
        texts = sorted(self.positions, key=len, reverse=True)
        words = "|".join(r"\s++".join(map(re.escape, x.split())) for x in texts) or "(?!)"
        self._lexer = lexer(number_regex(), words)

    def tokens(self, text: str) -> Tokens:
        """The tokens of a text."""
        return Tokens(self._lexer, plain(text, folds=self.folds))

    def take(self, token: str) -> Found:
        """The position of a word."""
        return self.positions[_squeezed(token)]

    def ranged(self, value: Found, stated: StatedRange) -> Found:
        """The word: a range of numbers says nothing about it."""
        return value

    def number(self, value: Any) -> Found:
        """A number is no word."""
        return Reason.ELSEWHERE

    def place(self, found: Fraction | int) -> ReadAnswer:
        """The level of a word."""
        return ReadAnswer(int(found))


Notation = Numbers | Words  # how levels are written


def notation_of(scale: Scale, reading: AnswerReading) -> Notation:
    """How the levels of a scale are written, and how numbers that are none of them are read."""
    reading.check()
    levels = scale.levels
    numbers = [_number_of(level) for level in levels]
    exact = [n for n in numbers if n is not None]
    if len(set(exact)) == len(levels):
        _check_rounding(exact, reading.half)
        return Numbers(exact, reading)
    words = [level for level in levels if isinstance(level, str) and level.strip()]
    if len(words) < len(levels):
        raise ParameterError(
            f"{argument('labels')} must be all numbers or all texts for answers to be read on "
            f"them; got {scale}."
        )
    usual = AnswerReading()
    for name, verb in (("half", "rounds"), ("decimal", "is for"), ("rescale", "is for")):
        if getattr(reading, name) != getattr(usual, name):
            raise ParameterError(
                f"{named(name)} {verb} numbers, and these labels are words: {scale}. Leave it out."
            )
    return Words(words)


def _number_of(level: Hashable) -> Fraction | None:
    """The number that a level is or, as a text, writes."""
    if isinstance(level, str):
        written = re.fullmatch(number_regex(), level)
        return number_of(level) if written else None
    if isinstance(level, float):
        return Fraction(Decimal(repr(level))) if math.isfinite(level) else None
    return Fraction(level) if isinstance(level, int) and not isinstance(level, bool) else None


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
    written = [x for level in levels if (x := _squeezed(plain(level, folds=folds)))]
    return len(set(written)) == len(written)


def _squeezed(text: str) -> str:
    """The text with one blank between words and none around them."""
    return " ".join(text.split())
