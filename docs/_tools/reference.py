"""The page of the public interface: every public name, under the room that it lives in."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import ordeval as oe

# Title and what belongs there, by the module that defines it.
SECTIONS = {
    "The scale and the counts": ("scale", "confusion", "accumulator", "counting"),
    "Measures": ("measures",),
    "One model": ("scoring", "group_scores", "inference.intervals"),
    "Several models": (
        "comparison", "results", "cases", "inference.paired", "inference.multiplicity",
    ),
    "Advice": ("recommendation", "advice"),
    "scikit-learn": ("sklearn",),
    "Errors and warnings": ("exceptions",),
}  # fmt: skip
ROOMS = ("plots", "models", "meta", "datasets", "report", "papers")


def pages() -> dict[str, str]:
    """The API pages by file name, with everything that ``ordeval`` and its rooms export."""
    public = {n: getattr(oe, n) for n in sorted(oe.__all__) if not n.startswith("_")}
    written = {}
    for title, modules in SECTIONS.items():
        found = {n: x for n, x in public.items() if _lives_in(x, modules)}
        written[_file(title)] = _page(title, "", _entries("ordeval", found))
    for room in ROOMS:
        module = getattr(oe, room)
        found = {n: getattr(module, n) for n in module.__all__}
        about = inspect.cleandoc(module.__doc__ or "")
        written[room] = _page(f"ordeval.{room}", about, _entries(f"ordeval.{room}", found))
    return {"index": _index(list(written)), **written}


def missing() -> set[str]:
    """Public names that no page shows; measures have cards."""
    shown = "".join(pages().values())
    rooms = [(n, x) for n in oe.__all__ if isinstance(x := getattr(oe, n), ModuleType)]
    names = [
        f"ordeval.{n}"
        for n in oe.__all__
        if not isinstance(getattr(oe, n), (ModuleType, oe.Metric, str))
    ]
    names += [f"ordeval.{room}.{n}" for room, module in rooms for n in module.__all__]
    return {n for n in names if f":: {n}\n" not in shown}


def _index(files: list[str]) -> str:
    listed = "\n".join(files)
    return f"""# API reference

`import ordeval as oe`. Each measure is a function with facts; [its card](../measures/index.md)
shows them. `oe.oc_index(y_true, y_pred, labels=...)` takes labels,
`oe.oc_index.from_confusion(counts)` one matrix or a stack. The command is `ordeval`; each of its
parts has `--help`.

```{{toctree}}
{listed}
```
"""


def _file(title: str) -> str:
    return title.lower().replace(" ", "-")


def _page(title: str, about: str, entries: list[str]) -> str:
    return "\n\n".join([f"# {title}", about, *entries]) + "\n"


def _lives_in(thing: Any, modules: tuple[str, ...]) -> bool:
    if isinstance(thing, oe.Metric):
        return False
    home = getattr(thing, "__module__", "")
    return any(home == f"ordeval.{m}" or home.startswith(f"ordeval.{m}.") for m in modules)


def _entries(prefix: str, found: dict[str, Any]) -> list[str]:
    return [_entry(f"{prefix}.{n}", x) for n, x in found.items()]


def _entry(path: str, thing: Any) -> str:
    if isinstance(thing, type):
        options = "\n".join(f"   {option}" for option in _options(thing))
        return f"```{{eval-rst}}\n.. autoclass:: {path}\n{options}\n```"
    if callable(thing):
        return f"```{{eval-rst}}\n.. autofunction:: {path}\n```"
    if isinstance(thing, ModuleType):
        return f"```{{eval-rst}}\n.. automodule:: {path}\n```"
    # autodoc would show the docstring of its type.
    return f"```{{eval-rst}}\n.. py:data:: {path}\n   :type: {type(thing).__name__}\n```"


def _options(thing: type) -> list[str]:
    """What autodoc shows of a class: what it has from our own classes too, not from others'."""
    if issubclass(thing, (Exception, Warning)):
        return [":no-index-entry:"]
    strangers = [c.__name__ for c in thing.__mro__ if not c.__module__.startswith("ordeval")]
    return [":members:", f":inherited-members: {', '.join(strangers)}"]


def tidy_docstring(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Asterisks that are not markup, as in ``**options``, would be taken for it, and what stands
    before a colon for the type of a property."""
    if what in ("property", "attribute") and lines:
        lines[0] = lines[0].replace(": ", ", ", 1)
    lines[:] = [re.sub(r"(?<![\w`*])(\*{1,2})(?=\w+$)", r"\\\1", line) for line in lines]
