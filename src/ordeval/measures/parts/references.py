"""The literature that the measures come from: ``references.txt`` has a line for each work.

A line holds the name by which measures refer to the work, who published what, when and where, and
the DOI if there is one: ``COHEN_1960 // Cohen 1960, A coefficient of agreement ... // 10.1177/...``
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Reference:
    """Where a measure was published."""

    citation: str
    doi: str | None = None

    @classmethod
    def of(cls, reference: Reference | str) -> Reference:
        """A reference from a reference or from its text."""
        return cls(reference) if isinstance(reference, str) else reference

    def __str__(self) -> str:
        return self.citation + (f". doi:{self.doi}" if self.doi else "")


@cache
def works() -> dict[str, Reference]:
    """All works, by their names."""
    with open(os.path.splitext(__file__)[0] + ".txt", encoding="utf-8") as file:
        named = [line.rstrip("\n").split(" // ") for line in file]
    return {name: Reference(*facts) for name, *facts in named}


def __getattr__(name: str) -> Reference:
    """A work, as an attribute of this module."""
    if name in works():
        return works()[name]
    raise AttributeError(f"references.txt has no line for {name!r}")
