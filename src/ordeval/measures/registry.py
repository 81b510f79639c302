"""The registry of all measures: registering, finding and choosing them."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, fields
from inspect import isfunction
from typing import (
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    SupportsIndex,
    TypeVar,
    get_args,
    overload,
)

import numpy as np

from ordeval._shared.arguments import check_options, checked, is_among, listed, shown
from ordeval._shared.result import Result
from ordeval._shared.tables import Cell, Table
from ordeval._shared.text import ARROW, BETTER, argument, did_you_mean, joined, named, nearest
from ordeval.exceptions import ParameterError, UnknownMetricError
from ordeval.measures.aliases import ALIASES, SHORT
from ordeval.measures.metric import Family, Metric, Needs
from ordeval.measures.parts.facts import Kernel

Output = Literal["labels", "probabilities", "scores"]  # the output of models
Given = Output | Literal["ratings"]  # or of raters
Chosen = Iterable[str | Metric] | str | Metric | None  # the type of a metrics= argument

M = TypeVar("M", bound=Metric)
N = TypeVar("N", bound=Metric)

_REGISTRY: dict[str, Metric] = {}
ALL: Final = "all"  # instead of names of measures

# Measures of agreement between several raters; some are also measures of labels.
AGREEMENT: Final = (
    *("krippendorff_alpha", "fleiss_kappa", "conger_kappa", "intraclass_correlation"),
    *("gwet_ac2", "brennan_prediger"),
)

# Facts shown unchanged in a table of measures.
_PLAIN: Final = (
    "symbol",
    "family",
    "needs",
    "best",
    "perfect",
    "symmetric",
    "reversal_invariant",
    "depends_on_empty_levels",
    "expensive",
    "undefined_when",
)
_NOT_GIVEN: Final = {"name", "kernel", "bound", "registered_as"}  # what is no fact of a measure


@overload
def register(
    *, name: str | None = None, replace: bool = False, kind: type[M], **facts: Any
) -> Callable[[Kernel], M]: ...
@overload
def register(
    *, name: str | None = None, replace: bool = False, **facts: Any
) -> Callable[[Kernel], Metric]: ...
@checked
def register(
    *, name: str | None = None, replace: bool = False, kind: type[Metric] = Metric, **facts: Any
) -> Callable[[Kernel], Metric]:
    """Register a measure; use it as a decorator.

    The decorated kernel takes counts ``(..., K, K)`` as float64 and its keyword-only parameters,
    and returns values ``(...)``, NaN where undefined.

    Parameters
    ----------
    name
        The name of the measure; by default that of the kernel.
    replace
        Whether to replace a registered measure of the same name.
    kind
        The class of a measure that is not computed from labels.
    **facts
        Facts of the measure, the fields of ``Metric``. Facts that matter have no default: the test
        suite proves them. ``range`` may be a pair of numbers and ``reference`` a text. ``formula``
        is the definition in LaTeX without dollar signs.

    Returns
    -------
    callable
        A decorator that turns the kernel into a ``Metric``.

    Raises
    ------
    ParameterError
        If a fact is missing, unknown or outside its domain, or the name is taken.

    Examples
    --------
    >>> import ordeval as oe
    >>> @oe.register(
    ...     symbol="UNDER", family="distance", best=0, range=(0, 1), greater_is_better=False,
    ...     symmetric=False, reversal_invariant=False, depends_on_empty_levels=False,
    ...     undefined_when="there are no items", reference="This page",
    ... )
    ... def undergrading(n):
    ...     '''Share of items graded too low.'''
    ...     import numpy as np
    ...     items = n.sum((-2, -1))
    ...     return np.where(items > 0, np.tril(n, -1).sum((-2, -1)) / np.maximum(items, 1), np.nan)
    >>> undergrading([1, 2, 3, 3], [1, 1, 3, 2])
    0.5
    >>> oe.unregister("undergrading")
    """
    _check_facts(facts, kind)

    def decorate(kernel: Kernel) -> Metric:
        if not isfunction(kernel):
            raise ParameterError(f"a measure is a function of counts; got {shown(kernel)}.")
        chosen = name or kernel.__name__
        if chosen == ALL:
            raise ParameterError(f"{ALL!r} stands for all measures; choose another name.")
        if chosen in _REGISTRY and not replace:
            raise ParameterError(
                f"a measure called {chosen!r} is registered already; "
                f"choose another name, or pass replace=True."
            )
        _REGISTRY[chosen] = metric = kind(name=chosen, kernel=kernel, **facts)
        _rename(kernel)
        return metric

    return decorate


class SharedFacts(Generic[M]):
    """Register measures of one kind with shared facts; use it as a decorator."""

    def __init__(self, kind: type[M], **facts: Any) -> None:
        self.facts: dict[str, Any] = {"kind": kind, **facts}

    @overload
    def __call__(self, *, kind: type[N], **facts: Any) -> Callable[[Kernel], N]: ...
    @overload
    def __call__(self, **facts: Any) -> Callable[[Kernel], M]: ...
    def __call__(self, **facts: Any) -> Callable[[Kernel], Metric]:
        """Register one measure; its own facts replace the shared ones."""
        return register(**{**self.facts, **facts})

    def but(self, kind: type[N], **facts: Any) -> SharedFacts[N]:
        """Return the facts for measures of another kind, with some of them replaced."""
        return SharedFacts(**{**self.facts, "kind": kind, **facts})


def _facts(kind: type[Metric]) -> dict[str, Field[Any]]:
    return {f.name: f for f in fields(kind) if f.name not in _NOT_GIVEN}


def _default(fact: Field[Any]) -> Any:
    return fact.default if fact.default_factory is MISSING else fact.default_factory()


def _check_facts(given: dict[str, Any], kind: type[Metric]) -> None:
    known = _facts(kind)
    for name in given:
        if name not in known:
            hint = did_you_mean(nearest(name, known))
            raise ParameterError(
                f"register() got an unknown argument {name!r}.{hint} help(oe.register) lists "
                "them all."
            )
    missing = [n for n, fact in known.items() if n not in given and _default(fact) is MISSING]
    if missing:
        raise ParameterError(f"register() is missing required arguments: {', '.join(missing)}.")
    _check_family(given["family"])
    # These two are built from simpler input: two ends, a text.
    check_options({n: x for n, x in given.items() if n not in ("range", "reference")}, kind)


def _rename(kernel: Any) -> None:
    """Let pickle find a decorated function, whose name is now the measure's, as accuracy.kernel."""
    home = sys.modules.get(kernel.__module__)
    if kernel.__qualname__.isidentifier() and getattr(home, kernel.__name__, None) is not kernel:
        kernel.__qualname__ += ".kernel"


def _signature() -> inspect.Signature:
    """Return the signature of ``register``, with the facts of a measure."""
    *own, _ = inspect.signature(register).parameters.values()
    facts = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if _default(fact) is MISSING else _default(fact),
            annotation=fact.type,
        )
        for name, fact in _facts(Metric).items()
    ]
    return inspect.Signature([*facts, *own], return_annotation="Callable[[Kernel], Metric]")


register.__signature__ = _signature()  # type: ignore[attr-defined]


@checked
def unregister(name: str) -> None:
    """Remove a measure from the registry.

    Parameters
    ----------
    name
        The name of the measure.

    Returns
    -------
    None

    Raises
    ------
    UnknownMetricError
        If no measure has this name.
    """
    get_metric(name)
    del _REGISTRY[name]


class Metrics(Result, tuple[Metric, ...]):
    """Measures in a fixed order, also found by name, and shown as a table."""

    __slots__ = ()

    _kind: ClassVar[str] = "ordeval.metrics"

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the measures."""
        return tuple(m.name for m in self)

    def table(self) -> Table:
        """Return name, better direction, family and range of each measure."""
        rows = tuple(
            tuple(map(Cell, (m.name, ARROW[m.greater_is_better], m.family, m.range.text)))
            for m in self
        )
        return Table(("measure", "better", "family", "range"), rows, words=("family", "range"))

    def rows(self) -> list[dict[str, Any]]:
        """Return one record per measure, with its facts."""
        return [
            {
                "metric": m.name,
                "better": BETTER[m.greater_is_better],
                "range": m.range.text,
                **{fact: getattr(m, fact) for fact in _PLAIN},
                "reference": str(m.reference),
            }
            for m in self
        ]

    def to_text(self, width: int | None = None) -> str:
        """Return one line per measure, at any terminal width."""
        return self.table().to_text(width)

    @overload
    def __getitem__(self, key: str | SupportsIndex) -> Metric: ...
    @overload
    def __getitem__(self, key: slice) -> Metrics: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return get_metric(key, among=self)
        found = super().__getitem__(key)
        return Metrics(found) if isinstance(key, slice) else found

    def __contains__(self, item: object) -> bool:
        return item in self.names if isinstance(item, str) else super().__contains__(item)


@checked
def metrics(
    *, family: Family | None = None, needs: Needs | Literal["scores"] | None = None
) -> Metrics:
    """List all registered measures, or those of one family or one kind of input.

    Parameters
    ----------
    family
        Only measures of this family, for example ``"distance"``.
    needs
        Only measures that are computed from ``"labels"``, ``"probabilities"`` or ``"ratings"``, or
        that can be computed from ``"scores"``; the latter take labels too.

    Returns
    -------
    Metrics
        The measures in a fixed order, which can also be found by name.

    Raises
    ------
    ParameterError
        If there is no such family.

    Examples
    --------
    >>> metrics(family="distribution").names
    ('wasserstein', 'normalized_match_distance', 'rnod')
    """
    if family is not None:
        _check_family(family)
    return Metrics(
        m
        for m in _REGISTRY.values()
        if (family is None or m.family == family)
        and (needs in (None, m.needs) or (needs == "scores" and m.takes_scores))
    )


def get_metric(name: str | Metric, *, among: Iterable[Metric] | None = None) -> Metric:
    """Find a measure by its name.

    Parameters
    ----------
    name
        The name of a measure, or ``"sensitivity"``, ``"specificity"``, ``"ppv"``, ``"npv"`` or
        ``"auc"``. A measure is returned as it is.
    among
        The measures to search; by default all that are registered.

    Returns
    -------
    Metric
        The measure.

    Raises
    ------
    UnknownMetricError
        If there is no such measure; the message suggests the nearest names.

    Examples
    --------
    >>> get_metric("oc_index").symbol
    'OC'
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise UnknownMetricError(f"A measure is given by its name or as a Metric; got {name!r}.")
    searched = list(_REGISTRY.values()) if among is None else listed(among, "among")
    if not all(isinstance(m, Metric) for m in searched):
        raise ParameterError(f"among must be measures; got {shown(among)}.")
    known = {m.name: m for m in searched}
    name = name if name in known else SHORT.get(name.casefold(), name)
    if name in known:
        return known[name]
    by_symbol = [m.name for m in known.values() if m.symbol.casefold() == name.casefold()]
    elsewhere = [n for n in ALIASES.get(name.casefold(), ()) if n in known]
    near = list(dict.fromkeys([*elsewhere, *by_symbol, *nearest(name, known)]))[:3]
    raise UnknownMetricError(
        f"No measure is called {name!r}.{did_you_mean(near)} {argument('metrics()')} lists them "
        f"all."
    )


def choose(metrics: Chosen, default: Chosen = None, given: Given = "labels") -> tuple[Metric, ...]:
    """Return the measures chosen by a ``metrics=`` argument, for the output of models.

    None means ``default``. "all" means all that apply, are fast and need no parameters, and so
    does None without a default.
    """
    if metrics is None:
        metrics = ALL if default is None else default
    if isinstance(metrics, str) and metrics == ALL:
        metrics = [m for m in _REGISTRY.values() if applies(m, given) and m.by_default]
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    chosen: dict[str, Metric] = {}
    for metric in map(get_metric, listed(metrics, "metrics", words="names or measures")):
        refuse_other_needs(metric, given)
        first = chosen.setdefault(metric.name, metric)
        if first is not metric and not _alike(metric, first):
            raise ParameterError(
                f"{named('metrics')} contains two different measures called {metric.name}; "
                "pass one at a time, or register one under another name."
            )
    if not chosen:
        raise ParameterError(
            f"{named('metrics')} is empty; name at least one measure, or leave it out."
        )
    return tuple(chosen.values())


def applies(metric: Metric, given: Given = "labels") -> bool:
    """Return whether a measure can be computed from the output of models or raters.

    Probabilities also give labels, by a rule, and scores, their expected level.
    """
    if given == "ratings":
        return metric.needs == "ratings" or metric.registered_as in AGREEMENT
    if given == "scores":
        return metric.takes_scores
    return metric.needs == "labels" or (given == "probabilities" == metric.needs)


def refuse_other_needs(metric: Metric, given: Given = "labels") -> None:
    """Raise a ParameterError if the measure needs something other than the models' output."""
    if applies(metric, given):
        return
    if given == "ratings":
        hint = did_you_mean(nearest(metric.name, AGREEMENT))
        raise ParameterError(
            f"{metric.name} is not a measure of many raters.{hint} Those are "
            f"{', '.join(AGREEMENT)}."
        )
    if metric.needs == "ratings":
        raise ParameterError(
            f"{metric.name} needs the ratings of several raters, not {given}. The Python "
            f"call is {metric.name}(table), a table of items by raters."
        )
    if metric.needs == "probabilities":
        or_array = ", or pass an (n, K) array instead of labels" * (named("prob") == "prob")
        raise ParameterError(
            f"{metric.name} needs probabilities, but the models give {given}. Name the columns of "
            f"the probabilities with {argument('prob', 'p_')}{or_array}."
        )
    those = joined([m.name for m in _REGISTRY.values() if m.takes_scores], most=9)
    raise ParameterError(
        f"{metric.name} needs labels, but scores only order the items. Measures for "
        f"scores: {those}. Cut scores into classes with "
        "ordeval.models.optimal_cut_points."
    )


def _alike(a: Metric, b: Metric) -> bool:
    """Return whether two measures with one name, and so with the same parameters, are identical."""
    same = (np.array_equal(a.bound[name], b.bound[name]) for name in a.bound)
    return a.kernel is b.kernel and a.bound.keys() == b.bound.keys() and all(same)


def _check_family(family: Any) -> None:
    if not is_among(family, get_args(Family)):
        every = ", ".join(get_args(Family))
        raise ParameterError(f"family must be one of {every}; got {shown(family)}.")
