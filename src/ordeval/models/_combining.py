"""Combine the binary answers "above this class?" into a class or class probabilities."""

import numpy as np

from ordeval._shared.types import Floats


def monotone(above: Floats) -> Floats:
    """Return the nearest non-increasing rows by least squares (isotonic regression of each row).

    ``above[:, k]`` estimates the probability of a class above k. It cannot rise with k, but
    independent estimates may. Rows that are already in order are returned unchanged.
    """
    rises = (np.diff(above, axis=1) > 0).any(axis=1)
    if not rises.any():
        return above
    repaired = above.copy()
    repaired[rises] = _isotonic_rows(above[rises])
    return repaired


def _isotonic_rows(rows: Floats) -> Floats:
    """Compute isotonic regression of all rows at once, as the max-min of means of runs."""
    n, k = rows.shape
    sums = np.concatenate([np.zeros((n, 1)), np.cumsum(rows, axis=1)], axis=1)
    # An element is the largest, over the ends of runs that reach it, of the smallest mean over
    # the starts of those runs.
    fitted = np.empty_like(rows)
    for at in range(k):
        starts, ends = np.arange(at + 1), np.arange(at, k) + 1
        lengths = ends[None, :] - starts[:, None]
        means = (sums[:, None, ends] - sums[:, starts, None]) / lengths
        fitted[:, at] = means.min(axis=1).max(axis=1)
    return np.minimum.accumulate(fitted, axis=1)  # equal in theory: rounding must not rise


def class_probabilities(above: Floats) -> Floats:
    """Convert probabilities of lying above each class into class probabilities."""
    above = monotone(above)
    n = len(above)
    edges = np.concatenate([np.ones((n, 1)), above, np.zeros((n, 1))], axis=1)
    return np.asarray(edges[:, :-1] - edges[:, 1:])
