"""Corrections of p-values for many tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ordeval._shared.arguments import floats, shown
from ordeval._shared.types import Floats
from ordeval.exceptions import ParameterError


def holm(p_values: Any) -> Floats:
    """Adjust p-values by Holm's step-down method, which controls the chance of any false finding.

    Parameters
    ----------
    p_values
        The p-values. NaN is a test that was not made, and stays NaN.

    Returns
    -------
    numpy.ndarray
        The adjusted p-values, in the order of ``p_values``.

    Raises
    ------
    ValueError
        If the p-values are not numbers.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.06, 0.06])
    """
    return _over_defined(p_values, _holm)


def benjamini_hochberg(p_values: Any) -> Floats:
    """Adjust p-values by Benjamini and Hochberg's method, which controls the false discovery rate.

    Parameters
    ----------
    p_values
        The p-values. NaN is a test that was not made, and stays NaN.

    Returns
    -------
    numpy.ndarray
        The adjusted p-values, in the order of ``p_values``.

    Raises
    ------
    ValueError
        If the p-values are not numbers.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.04, 0.04])
    """
    return _over_defined(p_values, _benjamini_hochberg)


def benjamini_yekutieli(p_values: Any) -> Floats:
    """Adjust p-values by Benjamini and Yekutieli's method, for tests that depend on each other.

    >>> benjamini_yekutieli([0.01, 0.04, 0.03]).round(3)
    array([0.055, 0.073, 0.073])
    """
    return _over_defined(p_values, _benjamini_yekutieli)


def _holm(ordered: Floats) -> Floats:
    steps = len(ordered) - np.arange(len(ordered))
    return np.minimum(np.maximum.accumulate(ordered * steps), 1.0)


def _benjamini_hochberg(ordered: Floats) -> Floats:
    stepped = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
    return np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)


def _benjamini_yekutieli(ordered: Floats) -> Floats:
    harmonic = float((1 / np.arange(1, len(ordered) + 1)).sum())
    return _benjamini_hochberg(ordered * harmonic)


def _over_defined(p_values: Any, adjust: Callable[[Floats], Floats]) -> Floats:
    """Adjust the p-values in their order; a test without one (NaN) was not made."""
    p = np.array(floats(p_values, "p_values"))
    if p.ndim != 1 or (p < 0).any() or (p > 1).any():
        raise ParameterError(
            f"p_values must be a list of numbers from 0 to 1, or NaN; got {shown(p_values)}."
        )
    defined = np.flatnonzero(~np.isnan(p))
    order = defined[np.argsort(p[defined], kind="stable")]
    p[order] = adjust(p[order])
    return p
