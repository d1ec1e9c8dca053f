"""Spark on several processes: the answers are those of one, also where a machine is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, sleep

import polars as pl
import pytest
from pyspark.sql import SparkSession

from laws.effort import SEED, TIMES
from slackwater.session import connect
from spark.clusters import Standalone, environment, standalone
from spark.test_placements import SAMPLE

pytestmark = pytest.mark.slow

QUERIES = (
    "SELECT n, COUNT(*) AS m FROM (SELECT k, COUNT(*) AS n FROM S [RANGE 40] GROUP BY k) AS x GROUP BY n",
    "SELECT x.k, x.v, y.v AS w FROM S [RANGE 3] AS x JOIN S [PARTITION BY k ROWS 1] AS y ON x.k = y.k",
    "SELECT DISTINCT v FROM S [RANGE 25] WHERE k > 3",
    "SELECT k, MAX(v) AS m FROM S [RANGE 30 SLIDE 10] GROUP BY k",
)
FILES, ROWS = 6, 200


def started(master: str, folder: Path, env: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "spark.cluster_app", master, *arguments],
        cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip


def test_stories_on_a_cluster_in_both_placements(tmp_path: Path) -> None:
    process = started(
        "local-cluster[3,1,1024]", tmp_path, environment(tmp_path / "home"), "stories", *SAMPLE[:2]
    )
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output[-5000:]
    assert "workers: " in output


def frame(number: int) -> pl.DataFrame:
    """The rows of a file."""
    t = pl.int_range(number * ROWS, (number + 1) * ROWS, eager=True)
    return pl.DataFrame({"ts": t // 4, "k": t * 7 % 11, "v": t % 5})


def rows_of(folder: Path) -> list[tuple[object, ...]]:
    return sorted(row for path in (folder / "out").glob("*.parquet") for row in pl.read_parquet(path).rows())


def disturbed(cluster: Standalone, folder: Path, text: str, after: int) -> list[tuple[object, ...]]:
    """The answer of a run whose first machine is lost after so many epochs, and replaced."""
    (folder / "in").mkdir(parents=True)
    for number in range(FILES):
        frame(number).write_parquet(folder / "in" / f"{number}.parquet")
    process = started(cluster.url, folder, cluster.environment, "query", str(folder), text)
    _await_epochs(folder / "state" / "epochs", after, process)
    victim = cluster.processes[1]
    os.killpg(victim.pid, signal.SIGKILL)
    victim.wait()
    cluster.processes[1] = cluster.worker(len(cluster.processes))
    cluster.processes.pop()
    output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output[-5000:]
    return rows_of(folder)


def _await_epochs(folder: Path, count: int, process: subprocess.Popen[str]) -> None:
    until = monotonic() + 300
    while monotonic() < until and process.poll() is None:
        if any(int(path.stem) >= count for path in folder.glob("[0-9]*.json")):
            return
        sleep(0.05)
    output = process.communicate(timeout=10)[0] if process.poll() is not None else "no epoch in time"
    raise AssertionError(output[-5000:])


def undisturbed(spark: SparkSession, text: str) -> Sequence[tuple[object, ...]]:
    s = connect(spark, placement="driver")
    s.stream("S", pl.concat(frame(number) for number in range(FILES)), time="ts")
    return sorted(s.query(text).changes().rows())


@pytest.mark.campaign
def test_a_lost_machine_changes_no_answer(spark: SparkSession, tmp_path: Path) -> None:
    draw = random.Random(11 + SEED)
    count = min(20, TIMES)
    with standalone(tmp_path, 2) as cluster:
        for number in range(count):
            text = QUERIES[number % len(QUERIES)]
            answer = disturbed(cluster, tmp_path / f"run {number}", text, draw.randrange(FILES - 2))
            assert answer == undisturbed(spark, text), text
