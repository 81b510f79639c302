"""Logs of Inspect: one record per sample, epoch and scorer. Inspect itself is not needed."""

from __future__ import annotations

import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, Final

from ordeval._shared.arguments import checked
from ordeval._shared.extras import import_extra
from ordeval._shared.text import joined
from ordeval._shared.types import StrPath
from ordeval.data.sources.text_files import BROKEN
from ordeval.exceptions import LabelError
from ordeval.integrations._logs import Record, all_records, parsed, read_text, within

_ZSTD: Final = 93  # the code of zstd compression in zip archives
_LENGTHS: Final = 26  # offset of the lengths of a member's name and extra field in its header


@checked
def read_inspect(path: StrPath, scorer: str | None = None) -> list[Record]:
    """Read the samples of an Inspect log as records, which any data frame accepts.

    A record has ``item`` (the sample's id, as text), ``rater`` (the scorer), ``run`` (the epoch),
    ``score`` (the scorer's value), ``text`` (its explanation: what a grading model wrote),
    ``truth`` (the target), ``model`` and ``answer`` (what that model answered) and ``error``.
    Without a grade, or for a failed sample, the score is None; no record is dropped.

    Parameters
    ----------
    path
        An ``.eval`` file, or the JSON that ``inspect log dump`` writes.
    scorer
        The scorer to read; by default all that the log has.

    Returns
    -------
    list of dict
        One record for each sample and scorer.

    Raises
    ------
    LabelError
        If the file cannot be read, is not a finished log, or holds no such scores.
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
        "item": str(sample.get("id")),
        "rater": scorer,
        "run": sample.get("epoch", 1),
        "score": value if graded else None,
        "text": score.get("explanation"),
        "truth": sample.get("target"),
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
