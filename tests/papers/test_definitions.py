"""What the papers define outside the registry: against definitions of a second hand."""

import itertools
import math

import numpy as np
import pytest

import ordeval as oe
from ordeval.measures.cost import george_cost
from ordeval.papers.claims import slow
from ordeval.papers.claims.george_search import shortfalls
from ordeval.papers.claims.rennie import rennie_srebro_loss, threshold_losses
from ordeval.papers.contents import Passage, passages


def loss(truth: int, prediction: float, k: int) -> float:
    """The all-threshold logistic loss of a real-valued prediction, threshold by threshold."""
    total = 0.0
    for below in range(k - 1):
        margin = prediction - (below + 0.5)
        total += math.log(1 + math.exp(-margin if truth > below else margin))
    return total


@pytest.mark.parametrize("k", [2, 3, 5, 8])
def test_the_loss_over_all_thresholds(k: int) -> None:
    found = threshold_losses(k)
    for i, j in itertools.product(range(k), repeat=2):
        assert found[i, j] == pytest.approx(loss(i, j, k) - loss(i, i, k), abs=1e-12)
    assert (found[~np.eye(k, dtype=bool)] > 0).all()


def test_the_loss_is_a_mean_over_items() -> None:
    n = [[2, 1, 0], [0, 3, 0], [1, 0, 1]]
    expected = (loss(0, 1, 3) - loss(0, 0, 3) + loss(2, 0, 3) - loss(2, 2, 3)) / 8
    assert rennie_srebro_loss.from_confusion(n) == pytest.approx(expected)
    assert rennie_srebro_loss.name not in oe.metrics().names


def test_all_paths_are_counted_by_delannoy_numbers() -> None:
    assert [len(slow.paths(k)) for k in range(1, 6)] == [1, 3, 13, 63, 321]


def test_listing_1_and_all_paths_agree_with_the_index() -> None:
    rng = np.random.default_rng(0)
    for n in rng.integers(0, 5, (20, 4, 4)):
        items, far = n.sum(), slow.steps(4)
        index = oe.oc_index.from_confusion(n)
        assert slow.listing_1(n, 4) == pytest.approx(index)
        best = slow.cheapest(n / (items + (n * far).sum()), 0.75 / (items * 3) * n * far)
        assert best == pytest.approx(index)


def test_tau_b_of_pairs() -> None:
    from scipy import stats

    rng = np.random.default_rng(1)
    for a, b in rng.integers(0, 3, (30, 2, 9)):
        expected = stats.kendalltau(a, b).statistic
        assert slow.tau_b_of_pairs(a.tolist(), b.tolist()) == pytest.approx(expected, nan_ok=True)


def test_the_search_for_the_largest_cost_ends_at_it_or_below() -> None:
    for sizes in ([10, 20, 70], [50, 50, 50], [31, 12, 13]):  # three unknowns: it gets there
        cost = np.asarray(george_cost(sizes)).T
        assert list(shortfalls(np.array(sizes), cost).values()) == pytest.approx([0] * 3, abs=1e-4)
    sizes = [600, 66, 67, 67]
    cost = np.asarray(george_cost(sizes)).T
    short = shortfalls(np.array(sizes), cost)
    assert all(-1e-9 < x < 1 for x in short.values())
    assert max(short.values()) > 0.001  # eight unknowns: from some starts it does not


def test_passages_are_read_line_by_line() -> None:
    read = passages("""
    Eq. 1 // a mean // Table 1; Section 3: The mean
    Ref. // a book // not: nothing to compute
    """)
    assert read == (
        Passage("Eq. 1", "a mean", ("Table 1", "Section 3: The mean")),
        Passage("Ref.", "a book", why="nothing to compute"),
    )
    with pytest.raises(ValueError, match="unpack"):
        passages("Eq. 1 // a mean")
