"""Numbers and words in one style: formats, directions, lists, near misses, names of arguments."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

BETTER: Final = {True: "higher", False: "lower", None: "closer to 0"}  # by Metric.greater_is_better
ARROW: Final = {True: "↑", False: "↓", None: "→"}
_NONE: Final = "—"
_SINGULAR: Final = {
    "agree": "agrees",
    "are": "is",
    "differ": "differs",
    "do": "does",
    "have": "has",
    "pass": "passes",
    "were": "was",
}
_BREAK: Final = re.compile("[\t-\r\x85\u2028\u2029]+")


def number(value: float, digits: int = 3) -> str:
    """A value in a table; a dash for one that does not exist."""
    # Adding zero turns the -0.0 of a rounded tiny number into 0.0.
    # NumPy rounds its own floats otherwise than Python prints them.
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return _NONE if math.isnan(value) else f"{round(float(value), digits) + 0.0:.{digits}f}"


def signed(value: float, digits: int = 3) -> str:
    """A difference, with its sign."""
    if math.isinf(value):
        return "+∞" if value > 0 else "-∞"
    return _NONE if math.isnan(value) else f"{round(float(value), digits) + 0.0:+.{digits}f}"


def deciding(value: float, limit: float) -> int:
    """The digits that show on which side of a limit a value lies: three, or up to six.

    >>> deciding(-0.0312, -0.03), deciding(-0.0298, -0.03), deciding(-0.03, -0.03)
    (3, 4, 3)
    """
    return next((d for d in range(3, 7) if round(value, d) != round(limit, d)), 3)


def bracketed(low: float, high: float, show: Callable[[float], str] = number) -> str:
    """The two ends of an interval; empty if there is none."""
    return "" if math.isnan(low) else f"[{show(low)}, {show(high)}]"


def with_ends(value: float, low: float, high: float, show: Callable[[float], str] = number) -> str:
    """A value, and its interval if there is one.

    >>> with_ends(0.75913, 0.743, 0.775), with_ends(0.75913, math.nan, math.nan)
    ('0.759 [0.743, 0.775]', '0.759')
    """
    return f"{show(value)} {bracketed(low, high, show)}".rstrip()


def p_value(value: float) -> str:
    """A p-value in a table; none is shown as zero or rounded to one.

    >>> p_value(0.0123), p_value(1e-9), p_value(0.99999)
    ('0.0123', '<0.0001', '>0.9999')
    """
    if math.isnan(value):
        return _NONE
    if value < 0.0001:
        return "<0.0001"
    return ">0.9999" if value >= 0.99995 else f"{value:.4f}"


def at_most(p: float, *, exact: bool) -> str:
    """A p-value in a sentence, or the largest of several: "p = 0.0123", "p <= 0.0123"."""
    shown = p_value(p)
    if shown.startswith("<") or (exact and shown.startswith(">")):
        return f"p {shown[0]} {shown[1:]}"
    return f"p = {shown}" if exact else f"p <= {shown.replace('>0.9999', '1')}"


def share(value: float) -> str:
    """A share of draws; near certainty is not shown as certainty."""
    if math.isnan(value):
        return _NONE
    if 0 < value < 0.005:
        return "<0.01"
    return ">0.99" if 0.995 <= value < 1 else f"{value:.2f}"


def amount(value: Any) -> str:
    """A number of items, or a sum of weights."""
    return f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"


def plural(n: int, noun: str) -> str:
    """ "1 item", "2 items"."""
    return f"{n:,} {noun if n == 1 else many(noun)}"


def capital(text: str) -> str:
    """Return a text with a capital at its start."""
    return text[:1].upper() + text[1:]


def many(noun: str) -> str:
    """Return a noun in the plural.

    >>> many("class"), many("study"), many("day"), many("grade")
    ('classes', 'studies', 'days', 'grades')
    """
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in set("aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def agreeing(n: int, words: str) -> str:
    """Words that begin with a verb, in the form that fits a number of subjects.

    >>> agreeing(1, "are left out"), agreeing(2, "are left out"), agreeing(1, "cannot be compared")
    ('is left out', 'are left out', 'cannot be compared')
    """
    verb, space, rest = words.partition(" ")
    return f"{_SINGULAR.get(verb, verb) if n == 1 else verb}{space}{rest}"


def joined(names: Sequence[str], last: str = "and", most: int = 6) -> str:
    """Names in a sentence: a, b and c; of many the first few, and how many others."""
    if len(names) > most:
        return f"{', '.join(names[: most - 1])} {last} {len(names) - most + 1} others"
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def who_ruled_out(models: Mapping[str, int], items: int) -> str:
    """The models that ruled out what happened, and how often.

    >>> who_ruled_out({"a": 1}, 40)
    'a gave probability 0 to the true class of 1 of 40 items'
    >>> who_ruled_out({"a": 1, "b": 2}, 40)
    'a (1 of 40 items) and b (2) gave probability 0 to the true class'
    """
    of = f" of {plural(items, 'item')}"
    if len(models) == 1:
        ((name, n),) = models.items()
        return f"{name} gave probability 0 to the true class of {n:,}{of}"
    said = [f"{name} ({n:,}{'' if i else of})" for i, (name, n) in enumerate(models.items())]
    return f"{joined(said)} gave probability 0 to the true class"


ALL: Final = "(all)"  # the row of all items, below those of subgroups


def name_of(key: Any) -> str:
    """A subgroup in a table: the values of its columns."""
    return " / ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def as_printed(key: tuple[Any, ...]) -> list[tuple[str, str]]:
    """What to sort names of any kinds by: how they print, and 1 apart from "1"."""
    return [(str(value), type(value).__name__) for value in key]


def visible(text: Any) -> str:
    """Text on one line, with every character that is not seen written out.

    Control characters, line breaks, marks of direction and characters without a width would move
    the cursor, turn numbers round or hide in a name. Spaces of all kinds stay.

    >>> print(visible("a\\x1b[31m\\n\\u202eb"))
    a\\x1b[31m\\n\\u202eb
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    from unicodedata import category

    return "".join(
        c if c.isprintable() or category(c) == "Zs" else c.encode("unicode_escape").decode()
        for c in shown
    )


def on_a_line(text: Any) -> str:
    """Text in a document, where tabs and line breaks are spaces; else what is not seen is shown.

    >>> on_a_line("score\\n(of 2024)\\x07")
    'score (of 2024)\\\\x07'
    """
    return visible(_BREAK.sub(" ", str(text)))


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names like this one: those that begin with it, then those spelt alike."""
    from difflib import get_close_matches  # slow to load, and seldom needed

    names = list(known)
    begin = [n for n in names if name and n.startswith(name)]
    return list(dict.fromkeys([*begin, *get_close_matches(name, names, n=3, cutoff=0.5)]))[:3]


def did_you_mean(names: Sequence[str]) -> str:
    """The question that offers near misses, with a space before it; nothing if there are none."""
    return f" Did you mean {joined(list(names), 'or')}?" if names else ""


def _in_python(name: str, value: Any) -> str:
    if name.endswith("()") and value is not None:
        return f'{name[1:-2]}("{value}")'
    if name.endswith("()"):
        return name[1:] if name.startswith(".") else f"oe.{name}"
    if value is None:
        return f"{name}="
    if isinstance(value, range):
        return f"{name}=oe.Scale.range({value[0]}, {value[-1]})"
    return f'{name}="{value}"' if isinstance(value, str) else f"{name}={value!r}"


_WORDING: ContextVar[Callable[[str, Any], str]] = ContextVar("wording", default=_in_python)


def argument(name: str, value: Any = None) -> str:
    """How the user writes an argument, with its value if one is advised.

    Messages name arguments through this function, so that they read ``labels=`` in Python and
    ``--labels`` in the command. Functions are named with brackets, methods with a dot as well.

    >>> argument("missing", "drop")
    'missing="drop"'
    >>> argument("metrics()")
    'oe.metrics()'
    """
    return _WORDING.get()(name, value)


def named(name: str) -> str:
    """An argument that a sentence is about: ``level``, or ``--level`` in the command."""
    return argument(name).removesuffix("=")


@contextmanager
def wording(show: Callable[[str, Any], str]) -> Iterator[None]:
    """Name arguments as ``show`` does, in every message made meanwhile."""
    token = _WORDING.set(show)
    try:
        yield
    finally:
        _WORDING.reset(token)
