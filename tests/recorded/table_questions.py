"""The same table in every engine and file format: each must give the same numbers."""

from __future__ import annotations

import atexit
import sqlite3
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from . import flatten
from .flatten import Numbers, prefixed
from .label_questions import FEW
from .samples import Sample, sample

MODELS = ("model a", "model b", "model c")
PROPER = ("ranked_probability_score", "concordance_index")
# A table, and how Predictions are made of it: from_frame or from_file.
Table = tuple[str, Any, dict[str, Any]]


def _sample() -> Sample:
    return sample(51, n=240, k=4, models=3)


@cache
def _columns() -> dict[str, Any]:
    """The columns of a wide table: one row per item."""
    s = _sample()
    truth, labels = s.with_gaps()
    columns = {
        "item": [f"i{i}" for i in range(s.n)],
        "truth": s.truth.tolist(),
        "spoiled truth": truth.tolist(),
        "weight": s.weight.tolist(),
        "ward": s.ward.tolist(),
        "hospital": s.hospital.tolist(),
        "patient": s.patient.tolist(),
        "site": [x.replace("north", "nörth") for x in s.site.tolist()],
        "spoiled": labels["model a"].tolist(),
    }
    for name in MODELS:
        columns[name] = s.labels[name].tolist()
        columns[f"{name} score"] = s.score[name].tolist()
        for level, prob in zip(s.scale, s.prob[name].T, strict=True):
            columns[f"{name} p_{level}"] = prob.tolist()
    return columns


def _frame() -> Any:
    import polars as pl

    return pl.DataFrame(_columns())


def _pandas() -> Table:
    import pandas as pd

    return "from_frame", pd.DataFrame(_columns()), {}


def _polars() -> Table:
    return "from_frame", _frame(), {}


def _polars_lazy() -> Table:
    return "from_frame", _frame().lazy(), {}


def _pyarrow() -> Table:
    return "from_frame", _frame().to_arrow(), {}


def _duckdb() -> Table:
    import duckdb

    return "from_frame", duckdb.connect().from_arrow(_frame().to_arrow()), {}


@cache
def _folder() -> Path:
    """A folder that lasts as long as the process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _path(name: str) -> Path:
    return _folder() / name


def _csv() -> Table:
    _frame().write_csv(_path("table.csv"))
    return "from_file", _path("table.csv"), {}


def _csv_of_another_kind() -> Table:
    """Semicolons, decimal commas, another encoding, a name that does not tell the format."""
    text = _frame().write_csv(separator=";", decimal_comma=True)
    _path("table.txt").write_bytes(text.encode("latin-1"))
    return "from_file", _path("table.txt"), {"format": "csv", "encoding": "latin-1", "decimal": ","}


def _parquet() -> Table:
    _frame().write_parquet(_path("table.parquet"))
    return "from_file", str(_path("table.parquet")), {}


def _json_lines() -> Table:
    _frame().write_ndjson(_path("table.jsonl"))
    return "from_file", _path("table.jsonl"), {}


def _sqlite() -> Table:
    frame, path = _frame(), _path("table.sqlite")
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path)
    db.execute(f"create table preds ({', '.join(_quoted(c) for c in frame.columns)})")
    marks = ", ".join("?" * len(frame.columns))
    db.executemany(f"insert into preds values ({marks})", frame.rows())
    db.commit()
    db.close()
    return "from_file", path, {"table": "preds"}


def _arrow() -> Table:
    _frame().write_ipc(_path("table.arrow"))
    return "from_file", _path("table.arrow"), {}


def _duckdb_file() -> Table:
    import duckdb

    path = _path("table.duckdb")
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as db:
        db.from_arrow(_frame().to_arrow()).create("preds")
    return "from_file", path, {"table": "preds"}


def _quoted(name: str) -> str:
    return f'"{name}"'


ENGINES: dict[str, Callable[[], Table]] = {
    "pandas": _pandas,
    "polars": _polars,
    "polars lazy": _polars_lazy,
    "pyarrow": _pyarrow,
    "duckdb": _duckdb,
    "CSV file": _csv,
    "CSV file of another kind": _csv_of_another_kind,
    "Parquet file": _parquet,
    "JSON lines": _json_lines,
    "Arrow file": _arrow,
    "SQLite": _sqlite,
    "DuckDB file": _duckdb_file,
}


def _reader(oe: Any, table: Table) -> Callable[..., Any]:
    how, source, options = table
    return partial(getattr(oe.Predictions, how), source, labels=_sample().scale, **options)


def _prefixes(*models: str) -> dict[str, str]:
    return {name: f"{name} p_" for name in models}


def wide(oe: Any, engine: str) -> Numbers:
    read = _reader(oe, ENGINES[engine]())
    found = {}
    for what, options in {"plain": {}, "weights": {"weight": "weight"}}.items():
        one = read("truth", "model a", **options)
        found |= prefixed(f"score, {what}", flatten.scores(oe.score(one, FEW)))
        found |= prefixed(f"thresholds, {what}", flatten.thresholds(oe.thresholds(one)))
        every = read("truth", list(MODELS), **options)
        made = oe.compare(every, FEW, reference="model b", margin=0.05, rng=5)
        found |= prefixed(f"compare, {what}", flatten.comparison(made))
        sites = read("truth", "model a", by=["site"], **options)
        found |= prefixed(f"sites, {what}", flatten.subgroup_scores(oe.score(sites, FEW)))
        sites = read("truth", list(MODELS[:2]), by="site", **options)
        made = oe.compare(sites, FEW[:1], rng=5)
        found |= prefixed(f"compare sites, {what}", flatten.comparisons(made))
        found |= prefixed(what, _of_probabilities(oe, partial(read, **options)))
    spoiled = read("spoiled truth", "spoiled", unknown="drop", missing="drop")
    return found | prefixed("spoiled", flatten.scores(oe.score(spoiled, FEW)))


def _of_probabilities(oe: Any, read: Callable[..., Any]) -> Numbers:
    """What is asked of the columns of probabilities and of scores."""
    one = read("truth", prob="model a p_")
    found = prefixed("score probabilities", flatten.scores(oe.score(one, [*PROPER, "cem_ord"])))
    made = oe.compare(read("truth", prob=_prefixes(*MODELS)), [*PROPER, "cem_ord"], rng=5)
    found |= prefixed("compare probabilities", flatten.comparison(made))
    made = oe.score(read("truth", score="model a score"), PROPER[1:])
    found |= prefixed("score scores", flatten.scores(made))
    columns = [f"{name} score" for name in MODELS]
    made = oe.compare(read("truth", score=columns), PROPER[1:], rng=5)
    found |= prefixed("compare scores", flatten.comparison(made))
    # Engines that are lazy sum these losses themselves.
    brier = oe.threshold_brier.with_params(at_least=_sample().scale[2])
    sums = ["ranked_probability_score", brier, "accuracy"]
    found |= prefixed("score sums", flatten.scores(oe.score(one, sums)))
    made = oe.compare(read("truth", prob=_prefixes(*MODELS)), sums, rng=5)
    return found | prefixed("compare sums", flatten.comparison(made))


def losses_in_clusters(oe: Any, engine: str) -> Numbers:
    read = partial(_reader(oe, ENGINES[engine]()), clusters="ward")
    made = oe.score(read("truth", prob="model a p_"), PROPER)
    found = prefixed("score probabilities", flatten.scores(made))
    made = oe.compare(read("truth", prob=_prefixes(*MODELS)), PROPER, rng=5)
    return found | prefixed("compare probabilities", flatten.comparison(made))


def labels_in_clusters(oe: Any, engine: str) -> Numbers:
    read = _reader(oe, ENGINES[engine]())
    found = {}
    for clusters in ("ward", ["hospital", "patient"]):
        one = read("truth", "model a", clusters=clusters, weight="weight")
        found |= prefixed(f"score, {clusters}", flatten.scores(oe.score(one, FEW)))
        every = read("truth", list(MODELS), clusters=clusters)
        found |= prefixed(f"compare, {clusters}", flatten.comparison(oe.compare(every, FEW, rng=5)))
        found |= prefixed(f"thresholds, {clusters}", flatten.thresholds(oe.thresholds(one)))
    sites = read("truth", "model a", by="site", clusters="ward")
    return found | prefixed("sites", flatten.subgroup_scores(oe.score(sites, FEW)))


def where(oe: Any) -> Numbers:
    found = {}
    for engine in ("CSV file", "Parquet file", "JSON lines", "SQLite"):
        how, source, options = ENGINES[engine]()
        chosen = {**options, "where": "site = 'east' and weight > 0.5"}
        read = _reader(oe, (how, source, chosen))
        made = oe.compare(read("truth", list(MODELS)), FEW, rng=5)
        found |= prefixed(engine, flatten.comparison(made))
    return found


def _long() -> Any:
    """A row for each item and model."""
    import polars as pl

    frame = _frame()
    kept = ["item", "truth", "weight", "site", "ward"]
    parts = [
        frame.select(*kept, pl.lit(m).alias("model"), pl.col(m).alias("answer")) for m in MODELS
    ]
    return pl.concat(parts).sample(fraction=1.0, shuffle=True, seed=1)


def _apart() -> tuple[Any, dict[str, Any]]:
    """The truth, and the predictions of each model, in tables of their own, in other orders."""
    frame = _frame()
    truth = frame.select("item", "truth", "weight", "site")
    each = {m: frame.select("item", m).sample(fraction=1.0, shuffle=True, seed=2) for m in MODELS}
    return truth, each


def long_table(oe: Any) -> Numbers:
    long = _long()
    long.write_csv(_path("long.csv"))
    long.write_parquet(_path("long.parquet"))
    given = {
        "pandas": ("from_frame", long.to_pandas(), {}),
        "polars lazy": ("from_frame", long.lazy(), {}),
        "pyarrow": ("from_frame", long.to_arrow(), {}),
        "CSV file": ("from_file", _path("long.csv"), {}),
        "Parquet file": ("from_file", _path("long.parquet"), {}),
    }
    found = {}
    for engine, table in given.items():
        read = partial(_reader(oe, table), "truth", "answer", item="item", model="model")
        for model, made in oe.score(read(), FEW).items():
            found |= prefixed(f"{engine}, score {model}", flatten.scores(made))
        made = oe.compare(read(weight="weight"), FEW, reference="model b", margin=0.05, rng=5)
        found |= prefixed(f"{engine}, compare", flatten.comparison(made))
        made = oe.compare(read(by="site"), FEW[:1], rng=5)
        found |= prefixed(f"{engine}, compare sites", flatten.comparisons(made))
    return found


def joined_tables(oe: Any) -> Numbers:
    truth, each = _apart()
    forms: dict[str, Callable[[Any], Any]] = {
        "pandas": lambda frame: frame.to_pandas(),
        "polars lazy": lambda frame: frame.lazy(),
        "pyarrow": lambda frame: frame.to_arrow(),
    }
    found = {}
    for engine, form in forms.items():
        tables = {m: (form(frame), m) for m, frame in each.items()}
        read = partial(oe.Predictions.from_frame, labels=_sample().scale, on="item")
        data = read(form(truth), "truth", pred_frames=tables, weight="weight")
        found |= prefixed(f"{engine}, compare", flatten.comparison(oe.compare(data, FEW, rng=5)))
        beside = {"truth_frame": form(truth), "by": "site"}
        data = read(form(each["model a"]), "truth", "model a", **beside)
        found |= prefixed(f"{engine}, sites", flatten.subgroup_scores(oe.score(data, FEW)))
    return found


def joined_files(oe: Any) -> Numbers:
    truth, each = _apart()
    truth.write_csv(_path("truth.csv"))
    for m, frame in each.items():
        frame.write_parquet(_path(f"{m}.parquet"))
        frame.write_csv(_path(f"{m}.csv"))
    found = {}
    for end in ("csv", "parquet"):
        files = {m: (_path(f"{m}.{end}"), m) for m in MODELS}
        read = partial(oe.Predictions.from_file, labels=_sample().scale, on="item")
        data = read(_path("truth.csv"), "truth", pred_files=files, weight="weight")
        found |= prefixed(f"{end}, compare", flatten.comparison(oe.compare(data, FEW, rng=5)))
        beside = {"truth_file": _path("truth.csv")}
        data = read(_path(f"model a.{end}"), "truth", "model a", **beside)
        found |= prefixed(f"{end}, score", flatten.scores(oe.score(data, FEW)))
    return found


OF_TABLES = {
    "": wide,
    ", losses in clusters": losses_in_clusters,
    ", labels in clusters": labels_in_clusters,
}
GROUPS: dict[str, Callable[[Any], Numbers]] = {
    **{
        f"table: {engine}{what}": partial(question, engine=engine)
        for what, question in OF_TABLES.items()
        for engine in ENGINES
    },
    "table: rows of a file": where,
    "long table": long_table,
    "joined tables": joined_tables,
    "joined files": joined_files,
}
# All engines are held to the values that one of them gave.
RECORDED_AS = {f"table: {e}{what}": f"table: pandas{what}" for what in OF_TABLES for e in ENGINES}
