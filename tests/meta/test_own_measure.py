"""The example of a measure of one's own runs, and shows what it is there to show."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_measure.py"


def test_own_measure() -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLE], capture_output=True, text=True, check=True, timeout=60
    )
    assert "partial_credit breaks imbalance" in done.stdout
    assert "coverage" in done.stdout
    assert "shrink" in done.stdout
