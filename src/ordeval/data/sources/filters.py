"""A filter of rows, such as ``split = 'test' and grade in (1, 2)``: read, checked, evaluated.

The grammar is small: columns, literals, comparisons, ``in``, ``is null``, ``and``, ``or`` and
brackets. No function and no query can be written in it, and nothing of its text becomes a part of
another language: engines get the values as parameters.

Every reader gives the same answer. A value is compared by its text with a literal in quotes, and
by the number it writes with a literal that is a number. What is missing fulfils only ``is null``.
Moments of typed columns are text in UTC, such as 2020-01-31 12:30:00.5+00:00; a literal that is a
day and a time is put into the same form, and any other literal raises an error.
Text that is not a number is neither above nor below one: if the selection of a row depends on such
a comparison, an error is raised.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from ordeval._shared.numbers import NUMBER, has_decimal_comma, is_number
from ordeval._shared.text import named
from ordeval.data.positions import shortened
from ordeval.data.sources.numbers_as_text import decimal_hint
from ordeval.exceptions import LabelError, ParameterError

_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<quoted>"(?:[^"]|"")*")|"""
    rf"""(?P<number>{NUMBER}(?![\w.]))|"""
    r"""(?P<word>[^\W\d]\w*(?:\.\w+)*)|(?P<sign><=|>=|<>|!=|==|[=<>(),]))"""
)
# What may be the name of a column, as something is said of it, though it is not in quotes.
_NAME: Final = re.compile(r"""[^=<>!(),'"]*?(?=\s*[=<>!]|\s+(?:not\s+)?in\b|\s+is\b)""", re.I)
_MOMENT: Final = re.compile(
    r"(?:(?P<day>\d{4}-\d\d-\d\d)[ Tt])?(?P<time>\d\d:\d\d)(?P<seconds>:\d\d)?"
    r"(?P<fraction>(?<=:\d\d:\d\d)\.\d+)?(?: ?(?P<zone>[Zz]|[+-]\d\d(?::?\d\d)?))?"
)
_DAYS: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?|-?infinity")  # a month sorts as its days do
_LONGEST: Final = 10_000
_DEEPEST: Final = 50
_MOST: Final = 200  # comparisons; engines have limits of their own beyond
_DIGITS: Final = 15  # of a number that a float holds exactly
_SAME: Final = {"==": "=", "<>": "!="}
_COMPARE: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
EQUAL: Final = ("=", "!=")
ZONED: Final = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")  # types of DuckDB
_KEYWORDS: Final = ("and", "or", "in", "not", "is", "null", "like", "between", "true", "false")


@dataclass(frozen=True)
class Test:
    """One comparison of a column; ``values`` are literals, any of which may do."""

    column: str
    sign: str  # one of _COMPARE, or "null"
    values: tuple[str | float, ...] = ()
    negated: bool = False  # "not in", "is not null"

    @property
    def numeric(self) -> bool:
        """Whether it compares with a number."""
        return any(not isinstance(x, str) for x in self.values)

    def keeps(self, value: Any) -> bool | None:
        """Whether a value passes the test; None if undecided, as text beside a number."""
        text = text_of(value)
        if self.sign == "null":
            return (text is None) is not self.negated
        if text is None:
            return False
        found = {self._fulfils(text, x) for x in self.values}
        if True not in found and None in found:
            return None
        return (True in found) is not self.negated

    def _fulfils(self, text: str, literal: str | float) -> bool | None:
        if isinstance(literal, str):
            return _COMPARE[self.sign](text, literal)
        number = number_of(text)
        if number is None:
            if self.sign not in EQUAL or has_decimal_comma(text):
                return None
            return self.sign == "!="  # what is no number is not this number
        return _COMPARE[self.sign](number, literal)


@dataclass(frozen=True)
class Combined:
    """Parts that must all hold, or one of which must."""

    word: str  # "and" or "or"
    parts: tuple[Node, ...]


Node = Test | Combined | bool


@dataclass(frozen=True)
class Where:
    """A filter that was read."""

    text: str
    node: Node

    @property
    def columns(self) -> list[str]:
        """The columns that it looks at."""
        return list(dict.fromkeys(test.column for test in tests_of(self.node)))

    @property
    def numeric(self) -> bool:
        """Whether it compares any column with a number."""
        return any(test.numeric for test in tests_of(self.node))

    def keeps(self, value: Callable[[str], Any], place: str) -> bool:
        """Whether the row of these values is kept; raises an error if undecided."""
        if self.evaluated(lambda test: test.keeps(value(test.column)) is True):
            return True
        if self.numeric and self.evaluated(
            lambda test: test.keeps(value(test.column)) is not False
        ):
            raise self.refusal(value, place)
        return False

    def refusal(self, value: Callable[[str], Any], place: str = "a row") -> LabelError:
        """The message about a row for which the filter is undecided."""
        tests = tests_of(self.node)
        column = next(t.column for t in tests if t.keeps(value(t.column)) is None)
        return no_number(column, value(column), place)

    def evaluated(self, test: Callable[[Test], bool]) -> bool:
        """The filter with each test evaluated."""
        return _evaluated(self.node, test)

    def in_sql(self, test: Callable[[Test], str]) -> str:
        """The filter in SQL, with each test in SQL; null if undecided."""
        return _in_sql(self.node, test)

    def given(self, values: Mapping[str, Any]) -> Where:
        """Return the filter with the known values of some columns."""
        return Where(self.text, _given(self.node, values))


def text_of(value: Any) -> str | None:
    """A value as text; None if it is missing."""
    if value is None or value == "" or value != value:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def number_of(text: str) -> float | None:
    """The number that a text writes, or None."""
    return float(text) if is_number(text.strip(" ")) else None


def moment_of(literal: str, column: str, kind: str) -> str:
    """A literal as a column of dates, times or timestamps writes it; an error if it is none.

    ``kind`` is the type of the column in DuckDB. Days and months remain as they are.
    """
    found = _MOMENT.fullmatch(literal)
    zoned = kind in ZONED
    of_time = kind.startswith("TIME") and not kind.startswith("TIMESTAMP")
    if found is None:
        fits = _DAYS.fullmatch(literal) is not None and not of_time
    else:
        fits = of_time == (found["day"] is None) and (zoned or not found["zone"])
    if not fits:
        raise _no_moment(literal, column, of_time=of_time, zoned=zoned)
    if found is None:
        return literal
    time = found["time"] + (found["seconds"] or ":00")
    fraction = (found["fraction"] or "").rstrip("0").rstrip(".")
    if not found["day"]:
        return f"{time}{fraction}"
    zone = (found["zone"] or "Z").upper().replace("Z", "+0000").replace(":", "")
    try:
        moment = datetime.fromisoformat(f"{found['day']} {time}{zone}{'00' * (len(zone) == 3)}")
        in_utc = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise _no_moment(literal, column, of_time=of_time, zoned=zoned) from None
    return f"{in_utc:%Y-%m-%d %H:%M:%S}".rjust(19, "0") + fraction + "+00:00" * zoned


def _no_moment(literal: str, column: str, *, of_time: bool, zoned: bool) -> LabelError:
    """The error for text that is compared with dates, times or timestamps and is none."""
    usual = "'12:30:00'" if of_time else "'2020-01-31' or '2020-01-31 12:30:00'"
    held = "times" if of_time else "dates or timestamps"
    time_zone = "" if of_time or zoned else " without a time zone"
    return LabelError(
        f"{named('where')} compares {column!r}, which holds {held}{time_zone}, with "
        f"{shortened(literal)}. Write {usual}{time_zone}."
    )


def tests_of(node: Node) -> Iterator[Test]:
    """The tests of a filter, from left to right."""
    if isinstance(node, Combined):
        for part in node.parts:
            yield from tests_of(part)
    elif isinstance(node, Test):
        yield node


def _evaluated(node: Node, test: Callable[[Test], bool]) -> bool:
    if isinstance(node, Combined):
        of = all if node.word == "and" else any
        return of(_evaluated(part, test) for part in node.parts)
    return test(node) if isinstance(node, Test) else node


def _in_sql(node: Node, test: Callable[[Test], str]) -> str:
    if isinstance(node, Combined):
        return f"({f' {node.word} '.join(_in_sql(part, test) for part in node.parts)})"
    return test(node) if isinstance(node, Test) else str(node).lower()


def _given(node: Node, values: Mapping[str, Any]) -> Node:
    if isinstance(node, Combined):
        return Combined(node.word, tuple(_given(part, values) for part in node.parts))
    if isinstance(node, Test) and node.column in values:
        kept = node.keeps(values[node.column])
        if kept is None:
            raise no_number(node.column, values[node.column], "the name of a folder")
        return kept
    return node


def no_number(column: str, value: Any, place: str = "a row") -> LabelError:
    """The message about text that a filter compares with a number."""
    shown = shortened(value)
    called = column if re.fullmatch(r"[^\W\d]\w*", column) else f'"{column}"'
    hint = decimal_hint(value) or (f" To exclude such rows, write {called} != {shown} and ...")
    return LabelError(
        f"{named('where')} compares {column!r} with a number, but {place} has {shown}, which is "
        f"none.{hint}"
    )


def read_where(text: Any) -> Where:
    """The filter that a text says."""
    if not isinstance(text, str) or not text.strip() or len(text) > _LONGEST:
        raise _unreadable(text, "it must be a text of at most 10,000 characters")
    reader = _Reader(text)
    node = reader.either()
    if reader.kind is not None:
        raise _unreadable(text, f"{reader.shown} follows where it should end")
    if sum(1 for _ in tests_of(node)) > _MOST:
        raise _unreadable(text, f"there are more than {_MOST} comparisons")
    return Where(text, node)


class _Reader:
    """Reads a filter from left to right, one word ahead."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.start = 0  # of the word
        self.kind: str | None = None
        self.word = ""
        self.next()

    @property
    def shown(self) -> str:
        return "its end" if self.kind is None else shortened(self.word)

    def next(self) -> None:
        """Go one word on."""
        if not self.text[self.at :].strip():
            self.kind, self.word = None, ""
            return
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            why = f"{shortened(self.text[self.at :].strip())} is not known"
            start = self.start if self.kind == "word" else self.at
            raise _unreadable(self.text, why, _unquoted(self.text, start))
        self.at = found.end()
        self.kind, self.word = found.lastgroup, found[str(found.lastgroup)]
        self.start = self.at - len(self.word)
        if self.kind == "word" and self.word.lower() in _KEYWORDS:
            self.kind, self.word = "keyword", self.word.lower()

    def take(self, word: str) -> bool:
        """Whether the next is this sign or keyword, which is then read."""
        if self.kind in ("keyword", "sign") and self.word == word:
            self.next()
            return True
        return False

    def need(self, word: str) -> None:
        """Read this sign or keyword, or refuse."""
        if not self.take(word):
            raise _unreadable(self.text, f"{word!r} is expected where {self.shown} stands")

    def either(self) -> Node:
        parts = [self.both()]
        while self.take("or"):
            parts.append(self.both())
        return parts[0] if len(parts) == 1 else Combined("or", tuple(parts))

    def both(self) -> Node:
        parts = [self.part()]
        while self.take("and"):
            parts.append(self.part())
        return parts[0] if len(parts) == 1 else Combined("and", tuple(parts))

    def part(self) -> Node:
        if not self.take("("):
            return self.test()
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _unreadable(self.text, f"brackets are more than {_DEEPEST} deep")
        node = self.either()
        self.need(")")
        self.depth -= 1
        return node

    def test(self) -> Node:
        if self.kind not in ("word", "quoted"):
            raise _unreadable(self.text, f"a column is expected where {self.shown} stands")
        column = self.word if self.kind == "word" else self.word[1:-1].replace('""', '"')
        start = self.start
        self.next()
        if self.take("is"):
            negated = self.take("not")
            self.need("null")
            return Test(column, "null", negated=negated)
        negated = self.take("not")
        if negated or (self.kind, self.word) == ("keyword", "in"):
            self.need("in")
            self.need("(")
            values = [self.literal()]
            while self.take(","):
                values.append(self.literal())
            self.need(")")
            return Test(column, "=", tuple(values), negated)
        sign = _SAME.get(self.word, self.word)
        if self.kind != "sign" or sign not in _COMPARE:
            raise _unreadable(
                self.text,
                f"after {shortened(column)} comes = != < <= > >= in or is, not {self.shown}",
                _unquoted(self.text, start),
            )
        self.next()
        value = self.literal()
        if sign not in ("=", "!=") and isinstance(value, str) and number_of(value) is not None:
            raise _unreadable(
                self.text,
                f"{shortened(value)} is text, which does not order as numbers do; write "
                f"the number without quotes",
            )
        return Test(column, sign, (value,))

    def literal(self) -> str | float:
        kind, word = self.kind, self.word
        if kind not in ("text", "number"):
            raise _unreadable(
                self.text,
                f"a number or a text in single quotes is expected where {self.shown} stands",
            )
        self.next()
        if kind == "text":
            if word == "''":
                raise _unreadable(self.text, "empty text is missing: write is null")
            return word[1:-1].replace("''", "'")
        digits = re.sub(r"[eE].*|\D", "", word).lstrip("0")
        if len(digits) > _DIGITS or not math.isfinite(float(word)):
            raise _unreadable(
                self.text,
                f"{shortened(word)} has more digits than numbers are compared by; put it in "
                f"single quotes",
            )
        return float(word)


def _unquoted(text: str, start: int) -> str:
    """That a name with signs or spaces needs quotes, if one seems to start here."""
    found = _NAME.match(text, start)
    name = "" if found is None else found[0].strip()
    if not name or re.search(r"\b(and|or)\b", name, re.I):
        return ""
    in_shell = f', within double quotes of a shell \\"{name}\\"'
    how = f'"{name}"{in_shell if named("where").startswith("--") else ""}'
    return f" If it is a column, put its name in double quotes: {how}."


def _unreadable(text: Any, why: str, hint: str = "") -> ParameterError:
    return ParameterError(
        f"{named('where')} could not be read: {why}.{hint} It takes comparisons such as "
        f"split = 'test', grade >= 3, site in ('a', 'b') or score is not null, joined by and, or "
        f"and brackets; got {shortened(text)}."
    )
