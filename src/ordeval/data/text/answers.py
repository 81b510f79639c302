"""Answers: what judges wrote, read into labels; what could not be read is counted, never guessed.

The patterns are in ``patterns.py``, the grammar of the default one in ``verdicts.py``. They are
loaded when something is read, so that `import ordeval` stays quick.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

from ordeval._shared.arguments import checked
from ordeval._shared.clopper_pearson import clopper_pearson
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import argument, named, number, plural, with_ends
from ordeval.data.columns import as_column
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError, ParameterError, ScaleError

if TYPE_CHECKING:
    import re

    from ordeval.data.text.answer_tokens import DecimalMark
    from ordeval.data.text.level_notation import Half, ReadAnswer
    from ordeval.data.text.patterns import AnswerReader

Pattern: TypeAlias = "str | re.Pattern[str]"

_LEVEL: Final = 0.95
_EXAMPLES: Final = 2  # of each reason
_WIDTH: Final = 40  # characters of an example
_OUTCOMES: Final = {
    "read": "a label",
    "missing": "None, NaN or an empty text",
    "refused": "a text that says so",
    "outside": "a number off the scale",
    "unreadable": "not read by the pattern, or in two ways",
}


class Share(NamedTuple):
    """A share with its Clopper-Pearson interval, for answers that are independent."""

    estimate: float
    low: float
    high: float
    level: float = _LEVEL

    def __str__(self) -> str:
        return f"{with_ends(self.estimate, self.low, self.high)} ({self.level:.0%})"


class Unread(NamedTuple):
    """An answer that gave no label: where it stands, its beginning, and why."""

    position: int
    answer: str
    outcome: str
    reason: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Answers(Result):
    """Labels read from answers, with the outcome of each answer.

    ``labels`` has one entry for each answer, None if it was not read; pass it as ``y_pred`` or as a
    rater's column. ``outcomes`` has the outcome of each: read, missing, refused, outside or
    unreadable. The five counts of the same names add up to ``total``."""

    _kind: ClassVar[str] = "ordeval.answers"

    scale: Scale
    pattern: str | tuple[str, ...]  # several were tried in this order
    half: str
    decimal: str
    rescale: bool
    refusal: str | None  # what was declared to be a refusal; None: the usual phrases
    labels: list[Hashable | None]
    outcomes: list[str]
    rounded: int  # read, from a number between two levels
    reasons: Mapping[str, int]  # why answers gave no label, and how many
    examples: tuple[Unread, ...]
    texts: list[Any]  # the answers
    readings: list[ReadAnswer]  # what each of them says, and why if it is no label
    reader: AnswerReader

    @property
    def total(self) -> int:
        """The number of answers."""
        return len(self.outcomes)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many answers had each outcome."""
        found = Counter(self.outcomes)
        return {outcome: found[outcome] for outcome in _OUTCOMES}

    @property
    def read(self) -> int:
        """Answers that gave a label."""
        return self.counts["read"]

    @property
    def missing(self) -> int:
        """Missing answers: None, NaN or an empty text."""
        return self.counts["missing"]

    @property
    def refused(self) -> int:
        """Refusals: texts without a label that decline to give one."""
        return self.counts["refused"]

    @property
    def outside(self) -> int:
        """Answers that give a number off the scale."""
        return self.counts["outside"]

    @property
    def unreadable(self) -> int:
        """Answers that the pattern cannot read, or that are in doubt."""
        return self.counts["unreadable"]

    @property
    def unread(self) -> int:
        """All answers without a label."""
        return self.total - self.read

    @cached_property
    def share_unread(self) -> Share:
        """The share of answers without a label, with its 95% interval."""
        return _share(self.unread, self.total)

    def rows(self) -> list[dict[str, Any]]:
        """One record for each outcome."""
        n = self.total or float("nan")
        return [{"outcome": o, "answers": x, "share": x / n} for o, x in self.counts.items()]

    def table(self) -> Table:
        """One row for each outcome."""
        rows = tuple(
            tuple(map(Cell, (r["outcome"], f"{r['answers']:,}", number(r["share"]), what)))
            for r, what in zip(self.rows(), _OUTCOMES.values(), strict=True)
        )
        head = ("outcome", "answers", "share", "what it is")
        return Table(head, rows, self._caption(), words=head[3:])

    def tables(self) -> Sequence[Table]:
        """The outcomes, and some answers that gave no label."""
        if not self.examples:
            return (self.table(),)
        head = ("position", "outcome", "answer", "why")
        rows = tuple(
            tuple(map(Cell, (str(x.position), x.outcome, x.answer, x.reason)))
            for x in self.examples
        )
        return self.table(), Table(head, rows, "Some that gave no label", words=head[1:])

    def paragraphs(self) -> Sequence[str]:
        """The share without a label, and what was rounded."""
        return (self.sentence(),)

    def sentence(self) -> str:
        """The share without a label, and what was rounded, in words."""
        shown = [f"{x:,} {o}" for o, x in self.counts.items() if x and o != "read"]
        lost = f" ({', '.join(shown)})" if shown else ""
        have = "has" if 1 in (self.unread, self.total) else "have"
        said = (
            f"{self.unread:,} of {plural(self.total, 'answer')} {have} no label{lost}: a share of "
            f"{self.share_unread}."
        )
        if self.rounded:
            said += f" {plural(self.rounded, 'number')} between levels went to the nearest level"
            said += f", halves {_HALVES[self.half]}."
        return said

    def _caption(self) -> str:
        patterns = (self.pattern,) if isinstance(self.pattern, str) else self.pattern
        tried = ", then ".join(map(repr, patterns))
        return f"{plural(self.total, 'answer')} read by {tried} on {self.scale}"

    def _facts(self) -> dict[str, Any]:
        """Counts, reasons and examples; the labels are in ``labels``."""
        return {
            "scale": [str(x) for x in self.scale],
            "pattern": self.pattern,
            "half": self.half,
            "decimal": self.decimal,
            "rescale": self.rescale,
            "refusal": self.refusal,
            "total": self.total,
            **self.counts,
            "rounded": self.rounded,
            "share_unread": self.share_unread._asdict(),
            "reasons": dict(self.reasons),
            "examples": [x._asdict() for x in self.examples],
            "rows": self.rows(),
        }


_HALVES: Final = {"up": "up", "down": "down", "even": "to the even one", "nearest": "not read"}


@checked
def read_answers(
    answers: Any,
    labels: Any,
    *,
    pattern: Pattern | Sequence[Pattern] = "score",
    half: Half = "error",
    decimal: DecimalMark = ".",
    rescale: bool = False,
    refusal: Pattern | None = None,
) -> Answers:
    r"""Read labels from the answers of judges, by a stated pattern.

    An answer that the pattern does not read, or that is in doubt, has no label: None in
    ``.labels``, and counted. Nothing is guessed.

    Parameters
    ----------
    answers
        One text for each item, in a list, a Series or an array. Numbers are read as they are,
        whatever the pattern; None and NaN are missing.
    labels
        The ordered labels, lowest first, all numbers or all words. Words are read in upper and
        lower case alike unless two labels differ only in case; the longest one wins.
    pattern
        Where the label is, or several of these in a list: the first that finds something decides.

        - ``"score"``: what the answer states, as in "Score: 4", "the rating is 4", "I'd give this
          a 4", ``<score>4</score>``, a heading with 4 below it, or 4/5 as a sentence; or the whole
          answer. It is not read if something that follows contradicts it or puts it in doubt:
          another number, a word that makes it something else (4 years), a correction.
        - ``"whole"``: the answer is the label. White space, quotes, brackets, Markdown emphasis,
          a unit (4 points, 4 stars) and a full stop around it are allowed.
        - ``"fraction"``: 4/5 or 4 out of 5, anywhere.
        - ``"last"``: the last number of the answer, if it stands alone.
        - ``"json:KEY"``: the value of KEY in a JSON object, anywhere; in nested ones the outermost.
        - a regular expression with one group, which holds the label. A regular expression that
          backtracks exponentially is not stopped.

        The named patterns skip what is inside ``<think>`` tags. Everywhere 4/5 and 4 out of 5 are
        4 if 5 is the top of the scale, and not read otherwise, unless with ``rescale=True``.
        Labels that differ (4 or 5, two scores), numbers that do not stand alone (3-4, 80%, 4th)
        and numbers in words are not read.
    half
        How to read a number between two levels: ``"error"`` does not read it; the others give the
        nearest level, and a number half way goes ``"up"``, ``"down"``, to the ``"even"`` number, or
        is not read (``"nearest"``). Numbers off the scale are never rounded.
    decimal
        The decimal mark of numbers in texts: with ``","``, 3,5 is three and a half. One or two
        trailing zeros are read with either mark, as in 4,0 and 4.0, unless 0 is a level, where 4,0
        may be two labels. Numbers in JSON always have a point.
    rescale
        Whether to read numbers that are stated with another range. A maximum alone keeps the ratio:
        8/10 is 4/5, which is 4 on a scale up to 5. A range with two ends is mapped linearly, ends
        to ends: 1 to 9 becomes 1 to 5, and 5 becomes 3. The result is exact; ``half`` decides
        between levels. By default such numbers are not read.
    refusal
        A regular expression: an answer is a refusal if it matches and the pattern does not.
        Default: common English phrases (I cannot rate this, I'm sorry, N/A), in texts without a
        digit, a label or a number in words. Other texts without a label are unreadable.

    Returns
    -------
    results.Answers
        The label of each item, and how many answers were read, unreadable, refused or missing.

    Raises
    ------
    LabelError
        If ``answers`` is not a sequence.
    ParameterError
        If the labels are neither all numbers nor all words, or an option is not understood.
    ScaleError
        If the labels are missing or not a scale.

    Examples
    --------
    >>> answers = ["Score: 4", "**3**", "4/5", "Rating: 4 or 5", "I cannot rate this.", None, 3.5]
    >>> found = read_answers(answers, labels=range(1, 6))
    >>> found.labels
    [4, 3, 4, None, None, None, None]
    >>> found.read, found.unreadable, found.refused, found.missing
    (3, 2, 1, 1)
    >>> read_answers(["It is good. Grade: B"], labels=["C", "B", "A"]).labels
    ['B']

    Doubt is not resolved, and other ranges are rescaled only on request:

    >>> read_answers(["Score: 4. Scratch that: 3.", "8/10"], labels=range(1, 6)).labels
    [None, None]
    >>> read_answers(["8/10"], labels=range(1, 6), rescale=True).labels
    [4]
    """
    from ordeval.data.text.level_notation import AnswerReading
    from ordeval.data.text.patterns import AnswerReader

    if labels is None:
        raise ScaleError(
            f"declare the labels to read answers on, lowest first: "
            f"{argument('labels', range(1, 6))}."
        )
    scale, listed = as_scale(labels), _listed(answers)
    patterns = _patterns(pattern)
    reading = AnswerReading(half=half, decimal=decimal, rescale=rescale)
    reader = AnswerReader(scale, patterns, reading, refusal)
    readings = [reader.read(answer, i) for i, answer in enumerate(listed)]
    levels = (*scale.levels, None)  # position -1: no label
    return Answers(
        scale=scale,
        pattern=_written(patterns[0]) if len(patterns) == 1 else tuple(map(_written, patterns)),
        half=half,
        decimal=decimal,
        rescale=rescale,
        refusal=None if refusal is None else _written(refusal),
        labels=[levels[r.position] for r in readings],
        outcomes=[r.outcome for r in readings],
        rounded=sum(r.position >= 0 and r.reason is not None for r in readings),
        reasons=Counter(str(r.reason) for r in readings if r.position < 0),
        examples=tuple(_examples(listed, readings)),
        texts=listed,
        readings=readings,
        reader=reader,
    )


def _patterns(pattern: Any) -> tuple[Any, ...]:
    """One pattern or several, in order."""
    if not isinstance(pattern, (list, tuple)):
        return (pattern,)
    if not pattern:
        raise ParameterError(f"{named('pattern')} must name at least one pattern; got {pattern!r}.")
    return tuple(pattern)


def _written(pattern: Pattern) -> str:
    return pattern if isinstance(pattern, str) else pattern.pattern


def _listed(answers: Any) -> list[Any]:
    """The answers of any container."""
    unordered = isinstance(answers, (str, bytes, Mapping, Set))
    if unordered or not (isinstance(answers, Iterable) or hasattr(answers, "__array__")):
        raise LabelError(f"answers must be a sequence, one answer for each item; got {answers!r}.")
    if isinstance(answers, (list, tuple, Iterator)):
        return list(answers)
    frame = hasattr(answers, "columns") or hasattr(answers, "column_names")
    if not frame and getattr(answers, "ndim", 1) == 1:
        # A column of labels would be as wide as the longest text, in every row.
        for method in ("to_list", "to_pylist", "tolist"):
            if hasattr(answers, method):
                return list(getattr(answers, method)())
    column = as_column(answers, "answers")
    return list(column.values.tolist())


def _examples(answers: Iterable[Any], readings: Iterable[ReadAnswer]) -> Iterator[Unread]:
    """The first answers of each reason, except missing ones."""
    seen: Counter[str] = Counter()
    for i, (answer, reading) in enumerate(zip(answers, readings, strict=True)):
        if reading.outcome not in ("read", "missing"):
            reason = str(reading.reason)
            seen[reason] += 1
            if seen[reason] <= _EXAMPLES:
                yield Unread(i, _shortened(str(answer)), reading.outcome, reason)


def _shortened(text: str) -> str:
    """The beginning of a text, on one line, without what moves a terminal's cursor."""
    shown = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * _WIDTH]).split())
    cut = len(shown) > _WIDTH or len(text) > 4 * _WIDTH
    return f"{shown[: _WIDTH - 1].rstrip()}…" if cut else shown


def _share(hits: int, total: int) -> Share:
    """A share with the interval of Clopper & Pearson (1934)."""
    value = hits / total if total else float("nan")
    return Share(value, *clopper_pearson(hits, total, _LEVEL))
