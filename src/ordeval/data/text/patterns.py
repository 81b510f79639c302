"""Where the label of an answer is looked for: the named patterns, and those of the user's own.

A pattern gives all values that it finds in a text. One value, or the same one again, is read;
values that differ are not, nor is a value that does not stand alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import is_among
from ordeval._shared.text import did_you_mean, named, nearest
from ordeval.data.columns import is_missing
from ordeval.data.scale import Scale
from ordeval.data.text import answer_words as words
from ordeval.data.text.answer_tokens import without_thoughts
from ordeval.data.text.level_notation import (
    AnswerReading,
    Found,
    Notation,
    ReadAnswer,
    Reason,
    notation_of,
)
from ordeval.data.text.phrases import CLOSERS, DASHES, OPENERS, SLASHES, SaidValue
from ordeval.data.text.refusals import refuses
from ordeval.data.text.verdicts import Verdicts
from ordeval.exceptions import LabelError, ParameterError

Look = Callable[[str], list[Found]]  # all values that a text holds

_KINDS: Final = '"whole", "score", "fraction", "last", "json:KEY" or a regular expression'
_NO_NUMBERS: Final[Any] = (bool, np.timedelta64)  # numbers to Python, not to readers
_AROUND: Final = 80  # characters around a label that is a whole answer: quotes, emphasis
_NEAR: Final = 12  # tokens between two numbers that are joined: 3 or 4
_JOINING_MARKS: Final = DASHES | SLASHES | OPENERS | CLOSERS | frozenset("~&|,;×→±<>\\+")
# A number before one of these is no score: 80%, 1 = poor, 4 ± 1.
_NO_SCORE: Final = frozenset("=%‰±?~°^") | SLASHES


class AnswerReader:
    """Reads one answer after the other; a text that comes again is not read again."""

    def __init__(
        self, scale: Scale, patterns: Sequence[Any], reading: AnswerReading, refusal: Any = None
    ) -> None:
        self._notation = notation_of(scale, reading)
        keys = [_key_of(pattern) for pattern in patterns]
        self._keyed = any(key is not None for key in keys)
        self._looks = [
            _look_of(pattern, key, self._notation)
            for pattern, key in zip(patterns, keys, strict=True)
        ]
        self._refusal = None if refusal is None else _refusal_of(refusal)
        self._known: dict[str, ReadAnswer] = {}

    def read(self, answer: Any, place: int) -> ReadAnswer:
        """Read an answer; ``place`` is its position, for messages."""
        if isinstance(answer, str):
            if answer not in self._known:
                self._known[answer] = self._read_text(answer)
            return self._known[answer]
        if is_missing(answer):
            return ReadAnswer(-1, Reason.NO_ANSWER)
        if isinstance(answer, (Real, Decimal)) and not isinstance(answer, _NO_NUMBERS):
            return self._decide([self._notation.number(answer)])
        if isinstance(answer, Mapping) and self._keyed:
            return self._read_text(json.dumps(dict(answer), default=str, skipkeys=True))
        hint = ' A dictionary is read by "json:KEY".' if isinstance(answer, Mapping) else ""
        raise LabelError(
            f"answers must be texts, numbers or missing; got {answer!r} of type "
            f"{type(answer).__name__} at position {place}.{hint}"
        )

    def _read_text(self, text: str) -> ReadAnswer:
        if not text.strip():
            return ReadAnswer(-1, Reason.NO_ANSWER)
        for look in self._looks:
            found = look(text)
            if found:
                return self._decide(found)
        return ReadAnswer(-1, self._why(text))

    def _why(self, text: str) -> Reason:
        """Why a text was not read in which the pattern finds nothing."""
        if self._refusal is not None and self._refusal.search(text):
            return Reason.REFUSAL
        said = Verdicts(self._notation, text)
        if not {"number", "odd", "label", "begun"}.isdisjoint(said.kinds):
            return Reason.ELSEWHERE
        if self._notation.range is not None and any(map(said.is_number_word, range(said.size))):
            return Reason.IN_WORDS
        usual = self._refusal is None and refuses(text)
        return Reason.REFUSAL if usual else Reason.NO_LABEL

    def _decide(self, found: list[Found]) -> ReadAnswer:
        """The level of what was found, if all of it can be read and says the same."""
        values = set()
        for x in found:
            if isinstance(x, Reason):
                return ReadAnswer(-1, x)
            values.add(x)
        if len(values) > 1:
            return ReadAnswer(-1, Reason.DIFFERENT)
        return self._notation.place(values.pop())


def _refusal_of(refusal: Any) -> re.Pattern[str]:
    """What the user declares to be a refusal."""
    try:
        regex = re.compile(refusal)
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        raise ParameterError(
            f"{named('refusal')} must be a regular expression; {refusal!r} is none: {error}."
        ) from None
    if not isinstance(regex.pattern, str) or regex.match(""):
        raise ParameterError(
            f"{named('refusal')} must be a regular expression of text that does not match "
            f"everything; got {refusal!r}."
        )
    return regex


def _key_of(pattern: Any) -> str | None:
    """The key of "json:KEY"."""
    if not isinstance(pattern, str) or not pattern.startswith("json:"):
        return None
    if pattern == "json:":
        raise ParameterError(f'{named("pattern")} "json:" needs a key, such as "json:score".')
    return pattern.removeprefix("json:")


def _look_of(pattern: Any, key: str | None, notation: Notation) -> Look:
    if key is not None:
        return partial(_json, notation, key)
    if is_among(pattern, ("whole", "score")):
        return partial(_whole if pattern == "whole" else _score, notation)
    if is_among(pattern, ("fraction", "last")):
        if notation.range is None:
            raise ParameterError(
                f'{named("pattern")} "{pattern}" reads numbers, and these labels are words; '
                f'choose "whole", "score" or "json:KEY".'
            )
        return partial(_fraction if pattern == "fraction" else _last, notation)
    return partial(_own, notation, _compiled(pattern))


def _compiled(pattern: Any) -> re.Pattern[str]:
    """A regular expression of the user's own, which has one group."""
    try:
        regex = re.compile(pattern)
    except (re.error, TypeError, RecursionError, OverflowError) as error:
        raise ParameterError(
            f"{named('pattern')} must be {_KINDS}; {pattern!r} is none: {error}."
        ) from None
    if not isinstance(regex.pattern, str):
        raise ParameterError(f"{named('pattern')} must be {_KINDS} of text; got {pattern!r}.")
    if regex.groups != 1:
        names = ("whole", "score", "fraction", "last", "json:")
        near = did_you_mean([f'"{n}"' for n in nearest(regex.pattern, names)])
        raise ParameterError(
            f"{named('pattern')} must be {_KINDS} with one group, which holds the label; "
            f"{regex.pattern!r} has {regex.groups or 'none'}.{near}"
        )
    return regex


def _whole(notation: Notation, text: str) -> list[Found]:
    """The text, if it is only a label."""
    text = without_thoughts(text).strip()
    if text in notation.exact:
        return [notation.exact[text]]
    if len(text) > notation.longest + _AROUND:
        return []
    return _alone(Verdicts(notation, text))


def _alone(said: Verdicts) -> list[Found]:
    """The value of a text that consists of it alone."""
    value = said.value(said.opened(0, lines=True))
    if value is None:
        return []
    end = said.ends_line(value.end)
    while end is not None and said.kinds[end] == "line":
        end = said.closed(end + 1)
    return [value.found] if end == said.size else []


def _score(notation: Notation, text: str) -> list[Found]:
    """The whole text, or else what it states."""
    text = without_thoughts(text).strip()
    if text in notation.exact:
        return [notation.exact[text]]
    said = Verdicts(notation, text)
    return _alone(said) or said.found()


def _fraction(notation: Notation, text: str) -> list[Found]:
    """Find every label with a maximum, such as 4/5 and 4 out of 5."""
    said = Verdicts(notation, without_thoughts(text))
    found: list[Found] = []
    end = 0
    for i in range(said.size):
        value = said.value(i) if i >= end else None
        if value is not None and value.out_of:
            found.append(_checked(said, i, value))
            end = value.end
    return found


def _last(notation: Notation, text: str) -> list[Found]:
    """The last number; one that does not stand alone is not passed over for an earlier one."""
    said = Verdicts(notation, without_thoughts(text))
    last = None
    end = 0
    for i in range(said.size):
        if said.kinds[i] in ("number", "odd") and i >= end:
            last, value = i, said.value(i)
            end = value.end if value is not None and value.out_of else i + 1
    if last is None:
        return []
    value = said.value(last)
    if value is None:
        return [Reason.NOT_ALONE]
    if any(map(said.is_number_word, range(end, said.size))):  # 2 errors, so I give it a four
        return [Reason.IN_WORDS]
    return [_checked(said, last, value)]


def _checked(said: Verdicts, i: int, value: SaidValue) -> Found:
    """The value, if no other number is joined to it, as in 4 or 5 and 3 - 4, and no doubt."""
    if said.texts[said.closed(value.end)] in _NO_SCORE:
        return Reason.NOT_ALONE
    if _joined(said, i, -1) or _joined(said, value.end - 1, 1):
        return Reason.NOT_ALONE
    return said.doubt(value.end) or value.found


def _joined(said: Verdicts, i: int, step: int) -> bool:
    """Whether a number is joined to the token, before it or after it."""
    joining = words.JOINING if step < 0 else words.CHANGING
    for j in range(i + step, i + step * _NEAR, step):
        if not 0 <= j < said.size:
            return False
        if said.kinds[j] in ("number", "odd") or said.texts[j] == "half" or said.is_number_word(j):
            return True
        if said.texts[j] not in joining and said.texts[j] not in _JOINING_MARKS:
            return False
    return False


def _own(notation: Notation, regex: re.Pattern[str], text: str) -> list[Found]:
    """What the group of a regular expression holds, each time that it matches."""
    groups = [m[1] for m in regex.finditer(text) if m[1] and m[1].strip()]
    return [x for g in groups for x in _whole(notation, g) or [Reason.ELSEWHERE]]


class _Object(list[tuple[str, Any]]):
    """A JSON object as pairs: a dictionary would keep the last of two equal keys in silence."""


def _json(notation: Notation, key: str, text: str) -> list[Found]:
    """What every JSON object in the text has under a key."""
    text = without_thoughts(text)
    decoder = json.JSONDecoder(
        object_pairs_hook=_Object,
        parse_float=Decimal,
        parse_int=Decimal,
        parse_constant=lambda _: None,  # NaN is no more than null
    )
    found: list[Found] = []
    start = text.find("{")
    try:
        while start >= 0:
            try:
                value, end = decoder.raw_decode(text, start)
            except ValueError:
                end = start + 1
            else:
                found += [_json_value(notation, x) for x in _under(key, value) if x is not None]
            start = text.find("{", end)
    except RecursionError:
        return [Reason.ELSEWHERE]
    return found


def _under(key: str, value: Any) -> Iterator[Any]:
    """What the outermost objects that have a key have under it."""
    if isinstance(value, _Object):
        here = [x for k, x in value if k == key]
        yield from here
        if not here:
            yield from (x for _, inner in value for x in _under(key, inner))
    elif isinstance(value, list):
        yield from (x for inner in value for x in _under(key, inner))


def _json_value(notation: Notation, value: Any) -> Found:
    if isinstance(value, Decimal):
        return notation.number(value)
    found = _whole(notation, value) if isinstance(value, str) else []
    return found[0] if found else Reason.ELSEWHERE
