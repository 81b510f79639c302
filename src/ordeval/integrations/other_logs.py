"""Results of DeepEval and of lm-evaluation-harness as records; neither package is needed."""

from __future__ import annotations

from typing import Any

from ordeval._shared.arguments import checked
from ordeval._shared.text import joined
from ordeval._shared.types import StrPath
from ordeval.exceptions import LabelError
from ordeval.integrations._logs import Record, all_records, parsed, read_lines, read_text, within


@checked
def read_deepeval(path: StrPath, *, truth: str | None = None) -> list[Record]:
    """Read a DeepEval test run as records, which any data frame accepts.

    A record has ``item`` (the name of the test case), ``rater`` (the metric), ``score``, ``text``
    (the metric's reason), ``model`` (the evaluation model), ``answer`` (the actual output),
    ``truth`` and ``error``. Scores of DeepEval are between 0 and 1; G-Eval rescales its grades, by
    default 0 to 10, to that range.

    Parameters
    ----------
    path
        A file ``test_run_*.json`` of the folder in ``DEEPEVAL_RESULTS_FOLDER``.
    truth
        The key of the test cases' metadata that holds the true label. Default: their expected
        output.

    Returns
    -------
    list of dict
        One record for each test case and metric.

    Raises
    ------
    LabelError
        If the file cannot be read, or is no test run.
    """
    run = parsed(read_text(path), str(path))
    cases = [*(within(run, "testCases") or []), *(within(run, "conversationalTestCases") or [])]
    return [
        {
            "item": case.get("name"),
            "rater": metric.get("name"),
            "score": metric.get("score"),
            "text": metric.get("reason"),
            "model": metric.get("evaluationModel"),
            "answer": case.get("actualOutput"),
            "truth": case.get("expectedOutput")
            if truth is None
            else within(case, "metadata", truth),
            "error": metric.get("error"),
        }
        for case in all_records(cases, path, "test cases")
        for metric in case.get("metricsData") or []
    ]


@checked
def read_lm_eval(path: StrPath, metric: str | None = None) -> list[Record]:
    """Read samples of lm-evaluation-harness as records, which any data frame accepts.

    A record has ``item`` (the document's number), ``rater`` (the filter), ``answer`` (what the
    filter made of the response; of several responses, the first), ``truth`` (the target) and
    ``score`` (the value of ``metric``).

    Parameters
    ----------
    path
        A file ``samples_TASK_*.jsonl``, which ``--log_samples`` writes.
    metric
        The metric that gives the score. Default: no score.

    Returns
    -------
    list of dict
        One record for each document and filter.

    Raises
    ------
    LabelError
        If the file cannot be read, holds no samples, or has no such metric.
    """
    samples = all_records(read_lines(path), path, "samples")
    known = list(dict.fromkeys(name for s in samples for name in s.get("metrics") or []))
    if not all("doc_id" in s for s in samples):
        raise LabelError(f"{path} holds no samples of lm-evaluation-harness: some have no doc_id.")
    if metric is not None and not any(metric in s for s in samples):
        raise LabelError(f"{path} has no metric {metric!r}; it has {joined(known) or 'none'}.")
    return [
        {
            "item": s["doc_id"],
            "rater": s.get("filter", "none"),
            "answer": _first(s.get("filtered_resps")),
            "truth": s.get("target"),
            "score": None if metric is None else s.get(metric),
        }
        for s in samples
    ]


def _first(found: Any) -> Any:
    """The first response, which may be in lists."""
    while isinstance(found, list):
        found = found[0] if found else None
    return found
