"""Filters of every type over every format, in two time zones, against one reference in Python."""

from __future__ import annotations

import contextlib
import csv
import datetime as dt
import json
import os
import re
import sqlite3
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import ordeval as oe
from ordeval.data.sources.file_form import Form
from ordeval.data.sources.files import FileSource

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

NANOSECONDS_IN_ZONES = int(duckdb.__version__.partition(".")[0]) >= 2
TYPED = ("parquet", "arrow", "duckdb")
WRITTEN = ("csv", "jsonl", "sqlite")
SECOND = 10**9
NEW_YEAR = 1_577_836_800 * SECOND  # of 2020, in nanoseconds
TOKYO = 9 * 3600 * SECOND

WHOLE = [1, -5, 0, 7, None, 100]
FRACTIONS = [0.1, -2.5, 1e16, 1e-5, None, 3.0, float("nan"), -0.0]
MOMENTS = [-TOKYO, -SECOND, 0, SECOND // 2, None, SECOND, TOKYO, 24 * 3600 * SECOND]
TIMES = [0, SECOND // 2, SECOND, None, TOKYO, 86_399 * SECOND]
OF_NUMBERS = (
    "x = 7",
    "x != 7",
    "x >= 0.1",
    "x < 1",
    "x in (1, 100, 3)",
    "x > -1e3 and x <= 0",
    "x is null",
)
OF_DAYS = (
    "x >= '2020-01-01' and x < '2020-01-02'", "x < '2020-01-01'", "x = '2020-01-01'",
    "x is not null",
)  # fmt: skip
OF_MOMENTS = (
    *OF_DAYS, "x <= '2019-12-31 23:59:59'", "x > '2020-01-01 00:00:00.5'",
    "x != '2020-01-01 00:00:00'",
    "x in ('2020-01-01 00:00:00', '2020-01-01 00:00:01')",
)  # fmt: skip
# Other ways of writing a moment, which only columns of moments know.
WRITTEN_OTHERWISE = (
    "x = '2020-01-01T00:00:00'", "x >= '2020-01-01 00:00:00.500000'",
    "x < '2020-01-01 00:00:01.000'",
)  # fmt: skip
IN_ZONES = (
    *WRITTEN_OTHERWISE, "x = '2020-01-01T00:00:00Z'", "x >= '2020-01-01 09:00:00+09:00'",
    "x < '2019-12-31 19:00:00-05'", "x = '2020-01-01 00:00:00.5+00:00'",
)  # fmt: skip


class Kind(NamedTuple):
    """A column: its type, its values in Python, filters, and filters of typed formats alone."""

    type: Any
    values: list[Any]
    filters: tuple[str, ...]
    typed: tuple[str, ...] = ()
    moment: str = ""  # date, time, naive or zoned: then values are nanoseconds


def kinds() -> dict[str, Kind]:
    """A column of each type."""
    found = {
        f"{sign}int{bits}": Kind(
            getattr(pa, f"{sign}int{bits}")(),
            [x if sign == "" or (x or 0) >= 0 else 5 for x in WHOLE],
            OF_NUMBERS,
        )
        for sign in ("", "u")
        for bits in ((16, 64) if sign else (8, 64))
    }
    found |= {
        "float32": Kind(pa.float32(), FRACTIONS, (*OF_NUMBERS, "x = 0.1", "x = '0.1'", "x <= 0.1")),
        "float64": Kind(pa.float64(), FRACTIONS, (*OF_NUMBERS, "x = 0.1", "x = '0.1'", "x <= 0.1")),
        "decimal": Kind(
            pa.decimal128(9, 2), [Decimal("1.50"), Decimal("-7.00"), None, Decimal("7.00")],
            (*OF_NUMBERS, "x = 1.5", "x = '1.50'"),
        ),
        "text": Kind(pa.string(), ["a", "b", "7", None, "true", "2020-01-01"], (
            "x = 'a'", "x != 'a'", "x > 'a'", "x = '7'", "x = 7", "x in ('b', 7)", "x is null",
            "x = 'true'",
        )),
        "bool": Kind(
            pa.bool_(), [True, False, None, True],
            ("x = 'true'", "x != 'true'", "x is null", "x = 1", "x != 1"),
        ),
        "date32": Kind(pa.date32(), MOMENTS, OF_DAYS, moment="date"),
        "date64": Kind(pa.date64(), MOMENTS, OF_DAYS, moment="date"),
        "time": Kind(
            pa.time64("us"), TIMES, ("x >= '09:00:00'", "x < '00:00:01'", "x = '00:00:00.5'"),
            ("x = '00:00:00.500'",), "time",
        ),
    }  # fmt: skip
    for unit in ("s", "ms", "us", "ns"):
        values = [x if x is None or unit != "s" else x - x % SECOND for x in MOMENTS]
        values += [1] if unit == "ns" else []
        found[f"naive {unit}"] = Kind(
            pa.timestamp(unit), values, OF_MOMENTS, WRITTEN_OTHERWISE, "naive"
        )
        for zone in {"us": ("UTC", "Asia/Tokyo"), "ns": ("Asia/Tokyo",)}.get(unit, ()):
            # DuckDB before 2.0 has no nanoseconds in zones.
            held = values if unit == "us" or NANOSECONDS_IN_ZONES else values[:-1]
            found[f"{zone} {unit}"] = Kind(
                pa.timestamp(unit, zone), held, OF_DAYS, (*OF_MOMENTS, *IN_ZONES), "zoned"
            )
        found[f"duration {unit}"] = Kind(pa.duration(unit), WHOLE, OF_NUMBERS)
    return found


def as_text(kind: Kind, value: Any) -> str | None:
    """The one text of a value; None if it is missing."""
    if value is None or value != value:
        return None
    if kind.moment:
        return moment_text(kind.moment, value)
    if kind.type == pa.float32():
        return repr(float(str(np.float32(value))))
    return str(value).lower() if isinstance(value, bool) else str(value)


def moment_text(moment: str, value: int) -> str:
    """Nanoseconds since the new year, or since midnight, as text."""
    seconds, rest = divmod(value, SECOND)
    fraction = f".{rest:09}".rstrip("0").rstrip(".")
    day = dt.datetime(2020, 1, 1) + dt.timedelta(seconds=seconds)
    shown = {"date": f"{day:%Y-%m-%d}", "time": f"{day:%H:%M:%S}{fraction}"}
    zone = "+00:00" if moment == "zoned" else ""
    return shown.get(moment, f"{day:%Y-%m-%d %H:%M:%S}{fraction}{zone}")


def nanoseconds(moment: str, literal: str) -> int | None:
    """A literal that is a day and a time, or a time, since the new year or midnight."""
    full = re.fullmatch(
        r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d(?::\d\d)?)?", literal
    )
    if moment == "time" or (full is None) or moment == "date":
        clock = re.fullmatch(r"(\d\d):(\d\d):(\d\d)(\.\d+)?", literal) if moment == "time" else None
        if clock is None:
            return None
        h, m, s = map(int, clock.groups()[:3])
        return (h * 3600 + m * 60 + s) * SECOND + int((clock[4] or ".")[1:].ljust(9, "0"))
    day = dt.datetime.fromisoformat(f"{full[1]} {full[2]}") - dt.datetime(2020, 1, 1)
    zone = 0
    if full[4] and full[4] != "Z":
        h, _, m = full[4][1:].partition(":")
        zone = int(f"{full[4][0]}1") * (int(h) * 3600 + int(m or 0) * 60)
    return (round(day.total_seconds()) - zone) * SECOND + int((full[3] or ".")[1:].ljust(9, "0"))


def fulfils(kind: Kind, value: Any, sign: str, literal: str) -> bool:
    """Whether a value that is there fulfils one comparison."""
    compare: dict[str, Any] = {
        "=": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    }  # fmt: skip
    text = as_text(kind, value)
    assert text is not None
    if not literal.startswith("'"):
        try:
            number = float(text)
        except ValueError:
            return sign == "!="
        return bool(compare[sign](number, float(literal)))
    literal = literal.strip("'")
    moment = nanoseconds(kind.moment, literal) if kind.moment else None
    if moment is not None:
        return bool(compare[sign](value, moment))
    return bool(compare[sign](text, literal))


def kept(kind: Kind, where: str) -> list[int]:
    """The rows that a filter keeps, by the reference."""

    def keeps(value: Any, test: str) -> bool:
        column_is = re.fullmatch(r"x is (not )?null", test)
        missing = as_text(kind, value) is None
        if column_is:
            return missing is not bool(column_is[1])
        if missing:
            return False
        several = re.fullmatch(r"x in \((.*)\)", test)
        if several:
            return any(fulfils(kind, value, "=", x) for x in several[1].split(", "))
        _, sign, literal = test.split(" ", 2)
        return fulfils(kind, value, sign, literal)

    return [i for i, v in enumerate(kind.values) if all(keeps(v, t) for t in where.split(" and "))]


def arrow_column(kind: Kind) -> Any:
    """The values as an Arrow array."""
    if not kind.moment:
        return pa.array(kind.values, kind.type)
    of_day = kind.moment == "time"
    whole = pa.array(
        [None if x is None else x + (0 if of_day else NEW_YEAR) for x in kind.values], pa.int64()
    )
    plain = whole.cast(pa.time64("ns") if of_day else pa.timestamp("ns"))
    if kind.moment == "zoned":
        return whole.cast(pa.timestamp("ns", kind.type.tz)).cast(kind.type)
    if kind.moment == "date":
        return plain.cast(pa.timestamp("s"), safe=False).cast(pa.date32()).cast(kind.type)
    return plain.cast(kind.type)


def write(folder: Path, name: str, kind: Kind) -> dict[str, Path]:
    """The column in a file of each format."""
    table = pa.table({"id": pa.array(range(len(kind.values))), "x": arrow_column(kind)})
    paths = {f: folder / f"{name.replace('/', ' ')}.{f}" for f in (*TYPED, *WRITTEN)}
    parquet.write_table(table, paths["parquet"])
    feather.write_feather(table, str(paths["arrow"]))
    if "duration" in name:
        del paths["duckdb"]  # its type is another one
    else:
        with duckdb.connect(str(paths["duckdb"])) as db:
            db.register("given", table)
            db.execute("create table t as select * from given")
    texts = [as_text(kind, x) for x in kind.values]
    with paths["csv"].open("w", newline="") as file:
        csv.writer(file).writerows([("id", "x"), *((i, x or "") for i, x in enumerate(texts))])
    lines = [json.dumps({"id": i, "x": x}) for i, x in enumerate(texts)]
    paths["jsonl"].write_text("\n".join(lines))
    with contextlib.closing(sqlite3.connect(paths["sqlite"])) as lite, lite:
        lite.execute("create table t (id integer, x)")
        lite.executemany("insert into t values (?, ?)", enumerate(texts))
    return paths


def found_in(path: Path, where: str) -> list[int] | str:
    """The rows that a reader keeps, or what it says."""
    try:
        rows = FileSource(str(path), form=Form.of(where=where)).rows(["id"])
    except oe.LabelError as error:
        if "matches no rows" in str(error):
            return []
        return str(error)
    return sorted(map(int, rows.columns["id"]))


def answers(folder: Path, *, moments: bool) -> list[tuple[str, str, str, Any]]:
    """What each reader keeps of each column by each filter, where it is not the reference."""
    return [
        (name, form, where, [found, kept(kind, where)])
        for name, kind in kinds().items()
        if bool(kind.moment) == moments
        for form, path in write(folder, name, kind).items()
        # What is written is written, whatever the unit was.
        if form in TYPED or not name.endswith((" s", " ms", " ns"))
        for where in (*kind.filters, *(kind.typed if form in TYPED else ()))
        if (found := found_in(path, where)) != kept(kind, where)
    ]


def test_every_reader_keeps_the_same_rows_of_every_type(tmp_path: Path) -> None:
    assert answers(tmp_path, moments=False) == []


@pytest.mark.parametrize("zone", ["UTC", "Asia/Tokyo"])
def test_every_reader_keeps_the_same_moments_in_every_zone(zone: str, tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, __file__, str(tmp_path)],
        env=os.environ | {"TZ": zone},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(found.stdout) == []


MOMENT_LITERALS = {
    "naive us": ("2020-01-01T00:00", "2020-01-01 00:00", "2020-01-01t00:00:00", "2020-01"),
    "Asia/Tokyo us": ("2020-01-01T00:00Z", "2020-01-01 09:00+09:00", "2020-01-01T09:00:00+0900"),
    "time": ("09:00", "09:00:00"),
    "date32": ("2020-01-01", "2020-01"),
}
NO_MOMENTS = {
    "naive us": ("01.01.2020", "1/2/2020", "2020-1-1", "09:00", "2020-01-01T00:00:00Z", "noon"),
    "Asia/Tokyo us": ("2020-01-01 00:00:00 UTC", "2020-01-01 00", "2020-13-01 00:00:00", "09:00"),
    "time": ("9:00", "2020-01-01", "2020-01-01 09:00:00", "noon"),
    "date32": ("01.01.2020", "2020-1-1", "yesterday", "2020-01-01 00:00:00Z"),
}


def test_a_moment_may_be_written_in_other_ways(tmp_path: Path) -> None:
    for name, literals in MOMENT_LITERALS.items():
        kind = kinds()[name]
        for form, path in write(tmp_path, name, kind).items():
            for literal in literals if form in TYPED else ():
                month = literal.count("-") == 1
                full = literal.upper().replace("T", " ").replace("Z", "+00:00")
                full = full.replace("+0900", "+09:00")
                full = re.sub(r"(^| )(\d\d:\d\d)(?=$|\+)", r"\1\2:00", full)
                for sign in ("<", ">=") if month else ("<", ">=", "="):
                    where = f"x {sign} '{full}'"
                    assert found_in(path, f"x {sign} '{literal}'") == kept(kind, where), literal


def test_text_that_is_no_moment_is_refused(tmp_path: Path) -> None:
    """As text it would be above or below every moment, and nobody would notice."""
    for name, literals in NO_MOMENTS.items():
        for form, path in write(tmp_path, name, kinds()[name]).items():
            for literal in literals if form in TYPED else ():
                for sign in ("<", ">=", "=", "!="):
                    said = found_in(path, f"x {sign} '{literal}'")
                    assert "compares 'x', which holds" in said, (name, form, literal, said)
                    assert literal in said
                    assert "Write '" in said


def test_the_reference_keeps_some_and_leaves_some() -> None:
    for name, kind in kinds().items():
        sizes = {len(kept(kind, where)) for where in (*kind.filters, *kind.typed)}
        assert len(sizes) > 1, name


if __name__ == "__main__":
    print(json.dumps(answers(Path(sys.argv[1]), moments=True)))
