"""One table in every dress."""

import csv
import io

from ordeval._shared.tables import Cell, Table

TABLE = Table(
    ("model", "value", "kind"),
    (
        (Cell("a_1"), Cell("0.50", "[0.4, 0.6]", best=True), Cell("good")),
        (Cell("b|c"), Cell("12.25"), Cell("x")),
    ),
    "a caption",
    ("{best}: best.",),
    words=("kind",),
)


def test_text_sets_numbers_right_and_words_left() -> None:
    caption, head, first, second, note = TABLE.to_text().split("\n")
    assert (caption, note) == ("a caption", "*: best.")
    assert head == "model             value  kind"
    assert first == "a_1    0.50 [0.4, 0.6]*  good"
    assert second == "b|c              12.25   x"


def test_columns_beyond_the_width_go_below() -> None:
    lines = TABLE.to_text(26).split("\n")
    assert [x for x in lines if x.startswith("model")] == ["model             value", "model  kind"]
    assert all(len(line) <= 26 for line in lines)


def test_markdown_escapes_and_marks() -> None:
    text = TABLE.to_markdown()
    assert "| --- | ---: | --- |" in text
    assert r"| a\_1 | **0.50** \[0.4, 0.6\] | good |" in text
    assert r"b\|c" in text
    assert "bold: best." in text


def test_latex_escapes_and_marks() -> None:
    text = TABLE.to_latex()
    assert r"\begin{tabular}{lrl}" in text
    assert r"a\_1 & \textbf{0.50} {\footnotesize [0.4, 0.6]} & good \\" in text


def test_html_escapes() -> None:
    hostile = Table(("<b>", "x"), ((Cell("<i>"), Cell("&")),), "<script>")
    text = hostile.to_html()
    assert "<script>" not in text
    assert "<i>" not in text
    assert "&amp;" in text


def test_csv_has_no_remarks() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.to_csv())))
    assert rows == [["model", "value", "kind"], ["a_1", "0.50", "good"], ["b|c", "12.25", "x"]]
