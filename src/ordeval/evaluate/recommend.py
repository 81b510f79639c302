"""recommend: which measure, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ordeval.data.confusion import ConfusionMatrix
from ordeval.exceptions import ParameterError
from ordeval.measures import Metric, get_metric

Outputs = Literal["labels", "probabilities", "scores"]
_IMBALANCED = 0.5
_SCORES = (
    "scores without cut points can only be judged by their order; these measures take classes, so "
    "cut the scores first (ordeval.models.optimal_cut_points), or give them to "
    "scipy.stats.kendalltau as they are"
)


@dataclass(frozen=True)
class Choice:
    """A measure, why it was chosen, and what it would hide."""

    metric: Metric
    reason: str
    hides: str

    @property
    def reference(self) -> str:
        """Where the measure was published."""
        return str(self.metric.reference)


@dataclass(frozen=True)
class Recommendation:
    """One measure to decide by, and two to read beside it."""

    primary: Choice
    companions: tuple[Choice, Choice]
    because: tuple[str, ...]  # the facts that led here

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The three measures, ready for ``compare(metrics=...)``."""
        return (self.primary.metric, *(c.metric for c in self.companions))

    def __str__(self) -> str:
        lines = [f"Decide by {self.primary.metric.name}, because {'; '.join(self.because)}."]
        for title, choice in (
            ("primary", self.primary),
            ("companion", self.companions[0]),
            ("companion", self.companions[1]),
        ):
            lines += [
                f"{title}: {choice.metric.name}",
                f"  why: {choice.reason}",
                f"  hides: {choice.hides}",
                f"  from: {choice.reference}",
            ]
        return "\n".join(lines)

    __repr__ = __str__


_WHY: dict[str, tuple[str, str]] = {
    "cem_ord": (
        "keeps order, hits and rare classes in one figure, with distances read from the data",
        "which way the errors go, and where on the scale they are",
    ),
    "weighted_kappa": (
        "is what raters' agreement is usually reported in, with far errors weighing more",
        "that it moves with the class sizes: do not compare it between data sets",
    ),
    "gwet_ac2": (
        "stays steady when one class dominates, where kappa falls",
        "which rater is right: agreement is not truth",
    ),
    "krippendorff_alpha": (
        "treats both raters alike and works for ordinal data without assumed distances",
        "systematic differences between the raters' class sizes, which it counts as chance",
    ),
    "mean_absolute_error": (
        "says in steps of the scale how far off a prediction is",
        "rare classes, and that steps may not be equally long",
    ),
    "average_mae": (
        "says how far off a prediction is with every class weighing the same",
        "how often each class occurs in practice",
    ),
    "auoc": (
        "weighs order and hits over all trade-offs, with every class the same",
        "how often each class occurs in practice, and the size of single errors",
    ),
    "oc_index": (
        "weighs order and hits of all items in one bounded figure",
        "rare classes, which weigh as little as they have items",
    ),
    "balanced_accuracy": (
        "says how often a class is hit, every class the same",
        "the order: a near miss counts like a far one",
    ),
    "accuracy": (
        "says how often the prediction is exactly right, which everybody understands",
        "the order and the rare classes",
    ),
    "mean_signed_error": (
        "says whether predictions are too high or too low",
        "errors in both directions, which cancel",
    ),
    "kendall_tau_b": (
        "says whether the order of the items is kept, whatever the steps",
        "a shift: all predictions one class too high still rank perfectly",
    ),
    "spearman_rho": (
        "says how well the ranks of the items agree, far misplacements weighing more",
        "a shift, and how many classes there are",
    ),
    "concordance_index": (
        "is the chance that the higher of two items is scored higher, read like an AUC",
        "a shift or a stretch of the scores",
    ),
    "expected_cost": (
        "is what an average decision costs by your own costs",
        "everything that the costs leave out",
    ),
    "normalized_expected_cost": (
        "compares that cost with the best decision made without looking: below 1 is useful",
        "the absolute size of the cost",
    ),
    "cost_accuracy_distance": (
        "weighs accuracy with the cost of errors, which grows with distance and rarity",
        "which of the two a classifier is good at: look at the performance grid",
    ),
    "ranked_probability_score": (
        "scores the whole predicted distribution, near misses less than far ones",
        "what decision would follow from it",
    ),
    "ranked_probability_skill_score": (
        "compares that score with knowing only the class sizes: above 0 is useful",
        "the absolute quality of the probabilities",
    ),
}


def recommend(
    data: Any = None,
    *,
    outputs: Outputs = "labels",
    equal_steps: bool | None = None,
    imbalanced: bool | None = None,
    costs_known: bool = False,
    raters: bool = False,
    mandated: str | Metric | None = None,
) -> Recommendation:
    """Which measure to decide by, which two to read beside it, and what each would hide.

    Parameters
    ----------
    data
        A ConfusionMatrix or an array of counts, from which imbalance is read.
    outputs
        What the models give: ``"labels"``, ``"probabilities"`` or ``"scores"``.
    equal_steps
        Whether a step means the same everywhere on the scale; unknown by default.
    imbalanced
        Whether class sizes differ much; by default read from ``data``.
    costs_known
        Whether you know what each error costs.
    raters
        Whether this is agreement between raters rather than prediction of a truth.
    mandated
        A measure that your field or a rule demands; it leads, with fitting companions.

    Examples
    --------
    >>> recommend(imbalanced=True).primary.metric.name
    'cem_ord'
    >>> [m.name for m in recommend(outputs="probabilities").metrics]
    ['ranked_probability_score', 'ranked_probability_skill_score', 'cem_ord']
    """
    if outputs not in ("labels", "probabilities", "scores"):
        raise ParameterError(
            f'outputs must be "labels", "probabilities" or "scores"; got {outputs!r}.'
        )
    for name, flag in (("equal_steps", equal_steps), ("imbalanced", imbalanced)):
        if flag not in (None, True, False):
            raise ParameterError(f"{name} must be True, False or None; got {flag!r}.")
    facts = []
    if imbalanced is None:
        imbalanced, fact = _read_imbalance(data)
        facts += [fact] if fact else []
    elif imbalanced:
        facts.append("class sizes differ much")
    names, because = _rule(outputs, equal_steps, imbalanced, costs_known, raters)
    facts = [*because, *facts]
    metrics = [get_metric(n) for n in names]
    if mandated is not None:
        required = get_metric(mandated)
        facts = [f"{required.name} is required", *facts]
        metrics = [required, *(m for m in metrics if m.kernel is not required.kernel)][:3]
    choices = [_choice(m) for m in metrics]
    return Recommendation(choices[0], (choices[1], choices[2]), tuple(facts))


def _rule(
    outputs: str, equal_steps: bool | None, imbalanced: bool, costs_known: bool, raters: bool
) -> tuple[list[str], list[str]]:
    if costs_known:
        return (
            ["expected_cost", "normalized_expected_cost", "mean_signed_error"],
            ["you know what errors cost"],
        )
    if outputs == "probabilities":
        return (
            ["ranked_probability_score", "ranked_probability_skill_score", "cem_ord"],
            ["the models give probabilities, and labels would throw most of them away"],
        )
    if outputs == "scores":
        return (
            ["concordance_index", "kendall_tau_b", "spearman_rho"],
            [_SCORES],
        )
    if raters:
        lead = "gwet_ac2" if imbalanced else "weighted_kappa"
        return (
            [lead, "krippendorff_alpha", "mean_signed_error"],
            ["it is agreement between raters"],
        )
    if equal_steps:
        lead = "average_mae" if imbalanced else "mean_absolute_error"
        return [lead, "mean_signed_error", "cem_ord"], ["steps of the scale are equally long"]
    if imbalanced:
        return (
            ["cem_ord", "average_mae", "mean_signed_error"],
            ["steps of the scale need not be equally long"],
        )
    return (
        ["cem_ord", "oc_index", "mean_signed_error"],
        ["steps of the scale need not be equally long"],
    )


def _read_imbalance(data: Any) -> tuple[bool, str]:
    if data is None:
        return False, ""
    cm = data if isinstance(data, ConfusionMatrix) else ConfusionMatrix(data)
    sizes = np.asarray(cm.support, dtype=np.float64).reshape(-1, cm.k).sum(axis=0)
    if not sizes.any():
        return False, ""
    largest = float(sizes.max() / sizes.sum())
    smallest = float(sizes.min() / sizes.max())
    if largest >= max(_IMBALANCED, 1.5 / cm.k) or smallest < 0.2:
        return True, f"class sizes differ much (from {sizes.min():g} to {sizes.max():g} items)"
    return False, "class sizes are alike"


def _choice(metric: Metric) -> Choice:
    why, hides = _WHY.get(
        metric.registered_as,
        ("is required", "what its card in the documentation says that it does not see"),
    )
    return Choice(metric, why, hides)
