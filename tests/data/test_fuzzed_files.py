"""Hundreds of odd files: the count that Python's csv module gives, or an error; never a crash.

CSV is written at random, well formed and not, and read by both readers. Arrow, Feather and Parquet
files have bytes changed, and are read in a process of their own, which must live through all.
"""

from __future__ import annotations

import csv
import io
import itertools
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow.feather
import pyarrow.parquet
import pytest

import ordeval as oe
from ordeval.data.sources import csv_files as _csv_files, files

BROKEN_CASES = 100  # of each kind

CELLS = ["a", "b", "a", "b", "", "1", '"a"', '"b,c"', '"x""y"', '""', '""""', " a", "é", "#", "'a'",
         "\\", "NULL", '"é"', '"a\nb"', '"a\r\nb"', '"\n"', "a;b", "a\tb"]  # fmt: skip
FAULTS = ['"', 'a"b', '"a" ', '"a"b', '"a', ",", "\n", "\r", "\r\n", " ", "\0", "\ufeff", "|", ";"]
ENDS = ["\n", "\r\n", "\r"]
DELIMITERS = ",;\t|"
# Every fault with every line end and every delimiter, and as many files without one.
FORMS = list(
    itertools.product([*[None] * (len(FAULTS) + 2), *FAULTS, "end", "empty line"], ENDS, DELIMITERS)
)
NAMES = ["y", "p", "q", "Y", '"y y"', '"new\nline"', "p.1", ""]


def odd_csv(rng: random.Random, fault: str | None, end: str, delimiter: str) -> str:
    """A table, most of the time well formed, with something odd in every second one."""
    names = ["y", "p", *rng.sample(NAMES[2:], rng.randint(0, 2))]
    rng.shuffle(names)
    cells = [c for c in CELLS if c[0:1] == '"' or delimiter not in c]
    if rng.random() < 0.6:
        cells = [c for c in cells if "\n" not in c]
    rows = [names] + [[rng.choice(cells) for _ in names] for _ in range(rng.randint(0, 12))]
    if rng.random() < 0.1:
        at = rng.randrange(len(rows))
        rows[at] = rows[at][:-1] if rng.random() < 0.5 else [*rows[at], rng.choice(["", "a"])]
    text = end.join(delimiter.join(row) for row in rows) + rng.choice([end, end, ""])
    if fault is not None:
        at = rng.randrange(len(text) + 1)
        fault = {"end": end, "empty line": end + end}.get(fault, fault)
        text = text[:at] + fault + text[at:]
    return rng.choice([*[""] * 8, end, "\ufeff"]) + text


def by_python(text: str, delimiter: str) -> Counter[tuple[str, str]] | None:
    """The pairs that the csv module reads, empty lines left out; None if rows are not alike."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    names, *rows = [row for row in reader if row] or [[]]
    if any(len(row) != len(names) for row in rows) or names.count("y") != 1 != names.count("p"):
        return None
    return Counter((row[names.index("y")], row[names.index("p")]) for row in rows)


def counted(path: Path) -> Counter[tuple[str, str]] | None:
    """The pairs that are counted, or None if there is an error."""
    try:
        rows = files.FileSource(path).rows(["y", "p"])
    except oe.LabelError:
        return None
    pairs = zip(rows.columns["y"], rows.columns["p"], strict=True)
    found: Counter[tuple[str, str]] = Counter()
    for pair, n in zip(pairs, rows.count.tolist(), strict=True):
        found[pair[0] or "", pair[1] or ""] += n
    return found


@pytest.mark.parametrize("seed", range(2))
def test_odd_csv_is_counted_as_python_does_or_refused(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, path, told = random.Random(seed), tmp_path / "t.csv", Counter[str]()
    fast = _csv_files.counted

    def watched(*args: Any) -> Any:
        told["duckdb"] += 1
        return fast(*args)

    monkeypatch.setattr(_csv_files, "counted", watched)
    for fault, end, delimiter in FORMS:
        text = odd_csv(rng, fault, end, delimiter)
        path.write_text(text, encoding="utf-8", newline="")
        with_duckdb = counted(path)
        with monkeypatch.context() as patched:
            patched.setattr(files, "find_spec", lambda _: None)
            assert counted(path) == with_duckdb, repr(text)
        if with_duckdb is None:
            told["refused"] += 1
            continue
        told["read"] += 1
        readings = [by_python(text, d) for d in ",;\t|"]
        assert with_duckdb in readings, repr(text)
    # The test would say nothing if all were refused, or one reader never asked.
    assert told["read"] > len(FORMS) // 3, told
    assert told["duckdb"] > len(FORMS) // 6, told


def test_large_files_are_read_alike_by_both_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several blocks and threads; lines of all lengths, quotes, answers of many lines."""
    rng = random.Random(0)
    answers = [
        "short",
        'she said ""yes"", twice',
        "one\nline after\n\nanother, and more",
        "x" * 5_000,
    ]
    for name, choice in (("lines", answers[:2]), ("answers", answers)):
        path = tmp_path / f"{name}.csv"
        lines = [
            f'{i % 3},"{rng.choice(choice)}",{rng.choice("012")},{rng.choice([1, 2, 0.5])}'
            for i in range(40_000)
        ]
        path.write_text("y,answer,p,w\n" + "\n".join(lines) + "\n", newline="")
        expected = np.zeros((3, 3))
        for row in csv.DictReader(io.StringIO(path.read_text(), newline="")):
            expected[int(row["y"]), int(row["p"])] += float(row["w"])
        found = oe.ConfusionMatrix.from_file(path, "y", "p", [0, 1, 2], "w")
        assert np.array_equal(found.counts, expected)
        with monkeypatch.context() as patched:
            patched.setattr(files, "find_spec", lambda _: None)
            assert oe.ConfusionMatrix.from_file(path, "y", "p", [0, 1, 2], "w") == found


READ_ALL = """
import sys, warnings
from pathlib import Path
import ordeval as oe
warnings.simplefilter("ignore")
read = refused = 0
for path in sorted(Path(sys.argv[1]).iterdir()):
    print(path.name, file=sys.stderr, flush=True)
    try:
        oe.ConfusionMatrix.from_file(
            path, "y", "p", [1, 2, 3], "w", by="s", unknown="drop", missing="drop"
        )
        read += 1
    except oe.OrdevalError:
        refused += 1
print(read, refused)
"""


def whole(kind: str) -> bytes:
    """A small file of some kind that can be read."""
    table = pl.DataFrame({
        "y": [1, 2, 3, None] * 50, "p": [1, 2, 2, 3] * 50, "w": [0.5, 1.0, 2.0, 1.0] * 50,
        "s": pl.Series(["low", "high", "é", "low"] * 50, dtype=pl.Categorical),
    })  # fmt: skip
    buffer = io.BytesIO()
    match kind:
        case "feather":
            pyarrow.feather.write_feather(table.to_arrow(), buffer, compression="lz4")
        case "arrow":
            table.write_ipc(buffer, compression="uncompressed")
        case "stream":
            table.write_ipc_stream(buffer)
        case "parquet":
            table.write_parquet(buffer)
        case _:
            pyarrow.parquet.write_table(table.to_arrow(), buffer, compression="none")
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["feather", "arrow", "stream", "parquet", "plain parquet"])
def test_broken_bytes_never_end_the_process(kind: str, tmp_path: Path) -> None:
    rng, good = random.Random(kind), whole(kind)
    ending = {"stream": "arrow", "plain parquet": "parquet"}.get(kind, kind)
    for i in range(BROKEN_CASES):
        data = bytearray(good)
        for _ in range(rng.choice([1, 1, 1, 5, 50])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        if i % 10 == 0:
            del data[rng.randrange(len(data)) :]
        (tmp_path / f"{i:04}.{ending}").write_bytes(bytes(data))
    (tmp_path / f"whole.{ending}").write_bytes(good)
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, tmp_path], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    read, refused = map(int, done.stdout.split())
    assert read + refused == BROKEN_CASES + 1
    assert min(read, refused) > 10
