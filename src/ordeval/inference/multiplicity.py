"""Corrections of p-values for many tests."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def holm(p_values: Any) -> Floats:
    """Holm's step-down adjustment: controls the chance of any false finding.

    >>> holm([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.06, 0.06])
    """
    p, order, rank = _sorted(p_values)
    stepped = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    return np.minimum(stepped, 1.0)[rank]


def benjamini_hochberg(p_values: Any) -> Floats:
    """Benjamini and Hochberg's adjustment: controls the share of false findings.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3)
    array([0.03, 0.04, 0.04])
    """
    p, order, rank = _sorted(p_values)
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    return np.minimum(np.minimum.accumulate(stepped[::-1])[::-1], 1.0)[rank]


def _sorted(p_values: Any) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    return p, order, np.argsort(order, kind="stable")
