"""Many distinct items are drawn in random groups: the spread stays what it is."""

from __future__ import annotations

import numpy as np
import pytest

from ordeval.inference.samples import ItemSample, _row_blocks


@pytest.mark.parametrize("largest", [1, 40_000])
def test_grouped_draws_have_the_spread_of_items(largest: int) -> None:
    rng = np.random.default_rng(3)
    n = 25_000
    truth = rng.integers(0, 3, n)
    predictions = np.where(rng.random((n, 2)) < 0.6, truth[:, None], rng.integers(0, 3, (n, 2)))
    times = np.ones(n, dtype=np.int64)
    times[:5] = largest
    sample = ItemSample(truth, predictions, np.ones(n), times, 3)
    draws = np.concatenate(list(sample.draws(2000, rng)))
    accuracy = np.trace(draws, axis1=-2, axis2=-1) / draws.sum(axis=(-2, -1))
    hits = (predictions == truth[:, None]).astype(float)
    p = np.average(hits, axis=0, weights=times)
    joint = np.cov(hits.T, fweights=times, bias=True) / times.sum()
    assert accuracy.mean(axis=0) == pytest.approx(p, abs=5 * np.sqrt(joint[0, 0] / 2000))
    assert np.cov(accuracy.T) == pytest.approx(joint, rel=0.12, abs=joint[0, 0] * 0.1)


def test_blocks_cover_every_row_once() -> None:
    times = np.random.default_rng(0).integers(0, 5_000_000, 50)
    blocks = list(_row_blocks(times))
    assert [i for b in blocks for i in range(b.start, b.stop)] == list(range(50))
    assert all(times[b].sum() <= 2**22 or b.stop - b.start == 1 for b in blocks)
