"""The options of models that give probabilities or scores."""

from dataclasses import dataclass
from typing import Any, ClassVar

import ordeval as oe
from ordeval._shared.text import joined
from ordeval.cli.options.labels import named_files
from ordeval.cli.options.option_groups import option
from ordeval.cli.options.shared import ColumnsRead, missing_columns
from ordeval.data.query import by_model_of
from ordeval.measures.registry import Given

RULES = ("mode", "median", "cost")


@dataclass(frozen=True)
class OutputColumns(ColumnsRead):
    """Columns of models that may give probabilities or scores."""

    given_by: ClassVar[tuple[str, ...]] = ("--pred", "--prob", "--score")

    prob: list[str] | None = option(
        "[MODEL=]COLS",
        "Columns of a model's probabilities: their common prefix, such as p_ for p_low and "
        "p_high, or a list, such as p1,p2,p3. The model is named after the prefix unless you "
        "write NAME=. May be repeated.",
    )
    score: list[str] | None = option(
        "COL", "Column of a model's score, higher for a higher class; may be repeated."
    )
    decide: str | None = option(
        "RULE",
        "How probabilities become labels: mode (default), median, cost, the least expected "
        "cost by --cost, or @cuts.json, the cut points of `ordeval tune`.",
        words=RULES,
    )

    def need(self) -> None:
        """Refuse to go on without columns, or with a rule that has nothing to decide."""
        if not self.truth or not (self.pred or self.prob or self.score):
            raise oe.LabelError(missing_columns(self, list(self.given_by)))
        if self.decide is not None and not self.prob:
            raise oe.ParameterError("--decide needs probabilities: add --prob.")

    def rule(self, cost: str | None) -> Any:
        """How probabilities become labels: the name of a rule, or the costs of a file."""
        if self.decide and self.decide.startswith("@"):
            try:
                return oe.models.CutPoints.from_file(self.decide[1:])
            except oe.LabelError as error:
                said = str(error).removeprefix("path: ")
                raise oe.LabelError(f"--decide: {said}") from error
        if self.decide not in (None, *RULES):
            words = joined([*RULES, "@cuts.json"], "or")
            raise oe.ParameterError(f"--decide must be {words}; got {self.decide!r}.")
        if self.decide != "cost":
            return self.decide or RULES[0]
        if cost is None:
            raise oe.ParameterError("--decide cost needs --cost FILE.")
        return self.costs(cost)

    @property
    def files(self) -> list[str]:
        """All files that are read."""
        return [*super().files, *named_files(self.decide)]

    @property
    def outputs(self) -> dict[str, Any]:
        """The columns of the models, as arguments of ``Predictions.from_file``."""
        return {
            **super().outputs,
            "prob": _by_model(self.prob) if self.prob else None,
            "score": self.score or None,
        }

    @property
    def given(self) -> Given:
        """What the models give: labels, if they do not all give the same."""
        if self.score:
            return "scores"
        return "probabilities" if self.prob and not self.pred else "labels"


def _by_model(texts: list[str]) -> dict[str, Any]:
    """The columns of probabilities of each model."""
    found: dict[str, Any] = {}
    for text in texts:
        model, equals, columns = text.partition("=")
        if not equals:
            model, columns = "", text
        # A single name is a prefix, and may end in a space: "old " of "old mild".
        listed = [c.strip() for c in columns.split(",")] if "," in columns else [columns.lstrip()]
        if not all(c.strip() for c in listed) or (equals and not model.strip()):
            raise oe.ParameterError(
                "--prob takes a prefix such as p_, a list such as p1,p2,p3, or MODEL= "
                f"followed by one of these; got {text!r}."
            )
        given = listed[0] if len(listed) == 1 else listed
        ((name, read),) = by_model_of({model.strip(): given} if equals else given).items()
        if name in found:
            raise oe.ParameterError(
                f"--prob names the model {name} twice; give each a name: MODEL={columns}."
            )
        found[name] = read
    return found
