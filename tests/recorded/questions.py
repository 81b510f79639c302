"""All recorded questions, in groups: one test each, so that a failure names what moved."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from . import (
    forecast_questions,
    label_questions,
    rare_questions,
    rater_questions,
    study_questions,
    table_questions,
)
from .flatten import Numbers

GROUPS: dict[str, Callable[[Any], Numbers]] = {
    **label_questions.GROUPS,
    **forecast_questions.GROUPS,
    **rater_questions.GROUPS,
    **rare_questions.GROUPS,
    **study_questions.GROUPS,
    **table_questions.GROUPS,
}


def ask(oe: Any, group: str) -> Numbers:
    """Ask a package the questions of a group; returns its numbers by the name of the case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return GROUPS[group](oe)


def recorded_as(group: str) -> str:
    """The group whose recorded values a group must give."""
    return table_questions.RECORDED_AS.get(group, group)


def asked_of_papers(found: Any) -> dict[str, Any]:
    """The computed values of a reproduction, by paper and place."""
    return {f"{v.paper}: {v.place}": v.computed for v in found.values}
