"""The API reference: every public name, under its package."""

from __future__ import annotations

import inspect
import re
from types import ModuleType
from typing import Any

import ordeval as oe
from ordeval._shared.packages import PACKAGES

TITLES = {
    "exceptions": "Errors and warnings",
    "data": "Data",
    "measures": "Measures",
    "inference": "Inference",
    "evaluate": "Functions",
}


def pages() -> dict[str, str]:
    """Return one API page per package with public names, by file name, and their index."""
    about = {name: what for listed in PACKAGES for name, what in listed.items()}
    written = {}
    for name, (title, prefix, found) in _listed().items():
        text = f"{about[name][0].upper()}{about[name][1:]}."
        if name in oe._MODULES:
            text = inspect.cleandoc(getattr(oe, name).__doc__ or "")
        written[name] = _page(title, text, _entries(prefix, found))
    return {"index": _index(list(written)), **written}


def missing() -> set[str]:
    """Return the public names that no page shows; measures have pages of their own."""
    shown = "".join(pages().values())
    names = [f"ordeval.{n}" for n in oe.__all__ if not isinstance(getattr(oe, n), (oe.Metric, str))]
    names += [f"ordeval.{name}.{n}" for name in oe._MODULES for n in getattr(oe, name).__all__]
    return {n for n in names if not re.search(rf":: {re.escape(n)}[\n(]", shown)}


def _index(files: list[str]) -> str:
    listed = "\n".join(files)
    return f"""# API

`import ordeval as oe`. The measures are functions with [pages of their own](../measures/index.md):
`oe.oc_index(y_true, y_pred, labels=...)` takes labels, and `oe.oc_index.from_confusion(counts)`
takes one matrix or a stack.

{_summary_tables()}

```{{toctree}}
:hidden:

{listed}
```
"""


def _summary_tables() -> str:
    """One table per page: every public name with the first sentence of its docstring."""
    parts = []
    for name, (title, prefix, found) in _listed().items():
        rows = [
            f"| {{py:obj}}`{n} <{prefix}.{n}>` | {_first_sentence(x)} |"
            for n, x in found.items()
            if callable(x)
        ]
        if rows:
            parts.append(
                f"## [{title}]({name}.md)\n\n| name | purpose |\n|---|---|\n" + "\n".join(rows)
            )
    return "\n\n".join(parts)


def _first_sentence(thing: Any) -> str:
    text = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0]
    text = " ".join(text.split()).replace("``", "`").replace("|", r"\|")
    return re.sub(r":\w+:(?=`)", "", text)


def _listed() -> dict[str, tuple[str, str, dict[str, Any]]]:
    """The title, the prefix and the public names of each page, by file name."""
    public = {n: getattr(oe, n) for n in oe.__all__ if not n.startswith("_")}
    found: dict[str, tuple[str, str, dict[str, Any]]] = {}
    for name in sorted((n for listed in PACKAGES for n in listed), key=_place):
        if name in oe._MODULES:
            module = getattr(oe, name)
            own = {n: getattr(module, n) for n in module.__all__}
            found[name] = (f"ordeval.{name}", f"ordeval.{name}", own)
        elif own := {n: x for n, x in public.items() if _lives_in(x, name)}:
            found[name] = (TITLES[name], "ordeval", own)
    return found


def _place(name: str) -> int:
    """What readers look for first comes first, errors last."""
    first = ("evaluate", "data", "measures", "results", "inference")
    return first.index(name) if name in first else len(first) + (name == "exceptions")


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
    """The signature of a function that sets its own, which autodoc would take from the source."""
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
    """Options of autodoc for a class: members inherited from our classes only."""
    if issubclass(thing, (Exception, Warning)):
        return [":no-index-entry:"]
    strangers = [c.__name__ for c in thing.__mro__ if not c.__module__.startswith("ordeval")]
    return [":members:", f":inherited-members: {', '.join(strangers)}"]


def tidy_docstring(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Escape asterisks that are not markup, and the colon in the summary of a property."""
    if what in ("property", "attribute") and lines:
        lines[0] = lines[0].replace(": ", ", ", 1)
    lines[:] = [re.sub(r"(?<![\w`*])(\*{1,2})(?=\w+$)", r"\\\1", line) for line in lines]
