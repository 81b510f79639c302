"""What goes into a paper: two sentences, the checklist, and a Word document."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import numpy as np
from test_report import HOSTILE, LABELS, comparison

import ordeval as oe
from ordeval._shared.latex_tables import NEEDS
from ordeval._shared.text import on_a_line, p_value
from ordeval.report import summarise, to_docx, to_html, to_latex, to_markdown
from ordeval.report.paper import checklist, paragraph
from ordeval.report.shortening import for_readers


def test_two_models_in_two_sentences() -> None:
    c = comparison({"a": 0.8, "b": 0.5}, ["x", "y", "z"])
    (d,) = [d for d in c.deltas() if d.metric == c.primary.name]
    said = paragraph(c)
    assert f"b (difference {d.delta:.3f}, 95% CI {d.low:.3f}–{d.high:.3f}), p " in said
    assert len(re.findall(r"\.(?= [a-zA-Z]|$)", said)) == 2
    assert said.startswith("On 300 items of 3 ordered classes (x to z), a had the highest CEM")
    assert "corrected" not in said


def test_corrected_where_there_are_more() -> None:
    c = comparison({"a": 0.8, "b": 0.5, "c": 0.45}, ["x", "y", "z"], metrics=["cem_ord"])
    said = paragraph(c)
    assert re.search(r"better than [bc] \(difference .*\) and [bc] \(", said)
    assert "(paired t tests corrected for 3 comparisons, step-down max-t" in said
    beside = comparison(
        {"a": 0.8, "b": 0.5, "c": 0.45}, ["x", "y", "z"], metrics=["cem_ord"], reference="c"
    )
    said = paragraph(beside)
    assert "the reference c had a CEM (closeness) of 0." in said
    assert "corrected for 2 comparisons" in said
    assert re.findall(r"(\w) \((?:difference )?[+−]0", said) == ["a", "b"]


def test_one_model_and_none_with_a_value() -> None:
    said = paragraph(comparison({"a": 0.8}, ["x", "y"], metrics=["cem_ord"]))
    assert "a had a CEM (closeness) of 0." in said
    assert "The best no-skill baseline (" in said
    c = oe.compare([1, 1, 1], {"a": [1, 1, 1]}, labels=[1, 2], metrics=["kendall_tau_b"])
    assert "has no value on these data" in paragraph(c)
    assert all(p.svg for p in summarise(c).pictures)


def test_the_same_p_everywhere() -> None:
    c = comparison({"a": 0.8, "b": 0.7, "c": 0.65}, ["x", "y", "z"], metrics=["cem_ord"])
    facts = summarise(c)
    assert facts.differences is not None
    head = facts.differences.head
    for row in facts.differences.rows:
        p = row[head.index("p adj.")].text
        assert p in next(x for x in facts.pictures if x.name == "differences").description
        if row[0].text.startswith(f"{c.models[0]} "):
            shown = {r.difference.p_adjusted for r in facts.hero.rows if r.difference}
            assert p in {p_value(x) for x in shown}


def test_the_sentence_has_difference_interval_and_p() -> None:
    c = comparison({"a": 0.8, "b": 0.5}, ["x", "y", "z"], metrics=["cem_ord"])
    (d,) = c.deltas()
    ends = f"[{d.low:+.3f}, {d.high:+.3f}]"
    assert f"(difference {d.delta:+.3f}, 95% CI {ends}, p " in c.sentence()


def test_the_checklist_says_what_is_known() -> None:
    rng = np.random.default_rng(1)
    truth, guess = rng.integers(1, 4, (2, 90))
    c = oe.compare(truth, {"m": guess}, clusters=np.repeat(np.arange(30), 3), metrics=["cem_ord"])
    said = {row[0].text: row[2].text for row in checklist(c, None).rows}
    assert list(said) == ["10", "11", "12d", "12e", "13", "14", "15", "21", "23a", "23b"]
    assert "90 items in 30 clusters" in said["10"]
    assert "keep the items of each cluster together (30)" in said["12d"]
    counts = np.bincount(truth)[1:]
    assert f"{counts.min()}, the largest {counts.max()} items" in said["13"]
    assert said["21"].endswith(f"lowest first: {', '.join(map(str, counts))}")
    assert said["15"].startswith("one of 3 ordered classes (1, 2, 3)")
    assert "yours to say" in said["14"]
    assert "not examined" in said["23b"]
    by = {r[0].text: r[2].text for r in checklist(c, {"x": c}).rows}
    for item in ("12d", "14", "23b"):
        assert "see Subgroups" in by[item]
    # What was done for fairness is not known from subgroups.
    assert "yours to say" in by["14"]


def test_the_checklist_knows_probabilities() -> None:
    prob = np.random.default_rng(2).dirichlet([1, 1, 1], 60)
    truth = np.arange(60) % 3 + 1
    c = oe.compare(truth, {"p": prob}, labels=[1, 2, 3])
    said = {row[0].text: row[2].text for row in checklist(c, None).rows}
    assert said["15"].startswith("probabilities of 3 ordered classes")
    mixed = oe.compare(truth, {"m": truth, "p": prob}, labels=[1, 2, 3],
                       metrics=["accuracy"])  # fmt: skip
    assert checklist(mixed, None).rows[6][2].text.startswith("one of 3 ordered classes")


def test_the_checklist_counts_outcomes_of_scores_and_of_weighted_items() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([1] * 20 + [2] * 30 + [3] * 10)
    scores = oe.compare(truth, {"s": truth + rng.normal(size=60)}, labels=[1, 2, 3, 4],
                        outputs="scores")  # fmt: skip
    weighted = oe.compare(truth, {"m": truth[::-1]}, labels=[1, 2, 3, 4], metrics=["accuracy"],
                          sample_weight=rng.random(60))  # fmt: skip
    for c in (scores, weighted):
        said = {row[0].text: row[2].text for row in checklist(c, None).rows}
        assert said["21"] == "60 items; by true class, lowest first: 20, 30, 10, 0"
        assert "the rarest true class has 0, the largest 30 items" in said["13"]


def test_markdown_names_its_parts() -> None:
    text = to_markdown(summarise(comparison({"a": 0.8}, ["x", "y"], metrics=["cem_ord"])))
    for heading in ("Checklist", "References", "How this report was made"):
        assert f"\n\n## {heading}\n\n" in text
    assert "see Pictures" not in text


def test_every_rendering_has_them() -> None:
    facts = summarise(comparison({"a": 0.8, "b": 0.5}, ["x", "y"], metrics=["cem_ord"]))
    for text in (to_html(facts), to_markdown(facts), to_latex(facts)):
        assert "of 2 ordered classes" in text
        assert "12e" in text
        assert "TRIPOD+AI: performance" in text


def test_latex_says_what_it_needs_and_is_well_formed() -> None:
    c = comparison({f"model_{i}": 0.9 - 0.1 * i for i in range(5)}, ["x", "y_1", "z"])
    facts = summarise(c)
    text = to_latex(facts)
    assert NEEDS in text.splitlines()[:2]
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert opened == []
    bare = re.sub(r"\\.", "", text)
    assert bare.count("{") == bare.count("}")
    for w in facts.warnings:
        assert w.code in text
    for row in facts.checklist.rows:
        assert rf"{row[0].text} & \raggedright" in text


def test_a_word_document(tmp_path: Path) -> None:
    import docx

    facts = summarise(comparison(HOSTILE, LABELS, metrics=["cem_ord", "accuracy"]))
    data = to_docx(facts)
    assert to_docx(facts) == data
    made = docx.Document(io.BytesIO(data))
    texts = "\n".join(p.text for p in made.paragraphs)
    assert for_readers(facts, facts.names).paragraph in texts
    cells = {cell.text.strip() for table in made.tables for row in table.rows for cell in row.cells}
    for row in for_readers(facts, facts.names).models.rows:
        assert on_a_line(row[0].text).strip() in cells
    first, checks = made.tables[1], made.tables[-1]
    for row in (*first.rows, *checks.rows):  # names and words left, numbers right
        assert row.cells[0].paragraphs[0].alignment is None
    assert {row.cells[2].paragraphs[0].alignment for row in first.rows} == {2}
    assert {row.cells[2].paragraphs[0].alignment for row in checks.rows} == {None}
    pictures = len(facts.pictures) + sum(len(v.pictures) for v in facts.details)
    assert len(made.inline_shapes) == pictures
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        body = archive.read("word/document.xml").decode()
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}
    assert "<script" not in body
    assert body.count("descr=") == pictures
