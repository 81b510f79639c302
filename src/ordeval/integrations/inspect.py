"""Logs of Inspect: one record for each sample, epoch and scorer. Inspect is not needed."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

from ordeval._shared.text import joined
from ordeval._shared.types import StrPath
from ordeval.exceptions import LabelError
from ordeval.integrations._logs import Record, all_records, parsed, read_text, within


def read_inspect(path: StrPath, scorer: str | None = None) -> list[Record]:
    """The samples of a log of Inspect as records, which any dataframe takes.

    A record has ``item`` (the sample's id, as text), ``rater`` (the scorer), ``run`` (the epoch),
    ``score`` (the scorer's value), ``text`` (its explanation: what a grading model wrote),
    ``truth`` (the target), ``model`` and ``answer`` (what that model answered) and ``error``.
    Where no grade was found the score is None, as it is of a sample that failed: nothing is lost
    in silence.

    Parameters
    ----------
    path
        An ``.eval`` file, or the JSON that ``inspect log dump`` writes.
    scorer
        The scorer to read; by default all that the log has.
    """
    log, samples = _opened(path)
    model = within(log, "eval", "model")
    names = list(dict.fromkeys(name for s in samples for name in s.get("scores") or {}))
    if scorer is not None and scorer not in names:
        raise LabelError(f"{path} has no scores by {scorer!r}; it has {joined(names) or 'none'}.")
    if not names:
        raise LabelError(f"{path} holds no scores: not one of its {len(samples)} samples has any.")
    return [
        _record(sample, name, model)
        for name in ([scorer] if scorer is not None else names)
        for sample in samples
    ]


def _record(sample: Record, scorer: str, model: Any) -> Record:
    score = within(sample, "scores", scorer) or {}
    value = score.get("value")
    graded = value == value  # NaN: no grade was found
    return {
        "item": str(sample.get("id")), "rater": scorer, "run": sample.get("epoch", 1),
        "score": value if graded else None, "text": score.get("explanation"),
        "truth": sample.get("target"), "model": model,
        "answer": _answer(sample), "error": within(sample, "error", "message"),
    }  # fmt: skip


def _answer(sample: Record) -> Any:
    """The text that the model answered: the first choice, whose content may be in parts."""
    choices = within(sample, "output", "choices") or [{}]
    content = within(choices[0], "message", "content")
    if not isinstance(content, list):
        return content
    return "\n".join(x["text"] for x in content if isinstance(x, dict) and x.get("text"))


def _opened(path: StrPath) -> tuple[Any, list[Record]]:
    """The head of a log and its samples."""
    if not zipfile.is_zipfile(path):
        log = parsed(read_text(path), str(path))
        return log, all_records(within(log, "samples"), path, "samples")
    try:
        with zipfile.ZipFile(path) as archive:
            files = archive.namelist()
            if "header.json" not in files:
                raise LabelError(f"{path} was not finished, or is no log of Inspect: no header.")
            names = sorted(n for n in files if n.startswith("samples/") and n.endswith(".json"))
            head, *samples = (
                parsed(archive.read(name), f"{name} in {path}") for name in ["header.json", *names]
            )
    except NotImplementedError:
        raise LabelError(
            f"this version of Python cannot unpack {path}. Write it as JSON: "
            f"inspect log dump {Path(path).name} > log.json"
        ) from None
    return head, all_records(samples, path, "samples")
