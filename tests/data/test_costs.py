"""Costs from a file: in any order, checked against the scale."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe

SCALE = ["low", "mid", "high"]
COST = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.5], [20.0, 3.0, 0.0]]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        ",low,mid,high\nlow,0,1,4\nmid,2,0,1.5\nhigh,20,3,0\n",
        "truth\\pred,high,low,mid\nmid,1.5,2,0\nhigh,0,2e1,3\nlow,4,0,1\n",
        "\ufefftruth;low;mid;high\r\nlow;0;1;4\r\nmid;2;0;1.5\r\n\r\nhigh;20;3;0\r\n",
        '\t"low"\t mid\thigh\nlow\t0\t1\t4\nmid\t2\t0\t1.50\nhigh\t+20\t3.\t.0',
    ],
)
def test_rows_and_columns_are_put_in_order(tmp_path: Path, text: str) -> None:
    found = oe.read_costs(written(tmp_path / "c.csv", text), SCALE)
    np.testing.assert_array_equal(found, COST)
    assert oe.expected_cost(["low", "high"], ["mid", "low"], labels=SCALE, cost=found) == 10.5


@pytest.mark.parametrize("labels", [[1, 2], [1.0, 2.0], ["1", "2"], oe.Scale.range(1, 2)])
def test_numbers_as_levels(tmp_path: Path, labels: Any) -> None:
    file = written(tmp_path / "c.csv", ",2,1\n1,7,0\n2,0,5\n")
    np.testing.assert_array_equal(oe.read_costs(file, labels), [[0, 7], [5, 0]])


HEAD = ",low,mid,high\n"
LOW, MID, HIGH = "low,0,1,4\n", "mid,2,0,1\n", "high,9,3,0\n"
LEVELS = "of {} must be the levels of Scale('low' < 'mid' < 'high'), each once:"
CELL = "{}, truth high, prediction mid: a cost must be"
FREE = "{}, truth high, prediction high: a correct prediction must cost 0; got '1'."
TABLE = (
    "{} must contain a table of costs: a first line with the predicted levels, "
    "then a line for each true level, which starts with its name."
)


def last(row: str) -> str:
    """A table whose last row is this one."""
    return f"{HEAD}{LOW}{MID}{row}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + LOW + MID, f"the rows {LEVELS} 'high' is missing."),
        (",low,mid\nlow,0,1\nmid,1,0\nhigh,1,1\n", f"the columns {LEVELS} 'high' is missing."),
        (last(HIGH + "worst,1,1,1"), f"the rows {LEVELS} 'worst' is not among them."),
        (last(MID), f"the rows {LEVELS} 'high' is missing; 'mid' is named twice."),
        (last("high,9,?,0"), f"{CELL} a number; got '?'."),
        (last("high,9,,0"), f"{CELL} a number; got ''."),
        (last("high,9,nan,0"), f"{CELL} a number; got 'nan'."),
        (last("high,9,-1,0"), f"{CELL} finite and not negative; got '-1'."),
        (last("high,9,1e999,0"), f"{CELL} finite and not negative; got '1e999'."),
        (last("high,9,3,1"), FREE),
        (last("high,2,0"), "{}: the line of 'high' has 3 cells, the first line 4."),
        ("", TABLE),
        ("0 1 2\n", TABLE),
        ('"low,0\n1,2', "{} could not be read: unexpected end of data."),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = written(tmp_path / "c.csv", text)
    with pytest.raises(oe.ParameterError) as caught:
        oe.read_costs(file, SCALE)
    assert str(caught.value) == said.format(repr(str(file)))


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(oe.LabelError, match=r"none.csv' could not be read: No such file"):
        oe.read_costs(tmp_path / "none.csv", SCALE)
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(oe.LabelError, match="it is not text in UTF-8"):
        oe.read_costs(tmp_path / "b.csv", SCALE)
