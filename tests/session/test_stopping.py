"""Starting and stopping: every start has its own sinks, and a stop ends it, whenever it comes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from datetime import date, datetime
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.base.time import CALENDAR, SECONDS
from slackwater.run.arguments import instant_of, interval_of, seconds_of

QUERY = "SELECT ISTREAM(a) FROM S [NOW]"
ROWS = [(time, time % 3) for time in range(8)]


@pytest.fixture
def q(spark: SparkSession, tmp_path: Path) -> sw.Query:
    """A query over four files, an epoch each."""
    (tmp_path / "in").mkdir()
    for number in range(4):
        path = tmp_path / "in" / f"{number}.csv"
        path.write_text("t,a\n" + "".join(f"{t},{a}\n" for t, a in ROWS[2 * number : 2 * number + 2]))
        os.utime(path, (number + 1, number + 1))
    s = sw.connect(spark)
    place = f"FROM '{tmp_path / 'in'}' FORMAT csv WITH (maxFilesPerTrigger = 1)"
    s.sql(f"CREATE STREAM S (a INT) TIME t INT {place}")
    return s.query(QUERY, "q")


def test_a_start_has_its_own_sinks(q: sw.Query) -> None:
    first, second, third = sw.Memory(), sw.Memory(), sw.Memory()
    q.start(first, follow=False).await_termination()
    first.frames.clear()
    q.into(third).start(second, follow=False).await_termination()
    assert (first.rows, second.rows, third.rows) == ([], ROWS, ROWS)
    third.frames.clear()
    assert q.into(third).emits().rows() == ROWS
    assert (q.sinks, third.rows) == ((), []), "an answer that is read goes nowhere else"
    with pytest.raises(FrozenInstanceError):
        q.name = "other"  # type: ignore[misc]


def test_a_sink_that_failed_does_not_spoil_the_query(
    q: sw.Query, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(frame: pl.DataFrame, number: int) -> None:
        raise ValueError("no more")

    class Odd(sw.Memory):
        def put(self, number: int, frame: pl.DataFrame) -> None:
            raise RuntimeError("no room")

    for sink, code in ((sw.Callback(broken), "callback-failed"), (Odd(), "sink-failed")):
        with (
            pytest.raises(sw.EngineError, match=code),
            q.start(sink, checkpoint=tmp_path / "state", follow=False) as running,
        ):
            running.await_termination()
    assert "Traceback" not in caplog.text
    seen = sw.Memory()
    q.start(seen, checkpoint=tmp_path / "state", follow=False).await_termination()
    assert seen.rows == ROWS


def test_a_failure_is_raised_at_the_end_of_the_block(q: sw.Query) -> None:
    failed = threading.Event()

    def broken(frame: pl.DataFrame, number: int) -> None:
        failed.set()
        raise ValueError("no more")

    with pytest.raises(sw.EngineError, match="callback-failed"), q.start(sw.Callback(broken)):
        failed.wait()


def test_a_query_that_is_stopped_at_once_ends(q: sw.Query) -> None:
    with q.start(sw.Memory()) as running:
        pass
    assert (running.is_active, running.exception) == (False, None)
    running.stop()


@pytest.mark.parametrize("inside", [True, False], ids=["by its sink", "by another thread"])
def test_a_query_that_is_stopped_in_an_epoch_ends_after_it(
    q: sw.Query, tmp_path: Path, inside: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nothing is printed, the epoch counts, and its input is not taken for read to the end."""
    begun, gone_on = threading.Event(), threading.Event()
    seen: list[int] = []

    def take(frame: pl.DataFrame, number: int) -> None:
        seen.append(number)
        begun.set()
        gone_on.wait()
        if inside:
            running.stop()

    running = q.start(sw.Callback(take), checkpoint=tmp_path / "state", follow=False)
    begun.wait()
    stopping = threading.Thread(target=running.stop)
    if not inside:
        stopping.start()
        while not running.drive._stopping.is_set():
            pass
    gone_on.set()
    assert running.await_termination()
    if not inside:
        stopping.join()
    assert (seen, running.progress.watermark_text) == ([0], "1")
    assert capfd.readouterr().err == ""
    rest = sw.Memory()
    q.start(rest, checkpoint=tmp_path / "state", follow=False).await_termination()
    assert rest.rows == ROWS[1:]


def test_a_finite_input_is_stopped_by_its_sink(spark: SparkSession) -> None:
    s = sw.connect(spark)
    s.stream("S", ROWS, time="t", columns=["t", "a"])
    ready = threading.Event()

    def take(frame: pl.DataFrame, number: int) -> None:
        ready.wait()
        running.stop()

    running = s.query(QUERY).start(sw.Callback(take))
    ready.set()
    assert running.await_termination()


def test_a_query_runs_twice_at_the_same_time(q: sw.Query) -> None:
    """Spark's UI shows the query's name, and Spark refuses one name twice."""
    one, two = sw.Memory(), sw.Memory()
    with q.start(one) as first, q.start(two) as second:
        first.await_instant(7)
        second.await_instant(7)
        names = {str(query.name) for query in first.drive.feeds[0].frame.sparkSession.streams.active}
        assert {"q", "q (2)"} <= names
    assert one.rows == two.rows == ROWS[:-1]


def test_arguments_that_are_wrong_are_refused_at_once() -> None:
    """Before Spark is started: there is none here."""
    s = sw.connect()
    s.sql("CREATE STREAM S (a INT) TIME t TIMESTAMP FROM 'nowhere' FORMAT csv")
    q = s.query(QUERY)
    wrong: dict[str, Callable[[], object]] = {
        r'not-a-sink.*\'dir\' is not a sink(.|\n)*sw.Files\("dir"\)': lambda: q.start("dir"),  # type: ignore[arg-type]
        r"not-a-sink.*3 is not a sink": lambda: q.into(3),  # type: ignore[arg-type]
        r"not-a-sink(.|\n)*sw.Callback": lambda: q.into(print),  # type: ignore[arg-type]
        r'bad-option.*"soon"': lambda: q.start(sw.Memory(), interval="soon"),
        r'wrong-mode.*"tabel"': lambda: q.into(sw.Memory("tabel")),
        r'wrong-mode.*"table" is not available for a stream': lambda: q.start(sw.Memory("table")),
        r"unknown-output": lambda: q.write("out", "xlsx"),
        r"no-instant.*'never'": lambda: q.at("never"),
        r"no-instant.*1.5": lambda: q.at(1.5),  # type: ignore[arg-type]
    }
    for code, call in wrong.items():
        with pytest.raises(sw.EngineError, match=code):
            call()
    assert s._spark is None


def test_instants_and_lengths_of_time() -> None:
    day = 86_400_000_000
    assert instant_of(date(1970, 1, 2), CALENDAR) == instant_of("1970-01-02", CALENDAR) == day
    assert instant_of(datetime(1970, 1, 2, 0, 0, 1), CALENDAR) == day + 1_000_000
    assert instant_of(7, SECONDS) == 7
    assert interval_of("1.5 seconds") == "1500 milliseconds"
    assert (seconds_of(None), seconds_of(2)) == (None, 2.0)
    for timeout in ("x", -1, True):
        with pytest.raises(sw.EngineError, match="bad-option"):
            seconds_of(timeout)
    with pytest.raises(sw.EngineError, match="no-instant"):
        instant_of(date(1970, 1, 2), SECONDS)
