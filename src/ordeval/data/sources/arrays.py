"""Labels, probabilities and scores that are in memory, next to weights, clusters and subgroups."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np

from ordeval._shared.arguments import listed
from ordeval._shared.text import named
from ordeval._shared.types import Floats
from ordeval.data.columns import as_column, frame_columns
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.items import Misfits, read_weights
from ordeval.data.numbering import coded
from ordeval.data.outputs import Outputs, Reading, kind_of, read_outputs
from ordeval.data.probabilities import in_order, is_table, read_scores
from ordeval.data.query import Query, apart
from ordeval.data.same_items import check_same_items
from ordeval.data.sources.rows import DistinctRows, orders_of, rows_of, with_each
from ordeval.exceptions import LabelError, ParameterError

NO_LABELS: Final = (
    "a proxy needs models that give labels: convert probabilities or scores to "
    "labels first, for example with oe.models.decide."
)


class _Facts(NamedTuple):
    """Columns of items, that no model gives."""

    truth: str
    weight: str | None
    clusters: dict[str, Any]  # outermost first
    by: dict[str, Any]
    proxies: dict[str, Any]
    inclusion: str | None


@dataclass(frozen=True, eq=False)
class Arrays:
    """What the user holds in memory; all of it has one entry per item."""

    y_true: Any
    models: Mapping[str, Any]
    sample_weight: Any = None
    clusters: Any = None  # one array, or several of clusters within clusters
    by: Mapping[str, Any] = field(default_factory=dict)
    proxies: Mapping[str, Any] = field(default_factory=dict)
    inclusion: Any = None  # one number per item
    outputs: Outputs = "auto"
    # The numbers of each item, by the name of their column, once the scale is known.
    numbers: Mapping[str, Floats] = field(default_factory=dict)

    @property
    def once(self) -> bool:
        """Never: arrays can be read again."""
        return False

    @property
    def kinds(self) -> dict[str, Outputs]:
        """What each model gives."""
        return {name: kind_of(x, self.outputs) for name, x in self.models.items()}

    def counted(self, query: Query) -> ConfusionMatrix:
        """The counts of the labels of one model."""
        (given,) = self.models.values()
        unknown, missing = query.misfits.unknown, query.misfits.missing
        weight = self.sample_weight
        return ConfusionMatrix.from_labels(
            self.y_true, given, query.labels, weight, unknown=unknown, missing=missing
        )

    def columns(self) -> tuple[str, ...]:
        """The names of all columns of labels, subgroups, clusters and weights."""
        return (*self._held(), *self.numbers)

    @cached_property
    def _facts(self) -> _Facts:
        """The columns of items, under names that are no model's: a subgroup may be called so."""
        levels = [] if self.clusters is None else cluster_levels(self.clusters)
        numbered = [f"clusters {i + 1}" for i in range(len(levels))]
        weights = [] if self.sample_weight is None else ["sample_weight"]
        clusters = ["clusters"] if len(levels) == 1 else numbered
        chosen = [] if self.inclusion is None else ["inclusion"]
        given = ["y_true", *weights, *clusters, *self.by, *self.proxies, *chosen]
        truth, *others = apart(given, self.models)
        first, last = len(weights), len(weights) + len(levels)
        end = last + len(self.by)
        return _Facts(
            truth=truth,
            weight=others[0] if weights else None,
            clusters=dict(zip(others[first:last], levels, strict=True)),
            by=dict(zip(others[last:end], self.by.values(), strict=True)),
            proxies=dict(zip(others[end:], self.proxies.values(), strict=False)),
            inclusion=others[-1] if chosen else None,
        )

    @property
    def by_names(self) -> tuple[str, ...]:
        """The names of the columns of subgroups."""
        return tuple(self._facts.by)

    @property
    def truth(self) -> str:
        """The name of the column of the truth."""
        return self._facts.truth

    def query(self, labels: Any, misfits: Misfits, within: tuple[str, ...] = ()) -> Query:
        """What is asked of the arrays, as of columns of a table."""
        kinds, facts = self.kinds, self._facts
        return Query(
            truth=facts.truth,
            models=tuple(m for m, kind in kinds.items() if kind == "labels"),
            labels=labels,
            weight=facts.weight,
            by=tuple(facts.by),
            clusters=tuple(facts.clusters),
            proxy=tuple(facts.proxies),
            inclusion=facts.inclusion,
            within=tuple(c for c, name in zip(facts.by, self.by, strict=True) if name in within),
            misfits=misfits,
            prob={m: m for m, kind in kinds.items() if kind == "probabilities"},
            score=tuple(m for m, kind in kinds.items() if kind == "scores"),
        )

    def as_table(self, query: Query) -> tuple[Arrays, Query]:
        """Return arrays with one column of numbers for each level of a model's probabilities."""
        if query.proxy and not query.plain:
            raise LabelError(NO_LABELS)
        if query.plain:
            return self, query
        if is_table(self.y_true):
            raise LabelError(
                "a truth of class shares works with probabilities in score and compare, "
                "without subgroups. Otherwise use the consensus of the raters."
            )
        reading = Reading(labels=query.labels, outputs=self.outputs, misfits=query.misfits)
        scale = read_outputs(self.y_true, self.models, reading).scale
        n = len(as_column(self.y_true, self.truth))
        named_by_level = [f"{m}: {level}" for m in query.prob for level in scale]
        taken = [*self.models, *query.columns, *([query.weight] if query.weight else [])]
        unique = iter(apart(named_by_level, taken))
        prob = {m: tuple(islice(unique, scale.k)) for m in query.prob}
        numbers: dict[str, Floats] = {}
        for model, columns in prob.items():
            table = in_order(self.models[model], n, scale, model)
            numbers |= dict(zip(columns, table.T, strict=True))
        gaps = query.misfits.missing == "drop"
        numbers |= {m: read_scores(self.models[m], n, m, gaps=gaps) for m in query.score}
        if query.weight is not None:
            weights = read_weights(self.sample_weight, n)
            assert weights is not None
            numbers[query.weight] = weights
        return replace(self, numbers=numbers), replace(query, labels=scale, prob=prob)

    def _held(self) -> dict[str, Any]:
        labels = {m: self.models[m] for m, kind in self.kinds.items() if kind == "labels"}
        facts = self._facts
        weight = {} if facts.weight is None else {facts.weight: self.sample_weight}
        chosen = {} if facts.inclusion is None else {facts.inclusion: self.inclusion}
        own = {facts.truth: self.y_true, **labels, **facts.by, **facts.clusters, **weight}
        return {**own, **facts.proxies, **chosen}

    def rows(
        self, columns: Sequence[str], weight: str | None = None, numbers: Sequence[str] = ()
    ) -> DistinctRows:
        """The distinct rows of some columns, or one row per item if columns of numbers are read."""
        held = self._held()
        wanted = {c: as_column(held[c], c) for c in columns}
        check_same_items((c, held[c]) for c in (self.truth, *columns))
        lengths = {len(x) for x in wanted.values()}
        if len(lengths) > 1:
            first, *others = wanted.items()
            name, other = next((n, x) for n, x in others if len(x) != len(first[1]))
            raise LabelError(
                f"{first[0]} and {name} must have the same length; got {len(first[1])} and "
                f"{len(other)} entries."
            )
        if numbers:
            labels = {c: coded(x) for c, x in wanted.items()}
            given = {c: self.numbers[c] for c in numbers}
            return with_each(labels, given, orders=orders_of(wanted))
        n = len(next(iter(wanted.values())))
        return rows_of(wanted, None if weight is None else read_weights(held[weight], n))


def cluster_levels(clusters: Any) -> list[Any]:
    """One container of names, or several from the outermost to the innermost."""
    if isinstance(clusters, str) or not isinstance(clusters, Iterable):
        frames = " Names of columns are for frames: Predictions.from_frame takes them."
        raise LabelError(
            f"{named('clusters')} must name the cluster of each item; got {clusters!r}."
            f"{frames * isinstance(clusters, str)}"
        )
    if hasattr(clusters, "__array__"):
        return [clusters]
    levels = listed(clusters, "clusters", LabelError, "the cluster of each item")
    return levels if levels and all(map(_is_column, levels)) else [levels]


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, range)) or (hasattr(value, "__array__") and np.ndim(value) == 1)


def by_arrays(by: Any) -> dict[str, Any]:
    """The arrays of subgroups by name: of a mapping, a frame, or one array."""
    if by is None:
        return {}
    if isinstance(by, Mapping):
        found = {str(name): x for name, x in by.items()}
        if len(found) < len(by):
            raise LabelError(f"the names of subgroups must differ as text; got {list(by)}.")
    elif columns := frame_columns(by):
        found = {str(name): x for name, x in columns}
    else:
        name = getattr(by, "name", None)
        found = {name if isinstance(name, str) and name else "subgroup": by}
    if not found:
        raise ParameterError(f"{named('by')} names no subgroups.")
    return found


def kept(values: Any) -> Any:
    """Values that every question can read; an iterator could be read once."""
    return list(values) if isinstance(values, Iterator) else values


def proxy_arrays(proxy: Any) -> dict[str, Any]:
    """The labels of proxies by name: of a mapping, or of one array."""
    if proxy is None:
        return {}
    given = proxy if isinstance(proxy, Mapping) else {"proxy": proxy}
    if not given:
        raise ParameterError(f"{named('proxy')} names no labels.")
    found = {str(name): kept(x) for name, x in given.items()}
    for name, labels in found.items():
        if is_table(labels):
            raise LabelError(
                f"{named('proxy')} must hold one label for each item; {name!r} is a table."
            )
    return found


def strata_or_numbers(inclusion: Any, by: Iterable[str]) -> tuple[tuple[str, ...], Any]:
    """The subgroups within which items were chosen, or the probabilities of being chosen."""
    names = [inclusion] if isinstance(inclusion, str) else inclusion
    listed = list(names) if isinstance(names, (list, tuple)) else []
    if not listed or not all(isinstance(x, str) for x in listed):
        return (), kept(inclusion)
    there = list(by)
    if unknown := [x for x in listed if x not in there]:
        raise ParameterError(
            f"{named('inclusion')} names {unknown[0]!r}, which is no column of {named('by')}; "
            f"give a probability for each item, or name subgroups within which items were chosen "
            f"at random: {', '.join(there) or 'there are none'}."
        )
    return tuple(listed), None


def by_name(models: Mapping[Any, Any]) -> dict[str, Any]:
    """What each model gives, by its name as text."""
    if not models:
        raise LabelError("the mapping of models is empty; give the predictions of at least one.")
    found = {str(name): x for name, x in models.items()}
    if len(found) < len(models):
        raise LabelError(f"the names of the models must differ as text; got {list(models)}.")
    return found
