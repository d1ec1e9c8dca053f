"""A cluster of two machines, one of which is killed in the middle of a run: the answer is as if it were not.

One master and one application for all queries; what is killed is a worker with its executor, and another
replaces it. In the gate one query with a checkpoint in a shared folder, and one on S3; in a campaign twenty
queries, and five.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep

import polars as pl
import pytest

from laws.effort import SEED, TIMES
from slackwater.storage.locate import location
from spark.clusters import Standalone, standalone
from storage.moto_server import moto_bucket

pytestmark = pytest.mark.slow

QUERIES = (
    "SELECT n, COUNT(*) AS m FROM (SELECT k, COUNT(*) AS n FROM S [RANGE 40] GROUP BY k) AS x GROUP BY n",
    "SELECT x.k, x.v, y.r FROM S [RANGE 4] AS x LEFT JOIN R AS y ON x.k = y.k",
    "SELECT x.k, x.v, y.v AS w FROM S [RANGE 3] AS x JOIN S [PARTITION BY k ROWS 1] AS y ON x.k = y.k",
    "SELECT DISTINCT v FROM S [RANGE 25] WHERE k > 3",
    "SELECT k, MAX(v) AS m FROM S [RANGE 30 SLIDE 10] GROUP BY k",
    "SELECT k, SUM(v) AS s, COUNT(*) AS n FROM S [RANGE 20] GROUP BY k",
    "SELECT k, v FROM S [ROWS 7]",
    "SELECT k, AVG(v) AS a FROM S [PARTITION BY k ROWS 3] GROUP BY k",
    "SELECT COUNT(*) AS n, SUM(r) AS s FROM R",
    "SELECT RSTREAM(S.k, v, r) FROM S [NOW], R WHERE S.k = R.k",
    "SELECT k FROM S [RANGE 9] EXCEPT SELECT k FROM R",
    "SELECT ISTREAM(k, COUNT(*) AS n) FROM S [RANGE 10] GROUP BY k",
    "SELECT DSTREAM(k, v) FROM S [RANGE 12]",
    "SELECT k, MEDIAN(v) AS m, MIN(v) AS l FROM S [RANGE 15] GROUP BY k",
    "SELECT v % 2 AS p, COUNT(DISTINCT k) AS n FROM S [RANGE 10] GROUP BY v % 2",
    "SELECT k, v FROM S [RANGE 5] WHERE k IN (SELECT k FROM R WHERE r > 40)",
    "SELECT k, v FROM S [RANGE 5] AS x WHERE NOT EXISTS (SELECT 1 FROM R AS y WHERE y.k = x.k AND y.r > 40)",
    "SELECT x.k, x.n, y.k AS l, y.n AS m FROM (SELECT k, COUNT(*) AS n FROM S [RANGE 8] GROUP BY k) AS x "
    "FULL JOIN (SELECT v AS k, COUNT(*) AS n FROM S [RANGE 3] GROUP BY v) AS y ON x.k = y.k",
    "SELECT k FROM S [RANGE 6] INTERSECT ALL SELECT k FROM S [ROWS 30]",
    "SELECT MAX(m) AS t FROM (SELECT n, COUNT(*) AS m FROM "
    "(SELECT k, COUNT(*) AS n FROM S [RANGE 20] GROUP BY k) AS x GROUP BY n) AS y",
)
FILES, ROWS = 6, 200


def write_data(folder: Path) -> None:
    """Files of a stream, and of a relation whose keys come, change and go, in the order of their ages."""
    (folder / "S").mkdir(parents=True)
    (folder / "R").mkdir()
    present: dict[int, int] = {}
    for number in range(FILES):
        t = pl.int_range(number * ROWS, (number + 1) * ROWS, eager=True)
        stream = pl.DataFrame({"ts": t // 4, "k": t * 7 % 11, "v": t % 5})
        changes = [_change(present, at) for at in range(number * ROWS // 4, (number + 1) * ROWS // 4, 3)]
        relation = pl.DataFrame(changes, schema=["ts", "op", "k", "r"], orient="row")
        for name, frame in (("S", stream), ("R", relation)):
            path = folder / name / f"{number}.parquet"
            frame.write_parquet(path)
            os.utime(path, (number, number))


def _change(present: dict[int, int], at: int) -> tuple[int, str, int, int]:
    """The next change of the relation: each third time a key occurs it is deleted."""
    key = at * 5 % 7
    if at % 4 == 0 and key in present:
        return at, "-", key, present.pop(key)
    op, present[key] = ("u" if key in present else "+"), at % 97
    return at, op, key, present[key]


@dataclass(frozen=True, slots=True)
class Application:
    """A program on the cluster that answers queries."""

    process: subprocess.Popen[str]
    log: Path

    def ask(self, **query: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(query) + "\n")
        self.process.stdin.flush()

    def answer(self, seconds: float = 300) -> list[str]:
        """The rows of the query that was asked."""
        assert self.process.stdout is not None
        patience = threading.Timer(seconds, self.process.kill)
        patience.start()
        line = self.process.stdout.readline()
        patience.cancel()
        rows = json.loads(line) if line else {"error": "no answer"}
        assert isinstance(rows, list), f"{rows}\n{self.log.read_text(encoding='utf-8')[-5000:]}"
        return rows


@contextmanager
def application(cluster: Standalone, data: Path) -> Iterator[Application]:
    log = cluster.folder / "application.log"
    command = [sys.executable, "-m", "spark.cluster_app", cluster.url, "queries", str(data)]
    with log.open("w", encoding="utf-8") as errors:
        process = subprocess.Popen(
            command, cwd=cluster.folder, env=cluster.environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
    with process:
        try:
            yield Application(process, log)
        finally:
            process.kill()


def newest(checkpoint: str) -> int:
    """The number of the newest epoch; -1 before the first."""
    names = (location(checkpoint) / "epochs").files()
    return max((int(name[:9]) for name in names if name[:9].isdecimal()), default=-1)


def lose_a_machine(cluster: Standalone, program: Application, checkpoint: str, draw: random.Random) -> None:
    """Kill one of the two, somewhere in an epoch before the last."""
    after, until = draw.randrange(-1, FILES - 3), monotonic() + 300
    while newest(checkpoint) < after:
        assert monotonic() < until, "no such epoch in time"
        assert program.process.poll() is None, program.answer(1)
        sleep(0.02)
    sleep(draw.uniform(0, 0.7))
    cluster.lose_worker(draw.randrange(2))
    assert newest(checkpoint) < FILES - 1, "too late: the run is over"


@pytest.mark.campaign
def test_a_lost_machine_changes_no_answer(tmp_path: Path) -> None:
    draw = random.Random(11 + SEED)
    queries = draw.sample(QUERIES, min(TIMES, len(QUERIES)))
    write_data(tmp_path / "data")
    with ExitStack() as stack:
        bucket = stack.enter_context(moto_bucket())
        cluster = stack.enter_context(standalone(tmp_path, 2))
        program = stack.enter_context(application(cluster, tmp_path / "data"))
        runs = [(text, str(tmp_path / f"state {number}")) for number, text in enumerate(queries)]
        runs += [
            (text, bucket.uri(f"state{number}"))
            for number, text in enumerate(draw.sample(QUERIES, min(TIMES, 5)))
        ]
        for number, (text, checkpoint) in enumerate(runs):
            begun = monotonic()
            program.ask(text=text)
            expected = program.answer()
            program.ask(text=text, checkpoint=checkpoint, out=str(tmp_path / f"out {number}"))
            lose_a_machine(cluster, program, checkpoint, draw)
            assert program.answer() == expected != [], f"{checkpoint}: {text}"
            print(f"{monotonic() - begun:.1f} s: {len(expected)} rows: {text}")
