"""The explorer: its arithmetic is the library's, its facts the registry's, and people can use it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import numpy as np
import pytest

import ordeval as oe
from ordeval.measures import get_metric
from ordeval.report import explore
from ordeval.report.explorer import MEASURES, MOST_LEVELS, _facts

pytestmark = [
    pytest.mark.skipif(bool(browser.MISSING) and not os.environ.get("CI"), reason=browser.MISSING),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
COUNTS = [[26, 4, 1, 0], [3, 15, 4, 0], [0, 5, 18, 3], [0, 1, 3, 10]]
LEVELS = ["I", "II", "III", "IV"]


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with browser.chromium() as made:
        yield made


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("explore") / "explore.html"
    other = np.array(COUNTS)[::-1, ::-1].tolist()
    matrices = {"first": COUNTS, "second": other}
    explore(matrices, path, labels=LEVELS)
    return path


def random_matrices(seed: int, size: int) -> list[Any]:
    """Tables of 2 to 12 levels: sparse and full, with empty classes, and with huge counts."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(size):
        k = int(rng.integers(2, 13))
        largest = [3, 40, 10**6, 10**15][number % 4]
        n = rng.integers(0, largest, (k, k))
        n[rng.random((k, k)) < rng.choice([0.0, 0.5, 0.9])] = 0
        if number % 3 == 0:  # one class, or two, without an item in the truth
            n[rng.integers(0, k, 2)] = 0
        if number % 5 == 0:  # one class that is never predicted
            n[:, rng.integers(0, k)] = 0
        if number % 7 == 0:  # no errors
            n = np.diag(np.diagonal(n))
        if number % 11 == 0:  # one item beside very many
            n[0, -1] = 1
        found.append(n)
    return found


COMPUTED = """
const [measures, tables, intervals] = arguments;
return tables.map((rows) => {
  const k = rows.length, n = Float64Array.from(rows.flat());
  return measures.map((f) => {
    const ends = intervals ? interval(f, n, k) : null;
    return [measured(f, n, k), ends && ends.low, ends && ends.high].map((x) => x === null || isNaN(x) ? null : x);
  });
});
"""  # noqa: E501


def computed(driver: Any, page: Path, tables: list[Any], *, intervals: bool) -> Any:
    browser.opened(driver, page)
    facts = [_facts(get_metric(name)) for name in MEASURES]
    found = driver.execute_script(COMPUTED, facts, [t.tolist() for t in tables], intervals)
    return np.array(found, dtype=np.float64)  # tables, measures, value and ends


def test_the_arithmetic_is_the_librarys(driver: Any, page: Path) -> None:
    tables = random_matrices(20, 2000)
    found = computed(driver, page, tables, intervals=False)[..., 0]
    expected = np.array([[get_metric(name).values(t) for name in MEASURES] for t in tables])
    assert np.isnan(found).tolist() == np.isnan(expected).tolist()
    assert 0.01 < np.isnan(expected).mean() < 0.5  # both kinds were tried
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::ordeval.OrdevalWarning")
def test_the_intervals_are_the_librarys(driver: Any, page: Path) -> None:
    tables = [t for t in random_matrices(21, 240) if t.sum() > 1]
    found = computed(driver, page, tables, intervals=True)
    for t, row in zip(tables, found, strict=True):
        for name, ends in zip(MEASURES, row, strict=True):
            if np.isnan(ends[0]):
                continue
            made = oe.confidence_interval(name, t)
            expected = [made.estimate, made.low, made.high]
            np.testing.assert_allclose(ends, expected, rtol=1e-7, atol=1e-7, err_msg=f"{name} {t}")
