"""The benchmark against peers works, as far as the packages of the tests go."""

import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from benchmarks.peers import claims, judging, report, summary
from benchmarks.peers.plan import FULL

ROOT = Path(__file__).parents[2]
CLAIMS = json.loads((ROOT / "benchmarks" / "claims.json").read_text(encoding="utf-8"))
# OC depends on the number of classes, which integers do not tell if an end class is absent.
NEEDS_LABELS = {("integers 1 to 4, class 4 absent", "OC, share 0.75")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("peers")
    command = [sys.executable, "-m", "benchmarks.peers", "--quick", "--output", str(output)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Claims" in done.stdout
    return output


@pytest.fixture(scope="module")
def record(folder: Path) -> Any:
    return json.loads((folder / "peers.json").read_text(encoding="utf-8"))


def test_the_record_has_every_part(record: Any) -> None:
    assert set(record) == {
        "schema", "plan", "machine", "packages", "megabytes", "speed", "growth", "memory",
        "correctness", "claims",
    }  # fmt: skip
    assert set(record["machine"]) == {
        "cpu", "cores", "memory_gb", "system", "python", "load_before",
    }  # fmt: skip
    assert {c["axis"] for c in record["growth"]} == {"items", "classes", "matrices"}
    assert record["packages"]["ordeval"]


def test_what_was_timed_gives_the_same_numbers(record: Any) -> None:
    timed = [r for r in record["speed"] if r["ratio"] is not None]
    assert {"scikit-learn", "SciPy", "skordinal", "listing 1", "NumPy"} <= {
        r["peer"] for r in timed
    }
    for row in timed:
        assert row["ratio"] == pytest.approx(row["peer_seconds"] / row["ours_seconds"])
        assert row["same_value"] is not False, row["key"]


def test_a_peer_that_is_not_there_is_said_to_be_missing(record: Any) -> None:
    missing = {name for name, version in record["packages"].items() if version is None}
    for row in record["speed"]:
        if row["ratio"] is None:
            assert row["note"] == "not installed"
            assert any(row["peer"].endswith(name) for name in missing)


def test_we_are_right(record: Any) -> None:
    papers = [t for t in record["correctness"]["papers"] if t["package"] == "ordeval"]
    assert all(t["told"] == t["of"] > 0 for t in papers)
    # Integers do not tell of an absent end class, on which OC depends.
    assert all(t["right"] == t["of"] or t["measure"].startswith("OC, ") for t in papers)
    ours = [j for j in record["correctness"]["ordered"] if j["package"] == "ordeval"]
    unsafe = {(j["case"], j["measure"]) for j in ours if not j["safe"]}
    assert unsafe == NEEDS_LABELS
    assert all(j["declared"]["verdict"] == "right" for j in ours)


def test_a_wrong_number_is_seen(record: Any) -> None:
    """scikit-learn sorts the words of a scale by the alphabet."""
    found = {
        (j["case"], j["measure"], j["package"]): j for j in record["correctness"]["ordered"]
    }  # fmt: skip
    cell = found["strings low, medium, high", "quadratic kappa", "scikit-learn"]
    assert cell["plain"]["verdict"] == "wrong"
    assert re.fullmatch(r"WRONG 0\.\d+; right with labels=", cell["text"])


def test_page_and_plot_are_written(folder: Path) -> None:
    page = (folder / "peers.md").read_text(encoding="utf-8")
    assert page.startswith("Measured on ")
    assert "Installed without extras, ordeval takes " in page
    assert "](growth.svg)" in page
    assert "</svg>" in (folder / "growth.svg").read_text(encoding="utf-8")
    assert str(Path.home()) not in page


def test_claims_have_an_id_and_one_bound(record: Any) -> None:
    assert [c["id"] for c in record["claims"]] == [c["id"] for c in CLAIMS]
    assert len({c["id"] for c in CLAIMS}) == len(CLAIMS)
    for claim in CLAIMS:
        assert ("at_least" in claim) != ("at_most" in claim)
        assert len({"row", "peak", "engine"} & set(claim)) == 1


def test_the_summary_says_what_needs_the_order() -> None:
    record = json.loads((ROOT / "docs" / "benchmarks" / "peers.json").read_text(encoding="utf-8"))
    rows = {row[0].text.split()[0]: [c.text for c in row] for row in summary.answers(record).rows}
    assert rows["ordeval"][-2:] == ["151 of 158 correct; all 158 with labels=", "yes"]
    assert rows["SciPy"][1].startswith("wrong: tau-b")
    assert rows["torchmetrics"][-2] == "101 of 101 correct"


def test_the_readme_quotes_the_record() -> None:
    record = json.loads((ROOT / "docs" / "benchmarks" / "peers.json").read_text(encoding="utf-8"))
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert [c["id"] for c in record["claims"]] == [c["id"] for c in CLAIMS]
    measured = {c["id"]: c["measured"] for c in record["claims"]}
    assert f"{measured['kappa-sklearn']:.0f} times as fast as scikit-learn" in text
    assert f"{measured['bootstrap-kappa']:,.0f} times as fast" in text
    assert f"{measured['parquet-memory']:.0f} MB" in text


def test_the_claims_hold_in_the_record() -> None:
    record = json.loads((ROOT / "docs" / "benchmarks" / "peers.json").read_text(encoding="utf-8"))
    assert record["plan"] == json.loads(json.dumps(asdict(FULL)))
    # The benchmarks that run just before it leave some load, others would add.
    assert record["machine"]["load_before"] <= record["machine"]["cores"]
    assert [c["id"] for c in record["claims"] if c["holds"] is not True] == []
    assert [r["key"] for r in record["speed"] if r["same_value"] is False] == []


def test_the_record_is_of_a_piece() -> None:
    """Claims and page follow from the measurements, and bounds from claims.json."""
    folder = ROOT / "docs" / "benchmarks"
    record = json.loads((folder / "peers.json").read_text(encoding="utf-8"))
    engines = json.loads((folder / "engines.json").read_text(encoding="utf-8"))
    found = [{**asdict(c), "holds": c.holds} for c in claims.all_claims(record, engines)]
    assert found == record["claims"]
    assert report.page(record) == (folder / "peers.md").read_text(encoding="utf-8")
    for claim in CLAIMS:
        bound = claim.get("at_least", claim.get("at_most"))
        words = {2: "(2|twice)", 1000: "1 GB"}.get(bound, f"{bound:,}")
        assert re.search(words, claim["text"]), claim["id"]


def test_an_extrapolated_or_missing_row_bears_no_claim(record: Any) -> None:
    rows = [{**r, "note": "extrapolated from 9 draws"} for r in record["speed"]]
    found = claims.all_claims({**record, "speed": rows}, None)
    assert all(c.measured is None for c in found if c.unit != "MB")
    assert all(c.holds is not True for c in found if c.unit != "MB")


def test_our_values_in_the_record_of_judges_are_those_of_today() -> None:
    """Times differ from machine to machine; what ordeval gives does not."""
    written = judging.PAGE.read_text(encoding="utf-8").replace("\\", "")
    x = judging.simulated(0)
    for question in (judging.kappa, judging.alpha, judging.mean):
        name, found = next(question(x))
        assert found is not None
        assert f"| {name} | {found.text} |" in written
