"""The page of a judgement: its facts, gathered here, and the template that shows them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from ordeval._shared.tables import Table
from ordeval._shared.text import joined, plural
from ordeval._shared.word import Word
from ordeval._version import __version__
from ordeval.plots import (
    CeilingDisplay,
    GradeBiasDisplay,
    JudgeEffectsDisplay,
    JudgeHumanDisplay,
    JudgeMatrixDisplay,
    SeverityDisplay,
)
from ordeval.report.docx import put_pictures
from ordeval.report.facts import in_words, provenance
from ordeval.report.method import authors_and_year
from ordeval.report.page import page
from ordeval.report.pictures import Picture, drawn
from ordeval.results.judgement import Judgement
from ordeval.results.judgement_tables import detail_tables
from ordeval.results.phrases import percent, said_of, with_weights

_IN_DETAIL: Final = 6  # judges whose matrix and worst items are shown
_MOST_HUMANS: Final = 40  # in the picture of each judge with each human
_ALT_TEST: Final = (
    "Calderon, Reichart & Dror 2025, The alternative annotator test for LLM-as-a-judge: how to "
    "statistically justify replacing human annotators with LLMs, Proceedings of the 63rd Annual "
    "Meeting of the Association for Computational Linguistics"
)
_YEKUTIELI: Final = (
    "Benjamini & Yekutieli 2001, The control of the false discovery rate in multiple testing under "
    "dependency, Annals of Statistics 29"
)
_PRMSE: Final = (
    "Loukina, Madnani, Cahill, Yao, Johnson, Riordan & McCaffrey 2020, Using PRMSE to evaluate "
    "automated scoring systems in the presence of label noise, Proceedings of the Fifteenth "
    "Workshop on Innovative Use of NLP for Building Educational Applications. "
    "doi:10.18653/v1/2020.bea-1.2"
)


@dataclass(frozen=True)
class JudgeView:
    """One judge: the grades next to those of the humans, and the items that are furthest apart."""

    name: str
    pictures: tuple[Picture, ...]
    worst: Table | None


@dataclass(frozen=True)
class JudgementPage:
    """Everything that the page says, in the order in which it says it."""

    title: str
    subject: str
    conclusion: tuple[str, ...]
    judges: Table  # the last row is the ceiling
    judge_count: int
    pictures: tuple[Picture, ...]
    details: tuple[Table, ...]
    views: tuple[JudgeView, ...]
    not_shown: tuple[str, ...]
    remarks: tuple[str, ...]
    method: str
    references: tuple[str, ...]
    provenance: tuple[tuple[str, str], ...]


def to_html(j: Judgement, *, title: str | None = None, command: str | None = None) -> str:
    """One self-contained page."""
    return page("judgement.html", found=_facts(j, title, command))


def to_docx(j: Judgement, *, title: str | None = None, command: str | None = None) -> bytes:
    """Return the page as a Word document."""
    found = _facts(j, title, command)
    word = Word(found.title)
    word.texts((found.subject, *found.conclusion, *found.remarks))
    word.section("Judges")
    word.table(found.judges)
    word.section("Pictures")
    put_pictures(word, found.pictures)
    word.section("In detail")
    for table in found.details:
        word.table(table)
    for view in found.views:
        word.section(view.name)
        put_pictures(word, view.pictures)
        word.table(view.worst)
    word.section("Method", (found.method,))
    word.section("References", found.references)
    word.texts(f"{name}: {value}" for name, value in found.provenance)
    return word.saved()


def _facts(j: Judgement, title: str | None, command: str | None) -> JudgementPage:
    table = j.table()
    usual = "Judges beside humans" if len(j.judges) > 1 else f"{j.judges[0]} beside humans"
    worst = j.disagreements()
    return JudgementPage(
        title=title or usual,
        subject=in_words(table.caption, j.scale),
        conclusion=tuple(j.conclusion().split("\n\n")),
        judges=replace(table, caption="Agreement with humans, and the gap to the ceiling"),
        judge_count=len(j.judges),
        pictures=tuple(_pictures(j)),
        details=tuple(replace(t, caption=_capital(t.caption)) for t in detail_tables(j)),
        views=tuple(
            JudgeView(name, (_matrix(j, name, i),), _titled(worst.get(name)))
            for i, name in enumerate(j.judges[:_IN_DETAIL])
        ),
        not_shown=j.judges[_IN_DETAIL:],
        remarks=tuple(map(str, j.remarks())),
        method=" ".join(_method(j)),
        references=(str(j.metric.reference), _ALT_TEST, _YEKUTIELI, *[_PRMSE] * bool(j.prmse)),
        provenance=tuple(provenance(command)),
    )


def _titled(table: Table | None) -> Table | None:
    return None if table is None else replace(table, caption="Furthest from the humans' mean")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _pictures(j: Judgement) -> Iterator[Picture]:
    yield drawn("ceiling", CeilingDisplay(j))
    if len(j.raters) > 1:
        yield drawn("grades", GradeBiasDisplay(j))
    if j.effects:
        yield drawn("effects", JudgeEffectsDisplay(j))
    if 1 < len(j.raters) <= _MOST_HUMANS:
        yield drawn("each", JudgeHumanDisplay(j))
    severity = {r.name: r.severity for r in j.raters}
    if any(x.estimate == x.estimate for x in severity.values()):
        yield drawn("severity", SeverityDisplay(severity))


def _matrix(j: Judgement, name: str, number: int) -> Picture:
    """The matrix of one judge; ``number`` tells its name from those of the other judges."""
    return drawn(f"matrix{number}", JudgeMatrixDisplay(j, name))


def _method(j: Judgement) -> Iterator[str]:
    """Sentences for the methods section of a paper."""
    m, test = j.metric, next(iter(j.alt_test.values()))
    units = plural(j.clusters, "cluster") if j.clusters else plural(j.items, "item")
    yield (
        f"{said_of(j.judges, 'were compared with', most=6)} "
        f"{plural(len(j.raters), 'human')} on {plural(j.items, 'item')}. Agreement is "
        f"{with_weights(m)} "
        f"({authors_and_year(str(m.reference))}): of a judge, the mean over humans; the ceiling, "
        f"the mean over pairs of humans, each on the items that both rated."
    )
    if j.left_out:
        yield f"{said_of(j.left_out, 'were left out', most=6)}."
    yield (
        f"The {percent(j.ceiling.level)} intervals of agreement, ceiling and gap rest on what each "
        f"of the {units} contributes to all of them at once."
    )
    if j.margin is not None:
        yield (
            f"A judge is non-inferior if the interval of its gap lies within the margin of "
            f"{j.margin:g}."
        )
    yield (
        f"In the alt-test ({authors_and_year(_ALT_TEST)}) the judge and each human are scored "
        f"against the other humans, item by item, by one-sided t tests"
        f"{' over clusters' * bool(j.clusters)} at epsilon {test.epsilon:g}, corrected over "
        f"humans ({authors_and_year(_YEKUTIELI)}) at 0.05."
    )
    if test.left_out:
        few = plural(len(test.left_out), "human")
        yield f"It leaves out {few} with too few items: {joined(test.left_out)}."
    if len(j.raters) > 1:
        yield (
            "Bias by grade is the judge's distance from the mean of the other humans, given the "
            "grade of one, for all grades of a judge at once (Šidák 1967)."
        )
    if j.prmse:
        yield (
            f"PRMSE ({authors_and_year(_PRMSE)}) is 1 minus the judge's squared error over the "
            f"variance of the humans' true grades, both without what humans err themselves."
        )
    if j.subgroups:
        yield (
            "The gap in each subgroup is compared with that in all others together, for all "
            "subgroups of a judge at once (Šidák 1967)."
        )
    yield f"Made with ordeval {__version__}."
