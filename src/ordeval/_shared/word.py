"""Word documents: headings, texts, tables and pictures, the same bytes in every run."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from typing import Any, Final

from ordeval._shared.extras import import_extra
from ordeval._shared.tables import Table
from ordeval._shared.text import on_a_line

_WIDTH: Final = 5.8  # inches, of a picture
_MARGIN: Final = 0.8  # inches
_MANY: Final = 8  # columns; more of them are set in a smaller size
_SMALL: Final = 7  # points
_RIGHT: Final = 2  # WD_ALIGN_PARAGRAPH.RIGHT
_WHEN: Final = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can say


class Word:
    """A document that is written from top to bottom."""

    def __init__(self, title: str) -> None:
        docx = import_extra("docx", extra="docx", purpose="a Word document")
        self._width, self._small = docx.shared.Inches(_WIDTH), docx.shared.Pt(_SMALL)
        self._made: Any = docx.Document()
        self._made.core_properties.title = on_a_line(title)
        self._made.core_properties.author = "ordeval"
        for section in self._made.sections:
            section.left_margin = section.right_margin = docx.shared.Inches(_MARGIN)
        self.heading(title, 0)

    def heading(self, text: str, depth: int = 1) -> None:
        """A heading; that of depth 0 is the title."""
        self._made.add_heading(on_a_line(text), depth)

    def section(self, heading: str, texts: Iterable[str] = ()) -> None:
        """A heading, and paragraphs."""
        self.heading(heading)
        self.texts(texts)

    def texts(self, texts: Iterable[str], style: str | None = None) -> None:
        """Paragraphs; empty ones are left out."""
        for text in texts:
            if text:
                self._made.add_paragraph(on_a_line(text), style=style)

    def term(self, name: str, text: str = "") -> None:
        """A name in bold, and the statement about it on the same line."""
        shown = self._made.add_paragraph()
        shown.add_run(on_a_line(name)).bold = True
        if text:
            shown.add_run(on_a_line(f": {text}"))

    def table(self, table: Table | None) -> None:
        """A table below its caption, and its notes below it."""
        if table is None:
            return
        self.texts((table.caption,), "Caption")
        shown = self._made.add_table(rows=1, cols=len(table.head), style="Light List Accent 1")
        for cell, text in zip(shown.rows[0].cells, table.head, strict=True):
            cell.text = on_a_line(text)
        for row in table.rows:
            for cell, given in zip(shown.add_row().cells, row, strict=True):
                text = f"{given.text} {given.remark}".strip()
                cell.paragraphs[0].add_run(on_a_line(text)).bold = given.best
        for j, column in enumerate(zip(*(row.cells for row in shown.rows), strict=True)):
            words = j == 0 or table.head[j] in table.words
            self._set(column, right=not words, small=len(table.head) > _MANY)
        self.texts(note.replace("{best}", "bold") for note in table.notes)

    def _set(self, column: Iterable[Any], *, right: bool, small: bool) -> None:
        """Align a column, and set its size."""
        for paragraph in (cell.paragraphs[0] for cell in column):
            if right:
                paragraph.alignment = _RIGHT
            for run in paragraph.runs if small else ():
                run.font.size = self._small

    def picture(self, png: bytes, title: str, description: str) -> None:
        """A picture below its title, described for those who cannot see it."""
        self.texts((title,), "Caption")
        shape = self._made.add_picture(io.BytesIO(png), width=self._width)
        shape._inline.docPr.set("descr", on_a_line(description))

    def saved(self) -> bytes:
        """The bytes of a .docx file, without the time at which it was made."""
        made, out = io.BytesIO(), io.BytesIO()
        self._made.save(made)
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(out, "w") as new:
            for entry in old.infolist():
                name = zipfile.ZipInfo(entry.filename, _WHEN)
                new.writestr(name, old.read(entry), zipfile.ZIP_DEFLATED)
        return out.getvalue()
