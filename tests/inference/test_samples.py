"""What is drawn: items, clusters and bundles of them have the spread that they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import ordeval as oe
from ordeval.inference import samples
from ordeval.inference.ends import draws as drawing
from ordeval.inference.samples import (
    Sample,
    _row_blocks,
    blocks,
    cluster_numbers,
    number_rows,
    sample_of_joint,
)

Array = NDArray[Any]


def distinct(n: int, largest: int = 1, seed: int = 3) -> Sample:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    predictions = np.where(rng.random((n, 2)) < 0.6, truth[:, None], rng.integers(0, 3, (n, 2)))
    count = np.ones(n, dtype=np.int64)
    count[:5] = largest
    return Sample(truth, predictions, count, 3)


def accuracies(sample: Sample, n: int = 2000, seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    drawn = sample.drawer(rng).draw(n, rng)
    return np.trace(drawn, axis1=-2, axis2=-1) / drawn.sum(axis=(-2, -1))


@pytest.mark.parametrize("largest", [1, 4_000])
@pytest.mark.parametrize("most", [2_000, 20_000])
def test_draws_have_the_spread_of_items(
    largest: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in random bundles, if there are more distinct items than are drawn singly."""
    monkeypatch.setattr(samples, "MAX_UNITS", most)
    sample = distinct(2_500, largest)
    hits = (sample.predictions == sample.truth[:, None]).astype(float)
    found = accuracies(sample)
    joint = np.cov(hits.T, fweights=sample.count, bias=True) / sample.items
    p = np.average(hits, axis=0, weights=sample.count)
    assert found.mean(axis=0) == pytest.approx(p, abs=5 * np.sqrt(joint[0, 0] / 2000))
    assert np.cov(found.T) == pytest.approx(joint, rel=0.12, abs=joint[0, 0] * 0.1)


def test_clusters_are_drawn_whole() -> None:
    truth = np.zeros(40, dtype=np.int64)
    right = np.repeat([0, 1], 20)
    cluster = np.repeat(np.arange(8), 5)
    sample = Sample(truth, right[:, None], np.ones(40, dtype=np.int64), 2, cluster=cluster)
    found = accuracies(sample)[:, 0] * 8
    np.testing.assert_allclose(found, np.rint(found))
    assert found.var() == pytest.approx(8 * 0.25, rel=0.1)


def test_very_many_clusters_are_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = distinct(4_000)
    cluster = np.arange(4_000) // 2
    whole = Sample(sample.truth, sample.predictions, sample.count, 3, cluster=cluster)
    before = accuracies(whole)
    monkeypatch.setattr(samples, "MAX_UNITS", 500)
    assert accuracies(whole).std() == pytest.approx(before.std(), rel=0.15)


def test_strata_keep_their_size() -> None:
    sample = sample_of_joint(np.array([[7, 2], [5, 3]]), stratify=True)
    rng = np.random.default_rng(0)
    drawn = sample.drawer(rng).draw(500, rng)[:, 0]
    np.testing.assert_array_equal(drawn.sum(axis=-1), np.tile([9, 8], (500, 1)))


@pytest.mark.parametrize("method", ["bca", "percentile", "bayes"])
def test_draws_do_not_depend_on_the_number_of_threads(
    method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = [[40, 8, 2], [10, 30, 10], [1, 9, 40]]
    found = []
    for threads in (1, 2, 7):
        monkeypatch.setattr(drawing.os, "cpu_count", lambda threads=threads: threads)
        found.append(oe.confidence_interval("cem_ord", counts, method=method, rng=3))
    assert found[0] == found[1] == found[2]


def test_rows_are_numbered_whatever_their_number_of_columns() -> None:
    rng = np.random.default_rng(0)
    table = rng.integers(0, 5, (200, 2)).astype(np.int64)
    wide = [table[:, i % 2] for i in range(60)]
    found = number_rows(wide)
    slow = np.unique(table, axis=0, return_inverse=True)[1].ravel()
    np.testing.assert_array_equal(found, slow)


def test_blocks_cover_every_row_once() -> None:
    count = np.random.default_rng(0).integers(0, 5_000_000, 50)
    found = list(_row_blocks(count))
    assert np.concatenate(found).tolist() == list(range(50))
    assert all(count[b].sum() <= 2**22 or len(b) == 1 for b in found)
    assert sum(blocks(10_000, 8)) == 10_000
    assert blocks(3, 1 << 40) == [1, 1, 1]


def test_names_of_clusters_of_any_kind() -> None:
    kept = np.ones(4, dtype=bool)
    for names in (["a", "b", "a", "c"], [1, 2, 1, 3], ["1", 1, "1", 2.5], [(1,), (2,), (1,), 0]):
        number = cluster_numbers(names, kept)
        assert number[0] == number[2]
        assert len(set(number.tolist())) == 3
    with pytest.raises(oe.LabelError, match="missing"):
        cluster_numbers([1.0, float("nan"), 2.0, 3.0], kept)
    with pytest.raises(oe.LabelError, match="missing"):
        cluster_numbers(["a", None, "b", "c"], kept)
