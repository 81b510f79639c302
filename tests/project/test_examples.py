"""The examples run, and show what they are there to show."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_streams() -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / "streams.py"], capture_output=True, text=True, check=True
    )
    one, several, interval = (line[16:] for line in done.stdout.splitlines())
    assert one == several
    assert "(95%)" in interval
