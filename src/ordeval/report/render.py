"""Renderings of a report: HTML, Markdown, LaTeX and JSON. They show facts and compute nothing."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any
from urllib.parse import quote

from ordeval._shared.arguments import checked
from ordeval._shared.latex import latex_after, latex_text
from ordeval._shared.latex_tables import NEEDS
from ordeval._shared.result import dumps
from ordeval._shared.tables import markdown_text
from ordeval.report.clinical import Clinical
from ordeval.report.exhibits import FIRST, MOST_ROWS
from ordeval.report.explorer import SCRIPTS
from ordeval.report.facts import ITEMS_NOTE, ModelView, Report
from ordeval.report.page import page
from ordeval.report.shortening import for_readers


@checked
def to_html(report: Report) -> str:
    """Render a report as one self-contained page.

    Parameters
    ----------
    report
        The result of ``summarise``.

    Returns
    -------
    str
        The page.

    Raises
    ------
    MissingExtraError
        If Jinja2 or matplotlib is not installed (extra ``report``).
    """
    scripts = ("tables", *SCRIPTS) if report.explorer else ("tables",)
    shown = for_readers(report, report.names)
    return page(
        "report.html",
        scripts=scripts,
        report=shown,
        items_note=ITEMS_NOTE,
        first=FIRST,
        most=MOST_ROWS,
    )


@checked
def to_markdown(report: Report, *, brief: bool = False, link: str | None = None) -> str:
    """Render a report as Markdown, with descriptions instead of pictures.

    Parameters
    ----------
    report
        The result of ``summarise``.
    brief
        Whether to return the verdict and one table only, as for a pull-request comment.
    link
        With ``brief``: the address of the whole report, to link to.

    Returns
    -------
    str
        The text.
    """
    shown = for_readers(report, report.names)
    parts = _brief_parts(shown, link) if brief else _markdown_parts(shown)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _brief_parts(r: Report, link: str | None) -> Iterator[str]:
    """The verdict, one table and a link."""
    yield f"## {markdown_text(r.title)}"
    yield f"**{markdown_text(str(r.answer))}**"
    said = [*r.key, *(f"Caution: {x}" for x in r.cautions)]
    yield "\n".join(f"- {markdown_text(x)}" for x in said)
    yield r.overview.to_markdown()
    if link is not None:
        yield f"[Report](<{quote(link)}>)"


def _markdown_parts(r: Report) -> Iterator[str]:
    def listed(texts: Any) -> str:
        return "\n".join(f"- {markdown_text(x)}" for x in texts)

    yield f"# {markdown_text(r.title)}"
    yield f"**{markdown_text(str(r.answer))}**"
    yield listed([*r.key, *(f"Caution: {x}" for x in r.cautions)])
    yield markdown_text(" · ".join(r.subject))
    yield "## Models and measures\n\n" + r.models.to_markdown()
    if r.differences is not None:
        yield "## Differences\n\n" + r.differences.to_markdown()
    if r.margin:
        yield f"## Non-inferiority\n\n{markdown_text(r.margin)}\n\n{listed(r.margins)}"
    yield "## In words\n\n" + listed(p.description for p in r.pictures)
    if r.disagreements:
        yield "## Where the measures disagree\n\n" + listed(r.disagreements)
    if r.clinical is not None:
        yield from _markdown_cuts(r.clinical)
    for view in r.details:
        yield f"## {markdown_text(view.name)}\n\n{view.classes.to_markdown()}"
        if view.items:
            yield from _markdown_items(view)
    if r.subgroups is not None:
        yield "## Subgroups\n\n" + r.subgroups.to_markdown()
    if r.warnings:
        shown = "\n".join(
            f"- **{w.code}** {markdown_text(message)}" for w in r.warnings for message in w.messages
        )
        yield f"## Warnings\n\n{shown}"
    yield "## Data\n\n" + listed(r.notes)
    yield f"## For a paper\n\n{markdown_text(r.paragraph)}"
    yield f"## Method\n\n{markdown_text(r.method)}"
    yield f"## Checklist\n\n{r.checklist.to_markdown()}"
    yield "## References\n\n" + listed(r.references)
    yield "## How this report was made\n\n" + listed(
        f"{name}: {value}" for name, value in r.provenance
    )


def _markdown_cuts(found: Clinical) -> Iterator[str]:
    """Every cut, calibration and net benefit."""
    for x in found.exhibits():
        shown = x.table.to_markdown()
        yield f"## {markdown_text(x.title)}\n\n{markdown_text(x.lead)}\n\n{shown}"
        yield "\n".join(f"- {markdown_text(p.description)}" for p in x.pictures)
    yield from (t.to_markdown() for t in found.more())


def _markdown_items(view: ModelView) -> Iterator[str]:
    """The items of each cell; those of which nothing is shown but the name, on one line."""
    yield f"### Items by cell\n\n{markdown_text(ITEMS_NOTE)}"
    for cell, items in view.listed():
        if any(text for _, text in items):
            shown = (
                f"- {markdown_text(name)}{': ' * bool(text)}{markdown_text(text)}"
                for name, text in items
            )
            yield f"{markdown_text(cell)}\n\n" + "\n".join(shown)
        else:
            yield f"{markdown_text(cell)}: {', '.join(markdown_text(name) for name, _ in items)}"


@checked
def to_latex(report: Report) -> str:
    """Render a report as a section of a paper, in LaTeX.

    Parameters
    ----------
    report
        The result of ``summarise``.

    Returns
    -------
    str
        Conclusion, tables, warnings, method, checklist and references.
    """
    shown = for_readers(report, report.names)
    return "\n\n".join(part.strip() for part in _latex_parts(shown)) + "\n"


def _latex_parts(r: Report) -> Iterator[str]:
    def listed(texts: Iterable[str]) -> str:
        items = (latex_after(r"\item", latex_text(x)) for x in texts)
        return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])

    models = replace(r.models, caption="Estimates and intervals")
    cuts = () if r.clinical is None else r.clinical.tables()
    tables = (models, r.differences, r.subgroups, *cuts, *(v.classes for v in r.details))
    yield f"% A section of a document. Its tables fit the text of an A4 article.\n{NEEDS}"
    # Names with underscores are not divided at the end of a line.
    yield rf"\section*{{{latex_text(r.title)}}}" + "\n\\begin{sloppypar}"
    answer = (str(r.answer), *r.key, *r.cautions, " · ".join(r.subject))
    yield from map(latex_text, (*answer, r.paragraph))
    yield from (t.to_latex() for t in tables if t is not None)
    yield from (latex_text(x) for x in (r.margin, *r.margins) if x)
    if r.warnings:
        yield r"\paragraph{Warnings}"
        yield listed(f"{w.code}: {message}" for w in r.warnings for message in w.messages)
    yield r"\paragraph{Method}"
    yield latex_text(r.method)
    yield r.checklist.to_latex()
    yield r"\paragraph{References}"
    yield listed(r.references)
    yield r"\end{sloppypar}"


@checked
def to_json(report: Report) -> str:
    """Render a report as data, with descriptions instead of pictures.

    Parameters
    ----------
    report
        The result of ``summarise``.

    Returns
    -------
    str
        JSON with a versioned schema.
    """
    facts: dict[str, Any] = _undrawn(asdict(report))
    del facts["explorer"], facts["unexplored"], facts["names"]  # of the page and documents alone
    return dumps("ordeval.report", facts)


def _undrawn(facts: Any) -> Any:
    """Facts without the drawings of pictures."""
    if isinstance(facts, dict):
        return {k: _undrawn(v) for k, v in facts.items() if k != "drawing"}
    return [_undrawn(x) for x in facts] if isinstance(facts, (list, tuple)) else facts
