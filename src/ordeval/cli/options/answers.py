"""Columns of a file that hold what judges wrote."""

from collections.abc import Mapping
from typing import Any

import ordeval as oe
from ordeval.cli._errors import complain
from ordeval.cli.options.shared import Reading


def read_answer_columns(
    columns: Mapping[str, Any], labels: Any, reading: Reading
) -> dict[str, oe.results.Answers]:
    """The answers of each column, read; none without --answer-pattern.

    What was not read, or was rounded, is told on standard error.
    """
    options = reading.options()
    if options["pattern"] is None:
        return {}
    found = {name: oe.read_answers(x, labels, **options) for name, x in columns.items()}
    for name, answers in found.items():
        if answers.unread or answers.rounded:
            complain(f"{name}: {answers.sentence()}{_first(answers)}")
    return found


def _first(answers: oe.results.Answers) -> str:
    """The first answer that could not be read."""
    if not answers.examples:
        return ""
    example = answers.examples[0]
    return f" For example {example.answer!r}: {example.reason}."
