"""Indices of the best consistent path through the matrix.

The Ordinal Classification Index (Cardoso & Sousa 2011), its uniform variant and the area under it
(Silva, Pinto & Cardoso 2018). Zero is best. A monotone path keeps order, the penalty keeps it near
the diagonal, so both the order and the size of errors count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import numpy as np

from ordeval._shared.arguments import checked
from ordeval._shared.types import Floats
from ordeval.data.accumulator import as_counts
from ordeval.exceptions import CountsError, ParameterError
from ordeval.measures.calls import GeneralPathMetric, PathAreaMetric, PathMetric, UniformPathMetric
from ordeval.measures.metric import Metric
from ordeval.measures.parts import references as ref
from ordeval.measures.parts.checks import Number, OneOf
from ordeval.measures.parts.facts import NO_ITEMS, UNIT, OrdinalProperties
from ordeval.measures.parts.general_path import solve_general
from ordeval.measures.parts.path_terms import (
    Absent,
    Terms,
    area_of,
    oc_of_one,
    oc_terms,
    over_stack,
    stack_last,
    uoc_terms,
    value_of,
)
from ordeval.measures.parts.paths import MatrixCell, best_path, lower_envelope
from ordeval.measures.registry import SharedFacts, get_metric

_BETA = (
    r"\beta = \frac{\text{share}}{N\, (K - 1)^{\gamma}},"
    r" \qquad \text{share} = 0.75,\, \gamma = 1 \text{ by default} \end{split}"
)
_UOC = (
    r"\min\limits_P \left\{ 1 - \frac{\sum_{(i, j) \in P} q_{ij}}{K_{\text{obs}} (1 + M)}"
    r" + \frac{\beta}{K_{\text{obs}}} \sum\limits_{(i, j) \in P} q_{ij}\, d_{ij}^{\gamma}"
    r" \right\}, \\"
    r" M &= \left( \frac{1}{K_{\text{obs}}} \sum\limits_{i,j} q_{ij}\, d_{ij}^{\gamma}"
    r" \right)^{1 / \gamma},"
    r" \qquad q_{ij} = \frac{n_{ij}}{r_i} \text{ (0 if the class is absent)}"
)
_GAMMA = {"gamma": Number("gamma", positive=True, most=100)}

measure = SharedFacts(
    GeneralPathMetric,
    family="path",
    best=0,
    range=UNIT,
    greater_is_better=False,
    symmetric=True,
    reversal_invariant=True,
    depends_on_empty_levels=False,
    undefined_when=NO_ITEMS,
    reference=ref.CARDOSO_2011,
)
oc_measure = measure.but(
    PathMetric,
    depends_on_empty_levels=True,
    undefined_when="there are no items, or the scale has only one level and beta= is not given",
    parameters={"share": Number("share"), "beta": Number("beta", optional=True), **_GAMMA},
)
uoc_measure = measure.but(UniformPathMetric, symmetric=False, reference=ref.SILVA_2018)
_ABSENT = {"absent": OneOf("absent", get_args(Absent)), **_GAMMA}


@oc_measure(
    symbol="OC",
    claimed=OrdinalProperties(True, False, False),
    small=oc_of_one,
    formula=r"\begin{split} \text{OC} &= \min\limits_P \left\{ 1"
    r" - \frac{1}{N + M} \sum\limits_{(i, j) \in P} n_{ij}"
    r" + \beta \sum\limits_{(i, j) \in P} n_{ij}\, d_{ij}^{\gamma} \right\}, \\ "
    r"M &= \left( \sum\limits_{i,j} n_{ij}\, d_{ij}^{\gamma} \right)^{1 / \gamma}, \qquad " + _BETA,
)
def oc_index(
    n: Floats, *, share: float = 0.75, beta: float | None = None, gamma: float = 1.0
) -> Floats:
    """Ordinal Classification Index: cost of the best path through the matrix (eq. 7).

    The items on a monotone path keep their order. The index is the minimum over such paths of
    1 - (items on the path) / (N + M) + beta * (their distances to the diagonal), where the
    dispersion M = (sum n d**gamma)**(1/gamma) looks at all items. A small beta favours keeping the
    order, a large one hitting the class.

    Parameters
    ----------
    share
        beta as a share of the largest penalty: beta = share / (N (K - 1)**gamma). The paper
        reports 0.25 and 0.75.
    beta
        beta itself; then ``share`` is not used.
    gamma
        Exponent of the distance.

    Examples
    --------
    >>> round(oc_index.from_confusion([[0, 4, 0, 0], [0, 0, 6, 0], [0, 0, 0, 0], [0, 0, 0, 3]]), 2)
    0.63
    """
    return over_stack(n, lambda x: value_of(oc_terms(x, share, beta, gamma)))


@oc_measure(
    symbol="OC′",
    formula=r"\begin{split} \text{OC′} &= \min\limits_P \left\{ 1"
    r" - \frac{1}{N} \sum\limits_{(i, j) \in P} n_{ij}"
    r" + \beta \sum\limits_{(i, j) \in P} n_{ij}\, d_{ij}^{\gamma} \right\}, \\ & " + _BETA,
)
def oc_index_unnormalized(
    n: Floats, *, share: float = 0.75, beta: float | None = None, gamma: float = 1.0
) -> Floats:
    """OC index before its normalisation by the dispersion (eq. 6).

    Items off the path count as errors, whatever their distance. Parameters as for ``oc_index``.

    >>> oc_index_unnormalized([1, 2, 3], [1, 2, 3], labels=[1, 2, 3])
    0.0
    """
    return over_stack(n, lambda x: value_of(oc_terms(x, share, beta, gamma, dispersion=False)))


@measure(
    symbol="OC_gen",
    expensive=True,
    parameters={
        "beta_deviation": Number("beta_deviation", most=1e9),
        "beta_discordance": Number("beta_discordance", most=1e9),
        "time_limit": Number("time_limit", positive=True),
        **_GAMMA,
    },
    formula=r"\begin{split} \text{OC}_{\text{gen}} &= \min\limits_W \left\{ 1"
    r" - \frac{1}{N + M} \sum\limits_{(i, j) \in W} n_{ij}"
    r" + \beta_{\text{deviation}} \sum\limits_{(i, j) \in W} n_{ij}\, d_{ij}^{\gamma}"
    r" + \beta_{\text{discordance}}\, \Delta_W \right\}, \\"
    r" M &= \left( \sum\limits_{i,j} n_{ij}\, d_{ij}^{\gamma} \right)^{1 / \gamma}, \qquad"
    r" \Delta_W = \sum_{(i, j) \in W} \sum_{(k, l) \in W} [\, i < k,\, j > l\, ], \qquad"
    r" \gamma = 1 \text{ by default} \end{split}",
)
def oc_index_general(
    n: Floats,
    *,
    beta_deviation: float,
    beta_discordance: float,
    gamma: float = 1.0,
    time_limit: float = 60.0,
) -> Floats:
    """General form of the index (eq. 8): any connected walk, discordant cells at a price.

    A walk may turn back; each visited cell counts once, and each discordant pair of visited cells
    costs ``beta_discordance``. Solved to optimality as a mixed-integer programme, which takes
    seconds up to K = 8; a matrix that is not solved within ``time_limit`` seconds is an error.

    With both betas 0 (and gamma 1) it is MAE / (1 + MAE); with ``beta_discordance >= 1`` it is
    ``oc_index``.

    >>> round(oc_index_general([1, 2, 3], [1, 3, 2], beta_deviation=0, beta_discordance=0), 6)
    0.4
    """
    terms = oc_terms(stack_last(n), 0.0, beta_deviation, gamma)
    penalty = beta_deviation * terms.penalty
    values = [
        solve_general(terms.gain[..., i], penalty[..., i], beta_discordance, time_limit)
        for i in range(penalty.shape[-1])
    ]
    return np.array(values).reshape(n.shape[:-2])


@uoc_measure(
    symbol="UOC",
    parameters={"beta": Number("beta"), **_ABSENT},
    formula=r"\begin{split} \text{UOC} &= " + _UOC + r", \\"
    r" \beta &= 0.5,\, \gamma = 1 \text{ by default} \end{split}",
)
def uoc_index(
    n: Floats, *, beta: float = 0.5, gamma: float = 1.0, absent: Absent = "ignore"
) -> Floats:
    """Uniform Ordinal Classification Index (eq. 28): every observed class weighs the same.

    Like ``oc_index`` on the row shares q = n / r, over the K' classes that occur in the truth. The
    print has K'/K'**gamma before the root; eq. 20 gives K'/K'**(1/gamma), which is used here and
    agrees at gamma = 1.

    Parameters
    ----------
    beta
        Price of leaving the diagonal.
    gamma
        Exponent of the distance.
    absent
        What a class that the truth lacks counts for. ``"ignore"``: nothing, as the paper proposes;
        ``"uniform"``: a row of equal shares, which lowers every score; ``"perfect"``: a row without
        error, which raises it. The last two are the ways that its section III-C weighs and rejects.

    Examples
    --------

    >>> round(uoc_index.from_confusion([[0, 4, 0, 0], [6, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 3]],
    ...                                beta=0.25), 2)
    0.56
    """
    return over_stack(n, lambda x: value_of(uoc_terms(x, beta, gamma, absent)))


@uoc_measure(
    kind=PathAreaMetric,
    symbol="AUOC",
    parameters=_ABSENT,
    formula=r"\begin{split} \text{AUOC} &= \int_0^1 \text{UOC}(\beta)\, \text{d}\beta, \\"
    r" \text{UOC}(\beta) &= " + _UOC + r", \\ \gamma &= 1 \text{ by default} \end{split}",
)
def auoc(n: Floats, *, gamma: float = 1.0, absent: Absent = "ignore") -> Floats:
    """Area under the UOC curve: the integral of ``uoc_index`` over beta in [0, 1] (eq. 23).

    Exact: the curve is the lower envelope of one line per path, and its corners are found.
    ``gamma`` and ``absent`` as in ``uoc_index``.

    >>> round(auoc.from_confusion([[0, 4, 0, 0], [6, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 3]]), 2)
    0.61
    """
    return over_stack(n, lambda x: area_of(uoc_terms(x, 0.0, gamma, absent)))


@dataclass(frozen=True, eq=False)
class UOCCurve:
    """UOC over beta, by its corners: linear in between."""

    beta: Floats
    value: Floats

    @property
    def area(self) -> float:
        """The AUOC."""
        return float(((self.value[1:] + self.value[:-1]) / 2 * np.diff(self.beta)).sum())


@checked
def uoc_curve(cm: Any, *, gamma: float = 1.0, absent: Absent = "ignore") -> UOCCurve:
    """Compute the curve of ``uoc_index`` over beta in [0, 1], by its breakpoints.

    Parameters
    ----------
    cm
        One confusion matrix.
    gamma, absent
        As in ``uoc_index``.

    Returns
    -------
    results.UOCCurve
        The breakpoints, with the value at each of them.

    Raises
    ------
    CountsError
        If ``cm`` is not one matrix with items.
    ParameterError
        If a parameter is outside its domain.

    Examples
    --------
    >>> curve = uoc_curve([[0, 4, 0, 0], [6, 0, 0, 0], [0, 0, 5, 0], [0, 0, 0, 3]])
    >>> curve.beta.round(3), curve.value.round(3)
    (array([0.   , 0.667, 1.   ]), array([0.5  , 0.667, 0.667]))
    """
    n = _one_matrix(cm, "uoc_curve")
    gamma = Number("uoc_curve: gamma", positive=True, most=100)(gamma, len(n))
    absent = OneOf("uoc_curve: absent", get_args(Absent))(absent, len(n))
    terms = uoc_terms(n, 0.0, gamma, absent)
    points = lower_envelope(terms.gain, terms.penalty)
    beta, value = points.beta, points.value
    corner = np.ones(len(beta), dtype=bool)
    corner[1:] = np.diff(beta) > 1e-12
    beta, value = beta[corner], value[corner]
    slope = np.diff(value) / np.diff(beta)
    keep = np.concatenate([[True], np.abs(np.diff(slope)) > 1e-9, [True]])
    return UOCCurve(beta[keep], np.clip(value[keep], 0.0, 1.0))


@dataclass(frozen=True)
class OptimalPath:
    """The cells of the best path and what each contributes; iterates over the cells."""

    cells: tuple[MatrixCell, ...]
    value: float  # the index
    gain: tuple[float, ...]  # what each cell takes off the index
    penalty: tuple[float, ...]  # what each cell adds to it

    def __iter__(self) -> Iterator[MatrixCell]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, index: int) -> MatrixCell:
        return self.cells[index]


_TERMS: dict[Any, Callable[..., Terms]] = {
    oc_index.kernel: oc_terms,
    oc_index_unnormalized.kernel: partial(oc_terms, dispersion=False),
    uoc_index.kernel: uoc_terms,
}


@checked
def optimal_path(cm: Any, metric: str | Metric = "oc_index", **params: Any) -> OptimalPath:
    """Find the path behind ``oc_index``, ``oc_index_unnormalized`` or ``uoc_index``.

    Parameters
    ----------
    cm
        One confusion matrix.
    metric
        The index whose path is wanted.
    **params
        Parameters of the index.

    Returns
    -------
    results.OptimalPath
        The cells of the path, its value, and the gain and the penalty of each cell.

    Raises
    ------
    CountsError
        If ``cm`` is not one matrix with items.
    ParameterError
        If the measure has no path, or a parameter is outside its domain.
    UnknownMetricError
        If no measure is called ``metric``.

    Examples
    --------
    >>> path = optimal_path([[2, 0, 1], [1, 1, 0], [2, 1, 2]], share=0.25)
    >>> path.cells
    ((0, 0), (1, 0), (2, 0), (2, 1), (2, 2))
    >>> round(path.value, 2)
    0.63
    """
    n = _one_matrix(cm, "optimal_path")
    metric = get_metric(metric)
    terms_of = _TERMS.get(metric.kernel)
    if terms_of is None:
        raise ParameterError(
            f"optimal_path takes oc_index, oc_index_unnormalized or uoc_index; got {metric.name!r}."
        )
    terms = terms_of(n, **{**metric.defaults, **metric.check_parameters(params, len(n))})
    if np.isnan(terms.beta).any():
        raise ParameterError("a scale of one level has no penalty to share; give beta=.")
    gain, penalty = terms.gain[..., 0], (terms.beta * terms.penalty)[..., 0]
    cost, cells = best_path((penalty - gain).tolist())
    return OptimalPath(
        tuple(cells),
        max(1.0 + cost, 0.0),
        tuple(float(gain[cell]) for cell in cells),
        tuple(float(penalty[cell]) for cell in cells),
    )


def _one_matrix(cm: Any, who: str) -> Floats:
    n = as_counts(cm)
    if n.ndim != 2:
        raise CountsError(f"{who} takes one matrix; got a stack of shape {n.shape[:-2]}.")
    if not n.any():
        raise CountsError(f"{who} needs a matrix with items; this one is all zero.")
    return stack_last(n.astype(np.float64))
