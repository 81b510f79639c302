"""From the answers to "is it above this class?" to one class, or to a probability for each."""

import numpy as np

from ordeval._shared.types import Floats


def monotone(above: Floats) -> Floats:
    """The nearest rows that never rise, by least squares (isotonic regression of each row).

    ``above[:, k]`` estimates the probability of a class above k, which cannot rise with k, though
    estimates made apart from each other may. Rows that are in order are returned untouched.
    """
    rises = (np.diff(above, axis=1) > 0).any(axis=1)
    if not rises.any():
        return above
    repaired = above.copy()
    repaired[rises] = _isotonic_rows(above[rises])
    return repaired


def _isotonic_rows(rows: Floats) -> Floats:
    """Isotonic regression as the max-min of the means of all runs: no loop over the rows."""
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
    """Probabilities of K classes from those of lying above each of the first K - 1."""
    above = monotone(above)
    n = len(above)
    edges = np.concatenate([np.ones((n, 1)), above, np.zeros((n, 1))], axis=1)
    return np.asarray(edges[:, :-1] - edges[:, 1:])
