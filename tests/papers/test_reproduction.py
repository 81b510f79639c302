"""All five papers in the quick mode: what each value says of itself, and how the whole is kept."""

import json
import math
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe
from ordeval.papers import PAPERS, VERDICTS, reproduce
from ordeval.papers._values import Maker, Value, agrees

EXHIBITS = {
    "cardoso2011": {
        "Table 1", "Table 2", "Table 3", "Table 4", "Table 5", "Table 6", "Figure 4", "Figure 5",
        "Figure 6", "Figure 7", "Section 2", "Section 3.1", "Section 3.2", "Section 3.3",
        "Section 4.2", "Section 4.3", "Appendix A",
    },
    "george2016": {
        "Equation 3", "Section 2.2", "Table 1", "Table 2", "Table 3", "Table 4", "Figure 2",
    },
    "amigo2020": {
        "Figure 1", "Proposition 1", "Proposition 2", "Table 2", "Table 3", "Section 5.4",
        "Appendix A", "Appendix B",
    },
    "pinto_da_costa2014": {"Table 1", "Figure 1", "Formula"},
    "silva2018": {
        "Equations", "Table I", "Table II", "Figure 1", "Figure 2", "Figure 3", "Figure 4",
        "Figure 5", "Section IV", "Section V",
    },
}  # fmt: skip


def at(quick: Any, paper: str, exhibit: str) -> list[Value]:
    return [v for v in quick.found.values if (v.paper, v.exhibit) == (paper, exhibit)]


def test_it_takes_less_than_three_minutes_of_computing(quick: Any) -> None:
    """Not by the clock on the wall, which says more of what else the machine does."""
    assert quick.seconds < 180


def test_every_exhibit_is_there(quick: Any) -> None:
    found: dict[str, set[str]] = {}
    for e in quick.found.exhibits:
        found.setdefault(e.paper, set()).add(e.name)
        assert e.values, e.name
    assert found == EXHIBITS
    assert list(found) == list(PAPERS)


def test_no_two_values_stand_at_the_same_place(quick: Any) -> None:
    places = Counter((v.paper, v.place) for v in quick.found.values)
    assert max(places.values()) == 1


def test_whatever_is_not_as_printed_is_explained(quick: Any) -> None:
    for v in quick.found.values:
        if v.verdict in ("differs", "misprint", "not reproducible"):
            assert len(v.note) > 15, v.place
            assert "no explanation is known" not in v.note, v.place
        if v.verdict == "close":
            assert "tolerance" in v.note
        if v.verdict == "not reproducible":
            assert v.computed is None


def test_equal_means_equal_to_the_printed_digits(quick: Any) -> None:
    for v in quick.found.values:
        if v.verdict == "equal" and isinstance(v.computed, float):
            assert agrees(v.printed, v.computed), v.place


def test_exact_tables_hold_to_the_last_digit(quick: Any) -> None:
    for paper, tables in {
        "cardoso2011": ("Table 1", "Table 2", "Table 5", "Figure 4", "Figure 5", "Appendix A",
                        "Section 2", "Section 3.1", "Section 3.2", "Section 3.3", "Section 4.2"),
        "george2016": ("Section 2.2", "Table 1", "Figure 2"),
        "amigo2020": ("Figure 1", "Appendix A", "Proposition 1"),
        "pinto_da_costa2014": ("Table 1", "Figure 1"),
        "silva2018": ("Table I", "Figure 2", "Figure 3"),
    }.items():  # fmt: skip
        for table in tables:
            verdicts = {v.verdict for v in at(quick, paper, table)} - {"misprint"}
            assert verdicts == {"equal"}, (paper, table)


def test_the_known_misprints(quick: Any) -> None:
    found = Counter((v.paper, v.exhibit) for v in quick.found.values if v.verdict == "misprint")
    assert found[("cardoso2011", "Table 3")] == 1
    assert found[("cardoso2011", "Table 4")] == 7
    assert found[("george2016", "Table 4")] == 1
    assert found[("george2016", "Equation 3")] == 1
    assert found[("amigo2020", "Table 3")] >= 9
    assert found[("silva2018", "Equations")] == 2


def test_the_misprinted_matrices_are_found_by_search(quick: Any) -> None:
    for paper, words in {"cardoso2011": "One correction", "george2016": "One item"}.items():
        (claim,) = [v for v in at(quick, paper, "Table 4") if v.row.startswith(words)]
        assert claim.computed == "holds"


def test_most_of_the_stochastic_values_are_close(quick: Any) -> None:
    for paper, table, least in (
        ("cardoso2011", "Table 6", 20),
        ("george2016", "Table 3", 65),
        ("silva2018", "Table II", 70),
        ("amigo2020", "Table 3", 65),
    ):
        close = sum(v.verdict == "close" for v in at(quick, paper, table))
        assert close >= least, (paper, table)


def test_progress_is_told(quick: Any) -> None:
    stages = {stage for stage, _, _ in quick.steps}
    assert "exhibits" in stages
    assert any(stage.startswith("Table 6") for stage in stages)
    parts = sum(map(len, EXHIBITS.values()))
    assert quick.steps[-1] == ("exhibits", parts, parts)


def test_json_has_the_values_and_the_counts(quick: Any) -> None:
    facts = json.loads(quick.found.to_json())
    assert set(facts) == {"schema", "values", "counts"}
    assert facts["schema"] == 1
    for value in facts["values"]:
        assert set(value) == {"paper", "place", "printed", "computed", "verdict", "note"}
        assert isinstance(value["printed"], str)
        assert value["computed"] is None or isinstance(value["computed"], (float, str))
    counted = Counter(v["verdict"] for v in facts["values"])
    assert {k: n for k, n in facts["counts"].items() if n} == counted
    assert tuple(facts["counts"]) == VERDICTS


def test_rows_and_text(quick: Any) -> None:
    rows = quick.found.rows()
    assert len(rows) == len(quick.found.values)
    first = next(r for r in rows if r["place"] == "Table 1, B, MER" and r["paper"] == "cardoso2011")
    assert first["computed"] == pytest.approx(10 / 13)
    assert first["difference"] == pytest.approx(10 / 13 - 0.77)
    assert "cardoso2011 Table 4" in repr(quick.found)
    assert quick.found.to_csv().count("\n") == len(rows) + 1
    assert "| exhibit |" in quick.found.to_markdown()


@pytest.mark.parametrize(
    ("paper", "table"), [("george2016", 3), ("amigo2020", 3)], ids=["george", "amigo"]
)
def test_the_same_seed_gives_the_same_values(quick: Any, paper: str, table: int) -> None:
    again = reproduce(paper, table=table)
    before = at(quick, paper, f"Table {table}")
    assert [v.computed for v in again.values] == [v.computed for v in before]
    other = reproduce(paper, table=table, seed=1)
    assert [v.computed for v in other.values] != [v.computed for v in before]


def test_the_same_seed_gives_the_same_splits() -> None:
    from ordeval.papers import _silva_experiments as silva

    one, two, other = (silva._one_split("ESL", seed, 0) for seed in (0, 0, 1))
    assert all((one[c] == two[c]).all() for c in one)
    assert any((one[c] != other[c]).any() for c in one)


def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reproduce("pinto_da_costa2014").to_json()
    assert list(tmp_path.iterdir()) == []


def test_one_table_or_figure() -> None:
    assert [e.name for e in reproduce("silva2018", table="I").exhibits] == ["Table I"]
    assert [e.name for e in reproduce("cardoso2011", figure=4).exhibits] == ["Figure 4"]
    both = reproduce("cardoso2011", table=1, figure="5").exhibits
    assert [e.name for e in both] == ["Table 1", "Figure 5"]
    assert [e.name for e in reproduce("amigo2020", figure=3).exhibits] == ["Appendix A"]
    with pytest.raises(oe.ParameterError, match=r"Table 9: nothing .* george2016 Table 4"):
        reproduce("george2016", table=9)
    with pytest.raises(oe.ParameterError, match="paper must be one of cardoso2011"):
        reproduce("cardoso")


def test_a_campaign_of_ones_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(-1, 2, 400)
    outputs = [
        np.where(rng.random(400) < rate, rng.integers(-1, 2, 400), truth)
        for rate in (0.1, 0.3, 0.5, 0.7)
    ]
    columns = [truth, np.arange(400) % 10, *outputs]
    path = tmp_path / "runs.csv"
    np.savetxt(
        path, np.stack(columns, axis=1), fmt="%d", delimiter=",", comments="",
        header="truth,topic,a,b,c,d",
    )  # fmt: skip
    names: dict[str, Any] = {"labels": [-1, 0, 1], "name": "RepLab 2013"}
    found = oe.papers.amigo2020.campaign(str(path), "truth", list("abcd"), "topic", **names)
    assert len(found.values) == 15
    assert {v.column for v in found.values} == {"RepLab 2013"}
    assert all(isinstance(v.computed, float) for v in found.values)
    with pytest.raises(oe.ParameterError, match="name must be one of RepLab 2013"):
        oe.papers.amigo2020.campaign(
            str(path), "truth", list("abcd"), "topic", **{**names, "name": "another"}
        )


def test_a_verdict_needs_its_explanation() -> None:
    make = Maker("paper", "Table 1")
    with pytest.raises(oe.ParameterError, match="without an explanation"):
        make.judged("row", "column", "1", 2.0, "differs")
    assert make.exact("r", "c", "0.5", 0.7).verdict == "differs"
    assert make.exact("r", "c", "0.5", 0.7, "a slip").verdict == "misprint"
    assert make.exact("r", "c", "NA", math.nan).verdict == "equal"
    assert make.near("r", "c", "0.5", 0.52, 0.02, "chance").verdict == "close"
    assert make.near("r", "c", "0.5", 0.53, 0.02, "chance").verdict == "differs"


def test_the_command(tmp_path: Path) -> None:
    page, data = tmp_path / "page.html", tmp_path / "values.json"
    done = subprocess.run(
        [sys.executable, "-m", "ordeval.cli", "reproduce", "cardoso2011", "--table", "4",
         "--html", str(page), "--json", str(data)],
        capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "Misprint: cardoso2011 Table 4" in done.stdout
    assert json.loads(data.read_text())["counts"]["misprint"] == 7
    assert "0 0 1 1" in page.read_text()
    wrong = subprocess.run(
        [sys.executable, "-m", "ordeval.cli", "reproduce", "nobody2000"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert wrong.returncode == 2
    assert wrong.stderr.startswith("ordeval: paper must be one of")
