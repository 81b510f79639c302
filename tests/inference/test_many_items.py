"""Many distinct items are drawn in random bundles: the spread stays what it is."""

from __future__ import annotations

import numpy as np
import pytest

from ordeval.inference import samples
from ordeval.inference.samples import ItemSample, _row_blocks


@pytest.mark.parametrize("largest", [1, 4_000])
def test_bundled_draws_have_the_spread_of_items(
    largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(samples, "MAX_UNITS", 2_000)
    rng = np.random.default_rng(3)
    n = 2_500
    truth = rng.integers(0, 3, n)
    predictions = np.where(rng.random((n, 2)) < 0.6, truth[:, None], rng.integers(0, 3, (n, 2)))
    count = np.ones(n, dtype=np.int64)
    count[:5] = largest
    sample = ItemSample(truth, predictions, np.ones(n), count, 3)
    draws = np.concatenate(list(sample.draws(2000, rng)))
    accuracy = np.trace(draws, axis1=-2, axis2=-1) / draws.sum(axis=(-2, -1))
    hits = (predictions == truth[:, None]).astype(float)
    p = np.average(hits, axis=0, weights=count)
    joint = np.cov(hits.T, fweights=count, bias=True) / count.sum()
    assert accuracy.mean(axis=0) == pytest.approx(p, abs=5 * np.sqrt(joint[0, 0] / 2000))
    assert np.cov(accuracy.T) == pytest.approx(joint, rel=0.12, abs=joint[0, 0] * 0.1)


def test_blocks_cover_every_row_once() -> None:
    count = np.random.default_rng(0).integers(0, 5_000_000, 50)
    blocks = list(_row_blocks(count))
    assert [i for b in blocks for i in range(b.start, b.stop)] == list(range(50))
    assert all(count[b].sum() <= 2**22 or b.stop - b.start == 1 for b in blocks)
