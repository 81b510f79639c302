"""The small parts of an answer's grammar: values with their range, remarks, and how they end."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from typing import Final, NamedTuple

from ordeval.data.text import answer_words as words
from ordeval.data.text.answer_tokens import number_of
from ordeval.data.text.level_notation import Found, Notation, StatedRange

OPENERS: Final = frozenset("\"'“”„«‘’([{")
CLOSERS: Final = frozenset("\"'“”»‘’)]}")
QUOTES: Final = frozenset("\"'“”„«»‘’")
SLASHES: Final = frozenset("/⁄∕／")
DASHES: Final = frozenset("-‐‑‒–—―")
LINKS: Final = frozenset(":：=")
SENTENCE_ENDS: Final = frozenset(".!?;|{}。！？；")
_AFTER: Final = frozenset(".,;!|:…([。，；！、") | DASHES  # what may follow a label
ARROWS: Final = frozenset("→➔⇒️")
_BREAKS: Final = frozenset(("end", "line", "tag"))
_NAME: Final = 6  # tokens of the name of a level in brackets
_REMARK: Final = 24  # tokens of a remark in brackets


class SaidValue(NamedTuple):
    """A level at a place in a text."""

    found: Found
    end: int  # the token behind it
    marked: bool  # written as a score: 4/5, 4 stars
    out_of: bool  # with its maximum


class Phrases:
    """A text in tokens, and what begins at one of them."""

    def __init__(self, notation: Notation, text: str) -> None:
        self.notation = notation
        tokens = notation.tokens(text)
        self._values: dict[int, SaidValue] = {}
        self.kinds, self.texts, self.size = tokens.kinds, tokens.texts, len(tokens)

    def phrase(self, phrases: words.WordLists, i: int) -> int:
        """How many tokens a phrase of a list has that begins here; 0 if there is none."""
        for rest in phrases.get(self.texts[i], ()):
            if tuple(self.texts[i + 1 : i + 1 + len(rest)]) == rest:
                return 1 + len(rest)
        return 0

    def opened(self, i: int, *, lines: bool = False) -> int:
        """The first token that is no opening quote or bracket."""
        while (
            self.texts[i] in OPENERS
            or self.kinds[i] == "box"
            or (lines and self.kinds[i] == "line")
        ):
            i += 1
        return i

    def closed(self, i: int) -> int:
        """The first token that is no closing quote or bracket."""
        while self.texts[i] in CLOSERS:
            i += 1
        return i

    def value(self, i: int) -> SaidValue | None:
        """A level, with its unit and range."""
        if self.kinds[i] != self.notation.kind:
            return None
        if i not in self._values:
            self._values[i] = self._read_value(i)
        return self._values[i]

    def _read_value(self, i: int) -> SaidValue:
        found = self.notation.take(self.texts[i])
        end = self._unit(i + 1)
        marked = end > i + 1
        ranged = self._range_after(end)
        out_of = ranged is not None and ranged[0].low is None
        if ranged is not None:
            stated, end = ranged
            found, end = self.notation.ranged(found, stated), self._unit(end)
        return SaidValue(found, end, marked or ranged is not None, out_of)

    def ends_well(self, i: int, *, concedes: bool = False) -> bool:
        """Whether a label may end here: the sentence does, or a reason follows."""
        i = self.closed(i)
        if self.texts[i] == "overall":
            i = self.closed(i + 1)
        if self.kinds[i] == "word":
            behind = i + self.phrase(words.REASONS, i)
            if behind == i and concedes:
                behind += self.phrase(words.CONCESSIONS, i)
            dated = self.kinds[behind] in (
                "number",
                "odd",
            )  # since 2019; because 2 claims are wrong
            return behind > i and not (dated and not self.counts_things(behind + 1))
        if self.kinds[i] in _BREAKS:
            return True
        # 4 (errors) counts errors too.
        measured = self.texts[i + 1] in words.MEASURED and self.kinds[i + 2] != "word"
        return self.texts[i] in _AFTER and not measured

    def ends_line(self, i: int) -> int | None:
        """The token that ends the line, if nothing but closing marks comes before it."""
        i = self.closed(i)
        if self.texts[i] in (".", "。"):
            i = self.closed(i + 1)
        return i if self.kinds[i] in _BREAKS else None

    def remark(self, i: int) -> tuple[StatedRange | None, int]:
        """The range that a remark in brackets gives, as (1-5), and the token behind it."""
        if self.texts[i] not in ("(", "["):
            return None, i
        numbers: list[Fraction] = []
        for j in range(i + 1, min(i + _REMARK, self.size)):
            if self.texts[j] in (")", "]"):
                return _range_of(numbers), j + 1
            if self.kinds[j] == "line":
                break
            numbers += self._numbers(j)
        return None, i

    def range(self, i: int) -> tuple[StatedRange, int] | None:
        """1 to 5, or 1-5."""
        if i >= self.size:
            return None
        numbers, end = self._numbers(i), i + 1
        if self.texts[end] == "(" and (named := self._named(end)):  # 1 (bad) to 10 (good)
            end = named
        if self.kinds[i] == "number" and (
            self.texts[end] in DASHES or self.texts[end] in ("to", "and", "through")
        ):
            numbers, end = [*numbers, *self._numbers(end + 1)], end + 2
        return (
            (StatedRange(*numbers), end) if len(numbers) == 2 and numbers[0] < numbers[1] else None
        )

    def _named(self, i: int) -> int:
        """The token behind the name of a level in brackets; 0 if there is none."""
        end = next((j for j in range(i + 1, i + _NAME) if self.texts[j : j + 1] == [")"]), 0)
        return end + 1 if end and all(kind == "word" for kind in self.kinds[i + 1 : end]) else 0

    def is_own(self, stated: StatedRange) -> bool:
        """Whether a range is that of the scale."""
        own = self.notation.range
        return own is None or (stated.top == own.top and stated.low in (None, own.low))

    def counts_things(self, i: int) -> bool:
        """Whether things are counted by the number that ends here: 3 minor errors."""
        end = i + 4
        while i < end and self.texts[i] in words.DESCRIBING:
            i += 1
        return self.texts[i] in words.COUNTED

    def _numbers(self, i: int) -> list[Fraction]:
        """The numbers in a token; the hyphen of 1-5 is no sign."""
        if self.kinds[i] == "number":
            return [number_of(self.texts[i])]
        if self.kinds[i] == "odd":
            return [Fraction(x) for x in re.findall(r"[0-9]{1,9}", self.texts[i])]
        return []

    def _unit(self, i: int) -> int:
        """The token behind "points" or "stars"."""
        return i + 1 if self.texts[i] in words.UNITS else i

    def is_symbol(self, i: int) -> bool:
        """Whether a token is an arrow or a picture, as judges put before a line."""
        text = self.texts[i]
        symbol = self.kinds[i] == "mark" and not text.isascii()
        return symbol and (text in ARROWS or unicodedata.category(text) == "So")

    def _range_after(self, i: int) -> tuple[StatedRange, int] | None:
        """The range that follows a value, possibly in brackets."""
        i = self.closed(i)
        bracket = self.texts[i] == "("
        found = self.stated_range(i + bracket)
        if found is None or not bracket:
            return found
        stated, end = found
        end = self._unit(end)
        return (stated, end + 1) if self.texts[end] == ")" else None

    def stated_range(self, i: int) -> tuple[StatedRange, int] | None:
        """/5, out of 5, on a scale of 1 to 5; 1 to 5 in brackets."""
        scale = self.phrase(words.ON_SCALE, i)
        if scale:
            return self.range(i + scale)
        if self.texts[i] in SLASHES:
            i += 1
        elif out_of := self.phrase(words.OUT_OF, i):
            i += out_of
            i += self.phrase(words.FILLERS, i)
        else:
            return self.range(i) if self.texts[i - 1] == "(" else None
        if self.kinds[i] != "number":
            return None
        return StatedRange(None, *self._numbers(i)), i + 1


def _range_of(numbers: list[Fraction]) -> StatedRange | None:
    if not numbers:
        return None
    low, top = min(numbers), max(numbers)
    return StatedRange(None if len(numbers) == 1 else low, top)
