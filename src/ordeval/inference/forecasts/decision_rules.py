"""The labels that probabilities stand for, by a rule that is declared: what ``decide=`` means."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from ordeval._shared.text import named
from ordeval._shared.types import Floats, Integers
from ordeval.data.level_names import misnamed
from ordeval.data.outputs import Decide
from ordeval.data.probabilities import is_table
from ordeval.data.scale import Scale
from ordeval.exceptions import ParameterError
from ordeval.measures.parts.decisions import LevelCuts, Rule, costs_between, decided

WORDS: Final[dict[Rule, str]] = {
    "mode": "the most probable level",
    "median": "the median of the probabilities",
    "cost": "the level of least expected cost",
}


def rule_of(decide: Any) -> Decide:
    """What makes a Decision of a scale. An invalid rule raises an error, even if it is not used.

    Costs are checked against the scale, once that is known.
    """
    if isinstance(decide, LevelCuts):
        if not decide.of_levels:
            raise ParameterError(
                f"{named('decide')}: these cut points divide scores. Tune cut points on "
                f"probabilities (n, K)."
            )
    elif not (decide in ("mode", "median") if isinstance(decide, str) else is_table(decide)):
        raise ParameterError(
            f'{named("decide")} must be "mode", "median", tuned cut points or a K x K matrix of '
            f"costs; got {decide!r}."
        )
    return partial(Decision, decide)


class Decision:
    """A rule of decision on a scale: a name, costs (K, K), rows truth, or tuned cut points."""

    def __init__(self, decide: Any, scale: Scale) -> None:
        self.cost: Floats | None = None
        self.cuts: LevelCuts | None = None
        if isinstance(decide, LevelCuts):
            if list(map(str, decide.levels)) != list(map(str, scale.levels)):
                raise ParameterError(
                    f"{named('decide')}: the cut points were tuned on {Scale(decide.levels)}, but "
                    f"the data have {scale}. Tune them on the same scale."
                )
            self.cuts = decide
            return
        if isinstance(decide, str):
            self.rule: Rule = "mode" if decide == "mode" else "median"
            return
        problem = misnamed(decide, scale, "decide")
        if problem:
            raise ParameterError(problem)
        self.rule, self.cost = "cost", costs_between(decide, scale.k)

    def __call__(self, prob: Floats) -> Integers:
        """The positions (n,) that are decided for."""
        if self.cuts is not None:
            return self.cuts.level_of(prob)
        return decided(prob, self.rule, self.cost)


def words_of(decide: Any) -> str:
    """What a rule decides for."""
    if isinstance(decide, LevelCuts):
        return f"the expected level, divided at cut points tuned for {decide.metric.display}"
    return WORDS[("mode" if decide == "mode" else "median") if isinstance(decide, str) else "cost"]
