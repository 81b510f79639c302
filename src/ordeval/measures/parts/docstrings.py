"""Build the docstring of a measure from its kernel's docstring and its facts."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Final

from ordeval._shared.text import BETTER
from ordeval.measures.parts.cut_levels import LevelOnScale

if TYPE_CHECKING:
    from ordeval.measures.metric import Metric

_CALLS: Final = {
    "labels": "y_true, y_pred, *, labels=None, sample_weight=None",
    "probabilities": "y_true, y_prob, *, labels=None, sample_weight=None",
    "ratings": "ratings, *, labels=None",
}
_UNDEFINED: Final = """undefined
    What to return where the measure is undefined; by default NaN, with a warning."""
_DATA: Final = {
    "labels": f"""y_true, y_pred
    True and predicted labels, one for each item.
labels, sample_weight, unknown, missing
    As in ``ConfusionMatrix.from_labels``.
{_UNDEFINED}""",
    "probabilities": f"""y_true
    True labels, one for each item.
y_prob
    Predicted probabilities (n, K), columns in the order of the scale.
labels
    The ordered labels, lowest first, or a Scale.
sample_weight
    Weights of the items.
{_UNDEFINED}""",
    "ratings": f"""ratings
    Ratings, or a table of items by raters.
labels
    The ordered labels, lowest first, or a Scale.
{_UNDEFINED}""",
}
# Default descriptions of parameters, unless the kernel documents them.
_USUAL: Final = {
    "absent": 'What a class without true items counts for; ``"ignore"`` leaves it out.',
    "at_least": "The label of the lowest level above the cut; without labels, 0 to K - 1.",
    "beta": "The price of distance itself; then ``share`` is not used.",
    "beta_deviation": "The price of distance from the diagonal.",
    "beta_discordance": "The price of each discordant pair of cells.",
    "class_sizes": "Training sizes of the classes; by default those of the truth.",
    "cost": "Costs (K, K), rows truth, columns prediction, zero on the diagonal.",
    "gamma": "Exponent of the distance.",
    "level": 'The level of measurement: ``"ordinal"``, ``"nominal"`` or ``"interval"``.',
    "n": "The largest error, in classes, that counts as correct.",
    "normalize": "Whether to divide by K - 1, so that the value is between 0 and 1.",
    "points": "The numbers at which the levels lie, if they are not one apart.",
    "share": "The price of distance as a share of the largest penalty.",
    "time_limit": "Seconds after which the solver gives up with an error.",
    "unanswered": 'Items of each class without a prediction, or ``"zero"``; as in ``cem_ord``.',
    "weights": 'Weights of errors: ``"quadratic"``, ``"linear"``, ``"nominal"`` or a K x K matrix.',
}
_RAISES: Final = """LabelError
    If labels, weights or probabilities do not fit the scale or each other.
ParameterError
    If a parameter is unknown or outside its domain.
ScaleError
    If the order of the labels is missing."""

_SOLVER: Final = """
SolverError
    If the solver does not finish within ``time_limit`` seconds."""


class LazySignature:
    """The signature of a measure, built on demand because inspect is slow at import."""

    def __get__(self, metric: Metric | None, owner: type[Metric]) -> inspect.Signature:
        if metric is None:
            raise AttributeError("__signature__")
        own = [
            p
            for p in list(inspect.signature(owner.__call__).parameters.values())[1:]
            if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        extra = [
            p.replace(default=metric.bound.get(p.name, p.default))
            for p in inspect.signature(metric.kernel).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        ]
        return inspect.Signature([*own, *extra], return_annotation="float")


def documentation(metric: Metric) -> str:
    """Describe the call, return value, errors and facts of a measure in numpydoc."""
    text = inspect.cleandoc(metric.kernel.__doc__ or "")
    text, _, examples = text.partition("Examples\n--------\n")
    if not examples:
        text, found, examples = text.partition(">>> ")
        examples = found + examples
    prose, _, own = text.partition("Parameters\n----------\n")
    missing = [name for name in metric.parameters if f"{name}\n    " not in own]
    usual = [f"{name}\n    {_USUAL.get(name, 'A parameter of the measure.')}" for name in missing]
    if metric.takes_scores:
        usual.insert(0, "y_score\n    Scores that order the items, instead of ``y_pred``.")
    facts = (
        f"{metric.range.text}, {BETTER[metric.greater_is_better]} is better. "
        f"Undefined when {metric.undefined_when}."
    )
    sections = {
        "Parameters": "\n".join([_DATA[metric.needs], *usual, own.rstrip()]),
        "Returns": f"float\n    Range {facts}",
        "Raises": _RAISES + (_SOLVER if "time_limit" in metric.parameters else ""),
        "Notes": f"Source: {metric.reference}.\nCall: {_call(metric)}",
        "Examples": examples,
    }
    shown = (f"{x}\n{'-' * len(x)}\n{text.rstrip()}\n" for x, text in sections.items() if text)
    return "\n".join([f"{prose.rstrip()}\n", *shown])


def show_parameter(value: Any) -> str:
    """Format a parameter for the name or call of a measure."""
    if isinstance(value, LevelOnScale):
        value = value.label
    return repr(value) if isinstance(value, (str, int, float, type(None))) else "..."


def _call(metric: Metric) -> str:
    given = metric.defaults
    own = "".join(
        f", {name}={show_parameter(given[name])}" if name in given else f", {name}"
        for name in metric.parameters
    )
    return f"{metric.name}({_CALLS[metric.needs]}{own})"
