"""The literature behind the measures: ``references.txt`` has one line per work.

A line holds the name used by the measures, authors, year, title, place, and the DOI if there is
one: ``COHEN_1960 // Cohen 1960, A coefficient of agreement ... // 10.1177/...``
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
        """Return a reference from a reference or from its text."""
        return cls(reference) if isinstance(reference, str) else reference

    def __str__(self) -> str:
        return self.citation + (f". doi:{self.doi}" if self.doi else "")


@cache
def works() -> dict[str, Reference]:
    """Return all works by name."""
    with open(os.path.splitext(__file__)[0] + ".txt", encoding="utf-8") as file:
        named = [line.rstrip("\n").split(" // ") for line in file]
    return {name: Reference(*facts) for name, *facts in named}


def __getattr__(name: str) -> Reference:
    """Return a work as an attribute of this module."""
    if name in works():
        return works()[name]
    raise AttributeError(f"references.txt has no line for {name!r}")
