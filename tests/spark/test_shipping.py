"""A cluster whose Python has what slackwater needs, but not slackwater: it is sent to the executors."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from slackwater.run.cluster.ship import write_package
from spark.clusters import environment

pytestmark = pytest.mark.slow

PROGRAM = """
import warnings
from pyspark.sql import SparkSession
import slackwater as sw
from slackwater.run.local.java import ensure_java
from spark.clusters import SETTINGS

ensure_java()
spark = SparkSession.builder.master("local-cluster[2,1,1024]").config(map=SETTINGS).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
s = sw.connect(spark)
s.stream("S", [(t, "abc"[t % 3], t) for t in range(30)], time="t", columns=["t", "k", "v"])


def rows(checkpoint):
    seen = sw.Memory()
    query = s.query("SELECT k, SUM(v) AS n FROM S [RANGE 3] GROUP BY k")
    query.start(seen, checkpoint=checkpoint, follow=False).await_termination()
    return sorted(seen.rows)


try:
    rows("first")
except sw.EngineError as error:
    print(error)
s.ship()
s.ship()
sw.connect(spark).ship()
in_workers = rows("second")


def where(_):
    import slackwater
    from slackwater.language.xquery.tables import tables

    return slackwater.__file__.rpartition(".zip")[0].rpartition("/")[2], len(tables().rules) > 100


print(set(spark.sparkContext.parallelize(range(4), 4).map(where).collect()))
with warnings.catch_warnings(record=True) as warned:
    warnings.simplefilter("always")
    running = s.query("SELECT k FROM S [NOW]").start(sw.Memory(), follow=False)
running.await_termination()
print([str(one.message).splitlines()[0] for one in warned])
print(running.explain().splitlines()[1])
print(in_workers == sorted(s.query("SELECT k, SUM(v) AS n FROM S [RANGE 3] GROUP BY k").changes().rows()))
"""


def python_with_dependencies(folder: Path) -> str:
    """A Python that has all that is installed here but slackwater, and Lark, which makes XQuery's tables."""
    folder.mkdir()
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "slackwater" not in path.name and path.suffix != ".pth" and not path.name.startswith("lark"):
            (folder / path.name).symlink_to(path)
    script = folder / "python"
    python = os.path.realpath(sys.executable)
    script.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {python} -S "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    return str(script)


def test_workers_without_slackwater_get_it_by_one_call(tmp_path: Path) -> None:
    python = python_with_dependencies(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path, env={**environment(tmp_path / "home"), "PYSPARK_PYTHON": python},
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-5000:]
    *failure, where, warned, placement, is_equal = done.stdout.splitlines()
    assert failure[0] == "error[unfit-workers]: Spark's Python workers cannot run slackwater"
    assert "No module named 'slackwater'." in failure[1]
    assert "call session.ship()" in failure[2]
    note = "note[computed-in-driver]: the run is computed in the driver, not in the workers of the cluster"
    assert (warned, placement) == (str([note]), "computed in the driver")
    assert (where, is_equal) == (str({(f"slackwater-{version()}", True)}), "True")


def version() -> str:
    import slackwater

    return slackwater.__version__


def test_the_package_is_whole_and_needs_no_compiler(tmp_path: Path) -> None:
    path = write_package(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
    names = set(zipfile.ZipFile(path).namelist())
    assert {"slackwater/language/xquery/tables.json", "slackwater/py.typed"} <= names
    sources = {name for name in names if name.endswith(".py")}
    assert {f"{name}c" for name in sources} <= names
    assert not [name for name in names if "__pycache__" in name]
    done = subprocess.run(
        [sys.executable, "-c", "import slackwater; print(slackwater.__file__, slackwater.__version__)"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(path)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == [f"{path}/slackwater/__init__.pyc", version()]
