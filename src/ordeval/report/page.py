"""One self-contained HTML page from a template, which runs and applies nothing but what is ours."""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.latex import LATEX, PATTERN
from ordeval._shared.latex_tables import FOR_SCRIPTS
from ordeval._shared.text import on_a_line
from ordeval.report.filters import FILTERS, ends

# What tables.js writes LaTeX by.
_LATEX: Final = {"latex": LATEX, "latex_pattern": PATTERN, "paper": FOR_SCRIPTS}


def page(
    template: str,
    *,
    package: str = "ordeval.report",
    scripts: Sequence[str] = ("tables",),
    **facts: Any,
) -> str:
    """One self-contained HTML page, in the look that all pages share: no request leaves it.

    The browser is told to run and to apply nothing but the script and the stylesheet made here,
    which it knows by their hashes. Whatever else a template shows is text.

    Parameters
    ----------
    template
        The name of the template, which extends ``base.html``.
    package
        Whose folder ``templates`` holds it.
    scripts
        What the one script of the page consists of, by the names of the files, in this order.
    **facts
        What the template shows.
    """
    jinja2 = import_extra("jinja2", extra="report", purpose="an HTML page")
    markupsafe = import_extra("markupsafe", extra="report", purpose="an HTML page")
    folders = [jinja2.PackageLoader(name) for name in dict.fromkeys((package, "ordeval.report"))]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(folders),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    environment.filters.update(FILTERS)
    environment.globals["ends"] = ends
    given = {name: markupsafe.Markup(_json(value)) for name, value in _LATEX.items()}
    parts = [environment.get_template(f"{name}.js").render(given) for name in scripts]
    own = {
        "style": environment.get_template("style.css").render(),
        "script": "\n".join(['"use strict";', *parts]),
    }
    made: str = environment.get_template(template).render(
        **{name: markupsafe.Markup(text) for name, text in own.items()},
        **{f"{name}_hash": _hash(text) for name, text in own.items()},
        **facts,
    )
    return made


def _shown(value: Any) -> Any:
    """A value of a template; one that is HTML already, which has no need of care, stays."""
    return on_a_line(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _json(value: Any) -> str:
    """A value within a script, which no tag can end."""
    return json.dumps(value).replace("<", "\\u003c")


def _hash(text: str) -> str:
    """How a content security policy names a text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
