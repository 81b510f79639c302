"""The report as a Word document: the same facts, with tables and pictures."""

from ordeval._shared.arguments import checked
from ordeval._shared.word import Word
from ordeval.report.facts import ITEMS_NOTE, ModelView, Report
from ordeval.report.pictures import Picture, as_png
from ordeval.report.shortening import for_readers


@checked
def to_docx(report: Report) -> bytes:
    """Render a report as a Word document, the same bytes in every run.

    Parameters
    ----------
    report
        The result of ``summarise``.

    Returns
    -------
    bytes
        The content of a .docx file.

    Raises
    ------
    MissingExtraError
        If python-docx is not installed (extra ``docx``).
    """
    report = for_readers(report, report.names)
    word = Word(report.title)
    _fill(word, report)
    return word.saved()


def _fill(word: Word, r: Report) -> None:
    word.texts((str(r.answer), *r.key, *r.cautions, " · ".join(r.subject)))
    word.table(r.overview)
    word.section("For a paper", (r.paragraph,))
    word.section("Models and measures")
    for table in (r.models, r.differences):
        word.table(table)
    if r.margin:
        word.section("Non-inferiority", (r.margin, *r.margins))
    if r.clinical is not None:
        for x in r.clinical.exhibits():
            word.section(x.title, (x.lead,))
            word.table(x.table)
            put_pictures(word, x.pictures)
        for table in r.clinical.more():
            word.table(table)
    word.section("Pictures")
    put_pictures(word, r.pictures)
    if r.disagreements:
        word.section("Where the measures disagree", r.disagreements)
    for view in r.details:
        word.section(view.name)
        word.table(view.classes)
        put_pictures(word, view.pictures)
        if view.items:
            _items(word, view)
    if r.subgroups is not None:
        word.section("Subgroups")
        word.table(r.subgroups)
    if r.warnings:
        word.section("Warnings", (f"{w.code}: {m}" for w in r.warnings for m in w.messages))
    word.section("Data", r.notes)
    word.section("Method", (r.method,))
    word.table(r.checklist)
    word.section("References", r.references)
    word.section("How this report was made", (f"{name}: {value}" for name, value in r.provenance))


def _items(word: Word, view: ModelView) -> None:
    """The items of each cell; those of which nothing is shown but the name, on one line."""
    word.heading("Items by cell", 2)
    word.texts((ITEMS_NOTE,))
    for cell, items in view.listed():
        if any(text for _, text in items):
            word.term(cell)
            word.texts((f"{n}: {text}" if text else n for n, text in items), "List Bullet")
        else:
            word.term(cell, ", ".join(name for name, _ in items))


def put_pictures(word: Word, pictures: tuple[Picture, ...]) -> None:
    """Pictures, one below the other."""
    for picture in pictures:
        word.picture(as_png(picture), picture.title, picture.description)
