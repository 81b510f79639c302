"""Columns of a file that hold what judges wrote, and the options by which they are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ordeval as oe
from ordeval._shared.text import wording
from ordeval.cli._errors import complain
from ordeval.cli.options.flags import in_flags
from ordeval.cli.options.option_groups import flag, option

HALVES = ("error", "up", "down", "even", "nearest")
PATTERNS = ("whole", "score", "fraction", "last", "json:")


@dataclass(frozen=True)
class AnswerOptions:
    """How labels are read from what judges wrote, if that is asked for."""

    answer_pattern: list[str] = option(
        "NAME|REGEX",
        "Read labels from texts: whole, score, fraction, last, json:KEY, or a regular "
        "expression with one group. May be repeated: the first match counts. Unreadable "
        "answers are missing and counted.",
        default=[],
        words=PATTERNS,
    )
    half: str | None = option(
        "RULE",
        "Rounding of numbers such as 3.5: error (default), up, down, even, or nearest "
        "(rounds 3.7 but not 3.5).",
        words=HALVES,
    )
    refusal: str | None = option(
        "REGEX",
        "Expression that marks an answer without a label as a refusal (default: common English "
        "phrases).",
    )
    answer_decimal: str | None = option("MARK", "Decimal mark in answers: . (default) or ,")
    rescale: bool = flag(
        "Rescale numbers of another range: 8/10 becomes 4 on 1..5. Default: not read."
    )

    def options(self) -> dict[str, Any]:
        """Return the options as arguments of read_answers."""
        if not self.answer_pattern:
            for flag, given, what in (
                ("--refusal", self.refusal, "answers without a label"),
                ("--answer-decimal", self.answer_decimal, "numbers in answers"),
                ("--rescale", self.rescale or None, "numbers in answers"),
            ):
                if given is not None:
                    raise oe.ParameterError(f"{flag} is for {what}, which --answer-pattern reads.")
        return {
            "pattern": self.answer_pattern or (["whole"] if self.half else None),
            "half": self.half or "error",
            "decimal": self.answer_decimal or ".",
            "rescale": self.rescale,
            "refusal": self.refusal,
        }


def read_answer_columns(
    columns: Mapping[str, Any], labels: Any, reading: AnswerOptions
) -> dict[str, oe.results.Answers]:
    """The answers of each column, read; none without --answer-pattern.

    Unread and rounded answers are reported on standard error.
    """
    options = reading.options()
    if options["pattern"] is None:
        return {}
    with wording(_in_answer_flags):
        found = {name: oe.read_answers(x, labels, **options) for name, x in columns.items()}
    for name, answers in found.items():
        if answers.unread or answers.rounded:
            complain(f"{name}: {answers.sentence()}{_first(answers)}")
    return found


def _in_answer_flags(name: str, value: Any) -> str:
    """How arguments of read_answers are written on the command line."""
    return in_flags("answer_decimal" if name == "decimal" else name, value)


def _first(answers: oe.results.Answers) -> str:
    """The first answer that could not be read."""
    if not answers.examples:
        return ""
    example = answers.examples[0]
    return f" For example {example.answer!r}: {example.reason}."
