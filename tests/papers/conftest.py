"""The quick mode of all five papers, once for the tests of this folder."""

import time
from typing import NamedTuple

import pytest

import ordeval as oe


class Quick(NamedTuple):
    found: oe.papers.Reproduction
    seconds: float  # of the processor
    steps: list[tuple[str, int, int]]


@pytest.fixture(scope="session")
def quick() -> Quick:
    steps: list[tuple[str, int, int]] = []
    start = time.process_time()
    found = oe.papers.reproduce(progress=lambda *step: steps.append(step))
    return Quick(found, time.process_time() - start, steps)
