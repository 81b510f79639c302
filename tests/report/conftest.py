"""One browser for the tests of a file, and a page of the explorer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import numpy as np
import pytest
from exploring import COUNTS, LEVELS

from ordeval.report import explore


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
