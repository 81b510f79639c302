"""The page of the public interface: every public name, under its package."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import ordeval as oe
from ordeval._shared.packages import PACKAGES

TITLES = {
    "exceptions": "Errors and warnings",
    "data": "The scale and the counts",
    "measures": "Measures",
    "inference": "Intervals, tests and advice",
    "evaluate": "Scoring and comparing",
}


def pages() -> dict[str, str]:
    """One API page per package that has public names, by file name."""
    public = {n: getattr(oe, n) for n in oe.__all__ if not n.startswith("_")}
    written = {}
    for name, what in (entry for listed in PACKAGES for entry in listed.items()):
        if name in oe._MODULES:
            module = getattr(oe, name)
            found = {n: getattr(module, n) for n in module.__all__}
            about = inspect.cleandoc(module.__doc__ or "")
            written[name] = _page(f"ordeval.{name}", about, _entries(f"ordeval.{name}", found))
        elif found := {n: x for n, x in public.items() if _lives_in(x, name)}:
            written[name] = _page(TITLES[name], f"{what[0].upper()}{what[1:]}.",
                                  _entries("ordeval", found))  # fmt: skip
    return {"index": _index(list(written)), **written}


def missing() -> set[str]:
    """Public names that no page shows; measures have cards."""
    shown = "".join(pages().values())
    names = [f"ordeval.{n}" for n in oe.__all__ if not isinstance(getattr(oe, n), (oe.Metric, str))]
    names += [f"ordeval.{name}.{n}" for name in oe._MODULES for n in getattr(oe, name).__all__]
    return {n for n in names if not re.search(rf":: {re.escape(n)}[\n(]", shown)}


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


def _page(title: str, about: str, entries: list[str]) -> str:
    return "\n\n".join([f"# {title}", about, *entries]) + "\n"


def _lives_in(thing: Any, package: str) -> bool:
    home = str(getattr(thing, "__module__", ""))
    return not isinstance(thing, oe.Metric) and f"{home}.".startswith(f"ordeval.{package}.")


def _entries(prefix: str, found: dict[str, Any]) -> list[str]:
    return [_entry(f"{prefix}.{n}", x) for n, x in found.items()]


def _entry(path: str, thing: Any) -> str:
    if isinstance(thing, type):
        options = "\n".join(f"   {option}" for option in _options(thing))
        return f"```{{eval-rst}}\n.. autoclass:: {path}\n{options}\n```"
    if callable(thing):
        return f"```{{eval-rst}}\n.. autofunction:: {path}{_signature(thing)}\n```"
    if isinstance(thing, ModuleType):
        return f"```{{eval-rst}}\n.. automodule:: {path}\n```"
    # autodoc would show the docstring of its type.
    return f"```{{eval-rst}}\n.. py:data:: {path}\n   :type: {type(thing).__name__}\n```"


def _signature(thing: Any) -> str:
    """The signature of a function that says it itself, which autodoc would read off its source."""
    if "__signature__" not in vars(thing):
        return ""
    parameters = inspect.signature(thing).parameters.values()
    shown = [
        p.name if p.default is p.empty else f"{p.name}={_shown(p.default)}" for p in parameters
    ]
    return f"(*, {', '.join(shown)})"


def _shown(default: Any) -> str:
    return default.__name__ if isinstance(default, type) else repr(default)


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
