"""Killed anywhere and started again, a run leaves exactly the answers of an undisturbed one.

With SIGKILL, at moments drawn at random, some while it starts, most just after something was written:
the process with its Java and its workers, the Java process alone, or a Python worker alone.
SLACKWATER_FUZZ multiplies the kills. The moments between any two file operations are tried one by one
in `tests/run/test_crash_points.py`.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from laws.effort import SEED, TIMES

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")

BATCHES = 8
PROGRAM = """
CREATE STREAM trades (symbol STRING, price DOUBLE) TIME ts INT FROM '{data}/trades' FORMAT parquet
  WITH (maxFilesPerTrigger = 1, delay = '7');
CREATE RELATION rates (symbol STRING, rate DOUBLE) KEY (symbol) TIME ts INT FROM '{data}/rates' FORMAT parquet
  WITH (maxFilesPerTrigger = 1);
CREATE VIEW recent AS SELECT symbol, COUNT(*) AS n, SUM(price) AS total FROM trades [RANGE 7] GROUP BY symbol;
SELECT r.symbol, n, total * rate AS worth FROM recent r JOIN rates q ON r.symbol = q.symbol;
SELECT ISTREAM(symbol, price) FROM trades [ROWS 3];
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small batches of trades, and rates that change now and then."""
    folder = tmp_path_factory.mktemp("restarts")
    draw = random.Random(7)
    for name in ("trades", "rates"):
        (folder / name).mkdir()
    for batch in range(BATCHES):
        times = sorted(draw.randint(batch * 5, batch * 5 + 6) for _ in range(8))
        rows = [{"symbol": draw.choice("ABC"), "price": draw.randint(1, 9) / 4, "ts": at} for at in times]
        pl.DataFrame(rows).write_parquet(folder / "trades" / f"{batch:03}.parquet")
        changes = [{"symbol": symbol, "rate": draw.randint(1, 5) / 2, "ts": batch * 5} for symbol in "ABC"]
        pl.DataFrame(changes[: batch % 3 + 1]).write_parquet(folder / "rates" / f"{batch:03}.parquet")
        for name in ("trades", "rates"):  # Spark reads files in the order of their age
            os.utime(folder / name / f"{batch:03}.parquet", (batch, batch))
    (folder / "program.cql").write_text(PROGRAM.format(data=folder), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def expected(data: Path) -> dict[str, Counter[str]]:
    """The answers of an undisturbed run."""
    undisturbed = started(data, "whole", "driver")
    _, errors = undisturbed.communicate(timeout=300)
    assert undisturbed.returncode == 0, errors
    whole = answers(data, "whole")
    assert whole
    return whole


def started(
    folder: Path, name: str, placement: str, *more: str, state: str | None = None
) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from slackwater.cli import main; main()", "run"]
    command += [str(folder / "program.cql"), "--out", str(folder / name / "out")]
    command += ["--checkpoint", state or str(folder / name / "state"), "--placement", placement, *more]
    # A Java that starts sooner: none of these runs lasts.
    known = {**os.environ, "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    return subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        cwd=folder, env=known,
    )  # fmt: skip


def answers(folder: Path, name: str) -> dict[str, Counter[str]]:
    """Every row of every answer with its copies, by the folder it was written to.

    How rows are spread over files is not compared: it follows how Spark cuts batches, which a restart
    may change and an answer must not show.
    """
    rows_by_folder: dict[str, Counter[str]] = {}
    for path in (folder / name / "out").rglob("*.csv"):
        heading, *rows = path.read_text(encoding="utf-8").splitlines()
        rows_by_folder.setdefault(f"{path.parent.name}: {heading}", Counter()).update(rows)
    return rows_by_folder


def count_files(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0


def family(pid: int) -> dict[int, str]:
    """The process and all that descend from it, with their command lines."""
    commands: dict[int, str] = {}
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        waiting += [child for child, parent in parents.items() if parent == current]
        try:
            commands[current] = Path(f"/proc/{current}/cmdline").read_text().replace("\0", " ")
        except OSError:
            continue
    return commands


def everything(process: subprocess.Popen[str], draw: random.Random) -> list[int]:
    return list(family(process.pid))


def the_java_process(process: subprocess.Popen[str], draw: random.Random) -> list[int]:
    return [pid for pid, command in family(process.pid).items() if "SparkSubmit" in command]


def a_worker(process: subprocess.Popen[str], draw: random.Random) -> list[int]:
    """A Python worker, or the one that they are forked from."""
    workers = [pid for pid, command in family(process.pid).items() if "pyspark.daemon" in command]
    return [draw.choice(workers)] if workers else []


Victims = Callable[[subprocess.Popen[str], random.Random], list[int]]


def killed(process: subprocess.Popen[str], folder: Path, draw: random.Random, victims: Victims) -> bool:
    """Kill the victims once a few more files are written; False if the process came to its end first."""
    goal, patience = count_files(folder) + draw.randint(1, 30), time.monotonic() + 60
    while process.poll() is None and count_files(folder) < goal and time.monotonic() < patience:
        time.sleep(0.01)
    time.sleep(draw.random() * 0.05)
    count = 0
    for pid in [] if process.poll() is not None else victims(process, draw):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            count += 1
    return count > 0


def campaign(
    data: Path, expected: dict[str, Counter[str]], victims: Victims, kills: int, placement: str
) -> Counter[str]:
    """Runs that are killed, each until it comes to its end; what became of the processes."""
    draw = random.Random(11 + SEED)
    became: Counter[str] = Counter()
    while became["kills"] < kills:
        name = f"{victims.__name__} {became['runs']}"
        is_ended = False
        while not is_ended:
            process, before = started(data, name, placement), became["kills"]
            while became["kills"] < kills and killed(process, data / name, draw, victims):
                became["kills"] += 1
                if victims is not a_worker:
                    break
            _, errors = process.communicate(timeout=300)
            became[outcome(process.returncode, errors)] += 1
            is_ended = process.returncode == 0
            assert is_ended or became["kills"] > before, f"it does not go on: {errors}"
        became["runs"] += 1
        assert answers(data, name) == expected, f"{name}: {became}"
    print(victims.__name__, dict(became))
    return became


def outcome(code: int, errors: str) -> str:
    """How a process ended: well, killed, or with a diagnostic; a traceback or a bug is none of them."""
    assert "Traceback" not in errors, errors
    assert "error[bug]" not in errors, errors
    if code == -signal.SIGKILL:
        return "killed"
    assert code in (0, 1), errors
    assert code == 0 or "error[" in errors, errors
    return "ended" if code == 0 else errors.partition("error[")[2].partition("]")[0]


@pytest.mark.campaign
def test_a_process_that_is_killed_again_and_again(data: Path, expected: dict[str, Counter[str]]) -> None:
    became = campaign(data, expected, everything, 2 * TIMES, "driver")
    assert became["killed"] == became["kills"]


@pytest.mark.campaign
def test_a_java_process_that_is_killed_is_named(data: Path, expected: dict[str, Counter[str]]) -> None:
    became = campaign(data, expected, the_java_process, TIMES, "driver")
    assert set(became) <= {"kills", "runs", "ended", "lost-java"}


@pytest.mark.campaign
def test_workers_that_are_killed_do_not_end_a_run(data: Path, expected: dict[str, Counter[str]]) -> None:
    became = campaign(data, expected, a_worker, 2 * TIMES, "workers")
    assert set(became) == {"kills", "runs", "ended"}


def test_a_second_process_with_the_same_checkpoint_is_refused_and_harms_nothing(
    data: Path, expected: dict[str, Counter[str]]
) -> None:
    first = started(data, "shared", "driver", "--follow")
    patience = time.monotonic() + 120
    while not list((data / "shared" / "out").rglob("*.csv")) and time.monotonic() < patience:
        assert first.poll() is None
        time.sleep(0.05)
    second = started(data, "shared", "driver", "--overwrite")
    _, errors = second.communicate(timeout=300)
    assert outcome(second.returncode, errors) == "checkpoint-in-use"
    assert f"Process {first.pid} on host" in errors
    assert first.poll() is None
    for pid in everything(first, random.Random()):
        os.kill(pid, signal.SIGKILL)
    first.communicate(timeout=300)
    third = started(data, "shared", "driver")
    _, errors = third.communicate(timeout=300)
    assert third.returncode == 0, errors
    assert answers(data, "shared") == expected
