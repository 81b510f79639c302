"""Counts as people write them. The explorer's own reader is held to this one in tests/report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import ordeval as oe
from ordeval.data.pasted import read_pasted
from pasted import ACCEPTED, HOSTILE, REFUSED, ROWS


@pytest.mark.parametrize(("text", "names"), ACCEPTED.values(), ids=list(ACCEPTED))
def test_texts_that_hold_a_matrix(text: str, names: tuple[str, ...]) -> None:
    found = read_pasted(text)
    assert found.rows == ROWS
    assert found.names == names


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
