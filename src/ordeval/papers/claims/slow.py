"""Definitions of the papers as they print them: one matrix at a time, cell by cell.

They say what the kernels of ``ordeval.measures`` must give, and share no code with them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ordeval._shared.types import Floats

Path = tuple[tuple[int, int], ...]


def listing_1(matrix: Any, k: int, least: Callable[..., float] = min) -> float:
    """Listing 1 of Cardoso & Sousa 2011, line by line; its indices start at 1, these at 0.

    ``least`` stands for its ``min``, so that calls can be counted.

    >>> round(listing_1([[0, 4, 0, 0], [0, 0, 6, 0], [0, 0, 0, 0], [0, 0, 0, 3]], 4), 2)
    0.63
    """
    c_matrix = np.asarray(matrix, dtype=np.float64)
    n = c_matrix.sum()
    gamma = 1
    beta = 0.75 / (n * (k - 1) ** gamma)
    helper_2 = np.zeros((k, k))
    for r in range(k):
        for c in range(k):
            helper_2[r, c] = c_matrix[r, c] * abs(r - c) ** gamma
    dispersion = helper_2.sum() ** (1 / gamma)
    helper_1 = c_matrix / (dispersion + n)
    error = np.zeros((k, k))
    error[0, 0] = 1 - helper_1[0, 0] + beta * helper_2[0, 0]
    for r in range(1, k):
        error[r, 0] = error[r - 1, 0] - helper_1[r, 0] + beta * helper_2[r, 0]
    for c in range(1, k):
        error[0, c] = error[0, c - 1] - helper_1[0, c] + beta * helper_2[0, c]
    for c in range(1, k):
        for r in range(1, k):
            before = least(error[r - 1, c], error[r, c - 1], error[r - 1, c - 1])
            error[r, c] = before - helper_1[r, c] + beta * helper_2[r, c]
    return float(error[-1, -1])


@lru_cache(maxsize=8)
def paths(k: int) -> tuple[Path, ...]:
    """All monotone paths from the first cell to the last.

    >>> len(paths(2)), len(paths(3))
    (3, 13)
    """

    def onwards(r: int, c: int) -> Iterator[Path]:
        if (r, c) == (k - 1, k - 1):
            yield ((r, c),)
            return
        for down, right in ((1, 1), (1, 0), (0, 1)):
            if r + down < k and c + right < k:
                for rest in onwards(r + down, c + right):
                    yield ((r, c), *rest)

    return tuple(onwards(0, 0))


def cheapest(gain: Floats, cost: Floats) -> float:
    """The least over all paths of 1 - the sum of gains + the sum of costs, path by path."""
    each = cost - gain
    return min(1 + sum(float(each[cell]) for cell in path) for path in paths(len(each)))


def steps(k: int) -> Floats:
    """|r - c|."""
    i = np.arange(k)
    return np.abs(np.subtract.outer(i, i)).astype(np.float64)


def expanded(matrix: Any) -> tuple[list[int], list[int]]:
    """The items of a matrix: true classes and predicted ones."""
    n = np.asarray(matrix)
    truth, predicted = (np.repeat(x.ravel(), n.ravel()).tolist() for x in np.indices(n.shape))
    return truth, predicted


def tau_b_of_pairs(truth: Sequence[int], predicted: Sequence[int], sign: int = 1) -> float:
    """Kendall's tau-b by definitions 1 to 3 of Cardoso & Sousa 2011, pair by pair.

    With a sign of -1, ties are subtracted, as equation 3 of George et al. 2016 prints it. NaN if
    there is no root.

    >>> tau_b_of_pairs([1, 2, 3], [1, 2, 3])
    1.0
    """
    c = d = extra_true = extra_predicted = 0
    for i in range(len(truth)):
        for j in range(i):
            a, b = truth[i] - truth[j], predicted[i] - predicted[j]
            if a == 0 and b == 0:
                continue
            c += a * b > 0
            d += a * b < 0
            extra_true += a == 0
            extra_predicted += b == 0
    product = (c + d + sign * extra_true) * (c + d + sign * extra_predicted)
    return float((c - d) / np.sqrt(product)) if product > 0 else float("nan")
