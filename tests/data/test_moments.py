"""Dates and moments as labels, subgroups, clusters and ids: alike in every frame and every file."""

from __future__ import annotations

import datetime as dt
import json
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ordeval as oe

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

N = 48
DAYS = [dt.date(2020, 1, 1 + i) for i in range(3)]
HOURS = [dt.datetime(2020, 1, 1, 22 + i, tzinfo=dt.UTC) for i in range(2)]
HOURS += [dt.datetime(2020, 1, 2, i, 0, 0, 500_000, tzinfo=dt.UTC) for i in range(2)]


def table() -> Any:
    """Labels that are dates, probabilities, and columns of moments that tell items apart."""
    hours = [HOURS[i % 4] for i in range(N)]
    truth = [DAYS[i % 3] for i in range(N)]
    return pa.table(
        {
            "y": truth,
            "p": [DAYS[(i * 7 + i // 5) % 3] for i in range(N)],
            **{f"q_{day}": [0.6 if x == day else 0.2 for x in truth] for day in DAYS},
            "id": [dt.datetime(2020, 1, 1) + dt.timedelta(minutes=i) for i in range(N)],
            "tokyo": pa.array(hours, pa.timestamp("us", "Asia/Tokyo")),
            "nanoseconds": pa.array(hours, pa.timestamp("ns", "America/New_York")),
            "naive": pa.array([x.replace(tzinfo=None) for x in hours], pa.timestamp("ms")),
            "day": [x.date() for x in hours],
            "time": [x.time() for x in hours],
            "decimal": [Decimal(x.hour) / 4 for x in hours],
        }
    )


def sources(folder: Path) -> dict[str, Any]:
    """The table in each frame and each file."""
    held = table()
    parquet.write_table(held, folder / "t.parquet")
    feather.write_feather(held, str(folder / "t.arrow"))
    pl.from_arrow(held).write_parquet(folder / "polars.parquet")
    with duckdb.connect(str(folder / "t.duckdb")) as db:
        db.register("given", held)
        db.execute("create table t as select * from given")
    return {
        "pyarrow": held,
        "polars": pl.from_arrow(held),
        "polars lazy": pl.from_arrow(held).lazy(),
        "pandas": held.to_pandas(),
        "pandas arrow": held.to_pandas(types_mapper=pd.ArrowDtype),
        "duckdb": duckdb.from_arrow(held),
        **{path.name: str(path) for path in sorted(folder.iterdir())},
    }


def described(source: Any, **columns: Any) -> oe.Predictions:
    of = oe.Predictions.from_file if isinstance(source, str) else oe.Predictions.from_frame
    make: Callable[..., oe.Predictions] = of
    return make(source, "y", labels=DAYS, **columns)


ROLES = ("tokyo", "nanoseconds", "naive", "day", "time", "decimal")


def facts(source: Any) -> dict[str, Any]:
    """Subgroups with their items, and intervals with clusters, by column and kind of output."""
    found: dict[str, Any] = {}
    for column in ROLES:
        for name, gives in {"labels": {"pred": "p"}, "probabilities": {"prob": "q_"}}.items():
            data = described(source, by=column, **gives)
            scores = oe.score(data, ["accuracy"])
            values = np.round(scores["accuracy"], 9).tolist()
            by = dict(zip(map(str, scores.by), values, strict=True))
            clusters = described(source, clusters=column, **gives)
            interval = oe.score(clusters, ["accuracy"]).intervals["accuracy"]
            ends = [round(interval.low, 9), round(interval.high, 9), interval.clusters]
            found[f"{column} {name}"] = [by, ends]
    return found


def all_facts(folder: Path) -> dict[str, Any]:
    return {name: facts(source) for name, source in sources(folder).items()}


def test_subgroups_and_clusters_by_moments_are_alike_everywhere(tmp_path: Path) -> None:
    found = {}
    for zone in ("UTC", "Asia/Tokyo"):
        folder = tmp_path / zone.replace("/", " ")
        folder.mkdir()
        run = subprocess.run(
            [sys.executable, __file__, str(folder)],
            env=os.environ | {"TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        )
        found |= {(zone, name): x for name, x in json.loads(run.stdout).items()}
    first = found["UTC", "pyarrow"]
    names = [f"{x:%Y-%m-%d %H:%M:%S}{'.500000' * (x.microsecond > 0)}+00:00" for x in HOURS]
    assert list(first["tokyo labels"][0]) == names
    assert list(first["nanoseconds probabilities"][0]) == names
    assert list(first["day labels"][0]) == ["2020-01-01", "2020-01-02"]
    assert {where: x for where, x in found.items() if x != first} == {}


def test_dates_are_labels_of_every_frame_and_file(tmp_path: Path) -> None:
    held = table()
    expected = oe.ConfusionMatrix.from_labels(held["y"].to_pylist(), held["p"].to_pylist(), DAYS)
    for name, source in sources(tmp_path).items():
        assert described(source, pred="p").confusion("p") == expected, name
    columns: dict[str, Callable[[str], Any]] = {
        "pyarrow": lambda c: held[c],
        "pyarrow milliseconds": lambda c: held[c].cast(pa.date64()),
        "polars": lambda c: pl.from_arrow(held)[c],
        "numpy": lambda c: np.array(held[c].to_pylist(), dtype="M8[D]"),
        "pandas": lambda c: held.to_pandas()[c],
        "pandas arrow": lambda c: held.to_pandas(types_mapper=pd.ArrowDtype)[c],
    }
    for name, column in columns.items():
        found = oe.ConfusionMatrix.from_labels(column("y"), column("p"), DAYS)
        assert found == expected, name
        assert oe.Scale(column("y")[:3]) == oe.Scale(DAYS), name
    assert oe.Scale([np.datetime64("2020-01-01"), np.datetime64("2020-01-02")]).levels == (
        dt.date(2020, 1, 1),
        dt.date(2020, 1, 2),
    )


def test_moments_in_zones_are_labels() -> None:
    first, second = HOURS[:2]
    held = pa.array([first, second, second], pa.timestamp("us", "Asia/Tokyo"))
    for column in (held, pl.from_arrow(held), held.to_pandas()):
        found = oe.ConfusionMatrix.from_labels(column, column, [first, second])
        assert found.counts.tolist() == [[1, 0], [0, 2]]


# DuckDB before 2.0 has no nanoseconds in zones.
ZONES = ["Asia/Tokyo", None] if int(duckdb.__version__.partition(".")[0]) >= 2 else [None]


@pytest.mark.parametrize("zone", ZONES)
def test_nanoseconds_are_not_run_together(zone: str | None, tmp_path: Path) -> None:
    moments = pa.array(
        [1_577_836_800_000_000_001, 1_577_836_800_000_000_002] * 2, pa.timestamp("ns", zone)
    )
    held = pa.table({"y": [1, 2, 1, 2], "p": [1, 1, 2, 2], "g": moments})
    parquet.write_table(held, tmp_path / "t.parquet")
    feather.write_feather(held, str(tmp_path / "t.arrow"))
    for name in ("t.parquet", "t.arrow"):
        data = oe.Predictions.from_file(str(tmp_path / name), "y", "p", labels=[1, 2], by="g")
        with pytest.raises(oe.LabelError, match="holds nanoseconds"):
            oe.score(data)
    data = oe.Predictions.from_frame(duckdb.from_arrow(held), "y", "p", labels=[1, 2], by="g")
    with pytest.raises(oe.LabelError, match="holds nanoseconds"):
        oe.score(data)


@pytest.mark.parametrize("column", ["id", "tokyo", "day"])
def test_tables_are_joined_by_moments(column: str, tmp_path: Path) -> None:
    held = table().slice(0, 2 if column == "day" else 4)
    held = held.set_column(0, "y", pa.array([1, 2, 1, 2][: len(held)])) if column != "day" else held
    ids = held.select([column])
    if column == "day":
        ids = pa.table({column: [dt.date(2020, 1, 1), dt.date(2020, 1, 2)]})
    truth = ids.append_column("y", pa.array([1, 2, 1, 2][: len(ids)]))
    pred = ids.append_column("p", pa.array([1, 1, 1, 2][: len(ids)]))
    written: dict[str, list[str]] = {}
    for name, part in (("truth", truth), ("pred", pred)):
        parquet.write_table(part, tmp_path / f"{name}.parquet")
        feather.write_feather(part, str(tmp_path / f"{name}.arrow"))
        for ending in ("parquet", "arrow"):
            written.setdefault(ending, []).append(str(tmp_path / f"{name}.{ending}"))
    ways = [*written.values(), [written["parquet"][0], written["arrow"][1]]]
    expected = oe.ConfusionMatrix.from_labels(truth["y"], pred["p"], [1, 2])
    for first, second in ways:
        data = oe.Predictions.from_file(
            second, "y", "p", truth_file=first, on=column, labels=[1, 2]
        )
        assert data.confusion("p") == expected


if __name__ == "__main__":
    print(json.dumps(all_facts(Path(sys.argv[1]))))
