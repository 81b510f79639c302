"""Real engines that hold one table: in this process, in a cluster, in a database.

Servers and clusters start once per process and end with it.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

Load = Callable[[pa.Table, ExitStack, Path], Any]
_TABLES = count()


def pandas_frame(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    return table.to_pandas()


def pandas_arrow(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def polars_eager(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    return pl.from_arrow(table)


def polars_lazy(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    return pl.from_arrow(table).lazy()  # type: ignore[union-attr]


def pyarrow_table(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    # In several chunks, as a table read from a file is.
    return pa.concat_tables([table[:2000], table[2000:]])


def duckdb_relation(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    db = stack.enter_context(duckdb.connect())
    return db.from_arrow(table)


def ibis_duckdb(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    import ibis

    path = folder / "ibis.duckdb"
    with duckdb.connect(str(path)) as db:
        db.from_arrow(table).create("preds")
    backend = ibis.duckdb.connect(str(path), read_only=True)
    stack.callback(backend.disconnect)
    return backend.table("preds")


def dask_cluster(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    import dask.dataframe as dd
    from distributed import Client

    stack.enter_context(Client(local_cluster()))
    return dd.from_pandas(table.to_pandas(), npartitions=2)


@cache
def local_cluster() -> Any:
    """A Dask cluster of one worker, which Dask closes at the end."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=1, threads_per_worker=2, processes=True, dashboard_address="127.0.0.1:0"
    )


def spark_classic(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    import pyarrow.parquet

    path = folder / "spark.parquet"
    pyarrow.parquet.write_table(table, path)
    return spark_session().read.parquet(str(path))


@cache
def spark_session() -> Any:
    """The one session of a run; from Spark 4 on its engine also serves Spark Connect."""
    import pyspark
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.warehouse.dir": str(Path(tempfile.gettempdir()) / "ordeval-spark"),
        # It runs for seconds: code is not worth compiling twice, nor memory to be swept by threads.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    if int(pyspark.__version__.partition(".")[0]) >= 4:
        settings |= {
            "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
            "spark.connect.grpc.binding.address": "127.0.0.1",
            "spark.connect.grpc.binding.port": str(free_port()),
        }
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    atexit.register(spark.stop)
    return spark


def spark_connect_address() -> str:
    """Where the running engine takes Spark Connect clients."""
    port = spark_session().conf.get("spark.connect.grpc.binding.port")
    return f"sc://127.0.0.1:{port}"


def postgres(table: pa.Table, stack: ExitStack, folder: Path) -> Any:
    import ibis

    where = {
        "host": "127.0.0.1",
        "port": postgres_port(),
        "user": "postgres",
        "database": "postgres",
    }
    name = f"preds_{next(_TABLES)}"
    fill_postgres(name, table, where)
    backend = ibis.postgres.connect(**where)
    stack.callback(backend.disconnect)
    return backend.table(name)


ENGINES: dict[str, Load] = {
    "pandas": pandas_frame,
    "pandas with Arrow types": pandas_arrow,
    "polars": polars_eager,
    "polars lazy": polars_lazy,
    "pyarrow": pyarrow_table,
    "duckdb": duckdb_relation,
    "ibis over duckdb": ibis_duckdb,
    "ibis over postgres": postgres,
    "dask": dask_cluster,
    "spark": spark_classic,
}


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@cache
def postgres_port() -> int:
    """A server of our own on loopback; it refuses to run as root, so root runs it as nobody."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True).strip())
    as_user: list[str] = []
    if os.getuid() == 0:
        as_user = ["runuser", "-u", "nobody", "--"]
        shutil.chown(folder, "nobody")
    port = free_port()
    data = str(folder / "data")
    quiet: dict[str, Any] = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/"}
    subprocess.run(
        [*as_user, programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-N",
         "--locale=C.UTF-8"],
        **quiet,
    )  # fmt: skip
    options = f"-p {port} -c listen_addresses=127.0.0.1 -k {folder} -F"
    pg_ctl = [*as_user, programs / "pg_ctl", "-D", data, "-w"]
    subprocess.run([*pg_ctl, "-o", options, "-l", str(folder / "log"), "start"], **quiet)

    def stop() -> None:
        subprocess.run([*pg_ctl, "-m", "immediate", "stop"], **quiet)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return port


def fill_postgres(name: str, table: pa.Table, where: dict[str, Any]) -> None:
    import psycopg

    kinds = {"int8": "smallint", "int64": "bigint", "double": "double precision"}
    columns = ", ".join(f'"{f.name}" {kinds.get(str(f.type), "text")}' for f in table.schema)
    names = {"dbname": where["database"], **{k: where[k] for k in ("host", "port", "user")}}
    with psycopg.connect(**names) as db, db.cursor() as cursor:
        cursor.execute(f"create table {name} ({columns})".encode())
        with cursor.copy(f"copy {name} from stdin".encode()) as copy:
            for row in zip(*table.to_pydict().values(), strict=True):
                copy.write_row(row)
