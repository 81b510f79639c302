"""Logs of Inspect and promptfoo become records; what failed is there, and nothing is guessed."""

from __future__ import annotations

import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import zstandard

import ordeval as oe
from ordeval.integrations import (
    inspect_predictions,
    read_deepeval,
    read_inspect,
    read_lm_eval,
    read_promptfoo,
)


def sample(item: Any, epoch: int, scores: dict[str, Any], **more: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": f"answer to {item}"}}
    return {
        "id": item, "epoch": epoch, "target": "3", "scores": scores,
        "output": {"choices": [choice]}, **more,
    }  # fmt: skip


# In the shape of Inspect's logs: a grade, one that was not found, a sample that failed.
SAMPLES = [
    sample(1, 1, {"judge": {"value": "4", "explanation": "Clear.\nGRADE: 4"},
                  "match": {"value": "C"}}),
    sample(2, 1, {"judge": {"value": float("nan"), "explanation": "I cannot grade this."}}),
    sample("a/3", 1, {}, error={"message": "timed out"}),
    sample(1, 2, {"judge": {"value": 5}}, output={"choices": []}),
]  # fmt: skip
HEAD = {"status": "success", "eval": {"model": "openai/gpt-4o"}}


def as_json(folder: Path) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps({**HEAD, "samples": SAMPLES}), encoding="utf-8")
    return path


def as_archive(folder: Path, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    path = folder / "log.eval"
    with zipfile.ZipFile(path, "w", compression) as archive:
        for i, s in enumerate(SAMPLES):
            archive.writestr(f"samples/{i}.json", json.dumps(s))
        archive.writestr("header.json", json.dumps(HEAD))
        archive.writestr("summaries.json", "[]")
    return path


def as_zstd_archive(folder: Path, spoilt: str = "") -> Path:
    """An archive packed with zstd, byte by byte: zipfile writes such from Python 3.14 on."""
    held = {f"samples/{i}.json": json.dumps(s) for i, s in enumerate(SAMPLES)}
    held |= {"header.json": json.dumps(HEAD), "summaries.json": "[]"}
    files, listed = b"", b""
    for name, text in held.items():
        data, called = text.encode(), name.encode()
        packed, crc = zstandard.compress(data), zlib.crc32(data)
        if name == spoilt:
            packed = zstandard.compress(data.replace(b"4", b"5"))
        extra = struct.pack("<HHI", 0x7075, 4, 0)  # which readers pass over
        facts = struct.pack("<HHHHHIII", 63, 0, 93, 0, 33, crc, len(packed), len(data))
        names = struct.pack("<HH", len(called), len(extra))
        listed += b"PK\1\2" + struct.pack("<H", 63) + facts + names
        listed += struct.pack("<HHHII", 0, 0, 0, 0, len(files)) + called + extra
        files += b"PK\3\4" + facts + names + called + extra + packed
    counts = struct.pack("<HHHHIIH", 0, 0, len(held), len(held), len(listed), len(files), 0)
    path = folder / "log.eval"
    path.write_bytes(files + listed + b"PK\5\6" + counts)
    return path


@pytest.mark.parametrize("write", [as_json, as_archive, as_zstd_archive])
def test_inspect_has_a_record_for_each_sample_and_scorer(write: Any, tmp_path: Path) -> None:
    records = read_inspect(write(tmp_path))
    frame = pd.DataFrame(records)
    assert frame["rater"].tolist() == ["judge"] * 4 + ["match"] * 4
    assert frame["item"].tolist() == ["1", "2", "a/3", "1"] * 2
    assert frame["run"].tolist() == [1, 1, 1, 2] * 2
    judged = read_inspect(write(tmp_path), "judge")
    assert repr(judged) == repr(records[:4])
    assert judged[0] == {
        "item": "1", "rater": "judge", "run": 1, "score": "4", "text": "Clear.\nGRADE: 4",
        "truth": "3", "metadata": {}, "model": "openai/gpt-4o", "answer": "answer to 1",
        "error": None,
    }  # fmt: skip
    assert [r["score"] for r in judged] == ["4", None, None, 5]
    assert judged[2]["error"] == "timed out"
    assert judged[3]["answer"] is None
    scores = oe.read_answers([r["score"] for r in judged], labels=range(1, 6), pattern="whole")
    assert scores.outcomes == ["read", "missing", "missing", "read"]
    assert scores.labels == [4, None, None, 5]


def test_inspect_answers_in_parts(tmp_path: Path) -> None:
    parts = [{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "Yes"}]
    one = sample(
        1, 1, {"judge": {"value": 1}}, output={"choices": [{"message": {"content": parts}}]}
    )
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**HEAD, "samples": [one]}))
    assert read_inspect(path)[0]["answer"] == "Yes"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[1]", "has no list of samples"),
        ('{"eval": {}}', "has no list of samples"),
        ('{"samples": []}', "holds no samples"),
        ('{"samples": [{"id": 1, "scores": null}]}', "holds no scores: not one of its 1 samples"),
    ],
)
def test_what_is_no_log_of_inspect(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(text)
    with pytest.raises(oe.LabelError, match=said):
        read_inspect(path)


def test_inspect_names_the_scorers_there_are(tmp_path: Path) -> None:
    with pytest.raises(oe.LabelError, match="no scores by 'graded'; it has judge and match"):
        read_inspect(as_json(tmp_path), "graded")
    with pytest.raises(oe.LabelError, match="cannot be read"):
        read_inspect(tmp_path / "none.json")


def test_a_broken_archive_is_one_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = as_zstd_archive(tmp_path, spoilt="samples/0.json")
    with pytest.raises(oe.LabelError, match=r"could not be read: samples/0\.json is broken\."):
        read_inspect(path)
    raw = as_zstd_archive(tmp_path).read_bytes()
    at = raw.index(b"\x28\xb5\x2f\xfd")  # where the first packed file starts
    path.write_bytes(raw[:at] + b"nope" + raw[at + 4 :])
    with pytest.raises(oe.LabelError, match=r"could not be read: samples/0\.json is broken\."):
        read_inspect(path)
    raw = as_archive(tmp_path).read_bytes()
    at = raw.index(b"samples/0.json") + 20
    path.write_bytes(raw[:at] + bytes([raw[at] ^ 255]) + raw[at + 1 :])
    with pytest.raises(oe.LabelError, match=r"could not be read: "):
        read_inspect(path)
    path = as_zstd_archive(tmp_path)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(oe.MissingExtraError, match=r'needs zstandard.* "ordeval\[files\]"'):
        read_inspect(path)


def test_an_archive_that_python_cannot_unpack(tmp_path: Path) -> None:
    """A way of packing that is no one's here."""
    path = as_archive(tmp_path, zipfile.ZIP_STORED)
    raw = path.read_bytes()
    for mark, place in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        parts = raw.split(mark)
        raw = mark.join(
            [parts[0], *(p[: place - 4] + b"\x5f\x00" + p[place - 2 :] for p in parts[1:])]
        )
    path.write_bytes(raw)
    with pytest.raises(oe.LabelError, match=r"inspect log dump log\.eval > log\.json"):
        read_inspect(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.json", "{}")
    with pytest.raises(oe.LabelError, match="no header"):
        read_inspect(path)


def result(provider: Any, item: str, output: Any, prompt: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "provider": provider, "promptIdx": prompt, "vars": {"id": item, "gold": 4},
        "response": None if output is None else {"output": output}, "score": 1, **more,
    }  # fmt: skip


STRICT, SMALL = (
    {"id": "openai:gpt-4o", "label": "strict"},
    {"id": "openai:gpt-4o-mini", "label": ""},
)
RESULTS = [
    result(STRICT, "a0", "Score: 4", namedScores={"quality": 0.75}),
    result(STRICT, "a1", None, error="timed out", namedScores={}),
    result(SMALL, "a0", {"score": 3}),
    result("echo", "a1", "I cannot rate this."),
]


def written(folder: Path, name: str, results: Any = RESULTS) -> Path:
    path = folder / name
    if name.endswith("l"):
        # A separator of lines within a text does not end the line.
        lines = [json.dumps(r, ensure_ascii=False) for r in results]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    else:
        path.write_text(json.dumps({"results": {"results": results}}), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["results.jsonl", "results.json"])
def test_promptfoo_has_a_record_for_each_result(name: str, tmp_path: Path) -> None:
    records = read_promptfoo(written(tmp_path, name), "id", truth="gold")
    assert [r["rater"] for r in records] == ["strict", "strict", "openai:gpt-4o-mini", "echo"]
    assert records[0] == {
        "item": "a0", "rater": "strict", "answer": "Score: 4", "score": None, "truth": 4,
        "error": None,
    }  # fmt: skip
    assert records[1]["answer"] is None
    assert records[1]["error"] == "timed out"
    assert records[2]["answer"] == {"score": 3}
    graded = read_promptfoo(written(tmp_path, name), "id", assertion="quality")
    assert [r["score"] for r in graded] == [0.75, None, None, None]


def test_promptfoo_tells_prompts_apart(tmp_path: Path) -> None:
    two = [result(STRICT, "a0", "\u2028 Score: 4", prompt) for prompt in (0, 1)]
    records = read_promptfoo(written(tmp_path, "results.jsonl", two), "id")
    assert [r["rater"] for r in records] == ["strict, prompt 0", "strict, prompt 1"]


def test_promptfoo_that_cannot_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, "results.json")
    with pytest.raises(oe.LabelError, match=r"4 of 4 results .* no variable 'item'.*id and gold"):
        read_promptfoo(path)
    with pytest.raises(oe.LabelError, match=r"no result .* 'grade'; there is quality"):
        read_promptfoo(path, "id", assertion="grade")
    path.write_text('{"results": [1]}')
    with pytest.raises(oe.LabelError, match="no list of results"):
        read_promptfoo(path, "id")
    lines = written(tmp_path, "results.jsonl")
    lines.write_text(lines.read_text() + "{\n")
    with pytest.raises(oe.LabelError, match=r"line 5 of .* is not JSON"):
        read_promptfoo(lines, "id")


def test_a_list_of_scores_has_a_record_for_each_rating(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    both = sample(1, 1, {"judge": {"value": [4, 5]}})
    path.write_text(json.dumps({**HEAD, "samples": [both, sample(2, 1, {"judge": {"value": 3}})]}))
    assert [(r["item"], r["score"]) for r in read_inspect(path)] == [("1", 4), ("1", 5), ("2", 3)]
    data = inspect_predictions([path], range(1, 6))
    assert data.models == ("openai/gpt-4o",)
    assert data.confusion("openai/gpt-4o").counts[2].tolist() == [0, 0, 1, 1, 1]


def test_logs_that_cannot_be_compared(tmp_path: Path) -> None:
    path = as_json(tmp_path)
    with pytest.raises(oe.LabelError, match="has the scorers judge and match: name one"):
        inspect_predictions([path], range(1, 6))
    with pytest.raises(oe.LabelError, match="have no label"):
        inspect_predictions([path], ["I", "C"], scorer="judge")
    other = tmp_path / "other.json"
    changed = [{**SAMPLES[0], "target": "2"}]
    other.write_text(json.dumps({**HEAD, "samples": changed}))
    with pytest.raises(oe.LabelError, match="disagree about the truth of the sample 1"):
        inspect_predictions([path, other], range(1, 6), scorer="judge")


# As DeepEval 4.3 writes it.
TEST_RUN = {
    "testCases": [
        {
            "name": "c1", "input": "q1", "actualOutput": "a1", "expectedOutput": "4",
            "metadata": {"human": 5},
            "metricsData": [
                {"name": "Grade", "score": 0.8, "reason": "Clear.", "evaluationModel": "judge-1"},
                {"name": "Tone", "error": "timed out"},
            ],
        },
        {"name": "test_case_1", "input": "q2", "metricsData": [{"name": "Grade", "score": 1.0}]},
    ],
    "conversationalTestCases": [],
}  # fmt: skip


def test_deepeval_has_a_record_for_each_case_and_metric(tmp_path: Path) -> None:
    path = tmp_path / "test_run_20261119_120000.json"
    path.write_text(json.dumps(TEST_RUN))
    records = read_deepeval(path)
    assert [(r["item"], r["rater"], r["score"]) for r in records] == [
        ("c1", "Grade", 0.8), ("c1", "Tone", None), ("test_case_1", "Grade", 1.0)
    ]  # fmt: skip
    assert records[0] == {
        "item": "c1", "rater": "Grade", "score": 0.8, "text": "Clear.", "model": "judge-1",
        "answer": "a1", "truth": "4", "error": None,
    }  # fmt: skip
    assert records[1]["error"] == "timed out"
    assert [r["truth"] for r in read_deepeval(path, truth="human")] == [5, 5, None]
    path.write_text("{}")
    with pytest.raises(oe.LabelError, match="holds no test cases"):
        read_deepeval(path)


def test_lm_eval_has_a_record_for_each_document_and_filter(tmp_path: Path) -> None:
    path = tmp_path / "samples_grades_2026.jsonl"
    line = {
        "doc_id": 0, "target": "4", "filter": "strict", "filtered_resps": ["3"],
        "resps": [["I say 3"]], "metrics": ["exact_match"], "exact_match": 0.0,
    }  # fmt: skip
    many = {**line, "doc_id": 1, "filtered_resps": [["4", "5"]]}
    path.write_text("\n".join(map(json.dumps, (line, many))))
    records = read_lm_eval(path, "exact_match")
    assert records[0] == {
        "item": 0, "rater": "strict", "answer": "3", "truth": "4", "score": 0.0
    }  # fmt: skip
    assert records[1]["answer"] == "4"
    assert read_lm_eval(path)[0]["score"] is None
    with pytest.raises(oe.LabelError, match="no metric 'acc'; it has exact_match"):
        read_lm_eval(path, "acc")
    older = {key: x for key, x in line.items() if key != "metrics"}  # of versions before the list
    path.write_text(json.dumps(older))
    assert read_lm_eval(path, "exact_match")[0]["score"] == 0.0
    path.write_text('{"a": 1}')
    with pytest.raises(oe.LabelError, match="have no doc_id"):
        read_lm_eval(path)
