"""How many functions of the package one job calls: a reader of the code follows each of them."""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

import ordeval as oe

PACKAGE = Path(oe.__file__).parent
RNG = np.random.default_rng(0)
TRUTH = RNG.integers(1, 6, 300)
PRED = np.clip(TRUTH + RNG.integers(-1, 2, 300), 1, 5)
SITE, PATIENT = RNG.choice(list("xyz"), 300), RNG.integers(0, 60, 300)


def score() -> Any:
    return oe.score(TRUTH, PRED, labels=oe.Scale.range(1, 5))


def score_in_subgroups() -> Any:
    data = oe.Predictions(
        TRUTH, PRED, labels=oe.Scale.range(1, 5), by={"site": SITE}, clusters=PATIENT
    )
    return oe.score(data)


def called(job: Callable[[], Any]) -> Counter[CodeType]:
    """The named functions of the package that a job calls, and how often."""
    job()  # what is loaded on first use
    found: Counter[CodeType] = Counter()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        ours = Path(code.co_filename).is_relative_to(PACKAGE) and not code.co_name.startswith("<")
        if event == "call" and ours:
            found[code] += 1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        job()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize(("job", "most"), [(score, 245), (score_in_subgroups, 335)])
def test_a_job_calls_few_functions(job: Callable[[], Any], most: int) -> None:
    found = called(job)
    assert len(found) <= most, sorted(code.co_qualname for code in found)


def test_labels_subgroups_and_clusters_are_read_once() -> None:
    times = {code.co_name: n for code, n in called(score_in_subgroups).items()}
    for reader in ("read_positions", "subgroups_of", "cluster_numbers", "contributions"):
        assert reader in times
    assert times["read_positions"] == times["subgroups_of"] == times["cluster_numbers"] == 1
