"""The report as a Word document: the same facts, with tables and pictures."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Table
from ordeval._shared.text import on_a_line
from ordeval.report.facts import ITEMS_NOTE, ModelView, Report
from ordeval.report.pictures import Picture, as_png
from ordeval.report.shortening import for_readers

_WIDTH: Final = 5.8  # inches, of a picture
_MARGIN: Final = 0.8  # inches
_MANY: Final = 8  # columns; more of them are set in a smaller size
_SMALL: Final = 7  # points
_RIGHT: Final = 2  # WD_ALIGN_PARAGRAPH.RIGHT
_WHEN: Final = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say


def to_docx(report: Report) -> bytes:
    """The report as the bytes of a .docx file, the same in every run."""
    report = for_readers(report, report.names)
    docx = import_extra("docx", extra="docx", purpose="a Word document")
    made = docx.Document()
    made.core_properties.title = on_a_line(report.title)
    made.core_properties.author = "ordeval"
    for section in made.sections:
        section.left_margin = section.right_margin = docx.shared.Inches(_MARGIN)
    _fill(made, report, docx.shared.Inches(_WIDTH))
    for table in made.tables:
        if len(table.columns) > _MANY:
            _set_small(table, docx.shared.Pt(_SMALL))
    out = io.BytesIO()
    made.save(out)
    return _without_dates(out.getvalue())


def _fill(made: Any, r: Report, width: Any) -> None:
    made.add_heading(on_a_line(r.title), 0)
    _texts(made, (r.subject, *r.conclusion))
    _section(made, "For a paper", (r.paragraph,))
    _section(made, "Models and measures")
    for table in (r.models, r.differences):
        _table(made, table)
    if r.ranks is not None:
        _section(made, "Ranks", (r.may_be_best,))
        _table(made, r.ranks)
    if r.margin:
        _section(made, "Non-inferiority", (r.margin, *r.margins))
    _section(made, "Pictures")
    _pictures(made, r.pictures, width)
    if r.disagreements:
        _section(made, "Where the measures disagree", r.disagreements)
    for view in r.details:
        _section(made, view.name)
        _table(made, view.classes)
        _pictures(made, view.pictures, width)
        if view.items:
            _items(made, view)
    if r.subgroups is not None:
        _section(made, "Subgroups")
        _table(made, r.subgroups)
    if r.warnings:
        _section(made, "Warnings", (f"{w.code}: {m}" for w in r.warnings for m in w.messages))
    _section(made, "Data", r.notes)
    _section(made, "Method", (r.method,))
    _table(made, r.checklist)
    _section(made, "References", r.references)
    _section(made, "How this report was made", (f"{name}: {value}" for name, value in r.provenance))


def _section(made: Any, heading: str, texts: Any = ()) -> None:
    made.add_heading(on_a_line(heading), 1)
    _texts(made, texts)


def _texts(made: Any, texts: Any) -> None:
    for text in texts:
        if text:
            made.add_paragraph(on_a_line(text))


def _table(made: Any, table: Table | None) -> None:
    if table is None:
        return
    if table.caption:
        made.add_paragraph(on_a_line(table.caption), style="Caption")
    shown = made.add_table(rows=1, cols=len(table.head), style="Light List Accent 1")
    for cell, text in zip(shown.rows[0].cells, table.head, strict=True):
        cell.text = on_a_line(text)
    for row in table.rows:
        for cell, given in zip(shown.add_row().cells, row, strict=True):
            text = f"{given.text} {given.remark}".strip()
            cell.paragraphs[0].add_run(on_a_line(text)).bold = given.best
    for j, column in enumerate(zip(*(row.cells for row in shown.rows), strict=True)):
        if j and table.head[j] not in table.words:
            for cell in column:
                cell.paragraphs[0].alignment = _RIGHT
    _texts(made, (note.replace("{best}", "bold") for note in table.notes))


def _set_small(table: Any, size: Any) -> None:
    for row in table.rows:
        for cell in row.cells:
            for run in cell.paragraphs[0].runs:
                run.font.size = size


def _items(made: Any, view: ModelView) -> None:
    """The items of each cell; those of which nothing is shown but the name, on one line."""
    made.add_heading("Items by cell", 2)
    _texts(made, (ITEMS_NOTE,))
    for cell, items in view.listed():
        shown = made.add_paragraph()
        shown.add_run(on_a_line(cell)).bold = True
        if any(text for _, text in items):
            for name, text in items:
                said = f"{name}: {text}" if text else name
                made.add_paragraph(on_a_line(said), style="List Bullet")
        else:
            shown.add_run(on_a_line(f": {', '.join(name for name, _ in items)}"))


def _pictures(made: Any, pictures: tuple[Picture, ...], width: Any) -> None:
    for picture in pictures:
        made.add_paragraph(on_a_line(picture.title), style="Caption")
        shape = made.add_picture(io.BytesIO(as_png(picture)), width=width)
        shape._inline.docPr.set("descr", on_a_line(picture.description))


def _without_dates(data: bytes) -> bytes:
    """The same file without the time at which it was made."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name, content in _members(old):
            new.writestr(zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _members(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    for entry in archive.infolist():
        yield entry.filename, archive.read(entry)
