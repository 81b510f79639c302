"""Columns of a file that hold what judges wrote, and the options by which they are read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import ordeval as oe
from ordeval._shared.text import wording
from ordeval.cli._errors import complain
from ordeval.cli.options.flags import in_flags
from ordeval.cli.options.shared import option

_HALVES = ("error", "up", "down", "even", "nearest")
_PATTERNS = ("whole", "score", "fraction", "last", "json:")


def halves(incomplete: str) -> list[str]:
    """Rules for halves that start like this, for completion in the shell."""
    return [h for h in _HALVES if h.startswith(incomplete)]


def answer_patterns(incomplete: str) -> list[str]:
    """Named patterns that start like this, for completion in the shell."""
    return [p for p in _PATTERNS if p.startswith(incomplete)]


@dataclass(frozen=True)
class AnswerOptions:
    """How labels are read from what judges wrote, if that is asked for."""

    answer_pattern: Annotated[
        list[str],
        option(
            "--answer-pattern",
            metavar="NAME|REGEX",
            help="Read labels from texts: whole, score, fraction, last, json:KEY, or a regular "
            "expression with one group. May be repeated: the first that finds something "
            "decides. What cannot be read is missing, and counted.",
            autocompletion=answer_patterns,
        ),
    ] = field(default_factory=list)
    half: Annotated[
        str | None,
        option(
            "--half",
            metavar="RULE",
            help="What becomes of 3.5: error, not read; up, down or even, rounded so, and 3.7 to "
            "4; nearest, only 3.7 is rounded.",
            autocompletion=halves,
        ),
    ] = None
    refusal: Annotated[
        str | None,
        option(
            "--refusal",
            metavar="REGEX",
            help="What an answer without a label holds that counts as refused, not as unreadable; "
            "the usual English phrases unless told.",
        ),
    ] = None
    answer_decimal: Annotated[
        str | None,
        option(
            "--answer-decimal",
            metavar="MARK",
            help="Decimal mark of numbers in answers (default: .), or a comma.",
        ),
    ] = None
    rescale: Annotated[
        bool,
        option(
            "--rescale",
            help="Map numbers with another range to the scale: 8/10 is 4 on 1..5. Without it, "
            "they are not read.",
        ),
    ] = False

    def options(self) -> dict[str, Any]:
        """The same, as arguments of read_answers."""
        if not self.answer_pattern:
            for flag, given, what in (
                ("--half", self.half, "numbers in answers"),
                ("--refusal", self.refusal, "answers without a label"),
                ("--answer-decimal", self.answer_decimal, "numbers in answers"),
                ("--rescale", self.rescale or None, "numbers in answers"),
            ):
                if given is not None:
                    raise oe.ParameterError(f"{flag} is for {what}, which --answer-pattern reads.")
        return {
            "pattern": self.answer_pattern or None,
            "half": self.half or "error",
            "decimal": self.answer_decimal or ".",
            "rescale": self.rescale,
            "refusal": self.refusal,
        }


def read_answer_columns(
    columns: Mapping[str, Any], labels: Any, reading: AnswerOptions
) -> dict[str, oe.results.Answers]:
    """The answers of each column, read; none without --answer-pattern.

    What was not read, or was rounded, is told on standard error.
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
