"""What only Spark can show of the workers: real processes, shuffles, lost memories, a change of place."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import polars as pl
import pyspark
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import INT, STRING
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, frame_schema
from slackwater.optimize import optimized
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.choice import is_in_workers
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InWorkers, Placement
from slackwater.run.cluster.workers import OnSpark
from slackwater.run.epochs import Arrivals
from slackwater.run.runtime import Runtime
from slackwater.session import connect

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

SCHEMA = Schema.of(a=INT, b=INT, c=STRING)
QUERIES = {
    "one stage": "SELECT a, SUM(b) AS s, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a",
    "two stages": (
        "SELECT n, COUNT(*) AS m FROM (SELECT a, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a) AS x GROUP BY n"
    ),
    "three stages": (
        "SELECT MAX(m) AS k FROM (SELECT n, COUNT(*) AS m FROM "
        "(SELECT a, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a) AS x GROUP BY n) AS y"
    ),
    "a join": "SELECT x.a, x.b, y.c FROM S [RANGE 3] AS x JOIN S [ROWS 5] AS y ON x.a = y.b",
    "beside the source": "SELECT a, c FROM S [RANGE 3] WHERE b > 2",
}


class Collected:
    """A sink that keeps what it is given, and a place for late rows."""

    def __init__(self) -> None:
        self.epochs: dict[int, pl.DataFrame] = {}

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        self.epochs[number] = elements

    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None:
        raise AssertionError("nothing here is late")

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """Every change of the answer: the time, the row, how many more."""
        every = pl.concat(self.epochs.values())
        row = [name for name in every.columns if not name.startswith("@")]
        starts = every.select(*row, pl.col(FROM).alias("@t"), "@n")
        ends = every.filter(pl.col("@to") < INFINITY).select(*row, pl.col("@to").alias("@t"), -pl.col("@n"))
        net = pl.concat([starts, ends]).group_by(*row, "@t").agg(pl.col("@n").sum()).filter(pl.col("@n") != 0)
        return sorted(net.rows(), key=repr)


def catalog() -> Catalog:
    sources = Catalog()
    sources.stream("S", SCHEMA)
    return sources


def graph(text: str) -> Graph:
    return lowered({"answer": optimized(bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan)})


def batches() -> list[pl.DataFrame]:
    rows = [(t * 7 % 5, t % 4, "xyz"[t % 3], t, INFINITY, 1) for t in range(24)]
    return [
        pl.DataFrame(rows[at : at + 6], schema=frame_schema(SCHEMA), orient="row") for at in (0, 6, 12, 18)
    ]


def in_workers(spark: SparkSession, partitions: int) -> Callable[[Graph, Path], Placement]:
    def make(graph: Graph, folder: Path) -> Placement:
        plan = Plan(cut(graph), collected=frozenset(graph.outputs))
        return InWorkers(plan, folder, partitions, OnSpark(spark))

    return make


def run(text: str, folder: Path, makes: list[object]) -> Collected:
    """Each batch by a runtime of its own, as after a restart, made as the list says."""
    sink = Collected()
    for number, (batch, make) in enumerate(zip(batches(), makes, strict=True)):
        runtime = _runtime(text, folder, make, sink)
        runtime.step(number, {"S": Arrivals(batch, int(batch[FROM].max()))})
    _runtime(text, folder, makes[-1], sink).finish()
    return sink


def _runtime(text: str, folder: Path, make: object, sink: Collected) -> Runtime:
    sources = catalog().sources
    store = Store(folder, {"query": text})
    chosen = {} if make is None else {"make": make}
    return Runtime(graph(text), sources, {"answer": [sink]}, sink, store, **chosen)


@pytest.mark.parametrize("text", QUERIES.values(), ids=QUERIES.keys())
def test_the_workers_give_what_the_driver_gives(text: str, spark: SparkSession, tmp_path: Path) -> None:
    driver = run(text, tmp_path / "driver", [None] * 4)
    here = in_workers(spark, 2)
    assert run(text, tmp_path / "workers", [here] * 4).rows == driver.rows


def test_a_run_may_change_its_place_and_its_partitions(spark: SparkSession, tmp_path: Path) -> None:
    text = QUERIES["two stages"]
    two, three = (in_workers(spark, n) for n in (2, 3))
    moving = run(text, tmp_path / "moving", [None, two, three, None])
    assert moving.rows == run(text, tmp_path / "driver", [None] * 4).rows
    back = tmp_path / "back"
    one = in_workers(spark, 1)
    assert run(text, back, [one, None, None, one]).rows == moving.rows


def test_one_runtime_resumes_from_memory(spark: SparkSession, tmp_path: Path) -> None:
    text, sink = QUERIES["two stages"], Collected()
    runtime = _runtime(text, tmp_path / "on", in_workers(spark, 2), sink)
    for number, batch in enumerate(batches()):
        runtime.step(number, {"S": Arrivals(batch, int(batch[FROM].max()))})
    runtime.finish()
    assert sink.rows == run(text, tmp_path / "driver", [None] * 4).rows


def test_an_error_of_the_data_comes_back_as_it_was(spark: SparkSession, tmp_path: Path) -> None:
    text = "SELECT x.a, (SELECT y.b FROM S [RANGE 9] AS y WHERE y.a = x.a) AS q FROM S [NOW] AS x"
    with pytest.raises(EngineError) as driver:
        run(text, tmp_path / "driver", [None] * 4)
    here = in_workers(spark, 2)
    with pytest.raises(EngineError) as worker:
        run(text, tmp_path / "workers", [here] * 4)
    assert str(worker.value) == str(driver.value)


def python_without_us(folder: Path) -> str:
    """A Python that has PySpark and nothing else."""
    for name in ("pyspark", "py4j"):
        (folder / name).symlink_to(Path(str(importlib.import_module(name).__file__)).parent)
    script = folder / "python"
    python = os.path.realpath(sys.executable)
    script.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {python} -S "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def python_with_another_polars(folder: Path) -> str:
    """Our Python, in which Polars says that it is another version."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text("import polars; polars.__version__ = '0.0.1'", encoding="utf-8")
    script = folder / "python"
    script.write_text(
        f'#!/bin/sh\nPYTHONPATH={folder}:$PYTHONPATH exec {sys.executable} "$@"\n', encoding="utf-8"
    )
    script.chmod(0o755)
    return str(script)


def test_workers_that_cannot_run_us_are_named_before_the_first_batch(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = connect(spark, placement="workers")
    session.stream("S", [(1, 2)], time="t", columns=["t", "a"])
    for python, why in (
        (python_without_us(tmp_path), "No module named 'slackwater'."),
        (python_with_another_polars(tmp_path / "other"), "They have polars 0.0.1, in "),
        (str(tmp_path / "nothing"), f'Their Python, "{tmp_path}/nothing", cannot be started.'),
    ):
        monkeypatch.setattr(spark.sparkContext, "pythonExec", python)
        with pytest.raises(EngineError, match="unfit-workers") as caught:
            session.query("SELECT a FROM S [NOW]").start(sw.Memory(), checkpoint=tmp_path / "state")
        assert why in str(caught.value)
        assert not (tmp_path / "state").exists()


CLUSTERED = """
import os, sys
from pathlib import Path
from pyspark.sql import SparkSession
import slackwater as sw
from slackwater.run.local.spark import ensure_java

ensure_java()
quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
settings = {
    "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.ui.enabled": "false",
    "spark.driver.extraJavaOptions": quick, "spark.executor.extraJavaOptions": quick,
    "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "2", "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
}
spark = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=settings).getOrCreate()
s, seen = sw.connect(spark), sw.Memory()
s.stream("S", [(t, "abc"[t % 3], t) for t in range(30)], time="t", columns=["t", "k", "v"])
s.query(sys.argv[1]).start(seen, checkpoint="state", follow=False).await_termination()
print(sorted(seen.rows))
"""


def test_on_a_cluster_of_processes_the_workers_give_what_the_driver_gives(
    spark: SparkSession, tmp_path: Path
) -> None:
    """In a process of its own, because a Spark has one master; the cluster works where Spark is installed."""
    text = "SELECT k, SUM(v) AS n FROM S [RANGE 3] GROUP BY k"
    home = tmp_path / "spark"
    home.mkdir()
    for path in Path(pyspark.__file__).parent.iterdir():
        (home / path.name).symlink_to(path)
    places = {"SPARK_HOME": str(home), "PYTHONPATH": str(Path(sw.__file__).parent.parent)}
    more = {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [sys.executable, "-c", CLUSTERED, text],
        cwd=tmp_path, env={**os.environ, **places, **more}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5000:]
    session = connect(spark, placement="driver")
    session.stream("S", [(t, "abc"[t % 3], t) for t in range(30)], time="t", columns=["t", "k", "v"])
    assert done.stdout == f"{sorted(session.query(text).changes().rows())}\n"
    (manifest,) = (tmp_path / "state" / "epochs").glob("*.json")
    assert '"place": "workers"' in manifest.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("master", "is_cluster"),
    [("local", False), ("local[*]", False), ("local-cluster[2,1,1024]", True), ("spark://a:7077", True)],
)
def test_a_cluster_is_one_although_it_is_local(master: str, is_cluster: bool) -> None:
    owner = SimpleNamespace(placement=None, spark=SimpleNamespace(conf={"spark.master": master}))
    assert is_in_workers(owner) is is_cluster  # type: ignore[arg-type]
