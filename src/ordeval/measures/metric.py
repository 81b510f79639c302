"""Metric: a measure and its facts.

A measure is a kernel, a function from float counts ``(..., K, K)`` to values ``(...)`` that is NaN
where undefined, together with facts about it. Docs, ranking, plots and tests read the facts; the
tests prove them.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import is_number, shown
from ordeval._shared.text import argument
from ordeval._shared.types import Policy
from ordeval.data.accumulator import as_counts
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.level_names import misnamed
from ordeval.data.scale import Scale
from ordeval.exceptions import LabelError, ParameterError, UndefinedMetricWarning, user_frame
from ordeval.measures.parts.arrays import in_reach, stack_last_in_memory
from ordeval.measures.parts.cut_levels import LevelAbove, cuts_of
from ordeval.measures.parts.docstrings import LazySignature, documentation, show_parameter
from ordeval.measures.parts.facts import ByClass, Kernel, OrdinalProperties, Range as Range
from ordeval.measures.parts.gradients import Differentiable
from ordeval.measures.parts.names import display_name
from ordeval.measures.parts.references import Reference
from ordeval.measures.scale_checks import warn_of_steps, warn_of_unused_levels

Check = Callable[[Any, int], Any]  # (value, number of classes) -> canonical value
# (K, parameters) -> the cells (K, K) of a share's items, and those that count.
ShareCells = Callable[..., tuple[NDArray[np.bool_], NDArray[np.bool_]]]
Family = Literal[
    "accuracy",
    "threshold",
    "distance",
    "agreement",
    "association",
    "ranking",
    "information",
    "cost",
    "path",
    "closeness",
    "probability",
    "distribution",
]
Needs = Literal["labels", "probabilities", "ratings"]
Contributes = Literal["cells", "losses", "placements"]

_BLOCK_CELLS: Final = 1 << 14  # of matrices that are evaluated together: they fit the cache
_SMALL: Final = 16  # up to this K, plain Python is faster than NumPy for one matrix
_BEST: Any = "best"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Metric(Differentiable):
    """A measure: call it on labels, or on matrices with ``from_confusion``."""

    __signature__ = LazySignature()
    needs: ClassVar[Needs] = "labels"  # the input of the measure

    name: str
    kernel: Kernel
    symbol: str
    family: Family
    best: float
    range: Range  # registered as a Range or as its two ends
    greater_is_better: bool | None  # None: two-sided, neither direction is better
    perfect: float | None = _BEST  # value on every perfect matrix; None: depends on class sizes
    symmetric: bool  # unchanged when truth and prediction are exchanged
    reversal_invariant: bool  # unchanged when the scale is reversed
    depends_on_empty_levels: bool  # an unused level at an end of the scale changes the value
    undefined_when: str
    reference: Reference  # registered as a Reference or as a text
    formula: str = ""  # LaTeX, display math, in the letters of parts.notation
    parameters: Mapping[str, Check] = field(default_factory=dict)
    bound: Mapping[str, Any] = field(default_factory=dict)
    expensive: bool = False
    claimed: OrdinalProperties | None = None
    registered_as: str = ""
    by_class: ByClass | None = None  # the values of the classes that it is the extreme of
    biased: bool = False  # small samples bias the value by more than they spread it
    refuse: Callable[..., str | None] | None = None  # why one matrix is an error, not a NaN
    varying: Callable[..., Mapping[str, Any]] | None = None  # facts that parameters change
    share: ShareCells | None = None  # the items it is a share of, and those that count
    small: Kernel | None = None  # the same value from nested lists, faster for one small matrix

    def __post_init__(self) -> None:
        unchecked = dict.fromkeys(_keyword_names(self.kernel), _unchecked)
        self._set(
            best=float(self.best),
            range=Range.of(self.range),
            perfect=float(self.best) if self.perfect == _BEST else self.perfect,
            reference=Reference.of(self.reference),
            parameters={**unchecked, **self.parameters},
            registered_as=self.registered_as or self.name,
        )
        # Help, doctest and inspect then see a documented function.
        self._set(
            __module__=self.kernel.__module__,
            __name__=self.name,
            __qualname__=self.kernel.__name__,
            __wrapped__=self.kernel,
            __doc__=documentation(self),
        )

    def _set(self, **attributes: Any) -> None:
        for name, value in attributes.items():
            object.__setattr__(self, name, value)

    def __call__(
        self,
        y_true: Any,
        y_pred: Any = None,
        *others: Any,
        labels: Any = None,
        sample_weight: Any = None,
        undefined: float = np.nan,
        unknown: Policy = "raise",
        missing: Policy = "raise",
        **params: Any,
    ) -> float:
        """Score predicted labels."""
        self.refuse_positional(y_true, others)
        if y_pred is None:
            raise LabelError(
                f"{self.name} needs y_true and y_pred; for a confusion matrix call "
                f"{self.name}.from_confusion(matrix)."
            )
        how: dict[str, Any] = {"labels": labels, "sample_weight": sample_weight}
        cm = self._count(params, y_true, y_pred, **how, unknown=unknown, missing=missing)
        return float(self.from_confusion(cm, undefined=undefined, **params))

    def _count(
        self, params: dict[str, Any], y_true: Any, y_pred: Any, **how: Any
    ) -> ConfusionMatrix:
        """Count labels; a measure may set a parameter from them."""
        return ConfusionMatrix.from_labels(y_true, y_pred, **how)

    @property
    def takes_scores(self) -> bool:
        """Return whether the measure can be computed from scores, which only order the items."""
        return False

    def contributes_by(self, *, scored: bool) -> Contributes:
        """Return how items contribute: by the cells of matrices, by losses, or by placements.

        ``scored``: items have scores or probabilities, not only labels.
        """
        return "cells"

    def refuse_positional(self, first: Any, others: tuple[Any, ...]) -> None:
        """Raise an error with advice if more than two arguments came without a name."""
        if others and hasattr(first, "predict"):
            raise LabelError(
                f"{self.name} scores labels, not an estimator; for scoring= of scikit-learn pass "
                f'oe.scorer("{self.name}").'
            )
        if others:
            raise LabelError(
                f"{self.name} takes two arguments by position; name the others, for example "
                f"labels=."
            )

    def from_confusion(self, counts: Any, *, undefined: float = np.nan, **params: Any) -> Any:
        """Score a matrix, or a stack of matrices ``(..., K, K)``.

        Parameters
        ----------
        counts
            A ConfusionMatrix or counts, rows truth, columns prediction.
        undefined
            The value to return where the measure is undefined. Default: NaN, with an
            UndefinedMetricWarning.
        **params
            Parameters of the measure.

        Returns
        -------
        float or numpy.ndarray
            A float for one matrix, an array ``(...)`` for a stack.

        Raises
        ------
        CountsError
            If ``counts`` is not a stack of square matrices.
        ParameterError
            If a parameter is unknown or outside its domain.
        """
        undefined = check_number(undefined, self.name)
        n = as_counts(counts)
        if isinstance(counts, ConfusionMatrix):
            checked = self.checked_on(counts.scale, params)
            if counts.implied:
                warn_of_unused_levels([self], counts.scale)
            if "points" not in params:
                warn_of_steps([self], counts.scale)
        else:
            checked = self.checked_on(n.shape[-1], params)
        values = self.evaluate(n, checked)
        if n.ndim == 2:
            weighted = isinstance(counts, ConfusionMatrix) and counts.weighted
            return self._or_undefined(values, n, checked, undefined, weighted=weighted)
        missing = np.isnan(values)
        if missing.any():
            if np.isnan(undefined):
                self._warn(f" for {missing.sum():,} of {missing.size:,} matrices", n[missing])
            values = np.where(missing, undefined, values)
        return values

    def evaluate(self, n: NDArray[Any], params: Mapping[str, Any]) -> Any:
        """Evaluate checked counts and parameters; NaN where undefined, without warnings."""
        n = in_reach(n)
        if n.ndim == 2:
            if self.small is not None and n.shape[0] <= _SMALL:
                return self.small(n.tolist(), **params)
            return float(self.kernel(n.astype(np.float64), **params)) if n.any() else np.nan
        flat = n.reshape(-1, *n.shape[-2:])
        block = max(1, _BLOCK_CELLS // n.shape[-1] ** 2)
        values = np.full(len(flat), np.nan)
        for start in range(0, len(flat), block):
            stack = stack_last_in_memory(flat[start : start + block])
            there = stack.any(axis=(-2, -1))
            np.copyto(values[start : start + block], self.kernel(stack, **params), where=there)
        return values.reshape(n.shape[:-2])

    def values(self, n: NDArray[Any]) -> Any:
        """Evaluate checked counts with default parameters; NaN where undefined, no warnings."""
        return self.evaluate(n, self.check_parameters({}, n.shape[-1]))

    def with_params(self, **params: Any) -> Metric:
        """Make the same measure with other default parameters.

        Parameters
        ----------
        **params
            Parameters of the measure.

        Returns
        -------
        Metric
            A measure that can be used wherever this one can.

        Raises
        ------
        ParameterError
            If a parameter is unknown or outside its domain.

        Examples
        --------
        >>> from ordeval import oc_index
        >>> oc_index.with_params(share=0.25).name
        'oc_index(share=0.25)'
        """
        self._check_names(params)
        given = {k: v.item() if isinstance(v, np.generic) else v for k, v in params.items()}
        bound = {**self.bound, **given}
        shown = ", ".join(f"{k}={show_parameter(v)}" for k, v in sorted(bound.items()))
        try:
            facts = {} if self.varying is None else self.varying(**bound)
        except ParameterError as error:
            raise ParameterError(f"{self.registered_as}: {error}") from None
        name = f"{self.registered_as}({shown})" if bound else self.registered_as
        return replace(self, bound=bound, name=name, **facts)

    def check_parameters(self, params: Mapping[str, Any], k: int) -> dict[str, Any]:
        """Return the parameters in canonical form for K classes, or raise a ParameterError."""
        if params:
            self._check_names(params)
        if not params and not self.bound and not self.required:
            return {}
        given = {**self.bound, **params}
        for name in self.required:
            if name not in given:
                raise ParameterError(f"{self.name} needs the parameter {name}.")
        try:
            return {name: self.parameters[name](value, k) for name, value in given.items()}
        except ParameterError as error:
            raise ParameterError(f"{self.name}: {error}") from None

    def checked_on(self, scale: Scale | int, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return checked parameters on a scale, or for K levels without labels: 0 to K - 1."""
        if isinstance(scale, int):
            return self.check_parameters(self.levels_on(scale, params), scale)
        self.check_names(scale, params)
        return self.check_parameters(self.levels_on(scale, params), scale.k)

    def on(self, scale: Scale | int) -> Metric:
        """Return the measure with the levels that its parameters name found on the scale.

        Frames of costs, weights or sizes must list the levels of a scale in order.
        """
        if not isinstance(scale, int):
            self.check_names(scale)
        found = self.levels_on(scale, {})
        return replace(self, bound=found) if found else self

    def levels_on(self, scale: Scale | int, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return given and bound parameters, with the levels that they name found on the scale."""
        of_levels = self._of_levels
        if not of_levels:
            return params
        given = {**self.bound, **params}
        for name in self.required:
            if name not in given and name in of_levels:
                raise ParameterError(self._no_cut(name, scale))
        try:
            found = {n: check.on(given[n], scale) for n, check in of_levels.items() if n in given}
        except ParameterError as error:
            raise ParameterError(f"{self.name}: {error}") from None
        return {**given, **found}

    @cached_property
    def _of_levels(self) -> dict[str, LevelAbove]:
        """The parameters that name a level."""
        return {n: x for n, x in self.parameters.items() if isinstance(x, LevelAbove)}

    @property
    def names_level(self) -> bool:
        """Return whether a parameter names a level of the scale."""
        return bool(self._of_levels)

    def _no_cut(self, name: str, scale: Scale | int) -> str:
        cuts = cuts_of(Scale.range(0, scale - 1) if isinstance(scale, int) else scale)
        return (
            f"{self.name} needs a cut of the scale: {argument(name)} must be {cuts}. In a list of "
            f"measures, write oe.{self.registered_as}.with_params({name}=...)."
        )

    def check_names(self, scale: Scale, params: Mapping[str, Any] | None = None) -> None:
        """Raise an error if frames of costs, weights or sizes do not list the levels in order."""
        for name, value in {**self.bound, **(params or {})}.items():
            problem = misnamed(value, scale, name)
            if problem:
                raise ParameterError(f"{self.name}: {problem}")

    def utility(self, values: Any) -> Any:
        """Return the values turned so that higher is better."""
        if self.greater_is_better is None:
            return -np.abs(np.asarray(values) - self.best)
        return values if self.greater_is_better else -np.asarray(values)

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the default values of the parameters."""
        return {**(inspect.unwrap(self.kernel).__kwdefaults__ or {}), **self.bound}

    @cached_property
    def display(self) -> str:
        """Return the name in prose, such as "quadratic weighted kappa"."""
        return display_name(self)

    @cached_property
    def short(self) -> str:
        """Return the name in the head of a table, such as "quadratic kappa"."""
        return display_name(self, short=True)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Return the parameters without a default."""
        return tuple(name for name in _keyword_names(self.kernel) if name not in self.defaults)

    @property
    def by_default(self) -> bool:
        """Return whether the measure is a default: fast, and without required parameters."""
        return not self.expensive and not self.required

    def _check_names(self, params: Mapping[str, Any]) -> None:
        for name in params:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}; its parameters: {known}."
                )

    def _or_undefined(
        self,
        value: float,
        n: NDArray[Any],
        params: Mapping[str, Any],
        undefined: float,
        *,
        weighted: bool = False,
    ) -> float:
        """Return the value or, if undefined, its replacement or NaN with a warning."""
        if value == value:
            return value
        if not np.isnan(undefined):
            return float(undefined)
        reason = self.refuse(n, **params) if self.refuse is not None and n.any() else None
        if reason is not None:
            raise ParameterError(f"{self.name}: {reason}")
        self._warn("", n[None], weighted=weighted)
        return np.nan

    def why_undefined(self, amount: Any, *, weighted: bool = False) -> str:
        """Explain why the measure is undefined for these items or weights."""
        if amount:
            return self.undefined_when
        return "all weights are zero" if weighted else "there are no items"

    def _warn(self, which: str, undefined: NDArray[Any], *, weighted: bool = False) -> None:
        reason = self.why_undefined(undefined.any(), weighted=weighted)
        warnings.warn(
            f"{self.name} is undefined{which}: {reason}. Returning NaN; set undefined= to "
            "return another value.",
            UndefinedMetricWarning,
            stacklevel=user_frame(),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.registered_as, dict(self.bound))

    def __repr__(self) -> str:
        return f"<ordeval metric {self.name} ({self.symbol}, {self.family})>"


def check_number(value: Any, who: str) -> float:
    """Return the replacement for an undefined value, which must be a number."""
    if is_number(value):
        return float(value)
    raise ParameterError(f"{who}: undefined must be a number; got {shown(value)}.")


def _keyword_names(kernel: Any) -> tuple[str, ...]:
    code = inspect.unwrap(kernel).__code__
    start = code.co_argcount
    return tuple(code.co_varnames[start : start + code.co_kwonlyargcount])


def _unchecked(value: Any, _: int) -> Any:
    """Accept a parameter of a user's kernel unchecked."""
    return value


def _restore(name: str, bound: dict[str, Any]) -> Metric:
    from ordeval.measures.registry import get_metric  # which imports this module

    metric = get_metric(name)
    return metric.with_params(**bound) if bound else metric
