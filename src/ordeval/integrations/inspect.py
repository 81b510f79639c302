"""Logs of Inspect, which need no Inspect; its metrics and scorer are in ``inspect_scoring``."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from ordeval._shared.arguments import checked
from ordeval._shared.extras import import_extra
from ordeval._shared.text import argument, joined
from ordeval._shared.types import Policy, StrPath
from ordeval.data.predictions import Predictions
from ordeval.data.sources.text_files import BROKEN
from ordeval.data.text.answers import read_answers
from ordeval.exceptions import LabelError
from ordeval.integrations._logs import Record, all_records, parsed, read_text, within

_ZSTD: Final = 93  # the code of zstd compression in zip archives
_LENGTHS: Final = 26  # offset of the lengths of a member's name and extra field in its header


@checked
def read_inspect(path: StrPath, scorer: str | None = None) -> list[Record]:
    """Read the samples of an Inspect log as records, which any data frame accepts.

    A record has ``item`` (the sample's id, as text), ``rater`` (the scorer), ``run`` (the epoch),
    ``score`` (the scorer's value), ``text`` (its explanation: what a grading model wrote),
    ``truth`` (the target), ``metadata`` (of the sample), ``model`` and ``answer`` (what that model
    answered) and ``error``. A score that is a list is several ratings, with a record for each.
    Without a grade, or for a failed sample, the score is None; no record is dropped.

    Parameters
    ----------
    path
        An ``.eval`` file, or the JSON that ``inspect log dump`` writes.
    scorer
        The scorer to read; by default all that the log has. ``"quality.clarity"`` is the value
        ``clarity`` of the scorer ``quality``, if its scores have several values.

    Returns
    -------
    list of dict
        One record for each sample, epoch, scorer and rating.

    Raises
    ------
    LabelError
        If the file cannot be read, is not a finished log, or holds no such scores.
    """
    log, samples = _opened(path)
    model = within(log, "eval", "model")
    names = list(dict.fromkeys(name for s in samples for name in s.get("scores") or {}))
    if not names:
        raise LabelError(f"{path} holds no scores: not one of its {len(samples)} samples has any.")
    asked = [(name, [name]) for name in names]
    if scorer is not None:
        parts = [n for n in names if scorer.startswith(f"{n}.")] if scorer not in names else []
        keys = [parts[0], scorer.removeprefix(f"{parts[0]}.")] if parts else [scorer]
        known = [*names, *(f"{name}.{key}" for name in names for key in _keys(samples, name))]
        if scorer not in known:
            raise LabelError(f"{path} has no scores by {scorer!r}; it has {joined(known)}.")
        asked = [(scorer, keys)]
    return [
        _record(sample, name, keys[0], model, value)
        for name, keys in asked
        for sample in samples
        for value in _ratings(within(sample, "scores", keys[0], "value", *keys[1:]))
    ]


@checked
def inspect_predictions(
    logs: Sequence[StrPath] | Mapping[str, StrPath],
    labels: Any,
    *,
    scorer: str | None = None,
    truth: str | None = None,
    clusters: str | None = None,
    missing: Policy = "raise",
) -> Predictions:
    """Describe the labels in Inspect logs as predictions, with one model for each log.

    Samples are matched by id and epoch. The epochs of a sample, and the ratings of a list, are a
    cluster.

    Parameters
    ----------
    logs
        Logs, or a mapping of names to them. Default names: the models, or the names of the files
        if logs have the same model.
    labels
        The ordered labels, lowest first. Scores and targets may be numbers or texts.
    scorer
        The scorer whose values are the predictions, if a log has several; ``"quality.clarity"`` is
        one value of a scorer that gives several.
    truth
        The key of the samples' metadata that holds the true label. Default: the target.
    clusters
        The key of the samples' metadata that names their cluster, such as a document.
    missing
        What happens to samples without a label in one of the logs: ``"raise"`` or ``"drop"``.

    Returns
    -------
    Predictions
        Data for ``compare``, ``score`` and the other functions.

    Raises
    ------
    LabelError
        If there is no log, a log cannot be read or is named twice, has several scorers and none is
        named, or two logs disagree about the true label or the cluster of a sample.
    """
    paths = dict(logs) if isinstance(logs, Mapping) else {str(path): path for path in logs}
    if not paths:
        raise LabelError("logs is empty: pass at least one log.")
    if len(paths) < len(logs):
        raise LabelError(f"logs must differ; got {joined([str(path) for path in logs])}.")
    read = {name: read_inspect(path, scorer) for name, path in paths.items()}
    if not isinstance(logs, Mapping):
        models = {str(records[0]["model"]) for records in read.values()}
        by_model = len(models) == len(read)
        read = {str(r[0]["model"]) if by_model else Path(n).stem: r for n, r in read.items()}
        if len(read) < len(paths):
            raise LabelError("two logs have the same name: pass a mapping of names to logs.")
    true: dict[Any, Any] = {}
    cluster: dict[Any, Any] = {}
    given: dict[str, dict[Any, Any]] = {}
    for name, records in read.items():
        if len(raters := {r["rater"] for r in records}) > 1:
            raise LabelError(
                f"{paths.get(name, name)} has the scorers {joined(sorted(raters))}: name one with "
                f"{argument('scorer', sorted(raters)[0])}."
            )
        given[name], seen = {}, Counter[Any]()
        for r in records:
            key = (r["item"], r["run"], seen[r["item"], r["run"]])
            seen[r["item"], r["run"]] += 1
            label = r["truth"] if truth is None else r["metadata"].get(truth)
            if true.setdefault(key, label) != label:
                raise LabelError(f"the logs disagree about the truth of the sample {r['item']}.")
            place = r["item"] if clusters is None else r["metadata"].get(clusters)
            if place is None or cluster.setdefault(key, place) != place:
                raise LabelError(
                    f"the sample {r['item']} needs one value under {clusters!r} in its metadata, "
                    f"the same in all logs: it is its cluster."
                )
            if isinstance(r["score"], dict):
                each = [f"{r['rater']}.{key}" for key in r["score"]]
                raise LabelError(
                    f"the scores of {r['rater']} have several values: name one with "
                    f"{joined([argument('scorer', one) for one in each], 'or')}."
                )
            given[name][key] = r["score"]
    items = list(true)
    columns = {name: [found.get(key) for key in items] for name, found in given.items()}
    y_true, *y_pred = (
        _labels(name, values, labels, missing)
        for name, values in {"truth": [*true.values()], **columns}.items()
    )
    ids = [cluster[key] for key in items]
    return Predictions(
        y_true,
        dict(zip(columns, y_pred, strict=True)),
        labels=labels,
        clusters=ids if clusters or len(set(ids)) < len(ids) else None,
        missing=missing,
    )


def _labels(name: str, values: list[Any], labels: Any, missing: Policy) -> list[Any]:
    """The labels that are written in a log."""
    found = read_answers(values, labels, pattern="whole")
    if missing == "raise" and found.unread > found.missing:
        raise LabelError(f"{name}: {found.sentence()} The first is {found.examples[0].answer!r}.")
    return found.labels


def _ratings(value: Any) -> list[Any]:
    """The ratings of a score: a list is several of them."""
    return value if isinstance(value, list) and value else [value]


def _keys(samples: list[Record], scorer: str) -> list[str]:
    """The names of the values of a scorer whose scores have several."""
    values = (within(s, "scores", scorer, "value") for s in samples)
    return list(dict.fromkeys(key for v in values if isinstance(v, dict) for key in v))


def _record(sample: Record, rater: str, scorer: str, model: Any, value: Any) -> Record:
    score = within(sample, "scores", scorer) or {}
    graded = value == value  # NaN: no grade was found
    return {
        "item": str(sample.get("id")),
        "rater": rater,
        "run": sample.get("epoch", 1),
        "score": value if graded else None,
        "text": score.get("explanation"),
        "truth": sample.get("target"),
        "metadata": sample.get("metadata") or {},
        "model": model,
        "answer": _answer(sample),
        "error": within(sample, "error", "message"),
    }


def _answer(sample: Record) -> Any:
    """Return the text of the model's answer: its first choice, whose content may have parts."""
    choices = within(sample, "output", "choices") or [{}]
    content = within(choices[0], "message", "content")
    if not isinstance(content, list):
        return content
    return "\n".join(x["text"] for x in content if isinstance(x, dict) and x.get("text"))


def _opened(path: StrPath) -> tuple[Any, list[Record]]:
    """Return the header of a log and its samples."""
    try:
        packed = zipfile.is_zipfile(path)
    except ValueError as error:  # a name with a null byte
        raise LabelError(f"{path} cannot be read: {error}.") from None
    if not packed:
        log = parsed(read_text(path), str(path))
        return log, all_records(within(log, "samples"), path, "samples")
    try:
        with zipfile.ZipFile(path) as archive:
            files = archive.namelist()
            if "header.json" not in files:
                raise LabelError(f"{path} was not finished, or is no log of Inspect: no header.")
            names = sorted(n for n in files if n.startswith("samples/") and n.endswith(".json"))
            head, *samples = (
                parsed(_member(archive, name, path), f"{name} in {path}")
                for name in ["header.json", *names]
            )
    except NotImplementedError:
        raise LabelError(
            f"{path} is packed in a way that cannot be read here. Write it as JSON: "
            f"inspect log dump {Path(path).name} > log.json"
        ) from None
    except (*BROKEN, zipfile.BadZipFile, RuntimeError) as error:  # a password is a RuntimeError
        raise LabelError(f"{path} could not be read: {str(error).rstrip('.')}.") from None
    return head, all_records(samples, path, "samples")


def _member(archive: zipfile.ZipFile, name: str, path: StrPath) -> bytes:
    """Return a member of the archive, which may use zstd; Python supports zstd from 3.14 on."""
    info = archive.getinfo(name)
    if info.compress_type != _ZSTD:
        return archive.read(name)
    zstd = import_extra("zstandard", extra="files", purpose=f"reading {path}")
    with open(path, "rb") as file:
        file.seek(info.header_offset + _LENGTHS)
        lengths = int.from_bytes(file.read(2), "little") + int.from_bytes(file.read(2), "little")
        file.seek(lengths, os.SEEK_CUR)
        packed = file.read(info.compress_size)
    try:
        stream = zstd.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
        data: bytes = stream.read(info.file_size + 1)  # never more than the archive declares
    except zstd.ZstdError:
        data = b""
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"{name} is broken")
    return data


def __getattr__(name: str) -> Any:
    """Load what needs Inspect itself."""
    if name in ("label_scorer", "ordinal_metric"):
        return getattr(import_module("ordeval.integrations.inspect_scoring"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
