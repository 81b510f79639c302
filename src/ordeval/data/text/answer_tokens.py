"""Texts cut into tokens: numbers, labels, words, tags, ends of lines and marks.

A number is defined once, here. Whatever holds a digit and is no such number, as 3-4, 4th, 10:30
and ½ are, is an "odd" token, and never read.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, Literal

DecimalMark = Literal[".", ","]

_HYPHENS: Final = r"+\-−‐‑‒"
_DASHES: Final = r"–—―～〜"
_POINTS: Final = ".,:．·٫،，"
_LONGEST: Final = 400  # digits of a number
_INLINE: Final = frozenset(
    ["b", "strong", "em", "i", "u", "span", "code", "font", "mark", "big", "small"]
)
_MEASURED: Final = re.compile(r"[0-9%]|\bunit\b|\bmax")  # in the attributes of a tag

# No zero comes before another digit. One or two zeros after the other mark change nothing:
# 4,0 is 4, but 4,000 may be four thousand.
_WHOLE: Final = r"(?:[+\-−](?:0|[1-9][0-9]*+)|0|[1-9][0-9]*+)"
_ZEROS: Final = r"00?(?![0-9])"


def number_regex(decimal: DecimalMark = ".", *, zeros: bool = False) -> str:
    """How a number is written; ``zeros`` may follow the mark that is not for decimals."""
    mark, other = (r"\.", ",") if decimal == "." else (",", r"\.")
    return rf"{_WHOLE}(?:{mark}[0-9]++{rf'|{other}{_ZEROS}' if zeros else ''})?+"


@lru_cache(maxsize=4096)
def number_of(written: str) -> Fraction:
    """What a text says that ``number_regex`` matches."""
    return Fraction(Decimal(written.replace("−", "-").replace(",", ".")))


# A number or a label stands alone: neither 4th, 3-4, 10:30, 1.2.3 and 4/5/2024, nor good-ish
# and B+.
_ALONE: Final = rf"(?![\w^{_HYPHENS}])(?![{_POINTS}{_DASHES}]\d)(?!\.\.)(?!/[0-9]++/[0-9])"
_STARTS: Final = rf"(?<![\w.\\^·٫{_HYPHENS}{_DASHES}])(?<!\d[,:．،，])"
_ODD: Final = rf"(?:[\w^]|[{_POINTS}{_HYPHENS}{_DASHES}/](?=\w))*+"


def lexer(number: str, labels: str = "") -> re.Pattern[str]:
    """What cuts a text into tokens; without ``labels``, levels are numbers."""
    named = (
        rf"(?<![\w{_HYPHENS}])(?P<label>{labels})(?![\w{_HYPHENS}])|"
        rf"(?<!\w)(?P<begun>{labels})(?!\w)|"
        if labels
        else ""
    )
    return re.compile(
        r"(?:[^\S\n]|_)*+(?:"
        r"(?P<line>\n\s*+)|"
        rf"{named}"
        rf"{_STARTS}(?P<number>{number}){_ALONE}|"
        rf"(?P<odd>\d{_ODD})|"
        r"(?P<word>(?:[^\W\d_]\.){2,}+|[^\W\d_]++(?:['’][^\W\d_]++)*+)|"  # e.g. is one word
        r"<(?P<tag>/?[a-zA-Z][\w-]*+)(?:\s[^<>\n]{0,100})?+/?>|"
        r"(?P<box>\\boxed\s*+\{(?:\s*+\\text\s*+\{)?+|\[\[)|"
        r"(?P<mark>\S)|\Z)"
    )


class Tokens:
    """The tokens of a text: their kinds and, in lower case, their texts.

    An "end" stands behind the last one, so that the next token can always be asked for.
    """

    def __init__(self, regex: re.Pattern[str], text: str) -> None:
        self.kinds: list[str] = []
        self.texts: list[str] = []
        for match in regex.finditer(text):
            kind = match.lastgroup
            if kind is None:
                break
            said = match[kind]
            if kind == "word":
                said = said.casefold().replace("’", "'")
                if not said.isascii() and any(map(str.isnumeric, said)):
                    kind = "odd"  # ½, ④, 四
            elif kind == "tag":
                said = said.casefold()
                if said.lstrip("/") in _INLINE:
                    continue
                if _MEASURED.search(match[0], match.end(kind) - match.start()):
                    said += " …"  # <score max="10">
            elif kind == "number" and len(said) > _LONGEST:
                kind = "odd"
            self.kinds.append(kind)
            self.texts.append(said)
        self.kinds.append("end")
        self.texts.append("")

    def __len__(self) -> int:
        return len(self.kinds) - 1


_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")  # of no width
_EDGE_UNDERSCORE: Final = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_MATHEMATICS: Final = re.compile(r"\$+|\\[()\[\]]")  # around a boxed label
_THOUGHT: Final = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)


def plain(text: str, *, folds: bool) -> str:
    """The text in lower case if case does not matter, without emphasis and unseen characters.

    Blanks replace what is removed, so that nothing grows together: 2*2 is not 22.
    """
    text = text.replace("*", " ").replace("`", " ")
    if not text.isascii():
        text = _UNSEEN.sub(" ", text)
    if "\\boxed" in text:
        text = _MATHEMATICS.sub(" ", text)
    if "_" in text:
        text = _EDGE_UNDERSCORE.sub(" ", text)
    return text.casefold() if folds else text


def without_thoughts(text: str) -> str:
    """The text without comments and <think> tags, which may lack the first or the last one."""
    if "<!--" in text:
        first, *others = text.split("<!--")
        text = first + "".join(other.partition("-->")[2] for other in others)
    if "think" not in text.casefold():
        return text
    kept: list[str] = []
    start, inside = 0, False
    for tag in _THOUGHT.finditer(text):
        if tag[1]:
            if not inside:
                kept.clear()  # templates may hold the opening tag back
            start, inside = tag.end(), False
        elif not inside:
            kept.append(text[start : tag.start()])
            inside = True
    if not inside:
        kept.append(text[start:])
    return "\n".join(kept)
