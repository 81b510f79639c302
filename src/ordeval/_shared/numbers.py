"""How numbers are written in texts, in the digits of ASCII only.

Python would also read ``1_000``, ``nan`` and the digits of other scripts.
"""

from __future__ import annotations

import re
from typing import Final

# As patterns, so that DuckDB and tokens of a filter go by the same.
NUMBER: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
DECIMAL_COMMA: Final = r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?"
# Of labels: "01" is text. A hundred digits are no label any more, and thousands Python refuses.
_INTEGER: Final = r"[+-]?(?:0|[1-9][0-9]{0,99})"

_IS_NUMBER: Final = re.compile(NUMBER)
_HAS_COMMA: Final = re.compile(DECIMAL_COMMA)
_IS_INTEGER: Final = re.compile(_INTEGER)
_IS_WHOLE: Final = re.compile(rf"{_INTEGER}(?:\.0*)?")
_IS_DECIMAL: Final = re.compile(rf"{_INTEGER}(?:\.[0-9]*)?")


def is_number(text: str) -> bool:
    """Whether a text is a number, with an exponent or without."""
    return _IS_NUMBER.fullmatch(text) is not None


def has_decimal_comma(text: str) -> bool:
    """Whether a text is a number with a decimal comma."""
    return _HAS_COMMA.fullmatch(text.strip(" ")) is not None


def is_integer(text: str) -> bool:
    """Whether a text is an integer as labels are written."""
    return _IS_INTEGER.fullmatch(text) is not None


def is_whole(text: str) -> bool:
    """Whether a text is an integer, as a fraction of zero or without: 2 or 2.0."""
    return _IS_WHOLE.fullmatch(text) is not None


def is_decimal(text: str) -> bool:
    """Whether a text is a number as labels are written."""
    return _IS_DECIMAL.fullmatch(text) is not None
