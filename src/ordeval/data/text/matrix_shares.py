"""Shares and percentages in a pasted matrix: they need counts beside them.

``reading.js`` of the report reads them by the same rules; the tests hold the two to the same.
"""

import itertools
import re
from collections.abc import Sequence
from typing import Final

from ordeval.exceptions import CountsError

_WITHIN: Final = 1e-9  # that sums miss by rounding in the computer
_PERCENTAGE: Final = re.compile(r"([+-]?[0-9.,]+ *)?%")
# A count next to its share: 12 (34%), 34% (12), 12 (34.5) or 34.5 (12), between blanks or alone.
_SHARE: Final = r"[0-9][0-9.,]* ?%"
_PART: Final = r"[0-9]+[.,][0-9]+"
_COUNT_AND_SHARE: Final = re.compile(
    rf"(?<![^ \t])(?:([0-9][0-9.,]*) ?\( ?{_SHARE} ?\)|{_SHARE} ?\( ?([0-9][0-9.,]*) ?\)"
    rf"|([0-9]+) ?\( ?{_PART} ?\)|{_PART} ?\( ?([0-9]+) ?\))(?![^ \t])"
)
_TWO_NUMBERS: Final = re.compile(r"(?<![^ \t])[0-9]+ ?\( ?[0-9]+ ?\)(?![^ \t])")
_DOTTED: Final = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")  # thousands, or a fraction


def without_shares(text: str) -> str:
    """The text of a matrix without the shares beside its counts."""
    if two := _TWO_NUMBERS.search(text):
        raise CountsError(
            f"{two[0]!r} does not say which number is the count: leave out the other."
        )
    return _COUNT_AND_SHARE.sub(lambda found: next(x for x in found.groups() if x), text)


def refuse_dotted(rows: Sequence[Sequence[str]]) -> None:
    """Refuse 1.234 where nothing tells a point between thousands from that of a fraction."""
    pointed = [x for row in rows for x in row if "." in x]
    if pointed and all(map(_DOTTED.fullmatch, pointed)):
        raise CountsError(
            f"{pointed[0]!r} may have a point between thousands, or be a fraction: write "
            f"{pointed[0].replace('.', '')} or {pointed[0]}0."
        )


def refuse_shares(rows: Sequence[Sequence[str]]) -> None:
    """Raise an error if the numbers sum to 1 or 100 up to rounding.

    Whole numbers are rejected if each row, or each column, sums to 100 within 1: classes of one
    size are rarer than percentages. A hundred items in all are no reason.
    """
    cells = [float(x) for row in rows for x in row]
    counted = all(map(float.is_integer, cells))
    digits = max(len(re.split("[eE]", x)[0].partition(".")[2]) for row in rows for x in row)
    for whole, what in ((1, "shares"), (100, "percentages"))[counted:]:
        for lines, of in ((rows, "each row"), (list(zip(*rows, strict=True)), "each column")):
            if _sum_to(whole, [list(map(float, line)) for line in lines], digits, counted=counted):
                raise CountsError(_no_counts(of, whole, what))
        if not counted and _sum_to(whole, [cells], digits):
            raise CountsError(_no_counts("the matrix", whole, what))


def _sum_to(
    whole: int, lines: Sequence[Sequence[float]], digits: int, *, counted: bool = False
) -> bool:
    """Whether all lines that are not empty do, rounded to this number of digits."""
    filled = [line for line in lines if any(line)]
    if counted:
        return len(filled) > 1 and all(abs(sum(line) - whole) <= 1 for line in filled)
    slack = 0.5 * 10.0**-digits
    return all(abs(sum(line) - whole) <= len(line) * slack + _WITHIN for line in filled)


def _no_counts(of: str, whole: int, what: str) -> str:
    return (
        f"{of} sums to {whole}: these are {what}, but counts are needed. "
        f'If they are counts, write {{"counts": [[...], ...]}}.'
    )


def refuse_percentages(rows: Sequence[Sequence[str]]) -> None:
    """Raise an error if all cells are percentages."""
    if any(map(_PERCENTAGE.fullmatch, itertools.chain.from_iterable(rows))):
        raise CountsError(
            "these are percentages, but counts are needed. Multiply each share by the "
            "size of its class."
        )
