"""What a study is expected to find: a table of shares, from counts, from pilot data or from words.

Nothing is planned here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from ordeval._shared.arguments import floats
from ordeval._shared.text import argument, joined, named, plural
from ordeval._shared.types import Floats
from ordeval.data.accumulator import Accumulator
from ordeval.data.confusion import ConfusionMatrix
from ordeval.data.counts import validate_counts
from ordeval.data.items import Items
from ordeval.data.scale import Scale, as_scale
from ordeval.exceptions import CountsError, LabelError, ParameterError, ScaleError
from ordeval.inference.samples import Sample, sample_of

Spread = Literal["near", "wide"]
SPREADS: Final[dict[str, float]] = {"near": 0.25, "wide": 0.75}


@dataclass(frozen=True, eq=False)
class Expected:
    """Shares (K, K), truth x prediction, or (K, K, K), truth x A x B, and where they are from."""

    table: Floats
    scale: Scale
    source: str  # in words
    implied: bool = False  # the scale was read off integers
    pilot: Sample | None = None  # if it was observed in clusters

    @property
    def models(self) -> int:
        """How many models there are."""
        return self.table.ndim - 1

    @property
    def class_shares(self) -> Floats:
        """The share of each true class."""
        return np.asarray(self.table.sum(axis=tuple(range(1, self.table.ndim))))


def of_table(expected: Any, labels: Any) -> Expected:
    """From a matrix or a joint table, of counts or of shares."""
    if isinstance(expected, Accumulator):
        expected = expected.confusion_matrix()
    if isinstance(expected, ConfusionMatrix):
        counts, scale = _of_matrix(expected, labels)
    else:
        counts = validate_counts(expected)
        if counts.ndim > 3 or len(set(counts.shape)) > 1:
            raise CountsError(
                f"{named('expected')} must be one confusion matrix (K, K), or one joint table "
                f"(K, K, K) of truth x A x B; got shape {counts.shape}."
            )
        of_truth = expected if counts.ndim == 2 else counts.sum(axis=-1)
        scale = ConfusionMatrix(of_truth, labels).scale
    if not counts.any():
        raise CountsError(f"{named('expected')} has no items: all cells are zero.")
    return Expected(_shares(counts), scale, f"as in {_what(counts)}")


def _of_matrix(cm: ConfusionMatrix, labels: Any) -> tuple[NDArray[Any], Scale]:
    if labels is not None and as_scale(labels) != cm.scale:
        raise ScaleError(f"{argument('labels')} says {as_scale(labels)}, the matrix {cm.scale}.")
    if cm.shape:
        raise CountsError(
            f"{named('expected')} must be one matrix; got a stack of shape {cm.shape}. Take one "
            f"out, for example cm[0]; two models are planned for by their joint table (K, K, K)."
        )
    return cm.counts, cm.scale


def _what(counts: Any) -> str:
    """A table in words."""
    kind = "matrix" if counts.ndim == 2 else "joint table"
    if counts.dtype.kind == "f":
        return f"the expected {kind}"
    return f"the expected {kind} of {plural(int(counts.sum()), 'item')}"


def of_pilot(items: Items, clusters: Any = None) -> Expected:
    """Return the expectation from observed labels."""
    if len(items.y_pred) > 2:
        raise LabelError(
            f"a plan is for one model or for two; got {len(items.y_pred)}: "
            f"{joined(list(items.y_pred))}."
        )
    sample = sample_of(items, clusters=clusters)
    k = items.scale.k
    counts = np.zeros((k,) * (1 + sample.models))
    np.add.at(counts, (sample.truth, *sample.predictions.T), sample.count)
    clustered = sample if sample.cluster is not None else None
    dropped = f" ({items.left_out:,} dropped)" if items.left_out else ""
    source = f"as in the pilot data of {plural(sample.items, 'item')}{dropped}"
    return Expected(_shares(counts), items.scale, source, items.implied, clustered)


def of_words(
    accuracy: Any,
    *,
    scale: Scale,
    spread: Any = None,
    class_shares: Any = None,
    overlap: float | None = None,
) -> Expected:
    """Expected tables from the accuracy of models and the spread of their errors."""
    each = [_accuracy(a) for a in (accuracy if np.ndim(accuracy) else [accuracy])]
    if len(each) > 2 or not each:
        raise ParameterError(
            f"{named('accuracy')} must be one number, or two to compare models; got {accuracy!r}."
        )
    if scale.k < 2:
        raise ParameterError(f"a plan needs at least two classes; got {scale}.")
    fall, shares = _ratio(spread), _class_shares(class_shares, scale)
    rows = [_rows(a, fall, scale.k) for a in each]
    equal = "equally frequent" if np.ptp(shares) < 1e-12 else "unequally frequent"
    said = f"{scale.k} {equal} classes, accuracy {joined([f'{a:g}' for a in each])} in each"
    if len(rows) == 1:
        if overlap is not None:
            raise ParameterError(f"{named('overlap')} is of the errors of two models.")
        return Expected(shares[:, None] * rows[0], scale, f"{said}, {_errors(fall)}")
    shared = 0.0 if overlap is None else _share(overlap, "overlap")
    said = f"{said}, {_errors(fall)} and {_together(shared)}"
    return Expected(shares[:, None, None] * _joint(rows[0], rows[1], shared), scale, said)


def _errors(fall: float) -> str:
    """How far errors go, in words."""
    if fall == 0:
        return "errors that are one step off"
    if fall == 1:
        return "errors that are as often far as near"
    return f"errors that are {1 / fall:.3g} times rarer with every further step"


def _together(overlap: float) -> str:
    """How two models err, in words."""
    if overlap == 0:
        return "that the two models make independently"
    return f"of which the two models share {overlap:.0%} of what they can"


def _rows(accuracy: float, fall: float, k: int) -> Floats:
    """The predictions (K, K) of each true class: errors fall off with every step."""
    steps = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    misses = np.where(steps > 0, float(fall) ** np.maximum(steps - 1, 0), 0.0)
    misses /= misses.sum(axis=1, keepdims=True)
    return np.asarray(accuracy * np.eye(k) + (1 - accuracy) * misses)


def _joint(a: Floats, b: Floats, overlap: float) -> Floats:
    """Both predictions (K, K, K) of each true class: independent, and alike as far as possible."""
    apart = a[:, :, None] * b[:, None, :]
    same = np.minimum(a, b)
    rest_a, rest_b = a - same, b - same
    left = rest_a.sum(axis=1)[:, None, None]
    alike = same[:, :, None] * np.eye(len(a))
    alike = alike + rest_a[:, :, None] * rest_b[:, None, :] / np.where(left > 0, left, 1.0)
    return np.asarray((1 - overlap) * apart + overlap * alike)


def _shares(counts: Any) -> Floats:
    table = np.asarray(counts, dtype=np.float64)
    return np.asarray(table / table.sum())


def _accuracy(value: Any) -> float:
    found = _share(value, "accuracy")
    if found == 0:
        raise ParameterError(f"{named('accuracy')} must be greater than 0; got {value!r}.")
    return found


def _share(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ParameterError(f"{named(name)} must be a number from 0 to 1; got {value!r}.")
    return float(value)


def _ratio(spread: Any) -> float:
    """By which errors fall off with every further step."""
    if spread is None:
        return SPREADS["near"]
    if isinstance(spread, str) and spread in SPREADS:
        return SPREADS[spread]
    if isinstance(spread, bool) or not isinstance(spread, Real) or not 0 <= float(spread) <= 1:
        raise ParameterError(
            f'{named("spread")} must be "near", "wide", or a number from 0 (errors of one step '
            f"only) to 1 (all errors alike); got {spread!r}."
        )
    return float(spread)


def _class_shares(given: Any, scale: Scale) -> Floats:
    """The share of each class; default: equal."""
    if given is None:
        return np.full(scale.k, 1 / scale.k)
    if isinstance(given, Mapping):
        strange = [x for x in given if x not in scale]
        if strange or len(given) != scale.k:
            raise ParameterError(
                f"{named('class_shares')} must name each class of {scale} once; got {list(given)}."
            )
        given = [given[level] for level in scale]
    shares = floats(given, "class_shares")
    if shares.shape != (scale.k,) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise ParameterError(
            f"{named('class_shares')} must be one number >= 0 for each of the {scale.k} classes, "
            f"lowest first; got {given!r}."
        )
    return np.asarray(shares / shares.sum())
