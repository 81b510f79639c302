"""What stands against a label that was stated: another number, a doubt, a correction.

Numbers that count something, number a line or name a year are none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from ordeval.data.text import answer_words as words
from ordeval.data.text.answer_tokens import number_of
from ordeval.data.text.level_notation import Found, Reason, StatedRange
from ordeval.data.text.phrases import (
    CLOSERS,
    DASHES,
    LINKS,
    OPENERS,
    QUOTES,
    SENTENCE_ENDS,
    Phrases,
)

_ORDINAL: Final = re.compile(r"[0-9]+(?:st|nd|rd|th)")
_DATE_OR_TIME: Final = re.compile(
    r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:am|pm)?"
)
_POINTS: Final = re.compile(r"([0-9]{1,9})-points?")
_NEGATIONS: Final = frozenset(["not", "never", "isn't", "wasn't", "no"])
_PARTING: Final = OPENERS | CLOSERS | DASHES | frozenset(",:;")
_BRIEF: Final = 8  # words of a remark that is short
_ABOUT_SCALE: Final = 8  # tokens around "scale" in which its range may stand


class WordPlace(Enum):
    """Where a word stands behind a label."""

    SAME = "in its sentence"
    REASON = "in its sentence, behind because"
    LATER = "in a later sentence"


@dataclass
class _Remark:
    """A sentence behind a label."""

    inline: bool  # on the label's line
    field: bool = False  # of JSON
    length: int = 0  # in words
    explaining: int = 0  # words that explain a label
    unknown: int = 0  # words that no list has
    explained: bool = False

    def is_brief(self) -> bool:
        """Whether it is short, or on the label's line."""
        return self.inline or self.length < _BRIEF

    def is_unexplained(self) -> bool:
        """Whether it may be about the label itself, in words that no list has: just testing."""
        if self.length == 0 or self.field or self.explained:
            return False
        if self.length >= _BRIEF:
            return self.inline and self.explaining < 2
        return self.explaining < max(self.unknown, 1) or (self.inline and self.unknown > 0)


class Objections(Phrases):
    """A text in tokens, and what objects to a label."""

    def objection(self, i: int, value: Found, *, conditional: bool) -> Reason | None:
        """Why a label is not to be believed, by all that comes behind it."""
        where, begins, points = WordPlace.SAME, False, 0
        remark = _Remark(inline=True)
        while i < self.size:
            if self._breaks(i):
                asks = self.texts[i] in "?？" and (where != WordPlace.LATER or remark.is_brief())
                if asks or remark.is_unexplained():
                    return Reason.DOUBTFUL
                where, begins = WordPlace.LATER, True
                inline = remark.inline and self.kinds[i] not in ("line", "tag")
                remark = _Remark(inline=inline, field=self.texts[i] == ",")
                i += 1
                continue
            if self._is_point(i, points + 1):
                points, i = points + 1, i + 2
                continue
            if polite := self.phrase(words.POLITE, i):
                remark.explained = True
                i, begins = i + polite, False
                continue
            if self._doubts(i, where, begins=begins) or (
                conditional and where == WordPlace.SAME and self.phrase(words.CONDITIONS, i)
            ):
                return Reason.DOUBTFUL
            if self.rivals(i, value, same=where != WordPlace.LATER):
                return Reason.DIFFERENT
            if where == WordPlace.SAME and self.phrase(words.REASONS, i):
                where, remark.explained = WordPlace.REASON, True
            self._add(i, remark)
            begins = begins and (self.texts[i] in OPENERS or self.texts[i] in words.CONNECTIVES)
            i = self._behind(i)
        return Reason.DOUBTFUL if remark.is_unexplained() else None

    def doubt(self, i: int) -> Reason | None:
        """Whether the rest of a sentence doubts what it says."""
        while i < self.size and not self._breaks(i):
            if self._doubts(i, WordPlace.SAME, begins=False):
                return Reason.DOUBTFUL
            i += 1
        return None

    def trailing(self, i: int, value: Found) -> Reason:
        """Why a label is not read that does not end well: another one, or what follows."""
        if isinstance(value, Reason):
            return value
        while i < self.size and not self._breaks(i):
            if self.kinds[i] in ("number", "odd", "label") and self.rivals(i, value, same=True):
                return Reason.DIFFERENT
            i += 1
        return Reason.NOT_ALONE

    def other_range(self, end: int) -> Reason | None:
        """Whether another range than the scale's is named before a label."""
        if self.notation.range is None:
            return None
        for i in range(end):
            if self.texts[i] == "scale":
                near = range(max(i - 3, 0), min(i + _ABOUT_SCALE, self.size))
                stated = [found[0] for j in near if (found := self.range(j)) is not None]
                stated += [
                    StatedRange(None, Fraction(points[1]))
                    for j in near
                    if (points := _POINTS.fullmatch(self.texts[j])) is not None
                ]
                if not all(map(self.is_own, stated)):
                    return Reason.OTHER_TOP
            elif self.kinds[i] == "number":
                value = self.value(i)
                other = value is not None and value.found == Reason.OTHER_TOP
                if value is not None and other and self.ends_well(value.end):
                    return Reason.OTHER_TOP
        return None

    def rivals(self, i: int, value: Found, *, same: bool) -> bool:
        """Whether a token may be another label than the one that was stated."""
        kind = self.kinds[i]
        if self.notation.range is None:
            if kind == "label":
                return self.notation.take(self.texts[i]) != value and self._names(i, same=same)
            return kind == "begun" and same
        if kind == "number":
            return self._is_other_number(i, value)
        if kind == "odd":
            return not self._is_harmless_odd(i)
        return kind == "word" and self.is_number_word(i, value)

    def is_number_word(self, i: int, value: Found = Reason.NO_LABEL) -> bool:
        """Whether a word is a number that may be a label, and another one."""
        number = words.NUMBER_WORDS.get(self.texts[i])
        if number is None or number == value or self.counts_things(i + 1):
            return False
        before, after = self.texts[i - 1] if i else "", self.texts[i + 1]
        scored = after in words.UNITS or after == "out"
        if number == 1:
            stated = before in LINKS or before in ("a", "of")
            alone = (i == 0 or self._breaks(i - 1)) and self._breaks(i + 1)
            return scored or alone or (stated and after not in ("of", "-", "‐", "‑"))
        named = before in ("the", "these", "those", "all", "first", "last", "other")
        describes = self.kinds[i + 1] == "word" and after not in words.FORMS_OF_BE
        return scored or not (named and describes)

    def _add(self, i: int, remark: _Remark) -> None:
        """Count a word of a remark, and see whether it explains something."""
        if self.kinds[i] not in ("word", "label"):
            return
        if remark.length == 0:
            remark.explained |= self._describes(i)
        remark.length += 1
        text = self.texts[i]
        if (
            self.kinds[i] == "label"
            or text in words.EXPLAINING
            or text in words.I_EXPLAIN
            or words.NUMBER_WORDS.get(text, 1) != 1
            or (text == "it" and self.texts[i + 1] in ("is", "has", "does"))
        ):
            remark.explaining += 1
        elif text not in words.NEUTRAL:
            remark.unknown += 1

    def _describes(self, i: int) -> bool:
        """Whether a remark begins with what was judged: it lacks, the answer is, all claims are."""
        if self.texts[i] in words.PRONOUNS:
            return self.texts[i + 1].endswith("s") and self.texts[i + 1] != "was"
        if self.texts[i] not in words.DETERMINERS:
            return False
        i += 1 + (self.texts[i + 1] in words.EXPLAINING - words.JUDGED)
        return self.texts[i] in words.JUDGED and self.kinds[i + 1] == "word"

    def _breaks(self, i: int) -> bool:
        """Whether a sentence ends with a token, or a field of JSON."""
        if self.kinds[i] in ("line", "tag", "end") or self.texts[i] in SENTENCE_ENDS:
            return True
        return self.texts[i] == "," and self.texts[i + 1] in QUOTES

    def _is_point(self, i: int, expected: int) -> bool:
        """Whether the next point of a numbered list begins: 1. or 1)"""
        return (
            self.texts[i] == str(expected)
            and self.kinds[i - 1] == "line"
            and self.texts[i + 1] in (".", ")")
            and self.kinds[i + 2] not in ("line", "end", "number")
        )

    def _behind(self, i: int) -> int:
        """The token behind a value or, if there is none, behind a token."""
        value = self.value(i) if self.kinds[i] == "number" else None
        if value is None:
            return i + 1
        stated = self.range(i)
        return max(value.end, stated[1] if stated and self._is_about_scale(i) else 0)

    def _doubts(self, i: int, where: WordPlace, *, begins: bool) -> bool:
        """Whether a word doubts the label, or takes it back."""
        if self.kinds[i] not in ("word", "label"):
            return False
        text = self.texts[i]
        if text in ("not", "no", "wrong") and self.kinds[i + 1] != "word":
            return begins or (where == WordPlace.SAME and text != "wrong")
        if self._is_degree(i, where):
            return True
        if where == WordPlace.REASON:
            return self.phrase(words.REVISIONS, i) > 0
        if text == "i":
            return self.texts[i + 1] not in words.I_EXPLAIN
        if text in words.SELF or self._speaks_of_label(i):
            return True
        if where == WordPlace.SAME and self.phrase(words.DOUBTS, i):
            return True
        return self.phrase(words.REVISIONS, i) > 0 or (
            begins and self.phrase(words.REVISING, i) > 0
        )

    def _is_degree(self, i: int, where: WordPlace) -> bool:
        """Whether a remark says no more than how far the label is true: correct (mostly)."""
        length = self.phrase(words.DEGREES, i)
        if not length or not (self.texts[i + length] in _PARTING or self._breaks(i + length)):
            return False
        parted = self.texts[i - 1] in _PARTING or self.notation.range is None
        return self._breaks(i - 1) or (parted and where == WordPlace.SAME)

    def _speaks_of_label(self, i: int) -> bool:
        """Whether the label itself is spoken of again, and not only the reason for it."""
        if self.texts[i] == "that" and self._breaks(i + 1):
            return True  # forget that
        if self.texts[i] not in words.LABEL_NOUNS or self.texts[i + 1] in words.LABEL_REASONS:
            return False
        return words.NO_LABELS.isdisjoint(self.texts[max(i - 2, 0) : i])

    def _names(self, i: int, *, same: bool) -> bool:
        """Whether a word is meant as a label: it is fair; but neither a fair try nor not fair."""
        if i and self.texts[i - 1] in _NEGATIONS:
            return False
        follows = self.kinds[i + 1] == "word"
        if same:
            return not (follows and len(self.texts[i]) == 1)
        return not follows or self.texts[i + 1] in words.FORMS_OF_BE

    def _is_other_number(self, i: int, value: Found) -> bool:
        read = self.value(i)
        if read is None or read.found == value:
            return False
        number, behind = number_of(self.texts[i]), read.end
        top = self.notation.range.top if self.notation.range else number
        if self._is_named(i, is_top=number == top):
            return False
        if self.texts[behind] == "%":
            return not (self.texts[behind + 1] == "of" or self._is_share(number, value))
        if self.counts_things(behind) or self._is_about_scale(i):
            return False
        return not (len(self.texts[i]) == 4 and number > 999 and top < 1000)  # a year

    def _is_share(self, percent: Fraction, value: Found) -> bool:
        """Whether a percentage says the same: 4/5 (80%)."""
        top = self.notation.range.top if self.notation.range else None
        return not isinstance(value, Reason) and top is not None and value * 100 == percent * top

    def _is_named(self, i: int, *, is_top: bool) -> bool:
        """Whether the word before a number says that it is no score: step 3, confidence: 5."""
        j = i - 1
        while j > 0 and (self.texts[j] in OPENERS or self.texts[j] == "#"):
            j -= 1
        if self.texts[j] in words.NUMBERED:
            return True
        while j > 0 and (self.texts[j] in LINKS or self.texts[j] in {"is", "of"} | QUOTES):
            j -= 1
        if self.texts[j] in words.KEYS:
            return True
        return is_top and not words.LIMITS.isdisjoint(self.texts[max(j - 2, 0) : j + 1])

    def _is_about_scale(self, i: int) -> bool:
        """Whether the scale's own range begins here: the scale is 1 to 5."""
        stated = self.range(i)
        if stated is None or not self.is_own(stated[0]):
            return False
        return "scale" in self.texts[max(i - 5, 0) : stated[1] + 2]

    def _is_harmless_odd(self, i: int) -> bool:
        """An ordinal, a date, a time, a part of a name such as GPT-4, or the scale's range."""
        text = self.texts[i]
        if _ORDINAL.fullmatch(text) or _DATE_OR_TIME.fullmatch(text):
            return True
        named = i > 1 and self.texts[i - 1] == "-" and self.kinds[i - 2] == "word"
        return named or self._is_about_scale(i)
