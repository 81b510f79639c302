"""The project file: every key checked, and what runs is what the options would run."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from commands import GRADES, STAGES, WINE, refused, run

PROJECT = f"""
file = "{WINE}"
truth = "quality"
pred = ["forest", "logistic"]
labels = "3..8"
metrics = ["cem_ord", "accuracy"]
fail_under = ["cem_ord.low=0.6", "accuracy=0.59"]
"""
OPTIONS = [WINE, "--truth", "quality", *GRADES, "--metric", "cem_ord", "--metric", "accuracy"]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(text: str, name: str = "ordeval.toml") -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)


def test_several_models_are_compared_and_gates_told() -> None:
    _write(PROJECT)
    done = run("check")
    same = run("compare", *OPTIONS, "--pred", "forest", "--pred", "logistic")
    assert (done.returncode, done.stdout) == (0, same.stdout)
    assert [line.split(";")[0] for line in done.stderr.splitlines()] == [
        "gate passed: forest has cem_ord.low 0.7426",
        "gate passed: logistic has cem_ord.low 0.6644",
        "gate passed: forest has accuracy 0.7117",
        "gate passed: logistic has accuracy 0.5966",
        "gate passed: 0 of 1,599 items (0.0%) were dropped",
    ]


def test_quietly_only_what_failed_is_told() -> None:
    _write(PROJECT)
    done = run("check", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "5 of 5 gates passed\n")
    _write(PROJECT.replace("0.59", "0.6"))
    done = run("check", "-q", "--ci", "github")
    said = "logistic has accuracy 0.5966; 0.6 or better is required"
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        f"gate failed: {said}", f"::error title=ordeval gate::{said}", "4 of 5 gates passed",
    ]  # fmt: skip


def test_one_model_is_scored_and_a_failed_gate_is_exit_code_1() -> None:
    _write(PROJECT.replace('["forest", "logistic"]', '"logistic"').replace("0.59", "0.6"))
    done = run("check")
    assert (done.returncode, done.stdout) == (
        1,
        run("score", *OPTIONS, "--pred", "logistic").stdout,
    )
    assert "gate failed: logistic has accuracy 0.5966; 0.6 or better" in done.stderr


def test_a_table_in_pyproject_and_paths_from_where_it_lies() -> None:
    Path("ci").mkdir()
    Path("ci/data.csv").write_text("y,p\n" + "low,low\nhigh,high\n" * 9)
    Path("ci/scale.json").write_text('["low", "high"]')
    text = (
        'file = "data.csv"\ntruth = "y"\npred = "p"\nlabels = "@scale.json"\nmax_dropped = 0.05\n'
    )
    _write(f"[tool.ordeval]\n{text}", "ci/pyproject.toml")
    done = run("check", "--config", "ci/pyproject.toml", "--format", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["command"][1] == "check"
    _write(f"[tool.other]\nx = 1\n[tool.ordeval]\n{text.replace('data.csv', 'ci/data.csv')}",
           "pyproject.toml")  # fmt: skip
    assert "'scale.json'" not in run("check").stderr
    assert "--labels @scale.json: the file could not be read" in refused("check")
    _write(text.replace("data.csv", "ci/data.csv").replace('"@scale.json"', '["low", "high"]'))
    assert run("check").returncode == 0  # a file of our own goes first


WRONG = {
    "": "needs the key 'file'",
    "file = 3": "file must be a text, or a list of texts; got 3.",
    "file = ''": "file must be a text, or a list of texts; got ''.",
    "[file]": "file must be a text, or a list of texts; got {}.",
    "pred = ['a', 2]": "pred must be a text, or a list of texts; got ['a', 2].",
    "pred = []": "pred must be a text, or a list of texts; got [].",
    "drop_missing = 'yes'": "drop_missing must be true or false; got 'yes'.",
    "margin = true": "margin must be a number; got True.",
    "seed = 1.5": "seed must be a whole number, not negative; got 1.5.",
    "labels = 5": "labels must be a list of labels, or a text",
    "max_dropped = [1]": "max_dropped must be a share",
    "metric = 'accuracy'": "unknown key 'metric'. Did you mean metrics",
    "gates = ['accuracy=0.8']": "unknown key 'gates'. Did you mean fail_under? Known keys: file,",
    "file = 'x.csv'\ntruth = 'y'": "has no gates",
    "file = ": "is not TOML: Invalid value",
    "file = 'x'\nfile = 'y'": "is not TOML: Cannot overwrite a value",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_a_key_that_is_wrong(text: str, message: str) -> None:
    _write(text)
    assert message in refused("check")


def test_what_is_no_project_file() -> None:
    assert "No project file found: create ordeval.toml" in refused("check")
    _write("[tool.other]\nx = 1\n", "pyproject.toml")
    assert "No project file found" in refused("check")
    message = refused("check", "--config", "pyproject.toml")
    assert "'pyproject.toml' has no table [tool.ordeval]." in message
    _write("[tool]\nordeval = 1\n", "pyproject.toml")
    assert "[tool.ordeval] must be a table" in refused("check")
    assert "could not be read: No such file" in refused("check", "--config", "none.toml")
    Path("bytes.toml").write_bytes(b"\xff\xfe")
    assert "is not TOML: it is not text in UTF-8." in refused("check", "--config", "bytes.toml")


def test_the_labels_of_a_list_may_be_any() -> None:
    one = ["truth = 'stage'", "pred = 'model_a'", f"file = '{STAGES}'", "max_dropped = 0"]
    _write("\n".join([*one, "labels = ['I', 'II', 'III', 'IV']"]))
    assert run("check").returncode == 0
    _write("\n".join([*one, "labels = ['I', '']"]))
    assert "labels are texts or numbers, and none is empty; got ''." in refused("check")


def test_nothing_is_written_over_the_project_file() -> None:
    _write(PROJECT)
    for flag in ("--junit", "-o"):
        shown = "--output" if flag == "-o" else flag
        message = refused("check", flag, "ordeval.toml", "--format", "text")
        assert f"{shown} 'ordeval.toml' would overwrite the input file." in message
    assert Path("ordeval.toml").read_text() == PROJECT


def test_junit_and_annotations() -> None:
    _write(PROJECT.replace("0.59", "0.6"))
    done = run("check", "--junit", "gates.xml", "--ci", "github")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "::error title=ordeval gate::logistic has accuracy 0.5966; 0.6 or better is required"
    )
    suite = ElementTree.parse("gates.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("5", "1")
    cases = [(c.get("classname"), c.get("name"), len(c)) for c in suite]
    assert cases == [
        ("cem_ord.low=0.6", "forest", 0), ("cem_ord.low=0.6", "logistic", 0),
        ("accuracy=0.6", "forest", 0), ("accuracy=0.6", "logistic", 1),
        ("max_dropped=10%", "all models", 0),
    ]  # fmt: skip


SCALES = {
    '["low", "mid", "high"]': None,
    '{"labels": ["low", "mid", "high"], "more": 1}': None,
    '{"label": ["low"]}': "there must be a list of labels",
    "[]": "there must be a list of labels",
    '["low", null]': "labels are texts or numbers, and none is empty; got None.",
    "[true, false]": "labels are texts or numbers, and none is empty; got True.",
    "[NaN]": "labels are texts or numbers, and none is empty; got nan.",
    '["low", ["mid"]]': "labels are texts or numbers",
    '["low", "low"]': "'low' is repeated",
    "low, high": "the file is not JSON",
    "[" * 100_000: "the file is not JSON",
}


@pytest.mark.parametrize(("text", "message"), SCALES.items(), ids=range(len(SCALES)))
def test_labels_from_a_file(text: str, message: str | None) -> None:
    Path("data.csv").write_text("y,p\n" + "low,low\nmid,high\nhigh,high\n" * 9)
    Path("scale.json").write_text(text)
    words = ["score", "data.csv", "--truth", "y", "--pred", "p", "--metric", "accuracy"]
    if message is None:
        done = run(*words, "--labels", "@scale.json")
        assert (done.returncode, done.stdout) == (0, run(*words, "--labels", "low,mid,high").stdout)
    else:
        assert message in refused(*words, "--labels", "@scale.json")


def test_labels_of_a_file_for_ratings() -> None:
    Path("wide.csv").write_text(
        "item,a,b\n" + "".join(f"{i},low,low\n" for i in range(9)) + "x,high,low\n"
    )
    Path("scale.json").write_text('["low", "high"]')
    words = ["agree", "wide.csv", "--rater-col", "a", "--rater-col", "b", "--labels"]
    assert run(*words, "@scale.json").stdout == run(*words, "low,high").stdout
    assert "@none.json: the file could not be read" in refused(*words, "@none.json")
