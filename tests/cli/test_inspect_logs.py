"""ordeval compare with logs of Inspect: which scorer, which truth, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import refused, run

import ordeval as oe
from ordeval.integrations import inspect_predictions

LABELS = range(1, 6)


def log(path: Path, version: int, *, graded: bool = True) -> str:
    """A log of 30 samples in two epochs."""
    samples = [
        {
            "id": f"a{i}", "epoch": epoch,
            "target": str(1 + i % 5), "metadata": {"human": 1 + i % 4, "doc": i // 3},
            "scores": {
                "grade": {"value": str(min(5, 1 + i % 5 + ((i + epoch) % 3 == version)))},
                "other": {"value": 1},
                "parts": {"value": {"first": min(5, 1 + i % 5 + ((i + epoch) % 3 == version))}},
            } if graded or i else {},
        }
        for epoch in (1, 2) for i in range(30)
    ]  # fmt: skip
    held = {"status": "success", "eval": {"model": "mockllm/model"}, "samples": samples}
    path.write_text(json.dumps(held))
    return str(path)


def test_logs_are_compared_as_in_python(tmp_path: Path) -> None:
    logs = [log(tmp_path / f"v{v}.json", v) for v in (0, 1)]
    asked = ["compare", *logs, "--scorer", "grade", "--labels", "1..5", "--format", "json"]
    for truth in (None, "human"):
        done = run(*asked, *(["--truth", truth] if truth else []), "--metric", "cem_ord")
        assert done.returncode == 0, done.stderr
        data = inspect_predictions(logs, LABELS, scorer="grade", truth=truth)
        own = oe.compare(data, ["cem_ord"])
        found = json.loads(done.stdout)
        assert sorted(own.models) == ["v0", "v1"]
        (pair,) = own.pairs
        assert pair.clusters == 30
        assert found["deltas"][0]["delta"] == pytest.approx(pair.delta)
        assert found["deltas"][0]["low"] == pytest.approx(pair.low)


def test_what_is_refused(tmp_path: Path) -> None:
    logs = [log(tmp_path / f"v{v}.json", v, graded=bool(v)) for v in (0, 1)]
    asked = ["compare", *logs, "--labels", "1..5"]
    assert "--drop-missing" in refused(*asked, "--scorer", "grade")
    assert run(*asked, "--scorer", "grade", "--drop-missing").returncode == 0
    assert "no scores by 'graded'; it has grade, other, parts and parts.first" in refused(
        *asked, "--scorer", "graded"
    )
    assert "--by is for tables" in refused(*asked, "--scorer", "grade", "--by", "doc")
    assert "Missing --labels" in refused("compare", *logs, "--scorer", "grade")
    assert "logs must differ" in refused("compare", logs[1], *asked[2:], "--scorer", "grade")


def test_logs_need_no_scorer_if_they_have_one(tmp_path: Path) -> None:
    """Files that end in .eval are logs; these are not packed, which readers do not ask."""
    logs = [log(tmp_path / f"v{v}.eval", v) for v in (0, 1)]
    asked = ["compare", *logs, "--labels", "1..5"]
    assert "name one with --scorer grade" in refused(*asked)
    for path in map(Path, logs):
        held = json.loads(path.read_text())
        for sample in held["samples"]:
            sample["scores"] = {"grade": sample["scores"]["grade"]}
        path.write_text(json.dumps(held))
    assert run(*asked).stdout == run(*asked, "--scorer", "grade").stdout != ""


def test_one_value_of_a_scorer_with_several(tmp_path: Path) -> None:
    logs = [log(tmp_path / f"v{v}.json", v) for v in (0, 1)]
    asked = ["compare", *logs, "--labels", "1..5", "--scorer"]
    assert "name one with --scorer parts.first" in refused(*asked, "parts")
    whole, part = (run(*asked, name, "--format", "csv").stdout for name in ("grade", "parts.first"))
    assert whole == part != ""


def test_clusters_are_in_the_metadata(tmp_path: Path) -> None:
    logs = [log(tmp_path / f"v{v}.json", v) for v in (0, 1)]
    data = inspect_predictions(logs, LABELS, scorer="grade", clusters="doc")
    (pair,) = oe.compare(data, ["accuracy"]).pairs
    assert pair.clusters == 10
    asked = ["compare", *logs, "--labels", "1..5", "--scorer", "grade", "--clusters"]
    assert "in 10 clusters" in run(*asked, "doc").stdout
    assert "one value under 'page' in its metadata" in refused(*asked, "page")
    assert "one key of --clusters" in refused(*asked, "doc", "--clusters", "human")


@pytest.mark.parametrize("command", ["score", "thresholds"])
def test_other_commands_read_logs_too(command: str, tmp_path: Path) -> None:
    done = run(command, log(tmp_path / "v0.json", 0), "--scorer", "grade", "--labels", "1..5")
    assert done.returncode == 0, done.stderr
    assert "60 in 30 clusters" in done.stdout
