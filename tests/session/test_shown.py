"""What sessions, queries, answers and runs show of themselves, in a line and in a notebook."""

from __future__ import annotations

import contextlib
import threading
from inspect import signature
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.answers import Answer
from slackwater.run.arguments import StartOptions


def test_the_package_lists_its_public_names() -> None:
    assert [name for name in dir(sw) if not name.startswith("__")] == sorted(
        set(sw.__all__) - {"__version__"}
    )
    for name in sw.__all__:
        assert getattr(sw, name) is not None


def test_a_query_starts_with_the_options_of_its_session() -> None:
    parameters = signature(sw.Session.start).parameters.values()
    options = [parameter for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    types = {name: type_.__forward_arg__ for name, type_ in StartOptions.__annotations__.items()}
    assert types == {option.name: option.annotation for option in options}
    for option in options:
        assert f"`{option.name}` ({option.default})" in str(sw.Query.start.__doc__)


def test_an_answer_is_a_table_with_its_numbers_in_full() -> None:
    answer = Answer(pl.DataFrame({"a<b": [1234567.25, None], "s": ["<x>", None]}))
    assert str(answer) == "a<b        | s\n1234567.25 | <x>\nnull       | null"
    assert repr(answer) == "<answer: 2 rows of a<b, s>"
    html = answer._repr_html_()
    assert "<th>a&lt;b</th>" in html
    assert "<td>1234567.25</td><td>&lt;x&gt;</td>" in html
    long = Answer(pl.DataFrame({"a": range(51)}))
    assert str(long).endswith("\n… 1 more row")
    assert long._repr_html_().endswith("<p>… 1 more row</p>")


def test_a_run_names_the_source_that_holds_it_back(spark: SparkSession, tmp_path: Path) -> None:
    s = sw.connect(spark)
    for name, times in (("fast", (1, 3, 9)), ("slow", (1, 2))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "0.csv").write_text("t,a\n" + "".join(f"{time},{time}\n" for time in times))
        s.sql(f"CREATE STREAM {name} (a INT) TIME t INT FROM '{tmp_path / name}' FORMAT csv")
    q = s.query("SELECT ISTREAM(f.a) FROM fast [RANGE 9] AS f, slow [RANGE 9] AS w WHERE f.a = w.a", "pairs")
    assert repr(s) == "<session: 2 sources, 0 views>"
    assert "<td>stream</td><td>fast</td><td>(a int)</td>" in s._repr_html_()
    assert "<caption>stream pairs</caption>" in q._repr_html_()
    assert len(repr(sw.Memory(frames={0: pl.DataFrame({"a": [1]})})).splitlines()) == 1
    with q.start(sw.Memory()) as running:
        running.await_instant(2, timeout=600)
        progress = running.progress
        assert [source.name for source in progress.held_back_by] == ["slow"]
        fast, slow = progress.sources
        assert (fast.events, fast.watermark, fast.waiting) == (3, 9, 2)
        assert (slow.events, slow.watermark, slow.last_seen is not None) == (2, 2, True)
        assert "holds the others back since" in running.explain()
        assert repr(running) == "<run of pairs: running, 5 events, watermark 2>"
        assert "<td>slow</td><td>2</td><td>2</td>" in running._repr_html_()
    assert repr(running) == "<run of pairs: stopped, 5 events, watermark 2>"


def test_an_epoch_that_failed_is_not_the_end(spark: SparkSession) -> None:
    s = sw.connect(spark)
    s.stream("S", [(1, 7)], time="t", columns=["t", "a"])
    reached = threading.Event()

    def broken(frame: pl.DataFrame, number: int) -> None:
        reached.set()
        raise ValueError("no more")

    running = s.query("SELECT ISTREAM(a) FROM S [NOW]", "q").start(sw.Callback(broken))
    with contextlib.suppress(sw.EngineError):
        running.await_termination()
    assert reached.is_set()
    assert (running.progress.watermark_text, running.progress.events) == ("the beginning", 0)
    assert repr(running) == "<run of q: failed, 0 events, watermark the beginning>"
    with pytest.raises(sw.EngineError, match="callback-failed"):
        running.await_termination()


def test_an_answer_leaves_the_names_of_jobs_as_they_were(spark: SparkSession) -> None:
    s = sw.connect(spark)
    s.stream("S", [(1, 7)], time="t", columns=["t", "a"])
    spark.sparkContext.setJobDescription("mine")
    assert s.query("SELECT ISTREAM(a) FROM S [NOW]").emits().rows() == [(1, 7)]
    assert spark.sparkContext.getLocalProperty("spark.job.description") == "mine"
    spark.sparkContext.setJobDescription(None)  # type: ignore[arg-type]
