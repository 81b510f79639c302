"""What is asked of a frame or a file: which columns, on which scale."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

import numpy as np

from ordeval._shared.arguments import listed
from ordeval._shared.text import named
from ordeval._shared.types import Policy
from ordeval.data.items import Misfits
from ordeval.data.level_names import shared_start
from ordeval.data.populations.shares import Population
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import LabelError

_FEW: Final = 8  # columns that a message shows
_SEPARATORS: Final = "_-.:/ "
# What says of columns that they hold probabilities, after the name of the model.
_OF_PROBABILITIES: Final = re.compile(
    r"(?<=[^_\-.:/ ])[_\-.:/ ]+(?:p|pr|prob|probs|proba|probability)$", re.IGNORECASE
)
_RENAME: Final = " Names are texts: rename the columns, for example frame.rename(columns=str)."

# What describes columns, and says more about a wrong name than its type.
COLUMN_OPTIONS: Final = (
    *("truth", "pred", "score", "weight", "clusters", "by"),
    *("unknown", "missing"),
)


@dataclass(frozen=True, kw_only=True)
class Query:
    """Which columns are counted, on which scale, and what happens to labels that do not fit."""

    truth: str
    models: tuple[str, ...]  # columns of labels
    # By model: columns of probabilities, or what their names begin with.
    prob: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    score: tuple[str, ...] = ()  # columns of scores
    labels: Scale | None = None
    weight: str | None = None
    by: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()
    misfits: Misfits = field(default_factory=Misfits)
    population: Population | None = None  # that is meant, if it is not the data's own
    # Of partial truth: columns of labels that all items have, and how items with a true label were
    # chosen: a column of probabilities, or columns of strata.
    proxy: tuple[str, ...] = ()
    inclusion: str | None = None
    within: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        labels = (self.truth, *self.models)
        if self.truth in self.proxy:
            raise LabelError(
                f"{named('proxy')} and {named('truth')} name the same column, {self.truth!r}: the "
                f"proxy's labels and the human ones must be two columns."
            )
        if not self.proxy and (self.inclusion or self.within):
            raise LabelError(f"{named('inclusion')} needs {named('proxy')}.")
        for model in self.prob:
            if model in (*self.models, *self.score):
                raise LabelError(
                    f"{named('prob')} needs a name of its own for each model; got {model!r}, which "
                    f"is the column of another model."
                )
        if twice := [c for c in self.score if c in self.models]:
            raise LabelError(
                f"{named('pred')} and {named('score')} name the same model, {twice[0]!r}, which "
                f"gives labels or scores."
            )
        if self.truth in (*self.models, *self.score):
            raise LabelError(
                f"{named('truth')} and {named('pred' if self.truth in self.models else 'score')} "
                f"name the same column, {self.truth!r}: name the column of the model's predictions."
            )
        # Within clusters of another column, labels may distinguish clusters.
        alone = self.clusters[0] if len(self.clusters) == 1 else None
        for what, column in (("weight", self.weight), ("clusters", alone)):
            if column in labels:
                held = "truth" if column == self.truth else "pred"
                raise LabelError(
                    f"{named(what)} and {named(held)} name the same column, {column!r}, which "
                    f"holds labels. Name another for the {what.removesuffix('s')}s."
                )

    @classmethod
    def of(
        cls,
        truth: str,
        pred: str | Sequence[str] | None,
        *,
        labels: Any = None,
        weight: str | None = None,
        by: str | Sequence[str] | None = None,
        clusters: str | Sequence[str] | None = None,
        unknown: Policy = "raise",
        missing: Policy = "raise",
    ) -> Query:
        """The query of a constructor's arguments; each may be a column or a list of columns."""
        return cls(
            truth=one_column(truth, "truth"),
            models=() if pred is None else several_columns(pred, "pred"),
            labels=None if labels is None else as_scale(labels),
            weight=None if weight is None else one_column(weight, "weight"),
            by=() if by is None else several_columns(by, "by"),
            clusters=() if clusters is None else several_columns(clusters, "clusters"),
            misfits=Misfits(unknown, missing),
        )

    def giving(self, prob: Any, score: Any, proxy: Any = None, inclusion: Any = None) -> Query:
        """Return the query with models that give probabilities or scores, and with proxies."""
        chosen = () if inclusion is None else several_columns(inclusion, "inclusion")
        within = chosen if set(chosen) <= set(self.by) else ()
        number = (
            None
            if within or not chosen
            else one_column(chosen[0] if len(chosen) == 1 else inclusion, "inclusion")
        )
        return replace(
            self,
            proxy=() if proxy is None else several_columns(proxy, "proxy"),
            inclusion=number,
            within=within,
            prob={} if prob is None else by_model_of(prob),
            score=() if score is None else several_columns(score, "score"),
        )

    @property
    def given(self) -> Literal["labels", "probabilities", "scores"]:
        """What measures can be computed from: what every model gives, and labels if they differ."""
        if self.score:
            return "scores"
        return "labels" if self.models else "probabilities"

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the models, whatever they give."""
        return (*self.models, *self.prob, *self.score)

    @property
    def plain(self) -> bool:
        """Whether models give labels only."""
        return not self.prob and not self.score

    @property
    def numbers(self) -> list[str]:
        """The columns that are read as numbers, of models that give more than labels."""
        if self.plain:
            return []
        tables = [c for columns in self.prob.values() for c in columns]
        return list(dict.fromkeys([*tables, *self.score, *([self.weight] if self.weight else [])]))

    @property
    def columns(self) -> list[str]:
        """All other columns that are read, the weight among them if models give labels only."""
        weight = [] if self.weight is None or not self.plain else [self.weight]
        strata = () if self.population is None else self.population.columns
        chosen = [*self.within, *([self.inclusion] if self.inclusion else [])]
        named = [*self.by, *strata, *self.labelled, *self.clusters, *weight, *chosen]
        return list(dict.fromkeys(named))

    @property
    def labelled(self) -> list[str]:
        """The columns of labels: the truth, the models that give labels, and proxies."""
        return list(dict.fromkeys([self.truth, *self.models, *self.proxy]))

    @property
    def counted(self) -> bool:
        """Whether counts of labels may be enough: the items are those of the question."""
        return self.plain and self.population is None and not self.proxy


def apart(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names of columns, changed where another column or a model has the same one."""
    used, found = set(taken), list[str]()
    for name in names:
        while name in used:
            name += " (of items)"
        used.add(name)
        found.append(name)
    return found


def refuse_names(names: Iterable[Any], reserved: Mapping[str, str], what: str) -> None:
    """Refuse names that a table gives to something else, which ``reserved`` describes."""
    for name in names:
        if str(name) in reserved:
            raise LabelError(
                f"{what} is called {str(name)!r}, which is the name of {reserved[str(name)]} in "
                f"tables. Rename it."
            )


def by_model_of(prob: Any) -> dict[str, str | tuple[str, ...]]:
    """By model, what the names of its columns of probabilities begin with, or these columns."""
    if isinstance(prob, (list, tuple)) and all(map(_is_prefix, prob)):
        given: Mapping[Any, Any] = {_called(x): x for x in prob}
        if len(given) < len(prob):
            raise LabelError(
                f"{named('prob')} lists prefixes that give two models one name: "
                f"{', '.join(map(repr, prob))}. Name the models: prob={{'a': {prob[0]!r}, ...}}."
            )
    else:
        given = prob if isinstance(prob, Mapping) else {_called(prob): prob}
    found: dict[str, str | tuple[str, ...]] = {}
    for model, columns in given.items():
        if not isinstance(model, str) or not model:
            raise LabelError(
                f"{named('prob')} needs a name of its own, a text, for each model; got {model!r}."
            )
        found[model] = columns if isinstance(columns, str) else several_columns(columns, "prob")
    if not found:
        raise LabelError(f"{named('prob')} names no model.")
    return found


def _is_prefix(column: Any) -> bool:
    """Whether a text is what names of columns begin with: it ends in a separator."""
    return isinstance(column, str) and column.endswith(tuple(_SEPARATORS))


def _called(prob: Any) -> str:
    """What a model is called whose columns begin like this: ``A_`` and ``A_p_`` are of A."""
    shared = prob if isinstance(prob, str) else shared_start(several_columns(prob, "prob"))
    return _OF_PROBABILITIES.sub("", shared.rstrip(_SEPARATORS)) or "model"


def several_columns(columns: Any, what: str) -> tuple[str, ...]:
    """The names of one column or several different ones, or an error."""
    alone = isinstance(columns, str) or not isinstance(columns, Iterable)
    wanted = "a column, or a list of different columns"
    one = alone or getattr(columns, "ndim", 1) == 0
    names = (columns,) if one else tuple(listed(columns, what, LabelError, wanted))
    if not names or not all(isinstance(c, str) for c in names) or len(set(names)) < len(names):
        shown = ", ".join(map(repr, names[:_FEW])) + " and more" * (len(names) > _FEW)
        raise LabelError(
            f"{named(what)} takes {wanted}; got {shown or 'none'}.{_how_to_name(columns, names)}"
        )
    return names


def _how_to_name(given: Any, listed: Sequence[Any]) -> str:
    """Return the advice if values or numbers were passed instead of column names."""
    if hasattr(given, "__array__") or len(listed) > _FEW:
        return " These look like values: put them into a column of the frame, and name that."
    if any(isinstance(c, (int, np.integer)) for c in listed):
        return _RENAME
    return ""


def one_column(column: Any, what: str) -> str:
    """The name of a column, or an error."""
    if not isinstance(column, str):
        one = not isinstance(column, Iterable) or getattr(column, "ndim", 1) == 0
        names = [column] if one else listed(column, what, LabelError, "the name of one column")
        values = hasattr(column, "__array__")
        shown = f"a {type(column).__name__}" if values else reprlib.repr(column)
        raise LabelError(
            f"{named(what)} takes the name of one column; got {shown}.{_how_to_name(column, names)}"
        )
    return column
