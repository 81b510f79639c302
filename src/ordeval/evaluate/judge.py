"""judge: can a judge replace a human?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral
from typing import Any, get_args

import numpy as np

from ordeval._shared.arguments import check_among, checked_but, listed
from ordeval._shared.text import joined, named
from ordeval._shared.types import Integers, check_choice, check_level
from ordeval.data.ratings import Ratings, as_ratings
from ordeval.data.ratings.tables import refuse_other_items
from ordeval.evaluate._judges import leave_out, read_covariates, read_judges
from ordeval.evaluate._judging import Asked, JudgementWork
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.paired import check_margin
from ordeval.inference.raters.alt_test import MIN_ITEMS, Scoring
from ordeval.inference.samples import cluster_numbers
from ordeval.measures import Metric
from ordeval.measures.registry import choose
from ordeval.results.judgement import (
    Judgement,
)


@checked_but("judges", "before", "covariates")
def judge(
    ratings: Any,
    judges: Mapping[str, Any] | Ratings,
    metric: str | Metric = "weighted_kappa",
    *,
    labels: Any = None,
    margin: float | None = None,
    epsilon: float = 0.2,
    scoring: Scoring = "rmse",
    min_items: int = MIN_ITEMS,
    clusters: Any = None,
    systems: Any = None,
    by: Any = None,
    without: Any = None,
    reference: str | None = None,
    before: Mapping[str, Any] | Ratings | None = None,
    covariates: Mapping[str, Any] | None = None,
    level: float = 0.95,
) -> Judgement:
    """Test whether judges agree with humans as well as humans do with each other.

    Parameters
    ----------
    ratings
        Ratings of the humans, or a table of items by humans.
    judges
        The label of each item by each judge, by the judge's name, in the order of the items; or
        items by runs if a judge was asked repeatedly. None and NaN: no answer. Or Ratings of their
        own, whose items are matched by their names, in any order.
    metric
        The measure of agreement between two raters. For an asymmetric measure, the human is the
        truth, and among humans each of them in turn.
    labels
        The ordered labels, lowest first, if ``ratings`` is a plain table.
    margin
        The largest acceptable loss of agreement relative to that among humans, in units of the
        measure, for a judge to count as non-inferior.
    epsilon, scoring, min_items
        For the alt-test: how much better a human may be, the score of an item (``"rmse"``, minus
        the root mean squared distance to the other humans, or ``"accuracy"``, the share of equal
        labels), and the least number of items of a human.
    clusters
        The cluster of each item (document, patient), if the ratings do not have them.
    systems
        The system that produced each item, in the order of the items or by their names: does a
        judge rank systems as humans do?
    by
        The subgroup of each item (a language, a topic), given likewise, to compare the gaps of the
        judges.
    without
        Names of humans to leave out; at least two must remain. The result also has the findings
        without each human.
    reference
        A judge with which the others are compared; by default all pairs of judges are.
    before
        Earlier answers of judges, by the same names as in ``judges`` and in the same form, to
        measure drift.
    covariates
        Values of each item that may influence judges besides its true grade, such as its length,
        position or language, by name: numbers, or levels of a category.
    level
        Confidence level of the intervals.

    Returns
    -------
    results.Judgement
        The agreement of each judge, that of the humans, their difference, the differences between
        judges, the alt-test, the bias of each judge and a conclusion in words.

    Raises
    ------
    LabelError
        If ratings or answers do not fit the scale or each other.
    ParameterError
        If no direction of the measure is better, or an option is outside its domain.
    ScaleError
        If the order of the labels is missing.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> humans = [[1, 1], [2, 2], [3, 3], [1, 2], [3, 3], [2, 2], [1, 1], [2, 3]] * 5
    >>> result = judge(humans, {"llm": [1, 2, 3, 1, 3, 2, 1, 3] * 5}, labels=[1, 2, 3])
    >>> print(result.ceiling)
    0.805 [0.633, 0.894] (95%)
    >>> print(result.agreement["llm"])
    0.909 [0.811, 0.948] (95%)
    """
    (chosen,) = choose([metric])
    check_level(level)
    if chosen.greater_is_better is None:
        raise ParameterError(
            f"{named('metric')} must be a measure with a direction; {chosen.name} is best at 0."
        )
    humans = as_ratings(ratings, labels)
    humans.refuse_runs("the ceiling of humans")
    humans, left_out = leave_out(humans, without)
    check_margin(margin, chosen, humans.k)
    _check_alt_test(epsilon, scoring, min_items)
    answers, unmatched = read_judges(judges, humans)
    if reference is not None:
        check_among("reference", reference, tuple(answers))
    earlier = {} if before is None else read_judges(before, humans, "before")[0]
    if earlier and not set(earlier) & set(answers):
        raise LabelError(
            f"{named('before')} names no judge of {named('judges')}: it has "
            f"{joined(list(earlier))}, not {joined(list(answers))}."
        )
    cluster = _clusters(humans, clusters)
    work = JudgementWork(humans, answers, chosen, level, cluster)
    found = work.done(
        Asked(
            margin=margin,
            epsilon=epsilon,
            scoring=scoring,
            min_items=min_items,
            systems=systems,
            by=by,
            reference=reference,
            before=earlier,
            covariates={} if covariates is None else read_covariates(covariates, humans),
        )
    )
    outside = sum(judges.outside.values()) if isinstance(judges, Ratings) else 0
    return replace(
        found,
        unmatched=unmatched,
        left_out=left_out,
        by=_name_of(by) or found.by,
        outside=found.outside + outside,
    )


def _name_of(by: Any) -> str:
    """What a column calls itself; others have no name."""
    name = getattr(by, "name", None)
    return name if isinstance(name, str) else ""


def _check_alt_test(epsilon: Any, scoring: Any, min_items: Any) -> None:
    if not (isinstance(epsilon, (int, float)) and 0 <= epsilon < 1):
        raise ParameterError(
            f"{named('epsilon')} must be a number from 0 to below 1; got {epsilon!r}."
        )
    check_choice("scoring", scoring, get_args(Scoring))
    if isinstance(min_items, bool) or not isinstance(min_items, Integral) or min_items < 2:
        raise ParameterError(
            f"{named('min_items')} must be a whole number from 2; got {min_items!r}."
        )


def _clusters(humans: Ratings, clusters: Any) -> Integers | None:
    given = humans.clusters if clusters is None else clusters
    if given is None:
        return None
    refuse_other_items(named("clusters"), given, humans.items)
    values = listed(given, "clusters", LabelError)
    return cluster_numbers(values, np.ones(len(humans.items), dtype=bool))
