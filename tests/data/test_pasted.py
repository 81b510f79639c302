"""Counts as people write them. The explorer's own reader is held to this one in tests/report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ordeval as oe
from ordeval.data.text.pasted_matrices import read_pasted
from pasted import ACCEPTED, HOSTILE, REFUSED, ROWS, TURNED


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
