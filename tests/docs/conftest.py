"""The tools of the documentation, which are scripts beside its pages."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "docs" / "_tools"))
