"""The architecture page: journeys name what exists and go through the packages in order."""

import importlib
import re
from pathlib import Path

import pytest

from ordeval._shared import packages

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `(?P<file>[\w/]+\.py)` `(?P<name>\w+)`: (?P<text>.+)$")


def journeys() -> dict[str, list[re.Match[str]]]:
    found = {}
    for part in PAGE.split("\n### ")[1:]:
        title, *lines = part.strip().splitlines()
        steps = [STEP.match(line) for line in lines if line.strip()]
        assert all(steps), f"a line of {title} is no step"
        found[title] = [s for s in steps if s]
    return found


def test_there_are_six() -> None:
    assert len(journeys()) == 6
    assert all(len(steps) >= 5 for steps in journeys().values())


@pytest.mark.parametrize("title", journeys())
def test_every_step_exists_and_none_goes_back(title: str) -> None:
    last = 0
    for step in journeys()[title]:
        module = "ordeval." + step["file"].removesuffix(".py").replace("/", ".")
        assert hasattr(importlib.import_module(module), step["name"]), step[0]
        place = packages.package_of(module)
        assert place is not None
        assert place >= last, f"{step[0]} goes back"
        last = place
