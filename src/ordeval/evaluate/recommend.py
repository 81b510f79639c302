"""recommend: which measure, and why."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.types import check_choice
from ordeval.data.confusion import ConfusionMatrix
from ordeval.exceptions import CountsError, ParameterError
from ordeval.measures import Metric, get_metric
from ordeval.measures.registry import Output, applies
from ordeval.results.recommendation import Choice, Recommendation

_IMBALANCED = 0.5
_SCORES = "scores without cut points can only be judged by how they order the items"
_CUT = "scores have no costs until they are cut into classes (ordeval.models.optimal_cut_points)"


# The convention of papers on grading, such as of retinopathy, radiographs and essays.
_GRADING = (
    "Papers on grading report quadratic weighted kappa: report it too, for comparison. It depends "
    "on the class shares, so values of different data sets are not comparable, and it assumes "
    "equally long steps. CEM (closeness) assumes no distances between levels, and average MAE "
    "gives every class the same weight."
)

_WHY: dict[str, tuple[str, str]] = {
    "cem_ord": (
        (
            "gives partial credit for near misses and counts rare classes fully, without "
            "assumed distances"
        ),
        "the direction of errors, and where on the scale they are",
    ),
    "weighted_kappa": (
        "is the usual measure of rater agreement; larger disagreements weigh more",
        "that it depends on the class sizes: do not compare it between data sets",
    ),
    "gwet_ac2": (
        "is stable when one class dominates, where kappa drops",
        "which rater is right",
    ),
    "krippendorff_alpha": (
        "treats both raters alike, without assumed distances between levels",
        "systematic differences between raters, which count as chance agreement",
    ),
    "mean_absolute_error": (
        "shows how far off predictions are, in steps of the scale",
        "rare classes, and steps of unequal length",
    ),
    "average_mae": (
        "shows how far off predictions are, with equal weight for every class",
        "how often each class occurs in practice",
    ),
    "auoc": (
        "averages over all trade-offs of order and exact hits, with equal weight for every class",
        "how often each class occurs in practice, and the size of single errors",
    ),
    "oc_index": (
        "combines order and exact hits of all items in one bounded value",
        "rare classes, which have little weight",
    ),
    "balanced_accuracy": (
        "shows how often each class is predicted correctly, with equal weight for every class",
        "the order: near and far misses count alike",
    ),
    "accuracy": (
        "shows how often predictions are exactly right",
        "the order and the rare classes",
    ),
    "mean_signed_error": (
        "shows whether predictions are too high or too low",
        "errors in both directions, which cancel",
    ),
    "kendall_tau_b": (
        "shows whether the order of the items is preserved",
        "a shift: predictions that are all one class too high still rank perfectly",
    ),
    "spearman_rho": (
        "shows how well the ranks agree; larger displacements weigh more",
        "a shift, and the number of classes",
    ),
    "concordance_index": (
        "is the probability that the higher of two items has the higher score, like an AUC",
        "a shift or a stretch of the scores",
    ),
    "coefficient_of_predictive_ability": (
        "is the share of correctly ordered pairs, weighted by their distance on the scale",
        "rare classes, and a shift or a stretch of the scores",
    ),
    "ordinal_ranking_correctness": (
        (
            "is the probability that the item of the higher class has the higher score, "
            "with equal weight for every pair of classes"
        ),
        "how often each class occurs in practice, and a shift of the scores",
    ),
    "expected_cost": (
        "is the average cost of a decision, with your own costs",
        "everything that the costs omit",
    ),
    "normalized_expected_cost": (
        "compares that cost with the best constant decision: below 1 is useful",
        "the absolute size of the cost",
    ),
    "cost_accuracy_distance": (
        "combines accuracy with the cost of errors, which grows with distance and rarity",
        "which of the two is better; see the performance grid",
    ),
    "ranked_probability_score": (
        "scores the whole predicted distribution; near misses cost less than far ones",
        "the decision that would follow",
    ),
    "ranked_probability_skill_score": (
        "compares that score with predicting the class frequencies: above 0 is useful",
        "the absolute quality of the probabilities",
    ),
}


@checked
def recommend(
    counts: Any = None,
    *,
    outputs: Output = "labels",
    equal_steps: bool | None = None,
    imbalanced: bool | None = None,
    costs_known: bool = False,
    raters: bool = False,
    mandated: str | Metric | None = None,
) -> Recommendation:
    """Recommend a measure for the decision and two companions, and say what each hides.

    Parameters
    ----------
    counts
        A ConfusionMatrix or an array of counts, to detect imbalance.
    outputs
        What the models give: ``"labels"``, ``"probabilities"`` or ``"scores"``.
    equal_steps
        Whether all steps of the scale are equally long; unknown by default.
    imbalanced
        Whether class sizes differ much; by default computed from ``counts``.
    costs_known
        Whether you know the cost of each error.
    raters
        Whether the data are ratings without a known truth.
    mandated
        A measure that your field or a rule demands; it leads, with fitting companions.

    Returns
    -------
    results.Recommendation
        The measures with the reasons for each, and the call that computes them.

    Raises
    ------
    CountsError
        If ``counts`` is not a confusion matrix.
    ParameterError
        If an option is outside its domain.
    UnknownMetricError
        If no measure is called ``mandated``.

    Examples
    --------
    >>> recommend(imbalanced=True).primary.metric.name
    'cem_ord'
    >>> [m.name for m in recommend(outputs="probabilities").metrics]
    ['ranked_probability_score', 'ranked_probability_skill_score', 'cem_ord']
    """
    check_choice("outputs", outputs, get_args(Output))
    for name, flag in (("equal_steps", equal_steps), ("imbalanced", imbalanced)):
        if flag not in (None, True, False):
            raise ParameterError(f"{name} must be True, False or None; got {flag!r}.")
    facts = []
    if imbalanced is None:
        imbalanced, fact = _read_imbalance(counts)
        facts += [fact] if fact else []
    elif imbalanced:
        facts.append("class sizes differ")
    names, because = _rule(outputs, equal_steps, imbalanced, costs_known, raters)
    facts = [*because, *facts]
    metrics = [get_metric(n) for n in names]
    if mandated is not None:
        required = get_metric(mandated)
        facts = [f"{required.name} is required", *facts]
        metrics = [required, *(m for m in metrics if m.kernel is not required.kernel)][:3]
    choices = [_choice(m) for m in metrics]
    run = call_for(tuple(metrics), outputs, costs_known=costs_known, raters=raters)
    kappa = any(m.registered_as == "weighted_kappa" for m in metrics)
    note = "" if kappa or raters or costs_known or outputs != "labels" else _GRADING
    return Recommendation(choices[0], (choices[1], choices[2]), tuple(facts), run, note)


def call_for(
    metrics: tuple[Metric, ...], outputs: Output, *, costs_known: bool, raters: bool
) -> str:
    """What to run, in Python: ``models`` maps names to what the models give."""
    with_costs = {m.name for m in metrics if "cost" in m.parameters} if costs_known else set()
    listed = ", ".join(
        f"oe.{m.name}.with_params(cost=cost)" if m.name in with_costs else f'"{m.name}"'
        for m in metrics
    )
    if raters and outputs == "labels":
        return f"oe.score(rater_a, rater_b, [{listed}], labels=labels)"
    cut, more = "", ""
    if outputs == "scores":
        if all(applies(m, "scores") for m in metrics):
            more = ', outputs="scores"'
        else:
            cut = (
                "models = {name: oe.models.optimal_cut_points(y_true, score, labels=labels)"
                ".predict(score) for name, score in models.items()}\n"
            )
    elif outputs == "probabilities" and costs_known:
        more = ", decide=cost"
    return f"{cut}oe.compare(y_true, models, [{listed}], labels=labels{more})"


def _rule(
    outputs: str, equal_steps: bool | None, imbalanced: bool, costs_known: bool, raters: bool
) -> tuple[list[str], list[str]]:
    if costs_known:
        return (
            ["expected_cost", "normalized_expected_cost", "mean_signed_error"],
            ["you know the cost of errors", *([_CUT] if outputs == "scores" else [])],
        )
    if outputs == "probabilities":
        return (
            ["ranked_probability_score", "ranked_probability_skill_score", "cem_ord"],
            ["the models give probabilities, and labels would discard most of that information"],
        )
    if outputs == "scores":
        order = [
            "concordance_index",
            "coefficient_of_predictive_ability",
            "ordinal_ranking_correctness",
        ]
        return order[::-1] if imbalanced else order, [_SCORES]
    if raters:
        lead = "gwet_ac2" if imbalanced else "weighted_kappa"
        return (
            [lead, "krippendorff_alpha", "mean_signed_error"],
            ["this is about agreement between raters"],
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


def _read_imbalance(counts: Any) -> tuple[bool, str]:
    if counts is None:
        return False, ""
    if _are_labels(counts):
        raise CountsError(
            "recommend() takes a confusion matrix, not labels. Build one with "
            "ConfusionMatrix.from_labels(y_true, y_pred), and pass it as counts."
        )
    cm = counts if isinstance(counts, ConfusionMatrix) else ConfusionMatrix(counts)
    sizes = np.asarray(cm.support, dtype=np.float64).reshape(-1, cm.k).sum(axis=0)
    if not sizes.any():
        return False, ""
    largest = float(sizes.max() / sizes.sum())
    smallest = float(sizes.min() / sizes.max())
    if largest >= max(_IMBALANCED, 1.5 / cm.k) or smallest < 0.2:
        what = "in weight" if cm.weighted else "items"
        return True, f"class sizes differ (from {sizes.min():g} to {sizes.max():g} {what})"
    return False, "class sizes are alike"


def _are_labels(counts: Any) -> bool:
    """Whether labels were given instead of a matrix: one value for each item."""
    if isinstance(counts, (list, tuple)):
        return bool(counts) and not any(isinstance(x, (list, tuple, np.ndarray)) for x in counts)
    return isinstance(getattr(counts, "ndim", None), int) and counts.ndim == 1


def _choice(metric: Metric) -> Choice:
    why, hides = _WHY.get(
        metric.registered_as,
        ("is required", "see its page in the documentation"),
    )
    return Choice(metric, why, hides)
