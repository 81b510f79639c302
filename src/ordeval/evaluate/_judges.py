"""Who is judged by whom: the answers of judges matched to items, and the humans that are left."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from ordeval._shared.arguments import is_number, listed, shown
from ordeval._shared.text import did_you_mean, joined, name_of, named, nearest
from ordeval._shared.types import Integers
from ordeval.data.columns import as_column, is_missing
from ordeval.data.positions import positions_with_gaps
from ordeval.data.query import refuse_names
from ordeval.data.ratings import Ratings
from ordeval.data.ratings.tables import numbered, read_table, refuse_other_items
from ordeval.exceptions import LabelError, ParameterError
from ordeval.inference.raters.judge_effects import columns_of, inseparable

_LEVELS: Final = 50  # of a covariate; each has an effect


def leave_out(
    humans: Ratings, without: Any, called: str = "humans"
) -> tuple[Ratings, tuple[str, ...]]:
    """The humans without some of them, and who those are."""
    given = [without] if isinstance(without, str) else without
    asked = [] if given is None else listed(given, "without", words=f"names of {called}")
    names = list(dict.fromkeys(map(str, asked)))
    for name in names:
        if name not in humans.runs:
            hint = did_you_mean(nearest(name, humans.runs))
            raise ParameterError(
                f"{named('without')} must name {called}; none is called {name!r}.{hint} The "
                f"{called} are {joined(list(humans.runs))}."
            )
    if not names:
        return humans, ()
    kept = [name for name in humans.runs if name not in names]
    if len(kept) < 2:
        raise ParameterError(
            f"{named('without')} must leave at least two {called}; of "
            f"{len(humans.runs)} it leaves {len(kept)}."
        )
    return humans.of(kept), tuple(names)


def group_items(
    name: str, given: Any, humans: Ratings, what: str
) -> tuple[list[Hashable], Integers]:
    """The distinct systems or subgroups of the items in order, and the number of each item's."""
    values = read_of_items(name, given, humans, what)
    keys, number = numbered(values, np.ones(len(values), dtype=np.int64))
    if len(keys) < 2:
        raise LabelError(f"{named(name)} must name at least two {what}s.")
    return keys, number


def read_covariates(given: Any, humans: Ratings) -> dict[str, list[Any]]:
    """The values of covariates for each item, by the covariate's name."""
    if not isinstance(given, Mapping) or not given:
        raise LabelError(
            f"{named('covariates')} must map names to values, one per item, for example "
            f"{{'length': lengths}}; got {shown(given)}."
        )
    found = {str(n): read_of_items(f"{n}", x, humans, "value") for n, x in given.items()}
    for name, values in found.items():
        if len(set(values)) < 2:
            raise LabelError(f"the covariate {name} is constant, so it has no effect.")
        if any(isinstance(x, float) and not math.isfinite(x) for x in values):
            raise LabelError(f"the covariate {name} must be finite.")
        levels = 0 if all(map(is_number, values)) else len(set(values))
        if levels > _LEVELS:
            raise LabelError(
                f"the covariate {name} has {levels:,} levels, and at most {_LEVELS} are possible."
            )
    if len(same := inseparable(columns_of(found))) > 1:
        raise LabelError(
            f"the covariates {joined(same)} determine each other, so their effects cannot be "
            f"separated: leave out one of them."
        )
    return found


def read_of_items(name: str, given: Any, humans: Ratings, what: str) -> list[Hashable]:
    """What is given of each item, in the order of the items or by their names."""
    n = len(humans.items)
    if isinstance(given, Mapping):
        given = _looked_up(name, given, humans, what)
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise LabelError(
            f"{named(name)} must name a {what} for each of the {n:,} items; got {shown(given)}."
        )
    refuse_other_items(named(name), given, humans.items)
    values = listed(given, name, LabelError)
    if len(values) != n:
        raise LabelError(
            f"{named(name)} must name a {what} for each of the {n:,} items; got {len(values):,}."
        )
    if lost := [item for item, x in zip(humans.items, values, strict=True) if is_missing(x)]:
        raise LabelError(
            f"{named(name)} must not hold missing values: {len(lost):,} of {n:,} items have none, "
            f"such as {lost[0]!r}. Leave these items out of the ratings."
        )
    if not all(isinstance(x, Hashable) for x in values):
        raise LabelError(f"{named(name)} must hold hashable values.")
    return values


def _looked_up(name: str, given: Mapping[Any, Any], humans: Ratings, what: str) -> list[Any]:
    """The value of each item in a mapping."""
    lost = [item for item in humans.items if item not in given]
    if lost:
        raise LabelError(f"{named(name)} must name a {what} for each item; {lost[0]!r} has none.")
    return [given[item] for item in humans.items]


def read_judges(
    judges: Any, humans: Ratings, called: str = "judges"
) -> tuple[dict[str, Integers], int]:
    """The answers of each judge (N, runs) in positions, and how many items no human rated."""
    unmatched = 0
    if isinstance(judges, Ratings):
        judges, unmatched = _matched(judges, humans)
    if not isinstance(judges, Mapping) or not judges:
        raise LabelError(
            f"{called} must map names to labels, one per item, for example {{'gpt': answers}}; or "
            f"be Ratings."
        )
    found = {str(n): _read_answers(str(n), given, humans) for n, given in judges.items()}
    if len(found) < len(judges):
        raise LabelError(f"{called} must have different names; got {list(judges)}.")
    refuse_names(found, {"(humans)": "all humans", "(other humans)": "the other humans"}, "a judge")
    refuse_names(humans.runs, {"(nobody)": "all humans together"}, "a human")
    return found, unmatched


def _matched(judges: Ratings, humans: Ratings) -> tuple[dict[str, Any], int]:
    """The labels by judges of the items that humans rated, and how many other items there are.

    Items are matched by how they are written: text files do not tell 7 from "7".
    """
    places = [_by_name(ratings) for ratings in (judges, humans)]
    rows = [places[0].get(name, -1) for name in places[1]]
    shared = len(rows) - rows.count(-1)
    if not shared:
        first = [repr(ratings.items[0]) for ratings in (humans, judges)]
        raise LabelError(
            f"humans and judges have no item in common: human items look like {first[0]}, "
            f"judge items like {first[1]}."
        )
    levels = np.empty(judges.k + 1, dtype=object)
    levels[:] = [*judges.scale.levels, None]
    codes = np.concatenate([judges.codes, np.full((1, judges.codes.shape[1]), -1)])[rows]
    given = {name: levels[codes[:, list(runs)]] for name, runs in judges.runs.items()}
    return given, len(judges.items) - shared


def _by_name(ratings: Ratings) -> dict[str, int]:
    """The place of each item."""
    found = {name_of(item): i for i, item in enumerate(ratings.items)}
    if len(found) < len(ratings.items):
        raise LabelError("items are matched by their text, so their texts must differ.")
    return found


def _read_answers(name: str, given: Any, humans: Ratings) -> Integers:
    n = len(humans.items)
    refuse_other_items(name, given, humans.items)
    found = []
    for column in (as_column(c, name) for c in _runs_of(name, given)):
        if len(column) != n:
            raise LabelError(
                f"{name} must have an answer for each of the {n:,} items, None where there is "
                f"none; got {len(column):,}."
            )
        found.append(positions_with_gaps(humans.scale, column))
    return np.stack(found, axis=1)


def _runs_of(name: str, given: Any) -> Sequence[Any]:
    """The columns of answers: one, or one for each run."""
    rows = isinstance(given, (list, tuple)) and given and isinstance(given[0], (list, tuple))
    if not (rows or hasattr(given, "columns") or getattr(given, "ndim", 1) == 2):
        return [given]
    try:
        return list(read_table(given, None).columns.values())
    except LabelError as error:
        raise LabelError(f"the runs of {name}: {error}") from None
