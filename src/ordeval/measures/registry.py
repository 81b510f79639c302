"""The registry: what a measure is, the facts that it carries, and the table of all of them.

A measure is a kernel, a function from float counts ``(..., K, K)`` to values ``(...)`` that is NaN
where undefined, together with facts about it. Docs, ranking, plots and tests read the facts; the
tests prove them.
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, SupportsIndex, get_args, overload

import numpy as np
from numpy.typing import NDArray

from ordeval.data.confusion import ConfusionMatrix, as_counts
from ordeval.data.scale import Policy
from ordeval.exceptions import (
    LabelError,
    ParameterError,
    UndefinedMetricWarning,
    UnknownMetricError,
    user_frame,
)
from ordeval.measures._arrays import stack_last_in_memory
from ordeval.measures._references import Reference

Floats = NDArray[np.float64]
Kernel = Callable[..., Any]
Check = Callable[[Any, int], Any]  # (value, number of classes) -> canonical value
Family = Literal[
    "accuracy",
    "distance",
    "agreement",
    "association",
    "information",
    "cost",
    "path",
    "closeness",
    "probability",
]


class Range(tuple[float, float]):
    """Bounds on the values of a measure, over all numbers of classes, for whole counts."""

    at: Callable[[int], tuple[float, float]]
    text: str

    def __new__(
        cls,
        low: float,
        high: float,
        at: Callable[[int], tuple[float, float]] | None = None,
        text: str | None = None,
    ) -> Range:
        """Where the ends depend on K, ``at`` gives them for one K and ``text`` shows how."""
        self = super().__new__(cls, (float(low), float(high)))
        self.at = at if at is not None else lambda _: (float(low), float(high))
        self.text = text if text is not None else _show_ends(low, high)
        return self

    def show(self, k: int) -> str:
        """The ends for K classes, for tables."""
        return _show_ends(*self.at(k))


def _show_ends(low: float, high: float) -> str:
    return f"[{low:.3g}, {high:.3g}]".replace("inf", "∞")


class OrdinalProperties(NamedTuple):
    """What Amigó et al. 2020, Table 2, claim of a measure."""

    ordinal_invariance: bool
    ordinal_monotonicity: bool
    imbalance: bool


class _LazySignature:
    """The signature of a measure, made when somebody asks: inspect is slow at import."""

    def __get__(self, metric: Metric | None, owner: type[Metric]) -> inspect.Signature:
        if metric is None:
            raise AttributeError("__signature__")
        own = list(inspect.signature(owner.__call__).parameters.values())[1:-1]
        extra = [
            p.replace(default=metric.bound.get(p.name, p.default))
            for p in inspect.signature(metric.kernel).parameters.values()
            if p.kind is p.KEYWORD_ONLY
        ]
        return inspect.Signature([*own, *extra], return_annotation="float")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Metric:
    """A measure: call it on labels, or on matrices with ``from_confusion``."""

    __signature__ = _LazySignature()

    name: str
    kernel: Kernel
    symbol: str
    family: Family
    best: float
    range: Range
    greater_is_better: bool | None  # None: two-sided, neither direction is better
    perfect: float | None  # value on every perfect matrix; None: depends on the class sizes
    symmetric: bool  # unchanged when truth and prediction are exchanged
    reversal_invariant: bool  # unchanged when the scale is reversed
    depends_on_empty_levels: bool  # an unused level at an end of the scale changes the value
    undefined_when: str
    reference: Reference
    formula: str = ""  # LaTeX, display math, in the letters of _notation.NOTATION
    parameters: Mapping[str, Check] = field(default_factory=dict)
    bound: Mapping[str, Any] = field(default_factory=dict)
    expensive: bool = False
    claimed: OrdinalProperties | None = None
    registered_as: str = ""
    refuse: Callable[..., str | None] | None = None  # why one matrix is an error, not a NaN
    small: Kernel | None = None  # the same value from nested lists, quicker for one small matrix

    def __post_init__(self) -> None:
        # Help, doctest and inspect then see a documented function.
        for attribute in ("__module__", "__qualname__"):
            object.__setattr__(self, attribute, getattr(self.kernel, attribute))
        object.__setattr__(self, "__doc__", self._documentation())
        object.__setattr__(self, "__wrapped__", self.kernel)
        object.__setattr__(self, "__name__", self.name)

    def _documentation(self) -> str:
        """The kernel's text between how the measure is called and its facts."""
        given = {**(inspect.unwrap(self.kernel).__kwdefaults__ or {}), **self.bound}
        params = "".join(
            f", {name}={_show_parameter(given[name])}" if name in given else f", {name}"
            for name in _keyword_names(self.kernel)
        )
        second = "y_prob" if self.needs == "probabilities" else "y_pred"
        better = {True: "higher is better", False: "lower is better", None: "nearer 0 is better"}
        text = f"""{inspect.cleandoc(self.kernel.__doc__ or "")}

Range {self.range.text}, {better[self.greater_is_better]}. Undefined when {self.undefined_when}.
Source: {self.reference}.
"""
        call = f"{self.name}(y_true, {second}, *, labels=None, sample_weight=None{params})"
        return f"{text}Call: {call}\n"

    @property
    def needs(self) -> Literal["labels", "probabilities"]:
        """What the measure is computed from."""
        return "labels"

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        undefined: float = np.nan,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        **params: Any,
    ) -> float:
        """Score predicted labels."""
        if y_pred is None:
            raise LabelError(
                f"{self.name} needs y_true and y_pred; for a confusion matrix call "
                f"{self.name}.from_confusion(matrix)."
            )
        cm = ConfusionMatrix.from_labels(
            y_true, y_pred, labels, sample_weight, unknown=unknown, missing=missing
        )
        return float(self.from_confusion(cm, undefined=undefined, **params))

    def from_confusion(self, counts: Any, *, undefined: float = np.nan, **params: Any) -> Any:
        """Score a matrix, or a stack of matrices ``(..., K, K)``.

        One matrix gives a float, a stack an array ``(...)``. Where the measure is undefined the
        result is NaN with an UndefinedMetricWarning, or ``undefined`` without one.
        """
        undefined = check_number(undefined, self.name)
        n = as_counts(counts)
        checked = self.check_parameters(params, n.shape[-1])
        values = self.evaluate(n, checked)
        if n.ndim == 2:
            return values if values == values else self._undefined(n, checked, undefined)
        missing = np.isnan(values)
        if missing.any():
            if np.isnan(undefined):
                self._warn(f" for {missing.sum():,} of {missing.size:,} matrices", n[missing])
            values = np.where(missing, undefined, values)
        return values

    def evaluate(self, n: NDArray[Any], params: Mapping[str, Any]) -> Any:
        """Values of sound counts with sound parameters, NaN where undefined, without a word."""
        if n.ndim == 2:
            if self.small is not None and n.shape[0] <= _SMALL:
                return self.small(n.tolist(), **params)
            return float(self.kernel(n.astype(np.float64), **params)) if n.any() else np.nan
        stack = stack_last_in_memory(n)
        values = np.asarray(self.kernel(stack, **params), dtype=np.float64)
        return np.where(stack.any(axis=(-2, -1)), values, np.nan)

    def with_params(self, **params: Any) -> Metric:
        """The same measure with other default parameters.

        >>> from ordeval import oc_index
        >>> oc_index.with_params(share=0.25).name
        'oc_index(share=0.25)'
        """
        self._check_names(params)
        bound = {**self.bound, **params}
        shown = ", ".join(f"{k}={_show_parameter(v)}" for k, v in sorted(bound.items()))
        return replace(self, bound=bound, name=f"{self.registered_as}({shown})")

    def check_parameters(self, params: Mapping[str, Any], k: int) -> dict[str, Any]:
        """Parameters in canonical form for K classes, or a ParameterError."""
        if params:
            self._check_names(params)
        if not params and not self.bound and not self._required:
            return {}
        given = {**self.bound, **params}
        for name in self._required:
            if name not in given:
                raise ParameterError(f"{self.name} needs the parameter {name}=.")
        try:
            return {name: self.parameters[name](value, k) for name, value in given.items()}
        except ParameterError as error:
            raise ParameterError(f"{self.name}: {error}") from None

    def utility(self, values: Any) -> Any:
        """Values turned so that greater is better, whatever the measure's direction."""
        if self.greater_is_better is None:
            return -np.abs(np.asarray(values) - self.best)
        return values if self.greater_is_better else -np.asarray(values)

    @cached_property
    def _required(self) -> tuple[str, ...]:
        defaults = inspect.unwrap(self.kernel).__kwdefaults__ or {}
        return tuple(name for name in _keyword_names(self.kernel) if name not in defaults)

    def _check_names(self, params: Mapping[str, Any]) -> None:
        for name in params:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}; its parameters: {known}."
                )

    def _undefined(self, n: NDArray[Any], params: Mapping[str, Any], undefined: float) -> float:
        if not np.isnan(undefined):
            return float(undefined)
        if self.refuse is not None and n.any():
            reason = self.refuse(n, **params)
            if reason is not None:
                raise ParameterError(f"{self.name}: {reason}")
        self._warn("", n[None])
        return np.nan

    def _warn(self, which: str, undefined: NDArray[Any]) -> None:
        reason = self.undefined_when if undefined.any() else "there are no items"
        warnings.warn(
            f"{self.name} is undefined{which}: {reason}. NaN was returned; undefined= replaces it.",
            UndefinedMetricWarning,
            stacklevel=user_frame(),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.registered_as, dict(self.bound))

    def __repr__(self) -> str:
        return f"<ordeval metric {self.name} ({self.symbol}, {self.family})>"


_SMALL = 16  # up to this K, Python's own arithmetic beats NumPy's overhead for one matrix

_REGISTRY: dict[str, Metric] = {}

# What some measures are called elsewhere; offered when a name is not found.
_ALIASES = {
    "qwk": ("weighted_kappa",),
    "quadratic_kappa": ("weighted_kappa",),
    "quadratic_weighted_kappa": ("weighted_kappa",),
    "tau": ("kendall_tau_b", "kendall_tau_a", "stuart_tau_c"),
    "kendall": ("kendall_tau_b",),
    "spearman": ("spearman_rho",),
    "pearson": ("pearson_r",),
    "kappa": ("cohen_kappa", "weighted_kappa"),
    "c_index": ("concordance_index",),
    "macro_mae": ("average_mae",),
    "rps": ("ranked_probability_score",),
    "bias": ("mean_signed_error",),
}


def register(
    *,
    symbol: str,
    family: Family,
    best: float,
    range: tuple[float, float] | Range,  # noqa: A002 - the fact's name
    greater_is_better: bool | None,
    symmetric: bool,
    reversal_invariant: bool,
    depends_on_empty_levels: bool,
    undefined_when: str,
    reference: Reference | str,
    perfect: float | Literal["best"] | None = "best",
    name: str | None = None,
    replace: bool = False,
    **optional: Any,
) -> Callable[[Kernel], Metric]:
    """Register a measure of one's own; use it as a decorator.

    The decorated kernel takes counts ``(..., K, K)`` as float64 and its keyword-only parameters,
    and returns values ``(...)``, NaN where undefined. The facts have no defaults where a wrong one
    would mislead: they are laws that the test suite proves. ``formula``, which is optional, is the
    definition in LaTeX without dollar signs.

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

    def decorate(kernel: Kernel) -> Metric:
        chosen = name or kernel.__name__
        _check_family(family)
        if chosen in _REGISTRY and not replace:
            raise ParameterError(
                f"a measure called {chosen!r} is registered already; "
                f"choose another name, or pass replace=True."
            )
        make = optional.pop("_class", Metric)
        metric: Metric = make(
            name=chosen,
            registered_as=chosen,
            kernel=kernel,
            symbol=symbol,
            family=family,
            best=float(best),
            range=range if isinstance(range, Range) else Range(*range),
            greater_is_better=greater_is_better,
            perfect=float(best) if perfect == "best" else perfect,
            symmetric=symmetric,
            reversal_invariant=reversal_invariant,
            depends_on_empty_levels=depends_on_empty_levels,
            undefined_when=undefined_when,
            reference=Reference(reference) if isinstance(reference, str) else reference,
            **{"parameters": dict.fromkeys(_keyword_names(kernel), _unchecked), **optional},
        )
        _REGISTRY[chosen] = metric
        return metric

    return decorate


def unregister(name: str) -> None:
    """Remove a measure of one's own from the registry."""
    get_metric(name)
    del _REGISTRY[name]


class Metrics(tuple[Metric, ...]):
    """Measures in a fixed order; also found by name, and printed as a table."""

    __slots__ = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(m.name for m in self)

    @overload
    def __getitem__(self, key: str | SupportsIndex) -> Metric: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Metric, ...]: ...
    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return get_metric(key, among=self)
        return super().__getitem__(key)

    def __contains__(self, item: object) -> bool:
        return item in self.names if isinstance(item, str) else super().__contains__(item)

    def __repr__(self) -> str:
        width = max((len(m.name) for m in self), default=0)
        return "\n".join(
            f"{m.name:<{width}}  {_DIRECTION[m.greater_is_better]} {m.family:<11}  {m.range.text}"
            for m in self
        )


_DIRECTION = {True: "↑", False: "↓", None: "→"}


def metrics(*, family: Family | None = None, needs: str | None = None) -> Metrics:
    """All registered measures, or those of one family or one kind of input.

    >>> metrics(family="probability").names
    ('ranked_probability_score', 'ranked_probability_skill_score')
    """
    if family is not None:
        _check_family(family)
    return Metrics(
        m
        for m in _REGISTRY.values()
        if (family is None or m.family == family) and (needs is None or m.needs == needs)
    )


def get_metric(name: str | Metric, *, among: Iterable[Metric] | None = None) -> Metric:
    """The measure called ``name``; a misspelt name gets the nearest ones.

    >>> get_metric("oc_index").symbol
    'OC'
    """
    if isinstance(name, Metric):
        return name
    if not isinstance(name, str):
        raise UnknownMetricError(
            f"A measure is given by its name or as a Metric; got a {type(name).__name__}."
        )
    known = {m.name: m for m in (_REGISTRY.values() if among is None else among)}
    if name in known:
        return known[name]
    by_symbol = [m.name for m in known.values() if m.symbol.casefold() == name.casefold()]
    elsewhere = [n for n in _ALIASES.get(name.casefold(), ()) if n in known]
    near = list(dict.fromkeys([*elsewhere, *by_symbol, *nearest(name, known)]))[:3]
    hint = f" Did you mean {either(near)}?" if near else ""
    raise UnknownMetricError(f"No measure is called {name!r}.{hint} oe.metrics() lists them all.")


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Up to three names like this one: that begin with it, or are spelt nearly so."""
    names = list(known)
    begin = [n for n in names if name and n.startswith(name)]
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return list(dict.fromkeys([*begin, *close]))[:3]


def either(names: list[str]) -> str:
    """Names in a sentence: a, b or c."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _check_family(family: Any) -> None:
    if family not in get_args(Family):
        shown = ", ".join(get_args(Family))
        raise ParameterError(f"family must be one of {shown}; got {family!r}.")


def check_number(value: Any, who: str) -> float:
    """The replacement for an undefined value, which must be a number."""
    if isinstance(value, (int, float, np.integer, np.floating)):
        return float(value)
    raise ParameterError(f"{who}: undefined must be a number; got {value!r}.")


def _keyword_names(kernel: Any) -> tuple[str, ...]:
    code = inspect.unwrap(kernel).__code__
    start = code.co_argcount
    return tuple(code.co_varnames[start : start + code.co_kwonlyargcount])


def _unchecked(value: Any, _: int) -> Any:
    """A parameter of a user's kernel, taken as it comes."""
    return value


def _show_parameter(value: Any) -> str:
    return repr(value) if isinstance(value, (str, int, float, type(None))) else "..."


def _restore(name: str, bound: dict[str, Any]) -> Metric:
    metric = get_metric(name)
    return metric.with_params(**bound) if bound else metric
