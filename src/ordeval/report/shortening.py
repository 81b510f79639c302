"""Very long names, cut in documents for readers; data keep them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

from ordeval._shared.text import on_a_line, visible
from ordeval.plots._style import short

R = TypeVar("R")
_LONGEST: Final = 80
_SHORTENED: Final = 48
# What draws, what is typed again, and what the page computes with.
_AS_THEY_ARE: Final = frozenset({"drawing", "provenance", "explorer", "names"})


def for_readers(report: R, names: Sequence[str]) -> R:
    """A report with long names shortened in the middle."""
    short_of = _short_forms(names)
    if not short_of:
        return report
    longest_first = sorted(short_of, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    shown: R = _cut(report, pattern, short_of)
    return shown


def _short_forms(names: Sequence[str]) -> dict[str, str]:
    """What long names become, in each way in which a sentence may write them; no two alike."""
    found: dict[str, str] = {}
    taken = {name for name in names if len(name) <= _LONGEST}
    for name in dict.fromkeys(names):
        if len(name) <= _LONGEST:
            continue
        cut = shown = short(name, _SHORTENED)
        number = 2
        while shown in taken:
            shown, number = f"{cut} ({number})", number + 1
        taken.add(shown)
        found |= dict.fromkeys((name, visible(name), on_a_line(name)), shown)
    return found


def _cut(value: Any, pattern: re.Pattern[str], short_of: Mapping[str, str]) -> Any:
    """Return a value with every text in it shortened."""
    if isinstance(value, str):
        return pattern.sub(lambda found: short_of[found[0]], value)
    if isinstance(value, tuple):
        return tuple(_cut(x, pattern, short_of) for x in value)
    if is_dataclass(value) and not isinstance(value, type):
        held = (f.name for f in fields(value) if f.name not in _AS_THEY_ARE)
        return replace(
            value, **{name: _cut(getattr(value, name), pattern, short_of) for name in held}
        )
    return value
