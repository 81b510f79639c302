"""What models give, next to the truth: labels, probabilities or scores, on the same items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.text import argument, named
from ordeval._shared.types import Floats, Integers, check_choice
from ordeval.data.counts import Dropped
from ordeval.data.items import Items, Misfits, read_items, read_weights
from ordeval.data.probabilities import (
    check_distributions,
    in_order,
    is_table,
    read_scores,
    scale_of_shares,
)
from ordeval.data.same_items import check_same_items
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError

Outputs = Literal["auto", "labels", "probabilities", "scores"]
# Of a scale, what makes probabilities (n, K) into positions (n,).
Decide = Callable[[Scale], Callable[[Floats], Integers]]


def kind_of(output: Any, outputs: Outputs) -> Outputs:
    """What a model gives: as declared, or probabilities if it is a table."""
    if outputs != "auto":
        return outputs
    return "probabilities" if is_table(output) else "labels"


def given_by(
    models: Mapping[str, Any], outputs: Outputs
) -> Literal["labels", "probabilities", "scores"]:
    """What measures can be computed from: what every model gives, and labels if they differ."""
    check_choice("outputs", outputs, get_args(Outputs))
    kinds = {kind_of(x, outputs) for x in models.values() if x is not None}
    if kinds == {"probabilities"}:
        return "probabilities"
    return "scores" if kinds == {"scores"} else "labels"


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """How what models give is read: on which scale, as what, and what happens to misfits."""

    labels: Any = None
    outputs: Outputs = "auto"
    decide: Decide | None = None  # makes probabilities into labels
    decided: bool = True  # whether these labels are needed
    misfits: Misfits = field(default_factory=Misfits)
    distinct: bool = False  # nobody asks which item was where: labels may be counted at once


AS_IT_COMES: Final = Reading()


def read_outputs(
    y_true: Any,
    models: Mapping[str, Any],
    reading: Reading = AS_IT_COMES,
    *,
    sample_weight: Any = None,
) -> Items:
    """Truth and what each model gives, in positions and numbers, for the rows that are kept.

    Probabilities become labels too, by the rule of the reading.
    """
    labels, misfits = reading.labels, reading.misfits
    kinds = {name: kind_of(x, reading.outputs) for name, x in models.items()}
    if set(kinds.values()) <= {"labels"} and not is_table(y_true):
        items = read_items(
            y_true,
            models,
            labels=labels,
            sample_weight=sample_weight,
            misfits=misfits,
            distinct=reading.distinct,
        )
        if reading.decide is not None:
            reading.decide(items.scale)  # costs that do not fit raise an error even if unused
        return items
    if is_table(y_true):
        _check_kinds(kinds)
        return _with_shares(y_true, models, reading, sample_weight)
    plain = {name: x for name, x in models.items() if kinds[name] == "labels"}
    items = read_items(y_true, plain, labels=labels, sample_weight=sample_weight, misfits=misfits)
    others = {name: x for name, x in models.items() if name not in plain}
    index = check_same_items(others.items(), items.index)
    found = _Read(replace(items, index=index), misfits)
    for name, given in others.items():
        found.add(name, given, kinds[name])
    if reading.decide is not None and not reading.decided:
        reading.decide(items.scale)  # costs that do not fit raise an error even if unused
    return found.done(list(models), reading.decide if reading.decided else None)


def with_outputs(
    items: Items,
    prob: Mapping[str, Floats],
    score: Mapping[str, Floats],
    *,
    misfits: Misfits,
    order: list[str],
    decide: Decide | None = None,
) -> Items:
    """Items whose labels are read, with the numbers of all rows of a file; rows count from 1."""
    found = _Read(items, misfits, first=1)
    for name, table in prob.items():
        found.add(name, table, "probabilities")
    for name, values in score.items():
        found.add(name, values, "scores")
    return found.done(order, decide)


class _Read:
    """Outputs that are numbers, next to items whose labels are read."""

    def __init__(self, items: Items, misfits: Misfits, first: int = 0) -> None:
        self.items, self.misfits, self.n = items, misfits, len(items.kept)
        self.rows = np.arange(first, first + self.n) if first else None  # as messages count them
        self.there = np.ones(self.n, dtype=bool)
        self.tables: dict[str, Floats] = {}
        self.scores: dict[str, Floats] = {}
        self.dropped: dict[str, Dropped] = {}

    def add(self, name: str, given: Any, kind: Outputs) -> None:
        """Read the probabilities or scores of one model, for all rows that were given."""
        if kind == "scores":
            if is_table(given):
                raise LabelError(
                    f"{named('outputs')} says scores, one number per item, but {name} is a table. "
                    "Leave outputs out if it contains probabilities."
                )
            gaps = self.misfits.missing == "drop"
            scores = read_scores(given, self.n, name, gaps=gaps)
            self.scores[name] = self._without_gaps(name, scores, 0.0) if gaps else scores
            return
        if not is_table(given):
            raise LabelError(
                f"{named('outputs')} says probabilities, one column per level, but {name} is "
                "not a table."
            )
        self.tables[name] = self.table(name, given)

    def table(self, name: str, given: Any) -> Floats:
        """Distributions (n, K) of all rows that were given."""
        table = in_order(given, self.n, self.items.scale, name)
        if self.misfits.missing == "drop":
            table = self._without_gaps(name, table, 1 / self.items.scale.k)
        gaps = f"{argument('missing', 'drop')} leaves these items out."
        return check_distributions(table, name, self.rows, gaps=gaps)

    def _without_gaps(self, name: str, given: Floats, filled: float) -> Floats:
        """Rows with a missing number are dropped, and until then hold something harmless."""
        gone = np.isnan(given) if given.ndim == 1 else np.isnan(given).any(axis=1)
        if gone.any():
            self.there &= ~gone
            self.dropped[name] = Dropped(missing=int(gone.sum()))
            given = given.copy()
            given[gone] = filled
        return given

    def done(self, order: list[str], decide: Decide | None) -> Items:
        """The items that every model has an output for."""
        items = self.items
        stays, kept = self.there[items.kept], items.kept & self.there
        if not kept.any():
            raise LabelError("there are no items with an output of every model.")
        y_pred = {name: codes[stays] for name, codes in items.y_pred.items()}
        prob = {name: x if kept.all() else x[kept] for name, x in self.tables.items()}
        if decide is not None:
            rule = decide(items.scale)
            y_pred |= {name: rule(x) for name, x in prob.items()}
        weights = None if items.weights is None else items.weights[stays]
        return replace(
            items,
            y_true=items.y_true[stays],
            y_pred={name: y_pred[name] for name in order if name in y_pred},
            prob=prob,
            score={name: x[kept] for name, x in self.scores.items()},
            weights=weights,
            count=items.count[stays],
            kept=kept,
            dropped=items.dropped | self.dropped,
            lost=items.lost + Dropped(missing=int(items.count[~stays].sum())),
            implied=items.implied and not self.tables,  # columns say how many levels there are
        )


def _check_kinds(kinds: Mapping[str, Outputs]) -> None:
    """Beside a truth that is a distribution there must be probabilities."""
    for name, kind in kinds.items():
        if kind != "probabilities":
            raise LabelError(
                f"y_true contains class shares, but {name} does not contain probabilities. To "
                "score labels, use a consensus of the raters as the truth."
            )


def _with_shares(
    y_true: Any, models: Mapping[str, Any], reading: Reading, sample_weight: Any
) -> Items:
    """Probabilities next to a truth that is a distribution."""
    scale: Scale = scale_of_shares(y_true, next(iter(models.values())), reading.labels)
    n = len(y_true)
    if not n:
        raise LabelError("there are no items.")
    every: NDArray[np.bool_] = np.ones(n, dtype=bool)
    items = Items(
        scale=scale,
        y_true=np.full(n, -1, dtype=np.int64),
        y_pred={},
        weights=read_weights(sample_weight, n),
        count=np.ones(n, dtype=np.int64),
        kept=every,
        dropped={},
        lost=Dropped(),
        implied=False,
        index=check_same_items([("y_true", y_true), *models.items()]),
    )
    found = _Read(items, reading.misfits)
    shares = found.table("y_true", y_true)
    for name, given in models.items():
        found.add(name, given, "probabilities")
    read = found.done(list(models), None)
    return replace(read, shares=shares[read.kept])
