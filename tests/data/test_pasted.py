"""Counts as people write them. The explorer's own reader is held to this one in tests/report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.pasted import ACCEPTED, HOSTILE, REFUSED, ROWS, TURNED

import ordeval as oe
from ordeval.data.text.pasted_matrices import read_pasted


@pytest.mark.parametrize(("text", "names"), ACCEPTED.values(), ids=list(ACCEPTED))
def test_texts_that_hold_a_matrix(text: str, names: tuple[str, ...]) -> None:
    found = read_pasted(text)
    assert found.rows == ROWS
    assert found.names == names
    assert not found.turned_by


@pytest.mark.parametrize(("text", "words"), TURNED.values(), ids=list(TURNED))
def test_words_that_say_that_rows_are_predictions(text: str, words: str) -> None:
    found = read_pasted(text)
    assert found.rows == ROWS
    assert found.turned_by == words


@pytest.mark.parametrize("turned", [False, True])
def test_crosstabs_of_pandas_know_their_sides(turned: bool) -> None:
    counts = np.array(ROWS, dtype=int)
    items = np.repeat(np.indices((3, 3)).reshape(2, -1), counts.ravel(), axis=1)
    truth, pred = (pd.Series(np.array(list("abc"))[x]) for x in items)
    rows, columns = (pred, truth) if turned else (truth, pred)
    for ends in ("actual", "predicted"), ("y_true", "y_pred"), ("Gold", "Model output"):
        names = ends[::-1] if turned else ends
        for margins in (False, True):
            made = pd.crosstab(rows, columns, rownames=[names[0]], colnames=[names[1]],
                               margins=margins)  # fmt: skip
            texts = [made.to_csv(), made.to_latex()]
            texts += [] if " " in ends[1] else [str(made)]
            for text in texts:
                found = read_pasted(text)
                assert found.rows == ROWS, text
                assert bool(found.turned_by) == turned
                assert found.names == ("a", "b", "c")


@pytest.mark.parametrize(("text", "said"), REFUSED.items())
def test_texts_that_hold_none(text: str, said: str) -> None:
    with pytest.raises(oe.CountsError) as refused:
        read_pasted(text)
    assert said in str(refused.value)


def test_hostile_texts_are_only_texts() -> None:
    with pytest.raises(oe.CountsError, match="square"):
        read_pasted(HOSTILE)


def test_what_libraries_print() -> None:
    counts = np.array(ROWS, dtype=int)
    frame = pd.DataFrame(counts, list("abc"), list("abc"))
    cm = oe.ConfusionMatrix(counts, list("abc"))
    printed = [repr(counts), str(counts), repr(counts.tolist()), repr(counts.astype(float)),
               str(frame), frame.to_csv(), frame.to_latex(), frame.to_csv(sep="\t"),
               frame.to_json(orient="values"), str(cm), cm.to_markdown(),
               cm.to_latex()]  # fmt: skip
    for text in printed:
        found = read_pasted(text)
        assert [[float(x) for x in row] for row in found.rows] == counts.tolist(), text
        assert found.names in ((), ("a", "b", "c"))


NAMES = [
    ["<5", "5-10", ">10"], ["a|b", "c&d", "e_f"], ["n", "N", "total"], ["a, b", 'c "d"', "e"],
    ["no DR", "mild (NPDR)", "50%"], ["$x$", "\\a", "{b}"], ["**b**", "`c`", "~d~"],
    ["#1", "%", "^"], ["01", "02", "03"], [1, 2, 3], [1.5, 2.0, 3.25], ["truth", "n (%)", "sum"],
]  # fmt: skip


@pytest.mark.parametrize("names", NAMES, ids=str)
@pytest.mark.parametrize("share", [1, 0.5])
def test_a_matrix_reads_what_it_writes(names: list[object], share: float) -> None:
    cm = oe.ConfusionMatrix(np.array([[26, 4, 1], [3, 5, 4], [0, 3, 10]]) * share, names)
    written = [cm.to_json(), cm.to_csv(), cm.to_markdown(), cm.to_text(), cm.to_latex(), str(cm)]
    assert [oe.ConfusionMatrix(text) for text in written] == [cm] * len(written)


def test_json_keeps_the_blanks_of_a_level() -> None:
    cm = oe.ConfusionMatrix([[3, 1], [0, 2]], [" a", "b\tc"])
    assert oe.ConfusionMatrix(cm.to_json()) == cm


def test_an_edited_text_of_a_matrix_is_still_read() -> None:
    cm = oe.ConfusionMatrix([[3, 1], [0, 2]], ["a", "b"])
    text = cm.to_text().replace("3", "x")
    with pytest.raises(oe.CountsError, match="'x' in row 1 is not a count"):
        oe.ConfusionMatrix(text)
    with pytest.raises(oe.CountsError, match="starts like JSON but is not valid"):
        oe.ConfusionMatrix(cm.to_json()[:-3])
