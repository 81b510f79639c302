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


def test_columns_that_name_a_row_stay_with_it() -> None:
    rows = ((Cell("a"), Cell("north"), Cell("0.123456"), Cell("1")),)
    table = Table(("judge", "place", "value", "items"), rows, words=("place",), named_by=2)
    assert table.to_text(24).split("\n") == [
        "judge  place     value", "a      north  0.123456", "", "judge  place  items",
        "a      north      1",
    ]  # fmt: skip
    assert table.to_text().split("\n")[0] == "judge  place     value  items"
    assert len(table.to_rich(24)) == 2 * 2  # a caption and a table, twice
    for width in (1, 13, 14):  # no room for any beside the names: one at a time
        assert table.to_text(width).count("judge") == 2


def test_markdown_escapes_and_marks() -> None:
    text = TABLE.to_markdown()
    assert "| --- | ---: | --- |" in text
    assert r"| a\_1 | **0.50** \[0.4, 0.6\] | good |" in text
    assert r"b\|c" in text
    assert "bold: best." in text


def test_latex_escapes_and_marks() -> None:
    text = TABLE.to_latex()
    assert r"\begin{tabular}{lrl}" in text
    assert r"a\_1 & \textbf{0.50} {\scriptsize [0.4, 0.6]} & good \\" in text


def test_html_escapes() -> None:
    hostile = Table(("<b>", "x"), ((Cell("<i>"), Cell("&")),), "<script>")
    text = hostile.to_html()
    assert "<script>" not in text
    assert "<i>" not in text
    assert "&amp;" in text


def test_csv_has_no_remarks() -> None:
    rows = list(csv.reader(io.StringIO(TABLE.to_csv())))
    assert rows == [["model", "value", "kind"], ["a_1", "0.50", "good"], ["b|c", "12.25", "x"]]
