"""Numbers and names as the templates write them."""

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.text import amount, number, on_a_line, p_value, signed

_MINUS: Final = "\N{MINUS SIGN}"
_SHORTEST: Final = 3  # shorter names may be words of the sentence
# After these a long name may be divided.
_BREAK: Final = re.compile(r"([_/.\-])(?=\w)")


def plain(value: float, digits: int = 3) -> str:
    """Return a value with a true minus sign; a dash if there is none.

    >>> plain(-0.0791), plain(0.5, 1), plain(math.nan)
    ('−0.079', '0.5', '—')
    """
    return number(value, digits).replace("-", _MINUS)


def difference(value: float) -> str:
    """Return a difference with its sign.

    >>> difference(0.25), difference(-0.25)
    ('+0.250', '−0.250')
    """
    return signed(value).replace("-", _MINUS)


def ends(low: float, high: float, *, sign: bool = False) -> str:
    """Return the ends of an interval: a dash between them, or "to" next to a sign.

    >>> ends(0.743, 0.775), ends(-0.003, 0.004), ends(0.062, 0.095, sign=True)
    ('0.743–0.775', '−0.003 to 0.004', '+0.062 to +0.095')
    """
    if math.isnan(low) or math.isnan(high):
        return ""
    show = difference if sign else plain
    a, b = show(low), show(high)
    return f"{a} to {b}" if sign or _MINUS in a + b else f"{a}–{b}"


def true_minus(text: str) -> str:
    """Return the text of a cell with a minus sign instead of a hyphen before numbers.

    >>> true_minus("[-0.079, -0.062]"), true_minus("gpt-4o"), true_minus("2-4")
    ('[−0.079, −0.062]', 'gpt-4o', '2-4')
    """
    return re.sub(r"(?<![\w.-])-(?=\d)", _MINUS, text)


def p(value: float) -> str:
    """Return a p-value, with a space after the sign."""
    return re.sub(r"^([<>])", r"\1 ", p_value(value))


def percentage(share: float) -> str:
    """Return a share as a percentage; near certainty is not shown as certainty.

    >>> percentage(0.824), percentage(0.998), percentage(0.001), percentage(math.nan)
    ('82%', '>99%', '<1%', '—')
    """
    if math.isnan(share):
        return "—"
    if 0.995 <= share < 1 - 1e-12:
        return ">99%"
    return "<1%" if 1e-12 < share < 0.005 else f"{share:.0%}"


def few_digits(value: Any) -> str:
    """Return a count, or a sum of weights with up to four digits."""
    return f"{value:.4g}" if isinstance(value, float) else amount(value)


def breakable(text: str) -> Any:
    """Return a name as HTML that may be divided after its underscores."""
    markup = import_extra("markupsafe", extra="report", purpose="an HTML page")
    parts = _BREAK.split(on_a_line(text))
    made = "".join(
        f"{markup.escape(x)}<wbr>" if i % 2 else str(markup.escape(x)) for i, x in enumerate(parts)
    )
    return markup.Markup(made)


def isolated(text: str, names: Iterable[str]) -> Any:
    """Return a sentence as HTML in which names in any script leave the rest in its order."""
    return _marked(text, names, "<bdi>", "</bdi>")


def with_names(text: str, names: Iterable[str]) -> Any:
    """Return a sentence as HTML in which the names of models are strong."""
    long = [x for x in names if len(x) >= _SHORTEST]
    return _marked(text, long, "<strong><bdi>", "</bdi></strong>")


def _marked(text: str, names: Iterable[str], start: str, end: str) -> Any:
    markup = import_extra("markupsafe", extra="report", purpose="an HTML page")
    known = sorted({on_a_line(x) for x in names if x}, key=len, reverse=True)
    line = on_a_line(text)
    if not known:
        return markup.escape(line)
    found = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, known))})(?!\w)")
    made = "".join(
        f"{start}{markup.escape(x)}{end}" if i % 2 else str(markup.escape(x))
        for i, x in enumerate(found.split(line))
    )
    return markup.Markup(made)


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "plain": plain,
    "difference": difference,
    "p": p,
    "percentage": percentage,
    "true_minus": true_minus,
    "few_digits": few_digits,
    "breakable": breakable,
    "isolated": isolated,
    "with_names": with_names,
}
