"""Where the label of an answer is looked for: the named patterns, and those of the user's own.

A pattern gives all values that it finds in a text. One value, or the same one again, is read;
values that differ are not, nor is a value that does not stand alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import partial
from numbers import Real
from typing import Any, Final

from ordeval._shared.text import did_you_mean, named, nearest
from ordeval.data.columns import is_missing
from ordeval.data.scale import Scale
from ordeval.data.text.level_notation import (
    BEFORE,
    DIGIT,
    IN_WORDS,
    Found,
    Half,
    Notation,
    Numbers,
    ReadAnswer,
    Reason,
    notation_of,
    plain,
)
from ordeval.data.text.refusals import refuses
from ordeval.exceptions import LabelError, ParameterError

Look = Callable[[str], list[Found]]  # all values that a text holds

_KINDS: Final = '"whole", "score", "fraction", "last", "json:KEY" or a regular expression'
# Score: 4, **Rating** (1-5): [[4]], "grade": "B", final_answer = 4
_WORDS: Final = ("score", "rating", "grade", "answer")
_HEAD: Final = (
    # That no letter comes before is looked up behind the word: the search is twice as quick.
    f"(?:{'|'.join(_WORDS)})"
    + "".join(rf"(?<![^\W_]{word})" for word in _WORDS)
    + r"[^\S\n]*+[\"'”’)\]}]*+[^\S\n]*+(?:[(\[](?P<remark>[^()\[\]\n]{0,60})[)\]][^\S\n]*+)?"
    r"[:=：]{1,2}(?P<gap>[\s\"'“”„«‘’(\[{]*+)"
)
_HEADS: Final = {True: re.compile(_HEAD), False: re.compile(_HEAD, re.IGNORECASE)}  # by folding
_LINE_ENDS: Final = re.compile(r"[^\S\n]*+[\"'“”»‘’)\]}]*+\.?+[^\S\n]*+(?:\n|\Z)")
_BOOLS: Final[Any] = bool  # numbers to Python, not to readers
_AROUND: Final = 80  # characters around a label that is a whole answer: quotes, emphasis
_NEAR: Final = 40  # characters before a number in which another one may be joined to it


class AnswerReader:
    """Reads one answer after the other; a text that comes again is not read again."""

    def __init__(self, scale: Scale, pattern: Any, half: Half, refusal: Any = None) -> None:
        self._notation = notation_of(scale, half)
        self._key = _key_of(pattern)
        self._look = _look_of(pattern, self._key, self._notation)
        self._refusal = None if refusal is None else _refusal_of(refusal)
        self._known: dict[str, ReadAnswer] = {}

    def read(self, answer: Any, place: int) -> ReadAnswer:
        """What an answer says; ``place`` is where it stands, for messages."""
        if isinstance(answer, str):
            if answer not in self._known:
                self._known[answer] = self._read_text(answer)
            return self._known[answer]
        if is_missing(answer):
            return ReadAnswer(-1, Reason.NO_ANSWER)
        if isinstance(answer, (Real, Decimal)) and not isinstance(answer, _BOOLS):
            return self._decide([self._notation.number(answer)])
        if isinstance(answer, Mapping) and self._key is not None:
            return self._read_text(json.dumps(dict(answer), default=str, skipkeys=True))
        hint = ' A dictionary is read by "json:KEY".' if isinstance(answer, Mapping) else ""
        raise LabelError(
            f"answers must be texts, numbers or missing; got {answer!r} of type "
            f"{type(answer).__name__} at position {place}.{hint}"
        )

    def _read_text(self, text: str) -> ReadAnswer:
        if not text.strip():
            return ReadAnswer(-1, Reason.NO_ANSWER)
        found = self._look(text)
        if found:
            return self._decide(found)
        return ReadAnswer(-1, self._why(text))

    def _why(self, text: str) -> Reason:
        """Why a text was not read in which the pattern finds nothing."""
        if self._refusal is not None and self._refusal.search(text):
            return Reason.REFUSAL
        said = plain(text, folds=self._notation.folds)
        if self._notation.anywhere.search(said):
            return Reason.ELSEWHERE
        if self._notation.spelled.search(said):
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
    if pattern in ("whole", "score"):
        return partial(_whole if pattern == "whole" else _score, notation)
    if pattern in ("fraction", "last"):
        if not isinstance(notation, Numbers):
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
    """The text, if it is a label and nothing else."""
    text = text.strip()
    if text in notation.exact:
        return [notation.exact[text]]
    if len(text) > notation.longest + _AROUND:
        return []
    match = notation.whole.match(plain(text, folds=notation.folds))
    return [notation.take(match)] if match else []


def _score(notation: Notation, text: str) -> list[Found]:
    """The whole text, or else what stands after each "score:" and its like."""
    found = _whole(notation, text)
    if found:
        return found
    text = plain(text, folds=notation.folds)
    for head in _HEADS[notation.folds].finditer(text):
        found += _after(notation, text, head)
    return found


def _after(notation: Notation, text: str, head: re.Match[str]) -> list[Found]:
    match = notation.value.match(text, head.end())
    if match is None:
        return [Reason.NOT_ALONE] if notation.begins.match(text, head.end()) else []
    # On the next line may stand the first point of a list: 1. The style ...
    if "\n" in head["gap"] and not _LINE_ENDS.match(text, match.end()):
        return [Reason.NOT_ALONE]
    if notation.rival.match(text, match.end()):
        return [Reason.DIFFERENT]
    if not notation.spans(head["remark"] or ""):
        return [Reason.OTHER_TOP]
    return [notation.take(match)]


def _fraction(notation: Numbers, text: str) -> list[Found]:
    """Every 4/5 and 4 out of 5."""
    text = plain(text, folds=True)
    if "/" not in text and "out" not in text:
        return []
    return [
        notation.take(m) if _stands_alone(notation, text, m) else Reason.NOT_ALONE
        for m in notation.alone(text)
        if m["top"] is not None
    ]


def _last(notation: Numbers, text: str) -> list[Found]:
    """The last number; one that does not stand alone is not passed over for an earlier one."""
    text = plain(text, folds=True)
    digit = DIGIT.search(text[::-1])
    if digit is None:
        return []
    end = len(text) - digit.start()
    *_, last = (None, *notation.alone(text, max(end - _NEAR, 0)))
    if last is None or last.end() < end:
        return [Reason.NOT_ALONE]
    if IN_WORDS.search(text, end):  # 2 errors, so I give it a four
        return [Reason.IN_WORDS]
    return [notation.take(last) if _stands_alone(notation, text, last) else Reason.NOT_ALONE]


def _stands_alone(notation: Numbers, text: str, match: re.Match[str]) -> bool:
    """Whether no other number is joined to this one, as in 4 or 5 and 3 - 4."""
    before = text[max(match.start() - _NEAR, 0) : match.start()]
    return not BEFORE.search(before) and not notation.rival.match(text, match.end())


def _own(notation: Notation, regex: re.Pattern[str], text: str) -> list[Found]:
    """What the group of a regular expression holds, each time that it matches."""
    groups = [m[1] for m in regex.finditer(text) if m[1] and m[1].strip()]
    return [x for g in groups for x in _whole(notation, g) or [Reason.ELSEWHERE]]


class _Object(list[tuple[str, Any]]):
    """A JSON object as pairs: a dictionary would keep the last of two equal keys in silence."""


def _json(notation: Notation, key: str, text: str) -> list[Found]:
    """What every JSON object in the text has under a key."""
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
