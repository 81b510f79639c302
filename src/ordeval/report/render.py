"""Renderings of a report: HTML, Markdown, LaTeX and JSON. They show facts and compute nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Table, latex_text, markdown_text
from ordeval.report.facts import Report

SCHEMA = 1


def to_html(report: Report) -> str:
    """One page that needs nothing else: no request leaves it."""
    jinja2 = import_extra("jinja2", extra="report", purpose="a report")
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("ordeval.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    page: str = environment.get_template("report.html").render(report=report)
    return page


def to_markdown(report: Report) -> str:
    """The report without its pictures, whose descriptions stand in for them."""
    return "\n\n".join(part.strip() for part in _markdown_parts(report)) + "\n"


def _markdown_parts(r: Report) -> Iterator[str]:
    def plain(text: str) -> str:
        return markdown_text(text)

    yield f"# {plain(r.title)}"
    yield plain(r.subject)
    yield from map(plain, r.conclusion)
    yield "## Models and measures\n\n" + r.models.to_markdown()
    if r.differences is not None:
        yield "## Differences\n\n" + r.differences.to_markdown()
    yield "## In words\n\n" + "\n".join(f"- {plain(p.description)}" for p in r.pictures)
    if r.disagreements:
        listed = "\n".join(f"- {plain(d)}" for d in r.disagreements)
        yield f"## Where the measures disagree\n\n{listed}"
    for view in r.details:
        yield f"## {plain(view.name)}\n\n{view.classes.to_markdown()}"
    if r.subgroups is not None:
        yield "## Subgroups\n\n" + r.subgroups.to_markdown()
    if r.warnings:
        listed = "\n".join(f"- **{w.code}** {plain(w.message)}" for w in r.warnings)
        yield f"## Warnings\n\n{listed}"
    yield "## Data\n\n" + "\n".join(f"- {plain(n)}" for n in r.notes)
    yield f"## Method\n\n{plain(r.method)}"
    yield "\n".join(f"- {plain(x)}" for x in r.references)
    yield "\n".join(f"- {plain(k)}: {plain(v)}" for k, v in r.provenance)


def to_latex(report: Report) -> str:
    """A section for a paper: conclusion, tables, method and references."""
    r = report
    parts = [rf"\section*{{{latex_text(r.title)}}}", latex_text(r.subject)]
    parts += map(latex_text, r.conclusion)
    tables: list[Table | None] = [r.models, r.differences, r.subgroups]
    parts += [t.to_latex() for t in tables if t is not None]
    parts += [v.classes.to_latex() for v in r.details]
    parts += [r"\paragraph{Method}", latex_text(r.method), r"\begin{itemize}"]
    parts += [rf"\item {latex_text(x)}" for x in r.references]
    return "\n\n".join([*parts, r"\end{itemize}"]) + "\n"


def to_json(report: Report) -> str:
    """The report as data; pictures as their descriptions."""
    facts: dict[str, Any] = asdict(report)
    for picture in (*facts["pictures"], *(p for v in facts["details"] for p in v["pictures"])):
        del picture["svg"]
    made = {"schema": SCHEMA, "kind": "ordeval.report", **facts}
    return json.dumps(made, ensure_ascii=False, indent=1)
