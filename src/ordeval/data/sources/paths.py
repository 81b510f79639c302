"""Which files a path names, and of which kind each is: what is inside counts, then the name.

A path is a file, a folder of Parquet files or a pattern. Folders below the given one, or below
the fixed part of a pattern, whose names read ``key=value`` are columns of the files in them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import glob
from typing import Final

from ordeval._shared.extras import import_extra
from ordeval._shared.text import argument, named
from ordeval.data.sources.file_form import Form
from ordeval.exceptions import LabelError

_PACKS: Final = ("", ".gz", ".zst")
ENDINGS: Final = {
    "csv": tuple(f"{end}{pack}" for end in (".csv", ".tsv", ".txt") for pack in _PACKS),
    "parquet": (".parquet", ".pq"),
    "json": tuple(f"{end}{pack}" for end in (".jsonl", ".ndjson", ".json") for pack in _PACKS),
    "arrow": (".arrow", ".feather", ".ipc"),
    "duckdb": (".duckdb", ".ddb"),
    "sqlite": (".sqlite", ".sqlite3"),
    "excel": (".xlsx", ".xlsm"),
}
_KINDS: Final = {
    "csv": "CSV",
    "json": "JSON",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "duckdb": "DuckDB",
    "sqlite": "SQLite",
    "excel": "an Excel workbook",
}
_TEXT: Final = ("csv", "json")
_NEEDED: Final = {"parquet": "duckdb", "duckdb": "duckdb", "arrow": "pyarrow"}
_MAGIC: Final = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_CALLED: Final = {".gz": "gzip", ".zst": "zstd"}
_START: Final = 64  # bytes that tell the kind
_NO_VALUE: Final = "__HIVE_DEFAULT_PARTITION__"  # what Hive and Spark write for a null

# What starts like this is not text, and how to turn it into something that can be read.
_FOREIGN: Final = {
    b"\xff\xfe\x00\x00": "is text in UTF-32; convert it with: iconv -f UTF-32 -t UTF-8",
    b"\x00\x00\xfe\xff": "is text in UTF-32; convert it with: iconv -f UTF-32 -t UTF-8",
    b"\xff\xfe": "is text in UTF-16; convert it with: iconv -f UTF-16 -t UTF-8",
    b"\xfe\xff": "is text in UTF-16; convert it with: iconv -f UTF-16 -t UTF-8",
    b"PK\x03\x04": "is a ZIP archive or a workbook; unpack it, or call a workbook .xlsx",
    b"BZh": "is packed with bzip2; unpack it first: bunzip2",
    b"\xfd7zXZ\x00": "is packed with xz; unpack it first: unxz",
}


@dataclass(frozen=True)
class Part:
    """One file that is read."""

    path: str
    kind: str
    packed: str = ""  # by gzip or zstd
    keys: dict[str, str | None] = field(default_factory=dict)  # of the folders it lies in
    encoding: str | None = None  # of CSV that is not in UTF-8


def parts_of(name: str, form: Form | None = None) -> list[Part]:
    """The files that a path names, in the order of their names."""
    form = form or Form()
    if not name:
        raise LabelError("the path is empty; name a file, a folder or a pattern.")
    if not os.path.lexists(name):
        if name.startswith(("~/", "~" + os.sep)):
            name = os.path.expanduser(name)
        elif "://" in name:
            raise LabelError(f"{name!r} is not a local file.")
    if os.path.isdir(name):
        listed, root = sorted(_parquet_below(name)), name
        if not listed:
            raise LabelError(
                f"the folder {name!r} holds no Parquet files; name files of other kinds by a "
                f"pattern such as {os.path.join(name, '*.csv')!r}."
            )
    elif os.path.lexists(name) or not any(c in name for c in "*?["):
        return [_part(name, form)]
    else:
        listed, root = _matching(name), _fixed_part(name)
        if not listed:
            raise LabelError(f"no file matches {name!r}.")
    return [_part(path, form, _keys_below(path, root)) for path in listed]


def kind_named(kind: str) -> str:
    """A kind of file, in a sentence."""
    return _KINDS[kind]


def _matching(pattern: str) -> list[str]:
    """The files that match; a folder whose name ends as Parquet does is a file written in parts."""
    found: set[str] = set()
    for path in glob(pattern, recursive=True):
        if not os.path.isdir(path):
            found.add(path)
        elif path.lower().rstrip("/" + os.sep).endswith(ENDINGS["parquet"]):
            found.update(_parquet_below(path))
    return sorted(found)


def _parquet_below(folder: str) -> Iterator[str]:
    """The Parquet files in a folder and below, each once, whatever links there are."""

    def refuse(error: OSError) -> None:
        raise LabelError(f"{error.filename!r} could not be read: {error.strerror}.") from None

    seen = {os.path.realpath(folder)}
    for place, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        real = {f: os.path.realpath(os.path.join(place, f)) for f in folders}
        folders[:] = [f for f in folders if real[f] not in seen]
        seen.update(real.values())
        for file in files:
            if file.lower().endswith(ENDINGS["parquet"]) and not file.startswith("."):
                yield os.path.join(place, file)


def _fixed_part(pattern: str) -> str:
    """The folder that a pattern starts in."""
    fixed: list[str] = []
    for step in os.path.dirname(pattern).split(os.sep):
        if any(c in step for c in "*?["):
            break
        fixed.append(step)
    return os.sep.join(fixed) or (os.sep if pattern.startswith(os.sep) else os.curdir)


def _keys_below(path: str, root: str) -> dict[str, str | None]:
    steps = os.path.relpath(os.path.dirname(path) or os.curdir, root).split(os.sep)
    pairs = (step.partition("=") for step in steps if "=" in step)
    from urllib.parse import unquote  # slow to load, and seldom needed

    return {unquote(k): None if v == _NO_VALUE else unquote(v) for k, _, v in pairs}


def _part(path: str, form: Form, keys: dict[str, str | None] | None = None) -> Part:
    try:
        regular = stat.S_ISREG(os.stat(path).st_mode)
        start, end = _ends(path) if regular else (b"", b"")
    except (FileNotFoundError, ValueError):  # Python's own errors; a name cannot hold a NUL
        if os.path.islink(path):
            raise LabelError(f"{path!r} is a link to a file that is not there.") from None
        raise LabelError(f"there is no file {path!r}.") from None
    except OSError as error:
        raise LabelError(f"{path!r} could not be read: {error.strerror}.") from None
    if not regular:
        raise LabelError(
            f"{path!r} is not a file that can be read more than once; give - as the path and send "
            f"CSV to standard input."
        )
    said, inside = form.kind or _said(path), _inside(start, end)
    if said == "excel" and start.startswith(b"PK\x03\x04"):  # as other archives do
        inside = said
    packed = packing(start)
    kind = said if inside is None or form.kind else inside
    if kind is None:
        raise LabelError(
            f"{path!r} has an unknown extension. Known: .csv .tsv .txt "
            f"(.gz), .parquet, .jsonl, .arrow, .feather, .duckdb, .sqlite, .xlsx. Pass "
            f"{argument('format')}."
        )
    if inside != kind and kind not in _TEXT:
        if kind in _NEEDED:
            import_extra(_NEEDED[kind], extra="files", purpose=f"reading {path!r}")
        by = f"by {named('format')}" if form.kind else "by its name"
        raise LabelError(
            f"{path!r} could not be read: {by} it is {kind_named(kind)}, but it "
            f"{'is broken or holds something else' if start else 'is empty'}."
        )
    if kind in _TEXT:
        refuse_foreign(start, repr(path), encoded=form.encoding is not None)
        ending = os.path.splitext(path)[1].lower()
        if _CALLED.get(ending, packed) != packed:
            raise LabelError(
                f"{path!r} could not be read: its name ends in {ending}, but it is not packed"
                f"{' so' if packed else ''}."
            )
    # Engines read a tilde and a colon in a relative path as their own grammar.
    encoding = form.encoding if kind == "csv" else None
    return Part(os.path.abspath(path), kind, packed, keys or {}, encoding)


def _ends(path: str) -> tuple[bytes, bytes]:
    """The first and the last bytes of a file."""
    with open(path, "rb") as file:
        start = file.read(_START)
        file.seek(max(os.path.getsize(path) - 4, 0))
        return start, file.read(4)


def _said(path: str) -> str | None:
    """The kind that the name says."""
    lower = path.lower()
    return next((kind for kind, ends in ENDINGS.items() if lower.endswith(ends)), None)


def _inside(start: bytes, end: bytes) -> str | None:
    """The kind that the content shows; text shows none."""
    if start.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    if start[8:12] == b"DUCK":
        return "duckdb"
    if start.startswith(b"PAR1") and end == b"PAR1":
        return "parquet"
    if start.startswith((b"ARROW1", b"FEA1", b"\xff\xff\xff\xff")):
        return "arrow"
    return None


def packing(start: bytes) -> str:
    """What packed a file that starts so; nothing if it is not packed."""
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), "")


def refuse_foreign(start: bytes, name: str, *, encoded: bool = False) -> None:
    """Raise a LabelError if what should be text starts as something else does.

    Bytes may look like anything where an encoding is ``encoded``, that is named.
    """
    if encoded or packing(start):
        return
    for magic, what in _FOREIGN.items():
        if start.startswith(magic):
            raise LabelError(f"{name} {what}.")
    inside = _inside(start, start[:4])
    if inside is not None:
        raise LabelError(
            f"{name} holds {kind_named(inside)}, which is not text. Pass "
            f"{argument('format', inside)}."
        )
    # Letters of our alphabet are bytes next to zeros in the encodings of two and four bytes.
    if len(start) >= 8 and any(start[:8]) and sum(map(bool, start[:8])) <= 4:
        wide = "UTF-32" if sum(map(bool, start[:8])) <= 2 else "UTF-16"
        raise LabelError(f"{name} is text in {wide}; convert it with: iconv -f {wide} -t UTF-8.")
