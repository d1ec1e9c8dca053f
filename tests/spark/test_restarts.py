"""Killed anywhere and started again, a run leaves exactly the answers of an undisturbed one.

The process group, driver, JVM and workers with it, is killed with SIGKILL at moments drawn at random:
some while it starts, most just after something was written. SLACKWATER_FUZZ multiplies the kills.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from laws.effort import TIMES

KILLS = 3 * TIMES
PROGRAM = """
CREATE STREAM trades (symbol STRING, price DOUBLE) TIME ts INT FROM '{data}/trades' FORMAT parquet
  WITH (maxFilesPerTrigger = 1, delay = '7');
CREATE RELATION rates (symbol STRING, rate DOUBLE) KEY (symbol) TIME ts INT FROM '{data}/rates' FORMAT parquet
  WITH (maxFilesPerTrigger = 1);
CREATE VIEW recent AS SELECT symbol, COUNT(*) AS n, SUM(price) AS total FROM trades [RANGE 7] GROUP BY symbol;
SELECT r.symbol, n, total * rate AS worth FROM recent r JOIN rates q ON r.symbol = q.symbol;
SELECT ISTREAM(symbol, price) FROM trades [ROWS 3];
"""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Small batches of trades, and rates that change now and then."""
    draw = random.Random(7)
    for folder in ("trades", "rates"):
        (tmp_path / folder).mkdir()
    for batch in range(14):
        times = sorted(draw.randint(batch * 5, batch * 5 + 6) for _ in range(8))
        rows = [{"symbol": draw.choice("ABC"), "price": draw.randint(1, 9) / 4, "ts": at} for at in times]
        pl.DataFrame(rows).write_parquet(tmp_path / "trades" / f"{batch:03}.parquet")
        changes = [{"symbol": each, "rate": draw.randint(1, 5) / 2, "ts": batch * 5} for each in "ABC"]
        pl.DataFrame(changes[: batch % 3 + 1]).write_parquet(tmp_path / "rates" / f"{batch:03}.parquet")
        for folder in ("trades", "rates"):  # Spark reads files in the order of their age
            os.utime(tmp_path / folder / f"{batch:03}.parquet", (batch, batch))
    (tmp_path / "program.cql").write_text(PROGRAM.format(data=tmp_path), encoding="utf-8")
    return tmp_path


def started(folder: Path, name: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "from slackwater.cli import main; main()", "run"]
    command += [str(folder / "program.cql"), "--out", str(folder / name / "out")]
    command += ["--checkpoint", str(folder / name / "state")]
    return subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
    )


def answers(folder: Path, name: str) -> dict[str, Counter[str]]:
    """Every row of every answer with its copies, by the folder it was written to.

    How rows are spread over files is not compared: it follows how Spark cuts batches, which a restart
    may change and an answer must not show.
    """
    found: dict[str, Counter[str]] = {}
    for path in (folder / name / "out").rglob("*.csv"):
        heading, *rows = path.read_text(encoding="utf-8").splitlines()
        found.setdefault(f"{path.parent.name}: {heading}", Counter()).update(rows)
    return found


def written(folder: Path) -> int:
    return sum(1 for path in folder.rglob("*") if path.is_file()) if folder.exists() else 0


def killed(process: subprocess.Popen[bytes], folder: Path, draw: random.Random) -> bool:
    """Kill the process after it has written a few more files; False if it came to its end first."""
    goal, patience = written(folder) + draw.randint(1, 30), time.monotonic() + 60
    while process.poll() is None and written(folder) < goal and time.monotonic() < patience:
        time.sleep(0.01)
    time.sleep(draw.random() * 0.05)
    if process.poll() is not None:
        return False
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return True


def test_a_run_that_is_killed_again_and_again_answers_as_if_it_had_not_been(data: Path) -> None:
    undisturbed = started(data, "whole")
    assert undisturbed.wait(timeout=300) == 0
    draw = random.Random(int(os.environ.get("SLACKWATER_SEED", "11")))
    kills = 0
    for _ in range(KILLS):
        if not killed(started(data, "killed"), data / "killed", draw):
            break
        kills += 1
    assert started(data, "killed").wait(timeout=300) == 0
    assert kills > 0
    assert answers(data, "killed") == answers(data, "whole")
    assert answers(data, "whole")
