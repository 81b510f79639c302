"""Read, write and compare recorded values."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

VALUES = Path(__file__).with_name("values.json.xz")
PAPERS = Path(__file__).with_name("papers.json.xz")
TOLERANCE = 1e-9  # of the value, or of 1 if that is larger
_DECIMALS = 11  # of values below 1; larger ones keep one digit more
_PACKAGES = ("numpy", "scipy", "scikit-learn")
_SHOWN = 10

Value = float | str | None


class Recorded(NamedTuple):
    """Values by group and name, and the versions of the packages that gave them."""

    groups: dict[str, dict[str, Any]]
    versions: dict[str, str]


class Changes(NamedTuple):
    """How the values of a group differ from those that were recorded."""

    recorded: int
    moved: dict[str, tuple[Value, Value]]  # before and after, the largest change first
    gone: list[str]
    new: list[str]

    def __bool__(self) -> bool:
        return bool(self.moved or self.gone or self.new)

    def __str__(self) -> str:
        lines = [f"{len(self.moved)} of {self.recorded} values moved"]
        for what, names in (("are gone", self.gone), ("are new", self.new)):
            if names:
                lines[0] += f", {len(names)} {what} (such as {names[0]!r})"
        for name, (before, after) in list(self.moved.items())[:_SHOWN]:
            lines.append(f"  {name}: before {before!r}, after {after!r}")
        if len(self.moved) > _SHOWN:
            lines.append(f"  and {len(self.moved) - _SHOWN} more")
        return "\n".join(lines)


def load(path: Path) -> Recorded:
    """Read what was recorded; nothing if there is no file yet."""
    if not path.exists():
        return Recorded({}, {})
    found = json.loads(lzma.decompress(path.read_bytes()))
    return Recorded(found["groups"], found["versions"])


def save(path: Path, groups: Mapping[str, Mapping[str, Value]]) -> None:
    """Write values, so that the same values give the same bytes."""
    rounded = {
        group: {name: _rounded(x) for name, x in values.items()} for group, values in groups.items()
    }
    text = json.dumps({"versions": versions(), "groups": rounded}, separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode(), preset=9))


def versions() -> dict[str, str]:
    """Versions of the packages that numbers depend on."""
    return {name: version(name) for name in _PACKAGES}


def _rounded(value: Value) -> Value:
    if not isinstance(value, float):
        return value
    large = abs(value) >= 1
    short = float(f"{value:.{_DECIMALS + 1}g}") if large else round(value, _DECIMALS)
    return int(short) if short.is_integer() else short


def changes(before: Mapping[str, Value], after: Mapping[str, Value]) -> Changes:
    """Compare values with those that were recorded."""
    moved = {
        name: (x, after[name])
        for name, x in before.items()
        if name in after and _far(x, after[name])
    }
    largest = sorted(moved, key=lambda name: -_distance(*moved[name]))
    return Changes(
        recorded=len(before),
        moved={name: moved[name] for name in largest},
        gone=[name for name in before if name not in after],
        new=[name for name in after if name not in before],
    )


def _far(before: Value, after: Value) -> bool:
    return _distance(before, after) > TOLERANCE


def _distance(before: Value, after: Value) -> float:
    """The change in units of the value; infinite if something else was there."""
    if isinstance(before, str) or isinstance(after, str) or before is None or after is None:
        return 0.0 if before == after else math.inf
    if math.isnan(before) and math.isnan(after):
        return 0.0
    if before == after:
        return 0.0
    distance = abs(after - before) / max(1.0, abs(before))
    return math.inf if math.isnan(distance) else distance


def complaint(found: Changes, recorded: Recorded, group: str) -> str:
    """What a failed test says: what moved, and what to do if that is on purpose."""
    now = versions()
    others = [
        f"{name} {then}, now {now[name]}"
        for name, then in recorded.versions.items()
        if now[name] != then
    ]
    lines = [str(found)]
    if others:
        lines.append(f"Recorded with other versions: {'; '.join(others)}.")
    lines.append(f'If this is on purpose, record it: python -m tests.recorded "{group}"')
    return "\n".join(lines)
