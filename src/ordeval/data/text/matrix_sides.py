"""Words next to a matrix that say which side is the truth: Reference above, Prediction to the left.

``reading.js`` of the report reads them by the same rules; the tests hold the two to the same.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from ordeval.exceptions import CountsError

Side = Literal["prediction", "truth", ""]
Beside = Literal["left", "above"]

_PREDICTION: Final = frozenset(
    ["prediction", "predictions", "predicted", "pred", "model", "forecast", "output"]
)
_TRUTH: Final = frozenset(["reference", "actual", "true", "truth", "gold", "observed"])
_ROWS: Final = frozenset(("row", "rows", "↓", "downarrow"))
_COLUMNS: Final = frozenset(("column", "columns", "→", "rightarrow"))
# They may accompany the others without a meaning: predicted label, ground truth, y_pred.
_PLAIN: Final = re.compile(
    "class(es)?|labels?|levels?|values?|grades?|ground|standard|y|the|are|is|in|confusion|matrix|"
    "backslash"
)
_BETWEEN: Final = re.compile("[^0-9a-z\u0080-\U0010ffff]+")
_LETTERS: Final = 30  # of a text, in a message


@dataclass
class Sides:
    """What the words to the left and above say, and the words."""

    left: set[Side] = field(default_factory=set)
    above: set[Side] = field(default_factory=set)
    texts: list[str] = field(default_factory=list)

    def add(self, text: str, place: Beside) -> None:
        """Record a text if it names a side."""
        left, above = sides_of(text, place)
        if left or above:
            self.texts.append(text)
            self.left |= {left} - {""}
            self.above |= {above} - {""}

    def add_corner(self, text: str, place: Beside, blanks: bool) -> None:
        """Record the text in the corner; blanks may separate it from the names."""
        alone, said = not self.texts, sides_of(text, place)
        self.add(text, place)
        # pandas prints the name of the columns there, too, if the rows have none.
        if (blanks and alone and said == ("prediction", "")) or (not any(said) and _both(text)):
            self.texts = self.texts or [text]
            self.refuse()

    def refuse(self) -> None:
        """Raise an error for words that have no known meaning."""
        words = ", ".join(text[:_LETTERS] for text in self.texts)
        raise CountsError(
            f"{words!r} does not say clearly which side is the truth: rows must be true levels and "
            f"columns predicted ones. Write the matrix so, and leave these words out."
        )

    def turned(self) -> bool:
        """Whether rows are predictions; contradictory words raise an error."""
        if len(self.left) > 1 or len(self.above) > 1 or self.left & self.above:
            self.refuse()
        return "prediction" in self.left or "truth" in self.above


def sides_of(text: str, place: Beside) -> tuple[Side, Side]:
    """The sides that a text names for the left and the top; empty if none.

    >>> sides_of("Predicted label", "left")
    ('prediction', '')
    >>> sides_of("Predicted \\\\ Actual", "left")
    ('prediction', 'truth')
    >>> sides_of("Model A", "above")
    ('', '')
    """
    words = [x for x in _words(text) if not _PLAIN.fullmatch(x)]
    if not words and "".join(_words(text)) == "label":
        words = ["truth"]
    if one := _side(words):
        rows, columns = bool(_ROWS.intersection(words)), bool(_COLUMNS.intersection(words))
        left = rows if rows != columns else place == "left"
        return (one, "") if left else ("", one)
    # rows: truth, columns: prediction; or truth (rows), prediction (columns)
    before = bool(words) and words[0] in _ROWS | _COLUMNS
    for cut in range(1, len(words)) if before else range(len(words) - 1, 0, -1):
        first, second = _side(words[:cut]), _side(words[cut:])
        if first and second:
            swapped = _COLUMNS.intersection(words[:cut]) or _ROWS.intersection(words[cut:])
            return (second, first) if swapped else (first, second)
    return "", ""


def _both(text: str) -> bool:
    """Whether words of both sides are in a text."""
    words = _words(text)
    return not (_PREDICTION.isdisjoint(words) or _TRUTH.isdisjoint(words))


def shared_words(names: Iterable[str]) -> list[str]:
    """The words that all names have: pred, of pred low and pred high."""
    first, *others = map(_words, names)
    return [x for x in first if all(x in words for words in others)]


def _words(text: str) -> list[str]:
    return [x for x in _BETWEEN.split(re.sub("([↓→])", r" \1 ", text.lower())) if x]


def _side(words: Sequence[str]) -> Side:
    """The side named by the words, if they name only that."""
    core = {x for x in words if x not in _ROWS | _COLUMNS}
    if not core:
        return ""
    return "prediction" if core <= _PREDICTION else "truth" if core <= _TRUTH else ""
