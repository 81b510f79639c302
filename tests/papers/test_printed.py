"""What the package holds of the papers is what the golden figures hold."""

from collections.abc import Iterable

import pytest

import golden
from ordeval.papers import amigo2020, cardoso2011, george2016, pinto_da_costa2014, silva2018
from ordeval.papers._tables import Column, Row


def keyed(columns: Iterable[Column], row: Row) -> dict[golden.Key, str]:
    cells = zip(columns, row.texts, strict=True)
    return {golden.key(c.metric, **c.params): text for c, text in cells if text != "*"}


CARDOSO = {
    **{f"Table 1, {r.name}": r for r in cardoso2011.TABLE_1},
    **{f"Table 2, {r.name}": r for r in cardoso2011.TABLE_2},
    **{f"Table 3, {r.name}": r for r in cardoso2011.TABLE_3},
    "Table 4, CM5, second row 0 0 1 1": Row("CM5", cardoso2011.CM5_CORRECTED,
                                            cardoso2011.CM5_PRINTED),
    "Table 4, CM6": cardoso2011.CM6,
    **{f"Table 5, {r.name.partition(',')[0]}": r for r in cardoso2011.TABLE_5},
}  # fmt: skip
GEORGE = {
    **{
        f"Tables 1 and 2, {data}, {r.name}": r
        for data, (rows, _, _) in george2016.DATA.items()
        for r in rows
    },
    **{f"Table 4{r.name}".replace(") ", "), "): r for r in george2016.TABLE_4},
    "Table 4(a), Acc 0.70, 52 for 53": george2016.CORRECTED,
}
SILVA = {f"Table I, {r.name}": r for r in silva2018.TABLE_I}
HELD = {
    "cardoso2011": (cardoso2011.COLUMNS, CARDOSO),
    "george2016": (george2016.COLUMNS, GEORGE),
    "silva2018": (silva2018.COLUMNS, SILVA),
}
ROWS = [r for r in golden.PRINTED if r.paper in HELD]


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.paper}, {r.place}")
def test_matrix_and_figures(row: golden.Printed) -> None:
    columns, rows = HELD[row.paper]
    held = rows[row.place]
    if row.paper == "george2016" and row.place.startswith("Table 4"):
        columns = george2016.TABLE_4_COLUMNS
    assert held.matrix == row.matrix
    found = {k: _plain(text) for k, text in keyed(columns, held).items()}
    for key, text in row.values.items():
        assert found[key] == text, key


def _plain(text: str) -> str:
    return f"0.{text[:-1]}" if text.endswith("%") else text


@pytest.mark.parametrize("m", golden.MISPRINTS, ids=lambda m: f"{m.paper}, {m.place}, {m.key[0]}")
def test_misprints(m: golden.Misprint) -> None:
    if m.place == "Table 4, CM5 as printed":
        row = Row("CM5", cardoso2011.CM5_AS_PRINTED, cardoso2011.CM5_PRINTED)
        columns: tuple[Column, ...] = cardoso2011.COLUMNS
    else:
        columns, rows = HELD[m.paper]
        columns = george2016.TABLE_4_COLUMNS if m.place.startswith("Table 4") else columns
        row = rows[m.place]
    assert row.matrix == m.matrix
    found = keyed(columns, row)
    if m.place == "Table I, E":  # printed as for an absent class that counts as no error
        assert found[golden.key("average_mae", absent="zero")] == m.printed
    else:
        assert found[m.key] == m.printed


def test_every_row_of_the_package_is_golden() -> None:
    golden_places = {(r.paper, r.place) for r in golden.PRINTED}
    for paper, (_, rows) in HELD.items():
        for place in rows:
            assert (paper, place) in golden_places


def test_worked_examples() -> None:
    example = golden.PINTO_DA_COSTA_EXAMPLE
    assert example.v1 == pinto_da_costa2014.V1
    assert example.v2 == pinto_da_costa2014.V2
    assert example.s1 == pinto_da_costa2014.S1
    assert example.s2 == pinto_da_costa2014.S2
    assert int(pinto_da_costa2014.ELEMENTS_OF_BOTH) == example.card_both
    assert george2016.EXAMPLE_SIZES == golden.GEORGE_CLASS_SIZES
    assert george2016.EXAMPLE_COST == golden.GEORGE_COST_PRINTED
    assert amigo2020.SIZES == golden.AMIGO_APPENDIX_A_CLASS_SIZES
    assert amigo2020.PROXIMITY == golden.AMIGO_APPENDIX_A_PROXIMITY
    left, right = golden.AMIGO_FIGURE_1
    assert (left.class_sizes, right.class_sizes) == (amigo2020.LEFT, amigo2020.RIGHT)
    printed = {r.place: (r.matrix, *r.values.values()) for r in golden.PRINTED}
    for name, matrix, cem, acc in amigo2020.SCORES:
        assert printed[f"Appendix A, {name}"] == (matrix, cem, acc)
